#include "linkwright/spatial/vector.hpp"

namespace linkwright::spatial {

namespace {

template <class F>
Vec3 each(F f) {
    return {{f(0), f(1), f(2)}};
}

template <class F>
Mat3 each_entry(F f) {
    Mat3 m;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) m[i][j] = f(i, j);
    }
    return m;
}

}  // namespace

Vec3& Vec3::operator+=(const Vec3& b) { return *this = *this + b; }
Vec3& Vec3::operator-=(const Vec3& b) { return *this = *this - b; }
Mat3& Mat3::operator+=(const Mat3& b) { return *this = *this + b; }

Vec3 operator+(const Vec3& a, const Vec3& b) {
    return each([&](std::size_t i) { return a[i] + b[i]; });
}
Vec3 operator-(const Vec3& a, const Vec3& b) {
    return each([&](std::size_t i) { return a[i] - b[i]; });
}
Vec3 operator-(const Vec3& a) {
    return each([&](std::size_t i) { return -a[i]; });
}
Vec3 operator*(const Expr& s, const Vec3& a) {
    return each([&](std::size_t i) { return s * a[i]; });
}
Expr dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(const Vec3& a, const Vec3& b) { return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}}; }
bool is_zero(const Vec3& a) { return a[0].is_literally(0) && a[1].is_literally(0) && a[2].is_literally(0); }

Mat3 identity() { return diagonal(1, 1, 1); }
Mat3 diagonal(const Expr& x, const Expr& y, const Expr& z) { return {{{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}}; }
Mat3 skew(const Vec3& a) { return {{{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}}}; }
Mat3 outer(const Vec3& a, const Vec3& b) {
    return each_entry([&](std::size_t i, std::size_t j) { return a[i] * b[j]; });
}
Mat3 operator+(const Mat3& a, const Mat3& b) {
    return each_entry([&](std::size_t i, std::size_t j) { return a[i][j] + b[i][j]; });
}
Mat3 operator-(const Mat3& a, const Mat3& b) {
    return each_entry([&](std::size_t i, std::size_t j) { return a[i][j] - b[i][j]; });
}
Mat3 operator*(const Expr& s, const Mat3& a) {
    return each_entry([&](std::size_t i, std::size_t j) { return s * a[i][j]; });
}
Mat3 operator*(const Mat3& a, const Mat3& b) {
    return each_entry([&](std::size_t i, std::size_t j) { return a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]; });
}
Vec3 operator*(const Mat3& a, const Vec3& b) {
    return each([&](std::size_t i) { return a[i][0] * b[0] + a[i][1] * b[1] + a[i][2] * b[2]; });
}
Mat3 transpose(const Mat3& a) {
    return each_entry([&](std::size_t i, std::size_t j) { return a[j][i]; });
}
Vec3 transposed_times(const Mat3& a, const Vec3& b) {
    return each([&](std::size_t i) { return a[0][i] * b[0] + a[1][i] * b[1] + a[2][i] * b[2]; });
}
Vec3 column(const Mat3& a, std::size_t j) {
    return each([&](std::size_t i) { return a[i][j]; });
}
Mat3 from_columns(const Vec3& x, const Vec3& y, const Vec3& z) { return {{{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}}}; }

sym::Matrix rows_of(const Mat3& a) {
    sym::Matrix rows;
    for (const auto& row : a.e) rows.emplace_back(row.begin(), row.end());
    return rows;
}
sym::Matrix column(const Vec3& a) { return sym::column(a.e); }
sym::Matrix stacked(const Vec3& a, const Vec3& b) { return {{a[0]}, {a[1]}, {a[2]}, {b[0]}, {b[1]}, {b[2]}}; }

Vec3 unit(std::size_t k) {
    return each([&](std::size_t i) { return Expr(i == k ? 1 : 0); });
}

}  // namespace linkwright::spatial
