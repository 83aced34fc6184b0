#pragma once
// How time enters equations: through sines and cosines of n Ω t + phase, or not in a way that repeats.

#include <functional>
#include <span>
#include <string>

#include "linkwright/eom/equations.hpp"

namespace linkwright::perturb {

using sym::Expr;

struct Excitation {
    sym::Expr Omega;         ///< the largest of which all rates are multiples; made of parameters
    double Omega_value = 0;  ///< 0: nothing depends on time
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;
};

/// Looks at every sine and cosine below `roots` whose argument is ρ t + something that repeats. `value` gives numbers for
/// expressions of parameters.
Excitation find_excitation(std::span<const sym::Expr> roots, const sym::Expr& t, const std::function<double(const sym::Expr&)>& value);

}  // namespace linkwright::perturb
