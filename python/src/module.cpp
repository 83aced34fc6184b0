// The module _linkwright: a session and its verbs, nearly as they are in C++. The package linkwright is what people use.
#include "call.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::python {

namespace {

using session::Session;

session::OpenOptions open_options(const Keywords& words) {
    session::OpenOptions o;
    words.take("set", o.set);
    words.take("freeze", o.freeze);
    words.take("formulation", o.formulation);
    words.take("initial", o.initial);
    return o;
}

py::tuple opened(const session::Result<Session>& result) {
    return py::make_tuple(static_cast<int>(result.status), to_python(result.problems), result ? py::cast(*result) : py::none(), "");
}

py::tuple open(const std::string& path, py::dict words) {
    const session::OpenOptions o = open_options(Keywords(std::move(words)));
    std::optional<session::Result<Session>> result;
    {
        const py::gil_scoped_release release;
        result = session::open(path, o);
    }
    return opened(*result);
}

py::tuple open_text(const std::string& text, const std::string& name, py::dict words) {
    const session::OpenOptions o = open_options(Keywords(std::move(words)));
    std::optional<session::Result<Session>> result;
    {
        const py::gil_scoped_release release;
        result = session::open_text(text, name, o);
    }
    return opened(*result);
}

/// Name and value of each parameter, SI units.
py::dict parameters(const Session& session) {
    py::dict out;
    const model::ParameterValues values(session.model());
    for (const model::Parameter& p : session.model().parameters) {
        if (!p.is_shape_constant) out[py::str(p.symbol.symbol().name)] = values(p.value);
    }
    return out;
}

py::dict units(const Session& session) { return py::cast(session::units_by_name(session.model())); }

}  // namespace

PYBIND11_MODULE(_linkwright, module) {
    module.doc() = "Sessions of Linkwright and their verbs; import linkwright instead";
    py::register_exception_translator([](std::exception_ptr raised) {
        try {
            std::rethrow_exception(raised);
        } catch (const WrongWord& wrong) {
            PyErr_SetString(py::module_::import("linkwright._errors").attr("InputError").ptr(), wrong.what());
        }
    });
    py::class_<Session> model(module, "Session");
    model.def_property_readonly("name", [](const Session& s) { return s.model().name; });
    model.def_property_readonly("source", [](const Session& s) { return s.source(); });
    model.def_property_readonly("parameters", &parameters);
    model.def_property_readonly("units", &units);
    declare_motion(model);
    declare_linear(model);
    declare_pages(model);
    declare_ensemble(model);
    declare_batch(module, model);
    module.def("open", &open);
    module.def("open_text", &open_text);
    module.def("known_formulations", &session::known_formulations);
    module.attr("version") = LINKWRIGHT_VERSION;
}

}  // namespace linkwright::python
