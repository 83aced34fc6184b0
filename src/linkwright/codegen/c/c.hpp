#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::c {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::c
