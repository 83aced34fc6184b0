#include "linkwright/exchange/robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linkwright::exchange {

void LeftOut::add(const std::string& what) {
    const auto at = std::ranges::find(counts_, what, [](const auto& entry) { return entry.first; });
    if (at == counts_.end()) return counts_.emplace_back(what, 1), void();
    ++at->second;
}

std::vector<std::string> LeftOut::words() const {
    std::vector<std::string> all;
    for (const auto& [what, count] : counts_) all.push_back(fmt::format("{} {}", count, what));
    return all;
}

RobotTree tree_of(const Robot& robot) {
    const std::size_t count = robot.links.size();
    const auto place = [&](std::size_t link) { return link == the_ground ? count : link; };
    std::vector<std::vector<std::size_t>> at(count + 1);  // joints at each link; the ground is the last
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        at[place(robot.joints[j].parent)].push_back(j);
        at[place(robot.joints[j].child)].push_back(j);
    }
    RobotTree tree;
    std::vector<bool> is_reached(count + 1), is_used(robot.joints.size());
    std::vector<std::size_t> todo{count};
    is_reached[count] = true;
    for (std::size_t i = 0; i < todo.size(); ++i) {
        for (const std::size_t j : at[todo[i]]) {
            const std::size_t a = place(robot.joints[j].parent), b = place(robot.joints[j].child);
            const std::size_t other = a == todo[i] ? b : a;
            if (is_used[j] || is_reached[other]) continue;
            is_used[j] = is_reached[other] = true;
            tree.order.push_back(j);
            todo.push_back(other);
        }
    }
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        if (!is_used[j]) tree.chords.push_back(j);
    }
    return tree;
}

namespace {

bool has_inertia(const Link& link) {
    if (!link.inertial) return false;
    const Inertial& own = *link.inertial;
    return own.mass != 0 || own.inertia[0][0] != 0 || own.inertia[1][1] != 0 || own.inertia[2][2] != 0;
}

/// Whether a link, and what is fixed to it, has a moment about an axis through a point, both in its axes; `below` are joints by their parents.
bool has_moment(const Robot& robot, const std::vector<std::vector<std::size_t>>& below, std::size_t link, const Vector& at,
                const Vector& axis) {
    if (const auto& own = robot.links[link].inertial) {
        const Vector Ia = own->inertia * axis, arm = cross(sum(own->com, {-at[0], -at[1], -at[2]}), axis);
        if (axis[0] * Ia[0] + axis[1] * Ia[1] + axis[2] * Ia[2] != 0 || (own->mass != 0 && length(arm) > 1e-12)) return true;
    }
    return std::ranges::any_of(below[link], [&](std::size_t j) {
        const RobotJoint& joint = robot.joints[j];
        if (joint.kind != RobotJoint::Kind::fixed) return true;  // what moves beyond it is not looked at
        const Frame X = inverse(compose(joint.X_PF, inverse(joint.X_CF)));
        const Matrix R = rotation(X.rpy);
        return has_moment(robot, below, joint.child, sum(X.at, R * at), R * axis);
    });
}

}  // namespace

void mend_moments(Robot& robot, Problems& problems) {
    constexpr double noise = 1e-12;
    for (Link& link : robot.links) {
        if (!link.inertial) continue;
        Matrix& I = link.inertial->inertia;
        double largest = std::abs(link.inertial->mass);
        for (const Vector& row : I)
            for (const double x : row) largest = std::max(largest, std::abs(x));
        bool is_mended = false;
        for (std::size_t k = 0; k < 3; ++k) {
            if (I[k][k] >= 0 || I[k][k] < -noise * largest) continue;
            I[k][k] = 0;
            is_mended = true;
        }
        if (is_mended)
            problems.note(
                link.inertial->origin,
                fmt::format("a moment of inertia of '{}' is negative by less than {:g} of its size: 0 is meant", link.name, noise));
    }
}

void hold_massless(Robot& robot, Problems& problems) {
    const RobotTree tree = tree_of(robot);
    if (!tree.chords.empty()) return;  // a loop may well carry what has no mass; the equations tell
    std::vector<bool> has_mass(robot.links.size());
    for (std::size_t i = 0; i < robot.links.size(); ++i) has_mass[i] = has_inertia(robot.links[i]);
    std::vector<std::vector<std::size_t>> below(robot.links.size());
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        if (robot.joints[j].parent != the_ground && robot.joints[j].child != the_ground) below[robot.joints[j].parent].push_back(j);
    }
    for (std::size_t i = tree.order.size(); i-- > 0;) {
        RobotJoint& joint = robot.joints[tree.order[i]];
        if (joint.child == the_ground) continue;
        if (joint.parent != the_ground && has_mass[joint.child]) has_mass[joint.parent] = true;
        if (joint.kind == RobotJoint::Kind::fixed) continue;
        const bool turns_nothing = joint.kind == RobotJoint::Kind::revolute && has_mass[joint.child] &&
                                   !has_moment(robot, below, joint.child, joint.X_CF.at, rotation(joint.X_CF.rpy) * joint.axes.front());
        if (has_mass[joint.child] && !turns_nothing) continue;
        problems.warning(joint.origin,
                         turns_nothing ? fmt::format("link '{}' has no moment of inertia about its axis: joint '{}' is held at 0",
                                                     robot.links[joint.child].name, joint.name)
                                       : fmt::format("link '{}' and what hangs on it have no mass: joint '{}' is held at 0",
                                                     robot.links[joint.child].name, joint.name),
                         "give the link an <inertial> to let it move");
        joint.kind = RobotJoint::Kind::fixed;
        joint.axes.clear();
        joint.damping.clear();
        joint.stiffness.clear();
        joint.rest.clear();
        joint.limits.clear();
        joint.is_driven = false;
        joint.mimic.reset();
    }
}

}  // namespace linkwright::exchange
