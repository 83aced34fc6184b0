#pragma once
// Ordinary differential equations ẋ = f(t, x), stepped by several methods behind one face.
//
// A stepper takes one step after the other, of the length it thinks right, and can say where the motion was at any time
// within the last one. All else is done once, for every method, by `integrate`: rows at the times asked for, events, the
// limit on work, the wish of a person to stop. So methods differ only in how they step.
//
// Solutions that must stay on a surface are put back by `project` after every accepted step. A multistep method keeps
// its memory of rates through that: it is the value alone that is corrected [eich93].
//
// Failure is a value: the report says how far the motion came and why it ended, in one sentence.

#include <functional>
#include <memory>
#include <span>

#include "linkwright/base/crossing.hpp"
#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// What a projection did to x.
enum class Projected : std::uint8_t {
    kept,  ///< nothing worth a change
    moved,
    failed,  ///< x cannot be brought back from here: the step is not to be trusted
};

/// The problem. Pointers lead to `size` numbers.
struct Ode {
    Index size = 0;
    /// Fills ẋ; false where there is none. The stepper then tries a shorter step.
    std::function<bool(double t, const double* x, double* rate)> rate;
    /// ∂ẋ/∂x by columns, for methods that want it; without it they take differences. False as above.
    std::function<bool(double t, const double* x, double* columns)> jacobian;
    std::function<Projected(double t, double* x)> project;
    VectorXd absolute;       ///< tolerance of each x_i; may be changed between steps
    double relative = 1e-8;  ///< and relative to |x_i|
    double end = 0;          ///< no step goes beyond it
    double max_step = 0;     ///< 0: no limit
    double step = 0;         ///< of methods with a fixed one
};

/// Work done.
struct OdeStatistics {
    long steps = 0, evaluations = 0, jacobians = 0, failures = 0, projections = 0;
};

/// One method at work on one problem, which must outlive it.
class Stepper {
public:
    virtual ~Stepper() = default;
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;

    /// One accepted step. False: none was possible, `why()` says so, and everything stays as it was.
    virtual bool step() = 0;
    /// x at a time between before() and now(), as accurate as the steps.
    virtual void interpolate(double t, VectorXd& x) = 0;
    /// The same for a look around: cheap, perhaps a few digits worse; if `closely`, perhaps one or two.
    virtual void glance(double t, VectorXd& x, [[maybe_unused]] bool closely) { interpolate(t, x); }
    /// Forgets the past and goes on from here: x has jumped, or means something else from now on.
    virtual void restart(double t, const VectorXd& x) = 0;

    double before() const { return before_; }
    double now() const { return now_; }
    const VectorXd& x() const { return x_; }
    const std::string& why() const { return why_; }
    const OdeStatistics& statistics() const { return statistics_; }

    /// What steps ran into since this was last forgotten, though shorter ones got by: mostly nothing.
    const std::string& obstacle() const { return obstacle_; }
    void forget_obstacle() { obstacle_.clear(); }

protected:
    Stepper() = default;
    /// Passes on what a rate or a projection says, and keeps it in mind when that is no.
    bool heed(bool is_fine, const char* otherwise = "the rates cannot be worked out beyond this point") {
        if (!is_fine) obstacle_ = otherwise;
        return is_fine;
    }
    static constexpr const char* astray = "the state cannot be brought back onto the constraints";
    double before_ = 0, now_ = 0;
    VectorXd x_;
    std::string why_, obstacle_;
    OdeStatistics statistics_;
};

/// CVODE with the Adams–Moulton formulas of order 1 to 12 and fixed-point iteration: for smooth motion.
std::unique_ptr<Stepper> make_adams(const Ode& ode, double t, const VectorXd& x);
/// CVODE with backward differences of order 1 to 5 and Newton's method: for stiff motion.
std::unique_ptr<Stepper> make_bdf(const Ode& ode, double t, const VectorXd& x);
/// ARKODE with the thirteen stages of Prince and Dormand, order 8(7). Between steps a shorter step is taken from the last one's
/// start, so rows are as accurate as steps.
std::unique_ptr<Stepper> make_runge_kutta(const Ode& ode, double t, const VectorXd& x);
/// The classical four stages with the fixed step `ode.step`.
std::unique_ptr<Stepper> make_classical(const Ode& ode, double t, const VectorXd& x);

/// What to do on the way. Every function may be absent.
struct Watch {
    /// At each of the times asked for, in order, both ends included. False: the row cannot be had, the motion has failed.
    std::function<bool(double t, const VectorXd& x)> row;
    /// After every accepted step, with the stepper free to be restarted. False: stop here, `interrupted`.
    std::function<bool(Stepper& stepper)> step;
    std::vector<Crossing> crossings;  ///< of the functions below, whose number this is
    std::function<void(double t, const VectorXd& x, VectorXd& g)> roots;
    /// g[which] crosses zero at t, between its neighbours in floating point. True: stop here, `event`.
    std::function<bool(Index which, double t, const VectorXd& x)> crossed;
    /// Said once of each: g[which] is not a number at t; g[which] turns too often within a step for all its crossings to be found.
    std::function<void(Index which, double t)> undefined, unresolved;
    long max_steps = 10'000'000;
};

/// How it ended.
struct OdeReport {
    enum class Status : std::uint8_t { reached, event, interrupted, failed };
    Status status = Status::reached;
    double t = 0;     ///< where
    std::string why;  ///< with the time in it; empty when reached or stopped by the watch
};

/// Walks along `times` (ascending; the first is the stepper's now). Zero counts as positive. An event function that is zero up
/// to rounding at the start counts from where it has clearly left zero; a pole is no crossing; several in one step come in the
/// order of their times. Steps are not shortened for events: what a function does between looks, of which there are sixteen or
/// more in a step, may be missed.
OdeReport integrate(Stepper& stepper, std::span<const double> times, const Watch& watch);

}  // namespace linkwright::solve
