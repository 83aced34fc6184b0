#pragma once
// The operations a straight-line program is made of, and what each does to numbers. One definition serves the
// interpreter, the folding of constants and the complex step; backends print the same table in their language.

#include <cstdint>
#include <string_view>

#include "linkwright/sym/evaluate.hpp"

namespace linkwright::program {

/// What a line does with its arguments a, b, c.
///
///     neg −a      add a + b      sub a − b      mul a·b      div a/b      sqrt √a      pow a^b, b a constant
///     atan2(a, b)      select: b where a > 0, otherwise c      the others are functions of a, or of a and b, by name
///     result: what a call gave; see program.hpp
///
/// Integer powers are products (a square is a·a), so `pow` is left with exponents like 1/3.
enum class Op : std::uint8_t {
    neg,
    sqrt,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    exp,
    log,
    tanh,
    abs,
    sign,
    add,
    sub,
    mul,
    div,
    pow,
    atan2,
    min,
    max,
    select,
    result,
};

/// How many values an operation takes: 1, 2 or 3. A result takes none: what it needs are its call's arguments.
constexpr std::size_t arity(Op op) { return op < Op::add ? 1 : op < Op::select ? 2 : op < Op::result ? 3 : 0; }

/// Whether an operation is a row of the table of elementary functions (sym/functions.hpp).
constexpr bool is_elementary(Op op) { return Op::sin <= op && op <= Op::sign; }

/// Which row, and back. Both enumerations list these functions in the order of the table.
constexpr sym::Op elementary_function(Op op) {
    return static_cast<sym::Op>(static_cast<unsigned>(op) - static_cast<unsigned>(Op::sin) + static_cast<unsigned>(sym::Op::sin));
}
constexpr Op operation(sym::Op function) {
    return static_cast<Op>(static_cast<unsigned>(function) - static_cast<unsigned>(sym::Op::sin) + static_cast<unsigned>(Op::sin));
}
static_assert(operation(sym::Op::tan) == Op::tan && operation(sym::Op::acos) == Op::acos && operation(sym::Op::exp) == Op::exp &&
              operation(sym::Op::log) == Op::log && operation(sym::Op::abs) == Op::abs && operation(sym::Op::sign) == Op::sign);

/// The name of an operation, as the enumeration spells it.
std::string_view name(Op op);

/// The value of one operation; arguments beyond its arity are ignored. S is double or std::complex<double>. Decisions
/// (abs, sign, min, max, select) look at the real part. Outside a domain: what the standard library gives.
template <class S>
S calc(Op op, const S& a, const S& b, const S& c) {
    using Functions = sym::Scalar<S>;
    if (is_elementary(op)) return Functions::apply(elementary_function(op), a);
    switch (op) {
        case Op::neg: return -a;
        case Op::sqrt: return std::sqrt(a);
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::pow: return std::pow(a, b);
        case Op::atan2: return Functions::apply(sym::Op::atan2, a, b);
        case Op::min: return Functions::apply(sym::Op::min, a, b);
        case Op::max: return Functions::apply(sym::Op::max, a, b);
        case Op::select: return Functions::select(a, b, c);
        default: break;  // a result: inlined before anything is computed
    }
    return Functions::undefined();
}

}  // namespace linkwright::program
