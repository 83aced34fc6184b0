#pragma once
// Poles along a parameter. The operating point is found anew at every value, from the nearest one known, so that it stays on its branch;
// the poles are followed by solve/root_locus. Parameters are live: nothing is compiled twice.

#include "linkwright/linear/design/whirl.hpp"
#include "linkwright/linear/equilibrium/operating.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/solve/root_locus.hpp"

namespace linkwright::linear {

struct SweepSample {
    double value = 0;
    numeric::State state;
    std::vector<std::optional<std::complex<double>>> poles;  ///< of each branch; empty where it has not begun or has ended
    std::vector<Whirl> whirl{};                              ///< of each branch; only of a Campbell diagram
};

/// A speed of rotation at which a mode is excited by what turns with the rotor n times a turn: its frequency is n Ω.
struct CriticalSpeed {
    double value = 0;  ///< of the parameter
    double order = 1;  ///< n
    std::complex<double> pole;
    std::size_t branch = 0;
    Whirl whirl = Whirl::none;
};

/// Frequencies over the speed of rotation, which is the parameter, times `scale`, in rad/s.
struct CampbellOptions {
    std::vector<double> orders{};  ///< n of the lines n Ω; none: no diagram
    double scale = 1;
    std::vector<SpinningBody> bodies{};  ///< by which whirl is judged; none: by the angular momentum of the whole
};

/// Something happens between samples: in words, and in numbers.
struct SweepEvent {
    double value = 0;
    std::complex<double> pole;
    std::vector<std::size_t> branches;
    std::string what;   ///< "crossing" or "meeting"
    std::string words;  ///< "an oscillation of 0.48 Hz stops growing"
};

/// Of a locus along `values`, in their order.
std::vector<SweepEvent> events_of(const solve::Locus& locus, std::span<const double> values);

struct Sweep {
    std::vector<SweepSample> samples;  ///< at the values asked for
    std::size_t branches = 0;
    std::vector<SweepEvent> events;       ///< in the order of the values
    std::vector<CriticalSpeed> critical;  ///< likewise; only of a Campbell diagram
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;  ///< it ended early; the samples up to there are kept
};

/// `numbers` has live parameters; afterwards the parameter has the value it had before, though it is no longer derived from others.
/// `goes_on` is asked at every value that is looked at, and told how many of those asked for are done.
Sweep sweep(numeric::CompiledEquations& numbers, std::size_t parameter, std::span<const double> values, const Operating& what,
            const LinearizeOptions& options = {}, const GoesOn& goes_on = {}, const CampbellOptions& campbell = {});

}  // namespace linkwright::linear
