// Calls that are stopped, at once or after a few questions, and options that make no sense: told, never thrown, never called a success.

#include "linkwright/linkwright.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::StartsWith;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Says yes k times, then no.
OnStep after(int k) {
    return [k](const Step&) mutable { return k-- > 0; };
}

/// However often it was asked before: a failure that says so.
template <class Verb>
void expect_stops(const Verb& verb, std::initializer_list<int> after_calls = {0, 1}) {
    for (const int k : after_calls) {
        const auto r = verb(after(k));
        EXPECT_EQ(r.status, Status::numerical_failure) << k;
        EXPECT_THAT(first_error(r), StartsWith("interrupted")) << k;
    }
}

TEST(Stop, Verbs) {
    const Session p = test::pendulum();
    expect_stops([&](const OnStep& s) { return equilibrium(p, {.starts = 5, .on_step = s}); }, {0, 1, 3});
    expect_stops([&](const OnStep& s) { return place(p, {.frequencies = {0.5}, .vary = {"l"}, .on_step = s}); });
    expect_stops([&](const OnStep& s) { return sweep(p, {.along = "l=50:100:20", .on_step = s}); }, {0, 1, 5});
    expect_stops([&](const OnStep& s) { return frequency(p, {.on_step = s}); }, {0, 1, 20});
    expect_stops([&](const OnStep& s) { return linearize(p, {.on_step = s}); }, {0});
    expect_stops([&](const OnStep& s) { return modes(p, {.on_step = s}); }, {0});
    expect_stops([&](const OnStep& s) { return sensitivity(p, {.to = {"all"}, .on_step = s}); }, {0});
    expect_stops([&](const OnStep& s) { return generate(p, {.languages = {"c", "python"}, .on_step = s}); }, {0, 1, 2});
    expect_stops([&](const OnStep& s) { return count_all(p, s); });
    expect_stops([&](const OnStep& s) { return perturb(p, {.on_step = s}); }, {0, 1, 3});
    expect_stops([&](const OnStep& s) { return derive(p, {.on_step = s}); }, {0});
    const test::TemporaryFile file("stopped.eqs", "M[1,1] = m*l^2\nf[1] = tau - c*hip' - m*g*l*sin(hip)\n");
    expect_stops([&](const OnStep& s) { return compare(p, {.file = file.path(), .seed = 1, .on_step = s}); });
    int left = 1;
    const auto proof = prove(p, {.seed = 1, .progress = [&](const std::string&) { return left-- > 0; }});
    EXPECT_FALSE(proof);
    EXPECT_EQ(first_error(proof), "interrupted");
}

TEST(Options, NonsenseIsToldWithoutAModel) {
    EXPECT_TRUE(has_error(check(OpenOptions{.set = {"m"}, .formulation = "newton"})));
    EXPECT_EQ(check(OpenOptions{.set = {"m"}, .formulation = "newton"}).size(), 2U);
    EXPECT_TRUE(has_error(check(SimulateOptions{.rows = {.until = infinity}})));
    EXPECT_TRUE(has_error(check(EvaluateOptions{.state = {.values = NamedState{.values = {{"hip", nan}}}}})));
    EXPECT_EQ(check(InverseOptions{.motion = {"=t", ""}, .rows = {.until = nan}}).size(), 3U);
    EXPECT_EQ(check(EquilibriumOptions{.words = {.hold = {"hip", "a=1,a=2"}}, .starts = 0}).size(), 3U);
    EXPECT_TRUE(has_error(check(LinearizeOptions{.onto = {"hip,hip"}})));
    EXPECT_TRUE(has_error(check(SensitivityOptions{.operating = {.equilibrium = {.hold = {"hip"}}}})));
    EXPECT_EQ(check(AnimateOptions{.amplitude = nan, .frames = 0}).size(), 2U);
    EXPECT_EQ(check(FrequencyOptions{.range = "2:1", .points = 1, .frequencies = {-1}}).size(), 3U);
    EXPECT_EQ(check(PlaceOptions{.eigenvalues = {1}, .vary = {"l", "l"}, .bounds = {"l"}, .weights = {-1}, .iterations = 0}).size(), 4U);
    EXPECT_EQ(check(PerturbOptions{.degree = 9, .order = 0, .closeness = nan}).size(), 3U);
    EXPECT_EQ(check(ScalesCompareOptions{.amplitude = {"x"}, .until = nan, .samples = 0}).size(), 3U);
    EXPECT_EQ(check(SpectrumOptions{.samples = 0, .tolerance = nan}).size(), 4U);
    EXPECT_EQ(check(MotionSensitivityOptions{.tolerance = 0}).size(), 2U);
    for (const char* wrong : {"", "m", "m=1:2:3:4", "m=:2", "m=1,,2"}) EXPECT_TRUE(has_error(check(SweepOptions{.along = wrong}))) << wrong;
    EXPECT_EQ(check(ProveOptions{.only = {"a", "b"}, .patience = nan}).size(), 3U);
}

}  // namespace
}  // namespace linkwright::session
