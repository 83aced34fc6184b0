#pragma once
// Frames in numbers: what robots' files say of places and attitudes. Internal to the room.

#include <array>

namespace linkwright::exchange {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;  ///< rows

/// X_AB: where B is, seen from A. Roll, pitch and yaw about the fixed axes x, y, z of A: R = Rz(yaw) Ry(pitch) Rx(roll).
struct Frame {
    Vector at{};
    Vector rpy{};
    bool operator==(const Frame&) const = default;
};

Matrix identity();
Matrix operator*(const Matrix& a, const Matrix& b);
Vector operator*(const Matrix& a, const Vector& v);
Matrix transposed(const Matrix& a);
Vector sum(const Vector& a, const Vector& b);
double length(const Vector& v);
Vector cross(const Vector& a, const Vector& b);

/// Multiples of π/2 (up to 6e-12, as toml::angle() has it) have exact sines.
Matrix rotation(const Vector& rpy);
/// The other way; |pitch| ≤ π/2, and where it is π/2 the roll is 0.
Vector rpy_of(const Matrix& R);

Frame compose(const Frame& X_AB, const Frame& X_BC);
Frame inverse(const Frame& X_AB);

/// R I Rᵀ.
Matrix turned(const Matrix& R, const Matrix& I);
/// Takes z to the direction of `v`: about z, then about y.
Vector rpy_towards(const Vector& v);

}  // namespace linkwright::exchange
