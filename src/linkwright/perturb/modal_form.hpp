#pragma once
// Equations of motion in modal coordinates, as polynomials about an equilibrium: what the method of multiple scales works on.
//
//     η̈_k + ω_k² η_k + Σ c · Π_j η_j^a_j η̇_j^b_j η̈_j^c_j · e^(i h Ω t) = 0
//
// All real functions: with each term of harmonic h ≠ 0 stands its conjugate with −h. Terms of degree 0 are forcing, those of degree
// 1 damping, gyroscopic coupling (h = 0) and parametric excitation (h ≠ 0), the others the nonlinearity. Coefficients are numbers,
// or expressions in parameters where the linear part is diagonal as it stands.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/numeric/operating_point.hpp"

namespace linkwright::perturb {

using Eigen::VectorXd;

/// A complex number of doubles or of expressions.
template <class Real>
struct Complex {
    Real re{0}, im{0};
    friend Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator-(const Complex& a) { return {-a.re, -a.im}; }
    friend Complex operator*(const Complex& a, const Complex& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    friend Complex operator*(const Real& a, const Complex& b) { return {a * b.re, a * b.im}; }
    friend Complex operator/(const Complex& a, const Real& b) { return {a.re / b, a.im / b}; }
    friend Complex conj(const Complex& a) { return {a.re, -a.im}; }
};

template <class Real>
struct ModalTerm {
    Complex<Real> coefficient;
    std::vector<std::uint8_t> powers;  ///< 3n of them: of η, of η̇, of η̈
    int harmonic = 0;                  ///< h
    unsigned degree() const {
        unsigned d = 0;
        for (const auto p : powers) d += p;
        return d;
    }
};

/// One term of a coordinate as a polynomial in η: δs = Σ c Π η_j^a_j. The linear ones are the mode shapes; others come from
/// closing loops.
template <class Real>
struct ShapeTerm {
    Real coefficient;
    std::vector<std::uint8_t> powers;  ///< n of them
};

template <class Real>
struct ModalForm {
    std::vector<Real> omega;                           ///< ω_k > 0
    std::vector<double> omega_value;                   ///< as numbers
    std::vector<std::vector<ModalTerm<Real>>> terms;   ///< of each equation
    Real Omega{0};                                     ///< of the excitation
    double Omega_value = 0;                            ///< 0: nothing depends on time
    unsigned degree = 3;                               ///< of the expansion
    std::vector<std::string> coordinates;              ///< names of all small motions s
    std::vector<std::vector<ShapeTerm<Real>>> shapes;  ///< of each of them
    std::vector<std::size_t> reference;                ///< for each mode the coordinate whose linear coefficient is 1
    VectorXd centre;                                   ///< q* about which the expansion is; under excitation where the mean rests
    std::vector<std::size_t> independent;              ///< small motions that are free; the others follow by closing loops
    /// Letters that stand for longer expressions (omega1, or an equilibrium's coordinate), with what they mean and their value:
    /// an equation between expressions where `meaning` has one. Only of symbolic forms.
    struct Definition {
        Real symbol{0};
        std::optional<Real> meaning;
        double value = 0;
        std::string about;
    };
    std::vector<Definition> definitions;
};

}  // namespace linkwright::perturb
