#pragma once
// Libraries that most calls never need stand in plug-ins, so that the program starts as quickly as without them.

#include <string>

namespace linkwright::ensemble {

/// Opens NAME.so from the folder of the program or library that this code is in, or from lib/linkwright of the
/// same prefix. Null: `why` says what is missing.
void* open_plugin(const std::string& name, std::string& why);

}  // namespace linkwright::ensemble
