// Verbs that say what moves and how: check, evaluate, simulate, inverse, spectra.
#include "call.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/inspect.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/spectra.hpp"

namespace linkwright::python {

namespace {

using session::Session;

void take_rows(const Keywords& words, session::TimeAxis& rows) {
    words.take("until", rows.until);
    words.take("samples", rows.samples);
    words.take("times", rows.times);
}

py::tuple check(const Session& session) {
    Pulse pulse{py::none()};
    return call(pulse, [&] { return inspect(session); }, [&](const session::Inspection& r) { return to_json(r, session); });
}

py::tuple evaluate(const Session& session, const Keywords& words) {
    session::EvaluateOptions o;
    words.take("state", o.state);
    words.take("assemble", o.assemble);
    words.take("also", o.quantities.also);
    words.take("frames", o.quantities.frames);
    Pulse pulse{py::none()};
    return call(pulse, [&] { return session::evaluate(session, o); });
}

py::tuple simulate(const Session& session, const Keywords& words, py::object on_step) {
    session::SimulateOptions o;
    take_rows(words, o.rows);
    words.take("state", o.state);
    words.take("restart", o.restart);
    words.take("start_from", o.start_from);
    words.take("inputs", o.inputs);
    words.take("tolerance", o.tolerance);
    words.take("absolute", o.absolute);
    words.take("integrator", o.integrator, {"adams", "bdf", "rk", "rk4", "ida"});
    words.take("constraints", o.constraints, {"projection", "baumgarte", "partition", "nullspace", "none"});
    words.take("solver", o.solver, {"nullspace", "schur", "kkt"});
    words.take("baumgarte", o.baumgarte);
    words.take("step", o.step);
    words.take("max_step", o.max_step);
    words.take("max_steps", o.max_steps);
    words.take("stop", o.stop);
    words.take("record", o.record);
    words.take("interpret", o.interpret);
    Pulse pulse(std::move(on_step));
    std::vector<std::pair<std::string, py::object>> drive;
    words.take("drive", drive);
    for (const auto& [name, f] : drive) o.drive.push_back({name, pulse.function(f)});
    std::vector<std::tuple<std::string, py::object, int, bool>> events;  // name, function, direction, does it stop?
    words.take("events", events);
    for (const auto& [name, f, direction, stops] : events) {
        const Crossing crossing = direction > 0 ? Crossing::up : direction < 0 ? Crossing::down : Crossing::both;
        o.events.push_back({name, pulse.function_of_state(f), crossing, stops});
    }
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::simulate(session, o); });
}

py::tuple inverse(const Session& session, const Keywords& words, py::object on_step) {
    session::InverseOptions o;
    take_rows(words, o.rows);
    words.take("motion", o.motion);
    words.take("state", o.state);
    words.take("by", o.by, {"inputs", "coordinates"});
    words.take("tolerance", o.tolerance);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::inverse(session, o); });
}

py::tuple spectrum(const Session& session, const Keywords& words, py::object on_step) {
    session::SpectrumOptions o;
    std::string of;
    words.take("of", of);
    words.take("columns", o.columns);
    words.take("state", o.state);
    words.take("until", o.until);
    words.take("samples", o.samples);
    words.take("every", o.every);
    words.take("after", o.after);
    words.take("tolerance", o.tolerance);
    words.take("window", o.how.window, {"hanning", "hamming", "blackman", "blackman-harris", "flat-top", "none"});
    words.take("overlap", o.how.overlap);
    words.take("remove_mean", o.how.remove_mean);
    words.take("remove_trend", o.how.remove_trend);
    words.take("average", o.average);
    words.take("harmonics", o.harmonics);
    words.take("fundamental", o.fundamental);
    words.take("in_rad", o.in_rad);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return of.empty() ? spectra(session, o) : spectra_of_file(of, o); });
}

}  // namespace

void declare_motion(py::class_<Session>& model) {
    model.def("check", &check);
    model.def("evaluate", [](const Session& s, py::dict o) { return evaluate(s, Keywords(std::move(o))); });
    const auto declare = [&](const char* name, auto verb) {
        model.def(name, [verb](const Session& s, py::dict o, py::object f) { return verb(s, Keywords(std::move(o)), std::move(f)); });
    };
    declare("simulate", &simulate);
    declare("inverse", &inverse);
    declare("spectrum", &spectrum);
}

}  // namespace linkwright::python
