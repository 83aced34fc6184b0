#include "linkwright/codegen/fortran/fortran.hpp"

namespace linkwright::codegen::fortran {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::fortran
