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
    double from = 0;
};

std::optional<Record> read_record(const std::string& path, const SpectrumOptions& options, Report& report) {
    auto table = read_table(path, report);
    if (!table) return std::nullopt;
    const auto t = table->find("t");
    if (!t) return report.error(path + ": no column t", "samples need their times"), std::nullopt;
    Record record{std::move(*table)};
    if (options.after && !record.table.rows.empty()) {
        const double last = record.table.rows.back()[*t];
        std::erase_if(record.table.rows, [&](const Eigen::VectorXd& row) { return row[*t] < *options.after; });
        if (record.table.rows.empty())
            return report.error(fmt::format("--after {:g}: the motion of {} ends at {:g}", *options.after, path, last)), std::nullopt;
    }
    const auto time = [&](std::size_t i) { return record.table.rows[i][*t]; };
    const std::size_t n = record.table.rows.size();
    if (n < 4)
        return report.error(fmt::format("{}: {} rows are too few for a spectrum", path, n), "at least four are needed, hundreds are usual"),
               std::nullopt;
    record.interval = (time(n - 1) - time(0)) / static_cast<double>(n - 1);
    record.from = time(0);
    for (std::size_t i = 1; i < n; ++i) {
        const double step = time(i) - time(i - 1);
        if (std::abs(step - record.interval) <= 1e-6 * std::abs(record.interval)) continue;
        report.error(fmt::format("{}: the rows are not at equal intervals: {:.6g} before row {}, {:.6g} on average", path, step, i + 1,
                                 record.interval),
                     "simulate --samples N writes rows at equal intervals");
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
    const double begin = options.after.value_or(start.state.t), end = *options.until;
    if (!(begin >= start.state.t) || !(begin < end)) {
        report.error(fmt::format("--after {:g} is not between {:g}, where the motion begins, and --until {:g}", begin, start.state.t, end));
        return std::nullopt;
    }
    const double count = options.every ? std::round((end - begin) / *options.every) : static_cast<double>(options.samples);
    if (!(count >= 4) || count > 1e8) {
        report.error(fmt::format("--every {:g}: from {:g} to {:g} that makes {:g} samples", *options.every, begin, end, count),
                     "at least four are needed, hundreds are usual");
        return std::nullopt;
    }
    const double interval = options.every ? *options.every : (end - begin) / count;
    if (begin > start.state.t) o.times.push_back(start.state.t);
    for (double i = 0; i <= count; ++i) o.times.push_back(begin + i * interval);
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
                    motion.rows.size() < 4 ? "" : fmt::format("the spectrum is that of the {} rows up to that time", motion.rows.size()));
        if (motion.rows.size() < 4) return std::nullopt;
    } else {
        motion.rows.pop_back();  // the end is the beginning of the next record
    }
    if (begin > start.state.t && !motion.rows.empty()) motion.rows.erase(motion.rows.begin());
    return Record{{motion.columns, motion.rows}, interval, begin};
}

Json as_json(const SignalSpectrum& s, double unit) {
    Json j;
    j["amplitude"] = s.amplitude, j["power"] = s.power;
    j["density"] = Json::array();
    for (const double d : s.density) j["density"].push_back(d / unit);
    j["mean"] = s.mean, j["trend"] = s.trend;
    j["peaks"] = Json::array();
    for (const motion::SpectralPeak& p : s.peaks) j["peaks"].push_back({{"frequency", p.frequency * unit}, {"amplitude", p.amplitude}});
    if (s.harmonics.list.empty()) return j;
    Json list = Json::array();
    for (const motion::Harmonic& h : s.harmonics.list) {
        list.push_back({{"order", h.order},
                        {"frequency", h.frequency * unit},
                        {"amplitude", h.amplitude},
                        {"power", h.power},
                        {"density", h.density / unit},
                        {"leaked", h.leaked},
                        {"stands_out", h.stands_out()}});
    }
    j["harmonics"] = {{"list", list}, {"distortion", s.harmonics.distortion ? Json(*s.harmonics.distortion) : Json(nullptr)}};
    return j;
}

Result<Spectra> analyse(const std::optional<Record>& record, const SpectrumOptions& options, Report report) {
    if (!record) return report;
    Spectra r{.columns = options.columns,
              .spectra = {},
              .samples = record->table.rows.size(),
              .interval = record->interval,
              .window = options.how.window,
              .segments = static_cast<std::size_t>(options.average),
              .from = record->from,
              .has_harmonics = options.harmonics > 0,
              .in_rad = options.in_rad};
    motion::SpectrumOptions how = options.how;
    how.segments = static_cast<std::size_t>(options.average);
    how.harmonics = static_cast<std::size_t>(options.harmonics);
    if (options.fundamental) how.fundamental = *options.fundamental / r.unit();
    for (const std::string& name : options.columns) {
        const auto at = record->table.find(name);
        if (!at || name == "t")
            return report.error(fmt::format("--spectrum: no column '{}'", name), hint_for(name, record->table.columns)), report;
        std::vector<double> samples;
        for (const Eigen::VectorXd& row : record->table.rows) samples.push_back(row[*at]);
        r.spectra.push_back(motion::signal_spectrum(samples, record->interval, how));
        if (!r.spectra.back().is_ok) return report.fail(fmt::format("{}: {}", name, r.spectra.back().why)), report;
        const motion::Harmonics& harmonics = r.spectra.back().harmonics;
        if (r.has_harmonics && harmonics.lines_apart < motion::lobe_width(how.window) + 0.5)
            report.warn(
                fmt::format("{}: harmonics that are {:.3g} lines apart cannot be separated: use a longer motion, fewer segments or a "
                            "narrower window",
                            name, harmonics.lines_apart));
    }
    return finished(report, std::move(r));
}

bool has_columns(const SpectrumOptions& options, Report& report) {
    if (options.columns.empty()) report.error("--spectrum names no column", "for example --spectrum hip");
    if (options.average < 1 || options.average > 1'000'000)
        report.error(fmt::format("--average {} is not between 1 and 1000000", options.average), "so many segments are averaged");
    if (!(options.how.overlap >= 0) || !(options.how.overlap <= 0.95))
        report.error(fmt::format("--overlap {:g} is not between 0 and 0.95", options.how.overlap),
                     "0.5: half of a segment belongs to the next");
    if (options.harmonics < 0 || options.harmonics > 10'000)
        report.error(fmt::format("--harmonics {} is not between 0 and 10000", options.harmonics));
    if (options.fundamental && (!(*options.fundamental > 0) || !std::isfinite(*options.fundamental)))
        report.error(fmt::format("--fundamental {:g} is not a frequency", *options.fundamental));
    if (options.fundamental && options.harmonics == 0) report.error("--fundamental requires --harmonics", "for example --harmonics 5");
    if (options.after && !std::isfinite(*options.after)) report.error("--after is not a finite time");
    return report.is_ok();
}

}  // namespace

double Spectra::unit() const { return in_rad ? 2 * std::numbers::pi : 1; }

Diagnostics check(const SpectrumOptions& o) {
    Report report;
    has_columns(o, report);
    if (!o.until)
        report.error("--until is missing", "for example --until 60 --samples 2048; or --of FILE for a motion that has been simulated");
    if (o.every && (!(*o.every > 0) || !std::isfinite(*o.every)))
        report.error(fmt::format("--every {:g} is not a positive interval", *o.every));
    if (o.samples < 4)
        report.error(fmt::format("--samples {} are too few for a spectrum", o.samples), "at least four are needed, hundreds are usual");
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
    const auto record = read_record(path, options, report);
    return analyse(record, options, std::move(report));
}

Json to_json(const Spectra& r) {
    const SignalSpectrum& first = r.spectra.front();
    const double unit = r.unit();
    Json j;
    j["unit"] = r.unit_name();
    j["window"] = std::string(motion::to_string(r.window));
    j["samples"] = r.samples;
    j["from"] = r.from;
    j["segments"] = {{"count", r.segments}, {"samples", first.segment}};
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

std::string harmonics_csv(const Spectra& r) {
    std::string out = "column,order,frequency,amplitude,leaked,power,density,first/this\n";
    for (std::size_t i = 0; i < r.spectra.size(); ++i) {
        const std::vector<motion::Harmonic>& list = r.spectra[i].harmonics.list;
        for (const motion::Harmonic& h : list) {
            out += fmt::format("{},{},{},{},{},{},{},", r.columns[i], h.order, h.frequency * r.unit(), h.amplitude, h.leaked, h.power,
                               h.density / r.unit());
            out += h.power > 0 ? fmt::format("{}\n", list.front().power / h.power) : "\n";
        }
    }
    return out;
}

}  // namespace linkwright::session
