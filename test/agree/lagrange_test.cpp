// Lagrange's equations against Kane's by fingerprint, both ways to get them, and the structure of the velocity coupling.

#include "linkwright/formulation/lagrange/lagrange.hpp"
#include "agree/subject.hpp"
#include "linkwright/formulation/lagrange/explain.hpp"
#include "linkwright/formulation/lagrange/lagrangian.hpp"
#include "linkwright/formulation/lagrange/structure.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

using formulation::QuasiSpeeds;
using formulation::lagrange::Fate;
using formulation::lagrange::Structure;
using formulation::lagrange::VelocityTerms;
using model::JointType;
using spatial::Vec3;
using sym::Verdict;

std::string test_name(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

topology::Topology topology_of(const model::Model& m) {
    topology::Analysis analysis = topology::analyse(m);
    if (!analysis.topology) throw std::runtime_error(analysis.problems.front().what);
    return std::move(*analysis.topology);
}

/// Every entry by its fingerprint; `unknown` is not good enough.
void expect_same(const EquationsOfMotion& a, const EquationsOfMotion& b) {
    ASSERT_EQ(a.u.size(), b.u.size());
    sym::Transplant to(*a.pool);
    const auto here = [&](const Expr& e) { return &e.pool() == a.pool.get() ? e : to(e); };
    for (std::size_t i = 0; i < a.u.size(); ++i) {
        EXPECT_EQ(equal(a.f[i], here(b.f[i])), Verdict::equal) << "f " << i;
        for (std::size_t j = 0; j < a.u.size(); ++j) EXPECT_EQ(equal(a.M[i][j], here(b.M[i][j])), Verdict::equal) << "M " << i << " " << j;
    }
}

void expect_agreement(const model::Model& m) {
    const topology::Topology topology = topology_of(m);
    const sym::PoolScope scope(*m.pool);
    formulation::System s = formulation::set_up(m, topology);
    const formulation::Derived kane = formulation::kane::derive(m, topology);
    ASSERT_TRUE(kane.equations);
    for (const VelocityTerms way : {VelocityTerms::gradients, VelocityTerms::symbols}) {
        SCOPED_TRACE(way == VelocityTerms::symbols ? "by symbols" : "by gradients");
        formulation::FormulatedEquations raw = formulation::lagrange::equations(s, way);
        for (std::size_t i = 0; i < raw.M.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(raw.M[i][j], raw.M[j][i]);
            for (const Expr& x : sym::symbols_in(raw.M[i])) EXPECT_NE(x.symbol().role, sym::Role::speed);
        }
        const formulation::Derived mine = formulation::finish(s, std::move(raw), "lagrange", {});
        ASSERT_TRUE(mine.equations);
        expect_same(*kane.equations, *mine.equations);
    }
}

class LagrangeOf : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(LagrangeOf, AgreesWithKane) { expect_agreement(read(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Zoo, LagrangeOf, ::testing::ValuesIn(files("/models")), [](const auto& p) { return test_name(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, LagrangeOf, ::testing::ValuesIn(files("/bench/models")), [](const auto& p) { return test_name(p.param); });

// --------------------------------------------------------------------------------------------------------- random mechanisms

/// Joints of every type either way round; rotors, held ones with a speed that changes; springs of every kind; given motions;
/// gravity that changes; and, when asked, a joint more than a tree needs.
model::Model random_mechanism(std::uint64_t seed, bool is_closed) {
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    if (random.below(3) == 0) m.gravity[1] += sin(m.t);
    static constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw,     JointType::cylindrical,
                                      JointType::universal, JointType::planar,    JointType::gimbal,    JointType::translation,
                                      JointType::spherical, JointType::free,      JointType::free_axes, JointType::weld,
                                      JointType::revolute};
    const Expr k = model::parameter(m, "k", 3), w = model::input(m, "w", 1);
    const std::size_t n = 2 + random.below(3);
    for (std::size_t b = 1; b <= n; ++b) {
        const std::string name = std::to_string(b);
        model::BodyOptions body{.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)};
        for (std::size_t r = random.below(3); r > 1; --r) {
            model::Rotor rotor{random.direction(), sym::Rational(1, 20), {}, {}, {}, {}};
            if (random.below(2) == 0)
                rotor.speed = random.number(1, 9) + sin(3 * m.t);
            else
                rotor.torque = w;
            body.rotors.push_back(rotor);
        }
        const model::BodyIndex outer = model::body(m, "b" + name, body), inner = random.below(outer);
        const JointType type = types[random.below(types.size())];
        model::JointOptions joint{.parent_at = random.vector(0.5), .child_at = random.vector(0.5), .parent_axes = random.frame(m)};
        if (type == JointType::universal)
            joint.axes = random.orthogonal(2);
        else if (type == JointType::gimbal || type == JointType::free_axes)
            joint.axes = random.orthogonal(3);
        else if (type == JointType::planar)
            joint.axes = {spatial::unit(random.below(3))};
        else if (type != JointType::spherical && type != JointType::free && type != JointType::weld && type != JointType::translation)
            joint.axes = {random.direction()};
        if (type == JointType::screw) joint.pitch = random.number(0.1, 0.5);
        if (type != JointType::weld) joint.damping = {random.number(0, 1)}, joint.actuator = {w};
        const bool has_spring = type != JointType::weld && type != JointType::spherical && type != JointType::free;
        if (has_spring) joint.stiffness = {random.below(2) == 0 ? k : k * (2 + sin(m.t))}, joint.rest = {random.number(0, 1) * m.t};
        const std::size_t j = random.below(3) == 0 ? model::joint(m, type, "j" + name, outer, inner, joint)
                                                   : model::joint(m, type, "j" + name, inner, outer, joint);
        if (type == JointType::revolute && random.below(3) == 0) m.motions.push_back({m.joints[j].coordinates[0], sin(3 * m.t) / 2, {}});
        if (type == JointType::free && random.below(3) == 0) {
            m.joint_motions.push_back(
                {j, Vec3{{sin(m.t), m.t / 3, 0}}, {spatial::unit(2), random.direction()}, {sin(2 * m.t), m.t / 2}, {}});
        }
    }
    if (is_closed) {
        model::JointOptions joint{.parent_at = random.vector(0.5),
                                  .child_at = random.vector(0.5),
                                  .stiffness = {k},
                                  .damping = {sym::Rational(1, 5)},
                                  .cut = true};
        model::joint(m, random.below(2) == 0 ? JointType::revolute : JointType::cylindrical, "closing", model::ground, n, joint);
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    const model::PointOf tip{n, random.vector(0.4), ""};
    m.springs.push_back({"stiff", point(), tip, k, sym::Rational(1, 10), sym::Rational(1, 2), w, {}});
    m.springs.push_back({"driven", point(), tip, 2 + cos(m.t), 0, m.t, 0, {}});
    m.springs.push_back({"without rest", point(), tip, 2, 0, 0, 0, {}});
    for (const model::Joint& joint : m.joints) {
        if (joint.type != JointType::revolute || joint.cut) continue;
        m.springs.push_back({"following the motion", point(), tip, 2 + joint.coordinates[0], 0, sym::Rational(1, 3), 0, {}});
        m.springs.push_back({"following the input", point(), tip, w, 0, joint.speeds[0], 0, {}});
    }
    m.forces.push_back({"force", point(), random.vector(2), n, point(), {}});
    m.torques.push_back({"torque", n, random.vector(2), random.below(n), {}, {}});
    return m;
}

class LagrangeOfRandom : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(LagrangeOfRandom, TreesAgreeWithKane) { expect_agreement(random_mechanism(GetParam(), false)); }
TEST_P(LagrangeOfRandom, LoopsAgreeWithKane) { expect_agreement(random_mechanism(GetParam() + 1000, true)); }
INSTANTIATE_TEST_SUITE_P(Seeds, LagrangeOfRandom, ::testing::Range<std::uint64_t>(0, 25));

/// Large trees of every kind of joint go by gradients, and their graph stays small.
TEST(Lagrange, OfSixtyBodiesAgreesWithKane) {
    laws::Random random(5);
    model::Model m = model::empty_model("sixty");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    static constexpr std::array types{JointType::revolute, JointType::prismatic, JointType::spherical, JointType::free,
                                      JointType::cylindrical};
    for (std::size_t b = 1; b <= 60; ++b) {
        const model::BodyIndex outer = model::body(m, "b" + std::to_string(b),
                                                   {.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)});
        const JointType type = types[random.below(types.size())];
        model::JointOptions joint{.parent_at = random.vector(0.5)};
        if (type != JointType::spherical && type != JointType::free) joint.axes = {random.direction()};
        model::joint(m, type, "j" + std::to_string(b), outer - 1 - random.below(std::min<std::size_t>(outer, 4)), outer, joint);
    }
    const topology::Topology topology = topology_of(m);
    const formulation::Derived mine = formulation::lagrange::derive(m, topology), kane = formulation::kane::derive(m, topology);
    ASSERT_TRUE(mine.equations && kane.equations);
    expect_same(*kane.equations, *mine.equations);
    EXPECT_LT(m.pool->size(), 3'000'000U);
}

/// In a pool that finds no zeros and no equals by itself everything still comes out, numbers of quasi-speeds included.
TEST(Lagrange, DoesNotNeedFolding) {
    for (const char* name : {"satellite", "gyrostat", "four_bar", "rolling_disk", "stanford_arm"}) {
        SCOPED_TRACE(name);
        const model::Model m = read(project_root() + "/models/" + name + "/model.toml");
        const model::Model plain = model::copy(m, std::make_shared<sym::Pool>(sym::Pool::Options{.fold = false}));
        expect_agreement(plain);
        const topology::Topology topology = topology_of(plain);
        const sym::PoolScope scope(*plain.pool);
        const QuasiSpeeds speeds(kinematics::move(plain, topology));
        for (const auto& bracket : speeds.brackets()) EXPECT_TRUE(bracket.value.is_number());
    }
}

// ---------------------------------------------------------------------------------------------------------------- structure

struct Coupled {
    model::Model model;
    topology::Topology topology;
    sym::Matrix M;
    Structure structure;

    explicit Coupled(model::Model m) : model(std::move(m)), topology(topology_of(model)) {
        const sym::PoolScope scope(*model.pool);
        const kinematics::Mechanism mechanism = kinematics::move(model, topology);
        M = formulation::lagrange::mass_matrix(mechanism);
        structure = formulation::lagrange::velocity_coupling(M, QuasiSpeeds(mechanism));
    }
    std::array<std::size_t, 6> counts() const {
        std::array<std::size_t, 6> n{};
        for (std::size_t fate = 0; fate < 6; ++fate) n[fate] = structure.count(static_cast<Fate>(fate));
        return n;
    }
};

/// Every symbol by its definition, whatever the structure made of it.
void expect_definitions(const Coupled& c) {
    const sym::PoolScope scope(*c.model.pool);
    const kinematics::Mechanism m = kinematics::move(c.model, c.topology);
    const QuasiSpeeds speeds(m);
    const auto X = [&](std::size_t i, std::size_t j, std::size_t k) { return sym::Tangent(speeds.direction(i))(c.M[j][k]); };
    const std::size_t n = c.M.size();
    ASSERT_EQ(c.structure.symbols.size(), n * n * (n + 1) / 2);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k) {
                const auto& symbol = c.structure.at(j, k, i);
                EXPECT_EQ(symbol.i, i);
                EXPECT_EQ(std::minmax(j, k), std::minmax(symbol.j, symbol.k));
                EXPECT_EQ(equal(2 * symbol.value, X(k, i, j) + X(j, i, k) - X(i, j, k)), Verdict::equal) << i << j << k;
            }
        }
    }
}

/// Lee's rigid arm with two links [lee90 (2.66), (2.68) without the modes]: one number, d1, is all there is.
TEST(Structure, OfTwoLinksIsOneNumber) {
    const Coupled c(read(project_root() + "/models/double_pendulum/model.toml"));
    EXPECT_EQ(c.structure.in_all(), 8U);
    EXPECT_EQ(c.structure.symmetric(), 2U);
    EXPECT_EQ(c.structure.count(Fate::non_interacting), 3U);
    EXPECT_EQ(c.structure.count(Fate::reflected), 1U);
    EXPECT_EQ(c.structure.count(Fate::repeated), 1U);
    ASSERT_EQ(c.structure.count(Fate::left), 1U);
    EXPECT_EQ(c.structure.at(0, 1, 0).fate, Fate::left);
    EXPECT_EQ(c.structure.at(1, 1, 0).fate, Fate::repeated);
    EXPECT_EQ(c.structure.at(0, 0, 1).fate, Fate::reflected);
    EXPECT_TRUE(c.structure.at(0, 0, 1).is_opposite);
    for (const auto& [j, k, i] : {std::array{0, 0, 0}, {0, 1, 1}, {1, 1, 1}}) {
        EXPECT_EQ(c.structure.at(static_cast<std::size_t>(j), static_cast<std::size_t>(k), static_cast<std::size_t>(i)).fate,
                  Fate::non_interacting);
    }
    expect_definitions(c);
}

/// C_22(1) + C_21(2) = ∂M_12/∂q_2, which is not zero: reflected, C_22(1) would be −C_21(2) = 0, and the energy would not be kept.
TEST(Structure, ReflectionIsRefusedWhereTheMassMatrixDependsOnTheCoordinate) {
    const Coupled c(read(project_root() + "/models/double_pendulum/model.toml"));
    EXPECT_TRUE(c.structure.at(0, 1, 1).value.is_literally(0));
    EXPECT_NE(c.structure.at(1, 1, 0).fate, Fate::reflected);
    EXPECT_NE(is_zero(c.structure.at(1, 1, 0).value), Verdict::equal);
}

/// The literature's inequalities are those of a chain numbered outwards. Number it inwards: they fail, the fact asked for does not.
TEST(Structure, DoesNotDependOnTheOrderOfTheJoints) {
    const auto arm = [](bool is_outwards) {
        model::Model m = model::empty_model();
        const sym::PoolScope scope(*m.pool);
        std::vector<model::BodyIndex> links;
        for (const char* name : {"a", "b", "c"}) {
            links.push_back(model::body(m, name,
                                        {.mass = 2,
                                         .inertia = spatial::diagonal(sym::Rational(1, 5), sym::Rational(1, 3), sym::Rational(1, 4)),
                                         .com = {{1, 0, sym::Rational(1, 7)}}}));
        }
        const auto add = [&](std::size_t k) {
            model::joint(m, JointType::revolute, "j" + std::to_string(k), k == 0 ? model::ground : links[k - 1], links[k],
                         {.parent_at = {{k == 0 ? 0 : 2, 0, 0}}, .axes = {spatial::unit(k == 1 ? 1 : 2)}});
        };
        for (std::size_t k = 0; k < 3; ++k) add(is_outwards ? k : 2 - k);
        return Coupled(std::move(m));
    };
    const Coupled outwards = arm(true), inwards = arm(false);
    expect_definitions(outwards);
    expect_definitions(inwards);
    const auto zero = [](const Coupled& c) {
        return c.structure.count(Fate::non_interacting) + c.structure.count(Fate::independent) + c.structure.count(Fate::cancelled);
    };
    EXPECT_EQ(zero(outwards), zero(inwards));
    EXPECT_EQ(outwards.structure.count(Fate::left) + outwards.structure.count(Fate::repeated) + outwards.structure.count(Fate::reflected),
              inwards.structure.count(Fate::left) + inwards.structure.count(Fate::repeated) + inwards.structure.count(Fate::reflected));
    EXPECT_GT(outwards.structure.count(Fate::reflected), 0U);
    EXPECT_GT(inwards.structure.count(Fate::reflected), 0U);
    // By its inequality, with j = 3 the largest, inwards nothing could be reflected in C_3k(i), though C_13(1) = −C_11(3) …
    EXPECT_EQ(inwards.structure.at(2, 1, 2).value, -inwards.structure.at(2, 2, 1).value);
}

/// A mode on the first link that lengthens it: M_12 of the modes holds cos θ. Lee's program took ∂M/∂θ₂ of that block for
/// zero; asked for, it is not, and nothing that would need it is reflected.
TEST(Structure, HoldsWhereLeesProgramFailed) {
    model::Model m = model::empty_model();
    {
        const sym::PoolScope scope(*m.pool);
        const auto box = spatial::diagonal(0, 0, sym::Rational(1, 3));
        const auto first = model::body(m, "first", {.mass = 1, .inertia = box}),
                   slide = model::body(m, "slide", {.mass = 1, .inertia = box});
        const auto second = model::body(m, "second", {.mass = 2, .inertia = box}), tip = model::body(m, "tip", {.mass = 1, .inertia = box});
        model::joint(m, JointType::revolute, "theta1", model::ground, first);
        model::joint(m, JointType::revolute, "theta2", slide, second);
        model::joint(m, JointType::prismatic, "xi1", first, slide, {.parent_at = {{2, 0, 0}}, .axes = {spatial::unit(1)}});
        model::joint(m, JointType::prismatic, "xi2", second, tip, {.parent_at = {{2, 0, 0}}, .axes = {spatial::unit(1)}});
    }
    const Coupled c(std::move(m));
    expect_definitions(c);
    // M[xi1,xi2] = m cos θ₂: C(θ₂)[ξ1,ξ2] = −½ ∂M/∂θ₂ + … and its partners do not all follow from one another
    const std::size_t theta2 = 1, xi1 = 2, xi2 = 3;
    EXPECT_NE(is_zero(derivative(c.M[xi1][xi2], c.model.joints[1].coordinates[0])), Verdict::equal);
    EXPECT_EQ(is_zero(c.structure.at(xi1, xi2, theta2).value), Verdict::equal);  // C(2)[ξ1,ξ2] = 0, where −d/2 is printed
    EXPECT_NE(is_zero(c.structure.at(theta2, xi2, xi1).value), Verdict::equal);  // −d6, printed by halves
    EXPECT_EQ(is_zero(c.structure.at(theta2, xi1, xi2).value), Verdict::equal);  // C(5)[θ2,ξ1] = 0
    const sym::PoolScope scope(*c.model.pool);
    const Expr d = derivative(c.M[xi1][xi2], c.model.joints[1].coordinates[0]);
    EXPECT_EQ(equal(c.structure.at(theta2, xi2, xi1).value, d), Verdict::equal);  // whole, not half
}

TEST(Structure, OfEveryModelIsTheDefinition) {
    for (const char* name : {"satellite", "stanford_arm", "gyrostat", "spinning_top", "bicycle", "screw_press"}) {
        SCOPED_TRACE(name);
        expect_definitions(Coupled(read(project_root() + "/models/" + name + "/model.toml")));
    }
}

/// A free body: translations in turning axes, rotations by Euler parameters. The algebra of rigid motions.
TEST(QuasiSpeedsOf, AFreeBodyAreTheAlgebraOfRigidMotions) {
    model::Model m = model::empty_model();
    const sym::PoolScope scope(*m.pool);
    model::joint(m, JointType::free, "fly", model::ground, model::body(m, "b", {.mass = 1, .inertia = spatial::diagonal(1, 2, 2)}));
    const topology::Topology topology = topology_of(m);
    const QuasiSpeeds speeds(kinematics::move(m, topology));
    std::array<std::array<std::array<int, 6>, 6>, 6> c{};
    for (const auto& b : speeds.brackets()) {
        ASSERT_TRUE(b.value.is_number());
        c[b.i][b.j][b.k] = b.value.is_literally(1) ? 1 : b.value.is_literally(-1) ? -1 : 99;
    }
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_FALSE(speeds.is_rate(i));
        for (std::size_t j = 0; j < 6; ++j) {
            for (std::size_t k = 0; k < 6; ++k) {
                const int a = static_cast<int>(i % 3), b = static_cast<int>(j % 3), e = static_cast<int>(k % 3);
                const int levi_civita = (a - b) * (b - e) * (e - a) / 2;
                const bool is_turn_turn = i < 3 && j < 3 && k < 3, is_turn_slide = (i < 3) != (j < 3) && k >= 3;
                EXPECT_EQ(c[i][j][k], is_turn_turn || is_turn_slide ? levi_civita : 0) << i << j << k;
            }
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- derivation

TEST(LagrangeSteps, OfTheDoublePendulumShowEveryQuantity) {
    const model::Model m = read(project_root() + "/models/double_pendulum/model.toml");
    const topology::Topology topology = topology_of(m);
    const formulation::Derived derived = formulation::lagrange::derive(m, topology);
    ASSERT_TRUE(derived.equations);
    EXPECT_EQ(derived.equations->formulation, "lagrange");
    const eom::Derivation d = formulation::lagrange::explain(m, topology, *derived.equations);
    std::vector<std::string> symbols;
    for (const eom::Step& step : d.steps) {
        for (const eom::Step::Line& line : step.lines) symbols.push_back(line.symbol);
    }
    for (const char* wanted : {"J[bar2]", "T", "V", "M", "C[1,2](1)", "C(1)", "C(2)", "V_q", "Q", "f"}) {
        EXPECT_NE(std::ranges::find(symbols, wanted), symbols.end()) << wanted;
    }
}

/// Nothing is shown that does not live in the pool of the equations, and no model is too much.
TEST(LagrangeSteps, ExistForEveryModel) {
    std::vector<std::filesystem::path> all = files("/models");
    for (const auto& path : files("/bench/models")) all.push_back(path);
    for (const std::filesystem::path& path : all) {
        if (path.parent_path().filename() == "chain30") continue;  // as tree30f, and slow
        SCOPED_TRACE(path);
        const model::Model m = read(path);
        const topology::Topology topology = topology_of(m);
        const formulation::Derived derived = formulation::lagrange::derive(m, topology);
        ASSERT_TRUE(derived.equations);
        const eom::Derivation d = formulation::lagrange::explain(m, topology, *derived.equations);
        EXPECT_GE(d.steps.size(), 7U);
        for (const eom::Step& step : d.steps) {
            for (const eom::Step::Line& line : step.lines) {
                for (const auto& row : line.value) {
                    for (const Expr& x : row) ASSERT_EQ(&x.pool(), derived.equations->pool.get());
                }
            }
        }
    }
}

}  // namespace
}  // namespace linkwright::agree
