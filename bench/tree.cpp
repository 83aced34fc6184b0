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
        case JointType::free: return Limb::Joint::free;
        default: throw std::runtime_error("joint " + joint.name + " is neither revolute nor prismatic nor free");
    }
}

}  // namespace

std::size_t Tree::freedoms() const {
    std::size_t sum = 0;
    for (const Limb& limb : limbs) sum += limb.freedoms();
    return sum;
}

Tree make_tree(const model::Model& model) {
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
    if (!model.springs.empty() || !model.forces.empty() || !model.torques.empty() || !model.rods.empty() || !model.constraints.empty() ||
        !model.gears.empty() || !model.rollings.empty() || !model.motions.empty() || !model.joint_motions.empty() ||
        !model.speeds.empty()) {
        throw std::runtime_error(model.name + " is more than a tree with actuators");
    }
    Tree tree{model.name, vector(model.gravity), {}};
    std::vector<std::size_t> limb_of(model.bodies.size(), 0);
    for (const model::Joint& joint : model.joints) {
        const model::Body& body = model.bodies[joint.child];
        if (joint.child == model::ground || limb_of[joint.child] != 0 || (joint.parent != model::ground && limb_of[joint.parent] == 0)) {
            throw std::runtime_error("joint " + joint.name + " does not lead outwards from a body that is held already");
        }
        if (!body.rotors.empty()) throw std::runtime_error("body " + body.name + " has a rotor");
        for (const model::JointForce& force : joint.forces) {
            if (value(force.stiffness) != 0 || value(force.damping) != 0)
                throw std::runtime_error("joint " + joint.name + " has a spring or a damper");
        }
        const Limb::Joint kind = joint_of(joint);
        tree.limbs.push_back({body.name, joint.name, limb_of[joint.parent], kind, frame(joint.parent_at, joint.parent_axes),
                              frame(joint.child_at, joint.child_axes),
                              kind == Limb::Joint::free ? Eigen::Vector3d::Zero().eval() : vector(joint.axes.at(0)), value(body.mass),
                              vector(body.com), matrix(body.inertia)});
        limb_of[joint.child] = tree.limbs.size();
    }
    return tree;
}

}  // namespace linkwright::bench
