#pragma once
// Eigenvalues and vectors of a linear model.
//
//     K x = λ M x                          a holonomic system without damping, gyroscopic or circulatory parts; ω = √λ
//     ẋ = A x                              any other: poles
//     [ K  Φᵀ ]         [ M  0 ]
//     [ Φ  0  ] x = λ   [ 0  0 ] x         the full pencil with its constraints, by QZ [lynch88 (6.6)]: infinite ones beside
//     ZᵀK Z y = λ ZᵀM Z y, Φ Z = 0         its null space by QR [lynch88 (6.16)]
//
// For systems of the second kind QZ takes the descriptor form with s, u and multipliers as unknowns; where the constraints
// change along a steady motion, the accelerations too.
//
// K is that of the first-order form everywhere, so λ = −μ² for the poles μ of A. Of a closed chain that rests for a moment only, away from
// equilibrium, it has M Q_y of linearize.hpp in it, which [lynch88] has no need of.
//
// What rounding has left of zero is called zero: λ, poles, real parts of poles; a note says so. Rounding is measured by the sizes of
// what was added up, not by the results. Poles at zero are counted by ranks, with the chains they form (solve/zero_chains.hpp): a chain of
// two is a motion that goes on at constant speed, a longer one drifts faster and faster, as a drone does that hovers.

#include <complex>

#include "linkwright/linear/linearize.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

enum class ModesBy : std::uint8_t { qr, qz };

/// Eigenvalues nearer than this, relative to their size, are one that is repeated. Symmetry and rounding leave 1e-11 or less between
/// such, so that no last bit decides.
constexpr double repeated_tolerance = 1e-8;

struct Mode {
    std::complex<double> pole;  ///< iω of an undamped one, the upper of a pair
    double frequency_hz = 0;    ///< |Im pole|/2π: of the motion, damped as it is
    double natural_hz = 0;      ///< |pole|/2π: without its damping; 0 of a real pole, as the other
    double damping_ratio = 0;   ///< −Re/|pole|; 0 for a pole at zero
    VectorXcd s, u;             ///< all small motions and speeds; the largest entry of s is 1 (or of u, where s vanishes)
    VectorXcd q;                ///< all coordinates: S s, ready to animate as q0 + Re(a q e^(pole t))
    VectorXd participation;     ///< of each participant, summing to 1: its part of the kinetic energy, or |left·right|
    double error = 0;           ///< what rounding may have done to the pole
    std::size_t level = 0;      ///< in a chain of the pole 0: 1 stays where it is put, k drifts with t^(k−1); 0: none
    std::string words;          ///< "0.341 Hz, damped 2 %", "rigid motion", "grows, doubles in 0.3 s"
};

struct Modes {
    std::vector<double> lambda;  ///< ascending, negative ones unstable; only when has_lambda
    bool has_lambda = false;
    std::string why_no_lambda;              ///< "damped", "gyroscopic", "circulatory", "nonholonomic", "moving"; joined by commas
    MatrixXd vectors;                       ///< of K x = λ M x over all s, columns, xᵀMx = 1
    VectorXcd poles;                        ///< all of A, zeros too: sorted by |Im|, then Re; pairs together, the upper one first
    std::vector<std::size_t> zero_chains;   ///< lengths of the chains of the pole 0, the longest first
    std::vector<Mode> modes;                ///< one for each λ; otherwise one for each real pole and each pair
    std::vector<std::string> participants;  ///< names: the independent coordinates; where there is no λ, their speeds after them
    std::size_t infinite = 0;               ///< of the full pencil, by QZ
    std::string stability;                  ///< of the linear model, in one sentence, with the mode that decides
    std::vector<std::string> notes;         ///< repeated eigenvalues, ill-conditioned ones, rows left out
    bool is_ok = true;
    std::string why;
};

Modes modes(const Linearization& linear, ModesBy by = ModesBy::qr);

/// A of `linear`, with zeros where only rounding stands, and what each entry is not worth.
struct StateMatrix {
    MatrixXd A, noise;
};
StateMatrix state_matrix(const Linearization& linear);
MatrixXd cleaned_state_matrix(const Linearization& linear);  ///< A alone

/// Eigenvalues of a matrix with noise, pairs together: what rounding has left of zero is zero, chains as in Modes.
struct Poles {
    VectorXcd values;
    std::vector<std::size_t> zero_chains;
    bool is_ok = true;
    std::string why;
};
Poles poles(const StateMatrix& of);

/// What the entries of second_order.K are sums of, absolute values added.
MatrixXd stiffness_size(const Linearization& linear);

/// "0.341 Hz, damped 2 %": a pole in words; what is below `error` counts as zero.
std::string words_of(std::complex<double> pole, double error);

}  // namespace linkwright::linear
