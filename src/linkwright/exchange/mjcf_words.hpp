#pragma once
// The words of MJCF that are known here: attributes that may stand at an element, elements that are left out.

#include <string>
#include <string_view>

#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange::mjcf {

/// A note at each attribute that MJCF does not know.
void check_attributes(const xml::Element& e, Problems& problems);
/// Elements inside a body that stand for further bodies.
bool makes_bodies(std::string_view element);
/// What is left out when this element is, in words: "cameras".
std::string words_for(std::string_view element);

}  // namespace linkwright::exchange::mjcf
