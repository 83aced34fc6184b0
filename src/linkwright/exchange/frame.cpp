#include "linkwright/exchange/frame.hpp"

#include <cmath>
#include <numbers>

namespace linkwright::exchange {

namespace {

struct SinCos {
    double s, c;
};

SinCos exact_sin_cos(double angle) {
    const double quarters = std::round(angle / (std::numbers::pi / 2));
    if (std::abs(angle - quarters * (std::numbers::pi / 2)) > 6e-12 || std::abs(quarters) > 1e6) return {std::sin(angle), std::cos(angle)};
    switch (((static_cast<long>(quarters) % 4) + 4) % 4) {
        case 0: return {0, 1};
        case 1: return {1, 0};
        case 2: return {0, -1};
        default: return {-1, 0};
    }
}

Vector negative(const Vector& v) { return {-v[0], -v[1], -v[2]}; }

}  // namespace

Matrix identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }

Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    }
    return c;
}

Vector operator*(const Matrix& a, const Vector& v) {
    Vector w{};
    for (std::size_t i = 0; i < 3; ++i) w[i] = a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2];
    return w;
}

Matrix transposed(const Matrix& a) {
    Matrix b{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) b[i][j] = a[j][i];
    }
    return b;
}

Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
double length(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }

Matrix rotation(const Vector& rpy) {
    const auto [sr, cr] = exact_sin_cos(rpy[0]);
    const auto [sp, cp] = exact_sin_cos(rpy[1]);
    const auto [sy, cy] = exact_sin_cos(rpy[2]);
    const Matrix Rx{{{1, 0, 0}, {0, cr, -sr}, {0, sr, cr}}};
    const Matrix Ry{{{cp, 0, sp}, {0, 1, 0}, {-sp, 0, cp}}};
    const Matrix Rz{{{cy, -sy, 0}, {sy, cy, 0}, {0, 0, 1}}};
    return Rz * Ry * Rx;
}

Vector rpy_of(const Matrix& R) {
    const double cp = std::hypot(R[0][0], R[1][0]);
    const double pitch = std::atan2(-R[2][0], cp);
    const double yaw = cp < 1e-12 ? std::atan2(-R[0][1], R[1][1]) : std::atan2(R[1][0], R[0][0]);
    // Row 2 of Rz(yaw)ᵀ R is (0, cos roll, −sin roll): good near pitch = π/2 too, where yaw is uncertain and only the two together count.
    const double s = std::sin(yaw), c = std::cos(yaw);
    const double roll = cp < 1e-12 ? 0.0 : std::atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1]);
    const auto clean = [](double x) { return std::abs(x) < 1e-16 ? 0.0 : x; };
    return {clean(roll), clean(pitch), clean(yaw)};
}

Frame compose(const Frame& X_AB, const Frame& X_BC) {
    if (X_AB == Frame{}) return X_BC;
    if (X_BC == Frame{}) return X_AB;
    const Matrix R_AB = rotation(X_AB.rpy);
    Frame X_AC{sum(X_AB.at, R_AB * X_BC.at), X_AB.rpy};
    if (X_AB.rpy == Vector{}) {
        X_AC.rpy = X_BC.rpy;
    } else if (X_BC.rpy != Vector{}) {
        X_AC.rpy = rpy_of(R_AB * rotation(X_BC.rpy));
    }
    return X_AC;
}

Frame inverse(const Frame& X_AB) {
    if (X_AB.rpy == Vector{}) return {negative(X_AB.at), {}};
    const Matrix R_BA = transposed(rotation(X_AB.rpy));
    return {negative(R_BA * X_AB.at), rpy_of(R_BA)};
}

Matrix turned(const Matrix& R, const Matrix& I) {
    if (R == identity()) return I;
    Matrix J = R * I * transposed(R);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < i; ++j) J[i][j] = J[j][i] = (J[i][j] + J[j][i]) / 2;
    }
    return J;
}

Vector rpy_towards(const Vector& v) {
    return {0, std::atan2(std::hypot(v[0], v[1]), v[2]), v[0] == 0 && v[1] == 0 ? 0 : std::atan2(v[1], v[0])};
}

}  // namespace linkwright::exchange
