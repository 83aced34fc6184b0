#include "linkwright/codegen/matlab/matlab.hpp"

namespace linkwright::codegen::matlab {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::matlab
