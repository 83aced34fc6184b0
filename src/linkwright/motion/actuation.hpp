#pragma once
// What brings the forces of a motion about, and in how many steps. An input that stands in the forces f pushes at once. The voltage of a motor
// with an inductance does not: it changes the current, and the current pushes. So the equations are solved level by level,
//
//     level 0    B₀ p₀ = the forces that are wanted        p₀: inputs in f, and states in f that inputs move
//     level j    Bⱼ pⱼ = d/dt of the states in pⱼ₋₁        pⱼ: what stands in the rates of these states, likewise
//
// until only inputs are left: the inversion of a system by differentiating what is wanted as often as it takes [hirschorn79]. All other states (a filter
// that measures, what a controller keeps) are carried along by their own rates.

#include <string>
#include <vector>

#include "linkwright/numeric/jacobian_function.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class Actuation {
public:
    struct Level {
        std::vector<std::size_t> rows;    ///< of level 0 all speeds; of others the states of the level before
        std::vector<std::size_t> inputs;  ///< what is solved for: inputs, then states
        std::vector<std::size_t> states;
        numeric::JacobianFunction B;  ///< ∂rows/∂p
    };

    Actuation() = default;
    /// By the inputs of the model. `why()` tells when that cannot be.
    explicit Actuation(const numeric::CompiledEquations& numbers);
    /// By a force along each of these speeds.
    Actuation(const numeric::CompiledEquations& numbers, std::vector<std::size_t> along);

    const std::string& why() const { return why_; }
    bool is_by_inputs() const { return along_.empty() && !levels_.empty(); }
    const std::vector<Level>& levels() const { return levels_; }
    const std::vector<std::size_t>& along() const { return along_; }
    const std::vector<std::size_t>& carried() const { return carried_; }  ///< states that are integrated

    /// B₀ at a state.
    MatrixXd matrix(const numeric::State& state) const;
    /// p of a level, put where it belongs.
    void put(std::size_t level, const VectorXd& p, numeric::State& state) const;

private:
    struct Reach;
    bool add_level(const Reach& reach, std::vector<std::size_t> rows, const std::vector<Expr>& values);
    bool can_be_differentiated(const Reach& reach);

    const numeric::CompiledEquations* numbers_ = nullptr;
    std::vector<Level> levels_;
    std::vector<std::size_t> along_, carried_;
    std::string why_;
};

}  // namespace linkwright::motion
