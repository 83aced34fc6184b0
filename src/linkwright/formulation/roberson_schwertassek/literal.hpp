#pragma once
// The same quantities written out as the paper prints them: every sum over bodies and arcs, everything in ground axes.
//
// This is what explain() shows, and what the accumulated terms are tested against. The cost is the third power of the number of
// bodies; derive() does not use it.

#include "linkwright/formulation/roberson_schwertassek/terms.hpp"
#include "linkwright/topology/matrices.hpp"

namespace linkwright::formulation::roberson_schwertassek {

/// Indices are bodies, and arcs by the body they lead to; the ground is 0 and stands in the first place of the tables of bodies.
struct Literal {
    topology::Incidence graph;
    std::vector<std::vector<Vec3>> a_hat;           ///< [i][j], axes of body i                                  [forehand (50)]
    std::vector<std::vector<Vec3>> d;               ///< [i][j], A[0,i] a_hat[i,j]                         [forehand (64)–(67)]
    std::vector<std::vector<spatial::Mat3>> K;      ///< [i][k]                                                  [forehand (42)]
    std::vector<Vec3> Q_I, Q_II, Q_III, Q_IV, Q_V;  ///< [i]                                              [forehand (84)–(98)]
    std::vector<Wrench> Q_second, Q_prime;          ///< [i]                                              [forehand (84), (101)]
    std::vector<Wrench> Q;                          ///< [a], axes of f(a)                                       [forehand (80)]

    int S(BodyIndex i, BodyIndex arc) const { return i == model::ground ? graph.S_0(0, arc - 1) : graph.S_A(i - 1, arc - 1); }
    int T(BodyIndex arc, BodyIndex i) const { return i == model::ground ? 0 : graph.T(arc - 1, i - 1); }
};
Literal write_out(const System& system, const Terms& terms);

/// The blocks of J[a,b], rows in the axes of f(a), columns in those of f(b).   [forehand (38), (40)]
struct Blocks {
    spatial::Mat3 J_11, J_12, J_21, J_22;
};
Blocks inertia_between(const System& system, const Terms& terms, const Literal& literal, BodyIndex a, BodyIndex b);

/// J φ, a torque above a force.
Wrench operator*(const Blocks& J, const Twist& phi);

}  // namespace linkwright::formulation::roberson_schwertassek
