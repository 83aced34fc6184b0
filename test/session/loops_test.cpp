// Transfer functions, loops and loci of elastic arms, closed chains, motors and filters.

#include <cmath>
#include <complex>
#include <numbers>

#include "linkwright/model/build.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/session/frequency.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/loop_locus.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/spectra.hpp"
#include "linkwright/session/sweep.hpp"
#include "linkwright/solve/elimination.hpp"
#include "session/subject.hpp"
#include "support/servo.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Complex = std::complex<double>;
using Verdict = linear::Nyquist::Verdict;
using ::testing::HasSubstr;

Session from_text(const std::string& text) {
    const auto opened = open_text(text, "arm.toml");
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

/// A beam on a hub that a motor turns.
std::string arm(const std::string& damping) {
    return R"(format = 1
[parameters]
L = 1.2
mu = 0.6
EI = 9
[inputs]
tau = 0
[[body]]
name = "hub"
inertia = [0, 0, 0.05]
[[body]]
name = "arm"
type = "beam"
length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
shapes = { y = { family = "clamped-free", count = 4 } }
damping = )" +
           damping + R"(
points = { gauge = { at = 0.05, offset = [0, 0.004, 0] } }
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "hub"
axis = "z"
actuator = "tau"
damping = 0
[[joint]]
name = "clamp"
type = "weld"
parent = "hub"
child = "arm"
[[output]]
name = "tip"
position = "arm.tip"
[[output]]
name = "strain"
strain = "arm.gauge"
)";
}

linear::Channel channel(const Session& session, const std::string& from, const std::string& to) {
    const auto r = frequency(session, {.from = {from}, .to = {to}});
    EXPECT_TRUE(r) << to_string(r.problems);
    return r->transfer.channels.at(0);
}

// Where the hub stands still whatever the torque: the clamped beam vibrates.
TEST(FlexibleArm, HubZerosAreTheClampedFrequencies) {
    const linear::Channel hub = channel(from_text(arm("0")), "tau", "theta");
    ASSERT_EQ(hub.zeros.size(), 8);
    const double beta[] = {1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467};
    for (int i = 0; i < 4; ++i) {
        const double omega = std::pow(beta[i] / 1.2, 2) * std::sqrt(9 / 0.6);
        EXPECT_EQ(hub.zeros[2 * i].real(), 0) << i;  // on the axis, not beside it
        EXPECT_NEAR(hub.zeros[2 * i].imag(), omega, 1e-8 * omega);
        EXPECT_EQ(hub.zeros[2 * i + 1], std::conj(hub.zeros[2 * i]));
    }
    EXPECT_EQ(hub.static_gain, INFINITY);
}

TEST(FlexibleArm, ItsTipIsNotMinimumPhase) {
    const linear::Channel tip = channel(from_text(arm("0")), "tau", "tip.y"), damped = channel(from_text(arm("0.02")), "tau", "tip.y");
    long right = 0;
    for (const Complex z : tip.zeros) {
        right += z.real() > 0 ? 1 : 0;
        EXPECT_NE(z, 0.0);        // the rigid motion is no zero
        bool has_mirror = false;  // undamped: s² only
        for (const Complex w : tip.zeros) has_mirror |= std::abs(w + z) <= 1e-8 * std::abs(z);
        EXPECT_TRUE(has_mirror) << z;
    }
    EXPECT_EQ(right, 4);
    EXPECT_EQ(std::ranges::count_if(damped.zeros, [](Complex z) { return z.real() > 0; }), 4);
    EXPECT_EQ(tip.zeros[0].imag(), 0);
    // pushed at the hub the tip begins by going the other way: an odd number of real zeros to the right, or none
    EXPECT_GT(tip.zeros.cwiseAbs().minCoeff(), 10);
    const linear::Channel strain = channel(from_text(arm("0.02")), "tau", "strain");
    EXPECT_EQ(strain.zeros[0], 0.0);  // it does not see the rigid motion
    EXPECT_EQ(strain.zeros[1], 0.0);
    EXPECT_NE(strain.zeros[2], 0.0);
}

// Rate feedback at the hub damps every mode; at the tip it drives some.
TEST(FlexibleArm, CollocatedLoopsAreStable) {
    std::string text = arm("0");
    text.replace(text.find("damping = 0\n[[joint]]"), 11, "stiffness = 30");
    const Session held = from_text(text);
    const auto collocated = frequency(held, {.from = {"tau"}, .to = {"theta'"}});
    ASSERT_TRUE(collocated) << to_string(collocated.problems);
    EXPECT_EQ(collocated->transfer.channels[0].loop->verdict, Verdict::stable) << collocated->transfer.channels[0].loop->words;
    const auto locus = loop_locus(held, {.gains = "0:2:60", .from = {"tau"}, .to = {"theta'"}});
    ASSERT_TRUE(locus) << to_string(locus.problems);
    ASSERT_EQ(locus->locus.stable.size(), 1u);
    EXPECT_EQ(locus->locus.stable[0].to, 2);
    for (const linear::RootAngles& a : locus->locus.departures) EXPECT_NEAR(std::abs(a.degrees[0]), 180, 1e-5) << a.root;
    const auto away = loop_locus(held, {.gains = "0:2:60", .from = {"tau"}, .to = {"tip.y"}});
    ASSERT_TRUE(away);
    EXPECT_TRUE(away->locus.stable.empty());
    const Json j = to_json(*away);
    EXPECT_EQ(j["branches"].size(), 10u);
    EXPECT_THAT(to_csv(*locus), HasSubstr("gain,re1,im1"));
}

// An all-pass filter between what is asked for and the push: (s² − 2ζω s + ω²)/(s² + 2ζω s + ω²), two auxiliary states.
TEST(Filters, AnAllPassHasItsZerosOnTheRight) {
    using namespace model;
    Reading reading = model::read(pendulum_text, "pendulum.toml");
    ASSERT_TRUE(reading.model);
    Model& m = *reading.model;
    const sym::PoolScope scope(*m.pool);
    const Expr asked = input(m, "asked"), a = state(m, "a"), b = state(m, "b");
    const double w = 12, zeta = 0.4;
    m.states[0].rate = b;
    m.states[1].rate = asked - w * w * a - 2 * zeta * w * b;
    for (Joint& joint : m.joints) joint.forces.resize(1), joint.forces[0].actuator += asked - 4 * zeta * w * b;
    const auto opened = open_model(m);
    ASSERT_TRUE(opened) << to_string(opened.problems);
    const linear::Channel c = channel(*opened, "asked", "hip");
    ASSERT_EQ(c.zeros.size(), 2);
    EXPECT_NEAR(c.zeros[0].real(), zeta * w, 1e-9);
    EXPECT_NEAR(c.zeros[0].imag(), w * std::sqrt(1 - zeta * zeta), 1e-9);
    const linear::Channel plain = channel(*opened, "tau", "hip");
    const auto r = frequency(*opened, {.from = {"asked", "tau"}, .to = {"hip"}, .frequencies = {1, 5, 20, 90}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(r->transfer.channels[0].magnitude[i] / r->transfer.channels[1].magnitude[i], 1, 1e-9);
    // and it ends where it should: k from 0 on, past the axis
    const auto locus = loop_locus(*opened, {.gains = "0.01:1000:80:log", .from = {"asked"}, .to = {"hip"}});
    ASSERT_TRUE(locus) << to_string(locus.problems);
    EXPECT_NEAR(locus->locus.zeros[0].real(), zeta * w, 1e-9);
    EXPECT_FALSE(locus->locus.events.empty());
}

/// A closed chain whose crank is moved by a motor with a current.
Session motorised(const std::string& model) {
    model::Reading reading = model::read_file(model_path(model));
    EXPECT_TRUE(reading.model);
    add_motor(*reading.model);
    const auto opened = open_model(*reading.model, {.set = {"volts=0"}});
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

TEST(ClosedChains, WithAMotorHaveLoops) {
    const Session chain = motorised("four_bar/model.toml");
    const auto linear = linearize(chain);
    ASSERT_TRUE(linear) << to_string(linear.problems);
    const auto r = frequency(chain, {.from = {"volts"}, .to = {"alpha", "current"}, .frequencies = {0, 0.7, 3, 40}});
    ASSERT_TRUE(r) << to_string(r.problems);
    // against A, B, C themselves
    const linear::Linearization& L = linear->linear;
    const auto column = std::ranges::find(L.inputs, "volts") - L.inputs.begin();
    const std::vector<std::string> names = states(L);
    const auto state = std::ranges::find(names, "current") - names.begin();
    for (std::size_t i = 1; i < 4; ++i) {
        const auto n = L.state_space.A.rows();
        const Eigen::MatrixXcd sI = Complex(0, r->transfer.omega[i]) * Eigen::MatrixXcd::Identity(n, n);
        const Complex expected = solve::ComplexLu(Eigen::MatrixXcd(sI - L.state_space.A.cast<Complex>()))
                                     .solve(Eigen::VectorXcd(L.state_space.B.col(column).cast<Complex>()))[state];
        EXPECT_LT(std::abs(r->transfer.channels[1].values[i] - expected), 1e-9 * std::abs(expected));
    }
    for (const linear::Channel& c : r->transfer.channels) {
        ASSERT_TRUE(c.loop);
        EXPECT_NE(c.loop->verdict, Verdict::undecided) << c.loop->words;
    }
    const auto locus = loop_locus(chain, {.gains = "0:30:60", .from = {"volts"}, .to = {"alpha"}});
    ASSERT_TRUE(locus) << to_string(locus.problems);
    EXPECT_EQ(locus->locus.branches, static_cast<std::size_t>(L.state_space.A.rows()));
}

TEST(ClosedChains, ElasticOnesWithAMotorAreSwept) {
    const Session chain = motorised("baruh_four_bar_a/model.toml");
    const OperatingWords initial{.at = linear::Operating::At::initial};
    const auto swept = sweep(chain, {.along = "E=100:300:8", .operating = initial});
    ASSERT_TRUE(swept) << to_string(swept.problems);
    ASSERT_EQ(swept->sweep.samples.size(), 9u);
    // the highest frequency is nearly all bending: it goes with the square root of E
    const auto highest = [&](const linear::SweepSample& sample) {
        double most = 0;
        for (const auto& pole : sample.poles) most = std::max(most, pole ? std::abs(*pole) : 0);
        return most;
    };
    EXPECT_NEAR(highest(swept->sweep.samples.back()) / highest(swept->sweep.samples.front()), std::sqrt(3.0), 0.01);
    const auto locus = loop_locus(chain, {.gains = "0:1:10", .operating = initial, .from = {"volts"}, .to = {"current"}});
    ASSERT_TRUE(locus) << to_string(locus.problems);
    EXPECT_EQ(locus->locus.samples.size(), 11u);
    EXPECT_EQ(locus->locus.branches, swept->sweep.branches);
}

TEST(LoopLocusWords, AreToldWhenWrong) {
    const Session p = pendulum();
    const auto told = [&](const LoopLocusOptions& o) { return first_error(loop_locus(p, o)); };
    EXPECT_EQ(told({.gains = "0:10:x", .from = {"tau"}, .to = {"hip"}}), "--loop-gain 0:10:x: 'x' is not a number");
    EXPECT_EQ(told({.gains = "0:10:5:log", .from = {"tau"}, .to = {"hip"}}), "--loop-gain 0:10:5:log: equal ratios do not pass 0");
    EXPECT_EQ(told({.gains = "1,3,2", .from = {"tau"}, .to = {"hip"}}),
              "--loop-gain 1,3,2: the values must rise, or fall, from one to the next");
    EXPECT_EQ(told({.gains = "5:5", .from = {"tau"}, .to = {"hip"}}), "--loop-gain 5:5: the range is empty");
    EXPECT_EQ(told({.gains = "0:1:2.5", .from = {"tau"}, .to = {"hip"}}),
              "--loop-gain 0:1:2.5: the number of intervals must be a whole number from 1 to a million");
    EXPECT_THAT(told({.gains = "0:1", .from = {"tau"}, .to = {"hip", "hip'"}}), HasSubstr("there are 2 and 1"));
    EXPECT_EQ(told({.gains = "0:1", .from = {"volts"}, .to = {"hip"}}), "--from: no input 'volts'");
    EXPECT_THAT(told({.gains = "0:1", .from = {"tau"}, .to = {"knee"}}), HasSubstr("--to: no output, coordinate or speed 'knee'"));
}

// Lee's way: so many samples after a transient, behind a Hanning window, and harmonics.
TEST(Spectra, SkipATransientAndListHarmonics) {
    const Session p = pendulum();
    const auto r = spectra(p, {.columns = {"hip"}, .until = 30, .samples = 4096, .after = 2, .how = {}, .harmonics = 5});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->samples, 4096u);
    EXPECT_EQ(r->from, 2);
    EXPECT_NEAR(r->interval, 28.0 / 4096, 1e-15);
    ASSERT_EQ(r->spectra[0].harmonics.list.size(), 5u);
    EXPECT_NEAR(r->spectra[0].harmonics.list[0].frequency, std::sqrt(9.81 / 0.5) / (2 * std::numbers::pi), 0.01);
    EXPECT_THAT(harmonics_csv(*r), HasSubstr("hip,5,"));
    const auto by_interval = spectra(p, {.columns = {"hip"}, .until = 30, .every = 0.01, .after = 2});
    ASSERT_TRUE(by_interval);
    EXPECT_EQ(by_interval->samples, 2800u);
    EXPECT_EQ(to_json(*by_interval)["window"], "hanning");
    EXPECT_EQ(first_error(spectra(p, {.columns = {"hip"}, .until = 5, .after = 7})),
              "--after 7 is not between 0, where the motion begins, and --until 5");
    EXPECT_EQ(check(SpectrumOptions{.columns = {"hip"}, .until = 5, .every = -1.0, .average = 0, .harmonics = -1}).size(), 3u);
}

}  // namespace
}  // namespace linkwright::test
