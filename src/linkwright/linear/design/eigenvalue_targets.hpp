#pragma once
// Wanted eigenvalues, and how far some mechanism is from them.
//
// Taken singly, each wish has one eigenvalue,
//
//     r_i = w_i (λ_i − λ_i*)/|λ_i*|
//
// and a choice of eigenvalues with the least |r|²: λ and frequencies in ascending order, a pair of poles for a complex wish, a real
// pole for a real one. Where pairs ought to become real poles, or real ones a pair, there are no such eigenvalues yet, and at the
// moment of meeting no derivatives. Sum and product of two poles know nothing of that: they go through smoothly,
//
//     S = μ₁ + μ₂,  P = μ₁ μ₂,   r = w ((S − S*)/s, (P − P*)/s²);    of a frequency P − S²/4 = ω²;   of one real wish x: x² − S x + P = 0
//
// Taken in pairs, two wishes have two poles, of whatever kind.
//
// An eigenvalue that no parameter moves may have a wish that it meets already, and others only where there is no other choice.

#include <complex>
#include <span>

#include "linkwright/linear/design/sensitivity.hpp"

namespace linkwright::linear {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

struct EigenvalueTargets {
    enum class Of : std::uint8_t {
        lambda,  ///< of K x = λ M x
        pole,
        frequency,  ///< |Im pole|, in rad/s
    };
    Of of = Of::lambda;
    std::vector<std::complex<double>> values;  ///< of λ and frequencies ascending; of poles the upper of each pair
    std::vector<double> weights{};             ///< empty: 1
    double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
    /// |λ*|, or 1 where zero is wanted.
    double size(std::size_t i) const { return std::abs(values[i]) > 0 ? std::abs(values[i]) : 1; }
    /// How many states of ẋ = A x they ask for; of λ how many λ.
    std::size_t states() const;
};

/// How many states, or λ, there are.
std::size_t states(const EigenvalueSensitivity& of);

enum class Pairing : std::uint8_t { singly, in_pairs };

/// Which eigenvalues which wishes have.
struct Assignment {
    struct Part {
        std::vector<std::size_t> wishes;  ///< one, or two real ones
        std::vector<Eigen::Index> rows;   ///< of EigenvalueSensitivity: one, or two real poles
        bool is_single = true;            ///< r is the difference; otherwise of sum and product
    };
    std::vector<Part> parts;
    bool is_ok = true;       ///< false: not enough eigenvalues of the kinds that are wanted
    bool is_forced = false;  ///< some that no parameter moves have wishes that they do not meet, for want of others
};
/// `scale`: how large the parameters are, one for each column of the derivatives.
Assignment match(const EigenvalueTargets& wish, const EigenvalueSensitivity& of, Pairing taken, const VectorXd& scale);

/// The derivatives of all eigenvalues that hold along `direction`: of those that coincide, those of the branches into which they part
/// there, each given to the member that has most need of it.
MatrixXcd branches(const EigenvalueTargets& wish, const Assignment& match, const EigenvalueSensitivity& of, const VectorXd& direction);

struct Distance {
    VectorXcd values;  ///< of the wishes
    VectorXd r;
    MatrixXd J;  ///< dr/dp
    double error =
        0;  ///< largest |λ − λ*|/|λ*|; of two equal wishes that of S and P, for a double pole is only the root of rounding as good
    bool has_derivatives = true;  ///< no eigenvalue among them is defective
    bool is_parting = false;      ///< some coincide with others
};
Distance distance(const EigenvalueTargets& wish, const Assignment& match, const EigenvalueSensitivity& of, const MatrixXcd& derivatives);

}  // namespace linkwright::linear
