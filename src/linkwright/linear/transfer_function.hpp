#pragma once
// G(s) between chosen inputs and outputs of a linear model, its zeros and its gain.
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
// so that the last g that is not zero says how slow pushes are answered, and no root of rounding stands for zero.
//
// Given motions. From the deviation z of a motion, with ż = s z and z̈ = s² z (linearize.hpp),
//
//     G(s) = C (sI − A)⁻¹ (B + s B₁ + s² B₂) + D + s D₁ + s² D₂
//
// which is the displacement's transfer function; those of the rate and of the acceleration are G/s and G/s². The last is always proper: it is
// that of the system with z and ż as two states more, and has the zeros and the gain of all three. Of the displacement's there may be more
// zeros than poles, two at most, where an output follows the rate or the acceleration.

#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/solve/dense.hpp"

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
    VectorXcd poles;  ///< of A; those of an undamped mechanism exactly on the axis
    // Where some inputs are given motions (their columns of B and D belong to z); otherwise empty.
    MatrixXd B_1{}, B_2{}, D_1{}, D_2{};
    std::vector<std::optional<int>> rate{};  ///< of each input: 0 displacement, 1 rate, 2 acceleration of a motion; empty: no motion
    /// Which rate of a given motion an input is, if it is one.
    std::optional<int> rate_of(Eigen::Index input) const { return rate.empty() ? std::nullopt : rate[static_cast<std::size_t>(input)]; }
};

/// One entry with the input alone. Of a given motion: from its acceleration, with z and ż as states.
LinearSystem entry_of(const LinearSystem& system, Eigen::Index output, Eigen::Index input);

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
    MatrixXcd operator()(std::complex<double> s) const;
    /// G(iω), with the limit taken where iω is a pole that the entry does not see; infinite entries are (∞, 0).
    MatrixXcd at(double omega) const;

private:
    MatrixXcd parts_at(std::complex<double> s) const;
    MatrixXcd joined(const MatrixXcd& parts, std::complex<double> s) const;
    MatrixXcd at_rest() const;

    // B, B_1, B_2 side by side, and D likewise, where there are given motions
    MatrixXd h_, b_, c_, d_;
    std::vector<MatrixXd> g_;
    std::vector<std::optional<int>> rate_;
    VectorXcd poles_;     ///< that are not 0
    double slowest_ = 1;  ///< |p| of the slowest pole that is not 0
};

/// Zeros of one entry, or of all of a square system; none, and `is_dead`, where the determinant vanishes for every s.
struct Zeros {
    VectorXcd values;
    bool is_dead = false;
    bool is_ok = true;
    std::string why;
};
Zeros transmission_zeros(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D);

/// One entry as k Π(s − z)/Π(s − p).
struct Factored {
    VectorXcd zeros, poles;
    double gain = 0;                   ///< k
    bool is_dead = false;              ///< G = 0: the input does not reach the output
    std::string why;                   ///< zeros that could not be found
    double phase(double omega) const;  ///< degrees, continuous: passing an undamped pole turns it by −180°, an undamped zero by +180°
};
/// `parts` are those of the system, `G` its transfer function.
Factored factored(const LinearSystem& system, const SplitSystem& parts, const TransferFunction& G, Eigen::Index output, Eigen::Index input);

}  // namespace linkwright::linear
