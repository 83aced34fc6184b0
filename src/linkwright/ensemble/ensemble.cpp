#include "linkwright/ensemble/ensemble.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "linkwright/ensemble/output.hpp"
#include "linkwright/ensemble/schedule.hpp"

namespace linkwright::ensemble {

namespace {

using session::Report;

bool is_file(const std::string& output) { return !output.empty() && !output.starts_with("/dev/"); }

/// Values and results in rows, failures, statistics.
Ensemble gather(const Problem& problem, Journal::Found& found) {
    Ensemble r;
    r.model = problem.session.model().name, r.options = problem.options, r.digest = problem.digest, r.runs = problem.design.runs();
    const std::size_t spread = problem.design.words().spread.size(), quantities = problem.varied.size(), m = problem.collectors.size();
    for (std::size_t j = 0; j < quantities; ++j) (j < spread ? r.varied : r.grid).push_back(problem.varied[j].name);
    for (const Collector& c : problem.collectors) r.collectors.push_back(c.name);
    r.values.resize(r.runs * quantities);
    r.results.assign(r.runs * m, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < r.runs; ++i) {
        problem.design.values(i, {r.values.data() + i * quantities, quantities});
        Outcome& outcome = found.outcomes[i];
        if (outcome.failure.empty())
            std::ranges::copy(outcome.values, r.results.begin() + static_cast<std::ptrdiff_t>(i * m));
        else
            r.failures.push_back({i, std::move(outcome.failure)});
    }
    const std::size_t per_point = problem.design.per_point();
    std::vector<double> column(per_point);
    for (std::size_t g = 0; g < problem.design.points(); ++g) {
        GridPoint point{.values = problem.design.grid_values(g), .collected = {}};
        for (std::size_t c = 0; c < m; ++c) {
            for (std::size_t i = 0; i < per_point; ++i) column[i] = r.results[(g * per_point + i) * m + c];
            Collected collected{.name = r.collectors[c],
                                .statistics = calc_statistics(column, problem.options.quantiles, problem.options.confidence,
                                                              static_cast<std::size_t>(problem.options.bins))};
            if (problem.options.indices) collected.indices = calc_indices(column, spread, problem.options.confidence, problem.options.seed);
            point.collected.push_back(std::move(collected));
        }
        r.points.push_back(std::move(point));
    }
    return r;
}

void tell_notes(const Problem& problem, const Ensemble& r, Report& report) {
    if (r.resumed > 0) report.note(fmt::format("{} of {} runs were done by an earlier call", r.resumed, r.runs));
    if (!r.failures.empty())
        report.warn(fmt::format("{} of {} runs failed; the first, run {}: {}", r.failures.size(), r.runs, r.failures.front().run,
                                r.failures.front().why));
    if (std::ranges::any_of(problem.collectors, needs_samples) && problem.options.of == Of::simulate)
        report.note(fmt::format("extremes, means and crossings are taken from samples, {:.6g} s apart; --samples makes them finer",
                                problem.times.back() / static_cast<double>(problem.options.simulate.rows.samples.value_or(100))));
    if (r.options.sampling != Sampling::random && !r.varied.empty())
        report.note("confidence intervals of means are those of random sampling; evenly spread draws are mostly nearer than that");
    for (const Collected& c : r.points.front().collected) {
        if (c.indices && c.indices->left_out > 0)
            report.warn(fmt::format("{}: {} base samples with failed runs are left out of the indices", c.name, c.indices->left_out));
        if (c.indices && c.indices->samples > 1 && !(c.indices->variance > 0))
            report.note(fmt::format("{} is the same in all runs: its indices mean nothing", c.name));
    }
}

}  // namespace

session::Result<Ensemble> run(const session::Session& session, const EnsembleOptions& options) {
    Report report;
    auto problem = read_problem(session, options, report);
    if (!problem) return report;
    std::string why;
    const Messages* const messages = find_messages(why);
    if (messages == nullptr)
        return report.error(fmt::format("several processes were started, but they cannot talk: {}", why),
                            "--threads uses the cores of one machine"),
               report;
    const auto crew = make_crew(*problem, report);
    if (!crew) return report;

    Journal journal;
    Journal::Found found{.outcomes = std::vector<Outcome>(problem->design.runs()), .is_done = std::vector<bool>(problem->design.runs())};
    const bool is_first = messages->rank() == 0;
    bool is_refused = false;
    if (is_first && is_file(options.output)) {
        bool is_other = false;
        const std::string hint = "choose another -o, or add --overwrite";
        std::error_code gone;
        if (options.overwrite && !is_journal_of(options.output + ".journal", problem->digest))
            std::filesystem::remove(options.output + ".journal", gone);
        if (!options.overwrite && is_other_output(options.output, problem->digest)) {
            report.error(fmt::format("{} is there already, and does not belong to this ensemble", options.output), hint);
            is_refused = true;
        } else if (const std::string trouble = journal.open(options.output + ".journal", problem->digest, problem->design.runs(),
                                                            problem->collectors.size(), found, is_other);
                   !trouble.empty()) {
            is_other ? report.error(trouble, hint) : report.fail(trouble);
            is_refused = true;
        }
    }
    if (is_refused) {  // the others wait for work: there is none
        found.is_done.assign(found.is_done.size(), true), found.done = found.is_done.size();
        if (messages->size() > 1) do_runs(*problem, *crew, journal, found, *messages, report);
        return report;
    }
    const std::size_t resumed = found.done;
    const auto begin = std::chrono::steady_clock::now();
    const Done done = do_runs(*problem, *crew, journal, found, *messages, report);
    if (!is_first || !report.is_ok()) return report;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!done.is_whole) {
        const std::string hint = is_file(options.output) && found.done > 0
                                     ? fmt::format("what is done is kept in {}.journal; the same call goes on from there", options.output)
                                     : "";
        report.fail(
            done.trouble.empty() ? fmt::format("interrupted after {} of {} runs", found.done, problem->design.runs()) : done.trouble, hint);
        return report;
    }
    Ensemble r = gather(*problem, found);
    r.resumed = resumed, r.threads = done.threads, r.processes = done.processes, r.has_lanes = crew->has_lanes(), r.seconds = seconds;
    tell_notes(*problem, r, report);
    for (const std::string& slow : done.slow) report.warn(slow);
    if (!options.output.empty()) {
        if (const std::string trouble = write_output(r, options.output); !trouble.empty()) {
            report.fail(trouble, is_file(options.output)
                                     ? fmt::format("the runs are kept in {}.journal; the same call writes them", options.output)
                                     : "");
            return {report, std::move(r)};
        }
        journal.remove();
    }
    if (r.failures.size() == r.runs) report.fail(fmt::format("all runs failed: {}", r.failures.front().why));
    return {report, std::move(r)};
}

}  // namespace linkwright::ensemble
