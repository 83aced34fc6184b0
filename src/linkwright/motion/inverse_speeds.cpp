#include "linkwright/motion/inverse_motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linkwright/numeric/quaternions.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace linkwright::motion {

double InverseMotion::calc_condition(MatrixXd A, VectorXd scale) {
    const auto stem = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
    const Index first = length(held_), outputs = length(prescription_.outputs);
    const VectorXd lengths = A.middleRows(first, outputs).cwiseAbs().rowwise().maxCoeff();
    longest_ = longest_.size() == 0 ? lengths : VectorXd(longest_.cwiseMax(lengths));
    for (Index i = 0; i < outputs; ++i) {
        double longest = 0;
        for (Index k = 0; k < outputs; ++k) {
            if (stem(prescription_.outputs[i].name) == stem(prescription_.outputs[k].name)) longest = std::max(longest, longest_[k]);
        }
        scale[first + i] = longest > 0 ? 1 / longest : 1;
    }
    A = scale.asDiagonal() * A;
    for (Index i = 0; i < A.cols(); ++i) A.col(i) /= std::max(A.col(i).norm(), 1e-300);
    const solve::Svd svd = solve::make_svd(A);
    const Index rank = A.cols() - open_;
    if (rank == 0) return 1;
    if (!svd.ok || svd.s.size() < rank || !(svd.s[rank - 1] > 0)) return std::numeric_limits<double>::infinity();
    return svd.s[0] / svd.s[rank - 1];
}

bool InverseMotion::is_singular(double t, const MatrixXd& A, const VectorXd& scale) {
    if (prescription_.outputs.empty()) return false;
    constexpr double delta = 8 * std::numeric_limits<double>::epsilon();
    const double condition = calc_condition(A, scale), error = condition * condition * delta;
    if (error <= std::max(options_.tolerance, delta)) return false;
    fail(t, error < 1 ? fmt::format("a singular position is too near: speeds along the path would be right to {:.1g} only", error)
                      : "a singular position: what is prescribed does not decide the motion here, or leads beyond what can be reached");
    return true;
}

Index InverseMotion::calc_generic_rank(Index here) {
    const numeric::State kept = state_;
    const numeric::Closing closing(numbers_);
    for (int k = 0; k < 4 && here < length(e_.u); ++k) {
        for (Index i = 0; i < state_.q.size(); ++i) state_.q[i] = kept.q[i] + 0.02 * std::cos(1 + 2.4 * static_cast<double>(i) + 1.7 * k);
        numeric::normalise_quaternions(e_, state_.q);
        if (!e_.constraints.empty()) {
            const solve::Assembly closed = closing(state_, {});
            if (!closed.ok) continue;
            state_.q = closed.x;
        }
        find_dynamics();
        const MatrixXd N = N_(packed());
        MatrixXd A(N.rows() + dynamics_.G.rows(), length(e_.u));
        A << N, dynamics_.G;
        here = std::max(here, solve::independent_rows(scaled(A), 1e-7).rank);
    }
    state_ = kept;
    find_dynamics();
    return here;
}

bool InverseMotion::solve_rows(double t, const VectorXd& a, const VectorXd& b, const VectorXd& h, VectorXd& x, const char* what) {
    const Index n = length(e_.u);
    A_.resize(N_now_.rows() + dynamics_.G.rows(), n);
    A_ << N_now_, dynamics_.G;
    VectorXd rhs(A_.rows());
    rhs << a, b;
    const VectorXd scale = solve::row_scale(A_);
    const solve::Solution s = solve::solve_least_squares(scale.asDiagonal() * A_, scale.cwiseProduct(rhs));
    if (!s.ok) return fail(t, s.why);
    if (open_ < 0) open_ = n - calc_generic_rank(s.rank);
    if (s.rank != n - open_)
        return fail(t, "a singular position: what is prescribed does not decide the motion here, or leads beyond what can be reached");
    if (is_singular(t, A_, scale)) return false;
    if (s.residual > 1e-7 * (1 + s.x.lpNorm<Eigen::Infinity>()))
        return fail(t, fmt::format("the {} prescribed contradict the constraints by {:.3g}", what, s.residual), true);
    x = s.x;
    if (open_ == 0) return true;
    const solve::DescriptorSolution least = solve::solve_descriptor(dynamics_.M, -h, A_, rhs, s.rank);
    if (!least.ok) return fail(t, least.why);
    x = least.udot;
    mu_ = least.lambda;
    return true;
}

bool InverseMotion::has_rank(double t) {
    if (dynamics_.G.rows() == 0) return true;
    const VectorXd lengths = dynamics_.G.cwiseAbs().rowwise().maxCoeff();
    if (first_lengths_.size() == 0) first_lengths_ = lengths;
    const solve::Svd svd = solve::make_svd(lengths_.scales(dynamics_.G).asDiagonal() * dynamics_.G);
    if (!svd.ok) return fail(t, svd.why);
    if (rank_ < 0) rank_ = svd.rank();
    if (rank_ == 0) return true;
    if ((first_lengths_.array() < 1e-5 * lengths.array()).any()) least_independence_ = 0;  // a row that had all but vanished
    const double smallest = svd.s[rank_ - 1];
    least_independence_ = std::min(least_independence_, smallest);
    most_independence_ = std::max(most_independence_, smallest);
    if (svd.rank() == rank_ && least_independence_ > 1e-5 * most_independence_) return true;
    if (smallest > least_independence_ || svd.rank() > rank_) result_.rows.clear(), t = options_.times.front();
    return fail(t, "the constraints lose rank: a singular position, where the others can follow in more than one way");
}

void InverseMotion::find_dynamics() {
    dynamics_ = numbers_.dynamics(state_);
    dynamics_.G = numeric::without_rounding(numbers_, state_, std::move(dynamics_.G));
}

bool InverseMotion::speeds(double t) {
    const VectorXd own = state_.u;
    state_.u.setZero(length(e_.u));
    find_dynamics();
    if (!has_rank(t)) return false;
    N_now_ = N_(packed());
    if (has_speeds()) return state_.u = own, true;
    return solve_rows(t, qdot_ - rates_(state_), -numbers_.residuals(state_).rate, VectorXd::Zero(length(e_.u)), state_.u, "speeds");
}

bool InverseMotion::fit_speeds(double t) {
    const VectorXd own = state_.u;
    state_.u.setZero(length(e_.u));
    find_dynamics();
    N_now_ = N_(packed());
    return solve_rows(t, qdot_ - rates_(state_), -numbers_.residuals(state_).rate, -dynamics_.M * own, state_.u, "speeds");
}

bool InverseMotion::accelerations(double t) {
    find_dynamics();
    const VectorXd h = rule_ == Rule::energy ? metric_rates_(state_, mu_) : VectorXd::Zero(length(e_.u));
    if (!solve_rows(t, qddot_ - coasting_(state_), dynamics_.gamma, h, udot_, "accelerations")) return false;
    return rule_ != Rule::own_dynamics || own_accelerations(t);
}

bool InverseMotion::own_accelerations(double t) {
    const MatrixXd& G = dynamics_.G;
    const MatrixXd Z = G.rows() == 0 ? MatrixXd::Identity(length(e_.u), length(e_.u)) : solve::null_space(scaled(G));
    const MatrixXd across = (Z.transpose() * actuation_.matrix(state_)).transpose();
    const MatrixXd P = Z * (across.rows() == 0 ? MatrixXd::Identity(Z.cols(), Z.cols()) : solve::null_space(across));
    if (P.cols() != Z.cols() - held_by_inputs_)
        return fail(t, "the inputs lose or gain a direction in which they push: a singular position");
    MatrixXd rows(A_.rows() + P.cols(), length(e_.u));
    rows << A_, P.transpose() * dynamics_.M;
    VectorXd rhs(rows.rows());
    rhs << qddot_ - coasting_(state_), dynamics_.gamma, P.transpose() * dynamics_.f;
    const VectorXd none = VectorXd::Zero(length(e_.u));
    const solve::DescriptorSolution s = own_rank_ < 0 ? solve::solve_descriptor(dynamics_.M, none, rows, rhs)
                                                      : solve::solve_descriptor(dynamics_.M, none, rows, rhs, own_rank_);
    if (s.ok || s.consistent) {
        own_rank_ = s.rank;
        udot_ = s.udot;
        return s.ok || fail(t, s.why);
    }
    return own_rank_ < 0 || fail(t, s.why);  // forces() says which force is missing
}

}  // namespace linkwright::motion
