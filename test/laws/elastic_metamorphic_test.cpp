// Pairs of elastic mechanisms that must move alike, or more and more alike.

#include <fmt/format.h>

#include "laws/mechanism.hpp"
#include "linkwright/proof/prove.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::laws {
namespace {

std::string arm(const std::string& keys, const std::string& rest = "") {
    return R"toml(
format = 1
gravity = [1, -9.81, 2]
[parameters]
L = 1.2
mu = 0.8
EI = 30
mp = 0.5
[[body]]
name = "arm"
type = "beam"
length = "L"
bending = { y = "EI", z = "2*EI" }
)toml" + keys +
           R"toml(
[[joint]]
name = "base"
type = "universal"
parent = "ground"
child = "arm"
)toml" + rest;
}
const std::string two_shapes = "shapes = { y = { family = \"clamped-free\", count = 2 }, z = { family = \"polynomial\", count = 1 } }\n";

/// Half of the mass in lumps at the middles of n equal parts: the midpoint rule, of second order.
TEST(ElasticPairs, ABeamSplitIntoLumpsIsTheBeam) {
    const Mechanism whole(read_model(arm("mass_per_length = \"mu\"\n" + two_shapes)));
    const State s = whole.random_state(3);
    const Evaluation expected = whole.evaluate(s);
    std::vector<double> errors;
    for (const int n : {8, 16, 32}) {
        std::string masses;
        for (int i = 0; i < n; ++i) masses += fmt::format("{{ at = \"{}*L/{}\", mass = \"mu*L/{}\" }}, ", 2 * i + 1, 2 * n, 2 * n);
        const Mechanism lumps(read_model(arm("mass_per_length = \"mu/2\"\nmasses = [ " + masses + "]\n" + two_shapes)));
        const Evaluation found = lumps.evaluate(s);
        ASSERT_TRUE(found.is_ok) << found.why;
        errors.push_back((found.dynamics.M - expected.dynamics.M).norm() / expected.dynamics.M.norm());
        EXPECT_LT((found.dynamics.f - expected.dynamics.f).norm() / expected.dynamics.f.norm(), 1.0 / (n * n));
        EXPECT_LT((found.accelerations - expected.accelerations).norm() / expected.accelerations.norm(), 2.0 / (n * n));
    }
    for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_NEAR(errors[i - 1] / errors[i], 4, 0.2) << errors[i - 1] << " " << errors[i];
}

/// The beam bent as it bends when nothing about it changes quickly: u̇ = 0 of its coordinates. Then it differs from the rigid body by what
/// bends, and that is as 1/EI.
TEST(ElasticPairs, AStiffBeamIsARigidBody) {
    const Mechanism rigid(read_model(R"toml(
format = 1
gravity = [1, -9.81, 2]
[[body]]
name = "arm"
mass = "0.8*1.2"
com = [0.6, 0, 0]
inertia = [0.01, "0.8*1.2^3/12 + 0.01", "0.8*1.2^3/12 + 0.01"]
[[body]]
name = "load"
mass = 0.5
inertia = [0.01, 0.02, 0.03]
[[joint]]
name = "base"
type = "universal"
parent = "ground"
child = "arm"
[[joint]]
name = "hold"
type = "weld"
parent = "arm"
parent_at = [1.2, 0, 0]
child = "load"
)toml"));
    NamedValues values{{"base.1", 0.3}, {"base.2", -0.4}, {"base.1'", 0.7}, {"base.2'", 1.1}};
    const Evaluation expected = rigid.evaluate(rigid.state(values));
    for (const char* const frame : {"tangent", "chord", "mean"}) {
        SCOPED_TRACE(frame);
        std::vector<double> errors;
        for (const double EI : {3e3, 3e4, 3e5}) {
            const std::string family = std::string(frame) == "tangent" ? "clamped-free"
                                       : std::string(frame) == "chord" ? "pinned-pinned"
                                                                       : "free-free";
            Model model = read_model(fmt::format(R"toml(
format = 1
gravity = [1, -9.81, 2]
[[body]]
name = "arm"
type = "beam"
length = 1.2
mass_per_length = 0.8
bending = {{ y = {0}, z = {0} }}
rotary = 0.0083333333333333333
torsion = 1e9
torsion_inertia = 0.00833333333333333333
frame = "{1}"
masses = [ {{ at = 1.2, mass = 0.5, inertia = [0.01, 0.02, 0.03] }} ]
shapes = {{ y = {{ family = "{2}", count = 2 }}, z = {{ family = "{2}", count = 1 }} }}
[[joint]]
name = "base"
type = "universal"
parent = "ground"
child = "arm"
child_at = {{ at = 0 }}
)toml",
                                                 EI, frame, family));
            const Mechanism beam(std::move(model));
            State s = beam.state(values);
            const Eigen::Index n = s.u.size();
            std::vector<Eigen::Index> elastic;
            for (Eigen::Index i = 0; i < n; ++i) {
                if (beam.equations.u[static_cast<std::size_t>(i)].symbol().name.starts_with("arm.")) elastic.push_back(i);
            }
            ASSERT_EQ(elastic.size(), 3U);
            const auto at = [&](const VectorXd& q) {
                for (std::size_t k = 0; k < 3; ++k) s.q[elastic[k]] = q[static_cast<Eigen::Index>(k)];
                const Evaluation e = beam.evaluate(s);
                VectorXd a(3);
                for (std::size_t k = 0; k < 3; ++k) a[static_cast<Eigen::Index>(k)] = e.accelerations[elastic[k]];
                return a;
            };
            VectorXd q = VectorXd::Zero(3);
            for (int step = 0; step < 4; ++step) {  // Newton
                const VectorXd a = at(q);
                MatrixXd J(3, 3);
                for (Eigen::Index k = 0; k < 3; ++k)
                    J.col(k) = (at(q + 1e-6 * VectorXd::Unit(3, k)) - at(q - 1e-6 * VectorXd::Unit(3, k))) / 2e-6;
                q -= J.fullPivLu().solve(a);
            }
            EXPECT_LT(at(q).norm(), 1e-5);
            const Evaluation e = beam.evaluate(s);
            double error = 0;
            for (std::size_t i = 0; i < beam.equations.u.size(); ++i) {
                const std::string& name = beam.equations.u[i].symbol().name;
                if (name.starts_with("base"))
                    error += std::abs(e.accelerations[static_cast<Eigen::Index>(i)] - acceleration(rigid, expected, name));
            }
            errors.push_back(error);
        }
        EXPECT_LT(errors.back(), 1e-2);
        for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_NEAR(errors[i - 1] / errors[i], 10, 1) << errors[i - 1] << " " << errors[i];
    }
}

/// End for end: x' = L − x, turned by 180° about z. Polynomials of these frames are even or odd about the middle.
TEST(ElasticPairs, ABeamTurnedEndForEndIsTheBeam) {
    for (const char* const frame : {"chord", "mean"}) {
        SCOPED_TRACE(frame);
        const auto make = [&](bool is_turned) {
            const std::string pieces = is_turned
                                           ? "{ to = 0.7, mass_per_length = 0.5, bending = { y = 9, z = 4 }, torsion_inertia = 0.1 }, { to "
                                             "= 1.2, mass_per_length = 1, bending = { y = 30, z = 20 }, torsion_inertia = 0.2 }"
                                           : "{ to = 0.5, mass_per_length = 1, bending = { y = 30, z = 20 }, torsion_inertia = 0.2 }, { to "
                                             "= 1.2, mass_per_length = 0.5, bending = { y = 9, z = 4 }, torsion_inertia = 0.1 }";
            const std::string turned = "{ rotate = [\"z\"], by = [\"pi\"] }";
            const std::string twist = std::string(frame) == "mean" ? ", twist = { family = \"polynomial\", count = 2 }" : "";
            return fmt::format(R"toml(
format = 1
gravity = [1, -9.81, 2]
[[body]]
name = "{0}"
type = "beam"
length = 1.2
pieces = [ {1} ]
torsion = 5
frame = "{2}"
damping = 0.03
masses = [ {{ at = {3}, mass = 0.4, inertia = [0.01, 0.02, 0.03] }} ]
rigid = {{ {4} = 0.1, {4}_mass = 0.2 }}
shapes = {{ y = {{ family = "polynomial", count = 3 }}, z = {{ family = "polynomial", count = 2 }}{5} }}
[[body]]
name = "tool"
mass = 1
com = [0.1, 0.2, 0]
inertia = [0.1, 0.2, 0.3]
[[joint]]
name = "base"
type = "gimbal"
parent = "ground"
child = "{0}"
child_at = {{ at = {6} }}
{7}
[[joint]]
name = "wrist"
type = "universal"
parent = "{0}"
parent_at = {{ at = {8} }}
child = "tool"
{9}
)toml",
                               is_turned ? "mra" : "arm", pieces, frame, is_turned ? "0.3" : "0.9", is_turned ? "end" : "start", twist,
                               is_turned ? "1.2" : "0", is_turned ? "child_axes = " + turned : "", is_turned ? "0" : "1.2",
                               is_turned ? "parent_axes = " + turned : "");
        };
        const Mechanism a(read_model(make(false))), b(read_model(make(true)));
        const State s = a.random_state(11);
        // Of a shape of degree d about the middle: (−1)^d, and the direction turned round.
        const auto sign = [&](const std::string& name) {
            const std::string of = name.substr(4);
            const int number = of[of.find_first_of("123")] - '0';
            const bool is_twist = of.starts_with("twist"), is_odd = is_twist ? number % 2 == 1 : number % 2 == 0;
            return (is_odd ? -1.0 : 1.0) * (of[0] == 'z' ? 1.0 : -1.0);
        };
        NamedValues values;
        for (const auto& [name, value] : a.values(s)) {
            const bool is_elastic = name.starts_with("arm.y") || name.starts_with("arm.z") || name.starts_with("arm.twist");
            values[is_elastic ? "mra" + name.substr(3) : name] = is_elastic ? sign(name) * value : value;
        }
        const State t = b.state(values, s.t);
        Physics found = physics(b, t), expected = physics(a, s);
        expected.reaction.clear();  // on the child, in whose axes they are not asked for here
        expect_same(expected, found, 1e-9);
        const Evaluation of_a = a.evaluate(s), of_b = b.evaluate(t);
        for (std::size_t i = 0; i < a.equations.u.size(); ++i) {
            const std::string& name = a.equations.u[i].symbol().name;
            const bool is_elastic = name.starts_with("arm.");
            const double other = acceleration(b, of_b, is_elastic ? "mra" + name.substr(3) : name);
            const double expected_here = is_elastic ? sign(name) * of_a.accelerations[static_cast<Eigen::Index>(i)]
                                                    : of_a.accelerations[static_cast<Eigen::Index>(i)];
            EXPECT_NEAR(other, expected_here, 1e-8 * (1 + std::abs(expected_here))) << name;
        }
    }
}

/// Polynomials of the three frames and a hinge's turn span the same deflections: small motions are the same, whoever holds the frame.
TEST(ElasticPairs, FramesHaveTheSameSmallMotions) {
    for (const char* const joint : {"revolute", "free", "spherical"}) {
        SCOPED_TRACE(joint);
        std::vector<VectorXd> squares;
        for (const char* const frame : {"tangent", "chord", "mean"}) {
            const Mechanism m(read_model(fmt::format(R"toml(
format = 1
[[body]]
name = "arm"
type = "beam"
length = 1.4
pieces = [ {{ to = 0.5, mass_per_length = 1 }}, {{ to = 1.4, mass_per_length = 0.5, bending = {{ y = 12, z = 7 }} }} ]
bending = {{ y = 30, z = 10 }}
torsion = 3
torsion_inertia = 0.05
rigid = {{ start = 0.1, end = 0.2, end_mass = 0.3 }}
masses = [ {{ at = 0.8, mass = 0.4, inertia = [0.01, 0.02, 0.03, 0.002, 0.001, 0.003] }} ]
frame = "{0}"
shapes = {{ y = {{ family = "polynomial", count = 3 }}, z = {{ family = "polynomial", count = 2 }}, twist = {{ family = "polynomial", count = 2 }} }}
[[joint]]
name = "hip"
type = "{1}"
parent = "ground"
child = "arm"
child_at = {{ at = 0 }}
)toml",
                                                     frame, joint)));
            State s = m.state({{"hip.e0", 1}});
            const Eigen::Index n = s.u.size();
            MatrixXd K = MatrixXd::Zero(n, n);
            const MatrixXd M = m.evaluate(s).dynamics.M;
            for (Eigen::Index k = 0; k < n; ++k) {
                const std::string& name = m.equations.u[static_cast<std::size_t>(k)].symbol().name;
                if (!name.starts_with("arm.")) continue;
                for (std::size_t i = 0; i < m.equations.q.size(); ++i) {
                    if (m.equations.q[i].symbol().name + "'" != name) continue;
                    State bent = s;
                    bent.q[static_cast<Eigen::Index>(i)] += 1e-3;
                    K.col(k) = -m.evaluate(bent).dynamics.f / 1e-3;
                }
            }
            const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen((K + K.transpose()) / 2, M);
            EXPECT_LT((K - K.transpose()).norm(), 1e-8 * K.norm());
            squares.push_back(eigen.eigenvalues());
        }
        for (const VectorXd& other : squares) {
            ASSERT_EQ(other.size(), squares[0].size());
            EXPECT_LT((other - squares[0]).cwiseAbs().maxCoeff(), 1e-8 * squares[0].maxCoeff());
        }
    }
}

/// [lee90 table 2.1]: mass at the tip is m φ(L), m φ(L)φ(L) and so on added to the constants. Not as numbers: as formulas.
TEST(ElasticPairs, APayloadAddsToTheConstants) {
    for (const char* const shortening : {"true", "false"}) {
        const std::string keys = "mass_per_length = \"mu\"\nshortening = " + std::string(shortening) + "\n" + two_shapes;
        const std::string hand = R"toml(
[[body]]
name = "hand"
mass = 1
inertia = [0.1, 0.2, 0.3]
[[joint]]
name = "wrist"
type = "revolute"
parent = "arm"
parent_at = "tip"
child = "hand"
)toml";
        const Model loaded = read_model(arm(keys + "masses = [ { at = \"L\", mass = \"mp\" } ]\n", hand));
        Model model = read_model(arm(keys, hand));
        {
            const sym::PoolScope scope(*model.pool);
            model::Elastic& e = model.bodies[1].beam->elastic;
            const Expr mp = model.pool->symbol("mp", sym::Role::parameter);
            const BodyIndex tip = *model::find_body(model, "arm.tip");
            const model::Joint& section =
                *std::ranges::find_if(model.joints, [&](const model::Joint& j) { return j.section && j.child == tip; });
            std::vector<Expr> g;
            for (const model::ElasticTerm& t : e.terms) {
                Expr x = section.parent_at[t.axis];
                for (const std::size_t k : t.factors) x = derivative(x, e.coordinates[k]);
                if (t.factors.empty()) x = model.bodies[1].beam->length;
                if (t.factors.size() == 1) {
                    sym::Substitution straight([&] {
                        std::vector<sym::Binding> at;
                        for (const Expr& q : e.coordinates) at.emplace_back(q, Expr(0));
                        return at;
                    }());
                    x = straight(x);
                }
                const bool is_square = t.factors.size() == 2 && t.factors[0] == t.factors[1];
                g.push_back(x / t.coefficient / (is_square ? 2 : 1));
            }
            e.mass += mp;
            for (std::size_t a = 0; a < g.size(); ++a) {
                e.first[a] += mp * g[a];
                for (std::size_t b = 0; b < g.size(); ++b) e.second[a][b] += mp * g[a] * g[b];
            }
        }
        const auto derive = [](const Model& m) { return *formulation::kane::derive(m, *topology::analyse(m).topology, {}).equations; };
        const proof::Pair pair = proof::compare(derive(loaded), derive(model), {.seed = 1});
        EXPECT_EQ(pair.verdict, sym::Verdict::equal) << pair.why << (pair.difference ? pair.difference->entry : "");
        EXPECT_EQ(pair.numeric, 0U);
    }
}

TEST(ElasticPairs, AMassOnTheBeamIsABodyWeldedToIt) {
    const std::string welded = R"toml(
[[body]]
name = "load"
mass = "mp"
inertia = [0.01, 0.02, 0.03, 0.001, 0.002, 0.003]
[[joint]]
name = "hold"
type = "weld"
parent = "arm"
parent_at = { at = "0.4*L" }
child = "load"
)toml";
    for (const char* const rigid : {"", "rigid = { start = 0.1, end = 0.2, end_mass = 0.3 }\n"}) {
        const std::string keys = "mass_per_length = \"mu\"\nrotary = 0.01\n" + std::string(rigid) + two_shapes;
        const Mechanism a(
            read_model(arm(keys + "masses = [ { at = \"0.4*L\", mass = \"mp\", inertia = [0.01, 0.02, 0.03, 0.001, 0.002, 0.003] } ]\n")));
        const Mechanism b(read_model(arm(keys, welded)));
        const State s = a.random_state(8);
        expect_same(physics(a, s), physics(b, b.state(a.values(s), s.t)), 1e-9);
    }
}

}  // namespace
}  // namespace linkwright::laws
