#include "linkwright/codegen/c/c.hpp"

namespace linkwright::codegen::c {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::c
