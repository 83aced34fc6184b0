#pragma once
// Parameters by their names.

#include "linkwright/eom/equations.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// Indices of equations.parameters. "all": those that have values of their own. Empty when a name is unknown or one of `frozen`, and the
/// report says so, with `option` before it.
std::optional<std::vector<std::size_t>> find_parameters(const std::string& option, const std::vector<std::string>& names,
                                                        const std::vector<std::string>& frozen, const eom::EquationsOfMotion& equations,
                                                        Report& report);

/// The value is a formula in other parameters.
bool is_derived(const eom::Parameter& parameter);

/// What one of a parameter's own unit, the one that the file and --set take, is in SI units. Builds in the pool of the model.
double unit_of(const model::Model& model, const std::string& parameter);

}  // namespace linkwright::session
