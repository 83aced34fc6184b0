// Newton's and Euler's equations against Kane's: the maximal form reduced by its own B must be the relative one, entry by entry,
// and at numbers both must move and load the joints alike.

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <filesystem>

#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/formulation/newton_euler/explain.hpp"
#include "linkwright/formulation/newton_euler/gauss.hpp"
#include "linkwright/formulation/newton_euler/hinge_forces.hpp"
#include "linkwright/formulation/newton_euler/newton_euler.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/topology/topology.hpp"
#include "support/beams.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using eom::EquationsOfMotion;
using model::JointType;
using spatial::Vec3;
using sym::Expr;
using Index = Eigen::Index;

struct Pair {
    model::Model model;
    topology::Topology topology;
    EquationsOfMotion kane, bodies;

    explicit Pair(model::Model m) : model(std::move(m)) {
        topology::Analysis analysis = topology::analyse(model);
        if (!analysis.topology) throw std::runtime_error(analysis.problems.front().what);
        topology = std::move(*analysis.topology);
        formulation::Derived k = formulation::kane::derive(model, topology), n = formulation::newton_euler::derive(model, topology);
        if (!k.equations && !n.equations) throw std::domain_error(k.problems.front().what);
        if (!k.equations || !n.equations) throw std::runtime_error((k.equations ? n : k).problems.front().what);
        kane = std::move(*k.equations);
        bodies = std::move(*n.equations);
    }
};

model::Model read(const std::filesystem::path& path) {
    model::Reading reading = model::read_file(path);
    if (!reading.model) throw std::runtime_error(path.string() + " cannot be read");
    return std::move(*reading.model);
}

model::Model read_text(const std::string& text) {
    model::Reading reading = model::read(text);
    if (!reading.model) throw std::runtime_error(reading.problems.empty() ? "no model" : reading.problems.front().what);
    return std::move(*reading.model);
}

std::vector<std::filesystem::path> files(const std::string& folder) {
    std::vector<std::filesystem::path> r;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project_root() + folder)) {
        if (entry.path().extension() == ".toml" && entry.path().filename() != "lynch.toml") r.push_back(entry.path());
    }
    std::ranges::sort(r);
    return r;
}

std::string name_of(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

/// Both in one pool that was not there when they were built, at another point, without folding.
void expect_reduction(const Pair& p) {  // NOLINT: ASSERT makes it look complex
    sym::Pool pool({.fold = false, .seed = 77});
    const sym::PoolScope scope(pool);
    sym::Transplant from_kane(pool), from_bodies(pool);
    const EquationsOfMotion &k = p.kane, &n = p.bodies;
    ASSERT_TRUE(n.reduction);
    const eom::Reduction& r = *n.reduction;
    const std::size_t size = n.u.size(), free = k.u.size();
    ASSERT_EQ(r.s.size(), free);
    ASSERT_EQ(r.B.size(), size);
    ASSERT_EQ(r.b.size(), size);
    for (std::size_t j = 0; j < free; ++j) ASSERT_EQ(r.s[j].symbol().name, k.u[j].symbol().name);
    const auto expect_equal = [](const Expr& a, const Expr& b, const std::string& what) {
        const sym::Verdict verdict = sym::equal(a, b);
        if (verdict == sym::Verdict::unknown && what.ends_with(" chord.s"))
            return;  // a cut screw: sines of lengths over a pitch are opaque
        EXPECT_EQ(to_string(verdict), "equal") << what;
    };

    std::vector<sym::Binding> moving;
    for (std::size_t i = 0; i < k.q.size(); ++i) moving.emplace_back(from_kane(k.q[i]), from_kane(k.qdot[i]));
    moving.emplace_back(from_kane(k.t), Expr(1));
    sym::Tangent rate(moving);
    sym::Matrix B(size);
    std::vector<Expr> u(size), left(size);  // B s + b; Ḃ s + ḃ
    std::vector<sym::Binding> speeds;
    for (std::size_t i = 0; i < size; ++i) {
        u[i] = from_bodies(r.b[i]);
        for (std::size_t j = 0; j < free; ++j) {
            B[i].push_back(from_bodies(r.B[i][j]));
            u[i] += B[i][j] * from_bodies(r.s[j]);
        }
        left[i] = rate(u[i]);
        speeds.emplace_back(from_bodies(n.u[i]), u[i]);
    }
    sym::Substitution put_in(speeds);
    const auto reduced = [&](const Expr& e) { return put_in(from_bodies(e)); };

    ASSERT_EQ(n.q.size(), k.q.size());
    for (std::size_t i = 0; i < k.q.size(); ++i) expect_equal(reduced(n.qdot[i]), from_kane(k.qdot[i]), "rate of " + k.q[i].symbol().name);
    // Bᵀ M B and Bᵀ (f − M (Ḃ s + ḃ))
    std::vector<Expr> f(size);
    sym::Matrix MB = sym::zeros(size, free);
    for (std::size_t i = 0; i < size; ++i) {
        f[i] = reduced(n.f[i]);
        for (std::size_t l = 0; l < size; ++l) {
            const Expr M = from_bodies(n.M[i][l]);
            if (M.is_literally(0)) continue;
            f[i] -= M * left[l];
            for (std::size_t j = 0; j < free; ++j) MB[i][j] += M * B[l][j];
        }
    }
    for (std::size_t a = 0; a < free; ++a) {
        Expr fa = 0;
        for (std::size_t i = 0; i < size; ++i) fa += B[i][a] * f[i];
        expect_equal(fa, from_kane(k.f[a]), "f of " + k.u[a].symbol().name);
        for (std::size_t c = a; c < free; ++c) {
            Expr M = 0;
            for (std::size_t i = 0; i < size; ++i) M += B[i][a] * MB[i][c];
            expect_equal(M, from_kane(k.M[a][c]), "M of " + k.u[a].symbol().name + ", " + k.u[c].symbol().name);
        }
    }
    std::size_t met = 0;
    for (const eom::Constraint& c : n.constraints) {
        const auto of_kane = std::ranges::find(k.constraints, c.name, &eom::Constraint::name);
        const bool is_loop = of_kane != k.constraints.end();
        met += is_loop ? 1 : 0;
        Expr gamma = from_bodies(c.gamma);
        gamma = put_in(gamma);
        for (std::size_t i = 0; i < size; ++i) gamma -= from_bodies(c.G[i]) * left[i];
        expect_equal(gamma, is_loop ? from_kane(of_kane->gamma) : Expr(0), "gamma of " + c.name);
        expect_equal(reduced(c.rate), is_loop ? from_kane(of_kane->rate) : Expr(0), "rate of " + c.name);
        expect_equal(from_bodies(c.phi), is_loop ? from_kane(of_kane->phi) : Expr(0), "phi of " + c.name);
        for (std::size_t j = 0; j < free; ++j) {
            Expr GB = 0;
            for (std::size_t i = 0; i < size; ++i) GB += from_bodies(c.G[i]) * B[i][j];
            expect_equal(GB, is_loop ? from_kane(of_kane->G[j]) : Expr(0), "G of " + c.name);
        }
    }
    EXPECT_EQ(met, k.constraints.size());
    expect_equal(reduced(n.energy.kinetic), from_kane(k.energy.kinetic), "kinetic energy");
    expect_equal(reduced(n.energy.potential), from_kane(k.energy.potential), "potential energy");
    for (std::size_t i = 0; i < 3; ++i) {
        expect_equal(reduced(n.momentum.linear[i]), from_kane(k.momentum.linear[i]), "linear momentum");
        expect_equal(reduced(n.momentum.angular[i]), from_kane(k.momentum.angular[i]), "angular momentum");
    }
}

/// A row of a joint, a rod, a wheel or a cut joint has speeds of two bodies at most; M couples no two bodies.
void expect_sparse(const Pair& p) {
    const EquationsOfMotion& n = p.bodies;
    const std::size_t of_bodies = 6 * (p.model.bodies.size() - 1);
    for (const eom::Constraint& c : n.constraints) {
        const bool is_written = std::ranges::any_of(p.model.gears, [&](const auto& g) { return g.name == c.name; }) ||
                                std::ranges::any_of(p.model.constraints, [&](const auto& g) { return g.name == c.name; });
        std::vector<std::size_t> touched;
        for (std::size_t i = 0; i < of_bodies; ++i) {
            if (!c.G[i].is_literally(0) && (touched.empty() || touched.back() != i / 6)) touched.push_back(i / 6);
        }
        EXPECT_LE(touched.size(), is_written ? 4U : 2U) << c.name;
    }
    for (std::size_t i = 0; i < of_bodies; ++i) {
        for (std::size_t j = 0; j < of_bodies; ++j) {
            if (i / 6 != j / 6) {
                EXPECT_TRUE(n.M[i][j].is_literally(0));
            }
        }
    }
    // Only declared symbols are left.
    for (const Expr& s : sym::symbols_in(n.f)) {
        const sym::Role role = s.symbol().role;
        EXPECT_TRUE(role != sym::Role::speed || std::ranges::find(n.u, s) != n.u.end()) << s.symbol().name;
        EXPECT_NE(role, sym::Role::auxiliary) << s.symbol().name;
    }
}

VectorXd run(const numeric::CompiledEquations& numbers, std::span<const Expr> e, const numeric::State& s) { return numbers.compile(e)(s); }

void expect_same_motion(const Pair& p, const numeric::CompiledEquations& of_kane, const numeric::CompiledEquations& of_bodies,
                        const numeric::State& at) {
    const EquationsOfMotion &k = p.kane, &n = p.bodies;
    const eom::Reduction& r = *n.reduction;
    const sym::PoolScope scope(*n.pool);
    // u = B s + b at the state of Kane's, whose speeds are s
    numeric::State here = of_bodies.zero_state(at.t);
    here.q = at.q, here.w = at.w;
    std::vector<Expr> entries = r.b;
    for (const auto& row : r.B) entries.insert(entries.end(), row.begin(), row.end());
    const auto size = static_cast<Index>(n.u.size()), free = static_cast<Index>(k.u.size());
    const VectorXd x = run(of_bodies, entries, here);
    MatrixXd B(size, free);
    for (Index i = 0; i < size; ++i) {
        for (Index j = 0; j < free; ++j) B(i, j) = x[size + i * free + j];
    }
    here.u = B * at.u + x.head(size);
    const numeric::Evaluation ek = numeric::evaluate(of_kane, at), en = numeric::evaluate(of_bodies, here);
    ASSERT_TRUE(ek.is_ok) << ek.why;
    ASSERT_TRUE(en.is_ok) << en.why;
    EXPECT_LT(en.residuals.velocity(), 1e-9 * (1 + here.u.lpNorm<Eigen::Infinity>()));
    EXPECT_NEAR(ek.kinetic, en.kinetic, 1e-9 * (1 + std::abs(ek.kinetic)));
    // s̈ from the bodies: B s̈ = u̇ − (Ḃ s + ḃ), where the rest does not depend on s̈: take it from two values of s̈
    std::vector<sym::Binding> speeds, moving;
    for (std::size_t i = 0; i < n.q.size(); ++i) moving.emplace_back(n.q[i], n.qdot[i]);
    moving.emplace_back(n.t, Expr(1));
    sym::Tangent rate(moving);
    std::vector<Expr> left;
    for (std::size_t i = 0; i < n.u.size(); ++i) {
        Expr sum = rate(r.b[i]);
        for (std::size_t j = 0; j < r.s.size(); ++j) sum += rate(r.B[i][j]) * Expr(at.u[j]);
        left.push_back(sum);
    }
    const VectorXd wanted = B * ek.accelerations + run(of_bodies, left, here);
    const double scale = 1 + wanted.lpNorm<Eigen::Infinity>();
    for (Index i = 0; i < size; ++i) EXPECT_NEAR(en.accelerations[i], wanted[i], 1e-8 * scale) << n.u[i].symbol().name;
    EXPECT_NEAR(ek.power, en.power, 1e-7 * (1 + std::abs(ek.power) + scale));
    const bool is_determined = ek.rank == static_cast<Index>(k.constraints.size());
    double forces = 1;
    for (const double l : en.multipliers) forces = std::max(forces, std::abs(l));
    for (std::size_t i = 0; i < k.outputs.size(); ++i) {
        const auto o = std::ranges::find(n.outputs, k.outputs[i].name, &eom::Output::name);
        ASSERT_NE(o, n.outputs.end()) << k.outputs[i].name;
        bool has_multipliers = false;
        for (const Expr& s : sym::symbols_in(o->value)) has_multipliers |= s.symbol().role == sym::Role::multiplier;
        if (has_multipliers && !is_determined) continue;
        const double a = ek.outputs[i], b = en.outputs[o - n.outputs.begin()];
        EXPECT_NEAR(a, b, 1e-8 * (has_multipliers ? forces + scale : scale)) << k.outputs[i].name;
    }
    if (!is_determined) return;
    for (std::size_t i = 0; i < k.constraints.size(); ++i) {
        const auto c = std::ranges::find(n.constraints, k.constraints[i].name, &eom::Constraint::name);
        EXPECT_NEAR(ek.multipliers[i], en.multipliers[c - n.constraints.begin()], 1e-8 * forces) << c->name;
    }
}

/// Reactions of all joints, beside what the model asks for.
model::Model with_reactions(model::Model m) {
    for (std::size_t j = 0; j < m.joints.size(); ++j) {
        model::Output reaction;
        reaction.name = "reaction_of_" + std::to_string(j);
        reaction.kind = model::Output::Kind::reaction;
        reaction.joint = j;
        m.outputs.push_back(std::move(reaction));
    }
    return m;
}

class MaximalForm : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(MaximalForm, ReducesToKanes) {
    const Pair p(read(GetParam()));
    expect_reduction(p);
    expect_sparse(p);
}
TEST_P(MaximalForm, MovesAndLoadsAsKanesDoes) {
    const Pair p(with_reactions(read(GetParam())));
    const numeric::CompiledEquations of_kane(p.kane), of_bodies(p.bodies);
    const numeric::AssembledState start = assemble(of_kane, wanted(of_kane));
    ASSERT_TRUE(start.is_ok()) << start.why;
    expect_same_motion(p, of_kane, of_bodies, start.state);
    // The same beginning by its own means, and another one with speeds in it.
    const numeric::AssembledState own = assemble(of_bodies, wanted(of_bodies));
    ASSERT_TRUE(own.is_ok()) << own.why;
    EXPECT_LT((own.state.q - start.state.q).lpNorm<Eigen::Infinity>(), 1e-9);
    EXPECT_NEAR(numeric::evaluate(of_bodies, own.state).kinetic, numeric::evaluate(of_kane, start.state).kinetic, 1e-9);
    if (!p.kane.constraints.empty()) return;
    numeric::State other = start.state;
    for (Index i = 0; i < other.u.size(); ++i) other.u[i] += std::cos(1.3 * static_cast<double>(i));
    expect_same_motion(p, of_kane, of_bodies, other);
}
INSTANTIATE_TEST_SUITE_P(Zoo, MaximalForm, ::testing::ValuesIn(without_beams(files("/models"))),
                         [](const auto& p) { return name_of(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, MaximalForm, ::testing::ValuesIn(files("/bench/models")), [](const auto& p) { return name_of(p.param); });

// ------------------------------------------------------------------------------------------------------- random mechanisms

model::JointOptions random_joint(laws::Random& random, model::Model& m, JointType type) {
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
    if (type != JointType::weld) joint.damping = {random.number(0, 1)}, joint.actuator = {random.number(-1, 1)};
    return joint;
}

/// Joints of every type either way round, wheels, given motions; with `loops`, further joints, rods, gears and wheels on the
/// ground that need not meet: what must be equal is equal wherever the bodies are.
model::Model random_mechanism(std::uint64_t seed, bool with_loops) {
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    static constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw,     JointType::cylindrical,
                                      JointType::universal, JointType::planar,    JointType::gimbal,    JointType::translation,
                                      JointType::spherical, JointType::free,      JointType::free_axes, JointType::weld,
                                      JointType::revolute,  JointType::revolute};
    const std::size_t n = 3 + random.below(with_loops ? 2 : 4);
    for (std::size_t b = 1; b <= n; ++b) {
        const std::string name = std::to_string(b);
        model::BodyOptions body{.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)};
        if (random.below(4) == 0) {
            model::Rotor rotor{random.direction(), sym::Rational(1, 20), {}, {}, {}, {}};
            (random.below(2) == 0 ? rotor.speed : rotor.torque) = random.number(1, 9);
            body.rotors.push_back(rotor);
        }
        const model::BodyIndex outer = model::body(m, "b" + name, body), inner = random.below(3) == 0 ? random.below(outer) : outer - 1;
        const JointType type = types[random.below(types.size())];
        const model::JointOptions joint = random_joint(random, m, type);
        // called like the body, so that fly.wx of a joint and of a body would be one
        const bool is_reversed = random.below(3) == 0;
        const std::size_t j = model::joint(m, type, random.below(2) == 0 ? "b" + name : "j" + name, is_reversed ? outer : inner,
                                           is_reversed ? inner : outer, joint);
        if ((type == JointType::spherical || type == JointType::free) && random.below(3) == 0) {
            const Vec3 travel = type == JointType::free ? Vec3{{sin(m.t), m.t / 3, 0}} : Vec3{};
            m.joint_motions.push_back({j, travel, {spatial::unit(2), random.direction()}, {sin(2 * m.t), m.t / 2}, {}});
        } else if (m.joints[j].coordinates.size() == m.joints[j].speeds.size() && !m.joints[j].speeds.empty() && random.below(4) == 0) {
            m.motions.push_back({m.joints[j].coordinates[random.below(m.joints[j].speeds.size())], sin(3 * m.t) / 2, {}});
        }
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    m.springs.push_back({"spring", point(), {n, random.vector(0.4), ""}, 3, sym::Rational(1, 10), 0, 0, {}});
    m.forces.push_back({"force", point(), random.vector(2), n, {}, {}});
    if (!with_loops) return m;
    const JointType type = types[random.below(types.size())];
    model::JointOptions loop = random_joint(random, m, type);
    loop.cut = true;
    const std::size_t chord = model::joint(m, type, "chord", random.below(n), n, loop);
    m.rods.push_back({"rod", {1, random.vector(0.4), ""}, {n, random.vector(0.4), ""}, random.number(1, 2), {}});
    m.rollings.push_back({"ball",
                          model::RollingType::sphere,
                          {n, random.vector(0.3), ""},
                          spatial::unit(1),
                          random.number(0.1, 0.3),
                          random.vector(1),
                          spatial::unit(2),
                          {}});
    std::vector<Expr> coordinates, speeds;
    for (const model::Joint& joint : m.joints) {
        const bool is_scalar = joint.coordinates.size() == joint.speeds.size();
        for (const Expr& q : joint.coordinates) {
            if (is_scalar) coordinates.push_back(q);
        }
        for (const Expr& u : joint.speeds) speeds.push_back(u);
    }
    if (coordinates.size() > 2) {
        m.gears.push_back({"gear", coordinates[0], coordinates.back(), random.number(1, 3), {}});
        m.constraints.push_back({"own", coordinates[1] * coordinates[1] - coordinates[0] + sin(m.t), true, {}});
        m.constraints.push_back({"speeds", speeds[0] * coordinates.back() - speeds.back() + cos(m.t), false, {}});
    }
    if (type == JointType::revolute) m.motions.push_back({m.joints[chord].coordinates[0], sin(m.t), {}});
    return m;
}

class RandomMechanism : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RandomMechanism, OfATreeAgrees) {
    const Pair p(with_reactions(random_mechanism(GetParam(), false)));
    expect_reduction(p);
    expect_sparse(p);
    const numeric::CompiledEquations of_kane(p.kane), of_bodies(p.bodies);
    numeric::State at = of_kane.zero_state(0.3);
    for (Index i = 0; i < at.q.size(); ++i) at.q[i] = 0.8 * std::sin(1.7 * static_cast<double>(i) + 1);
    for (Index i = 0; i < at.u.size(); ++i) at.u[i] = std::cos(2.3 * static_cast<double>(i));
    for (const auto& group : p.kane.quaternions) {
        double square = 0;
        for (const std::size_t i : group) square += std::pow(at.q[i], 2);
        for (const std::size_t i : group) at.q[i] /= std::sqrt(square);
    }
    expect_same_motion(p, of_kane, of_bodies, at);
}
/// Among the first none has loops that cannot be; further on there are such.
constexpr std::uint64_t usual_seeds = 28;
TEST_P(RandomMechanism, WithLoopsAgrees) {
    try {
        const Pair p(with_reactions(random_mechanism(GetParam(), true)));
        expect_reduction(p);
        expect_sparse(p);
    } catch (const std::domain_error& e) {
        ASSERT_GE(GetParam(), usual_seeds) << "not a mechanism, and both say so: " << e.what();
    }
}
std::uint64_t seeds() {
    const char* n = std::getenv("SEEDS");
    return n != nullptr ? std::strtoull(n, nullptr, 10) : usual_seeds;
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomMechanism, ::testing::Range<std::uint64_t>(0, seeds()));

// ------------------------------------------------------------------------------------------------------------- variants

Pair of_model(const std::string& name) { return Pair(read(project_root() + "/models/" + name + "/model.toml")); }

struct AtStart {
    Pair pair;
    numeric::CompiledEquations numbers;
    numeric::State state;
    explicit AtStart(Pair p) : pair(std::move(p)), numbers(pair.bodies), state(assemble(numbers, wanted(numbers)).state) {}
};

MatrixXd matrix(const numeric::CompiledEquations& numbers, const sym::Matrix& rows, const numeric::State& s) {
    MatrixXd A(static_cast<Index>(rows.size()), static_cast<Index>(columns_of(rows)));
    for (Index i = 0; i < A.rows(); ++i) A.row(i) = run(numbers, rows[i], s).transpose();
    return A;
}

/// Hinge forces first, then accelerations: both as the whole system has them. Bodies with full inertia tensors.
TEST(HingeForces, AreThoseOfTheWholeSystem) {
    std::size_t reduced = 0;
    for (const char* name : {"stanford_arm", "mufti_tree", "satellite", "mufti_closed", "spinning_top"}) {
        SCOPED_TRACE(name);
        const AtStart at(of_model(name));
        const EquationsOfMotion& e = at.pair.bodies;
        const auto h = formulation::newton_euler::hinge_forces(e);
        if (!h) continue;
        ++reduced;
        const numeric::Evaluation whole = numeric::evaluate(at.numbers, at.state);
        ASSERT_TRUE(whole.is_ok);
        const MatrixXd A = matrix(at.numbers, h->A, at.state);
        EXPECT_LT((A - A.transpose()).lpNorm<Eigen::Infinity>(), 1e-12 * A.lpNorm<Eigen::Infinity>());
        const VectorXd b = run(at.numbers, h->b, at.state), lambda = Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).solve(b);
        const double scale = 1 + whole.multipliers.lpNorm<Eigen::Infinity>();
        if (whole.redundant.empty()) {
            EXPECT_LT((lambda - whole.multipliers).lpNorm<Eigen::Infinity>(), 1e-8 * scale);
        }
        Eigen::VectorXd in(1 + e.q.size() + e.u.size() + e.inputs.size() + e.u.size() + e.constraints.size()), udot(e.u.size());
        in << at.state.t, at.state.q, at.state.u, at.state.w, VectorXd::Zero(e.u.size()), lambda;
        at.numbers.compile_with_accelerations(h->udot)(std::span<const double>(in.data(), static_cast<std::size_t>(in.size())),
                                                       std::span<double>(udot.data(), static_cast<std::size_t>(udot.size())));
        EXPECT_LT((udot - whole.accelerations).lpNorm<Eigen::Infinity>(), 1e-8 * scale);
        // Sparse: rows that share no body do not meet.
        for (std::size_t k = 0; k < e.constraints.size(); ++k) {
            for (std::size_t l = 0; l < e.constraints.size(); ++l) {
                bool share = false;
                for (std::size_t i = 0; i < e.u.size(); ++i) {
                    for (std::size_t j = 0; j < e.u.size(); ++j)
                        share |= i / 6 == j / 6 && !e.constraints[k].G[i].is_literally(0) && !e.constraints[l].G[j].is_literally(0);
                }
                if (!share) {
                    EXPECT_TRUE(h->A[k][l].is_literally(0));
                }
            }
        }
    }
    EXPECT_GE(reduced, 3U);
    EXPECT_FALSE(formulation::newton_euler::hinge_forces(of_model("double_pendulum").bodies))
        << "thin bars have no inertia about themselves";
}

/// With the weight the error falls, in proportion, until rounding takes over.
TEST(LeastConstraint, ComesNearAsTheWeightGrows) {
    for (const char* name : {"double_pendulum", "four_bar", "stanford_arm", "rolling_disk", "ship_pendulum"}) {
        SCOPED_TRACE(name);
        const AtStart at(of_model(name));
        const numeric::Evaluation whole = numeric::evaluate(at.numbers, at.state);
        ASSERT_TRUE(whole.is_ok);
        double before = 0;
        const double scale = 1 + whole.accelerations.lpNorm<Eigen::Infinity>();
        for (const double weight : {1e3, 1e5, 1e7}) {
            const EquationsOfMotion e = formulation::newton_euler::least_constraint(at.pair.bodies, weight);
            EXPECT_TRUE(e.constraints.empty());
            const numeric::CompiledEquations numbers(e);
            const numeric::Evaluation r = numeric::evaluate(numbers, at.state);
            ASSERT_TRUE(r.is_ok) << r.why;
            const double error = (r.accelerations - whole.accelerations).lpNorm<Eigen::Infinity>();
            if (before > 1e-7 * scale) {
                EXPECT_LT(error, before / 20) << weight;
            }
            before = error;
            if (weight < 1e7) continue;
            EXPECT_LT(error, 1e-4 * scale);
            for (Index i = 0; i < r.outputs.size(); ++i)
                EXPECT_NEAR(r.outputs[i], whole.outputs[i], 1e-3 * (scale + std::abs(whole.outputs[i]))) << e.outputs[i].name;
        }
    }
}

/// Every model can be explained, and what is explained is written in the symbols of its equations.
TEST(Explained, HasEveryBodyAndJoint) {
    for (const auto& path : without_beams(files("/models"))) {
        SCOPED_TRACE(path.string());
        const Pair p(read(path));
        const eom::Derivation d = formulation::newton_euler::explain(p.model, p.topology, p.bodies);
        std::size_t bodies = 0, rows = 0;
        for (const eom::Step& step : d.steps) {
            for (const eom::Step::Line& line : step.lines) {
                bodies += line.symbol.starts_with("J[") ? 1 : 0;
                rows += line.symbol.starts_with("rate[") ? 1 : 0;
                for (const auto& row : line.value) {
                    for (const Expr& x : row) {
                        ASSERT_EQ(&x.pool(), p.bodies.pool.get());
                        for (const Expr& s : sym::symbols_in(x)) {
                            EXPECT_NE(s.symbol().role, sym::Role::auxiliary) << line.symbol << ": " << s.symbol().name;
                            if (s.symbol().role == sym::Role::speed) {
                                EXPECT_NE(std::ranges::find(p.bodies.u, s), p.bodies.u.end()) << line.symbol << ": " << s.symbol().name;
                            }
                        }
                    }
                }
            }
        }
        EXPECT_EQ(bodies, p.model.bodies.size() - 1);
        EXPECT_EQ(rows, p.bodies.constraints.size());
    }
}

// ----------------------------------------------------------------------------------------------------------- odd mechanisms

/// Links without mass are held by their joints; their own accelerations have no inertia, the mechanism's have.
TEST(Massless, LinksBetweenJointsAreNothingSpecial) {
    const Pair p(with_reactions(read_text(R"(
format = 1
gravity = [0, "-9.81", 0]
[[body]]
name = "cross"
[[body]]
name = "arm"
mass = 2
com = [0.3, 0.1, 0.4]
inertia = [0.1, 0.2, 0.25]
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "cross"
axis = "x"
[[joint]]
name = "b"
type = "revolute"
parent = "arm"
child = "cross"
axis = "y"
stiffness = 2
)")));
    expect_reduction(p);
    const numeric::CompiledEquations of_kane(p.kane), of_bodies(p.bodies);
    numeric::State at = of_kane.zero_state();
    at.q << 0.4, -0.3;
    at.u << 1, -2;
    expect_same_motion(p, of_kane, of_bodies, at);
}

/// A joint 'fly' with speeds fly.wx and a body 'fly' whose speeds would be called the same; an output takes a name, too.
TEST(Names, OfBodiesAndJointsDoNotMeet) {
    const Pair p(read_text(R"(
format = 1
[[body]]
name = "fly"
mass = 1
inertia = [1, 2, 3]
[[body]]
name = "tail"
mass = 1
inertia = [1, 2, 3]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "fly"
[[joint]]
name = "pin"
type = "revolute"
parent = "fly"
child = "tail"
axis = "z"
[[output]]
name = "tail.wz"
expression = "pin'"
)"));
    std::vector<std::string> names;
    for (const Expr& u : p.bodies.u) names.push_back(u.symbol().name);
    for (const eom::Output& o : p.bodies.outputs) names.push_back(o.name);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    expect_reduction(p);
}

/// Two particles on the axis about which they turn: the graph does not see it, the equations do, as Kane's do.
TEST(Idle, FreedomsAreRefused) {
    model::Model m = model::empty_model("idle");
    const sym::PoolScope scope(*m.pool);
    const model::BodyIndex a = model::body(m, "a", {.mass = 1, .inertia = spatial::diagonal(1, 1, 1)});
    const model::BodyIndex b = model::body(m, "b", {.mass = 1}), c = model::body(m, "c", {.mass = 2});
    model::joint(m, JointType::revolute, "p", model::ground, a, {.axes = {spatial::unit(2)}});
    model::joint(m, JointType::revolute, "q", a, b, {.axes = {spatial::unit(2)}});
    model::joint(m, JointType::weld, "w", b, c, {.parent_at = {{0, 0, 1}}});
    const topology::Analysis analysis = topology::analyse(m);
    ASSERT_TRUE(analysis.topology);
    for (const auto& d : {formulation::kane::derive(m, *analysis.topology), formulation::newton_euler::derive(m, *analysis.topology)}) {
        EXPECT_FALSE(d.equations);
        ASSERT_FALSE(d.problems.empty());
        EXPECT_EQ(d.problems.front().what, "speed q' has no inertia: neither body 'b' nor what it carries resists it");
    }
}

}  // namespace
}  // namespace linkwright::agree
