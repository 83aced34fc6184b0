#pragma once
// Whether a result stays within the theory that its equations come from: slopes of beams.

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// Warns, once for each thing that goes beyond its limit at one of the states, of where and when it is largest.
void warn_beyond_theory(const numeric::CompiledEquations& numbers, std::span<const numeric::State> states, Report& report);

}  // namespace linkwright::session
