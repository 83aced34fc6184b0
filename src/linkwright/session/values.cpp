#include "linkwright/session/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "linkwright/session/names.hpp"

namespace linkwright::session {

namespace {

std::vector<std::string> parts_of(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) c == at ? parts.emplace_back() : parts.back().append(1, c);
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}

std::optional<double> to_number(const std::string& text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
    return x;
}

}  // namespace

std::optional<std::vector<double>> read_values(const std::string& option, const std::string& text, const std::string& hint,
                                               Report& report) {
    const auto refuse = [&](const std::string& what) {
        report.error(fmt::format("{} {}: {}", option, text, what), hint);
        return std::nullopt;
    };
    const bool is_range = text.find(':') != std::string::npos;
    std::vector<std::string> parts = parts_of(text, is_range ? ':' : ',');
    const bool is_log = is_range && parts.size() == 4 && parts[3] == "log";
    if (is_log) parts.pop_back();
    if (is_range && parts.size() > 3) return refuse("a range is FROM:TO, FROM:TO:INTERVALS or FROM:TO:INTERVALS:log");
    std::vector<double> numbers;
    for (const std::string& part : parts) {
        const auto x = to_number(part);
        if (!x) return refuse(part.empty() ? "a number is missing" : fmt::format("'{}' is not a number", part));
        numbers.push_back(*x);
    }
    if (!is_range) {
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            if (numbers[i] == numbers[i - 1] || (numbers[i] > numbers[i - 1]) != (numbers[1] > numbers[0]))
                return refuse("the values must rise, or fall, from one to the next");
        }
        return numbers;
    }
    const double from = numbers[0], to = numbers[1], count = numbers.size() == 3 ? numbers[2] : 100;
    if (from == to) return refuse("the range is empty");
    if (count != std::floor(count) || count < 1 || count > 1e6)
        return refuse("the number of intervals must be a whole number from 1 to a million");
    if (is_log && !(from * to > 0)) return refuse("equal ratios do not pass 0");
    std::vector<double> values;
    for (double i = 0; i <= count; ++i) {
        const double part = i / count;
        values.push_back(i == 0 ? from : i == count ? to : is_log ? from * std::pow(to / from, part) : from + (to - from) * part);
    }
    return values;
}

}  // namespace linkwright::session
