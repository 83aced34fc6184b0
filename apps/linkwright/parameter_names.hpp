#pragma once
// Parameters by the names a command line gives them.

#include "session.hpp"

namespace linkwright::cli {

/// Indices of equations.parameters. "all": those that have values of their own. Empty when a name is unknown or frozen, and that
/// has been told, with `option` before it.
std::optional<std::vector<std::size_t>> find_parameters(const std::string& option, const std::vector<std::string>& names, const SharedOptions& common,
                                                        const eom::EquationsOfMotion& equations);

/// The value is a formula in other parameters.
bool is_derived(const eom::Parameter& parameter);

/// What one of a parameter's own unit, the one that --set takes, is in SI units.
double unit_of(const model::Model& model, const std::string& parameter);

}  // namespace linkwright::cli
