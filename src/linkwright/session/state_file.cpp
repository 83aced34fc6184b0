#include "linkwright/session/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "linkwright/base/text.hpp"

namespace linkwright::session {

namespace {

using Json = nlohmann::ordered_json;

class Reading {
public:
    Reading(std::string path, const numeric::CompiledEquations& numbers, bool may_close, Report& report)
        : path_(std::move(path)), e_(numbers.equations()), may_close_(may_close), report_(report) {}

    std::optional<GivenState> take(const NamedState& named) {
        if (const auto t = number("t", named.t)) state_.t = *t;
        std::set<std::string> seen;
        for (const auto* list : {&named.values, &named.inputs}) {
            for (const auto& [name, value] : *list) {
                if (!seen.insert(name).second) fail(fmt::format("\"{}\" is given twice", name));
                list == &named.values ? take_value(name, value) : take_input(name, value);
            }
        }
        if (is_wrong_) return std::nullopt;
        return state_;
    }

    std::optional<GivenState> read() {
        std::error_code trouble;
        if (std::filesystem::is_directory(path_, trouble)) return fail("is a directory"), std::nullopt;
        std::ifstream file(path_);
        if (!file) return fail("cannot be opened"), std::nullopt;
        std::ostringstream text;
        text << file.rdbuf();
        Json json;
        std::vector<std::set<std::string>> keys;  // of the objects that are open
        const auto look = [&](int, Json::parse_event_t event, Json& parsed) {
            if (event == Json::parse_event_t::object_start) keys.emplace_back();
            if (event == Json::parse_event_t::object_end) keys.pop_back();
            if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
                fail(fmt::format("\"{}\" is given twice", parsed.get<std::string>()));
            }
            return true;
        };
        try {
            json = Json::parse(text.str(), look);
        } catch (const Json::parse_error& e) {
            const Position p = position_at(text.str(), e.byte == 0 ? 0 : e.byte - 1);
            report_.add(Diagnostics{
                {.severity = Diagnostic::Severity::error,
                 .file = path_,
                 .where = p,
                 .what = "this is not JSON",
                 .hint = "a state file looks like {\"t\": 0, \"values\": {\"hip\": 0.5, \"hip'\": 0}, \"inputs\": {\"tau\": 1}}"}});
            return std::nullopt;
        } catch (const Json::exception& e) {  // a number beyond all range
            return fail(fmt::format("holds a value that cannot be read ({})", e.what())), std::nullopt;
        }
        if (!json.is_object()) return fail("must hold an object with \"t\", \"values\", \"inputs\""), std::nullopt;
        if (const auto inner = json.find("state"); inner != json.end() && inner->is_object() && inner->contains("values")) {
            json = Json(*inner);  // a result of equilibrium or evaluate, with the state in it
        }
        for (const auto& [key, value] : json.items()) {
            if (key == "t") {
                if (const auto t = number(key, value)) state_.t = *t;
            } else if (key == "values" || key == "inputs") {
                if (!value.is_object()) {
                    fail(fmt::format("\"{}\" must be an object of names and numbers", key));
                    continue;
                }
                for (const auto& [name, x] : value.items()) key == "values" ? take_value(name, x) : take_input(name, x);
            } else {
                fail(fmt::format("unknown key \"{}\"", key), "the keys are t, values, inputs");
            }
        }
        if (is_wrong_) return std::nullopt;
        return state_;
    }

private:
    void fail(const std::string& what, const std::string& hint = {}) {
        is_wrong_ = true;
        report_.error(fmt::format("{}: {}", path_, what), hint);
    }
    std::optional<double> number(const std::string& name, double value) { return number(name, Json(value)); }
    std::optional<double> number(const std::string& name, const Json& value) {
        if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
        fail(fmt::format("\"{}\" must be a number", name));
        return std::nullopt;
    }
    void take_value(const std::string& name, const Json& value) {
        const auto x = number(name, value);
        if (!x) return;
        std::vector<std::string> known;
        const auto take = [&](const std::vector<sym::Expr>& symbols, bool is_speed) {
            for (const sym::Expr& s : symbols) {
                if (s.symbol().name == name) return state_.values.push_back({name, s, *x, true, is_speed}), true;
                known.push_back(s.symbol().name);
            }
            return false;
        };
        if (take(e_.q, false) || (e_.reduction && take(e_.reduction->s, true)) || take(e_.u, true) || take(e_.x, false)) return;
        for (const eom::Output& o : e_.outputs) {
            if (o.name != name) continue;
            for (const eom::Output& force : e_.outputs) {
                if (force.name == name + ".force" || name == force.name.substr(0, force.name.find(".force")) + "'") {
                    fail(fmt::format("'{}' is prescribed by a motion", name), "leave it out: its value follows from the motion");
                    return;
                }
            }
            if (may_close_) {
                state_.values.push_back({name, o.value, *x, true, name.ends_with('\'')});
            } else {
                fail(fmt::format("'{}' follows from the other coordinates", name), "with --assemble it may be given");
            }
            return;
        }
        const auto meant = did_you_mean(name, known);
        fail(fmt::format("no coordinate or speed '{}'", name),
             meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(known, ", ")));
    }
    void take_input(const std::string& name, const Json& value) {
        const auto x = number(name, value);
        if (!x) return;
        std::vector<std::string> known;
        for (std::size_t i = 0; i < e_.inputs.size(); ++i) {
            known.push_back(e_.inputs[i].symbol.symbol().name);
            if (known.back() == name) return state_.inputs.emplace_back(i, *x), void();
        }
        const auto meant = did_you_mean(name, known);
        fail(fmt::format("no input '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : "");
    }

    std::string path_;
    const eom::EquationsOfMotion& e_;
    bool may_close_;
    bool is_wrong_ = false;
    Report& report_;
    GivenState state_;
};

}  // namespace

Diagnostics check(const StateWords& words) {
    Report report;
    if (words.values && !words.file.empty()) report.error("a state file and values exclude each other");
    if (!words.values) return report.problems;
    const auto check_number = [&](const std::string& name, double value) {
        if (!std::isfinite(value)) report.error(fmt::format("the state given: \"{}\" must be a number", name));
    };
    check_number("t", words.values->t);
    for (const auto* list : {&words.values->values, &words.values->inputs}) {
        for (const auto& [name, value] : *list) check_number(name, value);
    }
    return report.problems;
}

std::optional<GivenState> read_state(const StateWords& words, const numeric::CompiledEquations& numbers, bool may_close, Report& report) {
    if (const Diagnostics wrong = check(words); has_error(wrong)) return report.add(wrong), std::nullopt;
    const std::string path = words.file.empty() ? "the state given" : words.file;
    Reading reading(path, numbers, may_close, report);
    auto state = words.values ? reading.take(*words.values) : reading.read();
    if (!state) return state;
    for (const auto& group : numbers.equations().quaternions) {
        double size = 0, given = 0;
        for (const std::size_t i : group) {
            for (const numeric::Wanted& w : state->values) {
                if (w.what == numbers.equations().q[i]) size += w.value * w.value, ++given;
            }
        }
        const std::string& name = numbers.equations().q[group[0]].symbol().name;
        if (given > 0 && !(size > 0)) {
            report.error(fmt::format("{}: the Euler parameters {} … are all zero", path, name), "e0 = 1 with zeros means no rotation");
            return std::nullopt;
        }
        if (given > 0 && std::abs(size - 1) > 1e-12) {
            state->warnings.push_back(
                fmt::format("the Euler parameters {} … have length {:.6g}; they are normalised", name, std::sqrt(size)));
        }
    }
    return state;
}

numeric::State as_it_stands(const GivenState& given, const numeric::CompiledEquations& numbers) {
    const eom::EquationsOfMotion& e = numbers.equations();
    numeric::State s = numbers.zero_state(given.t);
    for (const auto& group : e.quaternions) {  // a quaternion given in part is zero elsewhere
        for (const std::size_t i : group) {
            for (const numeric::Wanted& w : given.values) {
                if (w.what == e.q[i]) s.q[group[0]] = 0;
            }
        }
    }
    const auto put = [&](const std::vector<sym::Expr>& symbols, bool is_speed, Eigen::VectorXd& values) {
        for (const numeric::Wanted& w : given.values) {
            const auto at = std::ranges::find(symbols, w.what);
            if (w.is_speed == is_speed && at != symbols.end()) values[at - symbols.begin()] = w.value;
        }
    };
    put(e.q, false, s.q);
    put(e.x, false, s.x);
    for (const auto& group : e.quaternions) {
        double size = 0;
        for (const std::size_t i : group) size += s.q[i] * s.q[i];
        for (const std::size_t i : group) s.q[i] /= std::sqrt(size);
    }
    for (const auto& [i, value] : given.inputs) s.w[i] = value;
    if (e.reduction) {  // first what the joints do, then what is said of bodies
        Eigen::VectorXd of_joints = Eigen::VectorXd::Zero(e.reduction->s.size());
        put(e.reduction->s, true, of_joints);
        const numeric::SpeedMap map = numeric::speed_map(numbers, s);
        s.u = map.B * of_joints + map.b;
    }
    put(e.u, true, s.u);
    return s;
}

}  // namespace linkwright::session
