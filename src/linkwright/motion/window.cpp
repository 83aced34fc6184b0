#include "linkwright/motion/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace linkwright::motion {

namespace {

constexpr double pi = std::numbers::pi;

constexpr std::array<double, 2> hanning{0.5, 0.5};
constexpr std::array<double, 2> hamming{0.54, 0.46};
constexpr std::array<double, 3> blackman{0.42, 0.5, 0.08};
constexpr std::array<double, 4> blackman_harris{0.35875, 0.48829, 0.14128, 0.01168};
constexpr std::array<double, 5> flat_top{0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};
constexpr std::array<double, 1> none{1};

struct Entry {
    std::span<const double> a;
    std::string_view about;
};
constexpr std::array<std::string_view, 6> names{"hanning", "hamming", "blackman", "blackman-harris", "flat-top", "none"};
constexpr std::array<Entry, 6> entries{{{hanning, "Hanning window"},
                                        {hamming, "Hamming window"},
                                        {blackman, "Blackman window"},
                                        {blackman_harris, "Blackman-Harris window"},
                                        {flat_top, "flat-top window"},
                                        {none, "no window"}}};

std::span<const double> coefficients(Window window) { return entries[static_cast<std::size_t>(window)].a; }

/// a_0/d + Σ (−1)^m a_m d/(d² − m²); d is none of the m.
double shape(std::span<const double> a, double d) {
    double sum = a[0] / d;
    for (std::size_t m = 1; m < a.size(); ++m) {
        const auto at = static_cast<double>(m);
        sum += (m % 2 == 0 ? 1 : -1) * a[m] * d / (d * d - at * at);
    }
    return sum;
}

}  // namespace

std::span<const std::string_view> window_names() { return names; }
std::string_view to_string(Window window) { return names[static_cast<std::size_t>(window)]; }
std::string_view about(Window window) { return entries[static_cast<std::size_t>(window)].about; }

double lobe_width(Window window) { return static_cast<double>(coefficients(window).size()); }

double window_at(Window window, std::size_t j, std::size_t n) {
    const std::span<const double> a = coefficients(window);
    double sum = a[0];
    for (std::size_t m = 1; m < a.size(); ++m)
        sum += (m % 2 == 0 ? 1 : -1) * a[m] * std::cos(2 * pi * static_cast<double>(m * j % n) / static_cast<double>(n));
    return sum;
}

/// sin(πd)/(d − m) goes by the distance to the nearest whole number, so that nothing cancels beside one.
double kernel(Window window, double d) {
    const std::span<const double> a = coefficients(window);
    d = std::abs(d);
    const double line = std::round(d), beside = d - line, sign = std::fmod(line, 2) == 0 ? 1 : -1;
    const double sine = sign * std::sin(pi * beside) / pi, ratio = beside == 0 ? sign : sine / beside;
    double sum = 0;
    for (std::size_t m = 0; m < a.size(); ++m) {
        const auto at = static_cast<double>(m);
        const double part = line == at ? ratio : sine / (d - at);
        sum += (m % 2 == 0 ? 1 : -1) * a[m] * part * (m == 0 ? 1 : d / (d + at));
    }
    return sum / a[0];
}

double leak(Window window, double d) {
    const std::span<const double> a = coefficients(window);
    d = std::abs(d);
    if (a.size() == 1) return 1 / (pi * std::max(d, 1.0));
    if (d < static_cast<double>(a.size()) - 0.5) return 1;
    if (std::abs(d - std::round(d)) < 1e-7) d += 1e-7;
    return std::abs(shape(a, d)) / (pi * a[0]);
}

double offset(Window window, double ratio) {
    double low = 0, high = 0.5;
    for (int k = 0; k < 60; ++k) {
        const double d = (low + high) / 2;
        (std::abs(kernel(window, 1 - d)) < ratio * std::abs(kernel(window, d)) ? low : high) = d;
    }
    return (low + high) / 2;
}

}  // namespace linkwright::motion
