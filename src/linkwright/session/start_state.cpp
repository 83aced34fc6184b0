#include "linkwright/session/start_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linkwright::session {

namespace {

void tell_moved(const numeric::AssembledState& closed, Report& report) {
    if (closed.moved.empty()) return;
    std::vector<std::string> names = closed.moved;
    if (names.size() > 8) names.resize(8), names.emplace_back("…");
    report.note(fmt::format("closed by moving {}", fmt::join(names, ", ")));
}

void tell_unsettled(const numeric::AssembledState& closed, Report& report) {
    if (closed.unsettled.empty()) return;
    report.fail(closed.unsettled,
                "a filter with a pole at 0 is steady only while its input is zero; write initial = 0, or values in [initial]");
}

}  // namespace

StartState start_state(const StateWords& words, const numeric::CompiledEquations& numbers, Report& report,
                       const numeric::InputsAt& inputs) {
    using Outcome = numeric::AssembledState::Outcome;
    StartState start;
    if (!words.is_given()) {
        const numeric::AssembledState closed = assemble(numbers, wanted(numbers), 0, inputs);
        if (closed.is_ok()) {
            tell_moved(closed, report);
            start.state = closed.state;
            start.has_state = closed.unsettled.empty();
            tell_unsettled(closed, report);
            return start;
        }
        const bool is_overconstrained = closed.outcome == Outcome::overconstrained;
        const std::string what = "the mechanism does not close: " + closed.why;
        if (is_overconstrained) {
            report.error(what, "without the values of [initial] it does: hold fewer of them, or put them into [guess]");
        } else {
            report.fail(what, "give better values in [guess], or check lengths and axes");
        }
        return start;
    }
    const auto file = read_state(words, numbers, true, report);
    if (!file) return start;
    for (const std::string& warning : file->warnings) report.warn(warning);
    std::vector<numeric::Wanted> values;
    if (!numbers.equations().constraints.empty()) {  // what the file leaves open in a loop is looked for near where the model begins
        for (numeric::Wanted w : wanted(numbers)) {
            if (w.is_speed || std::ranges::any_of(file->values, [&](const numeric::Wanted& given) { return given.what == w.what; }))
                continue;
            w.is_held = false;
            values.push_back(std::move(w));
        }
    }
    values.insert(values.end(), file->values.begin(), file->values.end());
    const numeric::InputsAt inputs_there = [&](double t, Eigen::VectorXd& w) {
        for (const auto& [i, value] : file->inputs) w[i] = value;
        if (inputs) inputs(t, w);
    };
    numeric::AssembledState closed = assemble(numbers, values, file->t, inputs_there);
    if (closed.outcome == Outcome::overconstrained) {  // more is given than the loops leave free
        std::vector<numeric::Wanted> guesses = values;
        for (numeric::Wanted& w : guesses) w.is_held = false;
        numeric::AssembledState nearest = assemble(numbers, guesses, file->t, inputs_there);
        if (nearest.is_ok()) {
            report.warn(fmt::format("the values given do not close by themselves ({}); the nearest state that does is taken", closed.why));
            closed = std::move(nearest);
        }
    }
    tell_moved(closed, report);
    tell_unsettled(closed, report);
    start.state = closed.state;
    start.has_state = closed.outcome != Outcome::overconstrained && closed.unsettled.empty();
    start.has_inputs = !file->inputs.empty();
    if (!closed.is_ok()) {
        const std::string what = "the mechanism does not close: " + closed.why;
        closed.outcome == Outcome::overconstrained ? report.error(what) : report.fail(what);
        start.is_closed = false;
    }
    return start;
}

}  // namespace linkwright::session
