#pragma once
// The equations for the page: readable, recursive, as a worked derivation, as code.

#include "linkwright/report/symbols.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/watch.hpp"

namespace linkwright::report {

struct EquationsOnPage {
    Json json;
    std::string hash;  ///< SHA-256 of the equations, every entry exact: what `derive --to json` prints
    std::vector<std::string> notes;
};

/// `code`: files to show, {language, file, text}.
EquationsOnPage make_equations(const session::Session& session, const SymbolTable& symbols, Json code, session::Watch& watch,
                               session::Report& report);

/// That hash alone.
std::string hash_of_equations(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::report
