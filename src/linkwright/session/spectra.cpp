#include "linkwright/session/spectra.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/session/expression.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

using motion::SignalSpectrum;

/// Samples at equal intervals.
struct Record {
    Table table;
    double interval = 0;
};

std::optional<Record> read_record(const std::string& path, Report& report) {
    auto table = read_table(path, report);
    if (!table) return std::nullopt;
    const auto t = table->find("t");
    if (!t) return report.error(path + ": no column t", "samples need their times"), std::nullopt;
    Record record{std::move(*table)};
    const auto time = [&](std::size_t i) { return record.table.rows[i][*t]; };
    const std::size_t n = record.table.rows.size();
    if (n < 4)
        return report.error(fmt::format("{}: {} rows are too few for a spectrum", path, n), "four are the least, hundreds are usual"),
               std::nullopt;
    record.interval = (time(n - 1) - time(0)) / static_cast<double>(n - 1);
    for (std::size_t i = 1; i < n; ++i) {
        const double step = time(i) - time(i - 1);
        if (std::abs(step - record.interval) <= 1e-6 * std::abs(record.interval)) continue;
        report.error(fmt::format("{}: the rows do not stand at equal intervals: {:.6g} before row {}, {:.6g} on the average", path, step,
                                 i + 1, record.interval),
                     "simulate --samples N makes equal ones");
        return std::nullopt;
    }
    if (!(record.interval > 0)) return report.error(path + ": the times do not ascend"), std::nullopt;
    return record;
}

std::optional<Record> simulate_record(const Session& session, const SpectrumOptions& options, Report& report) {
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return std::nullopt;
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    const StartState start = start_state(options.state, numbers, report);
    if (!start.is_ok()) return std::nullopt;
    motion::SimulateOptions o;
    const auto times = make_times({.until = options.until, .samples = options.samples}, start.state.t, report);
    if (!times) return std::nullopt;
    o.times = *times;
    o.tolerance = options.tolerance;
    o.hold_inputs = start.has_inputs;
    o.keep_end = false;  // a record has equal intervals
    auto events = events_of(bench->equations(), session.model(), report);
    if (!events) return std::nullopt;
    o.events = std::move(*events);
    if (options.on_step) o.on_step = [&](double t) { return options.on_step({t, o.times.front(), o.times.back()}); };
    motion::Motion motion = motion::simulate(numbers, start.state, o);
    if (motion.stop != motion::Stop::reached) {
        report.fail(motion.why,
                    motion.rows.size() < 4 ? "" : fmt::format("the spectrum is that of the {} rows up to there", motion.rows.size()));
        if (motion.rows.size() < 4) return std::nullopt;
    } else {
        motion.rows.pop_back();  // the end is the beginning of the next record
    }
    return Record{{motion.columns, motion.rows}, (o.times.back() - o.times.front()) / static_cast<double>(options.samples)};
}

Json as_json(const SignalSpectrum& s, double unit) {
    Json j;
    j["amplitude"] = s.amplitude, j["power"] = s.power;
    j["density"] = Json::array();
    for (const double d : s.density) j["density"].push_back(d / unit);
    j["mean"] = s.mean, j["trend"] = s.trend;
    j["peaks"] = Json::array();
    for (const motion::SpectralPeak& p : s.peaks) j["peaks"].push_back({{"frequency", p.frequency * unit}, {"amplitude", p.amplitude}});
    return j;
}

Result<Spectra> analyse(const std::optional<Record>& record, const SpectrumOptions& options, Report report) {
    if (!record) return report;
    Spectra r{.columns = options.columns,
              .spectra = {},
              .samples = record->table.rows.size(),
              .interval = record->interval,
              .window = options.how.window,
              .in_rad = options.in_rad};
    for (const std::string& name : options.columns) {
        const auto at = record->table.find(name);
        if (!at || name == "t")
            return report.error(fmt::format("--spectrum: no column '{}'", name), hint_for(name, record->table.columns)), report;
        std::vector<double> samples;
        for (const Eigen::VectorXd& row : record->table.rows) samples.push_back(row[*at]);
        r.spectra.push_back(motion::signal_spectrum(samples, record->interval, options.how));
        if (!r.spectra.back().is_ok) return report.fail(fmt::format("{}: {}", name, r.spectra.back().why)), report;
    }
    return finished(report, std::move(r));
}

bool has_columns(const SpectrumOptions& options, Report& report) {
    if (options.columns.empty()) report.error("which spectrum? No column is named", "for example --spectrum hip");
    return report.is_ok();
}

}  // namespace

double Spectra::unit() const { return in_rad ? 2 * std::numbers::pi : 1; }

Diagnostics check(const SpectrumOptions& o) {
    Report report;
    has_columns(o, report);
    if (!o.until)
        report.error("how long? --until is not given",
                     "for example --until 60 --samples 2048; or --of FILE for a motion that has been simulated");
    if (o.samples < 4)
        report.error(fmt::format("--samples {} are too few for a spectrum", o.samples), "four are the least, hundreds are usual");
    if (!(o.tolerance > 0) || o.tolerance > 0.1) report.error(fmt::format("--tolerance {:g} is not between 0 and 0.1", o.tolerance));
    report.add(check(TimeAxis{.until = o.until, .samples = std::max(o.samples, 4L)}, false));
    report.add(check(o.state));
    return report.problems;
}

Result<Spectra> spectra(const Session& session, const SpectrumOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const auto record = simulate_record(session, options, report);
    return analyse(record, options, std::move(report));
}

Result<Spectra> spectra_of_file(const std::string& path, const SpectrumOptions& options) {
    Report report;
    if (!has_columns(options, report)) return report;
    const auto record = read_record(path, report);
    return analyse(record, options, std::move(report));
}

Json to_json(const Spectra& r) {
    const SignalSpectrum& first = r.spectra.front();
    const double unit = r.unit();
    Json j;
    j["unit"] = r.unit_name();
    j["window"] = r.window == motion::Window::hanning ? "hanning" : "none";
    j["samples"] = r.samples;
    j["interval"] = r.interval;
    j["resolution"] = first.resolution * unit;
    j["noise_bandwidth"] = first.noise_bandwidth * first.resolution * unit;
    j["frequencies"] = Json::array();
    for (const double f : first.frequency) j["frequencies"].push_back(f * unit);
    for (std::size_t i = 0; i < r.spectra.size(); ++i) j["spectra"][r.columns[i]] = as_json(r.spectra[i], unit);
    return j;
}

Table to_table(const Spectra& r) {
    Table table{{"frequency"}, {}};
    for (const std::string& name : r.columns) {
        for (const char* what : {"amplitude", "power", "density"}) table.columns.push_back(name + "." + what);
    }
    const SignalSpectrum& first = r.spectra.front();
    for (std::size_t k = 0; k < first.frequency.size(); ++k) {
        Eigen::VectorXd row(table.columns.size());
        Eigen::Index c = 0;
        row[c++] = first.frequency[k] * r.unit();
        for (const SignalSpectrum& s : r.spectra) row[c++] = s.amplitude[k], row[c++] = s.power[k], row[c++] = s.density[k] / r.unit();
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace linkwright::session
