#pragma once
// Expressions that a caller writes about a mechanism: events, motions, values that are held.

#include "linkwright/eom/equations.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// An expression in t, q, u, inputs, parameters and outputs that need no accelerations, in the pool of the equations; with the model from which
/// these were derived, in points too, and in rates of points and outputs. Empty when it cannot be read; the report says why, with `what` ("--stop") before it.
std::optional<sym::Expr> read_expression(const std::string& what, const std::string& text, const eom::EquationsOfMotion& equations,
                                         Report& report, const model::Model* model = nullptr);

/// The events of the model, with the outputs, energies and momenta that they name put in. Empty when one needs accelerations or multipliers;
/// the report says which.
std::optional<std::vector<eom::Event>> events_of(const eom::EquationsOfMotion& equations, const model::Model& model, Report& report);

}  // namespace linkwright::session
