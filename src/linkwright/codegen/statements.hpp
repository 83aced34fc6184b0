#pragma once
// A program as statements: what a backend prints between the braces of a function.

#include <span>
#include <string>
#include <vector>

#include "linkwright/program/program.hpp"

namespace linkwright::codegen {

/// How a language writes what formulas are made of. Sums, differences, products, quotients and signs are written
/// + − * / everywhere; parentheses keep the order of the program's operations, so that the numbers are the same.
struct Spelling {
    std::vector<std::string> inputs;  ///< of the program's inputs: "q[0]"
    std::string (*number)(double x);  ///< never negative: signs are put in front
    /// Any other operation, with its arguments written.
    std::string (*call)(program::Op op, std::span<const std::string> args);
    std::string prefix = "v";         ///< of temporaries: v0, v1, …
    std::size_t widest = 100;         ///< longest formula; a name alone may be longer
};

/// name = value. A sine is directly followed by its cosine, which then `joins` it.
struct Statement {
    std::string name, value;
    bool joins = false;
};

struct Listing {
    std::vector<Statement> statements;
    std::vector<std::string> outputs;   ///< formulas, one for each output of the program
    std::vector<bool> is_input_used;    ///< one for each input
};

/// Values that are needed once are written where they are needed, as long as lines stay short; the others get names.
Listing write_statements(const program::Program& program, const Spelling& spelling);

/// The shortest decimal that reads back as x, with a point or an exponent: 0.5, 3.0, 1e-07. Not finite: "nan", "inf", "-inf".
std::string shortest(double x);

}  // namespace linkwright::codegen
