#pragma once
// The modal form at every frequency of its excitation.
//
// A pivot that is shaken, an unbalance that turns: the force is larger the faster it goes, and the linear part may change as well. So
// where Ω is a parameter, or a multiple of one, the equations are expanded at a few Ω with that parameter set, and what lies between
// follows (`coefficient_family`).

#include "linkwright/linear/equilibrium/operating.hpp"
#include "linkwright/perturb/expansion.hpp"
#include "linkwright/perturb/modulation.hpp"

namespace linkwright::perturb {

/// The same equations at another Ω, their coefficients as they are.
FormAt with_fixed_coefficients(const ModalForm<double>& form);

/// Sets the one parameter that the frequency of the excitation is a function of so that it is Ω. False where there is none, or no such value: then
/// the parameter is as it was.
bool set_frequency(numeric::CompiledEquations& numbers, const Expansion& expansion, double Omega);

struct FormFamily {
    FormAt form;
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;
};

/// From Ω = from to until. Parameters must be live; they are what they were afterwards. `at` is the operating point and `expansion` what
/// was found there.
FormFamily form_family(numeric::CompiledEquations& numbers, const linear::Operating& what, const numeric::OperatingPoint& at,
                       const Expansion& expansion, const ExpansionOptions& options, double from, double until);

}  // namespace linkwright::perturb
