#include "linkwright/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linkwright {

Position position_at(std::string_view text, std::size_t offset) {
    Position p;
    for (const char c : text.substr(0, std::min(offset, text.size()))) {
        const bool continues_a_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (c == '\n') {
            ++p.line;
            p.column = 1;
        } else if (!continues_a_character) {
            ++p.column;
        }
    }
    return p;
}

std::string to_string(const Diagnostic& d) {
    using enum Diagnostic::Severity;
    const char* severity = d.severity == error ? "error" : d.severity == warning ? "warning" : "note";
    std::string s = d.file.empty() ? "" : d.file + ":";
    if (d.where.line > 0) s += fmt::format("{}:{}: ", d.where.line, d.where.column);
    s += fmt::format("{}{}: {}", s.empty() || s.back() == ' ' ? "" : " ", severity, d.what);
    if (!d.hint.empty()) s += "\n    hint: " + d.hint;
    return s;
}

std::string to_string(const Diagnostics& diagnostics) {
    std::string s;
    for (const Diagnostic& d : diagnostics) s += to_string(d) + "\n";
    return s;
}

}  // namespace linkwright
