#include "linkwright/report/loads.hpp"

#include <set>

#include "linkwright/sym/dependency.hpp"

namespace linkwright::report {

using sym::Expr;

namespace {

/// As the model has them, in its pool.
std::vector<Expr> written(const model::Model& model) {
    const sym::PoolScope scope(*model.pool);
    std::vector<Expr> out;
    const auto add = [&](const sym::Expr& x) { out.push_back(x); };
    for (const model::Spring& s : model.springs) add(s.stiffness), add(s.damping), add(s.rest), add(s.actuator);
    for (const model::Force& f : model.forces) add(f.vector.e[0]), add(f.vector.e[1]), add(f.vector.e[2]);
    for (const model::Torque& f : model.torques) add(f.vector.e[0]), add(f.vector.e[1]), add(f.vector.e[2]);
    for (const model::Joint& j : model.joints) {
        for (std::size_t i = 0; i < j.forces.size(); ++i) {
            const model::JointForce& f = j.forces[i];
            // what has a spring has a coordinate of its own (a ball joint has none)
            const Expr pull = i < j.coordinates.size() ? f.stiffness * (j.coordinates[i] - f.rest) : Expr(0);
            add(f.actuator - pull - f.damping * j.speeds[i]);
        }
    }
    return out;
}

}  // namespace

Loads make_loads(const model::Model& model, const eom::EquationsOfMotion& e) {
    const std::vector<Expr> all = sym::transplant(written(model), *e.pool);
    const sym::PoolScope scope(*e.pool);
    std::set<sym::NodeId> arguments{e.t.id()};
    for (const auto* list : {&e.q, &e.u, &e.x}) {
        for (const Expr& s : *list) arguments.insert(s.id());
    }
    for (const eom::Input& w : e.inputs) arguments.insert(w.symbol.id());
    for (const eom::Parameter& p : e.parameters) arguments.insert(p.symbol.id());
    Loads out;
    for (const Expr& x : all) {
        const bool is_known = std::ranges::all_of(sym::symbols_in(x), [&](const Expr& s) { return arguments.contains(s.id()); });
        out.expressions.push_back(is_known ? x : Expr(0));
        out.is_known.push_back(is_known);
    }
    return out;
}

}  // namespace linkwright::report
