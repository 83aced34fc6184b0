#include "linkwright/formulation/recursive/recursive.hpp"

#include "linkwright/formulation/recursive/passes.hpp"

namespace linkwright::formulation::recursive {

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    const Linkage linkage = take_apart(system);
    std::vector<Expr> still(system.mechanism.freedoms.size()), udot;
    for (const kinematics::Freedom& freedom : system.mechanism.freedoms) udot.push_back(freedom.udot);
    Raw raw{mass_matrix(system, linkage), inverse_dynamics(system, linkage, still), {}, inverse_dynamics(system, linkage, udot)};
    for (Expr& f : raw.f) f = -f;
    if (system.rows.empty()) raw.accelerations = forward_dynamics(system, linkage);
    return finish(system, std::move(raw), "recursive", options);
}

}  // namespace linkwright::formulation::recursive
