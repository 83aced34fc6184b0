#pragma once
// Which frequencies are in a motion: one-sided spectra of samples taken at equal intervals.
//
// A record that does not hold whole periods leaks into all lines. The Hanning window w_j = ½(1 − cos 2πj/N) keeps the leak near
// [lee90 §5.2], at the price of lines 1.5 times as wide. Every figure is scaled for what the window does to it: a sine of amplitude a
// on a line reads a, whatever the window; the density integrates to the mean square. Between lines a peak is found from its two
// highest neighbours, exactly so for a pure sine [rife70].

#include <span>
#include <string>
#include <vector>

namespace linkwright::motion {

enum class Window : std::uint8_t { hanning, none };

struct SpectrumOptions {
    Window window = Window::hanning;
    bool remove_mean = false;
    bool remove_trend = false;  ///< the straight line of least squares, the mean with it
    std::size_t peaks = 10;     ///< at most
    double threshold = 1e-3;    ///< of the largest amplitude: what is less is no peak
};

struct SpectralPeak {
    double frequency = 0;  ///< Hz, between the lines
    double amplitude = 0;  ///< of the sine there
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
    bool is_ok = true;
    std::string why;  ///< too few samples, or some that are not finite
};

/// Of x_j = x(j Δt).
SignalSpectrum signal_spectrum(std::span<const double> samples, double interval, const SpectrumOptions& options = {});

}  // namespace linkwright::motion
