#pragma once
// `frequency --spectrum`: which frequencies are in columns of a motion, simulated here or found in a file.

#include "operating_state.hpp"
#include "linkwright/motion/spectrum.hpp"

namespace linkwright::cli {

struct SpectrumWords {
    std::vector<std::string> columns;
    std::string of;                  ///< a table; empty: simulate
    std::optional<double> until;
    long samples = 1024;
    double tolerance = 1e-8;
    motion::SpectrumOptions how;
    bool in_rad = false, summary = false;
};
void declare(CLI::App& words, SpectrumWords& spectrum);

/// The exit status. `state` is where the motion begins.
int spectra(const SharedOptions& common, const SpectrumWords& words, const std::string& state);

}  // namespace linkwright::cli
