#pragma once
// Forces for a prescribed motion.

#include <functional>

#include "linkwright/motion/inverse.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/state_file.hpp"
#include "linkwright/session/table.hpp"
#include "linkwright/session/time_axis.hpp"

namespace linkwright::session {

struct InverseOptions {
    std::vector<std::string> motion{};  ///< "hip = 0.5*sin(2*t)", "tool.x = 0.1*t", or a table with t and coordinates, outputs or points
    TimeAxis rows{};                    ///< without an end: the last sample
    StateWords state{};                 ///< where closing begins
    std::optional<motion::ActuatedBy> by{};  ///< empty: inputs, where there are any
    double tolerance = 1e-8;                 ///< relative, of what is integrated where the motion is not given completely
    OnStep on_step{};
};
Diagnostics check(const InverseOptions& options);

struct InverseForces {
    Names names;
    motion::Forces forces;
    Table table() const { return {forces.columns, forces.rows}; }
};

/// What ended early keeps its rows: status numerical_failure, and a value all the same.
Result<InverseForces> inverse(const Session& session, const InverseOptions& options);
Json to_json(const InverseForces& result);

}  // namespace linkwright::session
