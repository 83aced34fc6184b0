#pragma once

#include <string>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// The model as a file that read() takes for the same one: same names, equal expressions. Chains stay unrolled; joint
/// axes are written as vectors; a point that has no name in its body gets one. A model with auxiliary states cannot be written
/// (std::invalid_argument): files have no word for them yet.
std::string write(const Model& model);

}  // namespace linkwright::model
