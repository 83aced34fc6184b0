#pragma once
// perturb --compare: the motion by multiple scales against the simulated one, once or with ε halved again and again.

#include "operating_state.hpp"
#include "perturb_study.hpp"

namespace linkwright::cli {

struct CompareWords {
    bool compare = false;
    std::vector<std::string> amplitude;  ///< MODE=VALUE or COORDINATE=VALUE
    std::optional<double> until;
    std::optional<long> samples, halving;
    std::vector<std::string> shrink;     ///< PARAMETER=POWER
    std::optional<double> tolerance;
    bool is_wanted() const { return compare || halving || !amplitude.empty(); }
    /// An option that nothing will come of; empty: none.
    std::string idle_word() const;
    bool shrinks() const { return !shrink.empty(); }
};
void declare(CLI::App& words, CompareWords& compare);

/// The sentence for a mechanism that the method cannot treat.
std::string does_not_apply(const std::string& why);

/// Table to the file of -o or, in JSON, to where results go; the summary to standard output.
int compare(const SharedOptions& common, const CompareWords& words, numeric::CompiledEquations& numbers, const OperatingState& where, const Study& study,
            const perturb::ExpansionOptions& expansion, const perturb::ScalesOptions& scales);

}  // namespace linkwright::cli
