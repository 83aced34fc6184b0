// Drives in joints: what an armature adds to the equations, and what it leaves alone. Joints of every type at every place have drives in
// joints_test.cpp; here are closed forms, and mechanisms that must be the same.

#include <gmock/gmock.h>

#include "laws/mechanism.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/proof/prove.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::laws {
namespace {

using sym::Expr;
using sym::Verdict;

constexpr std::array in_joint_speeds{"kane", "lagrange", "recursive", "barycentric", "roberson_schwertassek"};

eom::EquationsOfMotion derive(const Model& model, std::string_view formulation, formulation::Options options = {}) {
    topology::Analysis analysis = topology::analyse(model);
    if (!analysis.topology) throw std::runtime_error(to_string(analysis.problems));
    formulation::Derived derived = formulation::find_formulation(formulation)->derive(model, *analysis.topology, options);
    if (!derived.equations) throw std::runtime_error(to_string(derived.problems));
    return std::move(*derived.equations);
}

Model without_drives(Model m) {
    for (model::Joint& joint : m.joints) joint.armature.clear();
    return m;
}

const std::string pendulum = R"toml(
format = 1
gravity = [0, "-g", 0]
parameters = { g = 9.81, m = 1.2, l = 0.7, I = 0.05, rotor = 2e-4, n = 40, tau = 0.3 }
[[body]]
name = "rod"
mass = "m"
inertia = [0, 0, "I"]
com = [0, "-l", 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "rod"
actuator = "tau"
)toml";

// (I + m l² + rotor n²) φ'' = τ − m g l sin φ
TEST(Armature, OfAPendulumMakesItSlowInEveryFormulation) {
    const Model m = read_model(pendulum + "armature = \"rotor*n^2\"\n");
    for (const char* formulation : in_joint_speeds) {
        const eom::EquationsOfMotion e = derive(m, formulation);
        const sym::PoolScope scope(*e.pool);
        const auto s = [&](const char* name) { return *e.pool->find_symbol(name); };
        const Expr inertia = s("I") + s("m") * pow(s("l"), 2) + s("rotor") * pow(s("n"), 2);
        const Expr force = s("tau") - s("m") * s("g") * s("l") * sin(s("hip"));
        EXPECT_EQ(equal(e.M[0][0], inertia), Verdict::equal) << formulation;
        EXPECT_EQ(equal(e.f[0], force), Verdict::equal) << formulation;
        EXPECT_EQ(equal(e.energy.kinetic, inertia * pow(e.u[0], 2) / 2), Verdict::equal) << formulation;
        if (!e.a.empty()) {
            EXPECT_EQ(equal(e.a[0], force / inertia), Verdict::equal) << formulation;
        }
        if (!e.inverse.empty()) {
            EXPECT_EQ(equal(e.inverse[0], inertia * e.udot[0] - force), Verdict::equal) << formulation;
        }
    }
}

// The rotor as a body of its own, which a gear turns
TEST(Armature, IsARotorBehindAGear) {
    const std::string rotor = R"toml(
[[body]]
name = "wheel"
inertia = [0, 0, "rotor"]
[[joint]]
name = "spin"
type = "revolute"
parent = "ground"
child = "wheel"
[[gear]]
name = "box"
drive = "spin"
driven = "hip"
ratio = "n"
)toml";
    const Mechanism armature(read_model(pendulum + "armature = \"rotor*n^2\"\n")), wheel(read_model(pendulum + rotor));
    const NamedValues at{{"hip", 0.4}, {"hip'", 1.5}, {"spin", 16}, {"spin'", 60}};
    const State a = armature.state(at), b = wheel.state(at);
    const Physics x = physics(armature, a), y = physics(wheel, b);
    EXPECT_NEAR(acceleration(armature, armature.evaluate(a), "hip'"), acceleration(wheel, wheel.evaluate(b), "hip'"), 1e-10);
    EXPECT_NEAR(x.kinetic, y.kinetic, 1e-9 * y.kinetic);
    EXPECT_NEAR(x.power, y.power, 1e-10);
}

/// Drives along every speed of joints that turn, slide, fly and swivel.
const std::string tree = R"toml(
format = 1
gravity = [0.3, 0.2, -9.81]
parameters = { m = 1.5, a = 0.4, b = 0.7, c = 0.2 }
[[body]]
name = "hull"
mass = 3
inertia = [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]
com = [0.1, 0.05, 0]
[[body]]
name = "boom"
mass = "m"
inertia = [0.1, 0.2, 0.25]
com = [0.3, 0, 0.1]
[[body]]
name = "head"
mass = 0.6
inertia = [0.02, 0.03, 0.04, 0.001, 0, 0]
com = [0, 0.1, 0.05]
[[body]]
name = "tool"
mass = 0.3
inertia = [0.01, 0.01, 0.02]
com = [0.05, 0, 0.02]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "hull"
armature = ["a", 0.1, 0.2, "b", 0.3, "c"]
[[joint]]
name = "cross"
type = "universal"
parent = "hull"
parent_at = [0.4, 0, 0]
child = "boom"
armature = ["b", "2*b"]
damping = 0.2
[[joint]]
name = "ball"
type = "spherical"
parent = "head"
child = "boom"
child_at = [0.6, 0, 0]
armature = ["a", "b", "c"]
[[joint]]
name = "slide"
type = "prismatic"
parent = "head"
child = "tool"
axis = [1, 2, 2]
armature = "a + c"
)toml";

TEST(Armature, OfATreeStandsOnTheDiagonalAndNowhereElse) {
    const Model m = read_model(tree), plain = without_drives(m);
    for (const char* formulation : in_joint_speeds) {
        SCOPED_TRACE(formulation);
        formulation::Options options;
        options.shares = true;
        const eom::EquationsOfMotion with = derive(m, formulation, options), without = derive(plain, formulation, options);
        const sym::PoolScope scope(*with.pool);
        sym::Transplant here(*with.pool), of_model(*with.pool);
        ASSERT_EQ(with.u.size(), 12U);
        for (std::size_t i = 0; i < with.u.size(); ++i) {
            Expr armature = 0;
            for (const model::Joint& joint : m.joints) {
                for (std::size_t k = 0; k < joint.armature.size(); ++k) {
                    if (joint.speeds[k].symbol().name == with.u[i].symbol().name) armature = of_model(joint.armature[k]);
                }
            }
            EXPECT_FALSE(armature.is_literally(0));
            EXPECT_EQ(equal(with.f[i], here(without.f[i])), Verdict::equal);
            for (std::size_t j = 0; j < with.u.size(); ++j) {
                const Expr gain = i == j ? armature : Expr(0);
                EXPECT_EQ(equal(with.M[i][j], here(without.M[i][j]) + gain), Verdict::equal);
                EXPECT_EQ(equal(with.C[i][j], here(without.C[i][j])), Verdict::equal);
            }
        }
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(equal(with.momentum.linear[k], here(without.momentum.linear[k])), Verdict::equal);
            EXPECT_EQ(equal(with.momentum.angular[k], here(without.momentum.angular[k])), Verdict::equal);
        }
    }
}

TEST(Armature, KeepsTheLawsInATree) { expect_sound(Mechanism(read_model(tree)), 3); }

void expect_proved(const std::string& text) {
    const Model model = read_model(text);
    const topology::Analysis analysis = topology::analyse(model);
    ASSERT_TRUE(analysis.topology);
    const proof::Certificate certificate = proof::prove(
        model, *analysis.topology, {.seed = 1, .patience = std::chrono::milliseconds(0), .reading = std::chrono::milliseconds(0)});
    EXPECT_GE(certificate.pairs.size(), 2U);
    for (const proof::Pair& pair : certificate.pairs) {
        if (pair.b.ends_with("program")) continue;  // how expressions are run is not asked here
        EXPECT_EQ(pair.verdict, Verdict::equal) << pair.a << " = " << pair.b << ": " << pair.why;
    }
}

/// Four bars with a drive in every hinge, that of the cut one too.
const std::string four_bar = R"toml(
format = 1
gravity = [0, -9.81, 0]
parameters = { a = 0.4, r = 0.3 }
[[body]]
name = "crank"
mass = 1
inertia = [0, 0, 0.02]
com = [0.15, 0, 0]
[[body]]
name = "coupler"
mass = 2
inertia = [0, 0, 0.1]
com = [0.4, 0.05, 0]
[[body]]
name = "rocker"
mass = 1.5
inertia = [0, 0, 0.08]
com = [0.3, 0, 0]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
armature = "a*r"
actuator = 0.4
[[joint]]
name = "B"
type = "revolute"
parent = "crank"
parent_at = ["r", 0, 0]
child = "coupler"
armature = 0.05
[[joint]]
name = "C"
type = "revolute"
parent = "coupler"
parent_at = [0.8, 0, 0]
child = "rocker"
child_at = [0.6, 0, 0]
armature = "a"
cut = true
[[joint]]
name = "D"
type = "revolute"
parent = "ground"
parent_at = [0.7, 0, 0]
child = "rocker"
armature = 0.3
[initial]
A = 1.1
[guess]
B = -0.8
D = 1.5
)toml";

TEST(Armature, OfACutJointIsThatOfTheSpeedItMeasures) {
    const Mechanism cut(read_model(four_bar));
    expect_sound(cut, 5);
    // the same mechanism cut elsewhere
    std::string text = four_bar;
    text.replace(text.find("cut = true"), 10, "");
    text.replace(text.find("armature = 0.3\n"), 15, "armature = 0.3\ncut = true\n");
    const Mechanism other(read_model(text));
    const State s = cut.random_state(5);
    expect_same(physics(cut, s), physics(other, other.state(cut.values(s), s.t)));
    expect_proved(four_bar);
}

/// A cylinder between crank and ground, its slide cut: the speed that the drive has depends on where the mechanism is.
const std::string cylinder = R"toml(
format = 1
gravity = [0, -9.81, 0]
parameters = { a = 0.4 }
[[body]]
name = "crank"
mass = 1
inertia = [0, 0, 0.1]
com = [0.1, 0, 0]
[[body]]
name = "barrel"
mass = 1.5
inertia = [0, 0, 0.2]
com = [0.2, 0, 0]
[[body]]
name = "rod"
mass = 0.5
inertia = [0, 0, 0.05]
com = [-0.2, 0, 0]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
[[joint]]
name = "B"
type = "revolute"
parent = "crank"
parent_at = [0.3, 0, 0]
child = "rod"
[[joint]]
name = "D"
type = "revolute"
parent = "ground"
parent_at = [0.9, 0, 0]
child = "barrel"
[[joint]]
name = "stroke"
type = "prismatic"
parent = "barrel"
child = "rod"
axis = "x"
armature = "a"
cut = true
[initial]
A = 1.1
[guess]
B = 1.7
D = 2.8
stroke = 0.8
)toml";

class OfACutJoint : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Armature, OfACutJoint, ::testing::Values(four_bar, cylinder),
                         [](const auto& p) { return std::string(p.index == 0 ? "four_bar" : "cylinder"); });

TEST_P(OfACutJoint, TheDriveIsPartOfC) {
    for (const char* formulation : in_joint_speeds) {
        formulation::Options options;
        options.shares = true;
        const eom::EquationsOfMotion e = derive(read_model(GetParam()), formulation, options);
        const sym::PoolScope scope(*e.pool);
        sym::Tangent rate(eom::rates(e));
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) EXPECT_EQ(is_zero(rate(e.M[i][j]) - e.C[i][j] - e.C[j][i]), Verdict::equal) << formulation;
            Expr left = e.f[i];
            for (const eom::ForceShare& share : e.shares) left -= share.f[i];
            EXPECT_EQ(is_zero(left), Verdict::equal) << formulation;
            // nothing is damped: f(q, u) − f(q, 0) = −C u
            std::vector<sym::Binding> at_rest;
            for (const Expr& u : e.u) at_rest.push_back({u, Expr(0)});
            Expr motion = e.f[i] - sym::Substitution(at_rest)(e.f[i]);
            for (std::size_t j = 0; j < e.u.size(); ++j) motion += e.C[i][j] * e.u[j];
            EXPECT_EQ(is_zero(motion), Verdict::equal) << formulation;
        }
    }
}

// A slide along the axes of the turns that follow it stands at the end of their row: what the bodies in between weigh goes past its drive. The
// tool carries a chain, long enough for articulated bodies to be the shorter way.
TEST(Armature, OfASlideBeforeParallelTurns) {
    std::string scara = R"toml(
format = 1
gravity = [0.4, 0.2, -9.81]
parameters = { a = 0.4 }
[[body]]
name = "table"
mass = 4
inertia = [0.3, 0.4, 0.5]
com = [0, 0.1, 0.2]
[[body]]
name = "carriage"
mass = 2
[[body]]
name = "upper"
mass = 1.5
inertia = [0.1, 0.2, 0.25]
com = [0.3, 0, 0.1]
[[body]]
name = "fore"
mass = 0.7
inertia = [0.02, 0.03, 0.04, 0.001, 0, 0]
com = [0.2, 0.1, 0.05]
[[joint]]
name = "sway"
type = "revolute"
parent = "ground"
child = "table"
axis = "x"
[[joint]]
name = "lift"
type = "prismatic"
parent = "table"
parent_at = [0.2, 0.3, 0]
child = "carriage"
axis = "z"
armature = "a"
[[joint]]
name = "shoulder"
type = "revolute"
parent = "carriage"
child = "upper"
axis = "z"
armature = 0.1
[[joint]]
name = "elbow"
type = "revolute"
parent = "upper"
parent_at = [0.5, 0, 0]
child = "fore"
axis = "z"
[[joint]]
name = "tilt"
type = "revolute"
parent = "fore"
parent_at = [0.4, 0, 0]
child = "tool"
axis = "x"
[[body]]
name = "tool"
mass = 0.3
inertia = [0.01, 0.01, 0.02]
com = [0.05, 0, 0.02]
)toml";
    for (int i = 0; i < 10; ++i) {
        const std::string name = "link" + std::to_string(i), inner = i == 0 ? "tool" : "link" + std::to_string(i - 1);
        scara +=
            "[[body]]\nname = \"" + name + "\"\nmass = 0.4\ninertia = [0.01, 0.02, 0.03, 0.001, 0.002, 0.003]\ncom = [0.1, 0.02, 0.03]\n";
        scara += "[[joint]]\nname = \"turn" + std::to_string(i) + "\"\ntype = \"revolute\"\nparent = \"" + inner +
                 "\"\nparent_at = [0.3, 0, 0.05]\nchild = \"" + name + "\"\naxis = \"" + (i % 2 == 0 ? "y" : "x") + "\"\n";
    }
    expect_sound(Mechanism(read_model(scara)), 4);
    expect_proved(scara);
}

// crank.force = (I + m l² + a) φ'' + m g l sin φ where φ is given
TEST(Armature, IsFeltByWhatDrivesAGivenMotion) {
    const std::string given = "armature = \"rotor*n^2\"\n[[motion]]\ncoordinate = \"hip\"\nequals = \"0.3*t^2\"\n";
    for (const char* formulation : {"kane", "lagrange", "recursive", "barycentric", "roberson_schwertassek"}) {
        const eom::EquationsOfMotion e = derive(read_model(pendulum + given), formulation);
        const sym::PoolScope scope(*e.pool);
        const auto s = [&](const char* name) { return *e.pool->find_symbol(name); };
        const auto force = std::ranges::find(e.outputs, "hip.force", &eom::Output::name);
        ASSERT_NE(force, e.outputs.end());
        const Expr inertia = s("I") + s("m") * pow(s("l"), 2) + s("rotor") * pow(s("n"), 2);
        const Expr phi = Expr(sym::Rational(3, 10)) * pow(e.t, 2);
        const Expr weight = s("m") * s("g") * s("l") * sin(phi);
        EXPECT_EQ(equal(force->value, inertia * sym::Rational(3, 5) + weight - s("tau")), Verdict::equal) << formulation;
    }
}

TEST(Armature, MovesAMasslessBody) {
    const std::string massless = R"toml(
format = 1
[[body]]
name = "hand"
[[joint]]
name = "wrist"
type = "universal"
parent = "ground"
child = "hand"
actuator = [2, 3]
)toml";
    const Mechanism m(read_model(massless + "armature = [0.5, 0.25]\n"));
    const Evaluation e = m.evaluate(m.random_state(1));
    EXPECT_NEAR(acceleration(m, e, "wrist.1'"), 4, 1e-12);
    EXPECT_NEAR(acceleration(m, e, "wrist.2'"), 12, 1e-12);
    EXPECT_THROW(Mechanism(read_model(massless + "armature = [0.5, 0]\n")), std::runtime_error);
    for (const char* formulation : in_joint_speeds) EXPECT_NO_THROW(derive(read_model(massless + "armature = 1\n"), formulation));
    EXPECT_NO_THROW(derive(read_model(massless + "armature = 1\n"), "newton_euler"));
}

TEST(Armature, FollowsTheModelsOwnSpeeds) {
    const std::string speeds = "[speeds]\nsum = \"cross.1' + slide*cross.2'\"\nw1 = \"fly.wx - slide'\"\n";
    expect_sound(Mechanism(read_model(tree + speeds)), 4);
    expect_proved(tree + speeds);
}

TEST(Armature, IsInTheArticulationsOfAnElasticArm) {
    const std::string arm = R"toml(
format = 1
gravity = [0, -9.81, 0]
parameters = { a = 0.4 }
[[body]]
name = "link"
type = "beam"
length = 1
mass_per_length = 2
bending = { y = 50 }
shapes = { y = { family = "clamped-free", count = 2 } }
[[body]]
name = "hand"
mass = 0.5
inertia = [0, 0, 0.01]
com = [0.1, 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
parent = "ground"
child = "link"
armature = "3*a"
[[joint]]
name = "wrist"
type = "revolute"
parent = "link"
parent_at = "tip"
child = "hand"
armature = "a"
)toml";
    expect_sound(Mechanism(read_model(arm)), 6);
    expect_proved(arm);
}

}  // namespace
}  // namespace linkwright::laws
