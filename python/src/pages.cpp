// Verbs that write or judge equations: derive, prove, compare, count, generate, report.
#include "call.hpp"
#include "linkwright/report/report.hpp"
#include "linkwright/session/compare.hpp"
#include "linkwright/session/count.hpp"
#include "linkwright/session/derive.hpp"
#include "linkwright/session/generate.hpp"
#include "linkwright/session/prove.hpp"

namespace linkwright::python {

namespace {

using session::Json;
using session::Session;

Json as_text(const std::string& page) { return page; }

py::tuple derive(const Session& session, const Keywords& words, py::object on_step) {
    session::DeriveOptions o;
    words.take("to", o.to, {"text", "markdown", "latex", "json"});
    words.take("form", o.form, {"readable", "recursive", "shorter"});
    words.take("axes", o.axes, {"body", "ground"});
    words.take("only", o.only);
    words.take("frames", o.frames);
    words.take("steps", o.steps);
    words.take("digits", o.digits);
    words.take("fragment", o.fragment);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::derive(session, o); }, as_text);
}

py::tuple prove(const Session& session, const Keywords& words, py::object on_step) {
    session::ProveOptions o;
    words.take("only", o.only);
    words.take("seed", o.seed);
    words.take("patience", o.patience);
    Pulse pulse(std::move(on_step));
    o.progress = [hook = pulse.hook()](const std::string&) { return hook({}); };
    return call(pulse, [&] { return session::prove(session, o); });
}

py::tuple compare(const Session& session, const Keywords& words, py::object on_step) {
    session::CompareOptions o;
    words.take("file", o.file);
    words.take("names", o.names);
    words.take("language", o.language);
    words.take("accept_sign", o.accepts_sign);
    words.take("accept_factor", o.accepts_factor);
    words.take("seed", o.seed);
    words.take("patience", o.patience);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::compare(session, o); }, [](const auto& r) { return session::to_json(r); });
}

py::tuple count(const Session& session, const Keywords&, py::object) {
    Pulse pulse{py::none()};
    return call(pulse, [&] { return session::count(session); });
}

py::tuple count_all(const Session& session, const Keywords&, py::object on_step) {
    Pulse pulse(std::move(on_step));
    return call(pulse, [&] { return session::count_all(session, pulse.hook()); }, [](const auto& r) { return session::to_json(r); });
}

py::tuple base_parameters(const Session& session, const Keywords&, py::object) {
    Pulse pulse{py::none()};
    return call(
        pulse, [&] { return session::base_parameters(session); }, [&](const auto& r) { return session::to_json(r, session.model().name); });
}

/// The files with their texts, and what the command line says of them.
py::tuple generate(const Session& session, const Keywords& words, py::object on_step) {
    session::GenerateOptions o;
    words.take("languages", o.languages);
    words.take("routines", o.routines, {"auto", "never", "always"});
    words.take("also", o.quantities.also);
    words.take("frames", o.quantities.frames);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(
        pulse, [&] { return session::generate(session, o); },
        [](const session::GeneratedCode& code) {
            Json texts;
            for (const codegen::File& f : code.files) texts[f.name] = f.text;
            return Json{{"data", to_json(code)}, {"texts", texts}};
        });
}

py::tuple report(const Session& session, const Keywords& words, py::object on_step) {
    report::ReportOptions o;
    words.take("only", o.only);
    words.take("also", o.also);
    words.take("live", o.live);
    words.take("versus", o.versus);
    words.take("until", o.motion.rows.until);
    words.take("samples", o.motion.rows.samples);
    words.take("tolerance", o.motion.tolerance);
    words.take("inputs", o.motion.inputs);
    words.take("languages", o.languages);
    words.take("command", o.command);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return report::report(session, o); }, as_text);
}

}  // namespace

void declare_pages(py::class_<Session>& model) {
    const auto declare = [&](const char* name, auto verb) {
        model.def(name, [verb](const Session& s, py::dict o, py::object f) { return verb(s, Keywords(std::move(o)), std::move(f)); });
    };
    declare("derive", &derive);
    declare("prove", &prove);
    declare("compare", &compare);
    declare("count", &count);
    declare("count_all", &count_all);
    declare("base_parameters", &base_parameters);
    declare("generate", &generate);
    declare("report", &report);
}

}  // namespace linkwright::python
