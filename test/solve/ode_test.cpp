#include "linkwright/solve/ode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "linkwright/solve/dae.hpp"

namespace linkwright::solve {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Status = OdeReport::Status;
using Make = std::unique_ptr<Stepper> (*)(const Ode&, double, const VectorXd&);

constexpr std::array<Make, 4> methods{make_adams, make_bdf, make_runge_kutta, make_classical};

/// ẍ = −x from (1, 0).
Ode oscillator(double end, double tolerance) {
    Ode ode;
    ode.size = 2;
    ode.rate = [](double, const double* x, double* r) {
        r[0] = x[1], r[1] = -x[0];
        return true;
    };
    ode.absolute = VectorXd::Constant(2, tolerance / 100);
    ode.relative = tolerance;
    ode.end = end;
    ode.step = 1e-3;
    return ode;
}

TEST(Ode, EveryMethodFollowsTheCosine) {
    for (const Make make : methods) {
        const Ode ode = oscillator(20, 1e-10);
        const auto stepper = make(ode, 0, Eigen::Vector2d(1, 0));
        std::vector<double> times;
        for (int i = 0; i <= 200; ++i) times.push_back(0.1 * i);
        times.back() = 20;
        std::size_t row = 0;
        Watch watch;
        watch.row = [&](double t, const VectorXd& x) {
            EXPECT_EQ(t, times[row++]);
            EXPECT_NEAR(x[0], std::cos(t), 1e-7);
            EXPECT_NEAR(x[1], -std::sin(t), 1e-7);
            return true;
        };
        const OdeReport r = integrate(*stepper, times, watch);
        EXPECT_EQ(r.status, Status::reached) << r.why;
        EXPECT_EQ(row, times.size());
        EXPECT_EQ(r.t, 20);
        EXPECT_GT(stepper->statistics().steps, 10);
    }
}

TEST(Ode, OrdersAreWhatTheyShouldBe) {
    // the classical method: halving the step leaves a sixteenth of the error
    std::array<double, 2> error{};
    for (const int k : {0, 1}) {
        Ode ode = oscillator(2, 1e-10);
        ode.step = 0.1 / (1 + k);
        const auto s = make_classical(ode, 0, Eigen::Vector2d(1, 0));
        while (s->now() < 2) ASSERT_TRUE(s->step());
        EXPECT_EQ(s->now(), 2);
        error[k] = (s->x() - Eigen::Vector2d(std::cos(2.0), -std::sin(2.0))).norm();
    }
    EXPECT_NEAR(error[0] / error[1], 16, 1);
    // Prince and Dormand: forces that depend on time alone must be judged too, and steps may be long
    Ode ode;
    ode.size = 1;
    ode.rate = [](double t, const double*, double* r) {
        r[0] = std::cos(t);
        return true;
    };
    ode.absolute = VectorXd::Constant(1, 1e-12);
    ode.relative = 1e-10;
    ode.end = 30;
    const auto s = make_runge_kutta(ode, 0, VectorXd::Zero(1));
    while (s->now() < 30) ASSERT_TRUE(s->step());
    EXPECT_NEAR(s->x()[0], std::sin(30.0), 1e-9);
    EXPECT_LT(s->statistics().steps, 120);
}

TEST(Ode, RowsBetweenStepsAreAsGoodAsSteps) {
    for (const Make make : methods) {
        const Ode ode = oscillator(10, 1e-9);
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        VectorXd x;
        while (s->now() < 10) {
            ASSERT_TRUE(s->step());
            for (const double part : {0.0, 0.1, 0.5, 0.9, 1.0}) {
                const double t = s->before() + part * (s->now() - s->before());
                s->interpolate(t, x);
                EXPECT_NEAR(x[0], std::cos(t), 2e-7);
                s->glance(t, x, false);
                EXPECT_NEAR(x[0], std::cos(t), 1e-3);
                s->glance(t, x, true);
                EXPECT_NEAR(x[0], std::cos(t), 2e-6);
            }
        }
    }
}

TEST(Ode, EventsAreFoundInOrder) {
    for (const Make make : methods) {
        const Ode ode = oscillator(10, 1e-11);
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        Watch watch;
        watch.crossings = {Crossing::both, Crossing::up, Crossing::down, Crossing::both};
        watch.roots = [](double t, const VectorXd& x, VectorXd& g) { g << x[0], x[1], x[1], t - 7; };
        std::vector<std::pair<Index, double>> found;
        watch.crossed = [&](Index which, double t, const VectorXd&) {
            found.emplace_back(which, t);
            return which == 3;
        };
        const std::array times{0.0, 10.0};
        const OdeReport r = integrate(*s, times, watch);
        EXPECT_EQ(r.status, Status::event);
        EXPECT_NEAR(r.t, 7, 1e-12);
        constexpr double pi = std::numbers::pi;
        const std::vector<std::pair<Index, double>> expected{
            {0, pi / 2}, {1, pi}, {0, 3 * pi / 2}, {2, 2 * pi}, {3, 7}};  // x1 = 0 at the start is no event
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].first, expected[i].first);
            EXPECT_NEAR(found[i].second, expected[i].second, 1e-8);
        }
    }
}

TEST(Ode, EventsOfOneMomentComeTogether) {
    const Ode ode = oscillator(3, 1e-9);
    const auto s = make_adams(ode, 0, Eigen::Vector2d(1, 0));
    Watch watch;
    watch.crossings = {Crossing::both, Crossing::both, Crossing::both};
    watch.roots = [](double t, const VectorXd& x, VectorXd& g) { g << x[0], 3 * x[0], t - 2; };
    int count = 0;
    watch.crossed = [&](Index which, double, const VectorXd&) { return ++count, which == 0; };
    const std::array times{0.0, 3.0};
    EXPECT_EQ(integrate(*s, times, watch).status, Status::event);
    EXPECT_EQ(count, 2);
}

TEST(Ode, ZeroAtTheStartUpToRoundingIsNoEvent) {
    for (const double start : {0.0, 1e-17, -1e-17}) {
        const Ode ode = oscillator(1, 1e-9);
        const auto s = make_adams(ode, 0, Eigen::Vector2d(start, 1));
        Watch watch;
        watch.crossings = {Crossing::both};
        watch.roots = [](double, const VectorXd& x, VectorXd& g) { g << x[0]; };
        watch.crossed = [&](Index, double, const VectorXd&) { return ADD_FAILURE(), true; };
        const std::array times{0.0, 1.0};
        EXPECT_EQ(integrate(*s, times, watch).status, Status::reached);
    }
}

/// A ball that falls from height 1 with g = 10.
Ode ball(double end, double stiffness) {
    Ode ode = oscillator(end, 1e-8);
    ode.rate = [stiffness](double, const double* x, double* r) {
        r[0] = x[1], r[1] = -10 - (x[0] < 0 ? stiffness * x[0] : 0);
        return true;
    };
    return ode;
}

TEST(Ode, StagesWithoutWeightAreLookedAtToo) {
    // In free fall the estimate of the error is exactly zero, and steps grow and grow; then a stage falls below the floor.
    for (const double stiffness : {1e6, 1e4, 300.0}) {
        const Ode ode = ball(5, stiffness);
        const auto s = make_runge_kutta(ode, 0, Eigen::Vector2d(1, 0));
        double lowest = 0;
        while (s->now() < 5) {
            ASSERT_TRUE(s->step()) << s->why();
            const double x = s->x()[0], v = s->x()[1];
            lowest = std::min(lowest, x);
            EXPECT_NEAR(v * v / 2 + 10 * x + (x < 0 ? stiffness * x * x / 2 : 0), 10, 1e-4);
        }
        EXPECT_GT(lowest, -2);
        EXPECT_LT(s->statistics().evaluations, 20000);
    }
}

struct Noted {
    std::vector<std::pair<Index, double>> crossed, undefined, unresolved;
};
Noted watch_roots(Stepper& stepper, double end, std::vector<Crossing> crossings,
                  std::function<void(double, const VectorXd&, VectorXd&)> roots) {
    Noted n;
    Watch watch;
    watch.crossings = std::move(crossings);
    watch.roots = std::move(roots);
    watch.crossed = [&](Index i, double t, const VectorXd&) { return n.crossed.emplace_back(i, t), false; };
    watch.undefined = [&](Index i, double t) { n.undefined.emplace_back(i, t); };
    watch.unresolved = [&](Index i, double t) { n.unresolved.emplace_back(i, t); };
    const std::array times{stepper.now(), end};
    EXPECT_EQ(integrate(stepper, times, watch).status, Status::reached);
    return n;
}

TEST(Ode, CrossingsCloseTogetherAreFound) {
    for (const Make make : methods) {
        const Ode ode = ball(1, 0);
        const auto s = make(ode, 0, Eigen::Vector2d(0, 5));  // the apex is at 1.25
        const Noted n = watch_roots(*s, 1, {Crossing::both}, [](double, const VectorXd& x, VectorXd& g) { g << x[0] - 1.249999; });
        ASSERT_EQ(n.crossed.size(), 2U);
        EXPECT_NEAR(n.crossed[0].second, 0.5 - std::sqrt(2e-7), 1e-6);
        EXPECT_NEAR(n.crossed[1].second, 0.5 + std::sqrt(2e-7), 1e-6);
    }
}

TEST(Ode, AFunctionFasterThanTheMotionIsFollowed) {
    for (const Make make : methods) {
        const Ode ode = oscillator(10, 1e-8);
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        const Noted n = watch_roots(*s, 10, {Crossing::both}, [](double t, const VectorXd&, VectorXd& g) { g << std::sin(1000 * t); });
        EXPECT_EQ(n.crossed.size(), 3183U);  // but not the one at the start
        EXPECT_TRUE(n.unresolved.empty());
    }
    const Ode ode = oscillator(10, 1e-8);
    const auto s = make_adams(ode, 0, Eigen::Vector2d(1, 0));
    const Noted n = watch_roots(*s, 10, {Crossing::up}, [](double t, const VectorXd&, VectorXd& g) { g << std::sin(1e7 * t); });
    EXPECT_EQ(n.unresolved.size(), 1U);
}

TEST(Ode, AFunctionThatStartsAtZeroIsArmedLater) {
    for (const Make make : methods) {
        const Ode ode = oscillator(5, 1e-10);
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        const Noted n = watch_roots(*s, 5, {Crossing::both, Crossing::both, Crossing::both},
                                    [](double, const VectorXd& x, VectorXd& g) { g << x[0] - 1, x[0] - 1 + 2e-13, x[1]; });
        ASSERT_EQ(n.crossed.size(), 1U);
        EXPECT_EQ(n.crossed[0].first, 2);
        EXPECT_NEAR(n.crossed[0].second, std::numbers::pi, 1e-7);
    }
}

TEST(Ode, PolesAreNoCrossingsAndUndefinedIsTold) {
    for (const Make make : methods) {
        const Ode ode = oscillator(10, 1e-8);
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        const Noted n = watch_roots(
            *s, 10, {Crossing::both, Crossing::both, Crossing::both, Crossing::both},
            [](double t, const VectorXd&, VectorXd& g) { g << 1 / (t - 0.2), std::sqrt(4 - t) - 1, t < 5 ? -1 : 1, std::tan(t); });
        std::vector<double> when;
        for (const auto& [i, t] : n.crossed) when.push_back(t);
        EXPECT_THAT(when, testing::ElementsAre(testing::DoubleNear(3, 1e-9), testing::DoubleNear(std::numbers::pi, 1e-9),
                                               testing::DoubleNear(5, 1e-9), testing::DoubleNear(2 * std::numbers::pi, 1e-9),
                                               testing::DoubleNear(3 * std::numbers::pi, 1e-9)));
        ASSERT_EQ(n.undefined.size(), 1U);
        EXPECT_EQ(n.undefined[0].first, 1);
        EXPECT_GT(n.undefined[0].second, 4);
        EXPECT_LT(n.undefined[0].second, 5);
    }
}

TEST(Ode, ProjectionKeepsTheCircle) {
    for (const Make make : methods) {
        Ode ode = oscillator(400, 1e-5);
        ode.step = 0.05;
        double early = 0, late = 0;
        ode.project = [&](double t, double* x) {
            const double r = std::hypot(x[0], x[1]);
            double& most = t < 30 ? early : late;
            most = std::max(most, std::abs(r - 1));
            if (std::abs(r - 1) < 1e-15) return Projected::kept;
            x[0] /= r, x[1] /= r;
            return Projected::moved;
        };
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        while (s->now() < 400) {
            ASSERT_TRUE(s->step()) << s->why();
            EXPECT_NEAR(s->x().norm(), 1, 1e-14);
        }
        EXPECT_GT(s->statistics().projections, 10);
        EXPECT_LT(s->statistics().steps, 20000);  // the memory of rates was kept: no restart after every step
        EXPECT_LT(late, 4 * early) << "what was projected is not what the method goes on from";
    }
}

TEST(Ode, AProjectionThatFailsIsTold) {
    for (const Make make : methods) {
        Ode ode = oscillator(10, 1e-8);
        ode.project = [](double t, double*) { return t < 3 ? Projected::kept : Projected::failed; };
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        const std::array times{0.0, 10.0};
        const OdeReport r = integrate(*s, times, {});
        EXPECT_EQ(r.status, Status::failed);
        EXPECT_LT(r.t, 3.01);
        EXPECT_THAT(r.why, HasSubstr("cannot be brought back"));
    }
}

TEST(Ode, RatesThatEndAreTold) {
    for (const Make make : methods) {
        Ode ode = oscillator(10, 1e-8);
        const auto rate = ode.rate;
        ode.rate = [rate](double t, const double* x, double* r) { return t < 2.5 && rate(t, x, r); };
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        Watch watch;
        double last = 0;
        watch.row = [&](double t, const VectorXd&) { return last = t, true; };
        const std::array times{0.0, 1.0, 2.0, 3.0};
        const OdeReport r = integrate(*s, times, watch);
        EXPECT_EQ(r.status, Status::failed);
        EXPECT_EQ(last, 2);
        EXPECT_GT(r.t, 2.4);
        EXPECT_LE(r.t, 2.5);
        EXPECT_THAT(r.why, testing::AnyOf(StartsWith("at t = 2.4"), StartsWith("at t = 2.5 ")));
        EXPECT_THAT(r.why, HasSubstr("cannot be worked out"));
    }
}

TEST(Ode, WhatRunsAwayEnds) {
    for (const Make make : methods) {
        Ode ode;
        ode.size = 1;
        ode.rate = [](double, const double* x, double* r) {
            r[0] = x[0] * x[0];  // infinite at t = 1
            return std::isfinite(r[0]);
        };
        ode.absolute = VectorXd::Constant(1, 1e-10);
        ode.end = 3;
        ode.step = 0.01;
        const auto s = make(ode, 0, VectorXd::Ones(1));
        const std::array times{0.0, 0.5, 3.0};
        Watch watch;
        watch.max_steps = 100000;
        const OdeReport r = integrate(*s, times, watch);
        EXPECT_EQ(r.status, Status::failed);
        EXPECT_GT(r.t, 0.5);
        EXPECT_LT(r.t, 1.1);
        EXPECT_FALSE(r.why.empty());
    }
}

TEST(Ode, StiffnessIsForNewton) {
    // ẋ = −1e6 (x − cos t): the exact Jacobian, and differences where there is none
    for (const bool has_jacobian : {false, true}) {
        Ode ode;
        ode.size = 1;
        ode.rate = [](double t, const double* x, double* r) { return r[0] = -1e6 * (x[0] - std::cos(t)), true; };
        if (has_jacobian) ode.jacobian = [](double, const double*, double* J) { return J[0] = -1e6, true; };
        ode.absolute = VectorXd::Constant(1, 1e-10);
        ode.relative = 1e-8;
        ode.end = 10;
        const auto s = make_bdf(ode, 0, VectorXd::Zero(1));
        while (s->now() < 10) ASSERT_TRUE(s->step()) << s->why();
        EXPECT_NEAR(s->x()[0], std::cos(10.0), 1e-5);
        EXPECT_LT(s->statistics().steps, 1500);
        EXPECT_EQ(s->statistics().jacobians > 0, has_jacobian);
    }
}

TEST(Ode, LimitsAreKept) {
    Ode ode = oscillator(10, 1e-6);
    ode.max_step = 0.01;
    const auto s = make_adams(ode, 0, Eigen::Vector2d(1, 0));
    const std::array times{0.0, 10.0};
    Watch watch;
    watch.max_steps = 500;
    const OdeReport r = integrate(*s, times, watch);
    EXPECT_EQ(r.status, Status::failed);
    EXPECT_LT(r.t, 5.01);
    EXPECT_THAT(r.why, HasSubstr("500 steps"));
    watch.step = [](Stepper& at) { return at.now() < 6; };
    watch.max_steps = 100000;
    const OdeReport again = integrate(*s, times, watch);
    EXPECT_EQ(again.status, Status::interrupted);
    EXPECT_NEAR(again.t, 6, 0.02);
}

TEST(Ode, RestartsAnywhere) {
    for (const Make make : methods) {
        const Ode ode = oscillator(10, 1e-10);
        const auto s = make(ode, 0, Eigen::Vector2d(1, 0));
        while (s->now() < 3) ASSERT_TRUE(s->step());
        s->restart(s->now(), Eigen::Vector2d(0, 2));
        const double from = s->now();
        while (s->now() < 10) ASSERT_TRUE(s->step());
        EXPECT_NEAR(s->x()[0], 2 * std::sin(10 - from), 1e-7);
    }
}

TEST(Dae, APendulumInTheStabilisedForm) {
    // p in the plane on a rod of length 1 [gear85]: ṗ = v − p μ, v̇ = −p λ + g, p·v = 0, ½(p² − 1) = 0
    Dae dae;
    dae.size = 6;
    dae.residual = [](double, const double* x, const double* d, double* r) {
        r[0] = d[0] - x[2] + x[0] * x[5], r[1] = d[1] - x[3] + x[1] * x[5];
        r[2] = d[2] + x[0] * x[4], r[3] = d[3] + x[1] * x[4] + 9.81;
        r[4] = x[0] * x[2] + x[1] * x[3], r[5] = (x[0] * x[0] + x[1] * x[1] - 1) / 2;
        return true;
    };
    dae.jacobian = [](double, double c, const double* x, const double*, double* columns) {
        Eigen::Map<MatrixXd> J(columns, 6, 6);
        J.setZero();
        for (Index i = 0; i < 2; ++i) {
            J(i, i) = c + x[5], J(i, 2 + i) = -1, J(i, 5) = x[i];
            J(2 + i, 2 + i) = c, J(2 + i, i) = x[4], J(2 + i, 4) = x[i];
            J(4, i) = x[2 + i], J(4, 2 + i) = x[i], J(5, i) = x[i];
        }
        return true;
    };
    dae.is_differential = {true, true, true, true, false, false};
    dae.absolute = VectorXd::Constant(6, 1e-10);
    dae.absolute[4] = dae.absolute[5] = 1e30;
    dae.end = 3;
    VectorXd x(6), rate(6);
    x << std::sin(1e-3), -std::cos(1e-3), 0, 0, 9.81 * std::cos(1e-3), 0;
    rate << 0, 0, -x[0] * x[4], -x[1] * x[4] - 9.81, 0, 0;
    const auto s = make_ida(dae, 0, x, rate, [](double, VectorXd&, VectorXd&) { return true; });
    while (s->now() < 3) ASSERT_TRUE(s->step()) << s->why();
    EXPECT_NEAR(s->x()[0], 1e-3 * std::cos(std::sqrt(9.81) * 3), 1e-7);
    EXPECT_NEAR(s->x().head(2).norm(), 1, 1e-12);
    EXPECT_NEAR(s->x().head(2).dot(s->x().segment(2, 2)), 0, 1e-12);
}

}  // namespace
}  // namespace linkwright::solve
