#pragma once
// All steady motions of equations ẋ = rate(t, x) near rest, by Newton's method from many starts: nothing is averaged, nothing expanded.
//
//     closed   P(x) = x                  P carries x through so many periods of the excitation
//     cycle    P_τ(x) = x                without excitation: the period τ is an unknown too, and where the orbit begins is free
//     torus    P(x(θ)) = x(θ + ρ)        excitation and a second frequency, of which a turn ρ is left over in every period; x(θ) at as many θ
//                                        as there are harmonics
//
// The slopes of P tell which last: multipliers of what closes, the growth of what leaves a torus sideways.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "linkwright/perturb/modulation.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"

namespace linkwright::perturb {

using std::numbers::pi;

template <std::size_t n>
using Place = std::array<double, n>;

template <std::size_t n>
double distance(const Place<n>& a, const Place<n>& b) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return std::sqrt(sum);
}

/// Of all places within ±reach so many, spread evenly, the first in the middle; of two modes one is at rest in every fourth.
template <std::size_t n>
std::vector<Place<n>> starts_within(const Place<n>& reach, int count) {
    double golden = 2;  // g^(n+1) = g + 1
    for (int step = 0; step < 60; ++step) golden = std::pow(1 + golden, 1.0 / (n + 1));
    std::vector<Place<n>> all;
    for (int i = 0; i < count; ++i) {
        Place<n> x;
        for (std::size_t j = 0; j < n; ++j) {
            const double turn = 0.5 + i * std::pow(golden, -1.0 - static_cast<double>(j));
            x[j] = reach[j] * (2 * (turn - std::floor(turn)) - 1);
            if (n > 2 && i % 4 == 3 && j % 2 == i / 4 % 2) x[j] = 0;
        }
        all.push_back(x);
    }
    return all;
}

/// Points of one period each, or of a closed curve in order.
template <std::size_t n>
struct Orbit {
    std::vector<Place<n>> places;
    bool is_curve = false, is_stable = false;
    double frequency = 0;  ///< of a curve: that of the cycle, or of the turn of a torus
    double modulo = 0;     ///< up to multiples of this: Ω on a torus

    double distance_to(const Place<n>& x) const {
        double least = INFINITY;
        for (std::size_t i = 0; i < places.size(); ++i) {
            Place<n> nearest = places[i];
            if (is_curve) {
                const Place<n>& next = places[(i + 1) % places.size()];
                double along = 0, length = 0;
                for (std::size_t j = 0; j < n; ++j)
                    along += (x[j] - nearest[j]) * (next[j] - nearest[j]), length += (next[j] - nearest[j]) * (next[j] - nearest[j]);
                const double part = std::clamp(along / length, 0.0, 1.0);
                for (std::size_t j = 0; j < n; ++j) nearest[j] += part * (next[j] - nearest[j]);
            }
            least = std::min(least, distance(x, nearest));
        }
        return least;
    }
    /// Of a mode's frequency to those that occur.
    double frequency_gap(double w) const {
        if (!is_curve) return 0;
        if (modulo == 0) return std::abs(std::remainder(w, frequency));
        return std::min(std::abs(std::remainder(w - frequency, modulo)), std::abs(std::remainder(w + frequency, modulo)));
    }
};

/// rate(t, x, ẋ), with plain arrays: tests are compiled without optimisation, and this is where they spend their time.
template <std::size_t n, class Rate>
class Shooting {
public:
    /// What is twice as far away as `reach` is of no interest.
    Shooting(Rate rate, const Place<n>& reach, double highest_frequency) : rate_(rate), reach_(reach), step_(0.12 / highest_frequency) {}

    /// Orbits that close after so many periods.
    std::vector<Orbit<n>> closed(double period, int periods, int count) const {
        std::vector<Orbit<n>> all;
        std::vector<Place<n>> known;
        const auto starts = starts_within(reach_, count);
        for (int i = 0; i < 2 * count; ++i) {  // each as it is, then beside what is known, near or far, and away from it
            const bool is_plain = i % 2 == 0 || known.empty();
            Unknowns z{{starts[i / 2]}, periods * period, 0};
            if (!is_plain) {
                const Place<n>& other = known[i / 2 % known.size()];
                for (std::size_t j = 0; j < n; ++j) z.points[0][j] = other[j] + z.points[0][j] * std::pow(0.4, i % 5);
            }
            if (!settle(z, Kind::closed, is_plain ? std::vector<Place<n>>{} : known)) continue;
            Place<n> x = z.points[0];
            const auto is_here = [&](const Orbit<n>& o) { return o.distance_to(x) < 1e-5 * size(); };
            if (std::ranges::any_of(all, is_here)) continue;
            Orbit<n> orbit;
            for (int p = 0; p < periods; ++p) orbit.places.push_back(x), known.push_back(x), x = carried(x, period);
            orbit.is_stable = solve::eigenvalues(z.slopes[0]).cwiseAbs().maxCoeff() < 1;
            all.push_back(orbit);
        }
        return all;
    }

    /// Rest, and orbits with any period near this one. The equations must not know the time.
    std::vector<Orbit<n>> cycles(double period, int count) const {
        std::vector<Orbit<n>> all;
        for (const Place<n>& x : starts_within(reach_, count)) {
            Unknowns z{{x}, period, 0};
            if (!settle(z, Kind::cycle) || std::abs(z.period / period - 1) > 0.3) continue;
            const auto is_here = [&](const Orbit<n>& o) { return o.distance_to(z.points[0]) < 1e-3 * size(); };
            if (std::ranges::any_of(all, is_here) || speed_at(z.points[0]) < 1e-3 * size()) continue;
            Orbit<n> orbit;
            orbit.is_curve = true, orbit.frequency = 2 * pi / z.period;
            constexpr int parts = 200;
            Place<n> at = z.points[0];
            for (int i = 0; i < parts; ++i) orbit.places.push_back(at), at = carried(at, z.period / parts);
            const Eigen::VectorXcd multipliers = solve::eigenvalues(z.slopes[0]);
            Eigen::Index along = 0;  // what is only further on along the orbit stays there
            (multipliers.array() - 1).abs().minCoeff(&along);
            orbit.is_stable = true;
            for (Eigen::Index j = 0; j < multipliers.size(); ++j) orbit.is_stable &= j == along || std::abs(multipliers[j]) < 1;
            all.push_back(orbit);
        }
        return all;
    }

    /// Tori around an orbit of one period. In every period mode 1 turns by about `turn`; `turned(x, θ)` begins the same motion with other phases.
    template <class Turned>
    std::vector<Orbit<n>> tori(double period, double turn, const Place<n>& middle, const Turned& turned, int count) const {
        constexpr int nodes = 9;
        std::vector<Orbit<n>> all;
        for (const Place<n>& x : starts_within(reach_, count)) {
            Unknowns z{{}, period, turn};
            for (int j = 0; j < nodes; ++j) {
                z.points.push_back(turned(x, 2 * pi * j / nodes));
                for (std::size_t k = 0; k < n; ++k) z.points.back()[k] += middle[k];
            }
            if (!settle(z, Kind::torus) || harmonic(z, nodes / 2) > 0.02 * harmonic(z, 1)) continue;  // or it is not resolved
            const auto is_here = [&](const Orbit<n>& o) { return o.distance_to(z.points[0]) < 1e-2 * size(); };
            if (std::ranges::any_of(all, is_here) || distance(z.points[0], z.points[nodes / 2]) < 1e-2 * size()) continue;
            Orbit<n> orbit;
            orbit.is_curve = true, orbit.frequency = z.turn / period, orbit.modulo = 2 * pi / period;
            constexpr int parts = 200;
            for (int i = 0; i < parts; ++i) orbit.places.push_back(point_at(z, 2 * pi * i / parts));
            orbit.is_stable = grows_sideways(z) < 0;
            all.push_back(orbit);
        }
        return all;
    }

private:
    enum class Kind { closed, cycle, torus };
    struct Unknowns {
        std::vector<Place<n>> points;
        double period, turn;
        std::vector<MatrixXd> slopes{};  ///< of P at the points
    };

    double size() const { return distance(reach_, Place<n>{}); }
    double speed_at(const Place<n>& x) const {
        Place<n> v;
        rate_(0.0, x.data(), v.data());
        return distance(v, Place<n>{});
    }

    /// Runge's and Kutta's method of order four.
    Place<n> carried(Place<n> start, double until) const {
        const int steps = static_cast<int>(std::ceil(until / step_));
        const double h = until / steps;
        double* x = start.data();
        double a[n], b[n], c[n], d[n], y[n];
        for (int s = 0; s < steps; ++s) {
            const double t = s * h;
            rate_(t, x, a);
            for (std::size_t j = 0; j < n; ++j) y[j] = x[j] + h / 2 * a[j];
            rate_(t + h / 2, y, b);
            for (std::size_t j = 0; j < n; ++j) y[j] = x[j] + h / 2 * b[j];
            rate_(t + h / 2, y, c);
            for (std::size_t j = 0; j < n; ++j) y[j] = x[j] + h * c[j];
            rate_(t + h, y, d);
            for (std::size_t j = 0; j < n; ++j) x[j] += h / 6 * (a[j] + 2 * (b[j] + c[j]) + d[j]);
        }
        return start;
    }

    /// x(θ_j + φ) = Σ S_jl x(θ_l), and its slope by φ: trigonometric interpolation.
    static double share(double angle, std::size_t nodes) {
        double sum = 1;
        for (std::size_t k = 1; k <= nodes / 2; ++k) sum += 2 * std::cos(static_cast<double>(k) * angle);
        return sum / static_cast<double>(nodes);
    }
    static double share_slope(double angle, std::size_t nodes) {
        double sum = 0;
        for (std::size_t k = 1; k <= nodes / 2; ++k) sum -= 2 * static_cast<double>(k) * std::sin(static_cast<double>(k) * angle);
        return sum / static_cast<double>(nodes);
    }
    static double node(std::size_t j, std::size_t nodes) { return 2 * pi * static_cast<double>(j) / static_cast<double>(nodes); }
    static Place<n> point_at(const Unknowns& z, double angle, double (*weight)(double, std::size_t) = share) {
        Place<n> x{};
        for (std::size_t l = 0; l < z.points.size(); ++l) {
            const double w = weight(angle - node(l, z.points.size()), z.points.size());
            for (std::size_t j = 0; j < n; ++j) x[j] += w * z.points[l][j];
        }
        return x;
    }

    static double harmonic(const Unknowns& z, int k) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) {
            std::complex<double> c = 0;
            for (std::size_t l = 0; l < z.points.size(); ++l) c += z.points[l][j] * std::polar(1.0, -k * node(l, z.points.size()));
            sum += std::norm(c);
        }
        return std::sqrt(sum);
    }

    /// Newton's method; on equations divided by the distances to what is known, if anything is [farrell15].
    bool settle(Unknowns& z, Kind kind, const std::vector<Place<n>>& known = {}) const {
        const std::size_t nodes = z.points.size();
        const auto rows = static_cast<Eigen::Index>(nodes * n), all = rows + (kind == Kind::closed ? 0 : 1);
        const double nudge = 1e-6 * size();
        z.slopes.assign(nodes, MatrixXd(n, n));
        for (int step = 0; step < (known.empty() ? 25 : 15); ++step) {
            MatrixXd J = MatrixXd::Zero(all, all);
            VectorXd gap = VectorXd::Zero(all);
            for (std::size_t p = 0; p < nodes; ++p) {
                const auto row = static_cast<Eigen::Index>(p * n);
                const Place<n> end = carried(z.points[p], z.period);
                for (std::size_t j = 0; j < n; ++j) {
                    Place<n> y = z.points[p];
                    y[j] += nudge;
                    y = carried(y, z.period);
                    for (std::size_t i = 0; i < n; ++i) z.slopes[p](i, j) = (y[i] - end[i]) / nudge;
                }
                J.block(row, row, n, n) = z.slopes[p];
                Place<n> aim = z.points[p], further{}, along{};
                if (kind == Kind::cycle) rate_(0.0, end.data(), further.data()), rate_(0.0, aim.data(), along.data());
                if (kind == Kind::torus) {
                    const double angle = node(p, nodes);
                    aim = point_at(z, angle + z.turn), along = point_at(z, angle, share_slope);
                    further = point_at(z, angle + z.turn, share_slope);
                    for (double& f : further) f = -f;
                }
                for (std::size_t l = 0; l < nodes; ++l) {
                    const double w = kind == Kind::torus ? share(node(p, nodes) + z.turn - node(l, nodes), nodes) : 1;
                    for (std::size_t j = 0; j < n; ++j) J(row + j, l * n + j) -= w;
                }
                for (std::size_t j = 0; j < n; ++j) {
                    gap[row + j] = end[j] - aim[j];
                    if (kind != Kind::closed) J(row + j, rows) = further[j], J(rows, row + j) = along[j];
                }
            }
            if (!gap.allFinite()) return false;
            VectorXd d = solve::Lu(J).solve(-gap);
            double slope = 0;
            for (const Place<n>& other : known) {
                double square = 0, along = 0;
                for (std::size_t j = 0; j < n; ++j) {
                    const double way = z.points[0][j] - other[j];
                    square += way * way, along += 2 * way * d[j];
                }
                slope -= along / (square * (1 + square / (size() * size())));
            }
            d /= 1 - slope;
            if (!d.allFinite()) return false;
            const double part = std::min(1.0, 0.3 * size() / d.cwiseAbs().maxCoeff());
            double farthest = 0;
            for (std::size_t p = 0; p < nodes; ++p)
                for (std::size_t j = 0; j < n; ++j) {
                    z.points[p][j] += part * d[p * n + j];
                    farthest = std::max(farthest, std::abs(z.points[p][j]) / reach_[j]);
                }
            if (kind == Kind::cycle) z.period += part * d[rows];
            if (kind == Kind::torus) z.turn += part * d[rows];
            if (farthest > 4 || !(z.period > 0.1)) return false;
            if (d.cwiseAbs().maxCoeff() < 1e-8 * size()) return farthest < 2;
        }
        return false;
    }

    /// By how much a disturbance that is not along the circle grows in a period, after what grows less has died out.
    static double grows_sideways(const Unknowns& z) {
        constexpr int before = 150, after = 300;
        VectorXd v = VectorXd::LinSpaced(n, 1, 2);
        double sum = 0;
        for (int k = 0; k < before + after; ++k) {
            MatrixXd slope = MatrixXd::Zero(n, n);
            for (std::size_t l = 0; l < z.points.size(); ++l)
                slope += share(k * z.turn - node(l, z.points.size()), z.points.size()) * z.slopes[l];
            v = VectorXd(slope * v);
            const Place<n> along = point_at(z, (k + 1) * z.turn, share_slope);
            const VectorXd tangent = Eigen::Map<const VectorXd>(along.data(), n).normalized();
            v -= tangent * tangent.dot(v);
            if (k >= before) sum += std::log(v.norm());
            v.normalize();
        }
        return sum / after;
    }

    Rate rate_;
    Place<n> reach_;
    double step_;
};
template <std::size_t n, class Rate>
Shooting(Rate, Place<n>, double) -> Shooting<n, Rate>;

/// The largest distance between a listed state and its orbit, in place and in frequency; as many of one as of the other, and stable alike.
template <std::size_t n>
double expect_same(const MultipleScales<double>& scales, std::vector<Orbit<n>> orbits, std::size_t count) {
    EXPECT_TRUE(scales.is_ok) << scales.why;
    const auto listed = steady_states(scales);
    EXPECT_EQ(listed.size(), count);
    EXPECT_EQ(orbits.size(), count);
    double worst = 0;
    for (const auto& s : listed) {
        Eigen::VectorXcd A(s.a.size());
        for (Eigen::Index k = 0; k < A.size(); ++k) A[k] = std::polar(s.a[k] / 2, s.beta[k]);
        const auto m = motion_at(scales, A, 0);
        Place<n> x;
        for (std::size_t j = 0; j < n / 2; ++j) x[j] = m.eta[j], x[n / 2 + j] = m.eta_dot[j];
        const auto at = std::ranges::min_element(orbits, {}, [&](const Orbit<n>& o) { return o.distance_to(x); });
        if (at == orbits.end()) return INFINITY;
        worst = std::max(worst, at->distance_to(x));
        for (Eigen::Index k = 0; k < A.size(); ++k)
            if (s.a[k] > 0) worst = std::max(worst, at->frequency_gap(s.frequencies[k]));
        EXPECT_EQ(s.is_stable, at->is_stable) << "a = " << s.a.transpose();
        orbits.erase(at);
    }
    return worst;
}

/// As ε is halved the error is halved too, or falls faster.
template <class ErrorAt>
void expect_convergence(ErrorAt error_at, double epsilon, double largest) {
    const double coarse = error_at(epsilon), fine = error_at(epsilon / 2);
    EXPECT_LE(fine, 0.65 * coarse);
    EXPECT_LT(fine, largest);
}

}  // namespace linkwright::perturb
