#pragma once
// A stepper that somebody looks after: a step that led over a singular position may be taken back and another put in its place, before
// rows and events are looked for in it.

#include <functional>
#include <memory>
#include <utility>

#include "linkwright/solve/ode.hpp"

namespace linkwright::motion {

class PassingStepper final : public solve::Stepper {
public:
    struct Care {
        /// After a step of the inner stepper, or when none was possible. True: another step takes its place, up to where the inner one has
        /// been restarted, and `state` knows it.
        std::function<bool(solve::Stepper& inner, bool has_stepped)> look;
        std::function<void(double t, Eigen::VectorXd& x)> state;  ///< x at a time within that other step
    };

    PassingStepper(std::unique_ptr<solve::Stepper> inner, Care care) : inner_(std::move(inner)), care_(std::move(care)) { follow(); }

    /// The first step is not the inner stepper's either: it leads from `t` to where that one begins.
    void begin_at(double t) {
        is_replaced_ = is_first_ = true;
        before_ = now_ = t;
        care_.state(t, x_);
    }

    /// The last step is another than the inner stepper's.
    bool is_replaced() const { return is_replaced_; }

    bool step() override {
        if (std::exchange(is_first_, false)) {
            const double from = now_;
            follow();
            before_ = from;
            return true;
        }
        is_replaced_ = false;
        if (obstacle_.empty()) inner_->forget_obstacle();
        const double from = inner_->now();
        const bool has_stepped = inner_->step();
        is_replaced_ = care_.look(*inner_, has_stepped);
        follow();
        if (is_replaced_) before_ = from;
        return has_stepped || is_replaced_;
    }
    void interpolate(double t, Eigen::VectorXd& x) override {
        if (is_replaced_ && t < now_)
            care_.state(t, x);
        else
            inner_->interpolate(t, x);
    }
    void glance(double t, Eigen::VectorXd& x, bool closely) override {
        if (is_replaced_) return interpolate(t, x);
        inner_->glance(t, x, closely);
    }
    void restart(double t, const Eigen::VectorXd& x) override {
        is_replaced_ = is_first_ = false;
        inner_->restart(t, x);
        follow();
    }

private:
    void follow() {
        before_ = inner_->before(), now_ = inner_->now(), x_ = inner_->x();
        why_ = inner_->why(), obstacle_ = inner_->obstacle(), statistics_ = inner_->statistics();
    }

    std::unique_ptr<solve::Stepper> inner_;
    Care care_;
    bool is_replaced_ = false;
    bool is_first_ = false;  ///< the step from begin_at is still to come
};

}  // namespace linkwright::motion
