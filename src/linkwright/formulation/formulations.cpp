#include "linkwright/formulation/formulations.hpp"

#include <algorithm>
#include <array>

#include "linkwright/formulation/kane/explain.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"

namespace linkwright::formulation {

std::span<const Formulation> formulations() {
    static constexpr std::array all{
        Formulation{"kane", "partial velocities, along the tree", kane::derive, kane::explain},
        Formulation{"recursive", "recursions arranged for few operations: what code should run", recursive::derive, nullptr},
    };
    return all;
}

const Formulation* find_formulation(std::string_view name) {
    const auto at = std::ranges::find(formulations(), name, &Formulation::name);
    return at == formulations().end() ? nullptr : &*at;
}

}  // namespace linkwright::formulation
