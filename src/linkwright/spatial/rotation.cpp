#include "linkwright/spatial/rotation.hpp"

namespace linkwright::spatial {

namespace {

/// Rodrigues: cos θ 1 + (1 − cos θ) k kᵀ + sin θ [k]×.
Mat3 turn_matrix(const Vec3& k, const Expr& angle) {
    const Expr c = cos(angle), s = sin(angle);
    const Vec3 sk = s * k;
    for (std::size_t i = 0; i < 3; ++i) {  // about a coordinate axis the general sum has only trivial terms: write it down
        const std::size_t j = (i + 1) % 3, l = (i + 2) % 3;
        if (!k[j].is_literally(0) || !k[l].is_literally(0)) continue;
        Mat3 m = identity();
        m[j][j] = m[l][l] = c;
        m[j][l] = -sk[i];
        m[l][j] = sk[i];
        return m;
    }
    return c * identity() + (1 - c) * outer(k, k) + skew(sk);
}

}  // namespace

Rotation::Rotation() : matrix_(identity()) {}
Rotation::Rotation(const Mat3& matrix) : matrix_(matrix) {}

Rotation Rotation::turn(const Vec3& axis, const Expr& angle) {
    Rotation r(turn_matrix(axis, angle));
    r.last_ = Turn{identity(), axis, angle};
    return r;
}

Rotation Rotation::euler_parameters(const std::array<Expr, 4>& e) {
    const Vec3 v{{e[1], e[2], e[3]}};
    Mat3 m = 2 * outer(v, v) + skew((2 * e[0]) * v);
    for (std::size_t i = 0; i < 3; ++i) m[i][i] = 1 - 2 * (dot(v, v) - v[i] * v[i]);
    return Rotation(m);
}

Rotation Rotation::inverse() const {
    Rotation r(transpose(matrix_));
    // (P turn(k, θ))ᵀ = turn(k, −θ) Pᵀ = Pᵀ turn(P k, −θ)
    if (last_) r.last_ = Turn{transpose(last_->before), last_->before * last_->axis, -last_->angle};
    return r;
}

Rotation operator*(const Rotation& a, const Rotation& b) {
    const Mat3& b_before = b.last_ ? b.last_->before : b.matrix_;
    if (a.last_) {
        const Vec3 carried = transposed_times(b_before, a.last_->axis);
        const bool is_same = b.last_ && carried == b.last_->axis, is_opposite = b.last_ && carried == -b.last_->axis;
        if (is_same || is_opposite || !b.last_) {
            const Expr angle = is_same ? a.last_->angle + b.last_->angle : is_opposite ? a.last_->angle - b.last_->angle : a.last_->angle;
            const Mat3 before = a.last_->before * b_before;
            Rotation r(before * turn_matrix(carried, angle));
            r.last_ = Rotation::Turn{before, carried, angle};
            return r;
        }
    }
    Rotation r(a.matrix_ * b.matrix_);
    if (b.last_) r.last_ = Rotation::Turn{a.matrix_ * b_before, b.last_->axis, b.last_->angle};
    return r;
}

Mat3 Rotation::congruence(const Mat3& m) const {
    const Mat3 half = matrix_ * m;
    Mat3 r;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = i; j < 3; ++j) {
            r[i][j] = r[j][i] = half[i][0] * matrix_[j][0] + half[i][1] * matrix_[j][1] + half[i][2] * matrix_[j][2];
        }
    }
    return r;
}

}  // namespace linkwright::spatial
