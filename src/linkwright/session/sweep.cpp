#include "linkwright/session/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/model/copy.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/parameter_names.hpp"
#include "linkwright/session/spinning_bodies.hpp"
#include "linkwright/session/time_axis.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

namespace {

bool refuse(Report& report, const std::string& option, const std::string& text, const std::string& what) {
    report.error(fmt::format("{} {}: {}", option, text, what),
                 fmt::format("for example {} m=1:2:50, fifty intervals from 1 to 2; or m=1,1.5,2", option));
    return false;
}

std::optional<double> read_number(const std::string& text, const eom::EquationsOfMotion& equations, const std::string& option,
                                  Report& report) {
    const auto value = read_expression(option, text, equations, report);
    if (!value) return std::nullopt;
    const numeric::CompiledEquations numbers(equations);
    for (const sym::Expr& s : symbols_in(*value)) {
        if (s.symbol().role == sym::Role::parameter) continue;
        report.error(fmt::format("{}: '{}' is not a number", option, text), "use numbers and parameters only");
        return std::nullopt;
    }
    const double x = numbers.constant(*value);
    if (std::isfinite(x)) return x;
    report.error(fmt::format("{}: '{}' is not a finite number", option, text));
    return std::nullopt;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) c == at ? parts.emplace_back() : parts.back().append(1, c);
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}

/// NAME=FROM:TO:INTERVALS or NAME=VALUE,VALUE: as far as that can be seen without knowing what the parts mean.
bool has_form(const std::string& option, const std::string& text, Report& report) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return refuse(report, option, text, "it takes NAME=FROM:TO:INTERVALS");
    const bool is_range = text.find(':', equals) != std::string::npos;
    const auto parts = split(text.substr(equals + 1), is_range ? ':' : ',');
    if (is_range && parts.size() > 3) return refuse(report, option, text, "a range is FROM:TO or FROM:TO:INTERVALS");
    if (std::ranges::any_of(parts, &std::string::empty))
        return refuse(report, option, text, is_range ? "a part of the range is missing" : "a value is missing");
    return true;
}

bool read_values(const std::string& option, const std::string& text, const std::string& range, const eom::EquationsOfMotion& e,
                 std::vector<double>& values, Report& report) {
    if (range.find(':') == std::string::npos) {
        for (const std::string& part : split(range, ',')) {
            const auto x = read_number(part, e, option, report);
            if (!x) return false;
            values.push_back(*x);
        }
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (values[i] == values[i - 1] || (values[i] > values[i - 1]) != (values[1] > values[0]))
                return refuse(report, option, text, "the values must rise, or fall, from one to the next");
        }
        return true;
    }
    const auto parts = split(range, ':');
    const auto from = read_number(parts[0], e, option, report), to = read_number(parts[1], e, option, report);
    const auto count = parts.size() == 3 ? read_number(parts[2], e, option, report) : std::optional<double>(100);
    if (!from || !to || !count) return false;
    if (*from == *to) return refuse(report, option, text, "the range is empty");
    if (*count != std::floor(*count) || *count < 1 || *count > 1e6)
        return refuse(report, option, text, "the number of intervals must be a whole number from 1 to a million");
    for (double i = 0; i <= *count; ++i) values.push_back(i == *count ? *to : *from + (*to - *from) * (i / *count));
    return true;
}

}  // namespace

std::optional<double> checked_unit(const Session& session, const SweepWords& words, const std::string& option, const std::string& text,
                                   Watch& watch, Report& report) {
    model::Model tried = model::copy(session.model(), std::make_shared<sym::Pool>());
    const double unit = unit_of(tried, words.name);
    std::optional<model::ParameterValues> values;  // with the first value in its place; the others only change it
    for (const double value : words.values) {
        if (!watch(0, words.values.size())) return watch.tell(report), std::nullopt;
        const auto refuse_value = [&](const Diagnostic& d) {
            report.error(fmt::format("{} {}: at {} = {:.6g}: {}", option, text, words.name, value, d.what), d.hint);
            return std::nullopt;
        };
        if (!values) {
            if (const auto problem = model::set_value(tried, words.name, fmt::format("{}", value))) return refuse_value(*problem);
            values.emplace(tried);
        }
        values->change(*tried.pool->find_symbol(words.name), value * unit);
        for (const Diagnostic& d : model::check_values(tried, *values)) {
            if (d.severity == Diagnostic::Severity::error) return refuse_value(d);
        }
    }
    return unit;
}

namespace {

double hertz(std::complex<double> pole) { return std::abs(pole.imag()) / (2 * std::numbers::pi); }
double damping_ratio(std::complex<double> pole) { return pole == 0.0 ? 0 : -pole.real() / std::abs(pole) + 0.0; }

/// Branches that oscillate somewhere, of a pair the upper one; by frequency at the end of the sweep, as far as they get.
std::vector<std::size_t> oscillating(const linear::Sweep& s) {
    std::vector<std::size_t> found;
    for (std::size_t b = 0; b < s.branches; ++b) {
        const auto is_upper = [&](const linear::SweepSample& sample) { return sample.poles[b] && sample.poles[b]->imag() > 0; };
        if (std::ranges::any_of(s.samples, is_upper)) found.push_back(b);
    }
    const auto last_frequency = [&](std::size_t b) {
        double frequency = 0;
        for (const linear::SweepSample& sample : s.samples) frequency = sample.poles[b] ? hertz(*sample.poles[b]) : frequency;
        return frequency;
    };
    std::ranges::stable_sort(found, {}, last_frequency);
    return found;
}

std::string campbell_csv(const SweptPoles& result) {
    const linear::Sweep& s = result.sweep;
    const std::vector<std::size_t> shown = oscillating(s);
    std::string out = result.parameter;
    for (std::size_t i = 1; i <= shown.size(); ++i) out += fmt::format(",f{0}_hz,damping{0},whirl{0}", i);
    out += '\n';
    for (const linear::SweepSample& sample : s.samples) {
        out += fmt::format("{}", sample.value);
        for (const std::size_t b : shown) {
            const auto& pole = sample.poles[b];
            out += pole ? fmt::format(",{},{},{}", hertz(*pole), damping_ratio(*pole), to_string(sample.whirl[b])) : ",,,";
        }
        out += '\n';
    }
    return out;
}

/// Which of the shown modes a branch is, counted from 1; 0: none.
std::size_t mode_of(const std::vector<std::size_t>& shown, std::size_t branch) {
    const auto at = std::ranges::find(shown, branch);
    return at == shown.end() ? 0 : static_cast<std::size_t>(at - shown.begin()) + 1;
}

Json campbell_json(const SweptPoles& result) {
    const linear::Sweep& s = result.sweep;
    const std::vector<std::size_t> shown = oscillating(s);
    Json modes = Json::array(), critical = Json::array();
    for (const std::size_t b : shown) {
        Json frequency = Json::array(), damping = Json::array(), whirl = Json::array();
        for (const linear::SweepSample& sample : s.samples) {
            const auto& pole = sample.poles[b];
            frequency.push_back(pole ? Json(hertz(*pole)) : Json(nullptr));
            damping.push_back(pole ? Json(damping_ratio(*pole)) : Json(nullptr));
            whirl.push_back(pole ? Json(to_string(sample.whirl[b])) : Json(nullptr));
        }
        modes.push_back({{"branch", b + 1}, {"frequency_hz", frequency}, {"damping_ratio", damping}, {"whirl", whirl}});
    }
    for (const linear::CriticalSpeed& c : s.critical) {
        critical.push_back({{"value", c.value},
                            {"order", c.order},
                            {"mode", mode_of(shown, c.branch)},
                            {"frequency_hz", hertz(c.pole)},
                            {"damping_ratio", damping_ratio(c.pole)},
                            {"whirl", to_string(c.whirl)}});
    }
    return {{"modes", modes}, {"critical_speeds", critical}};
}

/// rad/s for one of the parameter's SI unit; nothing when it is no speed of rotation.
std::optional<double> radians_per_second(const std::string& unit) {
    if (unit.empty() || unit == "rad/s" || unit == "1/s") return 1;
    if (unit == "Hz") return 2 * std::numbers::pi;
    return std::nullopt;
}

std::string words_of(const linear::CriticalSpeed& c, std::size_t mode) {
    const std::string multiple = c.order == 1 ? "" : fmt::format("{:.6g} times ", c.order);
    const std::string whirl = c.whirl == linear::Whirl::none ? "" : fmt::format(", {} whirl", to_string(c.whirl));
    return fmt::format("critical speed: the frequency of mode {}, {:.6g} Hz, is {}the speed of rotation{}", mode, hertz(c.pole), multiple,
                       whirl);
}

}  // namespace

std::string to_csv(const SweptPoles& result) {
    if (result.is_campbell) return campbell_csv(result);
    const linear::Sweep& s = result.sweep;
    std::string out = result.parameter;
    for (std::size_t b = 1; b <= s.branches; ++b) out += fmt::format(",re{},im{}", b, b);
    out += '\n';
    for (const linear::SweepSample& sample : s.samples) {
        out += fmt::format("{}", sample.value);
        for (const auto& pole : sample.poles) out += pole ? fmt::format(",{},{}", pole->real() + 0.0, pole->imag() + 0.0) : ",,";
        out += '\n';
    }
    return out;
}

Json to_json(const SweptPoles& result) {
    const linear::Sweep& s = result.sweep;
    Json j{{"model", result.names.model}, {"parameter", result.parameter}, {"values", Json::array()},
           {"branches", Json::array()},   {"events", Json::array()},       {"states", Json::object()}};
    for (const linear::SweepSample& sample : s.samples) j["values"].push_back(sample.value);
    for (std::size_t b = 0; b < s.branches; ++b) {
        Json re = Json::array(), im = Json::array();
        for (const linear::SweepSample& sample : s.samples) {
            const auto& pole = sample.poles[b];
            re.push_back(pole ? Json(pole->real() + 0.0) : Json(nullptr)), im.push_back(pole ? Json(pole->imag() + 0.0) : Json(nullptr));
        }
        j["branches"].push_back({{"re", re}, {"im", im}});
    }
    for (const linear::SweepEvent& event : s.events) {
        Json branches = Json::array();
        for (const std::size_t b : event.branches) branches.push_back(b + 1);
        j["events"].push_back({{"value", event.value},
                               {"what", event.what},
                               {"pole", {{"re", event.pole.real()}, {"im", event.pole.imag()}}},
                               {"branches", branches},
                               {"words", event.words}});
    }
    for (std::size_t i = 0; i < result.names.coordinates.size(); ++i) {
        Json column = Json::array();
        for (const linear::SweepSample& sample : s.samples) column.push_back(sample.state.q[i]);
        j["states"][result.names.coordinates[i]] = column;
    }
    if (result.is_campbell) j["campbell"] = campbell_json(result);
    j["notes"] = s.notes;
    j["stop"] = {{"reason", s.is_ok ? "reached" : "failed"}, {"why", s.why}};
    return j;
}

std::optional<SweepWords> read_sweep(const std::string& option, const std::string& text, const eom::EquationsOfMotion& equations,
                                     Report& report) {
    if (!has_form(option, text, report)) return std::nullopt;
    const std::size_t equals = text.find('=');
    SweepWords words{.name = trimmed(text.substr(0, equals)), .values = {}};
    std::vector<std::string> known;
    bool is_known = false;
    for (std::size_t i = 0; i < equations.parameters.size(); ++i) {
        known.push_back(equations.parameters[i].symbol.symbol().name);
        if (known.back() == words.name) words.parameter = i, is_known = true;
    }
    if (!is_known) {
        report.error(fmt::format("{}: no parameter '{}'", option, words.name), hint_for(words.name, known, "the model has no parameters"));
        return std::nullopt;
    }
    if (!read_values(option, text, text.substr(equals + 1), equations, words.values, report)) return std::nullopt;
    return words;
}

Diagnostics check(const SweepOptions& options) {
    Report report;
    has_form(options.option, options.along, report);
    for (const double order : options.orders) {
        if (!(order > 0) || !std::isfinite(order)) report.error("--campbell takes multiples of the speed of rotation, which are positive");
    }
    report.add(check(options.operating));
    return report.problems;
}

Result<SweptPoles> sweep(const Session& session, const SweepOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    auto words = read_sweep(options.option, options.along, bench->equations(), report);
    if (!words) return report;
    Watch watch(options.on_step, "values");
    const auto unit = checked_unit(session, *words, options.option, options.along, watch, report);
    if (!unit) return report;
    for (double& value : words->values) value *= *unit;
    linear::CampbellOptions campbell{.orders = options.orders};
    if (!options.orders.empty()) {
        const std::string& si = bench->equations().parameters[words->parameter].unit;
        const auto scale = radians_per_second(si);
        if (!scale)
            return report.error(fmt::format("--campbell: '{}' is not a speed of rotation, its unit is {}", words->name, si),
                                "sweep the parameter that is the rotor's speed"),
                   report;
        campbell.scale = *scale;
        campbell.bodies = spinning_bodies(bench->model(), bench->equations());
    }
    numeric::CompiledEquations numbers = bench->live_numbers(report);
    numbers.set(words->parameter, words->values.front());
    const auto where = operating_state(options.operating, numbers, watch, report);
    if (!where) return report;
    linear::Operating what = where->what;
    if (what.at == linear::Operating::At::equilibrium) what.start = where->point.state;
    linear::LinearizeOptions how;
    how.geometric_stiffness = !options.lynch;
    SweptPoles r{.names = names_of(bench->equations()),
                 .parameter = words->name,
                 .sweep = linear::sweep(numbers, words->parameter, words->values, what, how, watch.hook(), campbell),
                 .is_campbell = !options.orders.empty()};
    linear::Sweep& s = r.sweep;
    for (linear::CriticalSpeed& c : s.critical) c.value /= *unit;
    for (linear::SweepSample& sample : s.samples) sample.value /= *unit;
    for (linear::SweepEvent& event : s.events) event.value = event.value / *unit + 0.0;
    if (!s.is_ok) {
        const std::string hint = s.samples.empty() ? "" : kept(s.samples.size());
        watch.is_stopped() ? watch.tell(report, hint) : report.fail(fmt::format("{} {}", words->name, s.why), hint);
        if (s.samples.empty()) return report;
    }
    for (const std::string& note : s.notes) report.note(note);
    for (const linear::SweepEvent& event : s.events) report.note(fmt::format("{} = {:.12g}: {}", words->name, event.value, event.words));
    const std::vector<std::size_t> shown = oscillating(s);
    for (const linear::CriticalSpeed& c : s.critical)
        report.note(fmt::format("{} = {:.12g}: {}", words->name, c.value, words_of(c, mode_of(shown, c.branch))));
    return finished(report, std::move(r));
}

}  // namespace linkwright::session
