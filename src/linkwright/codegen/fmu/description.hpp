#pragma once
// modelDescription.xml, and what FMI 3 has beside its sources.

#include "linkwright/codegen/fmu/interface.hpp"

namespace linkwright::codegen::fmu {

/// `token` is the guid, or instantiationToken; `package.fmi` says which version.
std::string write_description(const Package& package, const Interface& interface, const std::string& token);

/// sources/buildDescription.xml of FMI 3.
std::string write_build_description(const Package& package);

}  // namespace linkwright::codegen::fmu
