#pragma once
// Sections of a sheet as the page's parts: docs/formats/report.md, "a block is one of".

#include "linkwright/present/sheet.hpp"
#include "linkwright/session/json.hpp"

namespace linkwright::report {

using session::Json;

/// Text, formula or table. Formulas are counted on in `number`.
Json block_json(const present::SheetBlock& block, std::size_t& number);

/// [{id, title, collapsed, blocks}], formulas numbered from 1. Long parts are closed at first; what nobody reads to the end is cut, and that is said.
Json parts_json(const std::vector<present::SheetSection>& sections);

}  // namespace linkwright::report
