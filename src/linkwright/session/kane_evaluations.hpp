#pragma once
// Kane's equations evaluated three ways [lynch88 §4.6], counted.

#include "linkwright/formulation/kane/evaluation.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct KaneEvaluationCount {
    formulation::kane::Evaluation evaluation;
    program::Operations run, setup;
    std::size_t matrices = 0, loops = 0;  ///< of `run`: operations in formulas and in loops
    std::size_t loop_add = 0, loop_mul = 0;
    std::size_t terms = 0;  ///< products, of the expanded one
    std::string why_not;    ///< it could not be expanded altogether; the figures are a part
};

struct KaneEvaluations {
    std::string model;
    std::vector<KaneEvaluationCount> counts;
};

/// `which` is expanded, matrices, intermediates or all. The session's formulation must be kane, or none. `on_step` is told the evaluations that
/// are done; stopped: no value.
Result<KaneEvaluations> count_kane_evaluations(const Session& session, const std::string& which = "all", const OnStep& on_step = {});
Json to_json(const KaneEvaluations& result);

}  // namespace linkwright::session
