#include "linkwright/exchange/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace linkwright::exchange {

namespace {

constexpr std::uint32_t replacement = 0xFFFD;

void append_utf8(std::string& out, std::uint32_t c) {
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = replacement;
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0U | (c >> 6U));
        out += static_cast<char>(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0U | (c >> 12U));
        out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (c & 0x3FU));
    } else {
        out += static_cast<char>(0xF0U | (c >> 18U));
        out += static_cast<char>(0x80U | ((c >> 12U) & 0x3FU));
        out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (c & 0x3FU));
    }
}

/// Units of `width` bytes, the highest byte first or last.
std::uint32_t unit_at(std::string_view bytes, std::size_t at, std::size_t width, bool is_big) {
    std::uint32_t unit = 0;
    for (std::size_t k = 0; k < width; ++k) {
        const std::size_t byte = is_big ? k : width - 1 - k;
        unit = (unit << 8U) | static_cast<unsigned char>(bytes[at + byte]);
    }
    return unit;
}

std::string from_utf16(std::string_view bytes, bool is_big) {
    std::string out;
    out.reserve(bytes.size() / 2);
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        std::uint32_t c = unit_at(bytes, i, 2, is_big);
        if (c >= 0xD800 && c < 0xDC00 && i + 3 < bytes.size()) {
            const std::uint32_t low = unit_at(bytes, i + 2, 2, is_big);
            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10U) + (low - 0xDC00);
                i += 2;
            }
        }
        append_utf8(out, c);
    }
    return out;
}

std::string from_utf32(std::string_view bytes, bool is_big) {
    std::string out;
    out.reserve(bytes.size() / 4);
    for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) append_utf8(out, unit_at(bytes, i, 4, is_big));
    return out;
}

std::string from_latin1(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
    return out;
}

bool is_utf8(std::string_view s) {
    for (std::size_t i = 0; i < s.size();) {
        const auto c = static_cast<unsigned char>(s[i]);
        const std::size_t length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
        if (length == 0 || i + length > s.size()) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(s[i + k]) & 0xC0U) != 0x80U) return false;
        }
        i += length;
    }
    return true;
}

/// What `<?xml … encoding="…"?>` says, in small letters.
std::string declared_encoding(std::string_view text) {
    const std::string_view head = text.substr(0, std::min(text.find("?>"), std::min<std::size_t>(text.size(), 200)));
    if (!head.starts_with("<?xml")) return {};
    std::size_t at = head.find("encoding");
    if (at == std::string_view::npos) return {};
    at = head.find_first_of("\"'", at);
    if (at == std::string_view::npos) return {};
    const std::size_t end = head.find(head[at], at + 1);
    if (end == std::string_view::npos) return {};
    std::string name(head.substr(at + 1, end - at - 1));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

Decoded decode_bytes(std::string_view bytes) {
    const std::string name = declared_encoding(bytes);
    if (name == "iso-8859-1" || name == "latin1" || name == "latin-1" || name == "us-ascii" || name == "ascii") return {from_latin1(bytes)};
    if (is_utf8(bytes)) return {std::string(bytes)};
    const std::string said = name.empty() || name == "utf-8" || name == "utf8" ? "no UTF-8" : fmt::format("in the encoding '{}'", name);
    return {from_latin1(bytes), fmt::format("the text is {}; it is read as Latin-1, and letters outside of ASCII may be wrong", said)};
}

}  // namespace

Decoded decode_xml(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes.starts_with("\xEF\xBB\xBF"sv)) return decode_bytes(bytes.substr(3));
    if (bytes.starts_with("\xFF\xFE\0\0"sv)) return {from_utf32(bytes.substr(4), false)};
    if (bytes.starts_with("\0\0\xFE\xFF"sv)) return {from_utf32(bytes.substr(4), true)};
    if (bytes.starts_with("\xFF\xFE"sv)) return {from_utf16(bytes.substr(2), false)};
    if (bytes.starts_with("\xFE\xFF"sv)) return {from_utf16(bytes.substr(2), true)};
    if (bytes.starts_with("<\0\0\0"sv)) return {from_utf32(bytes, false)};
    if (bytes.starts_with("\0\0\0<"sv)) return {from_utf32(bytes, true)};
    if (bytes.starts_with("<\0"sv)) return {from_utf16(bytes, false)};
    if (bytes.starts_with("\0<"sv)) return {from_utf16(bytes, true)};
    return decode_bytes(bytes);
}

}  // namespace linkwright::exchange
