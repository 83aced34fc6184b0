#include "linkwright/perturb/excitation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::perturb {

namespace {

using sym::Expr;
using sym::Op;

/// What a node is as a function of time: ρ t + something that repeats.
struct Course {
    bool is_constant = true;   ///< free of time
    bool is_parameter = true;  ///< and of motion
    std::optional<Expr> rate;  ///< ρ where it is not zero
};

/// |a|/|b| as a fraction of small numbers.
std::optional<sym::Rational> ratio_of(double a, double b) {
    for (std::int64_t q = 1; q <= 24; ++q) {
        const double p = std::abs(a / b) * static_cast<double>(q);
        if (std::abs(p - std::round(p)) <= 1e-9 * p && p < 1000) return sym::Rational(std::llround(p), q);
    }
    return std::nullopt;
}

}  // namespace

Excitation find_excitation(std::span<const Expr> roots, const Expr& t, const std::function<double(const Expr&)>& value) {
    Excitation found;
    if (roots.empty()) return found;
    sym::Pool& pool = roots.front().pool();
    const sym::PoolScope scope(pool);
    const sym::Sweep s = sym::sweep(roots);
    std::vector<Course> course(s.steps.size());
    std::vector<Expr> rates;
    const auto refuse = [&](const Expr& e) {
        const std::string text = sym::print(e);
        found.is_ok = false;
        found.why = fmt::format("time enters otherwise than through sines and cosines of multiples of one frequency: {}",
                                text.size() <= 80 ? text : "in a long expression");
        return found;
    };
    for (std::size_t i = 0; i < s.steps.size(); ++i) {
        const auto& step = s.steps[i];
        const Expr e(pool, step.id);
        Course& c = course[i];
        const auto x = [&](std::size_t k) -> const Course& { return course[step.args[k]]; };
        if (e.op() == Op::symbol) {
            if (e == t) {
                c = {false, false, Expr(1)};
            } else {
                c.is_parameter = e.symbol().role == sym::Role::parameter;
            }
            continue;
        }
        bool has_rate = false;
        for (std::size_t k = 0; k < step.arity; ++k) {
            c.is_constant &= x(k).is_constant;
            c.is_parameter &= x(k).is_parameter;
            has_rate |= x(k).rate.has_value();
        }
        if (!has_rate) continue;
        switch (e.op()) {
            case Op::add: {
                const Expr sum = x(0).rate.value_or(Expr(0)) + x(1).rate.value_or(Expr(0));
                if (!sum.is_literally(0)) c.rate = sum;
                break;
            }
            case Op::mul: {
                const std::size_t k = x(0).rate ? 0 : 1;
                if (!x(1 - k).is_parameter || x(1 - k).rate) return refuse(e);
                c.rate = *x(k).rate * e.arg(1 - k);
                break;
            }
            case Op::sin:
            case Op::cos: rates.push_back(*x(0).rate); break;
            default: return refuse(e);
        }
    }
    for (const std::uint32_t root : s.roots) {
        if (course[root].rate) return refuse(Expr(pool, s.steps[root].id));
    }
    if (rates.empty()) {
        for (const std::uint32_t root : s.roots) {
            if (!course[root].is_constant) return refuse(Expr(pool, s.steps[root].id));
        }
        return found;
    }
    // Ω = the first rate times the greatest common divisor of all ratios to it
    const double first = value(rates.front());
    if (!std::isfinite(first)) return refuse(rates.front());
    sym::Rational common(1);
    bool is_exact = true;
    for (const Expr& rate : rates) {
        const double here = value(rate);
        if (here == 0) continue;
        const Expr quotient = rate / rates.front();
        std::optional<sym::Rational> ratio;
        if (quotient.is_number()) {
            ratio = sym::abs(quotient.number());
        } else if ((ratio = ratio_of(here, first))) {
            is_exact = false;
        }
        const auto whole = [](const std::optional<std::int64_t>& x) { return x && *x <= 1000 ? *x : 0; };
        const std::int64_t p = ratio ? whole(ratio->small_numerator()) : 0, q = ratio ? whole(ratio->small_denominator()) : 0;
        const std::int64_t cp = whole(common.small_numerator()), cq = whole(common.small_denominator());
        if (p == 0 || q == 0 || cp == 0 || cq == 0) {
            found.is_ok = false;
            found.why = fmt::format("two frequencies that are not small multiples of one: {:.6g} and {:.6g} rad/s", std::abs(first),
                                    std::abs(here));
            return found;
        }
        common = sym::Rational(std::gcd(p * cq, cp * q), q * cq);
    }
    if (first == 0) return refuse(rates.front());
    found.Omega = Expr(common) * (first < 0 ? -rates.front() : rates.front());
    found.Omega_value = std::abs(first) * common.to_double();
    if (!is_exact) found.notes.push_back("frequencies of the excitation are multiples of one only at these values of parameters");
    return found;
}

}  // namespace linkwright::perturb
