// Motors, filters, trajectories and computers from a model file to every verb.

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/codegen/backends.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/session/derive.hpp"
#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/frequency.hpp"
#include "linkwright/session/generate.hpp"
#include "linkwright/session/inspect.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/prove.hpp"
#include "linkwright/session/sensitivity.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "session/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using std::complex;
using ::testing::HasSubstr;

Session from(const std::string& text, const OpenOptions& options = {}) {
    const auto opened = session::open_text(text, "m.toml", options);
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

double last(const Simulation& s, const std::string& name) {
    const Table table = s.table();
    return table.rows.back()[static_cast<Index>(*table.find(name))];
}
VectorXd column(const Simulation& s, const std::string& name) {
    const Table table = s.table();
    VectorXd values(static_cast<Index>(table.rows.size()));
    for (Index i = 0; i < values.size(); ++i) values[i] = table.rows[static_cast<std::size_t>(i)][static_cast<Index>(*table.find(name))];
    return values;
}

// ------------------------------------------------------------------------------- a flexible link on a motor, by Lee

using Json = nlohmann::json;
const Json& actuators() {
    static const Json all = Json::parse(std::ifstream(project_root() + "/test/oracles/actuators.json"));
    return all;
}

class Actuators : public testing::TestWithParam<const char*> {
protected:
    const Json& oracle() const { return actuators()["results"][GetParam()]; }
    Session open(const std::string& alpha = "1") const {
        return opened("hub_beam_" + std::string(GetParam()) + "/model.toml", {.set = {"alpha=" + alpha}});
    }
    LinearModel linear(const Session& session) const {
        const auto found = linearize(session, {.operating = {.at = linear::Operating::At::initial}});
        EXPECT_TRUE(found) << to_string(found.problems);
        return *found;
    }
};

TEST_P(Actuators, HaveTheStateMatrices) {
    const LinearModel m = linear(open());
    const std::vector<std::string> ours = states(m.linear);
    const std::string z = std::string(GetParam()) == "electric" ? "motor.current" : "motor.pressure";
    const std::vector<std::string> theirs{"shoulder", "link.y1", "link.y2", "shoulder'", "link.y1'", "link.y2'", z};
    ASSERT_EQ(ours.size(), theirs.size());
    const Json &A = oracle()["A_alpha1"], &B = oracle()["B"];
    for (std::size_t i = 0; i < 7; ++i) {
        const auto at = [&](std::size_t k) { return std::ranges::find(ours, theirs[k]) - ours.begin(); };
        double size = 0;
        for (std::size_t j = 0; j < 7; ++j) size = std::max(size, std::abs(A[i][j].get<double>()));
        for (std::size_t j = 0; j < 7; ++j)
            EXPECT_NEAR(m.linear.state_space.A(at(i), at(j)), A[i][j].get<double>(), 1e-11 * size) << i << j;
        EXPECT_NEAR(m.linear.state_space.B(at(i), 0), B[i].get<double>(), 1e-12 * std::abs(B[i].get<double>()));
    }
}

TEST_P(Actuators, HaveTheirPolesForEveryAlpha) {
    for (const auto& [alpha, expected] : oracle()["poles_vs_alpha"].items()) {
        const auto found = modes(open(alpha), {.operating = {.at = linear::Operating::At::initial}});
        ASSERT_TRUE(found) << to_string(found.problems);
        std::vector<complex<double>> upper;
        for (const complex<double> p : found->modes().poles) {
            if (p.imag() >= 0) upper.push_back(p);
        }
        ASSERT_EQ(upper.size(), expected.size()) << alpha;
        std::size_t zeros = 0;
        for (const auto& pole : expected) {
            const complex<double> theirs(pole[0].get<double>(), pole[1].get<double>());
            if (std::abs(theirs) == 0) {
                ++zeros;
                continue;
            }
            const auto nearest = std::ranges::min_element(upper, {}, [&](complex<double> p) { return std::abs(p - theirs); });
            EXPECT_LT(std::abs(*nearest - theirs), 1e-9 * std::abs(theirs) + 1e-12) << alpha << " " << theirs;
        }
        EXPECT_EQ(std::ranges::count(upper, complex<double>(0, 0)), static_cast<std::ptrdiff_t>(zeros)) << alpha;  // exactly 0
    }
}

TEST_P(Actuators, HaveTheZerosOfTheClampedBeam) {
    const std::string input = std::string(GetParam()) == "electric" ? "volts" : "valve";
    std::vector<double> frequencies;
    for (const char* key : {"w_ol1", "w_zero1", "w_ol2", "w_zero2"}) {
        const Json& of = key[2] == 'o' ? actuators()["open_loop_omega"] : actuators()["zeros_theta"];
        frequencies.push_back(of[key[2] == 'o' ? (key[4] == '1' ? 1 : 2) : (key[6] == '1' ? 0 : 1)].get<double>());
    }
    std::ranges::sort(frequencies);
    const auto found = frequency(
        open(), {.operating = {.at = linear::Operating::At::initial}, .from = {input}, .to = {"shoulder"}, .frequencies = frequencies});
    ASSERT_TRUE(found) << to_string(found.problems);
    const linear::Channel& channel = found->transfer.channels.front();
    EXPECT_EQ(channel.to, "shoulder");
    std::vector<double> zeros;
    for (const complex<double> s : channel.zeros) {
        EXPECT_LT(std::abs(s.real()), 1e-9 * std::abs(s));
        if (s.imag() > 0) zeros.push_back(s.imag());
    }
    std::ranges::sort(zeros);
    ASSERT_EQ(zeros.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(zeros[i], actuators()["zeros_theta"][i].get<double>(), 1e-9 * zeros[i]);
    const Json& gain = oracle()["gain_theta_at"];
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        for (const char* key : {"w_ol1", "w_ol2"}) {
            if (frequencies[i] != actuators()["open_loop_omega"][key[4] == '1' ? 1 : 2].get<double>()) continue;
            EXPECT_NEAR(channel.magnitude[i], gain[key].get<double>(), 1e-8 * gain[key].get<double>()) << key;
        }
        const bool is_zero =
            std::ranges::any_of(actuators()["zeros_theta"], [&](const Json& w) { return w.get<double>() == frequencies[i]; });
        if (is_zero) EXPECT_LT(channel.magnitude[i], 1e-10 * gain["w_ol1"].get<double>());
    }
}

TEST_P(Actuators, AreSpringsToWhatIsFast) {  // torque by angle, when nothing leaks: Kt cb
    const LinearModel m = linear(open());
    const std::vector<std::string> s = states(m.linear);
    const auto at = [&](const std::string& name) { return std::ranges::find(s, name) - s.begin(); };
    const std::string z = std::string(GetParam()) == "electric" ? "motor.current" : "motor.pressure";
    const auto torque = std::ranges::find(m.linear.outputs, "motor.torque") - m.linear.outputs.begin();
    const double spring = -m.linear.state_space.A(at(z), at("shoulder'")) * m.linear.state_space.C(torque, at(z));
    EXPECT_NEAR(spring, oracle()["spring_equiv"].get<double>(), 1e-10 * spring);
}

INSTANTIATE_TEST_SUITE_P(Lee, Actuators, testing::Values("electric", "hydraulic"));

// --------------------------------------------------------------------------------------- a cart with all of it on it

constexpr const char* cart = R"(format = 1
[parameters]
m = 2
k = 30
c = 0.4
K = 5
[inputs]
w = 0
[ground]
points = { wall = [-1, 0.5, 0] }
[[body]]
name = "cart"
mass = "m"
points = { hook = [0.2, 0, 0] }
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
stiffness = "k"
damping = "c"
[[spring]]
name = "cyl"
from = "ground.wall"
to = "cart.hook"
)";

constexpr const char* loop = R"toml(
[[trajectory]]
name = "ref"
from = 0.1
to = 0.4
start = 0.2
duration = 1
[[output]]
name = "hook"
velocity = "cart.hook"
[[output]]
name = "twice"
expression = "2*hook.x + lead"
[[filter]]
name = "lead"
input = "ref - x"
numerator = [1, 4]
denominator = [0.1, 4]
initial = "steady"
[[filter]]
name = "notch"
input = "lead - 0.05*hook.x"
numerator = [1, 0.2, 64]
denominator = [1, 8, 64]
initial = "steady"
[[motor]]
name = "drive"
type = "electric"
joint = "x"
gear = 3
input = "w + K*notch + 0.1*twice"
constants = { Kt = 2, Kb = 0.5, R = 1.5, L = 0.02 }
initial = "steady"
[[motor]]
name = "oil"
type = "hydraulic"
spring = "cyl"
input = "0.3*(0.9 - cyl.length)"
constants = { Dm = 0.8, Kq = 3, Kc = 2, V4beta = 0.05 }
[initial]
x = 0.05
"x'" = -0.3
"oil.pressure" = 0.7
)toml";

/// The same by hand: x, lead.1, notch.1, notch.2 (in a form of its own), current, pressure, x'.
struct CartByHand {
    double K = 5;
    static double ref(double t) {
        const double s = std::clamp(t - 0.2, 0.0, 1.0), turn = 2 * std::numbers::pi;
        return 0.1 + 0.3 * (s - std::sin(turn * s) / turn);
    }
    struct Signals {
        double lead, notch, volts, length, rate;
    };
    /// lead: y = 10 e + z, z' = −40 z + (40 − 400) e; notch: controllable form p'' + 8 p' + 64 p = u, y = u − 7.8 p'
    Signals signals(double t, const VectorXd& v) const {
        Signals s{};
        const double e = ref(t) - v[0];
        s.lead = 10 * e + v[1];
        const double u = s.lead - 0.05 * v[6];
        s.notch = u - 7.8 * v[3];
        s.volts = K * s.notch + 0.1 * (2 * v[6] + s.lead);
        const double dx = v[0] + 0.2 + 1, dy = -0.5;
        s.length = std::hypot(dx, dy);
        s.rate = dx * v[6] / s.length;
        return s;
    }
    VectorXd rate(double t, const VectorXd& v) const {
        const Signals s = signals(t, v);
        const double e = ref(t) - v[0], u = s.lead - 0.05 * v[6], dx = v[0] + 1.2;
        const double force = -30 * v[0] - 0.4 * v[6] + 3 * 2 * v[4] + 0.8 * v[5] * dx / s.length;
        return VectorXd{{v[6], -40 * v[1] - 360 * e, v[3], u - 8 * v[3] - 64 * v[2], (s.volts - 1.5 * v[4] - 0.5 * 3 * v[6]) / 0.02,
                         (3 * 0.3 * (0.9 - s.length) - 0.8 * s.rate - 2 * v[5]) / 0.05, force / 2}};
    }
    VectorXd start() const {
        VectorXd v = VectorXd::Zero(7);
        v[0] = 0.05, v[6] = -0.3, v[5] = 0.7;
        const double e = ref(0) - v[0];
        v[1] = -9 * e;
        v[2] = (e - 0.05 * v[6]) / 64;
        v[4] = (signals(0, v).volts - 1.5 * v[6]) / 1.5;
        return v;
    }
    VectorXd after(double time) const {
        VectorXd v = start();
        const int steps = 20000;
        const double h = time / steps;
        for (int i = 0; i < steps; ++i) {
            const double t = i * h;
            const VectorXd a = rate(t, v), b = rate(t + h / 2, v + h / 2 * a), d = rate(t + h / 2, v + h / 2 * b),
                           e = rate(t + h, v + h * d);
            v += h / 6 * (a + 2 * b + 2 * d + e);
        }
        return v;
    }
};

TEST(Signals, MoveAsByHand) {
    const Session session = from(std::string(cart) + loop);
    const CartByHand hand;
    const auto s = simulate(session, {.rows = {.until = 1.5}, .tolerance = 1e-10});
    ASSERT_TRUE(s && s.is_ok()) << to_string(s.problems);
    const VectorXd end = hand.after(1.5);
    const CartByHand::Signals signals = hand.signals(1.5, end);
    const std::pair<const char*, double> expected[]{{"x", end[0]},
                                                    {"x'", end[6]},
                                                    {"lead", signals.lead},
                                                    {"notch", signals.notch},
                                                    {"drive.current", end[4]},
                                                    {"drive.voltage", signals.volts},
                                                    {"drive.force", 6 * end[4]},
                                                    {"oil.pressure", end[5]},
                                                    {"oil.force", 0.8 * end[5]},
                                                    {"ref", CartByHand::ref(1.5)},
                                                    {"twice", 2 * end[6] + signals.lead}};
    for (const auto& [name, value] : expected) EXPECT_NEAR(last(*s, name), value, 1e-7 * (1 + std::abs(value))) << name;
    EXPECT_LT(s->motion.statistics.energy_error, 1e-7);
    // it begins steady: what was written by hand at the start
    const VectorXd start = hand.start();
    EXPECT_NEAR(column(*s, "drive.current")[0], start[4], 1e-10);
    EXPECT_NEAR(column(*s, "lead.1")[0], start[1], 1e-12);
    EXPECT_EQ(column(*s, "oil.pressure")[0], 0.7);
}

TEST(Signals, AreTheSameInEveryFormulation) {
    const CartByHand hand;
    const VectorXd end = hand.after(0.5);
    for (const char* by : {"kane", "lagrange", "newton_euler", "barycentric", "roberson_schwertassek", "recursive"}) {
        const auto s = simulate(from(std::string(cart) + loop, {.formulation = by}), {.rows = {.until = 0.5}, .tolerance = 1e-10});
        ASSERT_TRUE(s) << by << to_string(s.problems);
        EXPECT_NEAR(last(*s, "x"), end[0], 1e-8) << by;
        EXPECT_NEAR(last(*s, "drive.current"), end[4], 1e-7) << by;
    }
    const auto proof = prove(from(std::string(cart) + loop), {.seed = 3});
    ASSERT_TRUE(proof) << to_string(proof.problems);
    EXPECT_TRUE(proof.is_ok()) << to_string(proof.problems);
    EXPECT_FALSE(proof->is_different());
}

TEST(Signals, AreLinearized) {
    const Session session = from(std::string(cart) + loop);
    const auto at = linearize(session, {.operating = {.at = linear::Operating::At::initial}});
    ASSERT_TRUE(at) << to_string(at.problems);
    const CartByHand hand;
    MatrixXd J(7, 7);
    const VectorXd start = hand.start();
    for (Index j = 0; j < 7; ++j) {
        const VectorXd h = 1e-6 * VectorXd::Unit(7, j);
        J.col(j) = (hand.rate(0, start + h) - hand.rate(0, start - h)) / 2e-6;
    }
    VectorXd ours = solve::eigenvalues(at->linear.state_space.A).cwiseAbs(), theirs = solve::eigenvalues(J).cwiseAbs();
    std::ranges::sort(ours), std::ranges::sort(theirs);  // another realisation, the same poles
    ASSERT_EQ(ours.size(), theirs.size());
    EXPECT_LT((ours - theirs).norm(), 1e-6 * theirs.norm());
}

TEST(Signals, ComeToRest) {
    const auto found = equilibrium(from(std::string(cart) + loop));
    ASSERT_TRUE(found && found.is_ok()) << to_string(found.problems);
    const numeric::State& s = found->found.front().point.state;
    // e = 0.1 − x: volts = 5.1 e = 1.5 i; 6 i + 0.8 p dx/l = 30 x; 2 p = 0.9 (0.9 − l)
    const double x = s.q[0], i = 5.1 * (0.1 - x) / 1.5, l = std::hypot(x + 1.2, 0.5), p = 0.45 * (0.9 - l);
    EXPECT_NEAR(6 * i + 0.8 * p * (x + 1.2) / l, 30 * x, 1e-9);
}

TEST(Signals, HaveSensitivities) {
    const auto s = motion_sensitivity(from(std::string(cart) + loop), {.to = {"K"}, .rows = {.until = 0.4}, .tolerance = 1e-11});
    ASSERT_TRUE(s) << to_string(s.problems);
    const auto end = [](double K) {
        const VectorXd v = CartByHand{.K = K}.after(0.4);
        return VectorXd{{v[0], v[4]}};
    };
    const VectorXd slope = (end(5 + 1e-4) - end(5 - 1e-4)) / 2e-4;
    const auto row = [&](const char* name) { return std::ranges::find(s->sensitivity.of, name) - s->sensitivity.of.begin(); };
    const MatrixXd& d = s->sensitivity.derivatives.back();
    EXPECT_NEAR(d(row("x"), 0), slope[0], 1e-6 * slope.norm());
    EXPECT_NEAR(d(row("drive.current"), 0), slope[1], 1e-6 * slope.norm());  // where it begins moves, too
}

TEST(Signals, AreGenerated) {
    const Session session = from(std::string(cart) + loop);
    const auto code = generate(session, {.languages = {"c", "python", "fortran"}});
    ASSERT_TRUE(code) << to_string(code.problems);
    const auto at = evaluate(session);
    ASSERT_TRUE(at);
    const codegen::Function* f = code->package.find("accelerations");
    ASSERT_NE(f, nullptr);
    std::vector<double> in, out(f->program.outputs.size());
    std::vector<std::vector<double>> arguments;
    for (const codegen::Argument& a : code->package.arguments) {
        arguments.emplace_back();
        for (const codegen::Entry& entry : a.entries) arguments.back().push_back(entry.value);
    }
    if (const codegen::Function* setup = code->package.find("setup")) {
        std::vector<double> from_parameters, constants(setup->program.outputs.size());
        for (const std::size_t a : setup->arguments)
            from_parameters.insert(from_parameters.end(), arguments[a].begin(), arguments[a].end());
        program::Interpreter(setup->program)(from_parameters, constants);
        arguments[5] = constants;
    }
    for (const std::size_t a : f->arguments) in.insert(in.end(), arguments[a].begin(), arguments[a].end());
    program::Interpreter(f->program)(in, out);
    EXPECT_NEAR(out[0], at->evaluation.accelerations[0], 1e-10 * std::abs(out[0]));
    for (Index i = 0; i < at->evaluation.auxiliary_rates.size(); ++i)
        EXPECT_NEAR(out[static_cast<std::size_t>(i) + 1], at->evaluation.auxiliary_rates[i],
                    1e-9 * (1 + std::abs(at->evaluation.auxiliary_rates[i])));
}

TEST(Signals, ArePrintedAndListed) {
    const auto text = derive(from(std::string(cart) + loop));
    ASSERT_TRUE(text) << to_string(text.problems);
    EXPECT_THAT(*text, HasSubstr("drive.current' ="));
    EXPECT_THAT(*text, HasSubstr("notch.2' ="));
    const auto listed = inspect(from(std::string(cart) + loop));
    ASSERT_TRUE(listed);
    ASSERT_EQ(listed->filters.size(), 2u);
    EXPECT_EQ(listed->filters[1].states, (std::vector<std::string>{"notch.1", "notch.2"}));
    EXPECT_NEAR(std::abs(listed->filters[1].poles[0]), 8, 1e-12);
    EXPECT_NEAR(std::abs(listed->filters[1].zeros[0]), 8, 1e-12);
    EXPECT_EQ(listed->motors[0].drives, "joint 'x'");
}

TEST(Signals, CutJointsHaveMotorsToo) {
    std::ifstream file(model_path("four_bar/model.toml"));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto bare = session::open_text(text, "four_bar.toml");
    ASSERT_TRUE(bare);
    for (const model::Joint& joint : bare->model().joints) {
        const Session session = from(text + "\n[[motor]]\nname = \"mo\"\ntype = \"electric\"\njoint = \"" + joint.name +
                                     "\"\ninput = 2\nconstants = { Kt = 3, Kb = 0.5, R = 1, L = 0.2 }\n");
        const auto at = evaluate(session);
        ASSERT_TRUE(at) << joint.name << to_string(at.problems);
        const auto s = simulate(session, {.rows = {.until = 0.3}, .tolerance = 1e-9});
        ASSERT_TRUE(s && s.is_ok()) << joint.name << to_string(s.problems);
        EXPECT_LT(s->motion.statistics.energy_error, 1e-6) << joint.name;
        const auto proof = prove(session, {.seed = 5});
        ASSERT_TRUE(proof) << joint.name;
        EXPECT_FALSE(proof->is_different()) << joint.name;
    }
}

TEST(Signals, DriveGivenMotions) {
    const std::string moved = R"(
[[trajectory]]
name = "ref"
from = 0
to = 0.5
duration = 2
shape = "SHAPE"
[[motion]]
coordinate = "x"
equals = "ref"
)";
    for (const char* shape : {"cycloid", "quintic", "trapezoid"}) {
        std::string text = std::string(cart) + moved;
        text.replace(text.find("SHAPE"), 5, shape);
        const auto s = simulate(from(text), {.rows = {.until = 2.5, .samples = 23}});
        ASSERT_TRUE(s && s.is_ok()) << shape << to_string(s.problems);
        const VectorXd force = column(*s, "x.force"), x = column(*s, "x"), u = column(*s, "x'"), a = column(*s, "ref''");
        for (Index i = 1; i < x.size(); ++i) EXPECT_NEAR(force[i], 2 * a[i] + 30 * x[i] + 0.4 * u[i], 1e-10) << shape << i;
        EXPECT_NEAR(x[x.size() - 1], 0.5, 1e-12);
    }
}

TEST(Signals, EnergyMayBeFedBack) {  // a pendulum pumped up to where it stands on its head
    const Session session = from(R"toml(format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "bob"
mass = 2
com = [0, -0.5, 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "bob"
actuator = "min(max(-2*(energy.total - 9.81)*hip', -3), 3)"
[initial]
hip = 0.1
)toml");
    const auto s = simulate(session, {.rows = {.until = 30}});
    ASSERT_TRUE(s) << to_string(s.problems);
    EXPECT_NEAR(last(*s, "energy.total"), 9.81, 1e-3);
}

// ---------------------------------------------------------------------------------------------------------- samples

/// A cart that a sampled controller holds: by hand with exact steps between samples.
constexpr const char* sampled_cart = R"(format = 1
[[body]]
name = "cart"
mass = 2
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
actuator = "law"
[[filter]]
name = "law"
input = "0.3 - x"
numerator = [3, 20]
denominator = [0.05, 1]
sample = 0.02
METHOD
[[output]]
name = "force"
expression = "law"
[initial]
x = 0.1
"x'" = 0.2
)";

/// x, x', the filter's own state for the next sample, what is held; after t = 0.02 n, sampled.
VectorXd sampled_by_hand(int n, bool is_tustin) {
    const double T = 0.02, D0 = 60, a = -20, b = 400 - 20 * 60;  // (3 s + 20)/(0.05 s + 1) = 60 + (−800)/(s + 20)
    double A, B, C, D;
    if (is_tustin) {
        const double P = 1 / (1 - a * T / 2);
        A = P * (1 + a * T / 2), B = T * P * b, C = P, D = D0 + P * b * T / 2;
    } else {
        A = std::exp(a * T), B = b * (A - 1) / a, C = 1, D = D0;
    }
    double x = 0.1, v = 0.2, z = 0, y = 0;
    for (int k = 0;; ++k) {
        const double u = 0.3 - x;
        y = C * z + D * u;
        z = A * z + B * u;
        if (k == n) return VectorXd{{x, v, z, y}};
        x += v * T + y / 2 * T * T / 2;
        v += y / 2 * T;
    }
}

TEST(Samples, AreTakenOnTime) {
    for (const bool is_tustin : {false, true}) {
        std::string text = sampled_cart;
        text.replace(text.find("METHOD"), 6, is_tustin ? "method = \"tustin\"" : "");
        const Session session = from(text);
        using motion::Integrator;
        for (const Integrator by : {Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::rk4, Integrator::ida}) {
            const auto s = simulate(session, {.rows = {.until = 1, .samples = 100}, .tolerance = 1e-10, .integrator = by});
            ASSERT_TRUE(s && s.is_ok()) << to_string(s.problems);
            const VectorXd x = column(*s, "x"), held = column(*s, "law"), own = column(*s, "law.1");
            ASSERT_EQ(x.size(), 101);
            for (const int n : {0, 1, 7, 50}) {
                const VectorXd hand = sampled_by_hand(n, is_tustin);
                EXPECT_NEAR(x[2 * n], hand[0], 1e-8) << n << static_cast<int>(by);
                EXPECT_NEAR(held[2 * n], hand[3], 1e-6) << n << static_cast<int>(by);
                EXPECT_NEAR(own[2 * n], hand[2], 1e-6) << n;
            }
            for (Index i = 1; i < 100; i += 2) EXPECT_EQ(held[i], held[i - 1]);  // held between
        }
    }
}

TEST(Samples, GoOnFromAnEarlierResult) {
    std::string text = sampled_cart;
    text.replace(text.find("METHOD"), 6, "");
    const Session session = from(text);
    const auto whole = simulate(session, {.rows = {.until = 0.6}, .tolerance = 1e-11});
    for (const double half : {0.3, 0.1, 0.313}) {  // at a sample, and between two
        const auto first = simulate(session, {.rows = {.until = half}, .tolerance = 1e-11});
        ASSERT_TRUE(whole && first);
        const TemporaryFile file("half.csv", to_csv(first->table()));
        const auto rest = simulate(session, {.rows = {.until = 0.6}, .restart = file.path(), .tolerance = 1e-11});
        ASSERT_TRUE(rest) << to_string(rest.problems);
        for (const char* name : {"x", "x'", "law", "law.1"}) EXPECT_NEAR(last(*rest, name), last(*whole, name), 1e-8) << name << half;
    }
}

TEST(Samples, TellThatOtherVerbsTakeThemAsContinuous) {
    std::string text = sampled_cart;
    text.replace(text.find("METHOD"), 6, "");
    const auto at = linearize(from(text));
    ASSERT_TRUE(at) << to_string(at.problems);
    EXPECT_THAT(to_string(at.problems), HasSubstr("treated as continuous"));
    // 2 s² = −(3 s + 20)/(0.05 s + 1):  0.1 s³ + 2 s² + 3 s + 20
    for (const complex<double> s : solve::eigenvalues(at->linear.state_space.A))
        EXPECT_LT(std::abs(0.1 * s * s * s + 2.0 * s * s + 3.0 * s + 20.0), 1e-9);
    EXPECT_EQ(states(at->linear).size(), 3u);
}

TEST(Samples, OfTwoComputersAreInTheRightOrder) {
    // b hears a at once, though it stands first; c, slower, holds what a put out at its own times
    const Session session = from(R"(format = 1
[[body]]
name = "cart"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
[[filter]]
name = "b"
input = "2*a"
numerator = [1]
denominator = [1]
sample = 0.1
[[filter]]
name = "a"
input = "x"
numerator = [3]
denominator = [1]
sample = 0.1
[[filter]]
name = "c"
input = "a"
numerator = [1]
denominator = [1]
sample = 0.3
[initial]
x = 1
"x'" = 1
)");
    const auto s = simulate(session, {.rows = {.until = 1, .samples = 20}});
    ASSERT_TRUE(s && s.is_ok()) << to_string(s.problems);
    const VectorXd t = column(*s, "t"), a = column(*s, "a"), b = column(*s, "b"), c = column(*s, "c");
    for (Index i = 0; i < t.size(); ++i) {
        const double sample = 0.1 * std::floor(t[i] / 0.1 + 1e-6), slow = 0.3 * std::floor(t[i] / 0.3 + 1e-6);
        EXPECT_NEAR(a[i], 3 * (1 + sample), 1e-6) << t[i];
        EXPECT_NEAR(b[i], 6 * (1 + sample), 1e-6) << t[i];
        EXPECT_NEAR(c[i], 3 * (1 + slow), 1e-6) << t[i];
    }
}

TEST(Steady, IntegratorsNeedAnInputOfZero) {
    const std::string text = std::string(cart) + R"([[filter]]
name = "sum"
input = "x - X"
numerator = [1]
denominator = [1, 0]
initial = "steady"
[initial]
x = 0.25
)";
    const auto with = [&](const std::string& X) {
        std::string whole = text;
        whole.replace(whole.find("- X"), 3, "- " + X);
        return simulate(from(whole), {.rows = {.until = 0.1}});
    };
    EXPECT_TRUE(with("0.25").is_ok());
    const auto moving = with("0.5");
    EXPECT_EQ(moving.status, Status::numerical_failure);
    EXPECT_THAT(first_error(moving), HasSubstr("'sum.1' has no steady start: its rate stays at -0.25"));
}

// ------------------------------------------------------------------------------------------------ an arm that is driven

constexpr const char* arm = "motor_driven_arm/model.toml";

/// The largest errors of both joints after `from`.
VectorXd errors(const Session& session, const std::string& inputs, double from, double until) {
    const auto s = simulate(session, {.rows = {.until = until, .samples = 150}, .inputs = inputs, .tolerance = 1e-7});
    EXPECT_TRUE(s && s.is_ok()) << to_string(s.problems);
    const VectorXd t = column(*s, "t"), e1 = column(*s, "error1"), e2 = column(*s, "error2");
    VectorXd most = VectorXd::Zero(2);
    for (Index i = 0; i < t.size(); ++i) {
        if (t[i] >= from) most = most.cwiseMax(VectorXd{{std::abs(e1[i]), std::abs(e2[i])}});
    }
    return most;
}

/// What theory says of the largest errors with the torques τ of `inverse` fed forward. The motors bring about τ later, by La/R; near the reference
///
///     M(q_r) ë + (B + d) ė + Kd ż + Kp e = La/R τ̇,   Td ż + … = ė,   B = Kt Kb gear²/R the back electromotive force,
///
/// with z the derivative as the computer sees it. The period T of the computer does not show.
VectorXd expected_errors(const Table& torques, double factor, double inductance) {
    using Eigen::Matrix2d, Eigen::Vector2d;
    const double m1 = 4, m2 = 2.5, L1 = 0.5, L2 = 0.4, R = 0.6, Td = 0.004, B = 0.08 * 0.08 * 1e4 / R, pi = std::numbers::pi;
    const Vector2d Kp = factor * Vector2d(1500, 400), Kd = factor * Vector2d(90, 16), D(B + 0.5, B + 0.3);
    const auto inverse_mass = [&](double t) {
        const double s = std::min(t, 1.0), p = s * s * s * (10 - 15 * s + 6 * s * s), q2 = pi / 3 - pi / 2 * p;
        const double a = m2 * L2 * L2 / 3, b = m2 * L1 * L2 / 2 * std::cos(q2);
        const double whole = m1 * L1 * L1 / 3 + m2 * L1 * L1 + a + 2 * b, both = a + b;
        return Matrix2d(Matrix2d{{a, -both}, {-both, whole}} / (whole * a - both * both));
    };
    VectorXd most = VectorXd::Zero(2);
    Vector2d e = Vector2d::Zero(), rate = e, z = e;
    constexpr int parts = 20;  // of a row of the table; semi-implicit steps of 0.05 ms
    for (std::size_t k = 0; k + 1 < torques.rows.size(); ++k) {
        const double t = torques.rows[k][0], h = (torques.rows[k + 1][0] - t) / parts;
        const Vector2d late = inductance / R * (torques.rows[k + 1] - torques.rows[k]).tail(2) / (parts * h);
        const Matrix2d inverse = inverse_mass(t);
        for (int i = 0; i < parts; ++i) {
            rate += h * inverse * (late - Kp.cwiseProduct(e) - Kd.cwiseProduct(z) - D.cwiseProduct(rate));
            z += h * (rate - z) / Td;
            e += h * rate;
        }
        most = most.cwiseMax(e.cwiseAbs());
    }
    return most;
}

TEST(MotorDrivenArm, HangsBelowItsGoalByTheWeightOverTheGain) {
    for (const double factor : {1.0, 2.0, 4.0}) {
        const Session session =
            opened(arm, {.set = {fmt::format("Kp1={}", 1500 * factor), fmt::format("Kp2={}", 400 * factor), "move=0.2"}});
        const auto s = simulate(session, {.rows = {.until = 3, .samples = 3}, .tolerance = 1e-7});
        ASSERT_TRUE(s && s.is_ok()) << to_string(s.problems);
        const double q1 = last(*s, "shoulder"), q2 = last(*s, "elbow");
        const double fore = 2.5 * 9.81 * 0.2 * std::cos(q1 + q2),
                     upper = 4 * 9.81 * 0.25 * std::cos(q1) + 2.5 * 9.81 * 0.5 * std::cos(q1) + fore;
        EXPECT_NEAR(last(*s, "error1"), upper / (1500 * factor), 2e-3 * upper / (1500 * factor)) << factor;
        EXPECT_NEAR(last(*s, "error2"), fore / (400 * factor), 2e-3 * fore / (400 * factor)) << factor;
    }
}

TEST(MotorDrivenArm, FollowsCloserWithTheTorqueOfInverse) {
    // the torques of the motion without motors, as a table
    std::ifstream file(model_path(arm));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t signals = text.find("[[trajectory]]"), outputs = text.find("[[output]]");
    std::string bare = text.substr(0, signals) + "[initial]\n" + text.substr(text.find("shoulder = \"-pi/2\""));
    for (const char* joint : {"damping = 0.5", "damping = 0.3"})
        bare.replace(bare.find(joint), std::strlen(joint),
                     std::string(joint) + (joint[12] == '5' ? "\nactuator = \"ff1\"" : "\nactuator = \"ff2\""));
    ASSERT_LT(signals, outputs);
    const std::string s = "min(t, 1)";
    const auto quintic = [&](const std::string& a, const std::string& b) {
        return fmt::format("{0} + ({1} - {0})*(10*{2}^3 - 15*{2}^4 + 6*{2}^5)", a, b, s);
    };
    const auto forces =
        inverse(from(bare), {.motion = {"shoulder = " + quintic("(-pi/2)", "(pi/6)"), "elbow = " + quintic("(pi/3)", "(-pi/6)")},
                             .rows = {.until = 1.5, .samples = 1500}});
    ASSERT_TRUE(forces) << to_string(forces.problems);
    Table table{{"t", "ff1", "ff2"}, {}};
    const Table all = forces->table();
    for (const VectorXd& row : all.rows)
        table.rows.push_back(VectorXd{{row[*all.find("t")], row[*all.find("ff1")], row[*all.find("ff2")]}});
    const TemporaryFile inputs("torques.csv", to_csv(table));
    const VectorXd without = errors(opened(arm), "", 0, 1.5), with = errors(opened(arm), inputs.path(), 0, 1.5);
    EXPECT_LT(with[0], without[0] / 5);
    EXPECT_LT(with[1], without[1] / 5);
    // what is left is what theory says, whatever the gains and the lag of the motors
    for (const auto& [factor, inductance] : {std::pair(1.0, 5e-4), {2.0, 5e-4}, {4.0, 5e-4}, {2.0, 1e-3}}) {
        const auto times = [&](double gain) { return gain * factor; };
        const Session changed =
            opened(arm, {.set = {fmt::format("Kp1={}", times(1500)), fmt::format("Kd1={}", times(90)), fmt::format("Kp2={}", times(400)),
                                 fmt::format("Kd2={}", times(16)), fmt::format("La={}", inductance)}});
        const VectorXd found = errors(changed, inputs.path(), 0, 1.5), expected = expected_errors(table, factor, inductance);
        EXPECT_LT((found - expected).cwiseQuotient(expected).cwiseAbs().maxCoeff(), 0.08)
            << factor << ", " << inductance << ": " << found.transpose() << " and not " << expected.transpose();
    }
}

TEST(MotorDrivenArm, RingsAsItsPolesSay) {
    // Not sampled, at rest before its references move; pushed a little, what is seen of an angle obeys Πₖ(E − e^{pₖΔ}) y = 0, E the step of Δ.
    std::ifstream file(model_path(arm));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto replace = [&](const std::string& what, const std::string& by) {
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
            text.replace(at, what.size(), by);
    };
    replace("sample = \"T\"\n", "");
    replace("duration = \"move\"", "start = 100\nduration = \"move\"");
    const Session session = from(text, {.set = {"Kd1=5", "Kd2=1", "Kb=0.001"}});
    const auto at = linearize(session);
    ASSERT_TRUE(at) << to_string(at.problems);
    const numeric::State& rest = at->linear.point.state;
    NamedState pushed;
    const Names& names = at->names;
    for (std::size_t i = 0; i < 2; ++i) pushed.values.emplace_back(names.coordinates[i], rest.q[static_cast<Index>(i)] + 1e-5);
    for (std::size_t i = 0; i < names.auxiliary.size(); ++i) pushed.values.emplace_back(names.auxiliary[i], rest.x[static_cast<Index>(i)]);
    const double step = 0.02;
    const auto s = simulate(
        session, {.rows = {.until = 40 * step, .samples = 40}, .state = {.values = pushed}, .tolerance = 1e-12, .absolute = 1e-15});
    ASSERT_TRUE(s && s.is_ok()) << to_string(s.problems);
    const VectorXd y = column(*s, "shoulder").array() - rest.q[0];
    const auto left = [&](double stretch) {  // of the recurrence, when every pole is so much faster
        std::vector<complex<double>> c{1};
        for (const complex<double> p : solve::eigenvalues(at->linear.state_space.A)) {
            const complex<double> z = std::exp(stretch * p * step);
            c.emplace_back(0);
            for (std::size_t k = c.size() - 1; k > 0; --k) c[k] -= z * c[k - 1];
        }
        double worst = 0;
        for (Index n = 0; n + static_cast<Index>(c.size()) <= y.size(); ++n) {
            complex<double> sum = 0;
            for (std::size_t k = 0; k < c.size(); ++k) sum += c[k] * y[n + static_cast<Index>(c.size() - 1 - k)];
            worst = std::max(worst, std::abs(sum));
        }
        return worst / y.cwiseAbs().maxCoeff();
    };
    EXPECT_LT(left(1), 1e-4);
    EXPECT_GT(left(1.01), 10 * left(1));
    EXPECT_GT(left(0.99), 10 * left(1));
}

}  // namespace
}  // namespace linkwright::test
