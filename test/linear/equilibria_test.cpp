// Every equilibrium of mechanisms whose equilibria are known: by their formulas, or counted by what a closed curve, a torus or a plane
// must have of minima, saddles and maxima (Morse, Euler). And the one that is called nearest is.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>
#include <random>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using linear::Equilibrium;
using linear::EquilibriumList;
using linear::EquilibriumOptions;
using linear::Stability;
using std::numbers::pi;
using testing::HasSubstr;

EquilibriumList all_of(const Subject& s, EquilibriumOptions o = {}) {
    o.starts = 12;
    return find_equilibria(*s.numbers, s.start(), o);
}

Equilibrium nearest_of(const Subject& s, const EquilibriumOptions& o = {}) { return find_equilibrium(*s.numbers, s.start(), o); }

void hold(const Subject& s, EquilibriumOptions& o, const std::string& name, double value) {
    for (const auto* list : {&s.equations.q, &s.equations.u}) {
        for (const sym::Expr& x : *list) {
            if (x.symbol().name == name) o.held.push_back({name, x, value, true, list == &s.equations.u});
        }
    }
    ASSERT_EQ(o.held.back().name, name);
    o.is_steady |= o.held.back().is_speed;
}

Index place_of(const std::vector<sym::Expr>& symbols, const std::string& name) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].symbol().name == name) return static_cast<Index>(i);
    }
    ADD_FAILURE() << name;
    return 0;
}

std::vector<double> values_of(const EquilibriumList& list, Index coordinate) {
    std::vector<double> r;
    for (const Equilibrium& x : list.found) {
        if (x.is_ok) r.push_back(x.point.state.q[coordinate]);
    }
    std::ranges::sort(r);
    return r;
}

/// These and no others, and it is said that these are all.
void expect_exactly(const EquilibriumList& list, std::vector<double> expected, double tolerance, const std::string& what) {
    std::ranges::sort(expected);
    const std::vector<double> found = values_of(list, 0);
    EXPECT_TRUE(list.is_complete()) << what << ": " << list.words;
    EXPECT_THAT(list.words, HasSubstr(expected.empty() ? "none within " : "all within ")) << what;
    ASSERT_EQ(found.size(), expected.size()) << what << ": " << fmt::format("{}", fmt::join(found, " ")) << "; " << list.words;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << what;
}

/// The nearest first: so said, and so it is.
void expect_sorted(const EquilibriumList& list) {
    for (std::size_t i = 1; i < list.found.size(); ++i) EXPECT_LE(list.found[i - 1].distance, list.found[i].distance + 1e-5);
}

/// Directions in which the potential energy falls away: each has a pole that grows.
int falling(const Equilibrium& x) {
    int n = 0;
    for (const std::complex<double> p : x.poles) n += p.real() > 1e-6 ? 1 : 0;
    return n;
}
/// Minima less saddles plus maxima.
int characteristic(const EquilibriumList& list) {
    int sum = 0;
    for (const Equilibrium& x : list.found) sum += falling(x) % 2 == 0 ? 1 : -1;
    return sum;
}

/// A mass on a rail that feels `force`.
Subject on_a_rail(const std::string& force, double from = 0) {
    return Subject(model::read(fmt::format(R"(
format = 1
name = "Rail"
[[body]]
name = "b"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "b"
actuator = "{}"
[initial]
x = {:.17g}
)",
                                           force, from),
                               "rail"));
}

// ---- lengths of every size

TEST(Equilibria, OfAPolynomialAreFoundInCentimetresAndInHundredsOfMetres) {
    const Subject small("test/linear/equilibria/five_in_centimetres.toml"), large("test/linear/equilibria/five_in_hundreds.toml");
    const EquilibriumList centimetres = all_of(small), hundreds = all_of(large);
    expect_exactly(centimetres, {-0.02, -0.012, 0.003, 0.009, 0.021}, 1e-12, "centimetres");
    expect_exactly(hundreds, {-150, -20, 10, 120, 260}, 1e-9, "hundreds");
    expect_sorted(centimetres);
    expect_sorted(hundreds);
    EXPECT_NEAR(centimetres.found.front().point.state.q[0], 0.003, 1e-12);
    EXPECT_NEAR(hundreds.found.front().point.state.q[0], 10, 1e-9);
    EXPECT_THAT(centimetres.metric, HasSubstr("lengths in units of"));
}

/// Between −size and size, no two closer than a thirtieth of it.
std::vector<double> roots(std::mt19937_64& random, std::size_t count, double size) {
    std::uniform_real_distribution<double> uniform(-size, size);
    std::vector<double> list;
    while (list.size() < count) {
        const double x = uniform(random);
        if (std::ranges::all_of(list, [&](double y) { return std::abs(x - y) > size / 30; })) list.push_back(x);
    }
    return list;
}
/// c₀ + c₁ x + … with these roots.
std::vector<double> expanded(const std::vector<double>& zeros) {
    std::vector<double> c{1};
    for (const double r : zeros) {
        c.push_back(0);
        for (std::size_t k = c.size() - 1; k > 0; --k) c[k] = c[k - 1] - r * c[k];
        c[0] *= -r;
    }
    return c;
}
std::string as_text(const std::vector<double>& c, double size, const std::string& x) {
    std::string text;
    for (std::size_t k = 0; k < c.size(); ++k) text += fmt::format("{}({:.17g})*({}/{})^{}", k > 0 ? " + " : "", c[k], x, size, k);
    return text;
}

TEST(Equilibria, OfPolynomialsInMillimetresMetresKilometres) {
    std::mt19937_64 random(7);
    for (const double size : {1e-3, 1.0, 1e3}) {
        for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 7u}) {
            std::vector<double> r = roots(random, count, 1);
            const std::string bowl = count == 0 ? fmt::format("*((x/{0})^2 + 1)", size) : "";  // no root at all
            const Subject s = on_a_rail(fmt::format("-({}){}", as_text(expanded(r), size, "x"), bowl), 0.123 * size);
            for (double& x : r) x *= size;
            expect_exactly(all_of(s), r, 1e-9 * size, fmt::format("{} roots of size {}", count, size));
        }
    }
}

/// Two rails across each other; the forces are polynomials along axes turned by an angle.
TEST(Equilibria, OfTwoPolynomialsInAPlane) {
    std::mt19937_64 random(11);
    for (const double size : {1e-3, 1.0, 1e3}) {
        for (const auto& [m, n] : {std::pair{1u, 3u}, std::pair{3u, 3u}, std::pair{2u, 4u}}) {
            const std::vector<double> a = roots(random, m, 1), b = roots(random, n, 1);
            const double angle = std::uniform_real_distribution<double>(0.2, 1.3)(random), c = std::cos(angle), d = std::sin(angle);
            const std::string along = fmt::format("({:.17g}*x + {:.17g}*y)", c, d), across = fmt::format("({:.17g}*y - {:.17g}*x)", c, d);
            const std::string P = as_text(expanded(a), size, along), Q = as_text(expanded(b), size, across);
            const Subject s(model::read(fmt::format(R"model(
format = 1
name = "Plane"
[[body]]
name = "carriage"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "carriage"
actuator = "-({c:.17g})*({P}) + ({d:.17g})*({Q})"
[[body]]
name = "b"
mass = 1
[[joint]]
name = "y"
type = "prismatic"
axis = "y"
parent = "carriage"
child = "b"
actuator = "-({d:.17g})*({P}) - ({c:.17g})*({Q})"
)model",
                                                    fmt::arg("c", c), fmt::arg("d", d), fmt::arg("P", P), fmt::arg("Q", Q)),
                                        "plane"));
            std::vector<double> x;
            for (const double p : a) {
                for (const double q : b) x.push_back(size * (c * p - d * q));
            }
            expect_exactly(all_of(s), x, 1e-8 * size, fmt::format("{} x {} of size {}", m, n, size));
        }
    }
}

// ---- springs

TEST(Equilibria, OfATrussThatSnapsThrough) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        for (const double rest : {0.8, 1.3}) {  // of the width: it snaps through when it is longer
            const Subject s(model::read(fmt::format(R"(
format = 1
name = "Truss"
[parameters]
a = {{ value = {0:.17g}, unit = "m" }}
L = {{ value = {1:.17g}, unit = "m" }}
[ground]
points = {{ left = ["-a", 0, 0], right = ["a", 0, 0] }}
[[body]]
name = "b"
mass = 1
[[joint]]
name = "y"
type = "prismatic"
axis = "y"
parent = "ground"
child = "b"
[[spring]]
name = "left"
from = "ground.left"
to = "b"
stiffness = 50
rest = "L"
[[spring]]
name = "right"
from = "ground.right"
to = "b"
stiffness = 50
rest = "L"
[initial]
y = {2:.17g}
)",
                                                    size, rest * size, 0.3 * size),
                                        "truss"));
            const double up = std::sqrt(std::max(0.0, rest * rest - 1)) * size;
            expect_exactly(all_of(s), up > 0 ? std::vector{-up, 0.0, up} : std::vector{0.0}, 1e-10 * size,
                           fmt::format("{} {}", size, rest));
        }
    }
}

/// k q = m g l sin q, counted along a fine row of angles.
TEST(Equilibria, OfAPendulumWithASpringInItsHinge) {
    for (const double k : {0.11, 0.4, 0.9, 1.7}) {
        const Subject s(model::read(fmt::format(R"(
format = 1
name = "Inverted pendulum"
gravity = [0, 0, -10]
[[body]]
name = "bob"
mass = 1
com = [0, 0, 0.1]
[[joint]]
name = "q"
type = "revolute"
axis = "y"
parent = "ground"
child = "bob"
stiffness = {}
[initial]
q = 0.3
)",
                                                k),
                                    "inverted"));
        const EquilibriumList list = all_of(s);
        const std::vector<double> found = values_of(list, 0);
        std::size_t expected = 0;
        const auto pull = [&](double q) { return k * q - std::sin(q); };
        constexpr int rows = 40'001;
        for (int i = 0; i < rows; ++i) {
            const double from = 0.3 - 4 * pi, step = 8 * pi / rows, q = from + i * step;
            expected += (pull(q) > 0) != (pull(q + step) > 0) ? 1 : 0;
        }
        EXPECT_TRUE(list.is_complete()) << list.words;
        EXPECT_EQ(found.size(), expected) << k;
        EXPECT_EQ(characteristic(list), 1) << k;
        for (const double q : found) EXPECT_NEAR(pull(q), 0, 1e-11);
    }
}

std::string double_pendulum(double gravity, double anchor, double stiffness) {
    return fmt::format(R"(
format = 1
name = "Double pendulum and spring"
gravity = [0, 0, {}]
[ground]
points = {{ hook = [{}, 0, 0.2] }}
[[body]]
name = "upper"
mass = 1
points = {{ end = [0, 0, -1] }}
com = [0, 0, -0.5]
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "a"
type = "revolute"
axis = "y"
parent = "ground"
child = "upper"
[[body]]
name = "lower"
mass = 0.7
points = {{ tip = [0, 0, -0.8] }}
com = [0, 0, -0.4]
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "b"
type = "revolute"
axis = "y"
parent = "upper"
child = "lower"
parent_at = "end"
[[spring]]
name = "coil"
from = "ground.hook"
to = "lower.tip"
stiffness = {}
rest = 0.5
[initial]
a = 0.4
b = -0.2
)",
                       -gravity, anchor, stiffness);
}

TEST(Equilibria, OnATorusHaveAsManySaddlesAsMinimaAndMaxima) {
    std::mt19937_64 random(5);
    const auto draw = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(random); };
    for (int trial = 0; trial < 12; ++trial) {
        const Subject s(model::read(double_pendulum(draw(1, 10), draw(2, 3), draw(1, 40)), "double"));
        const EquilibriumList list = all_of(s);
        EXPECT_TRUE(list.is_complete()) << list.words;
        EXPECT_THAT(list.words, HasSubstr("a whole turn of a, a whole turn of b"));
        EXPECT_GE(list.found.size(), 4u);
        EXPECT_EQ(characteristic(list), 0) << list.found.size();
        expect_sorted(list);
    }
}

/// Two masses on rails, each with two wells, and a spring between them. Far out everything pushes back: minima less saddles plus maxima is 1.
TEST(Equilibria, InABowlHaveOneMoreOfMinimaAndMaximaThanOfSaddles) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        for (const double bias : {0.0, 0.3, 1.5}) {
            const Subject s(model::read(fmt::format(R"(
format = 1
name = "Two wells"
[parameters]
L = {{ value = {0:.17g}, unit = "m" }}
[[body]]
name = "one"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "one"
actuator = "(x/L) - (x/L)^3 + {1}*(y - x)/L"
[[body]]
name = "other"
mass = 2
[[joint]]
name = "y"
type = "prismatic"
axis = "y"
parent = "ground"
child = "other"
actuator = "1.3*(y/L) - (y/L)^3 - {1}*(y - x)/L"
[initial]
x = "0.3*L"
)",
                                                    size, bias),
                                        "wells"));
            const EquilibriumList list = all_of(s);
            EXPECT_TRUE(list.is_complete()) << list.words;
            EXPECT_EQ(characteristic(list), 1) << bias;
            EXPECT_EQ(list.found.size(), bias == 0 ? 9u : bias == 0.3 ? 5u : 3u) << size;
        }
    }
}

TEST(Equilibria, OfAFourBarAreMinimaAndMaximaInTurn) {
    Subject s("test/linear/equilibria/four_bar_and_spring.toml");
    for (const char* stiffness : {"5", "40", "300"}) {
        for (const char* rest : {"0.1", "0.4"}) {
            model::set_value(*s.model, "k", stiffness);
            model::set_value(*s.model, "rest", rest);
            s.derive();
            const EquilibriumList list = all_of(s);
            EXPECT_TRUE(list.is_complete()) << list.words;
            EXPECT_GE(list.found.size(), 4u) << stiffness << " " << rest;  // two ways to put it together, each a closed curve
            EXPECT_EQ(characteristic(list), 0) << stiffness << " " << rest;
            for (const Equilibrium& x : list.found) EXPECT_LT(x.residual, 1e-9);
        }
    }
}

// ---- steady motions

TEST(Equilibria, OfATopAreASlowAndAFastPrecession) {
    const Subject s("test/linear/equilibria/top.toml");
    const Index precession = place_of(s.equations.u, "s.1'");
    for (const auto& [tilt, spin] : {std::pair{0.5, 100.0}, std::pair{0.5, 40.0}, std::pair{1.2, -60.0}, std::pair{2.0, 100.0}}) {
        EquilibriumOptions o;
        hold(s, o, "s.2", tilt);
        hold(s, o, "s.3'", spin);
        const EquilibriumList list = all_of(s, o);
        // (I1 + m l² − I3) cos θ ψ'² − I3 φ' ψ' + m g l = 0
        const double a = (0.01 + 0.04 - 0.02) * std::cos(tilt), b = -0.02 * spin, c = 9.81 * 0.2, root = std::sqrt(b * b - 4 * a * c);
        std::vector<double> expected{(-b - root) / (2 * a), (-b + root) / (2 * a)}, found;
        for (const Equilibrium& x : list.found) found.push_back(x.point.state.u[precession]);
        std::ranges::sort(expected), std::ranges::sort(found);
        EXPECT_TRUE(list.is_complete()) << list.words;
        ASSERT_EQ(found.size(), 2u) << tilt << " " << spin;
        for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(found[i], expected[i], 1e-9 * std::abs(expected[i]));
    }
    EquilibriumOptions slow;  // too slow to stand up: none, and that is said
    hold(s, slow, "s.2", 0.5);
    hold(s, slow, "s.3'", 20);
    const EquilibriumList none = all_of(s, slow);
    EXPECT_FALSE(none.found.front().is_ok);
    EXPECT_THAT(none.words, HasSubstr("none within"));
    EXPECT_THAT(nearest_of(s, slow).why, HasSubstr("there is none within "));
}

TEST(Equilibria, OfABeadOnATurningHoopAreTwoOrFour) {
    for (const auto& [W, count] : {std::pair{2.0, 2u}, std::pair{3.0, 2u}, std::pair{3.3, 4u}, std::pair{9.0, 4u}}) {
        Subject s("test/linear/equilibria/turning_pendulum.toml");
        model::set_value(*s.model, "W", fmt::format("{}", W));
        s.derive();
        std::vector<double> expected{0, pi};
        if (count == 4) expected.push_back(std::acos(9.81 / (W * W))), expected.push_back(-expected.back());
        EquilibriumList list = all_of(s);
        for (Equilibrium& x : list.found) x.point.state.q[0] = std::abs(x.point.state.q[0] + pi) < 1e-6 ? pi : x.point.state.q[0];
        expect_exactly(list, expected, 1e-10, fmt::format("W = {}", W));
    }
}

// ---- the nearest

TEST(Equilibria, TheNearestIsTheNearest) {
    const Subject rail("test/linear/equilibria/three_on_a_rail.toml"), hub("test/linear/equilibria/turning_pendulum.toml");
    EXPECT_NEAR(nearest_of(rail).point.state.q[0], 1, 1e-12);
    EXPECT_NEAR(nearest_of(hub).point.state.q[0], std::acos(9.81 / 16), 1e-12);  // 0.911 is nearer to 0.5 than 0 is
    for (double from = -4; from < 3; from += 0.31) {
        const Subject s = on_a_rail("-x*(x-1)*(x+3)", from);
        double expected = 0;
        for (const double r : {1.0, -3.0}) expected = std::abs(from - r) < std::abs(from - expected) ? r : expected;
        const Equilibrium x = nearest_of(s);
        ASSERT_TRUE(x.is_ok) << x.why;
        EXPECT_NEAR(x.point.state.q[0], expected, 1e-9) << from;
    }
    for (const double middle : {0.5, -1.5}) {  // as near to the one as to the other: neither has any energy, the larger one is taken
        EXPECT_NEAR(nearest_of(on_a_rail("-x*(x-1)*(x+3)", middle)).point.state.q[0], middle + (middle > 0 ? 0.5 : 1.5), 1e-9);
    }
}

TEST(Equilibria, OppositeToTheStartAreFound) {
    const Subject s(model::read(R"(
format = 1
name = "Pendulum"
gravity = [0, 0, -9.81]
[[body]]
name = "bob"
mass = 1
com = [0, 0, -0.3]
[[joint]]
name = "q"
type = "revolute"
axis = "y"
parent = "ground"
child = "bob"
)",
                                "pendulum"));
    const EquilibriumList list = all_of(s);
    ASSERT_EQ(list.found.size(), 2u) << list.words;
    EXPECT_NEAR(list.found[0].point.state.q[0], 0, 1e-12);
    EXPECT_NEAR(list.found[1].point.state.q[0], pi, 1e-12);  // not -pi: of what is equally near, the larger
    EXPECT_TRUE(list.is_complete()) << list.words;
}

/// At a jump a derivative says nothing about values.
TEST(Equilibria, OfForcesThatJumpAreNotLost) {
    const EquilibriumList stepped = all_of(on_a_rail("if(x - 0.3, -2, 1)*(x - 1)", 0.1));  // vanishes at 1, jumps at 0.3
    EXPECT_THAT(values_of(stepped, 0), testing::Contains(testing::DoubleNear(1, 1e-9)));
    const EquilibriumList wedge =
        all_of(on_a_rail("-sign(x - 0.3)*(x + 2)", 0.1));  // vanishes at -2; at 0.3 it points inwards from both sides
    EXPECT_THAT(values_of(wedge, 0), testing::Contains(testing::DoubleNear(-2, 1e-9)));
    EXPECT_FALSE(wedge.is_complete()) << wedge.words;
    const EquilibriumList kinked = all_of(on_a_rail("1 - abs(x - 0.3)", 0.1));
    expect_exactly(kinked, {-0.7, 1.3}, 1e-9, "kinked");
}

// ---- what is not shown is not said

TEST(Equilibria, ThatMayNotBeAllAreSoCalled) {
    const Subject s("models/triple_pendulum/model.toml");
    const EquilibriumList list = all_of(s);
    EXPECT_FALSE(list.is_complete());
    EXPECT_THAT(list.words, HasSubstr("found from 12 starts; there may be others"));
    const Subject twice = on_a_rail("(x-1)^2*(x-3)^2", 0.2);  // they touch zero: whether once or twice, no bounds can tell
    const EquilibriumList touching = all_of(twice);
    EXPECT_FALSE(touching.is_complete());
    EXPECT_THAT(touching.words, HasSubstr("too close together to tell apart"));
    ASSERT_EQ(touching.found.size(), 2u);
    EXPECT_NEAR(touching.found[0].point.state.q[0], 1, 1e-5);
    EXPECT_NEAR(touching.found[1].point.state.q[0], 3, 1e-5);
}

TEST(Equilibria, AtInfinityAreNotListed) {
    for (const char* force :
         {"1/x^2", "exp(-x)", "1/x^2 - 3/x^4", "2*x*exp(-x^2)", "x/(1+x^2)^2", "2*x*exp(-x^2) - 0.1*x'", "exp(-x^2)", "exp(-abs(x))"}) {
        const EquilibriumList list = all_of(on_a_rail(force, 1));
        for (const Equilibrium& x : list.found) {
            if (x.is_ok) EXPECT_LT(std::abs(x.point.state.q[0]), 2) << force << ": " << x.verdict;
        }
        const std::size_t expected = std::string(force) == "1/x^2 - 3/x^4" ? 2 : force[0] == '2' || force[0] == 'x' ? 1 : 0;
        EXPECT_EQ(values_of(list, 0).size(), expected) << force;
    }
}

/// One rail on the other, as many as there are forces.
Subject on_rails(const std::vector<std::string>& forces) {
    std::string text = "format = 1\nname = \"Rails\"\n", parent = "ground";
    for (std::size_t k = 0; k < forces.size(); ++k) {
        const std::string axis(1, "xyz"[k]);
        text += fmt::format(
            "[[body]]\nname = \"on_{0}\"\nmass = 1\n[[joint]]\nname = \"{0}\"\ntype = \"prismatic\"\naxis = \"{0}\"\n"
            "parent = \"{1}\"\nchild = \"on_{0}\"\nactuator = \"{2}\"\n",
            axis, parent, forces[k]);
        parent = "on_" + axis;
    }
    return Subject(model::read(text + "[initial]\nx = 0.5\n", "rails"));
}

TEST(Equilibria, AtInfinityInOneDirectionOfSeveralAreNotListed) {
    EXPECT_EQ(all_of(on_rails({"x*exp(-x^2)", "-(y-1)*(y+2)"})).found.size(), 2u);
    for (const char* force : {"x*exp(-x^2)", "x/(1+x^2)^2"}) {
        const EquilibriumList list = all_of(on_rails({force, "-(y-1)*(y+2)", "-z + 0.1*y"}));
        EXPECT_FALSE(list.is_complete());
        for (const Equilibrium& x : list.found) EXPECT_NEAR(x.point.state.q[0], 0, 1e-6) << force << ": " << x.verdict;
        EXPECT_LE(list.found.size(), 2u);
    }
}

/// Upright, a top may be turned about its axis and nothing changes; tilted, its torque turns with it. That is no force that fades.
TEST(Equilibria, SideBySideAlongOneDirectionAreNotTakenForFading) {
    const Subject top("models/spinning_top/spherical.toml");
    const Equilibrium x = nearest_of(top);
    ASSERT_TRUE(x.is_ok) << x.why;
    EXPECT_EQ(x.stability, Stability::unstable) << x.verdict;
}

TEST(Equilibria, ThatDifferByWhatNothingDependsOnAreOne) {
    const Subject s(model::read(R"(
format = 1
name = "Crane"
gravity = [0, 0, -9.81]
[[body]]
name = "cart"
mass = 2
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
[[body]]
name = "load"
mass = 1
com = [0, 0, -0.7]
[[joint]]
name = "q"
type = "revolute"
axis = "y"
parent = "cart"
child = "load"
[initial]
x = 0.4
q = 0.2
)",
                                "crane"));
    const EquilibriumList list = all_of(s);
    ASSERT_EQ(list.found.size(), 2u) << list.words;
    for (const Equilibrium& x : list.found) EXPECT_EQ(x.point.state.q[0], 0.4);
    EXPECT_TRUE(list.is_complete()) << list.words;
    EXPECT_THAT(list.words, HasSubstr("all within a whole turn of q"));
}

TEST(Equilibria, ThatLieSideBySideAreListedOnce) {
    const Subject disk("models/rolling_disk/model.toml");  // upright, wherever it stands and whichever way it heads
    const EquilibriumList list = all_of(disk);
    ASSERT_EQ(list.found.size(), 1u);
    EXPECT_THAT(list.found[0].notes, testing::Contains(HasSubstr("a continuum")));
    EXPECT_FALSE(list.is_complete());
}

}  // namespace
}  // namespace linkwright
