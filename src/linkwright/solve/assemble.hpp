#pragma once
// Closing loops: find x near a guess with φ(x) = 0.
//
// A mechanism's closure equations are usually square in no sense: there are more unknowns than equations (it moves),
// and often more equations than independent ones (spatial loops of planar linkages). So each step is the shortest that
// the linearisation asks for, through a singular value decomposition, within a trust region whose radius is met
// exactly; far from a solution that is Levenberg–Marquardt, near one Gauss–Newton with its quadratic convergence.
//
// "Near" is meant: the solution found from the guess itself is taken, and only when there is none are other starts
// tried, first close by, then further away, always the same ones.

#include <functional>
#include <span>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Fills φ(x) and ∂φ/∂x (rows of φ, columns of x), always in the same sizes. What is not finite is "not there".
using Closure = std::function<void(const VectorXd& x, VectorXd& phi, MatrixXd& jacobian)>;

/// How hard to try, and how far from the guess.
struct AssembleOptions {
    double tolerance = 1e-13;     ///< polished to this, relative to the scale of each row
    double accepted = 1e-9;       ///< and good enough when rounding or a singular position allows no better
    Index iterations = 100;       ///< for each start
    Index starts = 24;            ///< further ones, when the guess leads nowhere
    double nearest_start = 0.05;  ///< how far away the first of them are; grows fourfold by fourfold, up to 3.2
    std::uint64_t seed = 1;
    VectorXd spread;  ///< what "far" means for each unknown; empty: 1 for all
    double rank_tolerance = default_rank_tolerance;
    /// Called on every new x, if given: puts unit quaternions back on their sphere. Held unknowns stay what they were.
    std::function<void(VectorXd& x)> normalise;
};

/// What was found. The scale of row i is max_j |∂φ_i/∂x_j| · max(1, |x|) at the guess.
struct Assembly {
    VectorXd x;            ///< finite in any case; the closest approach to a closure when not ok
    double residual = 0;   ///< largest |φ_i|
    Index worst = -1;      ///< the row where |φ_i| is largest against its scale; −1 without rows
    Index iterations = 0;  ///< of all starts together
    Index rank = 0;        ///< of ∂φ/∂x at x, among the unknowns that are not held: free ones less rank can still move
    double moved = 0;      ///< largest |x_i − guess_i|
    Index start = 0;       ///< 0: from the guess itself; otherwise the number of the start that led here
    bool ok = false;
    std::string why;
};

/// Closes φ(x) = 0 near `guess`. The unknowns listed in `held` keep their values exactly.
Assembly assemble(const Closure& closure, const VectorXd& guess, std::span<const Index> held = {}, const AssembleOptions& options = {});

/// The linear part: the u nearest to `guess` with A u = b, held ones exact. When A u = b cannot be met, u meets it best
/// in least squares, ok is false, and `residual` says by how much. `errors`: of the entries of each row, where they are known.
Solution project(const MatrixXd& A, const VectorXd& b, const VectorXd& guess, std::span<const Index> held = {}, const VectorXd& errors = {},
                 double tolerance = default_rank_tolerance);

}  // namespace linkwright::solve
