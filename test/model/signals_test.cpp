// [[motor]] [[filter]] [[trajectory]]: what they become, what is said when they are wrong, and that they are written back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <string_view>

#include "linkwright/model/build.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/model/visit.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

std::string told(const std::string& text) { return to_string(read(text, "m.toml").problems); }

/// An arm with a hinge and a cylinder; what follows begins on line 31.
constexpr std::string_view arm = R"(format = 1
[parameters]
k = 2
T = 0.5
[inputs]
volts = 0
[ground]
points = { wall = [0, 1, 0] }
[[body]]
name = "arm"
mass = 1
com = [1, 0, 0]
points = { tip = [1, 0, 0] }
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "arm"
[[spring]]
name = "cyl"
from = "ground.wall"
to = "arm.tip"
[[body]]
name = "ball"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "ball"
type = "spherical"
parent = "ground"
child = "ball"
)";
std::string with(std::string_view rest) { return std::string(arm) + std::string(rest); }
Model good(std::string_view rest) {
    Reading reading = read(with(rest), "m.toml");
    EXPECT_TRUE(reading.model) << to_string(reading.problems);
    return reading.model ? std::move(*reading.model) : empty_model();
}

struct Case {
    std::string_view rest, problems;
};
class SignalProblems : public testing::TestWithParam<Case> {};
TEST_P(SignalProblems, AreToldExactly) { EXPECT_EQ(told(with(GetParam().rest)), GetParam().problems) << GetParam().rest; }

constexpr Case points[]{
    {"[[force]]\non = \"arm.tip\"\nvector = [\"-k*arm.tip.x - arm.tip.x'\", \"arm.com.y\", \"arm.z + arm.xz + cyl.length'\"]\n", ""},
    {"[[force]]\non = \"arm.tip\"\nvector = [\"-k*arm.tip.x''\", 0, 0]\n",
     "m.toml:34:15: error: \"arm.tip.x''\" is an acceleration and cannot be used in 'vector'\n"
     "    hint: only parameters, inputs, t, coordinates, speeds and results may be used here\n"},
    {"[[force]]\non = \"arm.tip\"\nvector = [\"arm.tp.x\", 0, 0]\n",
     "m.toml:34:12: error: unknown name 'arm.tp.x'\n    hint: did you mean 'arm.tip.x'?\n"},
    {"[[output]]\nname = \"v\"\nvelocity = \"arm.tip\"\n[[force]]\non = \"arm.tip\"\nvector = [\"v.x'\", 0, 0]\n",
     "m.toml:37:12: error: \"v.x'\" in 'vector' depends on accelerations, which in turn depend on it\n"
     "    hint: forces on the mechanism may depend on positions, velocities, strains, moments, signals, but no accelerations or "
     "reactions\n"},
    {"[[output]]\nname = \"a\"\nexpression = \"hip'*arm.tip.x\"\n[[force]]\non = \"arm.tip\"\nvector = [\"a'\", 0, 0]\n",
     "m.toml:37:12: error: \"a'\" in 'vector' depends on accelerations, which in turn depend on it\n"
     "    hint: forces on the mechanism may depend on positions, velocities, strains, moments, signals, but no accelerations or "
     "reactions\n"},
    {"[[output]]\nname = \"a\"\nexpression = \"volts*arm.tip.x\"\n[[output]]\nname = \"b\"\nexpression = \"2*a'\"\n",
     "m.toml:37:17: error: \"a'\" needs the rate of the input 'volts', which is not known\n"
     "    hint: an input has a value and no rate; a trajectory has rates\n"},
    {"[[output]]\nname = \"a\"\nexpression = \"hip'\"\n[[output]]\nname = \"b\"\nexpression = \"a''\"\n",
     "m.toml:37:15: error: \"a''\" needs the rate of an acceleration\n    hint: positions may be differentiated twice, velocities once\n"},
    {"[[output]]\nname = \"a\"\nexpression = \"b' + hip\"\n[[output]]\nname = \"b\"\nexpression = \"a'\"\n",
     "m.toml:33:9: error: the output 'a' depends on itself\n"},
    {"[[constraint]]\nholonomic = \"arm.tip.x' - k\"\n",
     "m.toml:33:14: error: \"arm.tip.x'\" cannot be used in 'holonomic'\n"
     "    hint: a position constraint may use coordinates, points (hub.z), trajectories and t\n"},
};
INSTANTIATE_TEST_SUITE_P(Points, SignalProblems, testing::ValuesIn(points));

constexpr Case filters[]{
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1, 0, 0]\ndenominator = [1, 2]\n",
     "m.toml:35:13: error: the filter is improper: its numerator has degree 2, its denominator 1\n"
     "    hint: it would need the rate of its input: add a pole that is fast enough\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [0, 0.0, 1, 2]\ndenominator = [1, 2]\n", ""},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = []\ndenominator = [1, 2]\n",
     "m.toml:35:13: error: the numerator is empty\n    hint: write its coefficients, highest power of s first: [1, 10]\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [0]\ndenominator = [1, 2]\n",
     "m.toml:35:13: error: the numerator is 0: nothing would pass this filter\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [0, 1]\n",
     "m.toml:36:16: error: the denominator begins with 0\n    hint: leave the 0 out: the order is one less\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [\"k - 2\", 1]\n",
     "m.toml:33:9: error: the denominator of the filter 'f' begins with 0\n    hint: with these parameters it is of lower order\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [1, -2]\ninitial = \"steady\"\n",
     "m.toml:37:11: warning: 'f' starts steady but does not stay so: it has a pole at 2\n"
     "    hint: the steady state is unstable: write initial = 0, or check the signs of the denominator\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [1, 3, 2]\ninitial = [1]\n",
     "m.toml:37:11: error: 'initial' must have 2 values, not 1\n    hint: for f.1, f.2\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [1, 3, 2]\nsample = 0\n",
     "m.toml:33:9: error: 'sample' of the filter 'f' must be above 0, not 0\n    hint: it is a period in seconds\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [1, 3, 2]\nsample = \"-T\"\n",
     "m.toml:33:9: error: 'sample' of the filter 'f' must be above 0, not -0.5\n    hint: it is a period in seconds\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [1, 3]\nmethod = \"tustin\"\n",
     "m.toml:37:1: error: 'method' does nothing without 'sample'\n    hint: sample = 0.001 is the period in seconds\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hp\"\nnumerator = [1]\ndenominator = [1, 3]\n",
     "m.toml:34:10: error: unknown name 'hp'\n    hint: did you mean 'hip'?\n"},
    {"[[filter]]\nname = \"f\"\nnumerator = [1]\ndenominator = [1, 3]\n", "m.toml:32:1: error: a filter needs 'input'\n"},
    {"[[filter]]\nname = \"f\"\ninput = \"hip\"\nnumerator = [1]\ndenominator = [1, \"hip\"]\n",
     "m.toml:36:20: error: 'hip' is a coordinate and cannot be used in 'denominator'\n    hint: only parameters may be used here\n"},
    {"[[filter]]\nname = \"a\"\ninput = \"b\"\nnumerator = [1, 2]\ndenominator = [1, 3]\n"
     "[[filter]]\nname = \"b\"\ninput = \"2*a\"\nnumerator = [1, 2]\ndenominator = [1, 3]\n",
     "m.toml:33:9: error: signals depend on each other with no state between them: a.input → b → b.input → a → a.input\n"
     "    hint: a.input at 33:9, b at 38:9, b.input at 38:9, a at 33:9; a filter whose numerator is of lower degree than its denominator "
     "breaks the circle\n"},
    {"[[filter]]\nname = \"a\"\ninput = \"b\"\nnumerator = [1]\ndenominator = [1, 3]\n"
     "[[filter]]\nname = \"b\"\ninput = \"2*a\"\nnumerator = [1, 2]\ndenominator = [1, 3]\n",
     ""},
    {"[[filter]]\nname = \"a\"\ninput = \"hip''\"\nnumerator = [1]\ndenominator = [1, 3]\n",
     "m.toml:34:10: error: \"hip''\" is an acceleration and cannot be used in 'input'\n"
     "    hint: only parameters, inputs, t, coordinates, speeds and results may be used here\n"},
    {"[[output]]\nname = \"a\"\nacceleration = \"arm.tip\"\n"
     "[[filter]]\nname = \"f\"\ninput = \"a.x\"\nnumerator = [1]\ndenominator = [1, 3]\n",
     "m.toml:37:10: error: 'a.x' in 'input' depends on accelerations, which in turn depend on it\n"
     "    hint: forces on the mechanism may depend on positions, velocities, strains, moments, signals, but no accelerations or "
     "reactions\n"},
    {"[parameters.cyl]\nrate = 3\n", "m.toml:33:1: error: the name 'cyl.rate' is already used\n    hint: it is first used at 20:9\n"},
    {"[[output]]\nname = \"v\"\nvelocity = \"arm.tip\"\n"
     "[[filter]]\nname = \"f\"\ninput = \"v.x + energy.total + cyl.length*cyl.rate\"\nnumerator = [1]\ndenominator = [1, 3]\n"
     "[initial]\nf.1 = 2\n",
     ""},
};
INSTANTIATE_TEST_SUITE_P(Filters, SignalProblems, testing::ValuesIn(filters));

constexpr Case motors[]{
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hop\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:35:10: error: unknown joint 'hop'\n    hint: did you mean 'hip'?\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"steam\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:34:9: error: unknown motor type 'steam'\n    hint: choose from electric, hydraulic\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:32:1: error: a motor needs 'joint' or 'spring'\n"
     "    hint: joint = \"shoulder\" drives its degree of freedom; spring = \"cylinder\" pushes between the two points of that spring\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"ball\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:35:10: error: the joint 'ball' has 3 degrees of freedom\n    hint: name the one to be driven: ball.wx, ball.wy, ball.wz\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"ball.wy\"\ninput = \"m.torque\"\nconstants = { Kt = 1, Kb = 1, R = 1, L = 1 "
     "}\n",
     ""},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, R = 1, Q = 2 }\n",
     "m.toml:37:13: error: an electric motor needs 'Kb'\n"
     "m.toml:37:30: error: unknown key 'Q' in the constants of an electric motor\n    hint: choose from Kt, Kb, R, L\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 0 }\n",
     "m.toml:37:31: error: a motor without 'L' and 'R' has an unlimited current\n    hint: without L nothing but R limits it\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1, L = \"k - 2\" "
     "}\n",
     "m.toml:33:9: error: L of the motor 'm' must be above 0, not 0\n"
     "    hint: for a motor without inductance leave L out: its current then follows without lag\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1, L = \"0\" }\n",
     "m.toml:37:38: error: 'L' is 0\n    hint: leave it out, or write the number 0: the current then follows without lag\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1, L = 0 }\n",
     ""},
    {"[[motor]]\nname = \"m\"\ntype = \"hydraulic\"\nspring = \"cyl\"\ninput = 0\nconstants = { Dm = 1, Kq = 1, Kc = 1, V = 0, beta = 1 "
     "}\n",
     "m.toml:37:13: error: a hydraulic motor without compressibility has no pressure of its own\n"
     "    hint: V/(4 beta) must be above 0\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"hydraulic\"\nspring = \"cil\"\ninput = 0\nconstants = { Dm = 1, Kq = 1, Kc = 1, V4beta = 1 }\n",
     "m.toml:35:11: error: unknown spring 'cil'\n    hint: did you mean 'cyl'?\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"hydraulic\"\nspring = \"cyl\"\ninput = 0\nconstants = { Dm = 1, Kq = 1, Kc = 1 }\n",
     "m.toml:37:13: error: a hydraulic motor needs 'V4beta', or 'V' and 'beta'\n"
     "    hint: its pressure follows from the compressibility of the oil, V/(4 beta)\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"hydraulic\"\nspring = \"cyl\"\ninput = \"m.pressure + m.force\"\n"
     "constants = { Dm = 1, Kq = 1, Kc = 1, V = 2, beta = 3 }\n",
     ""},
    {"[[motion]]\ncoordinate = \"hip\"\nequals = \"t\"\n"
     "[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:38:10: error: 'hip' has a given motion: a motor cannot drive it\n"
     "    hint: its motion is given at 32:1; the required force can be an output\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\ninertia = 1\nconstants = { Kt = 1, Kb = 1, R = 1 "
     "}\n",
     "m.toml:37:1: error: the inertia of a motor's rotor belongs to the joint\n"
     "    hint: give the joint armature = gear^2*J; or the rotor a [[body]] on a joint of its own, and a [[gear]] between the two\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"m.force\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:36:10: error: unknown name 'm.force'\n"},
    {"[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"m.torque\"\nconstants = { Kt = 1, Kb = 1, R = 1 }\n",
     "m.toml:33:9: error: signals depend on each other with no state between them: m.voltage → m.torque → m.current → m.voltage\n"
     "    hint: m.voltage at 33:9, m.torque at 33:9, m.current at 33:9; a filter whose numerator is of lower degree than its denominator "
     "breaks the circle\n"},
};
INSTANTIATE_TEST_SUITE_P(Motors, SignalProblems, testing::ValuesIn(motors));

constexpr Case trajectories[]{
    {"[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\n", "m.toml:32:1: error: a trajectory needs 'duration'\n"},
    {"[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = \"k - 2\"\n",
     "m.toml:33:9: error: the duration of 'r' must be above 0, not 0\n    hint: in seconds\n"},
    {"[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = 1\nshape = \"square\"\n",
     "m.toml:37:10: error: unknown shape 'square'\n    hint: choose from cycloid, quintic, trapezoid\n"},
    {"[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = 1\nshape = \"trapezoid\"\nacceleration = 0.6\n",
     "m.toml:33:9: error: 'acceleration' of 'r' must be above 0 and at most 0.5, not 0.6\n"
     "    hint: it is the part of the duration spent accelerating, and again decelerating\n"},
    {"[[trajectory]]\nname = \"r\"\npoints = [[0, 0], [1, 1], [0.5, 1]]\n", "m.toml:34:28: error: the times of a trajectory must ascend\n"},
    {"[[trajectory]]\nname = \"r\"\npoints = [[0, 0], [1e-300, 1e300], [2e-300, 0]]\n",
     "m.toml:33:9: error: 'r' has no value\n    hint: check its numbers: they are too large, or too close together\n"
     "m.toml:33:9: error: \"r'\" has no value\n    hint: check its numbers: they are too large, or too close together\n"
     "m.toml:33:9: error: \"r''\" has no value\n    hint: check its numbers: they are too large, or too close together\n"},
    {"[[trajectory]]\nname = \"r\"\npoints = [[0, 0]]\n", "m.toml:34:10: error: a trajectory has 2 to 1000 points, not 1\n"},
    {"[[trajectory]]\nname = \"r\"\npoints = [[0, 0], 3]\n",
     "m.toml:34:19: error: a point of a trajectory is a time and a value\n    hint: points = [[0, 0], [0.5, 1.2], [1, 1]]\n"},
    {"[[trajectory]]\nname = \"r\"\nfrom = \"hip\"\nto = 1\nduration = 1\n",
     "m.toml:34:9: error: 'hip' is a coordinate and cannot be used in 'from'\n    hint: only parameters may be used here\n"},
    {"[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = 1\n[[motion]]\ncoordinate = \"hip\"\nequals = \"r\"\n", ""},
    {"[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = 1\n[[constraint]]\nholonomic = \"hip - r''\"\n", ""},
};
INSTANTIATE_TEST_SUITE_P(Trajectories, SignalProblems, testing::ValuesIn(trajectories));

/// Whatever stands where something else is meant: a message, and no crash.
TEST(SignalsRead, AnythingAtAllIsAnswered) {
    const std::string_view values[]{"0",       "-1",    "true",      "\"\"",         "\"hip\"", "\"volts\"",  "[]",      "[1]",
                                    "[\"k\"]", "{}",    "{ a = 1 }", "\"1/0\"",      "nan",     "1e400",      "[[]]",    "[[0, 1], [1, 2]]",
                                    "1e-320",  "\"f\"", "\"f.1\"",   "\"m.torque\"", "\"r''\"", "\"steady\"", "\"cyl\"", "[0, 0, 0]"};
    const std::string_view keys[]{"name", "input", "numerator", "denominator", "initial",      "sample",    "method",
                                  "type", "joint", "spring",    "gear",        "inertia",      "constants", "from",
                                  "to",   "start", "duration",  "shape",       "acceleration", "points",    "ends"};
    const std::pair<std::string_view, std::vector<std::string>> nouns[]{
        {"filter", {"name = \"f\"", "input = \"hip\"", "numerator = [1, 2]", "denominator = [1, 3]"}},
        {"motor",
         {"name = \"m\"", "type = \"electric\"", "joint = \"hip\"", "input = \"volts\"", "constants = { Kt = 1, Kb = 1, R = 1, L = 1 }"}},
        {"trajectory", {"name = \"r\"", "from = 0", "to = 1", "duration = 2"}}};
    for (const auto& [noun, lines] : nouns) {
        for (const std::string_view key : keys) {
            for (const std::string_view value : values) {
                std::string text = with("[[" + std::string(noun) + "]]\n");
                for (const std::string& line : lines) {
                    if (!line.starts_with(std::string(key) + " =")) text += line + "\n";
                }
                const Reading reading = read(text + std::string(key) + " = " + std::string(value) + "\n", "m.toml");
                EXPECT_TRUE(reading.model.has_value() || !reading.problems.empty()) << text << key << " = " << value;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ meaning

/// The transfer function at s, from the realisation: 1ᵀ(s − A)⁻¹B + D by elimination.
std::complex<double> transfer(const Model& m, const Filter& f, std::complex<double> s) {
    const sym::PoolScope scope(*m.pool);
    const Realisation r = realise(f);
    const ParameterValues value(m);
    const std::size_t n = r.B.size();
    std::vector<std::vector<std::complex<double>>> a(n, std::vector<std::complex<double>>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) a[i][j] = (i == j ? s : 0.0) - value(r.A[i][j]);
        a[i][n] = value(r.B[i]);
    }
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t p = k;
        for (std::size_t i = k; i < n; ++i) {
            if (std::abs(a[i][k]) > std::abs(a[p][k])) p = i;
        }
        std::swap(a[k], a[p]);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const std::complex<double> w = a[i][k] / a[k][k];
            for (std::size_t j = k; j <= n; ++j) a[i][j] -= w * a[k][j];
        }
    }
    return value(r.D) + (n == 0 ? 0.0 : a[0][n] / a[0][0]);
}

TEST(Filters, RealiseTheirFraction) {
    const std::pair<std::vector<double>, std::vector<double>> fractions[]{
        {{1}, {0.01, 1}},                     // lag
        {{1, 10}, {1, 100}},                  // lead
        {{1, 0, 400}, {1, 28, 400}},          // notch
        {{1, -26, 361}, {1, 26, 361}},        // all-pass, zeros in the right half plane
        {{1}, {1, 0}},                        // integrator
        {{3}, {1}},                           // gain
        {{1, 2}, {2, 3e3, 4e7, 5e10, 6e13}},  // fast
        {{1e-3, 1}, {1e4, 1e3, 10, 0.1}},     // slow
        {{1, 0, 0, 0, 0, 0}, {1, 10, 50, 100, 150, 100}},
    };
    for (const auto& [numerator, denominator] : fractions) {
        Model m = empty_model();
        const sym::PoolScope scope(*m.pool);
        filter(m, "f",
               {.input = m.t, .numerator = {numerator.begin(), numerator.end()}, .denominator = {denominator.begin(), denominator.end()}});
        ASSERT_EQ(m.states.size(), denominator.size() - 1);
        for (const double w : {0.03, 0.7, 11.0, 300.0, 1e4}) {
            const std::complex<double> s(0.1 * w, w);
            const auto at = [&](const std::vector<double>& p) {
                std::complex<double> sum = 0;
                for (const double c : p) sum = sum * s + c;
                return sum;
            };
            const std::complex<double> expected = at(numerator) / at(denominator);
            EXPECT_LT(std::abs(transfer(m, m.filters[0], s) - expected), 1e-10 * std::abs(expected) + 1e-14)
                << denominator.size() << " " << w;
        }
        // well scaled: no entry far beyond the fastest pole, however fast it is
        const Realisation r = realise(m.filters[0]);
        const double sigma = std::ldexp(1.0, static_cast<int>(m.filters[0].scale));
        const ParameterValues value(m);
        for (const auto& row : r.A) {
            for (const Expr& e : row) EXPECT_LE(std::abs(value(e)), denominator.size() > 2 ? 3 * sigma : 101);
        }
    }
}

TEST(Motors, AreOneEquation) {
    Model m = good(
        "[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ngear = 3\ninput = \"volts - k*hip\"\n"
        "constants = { Kt = 2, Kb = 5, R = 7, L = 0.5 }\n");
    ASSERT_EQ(m.states.size(), 1u);
    const sym::PoolScope scope(*m.pool);
    const Expr i = *m.pool->find_symbol("m.current"), v = *m.pool->find_symbol("m.voltage"), u = *m.pool->find_symbol("hip'");
    EXPECT_EQ(m.states[0].rate, (v - 15 * u - 7 * i) / sym::Rational(1, 2));
    EXPECT_EQ(m.signals[0].value, *m.pool->find_symbol("volts") - *m.pool->find_symbol("k") * *m.pool->find_symbol("hip"));
    EXPECT_EQ(m.signals[1].symbol.symbol().name, "m.torque");
    EXPECT_EQ(m.signals[1].value, 6 * i);
    Model still =
        good("[[motor]]\nname = \"m\"\ntype = \"electric\"\njoint = \"hip\"\ninput = \"volts\"\nconstants = { Kt = 2, Kb = 5, R = 7 }\n");
    EXPECT_TRUE(still.states.empty());
    const sym::PoolScope other(*still.pool);
    EXPECT_EQ(still.signals[1].value, (*still.pool->find_symbol("m.voltage") - 5 * *still.pool->find_symbol("hip'")) / 7);
    const Model oil = good(
        "[[motor]]\nname = \"m\"\ntype = \"hydraulic\"\nspring = \"cyl\"\ninput = \"volts\"\n"
        "constants = { Dm = 2, Kq = 5, Kc = 7, V = 8, beta = 4 }\n");
    const sym::PoolScope third(*oil.pool);
    EXPECT_EQ(
        oil.states[0].rate,
        (5 * *oil.pool->find_symbol("m.valve") - 2 * *oil.pool->find_symbol("cyl.rate") - 7 * *oil.pool->find_symbol("m.pressure")) * 2);
    EXPECT_EQ(oil.signals[1].symbol.symbol().name, "m.force");
}

double at(const Model& m, const std::string& name, double t) {
    const Expr symbol = *m.pool->find_symbol(name);
    const auto found = std::ranges::find(m.signals, symbol, &Signal::symbol);
    const ParameterValues value(m);
    return sym::evaluate<double>(found->value, [&](const Expr& s) { return s == m.t ? t : value(s); });
}

TEST(Trajectories, GoFromOneToTheOther) {
    for (const char* shape : {"cycloid", "quintic", "trapezoid"}) {
        const Model m = good("[[trajectory]]\nname = \"r\"\nfrom = \"k\"\nto = -1\nstart = 0.25\nduration = 2\nshape = \"" +
                             std::string(shape) + "\"\n");
        for (const double t : {-1.0, 0.0, 0.25}) EXPECT_NEAR(at(m, "r", t), 2, 1e-14) << shape;
        for (const double t : {2.25, 3.0, 100.0}) EXPECT_NEAR(at(m, "r", t), -1, 1e-11) << shape;
        EXPECT_NEAR(at(m, "r", 1.25), 0.5, 1e-13) << shape;
        for (const double t : {0.0, 0.3, 0.6, 0.9, 1.3, 1.9, 2.2, 2.4}) {
            const double h = 1e-5;
            EXPECT_NEAR(at(m, "r'", t), (at(m, "r", t + h) - at(m, "r", t - h)) / (2 * h), 1e-8) << shape << t;
            EXPECT_NEAR(at(m, "r''", t), (at(m, "r'", t + h) - at(m, "r'", t - h)) / (2 * h), 1e-7) << shape << t;
        }
    }
    const Model m = good("[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = 1\nshape = \"trapezoid\"\nacceleration = 0.25\n");
    EXPECT_NEAR(at(m, "r'", 0.5), 4.0 / 3, 1e-14);
    EXPECT_NEAR(at(m, "r''", 0.1), 16.0 / 3, 1e-13);
    const Model c = good("[[trajectory]]\nname = \"r\"\nfrom = 0\nto = 1\nduration = 1\n");
    EXPECT_NEAR(at(c, "r", 0.25), 0.25 - 1 / (2 * std::numbers::pi), 1e-14);
}

TEST(Trajectories, PassThroughPoints) {
    for (const char* ends : {"clamped", "natural"}) {
        const Model m = good("[[trajectory]]\nname = \"r\"\npoints = [[0, 0], [0.5, \"k\"], [0.7, 1], [2, -1], [2.5, 0.5]]\nends = \"" +
                             std::string(ends) + "\"\n");
        const std::pair<double, double> knots[]{{0, 0}, {0.5, 2}, {0.7, 1}, {2, -1}, {2.5, 0.5}};
        for (const auto& [t, y] : knots) {
            EXPECT_NEAR(at(m, "r", t), y, 1e-12) << ends << t;
            if (t == 0 || t == 2.5) continue;
            for (const char* name : {"r", "r'", "r''"})
                EXPECT_NEAR(at(m, name, t - 1e-9), at(m, name, t + 1e-9), 1e-5) << ends << name << t;
        }
        EXPECT_NEAR(at(m, std::string(ends) == "natural" ? "r''" : "r'", 1e-12), 0, 1e-9);
        EXPECT_NEAR(at(m, std::string(ends) == "natural" ? "r''" : "r'", 2.5 - 1e-12), 0, 1e-9);
        EXPECT_EQ(at(m, "r'", -1), 0);
        EXPECT_EQ(at(m, "r", 9), 0.5);
        for (const double t : {0.2, 0.6, 1.3, 2.2}) {
            const double h = 1e-5;
            EXPECT_NEAR(at(m, "r'", t), (at(m, "r", t + h) - at(m, "r", t - h)) / (2 * h), 1e-6);
            EXPECT_NEAR(at(m, "r''", t), (at(m, "r'", t + h) - at(m, "r'", t - h)) / (2 * h), 1e-5);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ writing

constexpr std::string_view all_of_them = R"toml([[trajectory]]
name = "ref"
from = 0
to = "k"
duration = 1.5
shape = "trapezoid"
acceleration = 0.2
[[trajectory]]
name = "way"
points = [[0, 0], [1, "k"], [2, 0]]
ends = "natural"
[[filter]]
name = "lead"
input = "ref - hip + way'"
numerator = ["k", 10]
denominator = ["T", 100]
initial = "steady"
[[filter]]
name = "sampled"
input = "lead + speed.x"
numerator = [2]
denominator = [1, 2, 30]
initial = [0.5, 0]
sample = 0.01
method = "tustin"
[[motor]]
name = "m1"
type = "electric"
joint = "hip"
gear = 3
input = "volts + sampled"
constants = { Kt = "k", Kb = 0.1, R = 1.5, L = 0.01 }
[[motor]]
name = "m2"
type = "electric"
joint = "ball.wz"
input = "min(max(lead, -1), 1)"
constants = { Kt = "k", Kb = 0.1, R = 1.5 }
[[motor]]
name = "m3"
type = "hydraulic"
spring = "cyl"
input = "m1.current - m2.torque"
constants = { Dm = 0.01, Kq = 2, Kc = 3, V = 0.001, beta = 1e9 }
initial = "steady"
[[output]]
name = "speed"
velocity = "arm.tip"
[initial]
"m1.current" = 0.25
)toml";

TEST(Signals, AreWrittenBack) {
    Model m = good(all_of_them);
    const std::string text = write(m);
    Reading back = read(text, "again.toml");
    ASSERT_TRUE(back.model) << to_string(back.problems) << text;
    std::vector<Expr> a, b;
    for_each_expression(m, [&](Expr& e) { a.push_back(e); });
    for_each_expression(*back.model, [&](Expr& e) { b.push_back(e); });
    const auto over = sym::transplant(a, *back.model->pool);
    ASSERT_EQ(over.size(), b.size());
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(sym::equal(over[i], b[i]), sym::Verdict::equal) << sym::print(b[i]);
    EXPECT_EQ(write(*back.model), text);
    EXPECT_EQ(back.model->states.size(), 5u);
    EXPECT_TRUE(back.model->states[0].is_steady);
}

TEST(Signals, StandInChains) {
    const Reading reading = read(R"(format = 1
[[chain]]
name = "servo"
ports = ["base"]
set = { k = 3 }
[[chain.body]]
name = "link"
mass = 1
com = [1, 0, 0]
points = { tip = [1, 0, 0] }
[[chain.joint]]
name = "pin"
type = "revolute"
parent = "base"
child = "link"
[[chain.trajectory]]
name = "ref"
from = 0
to = 1
duration = 1
[[chain.filter]]
name = "lag"
input = "ref - pin"
numerator = ["k"]
denominator = [0.1, 1]
[[chain.motor]]
name = "m"
type = "electric"
joint = "pin"
input = "lag"
constants = { Kt = 1, Kb = 1, R = 1, L = 1 }
[[instance]]
of = "servo"
name = "s"
count = 2
base = "ground"
next = { base = "link.tip" }
)",
                                 "m.toml");
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    const Model& m = *reading.model;
    ASSERT_EQ(m.motors.size(), 2u);
    EXPECT_EQ(m.motors[1].name, "s2.m");
    EXPECT_EQ(m.motors[1].joint, 1u);
    EXPECT_EQ(m.states[2].symbol.symbol().name, "s2.lag.1");
    EXPECT_EQ(sym::print(m.motors[1].input), "s2.lag");
}

TEST(Signals, AreBuiltInPrograms) {
    Model m = empty_model();
    const sym::PoolScope scope(*m.pool);
    const BodyIndex b = body(m, "b", {.mass = 1, .com = {{1, 0, 0}}});
    const std::size_t j = joint(m, JointType::revolute, "hip", ground, b);
    const Expr torque = motor(m, "m", {.joint = j, .force = 2, .loss = 3, .storage = sym::Rational(1, 10)});
    const Expr ref = trajectory(m, "ref", {.to = 2});
    const Expr lag = filter(m, "lag", {.input = ref - *find_coordinate(m, "hip"), .numerator = {1}, .denominator = {1, 5}});
    drive(m, "m", 7 * lag + signal(m, "ref'"));
    EXPECT_EQ(m.motors[0].input, 7 * lag + signal(m, "ref'"));
    EXPECT_EQ(torque.symbol().name, "m.torque");
    EXPECT_TRUE(circle_of_signals(m).empty());
    const Reading back = read(write(m), "m.toml");
    EXPECT_TRUE(back.model) << to_string(back.problems);
    EXPECT_THROW(filter(m, "lag", {.numerator = {1}, .denominator = {1, 5}}), std::invalid_argument);
    EXPECT_THROW(filter(m, "worse", {.numerator = {1, 2, 3}, .denominator = {1, 5}}), std::invalid_argument);
    EXPECT_THROW(drive(m, "nobody", 1), std::invalid_argument);
    drive(m, "lag", torque), drive(m, "m", lag);
    EXPECT_TRUE(circle_of_signals(m).empty());
}

}  // namespace
}  // namespace linkwright::model
