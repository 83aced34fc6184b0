// C and f by cause, of every model that comes with the project: Ṁ − 2C is skew-symmetric, and all causes together are f. Both are shown by
// fingerprint. f is Kane's, C is made of derivatives of M: that they agree says that C u are the velocity forces.

#include <gmock/gmock.h>

#include <filesystem>

#include "laws/mechanism.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "support/project_root.hpp"

namespace linkwright::laws {
namespace {

using sym::Verdict;

std::vector<std::string> models() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(project_root() + "/models")) {
        if (std::filesystem::exists(entry.path() / "model.toml")) names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

/// A model and its equations with C and causes.
struct Split {
    Model model;
    topology::Topology topology;
    eom::EquationsOfMotion equations;

    explicit Split(Model m, const std::string& formulation = "kane", formulation::Options options = {}) : model(std::move(m)) {
        topology::Analysis analysis = topology::analyse(model);
        if (!analysis.topology) throw std::runtime_error("no topology");
        topology = std::move(*analysis.topology);
        options.shares = true;
        formulation::Derived derived = formulation::find_formulation(formulation)->derive(model, topology, options);
        if (!derived.equations) throw std::runtime_error(derived.problems.front().what);
        equations = std::move(*derived.equations);
    }
    const std::vector<Expr>& cause(std::string_view name) const {
        return std::ranges::find(equations.shares, name, &eom::ForceShare::cause)->f;
    }
};

/// D_ij + D_ji of D = Ṁ − 2C, and f less its causes: what must vanish.
std::vector<Expr> what_must_vanish(const eom::EquationsOfMotion& e) {
    sym::Tangent rate(eom::rates(e));
    std::vector<Expr> zeros;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) zeros.push_back(2 * rate(e.M[i][j]) - 2 * e.C[i][j] - 2 * e.C[j][i]);
        Expr left = e.f[i];
        for (const eom::ForceShare& share : e.shares) left -= share.f[i];
        zeros.push_back(left);
    }
    return zeros;
}

void expect_structure(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    ASSERT_EQ(e.C.size(), e.u.size());
    for (const Expr& x : what_must_vanish(e)) EXPECT_EQ(is_zero(x), Verdict::equal) << e.formulation;
}

class VelocityForces : public ::testing::TestWithParam<std::string> {};

TEST_P(VelocityForces, AreSkewAndCausesSumToTheForcing) {
    model::Reading reading = model::read_file(std::filesystem::path(project_root() + "/models") / GetParam() / "model.toml");
    ASSERT_TRUE(reading.model);
    expect_structure(Split(std::move(*reading.model)).equations);
}

INSTANTIATE_TEST_SUITE_P(Of, VelocityForces, ::testing::ValuesIn(models()), [](const auto& p) { return p.param; });

Model zoo(const std::string& file) {
    model::Reading reading = model::read_file(std::filesystem::path(project_root() + "/models") / file);
    if (!reading.model) throw std::runtime_error(file);
    return std::move(*reading.model);
}

TEST(VelocityForces, HaveTheirStructureInEveryFormulationOfJointSpeeds) {
    for (const char* file : {"satellite/model.toml", "double_pendulum/model.toml", "gyrostat/model.toml", "gyrostat/driven.toml"}) {
        for (const char* formulation : {"kane", "lagrange", "recursive", "barycentric", "roberson_schwertassek"})
            expect_structure(Split(zoo(file), formulation).equations);
    }
}

TEST(VelocityForces, AreRefusedWhereSpeedsAreThoseOfBodies) {
    try {
        Split(zoo("double_pendulum/model.toml"), "newton_euler");
        FAIL();
    } catch (const std::runtime_error& refusal) {
        EXPECT_THAT(refusal.what(), ::testing::HasSubstr("six speeds for each body"));
    }
}

// The arm of two links in every textbook [murray94 ch. 4].
constexpr const char* two_links = R"toml(
format = 1
gravity = [0, "-g", 0]
parameters = { g = 9.81, l = 1, r1 = 0.4, r2 = 0.6, m1 = 2, m2 = 1, I1 = 0.3, I2 = 0.1 }
[[body]]
name = "a"
mass = "m1"
inertia = [0, 0, "I1"]
com = ["r1", 0, 0]
[[body]]
name = "b"
mass = "m2"
inertia = [0, 0, "I2"]
com = ["r2", 0, 0]
points = { tip = [1, 0, 0] }
[[joint]]
name = "q1"
type = "revolute"
parent = "ground"
child = "a"
axis = "z"
[[joint]]
name = "q2"
type = "revolute"
parent = "a"
parent_at = ["l", 0, 0]
child = "b"
axis = "z"
)toml";

TEST(VelocityForces, OfTheArmOfTwoLinksAreThoseOfTheBook) {
    const Split arm(read_model(two_links));
    const eom::EquationsOfMotion& e = arm.equations;
    const sym::PoolScope scope(*e.pool);
    const auto symbol = [&](const char* name) { return *e.pool->find_symbol(name); };
    const Expr h = -symbol("m2") * symbol("l") * symbol("r2") * sin(symbol("q2"));
    const sym::Matrix book{{h * e.u[1], h * (e.u[0] + e.u[1])}, {-h * e.u[0], 0}};
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(equal(e.C[i][j], book[i][j]), Verdict::equal) << i << j;
    }
    const Expr outer = symbol("m2") * symbol("r2") * cos(symbol("q1") + symbol("q2"));
    const Expr inner = (symbol("m1") * symbol("r1") + symbol("m2") * symbol("l")) * cos(symbol("q1"));
    EXPECT_EQ(equal(arm.cause("gravity")[0], -symbol("g") * (inner + outer)), Verdict::equal);
    EXPECT_EQ(equal(arm.cause("gravity")[1], -symbol("g") * outer), Verdict::equal);
    ASSERT_EQ(e.shares.size(), 2u);
}

/// J u + rest is the rate of the output, and J u̇ + bias the rate of that.
void expect_jacobians(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    sym::Tangent rate(eom::rates(e));
    const auto output = [&](const std::string& name) { return std::ranges::find(e.outputs, name, &eom::Output::name)->value; };
    for (const eom::FrameJacobian& frame : e.jacobians) {
        std::vector<Expr> v = frame.rest, a = frame.bias, seen(3);
        for (std::size_t r = 0; r < v.size(); ++r) {
            for (std::size_t j = 0; j < e.u.size(); ++j) v[r] += frame.J[r][j] * e.u[j], a[r] += frame.J[r][j] * e.udot[j];
            EXPECT_EQ(equal(rate(v[r]), a[r]), Verdict::equal) << frame.name;
            for (std::size_t j = 0; j < e.u.size(); ++j) EXPECT_EQ(equal(rate(frame.J[r][j]), frame.Jdot[r][j]), Verdict::equal);
        }
        if (frame.rows.front() == "vx") {
            for (std::size_t r = 0; r < 3; ++r) seen[r] = rate(output(frame.name + "." + "xyz"[r]));
        } else {  // ω × = Ṙ Rᵀ
            for (std::size_t r = 0; r < 3; ++r) {
                const auto row = [&](std::size_t i, std::size_t k) { return output(frame.name + "." + "xyz"[i] + "xyz"[k]); };
                for (std::size_t k = 0; k < 3; ++k) seen[r] += rate(row((r + 2) % 3, k)) * row((r + 1) % 3, k);
            }
        }
        for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(equal(seen[r], v[r]), Verdict::equal) << frame.name << r;
    }
}

TEST(VelocityForces, OfAGivenMotionAndOfSpeedsThatMoveByThemselvesAreApart) {
    const Split cart(read_model(R"toml(
format = 1
gravity = [0, "-g", 0]
parameters = { g = 9.81, l = 1.2, m = 2, M = 3, J = 0.1 }
[[body]]
name = "cart"
mass = "M"
[[body]]
name = "arm"
mass = "m"
inertia = [0, 0, "J"]
com = ["l", 0, 0]
[[body]]
name = "rod"
mass = "m"
inertia = ["J", "J", "J"]
com = [0, "l", 0]
rotor = { axis = "x", inertia = "J/2", speed = 5 }
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "cart"
axis = "x"
[[joint]]
name = "q"
type = "revolute"
parent = "cart"
child = "arm"
axis = "z"
[[joint]]
name = "p"
type = "universal"
parent = "arm"
parent_at = ["l", 0, 0]
child = "rod"
[[motion]]
coordinate = "x"
equals = "sin(t)"
[speeds]
s = "q' + cos(q)*p.1' + t*q"
[[output]]
name = "end"
position = "rod.com"
[[output]]
name = "tilt"
orientation = "rod"
[[output]]
name = "seen"
orientation = "rod"
in = "arm"
)toml"),
                     "kane", {.all_frames = true});
    expect_structure(cart.equations);
    expect_jacobians(cart.equations);
    const auto& given = cart.cause("given motions");
    EXPECT_TRUE(std::ranges::any_of(given, [](const Expr& x) { return !x.is_literally(0); }));
}

TEST(Causes, AreWhatTheElementsSay) {
    const Split hinge(read_model(R"toml(
format = 1
gravity = [0, "-g", 0]
parameters = { g = 9.81, l = 1.2, m = 2, k = 30, r = 0.2, c = 4, P = 7, Q = 8, R = 2 }
[inputs]
w = 0
v = 0
[[body]]
name = "arm"
mass = "m"
com = ["l", 0, 0]
points = { tip = ["2*l", 0, 0] }
[[joint]]
name = "q"
type = "revolute"
parent = "ground"
child = "arm"
axis = "z"
stiffness = "k"
rest = "r"
damping = "c"
actuator = "w - P*q + w*q*l"
[[motor]]
name = "servo"
type = "electric"
joint = "q"
input = "v"
constants = { Kt = 2, Kb = 0.1, R = "R" }
[[torque]]
name = "brake"
on = "arm"
vector = [0, 0, "w*v"]
[[force]]
name = "wind"
on = "arm.tip"
vector = [0, "Q + w", 0]
in = "arm"
)toml"));
    expect_structure(hinge.equations);
    const eom::EquationsOfMotion& e = hinge.equations;
    const sym::PoolScope scope(*e.pool);
    const auto symbol = [&](const char* name) { return *e.pool->find_symbol(name); };
    const Expr q = symbol("q"), l = symbol("l"), w = symbol("w");
    const auto expect = [&](const char* cause, const Expr& value) {
        EXPECT_EQ(equal(hinge.cause(cause)[0], value), Verdict::equal) << cause;
    };
    expect("gravity", -symbol("m") * symbol("g") * l * cos(q));
    expect("velocity", 0);
    expect("springs", -symbol("k") * (q - symbol("r")));
    expect("dampers", -symbol("c") * e.u[0]);
    expect("actuators", -symbol("P") * q);
    expect("forces", 2 * l * symbol("Q"));
    expect("inputs", w + w * q * l + 2 * l * w + w * symbol("v"));
    expect("motors", 2 * (symbol("v") - Expr(sym::Rational(1, 10)) * e.u[0]) / symbol("R"));
}

TEST(FrameJacobians, AreRatesOfWhatTheyMove) {
    std::size_t frames = 0;
    for (const std::string& name : models()) {
        Model model = zoo(name + "/model.toml");
        const auto is_frame = [](const model::Output& o) {
            return o.kind == model::Output::Kind::position || o.kind == model::Output::Kind::orientation;
        };
        if (std::ranges::none_of(model.outputs, is_frame)) continue;
        const Split s(std::move(model), "kane", {.all_frames = true});
        expect_jacobians(s.equations);
        frames += s.equations.jacobians.size();
    }
    EXPECT_GT(frames, 25u);
}

TEST(FrameJacobians, OfPointsOfBodiesAreTheirOwn) {
    const Split arm(read_model(two_links), "kane", {.frames = {"b.tip", "a"}});
    const eom::EquationsOfMotion& e = arm.equations;
    ASSERT_EQ(e.jacobians.size(), 2u);
    EXPECT_THAT(e.jacobians[0].rows, ::testing::ElementsAre("wx", "wy", "wz", "vx", "vy", "vz"));
    const sym::PoolScope scope(*e.pool);
    const auto symbol = [&](const char* name) { return *e.pool->find_symbol(name); };
    const Expr both = symbol("q1") + symbol("q2");
    EXPECT_EQ(equal(e.jacobians[0].J[3][0], -symbol("l") * sin(symbol("q1")) - sin(both)), Verdict::equal);
    EXPECT_EQ(equal(e.jacobians[0].J[4][1], cos(both)), Verdict::equal);
    EXPECT_TRUE(e.jacobians[0].J[2][1].is_literally(1));
    EXPECT_TRUE(e.jacobians[1].J[2][1].is_literally(0));
}

TEST(FrameJacobians, OfUnknownFramesAreRefused) {
    const auto refusal = [](const std::string& name) -> std::string {
        try {
            Split(read_model(two_links), "kane", {.frames = {name}});
        } catch (const std::runtime_error& problem) {
            return problem.what();
        }
        return "";
    };
    EXPECT_THAT(refusal("b.tap"), ::testing::HasSubstr("no frame 'b.tap'"));
}

}  // namespace
}  // namespace linkwright::laws
