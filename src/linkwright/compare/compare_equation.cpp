#include "linkwright/compare/compare_equation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/compare/compare_numbers.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::compare {

using sym::Residue;
using sym::Verdict;

namespace {

class Judge {
public:
    Judge(Binder& binder, Repairer& repairer, std::size_t statement, std::chrono::milliseconds patience, ComparedEntry& entry)
        : ours_(binder.ours()),
          repairer_(repairer),
          binder_(binder),
          statement_(statement),
          patience_(patience),
          entry_(entry),
          domain_(binder.statements(), statement) {
        const Bound& b = binder.statements()[statement];
        R_ = b.parts[b.root];
        for (const Expr& a : ours_.udot) r_.push_back(sym::derivative(R_, a));
        for (std::size_t i = 0; i < ours_.rows(); ++i) rows_.push_back(ours_.row(i));
        if (R_.is_undefined()) {
            entry_.outcome = Outcome::unknown;
            entry_.ours = "no row";
            entry_.note = "it divides by zero, or is undefined";
            if (b.unreadable >= 0) {
                entry_.outcome = Outcome::unreadable;
                entry_.note = fmt::format("it uses line {}, which could not be read", binder.statements()[b.unreadable].text->where.line);
            }
        } else if (!is_row() && !is_constraint() && !is_combination() && !is_row_as_numbers()) {
            find_nearest();
        }
    }

private:
    Expr number(const Rational& r) const { return {ours_.desk, ours_.desk.make_number(r)}; }
    void set_row(std::size_t i) {
        entry_.ours = fmt::format("row {} ({})", i + 1, ours_.u[i].symbol().name);
        entry_.row = i;
    }
    static bool is_zero(const Expr& e) { return e.node().residue.is_zero(); }

    /// k = r_j/M_ij, a number when it is one.
    std::optional<Expr> factor(std::size_t i, std::size_t j) const { return quotient(r_[j], ours_.M[i][j]); }
    std::optional<Expr> quotient(const Expr& theirs, const Expr& ours) const {
        const auto inverse = sym::inverse(ours.node().residue);
        if (!inverse || is_zero(theirs)) return std::nullopt;
        if (const auto k = as_fraction(theirs.node().residue * *inverse, 4096)) return number(*k);
        return theirs / ours;
    }
    void tell_factor(const Expr& k) {
        if (k.is_literally(1)) return;
        entry_.factor = readable_text(k, 200);
        // any factor leaves an equation what it is
        if (!entry_.factor.empty() && entry_.outcome == Outcome::equal)
            entry_.note = k.is_literally(-1) ? "with all terms on the other side" : fmt::format("multiplied by {}", entry_.factor);
    }
    AsNumbers as_numbers(const Expr& ours) const { return compare_numbers(ours_, R_, ours, domain_, 1); }
    void tell_equal(const Expr& ours) {
        if (is_opaque(R_) || is_opaque(ours) || !domain_.is_everywhere()) {
            if (const AsNumbers numbers = as_numbers(ours); numbers.answer == AsNumbers::Answer::different) {
                entry_.outcome = Outcome::different;
                entry_.difference = "0";
                entry_.note = numbers.where;
                return;
            }
        }
        entry_.outcome = Outcome::equal;
        const auto exact = sym::equal_exactly(R_, ours, {.terms = 20'000, .time = std::chrono::milliseconds(300)});
        entry_.witness = exact.verdict == Verdict::equal ? Witness::fingerprint_and_normal_form : Witness::fingerprint;
    }

    bool is_row() {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            for (std::size_t j = 0; j < rows_.size(); ++j) {
                if (is_zero(ours_.M[i][j])) continue;
                const auto k = factor(i, j);
                if (k && sym::equal(R_ * ours_.M[i][j], r_[j] * rows_[i]) == Verdict::equal && !depends_on_motion(*k)) {
                    set_row(i);
                    tell_equal(*k * rows_[i]);
                    tell_factor(*k);
                    return true;
                }
                break;  // one entry of the row decides
            }
        }
        return false;
    }
    bool depends_on_motion(const Expr& k) const {
        return std::ranges::any_of(ours_.udot, [&](const Expr& a) { return sym::is_zero(sym::derivative(k, a)) != Verdict::equal; });
    }

    /// Where roots and the like stand in it. True when that settles it: it agrees with a row, or numbers cannot tell.
    bool is_row_as_numbers() {
        bool is_open = false;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (!is_opaque(R_) && !is_opaque(rows_[i])) continue;
            for (std::size_t j = 0; j < rows_.size(); ++j) {
                if (is_zero(ours_.M[i][j])) continue;
                const auto k = factor(i, j);
                if (!k || depends_on_motion(*k)) break;
                const AsNumbers numbers = as_numbers(*k * rows_[i]);
                is_open |= numbers.answer == AsNumbers::Answer::unknown;
                if (numbers.answer != AsNumbers::Answer::agree) break;
                set_row(i);
                entry_.outcome = Outcome::agrees;
                entry_.witness = Witness::numbers;
                entry_.note = numbers.where;
                return true;
            }
        }
        if (!is_open) return false;
        entry_.outcome = Outcome::unknown;
        entry_.ours = "no row";
        entry_.note = "it contains functions whose equality cannot be decided";
        return true;
    }

    bool is_constraint() {
        if (std::ranges::any_of(r_, [](const Expr& x) { return !is_zero(x); })) return false;
        for (const auto& [name, list] : {std::pair{"phi", &ours_.phi}, std::pair{"rate", &ours_.rate}}) {
            for (std::size_t i = 0; i < list->size(); ++i) {
                const auto inverse = sym::inverse((*list)[i].node().residue);
                const auto k = inverse ? as_fraction(R_.node().residue * *inverse, 4096) : std::nullopt;
                if (!k || k->is_zero() || sym::equal(R_, number(*k) * (*list)[i]) != Verdict::equal) continue;
                entry_.ours = fmt::format("{}[{}]", name, i + 1);
                tell_equal(number(*k) * (*list)[i]);
                tell_factor(number(*k));
                return true;
            }
        }
        return false;
    }

    /// R = Σ k_i row_i with k = M⁻¹ r.
    bool is_combination() {
        if (std::ranges::all_of(r_, is_zero) || !ours_.lambda.empty()) return false;
        const std::vector<Expr> k = eom::factored_accelerations(ours_.M, r_);
        Expr sum = number(0);
        std::string name;
        std::size_t members = 0;
        std::optional<std::size_t> first;  // that the sum begins with, as it is
        bool is_simple = true;
        for (std::size_t i = 0; i < k.size(); ++i) {
            if (is_zero(k[i])) continue;
            const auto rational = as_fraction(k[i].node().residue, 4096);
            sum += (rational ? number(*rational) : k[i]) * rows_[i];
            is_simple &= rational.has_value();
            if (rational) {
                if (name.empty() && rational->is_one()) first = i;
                const bool minus = rational->sign() < 0;
                const Rational size = minus ? -*rational : *rational;
                name += fmt::format("{}{}row {}", name.empty() ? (minus ? "-" : "") : (minus ? " - " : " + "),
                                    size.is_one() ? "" : size.to_string() + "*", i + 1);
            }
            ++members;
        }
        if (members == 0 || sym::equal(R_, sum) != Verdict::equal) return false;
        entry_.ours = is_simple ? name : fmt::format("a combination of {} rows", members);
        if (is_simple) entry_.row = first;
        tell_equal(sum);
        return true;
    }

    /// The row and the factor that agree with most accelerations and multipliers; among the likely ones, the one with the smallest repair.
    void find_nearest() {
        struct Guess {
            std::size_t row;
            Expr factor;
            std::size_t votes;
        };
        std::vector<Guess> guesses;
        const auto vote = [&](std::size_t i, const std::optional<Expr>& k) {
            if (!k || (k->node().flags & sym::Node::no_residue) != 0) return;
            const auto known =
                std::ranges::find_if(guesses, [&](const Guess& g) { return g.row == i && g.factor.node().residue == k->node().residue; });
            if (known != guesses.end())
                ++known->votes;
            else
                guesses.push_back({i, *k, k->is_number() ? 2U : 1U});
        };
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            for (std::size_t j = 0; j < rows_.size(); ++j) vote(i, factor(i, j));
            for (std::size_t r = 0; r < ours_.lambda.size(); ++r) vote(i, quotient(sym::derivative(R_, ours_.lambda[r]), ours_.G[r][i]));
            for (const int sign : {1, -1}) {
                if (std::ranges::none_of(guesses, [&](const Guess& g) { return g.row == i && g.factor.is_literally(sign); }))
                    guesses.push_back({i, number(sign), 0});
            }
        }
        std::ranges::stable_sort(guesses, std::ranges::greater{}, &Guess::votes);
        entry_.outcome = Outcome::different;
        entry_.ours = "no row";
        if (guesses.empty()) return;
        guesses.erase(guesses.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(guesses.size(), 10)), guesses.end());
        const Guess* best = &guesses.front();
        double least = 0;
        const auto attempt = [&](const Guess& guess, bool tries_all) {
            auto found = repairer_.repair(binder_.statements(), statement_, guess.factor * rows_[guess.row], patience_ / 5, tries_all);
            if (found.empty()) return;
            const double cost = cost_of(found.front()) - 0.1 * static_cast<double>(guess.votes);
            if (!entry_.repairs.empty() && cost >= least) return;
            if (found.size() > 3) found.resize(3);
            entry_.repairs = std::move(found);
            least = cost;
            best = &guess;
        };
        for (const Guess& guess : guesses) attempt(guess, false);
        for (const Guess& guess : guesses) {
            if (entry_.repairs.empty()) attempt(guess, true);
        }
        set_row(best->row);
        const Expr target = best->factor * rows_[best->row];
        if (best->factor.is_number() && !best->factor.is_literally(1))
            entry_.note = fmt::format("taken as {} times the row", sym::print(best->factor));
        entry_.difference = readable_text(R_ - target, 1200);
        if (entry_.difference.empty()) entry_.note = "the difference is too long to be written";
        entry_.expected = readable_text(target, 400);
        if (!entry_.expected.empty()) entry_.expected += " = 0";
        if (std::ranges::all_of(r_, is_zero)) entry_.note = "it contains no acceleration";
    }

    Quantities& ours_;
    Repairer& repairer_;
    Binder& binder_;
    std::size_t statement_;
    std::chrono::milliseconds patience_;
    ComparedEntry& entry_;
    Domain domain_;
    Expr R_;
    std::vector<Expr> r_, rows_;
};

}  // namespace

void judge_equation(Binder& binder, Repairer& repairer, std::size_t statement, std::chrono::milliseconds patience, ComparedEntry& entry) {
    Judge(binder, repairer, statement, patience, entry);
}

}  // namespace linkwright::compare
