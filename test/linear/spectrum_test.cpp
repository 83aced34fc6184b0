// Fourier transforms of any length, and spectra that read what is in a signal.

#include "linkwright/motion/spectrum.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "linkwright/solve/fourier.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using motion::signal_spectrum;
using motion::SignalSpectrum;
using motion::Window;
using solve::Complex;

std::vector<Complex> random_signal(std::size_t n) {
    std::mt19937_64 random(n);
    std::normal_distribution<double> normal;
    std::vector<Complex> x(n);
    for (Complex& v : x) v = {normal(random), normal(random)};
    return x;
}

TEST(Fourier, IsTheSumItStandsForAtAnyLength) {
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 13u, 17u, 30u, 97u, 101u, 128u, 169u, 210u, 221u, 251u}) {
        const std::vector<Complex> x = random_signal(n), X = solve::fourier(x);
        double worst = 0;
        for (std::size_t k = 0; k < n; ++k) {
            Complex sum = 0;
            for (std::size_t j = 0; j < n; ++j)
                sum += x[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
            worst = std::max(worst, std::abs(sum - X[k]));
        }
        EXPECT_LT(worst, 1e-13 * static_cast<double>(n)) << n;
    }
}

TEST(Fourier, ComesBackAndKeepsTheSquares) {
    for (const std::size_t n : {1u, 6u, 1000u, 1009u, 4096u, 10007u, 30030u}) {
        const std::vector<Complex> x = random_signal(n), X = solve::fourier(x), back = solve::inverse_fourier(X);
        double worst = 0, before = 0, after = 0;
        for (std::size_t k = 0; k < n; ++k) {
            worst = std::max(worst, std::abs(back[k] - x[k]));
            before += std::norm(x[k]), after += std::norm(X[k]) / static_cast<double>(n);
        }
        EXPECT_LT(worst, 1e-13) << n;
        EXPECT_NEAR(before, after, 1e-12 * before) << n;
    }
    EXPECT_TRUE(solve::fourier({}).empty());
}

std::vector<double> sine(std::size_t n, double interval, double amplitude, double hz, double phase = 0.4, double offset = 0) {
    std::vector<double> x(n);
    for (std::size_t j = 0; j < n; ++j)
        x[j] = offset + amplitude * std::sin(2 * std::numbers::pi * hz * interval * static_cast<double>(j) + phase);
    return x;
}

TEST(SignalSpectrum, ReadsTheAmplitudeOfASineOnALine) {
    for (const Window window : {Window::hanning, Window::none}) {
        for (const std::size_t n : {256u, 257u, 1000u}) {
            const double dt = 0.01, hz = 20 / (static_cast<double>(n) * dt);
            const SignalSpectrum s = signal_spectrum(sine(n, dt, 3, hz, 0.7, 5), dt, {.window = window});
            ASSERT_TRUE(s.is_ok);
            EXPECT_NEAR(s.amplitude[20], 3, 1e-12);
            EXPECT_NEAR(s.power[20], 4.5, 1e-11);
            EXPECT_NEAR(s.amplitude[0], 5, 1e-12);
            EXPECT_NEAR(s.amplitude[40], 0, 1e-12);
            ASSERT_FALSE(s.peaks.empty());
            EXPECT_NEAR(s.peaks[0].frequency, hz, 1e-9);
            EXPECT_NEAR(s.noise_bandwidth, window == Window::hanning ? 1.5 : 1, 1e-12);
        }
    }
}

TEST(SignalSpectrum, FindsASineBetweenLines) {
    const double dt = 0.002;
    for (const Window window : {Window::hanning, Window::none}) {
        for (const double line : {50.01, 50.25, 50.5, 50.77}) {
            const std::size_t n = 1013;  // a prime
            const double hz = line / (static_cast<double>(n) * dt);
            const SignalSpectrum s = signal_spectrum(sine(n, dt, 0.2, hz), dt, {.window = window});
            // the mirror image at −f leaks a little, much less with the window
            const double allowed = window == Window::hanning ? 1e-5 : 1e-2;
            ASSERT_EQ(s.peaks.size(), 1u) << line;
            EXPECT_NEAR(s.peaks[0].frequency / hz, 1, allowed) << line;
            EXPECT_NEAR(s.peaks[0].amplitude / 0.2, 1, allowed) << line;
        }
    }
}

TEST(SignalSpectrum, IntegratesToTheMeanSquare) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (const std::size_t n : {1000u, 1001u}) {
        std::vector<double> x(n);
        for (double& v : x) v = normal(random);
        double square = 0;
        for (const double v : x) square += v * v / static_cast<double>(n);
        const SignalSpectrum plain = signal_spectrum(x, 0.1, {.window = Window::none});
        double sum = 0;
        for (const double d : plain.density) sum += d * plain.resolution;
        EXPECT_NEAR(sum, square, 1e-12);
        // windowed noise: on the average
        const SignalSpectrum s = signal_spectrum(x, 0.1);
        sum = 0;
        for (const double d : s.density) sum += d * s.resolution;
        EXPECT_NEAR(sum, square, 0.15);
    }
}

TEST(SignalSpectrum, TakesMeanAndTrendAwayWhenAsked) {
    std::vector<double> x = sine(400, 0.05, 0.5, 2.5);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += 7 + 0.3 * 0.05 * static_cast<double>(j);
    const SignalSpectrum raw = signal_spectrum(x, 0.05), mean = signal_spectrum(x, 0.05, {.remove_mean = true}),
                         trend = signal_spectrum(x, 0.05, {.remove_trend = true});
    EXPECT_GT(raw.amplitude[0], 9);
    EXPECT_LT(mean.amplitude[0], 0.1);
    EXPECT_GT(mean.amplitude[1], 0.1);
    EXPECT_LT(trend.amplitude[1], 1e-2);
    EXPECT_NEAR(trend.trend, 0.3, 1e-2);
    ASSERT_FALSE(trend.peaks.empty());
    EXPECT_NEAR(trend.peaks[0].frequency, 2.5, 1e-4);
    EXPECT_FALSE(signal_spectrum(std::vector<double>{1, 2, 3}, 0.1).is_ok);
    EXPECT_FALSE(signal_spectrum(std::vector<double>{1, 2, NAN, 4, 5}, 0.1).is_ok);
    EXPECT_FALSE(signal_spectrum(x, 0).is_ok);
}

/// Point masses m, m on rods l, l: ω² = (g/l)(2 ∓ √2).
TEST(SignalSpectrum, OfADoublePendulumShowsItsTwoModes) {
    Subject s(model::read(R"toml(format = 1
name = "Double pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
l = 1.0
[[body]]
name = "upper"
mass = 1
[[body]]
name = "lower"
mass = 1
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "upper"
child_at = [0, "l", 0]
axis = "z"
[[joint]]
name = "b"
type = "revolute"
parent = "upper"
child = "lower"
child_at = [0, "l", 0]
axis = "z"
[initial]
a = 0.001
b = 0.0
)toml"));
    motion::SimulateOptions o;
    o.times = times_until(60, 2000);
    const motion::Motion m = simulate(*s.numbers, s.start(), o);
    ASSERT_TRUE(m.is_ok()) << m.why;
    std::vector<double> x;
    for (std::size_t i = 0; i + 1 < m.rows.size(); ++i) x.push_back(m.rows[i][1]);
    const SignalSpectrum spectrum = signal_spectrum(x, 0.03);
    ASSERT_EQ(spectrum.peaks.size(), 2u);
    std::array<double, 2> found{spectrum.peaks[0].frequency, spectrum.peaks[1].frequency};
    std::ranges::sort(found);
    for (int i = 0; i < 2; ++i) {
        const double expected = std::sqrt(9.81 * (2 + (i == 0 ? -1 : 1) * std::sqrt(2.0))) / (2 * std::numbers::pi);
        EXPECT_NEAR(found[i], expected, 2e-5);
        EXPECT_NEAR(spectrum.peaks[i].amplitude, 0.001 * (2 + (i == 0 ? 1 : -1) * std::sqrt(2.0)) / 4, 1e-7);
    }
}

}  // namespace
}  // namespace linkwright
