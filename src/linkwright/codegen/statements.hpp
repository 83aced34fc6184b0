#pragma once
// A program as statements: what a backend prints between the braces of a function.
//
// Compilers take time that grows with the square of a function's length, and the derivatives of thirty bodies are a hundred
// thousand statements. So a long program comes in parts, each to be printed as a function of its own; values that a later
// part needs are kept in one array that all parts share.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/program/program.hpp"

namespace linkwright::codegen {

/// How a language writes what formulas are made of. Sums, differences, products, quotients and signs are written
/// + − * / everywhere; parentheses keep the order of the program's operations, so that the numbers are the same.
struct Spelling {
    std::vector<std::string> inputs;            ///< of the program's inputs: "q[0]"
    std::string (*number)(double x) = nullptr;  ///< never negative: signs are put in front
    /// Any other operation, with its arguments written.
    std::string (*call)(program::Op op, std::span<const std::string> args) = nullptr;
    std::string (*shared)(std::size_t place) = nullptr;                ///< of the array that parts share: "s[0]"
    std::string (*result)(std::size_t call, std::size_t k) = nullptr;  ///< of a call's results: "r0[3]"
    std::size_t widest = 100;                                          ///< longest formula; a name alone may be longer
    std::size_t longest_part = 150;  ///< in statements; programs of up to four times as many lines come in one part
};

/// A routine called. Its results are an array: of their own, `r` and a number, or a stretch of the shared array.
struct Call {
    std::size_t routine;
    std::vector<std::string> arguments;  ///< formulas
    std::size_t number;                  ///< of the call
    std::size_t results;                 ///< how many
    bool is_shared = false;
    std::size_t place = 0;  ///< where in the shared array they begin
};

/// name = value: a temporary v0, v1, … A cosine directly after the sine of the same angle `joins` it. Or a call.
struct Statement {
    std::string name, value;
    bool joins = false;
    std::optional<Call> call{};
};

struct Listing {
    std::vector<Statement> statements;
    std::vector<std::string> outputs;  ///< formulas, one for each output of the program
    std::vector<bool> is_input_used;   ///< one for each input
};

/// The whole program. Values that are needed once are written where they are needed, as long as lines stay short; the
/// others get names.
Listing write_statements(const program::Program& program, const Spelling& spelling);

constexpr std::size_t no_output = std::numeric_limits<std::size_t>::max();

/// The same in parts: a temporary, a place of the shared array, an output of the program, or a call.
struct Assignment {
    std::string name;  ///< empty for an output
    std::string value;
    bool is_shared = false;
    bool joins = false;  ///< both temporaries
    std::size_t output = no_output;
    std::optional<Call> call{};
};

struct Part {
    std::vector<Assignment> assignments;
    std::vector<bool> uses_input;  ///< one for each input
    bool uses_shared = false;
};

struct Parts {
    std::vector<Part> list;  ///< at least one
    std::size_t shared = 0;  ///< how long the shared array is; 0 for one part
};

/// In a single part outputs come last, in their order; otherwise as soon as they are known.
Parts write_parts(const program::Program& program, const Spelling& spelling);

/// The shortest decimal that reads back as x, with a point or an exponent: 0.5, 3.0, 1e-07. Not finite: "nan", "inf", "-inf".
std::string shortest(double x);

}  // namespace linkwright::codegen
