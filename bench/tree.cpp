#include "tree.hpp"

#include <stdexcept>

#include "linkwright/model/model.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::bench {

namespace {

using model::JointType;

Limb::Joint joint_of(const model::Joint& joint) {
    switch (joint.type) {
        case JointType::revolute: return Limb::Joint::revolute;
        case JointType::prismatic: return Limb::Joint::prismatic;
        case JointType::universal: return Limb::Joint::universal;
        case JointType::free: return Limb::Joint::free;
        default: throw std::runtime_error("joint " + joint.name + " is neither revolute nor prismatic nor universal nor free");
    }
}

}  // namespace

std::size_t Tree::freedoms() const {
    std::size_t sum = 0;
    for (const Limb& limb : limbs) sum += limb.freedoms();
    return sum;
}

Tree make_tree(const model::Model& model, bool with_loops) {
    const model::ParameterValues value(model);
    const auto vector = [&](const model::Vec3& v) { return Eigen::Vector3d(value(v[0]), value(v[1]), value(v[2])); };
    const auto matrix = [&](const model::Mat3& m) {
        Eigen::Matrix3d result;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value(m[i][j]);
        }
        return result;
    };
    const auto frame = [&](const model::Vec3& at, const model::Rotation& axes) {
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.linear() = matrix(axes.matrix());
        X.translation() = vector(at);
        return X;
    };
    for (const model::Spring& spring : model.springs) {
        if (!with_loops || value(spring.stiffness) != 0 || value(spring.damping) != 0)
            throw std::runtime_error("a spring from " + spring.from.name + " to " + spring.to.name);
    }
    if (!model.forces.empty() || !model.torques.empty() || !model.rods.empty() || !model.constraints.empty() || !model.gears.empty() ||
        !model.rollings.empty() || !model.motions.empty() || !model.joint_motions.empty() || !model.speeds.empty()) {
        throw std::runtime_error(model.name + " is more than a tree with actuators");
    }
    Tree tree{model.name, vector(model.gravity), {}, {}};
    std::vector<std::size_t> limb_of(model.bodies.size(), 0);
    std::vector<std::pair<const model::Joint*, Closure>> loops;
    for (const model::Joint& joint : model.joints) {
        const model::Body& body = model.bodies[joint.child];
        const Eigen::Isometry3d X_PF = frame(joint.parent_at, joint.parent_axes), X_BF = frame(joint.child_at, joint.child_axes);
        if (with_loops && (joint.cut || joint.child == model::ground || limb_of[joint.child] != 0)) {
            const bool is_pin = joint.type == JointType::revolute;
            if (!is_pin && joint.type != JointType::spherical)
                throw std::runtime_error("joint " + joint.name + " closes a loop and is no pin or ball");
            loops.push_back({&joint,
                             {0, 0, X_PF.translation(), X_BF.translation(), is_pin,
                              is_pin ? (X_PF.linear() * vector(joint.axes.at(0))).eval() : Eigen::Vector3d::UnitZ().eval()}});
            continue;
        }
        if (joint.child == model::ground || limb_of[joint.child] != 0 || (joint.parent != model::ground && limb_of[joint.parent] == 0)) {
            throw std::runtime_error("joint " + joint.name + " does not lead outwards from a body that is held already");
        }
        if (!body.rotors.empty()) throw std::runtime_error("body " + body.name + " has a rotor");
        for (const model::JointForce& force : joint.forces) {
            if (value(force.stiffness) != 0 || (!with_loops && value(force.damping) != 0))
                throw std::runtime_error("joint " + joint.name + " has a spring or a damper");
        }
        const Limb::Joint kind = joint_of(joint);
        if (kind == Limb::Joint::universal && !(vector(joint.axes.at(0)).x() == 1 && vector(joint.axes.at(1)).y() == 1))
            throw std::runtime_error("joint " + joint.name + " turns about other axes than x and y");
        std::vector<std::string> speeds;
        for (const sym::Expr& u : joint.speeds) speeds.push_back(u.symbol().name);
        tree.limbs.push_back({body.name, joint.name, limb_of[joint.parent], kind, X_PF, X_BF,
                              kind == Limb::Joint::free ? Eigen::Vector3d::Zero().eval() : vector(joint.axes.at(0)), value(body.mass),
                              vector(body.com), matrix(body.inertia), std::move(speeds)});
        limb_of[joint.child] = tree.limbs.size();
    }
    for (auto& [joint, closure] : loops) {
        closure.inner = limb_of[joint->parent], closure.outer = limb_of[joint->child];
        tree.closures.push_back(closure);
    }
    return tree;
}

}  // namespace linkwright::bench
