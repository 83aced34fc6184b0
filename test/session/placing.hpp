#pragma once
// Random places and directions for mechanisms that tests write: decimals everywhere, so that nothing is exact by chance.

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <string>

namespace linkwright::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline Matrix3d turn(const Vector3d& axis, double angle) {
    const Vector3d a = axis.normalized();
    Matrix3d K;
    K << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return Matrix3d::Identity() + std::sin(angle) * K + (1 - std::cos(angle)) * K * K;
}

/// A seeded source of numbers between −1 and 1, and of what is made of them.
class Placing {
public:
    explicit Placing(std::uint64_t seed) : random_(seed * 7919 + 17) {}
    double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }
    double between(double low, double high) { return low + (high - low) * (uniform() + 1) / 2; }
    Vector3d any_vector() {
        const double x = uniform(), y = uniform(), z = uniform();
        return {x, y, z};
    }
    Matrix3d any_rotation() {
        const Vector3d axis = any_vector();
        return turn(axis, 3 * uniform());
    }

private:
    std::mt19937_64 random_;
};

inline std::string write(const Vector3d& v) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z()); }
/// As the value of `parent_axes`.
inline std::string write_axes(const Matrix3d& R) { return fmt::format("{{ z = {}, x = {} }}", write(R.col(2)), write(R.col(0))); }

}  // namespace linkwright::test
