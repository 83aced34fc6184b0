#pragma once
// A steady motion of a slow flow: Ḃ = i s∘B, where every mode may go on turning at a rate s_k that the relations leave free.
//
// s is a combination of the flow's free turns: Σ m_j s_j = 0 for every relation, of modes at rest too. Modes at rest have a turning rate
// as well: that of the frame in which small disturbances of them see coefficients that stand still.

#include "linkwright/perturb/slow_flow.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// B and s.
struct SteadyPoint {
    Eigen::VectorXcd B;
    VectorXd spin;
};

/// Free turns that move a mode which moves in B: an orthonormal basis of them, each a combination of the flow's.
MatrixXd turns_of(const SlowFlow& flow, const Eigen::VectorXcd& B);

/// B with modes set to rest that have nearly come to it, and that nothing drives from there: smaller than `least`, or by nine digits
/// than the largest.
Eigen::VectorXcd rested(const SlowFlow& flow, const Eigen::VectorXcd& B, double least);

/// Ḃ − i s∘B vanishes beside the terms it is the sum of, in every mode by itself, and s is a combination of free turns.
bool is_steady(const SlowFlow& flow, const SteadyPoint& at);

/// A flow to look for steady points in, with every mode in a unit of its own; points are given and had in those of the flow.
class BalancedFlow {
public:
    explicit BalancedFlow(const SlowFlow& flow);

    /// Newton's method with the shortest steps, from B and the turning rates that suit it best. False when it does not arrive, or arrives where the equations do not hold (is_steady).
    bool settle(SteadyPoint& at) const;
    /// The same, but kept away from what is known: Newton's method on the equations divided by the distances to it [farrell15]. In the
    /// frames of the flow; of motions that turn freely only the amplitudes count.
    bool settle_elsewhere(SteadyPoint& at, const std::vector<Eigen::VectorXcd>& known) const;
    /// No neighbour with the same modes moving is steady, but those that differ by a free turn. Modes at rest (rested) may be free to move.
    bool is_isolated(const SteadyPoint& at) const;
    /// ∂(Ḃ − i s∘B)/∂(X, Y) in units of the modes: its entries can be compared, and its eigenvalues are those of the flow.
    MatrixXd disturbance(const SteadyPoint& at) const;

    const VectorXd& units() const { return units_; }
    const std::vector<double>& sizes() const { return sizes_; }  ///< in these units, where terms balance; ascending

private:
    bool settle_in(SteadyPoint& at, const std::vector<Eigen::VectorXcd>& known) const;
    SteadyPoint in_units(const SteadyPoint& at) const { return {at.B.cwiseQuotient(units_.cast<std::complex<double>>()), at.spin}; }
    VectorXd units_;
    SlowFlow flow_;
    std::vector<double> sizes_;
};
inline bool settle(const SlowFlow& flow, SteadyPoint& at) { return BalancedFlow(flow).settle(at); }

}  // namespace linkwright::perturb
