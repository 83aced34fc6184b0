#include "linkwright/codegen/python/python.hpp"

namespace linkwright::codegen::python {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::python
