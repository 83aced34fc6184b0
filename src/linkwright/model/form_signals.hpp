#pragma once
// Motors, filters and trajectories become auxiliary states and signals: what every later room understands.

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// ẋ = A x + B u, y = x₁ + D u in observable form: with a(s) = sⁿ + a₁sⁿ⁻¹ + … + aₙ and b(s) = D a(s) + β₁sⁿ⁻¹ + … + βₙ
///
///     ẋₖ = −aₖ/σᵏ⁻¹ x₁ + σ xₖ₊₁ + βₖ/σᵏ⁻¹ u
///
/// x₁ is the output without what passes directly. σ = 2^scale keeps the entries of A alike: with σ about the largest |aₖ|^(1/k) none is
/// much larger than σ, however fast the filter is.
struct Realisation {
    sym::Matrix A;
    std::vector<Expr> B;
    Expr D;
};
Realisation realise(const Filter& filter);
/// The scale for these coefficients.
std::int64_t scale_of(const std::vector<double>& denominator);

/// States NAME.1 … NAME.n, signals NAME and NAME.input. The coefficients are right: a leading one of the denominator that is not 0.
void form_filter(Model& model, const Filter& filter);
/// The state NAME.current or NAME.pressure (a signal, where nothing is stored), signals NAME.torque or NAME.force (on the joint) and
/// NAME.voltage or NAME.valve (its input).
void form_motor(Model& model, const Motor& motor);
/// Signals NAME, NAME', NAME''.
void form_trajectory(Model& model, const Trajectory& trajectory);

/// The names that these make.
std::string state_name(const Motor& motor);
std::string force_name(const Model& model, const Motor& motor);
std::string input_name(const Motor& motor);
bool stores(const Motor& motor);
/// Whether the freedom it drives is an angle.
bool turns(const Model& model, const Motor& motor);

/// Motors push: what they do is added to the actuators of their joints and springs.
void add_motor_forces(Model& model);

/// Filters with a period become what a computer makes of them: their states rest between samples, NAME is what is held, a state NAME.held
/// more, and `model.sampled` tells how they go on. Without this call they are the continuous filters they stand for.
void hold_samples(Model& model);
bool has_samples(const Model& model);

/// Signals and outputs, each of which is made of the next, and the last of the first; empty when there is no such circle.
struct SignalOnCircle {
    std::string name;
    Position where;
};
std::vector<SignalOnCircle> circle_of_signals(const Model& model);

}  // namespace linkwright::model
