#pragma once
// Small motions about an equilibrium or any state: M, C, K, B and A, B, C, D, in numbers.

#include "linkwright/linear/linearize.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct LinearizeOptions {
    OperatingWords operating{};
    std::vector<std::string> onto{};  ///< only these coordinates (or speeds), in this order
    bool lynch = false;               ///< without the geometric stiffness of constraint forces [lynch88 (6.6)]
    OnStep on_step{};                 ///< how much there is to do is not known
};
Diagnostics check(const LinearizeOptions& options);

struct LinearModel {
    Names names;
    std::vector<std::string> multipliers;  ///< symbols
    linear::Linearization linear;
    std::vector<std::string> units;                                         ///< of linear.s
    std::vector<std::string> state_units{}, input_units{}, output_units{};  ///< SI, of A, B, C, D; empty where unknown
};

Result<LinearModel> linearize(const Session& session, const LinearizeOptions& options = {});
Json to_json(const LinearModel& model);

/// Names of those of `names` that `which` says.
std::vector<std::string> picked(const std::vector<std::string>& names, const std::vector<std::size_t>& which);
/// Names of the rates of y: the speeds, or ẏ itself where other speeds have been replaced.
std::vector<std::string> rates(const linear::Linearization& linear);
std::vector<std::string> states(const linear::Linearization& linear);

/// Every name of `asked` is one of `known`, and stands once; otherwise the report says so, with `option` before it.
bool are_known(const std::string& option, const std::vector<std::string>& asked, const std::vector<std::string>& known, Report& report);
bool are_single(const std::string& option, const std::vector<std::string>& asked, Report& report);

}  // namespace linkwright::session
