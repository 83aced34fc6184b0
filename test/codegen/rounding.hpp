#pragma once
// How far two honest evaluations of one program may be apart. What ought to vanish (a residual, missing forces) is all
// rounding, and no share of its own size; so the bound is carried along line by line: running error analysis, with a
// unit in the last place for every operation and two for every function of a library (Higham 2002, section 3.3).

#include "codegen/support.hpp"

namespace linkwright::codegen::test {

/// The largest bound among the entries of each result.
std::vector<double> rounding(const Function& function, const Point& point);

/// What is expected at a point, as in support.hpp, each quantity allowed at least its rounding.
std::vector<Quantity> expected_with_rounding(const Specimen& specimen, const Point& point);

}  // namespace linkwright::codegen::test
