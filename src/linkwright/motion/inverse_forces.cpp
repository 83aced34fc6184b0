#include "linkwright/motion/inverse_motion.hpp"

#include <fmt/format.h>

#include <cmath>

namespace linkwright::motion {

bool InverseMotion::forces(double t, std::size_t level) {
    if (!level_zero(t)) return false;
    driven_ = state_;
    actuation_.put(0, push_, driven_);
    for (std::size_t k = 1; k <= level; ++k) {
        if (!next_level(t, k)) return false;
    }
    return true;
}

bool InverseMotion::level_zero(double t) {
    const VectorXd missing = dynamics_.M * udot_ - dynamics_.f;  // B w − Gᵀλ... what inputs and constraints must bring
    const MatrixXd B = actuation_.matrix(state_);
    const MatrixXd& G = dynamics_.G;
    const VectorXd scale = solve::row_scale(G);
    const MatrixXd Z = G.rows() == 0 ? MatrixXd::Identity(length(e_.u), length(e_.u)) : solve::null_space(scale.asDiagonal() * G);
    const MatrixXd ZB = Z.transpose() * B;
    const VectorXd rhs = Z.transpose() * missing;
    const solve::Solution w = solve::solve_least_squares(ZB, rhs);
    if (!w.ok) return fail(t, w.why);
    push_ = w.x;
    if (w.residual > 1e-8 * (1 + missing.lpNorm<Eigen::Infinity>())) {
        const VectorXd left = Z * (rhs - ZB * w.x);
        Index worst = 0;
        left.cwiseAbs().maxCoeff(&worst);
        return fail(t, fmt::format("the inputs cannot bring about this motion: a force of {:.6g} along {} is missing", left[worst],
                                   e_.u[worst].symbol().name));
    }
    if (w.rank < ZB.cols() && !is_overactuated_) {
        is_overactuated_ = true;
        result_.notes.push_back(
            fmt::format("overactuated: {} {} for {} degree{} of freedom; of all solutions the one of smallest Σ w² is taken", ZB.cols(),
                        options_.by == ActuatedBy::inputs ? "inputs" : "forces", w.rank, w.rank == 1 ? "" : "s"));
    }
    const VectorXd rest = B * push_ - missing;  // Gᵀλ
    const solve::Solution lambda = solve::solve_least_squares((scale.asDiagonal() * G).transpose(), rest);
    lambda_ = scale.cwiseProduct(lambda.x);
    if (G.rows() > 0 && lambda.rank < G.rows() && !is_redundant_) {
        is_redundant_ = true;
        result_.notes.push_back("constraints are redundant: of all multipliers those of smallest norm are given");
    }
    return true;
}

bool InverseMotion::next_level(double t, std::size_t k) {
    const Actuation::Level& level = actuation_.levels()[k];
    VectorXd wanted;
    if (!rates_of_states(t, k, wanted)) return false;
    const VectorXd g = numbers_.auxiliary_rates(driven_);
    VectorXd rhs(length(level.rows));
    for (Index i = 0; i < rhs.size(); ++i) rhs[i] = wanted[i] - g[static_cast<Index>(level.rows[static_cast<std::size_t>(i)])];
    const MatrixXd B = level.B(numeric::arguments(numbers_.layout(), driven_));
    const VectorXd scale = solve::row_scale(B);
    const solve::Solution p = solve::solve_least_squares(scale.asDiagonal() * B, scale.cwiseProduct(rhs));
    if (!p.ok) return fail(t, p.why);
    const VectorXd left = rhs - B * p.x;
    Index worst = 0;
    if (left.size() > 0 && left.cwiseAbs().maxCoeff(&worst) > 1e-6 * (1 + rhs.lpNorm<Eigen::Infinity>()))
        return fail(t, fmt::format("the inputs cannot bring about this motion: {} would have to change by {:.6g} a second more",
                                   e_.x[level.rows[static_cast<std::size_t>(worst)]].symbol().name, left[worst]));
    actuation_.put(k, p.x, driven_);
    return true;
}

bool InverseMotion::rates_of_states(double t, std::size_t k, VectorXd& rate) {
    const Moment here{state_, driven_, q_, qdot_, qddot_, udot_, push_, lambda_, mu_, A_, N_now_, dynamics_};
    const VectorXd z = gathered(), zdot = flow();
    const Actuation::Level& before = actuation_.levels()[k - 1];
    const auto states_at = [&](double h, VectorXd& x) {
        if (!at(t + h, z + h * zdot, k - 1)) return false;
        x.resize(length(before.states));
        for (std::size_t i = 0; i < before.states.size(); ++i) x[static_cast<Index>(i)] = driven_.x[static_cast<Index>(before.states[i])];
        return true;
    };
    const auto differences = [&](double h, VectorXd& out) {
        const double first = prescription_.first, last = prescription_.last;
        const int shift = t - 2 * h < first ? 2 : t + 2 * h > last ? -2 : 0;
        // of f(−2h) … f(2h); of f(0) … f(4h), and with both signs turned of f(0) … f(−4h)
        constexpr std::array middle{1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12}, side{-25.0 / 12, 4.0, -3.0, 4.0 / 3, -0.25};
        out.setZero(length(before.states));
        VectorXd x;
        for (int i = 0; i < 5; ++i) {
            const double place = shift == 0 ? i - 2 : shift > 0 ? i : -i;
            const double weight = shift == 0 ? middle[i] : shift > 0 ? side[i] : -side[i];
            if (weight == 0) continue;
            if (!states_at(place * h, x)) return false;
            out += weight / h * x;
        }
        return true;
    };
    const double whole = std::max(options_.times.back() - options_.times.front(), 1e-6);
    double h = 2e-3 * whole, best = std::numeric_limits<double>::infinity();
    bool is_found = false;
    VectorXd last, next;
    for (int i = 0; i < 12; ++i, h /= 2) {
        if (!differences(h, next)) break;
        if (i > 0) {
            const double change = (next - last).lpNorm<Eigen::Infinity>();
            if (change < best) best = change, rate = next, is_found = true;
            const double size = 1 + next.lpNorm<Eigen::Infinity>();
            if (change < 1e-9 * size || change > best) break;
        }
        last = next;
    }
    here.put_back(*this);
    if (!is_found) return fail(t, "the rates of what is wanted cannot be worked out");
    forgive();
    return true;
}

}  // namespace linkwright::motion
