#include "spectra.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "linkwright/motion/simulate.hpp"
#include "linkwright/base/text.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace linkwright::cli {

namespace {

using motion::SignalSpectrum;

/// Samples at equal intervals.
struct Record {
    Table table;
    double interval = 0;
    int status = done;
};

std::optional<Record> read_record(const std::string& path) {
    auto table = read_table(path);
    if (!table) return std::nullopt;
    const auto t = table->find("t");
    if (!t) return report_error(path + ": no column t", "samples need their times"), std::nullopt;
    Record record{std::move(*table)};
    const auto time = [&](std::size_t i) { return record.table.rows[i][*t]; };
    const std::size_t n = record.table.rows.size();
    if (n < 4) return report_error(fmt::format("{}: {} rows are too few for a spectrum", path, n), "four are the least, hundreds are usual"), std::nullopt;
    record.interval = (time(n - 1) - time(0)) / static_cast<double>(n - 1);
    for (std::size_t i = 1; i < n; ++i) {
        const double step = time(i) - time(i - 1);
        if (std::abs(step - record.interval) <= 1e-6 * std::abs(record.interval)) continue;
        report_error(fmt::format("{}: the rows do not stand at equal intervals: {:.6g} before row {}, {:.6g} on the average", path, step, i + 1, record.interval),
                   "simulate --samples N makes equal ones");
        return std::nullopt;
    }
    if (!(record.interval > 0)) return report_error(path + ": the times do not ascend"), std::nullopt;
    return record;
}

std::optional<Record> simulate_record(const SharedOptions& common, const SpectrumWords& words, const std::string& state, int& status) {
    status = wrong_input;
    if (!words.until) return report_error("how long? --until is not given", "for example --until 60 --samples 2048; or --of FILE for a motion that has been simulated"), std::nullopt;
    if (words.samples < 4) return report_error(fmt::format("--samples {} are too few for a spectrum", words.samples), "four are the least, hundreds are usual"), std::nullopt;
    if (!(words.tolerance > 0) || words.tolerance > 0.1) return report_error(fmt::format("--tolerance {:g} is not between 0 and 0.1", words.tolerance)), std::nullopt;
    const auto loaded = load(common);
    if (!loaded) return std::nullopt;
    const auto equations = derive(common, *loaded);
    if (!equations) return std::nullopt;
    const numeric::CompiledEquations numbers(*equations, native_code(common.quiet));
    const Start start = start_state(state, numbers, common.quiet);
    if (!start.has_state || start.status != done) {
        status = start.status;
        return std::nullopt;
    }
    motion::SimulateOptions o;
    const auto times = read_times(start.state.t, words.until, words.samples, {});
    if (!times) return std::nullopt;
    o.times = *times;
    o.tolerance = words.tolerance;
    o.hold_inputs = start.has_inputs;
    o.events = equations->events;
    Progress progress("simulating", o.times.front(), o.times.back(), common.quiet);
    o.on_step = [&](double t) { return progress(t); };
    motion::Motion motion = motion::simulate(numbers, start.state, o);
    status = done;
    if (motion.stop != motion::Stop::reached) {
        status = numerical_failure;
        report_error(motion.why, motion.rows.size() < 4 ? "" : fmt::format("the spectrum is that of the {} rows up to there", motion.rows.size()));
        if (motion.rows.size() < 4) return std::nullopt;
    } else {
        motion.rows.pop_back();  // the end is the beginning of the next record
    }
    return Record{{motion.columns, motion.rows}, (o.times.back() - o.times.front()) / static_cast<double>(words.samples), status};
}

nlohmann::ordered_json as_json(const SignalSpectrum& s, double unit) {
    nlohmann::ordered_json j;
    j["amplitude"] = s.amplitude, j["power"] = s.power;
    j["density"] = nlohmann::ordered_json::array();
    for (const double d : s.density) j["density"].push_back(d / unit);
    j["mean"] = s.mean, j["trend"] = s.trend;
    j["peaks"] = nlohmann::ordered_json::array();
    for (const motion::SpectralPeak& p : s.peaks) j["peaks"].push_back({{"frequency", p.frequency * unit}, {"amplitude", p.amplitude}});
    return j;
}

}  // namespace

void declare(CLI::App& words, SpectrumWords& spectrum) {
    words.add_option("--spectrum", spectrum.columns, "Spectra of these columns of a motion instead: coordinates, speeds, energies, outputs")->type_name("NAME,...")->delimiter(',');
    words.add_option("--of", spectrum.of, "The motion: a table written by simulate; without it the model is simulated")->type_name("FILE");
    words.add_option("--until", spectrum.until, "How long to simulate for a spectrum")->type_name("T");
    words.add_option("--samples", spectrum.samples, "How many samples to take of it (1024)")->type_name("N");
    words.add_option("--tolerance", spectrum.tolerance, "Of that simulation (1e-8)")->type_name("R");
    add_choice(words, "--window", {"hanning", "none"}, [&](std::size_t i) { spectrum.how.window = static_cast<motion::Window>(i); }, "What the samples are multiplied by: hanning (default) or none");
    add_choice(words, "--remove", {"mean", "trend"}, [&](std::size_t i) { (i == 0 ? spectrum.how.remove_mean : spectrum.how.remove_trend) = true; }, "Take the mean, or the straight line of least squares, away first");
}

int spectra(const SharedOptions& common, const SpectrumWords& words, const std::string& state) {
    int status = wrong_input;
    std::optional<Record> record = words.of.empty() ? simulate_record(common, words, state, status) : read_record(words.of);
    if (!record) return status == done ? wrong_input : status;
    const double unit = words.in_rad ? 2 * std::numbers::pi : 1;
    std::vector<SignalSpectrum> all;
    for (const std::string& name : words.columns) {
        const auto at = record->table.find(name);
        if (!at || name == "t") {
            const auto meant = did_you_mean(name, record->table.columns);
            report_error(fmt::format("--spectrum: no column '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(record->table.columns, ", ")));
            return wrong_input;
        }
        std::vector<double> samples;
        for (const Eigen::VectorXd& row : record->table.rows) samples.push_back(row[*at]);
        all.push_back(motion::signal_spectrum(samples, record->interval, words.how));
        if (!all.back().is_ok) return report_error(fmt::format("{}: {}", name, all.back().why)), numerical_failure;
    }
    const SignalSpectrum& first = all.front();
    int delivered = done;
    if (common.json) {
        nlohmann::ordered_json j;
        j["unit"] = words.in_rad ? "rad/s" : "Hz";
        j["window"] = words.how.window == motion::Window::hanning ? "hanning" : "none";
        j["samples"] = record->table.rows.size();
        j["interval"] = record->interval;
        j["resolution"] = first.resolution * unit;
        j["noise_bandwidth"] = first.noise_bandwidth * first.resolution * unit;
        j["frequencies"] = nlohmann::ordered_json::array();
        for (const double f : first.frequency) j["frequencies"].push_back(f * unit);
        for (std::size_t i = 0; i < all.size(); ++i) j["spectra"][words.columns[i]] = as_json(all[i], unit);
        delivered = deliver(common, dump(j));
    } else if (words.summary) {
        std::string text = fmt::format("{} samples, {:.6g} s apart; lines {:.6g} {} apart{}\n", record->table.rows.size(), record->interval, first.resolution * unit,
                                       words.in_rad ? "rad/s" : "Hz", words.how.window == motion::Window::hanning ? ", Hanning window" : "");
        for (std::size_t i = 0; i < all.size(); ++i) {
            text += fmt::format("\n{}: mean {:.6g}\n", words.columns[i], all[i].mean);
            if (all[i].peaks.empty()) text += "  no peaks\n";
            for (const motion::SpectralPeak& p : all[i].peaks) text += fmt::format("  {:>14.8g} {}   amplitude {:.6g}\n", p.frequency * unit, words.in_rad ? "rad/s" : "Hz", p.amplitude);
        }
        delivered = deliver(common, text);
    } else {
        Table table{{"frequency"}, {}};
        for (const std::string& name : words.columns) {
            for (const char* what : {"amplitude", "power", "density"}) table.columns.push_back(name + "." + what);
        }
        for (std::size_t k = 0; k < first.frequency.size(); ++k) {
            Eigen::VectorXd row(table.columns.size());
            Eigen::Index c = 0;
            row[c++] = first.frequency[k] * unit;
            for (const SignalSpectrum& s : all) row[c++] = s.amplitude[k], row[c++] = s.power[k], row[c++] = s.density[k] / unit;
            table.rows.push_back(std::move(row));
        }
        if (!common.quiet) std::cerr << fmt::format("frequencies in {}\n", words.in_rad ? "rad/s" : "Hz");
        delivered = deliver(common, to_csv(table));
    }
    return delivered == done ? record->status : delivered;
}

}  // namespace linkwright::cli
