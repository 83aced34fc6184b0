#pragma once
// How eigenvalues, vectors, equilibria and motions change with parameters, exactly.

#include <functional>

#include "linkwright/linear/design/sensitivity.hpp"
#include "linkwright/motion/trajectory_sensitivity.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/table.hpp"
#include "linkwright/session/time_axis.hpp"

namespace linkwright::session {

/// What changes.
enum class SensitivityOf : std::uint8_t {
    eigenvalues,  ///< λ of K x = λ M x where there are such, otherwise poles
    poles,
    vectors,
    equilibrium,  ///< the operating point itself
};

struct SensitivityOptions {
    OperatingWords operating{};
    SensitivityOf of = SensitivityOf::eigenvalues;
    std::vector<std::string> to{};  ///< parameters, or "all"
    OnStep on_step{};               ///< how much there is to do is not known
};
Diagnostics check(const SensitivityOptions& options);

struct Sensitivities {
    Names names;
    SensitivityOf of = SensitivityOf::eigenvalues;
    std::vector<std::string> parameters, units;  ///< the columns
    std::vector<double> values;                  ///< of these parameters
    std::string where;                           ///< "at equilibrium"
    numeric::OperatingPoint point;
    linear::PointDerivatives derivatives;       ///< of the point, one for each parameter
    linear::EigenvalueSensitivity eigenvalues;  ///< of eigenvalues and poles; what rounding has left of zero is zero
    linear::EigenvectorSensitivity vectors;     ///< of vectors likewise
    std::vector<std::string> notes;
};

Result<Sensitivities> sensitivity(const Session& session, const SensitivityOptions& options);
Json to_json(const Sensitivities& result);

/// There is one, and the entries mean something.
inline bool has_derivative(linear::Multiplicity s) { return s != linear::Multiplicity::defective; }

struct MotionSensitivityOptions {
    StateWords state{};
    std::vector<std::string> to{};  ///< parameters, "all", and values at the beginning: hip(0)
    TimeAxis rows{};
    double tolerance = 1e-8;
    OnStep on_step{};
};
Diagnostics check(const MotionSensitivityOptions& options);

struct MotionSensitivity {
    Names names;
    motion::TrajectorySensitivity sensitivity;
    Table table;  ///< t and d(of)/d(by)
};

Result<MotionSensitivity> motion_sensitivity(const Session& session, const MotionSensitivityOptions& options);
Json to_json(const MotionSensitivity& result);

}  // namespace linkwright::session
