// Poles along a parameter.

#include "linkwright/linear/design/sweep.hpp"

#include "motion/subject.hpp"

namespace linkwright {
namespace {

using linear::Operating;
using linear::Sweep;
using linear::SweepEvent;
using Complex = std::complex<double>;

std::vector<double> range(double from, double to, int intervals) {
    std::vector<double> values;
    for (int i = 0; i <= intervals; ++i) values.push_back(from + (to - from) * i / intervals);
    return values;
}

struct Live {
    explicit Live(const std::string& path) : subject(path), numbers(subject.equations, test_code(), numeric::Parameters::live) {}
    std::size_t parameter(const std::string& name) const {
        for (std::size_t i = 0; i < subject.equations.parameters.size(); ++i) {
            if (subject.equations.parameters[i].symbol.symbol().name == name) return i;
        }
        ADD_FAILURE() << name;
        return 0;
    }
    Sweep operator()(const std::string& name, const std::vector<double>& values, Operating::At at) {
        return linear::sweep(numbers, parameter(name), values, {.at = at, .start = subject.start(), .options = {}});
    }
    Subject subject;
    numeric::CompiledEquations numbers;
};

/// A pole never jumps further than what a smooth curve allows: second differences stay small beside the steps around a place,
/// except next to where branches meet.
double roughest(const Sweep& s, std::size_t branch, const std::function<bool(double)>& skip) {
    double most = 0;
    for (std::size_t k = 1; k + 1 < s.samples.size(); ++k) {
        if (skip(s.samples[k].value)) continue;
        const auto &a = s.samples[k - 1].poles[branch], &b = s.samples[k].poles[branch], &c = s.samples[k + 1].poles[branch];
        if (a && b && c) most = std::max(most, std::abs(*a - 2.0 * *b + *c));
    }
    return most;
}

TEST(Sweep, OfTheBicycleFindsWeaveCapsizeAndDoubleRoot) {
    Live bicycle("models/bicycle/model.toml");
    const Sweep s = bicycle("v", range(0, 10, 100), Operating::At::initial);
    ASSERT_TRUE(s.is_ok) << s.why;
    ASSERT_EQ(s.samples.size(), 101u);
    const auto find = [&](double value) {
        const SweepEvent* best = nullptr;
        for (const SweepEvent& e : s.events) {
            if (best == nullptr || std::abs(e.value - value) < std::abs(best->value - value)) best = &e;
        }
        return best;
    };
    const SweepEvent *weave = find(4.2923825363411), *capsize = find(6.02426201538836), *both = find(0.684283078892456);
    ASSERT_TRUE(weave && capsize && both);
    EXPECT_NEAR(weave->value, 4.2923825363411, 1e-9);
    EXPECT_EQ(weave->what, "crossing");
    EXPECT_NEAR(capsize->value, 6.02426201538836, 1e-9);
    EXPECT_EQ(capsize->what, "crossing");
    EXPECT_NEAR(both->value, 0.684283078892456, 1e-7);
    EXPECT_EQ(both->what, "meeting");
    EXPECT_NEAR(both->pole.imag(), 0, 1e-6);
    for (std::size_t b = 0; b < s.branches; ++b) EXPECT_LT(roughest(s, b, [](double v) { return std::abs(v - 0.684) < 0.3; }), 0.05) << b;
    // at v = 10 the castering branch is the one that began at −5.53
    for (std::size_t b = 0; b < s.branches; ++b) {
        if (std::abs(*s.samples.front().poles[b] + 5.53094371765393) > 1e-6) continue;
        EXPECT_NEAR(s.samples.back().poles[b]->real(), -24.624596350174, 1e-8);
    }
}

TEST(Sweep, FollowsAnEquilibriumAndLeavesTheParameterAsItWas) {
    Live pendulum("models/triple_pendulum/model.toml");
    const double g = pendulum.numbers.parameters()[pendulum.parameter("g")];
    const Sweep s = pendulum("g", {9.81, 98.1}, Operating::At::equilibrium);
    ASSERT_TRUE(s.is_ok) << s.why;
    ASSERT_EQ(s.branches, 6u);
    for (std::size_t b = 0; b < 6; ++b) EXPECT_NEAR(std::abs(*s.samples[1].poles[b] / *s.samples[0].poles[b]), std::sqrt(10.0), 1e-8);
    EXPECT_EQ(pendulum.numbers.parameters()[pendulum.parameter("g")], g);
}

}  // namespace
}  // namespace linkwright
