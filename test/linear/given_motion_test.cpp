// Given motions as inputs, below the session: equations with deviations, and transfer functions made by hand.

#include "linkwright/linear/frequency.hpp"
#include "linkwright/model/excitation.hpp"
#include "motion/subject.hpp"
#include "support/transfer_functions.hpp"

namespace linkwright {
namespace {

using linear::LinearSystem;
using linear::TransferFunction;
using test::Complex;

/// A pendulum on a slide that moves as given; its angle from below.
constexpr const char* text = R"toml(format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "cart"
[[body]]
name = "bob"
mass = 2
com = [0, -0.5, 0]
[[joint]]
name = "base"
type = "prismatic"
parent = "ground"
child = "cart"
axis = "x"
[[joint]]
name = "hip"
type = "revolute"
parent = "cart"
child = "bob"
axis = "z"
damping = 0.3
[[motion]]
coordinate = "base"
equals = "0.1*sin(3*t)"
[[output]]
name = "at"
position = "bob.com"
)toml";

/// A lever of two to one between what is given and a block; a rider on the block.
constexpr const char* levered = R"toml(format = 1
[[body]]
name = "handle"
[[body]]
name = "block"
mass = 3
[[body]]
name = "rider"
mass = 0.5
[[joint]]
name = "hand"
type = "prismatic"
parent = "ground"
child = "handle"
axis = "x"
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
[[joint]]
name = "y"
type = "prismatic"
parent = "block"
child = "rider"
axis = "x"
stiffness = 20
damping = 0.1
[[constraint]]
name = "lever"
holonomic = "x - 2*hand"
[[motion]]
coordinate = "hand"
equals = 0
)toml";

struct Shaken {
    explicit Shaken(const char* model = text) : subject(model::read(model, "shaken.toml")) {
        for (const model::Excitation& e : model::excite(*subject.model)) motions.push_back({e.name, e.inputs});
        subject.derive();
    }
    Subject subject;
    std::vector<linear::GivenMotion> motions;
};

TEST(GivenMotion, DeviatesByThreeInputs) {
    Shaken s;
    ASSERT_EQ(s.motions.size(), 1u);
    EXPECT_EQ(s.motions[0].name, "base");
    ASSERT_EQ(s.subject.equations.inputs.size(), 4u);  // and the time of the point
    for (const eom::Input& w : s.subject.equations.inputs) EXPECT_TRUE(model::is_deviation(w.symbol));
    // At t = 0.7: the same accelerations as without them
    numeric::State state = s.subject.start();
    state.t = 0.7, state.w = s.subject.numbers->input_values(0.7), state.q[0] = 0.4, state.u[0] = -1;
    Subject plain(model::read(text, "shaken.toml"));
    numeric::State same = plain.start();
    same.t = 0.7, same.q = state.q, same.u = state.u;
    const auto a = numeric::operating_point(*s.subject.numbers, state), b = numeric::operating_point(*plain.numbers, same);
    EXPECT_NEAR(a.udot[0], b.udot[0], 1e-12);
    // z̈ pushes by −cos(hip)/l
    state.w[2] = 0.01;
    EXPECT_NEAR(numeric::operating_point(*s.subject.numbers, state).udot[0] - b.udot[0], -0.01 * std::cos(0.4) / 0.5, 1e-12);
}

TEST(GivenMotion, HasColumnsOfItsOwn) {
    Shaken s;
    const linear::Linearizer linearizer(*s.subject.numbers, s.motions);
    const linear::Linearization L = linearizer(numeric::operating_point(*s.subject.numbers, s.subject.start()));
    ASSERT_TRUE(L.is_ok) << L.why;
    EXPECT_TRUE(L.inputs.empty());
    EXPECT_EQ(L.state_space.B.cols(), 0);
    ASSERT_EQ(L.by_motions.state.cols(), 3);
    EXPECT_NEAR(L.by_motions.state(1, 0), 0, 1e-13);
    EXPECT_NEAR(L.by_motions.state(1, 1), 0, 1e-13);
    EXPECT_NEAR(L.by_motions.state(1, 2), -1 / 0.5, 1e-12);
    const linear::Ports ports = connect(s.subject.equations, L, {"base"}, {"at.x", "hip"});
    ASSERT_TRUE(ports.unknown.empty());
    const TransferFunction G(ports.system);
    for (const Complex i : {Complex(0, 0.4), Complex(0, 4), Complex(0.3, 30)}) {
        const Complex hip = -i * i / (0.5 * i * i + 0.3 / (2 * 0.5) * i + 9.81);
        EXPECT_LT(std::abs(G(i)(1, 0) - hip), 1e-10 * std::abs(hip));
        EXPECT_LT(std::abs(G(i)(0, 0) - (1.0 + 0.5 * hip)), 1e-10);
    }
    EXPECT_NEAR(std::abs(G.at(0)(0, 0) - 1.0), 0, 1e-12);
    EXPECT_EQ(G.at(0)(1, 0), 0.0);
}

TEST(GivenMotion, PassesThroughConstraints) {
    Shaken s(levered);
    const linear::Linearizer linearizer(*s.subject.numbers, s.motions);
    const linear::Linearization L = linearizer(numeric::operating_point(*s.subject.numbers, s.subject.start()));
    ASSERT_TRUE(L.is_ok) << L.why;
    const linear::Ports ports = connect(s.subject.equations, L, {"hand"}, {"x", "x'", "y", "lever.force", "hand.force"});
    ASSERT_TRUE(ports.unknown.empty()) << ports.unknown;
    const TransferFunction G(ports.system);
    for (const Complex i : {Complex(0, 0.4), Complex(0, 6), Complex(0.3, 30)}) {
        const Complex y = -0.5 * 2.0 * i * i / (0.5 * i * i + 0.1 * i + 20.0), force = 3.0 * 2.0 * i * i + 0.5 * (2.0 + y) * i * i;
        const Eigen::VectorXcd g = G(i).col(0);
        EXPECT_LT(std::abs(g[0] - 2.0), 1e-12);
        EXPECT_LT(std::abs(g[1] - 2.0 * i), 1e-12 * std::abs(i));
        EXPECT_LT(std::abs(g[2] - y), 1e-11 * std::abs(y));
        EXPECT_LT(std::abs(std::abs(g[3]) - std::abs(force)), 1e-10 * std::abs(force));
        EXPECT_LT(std::abs(g[4] - 2.0 * force), 1e-10 * std::abs(force));
    }
}

// (b₀ + b₁s + b₂s²)/(s + 2) + d₀ + d₁s + d₂s²: every part by itself, and integrated.
TEST(GivenMotion, EveryPartCounts) {
    LinearSystem s = test::from_roots(1, {}, {-2});
    for (int part = 0; part < 6; ++part) {
        s.B = s.B_1 = s.B_2 = s.D = s.D_1 = s.D_2 = MatrixXd::Zero(1, 1);
        MatrixXd* const parts[] = {&s.B, &s.B_1, &s.B_2, &s.D, &s.D_1, &s.D_2};
        (*parts[part])(0, 0) = 3;
        for (const int rate : {0, 1, 2}) {
            s.rate = {rate};
            const TransferFunction G(s);
            const Complex i(0.2, 1.7), expected = 3.0 * std::pow(i, part % 3) / (part < 3 ? i + 2.0 : 1.0) / std::pow(i, rate);
            EXPECT_LT(std::abs(G(i)(0, 0) - expected), 1e-13) << part << rate;
            const linear::Factored f = factored(s, split(s), G, 0, 0);
            Complex product = f.gain;
            for (const Complex z : f.zeros) product *= i - z;
            for (const Complex p : f.poles) product /= i - p;
            EXPECT_LT(std::abs(product - expected), 1e-12) << part << rate;
            const double slow = part % 3 < rate ? INFINITY : part % 3 > rate ? 0 : part < 3 ? 1.5 : 3;
            EXPECT_EQ(std::isfinite(G.at(0)(0, 0).real()), std::isfinite(slow)) << part << rate;
            if (std::isfinite(slow)) EXPECT_NEAR(G.at(0)(0, 0).real(), slow, 1e-12) << part << rate;
        }
    }
}

}  // namespace
}  // namespace linkwright
