#include "linkwright/motion/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/solve/fourier.hpp"

namespace linkwright::motion {

namespace {

constexpr double pi = std::numbers::pi;

double window_at(Window window, std::size_t j, std::size_t n) {
    if (window == Window::none) return 1;
    const double s = std::sin(pi * static_cast<double>(j) / static_cast<double>(n));
    return s * s;
}

/// What a sine d lines away from one reads there, against its amplitude.
double kernel(Window window, double d) {
    d = std::abs(d);
    if (d < 1e-9) return 1;
    const double sinc = std::sin(pi * d) / (pi * d);
    if (window == Window::none) return sinc;
    return std::abs(d - 1) < 1e-9 ? 0.5 : sinc / (1 - d * d);
}

/// And at most how much, further away than a line or two.
double leak(Window window, double d) {
    d = std::abs(d);
    const double far = std::max(d, 1.0) * pi;
    return window == Window::none ? 1 / far : d < 1.5 ? 1 : 1 / (far * (d * d - 1));
}

void find_peaks(SignalSpectrum& s, const SpectrumOptions& options) {
    const std::vector<double>& a = s.amplitude;
    const std::size_t n = a.size();
    std::vector<std::size_t> tops;
    double largest = 0;
    for (std::size_t k = 1; k + 1 < n; ++k) {
        largest = std::max(largest, a[k]);
        if (a[k] >= a[k - 1] && a[k] > a[k + 1]) tops.push_back(k);
    }
    std::ranges::stable_sort(tops, [&](std::size_t i, std::size_t j) { return a[i] > a[j]; });
    std::vector<double> places;
    // What stands at 0 leaks too.
    std::vector<std::pair<double, double>> known{{0, a.empty() ? 0 : a[0]}};
    for (const std::size_t k : tops) {
        if (s.peaks.size() >= options.peaks || a[k] < options.threshold * largest) break;
        double leaked = 0;
        for (const auto& [place, amplitude] : known) leaked += amplitude * leak(options.window, static_cast<double>(k) - place);
        if (a[k] < 2 * leaked) continue;
        const bool is_above = a[k + 1] > a[k - 1];
        const double ratio = (is_above ? a[k + 1] : a[k - 1]) / a[k];
        // of a pure sine: |W(1 − d)|/|W(d)| = (1 + d)/(2 − d) with Hanning's window, d/(1 − d) without one
        const double d = std::clamp(options.window == Window::none ? ratio / (1 + ratio) : (2 * ratio - 1) / (1 + ratio), 0.0, 0.5);
        const double place = static_cast<double>(k) + (is_above ? d : -d);
        const double amplitude = a[k] / kernel(options.window, d);
        known.emplace_back(place, amplitude);
        s.peaks.push_back({place * s.resolution, amplitude});
    }
}

}  // namespace

SignalSpectrum signal_spectrum(std::span<const double> samples, double interval, const SpectrumOptions& options) {
    SignalSpectrum s;
    const auto refuse = [&](std::string why) {
        s.is_ok = false;
        s.why = std::move(why);
        return s;
    };
    const std::size_t n = samples.size();
    if (n < 4) return refuse(fmt::format("a spectrum needs four samples or more, and there {} {}", n == 1 ? "is" : "are", n));
    if (!(interval > 0) || !std::isfinite(interval)) return refuse("the interval between samples is not a positive number");
    if (!std::ranges::all_of(samples, [](double x) { return std::isfinite(x); })) return refuse("some samples are not finite");

    const double count = static_cast<double>(n), middle = (count - 1) / 2;
    double sum = 0, derivative = 0;
    for (const double x : samples) sum += x / count;
    for (std::size_t j = 0; j < n; ++j) derivative += (static_cast<double>(j) - middle) * (samples[j] - sum);
    derivative /= count * (count * count - 1) / 12;
    s.mean = sum;
    s.trend = derivative / interval;

    std::vector<solve::Complex> x(n);
    double weight = 0, square = 0;
    for (std::size_t j = 0; j < n; ++j) {
        double value = samples[j];
        if (options.remove_mean || options.remove_trend) value -= sum;
        if (options.remove_trend) value -= derivative * (static_cast<double>(j) - middle);
        const double w = window_at(options.window, j, n);
        weight += w, square += w * w;
        x[j] = w * value;
    }
    x = solve::fourier(x);
    s.resolution = 1 / (count * interval);
    s.noise_bandwidth = count * square / (weight * weight);
    for (std::size_t k = 0; k <= n / 2; ++k) {
        const bool is_single = k == 0 || 2 * k == n;  // no mirror image
        const double size = std::abs(x[k]);
        s.frequency.push_back(static_cast<double>(k) * s.resolution);
        s.amplitude.push_back((is_single ? 1 : 2) * size / weight);
        s.power.push_back((is_single ? 1 : 2) * size * size / (weight * weight));
        s.density.push_back((is_single ? 1 : 2) * size * size * interval / square);
    }
    find_peaks(s, options);
    return s;
}

}  // namespace linkwright::motion
