#include "linkwright/codegen/cpp/cpp.hpp"

namespace linkwright::codegen::cpp {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::cpp
