#pragma once
// Fixed directions and frames given by numbers, made exactly orthonormal.
//
// A vector of rationals is divided by its length when that is rational or holds only the roots of 2, 3 and 5, which the
// prime fields of the fingerprint know. Any other becomes a rational point of the sphere within 1e-17 of it (stereographic
// projection), and a pair of axes becomes the matrix of a rational quaternion: R Rᵀ = 1 holds exactly.

#include <optional>
#include <utility>

#include "linkwright/spatial/vector.hpp"

namespace linkwright::spatial {

/// The vector divided by its length. Numbers are handled as said above; with symbols in it, it is returned as it is when
/// its length is 1 by fingerprint (sin(a), 0, cos(a)), and divided by the root otherwise. Empty for the zero vector.
/// `had_length` tells the length it had when that is a number.
std::optional<Vec3> normalized(const Vec3& v, double* had_length = nullptr);

/// A right-handed frame from two of its axes (number `first` and `second`, 0 … 2, different), given by vectors that are
/// normalised first. Empty when they are further than 1e-6 from orthogonal or have no direction. Columns are the axes.
std::optional<Mat3> frame_from_axes(std::size_t first, const Vec3& a, std::size_t second, const Vec3& b);

/// Two directions that form a right-handed system (x, y, axis); for a coordinate axis the other two, cyclic.
std::pair<Vec3, Vec3> plane_axes(const Vec3& axis);

}  // namespace linkwright::spatial
