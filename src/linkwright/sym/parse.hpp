#pragma once
// Expressions as people type them: "m*l^2/12", "if(gap > 0, 0, -k*gap)", "30*deg".

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

/// What the names in a text mean. Words of the language itself (functions, pi, deg, undefined) are not asked for.
struct Names {
    /// The meaning of a name, in the pool that is parsed into; empty when there is none.
    std::function<std::optional<Expr>(std::string_view)> find;
    /// Every name there is: asked only when one is unknown, to suggest what was meant.
    std::function<std::vector<std::string>()> all;
    /// The hint for an unknown name that resembles none of these.
    std::string advice{};
};

/// The symbols of a pool, each under its own name. The pool must outlive the result.
Names names_of(Pool& pool);

/// An expression, or why there is none: `expr` is empty exactly when `problems` holds an error.
struct Parsed {
    std::optional<Expr> expr;
    Diagnostics problems;  ///< in the order of the text
};

/// Reads an expression.
///
///     sum      =  product { ("+" | "-") product }
///     product  =  factor { ("*" | "/") factor }
///     factor   =  ("+" | "-") factor  |  atom [ "^" factor ]                        -x^2 is -(x^2), 2^-3 is 1/8
///     atom     =  number | name | constant | "(" sum ")" | function "(" sum { "," sum } ")"
///     number   =  12  0.5  .5  2.  9.81e-3                                          exactly what is written
///     name     =  hip  hip'  hip''  fly.wx  arm.1'                                  letters, digits, _ ; parts; primes
///     constant =  pi | deg | undefined                                              deg is pi/180
///     function =  sin cos exp ..., the names of functions.hpp | sqrt | atan2 | min max (two or more) | if
///
/// The first argument of `if` may be a comparison by > >= < or <=; `if(c, a, b)` means if(c > 0, a, b). A word followed
/// by "(" is a function, any other word a name or a constant. Spaces and line breaks separate.
///
/// All unknown names of the text are reported, each once; the first slip of grammar ends the reading. `start` is where
/// the text begins in its file. Besides what building its nodes costs, a text takes linear time, and never recursion.
Parsed parse(std::string_view text, const Names& names, Pool& pool = Pool::current(), Position start = {});

/// Whether a text can be used as a name: it is spelled like one and is not a constant of the language.
bool is_name(std::string_view text);

}  // namespace linkwright::sym
