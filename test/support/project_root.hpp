#pragma once
// Where the project's models and data are. A function, and no macro, so that objects of tests are the same in every clone.

#include <string>

namespace linkwright {

std::string project_root();

}  // namespace linkwright
