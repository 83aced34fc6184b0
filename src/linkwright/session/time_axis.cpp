#include "linkwright/session/time_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linkwright::session {

std::string kept(std::size_t rows) {
    return rows == 1 ? "the row before is kept" : fmt::format("the {} rows up to that time are kept", rows);
}

namespace {

constexpr long most_samples = 100'000'000;

void check_samples(long samples, Report& report) {
    if (samples < 1) report.error(fmt::format("--samples {}: at least one interval is needed", samples));
    if (samples > most_samples) report.error(fmt::format("--samples {}: too many rows", samples));
}

void check_end(const TimeAxis& axis, Report& report) {
    if (!axis.until && axis.times.empty()) report.error("neither --until nor --times is given", "for example --until 10");
}

}  // namespace

Diagnostics check(const TimeAxis& axis, bool needs_end) {
    Report report;
    const std::vector<double>& times = axis.times;
    if (needs_end) check_end(axis, report);
    if (axis.until && !std::isfinite(*axis.until)) report.error(fmt::format("--until {:.6g} is not a time", *axis.until));
    if (times.empty()) check_samples(axis.samples.value_or(100), report);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!std::isfinite(times[i])) report.error(fmt::format("--times: {:.6g} is not a time", times[i]));
        if (i > 0 && times[i] < times[i - 1])
            report.error(fmt::format("--times must ascend: {:.6g} comes after {:.6g}", times[i], times[i - 1]));
    }
    return report.problems;
}

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
            report.error(fmt::format("--times continue after --until {:.6g}: {:.6g}", *until, last));
            return std::nullopt;
        }
        return times;
    }
    check_end(axis, report);
    if (!until) return std::nullopt;
    if (!std::isfinite(*until) || !(*until > start)) {
        report.error(fmt::format("--until {:.6g} is not after the start at t = {:.6g}", *until, start));
        return std::nullopt;
    }
    if (samples < 1 || samples > most_samples) return check_samples(samples, report), std::nullopt;
    constexpr double shortest = 1e-150, rounding = 1e-14;  // squares of it are numbers; times that follow each other differ
    const double interval = (*until - start) / static_cast<double>(samples);
    if (interval < std::max(shortest, rounding * std::max(std::abs(start), std::abs(*until)))) {
        report.error(fmt::format("from t = {:.6g} to --until {:.6g} there is too little time for {} samples", start, *until, samples));
        return std::nullopt;
    }
    std::vector<double> list;
    for (long i = 0; i <= samples; ++i)
        list.push_back(i == samples ? *until : start + (*until - start) * static_cast<double>(i) / static_cast<double>(samples));
    return list;
}

}  // namespace linkwright::session
