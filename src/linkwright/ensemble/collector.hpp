#pragma once
// What is kept of a run: one number for each collector.
//
//     final(theta)   initial(x)   at(2, x)          at the end, at the beginning, at t = 2
//     min(x)   max(abs(x))   argmin(x)   argmax(x)  over the samples; when
//     mean(x)   rms(x)                              over time, by the trapezoidal rule
//     crossing(x - 1)   rising(x)   falling(x)      when it is first zero, going up, going down
//     frequency.1                                   of what has no time: an expression
//
// `name = collector` gives it a name of its own. Expressions are those of docs/formats/expressions.md over the columns of the result.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/session/report.hpp"

namespace linkwright::ensemble {

enum class Reduce : std::uint8_t { value, final, initial, at, min, max, argmin, argmax, mean, rms, crossing, rising, falling };

struct Collector {
    std::string name;
    Reduce how = Reduce::value;
    std::string expression;
    double t = 0;  ///< of `at`
};

/// Empty when it cannot be read; the report says why. `has_time`: results have rows over time, of which something must be said.
std::optional<Collector> read_collector(const std::string& text, bool has_time, session::Report& report);

/// Of values at ascending times. NaN: there is none, such as a crossing that does not happen.
double reduce(const Collector& collector, std::span<const double> times, std::span<const double> values);

/// May a run without this number be right?
bool may_be_missing(const Collector& collector);
/// Does it look at all samples, so that their distance matters?
bool needs_samples(const Collector& collector);

}  // namespace linkwright::ensemble
