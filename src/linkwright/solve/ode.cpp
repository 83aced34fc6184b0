#include "linkwright/solve/ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

bool is_positive(double g) { return g >= 0; }

/// Finds crossings of the event functions within one step after the other.
class Crossings {
public:
    struct Found {
        double t;
        Index which;
    };

    Crossings(const Watch& watch, Stepper& stepper, double end)
        : watch_(watch), stepper_(stepper), start_(stepper.now()), span_(end - stepper.now()) {
        const Index n = static_cast<Index>(watch.crossings.size());
        left_.setZero(n), right_.setZero(n), middle_.setZero(n);
        if (n > 0) watch.roots(stepper.now(), stepper.x(), left_);
    }

    /// Those of the last step, in the order of time.
    std::vector<Found> look() {
        std::vector<Found> found;
        if (watch_.crossings.empty()) return found;
        const double from = stepper_.before(), to = stepper_.now();
        double a = from;
        for (int k = 1; k <= looks; ++k) {
            const double b = k == looks ? to : from + (to - from) * k / looks;
            if (!(b > a)) continue;
            if (k == looks) {
                watch_.roots(to, stepper_.x(), right_);
            } else {
                stepper_.glance(b, x_);
                watch_.roots(b, x_, right_);
            }
            for (Index i = 0; i < left_.size(); ++i) {
                if (is_positive(left_[i]) == is_positive(right_[i]) || std::isnan(left_[i]) || std::isnan(right_[i])) continue;
                const Crossing wanted = watch_.crossings[static_cast<std::size_t>(i)];
                const bool goes_up = is_positive(right_[i]);
                if ((wanted == Crossing::up && !goes_up) || (wanted == Crossing::down && goes_up)) continue;
                const double t = locate(i, a, b, left_[i], right_[i]);
                if (t - start_ > 1e-12 * span_) found.push_back({t, i});
            }
            std::swap(left_, right_);
            a = b;
        }
        std::ranges::sort(found, [](const Found& l, const Found& r) { return l.t < r.t || (l.t == r.t && l.which < r.which); });
        return found;
    }

private:
    static constexpr int looks = 4;  ///< per step, so that a function that dips below zero and comes back is seen

    /// Bisection helped by the secant of Illinois, down to neighbours.
    double locate(Index i, double a, double b, double ga, double gb) {
        const bool right_side = is_positive(gb);
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
                b = t, gb = g;
                if (stuck == 1) ga /= 2;
                stuck = 1;
            } else {
                a = t, ga = g;
                if (stuck == 2) gb /= 2;
                stuck = 2;
            }
        }
        return b;
    }

    const Watch& watch_;
    Stepper& stepper_;
    double start_, span_;
    VectorXd left_, right_, middle_, x_;
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
        if (watch.row && !watch.row(stepper.now(), stepper.x()))
            return fail(stepper.now(), "a row of results cannot be worked out");
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
        if (steps >= watch.max_steps)
            return fail(stepper.now(), fmt::format("{} steps have been taken and the end is far", steps));
        if (!stepper.step()) return fail(stepper.now(), stepper.why());
        const double t = stepper.now();
        crawling = t - stepper.before() > 32 * epsilon * std::max(std::abs(t), std::abs(times.back())) || t >= times.back()
                       ? 0
                       : crawling + 1;
        if (crawling == 0) stepper.forget_obstacle();
        if (crawling > 50)
            return fail(t, stepper.obstacle().empty() ? "the steps have become too short to count" : stepper.obstacle());
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
