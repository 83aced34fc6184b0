#include "linkwright/formulation/roberson_schwertassek/roberson_schwertassek.hpp"

#include "linkwright/formulation/roberson_schwertassek/terms.hpp"

namespace linkwright::formulation::roberson_schwertassek {

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    if (Diagnostics beams = only_rigid(system, "roberson_schwertassek"); !beams.empty()) return {std::nullopt, std::move(beams)};
    const Terms terms = calc_terms(system);
    FormulatedEquations raw{generalized_inertia(system, terms), generalized_forces(system, terms)};
    return finish(system, std::move(raw), "roberson_schwertassek", options);
}

}  // namespace linkwright::formulation::roberson_schwertassek
