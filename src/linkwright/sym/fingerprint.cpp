#include "linkwright/sym/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "linkwright/sym/approximate.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::sym {

namespace {

/// A real value for a symbol, of ordinary size: positive in even draws (roots and logarithms like that), negative in the
/// first odd one, of either sign in the others. Quaternions are put on the sphere.
Approximate drawn(const Expr& symbol, std::uint64_t draw) {
    const auto raw = [draw](const Expr& s) {
        const Residue r = s.pool().residue(s.id());
        const std::uint64_t bits = keyed_hash(draw, r.r1, r.r2);
        const double size = 0.25 + static_cast<double>(bits >> 11) * 0x1p-53 * 1.5;
        const bool is_negative = draw % 2 != 0 && (draw == 1 || (bits & 1) != 0);
        return is_negative ? -size : size;
    };
    const std::int32_t group = symbol.symbol().quaternion;
    if (group < 0) return raw(symbol);
    double square = 0;
    for (const NodeId e : symbol.pool().quaternions()[group].e) {
        square += std::pow(raw(Expr(symbol.pool(), e)), 2);
    }
    return {raw(symbol) / std::sqrt(square), 0.0};
}

/// Some real point where e is certainly not zero.
bool differs_from_zero(const Expr& e) {
    constexpr std::uint64_t draws = 8;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const auto value = evaluate<Approximate>(e, [&](const Expr& s) { return drawn(s, draw); });
        if (value.is_known() && (value.is_positive() || value.is_negative())) return true;
    }
    return false;
}

ErrorBound bound(double degree, bool has_angles, double comparisons) {
    // On the circle a curve of degree d has 2d points [Bézout]; angles are drawn from subgroups of index 75600 and 120
    // (the parts of the circles' orders that L = 2⁶·3⁴·5⁴·7 shares), so each field gives 2d·index/2⁶¹.
    constexpr double log2_of_field = 61;
    const double per_field = 1 + std::log2(std::max(degree, 1.0)) - log2_of_field;
    const double first = std::min(0.0, per_field + (has_angles ? std::log2(75600.0) : 0.0));
    const double second = std::min(0.0, per_field + (has_angles ? std::log2(120.0) : 0.0));
    return {.degree = degree, .log2_error = std::min(0.0, first + second + std::log2(std::max(comparisons, 1.0)))};
}

}  // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::equal: return "equal";
        case Verdict::different: return "different";
        default: return "unknown";
    }
}

Verdict is_zero(const Expr& e) {
    const Node& n = e.node();
    if (n.op == Op::number) return e.number().is_zero() ? Verdict::equal : Verdict::different;
    if (n.op == Op::undefined || (n.flags & Node::no_residue) != 0) {
        return n.op != Op::undefined && differs_from_zero(e) ? Verdict::different : Verdict::unknown;
    }
    if (n.residue.is_zero()) return Verdict::equal;
    if ((n.flags & Node::opaque) == 0) return Verdict::different;
    return differs_from_zero(e) ? Verdict::different : Verdict::unknown;
}

Verdict equal(const Expr& a, const Expr& b) {
    if (a == b && !a.is_undefined()) return Verdict::equal;
    return is_zero(a - b);
}

namespace {

/// The angle of each sine, cosine and tangent of a sweep, term by term.
std::vector<std::vector<Pool::AngleTerm>> angles_of(const Pool& pool, const Sweep& s) {
    std::vector<std::vector<Pool::AngleTerm>> angle(s.steps.size());
    for (std::size_t i = 0; i < s.steps.size(); ++i) {
        const Op op = pool.op(s.steps[i].id);
        if (op == Op::sin || op == Op::cos || op == Op::tan) angle[i] = pool.linear_terms(s.steps[s.steps[i].args[0]].id);
    }
    return angle;
}

/// An angle atom's base point is that of atom/D, D the common denominator of its factors.
std::map<NodeId, Rational> divisions_of(const std::vector<std::vector<Pool::AngleTerm>>& angles) {
    std::map<NodeId, Rational> divisions;
    for (const auto& angle : angles) {
        for (const Pool::AngleTerm& term : angle) {
            Rational& d = divisions.emplace(term.atom, 1).first->second;
            d = lcm(d, term.factor.denominator());
        }
    }
    return divisions;
}

FormalDegree sum_of(const FormalDegree& x, const FormalDegree& y) {
    return {std::max(x.numerator + y.denominator, y.numerator + x.denominator), x.denominator + y.denominator};
}

}  // namespace

std::vector<FormalDegree> formal_degrees(std::span<const Expr> functions, const Rational& division) {
    if (functions.empty()) return {};
    Pool& pool = functions.front().pool();
    const Sweep s = sweep(functions);
    const auto angle = angles_of(pool, s);
    const auto divisions = divisions_of(angle);
    std::vector<FormalDegree> degree(s.steps.size());
    const auto of_node = [&](NodeId id) -> const FormalDegree& {
        return degree[std::ranges::lower_bound(s.steps, id, {}, &Sweep::Step::id) - s.steps.begin()];
    };
    for (std::size_t i = 0; i < s.steps.size(); ++i) {
        const Sweep::Step& step = s.steps[i];
        const FormalDegree x = step.arity > 0 ? degree[step.args[0]] : FormalDegree{},
                           y = step.arity > 1 ? degree[step.args[1]] : FormalDegree{};
        const Op op = pool.op(step.id);
        switch (op) {
            case Op::undefined:
            case Op::number: break;
            case Op::symbol:
            case Op::pi: degree[i] = {.numerator = 1}; break;
            case Op::add: degree[i] = sum_of(x, y); break;
            case Op::mul: degree[i] = {x.numerator + y.numerator, x.denominator + y.denominator}; break;
            case Op::max:  // x + y − min(x, y)
                degree[i] = sum_of(x, y);
                degree[i].numerator = std::max(degree[i].numerator, degree[i].denominator + 1);
                break;
            case Op::pow: {  // x^⌊r⌋ · root^steps
                const Rational exponent = Expr(pool, step.id).exponent(), whole = exponent.floor();
                const double n = std::abs(whole.to_double()), steps = (exponent - whole).numerator().to_double();
                degree[i] = {n * (whole.sign() < 0 ? x.denominator : x.numerator) + steps,
                             n * (whole.sign() < 0 ? x.numerator : x.denominator)};
                break;
            }
            case Op::sin:
            case Op::cos:
            case Op::tan: {
                FormalDegree turns;
                for (const Pool::AngleTerm& term : angle[i]) {
                    if (term.atom == Pool::pi_id) continue;
                    const double n = abs(term.factor * lcm(division, divisions.at(term.atom))).to_double();
                    turns.numerator += n;
                    if (pool.op(term.atom) != Op::atan2) continue;
                    // its point is (x, y), or opaque
                    const FormalDegree point = sum_of(of_node(pool.node(term.atom).a), of_node(pool.node(term.atom).b));
                    turns.numerator += n * point.numerator;
                    turns.denominator += n * point.denominator;
                }
                degree[i] = op == Op::tan ? FormalDegree{turns.numerator, turns.numerator} : turns;
                break;
            }
            default: degree[i] = {.numerator = 1};
        }
    }
    std::vector<FormalDegree> result;
    for (const std::uint32_t root : s.roots) {
        result.push_back(degree[root]);
        result.back().has_angles = !divisions.empty();
    }
    return result;
}

Rational angle_division(std::span<const Expr> functions) {
    Rational common = 1;
    if (functions.empty()) return common;
    for (const auto& [atom, d] : divisions_of(angles_of(functions.front().pool(), sweep(functions)))) common = lcm(common, d);
    return common;
}

ErrorBound error_bound(std::span<const Expr> functions, double comparisons) {
    double worst = 0;
    bool has_angles = false;
    for (const FormalDegree& d : formal_degrees(functions)) {
        worst = std::max(worst, d.numerator);
        has_angles = d.has_angles;
    }
    return bound(worst, has_angles, comparisons);
}

ErrorBound error_bound(const Expr& e) { return error_bound(std::span(&e, 1)); }

ErrorBound error_bound(const FormalDegree& a, const FormalDegree& b, double comparisons) {
    return bound(sum_of(a, b).numerator, a.has_angles || b.has_angles, comparisons);
}

ErrorBound error_bound(const Expr& a, const Expr& b) {
    const auto d = formal_degrees(std::array{a, b});
    return error_bound(d[0], d[1]);
}

std::string describe_point(std::span<const Expr> expressions) {
    if (expressions.empty()) return "";
    const Pool& pool = expressions.front().pool();
    std::string text = fmt::format("seed {}\nprimes {} {}\n", pool.options().seed, Field1::p, Field2::p);
    for (const Expr& s : symbols_in(expressions)) {
        const Residue r = pool.residue(s.id());
        text += fmt::format("{} = {} {}\n", s.symbol().name, r.r1, r.r2);
    }
    return text;
}

}  // namespace linkwright::sym
