#include "linkwright/session/operating_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/model/excitation.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

namespace {

using linear::Operating;

bool unknown(const std::string& option, const std::string& kind, const std::string& name, const std::vector<std::string>& known,
             Report& report) {
    report.error(fmt::format("{}: no {} '{}'", option, kind, name), hint_for(name, known, "the model has none"));
    return false;
}

/// "name=value", as --hold takes it.
bool is_pair(const std::string& text, Report& report) {
    if (text.find('=') != std::string::npos) return true;
    report.error(fmt::format("--hold takes name=value, not '{}'", text), "for example --hold \"spin'=5\", or --hold hip=0.2");
    return false;
}

class Reading {
public:
    Reading(const EquilibriumWords& words, const numeric::CompiledEquations& numbers, const linear::Equilibria& equilibria, Report& report)
        : words_(words), numbers_(numbers), e_(numbers.equations()), equilibria_(equilibria), report_(report) {}

    std::optional<linear::EquilibriumOptions> read() {
        bool is_right = true;
        for (const std::string& text : split_list(words_.hold)) is_right &= hold(text);
        for (const std::string& name : split_list(words_.moving)) is_right &= move(name);
        for (const std::string& name : split_list(words_.trim)) is_right &= trim_input(name);
        if (!is_right) return std::nullopt;
        options_.is_steady |= words_.steady || !options_.moving.empty();
        if (options_.is_steady) hold_initial_speeds();
        return options_;
    }

private:
    bool hold(const std::string& text) {
        if (!is_pair(text, report_)) return false;
        const std::size_t equals = text.find('=');
        const std::string name = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
        std::vector<std::string> known;
        std::optional<numeric::Wanted> wanted;
        const auto take = [&](const std::vector<sym::Expr>& symbols, bool is_speed) {
            for (const sym::Expr& s : symbols) {
                known.push_back(s.symbol().name);
                if (known.back() == name) wanted = numeric::Wanted{name, s, 0, true, is_speed};
            }
        };
        take(e_.q, false);
        take(e_.u, true);
        for (const eom::Output& o : e_.outputs) {  // coordinates of cut joints, and whatever else depends on positions alone
            known.push_back(o.name);
            if (o.name != name || wanted) continue;
            bool is_speed = false, needs_forces = false;
            for (const sym::Expr& s : symbols_in(o.value)) {
                is_speed |= std::ranges::find(e_.u, s) != e_.u.end();
                needs_forces |= s.symbol().role == sym::Role::acceleration || s.symbol().role == sym::Role::multiplier;
            }
            if (needs_forces) {
                report_.error(fmt::format("--hold {}: an output that needs accelerations or forces cannot be held", name));
                return false;
            }
            wanted = numeric::Wanted{name, o.value, 0, true, is_speed};
        }
        if (!wanted) return unknown("--hold", "coordinate or speed", name, known, report_);
        const auto expression = read_expression("--hold", value, e_, report_);
        if (!expression) return false;
        for (const sym::Expr& s : symbols_in(*expression)) {
            const bool is_parameter = std::ranges::any_of(e_.parameters, [&](const eom::Parameter& p) { return p.symbol == s; });
            if (is_parameter) continue;
            report_.error(fmt::format("--hold {}: the value must not depend on {}", text, s.symbol().name),
                          "use numbers and parameters only");
            return false;
        }
        wanted->value = numbers_.constant(*expression);
        if (!std::isfinite(wanted->value)) {
            report_.error(fmt::format("--hold {}: the value is not a finite number", text));
            return false;
        }
        if (std::ranges::any_of(options_.held, [&](const numeric::Wanted& w) { return w.name == name; })) {
            report_.error(fmt::format("--hold gives {} twice", name));
            return false;
        }
        options_.is_steady |= wanted->is_speed;
        options_.held.push_back(*wanted);
        options_.held_values.push_back(*expression);
        return true;
    }

    bool move(const std::string& name) {
        std::vector<std::string> known;
        for (std::size_t i = 0; i < e_.q.size(); ++i) {
            known.push_back(e_.q[i].symbol().name);
            if (known.back() == name) return options_.moving.push_back(i), true;
        }
        return unknown("--moving", "coordinate", name, known, report_);
    }

    bool trim_input(const std::string& name) {
        std::vector<std::string> known;
        for (std::size_t i = 0; i < e_.inputs.size(); ++i) {
            if (model::is_deviation(e_.inputs[i].symbol)) continue;
            known.push_back(e_.inputs[i].symbol.symbol().name);
            if (known.back() != name) continue;
            if (std::ranges::find(options_.trimmed, i) == options_.trimmed.end()) options_.trimmed.push_back(i);
            return true;
        }
        return unknown("--trim", "input", name, known, report_);
    }

    /// Of coordinates that may move: those whose rate is that speed alone, and body-fixed speeds of what turns freely. None where --hold
    /// has named speeds.
    void hold_initial_speeds() {
        const bool has_speed = std::ranges::any_of(options_.held, [](const numeric::Wanted& w) { return w.is_speed; });
        std::vector<bool> may_move(e_.q.size(), false);
        for (const std::size_t i : equilibria_.ignorable()) may_move[i] = true;
        for (const std::size_t i : options_.moving) may_move[i] = true;
        for (const eom::Initial& i : e_.initial) {
            if (!i.is_speed || !i.is_held || std::ranges::find(e_.u, i.what) == e_.u.end()) continue;
            const double value = numbers_.constant(i.value);
            const bool is_held = std::ranges::any_of(options_.held, [&](const numeric::Wanted& w) { return w.what == i.what; });
            std::vector<std::string> stopped;  // coordinates that it would move; a rotor's spin moves none
            for (std::size_t k = 0; k < e_.q.size(); ++k) {
                if (!may_move[k] && depends_on(e_.qdot[k], i.what)) stopped.push_back(e_.q[k].symbol().name);
            }
            if (stopped.empty() && !has_speed) {
                options_.held.push_back({i.name, i.what, value, true, true});
                options_.held_values.push_back(i.value);
            } else if (!is_held && value != 0) {
                report_.note(fmt::format("{} = {:g} of [initial] is not kept: {}", i.name, value,
                                         has_speed ? "--hold names other speeds"
                                                   : fmt::format("something depends on {0}, so it is at rest; --moving {0} lets it move",
                                                                 fmt::join(stopped, ","))));
            }
        }
    }

    const EquilibriumWords& words_;
    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const linear::Equilibria& equilibria_;
    Report& report_;
    linear::EquilibriumOptions options_;
};

/// A bicycle in a bend: speeds in ground axes turn with it, so they are not constant and nothing steady is found.
std::string hint_about_turns(const eom::EquationsOfMotion& e, const linear::Equilibria& equilibria) {
    std::vector<sym::Expr> attitudes;
    for (const eom::BodyPose& pose : e.poses) {
        for (const auto& row : pose.R) attitudes.insert(attitudes.end(), row.begin(), row.end());
    }
    std::vector<bool> turns(e.q.size(), false);
    for (const auto& [row, column] : sym::sparsity(attitudes, e.q)) turns[column] = true;
    std::vector<std::string> along;
    for (const std::size_t i : equilibria.ignorable()) {
        if (!turns[i] && std::ranges::find(e.u, e.qdot[i]) != e.u.end()) along.push_back(e.qdot[i].symbol().name);
    }
    if (along.size() < 2) return "";
    return fmt::format(
        "in a turn {0} and {1} are not constant, because they are components in ground axes; speeds along and across the heading are: "
        "[speeds] along = \"{0}*cos(yaw) + {1}*sin(yaw)\", across = \"{1}*cos(yaw) - {0}*sin(yaw)\", yaw being that heading",
        along[0], along[1]);
}

}  // namespace

namespace {

bool says_anything(const EquilibriumWords& words) {
    return words.steady || !words.hold.empty() || !words.moving.empty() || !words.trim.empty();
}

}  // namespace

Diagnostics check(const EquilibriumWords& words) {
    Report report;
    std::vector<std::string> names;
    for (const std::string& text : split_list(words.hold)) {
        if (!is_pair(text, report)) continue;
        names.push_back(trimmed(text.substr(0, text.find('='))));
        if (std::ranges::count(names, names.back()) == 2) report.error(fmt::format("--hold gives {} twice", names.back()));
    }
    return report.problems;
}

Diagnostics check(const OperatingWords& words) {
    Report report;
    report.add(check(words.state));
    report.add(check(words.equilibrium));
    if (words.at != Operating::At::initial) return report.problems;
    if (words.state.is_given()) report.error("--at initial and --state exclude each other", "leave one of them out");
    if (says_anything(words.equilibrium))
        report.error("--hold, --steady, --moving and --trim describe an equilibrium and exclude --at initial", "leave --at out");
    return report.problems;
}

std::optional<linear::EquilibriumOptions> read_equilibrium(const EquilibriumWords& words, const numeric::CompiledEquations& numbers,
                                                           const linear::Equilibria& equilibria, Report& report) {
    return Reading(words, numbers, equilibria, report).read();
}

bool can_linearize(const eom::EquationsOfMotion& equations, Report& report) {
    if (!equations.reduction) return true;
    report.error(fmt::format("the speeds of '{}' are those of the bodies, more than there are degrees of freedom", equations.formulation),
                 "use another formulation, for example recursive");
    return false;
}

std::string hint_without_equilibrium(const linear::Equilibrium& tried, const linear::EquilibriumOptions& options,
                                     const numeric::CompiledEquations& numbers, const linear::Equilibria& equilibria) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<std::string> pushing;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        const double w = tried.point.state.w[i];
        if (w != 0 && !model::is_deviation(e.inputs[i].symbol))
            pushing.push_back(fmt::format("{} = {:.4g}", e.inputs[i].symbol.symbol().name, w));
    }
    if (!options.held.empty() && options.trimmed.empty() && !e.inputs.empty())
        return "--trim finds inputs with which the held values persist";
    if (!pushing.empty() && options.trimmed.empty())
        return fmt::format("inputs are not zero ({}): --set changes them, --trim finds those that balance", fmt::join(pushing, ", "));
    if (const std::string hint = hint_about_turns(e, equilibria); options.is_steady && !hint.empty()) return hint;
    const auto held = std::ranges::find(options.held, false, &numeric::Wanted::is_speed);
    const bool holds_speeds = std::ranges::find(options.held, true, &numeric::Wanted::is_speed) != options.held.end();
    if (options.is_steady && held != options.held.end() && holds_speeds) {
        return fmt::format(
            "for {} to stay a speed may have to follow: one that --hold names, like \"{}'=0\", leaves those of [initial] free", held->name,
            held->name);
    }
    if (!options.is_steady && !equilibria.ignorable().empty())
        return "--steady looks for a steady motion; --hold keeps coordinates or speeds";
    return "--state FILE starts the search elsewhere";
}

std::optional<OperatingState> operating_state(const OperatingWords& words, const numeric::CompiledEquations& numbers, Watch& watch,
                                              Report& report) {
    if (!watch()) return watch.tell(report), std::nullopt;
    if (!can_linearize(numbers.equations(), report)) return std::nullopt;
    const EquilibriumWords& asked = words.equilibrium;
    const bool has_words = says_anything(asked);
    OperatingState r;
    r.what.at = words.at.value_or(!words.state.is_given() || has_words ? Operating::At::equilibrium : Operating::At::given);
    const StartState start = start_state(words.state, numbers, report);
    if (!start.is_ok()) return std::nullopt;
    r.what.start = start.state;
    if (r.what.at != Operating::At::equilibrium) {
        r.point = numeric::operating_point(numbers, start.state);
        if (!r.point.is_ok) return report.fail("no accelerations at this state: " + r.point.why), std::nullopt;
        if (r.point.relative_acceleration > 1e-6)
            report.note(
                fmt::format("this state is not an equilibrium: accelerations up to {:.3g}", r.point.udot.lpNorm<Eigen::Infinity>()));
        return r;
    }
    const linear::Equilibria equilibria(numbers);
    const auto options = read_equilibrium(asked, numbers, equilibria, report);
    if (!options) return std::nullopt;
    r.what.options = *options;
    r.what.options.goes_on = watch.hook();
    linear::EquilibriumOptions once = r.what.options;
    once.with_stability = false;
    linear::Equilibrium found = equilibria.nearest(start.state, once);
    if (watch.is_stopped()) return watch.tell(report), std::nullopt;
    if (!found.is_ok) {
        report.fail("no equilibrium was found: " + found.why, hint_without_equilibrium(found, *options, numbers, equilibria) +
                                                                  "; --at initial linearizes about the initial state itself");
        return std::nullopt;
    }
    for (const std::string& text : found.notes) report.note(text);
    r.point = found.point;
    r.equilibrium = std::move(found);
    return r;
}

bool rests(const numeric::OperatingPoint& p) {
    return p.is_at_rest && (p.state.u.size() == 0 || p.state.u.lpNorm<Eigen::Infinity>() < 1e-10);
}

std::string describe(const linear::Operating& what, bool is_at_rest) {
    if (what.at == Operating::At::equilibrium) return is_at_rest ? "at equilibrium" : "in steady motion";
    return what.at == Operating::At::initial ? "at the initial state" : "at the given state";
}

}  // namespace linkwright::session
