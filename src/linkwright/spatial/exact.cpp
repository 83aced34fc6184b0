#include "linkwright/spatial/exact.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::spatial {

namespace {

using sym::Rational;
using Three = std::array<Rational, 3>;

std::optional<Three> numbers(const Vec3& v) {
    Three r;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!v[i].is_number()) return std::nullopt;
        r[i] = v[i].number();
    }
    return r;
}

Rational dot(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Three cross(const Three& a, const Three& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
Three scaled(const Rational& s, const Three& a) { return {s * a[0], s * a[1], s * a[2]}; }
Vec3 expressions(const Three& a) { return {{a[0], a[1], a[2]}}; }

std::size_t largest(std::span<const Rational> a) {
    std::size_t k = 0;
    for (std::size_t i = 1; i < a.size(); ++i) {
        if (abs(a[k]) < abs(a[i])) k = i;
    }
    return k;
}

/// To a multiple of 2^−60.
Rational rounded(const Rational& x) {
    static const Rational grid(std::int64_t{1} << 60);
    return (x * grid + Rational(1, 2)).floor() / grid;
}

/// The vector over its length within about 1e-30, not exactly of length 1: one Newton step from the double. Not zero.
Three nearly_unit(const Three& v) {
    const Three w = scaled(Rational(1) / abs(v[largest(v)]), v);  // length between 1 and √3
    const Rational square = dot(w, w);
    const Rational guess = *Rational::from_double(std::sqrt(square.to_double()));
    const Rational length = (guess + square / guess) / 2;
    return scaled(Rational(1) / length, w);
}

/// √(a/b) = √(ab)/b, when ab is a square times 2, 3 and 5.
bool has_known_root(const Rational& square) {
    Rational n = square.numerator() * square.denominator();
    for (const int p : {2, 3, 5}) remove_factor(n, p);
    return n.is_one() || exact_root(n, 2).has_value();
}

/// Stereographic: seen from the pole opposite to the largest component, so that the rounded part is small.
Three point_of_sphere(const Three& v) {
    const Three n = nearly_unit(v);
    const std::size_t k = largest(n), i = (k + 1) % 3, j = (k + 2) % 3;
    const Rational sign = n[k].sign();
    const Rational p = rounded(n[i] / (abs(n[k]) + 1)), q = rounded(n[j] / (abs(n[k]) + 1));
    const Rational square = p * p + q * q, inverse = Rational(1) / (square + 1);
    Three r;
    r[k] = sign * (Rational(1) - square) * inverse;
    r[i] = Rational(2) * p * inverse;
    r[j] = Rational(2) * q * inverse;
    return r;
}

/// The rotation nearest to three nearly orthonormal columns: their quaternion up to a factor, rounded.
Mat3 rational_rotation(const Three& x, const Three& y, const Three& z) {
    const Rational trace = x[0] + y[1] + z[2];
    const std::array<Rational, 4> squares{trace + 1, x[0] + x[0] - trace + 1, y[1] + y[1] - trace + 1, z[2] + z[2] - trace + 1};
    const Rational wx = y[2] - z[1], wy = z[0] - x[2], wz = x[1] - y[0];  // 4·e0·e1, …
    const Rational xy = x[1] + y[0], xz = x[2] + z[0], yz = y[2] + z[1];  // 4·e1·e2, …
    const std::size_t k = largest(squares);
    const std::array<std::array<Rational, 4>, 4> rows{
        {{squares[0], wx, wy, wz}, {wx, squares[1], xy, xz}, {wy, xy, squares[2], yz}, {wz, xz, yz, squares[3]}}};
    std::array<Rational, 4> e;
    for (std::size_t i = 0; i < 4; ++i) e[i] = i == k ? Rational(1) : rounded(rows[k][i] / squares[k]);

    const Three v{e[1], e[2], e[3]};
    const Rational norm = e[0] * e[0] + dot(v, v);
    Mat3 m;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, l = (i + 2) % 3;
        m[i][i] = (e[0] * e[0] + v[i] * v[i] - v[j] * v[j] - v[l] * v[l]) / norm;
        m[i][j] = Rational(2) * (v[i] * v[j] - e[0] * v[l]) / norm;
        m[j][i] = Rational(2) * (v[i] * v[j] + e[0] * v[l]) / norm;
    }
    return m;
}

bool is_constant(const Vec3& v) { return sym::symbols_in(v.e).empty(); }

double value(const Expr& e) {
    return sym::evaluate<double>(e, [](const Expr&) { return std::nan(""); });
}

}  // namespace

std::optional<Vec3> normalized(const Vec3& v, double* had_length) {
    if (const auto r = numbers(v)) {
        const Rational square = dot(*r, *r);
        if (square.is_zero()) return std::nullopt;
        if (had_length != nullptr) {
            const double scale = abs((*r)[largest(*r)]).to_double();
            *had_length = scale * std::sqrt((square / (abs((*r)[largest(*r)]) * abs((*r)[largest(*r)]))).to_double());
        }
        if (square.is_one()) return v;
        if (has_known_root(square)) return (1 / sqrt(Expr(square))) * v;
        return expressions(point_of_sphere(*r));
    }
    const Expr square = dot(v, v);
    if (sym::is_zero(square) == sym::Verdict::equal || square.is_undefined()) return std::nullopt;
    if (had_length != nullptr && is_constant(v)) *had_length = std::sqrt(value(square));
    if (sym::equal(square, 1) == sym::Verdict::equal) return v;
    return (1 / sqrt(square)) * v;
}

std::optional<Mat3> frame_from_axes(std::size_t first, const Vec3& a, std::size_t second, const Vec3& b) {
    constexpr double tolerance = 1e-6;
    const auto n = normalized(a), m = normalized(b);
    if (!n || !m || first == second) return std::nullopt;
    const bool is_cyclic = (first + 1) % 3 == second;
    const std::size_t third = 3 - first - second;
    const Expr cosine = dot(*n, *m);
    const sym::Verdict verdict = sym::is_zero(cosine);
    if (verdict == sym::Verdict::equal || (verdict == sym::Verdict::unknown && !is_constant(*n))) {
        std::array<Vec3, 3> axes;
        axes[first] = *n;
        axes[second] = *m;
        axes[third] = is_cyclic ? cross(*n, *m) : cross(*m, *n);
        return from_columns(axes[0], axes[1], axes[2]);
    }
    if (!is_constant(*n) || !is_constant(*m) || !(std::abs(value(cosine)) <= tolerance)) return std::nullopt;

    // Numbers, slightly askew: keep the first, move the second, make the whole exactly orthogonal.
    const auto rational = [](const Vec3& given, const Vec3& normal) {
        if (const auto r = numbers(given)) return nearly_unit(*r);
        Three r;
        for (std::size_t i = 0; i < 3; ++i) r[i] = *Rational::from_double(value(normal[i]));
        return nearly_unit(r);
    };
    const Three p = rational(a, *n), q = rational(b, *m);
    const Rational along = dot(p, q);
    const Three r = nearly_unit({q[0] - along * p[0], q[1] - along * p[1], q[2] - along * p[2]});
    std::array<Three, 3> axes;
    axes[first] = p;
    axes[second] = r;
    axes[third] = is_cyclic ? cross(p, r) : cross(r, p);
    return rational_rotation(axes[0], axes[1], axes[2]);
}

std::pair<Vec3, Vec3> plane_axes(const Vec3& axis) {
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 x = unit((k + 1) % 3), y = unit((k + 2) % 3);
        if (axis == unit(k)) return {x, y};
        if (axis == -unit(k)) return {y, x};
    }
    // Rational in the axis, and exactly orthonormal: x = e_i − a_i (a + e_k)/(1 + a_k), y = e_j − a_j (a + e_k)/(1 + a_k) for
    // (i, j, k) cyclic; k is where the axis is known to point most, so that 1 + a_k is far from zero.
    std::size_t k = 0;
    double largest = -2;
    for (std::size_t i = 0; i < 3; ++i) {
        const bool is_known = sym::symbols_in(axis[i]).empty();
        const double size = is_known ? sym::evaluate<double>(axis[i], [](const Expr&) { return 0.0; }) : -1.5;
        if (size > largest) largest = size, k = i;
    }
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const Vec3 middle = (1 / (1 + axis[k])) * (axis + unit(k));
    return {unit(i) - axis[i] * middle, unit(j) - axis[j] * middle};
}

}  // namespace linkwright::spatial
