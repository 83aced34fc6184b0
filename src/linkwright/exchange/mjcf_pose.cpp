#include "linkwright/exchange/mjcf_pose.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <optional>

namespace linkwright::exchange::mjcf {

namespace {

constexpr double shortest = 1e-14;  // of a direction

using Eigen::Vector3d;

std::optional<Vector3d> unit(const Vector3d& v, const Attributes& a, std::string_view name, Problems& problems) {
    if (v.norm() > shortest) return v.normalized();
    problems.error(a.origin_of(name), "'" + std::string(name) + "' has a direction of length 0");
    return {};
}

Turn by_axisangle(const Attributes& a, const AngleRules& rules, Problems& problems) {
    const auto x = a.numbers("axisangle", 4, problems);
    const auto axis = x ? unit({(*x)[0], (*x)[1], (*x)[2]}, a, "axisangle", problems) : std::nullopt;
    return axis ? turn_about(*axis, rules.radians((*x)[3])) : Turn::Identity();
}

// y is made orthogonal to x.
Turn by_xyaxes(const Attributes& a, Problems& problems) {
    const auto v = a.numbers("xyaxes", 6, problems);
    if (!v) return Turn::Identity();
    const auto x = unit({(*v)[0], (*v)[1], (*v)[2]}, a, "xyaxes", problems);
    if (!x) return Turn::Identity();
    const Vector3d given((*v)[3], (*v)[4], (*v)[5]);
    const auto y = unit(given - *x * x->dot(given), a, "xyaxes", problems);
    if (!y) return Turn::Identity();
    Eigen::Matrix3d R;
    R << *x, *y, cross(*x, *y);
    return Turn(R);
}

Turn by_euler(const Attributes& a, const AngleRules& rules, Problems& problems) {
    const auto angles = a.vector("euler", problems);
    if (!angles) return Turn::Identity();
    Turn q = Turn::Identity();
    for (std::size_t i = 0; i < 3; ++i) {
        const char letter = rules.sequence[i];
        const int k = std::tolower(static_cast<unsigned char>(letter)) - 'x';
        const Turn turn = turn_about(Vector3d::Unit(k), rules.radians((*angles)[i]));
        q = std::islower(static_cast<unsigned char>(letter)) ? q * turn : turn * q;
    }
    return q.normalized();
}

Turn by_quat(const Attributes& a, Problems& problems) {
    const auto x = a.numbers("quat", 4, problems);
    if (!x) return Turn::Identity();
    const Turn q((*x)[0], (*x)[1], (*x)[2], (*x)[3]);
    return q.norm() > shortest ? q.normalized() : Turn::Identity();  // as MuJoCo takes a quaternion of zeros
}

}  // namespace

Turn::Turn(const Eigen::Matrix3d& R) {
    // The largest of the four is found first, so that nothing is divided by little.
    const double squares[] = {1 + R(0, 0) + R(1, 1) + R(2, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2), 1 - R(0, 0) + R(1, 1) - R(2, 2),
                              1 - R(0, 0) - R(1, 1) + R(2, 2)};
    const auto k = std::max_element(squares, squares + 4) - squares;
    const double twice = std::sqrt(squares[k]);
    if (k == 0) {
        w_ = twice / 2;
        v_ = Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)) / (2 * twice);
        return;
    }
    const Eigen::Index i = k - 1, j = (i + 1) % 3, l = (i + 2) % 3;
    w_ = (R(l, j) - R(j, l)) / (2 * twice);
    v_[i] = twice / 2;
    v_[j] = (R(j, i) + R(i, j)) / (2 * twice);
    v_[l] = (R(l, i) + R(i, l)) / (2 * twice);
}

Eigen::Matrix3d Turn::toRotationMatrix() const {
    Eigen::Matrix3d R;
    for (Eigen::Index k = 0; k < 3; ++k) R.col(k) = *this * Vector3d::Unit(k);
    return R;
}

Turn turn_about(const Vector3d& axis, double angle) {
    const Vector3d v = std::sin(angle / 2) * axis.normalized();
    return {std::cos(angle / 2), v.x(), v.y(), v.z()};
}

double AngleRules::radians(double angle) const { return degree ? angle / 180 * std::numbers::pi : angle; }

Turn turn_of_z(const Vector3d& direction) {
    const Vector3d d = direction.normalized();
    const Vector3d across = cross(Vector3d::UnitZ(), d);
    const double sine = across.norm();
    const Vector3d axis = sine < 1e-10 ? Vector3d::UnitX() : Vector3d(across / sine);
    return turn_about(axis, std::atan2(sine, d.z()));
}

Turn read_orientation(const Attributes& a, const AngleRules& rules, Problems& problems) {
    if (a.has("euler")) return by_euler(a, rules, problems);
    if (a.has("zaxis")) {
        const auto v = a.vector("zaxis", problems);
        const auto z = v ? unit(to_vector(*v), a, "zaxis", problems) : std::nullopt;
        return z ? turn_of_z(*z) : Turn::Identity();
    }
    if (a.has("xyaxes")) return by_xyaxes(a, problems);
    if (a.has("axisangle")) return by_axisangle(a, rules, problems);
    return by_quat(a, problems);
}

Pose read_pose(const Attributes& a, const AngleRules& rules, Problems& problems) {
    Pose X;
    if (const auto p = a.vector("pos", problems)) X.p = to_vector(*p);
    X.q = read_orientation(a, rules, problems);
    return X;
}

}  // namespace linkwright::exchange::mjcf
