#include "linkwright/session/frequency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/session/finite.hpp"
#include "linkwright/session/linear_system.hpp"

namespace linkwright::session {

using linear::Channel;
using linear::TransferFunctions;

double decibels(double magnitude) { return 20 * std::log10(magnitude); }
double Response::unit() const { return in_hz ? 2 * std::numbers::pi : 1; }

namespace {

std::optional<double> to_number(std::string_view text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
    return x;
}

/// "0.1:100"
std::optional<std::pair<double, double>> read_range(const std::string& text, Report& report) {
    const std::size_t colon = text.find(':');
    const auto from = to_number(std::string_view(text).substr(0, colon)),
               to = colon == std::string::npos ? std::nullopt : to_number(std::string_view(text).substr(colon + 1));
    if (!from || !to)
        return report.error(fmt::format("--range \"{}\" is not two numbers", text), "for example --range 0.1:100"), std::nullopt;
    if (!(*from > 0))
        return report.error(fmt::format("--range {}: the lower end must be positive", text),
                            "frequencies are spaced at equal ratios; use --frequencies 0,... for 0 itself"),
               std::nullopt;
    if (!(*to > *from)) return report.error(fmt::format("--range {}: the upper end must be above the lower", text)), std::nullopt;
    return std::pair(*from, *to);
}

/// What the words come to; wrong ones are in the report.
linear::FrequencyOptions read_options(const FrequencyOptions& options, Report& report) {
    const double unit = options.in_hz ? 2 * std::numbers::pi : 1;
    linear::FrequencyOptions o;
    if (!options.range.empty()) {
        if (const auto range = read_range(options.range, report)) o.range = std::pair(range->first * unit, range->second * unit);
    }
    if (options.points < 2 || options.points > 1'000'000)
        report.error(fmt::format("--points {} is not between 2 and 1000000", options.points));
    o.points = static_cast<std::size_t>(options.points);
    o.refine = !options.is_even;
    o.loops = options.loops;
    for (const double f : options.frequencies) {
        if (!(f >= 0) || !std::isfinite(f)) report.error(fmt::format("--frequencies: {:g} is not a frequency", f));
        o.omega.push_back(f * unit);
    }
    report.add(check(options.operating));
    if (report.is_ok()) std::ranges::sort(o.omega);
    return o;
}

Json number(double x) { return std::isfinite(x) ? Json(x + 0.0) : Json(nullptr); }
Json number(std::optional<double> x) { return x ? number(*x) : Json(nullptr); }
Json complex_numbers(const Eigen::VectorXcd& v) {
    Json j = Json::array();
    for (const std::complex<double> z : v) j.push_back({{"re", z.real() + 0.0}, {"im", z.imag() + 0.0}});
    return j;
}

Json as_json(const linear::Margins& m, double unit) {
    const auto at = [&](std::optional<double> omega) { return number(omega ? std::optional(*omega / unit) : std::nullopt); };
    Json j{{"gain", number(m.gain)},
           {"gain_at", at(m.gain_at)},
           {"phase", number(m.phase)},
           {"phase_at", at(m.phase_at)},
           {"delay", number(m.delay)},
           {"delay_at", at(m.delay_at)},
           {"sensitivity", number(m.sensitivity)},
           {"sensitivity_at", m.sensitivity_at / unit}};
    j["gains"] = Json::array(), j["phases"] = Json::array();
    for (const linear::GainMargin& g : m.gains) j["gains"].push_back({{"factor", g.factor}, {"at", g.omega / unit}});
    for (const linear::PhaseMargin& p : m.phases) j["phases"].push_back({{"degrees", p.degrees}, {"at", p.omega / unit}});
    return j;
}

Json as_json(const linear::Nyquist& n) {
    using Verdict = linear::Nyquist::Verdict;
    const char* verdict = n.verdict == Verdict::stable     ? "stable"
                          : n.verdict == Verdict::unstable ? "unstable"
                          : n.verdict == Verdict::on_axis  ? "poles on the axis"
                                                           : "not decided";
    return {{"verdict", verdict},
            {"unstable_open_poles", n.open},
            {"clockwise_encirclements", n.turns ? Json(*n.turns) : Json(nullptr)},
            {"unstable_closed_poles", n.closed},
            {"poles", complex_numbers(n.poles)},
            {"words", n.words}};
}

}  // namespace

Json to_json(const Response& result) {
    const TransferFunctions& r = result.transfer;
    const double unit = result.unit();
    Json j;
    j["model"] = result.names.model;
    j["unit"] = unit == 1 ? "rad/s" : "Hz";
    j["poles"] = complex_numbers(r.poles);  // these and zeros always in rad/s
    j["zeros"] = r.zeros ? complex_numbers(*r.zeros) : r.channels.size() == 1 ? complex_numbers(r.channels[0].zeros) : Json(nullptr);
    Json& frequencies = j["frequencies"] = Json::array();
    for (const double omega : r.omega) frequencies.push_back(omega / unit);
    j["channels"] = Json::array();
    for (const Channel& c : r.channels) {
        Json k;
        k["from"] = c.from, k["to"] = c.to;
        k["gain"] = number(c.gain);
        k["static_gain"] = number(c.static_gain);
        k["zeros"] = complex_numbers(c.zeros);
        k["integrations"] = c.integrations;
        k["reaches"] = !c.is_dead;
        k["resonances"] = Json::array();
        for (const linear::Peak& p : c.resonances)
            k["resonances"].push_back(
                {{"frequency", p.omega / unit}, {"magnitude", number(p.magnitude)}, {"infinite", !std::isfinite(p.magnitude)}});
        k["margins"] = c.margins ? as_json(*c.margins, unit) : Json(nullptr);
        k["closed_loop"] = c.loop ? as_json(*c.loop) : Json(nullptr);
        Json magnitude = Json::array(), db = Json::array(), phase = Json::array(), infinite = Json::array(), re = Json::array(),
             im = Json::array();
        for (std::size_t i = 0; i < r.omega.size(); ++i) {
            magnitude.push_back(number(c.magnitude[i])), db.push_back(number(decibels(c.magnitude[i]))),
                phase.push_back(number(c.phase[i])), re.push_back(number(c.values[i].real())), im.push_back(number(c.values[i].imag()));
            if (!std::isfinite(c.magnitude[i])) infinite.push_back(r.omega[i] / unit);
        }
        k["infinite_at"] = infinite;
        k["magnitude"] = magnitude, k["db"] = db, k["phase"] = phase, k["re"] = re, k["im"] = im;
        j["channels"].push_back(k);
    }
    j["notes"] = r.notes;
    return j;
}

Table to_table(const Response& result) {
    const TransferFunctions& r = result.transfer;
    const double unit = result.unit();
    Table table{{"frequency"}, {}};
    const std::vector<const char*> bode{"magnitude", "db", "phase"}, nyquist{"re", "im"};
    for (const Channel& c : r.channels) {
        for (const char* what : result.as_nyquist ? nyquist : bode) table.columns.push_back(fmt::format("{}/{}.{}", c.to, c.from, what));
    }
    for (std::size_t i = 0; i < r.omega.size(); ++i) {
        Eigen::VectorXd row(table.columns.size());
        Eigen::Index k = 0;
        row[k++] = r.omega[i] / unit;
        for (const Channel& c : r.channels) {
            if (result.as_nyquist)
                row[k++] = c.values[i].real(), row[k++] = c.values[i].imag();
            else
                row[k++] = c.magnitude[i], row[k++] = decibels(c.magnitude[i]), row[k++] = c.phase[i];
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Diagnostics check(const FrequencyOptions& options) {
    Report report;
    read_options(options, report);
    return report.problems;
}

Result<Response> frequency(const Session& session, const FrequencyOptions& options) {
    Report report;
    linear::FrequencyOptions o = read_options(options, report);
    if (!report.is_ok()) return report;
    Watch watch(options.on_step, "frequencies");
    o.goes_on = watch.hook();
    auto named = linear_system(session, options.operating, options.from, options.to, watch, report);
    if (!named) return report;
    Response r{
        .names = named->names, .transfer = frequency_response(named->system, o), .in_hz = options.in_hz, .as_nyquist = options.nyquist};
    if (watch.is_stopped()) return watch.tell(report), report;
    if (!r.transfer.is_ok) return report.fail(r.transfer.why), report;
    for (const std::string& note : r.transfer.notes) report.note(note);
    return finished(report, std::move(r));
}

}  // namespace linkwright::session
