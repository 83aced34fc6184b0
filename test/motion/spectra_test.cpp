// Windows, averages and harmonics of sampled motions.

#include "linkwright/motion/spectrum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace linkwright::motion {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Window> windows() {
    std::vector<Window> list;
    for (std::size_t i = 0; i < window_names().size(); ++i) list.push_back(static_cast<Window>(i));
    return list;
}

struct Sine {
    double amplitude, hz, phase;
};

std::vector<double> sum_of(std::size_t n, double dt, double mean, const std::vector<Sine>& sines) {
    std::vector<double> x(n, mean);
    for (std::size_t j = 0; j < n; ++j) {
        for (const Sine& s : sines) x[j] += s.amplitude * std::sin(2 * pi * s.hz * dt * static_cast<double>(j) + s.phase);
    }
    return x;
}

std::vector<double> noise(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> x(n);
    for (double& value : x) value = static_cast<double>(random() >> 11) / 9007199254740992.0 - 0.5;
    return x;
}

TEST(Windows, HaveTheBandwidthsOfTheTables) {
    const double expected[] = {1.5, 1.3628, 1.7268, 2.0044, 3.7702, 1};  // [harris78], flat top [heinzel02]
    for (const Window w : windows()) {
        const SignalSpectrum s = signal_spectrum(noise(4096, 1), 0.01, {.window = w});
        EXPECT_NEAR(s.noise_bandwidth, expected[static_cast<std::size_t>(w)], 1e-4) << to_string(w);
    }
}

TEST(Windows, ReadASineOnALineAndBetween) {
    const std::size_t n = 2048;
    const double dt = 0.005, line = 1 / (static_cast<double>(n) * dt);
    for (const Window w : windows()) {
        for (const double at : {200.0, 200.2, 200.5, 200.83}) {
            const SignalSpectrum s = signal_spectrum(sum_of(n, dt, 0, {{0.7, at * line, 0.4}}), dt, {.window = w});
            ASSERT_FALSE(s.peaks.empty()) << to_string(w);
            EXPECT_NEAR(s.peaks[0].amplitude, 0.7, at == 200 ? 1e-9 : w == Window::none ? 3e-3 : 1e-4) << to_string(w) << at;
            EXPECT_NEAR(s.peaks[0].frequency / line, at, w == Window::none ? 5e-3 : w == Window::flat_top ? 1e-2 : 5e-4) << to_string(w);
        }
    }
    // what a flat top is for: the highest line is right wherever the sine stands
    const SignalSpectrum s = signal_spectrum(sum_of(n, dt, 0, {{0.7, 200.5 * line, 0.4}}), dt, {.window = Window::flat_top});
    EXPECT_NEAR(*std::ranges::max_element(s.amplitude), 0.7, 0.7 * 2e-3);
}

TEST(Windows, KernelsAreThoseOfTheTransform) {
    const std::size_t n = 512;
    for (const Window w : windows()) {
        for (const double d : {0.25, 0.5, 1.0, 1.3, 2.0, 3.7}) {  // at line 100 a sine d lines away
            double re = 0, im = 0, weight = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const double a = 2 * pi * d * static_cast<double>(j) / static_cast<double>(n), v = window_at(w, j, n);
                re += v * std::cos(a), im += v * std::sin(a), weight += v;
            }
            EXPECT_NEAR(std::hypot(re, im) / weight, std::abs(kernel(w, d)), 2e-3) << to_string(w) << d;
            if (d >= 1) EXPECT_LE(std::abs(kernel(w, d)), leak(w, d) + 1e-12) << to_string(w) << d;
        }
    }
}

TEST(Spectra, IntegrateToTheMeanSquareBehindAnyWindow) {
    const std::vector<double> x = noise(1000, 5);
    for (const Window w : windows()) {
        const SignalSpectrum s = signal_spectrum(x, 0.1, {.window = w});
        double integral = 0, square = 0, weight = 0;
        for (const double d : s.density) integral += d * s.resolution;
        for (std::size_t j = 0; j < x.size(); ++j)
            square += std::pow(window_at(w, j, x.size()) * x[j], 2), weight += std::pow(window_at(w, j, x.size()), 2);
        EXPECT_NEAR(integral, square / weight, 1e-12) << to_string(w);
    }
}

TEST(Spectra, AveragesSmoothNoiseAndKeepSines) {
    std::vector<double> x = noise(32768, 11);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += 0.3 * std::sin(2 * pi * 12.5 * 0.01 * static_cast<double>(j));
    const SignalSpectrum one = signal_spectrum(x, 0.01), many = signal_spectrum(x, 0.01, {.segments = 31});
    EXPECT_EQ(one.segment, 32768u);
    EXPECT_EQ(many.segment, 2048u);
    const auto scatter = [](const SignalSpectrum& s) {  // of the density above the sine, against its mean: 1/12 variance over 50 Hz
        double sum = 0, squares = 0, count = 0;
        for (std::size_t k = 0; k < s.density.size(); ++k) {
            if (s.frequency[k] > 20 && s.frequency[k] < 45) sum += s.density[k], squares += s.density[k] * s.density[k], ++count;
        }
        EXPECT_NEAR(sum / count, 1.0 / 12 / 50, 0.05 / 600);
        return std::sqrt(squares / count - std::pow(sum / count, 2)) / (sum / count);
    };
    EXPECT_NEAR(scatter(one), 1, 0.1);
    EXPECT_LT(scatter(many), 0.26);
    EXPECT_GT(scatter(many), 0.14);
    ASSERT_FALSE(many.peaks.empty());
    EXPECT_NEAR(many.peaks[0].frequency, 12.5, 1e-2);
    EXPECT_NEAR(many.peaks[0].amplitude, 0.3, 0.01);
}

TEST(Spectra, FindHarmonics) {
    const std::vector<double> x = sum_of(4096, 0.001, 0.2, {{2, 7.3, 0.1}, {0.1, 14.6, 1}, {0.03, 21.9, 2}, {0.004, 36.5, 0.3}});
    const SignalSpectrum s = signal_spectrum(x, 0.001, {.window = Window::blackman_harris, .harmonics = 6});
    ASSERT_TRUE(s.is_ok) << s.why;
    ASSERT_EQ(s.harmonics.list.size(), 6u);
    const double expected[] = {2, 0.1, 0.03, 0, 0.004, 0};
    for (std::size_t k = 0; k < 6; ++k) {
        const Harmonic& h = s.harmonics.list[k];
        EXPECT_EQ(h.order, k + 1);
        EXPECT_NEAR(h.frequency, 7.3 * static_cast<double>(k + 1), 2e-4 * static_cast<double>(k + 1));
        EXPECT_NEAR(h.amplitude, expected[k], 1e-3 * 2) << k;
        EXPECT_NEAR(h.power, h.amplitude * h.amplitude / 2, 1e-12);
        EXPECT_EQ(h.stands_out(), expected[k] > 0) << k;
    }
    EXPECT_NEAR(*s.harmonics.distortion, std::sqrt(0.1 * 0.1 + 0.03 * 0.03 + 0.004 * 0.004) / 2, 1e-4);
    // the fundamental given, and one that is not there
    const SignalSpectrum given = signal_spectrum(x, 0.001, {.window = Window::blackman_harris, .harmonics = 3, .fundamental = 7.3});
    EXPECT_NEAR(given.harmonics.list[1].amplitude, 0.1, 1e-5);
    EXPECT_FALSE(signal_spectrum(x, 0.001, {.harmonics = 3, .fundamental = 600}).is_ok);
    EXPECT_FALSE(signal_spectrum(std::vector<double>(100, 1.0), 0.001, {.harmonics = 3}).is_ok);
}

TEST(Spectra, ASmallHarmonicMayBeLeakage) {
    const std::vector<double> x = sum_of(1000, 0.01, 0, {{1, 0.52, 0.1}});  // a pure sine over 5.2 periods
    const SignalSpectrum s = signal_spectrum(x, 0.01, {.harmonics = 3, .fundamental = 0.52});
    EXPECT_GT(s.harmonics.list[1].amplitude, 0);
    EXPECT_FALSE(s.harmonics.list[1].stands_out());
    EXPECT_EQ(*s.harmonics.distortion, 0);
    EXPECT_LT(signal_spectrum(x, 0.01, {.segments = 9, .harmonics = 2, .fundamental = 0.52}).harmonics.lines_apart, 2);
}

TEST(Spectra, TooManySegmentsAreTold) {
    const SignalSpectrum s = signal_spectrum(noise(20, 1), 1, {.segments = 30});
    EXPECT_FALSE(s.is_ok);
    EXPECT_THAT(s.why, testing::HasSubstr("too few for 30 segments"));
}

}  // namespace
}  // namespace linkwright::motion
