#pragma once
// A model as a Functional Mock-up Unit of FMI 2.0 or 3.0, for model exchange and for co-simulation: what other simulation programs import.
//
// An FMU is an archive: modelDescription.xml, which lists variables and what depends on what; sources, the C that the C backend
// writes and one file around it; binaries. Here are its files but the binaries; who writes to disk compiles and packs them
// (session/fmu_archive).

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::fmu {

/// `model` is what the C backend makes of the package, header and source, which must have Extras::signals. The files come in the order of the
/// archive, in a folder: "pendulum.fmu/modelDescription.xml", "pendulum.fmu/sources/pendulum.c", …
std::vector<File> write(const Package& package, const std::vector<File>& model);

}  // namespace linkwright::codegen::fmu
