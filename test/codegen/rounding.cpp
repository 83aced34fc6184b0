#include "codegen/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linkwright/program/inline.hpp"

namespace linkwright::codegen::test {
namespace {

using program::Op;

constexpr double unit = std::numeric_limits<double>::epsilon();

/// |f′(a)| of a function of one argument.
double derivative(Op op, double a) {
    switch (op) {
        case Op::sqrt: return a == 0 ? 0 : 0.5 / std::sqrt(a);
        case Op::sin: return std::abs(std::cos(a));
        case Op::cos: return std::abs(std::sin(a));
        case Op::tan: return 1 + std::tan(a) * std::tan(a);
        case Op::asin:
        case Op::acos: return 1 / std::sqrt(1 - a * a);
        case Op::atan: return 1 / (1 + a * a);
        case Op::exp: return std::exp(a);
        case Op::log: return 1 / std::abs(a);
        case Op::sign: return 0;
        default: return 1;
    }
}

double error(Op op, const std::array<double, 3>& x, const std::array<double, 3>& e, double value) {
    const auto [a, b, c] = x;
    switch (op) {
        case Op::neg: return e[0];
        case Op::add:
        case Op::sub: return e[0] + e[1] + unit * std::abs(value);
        case Op::mul: return std::abs(a) * e[1] + std::abs(b) * e[0] + unit * std::abs(value);
        case Op::div: return (e[0] + std::abs(value) * e[1]) / std::abs(b) + unit * std::abs(value);
        case Op::pow: return std::abs(b * value / a) * e[0] + 2 * unit * std::abs(value);
        case Op::atan2: return (std::abs(b) * e[0] + std::abs(a) * e[1]) / (a * a + b * b) + 2 * unit * std::abs(value);
        case Op::min:
        case Op::max: return std::max(e[0], e[1]);
        case Op::select: return std::max(e[1], e[2]);
        case Op::abs:
        case Op::sign: return derivative(op, a) * e[0];
        default: return derivative(op, a) * e[0] + 2 * unit * std::abs(value);
    }
}

}  // namespace

std::vector<double> rounding(const Function& f, const Point& point) {
    const program::Program program = program::inlined(f.program);
    std::vector<double> value, bound;
    for (const std::size_t a : f.arguments) value.insert(value.end(), point[a].begin(), point[a].end());
    value.insert(value.end(), program.constants.begin(), program.constants.end());
    bound.assign(value.size(), 0.0);
    for (const auto& [op, args] : program.lines) {
        std::array<double, 3> x{}, e{};
        for (std::size_t k = 0; k < arity(op); ++k) x[k] = value[args[k]], e[k] = bound[args[k]];
        value.push_back(program::calc(op, x[0], x[1], x[2]));
        bound.push_back(error(op, x, e, value.back()));
    }
    std::vector<double> most;
    std::size_t next = 0;
    for (const Result& r : f.results) {
        double& largest = most.emplace_back(0);
        for (std::size_t k = 0; k < r.at.size(); ++k) largest = std::max(largest, bound[program.outputs[next++]]);
    }
    return most;
}

std::vector<Quantity> expected_with_rounding(const Specimen& s, const Point& point) {
    std::vector<Quantity> list = expected(s, point);
    std::size_t next = 0;
    for (const Function& f : s.package.functions) {
        for (const double bound : rounding(f, point)) {
            Quantity& x = list[next++];
            double largest = 1e-300;
            for (const double v : x.values) largest = std::max(largest, std::abs(v));
            x.tolerance = std::max(x.tolerance, 2 * bound / largest);  // both may err
        }
    }
    return list;
}

}  // namespace linkwright::codegen::test
