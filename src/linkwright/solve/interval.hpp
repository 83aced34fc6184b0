#pragma once
// Numbers known to lie between two bounds. An operation gives bounds between which its exact result lies whatever the numbers are; bounds
// are rounded outwards, so that "no zero in here" is a statement about the exact function [neumaier90].
//
// Where a function is not defined for part of an interval, the rest counts: √[−1, 4] = [0, 2]. Where it is defined nowhere the result is
// empty: the expression has no value there.

#include <limits>

namespace linkwright::solve {

struct Interval {
    double lower = 0, upper = 0;

    constexpr Interval() = default;
    constexpr explicit Interval(double x) : lower(x), upper(x) {}
    constexpr Interval(double from, double to) : lower(from), upper(to) {}

    static constexpr Interval all() { return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}; }
    static constexpr Interval empty() { return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}; }

    bool is_empty() const { return !(lower <= upper); }
    bool is_bounded() const;
    bool contains(double x) const { return lower <= x && x <= upper; }
    bool contains(const Interval& x) const { return lower <= x.lower && x.upper <= upper; }
    double middle() const { return 0.5 * lower + 0.5 * upper; }
    double width() const { return upper - lower; }
    double size() const;  ///< the largest |x|
    bool operator==(const Interval&) const = default;
};

Interval operator-(const Interval& a);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval operator/(const Interval& a, const Interval& b);

Interval square(const Interval& a);
Interval sqrt(const Interval& a);
Interval sin(const Interval& a);
Interval cos(const Interval& a);
Interval tan(const Interval& a);
Interval abs(const Interval& a);
Interval sign(const Interval& a);
Interval atan2(const Interval& y, const Interval& x);
Interval pow(const Interval& a, double exponent);
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);
/// Of a function that only rises or only falls between `from` and `to`, where it is defined.
Interval monotone(double (*f)(double), const Interval& a, double from, double to);

/// The smallest that contains both; the part they share.
Interval hull(const Interval& a, const Interval& b);
Interval shared(const Interval& a, const Interval& b);

}  // namespace linkwright::solve
