// Roberson and Schwertassek's equations against Kane's, on every model that comes with the project and on random ones.

#include <chrono>

#include "agree/subject.hpp"
#include "linkwright/formulation/roberson_schwertassek/chords.hpp"
#include "linkwright/formulation/roberson_schwertassek/explain.hpp"
#include "linkwright/formulation/roberson_schwertassek/literal.hpp"
#include "linkwright/formulation/roberson_schwertassek/roberson_schwertassek.hpp"
#include "linkwright/formulation/roberson_schwertassek/state_space.hpp"
#include "linkwright/formulation/roberson_schwertassek/terms.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/substitute.hpp"
#include "support/beams.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

namespace rs = formulation::roberson_schwertassek;
using formulation::Twist;
using formulation::Wrench;
using model::BodyIndex;
using model::JointType;
using spatial::Vec3;

std::string name_of(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

topology::Topology tree_of(const model::Model& m) {
    topology::Analysis analysis = topology::analyse(m);
    if (!analysis.topology) throw std::runtime_error(analysis.problems.front().what);
    return std::move(*analysis.topology);
}

void expect_equal(const Expr& a, const Expr& b, const std::string& what) { EXPECT_EQ(sym::to_string(sym::equal(a, b)), "equal") << what; }
void expect_equal(const Vec3& a, const Vec3& b, const std::string& what) {
    for (std::size_t i = 0; i < 3; ++i) expect_equal(a[i], b[i], what + " " + "xyz"[i]);
}

/// M and f entry by entry, in a pool that folds nothing, at a point that built neither.
void expect_agreement(const model::Model& m) {
    const topology::Topology tree = tree_of(m);
    const formulation::Derived theirs = formulation::kane::derive(m, tree), ours = rs::derive(m, tree);
    ASSERT_EQ(theirs.equations.has_value(), ours.equations.has_value());
    if (!ours.equations) return;
    const EquationsOfMotion &k = *theirs.equations, &r = *ours.equations;
    EXPECT_EQ(r.formulation, "roberson_schwertassek");
    ASSERT_EQ(k.u.size(), r.u.size());
    ASSERT_EQ(k.constraints.size(), r.constraints.size());
    sym::Pool fresh({.fold = false, .seed = 1988});
    sym::Transplant from_k(fresh), from_r(fresh);  // each may have a pool of its own
    for (std::size_t i = 0; i < r.u.size(); ++i) {
        const std::string& at = k.u[i].symbol().name;
        expect_equal(from_k(k.f[i]), from_r(r.f[i]), "f " + at);
        for (std::size_t j = 0; j <= i; ++j) {
            EXPECT_EQ(r.M[i][j], r.M[j][i]);
            expect_equal(from_k(k.M[i][j]), from_r(r.M[i][j]), "M " + at + " " + k.u[j].symbol().name);
        }
    }
}

class RobersonSchwertassek : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(RobersonSchwertassek, AgreesWithKane) { expect_agreement(read(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Zoo, RobersonSchwertassek, ::testing::ValuesIn(without_beams(files("/models"))),
                         [](const auto& p) { return name_of(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, RobersonSchwertassek, ::testing::ValuesIn(files("/bench/models")),
                         [](const auto& p) { return name_of(p.param); });

// ----------------------------------------------------------------------------------------------------------- random models

/// Joints of every type, either way round; wheels held and free, given motions, springs, forces; `chords` joints too many.
model::Model random_mechanism(std::uint64_t seed, std::size_t bodies, std::size_t chords) {
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    static constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw,     JointType::cylindrical,
                                      JointType::universal, JointType::planar,    JointType::gimbal,    JointType::translation,
                                      JointType::spherical, JointType::free,      JointType::free_axes, JointType::weld,
                                      JointType::revolute};
    static constexpr std::array closing{JointType::spherical, JointType::revolute, JointType::cylindrical, JointType::universal,
                                        JointType::planar};
    const auto add_joint = [&](JointType type, const std::string& name, BodyIndex inner, BodyIndex outer, bool cut) {
        model::JointOptions o{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
        if (random.below(2) == 0) o.parent_axes = random.frame(m);
        if (random.below(2) == 0) o.child_axes = random.frame(m);
        if (type == JointType::universal)
            o.axes = random.orthogonal(2);
        else if (type == JointType::gimbal || type == JointType::free_axes)
            o.axes = random.orthogonal(3);
        else if (type == JointType::translation)
            o.axes = {*spatial::normalized({{1, 2, static_cast<int>(random.below(3))}}), spatial::unit(1)};
        else if (type == JointType::planar)
            o.axes = {spatial::unit(random.below(3))};
        else if (type != JointType::spherical && type != JointType::free && type != JointType::weld)
            o.axes = {random.direction()};
        if (type == JointType::screw) o.pitch = random.number(0.1, 0.5);
        if (type != JointType::weld && !cut) o.damping = {random.number(0, 1)};
        o.cut = cut;
        const bool is_reversed = random.below(2) == 0;
        return is_reversed ? model::joint(m, type, name, outer, inner, o) : model::joint(m, type, name, inner, outer, o);
    };
    for (std::size_t b = 1; b <= bodies; ++b) {
        const std::string name = std::to_string(b);
        model::BodyOptions body{.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)};
        if (random.below(3) == 0) {
            model::Rotor rotor{random.direction(), sym::Rational(1, 20), {}, {}, {}, {}};
            if (random.below(2) == 0)
                rotor.speed = 3 + sin(2 * m.t);
            else
                rotor.torque = random.number(-1, 1);
            body.rotors.push_back(rotor);
        }
        const BodyIndex outer = model::body(m, "b" + name, body), inner = random.below(3) == 0 ? random.below(outer) : outer - 1;
        const JointType type = types[random.below(types.size())];
        const std::size_t j = add_joint(type, "j" + name, inner, outer, false);
        if ((type == JointType::spherical || type == JointType::free) && random.below(3) == 0) {
            const Vec3 travel = type == JointType::free ? Vec3{{sin(m.t), m.t / 3, 0}} : Vec3{};
            m.joint_motions.push_back({j, travel, {spatial::unit(2), random.direction()}, {sin(2 * m.t), m.t / 2}, {}});
        }
        if (type == JointType::revolute && random.below(3) == 0) m.motions.push_back({m.joints[j].coordinates[0], sin(3 * m.t) / 2, {}});
    }
    for (std::size_t c = 1; c <= chords; ++c) {
        const BodyIndex from = random.below(bodies), to = from + 1 + random.below(bodies - from);
        add_joint(closing[random.below(closing.size())], "c" + std::to_string(c), from, to, true);
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    m.springs.push_back({"spring", point(), {bodies, random.vector(0.4), ""}, 3, sym::Rational(1, 10), sym::Rational(1, 2), 0, {}});
    m.forces.push_back({"force", point(), random.vector(2), bodies, {}, {}});
    return m;
}

std::uint64_t seeds() {
    const char* n = std::getenv("SEEDS");
    return n != nullptr ? std::strtoull(n, nullptr, 10) : 20;
}

class RobersonSchwertassekAtRandom : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RobersonSchwertassekAtRandom, TreesAgreeWithKane) { expect_agreement(random_mechanism(GetParam(), 3 + GetParam() % 4, 0)); }
TEST_P(RobersonSchwertassekAtRandom, LoopsAgreeWithKane) {
    expect_agreement(random_mechanism(GetParam() + 1000, 3 + GetParam() % 3, 1 + GetParam() % 2));
}
INSTANTIATE_TEST_SUITE_P(Seeds, RobersonSchwertassekAtRandom, ::testing::Range<std::uint64_t>(0, seeds()));

// ------------------------------------------------------------------------------------- sums accumulated and written out

void expect_equal(const Wrench& a, const Wrench& b, const std::string& what) {
    expect_equal(a.t, b.t, what + " torque");
    expect_equal(a.f, b.f, what + " force");
}

/// Every part of every body, every arc, every pair of modes.
void expect_sums_as_printed(const model::Model& m) {
    const topology::Topology tree = tree_of(m);
    const sym::PoolScope scope(*m.pool);
    const formulation::System s = formulation::set_up(m, tree);
    const rs::Terms t = rs::calc_terms(s);
    const rs::Literal l = rs::write_out(s, t);
    for (BodyIndex i = 1; i < t.bodies.size(); ++i) {
        const std::string& name = m.bodies[i].name;
        const rs::BodyTerms& b = t.bodies[i];
        const spatial::Rotation& A = s.mechanism.X_W[i].R;
        expect_equal(b.w, s.mechanism.V[i].w, "w " + name);
        expect_equal(A * b.Q_III, l.Q_III[i], "Q_III " + name);
        expect_equal(A * b.Q_IV, l.Q_IV[i], "Q_IV " + name);
        expect_equal(A * b.Q_V, l.Q_V[i], "Q_V " + name);
        EXPECT_TRUE(is_zero(b.Q_I)) << name;
        expect_equal(Wrench{A * b.Q_second.t, A * b.Q_second.f}, l.Q_second[i], "Q'' " + name);
        expect_equal(Wrench{A * b.Q_prime.t, A * b.Q_prime.f}, l.Q_prime[i], "Q' " + name);
        expect_equal(t.arcs[i].Q, l.Q[i], "Q " + name);
        // the way back to the ground: r = −Σ a_hat
        Vec3 r;
        for (BodyIndex k = 0; k < t.bodies.size(); ++k) r -= l.d[k][i];
        expect_equal(r, s.mechanism.X_W[i] * m.bodies[i].com, "r " + name);
    }
    const auto J = rs::generalized_inertia(s, t);
    for (BodyIndex a = 1; a < t.arcs.size(); ++a) {
        Wrench X = l.Q[a];
        for (BodyIndex b = 1; b < t.arcs.size(); ++b) {
            const rs::Blocks blocks = rs::inertia_between(s, t, l, a, b);
            X -= blocks * t.arcs[b].moving;
            for (std::size_t p = 0; p < t.arcs[a].phi.size(); ++p) {
                for (std::size_t r = 0; r < t.arcs[b].phi.size(); ++r) {
                    const Expr J_I = dot(t.arcs[a].phi[p], blocks * t.arcs[b].phi[r]);
                    expect_equal(J_I, J[t.arcs[a].freedoms[p]][t.arcs[b].freedoms[r]], "J_I " + m.bodies[a].name + " " + m.bodies[b].name);
                }
            }
        }
        expect_equal(X, t.arcs[a].X, "X " + m.bodies[a].name);
    }
}

TEST_P(RobersonSchwertassek, SumsAreThoseOfThePaper) {
    const model::Model m = read(GetParam());
    if (m.bodies.size() < 16) expect_sums_as_printed(m);
}
TEST_P(RobersonSchwertassekAtRandom, SumsAreThoseOfThePaper) { expect_sums_as_printed(random_mechanism(GetParam() + 500, 4, 0)); }

// ------------------------------------------------------------------------------------------------------------------ chords

/// (16): what moves across a chord is what its two bodies do; (15): its forces are −Gᵀλ of its rows.
void expect_consistency(const model::Model& m) {
    const topology::Topology tree = tree_of(m);
    const sym::PoolScope scope(*m.pool);
    const formulation::System s = formulation::set_up(m, tree);
    if (!s.problems.empty()) return;
    const rs::Terms t = rs::calc_terms(s);
    const auto W = rs::loop_transfers(s, t);
    const std::vector<Twist> G = rs::across_chords(t, W);
    ASSERT_EQ(G.size(), tree.chords.size());
    sym::Tangent rate(kinematics::rates(s.mechanism, false));
    for (std::size_t c = 0; c < G.size(); ++c) {
        const model::Joint& joint = m.joints[tree.chords[c]];
        const auto& X = s.mechanism.X_W;
        const Vec3 P = X[joint.child] * joint.child_at, at_parent = X[joint.parent].inverse() * P;
        const auto &V_child = s.mechanism.V[joint.child], &V_parent = s.mechanism.V[joint.parent];
        const spatial::Rotation R = X[joint.parent].R.inverse() * X[joint.child].R;
        expect_equal(G[c].w, R * V_child.w - V_parent.w, joint.name + " turning");
        expect_equal(G[c].v, R * (V_child.v + cross(V_child.w, joint.child_at)) - V_parent.v - cross(V_parent.w, at_parent),
                     joint.name + " sliding");
        for (const kinematics::Row& row : s.cut_joints[c].rows) {
            ASSERT_EQ(row.shares[0].body, joint.child);
            const Wrench& on = row.shares[0].on;  // child axes, about its origin; times −λ
            const Wrench L{R * (on.t - cross(joint.child_at, on.f)), R * on.f};
            const std::vector<Expr> f = rs::forces_of_chord(s, t, W, c, L);
            const Expr row_rate = rate(row.phi);
            if (joint.type != JointType::spherical) continue;  // its rows are three forces, everywhere
            // A row holds the parent's own point, and a chord acts at the child's: the same where the loop is closed.
            const spatial::Pose& X_parent = X[joint.parent];
            const Vec3 gap = P - X_parent * joint.parent_at;
            const Expr between = dot(X_parent.R * V_parent.w, cross(gap, X_parent.R * L.f));
            for (std::size_t i = 0; i < f.size(); ++i) {
                const Expr& u = s.mechanism.freedoms[i].u;
                expect_equal(f[i] + derivative(between, u), derivative(row_rate, u), row.name);
            }
        }
    }
}
TEST_P(RobersonSchwertassek, ChordsAreConsistent) { expect_consistency(read(GetParam())); }
TEST_P(RobersonSchwertassekAtRandom, ChordsAreConsistent) { expect_consistency(random_mechanism(GetParam() + 2000, 4, 2)); }

// ------------------------------------------------------------------------------------------------------------- state space

/// G B = 0 and G b = γ as functions, and the independent speeds are what they are called.
void expect_reduction(const EquationsOfMotion& e, const std::vector<std::size_t>& wanted = {}) {
    const rs::Reduced reduced = rs::reduce(e, wanted);
    if (!reduced.form) {
        EXPECT_FALSE(reduced.why_not.empty());
        return;
    }
    const rs::StateSpace& s = *reduced.form;
    const sym::PoolScope scope(*e.pool);
    ASSERT_EQ(s.independent.size() + s.dependent.size(), e.u.size());
    for (std::size_t k = 0; k < s.independent.size(); ++k) {
        for (std::size_t j = 0; j < s.independent.size(); ++j) expect_equal(s.B[s.independent[k]][j], k == j ? 1 : 0, "B");
    }
    for (const eom::Constraint& c : e.constraints) {
        Expr rest = -c.gamma;
        for (std::size_t j = 0; j < e.u.size(); ++j) rest += c.G[j] * s.b[j];
        for (std::size_t k = 0; k < s.independent.size(); ++k) {
            Expr sum = 0;
            for (std::size_t j = 0; j < e.u.size(); ++j) sum += c.G[j] * s.B[j][k];
            expect_equal(sum, 0, c.name + " B");
        }
        if (s.dependent.size() == e.constraints.size()) expect_equal(rest, 0, c.name + " b");  // no row says the same twice
    }
    EXPECT_NE(sym::is_zero(s.determinant), sym::Verdict::equal);
}
TEST_P(RobersonSchwertassek, ReducesToStateSpace) {
    const model::Model m = read(GetParam());
    const formulation::Derived derived = rs::derive(m, tree_of(m));
    ASSERT_TRUE(derived.equations);
    expect_reduction(*derived.equations);
}

TEST(RobersonSchwertassekOf, ATreeIsItsOwnStateSpace) {
    const model::Model m = read(project_root() + "/models/double_pendulum/model.toml");
    const EquationsOfMotion e = rs::derive(m, tree_of(m)).equations.value();
    const rs::StateSpace s = rs::reduce(e).form.value();
    EXPECT_EQ(s.independent, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(s.J_I, e.M);
    EXPECT_EQ(s.chi, e.f);
}

TEST(RobersonSchwertassekOf, ChoosesOneSpeedOfAFourBar) {
    const model::Model m = read(project_root() + "/models/four_bar/model.toml");
    const EquationsOfMotion e = rs::derive(m, tree_of(m)).equations.value();
    const rs::Reduced first = rs::reduce(e);
    ASSERT_TRUE(first.form) << first.why_not;
    ASSERT_EQ(first.form->independent, (std::vector<std::size_t>{0}));
    ASSERT_EQ(first.form->J_I.size(), 1u);
    const std::size_t last = e.u.size() - 1;
    const rs::Reduced other = rs::reduce(e, std::vector{last});
    ASSERT_TRUE(other.form) << other.why_not;
    ASSERT_EQ(other.form->independent, std::vector{last});
    // The same equation, multiplied by what one speed is per the other: u̇_last = B u̇_first + b.
    const sym::PoolScope scope(*e.pool);
    const Expr B = first.form->B[last][0], b = first.form->b[last];
    expect_equal(first.form->J_I[0][0], other.form->J_I[0][0] * B * B, "J_I");
    expect_equal(first.form->chi[0], B * (other.form->chi[0] - other.form->J_I[0][0] * b), "chi");
}

// ---------------------------------------------------------------------------------------------------------- worked example

/// What the page shows adds up: chi and lambda of the joints are f, J_I is M, and everything lives in the equations' pool.
TEST_P(RobersonSchwertassek, ThePageAddsUp) {
    const model::Model m = read(GetParam());
    if (m.bodies.size() > 12) return;
    const topology::Topology tree = tree_of(m);
    const EquationsOfMotion e = rs::derive(m, tree).equations.value();
    const eom::Derivation d = rs::explain(m, tree, e);
    std::map<std::string, sym::Matrix> shown;
    for (const eom::Step& step : d.steps) {
        for (const eom::Step::Line& line : step.lines) {
            shown[line.symbol] = line.value;
            for (const auto& row : line.value) {
                for (const Expr& x : row) EXPECT_TRUE(x.is_number() || &x.pool() == e.pool.get()) << line.symbol;
            }
            const bool is_silent = line.definition.empty() && line.note.empty() && line.citation.empty();
            EXPECT_FALSE(is_silent && line.value.empty()) << line.symbol;
        }
    }
    // Given motions, the user's speeds and coordinates of cut joints are put in last.
    const bool is_plain = m.speeds.empty() && m.motions.empty() && m.joint_motions.empty() && tree.chords.empty();
    if (!is_plain) return;
    const sym::PoolScope scope(*e.pool);
    std::size_t i = 0;
    for (const model::Joint& a : m.joints) {
        const auto &chi = shown["chi[" + a.name + "]"], &lambda = shown["lambda[" + a.name + "]"];
        ASSERT_EQ(chi.size(), a.speeds.size());
        for (std::size_t p = 0; p < chi.size(); ++p) expect_equal(chi[p][0] + lambda[p][0], e.f[i + p], "f " + a.name);
        std::size_t j = 0;
        for (const model::Joint& b : m.joints) {
            const auto& J = shown["J_I[" + a.name + "," + b.name + "]"];
            for (std::size_t p = 0; p < J.size(); ++p) {
                for (std::size_t r = 0; r < J[p].size(); ++r) expect_equal(J[p][r], e.M[i + p][j + r], "M " + a.name + " " + b.name);
            }
            j += b.speeds.size();
        }
        i += a.speeds.size();
    }
    for (; i < e.u.size(); ++i) {  // free rotors
        const std::string& name = e.u[i].symbol().name;
        expect_equal(shown["chi[" + name + "]"].at(0).at(0) + shown["lambda[" + name + "]"].at(0).at(0), e.f[i], "f " + name);
    }
}

TEST(RobersonSchwertassekOf, SixtyBodiesInTime) {
    const model::Model m = random_mechanism(60, 60, 0);
    const topology::Topology tree = tree_of(m);
    const auto start = std::chrono::steady_clock::now();
    const formulation::Derived derived = rs::derive(m, tree);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ASSERT_TRUE(derived.equations);
    std::cout << derived.equations->u.size() << " speeds in " << seconds << " s\n";
    EXPECT_LT(seconds, 60);  // sanitizers are slow
}

}  // namespace
}  // namespace linkwright::agree
