#include "linkwright/session/assembled_joints.hpp"

#include <algorithm>
#include <map>

#include "linkwright/formulation/system.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/session/units.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

namespace {

/// Coordinates that move as given, at time t.
std::map<std::string, double> given_coordinates(const Session& session, double t) {
    const auto own = own_model(session);
    const sym::PoolScope scope(*own->pool);
    const formulation::System system = formulation::set_up(*own, session.topology());
    const model::Model& m = *system.mechanism.model;
    sym::Substitution define(system.mechanism.defined), give(system.mechanism.given);
    const std::vector<sym::Binding> now{{m.t, sym::Expr(t)}};
    sym::Substitution at(now);
    const model::ParameterValues value(m);
    std::map<std::string, double> all;
    for (const model::Joint& joint : m.joints) {
        for (const sym::Expr& q : joint.coordinates) all.emplace(q.symbol().name, value(at(give(define(q)))));
    }
    return all;
}

}  // namespace

std::vector<AssembledJoint> assembled_joints(const Session& session, const eom::EquationsOfMotion& e, const numeric::State& state,
                                             const numeric::Evaluation& evaluation) {
    using How = AssembledJoint::How;
    const model::Model& m = session.model();
    const topology::Topology& t = session.topology();
    std::map<std::string, double> known;
    for (std::size_t i = 0; i < e.q.size(); ++i) known.emplace(e.q[i].symbol().name, state.q[static_cast<Eigen::Index>(i)]);
    for (std::size_t i = 0; i < e.u.size(); ++i) known.emplace(e.u[i].symbol().name, state.u[static_cast<Eigen::Index>(i)]);
    for (std::size_t i = 0; i < e.outputs.size(); ++i)  // coordinates of cut joints are outputs
        known.emplace(e.outputs[i].name, evaluation.outputs[static_cast<Eigen::Index>(i)]);
    std::vector<std::string> missing;
    for (const model::Joint& joint : m.joints) {
        for (const sym::Expr& q : joint.coordinates)
            if (!known.contains(q.symbol().name)) missing.push_back(q.symbol().name);
    }
    if (!missing.empty()) {
        const auto given = given_coordinates(session, state.t);
        for (const std::string& name : missing) known.emplace(name, given.at(name));
    }
    const auto is_given = [&](std::size_t j) {
        const auto is_in_joint = [&](const model::Motion& motion) {
            return std::ranges::find(m.joints[j].coordinates, motion.coordinate) != m.joints[j].coordinates.end();
        };
        return std::ranges::any_of(m.motions, is_in_joint) ||
               std::ranges::find(m.joint_motions, j, &model::JointMotion::joint) != m.joint_motions.end();
    };
    const auto units = model::coordinate_units(m);
    const auto rates = speed_units(m);
    const auto unit_of = [&](const sym::Expr& q) { return units.contains(q.id()) ? units.at(q.id()) : std::string(); };
    const model::ParameterValues value(m);
    std::vector<AssembledJoint> all;
    for (std::size_t j = 0; j < m.joints.size(); ++j) {
        const model::Joint& joint = m.joints[j];
        if (joint.section) continue;
        AssembledJoint row{
            joint.name, std::string(model::to_string(joint.type)), m.bodies[joint.parent].name, m.bodies[joint.child].name, How::state, {}};
        if (t.is_cut[j])
            row.how = How::cut;
        else if (is_given(j))
            row.how = How::given;
        for (const sym::Expr& q : joint.coordinates) row.values.push_back({q.symbol().name, unit_of(q), known.at(q.symbol().name)});
        for (const sym::Expr& u : joint.speeds) {
            if (const auto at = known.find(u.symbol().name); at != known.end())
                row.values.push_back({at->first, rates.at(at->first), at->second, true});
        }
        for (std::size_t i = 0; i < joint.armature.size(); ++i) {
            const std::string& u = joint.speeds[i].symbol().name;
            row.armature.push_back({u, rates.at(u) == "m/s" ? "kg" : "kg*m^2", value(joint.armature[i])});
        }
        all.push_back(std::move(row));
    }
    return all;
}

}  // namespace linkwright::session
