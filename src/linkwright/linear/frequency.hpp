#pragma once
// What a linear model does to a small sinusoidal push: δo = G(iω) δw,
//
//     G(s) = C (sI − A)⁻¹ B + D = k Π(s − z)/Π(s − p)        entry by entry
//
// A is brought to Hessenberg form once, so each frequency costs O(n²) [laub81]. Poles are eigenvalues of A; zeros those of the pencil
//
//     [ A − sI  B ]
//     [ C       D ]                                          [rosenbrock70]
//
// which has infinite ones too, split off as solve/eigen.hpp does it. Both ends are known better: the first of c b, c A b, c A²b, … that is
// not zero is k, and says how many zeros there are; and poles at zero (solve/zero_chains.hpp) are split off,
//
//     G(s) = c (sI − A)⁻¹ b + d + g₁/s + g₂/s² + …           A without them
//
// so that the last g that is not zero says how slow pushes are answered, and no root of rounding stands for zero. Phases are unwrapped with the help of poles and zeros, so they
// are right even where the grid is coarse: passing an undamped pole turns the phase by −180°, an undamped zero by +180°.

#include <complex>
#include <limits>
#include <optional>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/linear/linearize.hpp"

namespace linkwright::linear {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// A linear model between chosen inputs and outputs.
struct LinearSystem {
    MatrixXd A, B, C, D;
    MatrixXd noise{};  ///< what A's entries are not worth; empty: a few roundings of each
    std::vector<std::string> inputs, outputs;
    Eigen::VectorXcd poles;  ///< of A; those of an undamped mechanism exactly on the axis
};

/// A linear system with these ports. Inputs by name; outputs by the name of an output, a coordinate, a speed, or a small motion
/// ("base.turn.x"). Empty lists: all inputs; all outputs of the model, or all small motions where it has none. `unknown` is the first name
/// that is none, `known` what might have been said instead.
struct Ports {
    LinearSystem system;
    std::string unknown;
    bool is_input = false;  ///< what is unknown was to be an input
    std::vector<std::string> known;
};
Ports connect(const eom::EquationsOfMotion& equations, const Linearization& linear, const std::vector<std::string>& from,
              const std::vector<std::string>& to);

/// A system with its poles at zero split off.
struct SplitSystem {
    MatrixXd A, B, C;             ///< the rest
    std::vector<MatrixXd> g;      ///< of 1/s, 1/s², …: zeros where only rounding stands
    Eigen::Index zero_poles = 0;  ///< so many, seen by an entry or not
    /// How often an entry of G has the pole 0.
    std::size_t order(Eigen::Index output, Eigen::Index input) const;
};
SplitSystem split(const LinearSystem& system);

class TransferFunction {
public:
    explicit TransferFunction(const LinearSystem& system);

    /// G(s), outputs by rows. Not finite where s is a pole to rounding.
    Eigen::MatrixXcd operator()(std::complex<double> s) const;
    /// G(iω), with the limit taken where iω is a pole that the entry does not see; infinite entries are (∞, 0).
    Eigen::MatrixXcd at(double omega) const;

private:
    Eigen::MatrixXd h_, b_, c_, d_;
    std::vector<MatrixXd> g_;
    Eigen::VectorXcd poles_;  ///< that are not 0
    double slowest_ = 1;      ///< |p| of the slowest pole that is not 0
};

/// A local maximum of |G(iω)|.
struct Peak {
    double omega = 0;
    double magnitude = 0;  ///< infinite at an undamped pole
};

/// Of the loop closed with −1 around G. Absent where |G| never passes 1, or the phase never passes −180°.
struct Margins {
    std::optional<double> gain, gain_at;    ///< by what factor G may grow; rad/s
    std::optional<double> phase, phase_at;  ///< degrees; rad/s
};

/// One entry of G.
struct Channel {
    std::string from, to;
    std::vector<double> magnitude;  ///< at each frequency; infinite at an undamped pole
    std::vector<double> phase;      ///< degrees, unwrapped
    Eigen::VectorXcd zeros;
    double gain = 0;         ///< k
    double static_gain = 0;  ///< G(0); infinite where there is a pole at 0
    bool is_dead = false;    ///< G = 0: the input does not reach the output
    std::vector<Peak> resonances;
    std::optional<Margins> margins;  ///< when no pole of the model lies to the right of the axis
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
    GoesOn goes_on{};                                ///< asked at every frequency and every channel; stopped: not ok
};

TransferFunctions frequency_response(const LinearSystem& system, const FrequencyOptions& options = {});

/// Zeros of one entry, or of all of a square system; none, and `is_dead`, where the determinant vanishes for every s.
struct Zeros {
    Eigen::VectorXcd values;
    bool is_dead = false;
    bool is_ok = true;
    std::string why;
};
Zeros transmission_zeros(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D);

}  // namespace linkwright::linear
