#pragma once
// The axis of a plot: a range, and round numbers on it with short labels.
//
// Ticks are 1, 2 or 5 times a power of ten apart. Labels have as many decimals as the distance needs; where that would be long, a power of
// ten or an offset is taken out of all of them and told beside the axis: "×10⁻⁶", "+ 12.5".

#include <span>
#include <string>
#include <vector>

namespace linkwright::report {

struct Axis {
    double low = 0, high = 1;         ///< low < high
    std::vector<double> ticks;        ///< ascending, within the range
    std::vector<std::string> labels;  ///< one for each
    std::string factor;               ///< what was taken out of the labels; may be empty
    /// Where a value stands: 0 at low, 1 at high.
    double place(double x) const { return (x - low) / (high - low); }
};

/// The axis of these values, of which those that are not finite do not count; at least one is finite. `margin` is left free at both ends, as a
/// part of the range; about `wanted` ticks, two at least.
Axis make_axis(std::span<const std::span<const double>> values, double margin, std::size_t wanted);

}  // namespace linkwright::report
