#pragma once
// Motion: the equations carried forward in time, constraints kept, with everything one needs to trust the result beside it.

#include <functional>

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace linkwright::motion {

using Eigen::VectorXd;
using sym::Expr;

/// How time is stepped.
enum class Integrator : std::uint8_t {
    adams,  ///< CVODE, variable order 1 … 12: smooth motion
    bdf,    ///< CVODE, variable order 1 … 5, with the exact Jacobian: stiff motion
    rk,     ///< ARKODE, explicit Runge–Kutta of order 8: short and accurate
    rk4,    ///< the classical one with a fixed step, to learn from
    ida,    ///< IDA on the descriptor form itself, stabilised: it keeps positions and speeds on the constraints whatever `keep` says
};

/// How closed chains are kept closed. Whatever the way: unit quaternions are kept on their spheres, redundant rows share the
/// load, and the rank of the constraints is decided at the start. Where they lose it on the way: `AtSingular`.
enum class ConstraintStabilization : std::uint8_t {
    projection,  ///< positions and speeds back onto the constraints after every accepted step
    baumgarte,   ///< φ̈ + 2α φ̇ + α² φ = 0 instead of φ̈ = 0
    partition,   ///< independent coordinates are integrated, the others solved for; chosen again when they turn bad
    nullspace,   ///< independent speeds from an orthogonal basis of the null space of G; decomposed again when it turns bad
    none,        ///< nothing; the drift is reported
};

/// What to do where the constraints lose rank on the way (the change point of a parallelogram): several branches meet there.
enum class AtSingular : std::uint8_t {
    pass,  ///< go on along the smooth branch (singular_passage.hpp); end where there is none, or the motion does not run through
    stop,  ///< end
};

/// A place that the coordinates cannot pass though the mechanism can. Looked at when a motion creeps or fails, to tell why.
struct Singularity {
    std::string what;        ///< "the gimbal joint 'wrist' is near its singularity"
    std::string coordinate;  ///< told with its value
    Expr value;              ///< of q, u, t and inputs
    Expr distance;           ///< 0 there, about 1 far away
    std::string advice;
};

/// An event that the caller's own code watches: where `value` crosses zero. It is called within steps, many times in each.
struct EventFunction {
    std::string name;
    std::function<double(const numeric::State&)> value;
    Crossing direction = Crossing::both;
    bool stops = false;
};

struct SimulateOptions {
    std::vector<double> times;  ///< of the rows, ascending; the first is where the motion starts
    double tolerance = 1e-8;    ///< relative
    double absolute = -1;       ///< negative: tolerance/100
    Integrator integrator = Integrator::adams;
    ConstraintStabilization keep = ConstraintStabilization::projection;
    double baumgarte = 20;  ///< α, 1/s
    AtSingular at_singular = AtSingular::pass;
    double step = 0;              ///< of rk4; 0: 1/1000 of the whole
    double max_step = 0;          ///< 0: no limit, or 1/100 of the whole where t occurs in the equations
    long max_steps = 10'000'000;  ///< between the first and the last row
    bool resumes = false;         ///< the first state is one of an earlier motion: what samples at that time has done so already
    bool keep_end = true;         ///< what ends early has one row more: the last state that was reached
    solve::DescriptorOptions solver;
    /// Closed chains: u̇ and λ by straight-line code with pivots chosen on the way (numeric/eliminated_dynamics.hpp), and by `solver` where these
    /// do not serve. Only with the null-space method, and not under feedback.
    bool eliminates = true;
    std::vector<eom::Event> events;
    std::vector<EventFunction> event_functions;
    std::vector<Singularity> singularities;
    /// What drives the inputs; empty: their own expressions, or the values in the first state where `hold_inputs`.
    std::function<void(double t, VectorXd& w)> drive;
    bool hold_inputs = false;
    /// Called at every accepted step; false stops the motion and keeps what there is.
    std::function<bool(double t)> on_step;
};

/// Why a motion ended.
enum class Stop : std::uint8_t { reached, event, interrupted, failed };

struct EventRecord {
    double t = 0;
    std::string name;
    VectorXd row;  ///< all columns at that moment
};

struct Statistics {
    long steps = 0, evaluations = 0, jacobians = 0, failures = 0, projections = 0, choices = 0;  ///< choices of independent ones
    long passages = 0;                                                                           ///< of singular positions
    long eliminations = 0;   ///< evaluations of a closed chain by straight-line code; the others took the general solver
    long pivot_choices = 0;  ///< how often its pivots were chosen
    double cpu_seconds = 0;
    double energy_error = 0;  ///< largest |E − E₀ − ∫P dt| over the rows
    double largest_kinetic = 0;
    double position = 0, velocity = 0;  ///< largest residuals over the rows
};

/// Rows are t, q, u, x, energy.kinetic, energy.potential, energy.total, constraint.position, constraint.velocity, then
/// energy.error (E − E₀ − ∫P dt), momentum.linear.x … momentum.angular.z, then the outputs.
struct Motion {
    std::vector<std::string> columns;
    std::vector<VectorXd> rows;  ///< at the times asked for; of a motion that ended early the last one is where it got to
    std::vector<EventRecord> events;
    std::vector<double> singular;  ///< times at which singular positions were passed
    Stop stop = Stop::reached;
    std::string why;     ///< a sentence with the time in it, unless reached
    std::string advice;  ///< what may help, where that is known
    double t = 0;        ///< where it ended
    Statistics statistics;
    std::vector<std::string> warnings, notes;
    bool is_ok() const { return stop != Stop::failed; }
};

/// From a consistent state (see assemble).
Motion simulate(const numeric::CompiledEquations& numbers, const numeric::State& start, const SimulateOptions& options);

}  // namespace linkwright::motion
