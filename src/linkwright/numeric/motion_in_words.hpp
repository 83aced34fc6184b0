#pragma once
// A direction of motion, for a person.

#include <string>
#include <vector>

#include "linkwright/solve/dense.hpp"

namespace linkwright::numeric {

/// "0.5 elbow' + shoulder'": the larger entries of a motion.
std::string motion_in_words(const Eigen::VectorXd& motion, const std::vector<std::string>& names);

}  // namespace linkwright::numeric
