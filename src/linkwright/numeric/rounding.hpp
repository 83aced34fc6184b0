#pragma once
// What rounding may have left of a zero in the rows of constraints. Rows of a closed chain are differences of long sums: one that vanishes
// comes out as 1e-16 of what was added up, not as 0, and scaled to length 1 it would look like a constraint. So the rounding errors are
// followed through the expressions, together with the errors that closing leaves in q and u; solve's rank decisions are told the result.

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/solve/rank.hpp"

namespace linkwright::numeric {

/// Bounds for the errors of each row at a state: of its entries of G, of γ, and of its rate when u = 0 (∂φ/∂t). Positions are taken to be
/// right to 1e-13, speeds to 1e-12. A bound that cannot be told (a decision is open, a pole is near) is 0.
solve::RowErrors row_errors(const CompiledEquations& numbers, const State& state);

/// Those of the rows of G at this state that are only rounding. The errors are followed only when some row is short beside
/// the longest, and beside 1.
std::vector<Eigen::Index> rows_of_rounding(const CompiledEquations& numbers, const State& state, const MatrixXd& G);
/// G with zeros for these.
MatrixXd without_rounding(const CompiledEquations& numbers, const State& state, MatrixXd G);

}  // namespace linkwright::numeric
