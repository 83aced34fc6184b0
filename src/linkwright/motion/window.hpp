#pragma once
// What samples are multiplied by before they are transformed. A record that does not hold whole periods leaks into all lines; a window that
// goes to zero at both ends keeps the leak near, at the price of wider lines. All are sums of cosines,
//
//     w_j = Σ_m (−1)^m a_m cos(2πmj/N)
//
// whose kernel, what a sine that stands d lines away from a line reads there, is
//
//     W(d) = sin(πd)/π (a_0/d + Σ_m (−1)^m a_m d/(d² − m²))         [harris78]

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace linkwright::motion {

/// hanning: for most; hamming: its first side lobes are lower; blackman, blackman_harris: what leaks is down by 58 and 92 dB; flat_top: amplitudes
/// between lines right to 0.1 %; none: records of whole periods.
enum class Window : std::uint8_t { hanning, hamming, blackman, blackman_harris, flat_top, none };

/// "hanning", "hamming", "blackman", "blackman-harris", "flat-top", "none", in the order of the enumeration.
std::span<const std::string_view> window_names();
std::string_view to_string(Window window);
/// "Hanning window", "no window".
std::string_view about(Window window);

/// Lines from the middle of its main lobe to its end: 2 of Hanning's.
double lobe_width(Window window);
double window_at(Window window, std::size_t j, std::size_t n);
/// W(d)/W(0).
double kernel(Window window, double d);
/// At most how much of a sine is read d lines away: 1 within its line, then without the oscillation of W.
double leak(Window window, double d);
/// How far a line that has |W(1 − d)|/|W(d)| = ratio for its neighbours stands from the sine, 0 ≤ d ≤ ½.
double offset(Window window, double ratio);

}  // namespace linkwright::motion
