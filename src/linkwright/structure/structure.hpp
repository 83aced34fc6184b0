#pragma once
// A mechanism as a structure: bodies at their places, straight beams, joints that hold what they hold, springs; numbers only.
//
// Small motions about that state are displacements and turns. A rigid body has six, a beam those of its finite elements
// (flex/beam_mesh.hpp); bodies are not yet joined. Joints, rods and gears are rows G x = 0 between them, in trees and loops alike: where a
// loop is cut is no question here. With T a basis of what these rows leave free, x = T y,
//
//     Tᵀ M T ÿ + Tᵀ K T y = 0.
//
// Six-vectors are displacement first, then turn, in ground axes unless something else is said.

#include <optional>
#include <string>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/flex/beam_mesh.hpp"

namespace linkwright::structure {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using solve::SparseMatrix;

struct Body {
    std::string name;
    Matrix3d R = Matrix3d::Identity();  ///< body axes to ground axes
    Vector3d p = Vector3d::Zero();      ///< of the origin
    bool is_ground = false;
    double mass = 0;  ///< of a rigid body
    Vector3d com = Vector3d::Zero();
    Matrix3d inertia = Matrix3d::Zero();  ///< about the centre of mass, body axes
    std::optional<flex::BeamNumbers> beam{};
    std::size_t elements = 0;  ///< of a beam
    Position where{};
};

/// What something is fixed to: the frame of a body, or a section of a beam.
struct Place {
    std::size_t body = 0;
    bool is_section = false;
    double at = 0;                       ///< x of the section
    bool turns = true;                   ///< with the section; otherwise with the frame
    Vector3d offset = Vector3d::Zero();  ///< from the frame's origin or the section, body axes
};

/// One freedom of a joint.
struct Freedom {
    std::string name;                    ///< of its coordinate
    Eigen::Matrix<double, 6, 1> motion;  ///< of the child in the parent for a unit rate, joint axes, at the joint's point
    double stiffness = 0;                ///< of the joint's own spring
    double armature = 0;                 ///< inertia of a drive along it
    bool is_held = false;
};

struct Joint {
    std::string name;
    Place parent, child;                ///< their offsets lead to `point`
    Vector3d point = Vector3d::Zero();  ///< the child's joint point, in the ground
    Matrix3d R = Matrix3d::Identity();  ///< the child's joint axes to ground axes
    std::vector<Freedom> freedoms;
    bool is_open = false;  ///< holds nothing
    Position where{};
};

struct Spring {
    std::string name;
    Place from, to;
    double stiffness = 0;
    double tension = 0;                      ///< at this state: it resists being turned
    Vector3d direction = Vector3d::UnitX();  ///< from `from` to `to`
    double length = 1;
};

/// The distance is kept.
struct Rod {
    std::string name;
    Place from, to;
    Vector3d direction = Vector3d::UnitX();
};

/// Σ coefficient · coordinate of a joint = 0.
struct Tie {
    struct Term {
        std::size_t joint, freedom;
        double coefficient;
    };
    std::string name;
    std::vector<Term> terms;
};

struct Structure {
    std::string name;
    std::vector<Body> bodies;  ///< bodies[0] is the ground
    std::vector<Joint> joints;
    std::vector<Spring> springs;
    std::vector<Rod> rods;
    std::vector<Tie> ties;
};

}  // namespace linkwright::structure
