#include "linkwright/motion/stabilised_form.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/eom/residual.hpp"
#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

std::span<double> span_of(VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

MatrixXd take(const MatrixXd& a, const std::vector<Index>& rows) {
    MatrixXd b(static_cast<Index>(rows.size()), a.cols());
    for (Index i = 0; i < b.rows(); ++i) b.row(i) = a.row(rows[i]);
    return b;
}

MatrixXd scaled(solve::RowLengths& lengths, const MatrixXd& rows) { return lengths.scales(rows).asDiagonal() * rows; }

double smallest_pivot(const MatrixXd& rows) {
    if (rows.rows() == 0) return 1;
    return solve::PivotedQr(rows.transpose()).pivot(std::min(rows.rows(), rows.cols()) - 1);
}

/// As many as the rank, best conditioned first; empty when the rank is lost.
std::vector<Index> best_rows(const MatrixXd& a, Index rank) {
    std::vector<Index> list;
    if (rank == 0) return list;
    const solve::PivotedQr qr(a.transpose());
    if (!(qr.pivot(rank - 1) > 1e-13)) return list;
    for (Index k = 0; k < rank; ++k) list.push_back(qr.order()[k]);
    std::ranges::sort(list);
    return list;
}

}  // namespace

StabilisedForm::StabilisedForm(MotionSystem& system) : system_(system), e_(system.numbers().equations()), positions_(system.numbers()) {
    std::vector<Expr> rows = eom::force_residual(e_);
    const std::vector<Expr> first_order = eom::qdot_and_xdot(e_);
    rows.insert(rows.end(), first_order.begin(), first_order.end());
    rows.push_back(e_.power);
    for (const eom::Constraint& c : e_.constraints) rows.push_back(c.rate);
    values_ = system.numbers().compile_with_accelerations(rows);
    values_out_.setZero(rows.size());

    std::vector<Expr> columns = eom::q_and_x(e_);
    columns.insert(columns.end(), e_.u.begin(), e_.u.end());
    columns.insert(columns.end(), e_.udot.begin(), e_.udot.end());
    for (const eom::Constraint& c : e_.constraints) columns.push_back(c.lambda);
    derivatives_ = numeric::JacobianFunction(system.numbers(), rows, columns, true);
    derivative_.setZero(derivatives_.rows(), derivatives_.columns());
}

bool StabilisedForm::choose() {
    const Index quaternions = static_cast<Index>(e_.quaternions.size()), rank = system_.position_rank() + quaternions;
    positions_.calc(system_.in());
    if (!system_.calc_dynamics()) return false;
    rows_ = best_rows(scaled(lengths_, system_.dynamics().G), system_.rank());
    position_rows_ = best_rows(scaled(position_lengths_, positions_.jacobian()), rank);
    if (static_cast<Index>(rows_.size()) != system_.rank() || static_cast<Index>(position_rows_.size()) != rank)
        return system_.refuse("the constraints have lost rank");
    quality_ = 1;
    quality_ = calc_quality();
    return true;
}

double StabilisedForm::calc_quality() {
    positions_.calc(system_.in());
    if (!system_.calc_dynamics()) return 0;
    return std::min(smallest_pivot(take(scaled(lengths_, system_.dynamics().G), rows_)),
                    smallest_pivot(take(scaled(position_lengths_, positions_.jacobian()), position_rows_))) /
           quality_;
}

bool StabilisedForm::has_redundant_rows() const {
    return static_cast<Index>(rows_.size()) < system_.rows() || static_cast<Index>(position_rows_.size()) < positions_.rows();
}

Index StabilisedForm::states() const { return system_.coordinates() + system_.speeds() + (system_.has_power() ? 1 : 0); }
Index StabilisedForm::size() const { return states() + static_cast<Index>(rows_.size() + position_rows_.size()); }

bool StabilisedForm::complete(double t, VectorXd& x, VectorXd& xdot) {
    const Index nq = system_.coordinates(), n = system_.speeds(), k = static_cast<Index>(rows_.size());
    system_.put(t, x.data(), x.data() + nq);
    if (!system_.calc_rates()) return false;
    VectorXd all = VectorXd::Zero(size());
    all.head(states()) = x.head(states());
    if (k > 0) {
        // the force of all multipliers, carried by the chosen rows alone
        const MatrixXd& G = system_.dynamics().G;
        all.segment(states(), k) = solve::solve_transposed(take(G, rows_), G.transpose() * system_.lambda());
    }
    x = all;
    xdot.setZero(size());
    xdot.head(nq) = system_.qdot();
    xdot.segment(nq, n) = system_.udot();
    if (system_.has_power()) xdot[nq + n] = system_.power();
    return true;
}

bool StabilisedForm::put(double t, const double* x, const double* xdot) {
    const Index nq = system_.coordinates(), n = system_.speeds();
    system_.put(t, x, x + nq);
    const std::span<const double> in = system_.in();
    in_.setZero(static_cast<Index>(in.size()) + n + system_.rows());
    std::ranges::copy(in, in_.data());
    std::copy_n(xdot + nq, n, in_.data() + in.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) in_[static_cast<Index>(in.size()) + n + rows_[i]] = x[states() + static_cast<Index>(i)];
    return in_.allFinite();
}

bool StabilisedForm::calc_residual(double t, const double* x, const double* xdot, double* residual) {
    ++system_.evaluations;
    if (!put(t, x, xdot)) return system_.calc_rates() ? system_.refuse("the state is not finite") : false;  // which names what is not
    const Index nq = system_.coordinates(), n = system_.speeds(), first = states(), k = static_cast<Index>(rows_.size());
    values_(span_of(in_), span_of(values_out_));
    positions_.calc(system_.in());
    Eigen::Map<VectorXd> r(residual, size());
    const Eigen::Map<const VectorXd> xd(xdot, size());
    r.head(nq) = xd.head(nq) - values_out_.segment(n, nq);
    for (std::size_t i = 0; i < position_rows_.size(); ++i) {
        r.head(nq) += positions_.jacobian().row(position_rows_[i]).transpose() * x[first + k + static_cast<Index>(i)];
        r[first + k + static_cast<Index>(i)] = positions_.phi()[position_rows_[i]];
    }
    r.segment(nq, n) = values_out_.head(n);
    if (system_.has_power()) r[nq + n] = xd[nq + n] - values_out_[n + nq];
    for (std::size_t i = 0; i < rows_.size(); ++i) r[first + static_cast<Index>(i)] = values_out_[n + nq + 1 + rows_[i]];
    if (r.allFinite()) return true;
    return system_.calc_rates() ? system_.refuse("the equations are not finite") : false;
}

bool StabilisedForm::calc_jacobian(double t, double c, const double* x, const double* xdot, double* columns) {
    if (!put(t, x, xdot)) return false;
    const Index nq = system_.coordinates(), n = system_.speeds(), first = states(), k = static_cast<Index>(rows_.size());
    if (!derivatives_(span_of(in_), derivatives_out_, derivative_)) return false;
    positions_.calc(system_.in());
    Eigen::Map<MatrixXd> J(columns, size(), size());
    J.setZero();
    const auto xs = derivative_.leftCols(nq + n);
    const auto accelerations = derivative_.middleCols(nq + n, n);
    // q̇ − (N u + ν) + Φᵀμ; the change of Φ is left out, since μ vanishes
    J.topLeftCorner(nq, nq + n) = -xs.middleRows(n, nq);
    J.topLeftCorner(nq, nq).diagonal().array() += c;
    J.block(nq, 0, n, nq + n) = xs.topRows(n);
    J.block(nq, nq, n, n) += c * accelerations.topRows(n);
    const Index P = n + nq;
    if (system_.has_power()) {
        J.row(nq + n).head(nq + n) = -xs.row(P);
        J.row(nq + n).segment(nq, n) -= c * accelerations.row(P);
        J(nq + n, nq + n) = c;
    }
    for (Index i = 0; i < k; ++i) {
        const Index lambda = nq + 2 * n + rows_[i];
        J.col(first + i).segment(nq, n) = derivative_.col(lambda).head(n);
        if (system_.has_power()) J(nq + n, first + i) = -derivative_(P, lambda);
        J.row(first + i).head(nq + n) = xs.row(P + 1 + rows_[i]);
    }
    for (Index i = 0; i < static_cast<Index>(position_rows_.size()); ++i) {
        const auto row = positions_.jacobian().row(position_rows_[i]);
        J.col(first + k + i).head(nq) = row.transpose();
        J.row(first + k + i).head(nq) = row;
    }
    return true;
}

}  // namespace linkwright::motion
