#pragma once
// Which frequencies are in a motion: one-sided spectra of samples taken at equal intervals.
//
// Every figure is scaled for what the window (window.hpp) does to it: a sine of amplitude a on a line reads a, whatever the window; the density
// integrates to the mean square. Between lines a peak is found from its two highest neighbours, exactly so for a pure sine [rife70].
//
// Averaging: the record is cut into segments that overlap, and the powers of their spectra are averaged [welch67]. Lines are fewer and further
// apart; what is noise in them comes down by the square root of how many segments there are.
//
// Harmonics: amplitudes at whole multiples of a fundamental, each from the transform at just that frequency, between the lines
//
//     A_k = 2 |Σ_j w_j x_j e^(−2πi k f t_j)| / Σ_j w_j,        total distortion √(A_2² + A_3² + …)/A_1
//
// A small harmonic beside a large one may be nothing but what leaks from it; how much that is at most, is told with each.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/motion/window.hpp"

namespace linkwright::motion {

struct SpectrumOptions {
    Window window = Window::hanning;
    bool remove_mean = false;
    bool remove_trend = false;  ///< the straight line of least squares, the mean with it
    std::size_t peaks = 10;     ///< at most
    double threshold = 1e-3;    ///< of the largest amplitude: what is less is no peak
    std::size_t segments = 1;   ///< that are averaged
    double overlap = 0.5;       ///< of one segment and the next, as a part of their length
    std::size_t harmonics = 0;  ///< so many are wanted, the fundamental among them; those above half the sampling rate are left out
    std::optional<double> fundamental{};  ///< Hz; empty: the largest peak
};

struct SpectralPeak {
    double frequency = 0;  ///< Hz, between the lines
    double amplitude = 0;  ///< of the sine there
};

struct Harmonic {
    std::size_t order = 1;  ///< 1: the fundamental
    double frequency = 0;   ///< Hz
    double amplitude = 0;   ///< of the sine there
    double power = 0;       ///< its mean square
    double density = 0;     ///< mean square per Hz, as the spectrum shows it on a line there
    double leaked = 0;      ///< of the amplitude: no more than this has come from the others and from the mean
    bool stands_out() const { return amplitude > 2 * leaked; }
};

struct Harmonics {
    std::vector<Harmonic> list;
    std::optional<double> distortion;  ///< total, of those that stand out, against the fundamental; empty where that is not there at all
    double lines_apart = 0;            ///< from one to the next; fewer than lobe_width(window) cannot be told apart
};

struct SignalSpectrum {
    std::vector<double> frequency;    ///< Hz: k/(N Δt), up to half the sampling rate
    std::vector<double> amplitude;    ///< of a sine on that line
    std::vector<double> power;        ///< its mean square: amplitude²/2, the mean's own square at 0
    std::vector<double> density;      ///< mean square per Hz
    double resolution = 0;            ///< Hz between lines
    double noise_bandwidth = 1;       ///< of the window, in lines: 1.5 of Hanning's
    double mean = 0, trend = 0;       ///< of the samples, per second
    std::vector<SpectralPeak> peaks;  ///< the largest first
    std::size_t segment = 0;          ///< samples in each segment
    Harmonics harmonics;              ///< where they are asked for
    bool is_ok = true;
    std::string why;  ///< too few samples, or some that are not finite; no peak to take for the fundamental
};

/// Of x_j = x(j Δt).
SignalSpectrum signal_spectrum(std::span<const double> samples, double interval, const SpectrumOptions& options = {});

}  // namespace linkwright::motion
