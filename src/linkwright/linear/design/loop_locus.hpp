#pragma once
// Poles of a loop along its gain: the root locus of w = r − k o.
//
//     1 + k G(s) = 0,       A(k) = A − k B (1 + k D)⁻¹ C
//
// Branches leave the poles of G at k = 0 and end in its zeros, or go to infinity along asymptotes, n − m of them for n poles and m zeros [evans48]:
//
//     centre (Σp − Σz)/(n − m),      angles (arg(−g) + 360° l)/(n − m)        g: the gain of G
//     from a pole p of order r       angles (arg(−R) + 360° l)/r              R = lim (s − p)^r G(s)
//     into a zero z of order r       angles (arg(−1/Q) + 360° l)/r            Q = lim G(s)/(s − z)^r
//
// for k > 0; for k < 0, which is positive feedback, without the minus. Branches are followed by solve/root_locus.

#include "linkwright/base/goes_on.hpp"
#include "linkwright/linear/design/sweep.hpp"
#include "linkwright/linear/loop.hpp"

namespace linkwright::linear {

/// In which directions branches leave a pole, or come into a zero.
struct RootAngles {
    std::complex<double> root;
    std::vector<double> degrees;  ///< from −180 to 180, one for each time it is a root
};

struct GainRange {
    double from = 0, to = 0;
};

struct LoopLocus {
    struct Sample {
        double gain = 0;
        std::vector<std::optional<std::complex<double>>> poles;  ///< of each branch
    };
    std::vector<Sample> samples;  ///< at the gains asked for
    std::size_t branches = 0;
    std::vector<SweepEvent> events;  ///< in the order of the gains
    VectorXcd poles, zeros;          ///< where branches begin at k = 0, and where those end that do not go to infinity
    // Of one input and one output:
    std::vector<RootAngles> departures, arrivals;  ///< of roots that are real or above the real axis, and that G has
    std::vector<double> asymptotes;                ///< degrees; as many as branches that go to infinity
    double centre = 0;                             ///< of the asymptotes
    bool is_dead = false;                          ///< the input does not reach the output: no pole moves
    std::vector<GainRange> stable;                 ///< within the gains asked for: all poles to the left of the axis
    std::vector<GainRange> bounded;                ///< none to the right of it
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;  ///< it ended early; the samples up to there are kept
};

/// `gains` rise, or fall. As many inputs as outputs, none of them a given motion; each output is fed back to the input in its place.
LoopLocus loop_locus(const LinearSystem& system, std::span<const double> gains, const GoesOn& goes_on = {});

}  // namespace linkwright::linear
