#include "linkwright/model/lynch_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace linkwright::model {

namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
    return s;
}

struct Coordinate {
    std::size_t begin, end;
    std::string number;
};

/// The next PHI[…] from `at` on.
std::optional<Coordinate> next_coordinate(std::string_view text, std::size_t at) {
    for (; (at = text.find("PHI", at)) != std::string_view::npos; at += 3) {
        if (at > 0 && is_word(text[at - 1])) continue;
        std::size_t k = at + 3;
        const auto skip = [&] {
            while (k < text.size() && is_space(text[k])) ++k;
        };
        skip();
        if (k == text.size() || text[k] != '[') continue;
        ++k;
        skip();
        const std::size_t digits = k;
        while (k < text.size() && is_digit(text[k])) ++k;
        const std::string number(text.substr(digits, k - digits));
        skip();
        if (number.empty() || k == text.size() || text[k] != ']') continue;
        return Coordinate{at, k + 1, number};
    }
    return std::nullopt;
}

/// The text with each PHI[i] replaced by what `by` makes of it.
template <class By>
std::string replaced(std::string_view text, By by) {
    std::string s;
    std::size_t at = 0;
    while (const auto c = next_coordinate(text, at)) {
        s += text.substr(at, c->begin - at);
        s += by(*c);
        at = c->end;
    }
    return s += text.substr(at);
}

}  // namespace

bool has_coordinate(std::string_view text) { return next_coordinate(text, 0).has_value(); }

std::string with_names(std::string_view text) {
    return replaced(text, [](const Coordinate& c) { return fmt::format("{:<{}}", "PHI" + c.number, c.end - c.begin); });
}

std::string without_coordinates(std::string_view text) {
    const std::string zeros = replaced(text, [](const Coordinate&) { return "0"; });
    std::string_view s = trimmed(zeros);
    if (s.ends_with('0')) {  // "L + 0", "-0"
        const std::string_view before = trimmed(s.substr(0, s.size() - 1));
        if (before.ends_with('+') || before.ends_with('-')) s = trimmed(before.substr(0, before.size() - 1));
    }
    return s.empty() ? "0" : std::string(s);
}

std::string toml_scalar(const std::string& text) {
    std::string_view s = text;
    if (s.starts_with('-') || s.starts_with('+')) s.remove_prefix(1);
    const auto digits = [&] {
        const auto n = static_cast<std::size_t>(std::ranges::find_if_not(s, is_digit) - s.begin());
        s.remove_prefix(n);
        return n;
    };
    const bool has_leading_zero = s.starts_with('0');
    const std::size_t whole = digits();
    bool is_plain = whole == 1 || (whole > 1 && whole < 16 && !has_leading_zero);
    if (is_plain && s.starts_with('.')) {
        s.remove_prefix(1);
        is_plain = digits() > 0;
    }
    return is_plain && s.empty() ? text : fmt::format("\"{}\"", text);
}

std::string negated(const std::string& text) {
    if (is_zero_text(text)) return "0";
    std::string_view s = trimmed(text);
    const bool is_negative = s.starts_with('-');
    if (is_negative) s = trimmed(s.substr(1));
    const bool is_simple = !s.empty() && std::ranges::all_of(s, [](char c) { return is_word(c) || c == '.'; });
    if (!is_simple) return fmt::format("-({})", text);
    return (is_negative ? "" : "-") + std::string(s);
}

bool is_zero_text(std::string_view text) {
    text = trimmed(text);
    double x = 1;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
    return problem == std::errc{} && end == text.data() + text.size() && x == 0;
}

}  // namespace linkwright::model
