#include "linkwright/linear/design/whirl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/sym/derivative.hpp"

namespace linkwright::linear {

namespace {

using Eigen::Index;
using Eigen::Matrix3cd;
using Eigen::Matrix3d;
using Eigen::Vector3cd;
using Eigen::Vector3d;

constexpr std::size_t per_body = 12;  // entries of R, then the centre of mass

std::vector<sym::Expr> entries_of(const eom::BodyPose& body) {
    std::vector<sym::Expr> list;
    for (const auto& row : body.R) list.insert(list.end(), row.begin(), row.end());
    list.insert(list.end(), body.com.begin(), body.com.end());
    return list;
}

/// Each body's R, and what all entries change by with each coordinate.
std::vector<sym::Expr> places(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    std::vector<sym::Expr> all, moving;
    for (const eom::BodyPose& body : e.poses) {
        for (const auto& row : body.R) all.insert(all.end(), row.begin(), row.end());
        const std::vector<sym::Expr> entries = entries_of(body);
        moving.insert(moving.end(), entries.begin(), entries.end());
    }
    const std::size_t first = all.size();
    all.resize(first + moving.size() * e.q.size());
    for (const auto& [row, column, value] : sym::jacobian(moving, e.q).entries) all[first + column * moving.size() + row] = value;
    return all;
}

/// How round an orbit is, and which way: 1 a circle, forward; 0 a line; −1 a circle, backward.
struct Orbit {
    double size, sense;
};

/// a · (b × c)
double triple(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

Orbit orbit(const Vector3cd& d, const Vector3d& axis) {
    const Vector3d re = d.real() - d.real().dot(axis) * axis, im = d.imag() - d.imag().dot(axis) * axis;
    const double square = re.squaredNorm() + im.squaredNorm();
    return {std::sqrt(square), square > 0 ? 2 * triple(axis, im, re) / square : 0};
}

}  // namespace

const char* to_string(Whirl whirl) {
    constexpr std::array<const char*, 4> names{"none", "forward", "backward", "mixed"};
    return names[static_cast<std::size_t>(whirl)];
}

WhirlSense::WhirlSense(const numeric::CompiledEquations& numbers)
    : numbers_(numbers), bodies_(numbers.equations().poses.size()), places_(numbers.compile(places(numbers.equations()))) {}

std::optional<Vector3d> WhirlSense::axis(const numeric::State& state) const {
    const Vector3d momentum = numbers_.invariants(state).segment<3>(5);
    const double size = momentum.norm();
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    return momentum / size;
}

Whirl WhirlSense::operator()(const numeric::State& state, const Eigen::VectorXcd& q, const Vector3d& axis) const {
    constexpr double line = 1e-6, small = 1e-6, dust = 1e-9;  // of a circle; beside the largest; beside shapes, which have 1 in them
    const Eigen::VectorXd all = places_(state);
    const Index first = static_cast<Index>(9 * bodies_), stride = static_cast<Index>(per_body * bodies_);
    std::array<std::vector<Orbit>, 2> kinds;  // of places, of tilts
    std::array<double, 2> largest{};
    for (Index b = 0; b < static_cast<Index>(bodies_); ++b) {
        using ByRows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
        const Matrix3d R = Eigen::Map<const ByRows>(all.data() + 9 * b);
        Matrix3cd change = Matrix3cd::Zero();
        Vector3cd d = Vector3cd::Zero();
        for (Index i = 0; i < q.size(); ++i) {
            const double* by_q = all.data() + first + i * stride + static_cast<Index>(per_body) * b;
            change += q[i] * Eigen::Map<const ByRows>(by_q).cast<std::complex<double>>();
            d += q[i] * Eigen::Map<const Vector3d>(by_q + 9).cast<std::complex<double>>();
        }
        const Matrix3cd turn = change * R.transpose();  // δφ ×
        const Vector3cd tilt(turn(2, 1), turn(0, 2), turn(1, 0));
        kinds[0].push_back(orbit(d, axis)), kinds[1].push_back(orbit(tilt, axis));
        for (std::size_t k = 0; k < 2; ++k) largest[k] = std::max(largest[k], kinds[k].back().size);
    }
    bool is_forward = false, is_backward = false;
    for (std::size_t k = 0; k < 2; ++k) {
        for (const Orbit& o : kinds[k]) {
            if (!(o.size > std::max(small * largest[k], dust))) continue;
            is_forward |= o.sense > line, is_backward |= o.sense < -line;
        }
    }
    if (is_forward && is_backward) return Whirl::mixed;
    return is_forward ? Whirl::forward : is_backward ? Whirl::backward : Whirl::none;
}

}  // namespace linkwright::linear
