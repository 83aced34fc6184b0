#pragma once
// The list of languages.

#include <span>

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen {

std::span<const Backend> backends();

}  // namespace linkwright::codegen
