// Many states at once: NumPy's memory goes to compiled code as it is.
#include "linkwright/session/batch.hpp"

#include <pybind11/numpy.h>

#include <time.h>

#include <algorithm>
#include <limits>

#include "call.hpp"

namespace linkwright::python {

namespace {

using session::BatchFunction;
using session::Session;
/// Contiguous, of doubles: what is so already is not copied.
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> span_of(const std::optional<Numbers>& a) {
    return a ? std::span(a->data(), static_cast<std::size_t>(a->size())) : std::span<const double>{};
}

/// How many states failed, the first of them, and why.
py::tuple run(const BatchFunction& f, std::size_t points, const std::optional<Numbers>& t, const std::optional<Numbers>& q,
              const std::optional<Numbers>& x, const std::optional<Numbers>& u, const std::optional<Numbers>& w,
              const std::optional<Numbers>& packed, py::array_t<double, py::array::c_style> out, unsigned threads) {
    const session::BatchStates states{
        .points = points, .t = span_of(t), .q = span_of(q), .u = span_of(u), .x = span_of(x), .w = span_of(w), .packed = span_of(packed)};
    const std::span<double> numbers(out.mutable_data(), static_cast<std::size_t>(out.size()));
    session::BatchFailures failures;
    {
        const py::gil_scoped_release release;
        failures = f(states, numbers, threads);
    }
    return py::make_tuple(failures.count, failures.first, failures.why);
}

double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least processor time that C++ takes for these states, of `repeats` calls: what calls from Python are measured against (bench/python_batch.py).
double least_seconds(const BatchFunction& f, std::size_t points, const std::optional<Numbers>& q, const std::optional<Numbers>& u,
                     const std::optional<Numbers>& w, const std::optional<Numbers>& packed, unsigned threads, int repeats) {
    const session::BatchStates states{.points = points, .q = span_of(q), .u = span_of(u), .w = span_of(w), .packed = span_of(packed)};
    std::vector<double> out(points * f.outputs());
    double least = std::numeric_limits<double>::infinity();
    const py::gil_scoped_release release;
    for (int i = 0; i < repeats; ++i) {
        const double begin = cpu_seconds();
        f(states, out, threads);
        least = std::min(least, cpu_seconds() - begin);
    }
    return least;
}

/// A tuple as of every verb; its value is a BatchFunction.
py::tuple compile(const Session& session, std::vector<std::string> what, bool interpret) {
    std::optional<session::Result<BatchFunction>> result;
    {
        const py::gil_scoped_release release;
        result = compile_batch(session, {.what = std::move(what), .interpret = interpret});
    }
    const py::object value = *result ? py::cast(**result) : py::none();
    return py::make_tuple(static_cast<int>(result->status), to_python(result->problems), value, "");
}

}  // namespace

void declare_batch(py::module_& module, py::class_<Session>& model) {
    py::class_<BatchFunction> f(module, "BatchFunction");
    f.def_property_readonly("coordinates", [](const BatchFunction& b) { return b.names().coordinates; });
    f.def_property_readonly("auxiliary", [](const BatchFunction& b) { return b.names().auxiliary; });
    f.def_property_readonly("speeds", [](const BatchFunction& b) { return b.names().speeds; });
    f.def_property_readonly("inputs", [](const BatchFunction& b) { return b.names().inputs; });
    f.def_property_readonly("width", &BatchFunction::inputs);
    f.def_property_readonly("outputs", &BatchFunction::outputs);
    f.def_property_readonly("is_native", &BatchFunction::is_native);
    f.def_property_readonly("parts", [](const BatchFunction& b) {
        py::list out;
        for (const session::BatchPart& p : b.parts()) out.append(py::make_tuple(p.name, p.at, p.rows, p.columns, p.is_matrix));
        return out;
    });
    f.def("run", &run);
    f.def("least_seconds", &least_seconds);
    model.def("compile", &compile);
}

}  // namespace linkwright::python
