#pragma once
// Multiple scales for the page: the result in formulas, backbone curves and the response to an excitation, with points of the full equations over them.

#include "linkwright/report/symbols.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::report {

/// Null where the method does not apply, with the reason in `notes`.
Json make_perturbation(const session::Session& session, const SymbolTable& symbols, const session::OnStep& on_step,
                       std::vector<std::string>& notes);

}  // namespace linkwright::report
