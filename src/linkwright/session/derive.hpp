#pragma once
// The equations of motion, written to be read.

#include "linkwright/present/present.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct DeriveOptions {
    present::To to = present::To::text;
    present::Form form = present::Form::shorter;
    formulation::Axes axes = formulation::Axes::body;  ///< of B
    std::vector<std::string> only{};                   ///< of present::parts(); empty: what there is to say
    std::vector<std::string> frames{};                 ///< of "J" and "Lambda"; empty: outputs that are positions or orientations
    bool steps = false;                                ///< the worked derivation before them
    std::size_t digits = 6;                            ///< of numbers on pages, 1 to 17
    bool fragment = false;                             ///< LaTeX without \documentclass
    OnStep on_step{};                                  ///< told the entries that are done
};
Diagnostics check(const DeriveOptions& options);

/// The page. The session's formulation, or kane. Stopped: no value.
Result<std::string> derive(const Session& session, const DeriveOptions& options = {});

}  // namespace linkwright::session
