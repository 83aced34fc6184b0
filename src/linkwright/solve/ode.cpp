#include "linkwright/solve/ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

bool is_positive(double g) { return g >= 0; }

/// Finds crossings of the event functions within one step after the other.
///
/// Each step is looked at where Chebyshev's polynomials have their extrema: densely at its ends, so that a turning point close
/// to one is not lost between two steps. A function that turns more often than so few looks can follow is looked at more
/// closely; where it comes near zero and turns away, its nearest place is searched for.
class Crossings {
public:
    struct Found {
        double t;
        Index which;
    };

    Crossings(const Watch& watch, Stepper& stepper, double end) : watch_(watch), stepper_(stepper), span_(end - stepper.now()) {
        const Index n = watch.crossings.size();
        first_.setZero(n), middle_.setZero(n);
        functions_.resize(n);
        if (n == 0) return;
        watch.roots(stepper.now(), stepper.x(), first_);
        // what rounding of the start may do to each
        const auto add_noise = [&](double t, const VectorXd& x) {
            watch.roots(t, x, middle_);
            for (Index i = 0; i < n; ++i) {
                const double change = std::abs(middle_[i] - first_[i]);
                if (std::isfinite(change)) at(i).noise += change;
            }
        };
        VectorXd x = stepper.x();
        for (Index j = 0; j < x.size(); ++j) {
            x[j] = stepper.x()[j] + 1e-12 * std::max(1.0, std::abs(stepper.x()[j]));
            add_noise(stepper.now(), x);
            x[j] = stepper.x()[j];
        }
        add_noise(stepper.now() + 1e-12 * std::max(std::abs(stepper.now()), span_), x);
        for (Index i = 0; i < n; ++i) at(i).is_armed = !(std::abs(first_[i]) <= at(i).noise);
    }

    /// Those of the last step, in the order of time.
    std::vector<Found> look() {
        found_.clear();
        if (watch_.crossings.empty() || !(stepper_.now() > stepper_.before())) return found_;
        Index n = few;
        sample(n, false);
        if (comes_close()) sample(n, true);
        while (turns_too_often(n)) sample(n *= 4, true);
        for (Index i = 0; i < first_.size(); ++i) search(i);
        first_ = g_.col(g_.cols() - 1);
        std::ranges::sort(found_, [](const Found& l, const Found& r) { return l.t < r.t || (l.t == r.t && l.which < r.which); });
        return found_;
    }

private:
    static constexpr Index few = 16, many = 4096;  ///< intervals between looks in a step

    struct Function {
        double noise = 0;
        bool is_armed = true;  ///< one that starts at zero waits until it has clearly left it
        bool is_hectic = false, is_undefined = false;
    };
    Function& at(Index i) { return functions_[i]; }

    void sample(Index n, bool closely) {
        const double from = stepper_.before(), to = stepper_.now();
        t_.resize(n + 1);
        g_.resize(first_.size(), n + 1);
        for (Index k = 0; k <= n; ++k)
            t_[k] = from + (to - from) * (1 - std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(n))) / 2;
        t_[0] = from, t_[n] = to;
        g_.col(0) = first_;
        for (Index k = 1; k < n; ++k) {
            stepper_.glance(t_[k], x_, closely);
            watch_.roots(t_[k], x_, middle_);
            g_.col(k) = middle_;
        }
        watch_.roots(to, stepper_.x(), middle_);
        g_.col(n) = middle_;
    }

    /// Is one of them not much further from zero than it moves?
    bool comes_close() const {
        for (Index i = 0; i < g_.rows(); ++i) {
            if (!(g_.row(i).cwiseAbs().minCoeff() > g_.row(i).maxCoeff() - g_.row(i).minCoeff())) return true;
        }
        return false;
    }

    /// Turning points that rounding cannot have made, for the first function that has many of them.
    bool turns_too_often(Index n) {
        for (Index i = 0; i < g_.rows(); ++i) {
            if (at(i).is_hectic) continue;
            double most = 0;
            for (Index k = 0; k <= n; ++k) most = std::isfinite(g_(i, k)) ? std::max(most, std::abs(g_(i, k))) : most;
            Index turns = 0;
            double last = 0;
            for (Index k = 1; k <= n; ++k) {
                const double change = g_(i, k) - g_(i, k - 1);
                if (!(std::abs(change) > std::max(1e-6 * most, at(i).noise))) continue;
                if (last * change < 0) ++turns;
                last = change;
            }
            if (4 * turns <= n) continue;
            if (n < many) return true;
            at(i).is_hectic = true;
            if (watch_.unresolved) watch_.unresolved(i, stepper_.before());
        }
        return false;
    }

    void search(Index i) {
        Function& f = at(i);
        const Index n = g_.cols() - 1;
        for (Index k = 1; k <= n; ++k) {
            const double a = g_(i, k - 1), b = g_(i, k);
            if (!std::isfinite(b)) {
                if (!f.is_undefined && std::isnan(b) && watch_.undefined) watch_.undefined(i, t_[k]);
                f.is_undefined |= std::isnan(b);
            }
            if (!f.is_armed) {
                f.is_armed = std::abs(b) > 100 * f.noise;
                continue;
            }
            if (std::isnan(a) || std::isnan(b)) continue;
            if (is_positive(a) != is_positive(b)) {
                add(i, t_[k - 1], t_[k], a, b);
            } else if (k < n && is_positive(b) == is_positive(g_(i, k + 1))) {
                approach(i, k);
            }
        }
    }

    /// Three looks on one side of zero, the middle one closest: does it cross between them after all?
    void approach(Index i, Index k) {
        const double side = is_positive(g_(i, k)) ? 1 : -1;
        double l = t_[k - 1], m = t_[k], r = t_[k + 1];
        double gl = side * g_(i, k - 1), gm = side * g_(i, k), gr = side * g_(i, k + 1);
        if (!(gm <= gl && gm <= gr && gl + gr > 2 * gm)) return;
        const double from = gl, to = gr, t_from = l, t_to = r;
        for (int tries = 0; tries < 30; ++tries) {
            // the vertex of the parabola through the three
            const double sl = (gm - gl) / (m - l), sr = (gr - gm) / (r - m), bend = (sr - sl) / (r - l);
            if (!(bend > 0)) return;
            double v = (l + m) / 2 - sl / (2 * bend);
            const double least = gm - bend * (v - m) * (v - m);
            if (tries == 0 ? least > 0.5 * gm : least > 0.999 * gm && least > 0) return;
            if (!(std::abs(v - m) > 1e-3 * (r - l))) v = m - l > r - m ? m - 0.1 * (m - l) : m + 0.1 * (r - m);
            if (!(v > l && v < r) || v == m) return;
            stepper_.interpolate(v, x_);
            watch_.roots(v, x_, middle_);
            const double g = side * middle_[i];
            if (std::isnan(g)) return;
            if ((side > 0) != is_positive(middle_[i])) {
                add(i, t_from, v, side * from, side * g);
                add(i, v, t_to, side * g, side * to);
                return;
            }
            if (g <= gm) {
                (v < m ? r : l) = m, (v < m ? gr : gl) = gm;
                m = v, gm = g;
            } else {
                (v < m ? l : r) = v, (v < m ? gl : gr) = g;
            }
        }
    }

    void add(Index i, double a, double b, double ga, double gb) {
        const Crossing wanted = watch_.crossings[i];
        const bool goes_up = is_positive(gb);
        if ((wanted == Crossing::up && !goes_up) || (wanted == Crossing::down && goes_up)) return;
        double t = 0;
        if (locate(i, a, b, ga, gb, t)) found_.push_back({t, i});
    }

    /// Bisection helped by the secant of Illinois, down to neighbours. False at a pole.
    bool locate(Index i, double a, double b, double ga, double gb, double& found) {
        const bool right_side = is_positive(gb);
        const double first_a = std::abs(ga), first_b = std::abs(gb);
        double last_a = first_a, last_b = first_b;
        int stuck = 0;
        for (int k = 0; k < 120 && b - a > 4 * epsilon * std::max({std::abs(a), std::abs(b), 1e-3 * span_}); ++k) {
            double t = b - gb * (b - a) / (gb - ga);
            if (k % 4 == 3 || !(t > a && t < b)) t = a + (b - a) / 2;
            if (!(t > a && t < b)) break;
            stepper_.interpolate(t, x_);
            watch_.roots(t, x_, middle_);
            const double g = middle_[i];
            if (std::isnan(g)) break;
            if (is_positive(g) == right_side) {
                b = t, gb = g, last_b = std::abs(g);
                if (stuck == 1) ga /= 2;
                stuck = 1;
            } else {
                a = t, ga = g, last_a = std::abs(g);
                if (stuck == 2) gb /= 2;
                stuck = 2;
            }
        }
        found = b;
        const bool is_pole = last_a >= first_a && last_b >= first_b && (last_a > 1e3 * first_a || last_b > 1e3 * first_b);
        return !is_pole;
    }

    const Watch& watch_;
    Stepper& stepper_;
    double span_;
    std::vector<Function> functions_;
    std::vector<Found> found_;
    VectorXd first_, middle_, x_, t_;
    MatrixXd g_;  ///< a row a function, a column a look
};

}  // namespace

OdeReport integrate(Stepper& stepper, std::span<const double> times, const Watch& watch) {
    using enum OdeReport::Status;
    OdeReport report{.status = reached, .t = stepper.now(), .why = {}};
    const auto fail = [&](double t, const std::string& why) {
        report.status = failed;
        report.t = t;
        report.why = fmt::format("at t = {:.6g} {}", t, why);
        return report;
    };
    if (times.empty()) return report;
    std::size_t next = 0;
    if (times[0] <= stepper.now()) {
        if (watch.row && !watch.row(stepper.now(), stepper.x())) return fail(stepper.now(), "a row of results cannot be worked out");
        next = 1;
    }
    Crossings crossings(watch, stepper, times.back());
    VectorXd x = stepper.x();
    const auto rows_until = [&](double t) {
        for (; next < times.size() && times[next] <= t; ++next) {
            stepper.interpolate(times[next], x);
            if (watch.row && !watch.row(times[next], x)) return false;
        }
        return true;
    };
    int crawling = 0;
    for (long steps = 0; next < times.size(); ++steps) {
        if (steps >= watch.max_steps) return fail(stepper.now(), fmt::format("{} steps have been taken and the end is far", steps));
        if (!stepper.step()) return fail(stepper.now(), stepper.why());
        const double t = stepper.now();
        crawling =
            t - stepper.before() > 32 * epsilon * std::max(std::abs(t), std::abs(times.back())) || t >= times.back() ? 0 : crawling + 1;
        if (crawling == 0) stepper.forget_obstacle();
        if (crawling > 50)
            return fail(t, stepper.obstacle().empty() ? "the steps have become too short for this precision" : stepper.obstacle());
        double last = stepper.before();
        for (const auto& [at, which] : crossings.look()) {
            if (report.status == event && at - report.t > 1e-12 * std::max(std::abs(at), times.back() - times.front())) break;
            if (!rows_until(at)) return fail(times[next], "a row of results cannot be worked out");
            stepper.interpolate(at, x);
            last = at;
            if (watch.crossed && watch.crossed(which, at, x)) report.status = event, report.t = at;
        }
        if (report.status == event) return report;
        if (!rows_until(t)) return fail(std::max(last, times[next]), "a row of results cannot be worked out");
        report.t = t;
        if (watch.step && !watch.step(stepper)) {
            report.status = interrupted;
            return report;
        }
    }
    report.t = times.back();
    return report;
}

}  // namespace linkwright::solve
