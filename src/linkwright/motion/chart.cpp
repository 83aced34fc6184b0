#include "linkwright/motion/chart.hpp"

#include <algorithm>
#include <cmath>

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

/// Columns for what the rows leave free, given their rank; empty when they have lost it.
MatrixXd basis_of(const MatrixXd& rows, Index rank, bool by_selection) {
    const Index n = rows.cols();
    if (rank == 0) return MatrixXd::Identity(n, n);
    const auto is_lost = [&](const solve::PivotedQr& qr) { return !(qr.pivot(rank - 1) > 1e-13 * qr.pivot(0)); };
    if (by_selection) {
        const solve::PivotedQr qr(rows);
        if (is_lost(qr)) return {};
        std::vector<Index> independent;
        for (Index k = rank; k < n; ++k) independent.push_back(qr.order()[k]);
        std::ranges::sort(independent);
        MatrixXd Z = MatrixXd::Zero(n, n - rank);
        for (Index k = 0; k < n - rank; ++k) Z(independent[k], k) = 1;
        return Z;
    }
    const solve::PivotedQr qr(rows.transpose());
    if (is_lost(qr)) return {};
    return qr.q().rightCols(n - rank);
}

}  // namespace

Chart::Chart(MotionSystem& system, bool by_selection) : system_(system), positions_(system.numbers()), by_selection_(by_selection) {}

double Chart::decompose(solve::PivotedQr& qr, solve::RowLengths& lengths, const MatrixXd& rows, const MatrixXd& basis) {
    scale_ = lengths.scales(rows);
    stacked_.resize(rows.rows() + basis.cols(), rows.cols());
    stacked_.topRows(rows.rows()) = scale_.asDiagonal() * rows;
    stacked_.bottomRows(basis.cols()) = basis.transpose();
    qr.compute(stacked_);
    const Index n = rows.cols();
    return n == 0 ? 1 : qr.pivot(n - 1) / qr.pivot(0);
}

bool Chart::choose() {
    positions_.calc(system_.in());
    if (!system_.calc_dynamics()) return false;
    const MatrixXd& J = positions_.jacobian();
    const MatrixXd& G = system_.dynamics().G;
    const Index quaternions = system_.numbers().equations().quaternions.size();
    const Index position_rank = system_.position_rank() + quaternions;
    Z_ = basis_of(position_lengths_.scales(J).asDiagonal() * J, position_rank, by_selection_);
    Y_ = basis_of(speed_lengths_.scales(G).asDiagonal() * G, system_.rank(), by_selection_);
    if (Z_.rows() != system_.coordinates() || Y_.rows() != system_.speeds()) return system_.refuse("the constraints have lost rank");
    position_quality_ = decompose(position_qr_, position_lengths_, J, Z_);
    speed_quality_ = decompose(speed_qr_, speed_lengths_, G, Y_);
    settle();
    return true;
}

void Chart::settle() {
    q_ = Eigen::Map<const VectorXd>(system_.q(), system_.coordinates());
    u_ = Eigen::Map<const VectorXd>(system_.u(), system_.speeds());
    t_ = system_.in()[0];
}

double Chart::calc_quality() {
    positions_.calc(system_.in());
    if (!system_.calc_dynamics()) return 0;
    const double position = decompose(position_qr_, position_lengths_, positions_.jacobian(), Z_);
    const double speed = decompose(speed_qr_, speed_lengths_, system_.dynamics().G, Y_);
    return std::min(position / position_quality_, speed / speed_quality_);
}

void Chart::pack(double* v, double* z) const {
    Eigen::Map<VectorXd>(v, Z_.cols()) = Z_.transpose() * Eigen::Map<const VectorXd>(system_.q(), system_.coordinates());
    Eigen::Map<VectorXd>(z, Y_.cols()) = Y_.transpose() * Eigen::Map<const VectorXd>(system_.u(), system_.speeds());
}

void Chart::rates(double* v, double* z) const {
    Eigen::Map<VectorXd>(v, Z_.cols()) = Z_.transpose() * system_.qdot();
    Eigen::Map<VectorXd>(z, Y_.cols()) = Y_.transpose() * system_.udot();
}

bool Chart::unpack(double t, const double* v, const double* z) {
    const Eigen::Map<const VectorXd> v_wanted(v, Z_.cols()), z_wanted(z, Y_.cols());
    const Index m = positions_.rows();
    q_at_ = q_, u_at_ = u_;
    rhs_.resize(m + Z_.cols());
    double before = std::numeric_limits<double>::infinity();
    bool is_stale = false;
    for (int k = 0;; ++k) {
        system_.put(t, q_at_.data(), u_at_.data());
        positions_.calc(system_.in());
        if (k == 0 || is_stale) decompose(position_qr_, position_lengths_, positions_.jacobian(), Z_), is_stale = false;
        rhs_.head(m) = -scale_.cwiseProduct(positions_.phi());
        rhs_.tail(Z_.cols()) = v_wanted - Z_.transpose() * q_at_;
        position_qr_.solve_into(rhs_, step_);
        const double size = step_.size() == 0 ? 0 : step_.lpNorm<Eigen::Infinity>();
        if (!std::isfinite(size) || k > 30) return system_.refuse("the dependent coordinates cannot be found");
        q_at_ += step_;
        const double scale = std::max(1.0, q_at_.size() == 0 ? 0 : q_at_.lpNorm<Eigen::Infinity>());
        if (size <= 1e-13 * scale) break;
        if (size > 0.5 * before && size <= 1e-11 * scale) break;
        if (size > 0.25 * before) is_stale = true;
        before = size;
    }
    system_.put(t, q_at_.data(), u_at_.data());
    if (!system_.calc_dynamics()) return false;
    system_.calc_residuals();
    decompose(speed_qr_, speed_lengths_, system_.dynamics().G, Y_);
    const Index rows = system_.rows();
    rhs_.resize(rows + Y_.cols());
    rhs_.head(rows) = -scale_.cwiseProduct(system_.phi_rate());
    rhs_.tail(Y_.cols()) = z_wanted - Y_.transpose() * u_at_;
    speed_qr_.solve_into(rhs_, step_);
    u_at_ += step_;
    system_.put(t, q_at_.data(), u_at_.data());
    return step_.allFinite() || system_.refuse("the dependent speeds cannot be found");
}

}  // namespace linkwright::motion
