#pragma once
// The elementary functions of one argument: all that is known about each, in one row of one table.
//
//     column      who reads it
//     name        the parser, the printers, the names of a program's operations and so every language that has no other name for it
//     latex       the LaTeX printer
//     libm        native code and the interpreter, which call it; C++ code, which brings it in with `using`
//     parity      building, f(−x) → ±f(x), and the residues of functions without a value in a finite field
//     spread      numbers that know their error
//     from, to    the same; tests, for their points
//     slope       derivatives; Taylor series with expressions and with numbers
//
// What a row cannot say stays where it is used: exact values beyond f(0) = 0 of an odd function (build.cpp), sin and cos as points of
// a circle, abs and sign as decisions that every type of number takes in its own way, instructions of a processor, and what a
// language calls otherwise. CONTRIBUTING.md, "Adding an elementary function", lists the files.

#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string_view>

#include "linkwright/sym/pool.hpp"

namespace linkwright::sym {

/// f(−x) = −f(x), f(−x) = f(x), or neither.
enum class Parity : std::uint8_t { none, odd, even };

/// What an error of the argument does to the value.
enum class Spread : std::uint8_t {
    contraction,  ///< it does not grow: |f(x) − f(y)| ≤ |x − y|
    monotone,     ///< the value stays between those at the ends, within [from, to]
    other,        ///< poles or jumps
};

/// How y = f(x) changes: the differential equation from which derivatives and Taylor series are made.
///
///     by_value      y' = c0 + c1·y + c2·y²
///     by_argument   y' = ±(c0 + c1·x + c2·x²)^(halves/2)      halves −2 or −1
///     by_partner    y' = ±g(x), g = partner
///     none          y' = 0 away from jumps
struct Slope {
    enum class Kind : std::uint8_t { none, by_value, by_argument, by_partner };
    Kind kind = Kind::none;
    std::array<int, 3> c{};
    int sign = 1;
    int halves = 2;
    Op partner = Op::undefined;

    static constexpr Slope by_value(std::array<int, 3> c) { return {.kind = Kind::by_value, .c = c}; }
    static constexpr Slope by_argument(int sign, std::array<int, 3> c, int halves) {
        return {.kind = Kind::by_argument, .c = c, .sign = sign, .halves = halves};
    }
    static constexpr Slope by_partner(int sign, Op partner) { return {.kind = Kind::by_partner, .sign = sign, .partner = partner}; }
};

struct ElementaryFunction {
    Op op;
    std::string_view name;   ///< in the expression language, in programs, in C
    std::string_view latex;  ///< its command without the backslash; empty: it has none
    double (*libm)(double);  ///< none for abs and sign
    Parity parity;
    Spread spread;
    double from, to;  ///< where it is real, ends included
    Slope slope;
};

namespace detail {
inline constexpr double infinite = std::numeric_limits<double>::infinity(), above_zero = std::numeric_limits<double>::denorm_min();
}

/// In the order of Op. A partner may be any row.
inline constexpr std::array elementary_functions{
    ElementaryFunction{Op::sin, "sin", "sin", ::sin, Parity::odd, Spread::contraction, -detail::infinite, detail::infinite,
                       Slope::by_partner(1, Op::cos)},
    ElementaryFunction{Op::cos, "cos", "cos", ::cos, Parity::even, Spread::contraction, -detail::infinite, detail::infinite,
                       Slope::by_partner(-1, Op::sin)},
    ElementaryFunction{Op::tan, "tan", "tan", ::tan, Parity::odd, Spread::other, -detail::infinite, detail::infinite,
                       Slope::by_value({1, 0, 1})},
    ElementaryFunction{Op::asin, "asin", "arcsin", ::asin, Parity::odd, Spread::monotone, -1, 1, Slope::by_argument(1, {1, 0, -1}, -1)},
    ElementaryFunction{Op::acos, "acos", "arccos", ::acos, Parity::none, Spread::monotone, -1, 1, Slope::by_argument(-1, {1, 0, -1}, -1)},
    ElementaryFunction{Op::atan, "atan", "arctan", ::atan, Parity::odd, Spread::contraction, -detail::infinite, detail::infinite,
                       Slope::by_argument(1, {1, 0, 1}, -2)},
    ElementaryFunction{Op::exp, "exp", "", ::exp, Parity::none, Spread::monotone, -detail::infinite, detail::infinite,
                       Slope::by_value({0, 1, 0})},
    ElementaryFunction{Op::log, "log", "ln", ::log, Parity::none, Spread::monotone, detail::above_zero, detail::infinite,
                       Slope::by_argument(1, {0, 1, 0}, -2)},
    ElementaryFunction{Op::tanh, "tanh", "tanh", ::tanh, Parity::odd, Spread::contraction, -detail::infinite, detail::infinite,
                       Slope::by_value({1, 0, -1})},
    ElementaryFunction{Op::abs, "abs", "", nullptr, Parity::even, Spread::contraction, -detail::infinite, detail::infinite,
                       Slope::by_partner(1, Op::sign)},
    ElementaryFunction{Op::sign, "sign", "", nullptr, Parity::odd, Spread::other, -detail::infinite, detail::infinite, Slope{}},
};

/// Whether an operation is a row of the table.
constexpr bool is_elementary(Op op) { return Op::sin <= op && op <= Op::sign; }

/// Its place in the table.
constexpr std::size_t row_of(Op op) { return static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::sin); }

/// The row of an operation that is_elementary().
constexpr const ElementaryFunction& elementary_function(Op op) {
    assert(is_elementary(op));
    return elementary_functions[row_of(op)];
}

/// The row of a name; null when there is none.
constexpr const ElementaryFunction* find_elementary_function(std::string_view name) {
    for (const ElementaryFunction& f : elementary_functions) {
        if (f.name == name) return &f;
    }
    return nullptr;
}

static_assert(
    [] {
        for (std::size_t i = 0; i < elementary_functions.size(); ++i) {
            if (row_of(elementary_functions[i].op) != i) return false;
        }
        return elementary_functions.size() == row_of(Op::sign) + 1;
    }(),
    "a row for each function of one argument, in the order of Op");

/// The value of a function of the standard library, S a real or complex number; NaN for what has none there (abs, sign).
template <class S>
S calc_library_function(Op f, const S& x) {
    switch (f) {
        case Op::sin: return std::sin(x);
        case Op::cos: return std::cos(x);
        case Op::tan: return std::tan(x);
        case Op::asin: return std::asin(x);
        case Op::acos: return std::acos(x);
        case Op::atan: return std::atan(x);
        case Op::exp: return std::exp(x);
        case Op::log: return std::log(x);
        case Op::tanh: return std::tanh(x);
        default: return S(std::numeric_limits<double>::quiet_NaN());
    }
}

}  // namespace linkwright::sym
