#include "linkwright/perturb/steady_point.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::perturb {

namespace {

constexpr double steady_enough = 1e-9;  ///< of the terms' sizes: far above rounding, far below what an error would leave

double largest_of(const Eigen::VectorXcd& B) { return B.size() == 0 ? 0 : B.cwiseAbs().maxCoeff(); }

/// ∂(Ḃ − i s∘B)/∂(X, Y): disturbances in the frame of the motion.
MatrixXd disturbance_of(const SlowFlow& flow, const SteadyPoint& at) {
    MatrixXd J = flow.jacobian(at.B);
    const auto n = flow.modes();
    for (Eigen::Index k = 0; k < n; ++k) J(k, n + k) += at.spin[k], J(n + k, k) -= at.spin[k];
    return J;
}

/// ∂(Ḃ − i s∘B)/∂(X, Y, c) with s = turns·c
MatrixXd matrix_of(const SlowFlow& flow, const SteadyPoint& at, const MatrixXd& turns) {
    const auto n = flow.modes();
    MatrixXd J(2 * n, 2 * n + turns.cols());
    J.leftCols(2 * n) = disturbance_of(flow, at);
    for (Eigen::Index k = 0; k < n; ++k) {
        for (Eigen::Index c = 0; c < turns.cols(); ++c) {
            J(k, 2 * n + c) = turns(k, c) * at.B[k].imag();
            J(n + k, 2 * n + c) = -turns(k, c) * at.B[k].real();
        }
    }
    return J;
}

Eigen::VectorXcd residual_of(const SlowFlow& flow, const SteadyPoint& at) {
    Eigen::VectorXcd r = flow.rate(at.B);
    for (Eigen::Index k = 0; k < r.size(); ++k) r[k] -= std::complex<double>(0, at.spin[k]) * at.B[k];
    return r;
}

/// Rows, and columns but for those of turning rates, of the modes that move.
MatrixXd of_moving(const MatrixXd& J, const Eigen::VectorXcd& B) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index k = 0; k < 2 * B.size(); ++k)
        if (B[k % B.size()] != 0.0) rows.push_back(k);
    std::vector<Eigen::Index> columns = rows;
    for (Eigen::Index c = J.rows(); c < J.cols(); ++c) columns.push_back(c);
    return J(rows, columns);
}

/// The largest residual beside the terms of its mode; of modes that are coming to rest beside the largest terms of all.
double relative_residual(const SlowFlow& flow, const SteadyPoint& at) {
    const VectorXd r = residual_of(flow, at).cwiseAbs(), sizes = flow.term_sizes(at.B);
    const double largest = largest_of(at.B);
    double worst = 0;
    for (Eigen::Index k = 0; k < r.size(); ++k) {
        if (r[k] == 0) continue;
        if (!std::isfinite(r[k])) return NAN;
        worst = std::max(worst, r[k] / (std::abs(at.B[k]) > 1e-9 * largest ? sizes[k] : sizes.maxCoeff()));
    }
    return worst;
}

/// Deflation [farrell15]: with F the equations, M = Π(1/d² + 1/size²) over the distances d to what is known and J δ = −F, the step of Newton's
/// method for M F is τ δ, τ = 1/(1 − ∇ln M · δ).
double deflated(const Eigen::VectorXcd& B, const Eigen::VectorXcd& step, const std::vector<Eigen::VectorXcd>& known, bool turns,
                double size) {
    double slope = 0;
    for (const Eigen::VectorXcd& other : known) {
        double square = 0, along = 0;  // d², and its slope along the step
        for (Eigen::Index k = 0; k < B.size(); ++k) {
            const std::complex<double> way = B[k] - (turns ? std::polar(std::abs(other[k]), std::arg(B[k])) : other[k]);
            square += std::norm(way), along += 2 * (std::conj(way) * step[k]).real();
        }
        if (square == 0) return 0;
        slope -= along / (square * (1 + square / (size * size)));
    }
    return 1 / (1 - slope);
}

/// One step of Newton's method: the shortest, with amplitudes and rates in one measure. False where there is none.
bool improve(const SlowFlow& flow, SteadyPoint& at, const std::vector<Eigen::VectorXcd>& known) {
    const auto n = flow.modes();
    const MatrixXd turns = turns_of(flow, at.B);
    const double b = std::max(largest_of(at.B), 1e-300), rate = flow.term_sizes(at.B).maxCoeff() / b;
    VectorXd weights(2 * n + turns.cols());
    weights.head(2 * n).setConstant(b);
    weights.tail(turns.cols()).setConstant(std::max(rate, 1e-300));
    const MatrixXd J = matrix_of(flow, at, turns) * weights.asDiagonal();
    VectorXd dx = weights.asDiagonal() * solve::CompleteOrthogonal(J, 1e-12).solve(-parts_of(residual_of(flow, at)));
    if (!dx.allFinite()) return false;
    if (!known.empty()) dx *= deflated(at.B, whole_of(dx.head(2 * n)), known, turns.cols() > 0, b);
    if (!dx.allFinite()) return false;
    const double longest = dx.head(2 * n).lpNorm<Eigen::Infinity>();
    if (longest > 2 * b) dx *= 2 * b / longest;
    at.B += whole_of(dx.head(2 * n));
    if (turns.cols() > 0) at.spin += turns * dx.tail(turns.cols());
    return true;
}

/// The turning rates that leave the least of Ḃ − i s∘B.
VectorXd best_spin(const SlowFlow& flow, const Eigen::VectorXcd& B) {
    const MatrixXd turns = turns_of(flow, B);
    if (turns.cols() == 0) return VectorXd::Zero(B.size());
    const MatrixXd effect = matrix_of(flow, {B, VectorXd::Zero(B.size())}, turns).rightCols(turns.cols());
    return turns * solve::CompleteOrthogonal(effect).solve(-parts_of(flow.rate(B)));
}

bool arrives(const SlowFlow& flow, SteadyPoint& at, const std::vector<Eigen::VectorXcd>& known) {
    double last = INFINITY;
    const int most = known.empty() ? 60 : 20;  // where nothing else is there to be found it never ends
    for (int step = 0; step < most; ++step) {
        const double size = relative_residual(flow, at);
        if (!std::isfinite(size)) return false;
        if (size <= 1e-13 || (size <= 1e-10 && size >= 0.5 * last)) return true;
        last = size;
        if (!improve(flow, at, known)) return false;
    }
    return false;
}

}  // namespace

MatrixXd turns_of(const SlowFlow& flow, const Eigen::VectorXcd& B) {
    MatrixXd moving = flow.turns();
    const double largest = largest_of(B);
    for (Eigen::Index k = 0; k < B.size(); ++k)
        if (!(std::abs(B[k]) > 1e-9 * largest)) moving.row(k).setZero();
    if (moving.cols() == 0 || moving.isZero()) return MatrixXd(B.size(), 0);
    const solve::SingularValues svd = solve::singular_values(moving, solve::SingularVectors::none, solve::SingularVectors::thin);
    Eigen::Index rank = 0;
    while (rank < svd.s.size() && svd.s[rank] > 1e-9 * svd.s[0]) ++rank;
    return flow.turns() * svd.v.leftCols(rank);
}

Eigen::VectorXcd rested(const SlowFlow& flow, const Eigen::VectorXcd& B, double least) {
    std::vector<Eigen::Index> small;
    const double limit = std::max(least, 1e-9 * largest_of(B));
    for (Eigen::Index k = 0; k < B.size(); ++k)
        if (std::abs(B[k]) <= limit) small.push_back(k);
    // One that is driven keeps moving, and may drive others.
    for (;;) {
        Eigen::VectorXcd still = B;
        for (const auto k : small) still[k] = 0;
        const VectorXd sizes = flow.term_sizes(still);
        if (std::erase_if(small, [&](Eigen::Index k) { return sizes[k] != 0; }) == 0) return still;
    }
}

bool is_steady(const SlowFlow& flow, const SteadyPoint& at) {
    const VectorXd outside = at.spin - flow.turns() * (flow.turns().transpose() * at.spin);
    const Eigen::VectorXcd r = residual_of(flow, at);
    const VectorXd sizes = flow.term_sizes(at.B);
    for (Eigen::Index k = 0; k < r.size(); ++k)
        if (!(std::abs(r[k]) + std::abs(outside[k] * at.B[k]) <= steady_enough * sizes[k])) return false;
    return true;
}

BalancedFlow::BalancedFlow(const SlowFlow& flow) : units_(flow.units()), flow_(flow.in_units(units_)), sizes_(flow_.scales()) {}

bool BalancedFlow::settle(SteadyPoint& at) const { return settle_in(at, {}); }

bool BalancedFlow::settle_elsewhere(SteadyPoint& at, const std::vector<Eigen::VectorXcd>& known) const {
    std::vector<Eigen::VectorXcd> in_these_units;
    for (const auto& B : known) in_these_units.push_back(in_units({B, {}}).B);
    return settle_in(at, in_these_units);
}

bool BalancedFlow::settle_in(SteadyPoint& at, const std::vector<Eigen::VectorXcd>& known) const {
    SteadyPoint there = in_units(at);
    there.spin = best_spin(flow_, there.B);
    if (!arrives(flow_, there, known)) return false;
    there.B = rested(flow_, there.B, sizes_.empty() ? 0 : 1e-7 * sizes_.front());
    if (!is_steady(flow_, there)) return false;
    at = {there.B.cwiseProduct(units_.cast<std::complex<double>>()), there.spin};
    return true;
}

bool BalancedFlow::is_isolated(const SteadyPoint& at) const {
    const SteadyPoint there = in_units(at);
    const MatrixXd turns = turns_of(flow_, there.B);
    const double b = std::max(largest_of(there.B), 1e-300);
    MatrixXd J = matrix_of(flow_, there, turns);
    J.rightCols(turns.cols()) *= flow_.term_sizes(there.B).maxCoeff() / (b * b);
    const VectorXd s = solve::singular_values(of_moving(J, there.B), solve::SingularVectors::none, solve::SingularVectors::none).s;
    return s[s.size() - 1] > 1e-8 * s[0];
}

MatrixXd BalancedFlow::disturbance(const SteadyPoint& at) const { return disturbance_of(flow_, in_units(at)); }

}  // namespace linkwright::perturb
