#include "linkwright/session/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "linkwright/eom/rank.hpp"
#include "linkwright/eom/visit.hpp"
#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/inspection_summary.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/topology/matrices.hpp"

namespace linkwright::session {

std::vector<std::string> unused(const eom::EquationsOfMotion& e) {
    eom::EquationsOfMotion rest = e;
    rest.parameters.clear();
    rest.inputs.clear();
    std::vector<sym::Expr> all;
    eom::for_each_expression(rest, [&](const sym::Expr& x) {
        if (!x.is_number()) all.push_back(x);
    });
    std::set<std::string> used;
    const auto use = [&](std::span<const sym::Expr> expressions) {
        for (const sym::Expr& s : symbols_in(expressions)) used.insert(s.symbol().name);
    };
    use(all);
    for (std::size_t before = 0; before != used.size();) {
        before = used.size();
        std::vector<sym::Expr> values;
        for (const eom::Input& w : e.inputs)
            if (used.contains(w.symbol.symbol().name)) values.push_back(w.value);
        for (const eom::Parameter& p : e.parameters)
            if (used.contains(p.symbol.symbol().name)) values.push_back(p.value);
        use(values);
    }
    const Names n = names_of(e);
    std::vector<std::string> names = n.parameters;
    names.insert(names.end(), n.inputs.begin(), n.inputs.end());
    std::erase_if(names, [&](const std::string& name) { return used.contains(name); });
    return names;
}

namespace {

/// 6 − f for joints; what the equations hold beyond them is counted from there: their speeds are what the joints of the tree leave.
Inspection::Mobility count_mobility(const model::Model& m, const eom::EquationsOfMotion& e) {
    Inspection::Mobility c;
    c.bodies = static_cast<long>(m.bodies.size()) - 1;
    for (const model::Joint& joint : m.joints) {
        if (joint.section)
            --c.bodies;  // a part of its beam
        else
            c.joints += 6 - static_cast<long>(joint.speeds.size());
    }
    const long rows = static_cast<long>(e.constraints.size() + e.satisfied.size()), counted = static_cast<long>(e.u.size()) - rows;
    c.others = 6 * c.bodies - c.joints - counted;
    if (c.others < 0) c.inside = -c.others, c.others = 0;
    return c;
}

/// Sections of beams, and the masses on them, are counted with their beams.
std::vector<Inspection::OwnBody> own_bodies(const model::Model& m, const model::ParameterValues& value) {
    std::vector<model::BodyIndex> whole(m.bodies.size());
    for (model::BodyIndex b = 0; b < m.bodies.size(); ++b) whole[b] = b;
    for (const model::Joint& joint : m.joints) {
        if (joint.section) whole[joint.child] = joint.parent;
    }
    std::vector<Inspection::OwnBody> all(m.bodies.size());
    for (model::BodyIndex b = 1; b < m.bodies.size(); ++b) {
        const model::Body& body = m.bodies[b];
        Inspection::OwnBody& own = all[whole[b]];
        own.mass += value(body.mass) + (body.beam ? value(body.beam->elastic.mass) : 0);
        if (whole[b] != b) continue;
        own.name = body.name;
        own.is_beam = body.beam.has_value();
        for (std::size_t k = 0; k < 3; ++k) own.com[k] = value(body.com[k]), own.moments[k] = value(body.inertia[k][k]);
        own.products = {value(body.inertia[0][1]), value(body.inertia[0][2]), value(body.inertia[1][2])};
    }
    std::erase_if(all, [](const Inspection::OwnBody& body) { return body.name.empty(); });
    return all;
}

std::vector<Inspection::OwnBeam> own_beams(const model::Model& m) {
    std::vector<Inspection::OwnBeam> all;
    const model::ParameterValues value(m);
    const auto numbers = [&](const sym::Matrix& a) {
        solve::MatrixXd out(a.size(), a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < a.size(); ++j) out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value(a[i][j]);
        }
        return out;
    };
    for (model::BodyIndex b = 1; b < m.bodies.size(); ++b) {
        if (!m.bodies[b].beam) continue;
        const model::Elastic& e = m.bodies[b].beam->elastic;
        Inspection::OwnBeam beam{m.bodies[b].name, model::describe(m.bodies[b]), {}, {}, {}};
        const solve::SymmetricEigen found = solve::symmetric_eigen(numbers(e.stiffness), numbers(mass_at_rest(m, b)));
        for (Eigen::Index i = 0; i < found.values.size(); ++i) beam.frequencies.push_back(std::sqrt(std::max(found.values[i], 0.0)));
        if (!sym::is_literally_zero(e.damping)) {
            const solve::MatrixXd C = numbers(e.damping);
            for (Eigen::Index i = 0; i < C.rows(); ++i) {
                beam.damping.emplace_back();
                for (Eigen::Index j = 0; j < C.cols(); ++j) beam.damping.back().push_back(C(i, j));
            }
        }
        for (const model::Parameter& p : m.parameters) {
            const std::string& name = p.symbol.symbol().name;
            if (p.is_shape_constant && name.starts_with(beam.name + ".")) beam.constants.emplace_back(name, value(p.value));
        }
        all.push_back(std::move(beam));
    }
    return all;
}

/// Those of c₀sⁿ + … + cₙ, c₀ ≠ 0: eigenvalues of the companion matrix, in a unit of time that suits the roots. Coefficients 0 at the end are
/// roots 0 exactly.
std::vector<std::complex<double>> roots(std::vector<double> c) {
    std::vector<std::complex<double>> all;
    while (c.size() > 1 && c.back() == 0) c.pop_back(), all.emplace_back(0);
    const auto n = static_cast<Eigen::Index>(c.size()) - 1;
    if (n < 1) return all;
    const double unit = std::ldexp(1.0, static_cast<int>(model::scale_of(c)));
    solve::MatrixXd A = solve::MatrixXd::Zero(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
        A(k, 0) = -c[static_cast<std::size_t>(k) + 1] / c[0] / std::pow(unit, static_cast<double>(k + 1));
        if (k + 1 < n) A(k, k + 1) = 1;
    }
    for (const std::complex<double> root : solve::eigenvalues(A)) all.push_back(unit * root);
    std::ranges::sort(all, {}, [](std::complex<double> s) { return std::tuple(std::abs(s), -s.imag()); });
    return all;
}

std::vector<Inspection::OwnFilter> own_filters(const model::Model& m, const model::ParameterValues& value) {
    std::vector<Inspection::OwnFilter> all;
    for (const model::Filter& f : m.filters) {
        const auto numbers = [&](const std::vector<sym::Expr>& list) {
            std::vector<double> c;
            for (const sym::Expr& e : list) c.push_back(value(e));
            return c;
        };
        Inspection::OwnFilter own{f.name,
                                  sym::print(f.input),
                                  {},
                                  roots(numbers(f.denominator)),
                                  {},
                                  value(f.numerator.back()) / value(f.denominator.back()),
                                  f.sample ? value(*f.sample) : 0,
                                  f.method};
        std::vector<double> above = numbers(f.numerator);
        while (above.size() > 1 && above.front() == 0) above.erase(above.begin());
        if (above.front() != 0) own.zeros = roots(above);
        for (std::size_t k = 1; k < f.denominator.size(); ++k) own.states.push_back(fmt::format("{}.{}", f.name, k));
        all.push_back(std::move(own));
    }
    return all;
}

std::vector<Inspection::OwnMotor> own_motors(const model::Model& m, const model::ParameterValues& value) {
    std::vector<Inspection::OwnMotor> all;
    for (const model::Motor& x : m.motors) {
        Inspection::OwnMotor own;
        own.name = x.name;
        own.type = x.type == model::MotorType::electric ? "electric" : "hydraulic";
        const auto joint = [&](const model::Joint& j) {
            return j.speeds.size() == 1 ? fmt::format("joint '{}'", j.name) : fmt::format("'{}'", j.speeds[x.freedom].symbol().name);
        };
        own.drives = x.spring ? fmt::format("spring '{}'", m.springs[*x.spring].name) : joint(m.joints[x.joint]);
        own.input = sym::print(x.input);
        own.force = model::force_name(m, x);
        own.gear = value(x.gear);
        if (model::stores(x)) own.state = model::state_name(x), own.lag = value(x.storage) / value(x.loss);
        all.push_back(std::move(own));
    }
    return all;
}

std::vector<std::string> described_trajectories(const model::Model& m, const model::ParameterValues& value) {
    constexpr std::array shapes{"cycloid", "quintic", "trapezoid"};
    std::vector<std::string> all;
    for (const model::Trajectory& x : m.trajectories) {
        if (x.shape == model::TrajectoryShape::points) {
            all.push_back(fmt::format("{}: spline through {} points, t = {:.6g} to {:.6g}", x.name, x.points.size(),
                                      value(x.points.front().t), value(x.points.back().t)));
        } else {
            all.push_back(fmt::format("{}: {} from {:.6g} to {:.6g}, t = {:.6g} to {:.6g}", x.name,
                                      shapes[static_cast<std::size_t>(x.shape)], value(x.from), value(x.to), value(x.start),
                                      value(x.start) + value(x.duration)));
        }
    }
    return all;
}

}  // namespace

double Inspection::total_mass() const {
    double sum = 0;
    for (const OwnBody& body : bodies) sum += body.mass;
    return sum;
}

namespace {

/// A tree of so many rigid bodies that M, which grows with their square, is left out: accelerations alone are looked at. With fewer, M tells a motion
/// without inertia by its rank, to the last bit.
bool is_large_tree(const Session& session) {
    constexpr std::size_t many = 100;
    const model::Model& m = session.model();
    return m.bodies.size() > many && session.topology().loops.empty() && m.rods.empty() && m.gears.empty() && m.constraints.empty() &&
           m.rollings.empty() && m.speeds.empty() &&
           std::ranges::none_of(m.bodies, [](const model::Body& body) { return body.beam.has_value(); });
}

/// What is wrong where a recursion finds no accelerations is told by M.
void tell_by_matrix(const Session& session, const numeric::State& state, numeric::Evaluation& at) {
    Report ignored;
    const Lease bench = borrow(session, "kane", ignored);
    if (bench) at = numeric::evaluate(bench->numbers(Code::interpreted, ignored), state);
}

}  // namespace

Result<Inspection> inspect(const Session& session) {
    Report report;
    const bool is_tree = is_large_tree(session);
    const Lease bench = borrow(session, is_tree ? "recursive" : "kane", report, {.only_accelerations = is_tree});
    if (!bench) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    if (!events_of(e, session.model(), report)) return report;
    const numeric::CompiledEquations& numbers = bench->numbers(Code::interpreted, report);
    Inspection r;
    r.names = names_of(e);
    r.beams = own_beams(session.model());
    const model::ParameterValues value(session.model());
    r.bodies = own_bodies(session.model(), value);
    r.motors = own_motors(session.model(), value);
    r.filters = own_filters(session.model(), value);
    r.trajectories = described_trajectories(session.model(), value);
    r.closed = assemble(numbers, wanted(numbers));
    r.at = numeric::evaluate(numbers, r.closed.state);
    if (!r.at.is_ok && is_tree) tell_by_matrix(session, r.closed.state, r.at);
    r.joints = assembled_joints(session, e, r.closed.state, r.at);
    r.rank = static_cast<std::size_t>(r.at.rank);
    r.nearby.here = r.at.rank;
    if (r.closed.is_ok() && !r.at.redundant.empty()) r.nearby = rank_nearby(numbers, r.closed.state);
    r.freedoms = e.u.size() - static_cast<std::size_t>(r.nearby.generic());
    r.satisfied = e.satisfied;
    r.mobility = count_mobility(session.model(), e);
    for (const eom::Constraint& c : e.constraints) r.rows.push_back({c.name, c.about, c.is_holonomic});
    const eom::SymbolicRank everywhere = eom::symbolic_rank(e);
    if (everywhere.rank < e.u.size()) {  // otherwise any further row depends on those: they leave no motion at all
        for (const std::size_t i : everywhere.redundant) r.rows[i].is_redundant_always = true;
    }
    r.summary = summarise(r, session);
    r.unused = unused(e);
    for (const model::Filter& f : session.model().filters) {  // a period is in no equation of continuous motion
        if (!f.sample) continue;
        for (const sym::Expr& s : symbols_in(*f.sample)) std::erase(r.unused, s.symbol().name);
    }
    if (!r.closed.unsettled.empty()) report.fail(r.closed.unsettled, "a filter with a pole at 0 is steady only while its input is zero");
    if (!r.closed.is_ok()) {
        const std::string what = "the mechanism does not close: " + r.closed.why,
                          hint = "the redundant constraints below are those at the nearest approach";
        r.closed.outcome == numeric::AssembledState::Outcome::overconstrained ? report.error(what, hint) : report.fail(what, hint);
    }
    return {report, std::move(r)};
}

namespace {

Json to_json(const topology::IntMatrix& m) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < m.rows; ++i) {
        Json row = Json::array();
        for (std::size_t j = 0; j < m.columns; ++j) row.push_back(m(i, j));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

Json to_json(const Inspection& r, const Session& session) {
    const model::Model& m = session.model();
    const topology::Topology& t = session.topology();
    const topology::Incidence incidence = topology::incidence(m, t);
    Json j;
    j["name"] = m.name;
    j["summary"] = r.summary;
    j["bodies"] = Json::array();
    for (const model::Body& body : m.bodies) j["bodies"].push_back(body.name);
    j["joints"] = Json::array();
    std::unordered_map<std::string_view, const AssembledJoint*> assembled;
    for (const AssembledJoint& joint : r.joints) assembled.emplace(joint.name, &joint);
    for (std::size_t k = 0; k < m.joints.size(); ++k) {
        const model::Joint& joint = m.joints[k];
        j["joints"].push_back({{"name", joint.name},
                               {"type", model::to_string(joint.type)},
                               {"parent", m.bodies[joint.parent].name},
                               {"child", m.bodies[joint.child].name},
                               {"cut", static_cast<bool>(t.is_cut[k])}});
        const auto found = assembled.find(joint.name);
        if (found == assembled.end()) continue;
        const AssembledJoint& own = *found->second;
        j["joints"].back()["values"] = Json::object();
        for (const AssembledJoint::Value& v : own.values) j["joints"].back()["values"][v.name] = v.value;
        j["joints"].back()["given"] = own.how == AssembledJoint::How::given;
        for (const AssembledJoint::Value& a : own.armature) j["joints"].back()["armature"][a.name] = a.value;
    }
    j["masses"] = Json::object();
    for (const Inspection::OwnBody& body : r.bodies) j["masses"][body.name] = body.mass;
    j["mass"] = r.total_mass();
    j["matrices"] = {{"path", to_json(topology::path_matrix(t))},
                     {"reference", to_json(topology::reference_matrix(t))},
                     {"distance", to_json(topology::distance_matrix(t))},
                     {"incidence", to_json(incidence.S)},
                     {"T", to_json(incidence.T)}};
    for (const Inspection::OwnBeam& beam : r.beams) {
        Json constants = Json::object();
        for (const auto& [name, value] : beam.constants) constants[name] = value;
        j["beams"].push_back({{"name", beam.name},
                              {"about", beam.about},
                              {"frequencies", beam.frequencies},
                              {"damping", beam.damping},
                              {"constants", std::move(constants)}});
    }
    const auto complex_list = [](const std::vector<std::complex<double>>& list) {
        Json all = Json::array();
        for (const std::complex<double> s : list) all.push_back({s.real() + 0.0, s.imag() + 0.0});
        return all;
    };
    for (const Inspection::OwnMotor& x : r.motors) {
        Json motor{{"name", x.name}, {"type", x.type}, {"drives", x.drives}, {"input", x.input}, {"force", x.force}, {"gear", x.gear}};
        if (!x.state.empty()) motor["state"] = x.state, motor["lag"] = x.lag;
        j["motors"].push_back(std::move(motor));
    }
    for (const Inspection::OwnFilter& x : r.filters) {
        Json filter{
            {"name", x.name}, {"input", x.input}, {"states", x.states}, {"poles", complex_list(x.poles)}, {"zeros", complex_list(x.zeros)}};
        if (std::isfinite(x.static_gain)) filter["static_gain"] = x.static_gain;
        if (x.period > 0) filter["sample"] = x.period, filter["method"] = x.method == SampleMethod::tustin ? "tustin" : "hold";
        j["filters"].push_back(std::move(filter));
    }
    if (!r.trajectories.empty()) j["trajectories"] = r.trajectories;
    j["coordinates"] = r.names.coordinates;
    j["speeds"] = r.names.speeds;
    if (!r.names.auxiliary.empty()) j["auxiliary"] = r.names.auxiliary;
    j["freedoms"] = r.freedoms;
    j["constraints"] = Json::array();
    for (const Inspection::Row& c : r.rows) j["constraints"].push_back({{"name", c.name}, {"holonomic", c.is_holonomic}});
    j["rank"] = r.rank;
    j["singular"] = r.nearby.is_singular();
    j["mobility"] = {{"bodies", r.mobility.bodies}, {"joints", r.mobility.joints},     {"inside", r.mobility.inside},
                     {"others", r.mobility.others}, {"counted", r.mobility.counted()}, {"freedoms", r.freedoms},
                     {"redundant", r.redundant()}};
    j["satisfied_constraints"] = Json::array();
    for (const eom::SatisfiedConstraint& c : r.satisfied) j["satisfied_constraints"].push_back(c.name);
    j["redundant_constraints"] = r.at.redundant;
    j["independent_speeds"] = r.at.independent;
    j["closed"] = r.closed.is_ok();
    j["residual"] = {{"position", r.closed.position}, {"velocity", r.closed.velocity}};
    j["moved"] = r.closed.moved;
    j["unused"] = r.unused;
    return j;
}

}  // namespace linkwright::session
