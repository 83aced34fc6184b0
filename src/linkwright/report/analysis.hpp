#pragma once
// Small motions for the page: equilibrium, matrices, modes, sensitivities, sweeps, frequency responses.

#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::report {

using session::Json;

/// A parameter that the page may change, between these values, in SI units.
struct Live {
    sym::Expr symbol;
    double min = 0, max = 0;
};

struct AnalysisWords {
    std::vector<Live> live;  ///< to sweep
    session::OnStep on_step{};
};

/// What a verb could not find is a sentence in `notes`.
Json make_analysis(const session::Session& session, const AnalysisWords& words, std::vector<std::string>& notes);

}  // namespace linkwright::report
