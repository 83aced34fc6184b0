// Every zero in a box, no other one, and what cannot be decided is said.

#include "linkwright/solve/box_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace linkwright::solve {
namespace {

BoxSearchOptions options(Index n, double from = 0.1) {
    BoxSearchOptions o;
    o.from = VectorXd::Constant(n, from);
    o.scale = VectorXd::Ones(n);
    return o;
}

/// (x − 1) (x − 2) (x + 3), and its derivative.
Enclosure cubic(const Box& b, bool) {
    const Interval x = b[0], u = x - Interval(1), v = x - Interval(2), w = x + Interval(3);
    return {{u * v * w}, {v * w + u * w + u * v}};
}

TEST(BoxSearch, FindsTheRootsOfACubicAndOnlyThoseInside) {
    const ZerosInBox all = zeros_in_box(cubic, {Interval(-100, 100)}, options(1));
    ASSERT_EQ(all.zeros.size(), 3u);
    EXPECT_TRUE(all.is_complete());
    std::vector<double> x;
    for (const VectorXd& z : all.zeros) x.push_back(z[0]);
    std::ranges::sort(x);
    EXPECT_NEAR(x[0], -3, 1e-12);
    EXPECT_NEAR(x[1], 1, 1e-12);
    EXPECT_NEAR(x[2], 2, 1e-12);
    EXPECT_TRUE(zeros_in_box(cubic, {Interval(3, 100)}, options(1)).zeros.empty());
    EXPECT_EQ(zeros_in_box(cubic, {Interval(1, 1.9)}, options(1)).zeros.size(), 1u);  // at the border
    EXPECT_LT(all.looked, 200u);
}

TEST(BoxSearch, FindsWhereACircleMeetsALine) {
    const Enclose meet = [](const Box& b, bool) {
        const Interval &x = b[0], &y = b[1];
        return Enclosure{{square(x) + square(y) - Interval(4), x - y}, {Interval(2) * x, Interval(2) * y, Interval(1), Interval(-1)}};
    };
    const ZerosInBox all = zeros_in_box(meet, {Interval(-1000, 1000), Interval(-1000, 1000)}, options(2));
    ASSERT_EQ(all.zeros.size(), 2u);
    EXPECT_TRUE(all.is_complete());
    for (const VectorXd& z : all.zeros) {
        EXPECT_NEAR(std::abs(z[0]), std::sqrt(2.0), 1e-12);
        EXPECT_NEAR(z[0], z[1], 1e-12);
    }
}

TEST(BoxSearch, TakesMoreRowsThanUnknowns) {
    const Enclose twice = [](const Box& b, bool) {
        return Enclosure{{b[0] - Interval(0.3), Interval(5) * (b[0] - Interval(0.3)), Interval(0)},
                         {Interval(1), Interval(5), Interval(0)}};
    };
    const ZerosInBox all = zeros_in_box(twice, {Interval(-9, 9)}, options(1));
    ASSERT_EQ(all.zeros.size(), 1u);
    EXPECT_NEAR(all.zeros[0][0], 0.3, 1e-13);
}

TEST(BoxSearch, SaysWhatItCannotDecide) {
    const Enclose touches = [](const Box& b, bool) {
        const Interval x = b[0] - Interval(0.7);
        return Enclosure{{square(x)}, {Interval(2) * x}};
    };
    const ZerosInBox one = zeros_in_box(touches, {Interval(-5, 5)}, options(1));
    EXPECT_FALSE(one.is_complete());
    EXPECT_TRUE(one.zeros.empty());
    ASSERT_EQ(one.clusters.size(), 1u);
    EXPECT_TRUE(one.clusters[0][0].contains(0.7));
    EXPECT_LT(one.clusters[0][0].width(), 1e-4);

    const Enclose line = [](const Box& b, bool) { return Enclosure{{b[0] - b[1]}, {Interval(1), Interval(-1)}}; };
    const ZerosInBox many = zeros_in_box(line, {Interval(-5, 5), Interval(-5, 5)}, options(2));
    EXPECT_FALSE(many.is_complete());
    EXPECT_FALSE(many.open.empty());
    EXPECT_LT(many.looked, 20'000u);  // given up early

    BoxSearchOptions hurried = options(1);
    hurried.budget = 3;
    const ZerosInBox begun = zeros_in_box(cubic, {Interval(-100, 100)}, hurried);
    EXPECT_FALSE(begun.is_complete());
    EXPECT_FALSE(begun.open.empty());

    const Enclose fades = [](const Box& b, bool) {
        const Interval e = monotone(std::exp, -square(b[0]), -std::numeric_limits<double>::infinity(), 1e300);
        return Enclosure{{e}, {Interval(-2) * b[0] * e}};
    };
    const Box whole{Interval(-1000, 1000)};
    const ZerosInBox none = zeros_in_box(fades, whole, options(1));
    EXPECT_TRUE(none.zeros.empty() && none.clusters.empty());
    const Box decided = box_without(whole, none.open, VectorXd::Constant(1, 0.1));
    ASSERT_EQ(decided.size(), 1u);
    EXPECT_LT(decided[0].lower, -10);
    EXPECT_GT(decided[0].upper, 10);
    EXPECT_LT(decided[0].upper, 30);
}

TEST(BoxSearch, CutsOffWhatIsOpen) {
    const VectorXd from = VectorXd::Zero(2);
    const Box box{Interval(-10, 10), Interval(-10, 10)};
    const Box cut = box_without(box, {{Interval(8, 9), Interval(-10, 10)}, {Interval(-10, 10), Interval(-4, -3)}}, from);
    ASSERT_EQ(cut.size(), 2u);
    EXPECT_EQ(cut[0], Interval(-10, 8));
    EXPECT_EQ(cut[1], Interval(-3, 10));
    EXPECT_TRUE(box_without(box, {{Interval(-1, 1), Interval(-1, 1)}}, from).empty());
    EXPECT_EQ(box_without(box, {}, from), box);
}

}  // namespace
}  // namespace linkwright::solve
