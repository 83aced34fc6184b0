#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::modelica {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::modelica
