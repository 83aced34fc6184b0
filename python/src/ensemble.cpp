// Many runs: ensembles with their statistics, and motions that are kept whole, as arrays that NumPy looks into.
#include "linkwright/ensemble/ensemble.hpp"

#include <pybind11/numpy.h>

#include "call.hpp"
#include "linkwright/ensemble/motions.hpp"

namespace linkwright::python {

namespace {

using ensemble::Ensemble;
using ensemble::Failure;
using ensemble::Motions;
using session::Session;

/// The words of motions that both verbs take.
void take_simulate(const Keywords& words, session::SimulateOptions& o, bool& one_by_one) {
    words.take("until", o.rows.until);
    words.take("samples", o.rows.samples);
    words.take("times", o.rows.times);
    words.take("tolerance", o.tolerance);
    words.take("absolute", o.absolute);
    words.take("integrator", o.integrator, {"adams", "bdf", "rk", "rk4", "ida"});
    words.take("constraints", o.constraints, {"projection", "baumgarte", "partition", "nullspace", "none"});
    words.take("step", o.step);
    words.take("max_step", o.max_step);
    words.take("max_steps", o.max_steps);
    words.take("stop", o.stop);
    words.take("interpret", o.interpret);
    words.take("one_by_one", one_by_one);
    one_by_one = one_by_one || words.has("integrator");
}

/// An array that owns its numbers; nothing is copied.
py::array owned(std::vector<double> numbers, std::vector<py::ssize_t> shape) {
    auto kept = std::make_unique<std::vector<double>>(std::move(numbers));
    const double* const data = kept->data();
    const py::capsule owner(kept.release(), [](void* p) { delete static_cast<std::vector<double>*>(p); });
    return py::array_t<double>(std::move(shape), data, owner);
}

py::list to_python(const std::vector<Failure>& failures) {
    py::list out;
    for (const Failure& f : failures) out.append(py::make_tuple(f.run, f.why));
    return out;
}

/// What `--json` prints, and the table of runs.
py::dict to_python(Ensemble r) {
    const auto runs = static_cast<py::ssize_t>(r.runs);
    py::dict out;
    out["data"] = python::to_python(to_json(r));
    out["varied"] = r.varied;
    out["grid"] = r.grid;
    out["collectors"] = r.collectors;
    out["values"] = owned(std::move(r.values), {runs, static_cast<py::ssize_t>(r.varied.size() + r.grid.size())});
    out["results"] = owned(std::move(r.results), {runs, static_cast<py::ssize_t>(r.collectors.size())});
    out["resumed"] = r.resumed;
    out["has_lanes"] = r.has_lanes;
    out["seconds"] = r.seconds;
    return out;
}

py::dict to_python(Motions r) {
    py::dict out;
    out["model"] = r.model;
    out["columns"] = r.columns;
    const auto n = static_cast<py::ssize_t>(r.motions), rows = static_cast<py::ssize_t>(r.times.size()),
               m = static_cast<py::ssize_t>(r.columns.size());
    out["t"] = owned(std::move(r.times), {rows});
    out["rows"] = owned(std::move(r.rows), {n, rows, m});
    out["failures"] = to_python(r.failures);
    out["has_lanes"] = r.has_lanes;
    out["threads"] = r.threads;
    out["seconds"] = r.seconds;
    return out;
}

/// As call(), for results that hold large tables.
template <class Verb>
py::tuple call_table(Pulse& pulse, Verb verb) {
    std::optional<decltype(verb())> result;
    {
        const py::gil_scoped_release release;
        result.emplace(verb());
    }
    pulse.rethrow();
    const py::object value = *result ? py::object(to_python(std::move(**result))) : py::object(py::none());
    return py::make_tuple(static_cast<int>(result->status), python::to_python(result->problems), value, pulse.stopped_by());
}

py::tuple run_ensemble(const Session& session, const Keywords& words, py::object on_step) {
    ensemble::EnsembleOptions o;
    words.take("vary", o.vary);
    words.take("grid", o.grid);
    words.take("runs", o.runs);
    words.take("collect", o.collect);
    words.take("sampling", o.sampling, {"random", "latin", "sobol"});
    words.take("seed", o.seed);
    words.take("indices", o.indices);
    words.take("of", o.of, {"simulate", "modes", "equilibrium", "inverse"});
    words.take("quantiles", o.quantiles);
    words.take("confidence", o.confidence);
    words.take("bins", o.bins);
    words.take("threads", o.threads);
    words.take("output", o.output);
    words.take("overwrite", o.overwrite);
    words.take("motion", o.inverse.motion);
    words.take("by", o.inverse.by, {"inputs", "coordinates"});
    words.take("at", o.operating.at, {"equilibrium", "initial"});
    words.take("hold", o.operating.equilibrium.hold);
    words.take("trim", o.operating.equilibrium.trim);
    take_simulate(words, o.simulate, o.one_by_one);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call_table(pulse, [&] { return ensemble::run(session, o); });
}

py::tuple simulate_many(const Session& session, const Keywords& words, py::object on_step) {
    ensemble::MotionsOptions o;
    words.take("names", o.names);
    py::array_t<double, py::array::c_style | py::array::forcecast> values;
    words.take("values", values);
    o.values.assign(values.data(), values.data() + values.size());
    words.take("columns", o.columns);
    words.take("threads", o.threads);
    take_simulate(words, o.simulate, o.one_by_one);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call_table(pulse, [&] { return ensemble::simulate_many(session, o); });
}

}  // namespace

void declare_ensemble(py::class_<Session>& model) {
    model.def("ensemble", [](const Session& s, py::dict o, py::object f) { return run_ensemble(s, Keywords(std::move(o)), std::move(f)); });
    model.def("simulate_many",
              [](const Session& s, py::dict o, py::object f) { return simulate_many(s, Keywords(std::move(o)), std::move(f)); });
}

}  // namespace linkwright::python
