#pragma once
// Functions of time given as samples in a file.

#include <optional>
#include <string>
#include <vector>

#include "linkwright/session/report.hpp"
#include "linkwright/session/table.hpp"
#include "linkwright/solve/spline.hpp"

namespace linkwright::session {

/// A curve through the columns of a table whose names are asked for.
struct Samples {
    std::vector<std::size_t> which;  ///< of the names asked for, those that are there, in the curve's order
    solve::Spline curve;
    double first = 0, last = 0;  ///< where the samples begin and end
    std::size_t count = 0;
};

/// Columns `t` and some of `names`; `what` they are ("input"). Empty when it cannot be, and the report says why, with `file` before it.
std::optional<Samples> make_samples(const Table& table, const std::string& file, const std::vector<std::string>& names,
                                    const std::string& what, Report& report);
std::optional<Samples> read_samples(const std::string& path, const std::vector<std::string>& names, const std::string& what,
                                    Report& report);

}  // namespace linkwright::session
