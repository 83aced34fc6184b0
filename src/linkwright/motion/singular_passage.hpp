#pragma once
// Over a singular position in one step.
//
// Where the constraints lose rank (a parallelogram stretched out, a chain of four-bars lying flat) several branches of possible motions
// meet, and the linear equations for u̇ and λ have no unique solution. The motion itself is smooth there as long as it keeps to one branch:
// u̇ and λ on either side have the same limit. So a step of Gauss's collocation method [hairer93 §II.7] is laid over the place,
//
//     q_i = q₀ + H Σ a_ij q̇_j,   u_i = u₀ + H Σ a_ij u̇_j,      i, j = 1 … s
//
// with an even number of nodes that lie on both sides of it and none on it: at each of them the constraints have their rank, and the
// state is put back onto them. The polynomial is what keeps to the branch: one that changed branches has a kink, and then steps with
// s = 6 and s = 8 nodes disagree. Inside the step u̇ and λ are interpolated.

#include <deque>
#include <string>

#include "linkwright/motion/motion_system.hpp"

namespace linkwright::motion {

/// A state that the motion went through.
struct PassedState {
    double t = 0;
    VectorXd q;  ///< with the auxiliary states
    VectorXd u;
    double work = 0;
    double independence = 0;  ///< of the constraints' rows, 0 where they lose rank
};

class SingularPassage {
public:
    struct Limits {
        double relative = 1e-8, absolute = 1e-10;  ///< of q and u at the end: what the two steps may differ by
    };

    /// From the last of `past`, over the singular position at `singular`, to a place as far beyond it. The states before the last help to
    /// guess. False: it cannot be passed so, and `why()` says what stands against it.
    bool cross(MotionSystem& system, const std::deque<PassedState>& past, double singular, const Limits& limits);

    /// From a singular position, with speeds along one branch of those that meet there, as far away as the two steps agree but no further than
    /// `longest`. No node lies at the beginning of a step, so nothing is asked where the constraints have lost rank.
    bool leave(MotionSystem& system, const PassedState& from, double longest, const Limits& limits);

    double begin() const { return begin_.t; }
    double end() const { return end_.t; }
    double singular() const { return singular_; }  ///< where independence is least
    const PassedState& last() const { return end_; }
    const std::string& why() const { return why_; }

    /// State, accelerations and multipliers at a time within.
    PassedState state(double t) const;
    VectorXd udot(double t) const;
    VectorXd lambda(double t) const;

private:
    bool guess(MotionSystem& system, const std::deque<PassedState>& past, int nodes);
    bool collocate_twice(MotionSystem& system, const Limits& limits);
    bool collocate(MotionSystem& system, int nodes);
    bool calc_node(MotionSystem& system, Eigen::Index i);
    double find_singular(MotionSystem& system, double about);

    PassedState begin_, end_;
    double length_ = 0, singular_ = 0;
    VectorXd nodes_;                 ///< in 0 … 1
    MatrixXd q_, u_;                 ///< states at the nodes, a column each
    MatrixXd qdot_, udot_, lambda_;  ///< likewise
    VectorXd power_;
    std::string why_;
};

}  // namespace linkwright::motion
