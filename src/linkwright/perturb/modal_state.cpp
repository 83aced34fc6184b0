
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/perturb/expansion.hpp"
#include "linkwright/perturb/motion_series.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

numeric::State state_of(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                        const VectorXd& eta, const VectorXd& eta_dot, double t) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const LocalCoordinates local = local_coordinates(e);
    const std::size_t ns = local.places.size(), nq = e.q.size();
    /// A value and its rate.
    struct Moving {
        double x = 0, rate = 0;
    };
    struct Algebra {
        Moving add(Moving a, Moving b) const { return {a.x + b.x, a.rate + b.rate}; }
        Moving subtract(Moving a, Moving b) const { return {a.x - b.x, a.rate - b.rate}; }
        Moving multiply(Moving a, Moving b) const { return {a.x * b.x, a.x * b.rate + a.rate * b.x}; }
        Moving half(Moving a) const { return {a.x / 2, a.rate / 2}; }
        Moving root_of_one_less(Moving a) const {
            const double root = std::sqrt(std::max(0.0, 1 - a.x));
            return {root, root > 0 ? -a.rate / (2 * root) : 0};
        }
    } algebra;
    std::vector<Moving> s(ns), centre(nq);
    for (std::size_t i = 0; i < ns; ++i) {
        for (const auto& term : form.shapes[i]) {
            Moving product{term.coefficient, 0};
            for (std::size_t k = 0; k < term.powers.size(); ++k) {
                for (unsigned p = 0; p < term.powers[k]; ++p) product = algebra.multiply(product, {eta[k], eta_dot[k]});
            }
            s[i] = algebra.add(s[i], product);
        }
    }
    const VectorXd& middle = form.centre.size() == static_cast<Index>(nq) ? form.centre : at.state.q;
    for (std::size_t i = 0; i < nq; ++i) centre[i].x = middle[i];
    const std::vector<Moving> q = coordinates_at(e, local, centre, s, algebra);
    numeric::State state = at.state;
    state.t = t;
    const VectorXd inputs = numbers.input_values(t);
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        if (state.w.size() != inputs.size()) state.w = inputs;
        if (sym::depends_on(e.inputs[i].value, e.t)) state.w[i] = inputs[i];
    }
    VectorXd rates(static_cast<Index>(nq));
    for (std::size_t i = 0; i < nq; ++i) state.q[i] = q[i].x, rates[i] = q[i].rate;
    // q̇ = N u + ν
    const Index nu = e.u.size();
    state.u.setZero(nu);
    const VectorXd nu0 = numbers.coordinate_rates(state);
    MatrixXd N(static_cast<Index>(nq), nu);
    for (Index j = 0; j < nu; ++j) {
        state.u[j] = 1;
        N.col(j) = numbers.coordinate_rates(state) - nu0;
        state.u[j] = 0;
    }
    state.u = solve::CompleteOrthogonal(N).solve(rates - nu0);
    if (e.constraints.empty()) return state;
    // loops: what is independent stays, the rest is closed from where the series puts it
    std::vector<bool> is_held(nq, false);
    for (const std::size_t i : form.independent) {
        if (!local.places[i].quaternion) is_held[local.places[i].coordinate] = true;
    }
    std::vector<numeric::Wanted> wanted;
    for (std::size_t i = 0; i < nq; ++i) wanted.push_back({e.q[i].symbol().name, e.q[i], state.q[i], is_held[i], false});
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        const bool is_rate = i < nq && e.qdot.size() > i && e.qdot[i] == e.u[i];
        wanted.push_back({e.u[i].symbol().name, e.u[i], state.u[i], is_rate && is_held[i], true});
    }
    const numeric::AssembledState closed = assemble(numbers, wanted, t);
    if (!closed.is_ok()) return state;
    numeric::State result = closed.state;
    result.w = state.w;
    return result;
}

}  // namespace linkwright::perturb
