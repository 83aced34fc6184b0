#pragma once
// Which frequencies are in columns of a motion, simulated here or found in a file.

#include <functional>

#include "linkwright/motion/spectrum.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/state_file.hpp"
#include "linkwright/session/table.hpp"

namespace linkwright::session {

struct SpectrumOptions {
    std::vector<std::string> columns{};  ///< coordinates, speeds, energies, outputs
    StateWords state{};                  ///< where the motion begins
    std::optional<double> until{};
    long samples = 1024;
    std::optional<double> every{};  ///< seconds from one sample to the next, instead of how many there are
    std::optional<double> after{};  ///< samples before this time are left out: a transient
    double tolerance = 1e-8;
    motion::SpectrumOptions how{};
    long average = 1;                     ///< segments whose powers are averaged
    long harmonics = 0;                   ///< so many are listed
    std::optional<double> fundamental{};  ///< of which: a frequency; empty: the largest peak
    bool in_rad = false;                  ///< rad/s instead of Hz
    OnStep on_step{};
};
Diagnostics check(const SpectrumOptions& options);

struct Spectra {
    std::vector<std::string> columns;
    std::vector<motion::SignalSpectrum> spectra;  ///< one for each column
    std::size_t samples = 0;
    double interval = 0;
    motion::Window window = motion::Window::hanning;
    std::size_t segments = 1;  ///< that were averaged
    double from = 0;           ///< the time of the first sample
    bool has_harmonics = false;
    bool in_rad = false;
    double unit() const;  ///< of frequencies, in 1/s
    const char* unit_name() const { return in_rad ? "rad/s" : "Hz"; }
};

/// Of a motion that is simulated here.
Result<Spectra> spectra(const Session& session, const SpectrumOptions& options);
/// Of a table that was written by simulate: rows at equal intervals of t.
Result<Spectra> spectra_of_file(const std::string& path, const SpectrumOptions& options);

Json to_json(const Spectra& spectra);
Table to_table(const Spectra& spectra);
/// The harmonics of every column.
std::string harmonics_csv(const Spectra& spectra);

}  // namespace linkwright::session
