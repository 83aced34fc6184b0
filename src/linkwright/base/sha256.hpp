#pragma once
// The SHA-256 digest of a text [fips180-4 §6.2]: which file a certificate speaks of. `sha256sum FILE` prints the same.

#include <string>
#include <string_view>

namespace linkwright {

/// 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace linkwright
