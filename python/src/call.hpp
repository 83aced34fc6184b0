#pragma once
// A verb called from Python: the interpreter is let go while it works, and asked now and then whether to go on.

#include <chrono>
#include <exception>

#include "linkwright/session/session.hpp"
#include "values.hpp"

namespace linkwright::python {

/// Python's functions and its Ctrl-C while a verb runs without the interpreter's lock. What a function raises stops the verb and is raised again
/// when it has returned; Ctrl-C stops it, and what was reached is kept. Verbs hold references to this object alone, never to Python's.
class Pulse {
public:
    /// `on_step`: None, or a function of now, from, until that returns False to stop.
    explicit Pulse(py::object on_step) : on_step_(std::move(on_step)) {}
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;

    session::OnStep hook();
    /// A function of Python as one of C++; where it raises: NaN, and the verb stops at the next step.
    std::function<double(double)> function(const py::object& f);
    /// The same for a function of time and of a dictionary: coordinates, speeds, auxiliary states and inputs by their names.
    std::function<double(const session::NamedState&)> function_of_state(const py::object& f);

    /// What stopped it: "signal" (Ctrl-C), "on_step" (it said so), or nothing.
    const char* stopped_by() const { return is_interrupted_ ? "signal" : is_stopped_ ? "on_step" : ""; }
    /// With the lock held.
    void rethrow() const;

private:
    bool goes_on(const session::Step& step);
    void keep(const py::error_already_set& raised);
    /// What `call` makes of a function, as a number; `what` names the function where it gives none.
    template <class Call>
    double ask(const char* what, Call call);

    py::object on_step_;
    std::vector<py::object> functions_;
    std::exception_ptr raised_;
    bool is_interrupted_ = false, is_stopped_ = false;
    std::chrono::steady_clock::time_point asked_{};
};

/// Runs `verb`, and `write` on what it found, without the lock. A tuple: status, diagnostics, value or None, what stopped it.
template <class Verb, class Write>
py::tuple call(Pulse& pulse, Verb verb, Write write) {
    session::Report report;
    std::optional<session::Json> json;
    {
        const py::gil_scoped_release release;
        const auto result = verb();
        report = result;
        if (result) json = write(*result);
    }
    pulse.rethrow();
    return py::make_tuple(static_cast<int>(report.status), to_python(report.problems), json ? to_python(*json) : py::none(),
                          pulse.stopped_by());
}

/// The same for results that are JSON by `to_json`.
template <class Verb>
py::tuple call(Pulse& pulse, Verb verb) {
    return call(pulse, verb, [](const auto& r) { return to_json(r); });
}

void declare_motion(py::class_<session::Session>& model);
void declare_linear(py::class_<session::Session>& model);
void declare_pages(py::class_<session::Session>& model);
void declare_ensemble(py::class_<session::Session>& model);
void declare_batch(py::module_& module, py::class_<session::Session>& model);

}  // namespace linkwright::python
