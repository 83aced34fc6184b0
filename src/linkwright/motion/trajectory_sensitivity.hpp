#pragma once
// How a motion changes with parameters and with where it begins, to first order and exactly: not by two motions and their
// difference, but by the equations that small changes obey along the way.
//
//     S = ∂x/∂p,  x = (q, u), auxiliary states among the q
//     Ṡ = ∂ẋ/∂x S + ∂ẋ/∂p,   S(0) = ∂x₀/∂p                                  [hindmarsh05 §3.2]
//
// ẋ is never written out: M u̇ + Gᵀλ = f, G u̇ = γ are differentiated as they stand, and M δu̇ + Gᵀδλ = … is solved with the
// matrices that have been taken apart already. p may enter anywhere: through derived parameters, through the inputs' own
// expressions, through the values in [initial] (loops are closed again), through the constraints. Closed chains stay closed to
// first order as well: after each step S is put back onto ∂φ/∂q S + ∂φ/∂p = 0 and onto the same for speeds; unit quaternions
// change along their spheres only.
//
// CVODES steps x and S together; the step is as short as either needs.

#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// A value at the beginning by which to differentiate: a coordinate, speed or auxiliary state, or something of [initial] (a cut joint's coordinate).
/// The other values of [initial] stay; what loops leave undetermined beside them changes as little as it can.
struct InitialValue {
    std::string name;  ///< "hip", "hip'"
    Expr what;         ///< a symbol of q, u or x, or an expression of q and u
    bool is_speed = false;
};

/// One by the name of a coordinate, a speed, an auxiliary state, or an entry of [initial]; nothing if there is none such.
std::optional<InitialValue> find_initial(const eom::EquationsOfMotion& equations, const std::string& name);

struct TrajectoryOptions {
    /// As for simulate: times, tolerance, adams or bdf (any other: adams), drive, hold_inputs. Loops are kept by projection, and
    /// events are not looked for.
    SimulateOptions motion;
    std::vector<std::size_t> parameters;  ///< indices of equations().parameters
    std::vector<InitialValue> initial;
    /// The start changes with parameters as the values in [initial] do. False: it is the same whatever they are, but for what
    /// closing asks (a state that came from a file).
    bool start_follows = true;
    bool control_errors = true;  ///< steps are shortened for the sake of S too
};

/// Rows of `of` at every time, columns of `by`: the coordinates, the speeds, the auxiliary states, the energies, then the outputs. An output of reactions
/// that redundant constraints share arbitrarily is left out, with a note.
struct TrajectorySensitivity {
    std::vector<std::string> of;  ///< "hip", "hip'", …, "energy.kinetic", "energy.potential", "energy.total", "tip.x"
    std::vector<std::string> by;  ///< "m", …; then initial values as "hip(0)"
    std::vector<double> times;
    std::vector<VectorXd> values;       ///< of `of` themselves
    std::vector<MatrixXd> derivatives;  ///< ∂of/∂by
    Motion motion;                      ///< the motion itself, as simulate gives it; it says why there are fewer rows than asked for
    std::vector<std::string> notes;
    long steps = 0, evaluations = 0;
    double position = 0, velocity = 0;  ///< largest residuals of the differentiated constraints over the rows
    bool is_ok = true;
    bool is_wrong_input = false;  ///< something that cannot be asked: a value that follows from the others held
    std::string why;
};

/// From a closed state, the one that [initial] leads to where `start_follows`. Equations without a reduction.
TrajectorySensitivity trajectory_sensitivity(const numeric::CompiledEquations& numbers, const numeric::State& start,
                                             const TrajectoryOptions& options);

/// ∂(q, x, u)/∂p at the start: a column for each of `parameters`, then for each of `initial`.
struct StartSensitivity {
    MatrixXd columns;
    bool is_ok = true;
    bool is_wrong_input = false;
    std::string
        why;  ///< which of them cannot change: a mechanism that moves only because its lengths agree closes no more when one changes
};
StartSensitivity start_sensitivity(const numeric::CompiledEquations& numbers, const numeric::State& start,
                                   const TrajectoryOptions& options);

}  // namespace linkwright::motion
