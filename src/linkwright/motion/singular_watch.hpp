#pragma once
// Looks after a motion whose constraints may lose rank on its way: notices such places, has them passed where that is wanted (singular_passage.hpp), and
// says where they were.
//
// On either side of a singular position the constraints look sound. What gives it away is a dip of the independence of their rows
// (MotionSystem::independence) within a step; or steps that become short because the place is near, when the dip lies ahead.

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "linkwright/motion/motion_system.hpp"
#include "linkwright/motion/passing_stepper.hpp"
#include "linkwright/motion/singular_passage.hpp"

namespace linkwright::motion {

class SingularWatch {
public:
    /// The motion that is looked after. x is what its integrator carries.
    struct Subject {
        std::function<bool(double t, const double* x)> spread;  ///< puts the system where x is; false where there is no such place
        std::function<void(double* x)> gather;                  ///< makes x of where the system is, but for the work
        std::function<bool()> choose;             ///< chooses independent coordinates anew, where there are some; false: impossible
        std::function<double()> end;              ///< no step goes beyond it
        std::function<Eigen::Index()> work;       ///< where the work done stands in x; negative: nowhere
        std::function<bool()> measures_at_steps;  ///< the last rates were those of other states than the step's end
    };

    SingularWatch(MotionSystem& system, Subject subject, bool may_pass, const SingularPassage::Limits& limits)
        : system_(system), subject_(std::move(subject)), may_pass_(may_pass), limits_(limits) {}

    /// From a singular position in which the motion begins, along the branch of its speeds; what is integrated begins at the passage's end. False: trouble() says why.
    bool leave(double t, double end);
    /// The integrator's steps, looked after. From here on `x` at `t` is where it is.
    std::unique_ptr<solve::Stepper> look_after(std::unique_ptr<solve::Stepper> inner, double t, const VectorXd& x);

    /// The last step was taken by a passage.
    bool has_just_passed() const { return stepper_ && stepper_->is_replaced(); }
    bool is_within_passage(double t) const { return has_just_passed() && t < passage_.end(); }
    const SingularPassage& passage() const { return passage_; }

    /// Do the constraints look as if they were about to lose rank?
    bool is_near_singular() const { return system_.rank() > 0 && last_independence_ < 0.03 * best_independence_; }
    /// The sentence about that, where the system is.
    std::string lost_rank() const;

    const std::string& trouble() const { return trouble_; }  ///< the motion cannot go on; otherwise empty
    double trouble_at() const { return trouble_at_; }
    const std::vector<double>& passed() const { return passed_; }            ///< times
    const std::vector<std::string>& descriptions() const { return notes_; }  ///< of the first of them

private:
    bool has_passed_singular(solve::Stepper& stepper);
    bool is_nearing_singular(const solve::Stepper& stepper, double near);
    bool has_sound_rows(double independence) const;
    void remember(double t, const VectorXd& x);
    bool look(solve::Stepper& inner, bool has_stepped);
    bool pass(solve::Stepper& inner);
    bool resume(solve::Stepper& inner);
    void put_state_within(double t, VectorXd& x);
    std::string whereabouts() const;

    MotionSystem& system_;
    Subject subject_;
    bool may_pass_;
    SingularPassage::Limits limits_;

    double last_independence_ = std::numeric_limits<double>::quiet_NaN(), best_independence_ = 0;
    VectorXd probe_;
    std::deque<PassedState> past_;  ///< the last sound states
    struct Approach {
        double t = 0, independence = std::numeric_limits<double>::infinity();
    };
    std::array<Approach, 2> approach_{};  ///< at the last two steps
    bool has_tried_ = false;              ///< to pass, since constraints were sound
    bool has_left_ = false;               ///< a singular position at the start
    SingularPassage passage_;             ///< of the last step, while stepper_ says that it was replaced
    PassingStepper* stepper_ = nullptr;
    std::vector<double> passed_;
    std::vector<std::string> notes_;
    std::string not_passed_, trouble_;
    double trouble_at_ = 0;
};

}  // namespace linkwright::motion
