#pragma once
// Accelerations by another way, for tests: maximal coordinates and numbers only.
//
// Every body has six accelerations of its own (α and that of the centre of mass), every joint its speeds, cut or not,
// and everything that ties them is a row C z = c, found by composing poses of jets (jet.hpp) and asking which
// accelerations come out. Then Gauss: M z + Cᵀμ = Q. A beam is many particles at the nodes of a quadrature, whose places in its frame are functions
// of its coordinates by definition (beam_numbers.hpp); these have accelerations in z as well. Nothing here knows a tree, a cut, a partial velocity or a
// derivative from src/; of the model only the data are used, and sym only to put numbers into expressions.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "linkwright/model/model.hpp"
#include "support/jet.hpp"

namespace linkwright::laws {

/// A frame in the ground, or in another frame.
struct Placement {
    JetMat R;
    JetVec p;

    friend Placement operator*(const Placement& A, const Placement& B) { return {A.R * B.R, A.p + A.R * B.p}; }
    Placement inverse() const {
        const JetMat back = R.transpose();
        return {back, Jet(-1) * (back * p)};
    }
};

struct BodyMotion {
    Eigen::Matrix3d R;       ///< body axes to ground axes
    Eigen::Vector3d p, com;  ///< origin and centre of mass, ground
    Eigen::Vector3d w, v;    ///< of the centre of mass
    Eigen::Vector3d alpha, a;

    Eigen::Vector3d point(const Eigen::Vector3d& at) const { return p + R * at; }
    Eigen::Vector3d velocity(const Eigen::Vector3d& at) const { return v + w.cross(point(at) - com); }
    Eigen::Vector3d acceleration(const Eigen::Vector3d& at) const {
        const Eigen::Vector3d d = point(at) - com;
        return a + alpha.cross(d) + w.cross(w.cross(d));
    }
};

struct NumericResult {
    std::vector<BodyMotion> bodies;               ///< like model.bodies; the ground rests
    std::vector<Eigen::Vector3d> force, torque;   ///< of each joint, on its child at child_at, ground axes
    std::vector<Placement> across;                ///< of each joint's frame in the child in that in the parent
    std::map<std::string, double> accelerations;  ///< u̇ of every joint, by the name of u
    std::map<std::string, double> drives;         ///< the force that drives a given coordinate, by the name of q
    double kinetic = 0, potential = 0;
    double energy_rate = 0;           ///< d(T + V)/dt
    Eigen::Vector3d linear, angular;  ///< momentum, about the ground's origin
    Eigen::Vector3d linear_rate, angular_rate;
    double open = 0, opening = 0;  ///< how far joints that are not in the path gape, and how fast
    double residual = 0;           ///< of the last linear system
    bool is_determined = true;     ///< the multipliers are unique
};

/// Values of coordinates and speeds of every joint and of rotors, by name; given motions need none.
using NamedValues = std::unordered_map<std::string, double>;

/// Bodies are placed through the joints that are not cut; the others are asked how far they gape.
NumericResult solve_numerically(const model::Model& model, const std::vector<bool>& is_cut, double t, const NamedValues& values);

}  // namespace linkwright::laws
