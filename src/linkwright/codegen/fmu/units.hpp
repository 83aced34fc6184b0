#pragma once
// SI units as products of powers of base units, as the standard wants them.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace linkwright::codegen::fmu {

inline constexpr std::array<const char*, 8> base_units{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};

/// Exponents of the base units in "N*m/rad" (grammar: model/unit.hpp); nothing for what is not made of SI units alone.
std::optional<std::array<int, 8>> exponents(std::string_view unit);

}  // namespace linkwright::codegen::fmu
