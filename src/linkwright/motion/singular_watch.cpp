#include "linkwright/motion/singular_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linkwright::motion {

using Index = Eigen::Index;

bool SingularWatch::leave(double t, double end) {
    const PassedState from{t, Eigen::Map<const VectorXd>(system_.q(), system_.coordinates()),
                           Eigen::Map<const VectorXd>(system_.u(), system_.speeds()), 0, 0};
    trouble_at_ = t;
    if (!system_.numbers().equations().sampled.empty()) {
        trouble_ = "a filter samples there";
    } else if (passage_.leave(system_, from, end - t, limits_)) {
        passed_.push_back(t);
        has_left_ = true;
        system_.put(passage_.end(), passage_.last().q.data(), passage_.last().u.data());
        if (system_.calc_dynamics()) return true;
        trouble_ = system_.failure();
    } else {
        trouble_ = passage_.why();
    }
    trouble_ = "the motion begins in a singular position and cannot be followed away from there: " + trouble_;
    return false;
}

std::unique_ptr<solve::Stepper> SingularWatch::look_after(std::unique_ptr<solve::Stepper> inner, double t, const VectorXd& x) {
    last_independence_ = best_independence_ = system_.calc_independence();
    remember(t, x);
    auto stepper = std::make_unique<PassingStepper>(
        std::move(inner), PassingStepper::Care{[this](solve::Stepper& looked_at, bool has_stepped) { return look(looked_at, has_stepped); },
                                               [this](double at, VectorXd& there) { put_state_within(at, there); }});
    stepper_ = stepper.get();
    if (has_left_) stepper_->begin_at(passage_.begin());
    return stepper;
}

/// Has the last step passed a place where the constraints lose rank?
bool SingularWatch::has_passed_singular(solve::Stepper& stepper) {
    const auto at = [&](double t) {
        stepper.interpolate(t, probe_);
        return subject_.spread(t, probe_.data()) ? system_.calc_independence() : 0;
    };
    if (subject_.measures_at_steps()) at(stepper.now());
    const double before = last_independence_, now = subject_.measures_at_steps() ? system_.factor().independence() : system_.independence();
    last_independence_ = now;
    best_independence_ = std::max(best_independence_, now);
    if (std::isnan(before)) return false;
    const double low = std::min(before, now), high = std::max(before, now);
    constexpr double suspicious = 0.2, singular = 1e-5;
    double a = stepper.before(), b = stepper.now();
    if (low > suspicious * best_independence_ || !(b > a)) return false;
    if (low > 0.06 * high && at(a + (b - a) / 2) > 0.45 * (low + high)) return false;
    const double golden = (std::sqrt(5.0) - 1) / 2;
    double l = b - golden * (b - a), r = a + golden * (b - a), at_l = at(l), at_r = at(r);
    for (int k = 0; k < 45 && std::min(at_l, at_r) > singular * best_independence_; ++k) {
        if (at_l < at_r) {
            b = r, r = l, at_r = at_l;
            l = b - golden * (b - a), at_l = at(l);
        } else {
            a = l, l = r, at_l = at_r;
            r = a + golden * (b - a), at_r = at(r);
        }
    }
    if (std::min(at_l, at_r) > singular * best_independence_) return false;
    trouble_at_ = at_l < at_r ? l : r;
    at(trouble_at_);
    trouble_ = lost_rank();
    return true;
}

/// The constraints are about to lose rank: where, if they go on so?
bool SingularWatch::is_nearing_singular(const solve::Stepper& stepper, double near) {
    const auto& [a, b] = approach_;
    if (!(b.independence < near * best_independence_ && b.independence < a.independence && b.t > a.t)) return false;
    trouble_at_ = std::max(stepper.now(), b.t + (b.t - a.t) * b.independence / (a.independence - b.independence));
    return true;
}

/// Where constraints are nearly singular, states are not sound enough to start from.
bool SingularWatch::has_sound_rows(double independence) const { return independence >= 0.02 * best_independence_; }

void SingularWatch::remember(double t, const VectorXd& x) {
    approach_ = {approach_[1], {t, last_independence_}};
    if (!has_sound_rows(last_independence_) || !subject_.spread(t, x.data())) return;
    has_tried_ = false;
    const Index work = subject_.work();
    past_.push_back({t, Eigen::Map<const VectorXd>(system_.q(), system_.coordinates()),
                     Eigen::Map<const VectorXd>(system_.u(), system_.speeds()), work < 0 ? 0 : x[work], last_independence_});
    constexpr std::size_t most = 64;
    if (past_.size() > most) past_.pop_front();
}

/// After every step of the integrator, before anything is made of it. True: another one has taken its place.
bool SingularWatch::look(solve::Stepper& inner, bool has_stepped) {
    if (has_stepped && has_passed_singular(inner)) {
        if (!may_pass_ || !pass(inner)) return false;
        trouble_.clear();
        return true;
    }
    if (has_stepped) remember(inner.now(), inner.x());
    // What creeps up to the place, or stops before it, is taken over it as well.
    if (!may_pass_ || has_tried_ || !is_nearing_singular(inner, has_stepped ? 1e-3 : 0.2)) return false;
    has_tried_ = true;
    const std::string failure = system_.failure();
    const double refused_at = system_.refused_at();
    const bool has_passed = pass(inner);
    trouble_.clear();
    system_.set_failure(failure, refused_at);
    return has_passed;
}

/// From the last state with sound constraints from which it can be done.
bool SingularWatch::pass(solve::Stepper& inner) {
    constexpr int most_attempts = 6;
    const double at = trouble_at_;
    std::deque<PassedState> past = past_;
    not_passed_ = "it is too close to where the motion began";
    double last = 0;
    for (int k = 0; k < most_attempts && !past.empty(); past.pop_back()) {
        const PassedState& from = past.back();
        if (!(from.t < at) || !has_sound_rows(from.independence) || from.independence < 1.3 * last) continue;
        last = from.independence, ++k;
        if (passage_.cross(system_, past, at, limits_) && resume(inner)) return true;
        not_passed_ = passage_.why();
    }
    if (subject_.spread(at, inner.x().data())) system_.calc_independence();
    trouble_at_ = at;
    trouble_ = lost_rank();
    return false;
}

/// The integrator goes on beyond the passage.
bool SingularWatch::resume(solve::Stepper& inner) {
    const PassedState& there = passage_.last();
    system_.put(passage_.singular(), passage_.state(passage_.singular()).q.data(), there.u.data());
    system_.calc_independence();
    const std::string what = fmt::format("t = {:.6g}, constraints {}{}", passage_.singular(), system_.weakest_rows(), whereabouts());
    system_.put(there.t, there.q.data(), there.u.data());
    if (!subject_.choose()) return false;
    const double t = std::min(there.t, subject_.end());
    VectorXd x = inner.x();
    put_state_within(t, x);
    inner.restart(t, x);
    last_independence_ = there.independence;
    past_.clear();
    past_.push_back(there);
    approach_ = {};
    passed_.push_back(passage_.singular());
    constexpr std::size_t most_notes = 3;
    if (notes_.size() < most_notes) notes_.push_back(what);
    not_passed_.clear();
    return true;
}

void SingularWatch::put_state_within(double t, VectorXd& x) {
    const PassedState s = t < passage_.end() ? passage_.state(t) : passage_.last();
    system_.put(t, s.q.data(), s.u.data());
    subject_.gather(x.data());
    if (const Index work = subject_.work(); work >= 0) x[work] = s.work;
}

/// Where the system is: " near alpha = 3.14, beta = 0".
std::string SingularWatch::whereabouts() const {
    const std::vector<sym::Expr>& q = system_.numbers().equations().q;
    std::string where = " near ";
    const auto coordinates = static_cast<Index>(q.size());
    for (Index i = 0; i < std::min<Index>(coordinates, 4); ++i)
        where += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : "", q[i].symbol().name, system_.q()[i]);
    return where + (coordinates > 4 ? ", …" : "");
}

std::string SingularWatch::lost_rank() const {
    return fmt::format("the constraints lose rank ({}){}: {}", system_.weakest_rows(), whereabouts(),
                       not_passed_.empty() ? "from there the motion is not determined" : not_passed_);
}

}  // namespace linkwright::motion
