// Forces: tendons, actuators, springs of balls, weight that is carried.

#include <fmt/format.h>

#include <cmath>

#include "linkwright/exchange/mjcf_draft.hpp"

namespace linkwright::exchange::mjcf {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

Sum length_of(const Draft& draft, const Tendon& tendon, double factor = 1) {
    Sum sum;
    for (const auto& [joint, c] : tendon.joints) sum.add(factor * c, draft.coordinate(joint));
    return sum;
}

Sum rate_of(const Draft& draft, const Tendon& tendon, double factor = 1) {
    Sum sum;
    for (const auto& [joint, c] : tendon.joints) sum.add(factor * c, draft.speed(joint));
    return sum;
}

// −k(L − L₀) − d L', along every joint times its coefficient.
void write_tendon(Draft& draft, const Tendon& tendon) {
    if (tendon.stiffness == 0 && tendon.damping == 0) return;
    double rest = 0;
    for (const auto& [joint, c] : tendon.joints) rest += c * draft.tree.joints[joint].spring_ref;
    Sum stretch = length_of(draft, tendon);
    stretch.add(-tendon.spring_length.value_or(rest));
    for (const auto& [joint, c] : tendon.joints) {
        Sum force;
        force.add(-c * tendon.stiffness, stretch.in_brackets());
        force.add(-c * tendon.damping, rate_of(draft, tendon).in_brackets());
        draft.drive(joint, 0, force.text());
    }
}

// --- actuators ---

/// M_jj where the file shows the bodies, armature included: what a damping ratio refers to.
double diagonal_inertia(const Draft& draft, std::size_t index) {
    const Tree& tree = draft.tree;
    const Joint& joint = tree.joints[index];
    const Pose X = tree.world_pose(joint.body);
    const Vector3d axis = X.q * joint.axis, anchor = X * joint.pos;
    double sum = joint.armature;
    std::vector<bool> is_carried(tree.bodies.size(), false);
    is_carried[joint.body] = true;
    for (std::size_t b = joint.body; b < tree.bodies.size(); ++b) {
        if (b != joint.body) is_carried[b] = is_carried[tree.bodies[b].parent];
        if (!is_carried[b]) continue;
        const Inertia& I = draft.inertias[b];
        if (joint.kind == JointKind::slide) {
            sum += I.mass;
            continue;
        }
        const Pose Y = tree.world_pose(b);
        const Vector3d along = Y.q.conjugate() * axis;
        sum += along.dot(I.moments * along) + I.mass * cross(axis, Y * I.com - anchor).squaredNorm();
    }
    return sum;
}

struct Driver {
    Draft& draft;
    const Tendons& tendons;

    std::string signal(const Actuator& a) const;
    std::string force(const Actuator& a, const std::string& name, const std::string& u, const Sum& length, const Sum& rate) const;
    double damping(const Actuator& a) const;
    void write(const Actuator& a) const;
    void write_scalar(const Actuator& a, const std::string& name, const std::string& u) const;
    void write_tendon(const Actuator& a, const std::string& name, const std::string& u) const;
    void write_ball(const Actuator& a, const std::string& name, const std::string& u) const;
    void write_wrench(const Actuator& a, const std::string& name, const std::string& u) const;
    Block* add_load(const std::string& kind, const Actuator& a, const std::string& on, const std::string& in, const Vector3d& direction,
                    const std::string& law) const;
};

// Of a position servo bias[2] > 0 is a damping ratio: kv = 2 ζ √(kp m), m the inertia that is moved, over the square of the gear.
double Driver::damping(const Actuator& a) const {
    if (!a.is_position || a.bias[2] <= 0 || a.pull == Pull::site) return a.bias[2];
    double mass = 0;
    const auto add = [&](std::size_t joint, double gear) {
        const JointKind kind = draft.tree.joints[joint].kind;
        if (gear != 0 && (kind == JointKind::hinge || kind == JointKind::slide)) mass += diagonal_inertia(draft, joint) / (gear * gear);
    };
    if (a.pull == Pull::tendon)
        for (const auto& [joint, c] : tendons.fixed[a.target].joints) add(joint, c * a.gear[0]);
    else
        add(a.target, a.gear[0]);
    return -2 * a.bias[2] * std::sqrt(a.gain[0] * mass);
}

/// gain·u + bias, with its constants as parameters.
std::string Driver::force(const Actuator& a, const std::string& name, const std::string& u, const Sum& length, const Sum& rate) const {
    const auto constant = [&](const char* what, double value) { return draft.parameter(name + "." + what, value, a.at); };
    Sum sum;
    const double rate_gain = damping(a);
    if (a.is_position && a.gain[0] != 0) {
        sum.add(fmt::format("{}*({} - {})", constant("kp", a.gain[0]), u, length.in_brackets()));
    } else {
        Sum gain;
        if (a.gain[1] == 0 && a.gain[2] == 0) {
            if (a.gain[0] == 1)
                sum.add(u);
            else if (a.gain[0] != 0)
                sum.add(constant("gain", a.gain[0]) + "*" + u);
        } else {
            gain.add(a.gain[0]);
            gain.add(a.gain[1], length.in_brackets());
            gain.add(a.gain[2], rate.in_brackets());
            sum.add(gain.in_brackets() + "*" + u);
        }
        if (a.bias[1] != 0) sum.add("-" + constant("stiffness", -a.bias[1]) + "*" + length.in_brackets());
    }
    if (a.bias[0] != 0) sum.add(constant("offset", a.bias[0]));
    if (rate_gain != 0) sum.add("-" + constant("kv", -rate_gain) + "*" + rate.in_brackets());
    return sum.text();
}

/// The input, or the name of the filter that it goes through.
std::string Driver::signal(const Actuator& a) const {
    std::string wish = a.name;
    if (wish.empty()) {
        const std::string of = a.pull == Pull::tendon ? tendons.fixed[a.target].name
                               : a.pull == Pull::site ? draft.tree.sites[a.target].name
                                                      : draft.joints[a.target];
        wish = of + "_control";
    }
    if (draft.tree.joint_names.contains(wish)) wish += "_control";
    const std::string input = draft.text.claim(ModelText::Space::quantity, wish);
    draft.text.input(input, "0", a.at);
    return input;
}

void Driver::write_scalar(const Actuator& a, const std::string& name, const std::string& u) const {
    Sum length, rate, force_on_joint;
    length.add(a.gear[0], draft.coordinate(a.target));
    rate.add(a.gear[0], draft.speed(a.target));
    const std::string law = force(a, name, u, length, rate);
    force_on_joint.add(a.gear[0], a.gear[0] == 1 ? law : "(" + law + ")");
    draft.drive(a.target, 0, force_on_joint.text());
}

void Driver::write_tendon(const Actuator& a, const std::string& name, const std::string& u) const {
    const Tendon& tendon = tendons.fixed[a.target];
    const std::string law = force(a, name, u, length_of(draft, tendon, a.gear[0]), rate_of(draft, tendon, a.gear[0]));
    for (const auto& [joint, c] : tendon.joints) {
        Sum part;
        part.add(c * a.gear[0], "(" + law + ")");
        draft.drive(joint, 0, part.text());
    }
}

/// Null when the load is nothing.
Block* Driver::add_load(const std::string& kind, const Actuator& a, const std::string& on, const std::string& in, const Vector3d& direction,
                        const std::string& law) const {
    if (direction.isZero(1e-15)) return nullptr;
    Block& block = draft.text.add(kind, a.at);
    block.key("on", toml::quoted(on));
    if (in != "ground") block.key("in", toml::quoted(in));
    std::vector<std::string> parts;
    for (int i = 0; i < 3; ++i) {
        Sum part;
        part.add(std::abs(direction[i]) < 1e-15 ? 0 : direction[i], "(" + law + ")");
        parts.push_back(toml::quoted(part.text()));
    }
    block.key("vector", toml::list(parts));
    return &block;
}

// Along the turn of a ball. In the parent: the axis is fixed there, before the joint.
void Driver::write_ball(const Actuator& a, const std::string& name, const std::string& u) const {
    const Vector3d gear(a.gear[0], a.gear[1], a.gear[2]);
    const std::string& joint = draft.joints[a.target];
    Sum rate;
    for (int i = 0; i < 3; ++i) rate.add(gear[i], fmt::format("{}.w{}", joint, "xyz"[i]));
    const bool needs_length = a.bias[1] != 0 || a.gain[1] != 0;
    const bool is_in_parent = a.pull == Pull::joint_in_parent;
    if (needs_length || (is_in_parent && (a.bias[2] != 0 || a.gain[2] != 0)))
        return leave_out(draft.tree.left_out, "servos of the position of balls", a.at);
    const std::string law = force(a, name, u, {}, rate);
    if (is_in_parent) {
        const Body& body = draft.tree.bodies[draft.tree.joints[a.target].body];
        const std::string& parent = draft.bodies[body.parent];
        Block* torque = add_load("torque", a, draft.bodies[draft.tree.joints[a.target].body], parent, body.pose.q * gear, law);
        if (torque && body.parent != 0) torque->key("from", toml::quoted(parent));
        return;
    }
    for (int i = 0; i < 3; ++i) {
        Sum part;
        part.add(gear[i], "(" + law + ")");
        if (gear[i] != 0) draft.drive(a.target, static_cast<std::size_t>(i), part.text());
    }
}

// A force and a torque on a body: at a site, in its axes; by a free joint, the force in those of the world and the torque in those of the body, or of the
// world if it is said to be in the parent.
void Driver::write_wrench(const Actuator& a, const std::string& name, const std::string& u) const {
    const Vector3d push(a.gear[0], a.gear[1], a.gear[2]), turn(a.gear[3], a.gear[4], a.gear[5]);
    if (a.bias[1] != 0 || a.bias[2] != 0 || a.gain[1] != 0 || a.gain[2] != 0)
        return leave_out(draft.tree.left_out, "servos of free bodies and sites", a.at);
    const std::string law = force(a, name, u, {}, {});
    if (a.pull == Pull::site) {
        const Site& site = draft.tree.sites[a.target];
        const std::string& body = draft.bodies[site.body];
        add_load("force", a, draft.points[a.target], body, site.pose.q * push, law);
        add_load("torque", a, body, body, site.pose.q * turn, law);
        return;
    }
    const std::string& body = draft.bodies[draft.tree.joints[a.target].body];
    add_load("force", a, body, "ground", push, law);
    add_load("torque", a, body, a.pull == Pull::joint_in_parent ? "ground" : body, turn, law);
}

void Driver::write(const Actuator& a) const {
    if (a.pull == Pull::site && draft.tree.sites[a.target].body == 0) return;  // the world does not move
    const bool is_driven = a.gain != std::array<double, 3>{};
    const std::string input = is_driven ? signal(a) : a.name.empty() ? "load" : a.name;
    std::string u = input;
    if (is_driven && a.dynamics != Dynamics::none) {
        u = draft.text.claim(ModelText::Space::quantity, input + "_act");
        Block& filter = draft.text.add("filter", a.at);
        filter.key("name", toml::quoted(u));
        filter.key("input", toml::quoted(input));
        filter.key("numerator", "[1]");
        filter.key("denominator", a.dynamics == Dynamics::integrator ? "[1, 0]" : toml::list({toml::number(a.time_constant), "1"}));
    }
    if (a.pull == Pull::tendon) return write_tendon(a, input, u);
    if (a.pull == Pull::site) return write_wrench(a, input, u);
    switch (draft.tree.joints[a.target].kind) {
        case JointKind::ball: return write_ball(a, input, u);
        case JointKind::free: return write_wrench(a, input, u);
        default: return write_scalar(a, input, u);
    }
}

// --- springs of balls, weight ---

// −k θ n, with the turn θ ≤ π about n; both signs of e mean the same turn. 1e-30 keeps n θ defined where there is no turn.
void write_ball_spring(Draft& draft, std::size_t index) {
    const Joint& joint = draft.tree.joints[index];
    const std::string& j = draft.joints[index];
    const std::string sine = fmt::format("sqrt({0}.e1^2 + {0}.e2^2 + {0}.e3^2 + 1e-30)", j);
    const std::string factor = fmt::format("2*atan2({0}, abs({1}.e0))*if({1}.e0 >= 0, 1, -1)/{0}", sine, j);
    for (std::size_t i = 0; i < 3; ++i) {
        Sum part;
        part.add(-joint.stiffness, fmt::format("{}*{}.e{}", factor, j, i + 1));
        draft.drive(index, i, part.text());
    }
}

// MuJoCo's rates of a free joint are along the axes of the world, and the armature is a mass in them: in axes of the body, M u̇ = … − a ω × v.
void write_free_armature(Draft& draft, std::size_t index) {
    const std::string& j = draft.joints[index];
    const double a = draft.tree.joints[index].armature;
    for (int i = 0; i < 3; ++i) {
        const char y = "xyz"[(i + 1) % 3], z = "xyz"[(i + 2) % 3];
        Sum part;
        part.add(-a, fmt::format("({0}.w{1}*{0}.v{2} - {0}.w{2}*{0}.v{1})", j, y, z));
        draft.drive(index, static_cast<std::size_t>(3 + i), part.text());
    }
}

void write_joint_extras(Draft& draft) {
    for (std::size_t j = 0; j < draft.tree.joints.size(); ++j) {
        const Joint& joint = draft.tree.joints[j];
        if (joint.kind == JointKind::ball && joint.stiffness != 0) write_ball_spring(draft, j);
        if (joint.kind == JointKind::free && joint.stiffness != 0) leave_out(draft.tree.left_out, "springs of free joints", joint.at);
        if (joint.kind == JointKind::free && joint.armature != 0) write_free_armature(draft, j);
    }
}

void write_carried_weight(Draft& draft) {
    for (std::size_t b = 1; b < draft.tree.bodies.size(); ++b) {
        const Body& body = draft.tree.bodies[b];
        if (body.gravity_compensation == 0 || draft.inertias[b].mass == 0 || draft.compiler.gravity.isZero(0)) continue;
        Block& block = draft.text.add("force", body.at);
        block.comment("gravcomp");
        block.key("on", toml::quoted(draft.bodies[b] + ".com"));
        block.key("vector", vector_text(-body.gravity_compensation * draft.inertias[b].mass * draft.compiler.gravity));
    }
}

}  // namespace

void write_forces(Draft& draft, const Tendons& tendons, const std::vector<Actuator>& actuators) {
    write_joint_extras(draft);
    for (const Tendon& tendon : tendons.fixed) write_tendon(draft, tendon);
    const Driver driver{draft, tendons};
    for (const Actuator& a : actuators) driver.write(a);
    write_carried_weight(draft);
}

}  // namespace linkwright::exchange::mjcf
