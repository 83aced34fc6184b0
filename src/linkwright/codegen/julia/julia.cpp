#include "linkwright/codegen/julia/julia.hpp"

namespace linkwright::codegen::julia {

std::vector<File> write(const Package&) { return {}; }

}  // namespace linkwright::codegen::julia
