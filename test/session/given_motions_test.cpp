// Given motions as inputs: bases that shake, cranks that are turned a little otherwise than told. Closed forms, and two ways to one thing.

#include <cmath>
#include <complex>
#include <numbers>

#include "linkwright/model/build.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/session/frequency.hpp"
#include "linkwright/session/linearize.hpp"
#include "session/subject.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Complex = std::complex<double>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Session from_text(const std::string& text, const OpenOptions& options = {}) {
    const auto opened = open_text(text, "shaken.toml", options);
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

/// G at these frequencies, as numbers; `to` by `from`.
std::vector<Complex> response(const Session& session, const std::string& from, const std::string& to, const std::vector<double>& omega,
                              const OperatingWords& where = {}) {
    const auto r = frequency(session, {.operating = where, .from = {from}, .to = {to}, .frequencies = omega});
    EXPECT_TRUE(r) << to_string(r.problems);
    std::vector<Complex> list;
    if (!r) return list;
    const linear::Channel& c = r->transfer.channels[0];
    for (std::size_t i = 0; i < omega.size(); ++i) list.push_back(std::polar(c.magnitude[i], c.phase[i] * std::numbers::pi / 180));
    return list;
}

template <class F>
void expect_response(const Session& session, const std::string& from, const std::string& to, const F& expected, double tolerance = 1e-9,
                     const OperatingWords& where = {}) {
    const std::vector<double> omega{0.3, 2, 11, 19.5, 70, 400};
    const std::vector<Complex> G = response(session, from, to, omega, where);
    ASSERT_EQ(G.size(), omega.size());
    for (std::size_t i = 0; i < omega.size(); ++i) {
        const Complex wanted = expected(Complex(0, omega[i]));
        EXPECT_LT(std::abs(G[i] - wanted), tolerance * std::abs(wanted))
            << to << " by " << from << " at " << omega[i] << ": " << G[i] << wanted;
    }
}

/// A mass on a spring and a damper, on a plate that moves as given. The coordinate x is relative.
std::string oscillator(const std::string& motion, const std::string& more = "") {
    return R"(format = 1
[parameters]
m = 2
c = 3
k = 800
[inputs]
push = 0
[[body]]
name = "plate"
[[body]]
name = "mass"
mass = "m"
[[joint]]
name = "base"
type = "prismatic"
parent = "ground"
child = "plate"
axis = "x"
[[joint]]
name = "x"
type = "prismatic"
parent = "plate"
child = "mass"
axis = "x"
stiffness = "k"
damping = "c"
actuator = "push"
[[motion]]
coordinate = "base"
equals = ")" +
           motion + R"("
[[output]]
name = "p"
position = "mass"
[[output]]
name = "v"
velocity = "mass"
[[output]]
name = "a"
acceleration = "mass"
)" + more;
}

constexpr double m = 2, c = 3, k = 800;
Complex transmissibility(Complex s) { return (k + c * s) / (m * s * s + c * s + k); }

TEST(GivenMotions, ABaseIsTransmittedAsInTextbooks) {
    const Session shaken = from_text(oscillator("0"));
    for (const char* rate : {"", "'", "''"}) {
        const std::string from = std::string("base") + rate;
        const auto over = static_cast<int>(from.size()) - 4;
        const auto of = [&](auto g) { return [=](Complex s) { return g(s) / std::pow(s, over); }; };
        expect_response(shaken, from, "p.x", of([](Complex s) { return transmissibility(s); }));
        expect_response(shaken, from, "v.x", of([](Complex s) { return s * transmissibility(s); }));
        expect_response(shaken, from, "a.x", of([](Complex s) { return s * s * transmissibility(s); }));
        expect_response(shaken, from, "x", of([](Complex s) { return -m * s * s / (m * s * s + c * s + k); }));
        expect_response(shaken, from, "x'", of([](Complex s) { return -m * s * s * s / (m * s * s + c * s + k); }));
        // what it takes to move the plate: all that the mass resists
        expect_response(shaken, from, "base.force", of([](Complex s) { return m * s * s * transmissibility(s); }));
        expect_response(shaken, from, "base", of([](Complex) { return Complex(1); }));
    }
    // and pushes are what they were
    expect_response(shaken, "push", "p.x", [](Complex s) { return 1.0 / (m * s * s + c * s + k); });
}

TEST(GivenMotions, HaveZerosGainsAndSlowEnds) {
    const Session shaken = from_text(oscillator("0"));
    const auto channel = [&](const std::string& from, const std::string& to) {
        const auto r = frequency(shaken, {.from = {from}, .to = {to}});
        EXPECT_TRUE(r) << to_string(r.problems);
        return r->transfer.channels[0];
    };
    const linear::Channel absolute = channel("base", "p.x"), felt = channel("base", "a.x"), relative = channel("base''", "x"),
                          drift = channel("base''", "p.x"), speed = channel("base'", "v.x");
    ASSERT_EQ(absolute.zeros.size(), 1);
    EXPECT_NEAR(absolute.zeros[0].real(), -k / c, 1e-9 * k / c);
    EXPECT_NEAR(absolute.gain, c / m, 1e-12);
    EXPECT_NEAR(absolute.static_gain, 1, 1e-12);
    EXPECT_EQ(absolute.integrations, 0u);
    ASSERT_EQ(felt.zeros.size(), 3);  // one more than there are poles
    EXPECT_EQ(felt.zeros[0], 0.0);
    EXPECT_EQ(felt.zeros[1], 0.0);
    EXPECT_EQ(felt.static_gain, 0);
    EXPECT_NEAR(felt.gain, c / m, 1e-12);
    EXPECT_EQ(relative.zeros.size(), 0);
    EXPECT_EQ(relative.integrations, 0u);  // both are cancelled
    EXPECT_NEAR(relative.static_gain, -m / k, 1e-15);
    EXPECT_EQ(drift.integrations, 2u);
    EXPECT_EQ(drift.static_gain, INFINITY);
    EXPECT_EQ(speed.integrations, 0u);
    EXPECT_NEAR(speed.static_gain, 1, 1e-12);
    EXPECT_FALSE(absolute.margins);
    EXPECT_NEAR(drift.phase.front(), -180, 1e-2);
}

TEST(GivenMotions, DeviateFromWhateverIsGiven) {
    expect_response(from_text(oscillator("0.3 + 0.02*sin(7*t)")), "base", "p.x", [](Complex s) { return transmissibility(s); });
    // speeds of one's own change nothing of it
    const Session own = from_text(oscillator("0.02*t", "[speeds]\nacross = \"2*x' + base'\"\n"));
    expect_response(own, "base", "p.x", [](Complex s) { return transmissibility(s); });
    expect_response(own, "base''", "x", [](Complex s) { return -m / (m * s * s + c * s + k); });
    const auto linear = linearize(own, {.operating = {.at = linear::Operating::At::initial}});
    ASSERT_TRUE(linear) << to_string(linear.problems);
    const Eigen::MatrixXd& B = linear->linear.by_motions.second_order;
    const Eigen::MatrixXd& M = linear->linear.second_order.M;
    ASSERT_TRUE(linear->linear.second_order.is_mechanical);
    EXPECT_NEAR(B(0, 0), 0, 1e-12);
    EXPECT_NEAR(B(0, 1), 0, 1e-12);
    EXPECT_NEAR(B(0, 2) / M(0, 0), -1, 1e-12);
}

TEST(GivenMotions, AreColumnsOfTheLinearModel) {
    const auto r = linearize(from_text(oscillator("0")));
    ASSERT_TRUE(r) << to_string(r.problems);
    const linear::ByMotions& by = r->linear.by_motions;
    EXPECT_THAT(by.columns(), ElementsAre("base", "base'", "base''"));
    EXPECT_THAT(r->linear.inputs, ElementsAre("push"));
    EXPECT_EQ(r->linear.state_space.B.cols(), 1);
    EXPECT_EQ(r->linear.point.state.w.size(), 1);
    EXPECT_NEAR(by.state(1, 2), -1, 1e-14);
    EXPECT_NEAR(by.second_order(0, 2), -m, 1e-14);
    EXPECT_THAT(r->linear.notes, Not(testing::Contains(HasSubstr("depend on time explicitly"))));
    const Json j = to_json(*r);
    EXPECT_EQ(j["given_motions"]["columns"].size(), 3u);
    EXPECT_EQ(j["inputs"].size(), 1u);
}

TEST(GivenMotions, UnknownOnesAreTold) {
    const auto r = frequency(from_text(oscillator("0")), {.from = {"bas"}});
    EXPECT_EQ(r.status, Status::wrong_input);
    EXPECT_EQ(first_error(r), "--from: no input or given motion 'bas'");
    const auto nothing =
        frequency(from_text("format = 1\n[[body]]\nname = 'bob'\nmass = 1\n[[joint]]\nname = 'x'\ntype = 'prismatic'\nparent = 'ground'\n"
                            "child = 'bob'\nstiffness = 1\n"));
    EXPECT_EQ(nothing.status, Status::wrong_input);
    EXPECT_THAT(first_error(nothing), HasSubstr("nothing to excite it with"));
}

// Two storeys, shear springs: M ẍ + C ẋ + K x = −M 1 z̈, coordinates relative to the ground floor and to each other.
TEST(GivenMotions, AnEarthquakeShakesABuilding) {
    std::string text = R"(format = 1
[[body]]
name = "floor"
[[body]]
name = "first"
mass = 3
[[body]]
name = "second"
mass = 2
[[joint]]
name = "ground_motion"
type = "prismatic"
parent = "ground"
child = "floor"
axis = "x"
[[joint]]
name = "drift1"
type = "prismatic"
parent = "floor"
child = "first"
axis = "x"
stiffness = 900
damping = 4
[[joint]]
name = "drift2"
type = "prismatic"
parent = "first"
child = "second"
axis = "x"
stiffness = 500
damping = 1
[[motion]]
coordinate = "ground_motion"
equals = 0
[[output]]
name = "roof"
acceleration = "second"
)";
    const Session building = from_text(text);
    const auto solve = [](Complex s) {  // drifts for z̈ = 1
        const Complex a = 5.0 * s * s + 4.0 * s + 900.0, b = 2.0 * s * s, d = 2.0 * s * s + 1.0 * s + 500.0, det = a * d - b * b;
        return std::pair((-5.0 * d + 2.0 * b) / det, (-2.0 * a + 5.0 * b) / det);
    };
    expect_response(building, "ground_motion''", "drift1", [&](Complex s) { return solve(s).first; });
    expect_response(building, "ground_motion''", "drift2", [&](Complex s) { return solve(s).second; });
    expect_response(building, "ground_motion''", "roof.x", [&](Complex s) { return 1.0 + s * s * (solve(s).first + solve(s).second); });
    expect_response(building, "ground_motion", "roof.x",
                    [&](Complex s) { return s * s * (1.0 + s * s * (solve(s).first + solve(s).second)); });
    const auto r = frequency(building);  // without inputs the motion is what pushes
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->transfer.channels[0].from, "ground_motion");
}

// A clamped beam whose root is shaken: −Σ φ_i(L) ∫φ_i dm/∫φ_i² dm/(s² + 2ζω_i s + ω_i²), φ of unit coefficient: φ(L) = 2(−1)^(i+1), ∫φ dx = 2σL/βL, ∫φ² dx = L.
TEST(GivenMotions, ACantileverShakenAtItsRoot) {
    const Session beam = from_text(R"(format = 1
[parameters]
L = 1.5
mu = 0.8
EI = 60
[[body]]
name = "shaker"
[[body]]
name = "beam"
type = "beam"
length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
shapes = { y = { family = "clamped-free", count = 3 } }
damping = 0.01
[[joint]]
name = "base"
type = "prismatic"
parent = "ground"
child = "shaker"
axis = "y"
[[joint]]
name = "clamp"
type = "weld"
parent = "shaker"
child = "beam"
[[motion]]
coordinate = "base"
equals = 0
[[output]]
name = "tip"
deflection = "beam.tip"
[[output]]
name = "place"
position = "beam.tip"
)");
    const auto bent = [](Complex s) {
        const double beta[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
        Complex sum = 0;
        for (int i = 0; i < 3; ++i) {
            const double b = beta[i], sigma = (std::sinh(b) - std::sin(b)) / (std::cosh(b) + std::cos(b)),
                         omega = b * b / (1.5 * 1.5) * std::sqrt(60 / 0.8), sign = i % 2 == 0 ? 1 : -1;
            sum -= sign * 2 * (2 * sigma / b) / (s * s + 2 * 0.01 * omega * s + omega * omega);
        }
        return sum;
    };
    expect_response(beam, "base''", "tip.y", bent, 1e-8);
    expect_response(beam, "base", "tip.y", [&](Complex s) { return s * s * bent(s); }, 1e-8);
    expect_response(beam, "base", "place.y", [&](Complex s) { return 1.0 + s * s * bent(s); }, 1e-8);
}

// A slider-crank that is turned as told, at rest; on the slider a mass on a spring.
constexpr const char* crank_text = R"(format = 1
[parameters]
r = 0.05
l = 0.15
start = 0.6
[[body]]
name = "crank"
[[body]]
name = "rod"
[[body]]
name = "piston"
mass = 0.4
[[body]]
name = "rider"
mass = 0.1
[[joint]]
name = "shaft"
type = "revolute"
parent = "ground"
child = "crank"
axis = "z"
SHAFT
[[joint]]
name = "big_end"
type = "revolute"
parent = "crank"
child = "rod"
parent_at = ["r", 0, 0]
axis = "z"
[[joint]]
name = "bore"
type = "prismatic"
parent = "ground"
child = "piston"
axis = "x"
[[joint]]
name = "wrist"
type = "revolute"
parent = "rod"
child = "piston"
parent_at = ["l", 0, 0]
axis = "z"
WRIST
[[joint]]
name = "ride"
type = "prismatic"
parent = "piston"
child = "rider"
axis = "x"
stiffness = 40
damping = 0.05
[[motion]]
coordinate = "shaft"
equals = "start"
[[output]]
name = "rider"
position = "rider"
[[output]]
name = "wrist_force"
reaction = "wrist"
[guess]
big_end = -0.8
bore = 0.19
)";

Session crank(const std::string& shaft, const std::string& wrist, const OpenOptions& options = {}) {
    std::string text = crank_text;
    text.replace(text.find("SHAFT"), 5, shaft), text.replace(text.find("WRIST"), 5, wrist);
    return from_text(text, options);
}

TEST(GivenMotions, ACrankMovesALoop) {
    // x = r cos a + √(l² − r² sin² a)
    const double r = 0.05, l = 0.15, a = 0.6,
                 slope = -r * std::sin(a) - r * r * std::sin(a) * std::cos(a) / std::sqrt(l * l - r * r * std::pow(std::sin(a), 2));
    const auto ridden = [](Complex s) { return (40.0 + 0.05 * s) / (0.1 * s * s + 0.05 * s + 40.0); };
    for (const char* formulation : {"recursive", "kane", "lagrange"}) {
        const Session closed = crank("", "cut = true", {.formulation = formulation});
        expect_response(closed, "shaft", "bore", [&](Complex) { return slope; });
        expect_response(closed, "shaft", "rider.x", [&](Complex s) { return slope * ridden(s); });
        expect_response(closed, "shaft''", "ride", [&](Complex s) { return slope * (ridden(s) - 1.0) / (s * s); });
        // the torque works against all that moves along the bore
        expect_response(closed, "shaft", "shaft.force", [&](Complex s) { return slope * slope * s * s * (0.4 + 0.1 * ridden(s)); }, 1e-8);
    }
}

TEST(GivenMotions, OfACutJointAreTheSame) {
    const Session one = crank("", "cut = true"), other = crank("cut = true", "");
    const std::vector<double> omega{0, 3, 20, 90};
    for (const char* from : {"shaft", "shaft'", "shaft''"}) {
        for (const char* to : {"rider.x", "ride", "bore", "wrist_force.fx", "shaft.force"}) {
            const std::vector<Complex> a = response(one, from, to, omega), b = response(other, from, to, omega);
            for (std::size_t i = 1; i < omega.size(); ++i) EXPECT_LT(std::abs(a[i] - b[i]), 1e-8 * std::abs(a[i])) << from << to;
            EXPECT_EQ(std::isfinite(std::abs(a[0])), std::isfinite(std::abs(b[0]))) << from << to;
        }
    }
}

// While it turns: G(s) of a mechanism without freedoms is nothing but how its accelerations change with angle, rate and acceleration.
TEST(GivenMotions, OfAMechanismThatMovesAsTold) {
    const Session driven = opened("driven_crank/model.toml");
    const double r = 0.05, l = 0.15, n = 3000 * 2 * std::numbers::pi / 60, start = std::numbers::pi / 6;
    const auto acceleration = [&](double a, double w, double e) {
        const auto x = [&](double angle) { return r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2)); };
        const double h = 1e-4, first = (x(a + h) - x(a - h)) / (2 * h), second = (x(a + h) - 2 * x(a) + x(a - h)) / (h * h);
        return second * w * w + first * e;
    };
    const double h = 1e-3, by_angle = (acceleration(start + h, n, 0) - acceleration(start - h, n, 0)) / (2 * h),
                 by_rate = (acceleration(start, n + h, 0) - acceleration(start, n - h, 0)) / (2 * h),
                 by_acceleration = acceleration(start, n, 1) - acceleration(start, n, 0);
    expect_response(driven, "shaft", "piston_acceleration.x", [&](Complex s) { return by_angle + by_rate * s + by_acceleration * s * s; },
                    1e-4, {.at = linear::Operating::At::initial});
}

TEST(GivenMotions, OfAWholeJoint) {
    const Session lamp = opened("ship_pendulum/model.toml", {.set = {"heave=0", "roll=0", "v=0"}});
    // surging shakes a pendulum: −s²/(l s² + c s/(m l) + g); rolling moves its hook by −h along y, and tilts what it is measured in
    const auto swing = [](Complex s) { return 0.5 * s * s + 0.01 / (2 * 0.5) * s + 9.81; };
    expect_response(lamp, "sea.given1", "along", [&](Complex s) { return s * s / swing(s); });
    expect_response(lamp, "sea.turn1", "across", [&](Complex s) { return -((0.5 - 4) * s * s + 9.81) / swing(s); });
}

TEST(GivenMotions, ActOnAuxiliaryStates) {
    using namespace model;
    Reading reading = model::read(oscillator("0"), "shaken.toml");
    ASSERT_TRUE(reading.model);
    Model& held = *reading.model;
    const sym::PoolScope scope(*held.pool);
    const Expr seen = state(held, "seen");  // a first-order filter of the absolute speed, which pushes back
    held.states.back().rate = (*find_speed(held, "x'") + *find_speed(held, "base'") - seen) * 5;
    for (Joint& joint : held.joints) {
        if (joint.name == "x") joint.forces.resize(1), joint.forces[0].actuator += -30 * seen;
    }
    const auto opened = open_model(held);
    ASSERT_TRUE(opened) << to_string(opened.problems);
    const auto absolute = [](Complex s) { return (k + c * s) / (m * s * s + (c + 30.0 * 5.0 / (s + 5.0)) * s + k); };
    expect_response(*opened, "base", "p.x", absolute);
    expect_response(*opened, "base'", "seen", [&](Complex s) { return absolute(s) * 5.0 / (s + 5.0); });
}

}  // namespace
}  // namespace linkwright::test
