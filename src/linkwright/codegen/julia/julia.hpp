#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::julia {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::julia
