#include "sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>

#include "linkwright/linear/design/sweep.hpp"
#include "linkwright/base/text.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/sym/dependency.hpp"
#include "parameter_names.hpp"

namespace linkwright::cli {

namespace {

using Json = nlohmann::ordered_json;

bool refuse(const std::string& option, const std::string& text, const std::string& what) {
    report_error(fmt::format("{} {}: {}", option, text, what), fmt::format("for example {} m=1:2:50, fifty intervals from 1 to 2; or m=1,1.5,2", option));
    return false;
}

std::optional<double> read_number(const std::string& text, const eom::EquationsOfMotion& equations, const std::string& option) {
    const auto value = read_expression(option, text, equations);
    if (!value) return std::nullopt;
    const numeric::CompiledEquations numbers(equations);
    for (const sym::Expr& s : symbols_in(*value)) {
        if (s.symbol().role == sym::Role::parameter) continue;
        report_error(fmt::format("{}: '{}' is no number", option, text), "only numbers and parameters make a value");
        return std::nullopt;
    }
    const double x = numbers.constant(*value);
    if (std::isfinite(x)) return x;
    report_error(fmt::format("{}: '{}' is not a finite number", option, text));
    return std::nullopt;
}

std::string without_spaces(const std::string& s) {
    const std::size_t a = s.find_first_not_of(" \t"), b = s.find_last_not_of(" \t");
    return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) c == at ? parts.emplace_back() : parts.back().append(1, c);
    for (std::string& part : parts) part = without_spaces(part);
    return parts;
}

bool read_values(const std::string& option, const std::string& text, const std::string& range, const eom::EquationsOfMotion& e, std::vector<double>& values) {
    if (range.find(':') == std::string::npos) {
        for (const std::string& part : split(range, ',')) {
            if (part.empty()) return refuse(option, text, "a value is missing");
            const auto x = read_number(part, e, option);
            if (!x) return false;
            values.push_back(*x);
        }
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (values[i] == values[i - 1] || (values[i] > values[i - 1]) != (values[1] > values[0])) return refuse(option, text, "the values must rise, or fall, from one to the next");
        }
        return true;
    }
    const auto parts = split(range, ':');
    if (parts.size() < 2 || parts.size() > 3) return refuse(option, text, "a range is FROM:TO or FROM:TO:INTERVALS");
    for (const std::string& part : parts) {
        if (part.empty()) return refuse(option, text, "a part of the range is missing");
    }
    const auto from = read_number(parts[0], e, option), to = read_number(parts[1], e, option);
    const auto count = parts.size() == 3 ? read_number(parts[2], e, option) : std::optional<double>(100);
    if (!from || !to || !count) return false;
    if (*from == *to) return refuse(option, text, "the range is empty");
    if (*count != std::floor(*count) || *count < 1 || *count > 1e6) return refuse(option, text, "the number of intervals must be a whole number from 1 to a million");
    for (double i = 0; i <= *count; ++i) values.push_back(i == *count ? *to : *from + (*to - *from) * (i / *count));
    return true;
}

/// Values are in the parameter's own unit, and every one must be such that --set would take it. The unit.
std::optional<double> checked_unit(const SharedOptions& common, const SweepWords& words, const std::string& option, const std::string& text) {
    SharedOptions again = common;
    again.quiet = true;
    const auto loaded = load(again);
    if (!loaded) return std::nullopt;
    for (const double value : words.values) {
        const auto refuse_value = [&](const Diagnostic& d) {
            report_error(fmt::format("{} {}: at {} = {:.6g}: {}", option, text, words.name, value, d.what), d.hint);
            return std::nullopt;
        };
        if (const auto problem = model::set_value(*loaded->model, words.name, fmt::format("{}", value))) return refuse_value(*problem);
        for (const Diagnostic& d : model::check_values(*loaded->model)) {
            if (d.severity == Diagnostic::Severity::error) return refuse_value(d);
        }
    }
    return unit_of(*loaded->model, words.name);
}

std::string csv(const std::string& name, const linear::Sweep& s) {
    std::string out = name;
    for (std::size_t b = 1; b <= s.branches; ++b) out += fmt::format(",re{},im{}", b, b);
    out += '\n';
    for (const linear::SweepSample& sample : s.samples) {
        out += fmt::format("{}", sample.value);
        for (const auto& pole : sample.poles) out += pole ? fmt::format(",{},{}", pole->real() + 0.0, pole->imag() + 0.0) : ",,";
        out += '\n';
    }
    return out;
}

Json to_json(const std::string& model, const std::string& name, const eom::EquationsOfMotion& e, const linear::Sweep& s) {
    Json j{{"model", model}, {"parameter", name}, {"values", Json::array()}, {"branches", Json::array()}, {"events", Json::array()}, {"states", Json::object()}};
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
        j["events"].push_back({{"value", event.value}, {"what", event.what}, {"pole", {{"re", event.pole.real()}, {"im", event.pole.imag()}}}, {"branches", branches}, {"words", event.words}});
    }
    for (std::size_t i = 0; i < e.q.size(); ++i) {
        Json column = Json::array();
        for (const linear::SweepSample& sample : s.samples) column.push_back(sample.state.q[i]);
        j["states"][e.q[i].symbol().name] = column;
    }
    j["notes"] = s.notes;
    j["stop"] = {{"reason", s.is_ok ? "reached" : "failed"}, {"why", s.why}};
    return j;
}

}  // namespace

std::optional<SweepWords> read_sweep(const std::string& option, const std::string& text, const eom::EquationsOfMotion& equations) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return refuse(option, text, "it takes NAME=FROM:TO:INTERVALS"), std::nullopt;
    SweepWords words{.name = without_spaces(text.substr(0, equals)), .values = {}};
    std::vector<std::string> known;
    bool is_known = false;
    for (std::size_t i = 0; i < equations.parameters.size(); ++i) {
        known.push_back(equations.parameters[i].symbol.symbol().name);
        if (known.back() == words.name) words.parameter = i, is_known = true;
    }
    if (!is_known) {
        const auto meant = did_you_mean(words.name, known);
        report_error(fmt::format("{}: no parameter '{}'", option, words.name),
                   meant ? fmt::format("did you mean {}?", *meant) : known.empty() ? "the model has no parameters" : fmt::format("there are {}", fmt::join(known, ", ")));
        return std::nullopt;
    }
    if (!read_values(option, text, text.substr(equals + 1), equations, words.values)) return std::nullopt;
    return words;
}

int sweep(const SharedOptions& common, const eom::EquationsOfMotion& equations, const OperatingWords& operating, const std::string& text,
          const linear::LinearizeOptions& how, const std::string& option) {
    if (!can_linearize(equations)) return wrong_input;
    auto words = read_sweep(option, text, equations);
    if (!words) return wrong_input;
    const auto unit = checked_unit(common, *words, option, text);
    if (!unit) return wrong_input;
    for (double& value : words->values) value *= *unit;
    numeric::CompiledEquations numbers(equations, native_code(common.quiet), numeric::Parameters::live);
    numbers.set(words->parameter, words->values.front());
    const OperatingState where = operating_state(operating, numbers, common.quiet);
    if (!where.has_point) return where.status;
    linear::Operating what = where.what;
    if (what.at == linear::Operating::At::equilibrium) what.start = where.point.state;
    linear::Sweep s = linear::sweep(numbers, words->parameter, words->values, what, how);
    for (linear::SweepSample& sample : s.samples) sample.value /= *unit;
    for (linear::SweepEvent& event : s.events) event.value = event.value / *unit + 0.0;
    int status = done;
    if (!s.is_ok) {
        report_error(fmt::format("{} {}", words->name, s.why), s.samples.empty() ? "" : kept(s.samples.size()));
        status = numerical_failure;
        if (s.samples.empty()) return status;
    }
    if (!common.quiet) {
        for (const std::string& note : s.notes) std::cerr << "linkwright: note: " << note << '\n';
        for (const linear::SweepEvent& event : s.events) std::cerr << fmt::format("linkwright: note: {} = {:.12g}: {}\n", words->name, event.value, event.words);
    }
    const int delivered = deliver(common, common.json ? dump(to_json(equations.name, words->name, equations, s)) : csv(words->name, s));
    return delivered == done ? status : delivered;
}

}  // namespace linkwright::cli
