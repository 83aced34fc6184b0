#pragma once
// How the root of a robot is held, in words.

#include <optional>
#include <string_view>

#include "linkwright/exchange/translation.hpp"

namespace linkwright::session {

/// "fixed" or "floating".
std::optional<exchange::Base> base_named(std::string_view word);

}  // namespace linkwright::session
