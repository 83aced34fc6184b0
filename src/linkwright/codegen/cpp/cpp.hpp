#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::cpp {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::cpp
