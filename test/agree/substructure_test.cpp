// Chains derived once and called for each instance, against everything written out.

#include <fmt/format.h>

#include "agree/subject.hpp"
#include "linkwright/codegen/routines.hpp"
#include "linkwright/formulation/recursive/substructures.hpp"
#include "linkwright/model/build.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

using spatial::Rotation;
using spatial::Vec3;

/// A model, its equations written out, and the same with routines.
struct Pair {
    model::Model model;
    EquationsOfMotion flat;
    std::optional<eom::Substructures> chains;

    explicit Pair(model::Model m) : model(std::move(m)) {
        const topology::Analysis analysis = topology::analyse(model);
        if (!analysis.topology) throw std::runtime_error(analysis.problems.front().what);
        formulation::Derived r = formulation::recursive::derive(model, *analysis.topology);
        if (!r.equations) throw std::runtime_error(r.problems.front().what);
        flat = std::move(*r.equations);
        chains = formulation::recursive::substructures(model, *analysis.topology);
    }
    explicit Pair(const std::string& text) : Pair(read_text(text)) {}
};

std::vector<Expr> inputs_of(const EquationsOfMotion& e) {
    std::vector<Expr> list;
    for (const auto* symbols : {&e.q, &e.u, &e.udot, &e.x}) list.insert(list.end(), symbols->begin(), symbols->end());
    for (const eom::Input& w : e.inputs) list.push_back(w.symbol);
    for (const eom::Parameter& p : e.parameters) list.push_back(p.symbol);
    list.push_back(e.t);
    return list;
}

std::vector<double> random_point(const Pair& p, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> v;
    for (std::size_t i = 0; i < 2 * p.flat.u.size() + p.flat.q.size() + p.flat.inputs.size(); ++i) v.push_back(between(random));
    for (const auto& group : p.flat.quaternions) {
        double square = 0;
        for (const std::size_t i : group) square += v[i] * v[i];
        for (const std::size_t i : group) v[i] /= std::sqrt(square);
    }
    const model::ParameterValues parameters(p.model);
    for (const model::Parameter& x : p.model.parameters) v.push_back(parameters(x.symbol));
    v.push_back(0.7);
    return v;
}

/// Largest difference, of the largest value.
double difference(std::span<const double> a, std::span<const double> b) {
    double most = 1e-300, off = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size() && off < 1; ++i) {
        most = std::max(most, std::abs(b[i]));
        if (std::isnan(a[i])) return std::nan("");
    }
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) off = std::max(off, std::abs(a[i] - b[i]));
    return off / most;
}

void expect_agreement(const Pair& p) {
    ASSERT_TRUE(p.chains);
    const codegen::Routines routines = codegen::lower_routines(*p.chains, *p.flat.pool);
    const std::vector<Expr> in = inputs_of(p.flat);
    const auto compare = [&](const codegen::Called& called, const std::vector<Expr>& flat, double tolerance, const char* what) {
        const program::Program program = program::lower(called.values, in, called.calls, routines.library);
        const program::Program wanted = program::lower(flat, in);
        EXPECT_FALSE(program.calls.empty()) << what;
        for (std::uint64_t seed = 1; seed < 4; ++seed) {
            const std::vector<double> at = random_point(p, seed);
            EXPECT_LT(difference(program::run<double>(program, at), program::run<double>(wanted, at)), tolerance) << what;
        }
    };
    compare(routines.inverse, p.flat.inverse, 1e-11, "inverse");
    compare(routines.forcing, p.flat.f, 1e-11, "f");
    compare(routines.accelerations, p.flat.a, 1e-7, "accelerations");
}

// ------------------------------------------------------------------------------------------------------------- satellites

/// A bus in space with arms of three links around it, each with springs and a motor.
std::string satellite(std::size_t arms) {
    std::string text = R"(
format = 1
name = "Satellite"
[parameters]
k = 5
L = 0.8
[[body]]
name = "bus"
mass = 100
inertia = [20, 25, 30]
com = [0.01, 0, 0.02]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "bus"
[[chain]]
name = "arm"
ports = ["root"]
set = { heading = 0, reach = 0.5 }
)";
    for (const char* link : {"a", "b", "c"}) {
        text += fmt::format("[[chain.body]]\nname = \"{}\"\nmass = 2\ninertia = [0.02, 0.1, 0.11]\ncom = [\"L/2\", 0, 0.01]\n", link);
    }
    const auto joint = [&](const char* name, const char* parent, const char* child, const char* at, const char* axis) {
        text += fmt::format(
            "[[chain.joint]]\nname = \"{}\"\ntype = \"revolute\"\nparent = \"{}\"\nchild = \"{}\"\n{}axis = \"{}\"\nstiffness = "
            "\"k\"\ndamping = 0.3\n",
            name, parent, child, at, axis);
    };
    joint("shoulder", "root", "a",
          "parent_at = [\"reach*cos(heading)\", \"reach*sin(heading)\", 0]\nparent_axes = { rotate = [\"z\"], by = [\"heading\"] }\n", "y");
    joint("elbow", "a", "b", "parent_at = [\"L\", 0, 0]\n", "z");
    joint("wrist", "b", "c", "parent_at = [\"L\", 0, 0]\n", "x");
    for (std::size_t i = 0; i < arms; ++i) {
        text += fmt::format("[[instance]]\nof = \"arm\"\nname = \"n{}\"\nroot = \"bus\"\nset = {{ heading = {} }}\n", i,
                            6.283185307 * static_cast<double>(i) / static_cast<double>(arms));
    }
    return text;
}

TEST(Satellite, OneArmIsNoneTwice) { EXPECT_FALSE(Pair(satellite(1)).chains); }

TEST(Satellite, ArmsAreCalled) {
    for (const std::size_t arms : {2, 8}) {
        SCOPED_TRACE(arms);
        const Pair p(satellite(arms));
        expect_agreement(p);
        ASSERT_EQ(p.chains->chains.size(), 1U);
        EXPECT_EQ(p.chains->chains[0].speeds.size(), arms);
        EXPECT_EQ(p.chains->chains[0].freedoms, 3U);
        EXPECT_EQ(p.chains->routines.size(), 3U);
    }
}

TEST(Satellite, OfTheZoo) { expect_agreement(Pair(read(project_root() + "/models/satellite_with_arms/model.toml"))); }

/// Every leg written out: three on the left, three on the right about axes that point the other way, hind legs longer; a tail that is
/// there once, a pair of feelers.
TEST(Hexapod, LegsWrittenOneByOneAreFound) {
    std::string text =
        "format = 1\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"trunk\"\nmass = 6\ninertia = [0.1, 0.3, 0.35]\n"
        "[[joint]]\nname = \"fly\"\ntype = \"free\"\nparent = \"ground\"\nchild = \"trunk\"\n";
    const auto link = [&](const std::string& name, const std::string& parent, const std::string& at, const std::string& axis, double mass,
                          const std::string& com) {
        text += fmt::format(
            "[[body]]\nname = \"{0}\"\nmass = {3}\ninertia = [0.002, 0.003, 0.004]\ncom = {5}\n"
            "[[joint]]\nname = \"j_{0}\"\ntype = \"revolute\"\nparent = \"{1}\"\nchild = \"{0}\"\nparent_at = {2}\naxis = \"{4}\"\ndamping "
            "= 0.1\n",
            name, parent, at, mass, axis, com);
    };
    for (int i = 0; i < 6; ++i) {
        const double side = i % 2 == 0 ? 1 : -1, x = 0.3 * (i / 2 - 1), length = i / 2 == 0 ? 0.25 : 0.2;
        const std::string leg = fmt::format("leg{}", i);
        link(leg + "_hip", "trunk", fmt::format("[{}, {}, 0]", x, 0.1 * side), "z", 0.3, fmt::format("[0, {}, 0.01]", 0.03 * side));
        link(leg + "_thigh", leg + "_hip", fmt::format("[0, {}, 0]", 0.06 * side), side > 0 ? "x" : "-x", 0.4,
             fmt::format("[0, {}, 0.02]", side * length / 2));
        link(leg + "_shin", leg + "_thigh", fmt::format("[0, {}, 0]", side * length), side > 0 ? "x" : "-x", 0.2,
             fmt::format("[0, {}, 0.03]", side * 0.1));
    }
    link("tail", "trunk", "[-0.4, 0, 0]", "y", 0.5, "[-0.1, 0, 0]");
    for (const char* side : {"0.05", "-0.05"}) {
        const std::string name = side[0] == '-' ? "right" : "left";
        link(name + "_feeler", "trunk", fmt::format("[0.4, {}, 0.1]", side), "y", 0.01, "[0.05, 0, 0]");
        link(name + "_tip", name + "_feeler", "[0.1, 0, 0]", "y", 0.01, "[0.05, 0, 0]");
    }
    const Pair p(text);
    expect_agreement(p);
    std::vector<std::vector<std::string>> found;
    for (const eom::RepeatedChain& chain : p.chains->chains) found.push_back(chain.speeds);
    const auto has = [&](const std::vector<std::string>& speeds) { return std::ranges::find(found, speeds) != found.end(); };
    EXPECT_TRUE(has({"j_leg0_hip'", "j_leg2_hip'", "j_leg4_hip'"}));
    EXPECT_TRUE(has({"j_leg1_hip'", "j_leg3_hip'", "j_leg5_hip'"}));
    EXPECT_TRUE(has({"j_left_feeler'", "j_right_feeler'"}));
}

/// A hub without mass that carries two arms, and above them, on its own axis, a third thing: nothing may change places past the arms.
TEST(Hub, WithoutMassCarriesArms) {
    std::string text =
        "format = 1\ngravity = [1, 2, -9.81]\n[[body]]\nname = \"hub\"\n[[body]]\nname = \"top\"\nmass = 2\ninertia = [0.1, 0.2, "
        "0.25]\ncom = [0.2, 0.1, 0.3]\n"
        "[[joint]]\nname = \"post\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"hub\"\naxis = \"z\"\n"
        "[[joint]]\nname = \"lid\"\ntype = \"revolute\"\nparent = \"hub\"\nchild = \"top\"\nparent_at = [0, 0, 0.4]\naxis = \"z\"\ndamping "
        "= 0.1\n"
        "[[chain]]\nname = \"arm\"\nports = [\"root\"]\nset = { x = 0.3 }\n";
    for (const char* link : {"a", "b"})
        text += fmt::format("[[chain.body]]\nname = \"{}\"\nmass = 1\ninertia = [0.02, 0.03, 0.04]\ncom = [0.2, 0.01, 0.03]\n", link);
    text +=
        "[[chain.joint]]\nname = \"s\"\ntype = \"revolute\"\nparent = \"root\"\nchild = \"a\"\nparent_at = [\"x\", 0, 0.1]\naxis = \"y\"\n"
        "[[chain.joint]]\nname = \"e\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nparent_at = [0.4, 0, 0]\naxis = \"x\"\n"
        "[[instance]]\nof = \"arm\"\nname = \"one\"\nroot = \"hub\"\n[[instance]]\nof = \"arm\"\nname = \"two\"\nroot = \"hub\"\nset = { x "
        "= -0.2 }\n";
    expect_agreement(Pair(text));
}

/// Nothing is there twice, or it does not pay, or there are loops.
TEST(Chains, AreNoneWhereNoneRepeat) {
    for (const char* name : {"stanford_arm", "chain10", "four_bar", "stewart_platform", "cart_pole"}) {
        EXPECT_FALSE(Pair(read(fmt::format("{}/models/{}/model.toml", project_root(), name))).chains) << name;
    }
}

/// Every model of the zoo that has some.
TEST(Chains, OfTheZooAgree) {
    for (const auto& path : files("/models")) {
        SCOPED_TRACE(path.string());
        const Pair p(read(path));
        if (p.chains) expect_agreement(p);
    }
    for (const auto& path : files("/bench/models")) {
        SCOPED_TRACE(path.string());
        const Pair p(read(path));
        if (p.chains) expect_agreement(p);
    }
}

/// Accelerations lose no more digits than those written out, and calls cost what the lines would.
TEST(Satellite, CodeOfManyArmsIsShort) {
    const Pair p(satellite(16));
    const codegen::Routines routines = codegen::lower_routines(*p.chains, *p.flat.pool);
    const std::vector<Expr> in = inputs_of(p.flat);
    const program::Program called = program::lower(routines.accelerations.values, in, routines.accelerations.calls, routines.library);
    const program::Program flat = program::lower(p.flat.a, in);
    EXPECT_LT(3 * program::length(called), program::length(flat));
    EXPECT_LT(static_cast<double>(program::count(called).total()), 1.05 * static_cast<double>(program::count(flat).total()));
}

// ---------------------------------------------------------------------------------------------------------- random models

/// A kind of chain: what all its instances share.
struct Kind {
    std::vector<model::JointType> types;
    std::vector<std::vector<Vec3>> axes;
    std::vector<bool> is_reversed, has_wheel, has_turned_frame;
    bool has_given = false;
};

Kind random_kind(laws::Random& random) {
    using model::JointType;
    static constexpr std::array types{JointType::revolute,  JointType::revolute,    JointType::revolute,  JointType::prismatic,
                                      JointType::screw,     JointType::cylindrical, JointType::universal, JointType::planar,
                                      JointType::spherical, JointType::gimbal};
    Kind kind;
    const std::size_t n = 2 + random.below(2);
    for (std::size_t i = 0; i < n; ++i) {
        const JointType type = types[random.below(types.size())];
        kind.types.push_back(type);
        std::vector<Vec3> axes;
        if (type == JointType::universal)
            axes = random.orthogonal(2);
        else if (type == JointType::gimbal)
            axes = random.orthogonal(3);
        else if (type == JointType::planar)
            axes = {spatial::unit(random.below(3))};
        else if (type != JointType::spherical)
            axes = {random.below(2) == 0 ? spatial::unit(random.below(3)) : random.direction()};
        kind.axes.push_back(axes);
        kind.is_reversed.push_back(random.below(4) == 0);
        kind.has_wheel.push_back(random.below(4) == 0);
        kind.has_turned_frame.push_back(random.below(2) == 0);
    }
    kind.has_given = random.below(4) == 0;
    return kind;
}

/// Chains of two kinds, several of each with other numbers, on a carrier, on the ground and on each other; something pulls at them.
model::Model random_model(std::uint64_t seed) {
    using model::JointType;
    laws::Random random(seed);
    model::Model m = model::empty_model("repeated");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    const Expr stiffness = model::parameter(m, "stiffness", 3), motor = model::input(m, "motor", sym::Rational(1, 2));
    const auto body = [&](const std::string& name, std::vector<model::Rotor> rotors = {}) {
        model::BodyOptions o{.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)};
        o.rotors = std::move(rotors);
        return model::body(m, name, o);
    };
    const model::BodyIndex bus = body("bus");
    if (seed % 3 == 0)
        model::joint(m, JointType::free, "fly", model::ground, bus, {});
    else
        model::joint(m, seed % 3 == 1 ? JointType::revolute : JointType::planar, "fly", model::ground, bus, {.axes = {spatial::unit(2)}});
    std::vector<model::BodyIndex> carriers{bus, bus, model::ground};
    const std::array kinds{random_kind(random), random_kind(random)};
    const std::size_t first = m.bodies.size();
    for (std::size_t k = 0; k < 2; ++k) {
        const Kind& kind = kinds[k];
        const bool is_inner = k == 1 && seed % 2 == 0;  // a chain on chains: the same place on each
        const std::size_t instances = is_inner ? 2 * (m.bodies.size() - first) / kinds[0].types.size() : 2 + random.below(3);
        for (std::size_t i = 0; i < instances; ++i) {
            model::BodyIndex inner = is_inner ? first + (i / 2 + 1) * kinds[0].types.size() - 1 : carriers[random.below(carriers.size())];
            for (std::size_t j = 0; j < kind.types.size(); ++j) {
                const std::string name = fmt::format("k{}_{}_{}", k, i, j);
                std::vector<model::Rotor> rotors;
                if (kind.has_wheel[j]) {
                    model::Rotor rotor{spatial::unit(2), random.number(0.01, 0.1), {}, {}, {}, {}};
                    if (j % 2 == 0)
                        rotor.speed = random.number(1, 9);
                    else
                        rotor.torque = motor * random.number(-1, 1);
                    rotors.push_back(rotor);
                }
                const model::BodyIndex outer = body("b_" + name, std::move(rotors));
                model::JointOptions o{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
                if (j == 0) o.parent_axes = random.frame(m);
                if (kind.has_turned_frame[j]) o.child_axes = Rotation::turn(spatial::unit(0), sym::Rational(2, 5));
                o.axes = kind.axes[j];
                if (kind.types[j] == JointType::screw) o.pitch = random.number(0.1, 0.4);
                for (std::size_t f = 0; f < model::freedoms(kind.types[j], o.axes.size()); ++f) {
                    o.damping.push_back(random.number(0, 1));
                    o.actuator.push_back(random.number(-1, 1) * motor);
                }
                const std::size_t at = kind.is_reversed[j] ? model::joint(m, kind.types[j], "j_" + name, outer, inner, o)
                                                           : model::joint(m, kind.types[j], "j_" + name, inner, outer, o);
                if (kind.has_given && j == 0 && kind.types[j] == JointType::revolute) {
                    m.motions.push_back({m.joints[at].coordinates[0], random.number(0.3, 1) * sin(3 * m.t), {}});
                }
                inner = outer;
            }
        }
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    m.springs.push_back(
        {"spring", point(), {m.bodies.size() - 1, random.vector(0.4), ""}, stiffness, sym::Rational(1, 10), sym::Rational(1, 2), 0, {}});
    m.forces.push_back({"force", point(), random.vector(2), m.bodies.size() - 1, {}, {}});
    return m;
}

class RandomChains : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RandomChains, AreCalled) { expect_agreement(Pair(random_model(GetParam()))); }
INSTANTIATE_TEST_SUITE_P(Seeds, RandomChains, ::testing::Range<std::uint64_t>(0, 12));

}  // namespace
}  // namespace linkwright::agree
