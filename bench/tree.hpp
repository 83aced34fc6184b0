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
    enum class Joint { revolute, prismatic, universal, free };
    std::string name, joint_name;
    std::size_t inner = 0;  ///< 0: the ground; otherwise one more than the index of a limb before this one
    Joint joint = Joint::revolute;
    Eigen::Isometry3d X_PF, X_BF;
    Eigen::Vector3d axis;  ///< unit vector, joint axes; of a universal joint the first one, x: the second is y
    double mass = 0;
    Eigen::Vector3d com;
    Eigen::Matrix3d inertia;  ///< about the centre of mass, body axes

    std::vector<std::string> speeds;  ///< names, as in the model

    std::size_t freedoms() const { return speeds.size(); }
};

/// A joint that closes a loop: a point that two bodies share, in space or in the plane of the motion.
struct Closure {
    std::size_t inner = 0, outer = 0;  ///< as Limb::inner
    Eigen::Vector3d on_inner, on_outer;
    bool is_plane = false;   ///< a pin: two equations
    Eigen::Vector3d normal;  ///< of the plane, in the inner body
};

struct Tree {
    std::string name;
    Eigen::Vector3d gravity;
    std::vector<Limb> limbs;  ///< inner ones first
    std::vector<Closure> closures;
    std::size_t freedoms() const;
};

/// Throws std::runtime_error for what it cannot say: other joints, springs and whatever else is no rigid tree moved by
/// its actuators alone. Joints that lead to a body which is held already close loops when `with_loops`; what drives joints and springs without
/// stiffness is the caller's business then.
Tree make_tree(const model::Model& model, bool with_loops = false);

/// Where a tree is and what moves it: one number for every freedom of a revolute, prismatic or universal joint, in the order of the limbs. A
/// floating base stands still in its reference pose, so that every engine's own choice of its coordinates means the
/// same.
struct Posture {
    std::vector<double> q, u;
    std::vector<double> drive;  ///< forces of the joints forwards, accelerations backwards
};

}  // namespace linkwright::bench
