#include "linkwright/solve/interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace linkwright::solve {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity(), largest_number = std::numeric_limits<double>::max();
constexpr double least_number = std::numeric_limits<double>::denorm_min();
constexpr double of_sum = 2.3e-16;      ///< more than one unit in the last place; sums that underflow are exact
constexpr double of_library = 1.8e-15;  ///< eight of them: functions of the C library err by less
constexpr double small = 1e-290;        ///< below it products lose digits

double down(double x, double relative) {
    if (std::isnan(x)) return -infinite;
    if (x == infinite) return largest_number;
    return x - std::abs(x) * relative;
}
double up(double x, double relative) { return -down(-x, relative); }

/// Of a product or quotient: a result that is too small for its digits has another error beside.
double down_from(double x, bool may_underflow) {
    const double y = down(x, of_sum);
    return may_underflow && std::abs(x) < small ? y - 2 * least_number : y;
}

struct Products {
    double least = infinite, most = -infinite;
    bool underflows = false;

    void take(double a, double b) {
        const double x = a == 0 || b == 0 ? 0 : a * b;  // an end at infinity is a bound, not a number: 0 · ∞ = 0
        underflows |= a != 0 && b != 0 && std::abs(x) < small;
        least = std::min(least, x), most = std::max(most, x);
    }
    Interval result() const { return {down_from(least, underflows), -down_from(-most, underflows)}; }
};

Interval inverse(const Interval& a) {
    if (a.is_empty() || (a.lower == 0 && a.upper == 0)) return Interval::empty();
    if (a.lower < 0 && a.upper > 0) return Interval::all();
    const double from = a.upper == 0 ? -infinite : down_from(1 / a.upper, true);
    const double to = a.lower == 0 ? infinite : -down_from(-1 / a.lower, true);
    return {a.lower >= 0 ? std::max(from, 0.0) : from, a.upper <= 0 ? std::min(to, 0.0) : to};
}

/// Whether a + k·period lies in x for some whole k, or may.
bool meets(const Interval& x, double a, double period) {
    const double slack = 1e-14 * std::max({1.0, std::abs(x.lower), std::abs(x.upper)});
    return std::ceil((x.lower - a - slack) / period) <= std::floor((x.upper - a + slack) / period);
}

}  // namespace

bool Interval::is_bounded() const { return !is_empty() && std::isfinite(lower) && std::isfinite(upper); }
double Interval::size() const { return std::max(std::abs(lower), std::abs(upper)); }

Interval operator-(const Interval& a) { return {-a.upper, -a.lower}; }

Interval operator+(const Interval& a, const Interval& b) {
    if (a.is_empty() || b.is_empty()) return Interval::empty();
    return {down(a.lower + b.lower, of_sum), up(a.upper + b.upper, of_sum)};
}
Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
    if (a.is_empty() || b.is_empty()) return Interval::empty();
    Products p;
    p.take(a.lower, b.lower), p.take(a.lower, b.upper), p.take(a.upper, b.lower), p.take(a.upper, b.upper);
    return p.result();
}
Interval operator/(const Interval& a, const Interval& b) { return a * inverse(b); }

Interval square(const Interval& a) {
    if (a.is_empty()) return a;
    const Interval all = a * a;
    return {std::max(all.lower, 0.0), all.upper};
}

Interval sqrt(const Interval& a) {
    if (a.is_empty() || a.upper < 0) return Interval::empty();
    return {std::max(0.0, down(std::sqrt(std::max(a.lower, 0.0)), of_sum)), up(std::sqrt(a.upper), of_sum)};
}

Interval sin(const Interval& a) {
    constexpr double half = std::numbers::pi / 2, turn = 2 * std::numbers::pi;
    if (a.is_empty()) return a;
    if (!a.is_bounded() || a.width() >= turn || a.size() > 1e9) return {-1, 1};
    const double x = std::sin(a.lower), y = std::sin(a.upper);
    return {meets(a, -half, turn) ? -1 : std::max(-1.0, down(std::min(x, y), of_library)),
            meets(a, half, turn) ? 1 : std::min(1.0, up(std::max(x, y), of_library))};
}
Interval cos(const Interval& a) {
    constexpr double turn = 2 * std::numbers::pi;
    if (a.is_empty()) return a;
    if (!a.is_bounded() || a.width() >= turn || a.size() > 1e9) return {-1, 1};
    const double x = std::cos(a.lower), y = std::cos(a.upper);
    return {meets(a, std::numbers::pi, turn) ? -1 : std::max(-1.0, down(std::min(x, y), of_library)),
            meets(a, 0, turn) ? 1 : std::min(1.0, up(std::max(x, y), of_library))};
}
Interval tan(const Interval& a) {
    if (a.is_empty()) return a;
    if (!a.is_bounded() || a.size() > 1e9 || meets(a, std::numbers::pi / 2, std::numbers::pi)) return Interval::all();
    return {down(std::tan(a.lower), of_library), up(std::tan(a.upper), of_library)};
}

Interval abs(const Interval& a) {
    if (a.is_empty() || a.lower >= 0) return a;
    if (a.upper <= 0) return -a;
    return {0, a.size()};
}
Interval sign(const Interval& a) {
    if (a.is_empty()) return a;
    const auto of = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
    return {of(a.lower), of(a.upper)};
}

Interval atan2(const Interval& y, const Interval& x) {
    if (y.is_empty() || x.is_empty()) return Interval::empty();
    const bool is_cut = x.lower <= 0 && y.lower <= 0 && y.upper >= 0;  // the jump at the negative half axis, and the origin
    if (is_cut || !x.is_bounded() || !y.is_bounded()) return {-3.1415926535897936, 3.1415926535897936};
    Interval r = Interval::empty();
    for (const double a : {y.lower, y.upper}) {
        for (const double b : {x.lower, x.upper}) r = hull(r, Interval(std::atan2(a, b)));
    }
    if (y.contains(0.0)) r = hull(r, Interval(0));
    if (x.contains(0.0)) r = hull(r, Interval(std::atan2(y.lower > 0 ? 1.0 : -1.0, 0.0)));
    return {down(r.lower, of_library), up(r.upper, of_library)};
}

Interval pow(const Interval& a, double exponent) {
    if (a.is_empty() || a.upper < 0) return Interval::empty();
    const double x = std::pow(std::max(a.lower, 0.0), exponent), y = std::pow(a.upper, exponent);
    return {std::max(0.0, down(std::min(x, y), of_library)), up(std::max(x, y), of_library) + least_number};
}

Interval min(const Interval& a, const Interval& b) {
    if (a.is_empty() || b.is_empty()) return Interval::empty();
    return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}
Interval max(const Interval& a, const Interval& b) {
    if (a.is_empty() || b.is_empty()) return Interval::empty();
    return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval monotone(double (*f)(double), const Interval& a, double from, double to) {
    const Interval inside = shared(a, {from, to});
    if (inside.is_empty()) return inside;
    const double x = f(inside.lower), y = f(inside.upper), least = std::min(x, y), most = std::max(x, y);
    // A value of 0 may have underflowed; a positive one stands for positive ones and is not widened past 0.
    const double below = least > 0 ? std::max(0.0, down(least, of_library) - 2 * least_number) : down(least, of_library);
    return {below, most >= 0 ? up(most, of_library) + 2 * least_number : up(most, of_library)};
}

Interval hull(const Interval& a, const Interval& b) {
    if (a.is_empty()) return b;
    if (b.is_empty()) return a;
    return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}
Interval shared(const Interval& a, const Interval& b) { return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)}; }

}  // namespace linkwright::solve
