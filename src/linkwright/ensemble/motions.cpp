#include "linkwright/ensemble/motions.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "linkwright/ensemble/problem.hpp"
#include "linkwright/ensemble/schedule.hpp"

namespace linkwright::ensemble {

using session::Report;

namespace {

constexpr double most_numbers = 2e9;  // 16 GB

Diagnostics check(const MotionsOptions& o) {
    Report report;
    if (o.names.empty())
        report.error("nothing differs from motion to motion", "name a parameter, an input or an initial value, with its values");
    if (!o.names.empty() && (o.values.empty() || o.values.size() % o.names.size() != 0))
        report.error(fmt::format("{} values are no rows of {}", o.values.size(), o.names.size()), "every motion has one of each name");
    report.add(session::check(o.simulate));
    return report.problems;
}

}  // namespace

session::Result<Motions> simulate_many(const session::Session& session, const MotionsOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    auto problem = read_problem(session, options, report);
    if (!problem) return report;
    Motions r{.model = session.model().name,
              .times = problem->times,
              .columns = {},
              .motions = problem->design.runs(),
              .rows = {},
              .failures = {}};
    for (const Collector& c : problem->collectors) r.columns.push_back(c.name);
    const double numbers = static_cast<double>(r.motions) * static_cast<double>(r.times.size()) * static_cast<double>(r.columns.size());
    if (numbers > most_numbers) {
        report.error(fmt::format("{:.3g} numbers are too many to keep", numbers),
                     "fewer samples or columns, or an ensemble, which keeps a few numbers of each");
        return report;
    }
    r.rows.assign(r.motions * r.times.size() * r.columns.size(), std::numeric_limits<double>::quiet_NaN());
    problem->motions = r.rows;
    const auto crew = make_crew(*problem, report);
    if (!crew) return report;
    const Messages alone;
    Journal journal;
    Journal::Found found{.outcomes = std::vector<Outcome>(r.motions), .is_done = std::vector<bool>(r.motions)};
    const auto begin = std::chrono::steady_clock::now();
    const Done done = do_runs(*problem, *crew, journal, found, alone, report);
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report.is_ok()) return report;
    if (!done.is_whole) {
        report.fail(done.trouble.empty() ? fmt::format("interrupted after {} of {} motions", found.done, r.motions) : done.trouble);
        return report;
    }
    for (std::size_t i = 0; i < r.motions; ++i) {
        if (!found.outcomes[i].failure.empty()) r.failures.push_back({i, std::move(found.outcomes[i].failure)});
    }
    r.has_lanes = crew->has_lanes(), r.threads = done.threads;
    if (r.failures.size() == r.motions)
        report.fail(fmt::format("all motions failed: {}", r.failures.front().why));
    else if (!r.failures.empty())
        report.warn(fmt::format("{} of {} motions failed; the first, number {}: {}", r.failures.size(), r.motions, r.failures.front().run,
                                r.failures.front().why));
    return {report, std::move(r)};
}

}  // namespace linkwright::ensemble
