#include "linkwright/ensemble/collector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "linkwright/session/names.hpp"

namespace linkwright::ensemble {

namespace {

using session::trimmed;

constexpr std::array<const char*, 12> words{"final",  "initial", "at",  "min",      "max",    "argmin",
                                            "argmax", "mean",    "rms", "crossing", "rising", "falling"};

/// Where the first comma outside of parentheses stands; npos: nowhere.
std::size_t first_comma(const std::string& text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0 && text[i] == ',') return i;
    }
    return std::string::npos;
}

/// Does the parenthesis that opens at `open` close at the end?
bool is_one_call(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) return i + 1 == text.size();
    }
    return false;
}

/// Where a polynomial through the four samples around [k, k+1] (three or two at the ends) is zero in between.
double zero_between(std::span<const double> t, std::span<const double> x, std::size_t k) {
    const std::size_t from = k > 0 ? k - 1 : 0, to = std::min(k + 3, t.size());
    const auto value = [&](double at) {
        double sum = 0;
        for (std::size_t i = from; i < to; ++i) {
            double part = x[i];
            for (std::size_t j = from; j < to; ++j) {
                if (j != i) part *= (at - t[j]) / (t[i] - t[j]);
            }
            sum += part;
        }
        return sum;
    };
    double low = t[k], high = t[k + 1];
    const bool rises = x[k] < 0;
    for (int i = 0; i < 60; ++i) {
        const double middle = low + (high - low) / 2;
        ((value(middle) < 0) == rises ? low : high) = middle;
    }
    return low + (high - low) / 2;
}

double first_crossing(std::span<const double> t, std::span<const double> x, bool rising, bool falling) {
    for (std::size_t k = 0; k + 1 < t.size(); ++k) {
        const bool up = x[k] < 0 && x[k + 1] >= 0, down = x[k] > 0 && x[k + 1] <= 0;
        if ((up && rising) || (down && falling)) return x[k + 1] == 0 ? t[k + 1] : zero_between(t, x, k);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// ∫ f(x) dt over the whole time, divided by it.
template <class F>
double time_mean(std::span<const double> t, std::span<const double> x, F f) {
    if (t.size() == 1) return f(x[0]);
    double sum = 0;
    for (std::size_t k = 0; k + 1 < t.size(); ++k) sum += (t[k + 1] - t[k]) * (f(x[k]) + f(x[k + 1])) / 2;
    return sum / (t.back() - t.front());
}

}  // namespace

std::optional<Collector> read_collector(const std::string& text, bool has_time, session::Report& report) {
    const auto refuse = [&](const std::string& what, const std::string& hint) {
        report.error(fmt::format("--collect \"{}\": {}", text, what), hint);
        return std::nullopt;
    };
    Collector c;
    std::string rest = trimmed(text);
    if (const std::size_t equals = rest.find('='); equals != std::string::npos) {
        const bool compares = equals > 0 && (rest[equals - 1] == '<' || rest[equals - 1] == '>');
        if (!compares) c.name = trimmed(rest.substr(0, equals)), rest = trimmed(rest.substr(equals + 1));
        if (c.name.find_first_of("(),\"") != std::string::npos) return refuse("a name stands before '='", "for example \"peak = max(x)\"");
    }
    if (c.name.empty()) c.name = rest;
    if (rest.empty()) return refuse("there is no expression", "for example --collect \"final(x)\"");
    const std::size_t open = rest.find('(');
    const std::string word = open == std::string::npos ? "" : trimmed(rest.substr(0, open));
    const auto known = std::ranges::find(words, word);
    const std::string all = fmt::format("{}", fmt::join(words, ", "));
    if (!has_time) {
        if (known != words.end() && word != "min" && word != "max" && is_one_call(rest, open))
            return refuse(fmt::format("there is no time over which {} could be taken", word), "give the expression alone");
        c.expression = rest;
        return c;
    }
    if (known == words.end() || !is_one_call(rest, open))
        return refuse("it does not say what of the motion is kept", fmt::format("for example \"final({})\"; there are {}", rest, all));
    c.how = static_cast<Reduce>(1 + (known - words.begin()));
    c.expression = trimmed(rest.substr(open + 1, rest.size() - open - 2));
    const std::size_t comma = first_comma(c.expression);
    if (c.how == Reduce::at) {
        if (comma == std::string::npos) return refuse("it takes a time and an expression", "for example \"at(2, x)\"");
        const std::string time = trimmed(c.expression.substr(0, comma));
        const auto [end, trouble] = std::from_chars(time.data(), time.data() + time.size(), c.t);
        if (trouble != std::errc{} || end != time.data() + time.size() || !std::isfinite(c.t))
            return refuse(fmt::format("'{}' is not a time", time), "for example \"at(2, x)\"");
        c.expression = trimmed(c.expression.substr(comma + 1));
    } else if (comma != std::string::npos) {
        return refuse(fmt::format("{} takes one expression", word),
                      word == "min" || word == "max" ? fmt::format("of the greater of two: \"final({})\" or \"max({})\"", rest, rest) : "");
    }
    if (c.expression.empty()) return refuse("there is no expression", fmt::format("for example \"{}(x)\"", word));
    return c;
}

double reduce(const Collector& c, std::span<const double> t, std::span<const double> x) {
    switch (c.how) {
        case Reduce::value:
        case Reduce::final: return x.back();
        case Reduce::initial: return x.front();
        case Reduce::at: {
            const auto at = std::ranges::find(t, c.t);
            return at == t.end() ? std::numeric_limits<double>::quiet_NaN() : x[static_cast<std::size_t>(at - t.begin())];
        }
        case Reduce::min: return *std::ranges::min_element(x);
        case Reduce::max: return *std::ranges::max_element(x);
        case Reduce::argmin: return t[static_cast<std::size_t>(std::ranges::min_element(x) - x.begin())];
        case Reduce::argmax: return t[static_cast<std::size_t>(std::ranges::max_element(x) - x.begin())];
        case Reduce::mean: return time_mean(t, x, [](double v) { return v; });
        case Reduce::rms: return std::sqrt(time_mean(t, x, [](double v) { return v * v; }));
        case Reduce::crossing: return first_crossing(t, x, true, true);
        case Reduce::rising: return first_crossing(t, x, true, false);
        case Reduce::falling: return first_crossing(t, x, false, true);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

bool may_be_missing(const Collector& c) { return c.how == Reduce::crossing || c.how == Reduce::rising || c.how == Reduce::falling; }

bool needs_samples(const Collector& c) {
    return c.how != Reduce::final && c.how != Reduce::initial && c.how != Reduce::at && c.how != Reduce::value;
}

}  // namespace linkwright::ensemble
