#include "linkwright/motion/singular_passage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

/// Zeros of Legendre's polynomial P_s, moved to 0 … 1, ascending, and the weights of Gauss's quadrature there.   [hairer93 §II.7]
struct GaussRule {
    VectorXd nodes, weights;

    explicit GaussRule(Index s) : nodes(s), weights(s) {
        for (Index i = 0; i < s; ++i) {
            double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(s) + 0.5)), slope = 1;
            for (int k = 0; k < 50; ++k) {
                double p = 1, before = 0;
                for (Index n = 1; n <= s; ++n) {
                    const double degree = static_cast<double>(n), next = ((2 * degree - 1) * x * p - (degree - 1) * before) / degree;
                    before = p, p = next;
                }
                slope = static_cast<double>(s) * (x * p - before) / (x * x - 1);
                const double step = p / slope;
                x -= step;
                if (std::abs(step) < 1e-16) break;
            }
            nodes[i] = (1 + x) / 2;
            weights[i] = 1 / ((1 - x * x) * slope * slope);
        }
    }
};

/// Lagrange's polynomials of the nodes at x.
VectorXd lagrange(const VectorXd& nodes, double x) {
    VectorXd l = VectorXd::Ones(nodes.size());
    for (Index j = 0; j < nodes.size(); ++j) {
        for (Index k = 0; k < nodes.size(); ++k) {
            if (k != j) l[j] *= (x - nodes[k]) / (nodes[j] - nodes[k]);
        }
    }
    return l;
}

/// Their integrals from `from` to `to`.
VectorXd integrated_lagrange(const VectorXd& nodes, double from, double to) {
    const GaussRule rule((nodes.size() + 2) / 2);
    VectorXd sum = VectorXd::Zero(nodes.size());
    for (Index k = 0; k < rule.nodes.size(); ++k) sum += rule.weights[k] * lagrange(nodes, from + (to - from) * rule.nodes[k]);
    return (to - from) * sum;
}

PassedState moved(const MotionSystem& system, double t, double work) {
    return {t, Eigen::Map<const VectorXd>(system.q(), system.coordinates()), Eigen::Map<const VectorXd>(system.u(), system.speeds()), work,
            0};
}

/// Largest of |a − b| against what is allowed.
double distance(const VectorXd& a, const VectorXd& b, const SingularPassage::Limits& limits) {
    double most = 0;
    for (Index i = 0; i < a.size(); ++i) {
        const double off = std::abs(a[i] - b[i]) / (limits.relative * std::max(std::abs(a[i]), std::abs(b[i])) + limits.absolute);
        if (!(off <= most)) most = off;
    }
    return most;
}

}  // namespace

/// Rates are carried on by the polynomial through those of earlier states, not too close together.
bool SingularPassage::guess(MotionSystem& system, const std::deque<PassedState>& past, int nodes) {
    std::vector<double> times;
    std::vector<VectorXd> rates;
    const Index nq = system.coordinates(), n = system.speeds();
    for (auto state = past.rbegin(); state != past.rend() && times.size() < 5; ++state) {
        if (!times.empty() && times.back() - state->t < length_ / 8) continue;
        system.put(state->t, state->q.data(), state->u.data());
        if (!system.calc_rates()) break;
        times.push_back(state->t);
        rates.emplace_back(nq + n) << system.qdot(), system.udot();
    }
    if (times.empty()) return false;
    const VectorXd at = (Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size())).array() - begin_.t) / length_;
    q_.resize(nq, nodes), u_.resize(n, nodes);
    for (Index i = 0; i < nodes; ++i) {
        VectorXd x(nq + n);
        x << begin_.q, begin_.u;
        const VectorXd part = integrated_lagrange(at, 0, nodes_[i]);
        for (Index k = 0; k < part.size(); ++k) x += length_ * part[k] * rates[static_cast<std::size_t>(k)];
        q_.col(i) = x.head(nq), u_.col(i) = x.tail(n);
    }
    return true;
}

/// Puts the node back onto the constraints; its rates are taken there.
bool SingularPassage::calc_node(MotionSystem& system, Index i) {
    system.put(begin_.t + length_ * nodes_[i], q_.col(i).data(), u_.col(i).data());
    if (!system.calc_dynamics() || system.project(true) == MotionSystem::Projection::failed || !system.calc_rates()) {
        why_ = system.failure();
        return false;
    }
    q_.col(i) = Eigen::Map<const VectorXd>(system.q(), q_.rows());
    u_.col(i) = Eigen::Map<const VectorXd>(system.u(), u_.rows());
    qdot_.col(i) = system.qdot(), udot_.col(i) = system.udot(), lambda_.col(i) = system.lambda();
    power_[i] = system.has_power() ? system.power() : 0;
    return true;
}

/// By fixed-point iteration, from the states at the nodes.
bool SingularPassage::collocate(MotionSystem& system, int nodes) {
    const Index s = nodes, nq = q_.rows(), n = u_.rows();
    qdot_.resize(nq, s), udot_.resize(n, s), lambda_.resize(system.rows(), s), power_.resize(s);
    MatrixXd a(s, s);
    for (Index i = 0; i < s; ++i) a.row(i) = integrated_lagrange(nodes_, 0, nodes_[i]);
    constexpr double good = 1e-13, enough = 1e-10;  // what rounding leaves is magnified beside the singular position
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0;; ++k) {
        const MatrixXd q_before = q_, u_before = u_;
        for (Index i = 0; i < s; ++i) {
            if (!calc_node(system, i)) return false;
        }
        const double size = std::max({1.0, q_.cwiseAbs().maxCoeff(), u_.cwiseAbs().maxCoeff()});
        q_ = (length_ * qdot_ * a.transpose()).colwise() + begin_.q;
        u_ = (length_ * udot_ * a.transpose()).colwise() + begin_.u;
        const double change = k == 0 ? std::numeric_limits<double>::infinity()
                                     : std::max((q_ - q_before).cwiseAbs().maxCoeff(), (u_ - u_before).cwiseAbs().maxCoeff()) / size;
        if (change < good || (change < enough && change > 0.5 * before)) break;
        if (k > 0 && (!std::isfinite(change) || k > 60 || (k > 4 && change > before))) {
            why_ = "no motion is found that keeps to one branch: the accelerations grow without bound there, or jump";
            return false;
        }
        before = change;
    }
    const VectorXd weights = integrated_lagrange(nodes_, 0, 1);
    end_.t = begin_.t + length_;
    end_.q = begin_.q + length_ * qdot_ * weights;
    end_.u = begin_.u + length_ * udot_ * weights;
    end_.work = begin_.work + length_ * power_.dot(weights);
    system.put(end_.t, end_.q.data(), end_.u.data());
    if (!system.calc_dynamics() || system.project(true) == MotionSystem::Projection::failed || !system.calc_rates()) {
        why_ = system.failure();
        return false;
    }
    end_ = moved(system, end_.t, end_.work);
    end_.independence = system.independence();
    return true;
}

/// The least independence along the polynomial, between the nodes on either side.
double SingularPassage::find_singular(MotionSystem& system, double about) {
    const double x = (about - begin_.t) / length_;
    double l = 0, r = 1;
    for (const double node : nodes_) (node < x ? l : r) = node < x ? std::max(l, node) : std::min(r, node);
    const auto at = [&](double x) {
        const PassedState s = state(begin_.t + x * length_);
        system.put(s.t, s.q.data(), s.u.data());
        return system.calc_independence();
    };
    const double golden = (std::sqrt(5.0) - 1) / 2;
    double a = r - golden * (r - l), b = l + golden * (r - l), at_a = at(a), at_b = at(b);
    for (int k = 0; k < 40; ++k) {
        if (at_a < at_b) {
            r = b, b = a, at_b = at_a;
            a = r - golden * (r - l), at_a = at(a);
        } else {
            l = a, a = b, at_a = at_b;
            b = l + golden * (r - l), at_b = at(b);
        }
    }
    singular_ = begin_.t + length_ * (at_a < at_b ? a : b);
    return std::min(at_a, at_b);
}

/// With six nodes, from the states guessed there, then with eight, which must come to the same end.
bool SingularPassage::collocate_twice(MotionSystem& system, const Limits& limits) {
    if (!collocate(system, 6)) return false;
    const PassedState coarse = end_;
    const VectorXd nodes = GaussRule(8).nodes;
    MatrixXd q(q_.rows(), nodes.size()), u(u_.rows(), nodes.size());
    for (Index i = 0; i < nodes.size(); ++i) {
        const PassedState at = state(begin_.t + length_ * nodes[i]);
        q.col(i) = at.q, u.col(i) = at.u;
    }
    nodes_ = nodes, q_ = q, u_ = u;
    if (!collocate(system, 8)) return false;
    if (distance(coarse.q, end_.q, limits) > 1 || distance(coarse.u, end_.u, limits) > 1) {
        why_ = "the motion bends too sharply there to tell on which branch it goes on";
        return false;
    }
    return true;
}

bool SingularPassage::leave(MotionSystem& system, const PassedState& from, double longest, const Limits& limits) {
    begin_ = from;
    singular_ = from.t;
    system.put(from.t, from.q.data(), from.u.data());
    const numeric::State state = system.state();
    VectorXd rate(from.q.size());
    rate << system.numbers().coordinate_rates(state), system.numbers().auxiliary_rates(state);
    const double fast = rate.lpNorm<Eigen::Infinity>();
    length_ = std::min(longest, fast > 0 ? 0.5 / fast : longest);
    constexpr int attempts = 40;
    for (int k = 0; k < attempts; ++k, length_ /= 2) {
        why_.clear();
        nodes_ = GaussRule(6).nodes;
        q_ = (length_ * rate * nodes_.transpose()).colwise() + from.q;
        u_ = from.u.replicate(1, nodes_.size());
        if (collocate_twice(system, limits)) return true;
    }
    return false;
}

bool SingularPassage::cross(MotionSystem& system, const std::deque<PassedState>& past, double singular, const Limits& limits) {
    begin_ = past.back();
    length_ = 2 * (singular - begin_.t);
    why_.clear();
    nodes_ = GaussRule(6).nodes;
    if (!guess(system, past, 6)) return why_ = system.failure(), false;
    if (!collocate_twice(system, limits)) return false;
    if (end_.independence < 0.2 * begin_.independence) {
        why_ = "it does not get away from there: the passage is not transversal";
        return false;
    }
    if (find_singular(system, singular) > 1e-2 * begin_.independence) {
        why_ = "the position is nearly singular, and two branches that do not meet cannot be told apart";
        return false;
    }
    return true;
}

PassedState SingularPassage::state(double t) const {
    const VectorXd part = length_ * integrated_lagrange(nodes_, 0, (t - begin_.t) / length_);
    return {t, begin_.q + qdot_ * part, begin_.u + udot_ * part, begin_.work + power_.dot(part), 0};
}

VectorXd SingularPassage::udot(double t) const { return udot_ * lagrange(nodes_, (t - begin_.t) / length_); }
VectorXd SingularPassage::lambda(double t) const { return lambda_ * lagrange(nodes_, (t - begin_.t) / length_); }

}  // namespace linkwright::motion
