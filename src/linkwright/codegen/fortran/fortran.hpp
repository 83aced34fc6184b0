#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::fortran {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::fortran
