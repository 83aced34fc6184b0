#pragma once

#include "verb.hpp"

namespace linkwright::cli {

Work declare_check(CLI::App& words);
Work declare_derive(CLI::App& words);
Work declare_prove(CLI::App& words);
Work declare_compare(CLI::App& words);
Work declare_evaluate(CLI::App& words);
Work declare_generate(CLI::App& words);
Work declare_simulate(CLI::App& words);
Work declare_inverse(CLI::App& words);
Work declare_linearize(CLI::App& words);
Work declare_perturb(CLI::App& words);
Work declare_modes(CLI::App& words);
Work declare_frequency(CLI::App& words);
Work declare_sensitivity(CLI::App& words);
Work declare_place(CLI::App& words);
Work declare_count(CLI::App& words);
Work declare_equilibrium(CLI::App& words);

}  // namespace linkwright::cli
