#pragma once
// The expansion itself: one order after the other, in a given ordering.
//
//     (D0² + ω̂_k²) η_kn = right_kn − 2iω̂_k g_k,n−1 + conjugate
//
// D = D0 + ε D1 + …: D0 turns every monomial by its base frequency, D_m replaces each A_j in turn by g_jm. `right` holds what lower orders
// leave: nonlinear terms, damping, excitation, detuning, and D²η without D0²η_n.
//
// Where base frequencies keep Ω, modes in resonance turn with it exactly. Then ω stays on the left in all that is not secular, and (ω² − ω̂²)(A + Ā)
// is the whole of the detuning: a steady motion, whose A turn with ω̂ and nothing else, is right however large the detuning is.

#include <optional>
#include <set>
#include <unordered_map>

#include "linkwright/perturb/harmonic_polynomial.hpp"
#include "linkwright/perturb/resonance.hpp"

namespace linkwright::perturb {

/// A relation that a term needs to be exact because it is near; or a force that is too strong for its resonance.
struct Need {
    Multiples relation;
    unsigned order = 0;
    int soft = 0;  ///< ≠ 0: this harmonic of the forcing
};

template <class Real>
class ScalesSeries {
public:
    using Polynomial = HarmonicPolynomial<Real>;

    ScalesSeries(const ModalForm<Real>& form, const Ordering& ordering, const BaseFrequencies& base, double closeness,
                 bool divides_by_damping = false);
    /// One order more. Terms that are near resonance but not exactly in it are told in `needs`.
    void advance(std::vector<Need>& needs);

    unsigned order() const { return static_cast<unsigned>(eta_[0].size()) - 1; }
    const Polynomial& eta(std::size_t k, unsigned order) const { return eta_[k][order]; }
    const Polynomial& g(std::size_t k, unsigned order) const { return g_[k][order]; }
    const Polynomial& right(std::size_t k, unsigned order) const { return right_[k][order]; }
    const Polynomial& secular(std::size_t k, unsigned order) const { return secular_[k][order]; }
    const Real& base(std::size_t k) const { return base_real_[k]; }
    const Real& shift(std::size_t k) const { return shift_[k]; }

private:
    using Orders = std::vector<Polynomial>;  ///< by powers of ε

    struct Term {
        Complex<Real> coefficient;
        std::size_t product;  ///< index of its product of variables
        int harmonic;
        unsigned extra;      ///< powers of ε beside those of the variables
        bool is_divided_by;  ///< a mode's own damping, where pushed motions have it in their divisor
    };
    /// A product of variables (η, η̇, η̈ of each mode): a shorter product times one variable.
    struct Product {
        std::size_t before, variable;
        unsigned degree;
        Orders series;
    };

    std::size_t product_of(const std::vector<std::uint8_t>& powers);
    const Orders& variable(std::size_t v) const;
    void extend_products(unsigned order);
    Real frequency(const Monomial& m);
    double frequency_value(const Monomial& m) const;
    Polynomial turned(const Polynomial& p);
    Polynomial turning(std::size_t k) const;  ///< A_k + Ā_k
    void add_slow(Polynomial& sum, const Polynomial& p, unsigned order);

    const ModalForm<Real>& form_;
    const Ordering& ordering_;
    const BaseFrequencies& base_;
    double closeness_;
    std::size_t n_;
    std::vector<Real> actual_, base_real_, shift_;
    std::vector<Real> damping_;  ///< of each mode, where it is divided by
    std::vector<Orders> eta_, eta_dot_, eta_ddot_, g_, g_conjugate_, right_, secular_;
    std::vector<std::vector<Term>> terms_;
    std::vector<Product> products_;
    std::map<std::vector<std::uint8_t>, std::size_t> product_index_;
    std::unordered_map<std::string, Real> frequencies_;
};

extern template class ScalesSeries<double>;
extern template class ScalesSeries<sym::Expr>;

}  // namespace linkwright::perturb
