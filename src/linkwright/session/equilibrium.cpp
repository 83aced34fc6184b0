#include "linkwright/session/equilibrium.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "linkwright/model/values.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

std::vector<std::pair<std::string, double>> given_spins(const model::Model& model) {
    std::vector<std::pair<std::string, double>> spins;
    const model::ParameterValues values(model);
    for (const model::Body& body : model.bodies) {
        for (const model::Rotor& rotor : body.rotors) {
            if (rotor.speed) spins.emplace_back(body.name + ".rotor", values(*rotor.speed));
        }
    }
    std::erase_if(spins, [](const auto& s) { return !std::isfinite(s.second); });  // one that depends on more than parameters
    return spins;
}

Json state_of(const Names& n, const numeric::State& s) {
    Json j;
    j["t"] = s.t;
    j["values"] = Json::object();
    for (std::size_t i = 0; i < n.coordinates.size(); ++i) j["values"][n.coordinates[i]] = s.q[i] + 0.0;
    for (std::size_t i = 0; i < n.speeds.size(); ++i) j["values"][n.speeds[i]] = s.u[i] + 0.0;
    for (std::size_t i = 0; i < n.auxiliary.size(); ++i) j["values"][n.auxiliary[i]] = s.x[i] + 0.0;
    j["inputs"] = Json::object();
    for (std::size_t i = 0; i < n.inputs.size(); ++i) j["inputs"][n.inputs[i]] = s.w[i] + 0.0;
    return j;
}

Json one(const Names& n, const linear::Equilibrium& x, double potential) {
    Json j;
    j["state"] = state_of(n, x.point.state);
    j["multipliers"] = Json::object();
    for (std::size_t i = 0; i < n.constraints.size(); ++i) j["multipliers"][n.constraints[i]] = x.point.lambda[i] + 0.0;
    j["residual"] = std::isfinite(x.residual) ? Json(x.residual) : Json(nullptr);  // `why` tells what is not finite
    j["distance"] = x.distance;
    j["moving"] = Json::array();
    for (const std::size_t i : x.moving) j["moving"].push_back(n.coordinates[i]);
    j["energy"]["potential"] = potential;
    if (!x.is_ok) {
        j["found"] = false;
        j["why"] = x.why;
        return j;
    }
    j["stability"] = to_string(x.stability);
    j["verdict"] = x.verdict;
    j["rests_on"] = to_string(x.rests_on);
    j["poles"] = Json::array();
    for (const std::complex<double> p : x.poles) j["poles"].push_back({{"re", p.real() + 0.0}, {"im", p.imag() + 0.0}});
    j["notes"] = x.notes;
    return j;
}

Json number(double x) { return std::isfinite(x) ? Json(x + 0.0) : Json(nullptr); }

void add_carried(Json& j, const FoundEquilibria& r, const Carried& c) {
    j["outputs"] = Json::object();
    for (std::size_t i = 0; i < c.outputs.size(); ++i) j["outputs"][r.names.outputs[i]] = number(c.outputs[i]);
    j["springs"] = Json::object();
    for (std::size_t i = 0; i < r.springs.size(); ++i)
        j["springs"][r.springs[i]] = {{"length", number(c.springs[i].length)}, {"force", number(c.springs[i].force)}};
    j["reactions"] = Json::object();
    for (std::size_t i = 0; i < r.joints.size(); ++i) {
        Json& on_child = j["reactions"][r.joints[i]] = Json::array();
        for (const double x : c.reactions[i]) on_child.push_back(number(x));
    }
}

Json completeness(const linear::EquilibriumList& list) {
    Json j{{"words", list.words}, {"metric", list.metric}, {"shown", list.is_complete()}, {"starts", list.starts}};
    j["within"] = Json::object();
    for (const linear::UnknownRange& r : list.within) j["within"][r.name] = {r.lower, r.upper};
    return j;
}

}  // namespace

Diagnostics check(const EquilibriumOptions& options) {
    Report report;
    if (options.starts < 1 || options.starts > 100'000)
        report.error(fmt::format("--starts {}: between 1 and 100000 are possible", options.starts));
    report.add(check(options.words));
    report.add(check(options.state));
    return report.problems;
}

Result<FoundEquilibria> equilibrium(const Session& session, const EquilibriumOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step, "starts");
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    const StartState start = start_state(options.state, numbers, report);
    if (!start.is_ok()) return report;
    const linear::Equilibria equilibria(numbers);
    auto asked = read_equilibrium(options.words, numbers, equilibria, report);
    if (!asked) return report;
    asked->starts = static_cast<std::size_t>(options.starts);
    asked->seed = static_cast<std::uint64_t>(options.seed);
    asked->goes_on = watch.hook();
    if (!watch(0, asked->starts)) return watch.tell(report), report;
    linear::EquilibriumList list = equilibria.all(start.state, *asked);
    FoundEquilibria r{.names = names_of(bench->equations()),
                      .input_units = {},
                      .found = std::exchange(list.found, {}),
                      .list = std::move(list),
                      .potential = {},
                      .spins = given_spins(bench->model())};
    if (watch.is_stopped()) return watch.tell(report), report;
    for (const eom::Input& w : bench->equations().inputs) r.input_units.push_back(w.unit);
    for (const linear::Equilibrium& x : r.found) r.potential.push_back(numbers.invariants(x.point.state)[1]);
    if (r.found.front().is_ok) {
        std::vector<numeric::OperatingPoint> points;
        for (const linear::Equilibrium& x : r.found) points.push_back(x.point);
        const Carrying carrying(session, bench->formulation(), report);
        if (!numeric::evaluate(numbers, points.front().state).redundant.empty())
            report.note(
                "constraints are redundant: how they share the load is not determined, and of all reactions those of the smallest "
                "multipliers "
                "are given");
        if (const auto& satisfied = bench->equations().satisfied; !satisfied.empty())
            report.note(fmt::format("other joints satisfy '{}'{} in every position: what it would carry is given as 0",
                                    satisfied.front().name,
                                    satisfied.size() > 1 ? fmt::format(" and {} more constraints", satisfied.size() - 1) : ""));
        r.springs = carrying.springs(), r.joints = carrying.joints(), r.carried = carrying(points);
    }
    if (const linear::Equilibrium& first = r.found.front(); !first.is_ok) {
        report.fail(fmt::format("no equilibrium was found (residual {:.2g}): {}", first.residual, first.why),
                    hint_without_equilibrium(first, *asked, numbers, equilibria));
    }
    return finished(report, std::move(r));
}

Json to_json(const FoundEquilibria& r) {
    Json j;
    j["model"] = r.names.model;
    const Json top = one(r.names, r.found.front(), r.potential.front());
    for (const auto& [key, value] : top.items()) j[key] = value;
    if (!r.carried.empty()) add_carried(j, r, r.carried.front());
    j["coordinates"] = r.names.coordinates;
    j["speeds"] = r.names.speeds;
    if (!r.names.auxiliary.empty()) j["auxiliary"] = r.names.auxiliary;
    j["equilibria"] = Json::array();
    for (std::size_t i = 0; i < r.found.size(); ++i) {
        if (!r.found[i].is_ok) continue;
        j["equilibria"].push_back(one(r.names, r.found[i], r.potential[i]));
        if (i < r.carried.size()) add_carried(j["equilibria"].back(), r, r.carried[i]);
    }
    if (!r.list.words.empty()) j["completeness"] = completeness(r.list);
    return j;
}

}  // namespace linkwright::session
