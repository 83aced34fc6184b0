#pragma once
// Random programs with an honest bound on what rounding can do to them.

#include <cmath>
#include <random>

#include "linkwright/program/interpreter.hpp"

namespace linkwright::jit {

using program::Index;
using program::Op;
using program::Program;

/// A number and how far a correctly written evaluator may be from it.
struct Bounded {
    double value = 0, error = 0;
};

/// The result of one operation, arguments known up to their errors. Infinite when the arguments are too near a jump, a
/// pole, or the edge of the domain. Every elementary operation is trusted to 2 ulp.
inline Bounded calc_bounded(Op op, const Bounded& a, const Bounded& b, const Bounded& c) {
    constexpr double eps = 0x1p-52, inf = INFINITY;
    const double r = program::calc<double>(op, a.value, b.value, c.value);
    const auto steep = [&](double slope) { return (a.error > 0 ? 2 * slope * a.error : 0) + eps * std::abs(r); };
    const auto is_near_zero = [](const Bounded& x) { return std::abs(x.value) < 8 * x.error; };
    const auto x = std::abs(a.value);
    switch (op) {
        case Op::neg:
        case Op::abs: return {r, a.error};
        case Op::add:
        case Op::sub: return {r, a.error + b.error + eps * std::abs(r)};
        case Op::mul: return {r, x * b.error + std::abs(b.value) * a.error + a.error * b.error + eps * std::abs(r)};
        case Op::div:
            if (is_near_zero(b)) return {r, inf};
            return {r, 2 * (a.error + std::abs(r) * b.error) / std::abs(b.value) + eps * std::abs(r)};
        case Op::sqrt: return {r, is_near_zero(a) ? inf : steep(0.5 / r)};
        case Op::sin:
        case Op::cos: return {r, steep(1) + eps * std::abs(r)};
        case Op::tan: return {r, std::abs(r) > 1e4 ? inf : steep(1 + r * r)};
        case Op::asin:
        case Op::acos: return {r, x > 0.9 && a.error > 0 ? inf : steep(1 / std::sqrt(1 - x * x))};
        case Op::atan:
        case Op::tanh: return {r, steep(1)};
        case Op::exp: return {r, steep(r)};
        case Op::log: return {r, is_near_zero(a) ? inf : steep(1 / x)};
        case Op::pow:
            if (is_near_zero(a) || a.value < 0) return {r, inf};
            return {r, steep(std::abs(b.value * r / a.value)) + 2 * std::abs(r * std::log(a.value)) * b.error};
        case Op::atan2: {
            const double d = x * x + b.value * b.value;
            if (a.error == 0 && b.error == 0) return {r, eps * std::abs(r)};
            if (std::sqrt(d) < 8 * (a.error + b.error) || (b.value < 0 && x <= 2 * a.error)) return {r, inf};
            return {r, 2 * (x * b.error + std::abs(b.value) * a.error) / d + eps * std::abs(r)};
        }
        case Op::min:
        case Op::max: return {r, std::max(a.error, b.error)};
        case Op::sign: return {r, a.error > 0 && x <= 2 * a.error ? inf : 0};
        case Op::select: return {r, a.error > 0 && x <= 2 * a.error ? inf : a.value > 0 ? b.error : c.error};
        case Op::result: break;  // of a call: none in random programs
    }
    return {r, inf};
}

struct RandomProgram {
    Program program;
    std::vector<std::vector<double>> in;    ///< points
    std::vector<std::vector<Bounded>> out;  ///< what comes out there
};

struct Shape {
    std::size_t inputs = 8, constants = 5, lines = 100, outputs = 7, points = 3;
    std::size_t reach = 0;  ///< arguments are among the last so many values; 0 is any
    bool exact = false;     ///< only what all evaluators do alike: no sums that a product could join, no sines
    std::vector<Op> ops;    ///< only these, when there are some
};

/// Lines are drawn, tried at all points, and taken when every value stays moderate and its error small.
inline RandomProgram random_program(const Shape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto number = [&] { return std::ldexp(static_cast<double>(random() >> 11), -51) - 2; };
    RandomProgram r;
    r.program.inputs = shape.inputs;
    std::vector<std::vector<Bounded>> value(shape.points);
    for (auto& point : value) {
        for (std::size_t i = 0; i < shape.inputs; ++i) point.push_back({number(), 0});
        auto& in = r.in.emplace_back();
        for (const Bounded& x : point) in.push_back(x.value);
    }
    for (std::size_t i = 0; i < shape.constants; ++i) {
        r.program.constants.push_back(number());
        for (auto& point : value) point.push_back({r.program.constants.back(), 0});
    }
    std::size_t tries = 0;
    while (r.program.lines.size() < shape.lines && tries++ < 60 * shape.lines + 1000) {
        // Sums and products are what programs are made of.
        Op op = static_cast<Op>(below(22));
        if (below(3) != 0) op = std::array{Op::add, Op::sub, Op::mul}[below(3)];
        if (!shape.ops.empty()) op = shape.ops[below(shape.ops.size())];
        if (shape.exact && (op == Op::add || op == Op::sub || op == Op::sin || op == Op::cos)) continue;
        const std::size_t known = r.program.values();
        const std::size_t reach = shape.reach == 0 ? known : std::min(shape.reach, known);
        program::Line line{op, {0, 0, 0}};
        for (std::size_t i = 0; i < arity(op); ++i) line.args[i] = static_cast<Index>(known - 1 - below(reach));
        bool fits = true;
        std::vector<Bounded> made;
        for (const auto& point : value) {
            const Bounded x = calc_bounded(op, point[line.args[0]], point[line.args[1]], point[line.args[2]]);
            fits = fits && std::abs(x.value) < 30 && x.error < 1e-9;
            made.push_back(x);
        }
        if (!fits) continue;
        const bool wants_cosine = op == Op::sin && below(2) == 0;
        r.program.lines.push_back(line);
        for (std::size_t p = 0; p < shape.points; ++p) value[p].push_back(made[p]);
        if (wants_cosine) {
            line.op = Op::cos;
            r.program.lines.push_back(line);
            for (auto& point : value) point.push_back(calc_bounded(Op::cos, point[line.args[0]], {}, {}));
        }
    }
    const std::size_t values = r.program.values();
    if (values == 0) return r;
    for (std::size_t k = 0; k < shape.outputs; ++k) {
        const std::size_t at = k % 2 == 0 ? values - 1 - below(std::min<std::size_t>(values, 20)) : below(values);
        r.program.outputs.push_back(static_cast<Index>(at));
    }
    for (auto& point : value) {
        auto& out = r.out.emplace_back();
        for (const Index i : r.program.outputs) out.push_back(point[i]);
    }
    return r;
}

}  // namespace linkwright::jit
