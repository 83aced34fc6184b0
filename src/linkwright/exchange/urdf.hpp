#pragma once
// URDF, the robots of ROS: a tree of links. docs/exchange.md says what is read and what is not.

#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/written.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

Translation translate_urdf(const xml::Document& document, Problems problems, const TranslateOptions& options);
Written write_urdf(const model::Model& model, const Assembled& assembled = {});

}  // namespace linkwright::exchange
