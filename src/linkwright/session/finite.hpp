#pragma once
// The last look at a result: a number that is infinite or undefined never leaves in silence. Every verb that returns numbers returns them
// through `finished`. What has no value on purpose (the gain on a pole, the derivative of a defective eigenvalue) stands in JSON as null, and a
// verb that writes null has said why.

#include <nlohmann/json.hpp>
#include <vector>

#include "linkwright/session/json.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// Names of the numbers that are not finite: "forcing of hip'", "mass_matrix[hip', knee']", "relative[1, g]"; of a table "tension at t = 0.3",
/// the first of each column.
std::vector<std::string> not_finite(const Json& result);
std::vector<std::string> not_finite(const std::vector<std::string>& columns, const std::vector<Eigen::VectorXd>& rows);

/// A failure that names them, unless there are none.
void tell_not_finite(const std::vector<std::string>& names, Report& report);

/// The result of a verb, a failure when something in its table, or else in its JSON, is not finite.
template <class T>
Result<T> finished(Report report, T value) {
    if constexpr (requires { value.table.rows; }) {
        tell_not_finite(not_finite(value.table.columns, value.table.rows), report);
    } else {
        tell_not_finite(not_finite(to_json(value)), report);
    }
    return {std::move(report), std::move(value)};
}

}  // namespace linkwright::session
