#include "linkwright/session/time_axis.hpp"

#include <fmt/format.h>

#include <cmath>

namespace linkwright::session {

std::string kept(std::size_t rows) { return rows == 1 ? "the row before is kept" : fmt::format("the {} rows up to there are kept", rows); }

std::optional<std::vector<double>> make_times(const TimeAxis& axis, double start, Report& report) {
    const std::optional<double>& until = axis.until;
    const std::vector<double>& times = axis.times;
    const long samples = axis.samples.value_or(100);
    if (!times.empty()) {
        double last = start;
        for (const double t : times) {
            if (!std::isfinite(t) || t < last) {
                report.error(fmt::format("--times must ascend from the start at t = {:.6g}: {:.6g} comes after {:.6g}", start, t, last));
                return std::nullopt;
            }
            last = t;
        }
        if (until && *until < last) {
            report.error(fmt::format("--times go on after --until {:.6g}: {:.6g}", *until, last));
            return std::nullopt;
        }
        return times;
    }
    if (!until) return report.error("how long? Neither --until nor --times is given", "for example --until 10"), std::nullopt;
    if (!std::isfinite(*until) || !(*until > start)) {
        report.error(fmt::format("--until {:.6g} is not after the start at t = {:.6g}", *until, start));
        return std::nullopt;
    }
    if (samples < 1) return report.error(fmt::format("--samples {}: at least one interval is needed", samples)), std::nullopt;
    if (samples > 100'000'000) return report.error(fmt::format("--samples {}: that many rows would not fit", samples)), std::nullopt;
    std::vector<double> list;
    for (long i = 0; i <= samples; ++i)
        list.push_back(i == samples ? *until : start + (*until - start) * static_cast<double>(i) / static_cast<double>(samples));
    return list;
}

}  // namespace linkwright::session
