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
    fma,     ///< a·b + c, rounded once
    fms,     ///< a·b − c
    fnma,    ///< c − a·b
    fnms,    ///< −a·b − c
    call,    ///< a function of the standard library
    turn,    ///< sines and cosines of up to four angles; `args[0]` is an index into Plan::turns
    gather,  ///< four values become a pack (packs.hpp)
};

/// One step: an instruction, or a call. What makes a pack takes packs, and does with each lane what it would do with one number.
struct Step {
    Kind kind;
    program::Op op;             ///< of a call
    std::uint8_t arity;         ///< 0 for a turn and a gather
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

/// Four values side by side in one register. Packs are numbered as values are, behind those of the program.
struct Pack {
    enum class Origin : std::uint8_t {
        made,       ///< by a step of its own
        gathered,   ///< by Kind::gather
        common,     ///< four times the same value, made where it is wanted
        in_a_row,   ///< inputs or constants that stand one after the other
        constants,  ///< a row of Plan::constants
    };
    Origin origin;
    std::array<Index, 4> lanes;                         ///< a lane that is none may hold anything
    std::array<Index, 4> from{none, none, none, none};  ///< of a gather: the pack that has a lane in its place, or none
    std::array<Index, 4> next{none, none, none, none};  ///< of a gather: the step that wants the source of each lane next, or none
    Index first_use = none;                             ///< the first step that wants the pack
    Index row = 0;                                      ///< of constants
    Index source(std::size_t k) const { return from[k] == none ? lanes[k] : from[k]; }
    std::uint8_t exposed = 0;  ///< of a made one: a bit for each lane that is wanted by itself
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
    std::vector<Pack> packs;          ///< none in what make_plan() makes
    std::vector<double> constants;    ///< besides those of the program, by fours
    bool has_calls = false;
};

/// The plan of a program whose lines are in order. Time and memory linear in its length.
Plan make_plan(const program::Program& program);

/// Enters into steps, turns and packs when everything is wanted next. `values` of the program come before packs.
void look_ahead(Plan& plan, std::size_t values);

}  // namespace linkwright::jit
