#pragma once
// When the rows of a table are taken.

#include <vector>

#include "linkwright/session/report.hpp"

namespace linkwright::session {

struct TimeAxis {
    std::optional<double> until{};  ///< rows at equal intervals from the start to here
    std::optional<long> samples{};  ///< so many intervals, one row more; empty: 100
    std::vector<double> times{};    ///< or rows at these times
};

/// What can be said before it is known where the motion begins. `needs_end`: there is no other end than the one given here.
Diagnostics check(const TimeAxis& axis, bool needs_end = true);

/// Empty when they make no sense, and the report says why.
std::optional<std::vector<double>> make_times(const TimeAxis& axis, double start, Report& report);

/// "the 12 rows up to there are kept".
std::string kept(std::size_t rows);

}  // namespace linkwright::session
