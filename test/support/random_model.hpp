#pragma once
// Seeded random numbers, directions, frames and bodies, exact as a model has them.

#include <random>

#include "linkwright/model/build.hpp"
#include "linkwright/spatial/exact.hpp"

namespace linkwright::laws {

using model::BodyIndex;
using model::JointType;
using spatial::Mat3;
using spatial::Rotation;
using spatial::unit;
using spatial::Vec3;
using sym::Expr;

/// Pools are those of the current scope.
class Random {
public:
    explicit Random(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    double real(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }

    /// A number with two digits after the point.
    Expr number(double low, double high) { return sym::Rational(static_cast<std::int64_t>(std::lround(real(low, high) * 100)), 100); }
    Vec3 vector(double size) { return {{number(-size, size), number(-size, size), number(-size, size)}}; }
    /// Any direction, or one of those that people write.
    Vec3 direction() {
        switch (below(4)) {
            case 0: return unit(below(3));
            case 1: return -unit(below(3));
            case 2: return *spatial::normalized({{1 + static_cast<int>(below(3)), -2, 2}});
            default: return *spatial::normalized(Vec3{{number(0.2, 1), number(-1, 1), number(-1, 1)}});
        }
    }
    /// Two or three directions, neighbours orthogonal.
    std::vector<Vec3> orthogonal(std::size_t n) {
        const Vec3 x{{number(0.2, 1), number(-1, 1), number(-1, 1)}};
        const Mat3 m = *spatial::frame_from_axes(0, x, 1, cross(x, {{0, 1, 2}}));
        std::vector<Vec3> a{column(m, 0), column(m, 1)};
        if (n == 3) a.push_back(below(2) == 0 ? column(m, 2) : below(2) == 0 ? -column(m, 2) : column(m, 0));
        return a;
    }
    Mat3 inertia() {  // I = Σ p pᵀ turned round: what a body can have
        Mat3 I;
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = vector(0.6);
            I += dot(p, p) * spatial::identity() - outer(p, p);
        }
        return I + spatial::diagonal(sym::Rational(1, 10), sym::Rational(1, 12), sym::Rational(1, 9));
    }
    /// Turns by numbers and by parameters, or an exact frame.
    Rotation frame(model::Model& m) {
        if (below(5) == 0) return {};
        if (below(2) == 0) return Rotation(*spatial::frame_from_axes(2, {{1, 2, static_cast<int>(below(3))}}, 0, {{2, -1, 0}}));
        const Expr angle = model::parameter(m, "angle" + std::to_string(m.parameters.size()), number(-2, 2));
        return Rotation::turn(unit(below(3)), angle) * Rotation::turn(unit(below(3)), below(2) == 0 ? sym::pi() / 6 : 2 * angle);
    }

private:
    std::mt19937_64 random_;
};

}  // namespace linkwright::laws
