#pragma once
// Discrete Fourier transforms of any length.
//
//     X_k = Σ_j x_j e^(−2πi jk/N)
//
// Lengths whose prime factors are small are taken apart factor by factor [cooley65]; others are turned into a convolution of a
// length that is a power of two [bluestein70]. Angles are reduced before sines are taken, so errors grow with log N only.

#include <complex>
#include <vector>

namespace linkwright::solve {

using Complex = std::complex<double>;

std::vector<Complex> fourier(const std::vector<Complex>& x);
/// x from X, with 1/N.
std::vector<Complex> inverse_fourier(const std::vector<Complex>& X);

}  // namespace linkwright::solve
