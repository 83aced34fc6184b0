// Poles at zero of models whose chains are known: free bodies, drones, carts, wheeled robots, satellites with rotors.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/linear/equilibrium/stability.hpp"
#include "linkwright/linear/modes.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/zero_chains.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using linear::Equilibrium;
using linear::EquilibriumOptions;
using linear::Modes;
using linear::ModesBy;
using linear::Stability;

using Lengths = std::vector<std::size_t>;

struct Case {
    std::string text;
    Lengths chains;                 ///< of the pole 0, the longest first
    std::vector<std::string> held;  ///< coordinates on which nothing depends
    bool is_unstable = false;       ///< beside them
};

/// Numbers of a model, always the same for one seed.
class Dice {
public:
    explicit Dice(unsigned seed) : random_(seed) {}
    double operator()(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }

private:
    std::mt19937 random_;
};

Case free_bodies(unsigned seed) {
    Dice dice(seed);
    const unsigned count = 1 + seed % 2;
    std::string text = "format = 1\n";
    Case c;
    for (unsigned i = 0; i < count; ++i) {
        const double a = dice(1, 2), b = dice(1, 2), m = dice(0.1, 10);
        text += fmt::format("[[body]]\nname = \"b{0}\"\nmass = {1}\ninertia = [{2}, {3}, {4}]\ncom = [{5}, 0.1, 0]\n", i, m, a, b,
                            0.9 * (a + b), dice(-1, 1));
        text += fmt::format("[[joint]]\nname = \"f{0}\"\ntype = \"free\"\nparent = \"ground\"\nchild = \"b{0}\"\n", i);
        c.chains.insert(c.chains.end(), 6, 2);
        c.held.push_back(fmt::format("f{}.x", i));
    }
    c.text = text;
    return c;
}

/// In a plane, with pendulums in a row below it.
Case planar_drone(unsigned seed) {
    Dice dice(seed);
    const unsigned loads = seed % 4;
    const double m = dice(0.5, 3), h = dice(0.01, 0.2);
    double all = m;
    std::string bodies;
    for (unsigned i = 0; i < loads; ++i) {
        const double ml = dice(0.05, 1), l = dice(0.2, 1);
        all += ml;
        bodies += fmt::format(
            "[[body]]\nname = \"l{0}\"\nmass = {1}\ncom = [0, 0, {2}]\npoints = {{ end = [0, 0, {2}] }}\n[[joint]]\nname = \"a{0}\"\ntype "
            "= "
            "\"revolute\"\naxis = \"y\"\nparent = \"{3}\"\nparent_at = {4}\nchild = \"l{0}\"\n",
            i, ml, -l, i == 0 ? "body" : fmt::format("l{}", i - 1), i == 0 ? fmt::format("[0, 0, {}]", -h) : "\"end\"");
    }
    return {
        fmt::format("format = 1\ngravity = [0, 0, -9.81]\n[inputs]\nT = \"9.81*{0}\"\n[[body]]\nname = \"body\"\nmass = {1}\ninertia = [0, "
                    "{2}, 0]\n[[joint]]\nname = \"p\"\ntype = \"planar\"\naxis = \"y\"\nparent = \"ground\"\nchild = \"body\"\n{3}"
                    "[[force]]\non = \"body\"\nvector = [0, 0, \"T\"]\nin = \"body\"\n",
                    all, m, dice(0.005, 0.05), bodies),
        {4, 2},
        {"p.x", "p.y"}};
}

/// In space, with loads on universal joints, heading anywhere.
Case quadrotor(unsigned seed) {
    Dice dice(seed);
    const unsigned loads = seed % 3;
    const double m = dice(0.5, 3);
    double all = m;
    std::string bodies;
    for (unsigned i = 0; i < loads; ++i) {
        const double ml = dice(0.05, 1), l = dice(0.2, 1), J = dice(1e-4, 1e-3);
        all += ml;
        bodies += fmt::format(
            "[[body]]\nname = \"l{0}\"\nmass = {1}\ninertia = [{5}, {5}, {5}]\ncom = [0, 0, {2}]\npoints = {{ end = [0, 0, {2}] }}\n"
            "[[joint]]\nname = \"a{0}\"\ntype = \"universal\"\naxes = [\"x\", \"y\"]\nparent = \"{3}\"\nparent_at = {4}\nchild = "
            "\"l{0}\"\n",
            i, ml, -l, i == 0 ? "body" : fmt::format("l{}", i - 1), i == 0 ? fmt::format("[0, 0, {}]", -dice(0.01, 0.1)) : "\"end\"", J);
    }
    const double J = dice(0.01, 0.02);
    return {
        fmt::format("format = 1\ngravity = [0, 0, -9.81]\n[inputs]\nT = \"9.81*{0}\"\n[[body]]\nname = \"body\"\nmass = {1}\ninertia = "
                    "[{2}, {3}, {4}]\n[[joint]]\nname = \"f\"\ntype = \"free\"\nparent = \"ground\"\nchild = \"body\"\naxes = [\"z\", "
                    "\"y\", \"x\"]\ncoordinates = [\"x\", \"y\", \"z\", \"psi\", \"theta\", \"phi\"]\n{5}[[force]]\non = \"body\"\nvector "
                    "= [0, 0, \"T\"]\nin = \"body\"\n[initial]\nz = 2\npsi = {6}\n",
                    all, m, J, 1.1 * J, 1.9 * J, bodies, dice(-3, 3)),
        {4, 4, 2, 2},
        {"z", "psi"}};
}

/// On a rail, joined by springs and dampers; every third drags along the ground, every fourth balances a pole.
Case carts(unsigned seed) {
    Dice dice(seed);
    const unsigned count = 1 + seed % 4;
    const bool drags = seed % 3 == 0, balances = seed % 4 == 3, is_damped = seed % 2 == 1;
    std::string text = "format = 1\ngravity = [0, 0, -9.81]\n";
    for (unsigned i = 0; i < count; ++i) {
        text += fmt::format(
            "[[body]]\nname = \"c{0}\"\nmass = {1}\n[[joint]]\nname = \"x{0}\"\ntype = \"prismatic\"\naxis = \"x\"\nparent = "
            "\"{2}\"\nchild = \"c{0}\"\n",
            i, dice(0.5, 5), i == 0 ? "ground" : fmt::format("c{}", i - 1));
        if (i > 0) text += fmt::format("stiffness = {}\n", dice(10, 1000));
        if (i > 0 && is_damped) text += fmt::format("damping = {}\n", dice(0.1, 1));
        if (i == 0 && drags) text += fmt::format("damping = {}\n", dice(0.1, 1));
    }
    if (balances) {
        text += fmt::format(
            "[[body]]\nname = \"pole\"\nmass = {}\ncom = [0, 0, {}]\n[[joint]]\nname = \"lean\"\ntype = \"revolute\"\naxis = "
            "\"y\"\nparent = \"c0\"\nchild = \"pole\"\n",
            dice(0.1, 1), dice(0.2, 1));
    }
    return {text, {drags ? 1u : 2u}, {"x0"}, balances};
}

/// A body that moves ahead and turns, and does not slip aside; some have wheels that turn with it.
Case robot(unsigned seed) {
    Dice dice(seed);
    const bool has_wheels = seed % 2 == 1;
    const double half = dice(0.1, 0.3), r = dice(0.05, 0.1);
    std::string text = fmt::format(
        "format = 1\n[[body]]\nname = \"hull\"\nmass = {}\ninertia = [0, 0, {}]\ncom = [{}, 0, 0]\n[[joint]]\nname = \"go\"\ntype = "
        "\"planar\"\naxis = \"z\"\nparent = \"ground\"\nchild = \"hull\"\ncoordinates = [\"x\", \"y\", \"psi\"]\n[[constraint]]\nname = "
        "\"edge\"\nnonholonomic = \"y'*cos(psi) - x'*sin(psi)\"\n",
        dice(1, 10), dice(0.1, 1), dice(0, 0.2));
    for (int side = 0; has_wheels && side < 2; ++side) {
        text += fmt::format(
            "[[body]]\nname = \"w{0}\"\nmass = 0.2\ninertia = [0.001, 0.002, 0.001]\n[[joint]]\nname = \"s{0}\"\ntype = "
            "\"revolute\"\naxis = \"y\"\nparent = \"hull\"\nparent_at = [0, {1}, 0]\nchild = \"w{0}\"\n[[constraint]]\nname = "
            "\"roll{0}\"\nnonholonomic = \"x'*cos(psi) + y'*sin(psi) - {1}*psi' - {2}*s{0}'\"\n",
            side, side == 0 ? half : -half, r);
    }
    text += fmt::format("[initial]\npsi = {}\n", dice(-3, 3));
    return {text, has_wheels ? Lengths{2, 2, 1, 1, 1} : Lengths{2, 2, 1}, {"x", "psi"}};
}

/// A rotor that turns at a given speed makes two of three turns stiff.
Case satellite(unsigned seed) {
    Dice dice(seed);
    const double a = dice(1, 2), b = dice(1, 2);
    return {fmt::format(
                "format = 1\n[[body]]\nname = \"hull\"\nmass = {}\ninertia = [{}, {}, {}]\nrotor = {{ axis = \"z\", inertia = {}, speed = "
                "{} }}\n[[joint]]\nname = \"f\"\ntype = \"free\"\nparent = \"ground\"\nchild = \"hull\"\n",
                dice(1, 100), a, b, 0.9 * (a + b), dice(0.01, 0.1), dice(10, 500)),
            {2, 2, 2, 2, 1, 1},
            {"f.x", "f.y"}};
}

std::string to_text(const Lengths& l) { return fmt::format("{}", fmt::join(l, ", ")); }

void expect_chains(const Subject& s, const Case& c, bool with_hold) {
    EquilibriumOptions o;
    for (const std::string& name : with_hold ? c.held : std::vector<std::string>{}) {
        const auto at = std::ranges::find_if(s.equations.q, [&](const sym::Expr& q) { return q.symbol().name == name; });
        ASSERT_NE(at, s.equations.q.end()) << name;
        o.held.push_back({name, *at, 0.3, true, false});
    }
    const linear::Equilibria equilibria(*s.numbers);
    const Equilibrium x = equilibria.nearest(s.start(), o);
    ASSERT_TRUE(x.is_ok) << x.why;
    EXPECT_EQ(x.stability, c.is_unstable ? Stability::unstable : Stability::neutral) << x.verdict;
    std::size_t zeros = 0;
    for (const std::size_t length : c.chains) zeros += length;
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(x.poles, std::complex<double>(0))), zeros);
    const linear::Linearization l = linear::linearize(*s.numbers, x.point);
    for (const ModesBy by : {ModesBy::qr, ModesBy::qz}) {
        const Modes m = linear::modes(l, by);
        ASSERT_TRUE(m.is_ok) << m.why;
        EXPECT_EQ(to_text(m.zero_chains), to_text(c.chains));
        EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(m.poles, std::complex<double>(0))), zeros);
        for (const linear::Mode& mode : m.modes) EXPECT_TRUE(c.is_unstable || mode.pole.real() <= 0) << mode.words;
        EXPECT_EQ(m.stability.starts_with("unstable"), c.is_unstable) << m.stability;
    }
}

class ZeroPoles : public testing::TestWithParam<unsigned> {};

TEST_P(ZeroPoles, AreCountedByTheirChainsHeldOrNot) {
    const unsigned seed = GetParam();
    Case (*const kinds[])(unsigned) = {free_bodies, planar_drone, quadrotor, carts, robot, satellite};
    const unsigned share[] = {6, 10, 8, 12, 6, 8};
    unsigned kind = 0, number = seed;
    while (number >= share[kind]) number -= share[kind++];
    const Case c = kinds[kind](number);
    SCOPED_TRACE(c.text);
    const Subject s(model::read(c.text, "generated"));
    for (const bool with_hold : {false, true}) {
        SCOPED_TRACE(with_hold ? "held" : "not held");
        expect_chains(s, c, with_hold);
    }
}

INSTANTIATE_TEST_SUITE_P(Fifty, ZeroPoles, testing::Range(0u, 50u));

TEST(ZeroChains, OfAMatrixTurnedAboutAreThoseItWasMadeOf) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    MatrixXd J = MatrixXd::Zero(11, 11);  // chains of 4, 2, 1; the rest at -1, -2 and 0.5 ± 3i
    for (const Index i : {0, 1, 2, 4}) J(i, i + 1) = 1;
    J(7, 7) = -1, J(8, 8) = -2, J(9, 9) = J(10, 10) = 0.5, J(9, 10) = 3, J(10, 9) = -3;
    for (int k = 0; k < 20; ++k) {
        const MatrixXd T = MatrixXd::NullaryExpr(11, 11, [&] { return normal(random); });
        const MatrixXd inverse = solve::FullLu(T).inverse(), A = T * J * inverse;
        const MatrixXd noise = 1e-14 * T.cwiseAbs() * J.cwiseAbs() * inverse.cwiseAbs();
        const solve::ZeroChains chains = solve::zero_chains(A, noise);
        EXPECT_EQ(chains.lengths, (std::vector<Index>{4, 2, 1}));
        EXPECT_EQ(chains.levels, (std::vector<Index>{1, 1, 1, 2, 2, 3, 4}));
        EXPECT_EQ(chains.rest.rows(), 4);
        EXPECT_LT((A * chains.basis.leftCols(3)).cwiseAbs().maxCoeff(), 1e-9 * A.cwiseAbs().maxCoeff());
    }
}

TEST(ZeroChains, ASlowPoleIsNone) {
    MatrixXd A(3, 3);  // a cart with a little drag, and something fast beside it
    A << 0, 1, 0, 0, -1e-7, 0, 0, 0, -1e4;
    const solve::ZeroChains chains = solve::zero_chains(A, 1e-13 * A.cwiseAbs());
    EXPECT_EQ(chains.lengths, (std::vector<Index>{1}));
}

}  // namespace
}  // namespace linkwright
