#pragma once
// The method of multiple scales [nayfeh79] on equations in modal coordinates.
//
//     η_k = ε η_k1 + ε² η_k2 + …,      η_k1 = A_k + Ā_k
//     dA_k/dt = i ω_k A_k + ε g_k1 + ε² g_k2 + …
//
// A_k carries its fast phase: A_k = ½ a_k e^{i(ω_k t + β_k)}. Every function of time is then a polynomial in A, Ā and e^{iΩt}, and
// d/dt is a derivation on them: at each order what oscillates with (nearly) ω_k goes into g_k, so that no term grows (solvability),
// and all else is divided by ω_k² − frequency². No multiple of A_k is added to η_k at higher orders, so a_k is the amplitude of the
// first harmonic. Near resonance the order is taken at exactly commensurable base frequencies, and detunings ε^p σ enter as terms.

#include "linkwright/base/goes_on.hpp"
#include "linkwright/perturb/modal_form.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Π A_j^a_j Ā_j^b_j · e^{i h Ω t} with a coefficient. Orders: of η_k the power of ε there (the linear motion has 1), of dA_k/dt the n
/// of g_kn. ε itself is a mark only: all sums are to be taken with ε = 1.
template <class Real>
struct HarmonicTerm {
    Complex<Real> coefficient;
    std::vector<std::uint8_t> powers;  ///< 2n: of A, of Ā
    int harmonic = 0;
    unsigned order = 0;  ///< power of ε
};

struct Resonance {
    enum class Kind : std::uint8_t { internal, primary, subharmonic, superharmonic, combination, parametric };
    Kind kind = Kind::internal;
    std::string words;           ///< "2 ω1 = ω2, internal 2:1", "Ω = ω1, primary"
    std::vector<int> multiples;  ///< Σ multiples_j ω_j + harmonic Ω ≈ 0
    int harmonic = 0;
    double detuning = 0;     ///< its value, in rad/s: how far the sum is from zero
    std::string symbol;      ///< "sigma1"
    unsigned order = 0;      ///< at which it first shows in the modulation
    bool is_active = false;  ///< some term of this system excites it
};

struct ScalesOptions {
    unsigned order = 0;                                 ///< highest power of ε in dA/dt; 0: degree − 1
    double closeness = 0.1;                             ///< |detuning| up to this part of the lowest frequency concerned counts as near
    unsigned damping = 0, forcing = 0, parametric = 0;  ///< their powers of ε; 0: chosen, and said
    /// What is only pushed, and away from resonance, is divided by ω² − f² + icf, with the mode's own damping c, rather than expanded in c.
    bool divides_by_damping = false;
    GoesOn goes_on{};  ///< asked at every order and, where states are looked for, every start; stopped: not ok
};

/// How terms were ordered and which relations between frequencies count as exact: enough to do it alike at another Ω.
struct Ordering {
    struct Relation {
        std::vector<int> multiples;  ///< of ω_1 … ω_n and, last, Ω
        unsigned order = 0;          ///< power of ε of its detuning
    };
    std::vector<Relation> relations;
    std::vector<int> soft;  ///< harmonics h > 0 of the forcing that are as weak as `forcing` says; others are strong, at ε
    unsigned damping = 0, forcing = 0, parametric = 0;
};

/// What one order was: Σ of terms on the right of D0²η + ω̂²η = … − 2iω̂ g, and which of them were secular: those make 2iω̂ g.
template <class Real>
struct ScaleOrder {
    unsigned order = 0;
    std::vector<std::vector<HarmonicTerm<Real>>> right;    ///< of each mode's equation
    std::vector<std::vector<HarmonicTerm<Real>>> secular;  ///< those among them that go into g
};

/// A sentence for the reader. That about the ordering stands in a place of its own on a page; the others are remarks.
struct ScalesNote {
    enum class About : std::uint8_t { validity, ordering };
    About about = About::validity;
    std::string text;
};

template <class Real>
struct MultipleScales {
    std::vector<Real> omega;  ///< ω_k as they are
    Real Omega{0};
    std::vector<double> omega_value;
    double Omega_value = 0;
    std::vector<Resonance> resonances;                        ///< near ones, active or not
    std::vector<std::vector<HarmonicTerm<Real>>> modulation;  ///< of each mode: dA_k/dt − i ω_k A_k
    std::vector<std::vector<HarmonicTerm<Real>>> solution;    ///< of each mode: η_k
    std::vector<ScaleOrder<Real>> orders;
    unsigned damping = 0, forcing = 0, parametric = 0;  ///< powers of ε as used: of damping coefficients, of forces, of excitations
    Ordering ordering;
    std::vector<Real> base;  ///< ω̂_k, commensurable
    Real base_Omega{0};
    std::vector<ScalesNote> notes;
    bool is_ok = true;
    std::string why;
};

MultipleScales<double> multiple_scales(const ModalForm<double>& form, const ScalesOptions& options = {});
/// Expressions: resonances are decided by the values of the frequencies.
MultipleScales<sym::Expr> multiple_scales(const ModalForm<sym::Expr>& form, const ScalesOptions& options = {});

/// In a given ordering, not chosen anew, at any Ω: modes in resonance turn with Ω itself, and nothing is expanded in the detuning. Steady
/// motions then have the same accuracy near the resonance and far from it.
MultipleScales<double> multiple_scales(const ModalForm<double>& form, const ScalesOptions& options, const Ordering& ordering);

/// η and η̇ at amplitudes A (with their fast phases) and a time.
struct ModalMotion {
    VectorXd eta, eta_dot;
};
ModalMotion motion_at(const MultipleScales<double>& scales, const Eigen::VectorXcd& A, double t);
/// Amplitudes A at time t for given η, η̇: Newton's method from the linear ones. Empty when it does not converge.
Eigen::VectorXcd amplitudes_of(const MultipleScales<double>& scales, const VectorXd& eta, const VectorXd& eta_dot, double t);
/// dA/dt.
Eigen::VectorXcd rate_of(const MultipleScales<double>& scales, const Eigen::VectorXcd& A, double t);

}  // namespace linkwright::perturb
