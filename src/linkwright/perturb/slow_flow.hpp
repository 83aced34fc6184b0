#pragma once
// The modulation as a flow that does not know the time: A_k = B_k e^{iφ_k t} in frames that turn so that every resonant angle stands still.
//
//     Ḃ_k = i(ω_k − φ_k) B_k + G_k(B, B̄),      Σ_j m_j φ_j + h Ω = 0 for every relation at work
//
// In Cartesian parts B = X + iY, so that nothing is singular where an amplitude vanishes. What relations leave free are turns
// B_k → B_k e^{iθ_k} with Σ m_j θ_j = 0; motions that only turn like that count as steady.

#include <complex>

#include "linkwright/perturb/multiple_scales.hpp"
#include "linkwright/perturb/resonance.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class SlowFlow {
public:
    explicit SlowFlow(const MultipleScales<double>& scales);

    Eigen::Index modes() const { return n_; }
    const VectorXd& frame() const { return frame_; }  ///< φ
    const MatrixXd& turns() const { return turns_; }  ///< orthonormal columns θ that change nothing
    /// Of every term that is tied to others by its angle, not only a basis: 2γ and γ are two relations.
    const std::vector<Multiples>& relations() const { return relations_; }
    /// After this time the excitation is what it was; 0: there is none, or none that is seen.
    double period() const { return period_; }

    Eigen::VectorXcd rate(const Eigen::VectorXcd& B) const;
    /// ∂(Ẋ, Ẏ)/∂(X, Y)
    MatrixXd jacobian(const Eigen::VectorXcd& B) const;
    /// Of each mode Σ |term| of its rate: what a rate that should vanish is measured against. Exactly 0 where no term acts.
    VectorXd term_sizes(const Eigen::VectorXcd& B) const;
    /// Of each mode an amplitude by which to measure it: B_k = unit_k b_k makes the coefficients as alike as they can be, whatever the
    /// units of the coordinates.
    VectorXd units() const;
    /// The same flow for b.
    SlowFlow in_units(const VectorXd& units) const;
    /// Amplitudes |B| at which terms of different degrees balance: where steady states may be. Ascending.
    std::vector<double> scales() const;

private:
    struct Term {
        Eigen::Index mode;
        std::complex<double> coefficient;
        std::vector<std::uint8_t> powers;
    };
    Eigen::Index n_;
    VectorXd frame_;
    MatrixXd turns_;
    std::vector<Multiples> relations_;
    double period_ = 0;
    std::vector<Term> terms_;
};

inline VectorXd parts_of(const Eigen::VectorXcd& B) {
    VectorXd x(2 * B.size());
    x << B.real(), B.imag();
    return x;
}
inline Eigen::VectorXcd whole_of(const VectorXd& x) {
    const auto n = x.size() / 2;
    Eigen::VectorXcd B(n);
    B.real() = x.head(n);
    B.imag() = x.tail(n);
    return B;
}

}  // namespace linkwright::perturb
