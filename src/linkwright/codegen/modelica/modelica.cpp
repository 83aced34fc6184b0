#include "linkwright/codegen/modelica/modelica.hpp"

namespace linkwright::codegen::modelica {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::modelica
