#pragma once
// What machine code will do, decided before any register is: which lines become one instruction, in which order they stand,
// and when each value is wanted next. Nothing here knows the processor; scalar code and lane code are made from one plan,
// which is why both round alike.

#include <cstdint>
#include <vector>

#include "linkwright/program/program.hpp"

namespace linkwright::jit {

using program::Index;
inline constexpr Index none = ~Index{0};

/// What a step does with its arguments a, b, c. The first ones are the operations of the same name.
enum class Kind : std::uint8_t {
    neg,
    sqrt,
    abs,
    sign,
    add,
    sub,
    mul,
    div,
    min,
    max,
    select,
    fma,   ///< a·b + c, rounded once
    fms,   ///< a·b − c
    fnma,  ///< c − a·b
    fnms,  ///< −a·b − c
    call,  ///< a function of the standard library
    turn,  ///< sines and cosines of up to four angles; `args[0]` is an index into Plan::turns
};

/// One step: an instruction, or a call.
struct Step {
    Kind kind;
    program::Op op;             ///< of a call
    std::uint8_t arity;         ///< 0 for a turn
    Index value;                ///< what it makes; none for a turn
    std::array<Index, 3> args;  ///< values
    std::array<Index, 3> next;  ///< the step after this one that wants the argument next, or none
    Index first_use;            ///< the first step that wants the result, or none
};

/// Up to four angles turned into sines and cosines by one call.
struct Turn {
    struct Angle {
        Index angle, sine, cosine;             ///< values; a sine or cosine that nobody wants is none
        Index next, sine_first, cosine_first;  ///< steps, as in Step
    };
    std::array<Angle, 4> angles;
    std::uint8_t size = 0;
};

/// Steps in order. Values are numbered as in the program.
///
/// - A product that only one sum or difference uses is part of it; so is a change of sign.
/// - Angles come first: what they are made of, then their sines and cosines by fours, then everything else as the program
///   orders it. Angles that hang on other sines and cosines follow those, layer by layer. So calls find hardly anything in
///   registers that would have to be saved from them.
/// - What no output needs is left out.
struct Plan {
    std::vector<Step> steps;
    std::vector<Turn> turns;
    std::vector<Index> first_output;  ///< of each value: the first output that is this value, or none
    std::vector<Index> next_output;   ///< of each output: the next one with the same value, or none
    bool has_calls = false;
};

/// The plan of a program whose lines are in order. Time and memory linear in its length.
Plan make_plan(const program::Program& program);

}  // namespace linkwright::jit
