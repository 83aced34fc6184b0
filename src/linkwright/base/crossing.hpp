#pragma once
// In which direction an event crosses zero. A model asks for it ("rising" is up, "falling" is down), equations carry it, integrators watch.

#include <cstdint>

namespace linkwright {

enum class Crossing : std::uint8_t { both, up, down };

}  // namespace linkwright
