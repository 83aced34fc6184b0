// Bounds hold: whatever numbers are in the intervals, the result is between the bounds; and the bounds are no wider than need be.

#include "linkwright/solve/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace linkwright::solve {
namespace {

using Unary = std::pair<std::function<Interval(const Interval&)>, std::function<long double(long double)>>;
using Binary = std::pair<std::function<Interval(const Interval&, const Interval&)>, std::function<long double(long double, long double)>>;

Interval draw(std::mt19937_64& random) {
    std::uniform_real_distribution<double> exponent(-3, 2), sign(-1, 1);
    const auto number = [&] { return (sign(random) < 0 ? -1 : 1) * std::pow(10.0, exponent(random)); };
    const double a = number(), b = sign(random) > 0.6 ? a : number();
    return {std::min(a, b), std::max(a, b)};
}
double inside(const Interval& x, std::mt19937_64& random) {
    const double part = std::uniform_real_distribution<double>(0, 1)(random);
    return part < 0.1 ? x.lower : part > 0.9 ? x.upper : std::clamp(x.lower + part * x.width(), x.lower, x.upper);
}
double libm_exp(double x) { return std::exp(x); }
double libm_acos(double x) { return std::acos(x); }
constexpr double endless = std::numeric_limits<double>::infinity();

TEST(Interval, HoldsWhatItMust) {
    const std::vector<Unary> unary{
        {[](const Interval& a) { return square(a); }, [](long double x) { return x * x; }},
        {[](const Interval& a) { return sqrt(a); }, [](long double x) { return std::sqrt(x); }},
        {[](const Interval& a) { return sin(a); }, [](long double x) { return std::sin(x); }},
        {[](const Interval& a) { return cos(a); }, [](long double x) { return std::cos(x); }},
        {[](const Interval& a) { return tan(a); }, [](long double x) { return std::tan(x); }},
        {[](const Interval& a) { return abs(a); }, [](long double x) { return std::abs(x); }},
        {[](const Interval& a) { return pow(a, 1.0 / 3); }, [](long double x) { return std::pow(x, static_cast<long double>(1.0 / 3)); }},
        {[](const Interval& a) { return monotone(libm_exp, a, -endless, endless); }, [](long double x) { return std::exp(x); }},
        {[](const Interval& a) { return monotone(libm_acos, a, -1, 1); }, [](long double x) { return std::acos(x); }},
    };
    const std::vector<Binary> binary{
        {[](const Interval& a, const Interval& b) { return a + b; }, [](long double x, long double y) { return x + y; }},
        {[](const Interval& a, const Interval& b) { return a - b; }, [](long double x, long double y) { return x - y; }},
        {[](const Interval& a, const Interval& b) { return a * b; }, [](long double x, long double y) { return x * y; }},
        {[](const Interval& a, const Interval& b) { return a / b; }, [](long double x, long double y) { return x / y; }},
        {[](const Interval& a, const Interval& b) { return atan2(a, b); }, [](long double x, long double y) { return std::atan2(x, y); }},
        {[](const Interval& a, const Interval& b) { return min(a, b); }, [](long double x, long double y) { return std::min(x, y); }},
        {[](const Interval& a, const Interval& b) { return max(a, b); }, [](long double x, long double y) { return std::max(x, y); }},
    };
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 2000; ++trial) {
        const Interval a = draw(random), b = draw(random);
        const double x = inside(a, random), y = inside(b, random);
        const auto check = [&](const Interval& r, long double value, std::size_t which) {
            if (std::isnan(value)) return;
            EXPECT_LE(r.lower, value) << which << " on " << a.lower << " " << a.upper << ", " << b.lower << " " << b.upper;
            EXPECT_GE(r.upper, value) << which << " on " << a.lower << " " << a.upper << ", " << b.lower << " " << b.upper;
        };
        for (std::size_t k = 0; k < unary.size(); ++k) check(unary[k].first(a), unary[k].second(x), k);
        for (std::size_t k = 0; k < binary.size(); ++k) check(binary[k].first(a, b), binary[k].second(x, y), 100 + k);
    }
}

TEST(Interval, IsNoWiderThanNeedBe) {
    const auto expect_near = [](const Interval& a, double lower, double upper) {
        EXPECT_NEAR(a.lower, lower, 1e-13);
        EXPECT_NEAR(a.upper, upper, 1e-13);
    };
    expect_near(square({-1, 3}), 0, 9);
    expect_near(Interval(-1, 3) * Interval(-1, 3), -3, 9);
    expect_near(sqrt(Interval(-4, 9)), 0, 3);
    expect_near(sin(Interval(1, 2)), std::sin(1), 1);
    expect_near(cos(Interval(3, 3.5)), -1, std::cos(3.5));
    expect_near(sin(Interval(0.1, 0.2)), std::sin(0.1), std::sin(0.2));
    expect_near(tan(Interval(-1, 1)), -std::tan(1), std::tan(1));
    expect_near(Interval(1) / Interval(2, 4), 0.25, 0.5);
    expect_near(sign(Interval(-2, 5)), -1, 1);
    EXPECT_EQ(tan(Interval(1, 2)), Interval::all());
    EXPECT_EQ((Interval(1) / Interval(0, 4)).upper, endless);
    EXPECT_TRUE(sqrt(Interval(-4, -1)).is_empty());
    EXPECT_TRUE((sqrt(Interval(-4, -1)) + Interval(1)).is_empty());
    EXPECT_EQ(Interval(0) * Interval::all(), Interval(0));
}

/// A sum that rounds to a number not below it must not be called a bound.
TEST(Interval, RoundsOutwards) {
    const Interval sum = Interval(1) + Interval(1e-30), difference = Interval(1) - Interval(1e-30);
    EXPECT_GT(sum.upper, 1);
    EXPECT_LE(sum.lower, 1);
    EXPECT_LT(difference.lower, 1);
    EXPECT_GE(difference.upper, 1);
    const Interval tiny = Interval(1e-200) * Interval(1e-200);
    EXPECT_GT(tiny.upper, 0);
    const Interval third = Interval(1) / Interval(3);
    EXPECT_LT(third.lower, third.upper);
}

}  // namespace
}  // namespace linkwright::solve
