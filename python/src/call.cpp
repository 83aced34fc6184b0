#include "call.hpp"

#include <limits>

namespace linkwright::python {

void Pulse::keep(const py::error_already_set& raised) {
    if (raised.matches(PyExc_KeyboardInterrupt))
        is_interrupted_ = true;
    else if (!raised_)
        raised_ = std::make_exception_ptr(raised);
}

void Pulse::rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
}

bool Pulse::goes_on(const session::Step& step) {
    if (raised_ || is_interrupted_ || is_stopped_) return false;
    const auto now = std::chrono::steady_clock::now();
    const bool is_told = !on_step_.is_none();
    if (!is_told && now - asked_ < std::chrono::milliseconds(20)) return true;  // taking the lock costs more than a step
    asked_ = now;
    const py::gil_scoped_acquire lock;
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!is_told) return true;
        const py::object answer = on_step_(step.now, step.from, step.until);
        is_stopped_ = !answer.is_none() && !answer.cast<bool>();
        return !is_stopped_;
    } catch (const py::error_already_set& raised) {
        keep(raised);
    } catch (const py::cast_error&) {
        raised_ = std::make_exception_ptr(py::type_error("on_step returns True, False or None"));
    }
    return false;
}

session::OnStep Pulse::hook() {
    return [this](const session::Step& step) { return goes_on(step); };
}

template <class Call>
double Pulse::ask(const char* what, Call call) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (raised_ || is_interrupted_) return none;
    const py::gil_scoped_acquire lock;
    try {
        return call().template cast<double>();
    } catch (const py::error_already_set& raised) {
        keep(raised);
    } catch (const py::cast_error&) {
        raised_ = std::make_exception_ptr(py::type_error(fmt::format("{} returns a number", what)));
    }
    return none;
}

std::function<double(double)> Pulse::function(const py::object& f) {
    functions_.push_back(f);
    return
        [this, at = functions_.size() - 1](double t) { return ask("an input as a function of time", [&] { return functions_[at](t); }); };
}

std::function<double(const session::NamedState&)> Pulse::function_of_state(const py::object& f) {
    functions_.push_back(f);
    return [this, at = functions_.size() - 1](const session::NamedState& state) {
        return ask("an event as a function of the state", [&] {
            py::dict values;
            for (const auto* part : {&state.values, &state.inputs}) {
                for (const auto& [name, value] : *part) values[py::str(name)] = value;
            }
            return functions_[at](state.t, values);
        });
    };
}

}  // namespace linkwright::python
