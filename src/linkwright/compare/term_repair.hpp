#pragma once
// The smallest change to what was written that makes it right: one sign, one index, one name, one number, one factor, one term; or, where
// one is not enough, several of them, each told.
//
// Guesses come from solving and trying (term_search.hpp) and from slips that add up (several_slips.hpp). What is guessed is built as
// an expression and judged as such: a repair that is told has been verified.

#include "linkwright/compare/several_slips.hpp"

namespace linkwright::compare {

class Repairer {
public:
    explicit Repairer(Binder& binder);

    /// Repairs of statement `s` that make its value `need`, best first: each a list of changes that belong together. `s` is found in
    /// `statements`, which may hold other readings of damaged text. Patience is turned into work, so that every machine finds the same.
    /// The last resort is two changes that do not add up, which is looked for by trying: `tries_all` says whether it is worth while.
    using Choice = std::vector<Repair>;
    std::vector<Choice> repair(const std::vector<Bound>& statements, std::size_t s, const Expr& need, std::chrono::milliseconds patience,
                               bool tries_all = true);

    /// The work done so far, as time.
    std::chrono::milliseconds spent() const { return std::chrono::milliseconds(spent_ / Effort::units_per_millisecond); }

private:
    class Bench;
    std::string spell(const sym::Terms& terms) const;
    std::pair<std::string, bool> spell_letter(const Expr& letter) const;
    std::string raised(const std::string& base, std::int64_t power) const;
    Repair told_missing(const Bound& bound, const sym::Terms& missing, double cost) const;
    void tell_moved_brackets(const std::vector<Bound>& statements, std::size_t s, const Expr& need, Effort& effort,
                             std::vector<Choice>& out) const;
    void tell_missing_terms(const Bound& bound, const Expr& theirs, const Expr& need, std::vector<Choice>& out) const;
    Binder& binder_;
    Lexicon lexicon_;
    std::size_t spent_ = 0;
};

}  // namespace linkwright::compare
