#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "linkwright/eom/operational_inertia.hpp"
#include "linkwright/present/given_values.hpp"
#include "linkwright/present/pen.hpp"

namespace linkwright::present {

namespace {

using Json = nlohmann::ordered_json;

/// The document, with `say` spelling each expression. It is gone through twice: once to see what there is, once to write.
template <class Say>
Json document(const eom::EquationsOfMotion& e, const eom::Derivation* derivation, const Options& options, Say say) {
    const auto wanted = [&](std::string_view part) { return is_wanted(options, part); };
    const auto list = [&](const auto& values) {
        Json out = Json::array();
        for (const Expr& v : values) out.push_back(say(v));
        return out;
    };
    const auto matrix = [&](const auto& rows) {
        Json out = Json::array();
        for (const auto& row : rows) out.push_back(list(row));
        return out;
    };
    const auto names = [](std::span<const Expr> symbols) {
        Json out = Json::array();
        for (const Expr& s : symbols) out.push_back(s.symbol().name);
        return out;
    };
    const auto given = [](const auto& v, const Expr& value) {
        return Json{{"name", v.symbol.symbol().name}, {"value", sym::print(value)}, {"unit", v.unit}, {"about", v.about}};
    };
    const auto givens = [&] {
        Json out = Json::array();
        const std::vector<Expr> values = given_values(e);
        for (std::size_t i = 0; i < values.size(); ++i) out.push_back(given(e.parameters[i], values[i]));
        return out;
    };
    const auto inputs = [&] {
        Json out = Json::array();
        for (const eom::Input& w : e.inputs) out.push_back(given(w, w.value));
        return out;
    };

    const char* form = options.form == Form::recursive ? "recursive" : "readable";
    Json j{{"name", e.name}, {"formulation", e.formulation}, {"form", form}};
    if (!e.assumptions.empty()) j["assumptions"] = e.assumptions;
    if (wanted("parameters")) j["parameters"] = givens(), j["inputs"] = inputs();
    if (wanted("q")) {
        j["coordinates"] = names(e.q);
        j["speeds"] = names(e.u);
        Json& kinematics = j["kinematics"] = Json::object();
        for (std::size_t i = 0; i < e.qdot.size(); ++i) kinematics[e.q[i].symbol().name] = say(e.qdot[i]);
        j["quaternions"] = e.quaternions;
        if (!e.x.empty()) {
            Json& rates = j["auxiliary"] = Json::object();
            for (std::size_t i = 0; i < e.x.size(); ++i) rates[e.x[i].symbol().name] = say(e.xdot[i]);
        }
    }
    if (wanted("M")) j["mass_matrix"] = matrix(e.M);
    if (wanted("f")) j["forcing"] = list(e.f);
    if (wanted("G")) {
        Json& rows = j["constraints"] = Json::array();
        for (const eom::Constraint& c : e.constraints) {
            rows.push_back({{"name", c.name},
                            {"holonomic", c.is_holonomic},
                            {"phi", say(c.phi)},
                            {"rate", say(c.rate)},
                            {"G", list(c.G)},
                            {"gamma", say(c.gamma)},
                            {"multiplier", sym::print(c.lambda)}});
        }
    }
    if (wanted("energy")) j["energy"] = {{"kinetic", say(e.energy.kinetic)}, {"potential", say(e.energy.potential)}};
    if (wanted("power")) j["power"] = say(e.power);
    if (wanted("momentum")) j["momentum"] = {{"linear", list(e.momentum.linear)}, {"angular", list(e.momentum.angular)}};
    if (wanted("B")) {
        Json& bodies = j["partial_velocities"] = Json::array();
        for (const auto& p : e.partial_velocities) {
            bodies.push_back({{"body", p.body}, {"axes", e.axes}, {"B", matrix(p.B)}, {"rest", list(p.rest)}, {"Bdot_u", list(p.Bdot_u)}});
        }
    }
    if (wanted("C")) j["velocity_matrix"] = matrix(e.C);
    if (wanted("g")) {
        for (const eom::ForceShare& share : e.shares) {
            if (share.cause != "gravity") continue;
            Json& g = j["gravity_forces"] = Json::array();
            for (const Expr& x : share.f) g.push_back(say(-x));
        }
    }
    if (wanted("causes")) {
        Json& causes = j["forcing_by_cause"] = Json::object();
        for (const eom::ForceShare& share : e.shares) causes[share.cause] = list(share.f);
    }
    if (wanted("J")) {
        Json& frames = j["jacobians"] = Json::array();
        for (const eom::FrameJacobian& frame : e.jacobians) {
            frames.push_back({{"frame", frame.name},
                              {"about", frame.about},
                              {"rows", frame.rows},
                              {"J", matrix(frame.J)},
                              {"Jdot", matrix(frame.Jdot)},
                              {"rest", list(frame.rest)},
                              {"Jdot_u", list(frame.bias)}});
        }
    }
    if (wanted("Lambda")) {
        Json& frames = j["operational_inertias"] = Json::array();
        for (const eom::FrameJacobian& frame : e.jacobians) {
            const eom::OperationalInertia found = eom::readable_inertia(e, frame);
            Json rows = Json::array();
            for (const std::size_t row : found.moved) rows.push_back(frame.rows[row]);
            frames.push_back({{"frame", frame.name},
                              {"about", frame.about},
                              {"rows", std::move(rows)},
                              {"inertia", found.inertia.empty() ? Json(nullptr) : matrix(found.inertia)},
                              {"why_no_inertia", found.why_none}});
        }
    }
    if (wanted("outputs")) {
        Json& outputs = j["outputs"] = Json::object();
        for (const eom::Output& o : e.outputs) outputs[o.name] = say(o.value);
    }
    if (derivation != nullptr) {
        Json& steps = j["steps"] = Json::array();
        for (const eom::Step& step : derivation->steps) {
            Json lines = Json::array();
            for (const auto& l : step.lines) {
                lines.push_back({{"symbol", l.symbol},
                                 {"definition", l.definition},
                                 {"value", matrix(l.value)},
                                 {"note", l.note},
                                 {"citation", l.citation}});
            }
            steps.push_back({{"title", step.title}, {"text", step.text}, {"lines", std::move(lines)}, {"citation", step.citation}});
        }
    }
    return j;
}

}  // namespace

std::string set_json(const eom::EquationsOfMotion& equations, const eom::Derivation* derivation, const Options& options) {
    std::vector<Expr> met;
    document(equations, derivation, options, [&](const Expr& e) {
        met.push_back(e);
        return 0;
    });
    const Formulas formulas(met, options);
    Json j = document(equations, derivation, options, [&](const Expr& e) { return sym::write(formulas.of(e)); });
    Json& steps = j["intermediates"] = Json::array();
    for (const auto& step : formulas.intermediates()) {
        steps.push_back({{"name", step.name}, {"value", sym::write(step.value)}});
    }
    if (formulas.number_of_refusals() > 0) {
        j["notices"] = Json::array(
            {fmt::format("{} expressions were too large to read and are written with intermediates", formulas.number_of_refusals())});
    }
    return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace linkwright::present
