#pragma once
// State files: {"t": 0, "values": {"hip": 0.5, "hip'": 0}, "inputs": {"tau": 1}}.

#include <string>

#include "session.hpp"

namespace linkwright::cli {

struct StateFile {
    double t = 0;
    std::vector<numeric::Wanted> values;                 ///< all held
    std::vector<std::pair<std::size_t, double>> inputs;   ///< index and value
    std::vector<std::string> warnings;
};

/// Empty when the file is wrong; the reasons have been told. `may_close` says that loops will be closed afterwards, so that
/// coordinates of cut joints may be given too.
std::optional<StateFile> read_state(const std::string& path, const numeric::CompiledEquations& numbers, bool may_close);

/// The state as it stands, speeds of joints (and, where bodies have speeds of their own, those) as given: absent names are 0 (e0 = 1), Euler parameters normalised, inputs as given or their own.
numeric::State as_it_stands(const StateFile& file, const numeric::CompiledEquations& numbers);

}  // namespace linkwright::cli
