// What moves inside a body shows formulations several faces: energy, momentum, wrench and force, columns of the mass matrix. Here they
// are held together, for the kinds there are and for one that is in no model file: a bead that slides in the body on a spring,
// which has a coordinate, moves the centre of mass and is felt by every term. It is also compared with the same bead as a body
// on a prismatic joint.

#include <gtest/gtest.h>

#include "laws/mechanism.hpp"
#include "linkwright/formulation/lagrange/lagrange.hpp"
#include "linkwright/kinematics/elastic.hpp"
#include "linkwright/kinematics/rotor.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::laws {
namespace {

using kinematics::Contribution;
using spatial::Mat3;
using spatial::Twist;
using spatial::Vec3;
using spatial::Wrench;
using sym::Expr;
using sym::Rational;

/// A bead of mass m at r = r₀ + y a of the body, y under a spring and a damper.
class Bead final : public Contribution {
public:
    Bead(Expr mass, const Vec3& from, const Vec3& along, const Expr& y, const Expr& u, Expr stiffness, Expr damping)
        : Contribution({{u, y}}),
          m_(std::move(mass)),
          k_(std::move(stiffness)),
          c_(std::move(damping)),
          y_(y),
          u_(u),
          a_(along),
          r_(from + y * along) {}

    std::string_view plural() const override { return "beads"; }
    spatial::Inertia locked_inertia() const override { return spatial::inertia_about_origin(m_, r_, Mat3{}); }
    Expr twice_kinetic_energy(const Twist& V) const override { return m_ * u_ * (u_ + 2 * dot(a_, V.v + cross(V.w, r_))); }
    Expr potential() const override { return k_ * y_ * y_ / 2; }
    Wrench momentum() const override { return {(m_ * u_) * cross(r_, a_), (m_ * u_) * a_}; }
    Wrench momentum_rate(const Twist& V) const override {
        const Vec3 f = (m_ * u_) * cross(V.w, a_);
        return {(m_ * u_) * cross(a_, V.v + cross(V.w, r_)) + cross(r_, f), f};
    }
    Wrench inertial_wrench(const Twist& V, std::span<const Expr> wdot) const override {
        const Vec3 f = m_ * (2 * u_ * cross(V.w, a_) + wdot[0] * a_);  // Coriolis
        return {cross(r_, f), f};
    }
    Expr inertia_force(std::size_t, const Twist& V, const Twist& A, std::span<const Expr> wdot) const override {
        return m_ * (dot(a_, A.v + cross(V.w, V.v) + cross(A.w, r_) + cross(V.w, cross(V.w, r_))) + wdot[0]);
    }
    Expr load(std::size_t) const override { return -c_ * u_; }
    Wrench partial_momentum(std::size_t) const override { return {m_ * cross(r_, a_), m_ * a_}; }
    Expr coupling(std::size_t, const Twist& S) const override { return m_ * dot(a_, S.v + cross(S.w, r_)); }
    Expr inertia(std::size_t, std::size_t) const override { return m_; }

private:
    Expr m_, k_, c_, y_, u_;
    Vec3 a_, r_;
};

void expect_equal(const Expr& a, const Expr& b, const char* what) { EXPECT_EQ(equal(a, b), sym::Verdict::equal) << what; }
void expect_equal(const Vec3& a, const Vec3& b, const char* what) {
    for (std::size_t k = 0; k < 3; ++k) expect_equal(a[k], b[k], what);
}
void expect_equal(const Wrench& a, const Wrench& b, const char* what) {
    expect_equal(a.t, b.t, what);
    expect_equal(a.f, b.f, what);
}

/// The frame of a body that moves in every way, seen from inside it: V changes by A.
struct Frame {
    Twist V, A;
    std::vector<sym::Binding> rates;

    explicit Frame(sym::Pool& pool, const Expr& t) : rates{{t, Expr(1)}} {
        const auto name = [&](const std::string& speed, Expr& velocity, Expr& acceleration) {
            velocity = pool.symbol(speed, sym::Role::speed);
            acceleration = pool.symbol(speed + "'", sym::Role::acceleration);
            rates.emplace_back(velocity, acceleration);
        };
        for (std::size_t k = 0; k < 3; ++k) {
            name(std::string("w") + "xyz"[k], V.w[k], A.w[k]);
            name(std::string("v") + "xyz"[k], V.v[k], A.v[k]);
        }
    }
};

Wrench along_motion(sym::Tangent& rate, const Wrench& L) {
    const auto of = [&](const Vec3& v) { return Vec3{{rate(v[0]), rate(v[1]), rate(v[2])}}; };
    return {of(L.t), of(L.f)};
}
Wrench by_velocity(const Expr& e, const Twist& V) {
    const std::vector<Expr> g = gradient(e, std::vector<Expr>{V.w[0], V.w[1], V.w[2], V.v[0], V.v[1], V.v[2]});
    return {Vec3{{g[0], g[1], g[2]}}, Vec3{{g[3], g[4], g[5]}}};
}

/// Every face against the kinetic energy, and the energy against the power of all forces.
void expect_faces_agree(const Contribution& c, sym::Pool& pool, const Expr& t) {
    Frame frame(pool, t);
    const auto& [V, A, moving] = frame;
    std::vector<sym::Binding> at_rest = {{t, Expr(1)}}, all = moving;  // V and w constant, and not
    std::vector<Expr> wdot;
    for (const kinematics::OwnFreedom& own : c.freedoms()) {
        wdot.push_back(pool.symbol(own.u.symbol().name + "'", sym::Role::acceleration));
        all.emplace_back(own.u, wdot.back());
        if (own.q) all.emplace_back(*own.q, own.u), at_rest.emplace_back(*own.q, own.u);
    }
    sym::Tangent rate(all), rate_at_rest(at_rest);
    const spatial::Inertia I = c.locked_inertia();
    const Expr T = (dot(V, I * V) + c.twice_kinetic_energy(V)) / 2;
    const Wrench L = I * V + c.momentum();

    expect_equal(by_velocity(T, V), L, "dT/dV is the momentum");
    expect_equal(along_motion(rate_at_rest, L), c.momentum_rate(V), "momentum_rate is the rate at V' = 0, w' = 0");
    const Wrench locked = I * A + kinematics::cross_force(V, I * V), own = c.inertial_wrench(V, wdot);
    expect_equal(along_motion(rate, L) + kinematics::cross_force(V, L), locked + own, "the wrench is the rate of the momentum");

    Expr power = dot(V, locked + own);
    for (std::size_t k = 0; k < c.freedoms().size(); ++k) {
        const auto& [u, q] = c.freedoms()[k];
        const Expr p = derivative(T, u), force = c.inertia_force(k, V, A, wdot);
        expect_equal(rate(p) - (q ? derivative(T, *q) : Expr(0)), force, "the own row is Lagrange's");
        expect_equal(by_velocity(p, V), c.partial_momentum(k), "partial_momentum");
        expect_equal(dot(V, c.partial_momentum(k)), c.coupling(k, V), "coupling");
        for (std::size_t l = 0; l < c.freedoms().size(); ++l) {
            expect_equal(derivative(p, c.freedoms()[l].u), c.inertia(k, l), "inertia");
        }
        power += u * force;
    }
    if (c.has_motor()) power += c.motor_power(A);
    expect_equal(rate(T), power, "dT/dt is the power");

    if (const auto given = c.given_momentum(V)) {
        EXPECT_TRUE(c.freedoms().empty());
        const Wrench met = by_velocity(given->along, V), h = c.momentum();
        expect_equal({given->momentum * met.t, given->momentum * met.f}, h, "the momentum of what is held");
    }
}

struct Symbols {
    sym::Pool pool;
    sym::PoolScope scope{pool};
    Expr t = pool.symbol("t", sym::Role::time);
    Expr parameter(const char* name) { return pool.symbol(name, sym::Role::parameter); }
    Vec3 vector(const std::string& name) {
        return {{parameter((name + "1").c_str()), parameter((name + "2").c_str()), parameter((name + "3").c_str())}};
    }
};

TEST(Contribution, FacesOfARotor) {
    Symbols s;
    model::Rotor rotor{s.vector("a"), s.parameter("J"), {}, {}, {}, {}};  // a unit axis is not needed for any of this
    rotor.torque = s.parameter("tau");
    rotor.spin = s.pool.symbol("body.rotor", sym::Role::speed);
    expect_faces_agree(kinematics::Rotor(rotor, s.t), s.pool, s.t);
}

TEST(Contribution, FacesOfAHeldRotor) {
    Symbols s;
    model::Rotor rotor{s.vector("a"), s.parameter("J"), s.parameter("n") + sin(3 * s.t), {}, {}, {}};
    const kinematics::Rotor held(rotor, s.t);
    EXPECT_TRUE(held.has_motor());
    EXPECT_TRUE(held.given_momentum({}).has_value());
    expect_faces_agree(held, s.pool, s.t);
}

TEST(Contribution, FacesOfABead) {
    Symbols s;
    const Expr y = s.pool.symbol("y", sym::Role::coordinate), u = s.pool.symbol("y'", sym::Role::speed);
    const Vec3 along{{0, Rational(3, 5), Rational(4, 5)}};
    expect_faces_agree(Bead(s.parameter("m"), s.vector("r"), along, y, u, s.parameter("k"), s.parameter("c")), s.pool, s.t);
}

/// A beam whose integrals are symbols: y twice, z, stretch and twist; shortened by what bends, its sections turning about all axes.
struct SymbolicBeam {
    model::Elastic e;

    explicit SymbolicBeam(Symbols& s) {
        const std::array names{"y1", "y2", "z1", "x1", "twist1"};
        for (const char* name : names) {
            e.coordinates.push_back(s.pool.symbol(name, sym::Role::coordinate));
            e.speeds.push_back(s.pool.symbol(std::string(name) + "'", sym::Role::speed));
        }
        e.terms = {{.axis = 0},
                   {.axis = 1, .factors = {0}},
                   {.axis = 1, .factors = {1}},
                   {.axis = 2, .factors = {2}},
                   {.axis = 0, .factors = {3}}};
        for (const auto& [k, l] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 1), std::pair(2, 2)}) {
            e.terms.push_back({.axis = 0,
                               .factors = {static_cast<std::size_t>(k), static_cast<std::size_t>(l)},
                               .coefficient = k == l ? Expr(Rational(-1, 2)) : Expr(-1)});
        }
        const std::size_t n = e.terms.size(), q = e.coordinates.size();
        const auto symbol = [&](const std::string& kind, std::size_t a, std::size_t b) {
            return s.parameter((kind + std::to_string(std::min(a, b)) + "_" + std::to_string(std::max(a, b))).c_str());
        };
        e.mass = s.parameter("m");
        e.second = sym::zeros(n, n), e.stiffness = e.damping = sym::zeros(q, q);
        for (std::size_t a = 0; a < n; ++a) {
            e.first.push_back(symbol("S", a, a));
            for (std::size_t b = 0; b < n; ++b) e.second[a][b] = symbol("G", a, b);
        }
        for (std::size_t k = 0; k < q; ++k) {
            for (std::size_t l = 0; l < q; ++l) e.stiffness[k][l] = symbol("K", k, l), e.damping[k][l] = symbol("C", k, l);
        }
        for (const auto& [axis, of] : {std::pair(0, std::vector<std::size_t>{4}), std::pair(2, std::vector<std::size_t>{0, 1}),
                                       std::pair(1, std::vector<std::size_t>{2})}) {
            const std::string name = "J" + std::to_string(axis) + "_";
            model::ElasticSpin spin{.axis = static_cast<std::size_t>(axis),
                                    .inertia = s.parameter(name.c_str()),
                                    .first = std::vector<Expr>(q),
                                    .second = sym::zeros(q, q)};
            for (const std::size_t k : of) {
                spin.first[k] = symbol(name + "first", k, k);
                for (const std::size_t l : of) spin.second[k][l] = symbol(name, k, l);
            }
            e.spins.push_back(std::move(spin));
        }
    }
};

TEST(Contribution, FacesOfABeam) {
    Symbols s;
    const SymbolicBeam beam(s);
    const kinematics::Elastic elastic(beam.e);
    expect_faces_agree(elastic, s.pool, s.t);
    EXPECT_TRUE(elastic.moves_mass());
    EXPECT_FALSE(elastic.has_motor());
    Expr potential = 0;
    for (std::size_t k = 0; k < beam.e.speeds.size(); ++k) {
        Expr load = 0;
        for (std::size_t l = 0; l < beam.e.speeds.size(); ++l) {
            load -= beam.e.damping[k][l] * beam.e.speeds[l];
            potential += beam.e.stiffness[k][l] * beam.e.coordinates[k] * beam.e.coordinates[l] / 2;
        }
        expect_equal(elastic.load(k), load, "damping");
    }
    expect_equal(elastic.potential(), potential, "potential");
}

/// The kinetic energy is that of three particles that move as the terms say, when the integrals are those of three particles.
TEST(Contribution, ABeamOfThreeParticles) {
    Symbols s;
    SymbolicBeam beam(s);
    model::Elastic& e = beam.e;
    e.spins.clear();
    const std::size_t n = e.terms.size(), particles = 3;
    std::vector<Expr> mass;
    std::vector<std::vector<Expr>> g(particles);
    for (std::size_t p = 0; p < particles; ++p) {
        mass.push_back(s.parameter(("m" + std::to_string(p)).c_str()));
        for (std::size_t a = 0; a < n; ++a) g[p].push_back(s.parameter(("g" + std::to_string(p) + "_" + std::to_string(a)).c_str()));
    }
    e.mass = mass[0] + mass[1] + mass[2];
    e.first.assign(n, Expr(0)), e.second = sym::zeros(n, n);
    for (std::size_t p = 0; p < particles; ++p) {
        for (std::size_t a = 0; a < n; ++a) {
            e.first[a] += mass[p] * g[p][a];
            for (std::size_t b = 0; b < n; ++b) e.second[a][b] += mass[p] * g[p][a] * g[p][b];
        }
    }
    const kinematics::Elastic elastic(e);
    const Frame frame(s.pool, s.t);
    std::vector<sym::Binding> own;
    for (std::size_t k = 0; k < e.coordinates.size(); ++k) own.emplace_back(e.coordinates[k], e.speeds[k]);
    sym::Tangent rate(own);
    Expr twice = 0;
    Wrench L;
    for (std::size_t p = 0; p < particles; ++p) {
        Vec3 r;
        for (std::size_t a = 0; a < n; ++a) {
            Expr x = e.terms[a].coefficient * g[p][a];
            for (const std::size_t k : e.terms[a].factors) x = x * e.coordinates[k];
            r[e.terms[a].axis] += x;
        }
        const Vec3 v = frame.V.v + cross(frame.V.w, r) + Vec3{{rate(r[0]), rate(r[1]), rate(r[2])}};
        twice += mass[p] * dot(v, v);
        L += Wrench{mass[p] * cross(r, v), mass[p] * v};
    }
    expect_equal(dot(frame.V, elastic.locked_inertia() * frame.V) + elastic.twice_kinetic_energy(frame.V), twice, "kinetic energy");
    expect_equal(elastic.locked_inertia() * frame.V + elastic.momentum(), L, "momentum");
}

const char* const arm_and_hand = R"toml(
format = 1
gravity = [0, -9.81, 1]
[parameters]
m = 0.7
k = 30
c = 0.2
[[body]]
name = "arm"
mass = 1
inertia = [0.2, 0.22, 0.25, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
rotor = { axis = [1, 2, 2], inertia = 0.01, speed = 40 }
[[body]]
name = "hand"
mass = 2
inertia = [0.3, 0.25, 0.2, 0.01, 0.02, -0.03]
com = [0.2, 0.1, 0.1]
[[joint]]
name = "shoulder"
type = "gimbal"
parent = "ground"
child = "arm"
[[joint]]
name = "elbow"
type = "revolute"
parent = "arm"
parent_at = [0.5, 0, 0.1]
child = "hand"
axis = [0, 1, 1]
damping = 0.3
[[output]]
name = "bearing"
reaction = "shoulder"
)toml";
const char* const bead_on_a_joint = R"toml(
[[body]]
name = "bead"
mass = "m"
[[joint]]
name = "slide"
type = "prismatic"
parent = "arm"
parent_at = [0.1, 0.2, 0.3]
child = "bead"
axis = [0, 3, 4]
stiffness = "k"
damping = "c"
)toml";

struct WithBead {
    Model model = read_model(arm_and_hand);
    topology::Topology topology = *topology::analyse(model).topology;

    formulation::System system() const {
        sym::Pool& pool = *model.pool;
        kinematics::Contributions inside = kinematics::contributions(model);
        const auto parameter = [&](const char* name) { return pool.symbol(name, sym::Role::parameter); };
        inside[*model::find_body(model, "arm")].push_back(std::make_shared<Bead>(
            parameter("m"), Vec3{{Rational(1, 10), Rational(1, 5), Rational(3, 10)}}, Vec3{{0, Rational(3, 5), Rational(4, 5)}},
            pool.symbol("slide", sym::Role::coordinate), pool.symbol("slide'", sym::Role::speed), parameter("k"), parameter("c")));
        return formulation::set_up(model, topology, std::move(inside));
    }
};

TEST(Contribution, ABeadInABodyIsABeadOnAJoint) {
    const WithBead one;
    const Mechanism other(read_model(std::string(arm_and_hand) + bead_on_a_joint));
    const sym::PoolScope scope(*one.model.pool);
    formulation::System system = one.system();
    const formulation::Derived derived = finish(system, formulation::kane::equations(system), "kane", {});
    ASSERT_TRUE(derived.equations);
    const eom::EquationsOfMotion &a = *derived.equations, &b = other.equations;
    ASSERT_EQ(a.u.size(), 5U);
    ASSERT_EQ(b.u.size(), 5U);
    sym::Pool desk;
    const sym::PoolScope there(desk);
    sym::Transplant from_a(desk), from_b(desk);
    const auto compare = [&](const Expr& x, const Expr& y, const std::string& what) { expect_equal(from_a(x), from_b(y), what.c_str()); };
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(a.u[i].symbol().name, b.u[i].symbol().name);
        compare(a.f[i], b.f[i], "f of " + a.u[i].symbol().name);
        for (std::size_t j = 0; j < 5; ++j) compare(a.M[i][j], b.M[i][j], "M of " + a.u[i].symbol().name + ", " + a.u[j].symbol().name);
    }
    compare(a.energy.kinetic, b.energy.kinetic, "kinetic energy");
    compare(a.energy.potential, b.energy.potential, "potential");
    compare(a.power, b.power, "power");
    for (std::size_t k = 0; k < 3; ++k) {
        compare(a.momentum.linear[k], b.momentum.linear[k], "momentum");
        compare(a.momentum.angular[k], b.momentum.angular[k], "angular momentum");
    }
    std::size_t outputs = 0;
    for (const eom::Output& x : a.outputs) {
        for (const eom::Output& y : b.outputs) {
            if (x.name == y.name && x.name.starts_with("bearing.")) compare(x.value, y.value, x.name), ++outputs;
        }
    }
    EXPECT_EQ(outputs, 6U);
}

TEST(Contribution, KaneAndLagrangeAgreeAboutABead) {
    const WithBead bead;
    const sym::PoolScope scope(*bead.model.pool);
    const formulation::System system = bead.system();
    const formulation::FormulatedEquations kane = formulation::kane::equations(system);
    for (const auto way : {formulation::lagrange::VelocityTerms::symbols, formulation::lagrange::VelocityTerms::gradients}) {
        const formulation::FormulatedEquations lagrange = formulation::lagrange::equations(system, way);
        ASSERT_EQ(kane.f.size(), 5U);
        for (std::size_t i = 0; i < 5; ++i) {
            expect_equal(kane.f[i], lagrange.f[i], "f");
            for (std::size_t j = 0; j < 5; ++j) expect_equal(kane.M[i][j], lagrange.M[i][j], "M");
        }
    }
}

const char* const two_fingers = R"toml(
format = 1
gravity = [0, -9.81, 1]
[[body]]
name = "arm"
mass = 1
inertia = [0.2, 0.22, 0.25, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "left"
mass = 2
inertia = [0.3, 0.25, 0.2, 0.01, 0.02, -0.03]
com = [0.2, 0.1, 0.1]
[[body]]
name = "right"
mass = 0.5
inertia = [0.03, 0.05, 0.04]
com = [0.1, 0.3, 0]
[[joint]]
name = "shoulder"
type = "gimbal"
parent = "ground"
child = "arm"
[[joint]]
name = "a"
type = "revolute"
parent = "arm"
parent_at = [0.5, 0, 0.1]
child = "left"
axis = [0, 1, 1]
[[joint]]
name = "b"
type = "prismatic"
parent = "arm"
parent_at = [0.5, 0.3, 0]
child = "right"
axis = [2, 1, 2]
)toml";

/// A freedom inside a body moves all that is hinged to it. Here one speed serves two joints, b = a; with u = B s and B constant
/// that is BᵀMB and Bᵀf of the mechanism where both are free.
TEST(Contribution, OneFreedomAtTwoHinges) {
    const Model model = read_model(two_fingers);
    const topology::Topology topology = *topology::analyse(model).topology;
    const sym::PoolScope scope(*model.pool);
    const formulation::System free = formulation::set_up(model, topology);
    const formulation::FormulatedEquations apart = formulation::kane::equations(free);
    const auto& freedoms = free.mechanism.freedoms;
    ASSERT_EQ(freedoms.size(), 5U);
    ASSERT_EQ(freedoms[3].u.symbol().name, "a'");
    const Expr a = model.joints[1].coordinates[0], b = model.joints[2].coordinates[0];
    sym::Substitution tie({{b, a}, {freedoms[4].u, freedoms[3].u}});
    const auto vector = [&](const Vec3& v) { return Vec3{{tie(v[0]), tie(v[1]), tie(v[2])}}; };
    const auto twist = [&](const Twist& V) { return Twist{vector(V.w), vector(V.v)}; };

    formulation::System tied = free;
    kinematics::Mechanism& m = tied.mechanism;
    std::erase_if(m.coordinates, [&](const kinematics::Coordinate& c) { return c.q == b; });
    m.freedoms.pop_back();
    tied.loads.tau.pop_back();
    for (std::size_t body = 1; body < m.X_W.size(); ++body) {
        for (spatial::Pose* X : {&m.X_W[body], &m.X_inner[body]}) {
            Mat3 R = X->R.matrix();
            for (auto& row : R.e) {
                for (Expr& x : row) x = tie(x);
            }
            *X = {spatial::Rotation(R), vector(X->p)};
        }
        m.V[body] = twist(m.V[body]);
        m.V_joint[body] = twist(m.V_joint[body]);
        for (kinematics::Column& column : m.across[body]) column = {std::min<std::size_t>(column.freedom, 3), twist(column.S)};
        for (std::size_t& i : m.freedoms_of[body]) i = std::min<std::size_t>(i, 3);
    }
    const auto expect_tied = [&](const formulation::FormulatedEquations& raw, const char* what) {
        ASSERT_EQ(raw.f.size(), 4U);
        for (std::size_t i = 0; i < 4; ++i) {
            const auto row = [&](std::size_t r, std::size_t j) { return tie(apart.M[r][j]) + (j == 3 ? tie(apart.M[r][4]) : Expr(0)); };
            expect_equal(raw.f[i], tie(apart.f[i]) + (i == 3 ? tie(apart.f[4]) : Expr(0)), what);
            for (std::size_t j = 0; j < 4; ++j) expect_equal(raw.M[i][j], row(i, j) + (i == 3 ? row(4, j) : Expr(0)), what);
        }
    };
    expect_tied(formulation::kane::equations(tied), "kane");
    expect_tied(formulation::lagrange::equations(tied, formulation::lagrange::VelocityTerms::gradients), "lagrange, gradients");
    expect_tied(formulation::lagrange::equations(tied, formulation::lagrange::VelocityTerms::symbols), "lagrange, symbols");
}

}  // namespace
}  // namespace linkwright::laws
