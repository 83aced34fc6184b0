#include "linkwright/program/raise.hpp"

namespace linkwright::program {

using sym::Expr;

Expr raise(Op op, const Expr& a, const Expr& b, const Expr& c) {
    if (is_elementary(op)) return sym::make_function(elementary_function(op), a);
    switch (op) {
        case Op::neg: return -a;
        case Op::sqrt: return sqrt(a);
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::pow: return pow(a, b);
        case Op::atan2: return atan2(a, b);
        case Op::min: return min(a, b);
        case Op::max: return max(a, b);
        case Op::select: return select(a, b, c);
        default: break;  // a result of a call
    }
    return {a.pool(), sym::Pool::undefined_id};
}

std::vector<Expr> raise(const Program& program, std::span<const Expr> inputs) {
    std::vector<Expr> value(inputs.begin(), inputs.end());
    value.reserve(program.values());
    for (const double x : program.constants) value.emplace_back(x);
    for (const Line& line : program.lines) value.push_back(raise(line.op, value[line.args[0]], value[line.args[1]], value[line.args[2]]));
    std::vector<Expr> result;
    for (const Index i : program.outputs) result.push_back(value[i]);
    return result;
}

}  // namespace linkwright::program
