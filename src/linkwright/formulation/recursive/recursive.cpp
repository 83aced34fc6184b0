#include "linkwright/formulation/recursive/recursive.hpp"

#include "linkwright/formulation/recursive/passes.hpp"

namespace linkwright::formulation::recursive {

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    const Task given = task(system);
    Raw raw;
    raw.pool = pool_with_symbols(system);
    {
        const sym::PoolScope alone(*raw.pool);
        const Task task = copy(given, *raw.pool);
        const std::vector<Expr> still(task.freedoms.size());
        std::vector<Expr> udot;
        for (const Task::Freedom& freedom : task.freedoms) udot.push_back(freedom.udot);
        if (system.rows.empty()) raw.accelerations = forward_dynamics(task);
        raw.inverse = inverse_dynamics(task, udot);
        raw.M = mass_matrix(task);
        raw.f = inverse_dynamics(task, still);
        for (Expr& f : raw.f) f = -f;
    }
    return finish(system, std::move(raw), "recursive", options);
}

}  // namespace linkwright::formulation::recursive
