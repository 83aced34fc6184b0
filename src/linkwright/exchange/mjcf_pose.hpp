#pragma once
// Places and orientations as MJCF gives them. A pose X_AB has p, the origin of B in A's axes, and q, the turn from A's axes to B's.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <string>

#include "linkwright/exchange/mjcf_defaults.hpp"

namespace linkwright::exchange::mjcf {

inline Eigen::Vector3d cross(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

/// A unit quaternion w + v.
class Turn {
public:
    Turn() = default;
    Turn(double w, double x, double y, double z) : w_(w), v_(x, y, z) {}
    explicit Turn(const Eigen::Matrix3d& R);  ///< of a rotation matrix
    static Turn Identity() { return {}; }

    double w() const { return w_; }
    double x() const { return v_.x(); }
    double y() const { return v_.y(); }
    double z() const { return v_.z(); }
    const Eigen::Vector3d& vec() const { return v_; }
    double norm() const { return std::sqrt(w_ * w_ + v_.squaredNorm()); }
    Turn normalized() const { return {w_ / norm(), x() / norm(), y() / norm(), z() / norm()}; }
    void normalize() { *this = normalized(); }
    Turn conjugate() const { return {w_, -x(), -y(), -z()}; }
    Turn operator*(const Turn& b) const {
        const Eigen::Vector3d v = w_ * b.v_ + b.w_ * v_ + cross(v_, b.v_);
        return {w_ * b.w_ - v_.dot(b.v_), v.x(), v.y(), v.z()};
    }
    Eigen::Vector3d operator*(const Eigen::Vector3d& r) const { return r + 2 * cross(v_, cross(v_, r) + w_ * r); }
    Eigen::Matrix3d toRotationMatrix() const;

private:
    double w_ = 1;
    Eigen::Vector3d v_ = Eigen::Vector3d::Zero();
};
Turn turn_about(const Eigen::Vector3d& axis, double angle);

struct Pose {
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    Turn q = Turn::Identity();

    Pose operator*(const Pose& X) const { return {p + q * X.p, (q * X.q).normalized()}; }
    Eigen::Vector3d operator*(const Eigen::Vector3d& r) const { return p + q * r; }
    Pose inverse() const { return {-(q.conjugate() * p), q.conjugate()}; }
};

/// How angles are written: the options angle and eulerseq.
struct AngleRules {
    bool degree = true;
    std::string sequence = "xyz";  ///< small letters turn about moving axes, capitals about fixed ones
    double radians(double angle) const;
};

/// The turn that takes z to a direction by the shortest way.
Turn turn_of_z(const Eigen::Vector3d& direction);

/// By axisangle, xyaxes, zaxis or euler, or else by quat. The class may have one and the element another: the four go before quat.
Turn read_orientation(const Attributes& a, const AngleRules& rules, Problems& problems);
/// `pos` and an orientation.
Pose read_pose(const Attributes& a, const AngleRules& rules, Problems& problems);

inline std::array<double, 3> to_array(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline Eigen::Vector3d to_vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

}  // namespace linkwright::exchange::mjcf
