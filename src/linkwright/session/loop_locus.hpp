#pragma once
// Poles of a loop along its gain: the root locus of feedback from what is seen to what pushes.

#include "linkwright/linear/design/loop_locus.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct LoopLocusOptions {
    std::string gains{};  ///< "0:100:200", two hundred intervals; "0.01:100:60:log", at equal ratios; "0,1,5"; below 0: positive feedback
    OperatingWords operating{};
    std::vector<std::string> from{}, to{};  ///< inputs and what is fed back to each, as many of one as of the other
    OnStep on_step{};                       ///< told the gains that are done
};
Diagnostics check(const LoopLocusOptions& options);

struct LoopPoles {
    Names names;
    std::vector<std::string> from, to;
    linear::LoopLocus locus;
};

/// What ended early or was stopped keeps its samples: status numerical_failure, and a value all the same.
Result<LoopPoles> loop_locus(const Session& session, const LoopLocusOptions& options);
Json to_json(const LoopPoles& result);
/// The gain, then re and im of every branch.
std::string to_csv(const LoopPoles& result);

}  // namespace linkwright::session
