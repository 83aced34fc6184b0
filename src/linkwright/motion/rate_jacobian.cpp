#include "linkwright/motion/rate_jacobian.hpp"

#include "linkwright/eom/residual.hpp"

namespace linkwright::motion {

using Index = Eigen::Index;

RateJacobian::RateJacobian(MotionSystem& system, const SimulateOptions& options) : system_(system), tree_factor_(options.solver.method) {
    const eom::EquationsOfMotion& e = system.numbers().equations();
    std::vector<Expr> rows = eom::force_residual(e);
    const std::vector<Expr> held = eom::acceleration_residual(e);
    rows.insert(rows.end(), held.begin(), held.end());
    const std::vector<Expr> first_order = eom::qdot_and_xdot(e);
    rows.insert(rows.end(), first_order.begin(), first_order.end());
    rows.push_back(e.power);
    // Baumgarte's terms beside them: s + 2α φ̇ + α² φ, weighted in numbers
    const bool has_baumgarte = options.keep == ConstraintStabilization::baumgarte && !e.constraints.empty();
    if (has_baumgarte) {
        for (const eom::Constraint& c : e.constraints) rows.push_back(c.phi);
        for (const eom::Constraint& c : e.constraints) rows.push_back(c.rate);
    }
    std::vector<Expr> columns = eom::q_and_x(e);
    columns.insert(columns.end(), e.u.begin(), e.u.end());
    columns.insert(columns.end(), e.udot.begin(), e.udot.end());
    for (const eom::Constraint& c : e.constraints) columns.push_back(c.lambda);
    const Index n = system.speeds(), m = system.rows(), nq = system.coordinates();
    const auto is_wanted = [&](Index row, Index column) { return row >= n + m || column < nq + n; };  // M and G are known elsewhere
    function_ = numeric::JacobianFunction(system.numbers(), rows, columns, true, is_wanted);
    derivative_.setZero(function_.rows(), function_.columns());
    udot_.setZero(n), lambda_.setZero(m);
    if (has_baumgarte) {
        baumgarte_ = options.baumgarte;
        for (const eom::Constraint& c : e.constraints) is_holonomic_.push_back(c.is_holonomic);
    }
}

bool RateJacobian::calc(double t, const double* x, double* columns) {
    const Index n = system_.speeds(), m = system_.rows(), nq = system_.coordinates();
    const Index size = nq + n + (system_.has_power() ? 1 : 0);
    system_.put(t, x, x + nq);
    if (!system_.calc_rates()) return false;
    solve::DescriptorFactor* factor = &system_.factor();
    if (m == 0) {
        system_.calc_dynamics();
        factor = &tree_factor_;
        if (!factor->factor(system_.dynamics().M, system_.dynamics().G, 0)) return false;
    }
    if (!function_(system_.in(true), out_, derivative_)) return false;
    Eigen::Map<MatrixXd> J(columns, size, size);
    J.setZero();
    for (Index j = 0; j < nq + n; ++j) {
        r_ = -derivative_.col(j).head(n);
        s_ = -derivative_.col(j).segment(n, m);
        if (baumgarte_ > 0) {
            const Index phi = n + m + nq + 1;
            for (Index i = 0; i < m; ++i) {
                const double a = baumgarte_, position = derivative_(phi + i, j), velocity = derivative_(phi + m + i, j);
                s_[i] -= is_holonomic_[i] ? 2 * a * velocity + a * a * position : a * velocity;
            }
        }
        factor->solve(r_, s_, udot_, lambda_);
        J.col(j).head(nq) = derivative_.col(j).segment(n + m, nq);
        J.col(j).segment(nq, n) = udot_;
        if (!system_.has_power()) continue;
        const Index P = n + m + nq;
        J(nq + n, j) =
            derivative_(P, j) + derivative_.row(P).segment(nq + n, n).dot(udot_) + derivative_.row(P).segment(nq + 2 * n, m).dot(lambda_);
    }
    return true;
}

}  // namespace linkwright::motion
