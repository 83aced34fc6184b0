#pragma once
// Bytes as letters [rfc4648 4].

#include <cstddef>
#include <span>
#include <string>

namespace linkwright::report {

std::string base64(std::span<const std::byte> bytes);

}  // namespace linkwright::report
