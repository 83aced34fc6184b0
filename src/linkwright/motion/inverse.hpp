#pragma once
// Inverse dynamics: what must push so that a mechanism moves as prescribed.
//
//     φ(q, t) = 0 and y(q, t) = y₀(t)    positions, from what is prescribed and the constraints
//     N u = ẏ₀ − ν and G u = −∂φ/∂t      speeds, N = ∂ẏ/∂u; accelerations likewise
//     B w + (f at w = 0) = M u̇ + Gᵀλ     the inputs w, B = ∂f/∂w, and the multipliers
//
// What is prescribed, y, are coordinates, or any functions of them: the position of a tool, the coordinate of a joint that closes a loop. The coordinates
// that are not prescribed follow by Newton's method, in steps along time that are short enough to stay on the branch where the mechanism is. Of λ only what the constraints cannot carry
// is left to the inputs: Zᵀ B w = Zᵀ(M u̇ − f), Z a basis of the motions that G allows. When inputs are more than these rows
// decide (overactuated), the w of least length is taken, and said; when they are too few, what is missing is said.
//
// Where the prescribed motion leaves degrees of freedom open, a note says which, and how they move. Where inputs push along all of them (a redundant arm), so that
// ½ uᵀM u is least among all speeds that follow the path (least_energy.hpp). Where nothing pushes (the pendulum on a cart, a beam that bends), by their own equations from the
// speeds of the start, Pᵀ(M u̇ − f) = 0 with PᵀB = 0 and G P = 0. Both are differential equations, integrated to `tolerance`; after each step q goes back to the path, so
// that nothing drifts away from it.
//
// Inputs of motors and filters are found through their states (actuation.hpp); states that no input moves are integrated along.

#include <functional>
#include <limits>

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// The motion asked for: functions of time of some coordinates and outputs.
struct Prescription {
    std::vector<std::size_t> coordinates;  ///< which, as indices of q
    /// Fills values, rates and second derivatives, in the order of coordinates, then of outputs.
    std::function<void(double t, VectorXd& y, VectorXd& ydot, VectorXd& yddot)> at;
    struct Output {
        std::string name;
        Expr value;  ///< an expression of q, t and parameters
    };
    std::vector<Output> outputs{};
    double first = -std::numeric_limits<double>::infinity(), last = std::numeric_limits<double>::infinity();  ///< where `at` is known
};

/// What does the pushing.
enum class ActuatedBy : std::uint8_t {
    inputs,       ///< the model's inputs
    coordinates,  ///< a force or torque along every speed that the prescribed coordinates move
};

struct InverseOptions {
    std::vector<double> times;
    ActuatedBy by = ActuatedBy::inputs;
    double tolerance = 1e-8;  ///< relative, of what is integrated; speeds that a singular position makes worse than that are not given
    std::function<bool(double t)> on_step;  ///< false stops and keeps what there is
};

/// Columns: t, the inputs (or NAME.force for each speed), coordinates, speeds, auxiliary states, accelerations, multipliers, outputs.
struct Forces {
    std::vector<std::string> columns;
    std::vector<VectorXd> rows;
    bool is_ok = true;
    bool is_wrong_input = false;     ///< the prescription itself cannot be: too little or too much is said
    std::string why;                 ///< with the time in it
    std::vector<std::string> notes;  ///< how a choice was made
};

/// `start` is where closing begins (coordinates that are not prescribed), and where what is integrated begins.
Forces inverse(const numeric::CompiledEquations& numbers, const numeric::State& start, const Prescription& prescription,
               const InverseOptions& options);

}  // namespace linkwright::motion
