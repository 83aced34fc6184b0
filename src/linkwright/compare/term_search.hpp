#pragma once
// What could have been meant at each part of what was written: the changes a person would make there, and how they are told.
//
// Two ways to find them. *Solving*: a formula is affine in each of its terms and in each factor of a term, so we walk down the tree
// and ask at each part what its value would have to be for the whole to be right, a residue in the two fields, and look whether that is
// something a person would have written there. *Trying*: every change of a part, with what it makes of the whole. Of a part at
// which the whole is affine with slope a, a change from x to y adds a (y − x) to the whole: nothing has to be built again.
//
// What is found is a guess until the changed statements are built as expressions and judged as such (term_repair.hpp).

#include <chrono>
#include <functional>
#include <map>
#include <span>

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
    double cost = 0;  ///< the smaller, the likelier: a sign is 1, a factor left out 1.7, a term left out 2
};

/// Work in place of time, so that what is found is the same on every machine. The clock is only a last resort.
class Effort {
public:
    static constexpr std::size_t units_per_millisecond = 3000;  ///< more or less; measured on a machine of 2024
    explicit Effort(std::chrono::milliseconds patience);
    void spend(std::size_t units) { spent_ += units; }
    std::size_t spent() const { return spent_; }
    bool is_over() const;

private:
    std::size_t spent_ = 0, most_;
    std::chrono::steady_clock::time_point last_resort_;
};

/// The names that may stand in the writer's formulas, found by their values.
class Lexicon {
public:
    explicit Lexicon(const Binder& binder);
    const std::vector<Atom>& atoms() const { return atoms_; }
    const Atom* find(sym::Residue r, std::size_t statement) const;
    /// Two of them whose product it is.
    struct Pair {
        const Atom *a, *b;
    };
    std::optional<Pair> find_pair(sym::Residue r, std::size_t statement) const;
    /// Whether the name has its meaning where the statement stands.
    static bool is_known(const Atom& a, std::size_t statement) { return a.definition < static_cast<int>(statement); }

private:
    using Key = std::pair<std::uint64_t, std::uint64_t>;
    const std::vector<Atom>& atoms_;
    std::map<Key, std::size_t> atom_at_;
    std::map<Key, std::pair<std::size_t, std::size_t>> pair_at_;
};

/// One part of one statement becomes `value`; or is multiplied by `factor`, whatever else is changed below it.
struct Change {
    std::size_t statement;
    Tree::Part part;
    Expr value;
    Repair told;
    std::optional<Expr> factor{};
};

class TermSearch {
public:
    /// `s` is the statement that shall be right; statements below it may be changed too.
    TermSearch(const Binder& binder, const Lexicon& lexicon, const std::vector<Bound>& statements, std::size_t s, Effort& effort);

    // ------------------------------------------------------------------------------------------ solving (term_solve.cpp)

    /// What makes the whole the residue `need` by one change goes to `found`.
    void solve_whole(sym::Residue need);
    /// The same for one part. `is_term`: a factor may be missing there.
    void solve(std::size_t s, Tree::Part p, sym::Residue need, bool is_term);
    std::vector<Change> found;

    // ------------------------------------------------------------------------------------------ trying (term_search.cpp)

    /// Every single change below part p.
    std::vector<Change> changes(std::size_t s, Tree::Part p, std::size_t most = 4000);

    /// How the whole depends on a part: whole = slope · part + rest. Empty where it does not depend on it in that way.
    struct Slope {
        std::optional<sym::Residue> at;
        Tree::Part anchor = Tree::none;  ///< the part itself, or the nearest one above it that has a slope
        Tree::Part parent = Tree::none;
    };
    const std::vector<std::vector<Slope>>& slopes();
    /// What a change adds to the whole; empty where the whole does not depend on its anchor affinely.
    std::optional<sym::Residue> added(const Change& c);

    /// What part p becomes when c is carried out somewhere below it.
    Expr value_with(const Change& c, std::size_t s, Tree::Part p);
    /// The values of all statements below s when these parts are changed.
    std::vector<std::vector<Expr>> changed_values(std::span<const Change> changed) const;
    void set_values(std::vector<std::vector<Expr>> values);

    const Expr& value(std::size_t s, Tree::Part p) const { return values_[s][p]; }
    const Expr& whole() const { return values_[s_][statements_[s_].root]; }
    const std::vector<Bound>& statements() const { return statements_; }
    std::size_t statement() const { return s_; }
    const std::vector<std::size_t>& cone() const { return cone_; }  ///< statements that s is made of, itself included, ascending
    std::size_t uses(std::size_t s) const { return uses_[s]; }
    Effort& effort() { return effort_; }
    const Tree& tree(std::size_t s) const { return statements_[s].tree; }
    static bool has_residue(const Expr& e) { return (e.node().flags & sym::Node::no_residue) == 0 && !e.is_undefined(); }

    // ----------------------------------------------------------------------------------------------------- what to tell

    Repair told(std::size_t s, std::size_t first, std::size_t last, RepairKind kind, double cost, std::string what) const;
    std::string written(std::size_t s, Tree::Part p) const;

private:
    void count_uses();
    void find_slopes(std::size_t s);
    Expr number(const Rational& r) const { return {desk_, desk_.make_number(r)}; }
    const std::vector<Token>& tokens(std::size_t s) const { return statements_[s].text->tokens; }
    std::string power_text(const std::string& base, int n) const;
    std::vector<Expr> rebuilt(std::size_t i, const std::vector<std::vector<Expr>>& all, std::span<const Change> changed) const;
    Expr built(const Tree::Node& node, const std::function<Expr(Tree::Part)>& at) const;

    void changes_of_number(std::size_t s, Tree::Part p, std::vector<Change>& out) const;
    void changes_of_name(std::size_t s, Tree::Part p, std::vector<Change>& out) const;
    void changes_of_sum(std::size_t s, Tree::Part p, std::vector<Change>& out) const;
    void changes_of_product(std::size_t s, Tree::Part p, std::vector<Change>& out) const;
    void changes_of_power(std::size_t s, Tree::Part p, std::vector<Change>& out) const;
    void changes_of_call(std::size_t s, Tree::Part p, std::vector<Change>& out) const;
    void changes_of_angle(std::size_t s, Tree::Part call, std::vector<Change>& out) const;
    void changes_of_term(std::size_t s, Tree::Part p, std::vector<Change>& out) const;

    void solve_number(std::size_t s, Tree::Part p, sym::Residue need);
    void solve_name(std::size_t s, Tree::Part p, sym::Residue v, sym::Residue need);
    void solve_sum(std::size_t s, Tree::Part p, sym::Residue v, sym::Residue need);
    void solve_missing_term(std::size_t s, Tree::Part p, sym::Residue missing);
    void solve_product(std::size_t s, Tree::Part p, sym::Residue need);
    void solve_power(std::size_t s, Tree::Part p, sym::Residue need);
    void solve_tried(std::size_t s, Tree::Part p, sym::Residue need, std::size_t most);
    void solve_split(std::size_t s, Tree::Part p, sym::Residue need, bool minus);
    void solve_joined(std::size_t s, Tree::Part p, std::size_t t, sym::Residue v, sym::Residue need);
    void solve_missing_factor(std::size_t s, Tree::Part p, sym::Residue v, sym::Residue need);
    std::size_t operator_before(std::size_t s, Tree::Part p) const;

    Repair told_sign(std::size_t s, Tree::Part sum, std::size_t t) const;
    Repair told_number(std::size_t s, Tree::Part p, const Rational& r, RepairKind kind = RepairKind::number) const;
    Repair told_name(std::size_t s, Tree::Part p, const Atom& a) const;
    Repair told_power(std::size_t s, Tree::Part p, int n) const;
    Repair told_look_alike(std::size_t s, Tree::Part p, const std::string& meant) const;
    Repair told_extra_term(std::size_t s, Tree::Part sum, std::size_t t) const;
    Repair told_extra_factor(std::size_t s, Tree::Part product, std::size_t t) const;
    Repair told_other_side(std::size_t s, Tree::Part product, std::size_t t) const;
    Repair told_function(std::size_t s, Tree::Part p, const std::string& f) const;
    Repair told_factor(std::size_t s, Tree::Part p, const std::string& by, bool divides, double cost) const;

    const Lexicon& lexicon_;
    const std::vector<Bound>& statements_;
    const std::vector<Atom>& atoms_;
    sym::Pool& desk_;
    Language language_;
    std::size_t s_;
    Effort& effort_;
    std::vector<std::vector<Expr>> values_;
    std::vector<std::size_t> uses_, cone_;
    std::vector<std::vector<Slope>> slopes_;
    /// Below functions and powers: the changes there, and what each makes of the function.
    std::map<std::pair<std::size_t, Tree::Part>, std::vector<std::pair<Change, sym::Residue>>> tried_;
};

/// Whether print confuses them: 12 and l2, O and 0, S and 5.
bool look_alike(std::string_view a, std::string_view b);

/// A residue as a fraction whose parts are below `bound`; empty when it is none in both fields.
std::optional<Rational> as_fraction(sym::Residue r, std::int64_t bound);

}  // namespace linkwright::compare
