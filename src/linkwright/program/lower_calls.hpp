#pragma once
// From expressions with calls to a program with calls. In the graph what a call gives are symbols; here they get their lines.

#include "linkwright/program/lower.hpp"

namespace linkwright::program {

/// A call among expressions.
struct CallSite {
    std::size_t routine;               ///< in the library
    std::vector<sym::Expr> arguments;  ///< in terms of inputs and results of calls before this one
    std::vector<sym::Expr> results;    ///< symbols, one for each output of the routine
};

/// As `lower`. Calls that no output needs are left out; the others keep their order, each after what it needs and before
/// anything else.
Program lower(std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs, std::span<const CallSite> calls,
              std::shared_ptr<const Library> library);

}  // namespace linkwright::program
