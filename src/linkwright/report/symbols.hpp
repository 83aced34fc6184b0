#pragma once
// What the page knows of every name: how LaTeX writes it, what it is, its unit and its value.

#include "linkwright/eom/equations.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/present/words.hpp"
#include "linkwright/session/json.hpp"

namespace linkwright::report {

using session::Json;

struct SymbolTable {
    Json json;                                         ///< the list of docs/formats/report.md
    present::Spellings spellings;                      ///< \htmlData{symbol=NUMBER}{…} for every name of the list
    std::string latex(const std::string& name) const;  ///< without \htmlData, also of names that are not in the list
    present::Spellings plain;                          ///< of [symbols]
};

SymbolTable make_symbols(const model::Model& model, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::report
