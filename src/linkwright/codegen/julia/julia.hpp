#pragma once
// Julia 1.7 and later with its standard library LinearAlgebra: one module, FourBar in four_bar.jl.
//
// The idiom is Julia's: `dynamics!(M, f, t, q, u, w, c)` fills arrays that it is given, `dynamics(t, q, u, w, c)` makes
// them first. Nothing fixes the type of numbers; duals and big floats pass through, the linear solves included.

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::julia {

std::vector<File> write(const Package& package);

/// "FourBar"
std::string module_name(const Package& package);

}  // namespace linkwright::codegen::julia
