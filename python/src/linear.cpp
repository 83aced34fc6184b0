// Verbs about small motions and what follows from them: equilibrium, linearize, modes, sweeps, sensitivity, place, frequency, perturb, structure.
#include "call.hpp"
#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/frequency.hpp"
#include "linkwright/session/linear_page.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/loop_locus.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/perturb.hpp"
#include "linkwright/session/perturb_compare.hpp"
#include "linkwright/session/perturb_json.hpp"
#include "linkwright/session/perturb_page.hpp"
#include "linkwright/session/place.hpp"
#include "linkwright/session/sensitivity.hpp"
#include "linkwright/session/structure.hpp"
#include "linkwright/session/structure_sweep.hpp"
#include "linkwright/session/sweep.hpp"

namespace linkwright::python {

namespace {

using session::Json;
using session::Session;

session::EquilibriumWords equilibrium_words(const Keywords& words) {
    session::EquilibriumWords o;
    words.take("hold", o.hold);
    words.take("moving", o.moving);
    words.take("trim", o.trim);
    words.take("steady", o.steady);
    return o;
}

session::OperatingWords operating(const Keywords& words) {
    session::OperatingWords o;
    words.take("at", o.at, {"equilibrium", "initial"});
    words.take("state", o.state);
    o.equilibrium = equilibrium_words(words);
    return o;
}

/// Options with an operating point and `on_step`, filled by `fill`, and the verb on them.
template <class Options, class Fill, class Verb>
py::tuple at_point(const Session& session, const Keywords& words, py::object on_step, Fill fill, Verb verb) {
    Options o{.operating = operating(words)};
    fill(o);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return verb(session, o); });
}

py::tuple equilibrium(const Session& session, const Keywords& words, py::object on_step) {
    session::EquilibriumOptions o{.words = equilibrium_words(words)};
    words.take("state", o.state);
    words.take("starts", o.starts);
    words.take("seed", o.seed);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::equilibrium(session, o); });
}

py::tuple linearize(const Session& session, const Keywords& words, py::object on_step) {
    const auto fill = [&](session::LinearizeOptions& o) {
        words.take("onto", o.onto);
        words.take("lynch", o.lynch);
    };
    return at_point<session::LinearizeOptions>(session, words, std::move(on_step), fill,
                                               [](const auto& s, const auto& o) { return session::linearize(s, o); });
}

/// The matrices as formulas, written.
py::tuple linear_page(const Session& session, const Keywords& words, py::object on_step) {
    session::LinearPageOptions o{.operating = operating(words)};
    words.take("to", o.to, {"text", "markdown", "latex", "json"});
    words.take("keep", o.keep);
    words.take("lynch", o.lynch);
    words.take("state_space", o.state_space);
    words.take("onto", o.onto);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::linear_page(session, o); }, [](const std::string& page) { return Json(page); });
}

session::ModesOptions modes_options(const Keywords& words) {
    session::ModesOptions o{.operating = operating(words)};
    words.take("lynch", o.lynch);
    std::vector<std::string> methods;
    words.take("methods", methods);
    if (!methods.empty()) o.methods.clear();
    for (const std::string& method : methods) {
        if (method != "qr" && method != "qz") throw WrongWord(fmt::format("methods: '{}' is none of qr, qz", method));
        o.methods.push_back(method == "qr" ? linear::ModesBy::qr : linear::ModesBy::qz);
    }
    return o;
}

py::tuple modes(const Session& session, const Keywords& words, py::object on_step) {
    session::ModesOptions o = modes_options(words);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::modes(session, o); });
}

py::tuple animate(const Session& session, const Keywords& words, py::object on_step) {
    session::AnimateOptions o{.modes = modes_options(words)};
    words.take("mode", o.mode);
    words.take("amplitude", o.amplitude);
    words.take("frames", o.frames);
    Pulse pulse(std::move(on_step));
    o.modes.on_step = pulse.hook();
    return call(pulse, [&] { return session::animate(session, o); });
}

py::tuple sweep(const Session& session, const Keywords& words, py::object on_step) {
    session::SweepOptions o;
    o.operating = operating(words);
    words.take("along", o.along);
    words.take("lynch", o.lynch);
    words.take("orders", o.orders);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::sweep(session, o); });
}

py::tuple sensitivity(const Session& session, const Keywords& words, py::object on_step) {
    const auto fill = [&](session::SensitivityOptions& o) {
        words.take("of", o.of, {"eigenvalues", "poles", "vectors", "equilibrium"});
        words.take("to", o.to);
    };
    return at_point<session::SensitivityOptions>(session, words, std::move(on_step), fill,
                                                 [](const auto& s, const auto& o) { return session::sensitivity(s, o); });
}

py::tuple motion_sensitivity(const Session& session, const Keywords& words, py::object on_step) {
    session::MotionSensitivityOptions o;
    words.take("state", o.state);
    words.take("to", o.to);
    words.take("until", o.rows.until);
    words.take("samples", o.rows.samples);
    words.take("times", o.rows.times);
    words.take("tolerance", o.tolerance);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::motion_sensitivity(session, o); });
}

py::tuple place(const Session& session, const Keywords& words, py::object on_step) {
    const auto fill = [&](session::PlaceOptions& o) {
        words.take("eigenvalues", o.eigenvalues);
        words.take("frequencies", o.frequencies);
        words.take("poles", o.poles);
        words.take("vary", o.vary);
        words.take("bounds", o.bounds);
        words.take("weights", o.weights);
        words.take("iterations", o.iterations);
        words.take("tolerance", o.tolerance);
    };
    return at_point<session::PlaceOptions>(session, words, std::move(on_step), fill,
                                           [](const auto& s, const auto& o) { return session::place(s, o); });
}

py::tuple frequency(const Session& session, const Keywords& words, py::object on_step) {
    const auto fill = [&](session::FrequencyOptions& o) {
        words.take("from", o.from);
        words.take("to", o.to);
        words.take("range", o.range);
        words.take("points", o.points);
        words.take("even", o.is_even);
        words.take("frequencies", o.frequencies);
        words.take("hz", o.in_hz);
        words.take("nyquist", o.nyquist);
    };
    return at_point<session::FrequencyOptions>(session, words, std::move(on_step), fill,
                                               [](const auto& s, const auto& o) { return session::frequency(s, o); });
}

py::tuple loop_locus(const Session& session, const Keywords& words, py::object on_step) {
    session::LoopLocusOptions o;
    o.operating = operating(words);
    words.take("gains", o.gains);
    words.take("from", o.from);
    words.take("to", o.to);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::loop_locus(session, o); });
}

session::PerturbOptions perturb_options(const Keywords& words) {
    session::PerturbOptions o{.operating = operating(words)};
    words.take("degree", o.degree);
    words.take("order", o.order);
    words.take("damping", o.damping);
    words.take("forcing", o.forcing);
    words.take("parametric", o.parametric);
    words.take("keep", o.keep);
    words.take("closeness", o.closeness);
    words.take("numeric", o.numeric);
    return o;
}

/// The study as data, and its pages as "text" and "latex".
py::tuple perturb(const Session& session, const Keywords& words, py::object on_step) {
    session::PerturbOptions o = perturb_options(words);
    bool orders = false;
    words.take("orders", orders);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(
        pulse, [&] { return session::perturb(session, o); },
        [&](const session::Study& study) {
            const auto page = [&](sym::Style style) {
                return perturbation_page(study, {.style = style, .orders = orders, .numeric = o.numeric});
            };
            return Json{
                {"data", perturbation_json(study, orders)}, {"text", page(sym::Style::unicode)}, {"latex", page(sym::Style::latex)}};
        });
}

py::tuple perturb_response(const Session& session, const Keywords& words, py::object on_step) {
    session::ResponseOptions o{.perturb = perturb_options(words)};
    words.take("range", o.range);
    Pulse pulse(std::move(on_step));
    o.perturb.on_step = pulse.hook();
    return call(pulse, [&] { return steady_response(session, o); });
}

py::tuple perturb_compare(const Session& session, const Keywords& words, py::object on_step) {
    session::ScalesCompareOptions o{.perturb = perturb_options(words)};
    words.take("amplitude", o.amplitude);
    words.take("until", o.until);
    words.take("samples", o.samples);
    words.take("halving", o.halving);
    words.take("shrink", o.shrink);
    words.take("tolerance", o.tolerance);
    Pulse pulse(std::move(on_step));
    o.perturb.on_step = pulse.hook();
    return call(pulse, [&] { return compare_scales(session, o); });
}

session::StructureOptions structure_options(const Keywords& words) {
    session::StructureOptions o;
    words.take("joints", o.joints);
    words.take("elements", o.elements);
    words.take("method", o.method, {"full", "fixed", "free", "free-residual", "loaded"});
    words.take("modes", o.modes);
    words.take("state", o.state);
    return o;
}

py::tuple structure(const Session& session, const Keywords& words, py::object on_step) {
    session::StructureOptions o = structure_options(words);
    Pulse pulse(std::move(on_step));
    o.on_step = pulse.hook();
    return call(pulse, [&] { return session::structure(session, o); });
}

py::tuple structure_sweep(const Session& session, const Keywords& words, py::object on_step) {
    session::StructureSweepOptions o{.structure = structure_options(words)};
    words.take("retain", o.retain);
    words.take("along", o.along);
    Pulse pulse(std::move(on_step));
    o.structure.on_step = pulse.hook();
    return call(pulse, [&] { return sweep_structure(session, o); });
}

}  // namespace

void declare_linear(py::class_<Session>& model) {
    const auto declare = [&](const char* name, auto verb) {
        model.def(name, [verb](const Session& s, py::dict o, py::object f) { return verb(s, Keywords(std::move(o)), std::move(f)); });
    };
    declare("equilibrium", &equilibrium);
    declare("linearize", &linearize);
    declare("linear_page", &linear_page);
    declare("modes", &modes);
    declare("animate", &animate);
    declare("sweep", &sweep);
    declare("sensitivity", &sensitivity);
    declare("motion_sensitivity", &motion_sensitivity);
    declare("place", &place);
    declare("frequency", &frequency);
    declare("loop_locus", &loop_locus);
    declare("perturb", &perturb);
    declare("perturb_response", &perturb_response);
    declare("perturb_compare", &perturb_compare);
    declare("structure", &structure);
    declare("structure_sweep", &structure_sweep);
}

}  // namespace linkwright::python
