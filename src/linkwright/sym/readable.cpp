#include "linkwright/sym/readable.hpp"

#include <algorithm>
#include <unordered_map>

#include "linkwright/sym/arrangement.hpp"
#include "linkwright/sym/stand_ins.hpp"

namespace linkwright::sym {

namespace {

using Part = Formula::Part;
using Clock = std::chrono::steady_clock;

class Reader {
public:
    Reader(Pool& plain, Budget budget) : plain_(plain), budget_(budget), deadline_(Clock::now() + budget.time) {}

    /// The shortest of three: over one denominator, with roots and denominators apart, as it stands.
    Affordable<Formula> read(const Expr& e, std::size_t most_terms) {
        const StandIns letters(e);
        std::size_t most_for_whole = most_terms;
        std::optional<Formula> apart;
        if (!letters.empty()) {
            if (const auto form = normal_form(letters.lettered(), plain_, {.terms = most_terms, .time = what_is_left()})) {
                most_for_whole = std::min(most_for_whole, 10 * form->numerator.size() + 200);
                apart = with_letters(*form, letters);
            }
        }
        const auto form = normal_form(e, plain_, {.terms = most_for_whole, .time = what_is_left()});
        if (form && form->is_undefined) {
            Formula f;
            f.root = f.undefined();
            return {std::move(f), ""};
        }
        if (!form && !apart) return {std::nullopt, form.why_not};
        Formula best = form ? arrangement(*form, plain_, deadline_) : *apart;
        const bool has_roots = std::ranges::any_of(letters.all(), [](const StandIn& s) { return !s.degree.is_one(); });
        // Of two that are as long the one in which every root is written the same way.
        if (form && apart && (has_roots ? !is_shorter(best, *apart) : is_shorter(*apart, best))) best = std::move(*apart);
        if (auto same = as_it_stands(e, operations(best)); same && is_shorter_throughout(*same, best)) best = std::move(*same);
        return {std::move(best), ""};
    }

private:
    std::chrono::milliseconds what_is_left() const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
        return std::max(left, std::chrono::milliseconds(0));
    }

    /// For what has not been collected it is not enough to save an operation.
    static bool is_shorter_throughout(const Formula& a, const Formula& b) {
        return operations(a) <= operations(b) && write(a).size() < write(b).size();
    }

    std::optional<Formula> with_letters(NormalForm form, const StandIns& letters) {
        std::vector<Formula> bases;
        Weights weights;
        for (const StandIn& s : letters.all()) {
            const Formula& base = bases.emplace_back(part(s.base));
            if (base[base.root].kind == Formula::Kind::number) return std::nullopt;  // 1/0, or a number in disguise
            if (s.base.is_symbol()) continue;
            const double size = operations(base) + (s.degree.is_one() ? 0 : 1);
            weights.emplace(s.letter.id(), size);
            weights.emplace(s.inverse.id(), size);
        }
        form.numerator = letters.reduced(form.numerator);
        return letters.opened(arrangement(form, plain_, deadline_, weights), bases);
    }

    /// A part of the whole, below a root or in parentheses: never refused.
    const Formula& part(const Expr& e) {
        constexpr std::size_t many = 500;  // terms
        if (const auto known = parts_.find(e.id()); known != parts_.end()) return known->second;
        const bool is_leaf = e.arity() == 0 || Clock::now() > deadline_;
        auto formula = is_leaf ? Affordable<Formula>{} : read(e, std::min(budget_.terms, many));
        return parts_.emplace(e.id(), formula ? std::move(*formula.value) : faithful(e)).first->second;
    }

    /// Sums and products as the graph has them, their parts made readable. Nothing when that leads nowhere new, or when it
    /// would be longer than `known` operations by far.
    std::optional<Formula> as_it_stands(const Expr& e, double known) {
        constexpr double large = 300;
        if (!has_sums(e) || Clock::now() > deadline_) return std::nullopt;
        if (operations(faithful(e)) > std::min(large, 2 * known + 10)) return std::nullopt;
        Formula f;
        const bool is_negated_sum = e.op() == Op::mul && e.arg(0).is_literally(-1) && e.arg(1).op() == Op::add;
        if (e.op() == Op::add || is_negated_sum) {
            const auto root = sum(f, e);
            if (!root) return std::nullopt;
            f.root = *root;
        } else {
            f.root = product(f, e, Rational(1));
        }
        return f;
    }

    std::optional<Part> sum(Formula& f, const Expr& e) {
        Expr simple(plain_, Pool::zero_id);
        bool has_simple = false;
        std::vector<Part> terms;
        std::vector<std::pair<Expr, Rational>> open{{e, Rational(1)}};
        while (!open.empty()) {
            const auto [x, times] = open.back();
            open.pop_back();
            const bool is_negated = x.op() == Op::mul && x.arg(0).is_literally(-1);
            if (x.op() == Op::add) {
                open.emplace_back(x.arg(1), times);
                open.emplace_back(x.arg(0), times);
            } else if (is_negated) {
                open.emplace_back(x.arg(1), -times);
            } else if (has_sums(x)) {
                terms.push_back(product(f, x, times));
            } else {
                simple += Expr(plain_, plain_.make_number(times)) * x;
                has_simple = true;
            }
        }
        if (terms.empty()) return std::nullopt;
        if (has_simple && !simple.is_literally(0)) {
            const Part rest = f.append(part(simple));
            if (f[rest].kind == Formula::Kind::sum) {
                const std::vector<Part> more = f[rest].args;
                terms.insert(terms.end(), more.begin(), more.end());
            } else {
                terms.push_back(rest);
            }
        }
        const auto positive = std::ranges::find_if(terms, [&](Part p) { return !is_negative(f, p); });
        if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
        return f.sum(std::move(terms));
    }

    /// times · e, factor by factor: the number, parameters, what moves, sums, sines and cosines.
    Part product(Formula& f, const Expr& e, Rational times) {
        using Rank = std::pair<int, NodeId>;
        constexpr Rank before_circular{static_cast<int>(Class::circular), 0};
        std::vector<std::pair<Rank, Part>> factors;
        const auto put = [&](Rank rank, Part p, const Rational& exponent) { factors.emplace_back(rank, f.power(p, exponent)); };
        std::vector<std::pair<Expr, Rational>> open{{e, Rational(1)}}, gathered;
        while (!open.empty()) {
            const auto [x, exponent] = open.back();
            open.pop_back();
            if (x.is_number() && exponent.is_integer() && exponent.small_numerator()) {
                times *= power(x.number(), *exponent.small_numerator());
            } else if (x.op() == Op::mul && exponent.is_integer()) {
                open.emplace_back(x.arg(1), exponent);
                open.emplace_back(x.arg(0), exponent);
            } else if (x.op() == Op::pow && exponent.is_integer()) {
                open.emplace_back(x.arg(0), x.exponent() * exponent);
            } else if (const auto known = std::ranges::find(gathered, x, &std::pair<Expr, Rational>::first); known != gathered.end()) {
                known->second += exponent;
            } else {
                gathered.emplace_back(x, exponent);
            }
        }
        for (const auto& [x, exponent] : gathered) {
            if (exponent.is_zero()) continue;
            if (!has_sums(x)) {
                const Class c = class_of(x);
                put({static_cast<int>(c) + (c == Class::circular ? 1 : 0), x.id()}, f.append(faithful(x)), exponent);
            } else {
                const Part inside = f.append(part(x));
                const bool is_open = f[inside].kind == Formula::Kind::product && exponent.is_integer() && exponent.small_numerator();
                const std::vector<Part> args = is_open ? f[inside].args : std::vector<Part>{inside};
                for (const Part a : args) {  // (2·√3·(x + y))² is 12·(x + y)²
                    const Formula::Node n = f[a];
                    if (is_open && n.kind == Formula::Kind::number) {
                        times *= power(n.number, *exponent.small_numerator());
                    } else if (is_open && n.kind == Formula::Kind::power) {
                        const Rational both = n.number * exponent;
                        const Formula::Node& base = f[n.args[0]];
                        if (base.kind == Formula::Kind::number && both.is_integer() && both.small_numerator()) times *= power(base.number, *both.small_numerator());
                        else put(before_circular, n.args[0], both);
                    } else {
                        put(before_circular, a, exponent);
                    }
                }
            }
        }
        std::ranges::stable_sort(factors, {}, &std::pair<Rank, Part>::first);
        std::vector<Part> parts;
        if (!times.is_one() || factors.empty()) parts.push_back(f.number(times));
        for (const auto& [rank, p] : factors) parts.push_back(p);
        return f.product(std::move(parts));
    }

    static bool is_negative(const Formula& f, Part p) {
        const Formula::Node& n = f[p];
        const Formula::Node& first = n.kind == Formula::Kind::product ? f[n.args[0]] : n;
        return first.kind == Formula::Kind::number && first.number.sign() < 0;
    }

    Pool& plain_;
    Budget budget_;
    Deadline deadline_;
    std::unordered_map<NodeId, Formula> parts_;
};

}  // namespace

Affordable<Formula> readable(const Expr& e, Budget budget) {
    Pool plain({.fold = false, .seed = e.pool().options().seed});
    Reader reader(plain, budget);
    return reader.read(transplant(std::span(&e, 1), plain).front(), budget.terms);
}

Expr to_expr(const Formula& f, Pool& pool) {
    std::vector<Expr> value;
    for (Part i = 0; i < f.size(); ++i) {
        const Formula::Node& n = f[i];
        const auto arg = [&](std::size_t k) { return value[n.args[k]]; };
        Expr e(pool, Pool::undefined_id);
        switch (n.kind) {
            case Formula::Kind::undefined: break;
            case Formula::Kind::number: e = Expr(pool, pool.make_number(n.number)); break;
            case Formula::Kind::pi: e = Expr(pool, Pool::pi_id); break;
            case Formula::Kind::name:
                if (const auto known = pool.find_symbol(n.name)) e = *known;
                break;
            case Formula::Kind::sum:
                e = arg(0);
                for (std::size_t k = 1; k < n.args.size(); ++k) e += arg(k);
                break;
            case Formula::Kind::product:
                e = arg(0);
                for (std::size_t k = 1; k < n.args.size(); ++k) e *= arg(k);
                break;
            case Formula::Kind::power: e = pow(arg(0), n.number); break;
            case Formula::Kind::call:
                if (n.function == Op::select) {
                    e = select(arg(0), arg(1), arg(2));
                } else if (n.args.size() == 2) {
                    e = Expr(pool, pool.binary(n.function, arg(0).id(), arg(1).id()));
                } else {
                    e = Expr(pool, pool.unary(n.function, arg(0).id()));
                }
                break;
        }
        value.push_back(e);
    }
    return f.size() == 0 ? Expr(pool, Pool::undefined_id) : value[f.root];
}

}  // namespace linkwright::sym
