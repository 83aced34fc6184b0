// The barycentric formulation against Kane's, and what augmented bodies are made of.

#include <chrono>

#include "agree/subject.hpp"
#include "linkwright/formulation/barycentric/barycentric.hpp"
#include "linkwright/formulation/barycentric/explain.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/substitute.hpp"
#include "support/beams.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

namespace bary = formulation::barycentric;
using model::BodyIndex;
using spatial::Mat3;
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
    for (std::size_t i = 0; i < 3; ++i) expect_equal(a[i], b[i], what + " " + std::to_string(i));
}
void expect_equal(const Mat3& a, const Mat3& b, const std::string& what) {
    for (std::size_t i = 0; i < 3; ++i) expect_equal(Vec3{a[i]}, Vec3{b[i]}, what + " row " + std::to_string(i));
}

/// M and f in one pool, entry by entry. Each is derived from its own copy of the model first: what one pool folds, it must
/// not have folded for the other.
void expect_agreement(const model::Model& m) {
    const topology::Topology tree = tree_of(m);
    const model::Model of_kane = copy(m, std::make_shared<sym::Pool>()), own = copy(m, std::make_shared<sym::Pool>());
    const formulation::Derived k = formulation::kane::derive(of_kane, tree), b = bary::derive(own, tree);
    ASSERT_EQ(k.equations.has_value(), b.equations.has_value());
    if (!k.equations) return;
    ASSERT_EQ(k.equations->u.size(), b.equations->u.size());
    EXPECT_EQ(b.equations->formulation, "barycentric");
    sym::Pool fresh({.fold = false, .seed = 71});
    sym::Transplant from_kane(fresh), from_own(fresh);
    const std::size_t n = k.equations->u.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::string at = k.equations->u[i].symbol().name;
        expect_equal(from_kane(k.equations->f[i]), from_own(b.equations->f[i]), "f " + at);
        for (std::size_t j = 0; j <= i; ++j) {
            EXPECT_EQ(b.equations->M[i][j], b.equations->M[j][i]);
            expect_equal(from_kane(k.equations->M[i][j]), from_own(b.equations->M[i][j]),
                         "M " + at + " " + k.equations->u[j].symbol().name);
        }
    }
}

class BarycentricOf : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(BarycentricOf, AgreesWithKane) { expect_agreement(read(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Zoo, BarycentricOf, ::testing::ValuesIn(without_beams(files("/models"))),
                         [](const auto& p) { return name_of(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, BarycentricOf, ::testing::ValuesIn(files("/bench/models")), [](const auto& p) { return name_of(p.param); });

/// Joints of every type, either way round, between frames of every kind; wheels, given motions, loads, links without mass.
model::Model random_tree(std::uint64_t seed, std::size_t n) {
    using model::JointType;
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    static constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw,     JointType::cylindrical,
                                      JointType::universal, JointType::planar,    JointType::gimbal,    JointType::translation,
                                      JointType::spherical, JointType::free,      JointType::free_axes, JointType::weld,
                                      JointType::revolute,  JointType::revolute};
    for (std::size_t b = 1; b <= n; ++b) {
        const std::string name = std::to_string(b);
        model::BodyOptions body{
            .mass = model::parameter(m, "m" + name, random.number(0.5, 3)), .inertia = random.inertia(), .com = random.vector(0.4)};
        const JointType type = types[random.below(types.size())];
        if (b < n && random.below(6) == 0) body = {};
        if (random.below(4) == 0) {
            model::Rotor rotor{random.direction(), sym::Rational(1, 20), {}, {}, {}, {}};
            if (random.below(2) == 0)
                rotor.speed = 3 + sin(m.t);
            else
                rotor.torque = random.number(-1, 1);
            body.rotors.push_back(rotor);
        }
        const BodyIndex outer = model::body(m, "b" + name, body), inner = random.below(3) == 0 ? random.below(outer) : outer - 1;
        model::JointOptions joint{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
        joint.parent_axes = random.frame(m);
        joint.child_axes = random.frame(m);
        if (type == JointType::universal)
            joint.axes = random.orthogonal(2);
        else if (type == JointType::gimbal || type == JointType::free_axes)
            joint.axes = random.orthogonal(3);
        else if (type == JointType::translation)
            joint.axes = {*spatial::normalized({{1, 2, static_cast<int>(random.below(3))}}), spatial::unit(1)};
        else if (type == JointType::planar)
            joint.axes = {spatial::unit(random.below(3))};
        else if (type != JointType::spherical && type != JointType::free && type != JointType::weld)
            joint.axes = {random.direction()};
        if (type == JointType::screw) joint.pitch = random.number(0.1, 0.5);
        if (type != JointType::weld) joint.damping = {random.number(0, 1)};
        const bool is_reversed = random.below(3) == 0;
        const std::size_t j =
            is_reversed ? model::joint(m, type, "j" + name, outer, inner, joint) : model::joint(m, type, "j" + name, inner, outer, joint);
        if ((type == JointType::spherical || type == JointType::free) && random.below(3) == 0) {
            const Vec3 travel = type == JointType::free ? Vec3{{sin(m.t), m.t / 3, 0}} : Vec3{};
            m.joint_motions.push_back({j, travel, {spatial::unit(2), random.direction()}, {sin(2 * m.t), m.t / 2}, {}});
        }
        if (type == JointType::revolute && random.below(3) == 0) m.motions.push_back({m.joints[j].coordinates[0], sin(3 * m.t) / 2, {}});
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    m.springs.push_back({"spring", point(), {n, random.vector(0.4), ""}, 3, sym::Rational(1, 10), sym::Rational(1, 2), 0, {}});
    m.forces.push_back({"force", point(), random.vector(2), n, {}, {}});
    m.torques.push_back({"torque", n, random.vector(2), model::ground, {}, {}});
    return m;
}

/// Empty when the tree has a freedom without inertia.
std::optional<model::Model> sound_tree(std::uint64_t seed, std::size_t n) {
    model::Model m = random_tree(seed, n);
    if (!topology::analyse(m).topology) return std::nullopt;
    return m;
}

TEST(Barycentric, AgreesWithKaneOnRandomTrees) {
    int sound = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        if (const auto m = sound_tree(seed, 2 + seed % 6)) ++sound, expect_agreement(*m);
    }
    EXPECT_GT(sound, 20);
}

TEST(Barycentric, AgreesWithKaneOnSixtyBodies) {
    int sound = 0;
    for (std::uint64_t seed = 0; seed < 12 && sound < 2; ++seed) {
        SCOPED_TRACE(seed);
        if (const auto m = sound_tree(seed, 60)) ++sound, expect_agreement(*m);
    }
    EXPECT_EQ(sound, 2);
}

/// As the formulas stand, against the collapsed sums; over all freedoms, given ones and rotors too.
void expect_literal(const model::Model& m) {
    const topology::Topology tree = tree_of(m);
    const sym::PoolScope scope(*m.pool);
    const formulation::System s = formulation::set_up(m, tree);
    const bary::Augmented a = bary::augment(s.mechanism);
    const auto M = bary::mass_matrix(s.mechanism, a);
    const auto f = bary::forcing(s, a);
    const bary::Literal l = bary::multiply_out(s);
    for (std::size_t i = 0; i < f.size(); ++i) {
        const std::string at = s.mechanism.freedoms[i].u.symbol().name;
        expect_equal(l.f[i], f[i], "f " + at);
        for (std::size_t j = 0; j < f.size(); ++j)
            expect_equal(l.M[i][j], M[i][j], "M " + at + " " + s.mechanism.freedoms[j].u.symbol().name);
    }
}
TEST_P(BarycentricOf, IsWhatTheFormulasSay) {
    const model::Model m = read(GetParam());
    if (m.bodies.size() > 13) GTEST_SKIP() << "written out, sums over pairs of bodies are long";
    expect_literal(m);
}
TEST(Barycentric, IsWhatTheFormulasSayOnRandomTrees) {
    for (std::uint64_t seed = 100; seed < 120; ++seed) {
        SCOPED_TRACE(seed);
        if (const auto m = sound_tree(seed, 2 + seed % 5)) expect_literal(*m);
    }
}

// ------------------------------------------------------------------------------------------------------------ augmented bodies

struct Augmentation {
    model::Model model;
    topology::Topology tree = tree_of(model);
    sym::PoolScope scope{*model.pool};
    kinematics::Mechanism mechanism = kinematics::move(model, tree);
    bary::Augmented a = bary::augment(mechanism);
    Expr mass(BodyIndex b) const { return model.bodies[b].mass; }
    Vec3 d(BodyIndex j, BodyIndex k) const { return barycentric_vector(a, tree, j, k); }
};

/// r_k = Σ_j d_jk, and what every augmented body is defined to be.
void expect_structure(const Augmentation& x) {
    const std::size_t n = x.model.bodies.size();
    for (BodyIndex k = 1; k < n; ++k) {
        Vec3 r;
        for (BodyIndex j = 0; j < n; ++j) r += x.mechanism.X_W[j].R * x.d(j, k);
        expect_equal(r, x.mechanism.X_W[k] * x.model.bodies[k].com, "position of " + x.model.bodies[k].name);
    }
    for (BodyIndex j = 1; j < n; ++j) {
        Expr mass;
        Vec3 b;
        Mat3 K = x.model.bodies[j].inertia;
        for (BodyIndex k = 1; k < n; ++k) {
            if (!bary::is_beyond(x.tree, j, k)) {
                EXPECT_TRUE(is_zero(x.d(j, k)));
                continue;
            }
            mass += x.mass(k);
            b += x.mass(k) * x.d(j, k);
            K += (-x.mass(k)) * (skew(x.d(j, k)) * skew(x.d(j, k)));
        }
        const bary::AugmentedBody& body = x.a.bodies[j];
        expect_equal(body.mass, mass, "mass");
        expect_equal(body.b, b, "b");
        expect_equal(body.K, K, "K");
    }
    for (BodyIndex i = 1; i < n; ++i) {  // K_ij = −Σ m d̃ d̃ in ground axes
        for (BodyIndex j = 1; j < n; ++j) {
            if (i == j) continue;
            Mat3 sum;
            for (BodyIndex k = 1; k < n; ++k) {
                sum += (-x.mass(k)) * (skew(x.mechanism.X_W[i].R * x.d(i, k)) * skew(x.mechanism.X_W[j].R * x.d(j, k)));
            }
            const Mat3 R_i = x.mechanism.X_W[i].R.matrix(), R_j = x.mechanism.X_W[j].R.matrix();
            expect_equal(R_i * coupling(x.a, x.mechanism, i, j) * transpose(R_j), sum, "K " + std::to_string(i) + " " + std::to_string(j));
        }
    }
}
TEST_P(BarycentricOf, AugmentedBodiesAreWhatTheySay) {
    model::Model m = read(GetParam());
    if (m.bodies.size() > 13) GTEST_SKIP() << "sums over triples of bodies are long";
    expect_structure({std::move(m)});
}

/// Mufti's Fig. 3a, worked by hand: equal bodies, so body 2 is loaded with 2 m at its hinge to body 1 (bodies 1 and 3) and
/// with m at each of the three others.
TEST(Augmented, OfMuftisTreeByHand) {
    const Augmentation x{read(project_root() + "/models/mufti_tree/model.toml")};
    const bary::Floating f = float_free(x.a, x.mechanism, 1);
    ASSERT_EQ(f.bodies, (std::vector<BodyIndex>{1, 2, 3, 4, 5, 6}));
    const Expr m = x.model.parameters[0].symbol, J = x.model.parameters[1].symbol, K = x.model.parameters[2].symbol,
               a = x.model.parameters[3].symbol;
    expect_equal(f.mass, 6 * m, "m");
    for (const std::size_t k : {3, 4, 5}) expect_equal(f.d[0][k], f.d[0][1], "d_12 = d_14 = d_15 = d_16");
    expect_equal(f.d[0][1], Vec3{{a / 2, 0, 0}}, "d_12");  // the barycentre is at (4 a - a)/6
    expect_equal(f.d[1][1], Vec3{{a / 6, 0, 0}}, "d_22");
    for (const std::size_t k : {0, 2}) expect_equal(f.d[1][k], Vec3{{-5 * a / 6, 0, 0}}, "d_21 = d_23");
    expect_equal(f.d[1][3], Vec3{{7 * a / 6, 0, 0}}, "d_24");
    expect_equal(f.d[1][4], Vec3{{a / 6, a, 0}}, "d_25");
    expect_equal(f.d[1][5], Vec3{{a / 6, -a, 0}}, "d_26");
    // 2 m at −5a/6, m at a/6 three times and at 7a/6 along x; m at ±a along y
    const Expr xx = m * a * a * (2 * sym::Rational(25, 36) + 3 * sym::Rational(1, 36) + sym::Rational(49, 36)), yy = 2 * m * a * a;
    expect_equal(f.K[1], spatial::diagonal(J + yy, K + xx, K + xx + yy), "K_22");
}

bool floats_on_turning_joints(const model::Model& m, const topology::Topology& tree) {
    if (tree.outer[model::ground].size() != 1 || !tree.chords.empty() || !m.motions.empty() || !m.joint_motions.empty()) return false;
    for (const model::Body& b : m.bodies) {
        if (!b.rotors.empty()) return false;
    }
    const BodyIndex root = tree.outer[model::ground][0];
    if (m.joints[tree.arc[root]->joint].type != model::JointType::free) return false;
    for (BodyIndex b = 1; b < m.bodies.size(); ++b) {
        if (b != root && model::travels(m.joints[tree.arc[b]->joint].type)) return false;
    }
    return true;
}

/// What is left of M u̇ = f when the root's travel is eliminated is (38), term by term as printed: K with barycentres, ĥ, D F, N.
void expect_floating_form(Augmentation& x) {
    const sym::PoolScope scope(*x.model.pool);
    const formulation::System s = formulation::set_up(x.model, x.tree);
    const auto M = bary::mass_matrix(s.mechanism, x.a);
    const auto f = bary::forcing(s, x.a);
    const bary::Floating fl = float_free(x.a, x.mechanism, x.tree.outer[model::ground][0]);
    const std::size_t n = fl.bodies.size();
    std::vector<std::size_t> travel, turns;
    for (std::size_t i = 0; i < f.size(); ++i) (is_zero(x.a.modes[i].p) ? travel : turns).push_back(i);
    ASSERT_EQ(travel.size(), 3U);
    for (const std::size_t i : travel) {
        for (const std::size_t l : travel) expect_equal(M[i][l], i == l ? fl.mass : Expr(0), "the mass of the whole");
    }
    // In ground axes from here on.
    const auto R = [&](std::size_t i) { return x.mechanism.X_W[fl.bodies[i]].R; };
    std::vector<Vec3> w, alpha, F, G, u(n);
    const auto motion = bary::motion_at_rest(x.mechanism, x.a);
    for (std::size_t i = 0; i < n; ++i) {
        const BodyIndex b = fl.bodies[i];
        w.push_back(R(i) * motion[b].w);
        alpha.push_back(R(i) * motion[b].alpha);
        const auto& load = s.loads.on[b];
        F.push_back(R(i) * load.f + x.mass(b) * x.model.gravity);
        G.push_back(R(i) * (load.t - cross(x.model.bodies[b].com, load.f)));
    }
    std::vector<std::vector<Mat3>> K(n, std::vector<Mat3>(n));
    for (std::size_t i = 0; i < n; ++i) {
        Vec3 moment;
        for (std::size_t k = 0; k < n; ++k) moment += x.mass(fl.bodies[k]) * fl.d[i][k];
        expect_equal(moment, Vec3{}, "the barycentre is the centre of mass");
        for (std::size_t j = 0; j < n; ++j) {
            Mat3 sum = i == j ? R(i).congruence(x.model.bodies[fl.bodies[i]].inertia) : Mat3{};
            for (std::size_t k = 0; k < n; ++k) sum += (-x.mass(fl.bodies[k])) * (skew(R(i) * fl.d[i][k]) * skew(R(j) * fl.d[j][k]));
            K[i][j] = i == j ? R(i).congruence(fl.K[i]) : fl.mass * (skew(R(i) * fl.d[i][j]) * skew(R(j) * fl.d[j][i]));
            expect_equal(K[i][j], sum, "(30), (31)");
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        u[i] = G[i] - cross(w[i], K[i][i] * w[i]);
        for (std::size_t k = 0; k < n; ++k) u[i] += cross(R(i) * fl.d[i][k], F[k]);
        for (std::size_t j = 0; j < n; ++j) {
            u[i] -= K[i][j] * alpha[j];
            if (i != j) u[i] += fl.mass * (dot(w[j], w[j]) * cross(R(j) * fl.d[j][i], R(i) * fl.d[i][j])) - cross(w[j], K[j][i] * w[j]);
        }
    }
    for (const std::size_t i : turns) {
        const BodyIndex a = s.mechanism.freedoms[i].body;
        const Vec3 p = x.mechanism.X_W[a].R * x.a.modes[i].p;
        Expr left = f[i], right = s.loads.tau[i];
        for (const std::size_t t : travel) left -= M[i][t] * f[t] / fl.mass;
        for (std::size_t j = 0; j < n; ++j) {
            if (bary::is_beyond(x.tree, a, fl.bodies[j])) right += dot(p, u[j]);
        }
        expect_equal(left, right, "(38), " + s.mechanism.freedoms[i].u.symbol().name);
        for (const std::size_t l : turns) {
            const BodyIndex b = s.mechanism.freedoms[l].body;
            const Vec3 r = x.mechanism.X_W[b].R * x.a.modes[l].p;
            Expr reduced = M[i][l], product;
            for (const std::size_t t : travel) reduced -= M[i][t] * M[t][l] / fl.mass;
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t k = 0; k < n; ++k) {
                    if (bary::is_beyond(x.tree, a, fl.bodies[j]) && bary::is_beyond(x.tree, b, fl.bodies[k]))
                        product += dot(p, K[j][k] * r);
                }
            }
            expect_equal(reduced, product, "(61)");
        }
    }
}
TEST(Augmented, FloatingTreeIsMuftisForm) {
    int floating = 0;
    for (const auto& file : without_beams(files("/models"))) {
        model::Model m = read(file);
        if (!floats_on_turning_joints(m, tree_of(m))) continue;
        SCOPED_TRACE(file.string());
        ++floating;
        const sym::PoolScope scope(*m.pool);
        m.gravity = {{1, -9, 2}};  // and something to pull at it: all of it must fall out, or stay, where (38) says
        m.forces.push_back({"pull", {m.bodies.size() - 1, {{1, 2, 3}}, ""}, {{3, -1, 2}}, model::ground, {}, {}});
        Augmentation x{std::move(m)};
        expect_floating_form(x);
    }
    EXPECT_GE(floating, 2);
}

// ------------------------------------------------------------------------------------------------------------ cost and steps

/// A chain of sixty in well under a second, and no dearer than what M itself costs: depth times bodies.
TEST(Barycentric, IsQuickOnSixtyBodies) {
    const auto nodes = [](std::size_t n) {
        model::Model m = model::empty_model("chain");
        const sym::PoolScope scope(*m.pool);
        laws::Random random(4);
        m.gravity = {{0, 0, -9}};
        for (std::size_t b = 1; b <= n; ++b) {
            const std::string name = std::to_string(b);
            model::body(m, "b" + name, {.mass = random.number(1, 2), .inertia = random.inertia(), .com = random.vector(0.5)});
            model::joint(m, model::JointType::revolute, "j" + name, b - 1, b,
                         {.parent_at = random.vector(0.5), .axes = {random.direction()}});
        }
        const topology::Topology tree = tree_of(m);
        const formulation::System s = formulation::set_up(m, tree);
        const auto from = std::chrono::steady_clock::now();
        const std::size_t before = m.pool->size();
        const bary::Augmented a = bary::augment(s.mechanism);
        EXPECT_EQ(bary::mass_matrix(s.mechanism, a).size(), n);
        EXPECT_EQ(bary::forcing(s, a).size(), n);
        EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(2));  // sanitized builds are slow
        return m.pool->size() - before;
    };
    EXPECT_LT(static_cast<double>(nodes(60)), 4.2 * static_cast<double>(nodes(30)));
}

TEST_P(BarycentricOf, IsExplained) {
    const model::Model m = read(GetParam());
    const topology::Topology tree = tree_of(m);
    const formulation::Derived b = bary::derive(m, tree);
    ASSERT_TRUE(b.equations);
    const eom::Derivation d = bary::explain(m, tree, *b.equations);
    ASSERT_GE(d.steps.size(), 9U);
    EXPECT_EQ(d.steps.front().title, "Incidence and paths");
    const std::string last = m.speeds.empty() ? "M" : "M_own";  // the model's own speeds come last
    const auto mass = std::ranges::find(d.steps.back().lines, last, &eom::Step::Line::symbol);
    ASSERT_NE(mass, d.steps.back().lines.end());
    EXPECT_EQ(mass->value, b.equations->M);
    for (const eom::Step& step : d.steps) {
        EXPECT_FALSE(step.text.empty());
        const bool is_ours = step.title == "Driven rotors" || step.title == "The model's own speeds";  // not in the paper
        EXPECT_EQ(step.citation.find("mufti83") == std::string::npos, is_ours) << step.title;
        for (const auto& line : step.lines) {
            EXPECT_FALSE(line.symbol.empty());
            EXPECT_FALSE(line.value.empty() && line.note.empty() && line.definition.empty()) << line.symbol;
            for (const auto& row : line.value) {
                for (const Expr& e : row) EXPECT_EQ(&e.pool(), b.equations->pool.get()) << line.symbol;
            }
        }
    }
}

TEST(BarycentricSteps, SayWhyThingsAreZero) {
    const model::Model m = read(project_root() + "/models/double_pendulum/model.toml");
    const topology::Topology tree = tree_of(m);
    const formulation::Derived b = bary::derive(m, tree);
    bool slides = false, has_coupling = false;
    for (const eom::Step& step : bary::explain(m, tree, *b.equations).steps) {
        for (const auto& line : step.lines) {
            slides |= line.note == "zero, because the joint does not slide";
            has_coupling |= line.definition.starts_with("-d_tilde[");
        }
    }
    EXPECT_TRUE(slides);
    EXPECT_TRUE(has_coupling);
}

}  // namespace
}  // namespace linkwright::agree
