#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::python {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::python
