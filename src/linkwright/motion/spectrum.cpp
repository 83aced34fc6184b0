#include "linkwright/motion/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/solve/fourier.hpp"

namespace linkwright::motion {

namespace {

constexpr double pi = std::numbers::pi;

/// Segments of one length that overlap, from the first sample on; a few samples at the end may belong to none.
struct Segments {
    std::size_t length = 0, step = 0, count = 1;
};

Segments cut(std::size_t samples, const SpectrumOptions& options) {
    const auto n = static_cast<double>(samples), count = static_cast<double>(options.segments);
    if (options.segments <= 1) return {samples, samples, 1};
    const auto length = static_cast<std::size_t>(n / (1 + (count - 1) * (1 - options.overlap)));
    const auto step = static_cast<std::size_t>(static_cast<double>(length) * (1 - options.overlap));
    return {length, std::max<std::size_t>(step, 1), options.segments};
}

/// The samples without what is to be removed, and what that is.
std::vector<double> prepared(std::span<const double> samples, double interval, const SpectrumOptions& options, SignalSpectrum& s) {
    const double count = static_cast<double>(samples.size()), middle = (count - 1) / 2;
    double sum = 0, derivative = 0;
    for (const double x : samples) sum += x / count;
    for (std::size_t j = 0; j < samples.size(); ++j) derivative += (static_cast<double>(j) - middle) * (samples[j] - sum);
    derivative /= count * (count * count - 1) / 12;
    s.mean = sum;
    s.trend = derivative / interval;
    std::vector<double> x(samples.begin(), samples.end());
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (options.remove_mean || options.remove_trend) x[j] -= sum;
        if (options.remove_trend) x[j] -= derivative * (static_cast<double>(j) - middle);
    }
    return x;
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
    // What stands at 0 leaks too.
    std::vector<std::pair<double, double>> known{{0, a.empty() ? 0 : a[0]}};
    for (const std::size_t k : tops) {
        if (s.peaks.size() >= options.peaks || a[k] < options.threshold * largest) break;
        double leaked = 0;
        for (const auto& [place, amplitude] : known) leaked += amplitude * leak(options.window, static_cast<double>(k) - place);
        if (a[k] < 2 * leaked) continue;
        const bool is_above = a[k + 1] > a[k - 1];
        const double d = offset(options.window, (is_above ? a[k + 1] : a[k - 1]) / a[k]);
        const double place = static_cast<double>(k) + (is_above ? d : -d);
        const double amplitude = a[k] / kernel(options.window, d);
        known.emplace_back(place, amplitude);
        s.peaks.push_back({place * s.resolution, amplitude});
    }
}

/// Mean over the segments of |Σ w x e^(−iωt)|², at any frequency.
double square_at(double frequency, std::span<const double> x, double interval, const Segments& cut, std::span<const double> window) {
    double sum = 0;
    const double angle = 2 * pi * frequency * interval;
    for (std::size_t i = 0; i < cut.count; ++i) {
        solve::Complex part = 0;
        for (std::size_t j = 0; j < cut.length; ++j) {
            const double turn = std::remainder(angle * static_cast<double>(j), 2 * pi);
            part += window[j] * x[i * cut.step + j] * solve::Complex(std::cos(turn), -std::sin(turn));
        }
        sum += std::norm(part);
    }
    return sum / static_cast<double>(cut.count);
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
    const Segments segments = cut(n, options);
    if (segments.length < 4) return refuse(fmt::format("{} samples are too few for {} segments of four or more", n, options.segments));
    s.segment = segments.length;

    const std::vector<double> x = prepared(samples, interval, options, s);
    const std::size_t length = segments.length;
    const auto count = static_cast<double>(length);
    std::vector<double> window(length);
    double weight = 0, square = 0;
    for (std::size_t j = 0; j < length; ++j) {
        window[j] = window_at(options.window, j, length);
        weight += window[j], square += window[j] * window[j];
    }
    s.resolution = 1 / (count * interval);
    s.noise_bandwidth = count * square / (weight * weight);
    std::vector<double> mean_square(length / 2 + 1);  // of |X|, over the segments
    std::vector<solve::Complex> part(length);
    for (std::size_t i = 0; i < segments.count; ++i) {
        for (std::size_t j = 0; j < length; ++j) part[j] = window[j] * x[i * segments.step + j];
        const std::vector<solve::Complex> X = solve::fourier(part);
        for (std::size_t k = 0; k < mean_square.size(); ++k) mean_square[k] += std::norm(X[k]) / static_cast<double>(segments.count);
    }
    for (std::size_t k = 0; k < mean_square.size(); ++k) {
        const double sides = k == 0 || 2 * k == length ? 1 : 2;  // with its mirror image
        s.frequency.push_back(static_cast<double>(k) * s.resolution);
        s.amplitude.push_back(sides * std::sqrt(mean_square[k]) / weight);
        s.power.push_back(sides * mean_square[k] / (weight * weight));
        s.density.push_back(sides * mean_square[k] * interval / square);
    }
    find_peaks(s, options);
    if (options.harmonics == 0) return s;

    if (!options.fundamental && s.peaks.empty()) return refuse("there is no peak that could be the fundamental");
    const double fundamental = options.fundamental.value_or(s.peaks.empty() ? 0 : s.peaks.front().frequency), half = 0.5 / interval;
    if (!(fundamental > 0) || !(fundamental < half))
        return refuse(fmt::format("a fundamental of {:.6g} Hz is not between 0 and half the sampling rate, {:.6g} Hz", fundamental, half));
    s.harmonics.lines_apart = fundamental / s.resolution;
    std::vector<Harmonic>& list = s.harmonics.list;
    for (std::size_t k = 1; k <= options.harmonics && static_cast<double>(k) * fundamental < half; ++k) {
        const double f = static_cast<double>(k) * fundamental, of = square_at(f, x, interval, segments, window);
        list.push_back({k, f, 2 * std::sqrt(of) / weight, 2 * of / (weight * weight), 2 * of * interval / square, 0});
    }
    double above = 0;
    for (Harmonic& h : list) {
        const auto add = [&](double amplitude, double frequency) {
            h.leaked += amplitude * leak(options.window, (h.frequency - frequency) / s.resolution);
        };
        add(s.amplitude[0], 0);
        for (const Harmonic& other : list) {
            if (other.order != h.order && other.amplitude > h.amplitude) add(other.amplitude, other.frequency);
        }
        if (h.order > 1 && h.stands_out()) above += h.power;
    }
    const double first = list.front().power;
    if (first > 0) s.harmonics.distortion = std::sqrt(above / first);
    return s;
}

}  // namespace linkwright::motion
