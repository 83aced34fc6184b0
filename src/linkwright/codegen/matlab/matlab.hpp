#pragma once

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::matlab {

std::vector<File> write(const Package& package);

}  // namespace linkwright::codegen::matlab
