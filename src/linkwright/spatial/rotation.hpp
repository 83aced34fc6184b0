#pragma once
// Rotations that remember how they end. R_AB takes components in B to components in A.

#include <optional>
#include <span>

#include "linkwright/spatial/vector.hpp"

namespace linkwright::spatial {

/// A rotation matrix, and, where it ends in a turn about an axis, that turn: R = before · turn(axis, angle).
///
/// Two turns about one axis in a row become one turn by the sum of the angles, also when fixed rotations stand between
/// them: P·turn(k, θ)·F = P·F·turn(Fᵀk, θ). So the attitude of the last link of a planar chain is turn(z, q1 + … + qn)
/// and its sines are written as one would write them.
class Rotation {
public:
    Rotation();                             ///< none: the identity
    explicit Rotation(const Mat3& matrix);  ///< any orthogonal matrix

    const Mat3& matrix() const { return matrix_; }

    /// About the unit vector `axis`.
    static Rotation turn(const Vec3& axis, const Expr& angle);
    /// From Euler parameters, e0 the scalar: R = (e0² − |e|²) 1 + 2 e eᵀ + 2 e0 [e]×.
    static Rotation euler_parameters(const std::array<Expr, 4>& e);

    Rotation inverse() const;
    friend Rotation operator*(const Rotation& a, const Rotation& b);

    Vec3 operator*(const Vec3& v) const { return matrix_ * v; }              ///< to the outer frame
    Vec3 back(const Vec3& v) const { return transposed_times(matrix_, v); }  ///< to the inner frame
    Mat3 congruence(const Mat3& m) const;                                    ///< R m Rᵀ for symmetric m

private:
    struct Turn {
        Mat3 before;
        Vec3 axis;
        Expr angle;
    };
    Mat3 matrix_;
    std::optional<Turn> last_;
};

}  // namespace linkwright::spatial
