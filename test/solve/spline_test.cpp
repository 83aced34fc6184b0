#include "linkwright/solve/spline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace linkwright::solve {
namespace {

TEST(Spline, MeetsCubicsExactly) {
    const std::vector<double> t{0, 0.3, 1, 1.4, 2.5};
    const auto f = [](double x) { return 1 - 2 * x + 0.5 * x * x - 3 * x * x * x; };
    MatrixXd y(5, 2);
    for (Index k = 0; k < 5; ++k) y(k, 0) = f(t[k]), y(k, 1) = 7;
    const Spline spline(t, y);
    VectorXd x, v, a;
    for (double s = 0; s <= 2.5; s += 0.05) {
        spline(s, x, &v, &a);
        EXPECT_NEAR(x[0], f(s), 1e-12);
        EXPECT_NEAR(v[0], -2 + s - 9 * s * s, 1e-11);
        EXPECT_NEAR(a[0], 1 - 18 * s, 1e-10);
        EXPECT_NEAR(x[1], 7, 1e-13);
    }
}

TEST(Spline, ConvergesWithTheFourthPower) {
    const auto error = [](int n) {
        std::vector<double> t;
        MatrixXd y(n + 1, 1);
        for (int k = 0; k <= n; ++k) t.push_back(3.0 * k / n), y(k, 0) = std::sin(2 * t.back());
        const Spline spline(t, y);
        VectorXd x;
        double worst = 0;
        for (double s = 0; s <= 3; s += 0.001) spline(s, x), worst = std::max(worst, std::abs(x[0] - std::sin(2 * s)));
        return worst;
    };
    EXPECT_GT(error(20) / error(40), 12);
}

TEST(Spline, FewSamplesAndItsEnds) {
    VectorXd x, v, a;
    const Spline one(std::vector<double>{2}, MatrixXd::Constant(1, 1, 5));
    one(7, x, &v, &a);
    EXPECT_EQ(x[0], 5);
    const Spline line(std::vector<double>{0, 2}, (MatrixXd(2, 1) << 1, 5).finished());
    line(0.5, x, &v, &a);
    EXPECT_DOUBLE_EQ(x[0], 2);
    EXPECT_DOUBLE_EQ(v[0], 2);
    line(9, x, &v, &a);
    EXPECT_EQ(x[0], 5);
    EXPECT_EQ(v[0], 0);
    const Spline parabola(std::vector<double>{0, 1, 3}, (MatrixXd(3, 1) << 0, 1, 9).finished());
    parabola(2, x, &v, &a);
    EXPECT_DOUBLE_EQ(x[0], 4);
    EXPECT_DOUBLE_EQ(a[0], 2);
    EXPECT_THROW(Spline(std::vector<double>{0, 0}, MatrixXd::Zero(2, 1)), std::invalid_argument);
    EXPECT_THROW(Spline(std::vector<double>{0, 1}, MatrixXd::Zero(3, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace linkwright::solve
