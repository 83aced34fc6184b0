#include "linkwright/session/linearize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "linkwright/session/excited.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/units.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

using linear::Linearization;

std::vector<std::string> picked(const std::vector<std::string>& names, const std::vector<std::size_t>& which) {
    std::vector<std::string> list;
    for (const std::size_t i : which) list.push_back(names[i]);
    return list;
}

std::vector<std::string> rates(const Linearization& L) {
    std::vector<std::string> names = picked(L.u, L.z);
    if (!L.second_order.has_replaced_speeds) return names;
    names = picked(L.s, L.y);
    for (std::string& name : names) name = "d(" + name + ")/dt";
    return names;
}

std::vector<std::string> states(const Linearization& L) {
    std::vector<std::string> names = picked(L.s, L.y);
    for (const std::string& u : picked(L.u, L.z)) names.push_back(u);
    return names;
}

bool are_known(const std::string& option, const std::vector<std::string>& asked, const std::vector<std::string>& known, Report& report) {
    for (const std::string& name : asked) {
        if (std::ranges::find(known, name) != known.end()) continue;
        report.error(fmt::format("{}: there is no '{}'", option, name), hint_for(name, known, "there are "));
        return false;
    }
    return true;
}

bool are_single(const std::string& option, const std::vector<std::string>& asked, Report& report) {
    for (auto at = asked.begin(); at != asked.end(); ++at) {
        if (std::find(asked.begin(), at, *at) != at) return report.error(fmt::format("{} names {} twice", option, *at)), false;
    }
    return true;
}

Diagnostics check(const LinearizeOptions& options) {
    Report report;
    report.add(check(options.operating));
    are_single("--onto", split_list(options.onto), report);
    return report.problems;
}

Result<LinearModel> linearize(const Session& session, const LinearizeOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step);
    const auto with_motions = excited(session, report);
    if (!with_motions) return report;
    const Lease bench = borrow(with_motions->session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    const linear::Linearizer linearizer(numbers, with_motions->motions);
    linear::LinearizeOptions o;
    o.onto = split_list(options.onto);
    o.only_onto = !o.onto.empty();
    o.geometric_stiffness = !options.lynch;
    o.checks_steadiness = true;
    o.lists_motions = session.model().outputs.empty();
    std::vector<std::string> known = linearizer.form().s;
    for (const sym::Expr& u : e.u) known.push_back(u.symbol().name);
    if (!are_known("--onto", o.onto, known, report)) return report;
    const auto at = operating_state(options.operating, numbers, watch, report);
    if (!at) return report;
    LinearModel r{.names = names_of(e), .multipliers = {}, .linear = linearizer(at->point, o), .units = linearizer.form().units};
    if (!watch()) return watch.tell(report), report;
    if (!r.linear.is_ok) return report.fail("there is no linear model here: " + r.linear.why), report;
    for (const eom::Constraint& c : e.constraints) r.multipliers.push_back(c.lambda.symbol().name);
    r.state_units = units_for(states(r.linear), session.model());
    r.input_units = units_for(r.linear.inputs, session.model());
    r.output_units = units_for(r.linear.outputs, session.model());
    return finished(report, std::move(r));
}

Json to_json(const LinearModel& model) {
    const Linearization& L = model.linear;
    const Names& n = model.names;
    Json j;
    j["model"] = n.model;
    j["formulation"] = n.formulation;
    j["coordinates"] = n.coordinates;
    j["speeds"] = n.speeds;
    if (!n.auxiliary.empty()) j["auxiliary"] = n.auxiliary;
    const numeric::State& at = L.point.state;
    Eigen::VectorXd state(at.q.size() + at.u.size() + at.x.size());
    state << at.q, at.u, at.x;
    j["state"] = to_json(state);
    j["t"] = L.point.state.t;
    j["accelerations"] = to_json(L.point.udot);
    j["constraints"] = n.constraints;
    j["multipliers"] = to_json(L.point.lambda);
    j["inputs"] = L.inputs;
    j["input_values"] = to_json(L.point.state.w);
    j["outputs"] = L.outputs;
    j["independent"] = {{"coordinates", picked(L.s, L.y)}, {"speeds", picked(L.u, L.z)}};
    j["form"] = L.has_geometric_stiffness ? "with geometric stiffness" : "without geometric stiffness [Lynch 1988, eq. (6.6)]";
    const linear::SecondOrder& o = L.second_order;
    Json& second = j["second_order"];
    second = {{"M", to_json(o.M)}, {"C", to_json(o.C)}, {"K", to_json(o.K)}, {"B", to_json(o.B)}};
    second["coordinates"] = picked(L.s, L.y);
    second["speeds"] = rates(L);
    second["is_mechanical"] = o.is_mechanical;
    if (o.is_mechanical) {
        second["damping"] = to_json(o.damping), second["gyroscopic"] = to_json(o.gyroscopic);
        second["stiffness"] = to_json(o.stiffness), second["circulatory"] = to_json(o.circulatory);
    } else {
        second["N"] = to_json(o.N), second["H"] = to_json(o.H);
    }
    second["geometric_stiffness"] = to_json(o.geometric);
    const linear::StateSpace& x = L.state_space;
    j["state_space"] = {{"A", to_json(x.A)}, {"B", to_json(x.B)}, {"C", to_json(x.C)}, {"D", to_json(x.D)}};
    j["state_space"]["states"] = states(L);
    j["state_space"]["units"] = {{"states", model.state_units}, {"inputs", model.input_units}, {"outputs", model.output_units}};
    if (const linear::ByMotions& m = L.by_motions; !m.names.empty()) {
        j["given_motions"] = {{"names", m.names}, {"columns", m.columns()}, {"B", to_json(m.state)}, {"D", to_json(m.outputs)}};
        if (o.is_mechanical) j["given_motions"]["second_order"] = to_json(m.second_order);
    }
    const linear::FullLinear& f = L.full;
    j["full"] = {{"small_motions", L.s},
                 {"M", to_json(f.M)},
                 {"C", to_json(f.C)},
                 {"K", to_json(f.K)},
                 {"geometric_stiffness", to_json(f.geometric)},
                 {"B", to_json(f.B)},
                 {"S", to_json(f.S)},
                 {"N", to_json(f.N)},
                 {"H", to_json(f.H)},
                 {"Phi", to_json(f.Phi)},
                 {"G", to_json(f.G)},
                 {"D", to_json(f.D)},
                 {"E", to_json(f.E)},
                 {"F", to_json(f.F)},
                 {"Y", to_json(L.Y)},
                 {"Z", to_json(L.Z)},
                 {"P", to_json(L.P)}};
    j["notes"] = L.notes;
    return j;
}

}  // namespace linkwright::session
