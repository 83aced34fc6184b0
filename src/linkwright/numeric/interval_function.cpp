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

using Value = IntervalFunction::Value;

Interval calc(const program::Line& line, const std::vector<Value>& value) {
    const Interval &a = value[line.args[0]].bounds, &b = value[line.args[1]].bounds, &c = value[line.args[2]].bounds;
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

/// What the operation itself does, with arguments that do not jump.
bool is_continuous(const program::Line& line, const std::vector<Value>& value, const Interval& result) {
    const Interval &a = value[line.args[0]].bounds, &b = value[line.args[1]].bounds;
    if (result.is_empty()) return false;
    if (line.op == Op::sign || line.op == Op::select) return a.lower > 0 || a.upper < 0;
    if (line.op == Op::atan2) return b.lower > 0 || a.lower > 0 || a.upper < 0;
    if (line.op == Op::sqrt || line.op == Op::pow) return a.lower >= 0 && result.is_bounded();
    if (line.op == Op::div) return b.lower > 0 || b.upper < 0;
    if (line.op == Op::tan) return result.is_bounded();
    if (!program::is_elementary(line.op)) return true;
    const sym::ElementaryFunction& f = sym::elementary_function(program::elementary_function(line.op));
    return f.from <= a.lower && a.upper <= f.to;
}

}  // namespace

IntervalFunction::IntervalFunction(const CompiledEquations& equations, std::span<const Expr> expressions)
    : equations_(equations), program_(program::inlined(equations.lower(expressions, true))) {}

std::vector<Value> IntervalFunction::operator()(std::span<const Interval> in) const {
    std::vector<Value> value;
    value.reserve(program_.values() + 1);
    for (const Interval& x : in) value.push_back({x, true});
    for (Eigen::Index i = 0; value.size() < program_.inputs; ++i)
        value.push_back({Interval(equations_.parameters()[i]), true});  // live ones
    for (const double x : program_.constants) value.push_back({std::isfinite(x) ? Interval(x) : Interval::all(), std::isfinite(x)});
    for (const program::Line& line : program_.lines) {
        const Interval result = calc(line, value);
        bool is_smooth = is_continuous(line, value, result);
        for (std::size_t k = 0; k < program::arity(line.op); ++k) is_smooth = is_smooth && value[line.args[k]].is_continuous;
        value.push_back({result, is_smooth});
    }
    std::vector<Value> out;
    for (const program::Index i : program_.outputs) out.push_back(value[i]);
    return out;
}

}  // namespace linkwright::numeric
