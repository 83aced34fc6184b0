#pragma once
// Frequencies that are nearly commensurable: which relations Σ m_j ω_j + h Ω ≈ 0 there are, what they are called, and exactly
// commensurable frequencies near the given ones.

#include <vector>

#include "linkwright/perturb/multiple_scales.hpp"
#include "linkwright/sym/rational.hpp"

namespace linkwright::perturb {

/// m_1 … m_n and, last, h.
using Multiples = std::vector<int>;

/// Without a common factor; h > 0, or the multiple of the highest frequency when h = 0. `frequencies` ends with Ω.
Multiples normalised(Multiples multiples, const std::vector<double>& frequencies);
double sum_of(const Multiples& multiples, const std::vector<double>& frequencies);
/// Whether the sum is at most this part of the lowest frequency concerned.
bool is_near(const Multiples& multiples, const std::vector<double>& frequencies, double closeness);
/// How many of the rows are independent, exactly.
std::size_t rank_of(const std::vector<Multiples>& rows);

/// Base frequencies ω̂ that satisfy relations exactly. Each relation moves one frequency onto the others: Ω before a natural one,
/// and the highest of these first, so that the lower ones keep their values. Where Ω is kept, natural frequencies follow it instead.
///
///     ω̂_k = Σ_j part[k][j] ω_j          (j = n: Ω)
class BaseFrequencies {
public:
    /// None may be moved by more than this part of itself.
    explicit BaseFrequencies(std::vector<double> actual, double farthest = 0.5, bool keeps_Omega = false);
    /// False, and nothing changes, when no positive frequencies near the given ones would do.
    bool impose(const Multiples& relation, unsigned order);

    const std::vector<double>& actual() const { return actual_; }
    const std::vector<std::vector<sym::Rational>>& part() const { return part_; }
    double value(std::size_t k) const { return value_[k]; }
    bool keeps_Omega() const { return keeps_Omega_; }
    bool is_moved(std::size_t k) const { return order_[k] != 0; }
    unsigned order(std::size_t k) const { return order_[k]; }  ///< the power of ε of its detuning
    /// Whether Σ m ω̂ is zero by the relations themselves.
    bool is_exact(const Multiples& multiples) const;

private:
    std::vector<double> actual_, value_;
    std::vector<std::vector<sym::Rational>> part_;
    std::vector<unsigned> order_;
    double farthest_;
    bool keeps_Omega_;
};

/// What excites: decides what a resonance with Ω is called.
struct ExcitationKinds {
    bool is_forced = false, is_parametric = false;
};

/// Fills kind, words and detuning.
Resonance describe(const Multiples& relation, const std::vector<double>& frequencies, const ExcitationKinds& excitation);

/// Every near relation with |m|₁ + |h|/harmonics up to `length`, normalised, shortest first.
std::vector<Multiples> near_relations(const std::vector<double>& frequencies, unsigned length, unsigned harmonics, double closeness);

}  // namespace linkwright::perturb
