#pragma once
// Three-vectors and three-by-three matrices of expressions. Plain data; every entry is a node of the graph, so a product
// by a zero or a one costs nothing and equal entries are one.

#include <array>
#include <cstddef>

#include "linkwright/sym/matrix.hpp"

namespace linkwright::spatial {

using sym::Expr;

struct Vec3 {
    std::array<Expr, 3> e;

    Expr& operator[](std::size_t i) { return e[i]; }
    const Expr& operator[](std::size_t i) const { return e[i]; }
    bool operator==(const Vec3&) const = default;  ///< entry by entry the same node
    Vec3& operator+=(const Vec3& b);
    Vec3& operator-=(const Vec3& b);
};

/// Rows of entries: m[i][j].
struct Mat3 {
    std::array<std::array<Expr, 3>, 3> e;

    std::array<Expr, 3>& operator[](std::size_t i) { return e[i]; }
    const std::array<Expr, 3>& operator[](std::size_t i) const { return e[i]; }
    bool operator==(const Mat3&) const = default;
    Mat3& operator+=(const Mat3& b);
};

Vec3 operator+(const Vec3& a, const Vec3& b);
Vec3 operator-(const Vec3& a, const Vec3& b);
Vec3 operator-(const Vec3& a);
Vec3 operator*(const Expr& s, const Vec3& a);
Expr dot(const Vec3& a, const Vec3& b);
Vec3 cross(const Vec3& a, const Vec3& b);
bool is_zero(const Vec3& a);  ///< every entry is the number 0

Mat3 identity();
Mat3 diagonal(const Expr& x, const Expr& y, const Expr& z);
Mat3 skew(const Vec3& a);                  ///< skew(a) b = a × b
Mat3 outer(const Vec3& a, const Vec3& b);  ///< a bᵀ
Mat3 operator+(const Mat3& a, const Mat3& b);
Mat3 operator-(const Mat3& a, const Mat3& b);
Mat3 operator*(const Expr& s, const Mat3& a);
Mat3 operator*(const Mat3& a, const Mat3& b);
Vec3 operator*(const Mat3& a, const Vec3& b);
Mat3 transpose(const Mat3& a);
Vec3 transposed_times(const Mat3& a, const Vec3& b);  ///< aᵀ b
Vec3 column(const Mat3& a, std::size_t j);
Mat3 from_columns(const Vec3& x, const Vec3& y, const Vec3& z);

/// Among matrices of any size: 3 × 3, 3 × 1, and 6 × 1 with a above b.
sym::Matrix rows_of(const Mat3& a);
sym::Matrix column(const Vec3& a);
sym::Matrix stacked(const Vec3& a, const Vec3& b);

/// The coordinate axis number k, k = 0, 1, 2.
Vec3 unit(std::size_t k);

}  // namespace linkwright::spatial
