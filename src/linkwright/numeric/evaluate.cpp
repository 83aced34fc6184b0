#include "linkwright/numeric/evaluate.hpp"

#include <fmt/format.h>

#include <limits>

#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "linkwright/solve/independent.hpp"

namespace linkwright::numeric {

namespace {

/// M, f, G, γ solved.
void solve_equations(const CompiledEquations& numbers, const State& state, Evaluation& r) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const Dynamics& d = r.dynamics;
    const solve::RowErrors errors = row_errors(numbers, state);
    const solve::DescriptorSolution s = solve::solve_descriptor(d.M, d.f, d.G, d.gamma, {.errors = errors});
    r.accelerations = s.udot;
    r.multipliers = s.lambda;
    r.rank = s.rank;
    for (const Eigen::Index row : s.redundant) r.redundant.push_back(e.constraints[row].name);
    const solve::Partition partition = solve::choose_independent(d.G, {}, {.errors = errors.G});
    for (const Eigen::Index i : partition.independent) r.independent.push_back(e.u[i].symbol().name);
    if (!s.ok) {
        r.is_ok = false;
        r.why = s.why;
        r.accelerations.setConstant(std::numeric_limits<double>::quiet_NaN());
        r.multipliers.setConstant(std::numeric_limits<double>::quiet_NaN());
        if (s.direction.size() > 0) {
            Eigen::Index largest = 0;
            s.direction.cwiseAbs().maxCoeff(&largest);
            r.why += fmt::format(" (the motion is mostly {})", e.u[largest].symbol().name);
        }
    }
}

/// Of a tree whose equations have no M: its accelerations are written out.
void accelerate(const CompiledEquations& numbers, const State& state, Evaluation& r) {
    const eom::EquationsOfMotion& e = numbers.equations();
    r.dynamics.f = numbers.compile(e.f)(state);
    r.accelerations = numbers.compile(e.a)(state);
    r.multipliers.resize(0);
    for (const Expr& u : e.u) r.independent.push_back(u.symbol().name);
    r.is_ok = r.accelerations.allFinite();
    if (!r.is_ok) r.why = "the accelerations are not finite";
}

}  // namespace

Evaluation evaluate(const CompiledEquations& numbers, const State& state) {
    const eom::EquationsOfMotion& e = numbers.equations();
    Evaluation r;
    const bool has_matrix = e.M.size() == e.u.size();
    if (has_matrix) r.dynamics = numbers.dynamics(state);
    r.coordinate_rates = numbers.coordinate_rates(state);
    r.auxiliary_rates = numbers.auxiliary_rates(state);
    r.residuals = numbers.residuals(state);
    const VectorXd invariants = numbers.invariants(state);
    r.kinetic = invariants[0];
    r.potential = invariants[1];
    r.linear = invariants.segment<3>(2);
    r.angular = invariants.segment<3>(5);

    has_matrix ? solve_equations(numbers, state, r) : accelerate(numbers, state, r);
    r.power = numbers.power(state, r.accelerations, r.multipliers);
    r.outputs = numbers.outputs(state, r.accelerations, r.multipliers);
    return r;
}

}  // namespace linkwright::numeric
