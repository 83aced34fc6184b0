#pragma once
// A model as other engines want it: a tree of bodies in plain numbers. C++17 is enough to read this file.

#include <Eigen/Dense>
#include <cstddef>
#include <string>
#include <vector>

namespace linkwright::model {
struct Model;
}

namespace linkwright::bench {

/// A body and the joint that holds it. `X_PF` and `X_BF` are the joint's frame in the inner body and in this one; they
/// coincide when the joint's coordinates are zero.
struct Limb {
    enum class Joint { revolute, prismatic, free };
    std::string name, joint_name;
    std::size_t inner = 0;  ///< 0: the ground; otherwise one more than the index of a limb before this one
    Joint joint = Joint::revolute;
    Eigen::Isometry3d X_PF, X_BF;
    Eigen::Vector3d axis;  ///< unit vector, joint axes
    double mass = 0;
    Eigen::Vector3d com;
    Eigen::Matrix3d inertia;  ///< about the centre of mass, body axes

    std::size_t freedoms() const { return joint == Joint::free ? 6 : 1; }
};

struct Tree {
    std::string name;
    Eigen::Vector3d gravity;
    std::vector<Limb> limbs;  ///< inner ones first
    std::size_t freedoms() const;
};

/// Throws std::runtime_error for what it cannot say: other joints, springs and whatever else is no rigid tree moved by
/// its actuators alone.
Tree make_tree(const model::Model& model);

/// Where a tree is and what moves it: one number for every revolute or prismatic joint, in the order of the limbs. A
/// floating base stands still in its reference pose, so that every engine's own choice of its coordinates means the
/// same.
struct Posture {
    std::vector<double> q, u;
    std::vector<double> drive;  ///< forces of the joints forwards, accelerations backwards
};

}  // namespace linkwright::bench
