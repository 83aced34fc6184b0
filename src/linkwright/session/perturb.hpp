#pragma once
// Multiple scales: modulation of amplitudes, resonances, backbone curves, steady states; frequency responses.

#include "linkwright/session/json.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/perturb_study.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/table.hpp"

namespace linkwright::session {

struct PerturbOptions {
    OperatingWords operating{};
    std::optional<long> degree{};                            ///< highest of the expanded equations: 3
    std::optional<long> order{};                             ///< highest power of ε in the modulation equations: the degree less 1
    std::optional<long> damping{}, forcing{}, parametric{};  ///< their powers of ε; empty: chosen
    std::vector<std::string> keep{};                         ///< coordinates wished independent in closed chains
    double closeness = 0.1;                                  ///< a detuning up to this part of the frequency counts as resonance
    bool numeric = false;                                    ///< no formulas, also where they can be had
    OnStep on_step{};                                        ///< told the stages that are done; of a response the steps of its range
};
Diagnostics check(const PerturbOptions& options);

/// Stopped, this and what follows have no value, but for a comparison that has compared something.
Result<Study> perturb(const Session& session, const PerturbOptions& options = {});

struct ResponseOptions {
    PerturbOptions perturb{};
    std::string range{};  ///< "0.8:1.2:100": from, until in rad/s, steps
};
Diagnostics check(const ResponseOptions& options);

/// Steady states along the frequency of the excitation.
struct SteadyResponse {
    std::string model;
    std::size_t modes = 0;
    perturb::FrequencyResponse response;
};
Result<SteadyResponse> steady_response(const Session& session, const ResponseOptions& options);
Json to_json(const SteadyResponse& response);
Table to_table(const SteadyResponse& response);

/// The sentence for a mechanism that the method cannot treat.
std::string does_not_apply(const std::string& why);

/// A study on its way: what a comparison goes on from.
struct StudyInProgress {
    Study study;
    OperatingState where;
    perturb::Expansion expansion;
    perturb::ExpansionOptions expanding;
    perturb::ScalesOptions scaling;
};
/// `with_formulas`: where they can be had. Empty when the method does not apply or it is not to go on, and the report says why. The watch must
/// outlive the result.
std::optional<StudyInProgress> begin_study(const PerturbOptions& options, const numeric::CompiledEquations& numbers, bool with_formulas,
                                           Watch& watch, Report& report);
/// The orders that were asked for are those of terms that are there.
bool are_orders_used(const PerturbOptions& options, const Study& study, Report& report);

}  // namespace linkwright::session
