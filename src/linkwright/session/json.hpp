#pragma once
// Numbers and names as JSON: what the results of verbs are made of. Every verb has a to_json of its own result beside it.

#include <Eigen/Core>
#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "linkwright/program/count.hpp"

namespace linkwright::session {

using Json = nlohmann::ordered_json;

Json to_json(const Eigen::VectorXd& v);
Json to_json(const Eigen::MatrixXd& m);  ///< rows
Json to_json(const program::Operations& operations);
Json to_json(std::complex<double> z);  ///< {"re": 1, "im": 2}

/// Indented, short arrays on one line, a line end at the end.
std::string dump(const Json& json);

}  // namespace linkwright::session
