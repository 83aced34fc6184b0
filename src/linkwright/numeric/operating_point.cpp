#include "linkwright/numeric/operating_point.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linkwright/numeric/derived_parameters.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace linkwright::numeric {

namespace {

using Index = Eigen::Index;

/// What each speed would do by itself: f_i/M_ii where there is inertia.
double largest_free_acceleration(const Dynamics& d) {
    double most = 0;
    for (Index i = 0; i < d.f.size(); ++i) {
        if (d.M(i, i) > 0) most = std::max(most, std::abs(d.f[i]) / d.M(i, i));
    }
    return most;
}

}  // namespace

OperatingPoint operating_point(const CompiledEquations& numbers, const State& state) {
    const eom::EquationsOfMotion& e = numbers.equations();
    OperatingPoint p{state, VectorXd::Zero(e.u.size()), VectorXd::Zero(e.constraints.size()), true, "", 0, true};
    const auto fail = [&](std::string why) {
        p.is_ok = false;
        p.why = std::move(why);
        return p;
    };
    if (!state.q.allFinite() || !state.u.allFinite() || !state.w.allFinite() || !state.x.allFinite() || !std::isfinite(state.t))
        return fail("the state is not finite");
    const VectorXd rates = numbers.coordinate_rates(state);
    p.is_at_rest = rates.size() == 0 || rates.lpNorm<Eigen::Infinity>() <= 1e-10;
    const Dynamics d = numbers.dynamics(state);
    if (!rates.allFinite() || !d.M.allFinite() || !d.f.allFinite() || !d.G.allFinite() || !d.gamma.allFinite()) {
        return fail("the equations are not finite at this state: something is divided by zero or undefined");
    }
    const solve::RowErrors errors = row_errors(numbers, state);
    const solve::DescriptorSolution s = solve::solve_descriptor(d.M, d.f, d.G, d.gamma, {.errors = errors});
    p.udot = s.udot;
    p.lambda = s.lambda;
    if (p.udot.size() > 0) p.relative_acceleration = p.udot.lpNorm<Eigen::Infinity>() / std::max(1.0, largest_free_acceleration(d));
    if (s.ok) return p;
    std::string why = s.why;
    if (s.direction.size() > 0) {
        Index largest = 0;
        s.direction.cwiseAbs().maxCoeff(&largest);
        why += fmt::format(" (the motion is mostly {})", e.u[largest].symbol().name);
    }
    return fail(why);
}

VectorXd parameter_derivatives(const CompiledEquations& numbers, std::size_t parameter) {
    return DerivedParameters(numbers).derivatives({&parameter, 1}).front();
}

}  // namespace linkwright::numeric
