// Beams: shape constants, sections, damping; read, built, written, in chains.

#include "linkwright/model/beam.hpp"

#include <gtest/gtest.h>

#include "linkwright/model/build.hpp"
#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/model/visit.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "support/beam_numbers.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using laws::BeamNumbers;
using laws::Jet;
using Index = Eigen::Index;

Model read_model(const std::string& text) {
    Reading reading = read(text);
    EXPECT_TRUE(reading.model) << to_string(reading.problems);
    return reading.model ? std::move(*reading.model) : empty_model();
}

Model with_beam(const std::string& keys, const std::string& rest = "") {
    return read_model(R"(format = 1
[parameters]
L = 1.3
mu = 0.7
EI = 50
a = 0.5
[[body]]
name = "arm"
type = "beam"
)" + keys + R"(
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "arm"
)" + rest);
}
const Beam& beam_of(const Model& m) { return *m.bodies[1].beam; }

double constant(const Model& m, const std::string& name) {
    for (const Parameter& p : m.parameters) {
        if (p.symbol.symbol().name == name) return ParameterValues(m)(p.symbol);
    }
    ADD_FAILURE() << "no constant " << name;
    return 0;
}
bool has_constant(const Model& m, const std::string& name) {
    return std::ranges::any_of(m.parameters, [&](const Parameter& p) { return p.symbol.symbol().name == name; });
}

/// With values for the coordinates of the first beam.
class AtCoordinates {
public:
    AtCoordinates(const Model& m, std::vector<double> q) : m_(m), value_(m), q_(std::move(q)) {}
    double operator()(const Expr& e) const {
        return sym::evaluate<double>(e, [&](const Expr& s) {
            const std::vector<Expr>& names = beam_of(m_).elastic.coordinates;
            const auto at = std::ranges::find(names, s);
            return at == names.end() ? value_(s) : q_[static_cast<std::size_t>(at - names.begin())];
        });
    }
    Vector3d operator()(const Vec3& v) const { return {(*this)(v[0]), (*this)(v[1]), (*this)(v[2])}; }

private:
    const Model& m_;
    ParameterValues value_;
    std::vector<double> q_;
};

const Joint& section_of(const Model& m, BodyIndex body) {
    return *std::ranges::find_if(m.joints, [&](const Joint& j) { return j.section && j.child == body; });
}

// -------------------------------------------------------------------------------------------------- constants

/// Link 1 of the two-link arm: ../shared/oracles/flex/B_lee.json, link_constants.
TEST(Beam, ConstantsAreLees) {
    const Model m = read_model(R"(format = 1
[[body]]
name = "link"
type = "beam"
length = 1
mass_per_length = 1
bending = { y = 100 }
shapes = { y = { family = "clamped-free", count = 2 } }
shortening = false
[[joint]]
name = "th1"
type = "revolute"
parent = "ground"
child = "link"
)");
    const sym::PoolScope scope(*m.pool);
    EXPECT_NEAR(constant(m, "link.m"), 1, 1e-15);
    EXPECT_NEAR(constant(m, "link.S"), 0.5, 1e-15);
    EXPECT_NEAR(constant(m, "link.X"), 1.0 / 3, 1e-15);
    EXPECT_NEAR(constant(m, "link.S.y1"), 0.7829917560396258, 1e-14);
    EXPECT_NEAR(constant(m, "link.S.y2"), 0.4339358951107193, 1e-14);
    EXPECT_NEAR(constant(m, "link.X.y1"), 0.5688257437099108, 1e-14);
    EXPECT_NEAR(constant(m, "link.X.y2"), 0.09076678688638697, 1e-14);
    EXPECT_NEAR(constant(m, "link.K.y1y1"), 1236.236336832619, 1e-11);
    EXPECT_NEAR(constant(m, "link.K.y2y2"), 48551.8818513371, 1e-9);
    EXPECT_NEAR(constant(m, "link.tip.y1"), 2, 1e-14);
    EXPECT_NEAR(constant(m, "link.tip.y2"), -2, 1e-14);
    EXPECT_NEAR(constant(m, "link.tip.y1'"), 2.7530109693450697, 1e-13);
    EXPECT_NEAR(constant(m, "link.tip.y2'"), -9.561556820423268, 1e-13);
    // ∫φ₁φ₂ = 0 is no constant, ∫φ₂² = ∫φ₁² is the same one.
    const Elastic& e = beam_of(m).elastic;
    EXPECT_EQ(constant(m, "link.N.y1y1"), 1);
    EXPECT_FALSE(has_constant(m, "link.N.y1y2"));
    EXPECT_FALSE(has_constant(m, "link.N.y2y2"));
    EXPECT_FALSE(has_constant(m, "link.K.y1y2"));
    EXPECT_TRUE(e.second[1][2].is_literally(0));
    EXPECT_EQ(e.second[1][1], e.second[2][2]);
    EXPECT_TRUE(e.stiffness[0][1].is_literally(0));
}

TEST(Beam, EqualConstantsAreOneSymbol) {
    const Model m = with_beam(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI", z = "EI" }
shapes = { family = "clamped-free", count = 2 })");
    const sym::PoolScope scope(*m.pool);
    const Elastic& e = beam_of(m).elastic;
    EXPECT_EQ(e.first[1], e.first[3]);  // ∫φ₁ dm of y1 and z1
    EXPECT_EQ(e.stiffness[1][1], e.stiffness[3][3]);
    EXPECT_FALSE(has_constant(m, "arm.S.z1"));
    EXPECT_FALSE(has_constant(m, "arm.tip.z1"));
}

struct Description {
    const char* name;
    const char* keys;
};
constexpr Description descriptions[]{
    {"Tangent", R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI", z = "2*EI" }
rotary = 0.02
shapes = { y = { family = "clamped-free", count = 3 }, z = { family = "clamped-pinned", count = 2 } })"},
    {"Chord", R"(length = "L"
frame = "chord"
mass_per_length = "mu"
bending = { y = "EI", z = "2*EI" }
axial = 1000
shapes = { y = { family = "pinned-pinned", count = 3 }, z = { family = "polynomial", count = 2 }, x = { family = "clamped-free", count = 2 } })"},
    {"Mean", R"(length = "L"
frame = "mean"
mass_per_length = "mu"
bending = { y = "EI", z = "2*EI" }
torsion = 20
torsion_inertia = 0.03
axial = 1000
shapes = { y = { family = "free-free", count = 2 }, z = { family = "polynomial", count = 2 }, x = { family = "free-free", count = 1 }, twist = { family = "polynomial", count = 2 } })"},
    {"Pieces", R"(length = "L"
bending = { y = "EI" }
torsion = 3
pieces = [ { to = "a", mass_per_length = 1.5, torsion_inertia = 0.1 }, { to = "2*a", mass_per_length = 0.2, bending = { y = "EI/3" }, torsion_inertia = 0.3 }, { to = "L", mass_per_length = "mu" } ]
shapes = { y = { family = "clamped-free", count = 3 }, twist = { family = "clamped-free", count = 2 } })"},
    {"PiecesOfAMeanFrame", R"(length = "L"
frame = "mean"
bending = { y = "EI", z = 30 }
torsion = 3
pieces = [ { to = "a", mass_per_length = 1.5, torsion_inertia = 0.1 }, { to = "L", mass_per_length = "mu", torsion_inertia = 0.2 } ]
shapes = { y = { family = "free-free", count = 2, normalise = "tip" }, z = { family = "polynomial", count = 2, normalise = "mass" }, twist = { family = "free-free", count = 1 } })"},
    {"Sleeves", R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
rigid = { start = 0.1, end = "a/3", end_mass = 0.4 }
shapes = { y = { family = "polynomial", count = 3, normalise = "tip" } })"},
    {"SleevesAndPieces", R"(length = "L"
frame = "chord"
bending = { y = "EI" }
rigid = { start = 0.1, start_mass = 0.3, end = "a/3" }
pieces = [ { to = "a", mass_per_length = 1.5 }, { to = "L", mass_per_length = "mu" } ]
shapes = { y = { family = "clamped-pinned", count = 2, normalise = "mass" } })"},
    {"MassAtTheTip", R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
masses = [ { at = "L", mass = 0.6, inertia = 0.02 } ]
shapes = { y = { family = "clamped-mass", count = 2 } })"},
    {"NoShortening", R"(length = "L"
mass_per_length = "mu"
bending = { z = "EI" }
shortening = false
shapes = { z = { family = "clamped-free", count = 2, normalise = "mass" } })"},
};

class BeamConstants : public ::testing::TestWithParam<Description> {};

TEST_P(BeamConstants, AgreeWithQuadrature) {
    const Model m = with_beam(GetParam().keys);
    const sym::PoolScope scope(*m.pool);
    const ParameterValues value(m);
    const Beam& beam = beam_of(m);
    const Elastic& e = beam.elastic;
    const BeamNumbers numbers(beam, [&](const Expr& x) { return value(x); });
    const auto g = [&](std::size_t a, const BeamNumbers::Station& s) {
        const std::vector<std::size_t>& of = e.terms[a].factors;
        return of.empty() ? s.x : of.size() == 1 ? s.shape[of[0]][0] : s.shortening(static_cast<Index>(of[0]), static_cast<Index>(of[1]));
    };
    const std::size_t n = e.terms.size(), k = e.coordinates.size();
    MatrixXd first = MatrixXd::Zero(1, n), second = MatrixXd::Zero(n, n), spin = MatrixXd::Zero(k, k), turn = MatrixXd::Zero(k, k);
    double mass = 0;
    for (const BeamNumbers::Piece& p : numbers.pieces()) {
        for (const laws::Node& node : laws::gauss_nodes(p.from, p.to)) {
            const BeamNumbers::Station s = numbers.station(node.x);
            const double dm = node.weight * p.mass;
            mass += dm;
            for (std::size_t a = 0; a < n; ++a) {
                first(0, static_cast<Index>(a)) += dm * g(a, s);
                for (std::size_t b = 0; b < n; ++b) second(static_cast<Index>(a), static_cast<Index>(b)) += dm * g(a, s) * g(b, s);
            }
            for (std::size_t i = 0; i < k; ++i) {
                for (std::size_t j = 0; j < k; ++j) {
                    spin(static_cast<Index>(i), static_cast<Index>(j)) += node.weight * p.torsion_inertia * s.shape[i][0] * s.shape[j][0];
                    turn(static_cast<Index>(i), static_cast<Index>(j)) += node.weight * p.rotary * s.shape[i][1] * s.shape[j][1];
                }
            }
        }
    }
    EXPECT_NEAR(value(e.mass), mass, 1e-13);
    for (std::size_t a = 0; a < n; ++a) {
        EXPECT_NEAR(value(e.first[a]), first(0, static_cast<Index>(a)), 1e-12 * (1 + std::abs(first(0, static_cast<Index>(a))))) << a;
        for (std::size_t b = 0; b < n; ++b) {
            const double expected = second(static_cast<Index>(a), static_cast<Index>(b));
            EXPECT_NEAR(value(e.second[a][b]), expected, 2e-12 * (3 + std::abs(expected))) << a << " " << b;
        }
    }
    const MatrixXd K = numbers.stiffness();
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            const Index r = static_cast<Index>(i), c = static_cast<Index>(j);
            EXPECT_NEAR(value(e.stiffness[i][j]), K(r, c), 1e-12 * (1 + K.cwiseAbs().maxCoeff())) << i << " " << j;
            for (const ElasticSpin& s : e.spins) {
                if (s.axis == 0 && numbers.direction(i) == BeamDirection::twist && numbers.direction(j) == BeamDirection::twist) {
                    EXPECT_NEAR(value(s.second[i][j]), spin(r, c), 1e-13);
                }
                const BeamDirection bends = s.axis == 2 ? BeamDirection::y : BeamDirection::z;
                if (s.axis != 0 && numbers.direction(i) == bends && numbers.direction(j) == bends) {
                    EXPECT_NEAR(value(s.second[i][j]), turn(r, c), 1e-12);
                }
            }
        }
    }
}

TEST_P(BeamConstants, SectionsAreWhereTheBeamIs) {
    Model m = with_beam(GetParam().keys);
    const sym::PoolScope scope(*m.pool);
    const ParameterValues value(m);
    const BeamNumbers numbers(beam_of(m), [&](const Expr& x) { return value(x); });
    std::vector<double> q;
    std::vector<Jet> jets;
    for (std::size_t i = 0; i < numbers.count(); ++i)
        q.push_back(0.05 * std::sin(1.0 + 2.0 * static_cast<double>(i))), jets.emplace_back(q.back());
    for (const double x : {0.0, 0.04, 0.1, 0.6, 1.25, 1.3}) {
        for (const bool turns : {true, false}) {
            const PointOf p = point_on(m, 1, x, {}, turns);
            const AtCoordinates at(m, q);
            const Joint& section = section_of(m, p.body);
            const BeamNumbers::Station s = numbers.station(x);
            const Eigen::Matrix3d R = numbers.axes(s, jets).x;
            const Vector3d place = numbers.place(s, jets).x + R * Vector3d(x - s.x, 0, 0);
            EXPECT_LT((at(section.parent_at) - place).norm(), 1e-12) << x;
            const Mat3 axes = section.parent_axes.matrix();
            for (std::size_t r = 0; r < 3; ++r) {
                for (std::size_t c = 0; c < 3; ++c) {
                    const double expected = turns ? R(static_cast<Index>(r), static_cast<Index>(c)) : r == c ? 1 : 0;
                    EXPECT_NEAR(at(axes[r][c]), expected, 1e-12) << x;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Of, BeamConstants, ::testing::ValuesIn(descriptions), [](const auto& p) { return p.param.name; });

/// What a mean frame asks for is no rounding but nothing at all; and what is odd over a beam that is even.
TEST(Beam, MeanFramesHaveNoMean) {
    for (const Description& d : {descriptions[2], descriptions[4]}) {
        const Model m = with_beam(d.keys);
        const sym::PoolScope scope(*m.pool);
        const Elastic& e = beam_of(m).elastic;
        for (std::size_t a = 1; a < e.terms.size(); ++a) {
            EXPECT_TRUE(e.first[a].is_literally(0)) << d.name << " " << a;
            if (e.terms[a].axis != 0) EXPECT_TRUE(e.second[0][a].is_literally(0)) << d.name << " " << a;
        }
        for (const ElasticSpin& s : e.spins) {
            for (const Expr& x : s.first) EXPECT_TRUE(x.is_literally(0)) << d.name;
        }
    }
    const Model m = with_beam(descriptions[2].keys);
    EXPECT_TRUE(has_constant(m, "arm.H.y1y1.y2y2"));
    EXPECT_FALSE(has_constant(m, "arm.H.y1y1.y1y2"));
}

TEST(Beam, NormalisedShapesAreOneWhereTheyAreToBe) {
    const Model m = with_beam(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI", z = "EI" }
shapes = { y = { family = "clamped-free", count = 2, normalise = "mass" }, z = { family = "clamped-free", count = 2, normalise = "tip" } })");
    const sym::PoolScope scope(*m.pool);
    const ParameterValues value(m);
    const Elastic& e = beam_of(m).elastic;
    for (const std::size_t a : {1U, 2U}) EXPECT_NEAR(value(e.second[a][a]), 1, 1e-14);
    const Joint& tip = section_of(m, *m.bodies[1].points.back().on);
    const AtCoordinates at(m, {0, 0, 1, 1});
    EXPECT_NEAR(at(tip.parent_at[2]), 2, 1e-14);
}

// -------------------------------------------------------------------------------------------------- masses

TEST(Beam, SleevesAndMassesAreOnSections) {
    const Model m = with_beam(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
rigid = { start = 0.2, end = 0.1, end_mass = 0.5 }
masses = [ { at = "L", mass = 2, inertia = 0.3 }, { at = 0.7, mass = 1, inertia = [0.1, 0.2, 0.3, 0.01, 0.02, 0.03] } ]
shapes = { y = { family = "clamped-free", count = 1 } })");
    const sym::PoolScope scope(*m.pool);
    const ParameterValues value(m);
    const auto body = [&](const char* name) { return m.bodies[*find_body(m, name)]; };
    // In a tangent frame the near sleeve is fixed in the frame.
    EXPECT_NEAR(value(m.bodies[1].mass), 0.7 * 0.2, 1e-15);
    EXPECT_NEAR(value(m.bodies[1].com[0]), 0.1, 1e-15);
    EXPECT_NEAR(value(m.bodies[1].inertia[1][1]), 0.7 * 0.2 * 0.04 / 12, 1e-16);
    EXPECT_TRUE(m.bodies[1].inertia[0][0].is_literally(0));
    EXPECT_NEAR(value(beam_of(m).elastic.mass), 0.7, 1e-14);
    EXPECT_NEAR(value(body("arm.far").mass), 0.5, 1e-15);
    EXPECT_NEAR(value(body("arm.far").com[0]), 0.05, 1e-15);
    EXPECT_NEAR(value(body("arm.far").inertia[2][2]), 0.5 * 0.01 / 12, 1e-16);
    EXPECT_NEAR(value(body("arm.tip").mass), 2, 0);
    EXPECT_NEAR(value(body("arm.tip").inertia[2][2]), 0.3, 1e-15);
    EXPECT_TRUE(body("arm.tip").inertia[0][0].is_literally(0));
    EXPECT_NEAR(value(body("arm.mass2").inertia[0][1]), 0.01, 1e-15);
    EXPECT_NEAR(value(body("arm.mass2").inertia[1][2]), 0.03, 1e-15);
}

TEST(Beam, ComIsThatOfTheStraightBeamAndComNowMoves) {
    const Model m = with_beam(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
rigid = { start = 0.2, start_mass = 1 }
masses = [ { at = "L", mass = 2 } ]
shapes = { y = { family = "clamped-free", count = 1 } })",
                              R"([[output]]
name = "still"
position = "arm.com"
[[output]]
name = "now"
position = "arm.com_now"
)");
    const sym::PoolScope scope(*m.pool);
    const double x = (1 * 0.1 + 0.7 * 1.1 * 0.75 + 2 * 1.3) / (1 + 0.7 * 1.1 + 2);
    EXPECT_NEAR(ParameterValues(m)(m.outputs[0].point.at[0]), x, 1e-14);
    const Joint& now = section_of(m, m.outputs[1].point.body);
    EXPECT_NEAR(AtCoordinates(m, {0})(now.parent_at[0]), x, 1e-14);
    const double phi = 0.7829917560396258, v = (0.7 * 1.1 * phi + 2 * 2) * 0.03 / (1 + 0.7 * 1.1 + 2);
    EXPECT_NEAR(AtCoordinates(m, {0.03})(now.parent_at[1]), v, 1e-14);
    EXPECT_LT(AtCoordinates(m, {0.03})(now.parent_at[0]), x);
}

// -------------------------------------------------------------------------------------------------- outputs

TEST(Beam, DeflectionStrainAndMomentAreThoseOfTheShapes) {
    const Model m = with_beam(R"(length = "L"
pieces = [ { to = "a", mass_per_length = 1 }, { to = "L", mass_per_length = "mu", bending = { y = "EI/2", z = 7 } } ]
bending = { y = "EI", z = 10 }
torsion = 5
torsion_inertia = 0.1
axial = 300
shapes = { y = { family = "clamped-free", count = 2 }, z = { family = "polynomial", count = 1 }, x = { family = "clamped-free" }, twist = { family = "clamped-free" } }
points = { gauge = { at = 0.9, offset = [0, 0.02, -0.03] }, near = { at = 0.2 } })",
                              R"([[output]]
name = "d"
deflection = "arm.gauge"
[[output]]
name = "e"
strain = "arm.gauge"
[[output]]
name = "m"
moment = "arm.gauge"
[[output]]
name = "n"
moment = "arm.near"
[[output]]
name = "el"
expression = "arm.elastic"
)");
    const sym::PoolScope scope(*m.pool);
    const ParameterValues value(m);
    const BeamNumbers numbers(beam_of(m), [&](const Expr& x) { return value(x); });
    const std::vector<double> q{0.03, -0.01, 0.02, 0.004, 0.05};
    const std::vector<Jet> jets(q.begin(), q.end());
    const AtCoordinates at(m, q);
    const auto output = [&](const std::string& name) {
        for (const Output& o : m.outputs) {
            if (o.name == name) return at(o.expression);
        }
        ADD_FAILURE() << "no output " << name;
        return 0.0;
    };
    const BeamNumbers::Station s = numbers.station(0.9), near = numbers.station(0.2);
    const Vector3d deflected = numbers.place(s, jets).x - Vector3d(0.9, 0, 0);
    EXPECT_NEAR(output("d.x"), deflected[0], 1e-14);
    EXPECT_NEAR(output("d.y"), deflected[1], 1e-14);
    EXPECT_NEAR(output("d.z"), deflected[2], 1e-14);
    const auto curvature_y = [&](const BeamNumbers::Station& x) { return x.shape[0][2] * q[0] + x.shape[1][2] * q[1]; };
    const auto curvature_z = [&](const BeamNumbers::Station& x) { return x.shape[2][2] * q[2]; };
    EXPECT_NEAR(output("e"), -0.02 * curvature_y(s) + 0.03 * curvature_z(s) + s.shape[3][1] * q[3], 1e-13);
    EXPECT_NEAR(output("m.x"), 5 * s.shape[4][1] * q[4], 1e-13);
    EXPECT_NEAR(output("m.y"), -7 * curvature_z(s), 1e-12);
    EXPECT_NEAR(output("m.z"), 25 * curvature_y(s), 1e-12);
    EXPECT_NEAR(output("n.y"), -10 * curvature_z(near), 1e-12);
    EXPECT_NEAR(output("n.z"), 50 * curvature_y(near), 1e-12);
    const VectorXd x = Eigen::Map<const VectorXd>(q.data(), 5);
    EXPECT_NEAR(output("el"), x.dot(numbers.stiffness() * x) / 2, 1e-12);
}

// -------------------------------------------------------------------------------------------------- damping

/// ΦᵀCΦ = diag(2ζω) with ΦᵀNΦ = 1, ΦᵀKΦ = diag(ω²).
TEST(Beam, DampingIsModal) {
    for (const char* const masses : {"", "masses = [ { at = \"L\", mass = 0.4, inertia = [0.01, 0.02, 0.03, 0.001, 0.002, 0.003] } ]\n"}) {
        for (const bool is_list : {false, true}) {
            if (is_list && *masses != '\0') continue;
            const Model m =
                with_beam(std::string(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI", z = 10 }
)") + masses + (is_list ? "damping = [0.01, 0.02, 0.03, 0.04]\n" : "damping = 0.02\n") +
                          "shapes = { y = { family = \"clamped-free\", count = 2 }, z = { family = \"polynomial\", count = 2 } }");
            const sym::PoolScope scope(*m.pool);
            const ParameterValues value(m);
            const Elastic& e = beam_of(m).elastic;
            const sym::Matrix mass = mass_at_rest(m, 1);
            MatrixXd N(4, 4), K(4, 4), C(4, 4);
            for (std::size_t k = 0; k < 4; ++k) {
                for (std::size_t l = 0; l < 4; ++l) {
                    const Index i = static_cast<Index>(k), j = static_cast<Index>(l);
                    N(i, j) = value(mass[k][l]), K(i, j) = value(e.stiffness[k][l]), C(i, j) = value(e.damping[k][l]);
                }
            }
            const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(K, N);
            const MatrixXd D = eigen.eigenvectors().transpose() * C * eigen.eigenvectors();
            for (Index i = 0; i < 4; ++i) {
                for (Index j = 0; j < 4; ++j) {
                    if (i != j) EXPECT_NEAR(D(i, j), 0, 1e-10 * D.maxCoeff());
                }
                Index most = 0;
                eigen.eigenvectors().col(i).cwiseAbs().maxCoeff(&most);
                const bool is_y = most < 2;
                double zeta = 0.02;  // of each direction the lower frequency has the first ratio
                if (is_list) {
                    Index lower = 0;
                    for (Index j = 0; j < i; ++j) {
                        Index at = 0;
                        eigen.eigenvectors().col(j).cwiseAbs().maxCoeff(&at);
                        lower += (at < 2) == is_y ? 1 : 0;
                    }
                    zeta = 0.01 * static_cast<double>((is_y ? 1 : 3) + lower);
                }
                EXPECT_NEAR(D(i, i), 2 * zeta * std::sqrt(eigen.eigenvalues()[i]), 1e-10 * D.maxCoeff()) << i;
            }
        }
    }
}

/// The damping of coupled shapes, C for a parameter `a` that is not the file's, and the slope of each entry there.
struct Damping {
    MatrixXd C, slope;
};
Damping damping_at(Model m, double a) {
    const sym::PoolScope scope(*m.pool);
    const Expr symbol = m.pool->symbol("a", sym::Role::parameter);
    for (Parameter& p : m.parameters) {
        if (p.symbol == symbol) p.value = a;
    }
    const ParameterValues value(m);
    const sym::Matrix& damping = beam_of(m).elastic.damping;
    const Index n = static_cast<Index>(damping.size());
    Damping found{MatrixXd::Zero(n, n), MatrixXd::Zero(n, n)};
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            found.C(i, j) = value(damping[i][j]);
            for (const Parameter& p : m.parameters) {
                if (p.symbol == damping[i][j]) found.slope(i, j) = value(derivative(p.value, symbol));
            }
        }
    }
    return found;
}

/// Ratios stay what they are when the mass at the tip is changed, and C has the slopes of that.
TEST(Beam, DampingOfCoupledShapesFollows) {
    for (const char* const ratios : {"0.02", "[0.01, 0.03, 0.02]"}) {
        const Model file = with_beam(std::string(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
masses = [ { at = "L", mass = "a", inertia = "a/50" } ]
shapes = { y = { family = "clamped-free", count = 3 } }
damping = )") + ratios);
        for (const double a : {0.01, 0.3, 0.7, 5.0}) {
            const Damping found = damping_at(file, a), more = damping_at(file, a * 1.0001), less = damping_at(file, a * 0.9999);
            const sym::PoolScope scope(*file.pool);
            Model there = file;
            for (Parameter& p : there.parameters) {
                if (p.symbol.symbol().name == "a") p.value = a;
            }
            const ParameterValues value(there);
            const sym::Matrix mass = mass_at_rest(there, 1);
            const Elastic& e = beam_of(there).elastic;
            MatrixXd N(3, 3), K(3, 3);
            for (Index i = 0; i < 3; ++i) {
                for (Index j = 0; j < 3; ++j) N(i, j) = value(mass[i][j]), K(i, j) = value(e.stiffness[i][j]);
            }
            const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(K, N);
            const VectorXd zeta = std::string_view(ratios).starts_with('[') ? VectorXd(Eigen::Vector3d(0.01, 0.03, 0.02))
                                                                            : VectorXd(VectorXd::Constant(3, 0.02));
            const MatrixXd D = eigen.eigenvectors().transpose() * found.C * eigen.eigenvectors();
            const VectorXd expected = 2 * zeta.cwiseProduct(eigen.eigenvalues().cwiseSqrt());
            EXPECT_LT((D - MatrixXd(expected.asDiagonal())).norm(), 1e-9 * expected.norm()) << ratios << " at " << a;
            const MatrixXd difference = (more.C - less.C) / (2e-4 * a);
            EXPECT_LT((found.slope - difference).norm(), 1e-5 * (1 + difference.norm())) << ratios << " at " << a;
        }
    }
}

TEST(Beam, DampingOfShapesOfItsOwnKeepsItsFormula) {
    const Model m = with_beam(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
damping = "a/100"
shapes = { y = { family = "clamped-free", count = 2 } })");
    const sym::PoolScope scope(*m.pool);
    const Elastic& e = beam_of(m).elastic;
    EXPECT_TRUE(e.damping[0][1].is_literally(0));
    const Expr zeta = m.pool->symbol("a", sym::Role::parameter) / 100;
    for (const Parameter& p : m.parameters) {
        if (p.symbol == e.damping[1][1])
            EXPECT_EQ(sym::equal(p.value, 2 * zeta * sqrt(e.stiffness[1][1] * e.second[2][2])), sym::Verdict::equal);
    }
}

// -------------------------------------------------------------------------------------------------- written, built, in chains

std::vector<Expr> expressions(Model& m) {
    std::vector<Expr> all;
    for_each_expression(m, [&](Expr& e) { all.push_back(e); });
    return all;
}
void expect_same(Model& a, Model& b) {
    const auto in_b = sym::transplant(expressions(a), *b.pool);
    const auto of_b = expressions(b);
    ASSERT_EQ(in_b.size(), of_b.size());
    for (std::size_t i = 0; i < in_b.size(); ++i) {
        EXPECT_EQ(sym::equal(in_b[i], of_b[i]), sym::Verdict::equal) << sym::print(in_b[i]) << "\n" << sym::print(of_b[i]);
    }
}

constexpr const char* everything_on_a_beam = R"(length = "L"
pieces = [ { to = "a", mass_per_length = 1.5 }, { to = "L", mass_per_length = "mu", bending = { y = "EI/2" } } ]
bending = { y = "EI", z = 10 }
torsion = 5
torsion_inertia = 0.1
axial = 300
rotary = 0.01
frame = "chord"
rigid = { start = 0.1, end = 0.05, end_mass = 0.2 }
masses = [ { at = "L", mass = 2, inertia = [0.1, 0.2, 0.3, 0.01, 0.02, 0.03] }, { at = 0.5, mass = 1, inertia = 0.1 } ]
damping = [0.01, 0.02, 0.03, 0.04, 0.05]
order = "second"
shapes = { y = { family = "pinned-pinned", count = 2, normalise = "mass" }, z = { family = "polynomial" }, x = { family = "clamped-free" }, twist = { family = "polynomial" } }
points = { gauge = { at = 0.9, offset = [0, 0.02, -0.03] }, plain = { at = 0.4, turns = false } })";
constexpr const char* hung_on_a_beam = R"([[body]]
name = "tool"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "wrist"
type = "revolute"
parent = "arm"
parent_at = { at = "0.7*L", offset = [0, 0.1, 0] }
child = "tool"
[[spring]]
name = "s"
from = "ground"
to = "arm.plain"
stiffness = 2
[[torque]]
name = "pull"
on = "arm.gauge"
vector = [0, 0, "arm.y1"]
[[output]]
name = "e"
strain = "arm.gauge"
[[output]]
name = "now"
position = "arm.com_now"
[initial]
"arm.y1" = 0.01
)";

TEST(Beam, WhatIsWrittenReadsBack) {
    Model m = with_beam(everything_on_a_beam, hung_on_a_beam);
    const std::string text = write(m);
    Model back = read_model(text);
    EXPECT_EQ(write(back), text);
    EXPECT_EQ(back.bodies.size(), m.bodies.size());
    EXPECT_EQ(back.parameters.size(), m.parameters.size());
    const Beam &a = beam_of(m), &b = beam_of(back);
    EXPECT_EQ(a.order, b.order);
    EXPECT_EQ(a.frame, b.frame);
    EXPECT_EQ(a.shortening, b.shortening);
    const ParameterValues of_a(m), of_b(back);
    for (std::size_t i = 0; i < a.elastic.terms.size(); ++i) {
        for (std::size_t j = 0; j < a.elastic.terms.size(); ++j) EXPECT_EQ(of_a(a.elastic.second[i][j]), of_b(b.elastic.second[i][j]));
    }
}

TEST(Beam, BuiltIsAsRead) {
    Model file = with_beam(R"(length = "L"
mass_per_length = "mu"
bending = { y = "EI" }
masses = [ { at = "L", mass = 2 } ]
damping = 0.01
shapes = { y = { family = "clamped-free", count = 2 } })",
                           R"([[body]]
name = "tool"
mass = 1
[[joint]]
name = "wrist"
type = "revolute"
parent = "arm"
parent_at = "tip"
child = "tool"
)");
    Model m = empty_model();
    const sym::PoolScope scope(*m.pool);
    const Expr L = parameter(m, "L", 1.3), mu = parameter(m, "mu", 0.7), EI = parameter(m, "EI", 50);
    parameter(m, "a", 0.5);
    Beam arm{.length = L,
             .pieces = {{.to = L, .section = {.mass_per_length = mu, .bending_y = EI}}},
             .shapes = {{.direction = BeamDirection::y, .family = BeamFamily::clamped_free, .count = 2}},
             .damping = {0.01},
             .masses = {{.at = L, .mass = 2}}};
    const BodyIndex b = beam(m, "arm", arm);
    const BodyIndex tool = body(m, "tool", {.mass = 1});
    joint(m, JointType::revolute, "hip", ground, b);
    joint(m, JointType::revolute, "wrist", point_on(m, b, L).body, tool);
    ASSERT_EQ(m.parameters.size(), file.parameters.size());
    const ParameterValues built(m), was_read(file);
    for (std::size_t i = 0; i < m.parameters.size(); ++i) {
        EXPECT_EQ(m.parameters[i].symbol.symbol().name, file.parameters[i].symbol.symbol().name);
        EXPECT_EQ(built(m.parameters[i].symbol), was_read(file.parameters[i].symbol)) << m.parameters[i].symbol.symbol().name;
    }
    EXPECT_EQ(m.joints.size(), file.joints.size());
    const Model again = read_model(write(m));
    EXPECT_EQ(again.bodies.size(), file.bodies.size());
    EXPECT_EQ(again.parameters.size(), file.parameters.size());
}

TEST(Beam, BuildersMistakesThrow) {
    Model m = empty_model();
    const sym::PoolScope scope(*m.pool);
    const Beam arm{.length = 1,
                   .pieces = {{.to = 1, .section = {.mass_per_length = 1, .bending_y = 1}}},
                   .shapes = {{.direction = BeamDirection::y, .family = BeamFamily::clamped_free, .count = 1}}};
    Beam bare = arm;
    bare.pieces.clear();
    EXPECT_THROW(beam(m, "b", bare), std::invalid_argument);
    bare = arm, bare.shapes.clear();
    EXPECT_THROW(beam(m, "b", bare), std::invalid_argument);
    beam(m, "arm", arm);
    EXPECT_THROW(beam(m, "arm", arm), std::invalid_argument);
    EXPECT_THROW(point_on(m, ground, 1), std::invalid_argument);
    EXPECT_THROW(point_on(m, 99, 1), std::invalid_argument);
}

TEST(Beam, ChainsRepeatBeams) {
    const Model m = read_model(R"(format = 1
[parameters]
L = 0.5
[[chain]]
name = "link"
ports = ["base"]
[[chain.body]]
name = "rod"
type = "beam"
length = "L"
mass_per_length = 1
bending = { y = 3 }
shapes = { y = { family = "clamped-free", count = 1 } }
[[chain.joint]]
name = "pin"
type = "revolute"
parent = "base"
child = "rod"
[[instance]]
of = "link"
name = "link"
count = 3
base = "ground"
next = { base = "rod.tip" }
)");
    std::size_t beams = 0;
    for (const Body& b : m.bodies) beams += b.beam ? 1 : 0;
    EXPECT_EQ(beams, 3U);
    EXPECT_TRUE(find_coordinate(m, "link2.rod.y1"));
    EXPECT_TRUE(find_speed(m, "link3.rod.y1'"));
    for (const char* name : {"link2.pin", "link3.pin"}) {
        const Joint& pin = m.joints[*find_joint(m, name)];
        EXPECT_TRUE(section_of(m, pin.parent).section->turns) << name;
    }
    EXPECT_NEAR(constant(m, "link3.rod.X"), 0.125 / 3, 1e-15);
}

}  // namespace
}  // namespace linkwright::model
