#pragma once
// Shape functions of uniform beams, rods and shafts on 0 ≤ ξ ≤ 1, with the coefficient 1 as books have them [blevins79 tables 8-1, 8-16]:
//
//     bending                                                              wave numbers β: roots of
//     pinned–pinned     sin βξ                                             β = iπ
//     clamped–free      cosh βξ − cos βξ − σ(sinh βξ − sin βξ)             cos β cosh β = −1
//     clamped–pinned    the same with another σ                            tan β = tanh β
//     free–free         cosh βξ + cos βξ − σ(sinh βξ + sin βξ)             cos β cosh β = 1
//
//     stretch, twist
//     pinned–pinned     sin iπξ                                            both ends held
//     clamped–free      sin (2i − 1)πξ/2
//     free–free         cos iπξ
//
// With σ ≈ 1 cosh − σ sinh is a difference of large numbers. So shapes are written A e^(−βξ) + B e^(β(ξ−1)) + C cos βξ + D sin βξ, where
// A … D are of the size 1 and none is a difference of nearly equal numbers.

//
// A cantilever with a mass m and a moment of inertia J at its tip has the first of these with other β and σ. With η = m/μL, τ = J/μL³ [blevins79
// table 8-8 for τ = 0]:
//
//     1 + cos β cosh β + ηβ(sinh β cos β − cosh β sin β) − τβ³(cosh β sin β + sinh β cos β) + ητβ⁴(1 − cosh β cos β) = 0

#include <cstdint>

#include "linkwright/flex/exponential_polynomial.hpp"

namespace linkwright::flex {

using Shape = ExponentialPolynomial<double>;

enum class Family : std::uint8_t { pinned_pinned, clamped_free, clamped_pinned, free_free };

/// The first `count` wave numbers of bending, ascending; free–free without the rigid motions.
std::vector<double> wave_numbers(Family family, std::size_t count);
/// The first `count` shapes of bending.
std::vector<Shape> bending_shapes(Family family, std::size_t count);
/// What holds the frame that shapes are seen from.
enum class Frame : std::uint8_t {
    tangent,  ///< zero deflection and slope at ξ = 0
    chord,    ///< zero deflection at both ends
    mean,     ///< no mean motion of a uniform beam: ∫φ = ∫ξφ = 0
};

/// Polynomials for bending in a frame, ascending in degree. They are Jacobi's, so that ∫φᵢφⱼ = 0, and exact: their coefficients are integers.
///
///     tangent ξ²P⁽⁰ᐟ⁴⁾(2ξ − 1)      chord ξ(1 − ξ)P⁽²ᐟ²⁾(2ξ − 1)      mean P⁽⁰ᐟ⁰⁾(2ξ − 1) from degree 2 on      [abramowitz64 22.3.2]
std::vector<ExponentialPolynomial<sym::Expr>> bending_polynomials(Frame frame, std::size_t count);
/// For stretch or twist: ξP⁽⁰ᐟ²⁾(2ξ − 1), zero at ξ = 0; of a mean frame P⁽⁰ᐟ⁰⁾ from degree 1 on, ∫φ = 0.
std::vector<ExponentialPolynomial<sym::Expr>> second_order_polynomials(Frame frame, std::size_t count);

/// The first `count` shapes of stretch or twist; there is no clamped–pinned other than pinned–pinned.
std::vector<Shape> second_order_shapes(Family family, std::size_t count);

/// The first `count` wave numbers of a cantilever with a mass at its tip, ascending.
std::vector<double> clamped_mass_wave_numbers(double eta, double tau, std::size_t count);
/// The same as a function of η and τ: Newton's method from a number, so many steps written out. It follows η and τ as far as these steps carry,
/// and has the derivatives of the root.
sym::Expr clamped_mass_wave_number(const sym::Expr& eta, const sym::Expr& tau, double start);
/// The shape for a wave number that is a root.
ExponentialPolynomial<sym::Expr> clamped_mass_shape(const sym::Expr& beta, const sym::Expr& eta);

}  // namespace linkwright::flex
