#include "linkwright/numeric/interval_function.hpp"

#include <cmath>

#include "linkwright/program/inline.hpp"

namespace linkwright::numeric {

using program::Op;
using solve::Interval;

namespace {

/// A function of the table by what its row says: bounds at the ends of what rises or falls, a distance kept by what contracts.
Interval elementary(Op op, const Interval& a) {
    switch (op) {
        case Op::sin: return sin(a);
        case Op::cos: return cos(a);
        case Op::tan: return tan(a);
        case Op::abs: return abs(a);
        case Op::sign: return sign(a);
        default: break;
    }
    const sym::ElementaryFunction& f = sym::elementary_function(program::elementary_function(op));
    if (a.is_empty()) return a;
    using Kind = sym::Slope::Kind;
    const bool is_monotone = f.spread == sym::Spread::monotone || f.slope.kind == Kind::by_argument || op == Op::tanh;
    if (is_monotone) return monotone(f.libm, a, f.from, f.to);
    if (f.spread != sym::Spread::contraction || !a.is_bounded()) return Interval::all();
    const Interval m(a.middle());
    return monotone(f.libm, m, f.from, f.to) + (a - m);
}

Interval calc(const program::Line& line, const std::vector<Interval>& value) {
    const Interval &a = value[line.args[0]], &b = value[line.args[1]], &c = value[line.args[2]];
    if (program::is_elementary(line.op)) return elementary(line.op, a);
    switch (line.op) {
        case Op::neg: return -a;
        case Op::sqrt: return sqrt(a);
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return line.args[0] == line.args[1] ? square(a) : a * b;
        case Op::div: return a / b;
        case Op::pow: return b.lower == b.upper ? pow(a, b.lower) : Interval::all();
        case Op::atan2: return atan2(a, b);
        case Op::min: return min(a, b);
        case Op::max: return max(a, b);
        case Op::select: return a.is_empty() ? a : a.lower > 0 ? b : a.upper <= 0 ? c : hull(b, c);
        default: break;
    }
    return Interval::all();
}

}  // namespace

IntervalFunction::IntervalFunction(const CompiledEquations& equations, std::span<const Expr> expressions)
    : equations_(equations), program_(program::inlined(equations.lower(expressions, true))) {}

std::vector<Interval> IntervalFunction::operator()(std::span<const Interval> in) const {
    std::vector<Interval> value(in.begin(), in.end());
    value.reserve(program_.values() + 1);
    for (Eigen::Index i = 0; value.size() < program_.inputs; ++i) value.emplace_back(equations_.parameters()[i]);  // live ones
    for (const double x : program_.constants) value.push_back(std::isfinite(x) ? Interval(x) : Interval::all());
    for (const program::Line& line : program_.lines) value.push_back(calc(line, value));
    std::vector<Interval> out;
    for (const program::Index i : program_.outputs) out.push_back(value[i]);
    return out;
}

}  // namespace linkwright::numeric
