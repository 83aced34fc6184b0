#pragma once
// SDF, the worlds of Gazebo, version 1.6 and later: models of links and joints whose poses may be relative to each other. docs/exchange.md says what is
// read and what is not.

#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/written.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

Translation translate_sdf(const xml::Document& document, Problems problems, const TranslateOptions& options);
Written write_sdf(const model::Model& model, const Assembled& assembled = {});

}  // namespace linkwright::exchange
