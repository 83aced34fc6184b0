#include "linkwright/session/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/numeric/operational_inertia.hpp"
#include "linkwright/numeric/rank_nearby.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/validity.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

Json to_json(const EvaluatedFrame& f) {
    std::vector<std::string> moved;
    for (const std::size_t row : f.moved) moved.push_back(f.rows[row]);
    const bool has_inertia = f.inertia.size() > 0;
    return {{"frame", f.name},
            {"about", f.about},
            {"rows", f.rows},
            {"J", session::to_json(f.J)},
            {"Jdot", session::to_json(f.Jdot)},
            {"rest", session::to_json(f.rest)},
            {"Jdot_u", session::to_json(f.bias)},
            {"inertia_rows", moved},
            {"inertia", has_inertia ? session::to_json(f.inertia) : Json(nullptr)},
            {"why_no_inertia", f.why_no_inertia}};
}

void add_quantities(const EvaluatedState& result, Json& j) {
    const EvaluatedQuantities& found = result.quantities;
    if (result.asked.has("C")) j["velocity_matrix"] = session::to_json(found.C);
    if (result.asked.has("g")) j["gravity_forces"] = session::to_json(found.g);
    if (result.asked.has("causes")) {
        j["forcing_by_cause"] = Json::object();
        for (const auto& [cause, f] : found.causes) j["forcing_by_cause"][cause] = session::to_json(f);
    }
    if (!result.asked.has("J") && !result.asked.has("Lambda")) return;
    j["jacobians"] = Json::array();
    for (const EvaluatedFrame& frame : found.frames) j["jacobians"].push_back(to_json(frame));
}

/// Numbers of expressions at a state, one group after the other.
class Values {
public:
    Values(const numeric::CompiledEquations& numbers, const numeric::State& state) : numbers_(numbers), state_(state) {}
    Eigen::VectorXd operator()(const std::vector<sym::Expr>& list) const { return numbers_.compile(list)(state_); }
    Eigen::MatrixXd operator()(const sym::Matrix& rows, std::size_t columns) const {
        using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::VectorXd all = (*this)(sym::flat(rows));
        return Eigen::Map<const ByRows>(all.data(), static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns));
    }

private:
    const numeric::CompiledEquations& numbers_;
    const numeric::State& state_;
};

EvaluatedFrame evaluate_frame(const eom::FrameJacobian& frame, const numeric::CompiledEquations& numbers, const EvaluatedState& at) {
    const Values value(numbers, at.state);
    const std::size_t n = numbers.equations().u.size();
    EvaluatedFrame r{.name = frame.name,
                     .about = frame.about,
                     .rows = frame.rows,
                     .J = value(frame.J, n),
                     .Jdot = value(frame.Jdot, n),
                     .rest = value(frame.rest),
                     .bias = value(frame.bias),
                     .moved = {},
                     .inertia = {},
                     .why_no_inertia = {}};
    for (std::size_t row = 0; row < frame.J.size(); ++row) {
        if (!sym::is_literally_zero({frame.J[row]})) r.moved.push_back(row);
    }
    if (r.moved.empty()) return r.why_no_inertia = "the frame cannot move", r;
    if (r.moved.size() > n) {
        r.why_no_inertia = fmt::format("{} directions and {} speeds: not all directions can be moved independently", r.moved.size(), n);
        return r;
    }
    const numeric::OperationalInertia found =
        numeric::operational_inertia(numbers, at.state, at.evaluation.dynamics, r.J(r.moved, Eigen::placeholders::all));
    r.inertia = found.inertia, r.why_no_inertia = found.why;
    if (found.held >= 0) r.why_no_inertia += fmt::format(", not along {} independently of the others", r.rows[r.moved[found.held]]);
    return r;
}

EvaluatedQuantities evaluate_quantities(const numeric::CompiledEquations& numbers, const EvaluatedState& at) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const Values value(numbers, at.state);
    EvaluatedQuantities r;
    if (at.asked.has("C")) r.C = value(e.C, e.u.size());
    if (at.asked.has("g")) r.g = value(gravity_forces(e));
    if (at.asked.has("causes")) {
        for (const eom::ForceShare& share : e.shares) r.causes.emplace_back(share.cause, value(share.f));
    }
    for (const eom::FrameJacobian& frame : e.jacobians) r.frames.push_back(evaluate_frame(frame, numbers, at));
    return r;
}

}  // namespace

Json to_json(const EvaluatedState& result) {
    const Names& n = result.names;
    const numeric::State& state = result.state;
    const numeric::Evaluation& r = result.evaluation;
    Json j;
    j["t"] = state.t;
    j["coordinates"] = n.coordinates;
    j["speeds"] = n.speeds;
    if (!n.auxiliary.empty()) j["auxiliary"] = n.auxiliary;
    j["acceleration_names"] = n.accelerations;
    j["state"]["values"] = Json::object();
    for (std::size_t i = 0; i < n.coordinates.size(); ++i) j["state"]["values"][n.coordinates[i]] = state.q[i];
    for (std::size_t i = 0; i < n.speeds.size(); ++i) j["state"]["values"][n.speeds[i]] = state.u[i];
    for (std::size_t i = 0; i < n.auxiliary.size(); ++i) j["state"]["values"][n.auxiliary[i]] = state.x[i];
    j["mass_matrix"] = to_json(r.dynamics.M);
    j["forcing"] = to_json(r.dynamics.f);
    j["coordinate_rates"] = to_json(r.coordinate_rates);
    if (!n.auxiliary.empty()) j["auxiliary_rates"] = to_json(r.auxiliary_rates);
    j["accelerations"] = to_json(r.accelerations);
    j["constraints"] = n.constraints;
    j["multipliers"] = to_json(r.multipliers);
    j["constraint_jacobian"] = to_json(r.dynamics.G);
    j["residual"] = {{"position", r.residuals.position()}, {"velocity", r.residuals.velocity()}};
    j["independent_speeds"] = r.independent;
    j["redundant_constraints"] = r.redundant;
    j["energy"] = {{"kinetic", r.kinetic}, {"potential", r.potential}, {"total", r.kinetic + r.potential}};
    j["power"] = r.power;
    j["momentum"] = {{"linear", to_json(Eigen::VectorXd(r.linear))}, {"angular", to_json(Eigen::VectorXd(r.angular))}};
    j["outputs"] = Json::object();
    for (std::size_t i = 0; i < n.outputs.size(); ++i) j["outputs"][n.outputs[i]] = r.outputs[i] + 0.0;
    add_quantities(result, j);
    const Units& units = result.units;
    j["units"] = {{"coordinates", units.coordinates}, {"speeds", units.speeds},       {"accelerations", units.accelerations},
                  {"forcing", units.forcing},         {"auxiliary", units.auxiliary}, {"multipliers", units.multipliers},
                  {"outputs", units.outputs}};
    if (r.is_ok) return j;
    j["accelerations"] = j["multipliers"] = j["power"] = nullptr;
    for (auto& value : j["outputs"]) {  // what is made of them
        if (!std::isfinite(value.get<double>())) value = nullptr;
    }
    return j;
}

Diagnostics check(const EvaluateOptions& options) {
    Report report;
    report.add(check(options.state));
    report.add(check(options.quantities));
    return report.problems;
}

Result<EvaluatedState> evaluate(const Session& session, const EvaluateOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "kane", report, what_it_takes(options.quantities));
    if (!bench) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    const numeric::CompiledEquations& numbers = bench->numbers(Code::interpreted, report);
    EvaluatedState r{
        .names = names_of(e), .state = {}, .evaluation = {}, .units = units_of(e, session.model()), .asked = options.quantities};
    if (options.state.is_given() && !options.assemble) {
        const auto given = read_state(options.state, numbers, false, report);
        if (!given) return report;
        for (const std::string& warning : given->warnings) report.warn(warning);
        r.state = as_it_stands(*given, numbers);
    } else {
        const StartState start = start_state(options.state, numbers, report);
        if (!start.has_state) return report;
        if (!start.is_closed) report.warn("the numbers are those of the nearest approach");
        r.state = start.state;
    }
    const Eigen::VectorXd branches = numbers.branches(r.state);
    for (Eigen::Index i = 0; i < branches.size(); ++i) {
        if (branches[i] > 0) continue;
        report.fail(
            fmt::format("'{}' is on its wrong side at this state", e.branches[i].name),
            "a joint closed with its axes opposite, or a disk tilted past lying flat; start there with [initial] if this is intended");
    }
    r.evaluation = numeric::evaluate(numbers, r.state);
    r.quantities = evaluate_quantities(numbers, r);
    for (const std::string& warning : r.evaluation.warnings) report.warn(warning);
    if (!r.evaluation.is_ok) report.fail("no accelerations: " + r.evaluation.why);
    warn_beyond_theory(numbers, std::span(&r.state, 1), report);
    if (!r.evaluation.redundant.empty()) {
        if (const numeric::RankNearby rank = rank_nearby(numbers, r.state); rank.is_singular()) {
            report.fail(fmt::format("the position is singular: the constraints have rank {} here and {} nearby, so that accelerations and "
                                    "multipliers are not determined",
                                    rank.here, rank.generic()),
                        "a change point or a dead centre; move the mechanism a little, by [initial] or --state");
        }
        report.warn(fmt::format(
            "{} of {} constraint equations are redundant: multipliers, and reactions computed from them, are not unique, and those of "
            "smallest norm are given",
            r.evaluation.redundant.size(), e.constraints.size()));
    }
    return finished(report, std::move(r));
}

Result<numeric::State> initial_state(const Session& session) { return closed_state(session, {}); }

Result<numeric::State> closed_state(const Session& session, const StateWords& words) {
    Report report;
    report.add(check(words));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return report;
    const StartState start = start_state(words, bench->numbers(Code::interpreted, report), report);
    if (!start.is_ok()) return report;
    return {report, start.state};
}

}  // namespace linkwright::session
