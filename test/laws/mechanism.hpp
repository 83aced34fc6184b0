#pragma once
// A model with its equations, states for it, and the laws that hold at every state of every mechanism.

#include <gtest/gtest.h>

#include <memory>

#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "support/numeric_path.hpp"
#include "support/random_model.hpp"

namespace linkwright::laws {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using model::Model;
using numeric::Evaluation;
using numeric::State;

/// Equations of a model to which outputs are added for every body and joint.
struct Mechanism {
    Model model;
    topology::Topology topology;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;

    explicit Mechanism(Model m,
                       formulation::Axes axes = formulation::Axes::body);  ///< a model without equations throws
                                                                           ///< std::runtime_error with its problems
    Mechanism(const Mechanism&) = delete;
    Mechanism& operator=(const Mechanism&) = delete;

    double output(const Evaluation& e, const std::string& name) const;  ///< throws when there is none
    Vector3d outputs(const Evaluation& e, const std::string& name, std::array<const char*, 3> parts = {".x", ".y", ".z"}) const;

    /// Every coordinate and speed by name, those of cut joints as well; speeds that [speeds] replaced, from q̇.
    NamedValues values(const State& state) const;
    /// Seeded, assembled; fails the test when it cannot be.
    State random_state(std::uint64_t seed, double size = 0.5) const;
    /// Where these values say; names that are not here are passed over.
    State state(const NamedValues& values, double t = 0) const;
    Evaluation evaluate(const State& state) const { return numeric::evaluate(*numbers, state); }
};

Model read_model(std::string_view text);

/// The points of a body that outputs look at: its origin and two others; three of them tell everything.
const std::array<Vector3d, 3>& watched_points();

/// What a mechanism is, in ground axes, whatever its coordinates: bodies by name, joints by name.
struct Physics {
    std::map<std::string, std::array<Vector3d, 3>> position, velocity, acceleration;
    std::map<std::string, std::pair<Vector3d, Vector3d>> reaction;  ///< force and torque on the child
    double kinetic = 0, potential = 0, power = 0;
    Vector3d linear, angular;
    bool is_determined = true;  ///< reactions are unique
};
Physics physics(const Mechanism& mechanism, const State& state);
/// Of one speed, by its name.
double acceleration(const Mechanism& mechanism, const Evaluation& evaluation, const std::string& speed);
/// Compares what both have.
void expect_same(const Physics& a, const Physics& b, double tolerance = 1e-8);

/// M is symmetric and positive definite, T = ½uᵀMu (when nothing moves by itself), dE/dt is the power, φ, rate, G and γ
/// are derivatives of each other, momenta change as forces say.
void expect_laws(const Mechanism& mechanism, const State& state);
/// Everything agrees with the maximal coordinates.
void expect_numeric_path(const Mechanism& mechanism, const State& state);
/// How many seeds a random test takes: few, or as many as SEEDS in the environment says.
std::uint64_t seeds();
/// Both, at `states` random states.
void expect_sound(const Mechanism& mechanism, std::uint64_t seed, int states = 2);

}  // namespace linkwright::laws
