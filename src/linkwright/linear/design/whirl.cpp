#include "linkwright/linear/design/whirl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "linkwright/sym/derivative.hpp"

namespace linkwright::linear {

namespace {

using Eigen::Index;
using Eigen::Matrix3cd;
using Eigen::Matrix3d;
using Eigen::Vector3cd;
using Eigen::Vector3d;
using ByRows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// Numbers of a body: R, its rate, inertia, wheels, mass; and what changes with q: R and the centre of mass.
constexpr Index rate_at = 9, inertia_at = 18, wheels_at = 27, mass_at = 30, still = 31, moving = 12;

std::vector<sym::Expr> flat(const std::array<std::array<sym::Expr, 3>, 3>& rows) {
    std::vector<sym::Expr> list;
    for (const auto& row : rows) list.insert(list.end(), row.begin(), row.end());
    return list;
}

std::vector<sym::Expr> places(const eom::EquationsOfMotion& e, std::span<const SpinningBody> bodies) {
    const sym::PoolScope scope(*e.pool);
    const auto append = [](std::vector<sym::Expr>& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    sym::Tangent rate(eom::rates(e));
    std::vector<sym::Expr> all, changing;
    for (std::size_t b = 0; b < e.poses.size(); ++b) {
        const SpinningBody body = bodies.empty() ? SpinningBody{} : bodies[b];
        const std::vector<sym::Expr> R = flat(e.poses[b].R);
        append(all, R);
        for (const sym::Expr& x : R) all.push_back(rate(x));
        append(all, flat(body.inertia)), append(all, body.wheels), all.push_back(body.mass);
        append(changing, R), append(changing, e.poses[b].com);
    }
    const std::size_t first = all.size();
    all.resize(first + changing.size() * e.q.size());
    for (const auto& [row, column, value] : sym::jacobian(changing, e.q).entries) all[first + column * changing.size() + row] = value;
    return all;
}

/// v of v×.
template <class Matrix3>
auto axial(const Matrix3& m) {
    return Eigen::Vector3<typename Matrix3::Scalar>(m(2, 1), m(0, 2), m(1, 0));
}

/// Angular momentum about the centre of mass, ground axes.
Vector3d spin_of(const double* body) {
    const Matrix3d R = Eigen::Map<const ByRows>(body), rate = Eigen::Map<const ByRows>(body + rate_at),
                   inertia = Eigen::Map<const ByRows>(body + inertia_at);
    const Vector3d w = axial(Matrix3d(R.transpose() * rate));  // body axes
    return R * (inertia * w + Eigen::Map<const Vector3d>(body + wheels_at));
}

/// a · (b × c)
double triple(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

Vector3d across(const Vector3d& v, const Vector3d& axis) { return v - v.dot(axis) * axis; }

double size_of(const Vector3cd& d, const Vector3d& axis) {
    return std::hypot(across(d.real(), axis).norm(), across(d.imag(), axis).norm());
}

/// How round an orbit is, and which way: 1 a circle, forward; 0 a line; −1 a circle, backward.
double sense_of(const Vector3cd& d, const Vector3d& axis) {
    const double size = size_of(d, axis);
    return size > 0 ? 2 * triple(axis, across(d.imag(), axis), across(d.real(), axis)) / (size * size) : 0;
}

std::optional<Vector3d> direction(const Vector3d& v, double least) {
    const double size = v.norm();
    if (!(size > least) || !std::isfinite(size)) return std::nullopt;
    return v / size;
}

}  // namespace

/// A body that spins, or one of many that are carried round: its axis, and what the mode does to it.
struct WhirlSense::Rotor {
    Vector3d axis;
    Vector3cd place, tilt;
    double energy;
};

namespace {

/// What the orbits of all rotors say, each about the axis that `axis_of` gives for it.
template <class Rotors, class AxisOf>
Whirl judged(const Rotors& rotors, AxisOf axis_of) {
    constexpr double line = 1e-6, small = 1e-6, dust = 1e-9;  // of a circle; beside the largest; beside shapes, which have 1 in them
    double largest_place = 0, largest_tilt = 0;
    for (const auto& r : rotors) {
        largest_place = std::max(largest_place, size_of(r.place, axis_of(r)));
        largest_tilt = std::max(largest_tilt, size_of(r.tilt, axis_of(r)));
    }
    bool is_forward = false, is_backward = false;
    const auto hear = [&](const Vector3cd& d, const Vector3d& axis, double largest) {
        if (!(size_of(d, axis) > std::max(small * largest, dust))) return;
        const double sense = sense_of(d, axis);
        is_forward |= sense > line, is_backward |= sense < -line;
    };
    for (const auto& r : rotors) hear(r.place, axis_of(r), largest_place), hear(r.tilt, axis_of(r), largest_tilt);
    if (is_forward && is_backward) return Whirl::mixed;
    return is_forward ? Whirl::forward : is_backward ? Whirl::backward : Whirl::none;
}

}  // namespace

const char* to_string(Whirl whirl) {
    constexpr std::array<const char*, 4> names{"none", "forward", "backward", "mixed"};
    return names[static_cast<std::size_t>(whirl)];
}

WhirlSense::WhirlSense(const numeric::CompiledEquations& numbers, std::span<const SpinningBody> bodies)
    : numbers_(numbers), bodies_(numbers.equations().poses.size()), places_(numbers.compile(places(numbers.equations(), bodies))) {}

std::vector<WhirlSense::Rotor> WhirlSense::rotors(const numeric::State& state, const Eigen::VectorXcd& q) const {
    constexpr double hardly = 1e-9;  // of the fastest spin
    const Eigen::VectorXd all = places_(state);
    const Index n = static_cast<Index>(bodies_), first = still * n, stride = moving * n;
    double fastest = 0;
    for (Index b = 0; b < n; ++b) fastest = std::max(fastest, spin_of(all.data() + still * b).norm());
    const auto whole = fastest > 0 ? std::nullopt : direction(numbers_.invariants(state).segment<3>(5), 0);
    std::vector<Rotor> found;
    for (Index b = 0; b < n; ++b) {
        const double* own = all.data() + still * b;
        const auto axis = fastest > 0 ? direction(spin_of(own), hardly * fastest) : whole;
        if (!axis) continue;
        const Matrix3d R = Eigen::Map<const ByRows>(own), inertia = Eigen::Map<const ByRows>(own + inertia_at);
        Matrix3cd change = Matrix3cd::Zero();
        Rotor r{*axis, Vector3cd::Zero(), Vector3cd::Zero(), 0};
        for (Index i = 0; i < q.size(); ++i) {
            const double* by_q = all.data() + first + i * stride + moving * b;
            change += q[i] * Eigen::Map<const ByRows>(by_q).cast<std::complex<double>>();
            r.place += q[i] * Eigen::Map<const Vector3d>(by_q + 9).cast<std::complex<double>>();
        }
        r.tilt = axial(Matrix3cd(change * R.transpose()));  // δφ ×
        const Vector3cd in_body = R.transpose() * r.tilt;
        r.energy = own[mass_at] * r.place.squaredNorm() + in_body.dot(inertia * in_body).real();
        found.push_back(r);
    }
    return found;
}

Whirl WhirlSense::operator()(const numeric::State& state, const Eigen::VectorXcd& q) const {
    const std::vector<Rotor> all = rotors(state, q);
    if (all.empty()) return Whirl::none;
    const Whirl each = judged(all, [](const Rotor& r) -> const Vector3d& { return r.axis; });
    if (each != Whirl::mixed) return each;
    const Rotor& home = *std::ranges::max_element(all, {}, &Rotor::energy);
    return judged(all, [&](const Rotor&) -> const Vector3d& { return home.axis; });
}

Whirl whirl_of(std::complex<double> pole, const Modes& found, const WhirlSense& sense, const numeric::State& state) {
    if (!found.is_ok || !(pole.imag() > 0)) return Whirl::none;
    const Mode* nearest = nullptr;
    std::size_t alike = 0;
    for (const Mode& mode : found.modes) {
        if (nearest == nullptr || std::abs(mode.pole - pole) < std::abs(nearest->pole - pole)) nearest = &mode;
        alike += std::abs(mode.pole - pole) <= repeated_tolerance * std::abs(pole) ? 1 : 0;
    }
    return nearest == nullptr || alike > 1 ? Whirl::none : sense(state, nearest->q);
}

}  // namespace linkwright::linear
