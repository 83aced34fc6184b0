#pragma once
// Every formulation there is, by name.

#include <span>
#include <string_view>

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation {

struct Formulation {
    std::string_view name;   ///< "kane"
    std::string_view about;  ///< one line for --help
    Derived (*derive)(const model::Model&, const topology::Topology&, const Options&);
    /// The worked derivation that leads to `equations`, which must be those of this formulation; null when there is none.
    eom::Derivation (*explain)(const model::Model&, const topology::Topology&, const eom::EquationsOfMotion& equations);
};

std::span<const Formulation> formulations();
const Formulation* find_formulation(std::string_view name);  ///< null when there is none

}  // namespace linkwright::formulation
