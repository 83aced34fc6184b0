#pragma once
// What a linear model does to a small sinusoidal push: δo = G(iω) δw, with G of transfer_function.hpp. Phases are unwrapped with the help of
// poles and zeros, so they are right even where the grid is coarse: passing an undamped pole turns the phase by −180°, an undamped zero
// by +180°.

#include <optional>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/linear/loop.hpp"
#include "linkwright/linear/transfer_function.hpp"

namespace linkwright::linear {

/// A linear system with these ports. Inputs by name, or given motions: "base" is the displacement, "base'" its rate, "base''" its
/// acceleration. Outputs by the name of an output, a coordinate, a speed, or a small motion ("base.turn.x"). Empty lists: all inputs, or where
/// the model has none the displacements of its given motions; all outputs of the model, or all small motions where it has none. `unknown` is
/// the first name that is none, `known` what might have been said instead.
struct Ports {
    LinearSystem system;
    std::string unknown;
    bool is_input = false;  ///< what is unknown was to be an input
    std::vector<std::string> known;
};
Ports connect(const eom::EquationsOfMotion& equations, const Linearization& linear, const std::vector<std::string>& from,
              const std::vector<std::string>& to);

/// A local maximum of |G(iω)|.
struct Peak {
    double omega = 0;
    double magnitude = 0;  ///< infinite at an undamped pole
};

/// One entry of G.
struct Channel {
    std::string from, to;
    std::vector<double> magnitude;  ///< at each frequency; infinite at an undamped pole
    std::vector<double> phase;      ///< degrees, unwrapped
    Eigen::VectorXcd zeros;
    std::size_t integrations = 0;  ///< poles at 0 beside those of the model: from the rate or the acceleration of a given motion
    double gain = 0;               ///< k
    double static_gain = 0;        ///< G(0); infinite where there is a pole at 0
    bool is_dead = false;          ///< G = 0: the input does not reach the output
    std::vector<Peak> resonances;
    std::vector<std::complex<double>> values;  ///< G(iω) at each frequency; not finite where the magnitude is not
    // Of the loop closed with −1 around the entry, unless it is that of a given motion, or loops are not asked for:
    std::optional<Nyquist> loop;
    std::optional<Margins>
        margins;  ///< where the loop is stable, or no pole of the model lies to the right of the axis or, but for 0, on it
};

struct TransferFunctions {
    std::vector<double> omega;      ///< rad/s, ascending
    std::vector<Channel> channels;  ///< outputs of the first input, then of the second, …
    Eigen::VectorXcd poles;
    std::optional<Eigen::VectorXcd> zeros;  ///< of the whole, where it is square and larger than 1 × 1
    std::vector<std::string> notes;         ///< "the response of hip to tau is infinite at 3.13 rad/s: an undamped pole"
    bool is_ok = true;
    std::string why;
};

struct FrequencyOptions {
    std::optional<std::pair<double, double>> range;  ///< rad/s; empty: from a tenth of the slowest pole or zero to ten times the fastest
    std::size_t points = 200;                        ///< at equal ratios
    bool refine = true;                              ///< further ones near lightly damped poles and zeros
    std::vector<double> omega;                       ///< these instead
    bool loops = true;                               ///< a loop is closed around every entry: Nyquist's criterion and margins
    GoesOn goes_on{};                                ///< asked at every frequency and every channel; stopped: not ok
};

TransferFunctions frequency_response(const LinearSystem& system, const FrequencyOptions& options = {});

}  // namespace linkwright::linear
