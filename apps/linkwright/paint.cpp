#include "paint.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace linkwright::cli {

namespace {

Color chosen = Color::automatic;

constexpr std::string_view code(Ink ink) {
    switch (ink) {
        case Ink::heading: return "\033[1m";
        case Ink::good: return "\033[32m";
        case Ink::bad: return "\033[1;31m";
        case Ink::doubtful: return "\033[33m";
        case Ink::faint: return "\033[2m";
    }
    return "";
}

bool has_colors(Stream stream) {
    if (chosen != Color::automatic) return chosen == Color::always;
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color != nullptr && *no_color != '\0') return false;
    const char* terminal = std::getenv("TERM");
    if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
    return ::isatty(stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

}  // namespace

void choose_color(Color color) { chosen = color; }

std::string paint(Ink ink, std::string_view text) {
    if (text.empty()) return {};
    return std::string(code(ink)).append(text).append("\033[0m");
}

std::string without_colors(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t escape = std::min(text.find("\033[", at), text.size());
        plain += text.substr(at, escape - at);
        if (escape == text.size()) break;
        const std::size_t end = text.find_first_not_of("0123456789;", escape + 2);
        const bool is_color = end != std::string_view::npos && text[end] == 'm';
        if (!is_color) plain += text.substr(escape, 2);
        at = is_color ? end + 1 : escape + 2;
    }
    return plain;
}

std::string shown(std::string_view text, Stream stream) { return has_colors(stream) ? std::string(text) : without_colors(text); }

}  // namespace linkwright::cli
