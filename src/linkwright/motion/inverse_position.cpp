#include "linkwright/motion/inverse_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/numeric/quaternions.hpp"

namespace linkwright::motion {

bool InverseMotion::position(double t) {
    if (!is_solved_for()) return position_at(t);
    double h = t - state_.t;
    while (state_.t < t) {
        if (!speeds(state_.t)) return false;
        const VectorXd rate = numbers_.coordinate_rates(state_);
        h = std::min(h, 0.1 / std::max(1e-300, rate.cwiseAbs().maxCoeff()));
        const numeric::State before = state_;
        std::string out_of_reach;
        for (;; h /= 2) {
            const double next = state_.t + h >= t ? t : state_.t + h;
            if (!(next > before.t + 1e-13 * std::abs(before.t))) return end_of_the_way(before.t, out_of_reach);
            state_.q = before.q + (next - before.t) * rate;
            const bool is_there = position_at(next);
            if (is_there && iterations_ <= most_iterations) break;
            if (!is_there && (result_.is_wrong_input || next - before.t < 1e-9 * (t - before.t))) return false;
            if (!is_there) out_of_reach = result_.why.substr(result_.why.find(": ") + 2);
            result_.is_ok = true;
            result_.why.clear();
            state_ = before;
        }
        h *= 4;
    }
    return true;
}

bool InverseMotion::end_of_the_way(double t, const std::string& out_of_reach) {
    if (!out_of_reach.empty()) return fail(t, out_of_reach + "; this is a singular position, at the edge of what can be reached");
    return fail(t, prescription_.outputs.empty()
                       ? "the prescribed motion cannot be followed: a loop closes in two ways here"
                       : "the prescribed motion cannot be followed: a singular position, at the edge of what can be reached");
}

bool InverseMotion::first_position(double t) {
    if (prescription_.outputs.empty()) return position_at(t);
    const numeric::State start = state_;
    if (position_at(t) && iterations_ <= 2 * most_iterations) return true;
    if (result_.is_wrong_input) return false;
    const Forces failed = result_;
    const numeric::State found = state_;
    state_ = start;
    constexpr int steps = 64;
    bool is_there = true;
    for (int k = 1; k <= steps && is_there; ++k) is_there = position_at(t, &start, static_cast<double>(k) / steps);
    result_ = failed;
    if (is_there) result_.is_ok = true, result_.why.clear();
    if (!is_there) state_ = found;
    return result_.is_ok;
}

bool InverseMotion::prescribe(double t, const numeric::State* start, double part) {
    const Index k = length(held_), all = k + length(prescription_.outputs);
    q_.resize(all), qdot_.resize(all), qddot_.resize(all);
    prescription_.at(t, q_, qdot_, qddot_);
    if (start != nullptr) {
        for (Index i = 0; i < k; ++i) q_[i] = start->q[held_[i]] + part * (q_[i] - start->q[held_[i]]);
        const VectorXd from = values_(*start);
        for (Index i = k; i < all; ++i) q_[i] = from[i - k] + part * (q_[i] - from[i - k]);
    }
    state_.t = t;
    state_.w = numbers_.input_values(t);
    for (std::size_t level = 0; level < actuation_.levels().size(); ++level) {  // what is looked for counts as 0 until it is found
        const Actuation::Level& what = actuation_.levels()[level];
        actuation_.put(level, VectorXd::Zero(length(what.inputs) + length(what.states)), state_);
    }
    for (Index i = 0; i < k; ++i) state_.q[held_[i]] = q_[i];
    for (Index i = 0; i < all; ++i) {
        for (const double x : {q_[i], qdot_[i], qddot_[i]}) {
            if (!std::isfinite(x)) return fail(t, fmt::format("the motion prescribed for {} is not a number", name_of_prescribed(i)));
        }
    }
    for (const auto& group : e_.quaternions) {
        double square = 0;
        bool is_given = false;
        for (const std::size_t i : group) {
            square += state_.q[i] * state_.q[i];
            is_given |= std::ranges::find(held_, static_cast<Index>(i)) != held_.end();
        }
        if (is_given && std::abs(square - 1) > 1e-3) {
            return fail(t,
                        fmt::format("the Euler parameters {} … prescribed have length {:.6g}, not 1", e_.q[group[0]].symbol().name,
                                    std::sqrt(square)),
                        true);
        }
        if (is_given) put_on_sphere(group);
    }
    return true;
}

bool InverseMotion::close(double t) {
    if (!is_solved_for()) {
        numeric::normalise_quaternions(e_, state_.q);
        return true;
    }
    const Index k = length(held_);
    const solve::Assembly closed = closing_(state_, held_, q_.tail(q_.size() - k));
    if (!closed.ok) {
        const std::string name = closing_.name(closed.worst);
        const bool is_output = std::ranges::find(prescription_.outputs, name, &Prescription::Output::name) != prescription_.outputs.end();
        return fail(t, is_output
                           ? fmt::format("the prescribed motion cannot be followed: {} is out of reach, by {:.3g} at the nearest", name,
                                         closed.residual)
                           : fmt::format("the prescribed motion cannot be followed: '{}' stays open by {:.3g}", name, closed.residual));
    }
    state_.q = closed.x;
    iterations_ = closed.iterations;
    const VectorXd side = numbers_.branches(state_);
    for (Index i = 0; i < side.size(); ++i) {
        if (!(side[i] > 0)) return fail(t, fmt::format("'{}' closes only the wrong way round", e_.branches[i].name));
    }
    return true;
}

void InverseMotion::put_on_sphere(const std::array<std::size_t, 4>& group) {
    std::array<Index, 4> at{};
    for (std::size_t i = 0; i < 4; ++i) at[i] = std::ranges::find(held_, static_cast<Index>(group[i])) - held_.begin();
    if (std::ranges::any_of(at, [&](Index i) { return i == length(held_); })) return;  // given in part
    Eigen::Vector4d e, v, a;
    for (std::size_t i = 0; i < 4; ++i) e[i] = q_[at[i]], v[i] = qdot_[at[i]], a[i] = qddot_[at[i]];
    const double r = e.norm(), rdot = e.dot(v) / r, rddot = (v.dot(v) + e.dot(a) - rdot * rdot) / r;
    const Eigen::Vector4d n = e / r, ndot = (v - rdot * n) / r, nddot = (a - rddot * n - 2 * rdot * ndot) / r;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto k = static_cast<Index>(i);
        q_[at[i]] = n[k], qdot_[at[i]] = ndot[k], qddot_[at[i]] = nddot[k];
        state_.q[group[i]] = n[k];
    }
}

}  // namespace linkwright::motion
