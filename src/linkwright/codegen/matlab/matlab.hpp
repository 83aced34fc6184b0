#pragma once
// MATLAB (R2016b and later) and Octave, without toolboxes: one function file, NAME.m, that returns a struct of numbers,
// names and handles of its subfunctions:
//
//     s = four_bar(); c = s.setup(s.p); xdot = s.rhs(0, x, s.w, c);
//
// Vectors are columns. Outside their domain functions give NaN, never complex numbers.

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::matlab {

std::vector<File> write(const Package& package);

/// The function's name: the identifier, unless that would hide a function that the file itself needs.
std::string function_name(const Package& package);

}  // namespace linkwright::codegen::matlab
