#pragma once
// The matrices of a linear model as formulas in the parameters, to be read.

#include "linkwright/present/present.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct LinearPageOptions {
    OperatingWords operating{};
    present::To to = present::To::text;
    std::vector<std::string> keep{};  ///< coordinates and speeds that stay symbols, or "all"
    bool lynch = false;               ///< K without geometric stiffness
    bool state_space = false;         ///< go on to independent coordinates and to A
    std::vector<std::string> onto{};  ///< these independent, if they can be; with state_space only
    OnStep on_step{};                 ///< told the entries that are done
};
Diagnostics check(const LinearPageOptions& options);

/// The session's formulation, or kane.
Result<std::string> linear_page(const Session& session, const LinearPageOptions& options = {});

}  // namespace linkwright::session
