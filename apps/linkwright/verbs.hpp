#pragma once

#include "verb.hpp"

namespace linkwright::cli {

Work declare_check(Words words);
Work declare_derive(Words words);
Work declare_prove(Words words);
Work declare_compare(Words words);
Work declare_evaluate(Words words);
Work declare_generate(Words words);
Work declare_simulate(Words words);
Work declare_ensemble(Words words);
Work declare_plot(Words words);
Work declare_inverse(Words words);
Work declare_linearize(Words words);
Work declare_perturb(Words words);
Work declare_modes(Words words);
Work declare_structure(Words words);
Work declare_frequency(Words words);
Work declare_sensitivity(Words words);
Work declare_place(Words words);
Work declare_count(Words words);
Work declare_equilibrium(Words words);
Work declare_report(Words words);
Work declare_new(Words words);
Work declare_completion(Words words);
Work declare_manual(Words words);
Work declare_import(Words words);
Work declare_export(Words words);
Work declare_schema(Words words);

}  // namespace linkwright::cli
