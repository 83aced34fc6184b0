#include "linkwright/numeric/operational_inertia.hpp"

#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace linkwright::numeric {

using Eigen::Index;

OperationalInertia operational_inertia(const CompiledEquations& numbers, const State& state, const Dynamics& d, const MatrixXd& J) {
    constexpr double singular = 1e-10;  // a pivot beside its diagonal entry: rounding is far below
    OperationalInertia r;
    const solve::RowErrors errors = row_errors(numbers, state);
    MatrixXd answer(J.cols(), J.rows());  // A Jᵀ
    for (Index i = 0; i < J.rows(); ++i) {
        const solve::DescriptorSolution s =
            solve::solve_descriptor(d.M, J.row(i).transpose(), d.G, VectorXd::Zero(d.gamma.size()), {.errors = errors});
        if (!s.ok) return r.why = s.why, r;
        answer.col(i) = s.udot;
    }
    const MatrixXd product = J * answer;
    r.mobility = (product + product.transpose()) / 2;
    const solve::Definite factor = solve::factor_definite(r.mobility, singular);
    if (!factor.ok) {
        r.why = "the frame cannot be moved in all of these directions at this state";
        r.held = factor.bad;
        return r;
    }
    MatrixXd inverse(J.rows(), J.rows());
    for (Index i = 0; i < J.rows(); ++i) inverse.col(i) = solve::solve(factor, VectorXd::Unit(J.rows(), i)).x;
    r.inertia = (inverse + inverse.transpose()) / 2;
    r.is_ok = true;
    return r;
}

}  // namespace linkwright::numeric
