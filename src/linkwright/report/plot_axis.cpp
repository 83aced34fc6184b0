#include "linkwright/report/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace linkwright::report {
namespace {

constexpr int most_digits = 6;  ///< of a label, before something is taken out of it

/// 1, 2 or 5 times a power of ten, at least x.
double round_step(double x) {
    const double power = std::pow(10.0, std::floor(std::log10(x)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= x * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

int exponent_of(double x) { return x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(x)) + 1e-9)); }

/// −3 as "⁻³"
std::string superscript(int n) {
    constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (const char x : std::to_string(n)) text += x == '-' ? "⁻" : digits[x - '0'];
    return text;
}

/// A minus sign, not a hyphen; no minus before nothing.
std::string written(double x, int decimals) {
    std::string text = fmt::format("{:.{}f}", x, std::max(decimals, 0));
    if (!text.starts_with('-')) return text;
    text.erase(0, 1);
    return text.find_first_of("123456789") == std::string::npos ? text : "−" + text;
}

void put_labels(Axis& axis, double step) {
    const int fine = exponent_of(step);
    double offset = 0;
    if (const double largest = std::max(std::abs(axis.ticks.front()), std::abs(axis.ticks.back()));
        exponent_of(largest) - fine >= most_digits && axis.ticks.front() * axis.ticks.back() > 0) {
        offset = axis.ticks.front();  // all labels would begin with the same digits
        axis.factor = (offset < 0 ? "− " : "+ ") + fmt::format("{:.{}g}", std::abs(offset), exponent_of(largest) - fine + 1);
    }
    double largest = 0;
    for (const double x : axis.ticks) largest = std::max(largest, std::abs(x - offset));
    const int coarse = exponent_of(largest);
    const bool is_scaled = coarse > 4 || fine < -4;
    const int taken = is_scaled ? coarse : 0;
    if (is_scaled) axis.factor = "×10" + superscript(taken) + (axis.factor.empty() ? "" : " " + axis.factor);
    for (const double x : axis.ticks) axis.labels.push_back(written((x - offset) / std::pow(10.0, taken), taken - fine));
}

}  // namespace

Axis make_axis(std::span<const std::span<const double>> values, double margin, std::size_t wanted) {
    Axis axis;
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const std::span<const double>& list : values) {
        for (const double x : list) {
            if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
        }
    }
    // rounding alone is no range, and none is wider than numbers are
    constexpr double least = 1e-290, most = std::numeric_limits<double>::max() / 4;
    const double size = std::max(std::abs(low), std::abs(high));
    low = std::clamp(low, -most, most), high = std::clamp(high, -most, most);
    if (high - low <= std::max(1e-13 * size, least)) {
        const double half = size > least ? 0.1 * size : 1;
        low -= half, high += half;
    } else {
        const double free = margin * (high - low);
        low -= free, high += free;
    }
    axis.low = low, axis.high = high;
    double step = 0;
    for (std::size_t many = std::max<std::size_t>(wanted, 1); axis.ticks.size() < 2; ++many) {  // one tick alone is no scale
        step = round_step((high - low) / static_cast<double>(many));
        axis.ticks.clear();
        const double slack = 1e-9 * step;
        for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) axis.ticks.push_back(k * step);
    }
    put_labels(axis, step);
    return axis;
}

}  // namespace linkwright::report
