#pragma once
// Python 3.9 and later with NumPy: one module, NAME.py.
//
// Straight-line functions work on one state or on many at once: vectors may have more axes behind their first, and so
// have the results then. Linear solves of closed chains go state by state.

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::python {

std::vector<File> write(const Package& package);

/// The module's name: the identifier, unless that would hide a module of Python's own library.
std::string module_name(const Package& package);

}  // namespace linkwright::codegen::python
