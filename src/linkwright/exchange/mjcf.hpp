#pragma once
// MJCF, the models of MuJoCo. docs/exchange_mjcf.md says what is read, what is left out, and how coordinates correspond.

#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/written.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

Translation translate_mjcf(const xml::Document& document, Problems problems, const TranslateOptions& options);
Written write_mjcf(const model::Model& model, const Assembled& assembled = {});

}  // namespace linkwright::exchange
