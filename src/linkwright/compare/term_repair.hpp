#pragma once
// The smallest change to what was written that makes it right: one sign, one index, one name, one number, one factor, one term.
//
// A formula is affine in each of its terms and in each factor of a term. So instead of trying every change, we walk down the
// tree and ask at each part what its value would have to be for the whole to be right: a residue in the two fields. Then we look
// whether that is something a person would have written there: the negative, another name, a small rational number, another power.
// Looking up is one probe of a table. Only below functions and powers, where the whole is not affine, changes are tried.
// What is found is built as an expression and judged as such: a repair that is told has been verified.

#include <chrono>

#include "linkwright/compare/bind.hpp"

namespace linkwright::compare {

/// What a change is about. `text` is a misprint: what looks alike, or was lost.
enum class RepairKind : std::uint8_t { sign, index, name, number, power, function, factor, term, bracket, text };
std::string_view to_string(RepairKind kind);

/// A change, in the writer's terms.
struct Repair {
    std::string what;  ///< "'+' instead of '-'"
    RepairKind kind;
    Position where;
    std::uint32_t width = 1;
    double cost = 0;
};

class Repairer {
public:
    explicit Repairer(Binder& binder);

    /// Repairs of statement `s` that make its value `need`, best first: each a list of changes that belong together (one, or two
    /// when one is not enough). `s` is found in `statements`, which may hold other readings of damaged text.
    using Choice = std::vector<Repair>;
    std::vector<Choice> repair(const std::vector<Bound>& statements, std::size_t s, const Expr& need, std::chrono::milliseconds patience);

    /// A term or a small sum of ours in the writer's names; empty when it is no polynomial of a few terms.
    std::string spell(const Expr& e, std::size_t most_terms) const;

private:
    struct Candidate;
    class Search;
    void tell_moved_brackets(const std::vector<Bound>& statements, std::size_t s, const Expr& need,
                             std::chrono::steady_clock::time_point deadline, std::vector<Choice>& out) const;
    void tell_missing_terms(const Bound& bound, const Expr& theirs, const Expr& need, std::vector<Choice>& out) const;
    Binder& binder_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> atom_at_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::size_t, std::size_t>> pair_at_;
};

/// Whether print confuses them: 12 and l2, O and 0, S and 5.
bool look_alike(std::string_view a, std::string_view b);

/// A residue as a fraction whose parts are below `bound`; empty when it is none in both fields.
std::optional<Rational> as_fraction(sym::Residue r, std::int64_t bound);

}  // namespace linkwright::compare
