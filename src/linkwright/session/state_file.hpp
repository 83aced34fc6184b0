#pragma once
// States by the names of their values: {"t": 0, "values": {"hip": 0.5, "hip'": 0}, "inputs": {"tau": 1}} in a file, or the same in C++.

#include <string>
#include <utility>
#include <vector>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// What a state file says, names not yet looked up.
struct NamedState {
    double t = 0;
    std::vector<std::pair<std::string, double>> values{}, inputs{};
};

/// A state as a caller means it: a file, or values by their names; neither: the initial state of the model.
struct StateWords {
    std::string file{};
    std::optional<NamedState> values{};
    bool is_given() const { return !file.empty() || values; }
};
/// What can be said without a model, and without opening the file.
Diagnostics check(const StateWords& words);

/// The same with the names found.
struct GivenState {
    double t = 0;
    std::vector<numeric::Wanted> values;                 ///< all held
    std::vector<std::pair<std::size_t, double>> inputs;  ///< index and value
    std::vector<std::string> warnings;
};

/// Empty when the words are wrong, and the report says why. `may_close` says that loops will be closed afterwards, so that
/// coordinates of cut joints may be given too.
std::optional<GivenState> read_state(const StateWords& words, const numeric::CompiledEquations& numbers, bool may_close, Report& report);

/// The state as it stands, speeds of joints (and, where bodies have speeds of their own, those) as given: absent names are 0 (e0 = 1), Euler parameters normalised, inputs as given or their own.
numeric::State as_it_stands(const GivenState& given, const numeric::CompiledEquations& numbers);

}  // namespace linkwright::session
