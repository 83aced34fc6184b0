#include "linkwright/formulation/formulations.hpp"

#include <algorithm>
#include <array>

#include "linkwright/formulation/barycentric/barycentric.hpp"
#include "linkwright/formulation/barycentric/explain.hpp"
#include "linkwright/formulation/kane/explain.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/formulation/lagrange/explain.hpp"
#include "linkwright/formulation/lagrange/lagrange.hpp"
#include "linkwright/formulation/newton_euler/explain.hpp"
#include "linkwright/formulation/newton_euler/newton_euler.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/formulation/roberson_schwertassek/explain.hpp"
#include "linkwright/formulation/roberson_schwertassek/roberson_schwertassek.hpp"

namespace linkwright::formulation {

std::span<const Formulation> formulations() {
    static constexpr std::array all{
        Formulation{"kane", "partial velocities, along the tree", kane::derive, kane::explain},
        Formulation{"barycentric", "augmented bodies: hinge forces and mass centres eliminated first", barycentric::derive,
                    barycentric::explain},
        Formulation{"lagrange", "energies differentiated; velocity coupling by Christoffel symbols", lagrange::derive, lagrange::explain},
        Formulation{"newton_euler", "six speeds for each body, forces in the joints as multipliers", newton_euler::derive,
                    newton_euler::explain},
        Formulation{"roberson_schwertassek", "graph, free modes, what moves across the joints", roberson_schwertassek::derive,
                    roberson_schwertassek::explain},
        Formulation{"recursive", "recursions arranged for few operations: what code should run", recursive::derive, nullptr},
    };
    return all;
}

const Formulation* find_formulation(std::string_view name) {
    const auto at = std::ranges::find(formulations(), name, &Formulation::name);
    return at == formulations().end() ? nullptr : &*at;
}

}  // namespace linkwright::formulation
