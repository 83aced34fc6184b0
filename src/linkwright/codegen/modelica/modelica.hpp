#pragma once
// Modelica 3.x without any library: one package, NAME.mo, with the functions and a model `Motion` that uses them.
//
// Arguments without entries are left out of the functions: an array of size 0 is legal, and a nuisance to tools.

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::modelica {

std::vector<File> write(const Package& package);

/// The package's name: the identifier, unless a built-in function is called so.
std::string package_name(const Package& package);

/// A unit as Modelica writes it: kg*m^2/s/rad becomes kg.m2/(s.rad).
std::string unit(const std::string& si);

}  // namespace linkwright::codegen::modelica
