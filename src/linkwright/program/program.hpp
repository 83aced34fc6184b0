#pragma once
// The program: what is left of the graph when only numbers are wanted. A list of lines, each assigning one new value
// from values above it; no branches, no loops, no names. Backends print it, the JIT compiles it, interpreters run it.
//
// What a mechanism has several times, an arm or a leg, may be a routine: a program of its own that the others call.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linkwright/program/operation.hpp"

namespace linkwright::program {

/// A value of a program: inputs come first, then constants, then one for each line.
using Index = std::uint32_t;

/// One assignment. Arguments are values above this line; those beyond the arity are 0 and mean nothing.
struct Line {
    Op op;
    std::array<Index, 3> args;
    bool operator==(const Line&) const = default;
};

/// A routine is called with values of the program: as many as it has inputs.
struct Call {
    std::size_t routine;  ///< in the program's library
    std::vector<Index> args;
    bool operator==(const Call&) const = default;
};

struct Library;

/// Straight-line code in single assignment.
///
///     value 0 … inputs−1            the inputs, as the caller orders them
///     the next constants.size()     the constants
///     the next lines.size()         line k gives value first_line() + k
///
/// An output is any value; one that is an input or a constant costs no line. What `lower` makes has, beyond that, every
/// value used, no line twice, and the sine of an angle directly before its cosine where both are needed.
///
/// A call stands where its results do: lines of Op::result in a row, one for each output of the routine in their order, with
/// the number of the call and that of the output as args. Calls are numbered as they stand. Most programs have none;
/// `inlined` makes one without of any.
struct Program {
    std::size_t inputs = 0;
    std::vector<double> constants;
    std::vector<Line> lines;
    std::vector<Index> outputs;
    std::vector<Call> calls{};
    std::shared_ptr<const Library> library{};  ///< what is called; programs of one package share it

    std::size_t first_line() const { return inputs + constants.size(); }
    std::size_t values() const { return first_line() + lines.size(); }  ///< how many there are in all
    bool operator==(const Program&) const = default;
};

/// A program that others call, with a name for backends to print.
struct Routine {
    std::string name;   ///< an identifier: "chain_1_inwards"
    std::string about;  ///< one sentence
    Program program;    ///< its own calls are of routines before it in the same library; its `library` is empty
};
struct Library {
    std::vector<Routine> routines;
};

/// Is line k a sine and the next one the cosine of the same angle? Such a pair is one instruction to whoever can.
bool is_sincos(const Program& program, std::size_t k);

/// A listing for people, one line each: `v7 = mul v3 v5`. Inputs are x0 x1 …, constants are written out.
std::string write(const Program& program);

}  // namespace linkwright::program
