#pragma once
// perturb --compare: the motion by multiple scales against the simulated one, once or with ε halved again and again.

#include "operating_state.hpp"
#include "perturb_study.hpp"

namespace linkwright::cli {

struct CompareWords {
    bool compare = false;
    std::vector<std::string> amplitude;  ///< MODE=VALUE or COORDINATE=VALUE
    std::optional<double> until;
    long samples = 400;
    long halving = 0;
    std::vector<std::string> shrink;     ///< PARAMETER=POWER
    double tolerance = 1e-10;
    bool is_wanted() const { return compare || halving > 0 || !amplitude.empty(); }
    bool shrinks() const { return !shrink.empty(); }
};
void declare(CLI::App& words, CompareWords& compare);

/// The sentence for a mechanism that the method cannot treat.
std::string does_not_apply(const std::string& why);

/// Table to the file of -o or, in JSON, to where results go; the summary to standard output.
int compare(const Common& common, const CompareWords& words, analysis::Numbers& numbers, const OperatingState& where, const Study& study,
            const analysis::ExpansionOptions& expansion, const analysis::ScalesOptions& scales);

}  // namespace linkwright::cli
