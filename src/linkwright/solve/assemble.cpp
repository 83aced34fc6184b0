#include "linkwright/solve/assemble.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "linkwright/solve/scale.hpp"

namespace linkwright::solve {
namespace {

double largest(const VectorXd& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); }

std::vector<Index> free_of(Index n, std::span<const Index> held) {
    std::vector<Index> list;
    for (Index i = 0; i < n; ++i) {
        if (std::ranges::find(held, i) == held.end()) list.push_back(i);
    }
    return list;
}

/// φ and its Jacobian at one x, rows weighted, held columns gone.
struct Point {
    VectorXd x, phi;
    MatrixXd jacobian;
    VectorXd steepness;  ///< of each row: largest |∂φ_i/∂x_j|, held ones too
    bool is_finite = false;
    double size() const { return is_finite ? phi.norm() : std::numeric_limits<double>::infinity(); }
};

struct Problem {
    const Closure& closure;
    std::vector<Index> free;
    VectorXd fixed;  ///< the guess: where held ones stay
    const AssembleOptions& options;
    VectorXd weight;

    Point at(const VectorXd& x) const {
        Point p{.x = x, .phi = {}, .jacobian = {}, .steepness = {}};
        if (options.normalise) {
            options.normalise(p.x);
            VectorXd kept = fixed;
            for (const Index i : free) kept(i) = p.x(i);
            p.x = kept;
        }
        MatrixXd all;
        closure(p.x, p.phi, all);
        p.is_finite = p.x.allFinite() && p.phi.allFinite() && all.allFinite();
        if (weight.size() == p.phi.size()) {
            p.phi.array() *= weight.array();
            all = weight.asDiagonal() * all;
        }
        p.steepness = VectorXd::Zero(p.phi.size());
        if (all.cols() > 0) p.steepness = all.cwiseAbs().rowwise().maxCoeff();
        p.jacobian = take_columns(all, free);
        return p;
    }
};

/// Rows by their scale; one whose gradient vanishes at the guess is measured by the others.
VectorXd make_weight(const Point& p) {
    const double most = largest(p.steepness);
    if (most < 1e-13) return VectorXd::Ones(p.phi.size());  // zero, or what rounding left of it
    return (p.steepness.cwiseMax(1e-3 * most) * std::max(1.0, largest(p.x))).cwiseInverse();
}

/// The shortest step of the linearised problem, or the one of length `radius` that does best:
/// p(μ) = −V diag(s/(s² + μ)) Uᵀφ with μ ≥ 0 such that |p| ≤ radius.
VectorXd calc_step(const Svd& f, Index rank, const VectorXd& phi, double radius) {
    const VectorXd s = f.s.head(rank), along = f.u.leftCols(rank).transpose() * phi;
    const auto part = [&](double mu) -> VectorXd { return along.cwiseProduct(s).cwiseQuotient((s.array().square() + mu).matrix()); };
    VectorXd p = part(0);
    if (p.norm() > radius) {
        double low = 0, high = along.cwiseProduct(s).norm() / radius;  // |p(μ)| ≤ |sᵀUφ|/μ
        for (int k = 0; k < 60 && high - low > 1e-3 * high; ++k) {
            const double middle = low > 0 ? std::sqrt(low * high) : high / 16;
            (part(middle).norm() > radius ? low : high) = middle;
        }
        p = part(high);
    }
    return -(f.v.leftCols(rank) * p);
}

struct Descent {
    Point point;
    Index iterations = 0, rank = 0;
    bool is_closed(double tolerance) const { return point.is_finite && largest(point.phi) <= tolerance; }
};

Descent descend(const Problem& problem, const VectorXd& start) {
    const AssembleOptions& options = problem.options;
    Descent d{.point = problem.at(start)};
    if (!d.point.is_finite) return d;
    double radius = 0.5 * std::max(1.0, largest(start));
    bool is_fresh = true;  // the factors belong to the point
    Svd f = make_svd(d.point.jacobian);
    while (f.ok && d.iterations < options.iterations && !d.is_closed(options.tolerance)) {
        if (!is_fresh) f = make_svd(d.point.jacobian);
        is_fresh = true;
        if (!f.ok) break;
        ++d.iterations;
        const VectorXd step = calc_step(f, f.rank(options.rank_tolerance), d.point.phi, radius);
        if (step.norm() <= 1e-15 * (1 + d.point.x.norm())) break;
        VectorXd x = d.point.x;
        for (Index k = 0; k < step.size(); ++k) x(problem.free[k]) += step(k);
        Point next = problem.at(x);
        const double before = d.point.size(), after = next.size();
        const double foreseen = before - (d.point.phi + d.point.jacobian * step).norm();
        const double gain = foreseen > 0 ? (before - after) / foreseen : -1;
        if (gain > 0.75 && step.norm() > 0.9 * radius) radius *= 2;
        if (!(gain > 0.25)) radius = 0.25 * step.norm();
        if (after < before) {
            d.point = std::move(next);
            is_fresh = false;
        } else if (d.is_closed(1e3 * options.tolerance)) {
            break;  // rounding is all that is left
        }
    }
    if (!is_fresh) f = make_svd(d.point.jacobian);
    d.rank = f.rank(options.rank_tolerance);
    return d;
}

/// Starts around the guess, always the same: distributions of the standard library differ, bits do not.
class Starts {
public:
    explicit Starts(const Problem& problem) : problem_(problem), random_(problem.options.seed) {}
    VectorXd around(double distance) {
        const VectorXd& spread = problem_.options.spread;
        VectorXd x = problem_.fixed;
        for (const Index i : problem_.free) {
            const double unit = static_cast<double>(random_() >> 11) * 0x1p-52 - 1;  // in [−1, 1)
            x(i) += distance * unit * (spread.size() == x.size() ? spread(i) : 1.0);
        }
        return x;
    }

private:
    const Problem& problem_;
    std::mt19937_64 random_;
};

}  // namespace

Assembly assemble(const Closure& closure, const VectorXd& guess, std::span<const Index> held, const AssembleOptions& options) {
    Assembly a{.x = guess, .why = {}};
    if (!guess.allFinite()) {
        a.x = guess.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
        a.why = "the guess is not finite";
        return a;
    }
    Problem problem{.closure = closure, .free = free_of(guess.size(), held), .fixed = guess, .options = options, .weight = {}};
    const Point first = problem.at(guess);
    if (first.is_finite) problem.weight = make_weight(first);

    Descent best = descend(problem, guess);
    a.iterations = best.iterations;
    Starts starts(problem);
    constexpr Index ring = 6;  // starts at one distance; of those that close the nearest is taken
    double distance = options.nearest_start;
    for (Index k = 0; k < options.starts && !best.is_closed(options.accepted) && !problem.free.empty();) {
        double nearest = std::numeric_limits<double>::infinity();
        for (Index in_ring = 0; in_ring < ring && k < options.starts; ++in_ring) {
            ++k;
            const VectorXd start = starts.around(distance);
            if (problem.weight.size() == 0) {  // the guess itself had no value
                const Point p = problem.at(start);
                if (p.is_finite) problem.weight = make_weight(p);
            }
            Descent d = descend(problem, start);
            a.iterations += d.iterations;
            const double away = (d.point.x - guess).norm();
            if (d.is_closed(options.accepted)) {
                if (away >= nearest) continue;
                nearest = away;
            } else if (best.is_closed(options.accepted) || d.point.size() >= 0.999 * best.point.size()) {
                continue;
            }
            best = std::move(d);
            a.start = k;
        }
        distance = std::min(3.2, 4 * distance);
    }

    if (!best.point.is_finite) {
        a.start = 0;
        a.why = "the closure equations have no finite value at the guess, nor near it";
        return a;
    }
    a.x = best.point.x;
    a.rank = best.rank;
    a.moved = largest(a.x - guess);
    if (best.point.phi.size() > 0) {
        best.point.phi.cwiseAbs().maxCoeff(&a.worst);
        const VectorXd phi = best.point.phi.cwiseQuotient(problem.weight);
        a.residual = largest(phi);
        if (!best.is_closed(options.accepted)) {
            a.why = fmt::format("no closure near the guess: equation {} misses zero by {:.3g} at the closest approach", a.worst,
                                std::abs(phi(a.worst)));
        }
    }
    a.ok = a.why.empty();
    return a;
}

Solution project(const MatrixXd& A, const VectorXd& b, const VectorXd& guess, std::span<const Index> held, const VectorXd& errors,
                 double tolerance) {
    Solution s{.x = guess, .why = {}};
    if (A.rows() != b.size() || (A.rows() > 0 && A.cols() != guess.size())) {
        s.why = "sizes do not match";
        return s;
    }
    if (!guess.allFinite()) {
        s.x.setZero();
        s.why = "the guess is not finite";
        return s;
    }
    s.ok = true;
    if (A.rows() == 0) return s;
    const std::vector<Index> free = free_of(guess.size(), held);
    const VectorXd scale = row_scale(A, errors), left = b - A * guess;
    tolerance = rank_tolerance(A, errors, tolerance);
    const double longest = A.rowwise().norm().maxCoeff();
    const Solution step = solve_least_squares(scale.asDiagonal() * take_columns(A, free), scale.cwiseProduct(left), tolerance);
    s.ok = step.ok;
    s.why = step.why;
    if (!s.ok) return s;
    s.rank = step.rank;
    for (Index k = 0; k < step.x.size(); ++k) s.x(free[k]) += step.x(k);
    const VectorXd miss = A * s.x - b;
    s.residual = largest(miss);
    for (Index i = 0; i < miss.size(); ++i) {
        const double length = scale(i) > 0 ? 1 / scale(i) : longest;
        double allowed = 1e-10 * (A.row(i).cwiseAbs().dot(s.x.cwiseAbs()) + std::abs(b(i)) + 1e-3 * length);
        if (errors.size() == A.rows()) allowed += clearly * errors(i) * (1 + s.x.lpNorm<1>());
        if (s.ok && std::abs(miss(i)) > allowed) {
            s.ok = false;
            s.why = fmt::format("the rows cannot all be met: row {} misses {:.3g} by {:.3g}", i, b(i), std::abs(miss(i)));
        }
    }
    return s;
}

}  // namespace linkwright::solve
