#pragma once
// Motion: rows of coordinates, speeds, energies, outputs over time.

#include <functional>

#include "linkwright/motion/simulate.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/state_file.hpp"
#include "linkwright/session/table.hpp"
#include "linkwright/session/time_axis.hpp"

namespace linkwright::session {

/// An input as a function of time; called from the thread of the call, several times a step. What it returns should be as smooth as the
/// accuracy that is asked for; where it is not finite the motion ends.
struct InputFunction {
    std::string name;
    std::function<double(double t)> value;
};

/// An event as a function of the state: what happens where it crosses zero. It gets t, the coordinates, speeds and auxiliary states by their
/// names, and the inputs. Called from the thread of the call, many times a step; where it is not a number no crossing is found.
struct EventFunction {
    std::string name;
    std::function<double(const NamedState&)> value;
    Crossing direction = Crossing::both;
    bool stops = false;  ///< otherwise it is recorded and the motion goes on
};

struct SimulateOptions {
    TimeAxis rows{};
    StateWords state{};                  ///< where to begin, closed first; none: [initial]
    std::string restart{};               ///< or the last row of an earlier result, in this file
    std::string start_from{};            ///< or the first row of this one, closed: of inverse, say
    std::string inputs{};                ///< a table of samples, a cubic spline between
    std::vector<InputFunction> drive{};  ///< or functions of time, for some of the inputs; the others keep the model's values
    double tolerance = 1e-8;             ///< relative, of a step
    std::optional<double> absolute{};
    motion::Integrator integrator = motion::Integrator::adams;
    std::optional<motion::ConstraintStabilization> constraints{};
    std::optional<double> baumgarte{};  ///< 1/s
    motion::AtSingular at_singular = motion::AtSingular::pass;
    std::optional<double> step{};  ///< of rk4; empty: a thousandth of the whole
    double max_step = 0;           ///< 0: no limit
    long max_steps = 10'000'000;
    solve::DescriptorMethod solver = solve::DescriptorOptions{}.method;
    /// Expressions that cross zero; "rising " or "falling " before them where only one direction counts, "name=" after that.
    std::vector<std::string> stop{}, record{};
    std::vector<EventFunction> events{};  ///< beside these
    bool interpret = false;               ///< no native code
    /// Called at every accepted step; false stops the motion and keeps its rows.
    OnStep on_step{};
};
/// Errors, and warnings of options that do nothing beside the others.
Diagnostics check(const SimulateOptions& options);

struct Simulation {
    Names names;
    motion::Motion motion;
    Table table() const { return {motion.columns, motion.rows}; }
};

/// A motion that failed or was stopped keeps its rows: status numerical_failure, and a value all the same.
Result<Simulation> simulate(const Session& session, const SimulateOptions& options);
Json to_json(const Simulation& simulation);

}  // namespace linkwright::session
