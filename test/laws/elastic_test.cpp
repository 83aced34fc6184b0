// Beams: every joint type at every place of a beam, on seeded random beams with everything on them, in trees and loops.

#include <numbers>
#include <set>

#include "laws/mechanism.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/proof/prove.hpp"

namespace linkwright::laws {
namespace {

using flex::Frame;
using model::BeamDirection;
using model::BeamFamily;

/// Which part of a random beam's possibilities a mechanism is to have.
struct Wish {
    std::optional<Frame> frame{};
    bool is_planar = false;  ///< bends along y alone
    model::BeamOrder order = model::BeamOrder::all;
    std::size_t most_shapes = 2;
    bool gives_shape = false;  ///< one of the coordinates is a function of time
    bool is_bare = false;      ///< nothing acts but what is inside the beams
};

class BeamMaker {
public:
    BeamMaker(Model& m, std::uint64_t seed) : m_(m), r_(seed) {}

    BodyIndex make(const std::string& name, const Wish& wish) {
        model::Beam b;
        b.order = wish.order;
        b.frame = wish.frame ? *wish.frame : std::array{Frame::tangent, Frame::chord, Frame::mean}[r_.below(3)];
        b.shortening = r_.below(3) != 0;
        b.length = parameter(name + "_L", 0.8, 1.2);
        if (r_.below(3) == 0) {
            b.sleeves.start = r_.below(3) == 0 ? Expr(0) : b.length / 10;
            b.sleeves.end = r_.below(3) == 0 ? Expr(0) : parameter(name + "_end", 0.05, 0.15);
            if (r_.below(2) == 0 && !b.sleeves.start.is_literally(0)) b.sleeves.start_mass = r_.number(0.1, 0.5);
            if (r_.below(2) == 0 && !b.sleeves.end.is_literally(0)) b.sleeves.end_mass = r_.number(0.1, 0.5);
        }
        const bool bends_both = !wish.is_planar && r_.below(3) != 0, twists = !wish.is_planar && r_.below(2) == 0,
                   stretches = r_.below(3) == 0;
        const bool turns = r_.below(3) == 0;  // rotary inertia
        const std::size_t pieces = r_.below(3) == 0 ? 2 : 1;
        for (std::size_t p = 0; p < pieces; ++p) {
            model::BeamSection s;
            s.mass_per_length = parameter(name + "_mu" + std::to_string(p), 0.5, 2);
            s.bending_y = parameter(name + "_EI" + std::to_string(p), 0.5, 3);
            if (bends_both) s.bending_z = r_.number(0.5, 3);
            if (stretches) s.axial = r_.number(10, 30);
            if (twists) s.torsion = r_.number(0.3, 2), s.torsion_inertia = r_.number(0.05, 0.2);
            if (turns) s.rotary = r_.number(0.01, 0.1);
            b.pieces.push_back({p + 1 == pieces ? b.length : r_.number(0.4, 0.6) * b.length, s});
        }
        shapes(b, BeamDirection::y, wish.most_shapes);
        if (bends_both) shapes(b, BeamDirection::z, wish.most_shapes);
        if (stretches) shapes(b, BeamDirection::x, 1);
        if (twists) shapes(b, BeamDirection::twist, 1);
        for (std::size_t k = r_.below(3); k > 0; --k) {
            b.masses.push_back({.at = k == 2 ? b.length : r_.number(0.1, 0.9) * b.length, .mass = r_.number(0.1, 0.6), .inertia = {}});
            if (r_.below(2) == 0) b.masses.back().inertia = sym::Rational(1, 10) * r_.inertia();
        }
        if (r_.below(2) == 0) b.damping = {r_.number(0.01, 0.1)};
        const bool couples = std::ranges::any_of(b.masses, [](const model::BeamMass& m) { return m.inertia != Mat3{}; });
        if (!b.damping.empty() && !couples && r_.below(2) == 0) {  // a ratio for each shape
            for (std::size_t k = 1, n = count(b); k < n; ++k) b.damping.push_back(r_.number(0.01, 0.1));
        }
        return model::beam(m_, name, b);
    }
    Expr parameter(const std::string& name, double low, double high) { return model::parameter(m_, name, r_.number(low, high)); }

private:
    static std::size_t count(const model::Beam& b) {
        std::size_t n = 0;
        for (const model::BeamShapes& s : b.shapes) n += s.count;
        return n;
    }
    void shapes(model::Beam& b, BeamDirection d, std::size_t most) {
        const bool bends = d == BeamDirection::y || d == BeamDirection::z;
        std::vector<BeamFamily> may{BeamFamily::polynomial};
        if (b.frame == Frame::mean) {
            may.push_back(BeamFamily::free_free);
        } else if (!bends) {
            may.insert(may.end(), {BeamFamily::clamped_free, BeamFamily::pinned_pinned});
        } else {
            may.insert(may.end(),
                       {BeamFamily::clamped_pinned, b.frame == Frame::tangent ? BeamFamily::clamped_free : BeamFamily::pinned_pinned});
        }
        model::BeamShapes s{.direction = d, .family = may[r_.below(may.size())], .count = 1 + r_.below(most)};
        const bool ends_free = !bends || (b.frame != Frame::chord && s.family != BeamFamily::clamped_pinned);
        if (r_.below(4) == 0) s.normalise = model::BeamNormalise::mass;
        if (r_.below(4) == 0 && ends_free && s.family != BeamFamily::pinned_pinned) s.normalise = model::BeamNormalise::tip;
        b.shapes.push_back(s);
    }

    Model& m_;
    Random r_;
};

enum class Place { on_root, on_middle, on_tip, by_root, by_middle, by_tip, floating, floating_tip, cut_tip, cut_middle, rod };
constexpr std::array places{Place::on_root,  Place::on_middle,    Place::on_tip,  Place::by_root,    Place::by_middle, Place::by_tip,
                            Place::floating, Place::floating_tip, Place::cut_tip, Place::cut_middle, Place::rod};
constexpr std::array place_names{"OnRoot",   "OnMiddle",    "OnTip",  "ByRoot",    "ByMiddle", "ByTip",
                                 "Floating", "FloatingTip", "CutTip", "CutMiddle", "Rod"};

std::vector<JointType> types() {
    std::vector<JointType> all;
    for (const model::JointPattern& pattern : model::joint_patterns()) all.push_back(pattern.type);
    return all;
}
std::string name_of(JointType type) {
    std::string name(type == JointType::free_axes ? "free_axes" : to_string(type));
    std::ranges::replace(name, '-', '_');
    return name;
}

/// A beam and what is joined to it.
class Maker {
public:
    explicit Maker(std::uint64_t seed) : r_(seed), beams_(m_, seed + 1) {}

    Model make(JointType type, Place place, const Wish& wish) {
        const sym::PoolScope scope(*m_.pool);
        const Expr g = model::parameter(m_, "g", 9.81);
        tau_ = model::input(m_, "tau", sym::Rational(1, 2) + sin(2 * m_.t));
        is_bare_ = wish.is_bare;
        if (!is_bare_) m_.gravity = {{g / 3, 0, -g}};
        const BodyIndex beam = beams_.make("arm", wish);
        const Expr length = m_.bodies[beam].beam->length;
        const auto at = [&](const Expr& x, bool turns = true) { return model::point_on(m_, beam, x, {}, turns).body; };
        const BodyIndex middle = at(sym::Rational(2, 5) * length, r_.below(4) != 0), tip = at(length), root = at(0);
        const BodyIndex tool = add_body("tool");
        switch (place) {
            case Place::on_root: hold(beam), add_joint(type, "joint", root, tool); break;
            case Place::on_middle: hold(beam), add_joint(type, "joint", middle, tool); break;
            case Place::on_tip: hold(beam), add_joint(type, "joint", tip, tool); break;
            case Place::by_root: add_joint(type, "joint", model::ground, beam), add_joint(JointType::universal, "wrist", tip, tool); break;
            case Place::by_middle:
                add_joint(type, "joint", model::ground, middle), add_joint(JointType::revolute, "wrist", tip, tool);
                break;
            case Place::by_tip: add_joint(JointType::revolute, "wrist", model::ground, tool), add_joint(type, "joint", tool, tip); break;
            case Place::floating: add_joint(JointType::free, "root", model::ground, beam), add_joint(type, "joint", middle, tool); break;
            case Place::floating_tip:
                add_joint(JointType::free_axes, "root", model::ground, tool), add_joint(type, "joint", tool, tip);
                break;
            case Place::cut_tip:
                add_joint(JointType::free, "root", model::ground, beam);
                add_joint(JointType::gimbal, "wrist", root, tool);
                add_joint(type, "joint", tip, model::ground, true);
                break;
            case Place::cut_middle:
                hold(beam);
                add_joint(JointType::free, "root", model::ground, tool);
                add_joint(type, "joint", tool, middle, true);
                break;
            case Place::rod: {
                hold(beam);
                add_joint(type, "joint", middle, tool);
                model::Rod rod;
                rod.name = "rod";
                rod.from = {model::ground, r_.vector(0.3) + Vec3{{sym::Rational(1, 2), sym::Rational(1, 2), sym::Rational(1, 2)}},
                            "ground.hook"};
                rod.to = {tip, r_.vector(0.2), "arm.tip"};
                rod.length = 1;
                m_.rods.push_back(rod);
                break;
            }
        }
        if (!is_bare_) load(tip, tool);
        if (wish.gives_shape) {
            const std::vector<Expr>& q = m_.bodies[beam].beam->elastic.coordinates;
            const Expr size = wish.order == model::BeamOrder::second ? sym::Rational(1, 10) : sym::Rational(1);
            m_.motions.push_back({q[r_.below(q.size())], size * (r_.number(-0.1, 0.1) + sym::Rational(1, 10) * sin(3 * m_.t)), {}});
        }
        return std::move(m_);
    }

    /// Beams in a row, each on the one before; `closes` joins the last to the ground.
    Model make_row(std::size_t count, bool closes, const Wish& wish) {
        const sym::PoolScope scope(*m_.pool);
        is_bare_ = wish.is_bare;
        tau_ = model::input(m_, "tau", sym::Rational(1, 2) + sin(2 * m_.t));
        if (!is_bare_) m_.gravity = {{1, 0, -9}};
        const std::array inner{JointType::gimbal, JointType::revolute, JointType::spherical, JointType::universal, JointType::weld};
        BodyIndex before = model::ground;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = "beam" + std::to_string(i + 1);
            const BodyIndex beam = beams_.make(name, wish);
            const Expr length = m_.bodies[beam].beam->length;
            const auto at = [&](const Expr& x) { return model::point_on(m_, beam, x).body; };
            const BodyIndex near = r_.below(2) == 0 ? beam : at(r_.below(2) == 0 ? Expr(0) : length / 4),
                            far = at(r_.below(3) == 0 ? length / 2 : length);
            const bool is_loose = wish.is_bare && i == 0;
            const JointType type = is_loose ? JointType::free : i == 0 && closes ? JointType::free_axes : inner[r_.below(inner.size())];
            r_.below(3) == 0 ? add_joint(type, "to_" + name, near, before) : add_joint(type, "to_" + name, before, near);
            before = far;
        }
        if (closes)
            add_joint(std::array{JointType::spherical, JointType::revolute, JointType::cylindrical}[r_.below(3)], "close", before,
                      model::ground, true);
        return std::move(m_);
    }

private:
    BodyIndex add_body(const std::string& name) {
        return model::body(m_, name, {.mass = r_.number(0.5, 2), .inertia = r_.inertia(), .com = r_.vector(0.4)});
    }
    void hold(BodyIndex beam) {
        add_joint(r_.below(2) == 0 ? JointType::universal : JointType::gimbal, "base", model::ground, beam);
        const Expr given = r_.number(-0.3, 0.3) + r_.number(-0.4, 0.4) * sin(2 * m_.t);
        if (r_.below(4) == 0 && !is_bare_) m_.motions.push_back({m_.joints.back().coordinates[0], given, {}});
    }

    void add_joint(JointType type, const std::string& name, BodyIndex parent, BodyIndex child, bool cut = false) {
        model::JointOptions o{
            .parent_at = r_.vector(0.3), .child_at = r_.vector(0.3), .parent_axes = r_.frame(m_), .child_axes = r_.frame(m_)};
        switch (model::pattern_of(type).key) {
            case model::AxesKey::none: break;
            case model::AxesKey::axis: o.axes = {type == JointType::planar ? unit(r_.below(3)) : r_.direction()}; break;
            case model::AxesKey::axes:
                if (model::with_axes(type) == type) o.axes = r_.orthogonal(model::pattern_of(type).axes.size());
                break;
            case model::AxesKey::some: o.axes = {unit(2), unit(0), unit(1)}; break;
        }
        o.pitch = r_.number(0.1, 0.4);
        o.cut = cut;
        const std::size_t n = model::freedoms(type, o.axes.size());
        for (std::size_t i = 0; i < n; ++i) {
            o.damping.push_back(r_.number(0, 1));
            o.actuator.push_back(r_.number(-1, 1) * tau_);
        }
        if (is_bare_) o.damping.clear(), o.actuator.clear();
        model::joint(m_, type, name, parent, child, o);
    }

    void load(BodyIndex tip, BodyIndex tool) {
        model::Spring spring;
        spring.name = "tie";
        spring.from = {model::ground, {{-3, 1, 1}}, "ground.hook"};
        spring.to = {tip, r_.vector(0.3), "arm.tip"};
        spring.stiffness = r_.number(1, 5), spring.damping = r_.number(0, 1), spring.rest = r_.number(0.5, 1), spring.actuator = tau_;
        m_.springs.push_back(spring);
        model::Force force;
        force.name = "push";
        force.on = {tool, r_.vector(0.5), "tool.side"};
        force.vector = {{tau_, r_.number(-2, 2), r_.number(-2, 2)}};
        force.in = tip;
        force.from = model::PointOf{tip, r_.vector(0.3), "arm.tip"};
        m_.forces.push_back(force);
        model::Torque torque;
        torque.name = "twist", torque.on = tip, torque.vector = {{r_.number(-2, 2), tau_, 1}}, torque.in = model::ground;
        m_.torques.push_back(torque);
    }

    Model m_ = model::empty_model("generated");
    Random r_;
    BeamMaker beams_;
    Expr tau_;
    bool is_bare_ = false;
};

double gap(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff() / (1 + a.cwiseAbs().maxCoeff()); }

/// What else derives beams says the same numbers; of the recursive one its accelerations in one sweep as well.
void expect_formulations_agree(const Mechanism& m, const State& s) {
    const Evaluation e = m.evaluate(s);
    for (const char* name : {"lagrange", "recursive"}) {
        SCOPED_TRACE(name);
        const formulation::Derived derived = formulation::find_formulation(name)->derive(m.model, m.topology, {});
        ASSERT_TRUE(derived.equations);
        const numeric::CompiledEquations numbers(*derived.equations);
        const Evaluation other = numeric::evaluate(numbers, s);
        ASSERT_TRUE(other.is_ok) << other.why;
        EXPECT_LT(gap(e.dynamics.M, other.dynamics.M), 1e-11);
        EXPECT_LT(gap(e.dynamics.f, other.dynamics.f), 1e-10);
        EXPECT_LT(gap(e.accelerations, other.accelerations), 1e-8);
        EXPECT_NEAR(e.kinetic, other.kinetic, 1e-11 * (1 + e.kinetic));
        const std::vector<Expr>& a = derived.equations->a;
        if (a.empty()) continue;
        EXPECT_LT(gap(e.accelerations, numbers.compile(a)(s)), 1e-8) << "in one sweep";
    }
}

class Beams : public ::testing::TestWithParam<std::tuple<JointType, Place>> {};

TEST_P(Beams, KeepTheLawsAndAgreeWithParticles) {
    const auto [type, place] = GetParam();
    const std::uint64_t first = 100 * static_cast<std::uint64_t>(type) + static_cast<std::uint64_t>(place);
    const std::uint64_t count = std::getenv("SEEDS") == nullptr ? 1 : seeds();
    for (std::uint64_t k = 0; k < count && !HasFailure(); ++k) {
        SCOPED_TRACE("seed " + std::to_string(first + 10000 * k));
        const Mechanism m(Maker(first + 10000 * k).make(type, place, {}));
        const State s = m.random_state(first);
        if (HasFailure()) return;
        expect_laws(m, s);
        expect_numeric_path(m, s);
        expect_formulations_agree(m, s);
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Beams, ::testing::Combine(::testing::ValuesIn(types()), ::testing::ValuesIn(places)), [](const auto& p) {
    return name_of(std::get<0>(p.param)) + place_names[static_cast<std::size_t>(std::get<1>(p.param))];
});

std::set<std::string> elastic_names(const Model& model) {
    std::set<std::string> names;
    for (const model::Body& body : model.bodies) {
        if (!body.beam) continue;
        for (const auto* list : {&body.beam->elastic.coordinates, &body.beam->elastic.speeds}) {
            for (const Expr& x : *list) names.insert(x.symbol().name);
        }
    }
    return names;
}
/// A random state of a tree whose beams bend by little. Far out M cut off is not positive any more.
State little_bent(const Mechanism& m, std::uint64_t seed) {
    State s = m.random_state(seed);
    const std::set<std::string> elastic = elastic_names(m.model);
    for (std::size_t i = 0; i < m.equations.q.size(); ++i) {
        if (elastic.contains(m.equations.q[i].symbol().name)) s.q[static_cast<Eigen::Index>(i)] /= 20;
    }
    return s;
}

class GivenShapes : public ::testing::TestWithParam<Place> {};

TEST_P(GivenShapes, KeepTheLawsAndAgreeWithParticles) {
    const std::uint64_t seed = 6000 + static_cast<std::uint64_t>(GetParam());
    const Mechanism m(Maker(seed).make(JointType::revolute, GetParam(), {.gives_shape = true}));
    const State s = m.random_state(seed);
    if (HasFailure()) return;
    expect_laws(m, s);
    expect_numeric_path(m, s);
    expect_formulations_agree(m, s);
}

TEST_P(GivenShapes, KeepTheLawsToSecondOrder) {
    if (GetParam() >= Place::floating_tip)
        return;  // the last of them spins a beam about its own axis, which has no inertia of second order
    const std::uint64_t seed = 6100 + static_cast<std::uint64_t>(GetParam());
    const Mechanism m(Maker(seed).make(JointType::revolute, GetParam(), {.order = model::BeamOrder::second, .gives_shape = true}));
    const State s = little_bent(m, seed);
    if (HasFailure()) return;
    expect_laws(m, s);
    expect_formulations_agree(m, s);
}

INSTANTIATE_TEST_SUITE_P(Of, GivenShapes, ::testing::ValuesIn(places),
                         [](const auto& p) { return place_names[static_cast<std::size_t>(p.param)]; });

class BeamRows : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BeamRows, KeepTheLawsAndAgreeWithParticles) {
    const std::uint64_t seed = GetParam();
    const bool closes = seed % 3 == 0;
    const Wish wish{.is_planar = seed % 2 == 0};
    const Mechanism m(Maker(7000 + seed).make_row(2 + seed % 2, closes, wish));
    const State s = m.random_state(seed);
    if (HasFailure()) return;
    expect_laws(m, s);
    expect_numeric_path(m, s);
    expect_formulations_agree(m, s);
}

TEST_P(BeamRows, KeepTheirMomentumWhenTheyFloat) {
    const std::uint64_t seed = GetParam();
    const Mechanism m(Maker(8000 + seed).make_row(1 + seed % 2, false, {.is_bare = true}));
    const State s = m.random_state(seed);
    expect_laws(m, s);
    expect_numeric_path(m, s);
    const NumericResult n = solve_numerically(m.model, m.topology.is_cut, s.t, m.values(s));
    EXPECT_LT(n.linear_rate.norm(), 1e-9 * (1 + n.linear.norm()));
    EXPECT_LT(n.angular_rate.norm(), 1e-9 * (1 + n.angular.norm()));
}

INSTANTIATE_TEST_SUITE_P(Of, BeamRows, ::testing::Range<std::uint64_t>(0, 12));

// -------------------------------------------------------------------------------------------------- beams among everything else

void expect_everything(const std::string& text, std::uint64_t seed) {
    const Mechanism m(read_model(text));
    const State s = m.random_state(seed);
    if (::testing::Test::HasFailure()) return;
    expect_laws(m, s);
    expect_numeric_path(m, s);
    expect_formulations_agree(m, s);
}

/// Wheels that spin, as a state and as given, beside panels that bend and twist; a tank on a slide.
constexpr const char* satellite = R"toml(
format = 1
[parameters]
tau = 0.1
[[body]]
name = "hub"
mass = 3
inertia = [0.5, 0.6, 0.7, 0.01, 0.02, 0.03]
com = [0.01, 0.02, 0.03]
rotor = [ { axis = [1, 2, 2], inertia = 0.02, torque = "tau*sin(t)" }, { axis = "z", inertia = 0.01, speed = 20 } ]
[[body]]
name = "left"
type = "beam"
length = 2
mass_per_length = 0.3
bending = { y = 4, z = 2 }
torsion = 1
torsion_inertia = 0.02
damping = 0.01
shapes = { y = { family = "clamped-free" }, z = { family = "clamped-free", count = 2 }, twist = { family = "clamped-free" } }
[[body]]
name = "right"
type = "beam"
length = 2
mass_per_length = 0.3
bending = { z = 2 }
rotary = 0.01
frame = "mean"
shapes = { z = { family = "free-free", count = 2 } }
[[body]]
name = "tank"
mass = 0.5
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "hub"
[[joint]]
name = "a"
type = "weld"
parent = "hub"
parent_at = [0.3, 0, 0]
child = "left"
[[joint]]
name = "b"
type = "revolute"
axis = "y"
stiffness = 3
damping = 0.1
parent = "hub"
parent_at = [-0.3, 0, 0]
parent_axes = { rotate = ["z"], by = ["pi"] }
child = "right"
child_at = { at = 0 }
[[joint]]
name = "c"
type = "prismatic"
axis = "y"
parent = "left"
parent_at = { at = 1.5, offset = [0, 0, 0.1] }
child = "tank"
stiffness = 10
)toml";
TEST(BeamsAmongOthers, OnASatelliteWithWheels) { expect_everything(satellite, 5); }

constexpr const char* arm_with_rows = R"toml(
format = 1
gravity = [0, -9.81, 1]
[[body]]
name = "arm"
type = "beam"
length = 1
mass_per_length = 1
bending = { y = 4, z = 3 }
shapes = { y = { family = "clamped-free", count = 2 }, z = { family = "polynomial" } }
points = { mid = { at = 0.5, offset = [0, 0.1, 0] } }
[[body]]
name = "wheel"
mass = 0.5
inertia = [0.01, 0.01, 0.02]
[[joint]]
name = "base"
type = "gimbal"
parent = "ground"
child = "arm"
[[joint]]
name = "axle"
type = "revolute"
parent = "arm"
parent_at = "tip"
child = "wheel"
)toml";
/// Rows, gears and motors that know of elastic coordinates and speeds.
TEST(BeamsAmongOthers, InConstraintsGearsAndForces) {
    expect_everything(std::string(arm_with_rows) + R"toml(
[[constraint]]
name = "tie"
holonomic = "arm.y2 - 0.1*sin(base.1) + arm.y1^2"
[[gear]]
name = "mesh"
drive = "axle"
driven = "arm.z1"
ratio = 3
[[torque]]
name = "motor"
on = "arm.tip"
vector = ["arm.y1", "-2*arm.z1'", 1]
[[force]]
name = "wind"
on = "arm.mid"
vector = ["-arm.y1'", 1, 2]
)toml",
                      6);
}

TEST(BeamsAmongOthers, WithTheirMovingCentre) {
    for (const char* const frame : {"tangent", "chord", "mean"}) {
        const std::string family = std::string(frame) == "tangent" ? "clamped-free"
                                   : std::string(frame) == "chord" ? "pinned-pinned"
                                                                   : "free-free";
        expect_everything(R"toml(
format = 1
gravity = [0, -9.81, 1]
[[body]]
name = "arm"
type = "beam"
length = 1
pieces = [ { to = 0.4, mass_per_length = 2 }, { to = 1, mass_per_length = 1 } ]
bending = { y = 4, z = 3 }
rigid = { start = 0.1, start_mass = 0.3, end = 0.1 }
masses = [ { at = 1, mass = 0.3 }, { at = 0.5, mass = 0.2 } ]
shapes = { family = ")toml" + family +
                              "\", count = 1 }\nframe = \"" + frame + R"toml("
[[joint]]
name = "base"
type = "gimbal"
parent = "ground"
child = "arm"
[[output]]
name = "centre"
acceleration = "arm.com_now"
[[output]]
name = "rest"
acceleration = "arm.com"
)toml",
                          7);
    }
}

TEST(BeamsAmongOthers, WithSpeedsOfTheUser) {
    const Mechanism natural{read_model(arm_with_rows)};
    const Mechanism chosen{read_model(std::string(arm_with_rows) + R"toml(
[speeds]
p = "base.1' + 0.3*arm.y1'"
r = "base.2'*(1 + arm.y1^2)"
)toml")};
    const State s = natural.random_state(9);
    NamedValues values = natural.values(s);
    values["p"] = values["base.1'"] + 0.3 * values["arm.y1'"];
    values["r"] = values["base.2'"] * (1 + values["arm.y1"] * values["arm.y1"]);
    const State t = chosen.state(values, s.t);
    expect_same(physics(natural, s), physics(chosen, t), 1e-9);
    expect_laws(chosen, t);
}

// -------------------------------------------------------------------------------------------------- second order

class SecondOrder : public ::testing::TestWithParam<std::tuple<JointType, Place>> {
protected:
    static std::uint64_t seed() {
        const auto [type, place] = GetParam();
        return 5000 + 100 * static_cast<std::uint64_t>(type) + static_cast<std::uint64_t>(place);
    }
    static Mechanism make(model::BeamOrder order, bool is_bare) {
        const auto [type, place] = GetParam();
        return Mechanism(Maker(seed()).make(type, place, {.order = order, .is_bare = is_bare}));
    }
    static State small_state(const Mechanism& m) { return little_bent(m, seed()); }
};

TEST_P(SecondOrder, KeepsTheLaws) {
    const Mechanism m = make(model::BeamOrder::second, false);
    const State s = small_state(m);
    if (HasFailure()) return;
    expect_laws(m, s);
    expect_formulations_agree(m, s);
}

/// Along elastic coordinates and speeds that shrink together, M and f of the whole energy are series; cut, they are those of second order.
TEST_P(SecondOrder, IsTheTaylorPolynomial) {
    const Mechanism all = make(model::BeamOrder::all, true), second = make(model::BeamOrder::second, true);
    const std::set<std::string> elastic = elastic_names(all.model);
    State s = small_state(second);
    const auto scaled = [&](double by) {
        State x = s;
        for (std::size_t i = 0; i < all.equations.q.size(); ++i)
            x.q[static_cast<Eigen::Index>(i)] *= elastic.contains(all.equations.q[i].symbol().name) ? by : 1;
        for (std::size_t i = 0; i < all.equations.u.size(); ++i)
            x.u[static_cast<Eigen::Index>(i)] *= elastic.contains(all.equations.u[i].symbol().name) ? by : 1;
        return x;
    };
    constexpr int nodes = 14;
    const Eigen::Index n = s.u.size();
    MatrixXd V(nodes, nodes), samples(nodes, n * n + n);
    for (int i = 0; i < nodes; ++i) {
        const double by = std::cos(std::numbers::pi * (i + 0.5) / nodes);
        for (int k = 0; k < nodes; ++k) V(i, k) = std::pow(by, k);
        const Evaluation e = all.evaluate(scaled(by));
        samples.row(i).head(n * n) = Eigen::Map<const VectorXd>(e.dynamics.M.data(), n * n).transpose();
        samples.row(i).tail(n) = e.dynamics.f.transpose();
    }
    const MatrixXd series = V.fullPivLu().solve(samples);
    const Evaluation e = second.evaluate(s);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto is_elastic = [&](Eigen::Index k) {
            return elastic.contains(all.equations.u[static_cast<std::size_t>(k)].symbol().name);
        };
        const int degree = is_elastic(i) ? 1 : 2;
        EXPECT_NEAR(e.dynamics.f[i], series.col(n * n + i).head(degree + 1).sum(), 1e-8 * (1 + e.dynamics.f.cwiseAbs().maxCoeff()))
            << "f " << i;
        for (Eigen::Index j = 0; j < n; ++j) {
            const int kept = degree - (is_elastic(j) ? 1 : 0);
            EXPECT_NEAR(e.dynamics.M(i, j), series.col(j * n + i).head(kept + 1).sum(), 1e-8 * (1 + e.dynamics.M.cwiseAbs().maxCoeff()))
                << i << " " << j;
        }
    }
}

/// What acts is not cut: it differs from nothing acting as it does with all orders.
TEST_P(SecondOrder, LeavesForcesWhole) {
    const Mechanism all = make(model::BeamOrder::all, false), second = make(model::BeamOrder::second, false);
    const Mechanism all_bare = make(model::BeamOrder::all, true), second_bare = make(model::BeamOrder::second, true);
    const State s = small_state(second_bare);
    if (!second.model.motions.empty()) return;  // a motion that is given is not there in the bare one
    const NamedValues values = second_bare.values(s);
    const auto f = [&](const Mechanism& m) { return m.evaluate(m.state(values, s.t)).dynamics.f; };
    EXPECT_LT(gap(f(all) - f(all_bare), f(second) - f(second_bare)), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Of, SecondOrder,
    ::testing::Combine(::testing::Values(JointType::revolute, JointType::spherical, JointType::prismatic),
                       ::testing::Values(Place::on_middle, Place::on_tip, Place::by_root, Place::by_tip, Place::floating)),
    [](const auto& p) { return name_of(std::get<0>(p.param)) + place_names[static_cast<std::size_t>(std::get<1>(p.param))]; });

TEST(SecondOrderLoops, KeepTheLaws) {
    for (const Place place : {Place::cut_tip, Place::cut_middle, Place::rod}) {
        const Mechanism m(
            Maker(40 + static_cast<std::uint64_t>(place)).make(JointType::spherical, place, {.order = model::BeamOrder::second}));
        Random random(3);
        std::vector<numeric::Wanted> wanted;  // loops are closed by joints, not by bending beams
        for (const Expr& q : m.equations.q) {
            const bool is_elastic = q.symbol().name.starts_with("arm.");
            wanted.push_back({q.symbol().name, q, is_elastic ? random.real(-0.01, 0.01) : random.real(-0.3, 0.3), is_elastic, false});
        }
        for (const auto& e : m.equations.quaternions) wanted[e[0]].value += 1;
        for (const Expr& u : m.equations.u) wanted.push_back({u.symbol().name, u, random.real(-1, 1), false, true});
        const numeric::AssembledState assembled = numeric::assemble(*m.numbers, wanted, 0.3);
        ASSERT_TRUE(assembled.is_ok()) << assembled.why;
        const State& s = assembled.state;
        expect_laws(m, s);
        expect_formulations_agree(m, s);
    }
}

// -------------------------------------------------------------------------------------------------- proofs

class ProvedBeams : public ::testing::TestWithParam<std::tuple<JointType, Place>> {};

TEST_P(ProvedBeams, AreTheSameInEveryFormulation) {
    const auto [type, place] = GetParam();
    const Model model = Maker(9000 + static_cast<std::uint64_t>(place)).make(type, place, {.most_shapes = 1});
    const topology::Analysis analysis = topology::analyse(model);
    ASSERT_TRUE(analysis.topology);
    const proof::Certificate certificate = proof::prove(
        model, *analysis.topology, {.seed = 1, .patience = std::chrono::milliseconds(0), .reading = std::chrono::milliseconds(0)});
    std::size_t formulations = 0;
    for (const proof::Pair& pair : certificate.pairs) {
        SCOPED_TRACE(pair.a + " = " + pair.b + ": " + pair.why);
        EXPECT_NE(pair.verdict, sym::Verdict::different);
        if (pair.b.ends_with("program")) continue;  // it rounds below a root: springs have lengths
        EXPECT_EQ(pair.verdict, sym::Verdict::equal);
        EXPECT_EQ(pair.numeric, 0U);
        ++formulations;
    }
    EXPECT_GE(formulations, 2U);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ProvedBeams,
    ::testing::Combine(::testing::Values(JointType::revolute, JointType::spherical),
                       ::testing::Values(Place::on_middle, Place::on_tip, Place::by_tip, Place::floating, Place::cut_tip)),
    [](const auto& p) { return name_of(std::get<0>(p.param)) + place_names[static_cast<std::size_t>(std::get<1>(p.param))]; });

}  // namespace
}  // namespace linkwright::laws
