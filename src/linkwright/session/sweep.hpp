#pragma once
// Poles along a parameter, branches followed: the root locus.

#include "linkwright/linear/design/sweep.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

/// "v=0:10:100": 100 intervals from 0 to 10; "v=1,2,5": these values.
struct SweepWords {
    std::size_t parameter = 0;
    std::string name;
    std::vector<double> values;
};

/// Empty when the words are wrong; the report says why, with `option` ("--sweep") before it.
std::optional<SweepWords> read_sweep(const std::string& option, const std::string& text, const eom::EquationsOfMotion& equations,
                                     Report& report);

/// Values are in the parameter's own unit, and every one must be such that --set would take it. The unit; empty when one is not, and the report
/// says which.
std::optional<double> checked_unit(const Session& session, const SweepWords& words, const std::string& option, const std::string& text,
                                   Watch& watch, Report& report);

struct SweepOptions {
    std::string along{};  ///< "v=0:10:100", values in the parameter's own unit
    OperatingWords operating{};
    bool lynch = false;              ///< without geometric stiffness
    std::string option = "--sweep";  ///< what messages call it
    OnStep on_step{};                ///< told the values that are done
    /// A Campbell diagram: the parameter is the speed of a rotor, and speeds are found at which a frequency is n times that. Empty: none.
    std::vector<double> orders{};
};
Diagnostics check(const SweepOptions& options);

struct SweptPoles {
    Names names;
    std::string parameter;
    linear::Sweep sweep;  ///< values in the parameter's own unit
    bool is_campbell = false;
};

/// What ended early or was stopped keeps its samples: status numerical_failure, and a value all the same.
Result<SweptPoles> sweep(const Session& session, const SweepOptions& options);
Json to_json(const SweptPoles& result);
/// The parameter, then re and im of every branch; empty where a branch has ended. Of a Campbell diagram: frequency in Hz, damping ratio and whirl
/// of every branch that oscillates.
std::string to_csv(const SweptPoles& result);

}  // namespace linkwright::session
