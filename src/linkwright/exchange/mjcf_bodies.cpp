// Bodies, their joints, and where they start.
//
// A body of MJCF may have several joints, one after the other: X_PB = X Π T(p) J(q) T(−p), each at a point p fixed in the body that is being made. In a model
// file a body has one; so all but the last joint end at a massless body that has the frame of the real one. With `ref` the coordinate is not 0 where the file
// shows the body: the joint's frame in the parent is turned, or moved, back by as much, and coordinates are MuJoCo's own.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "linkwright/exchange/mjcf_draft.hpp"

namespace linkwright::exchange::mjcf {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

std::string moments_text(const Matrix3d& I) {
    const double small = 1e-15 * I.cwiseAbs().maxCoeff();
    const auto entry = [&](int i, int k) {
        const double x = (I(i, k) + I(k, i)) / 2;
        return toml::number(std::abs(x) <= small ? 0 : x);
    };
    if (entry(0, 1) == "0" && entry(0, 2) == "0" && entry(1, 2) == "0") return toml::list({entry(0, 0), entry(1, 1), entry(2, 2)});
    return toml::list({entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)});
}

std::string points_text(const Draft& draft, std::size_t index) {
    std::string points;
    for (const std::size_t s : draft.tree.bodies[index].sites) {
        const std::string name = draft.points[s].substr(draft.bodies[index].size() + 1);
        points += fmt::format("{}{} = {}", points.empty() ? "" : ", ", name, vector_text(draft.tree.sites[s].pose.p));
    }
    return "{ " + points + " }";
}

void write_body(Draft& draft, std::size_t index) {
    const Body& body = draft.tree.bodies[index];
    const Inertia& inertia = draft.inertias[index];
    Block& block = draft.text.add("body", body.at);
    block.key("name", toml::quoted(draft.bodies[index]));
    if (inertia.mass != 0) block.key("mass", toml::number(inertia.mass));
    if (!inertia.moments.isZero(0)) block.key("inertia", moments_text(inertia.moments));
    if (!inertia.com.isZero(0)) block.key("com", vector_text(inertia.com));
    if (!body.sites.empty()) block.key("points", points_text(draft, index));
}

std::string_view type_of(JointKind kind) {
    switch (kind) {
        case JointKind::hinge: return "revolute";
        case JointKind::slide: return "prismatic";
        case JointKind::ball: return "spherical";
        case JointKind::free: return "free";
    }
    return "";
}

Block& add_joint(Draft& draft, const Origin& at, const std::string& name, std::string_view type, const std::string& parent,
                 const std::string& child) {
    Block& block = draft.text.add("joint", at);
    block.key("name", toml::quoted(name));
    block.key("type", toml::quoted(type));
    block.key("parent", toml::quoted(parent));
    block.key("child", toml::quoted(child));
    return block;
}

void place(Block& block, const Pose& X, const Vector3d& child_at) {
    if (!X.p.isZero(0)) block.key("parent_at", vector_text(X.p));
    if (const std::string axes = axes_text(X.q); !axes.empty()) block.key("parent_axes", axes);
    if (!child_at.isZero(0)) block.key("child_at", vector_text(child_at));
}

/// The joint's frame in the parent: at its point, back by `ref`.
Pose joint_frame(const Joint& joint) {
    Pose X{joint.pos, Turn::Identity()};
    if (joint.kind == JointKind::hinge && joint.ref != 0) X.q = turn_about(joint.axis, -joint.ref);
    if (joint.kind == JointKind::slide) X.p -= joint.ref * joint.axis;
    return X;
}

void write_joint_forces(Draft& draft, std::size_t index, Block& block) {
    const Joint& joint = draft.tree.joints[index];
    const bool is_scalar = joint.kind == JointKind::hinge || joint.kind == JointKind::slide;
    if (is_scalar && joint.stiffness != 0) {
        block.key("stiffness", toml::number(joint.stiffness));
        if (joint.spring_ref != 0) block.key("rest", toml::number(joint.spring_ref));
    }
    if (joint.damping != 0) block.key("damping", toml::number(joint.damping));
    if (joint.armature != 0) block.key("armature", toml::number(joint.armature));
    std::vector<std::string> drives;
    bool is_driven = false;
    for (const Sum& sum : draft.drives[index]) {
        drives.push_back(toml::quoted(sum.text()));
        is_driven = is_driven || !sum.is_empty();
    }
    if (is_driven) block.key("actuator", is_scalar ? drives.front() : toml::list(drives));
}

void write_joints(Draft& draft, std::size_t index) {
    const Body& body = draft.tree.bodies[index];
    const std::string& name = draft.bodies[index];
    std::string parent = draft.bodies[body.parent];
    Pose X = body.pose;
    if (body.joints.empty()) {
        const std::string weld = draft.text.claim(ModelText::Space::joint, name + "_weld");
        return place(add_joint(draft, body.at, weld, "weld", parent, name), X, Vector3d::Zero());
    }
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
        const std::size_t j = body.joints[k];
        const Joint& joint = draft.tree.joints[j];
        std::string child = name;
        if (k + 1 < body.joints.size()) {
            child = draft.text.claim(ModelText::Space::body, fmt::format("{}_{}", name, draft.joints[j]));
            Block& between = draft.text.add("body", joint.at);
            between.key("name", toml::quoted(child));
            between.comment(fmt::format("no mass: between two joints of {}", name));
        }
        Block& block = add_joint(draft, joint.at, draft.joints[j], type_of(joint.kind), parent, child);
        if (joint.kind == JointKind::hinge || joint.kind == JointKind::slide) block.key("axis", toml::axis(to_array(joint.axis)));
        if (joint.kind != JointKind::free) place(block, X * joint_frame(joint), joint.pos);
        write_joint_forces(draft, j, block);
        parent = child;
        X = Pose{};
    }
}

// --- where it starts ---

struct Start {
    Draft& draft;
    void set(const std::string& name, double value, const Origin& at) const {
        if (draft.has_constraints)
            draft.text.guess(name, toml::number(value), at);
        else
            draft.text.initial(name, toml::number(value), at);
    }
    void turn(const std::string& joint, Turn q, const Origin& at) const {
        if (q.norm() < 1e-14) q = Turn::Identity();
        q.normalize();
        if (q.vec().isZero(0) && q.w() > 0) return;
        const std::array<double, 4> e{q.w(), q.x(), q.y(), q.z()};
        for (std::size_t i = 0; i < 4; ++i) set(fmt::format("{}.e{}", joint, i), e[i], at);
    }
    void place(const std::string& joint, const Vector3d& p, const Origin& at) const {
        for (int i = 0; i < 3; ++i)
            if (p[i] != 0) set(fmt::format("{}.{}", joint, "xyz"[i]), p[i], at);
    }
};

std::size_t positions_of(JointKind kind) { return kind == JointKind::free ? 7 : kind == JointKind::ball ? 4 : 1; }

/// The numbers of the first keyframe, if it has as many as there are positions.
std::vector<double> first_key(Draft& draft, Origin& at) {
    std::size_t count = 0;
    for (const Joint& joint : draft.tree.joints) count += positions_of(joint.kind);
    for (const xml::Element& section : draft.source.sections("keyframe")) {
        for (const xml::Element& key : draft.source.children(section)) {
            if (key.name() != "key" || !key.has("qpos")) continue;
            at = key.origin_of("qpos");
            const auto q = xml::numbers(key, "qpos", draft.problems);
            if (q && q->size() == count) return *q;
            if (q)
                draft.problems.warning(at,
                                       fmt::format("'qpos' has {} numbers and the model {} positions; it is not used", q->size(), count));
            return {};
        }
    }
    return {};
}

}  // namespace

void write_bodies(Draft& draft) {
    if (const Body& world = draft.tree.bodies.front(); !world.sites.empty()) draft.text.ground_points(points_text(draft, 0), world.at);
    for (std::size_t b = 1; b < draft.tree.bodies.size(); ++b) write_body(draft, b);
    for (std::size_t b = 1; b < draft.tree.bodies.size(); ++b) write_joints(draft, b);
}

void write_start(Draft& draft) {
    Origin at;
    const std::vector<double> key = first_key(draft, at);
    const Start start{draft};
    std::size_t next = 0;
    for (std::size_t j = 0; j < draft.tree.joints.size(); ++j) {
        const Joint& joint = draft.tree.joints[j];
        const Origin from = key.empty() ? joint.at : at;
        const auto q = [&](std::size_t i) { return key[next + i]; };
        if (joint.kind == JointKind::free) {
            const Pose& shown = draft.tree.bodies[joint.body].pose;
            start.place(draft.joints[j], key.empty() ? shown.p : Vector3d(q(0), q(1), q(2)), from);
            start.turn(draft.joints[j], key.empty() ? shown.q : Turn(q(3), q(4), q(5), q(6)), from);
        } else if (joint.kind == JointKind::ball) {
            if (!key.empty()) start.turn(draft.joints[j], Turn(q(0), q(1), q(2), q(3)), from);
        } else if (const double value = key.empty() ? joint.ref : q(0); value != 0) {
            start.set(draft.joints[j], value, from);
        }
        next += positions_of(joint.kind);
    }
}

}  // namespace linkwright::exchange::mjcf
