#include "linkwright/perturb/expansion.hpp"

#include <chrono>
#include <random>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/model/lynch.hpp"
#include "linkwright/sym/readable.hpp"
#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::perturb {
namespace {

model::Reading read_text(const char* text, const char* file) { return model::read(text, file); }

/// About the equilibrium near the state, found by Newton's method on the mean force inside; tests give good starts.
Expansion expand_at(const Subject& subject, const numeric::State& state, const ExpansionOptions& options = {}) {
    return expand(*subject.numbers, operating_point(*subject.numbers, state), options);
}

double value_of(const ModalForm<double>& form, std::size_t mode, const VectorXd& x, double t) {
    double sum = x[2 * form.omega.size() + mode] + form.omega[mode] * form.omega[mode] * x[mode];
    for (const auto& term : form.terms[mode]) {
        double product = 1;
        for (std::size_t v = 0; v < term.powers.size(); ++v) product *= std::pow(x[v], term.powers[v]);
        const double phase = term.harmonic * form.Omega_value * t;
        sum += product * (term.coefficient.re * std::cos(phase) - term.coefficient.im * std::sin(phase));
    }
    return sum;
}

/// The same from the equations themselves: speeds as state_of gives them, their rates by differences, projected on ∂u/∂η̇.
VectorXd exact(const Subject& subject, const numeric::OperatingPoint& at, const ModalForm<double>& form, const VectorXd& x, double t) {
    const Index n = form.omega.size();
    const VectorXd eta = x.head(n), rate = x.segment(n, n), acceleration = x.tail(n);
    const auto along = [&](double h) {
        return state_of(*subject.numbers, at, form, eta + h * rate + h * h / 2 * acceleration, rate + h * acceleration, t + h);
    };
    const double h = 2e-3 / std::ranges::max(form.omega_value);
    const VectorXd near = (along(h).u - along(-h).u) / (2 * h), far = (along(2 * h).u - along(-2 * h).u) / (4 * h);
    const VectorXd udot = (4 * near - far) / 3;
    const numeric::State state = along(0);
    const numeric::Dynamics d = subject.numbers->dynamics(state);
    const VectorXd R = d.M * udot - d.f;
    // ∂u/∂η̇: u is affine in η̇
    const auto along_mode = [&](const VectorXd& middle, Index k, double when) -> VectorXd {
        return state_of(*subject.numbers, at, form, middle, VectorXd::Unit(n, k), when).u -
               state_of(*subject.numbers, at, form, middle, VectorXd::Zero(n), when).u;
    };
    const int phases = form.Omega_value > 0 && !subject.equations.constraints.empty() ? 16 : 1;
    VectorXd r(n);
    for (Index k = 0; k < n; ++k) {
        double inertia = 0;
        for (int p = 0; p < phases; ++p) {
            const double when = phases == 1 ? t : 2 * 3.14159265358979323846 * p / (phases * form.Omega_value);
            const VectorXd W = along_mode(VectorXd::Zero(n), k, when);
            inertia +=
                W.dot(subject.numbers->dynamics(state_of(*subject.numbers, at, form, VectorXd::Zero(n), VectorXd::Zero(n), when)).M * W) /
                phases;
        }
        r[k] = along_mode(eta, k, t).dot(R) / inertia;
    }
    return r;
}

/// The remainder must fall as the power degree + 1 of the size of the motion, or faster.
void check_remainder(const Subject& subject, const numeric::OperatingPoint& at, const ModalForm<double>& form, double size,
                     const std::string& name) {
    const Index n = form.omega.size();
    std::mt19937 random(11);
    std::uniform_real_distribution<double> real(-1, 1);
    VectorXd x(3 * n);
    for (Index i = 0; i < 3 * n; ++i) x[i] = real(random) * std::pow(form.omega_value[i % n], static_cast<double>(i / n));
    const double t = form.Omega_value > 0 ? 0.37 / form.Omega_value : 0;
    const auto remainder = [&](double e) {
        const VectorXd r = exact(subject, at, form, e * x, t);
        double largest = 0;
        for (std::size_t k = 0; k < form.omega.size(); ++k)
            largest = std::max(largest, std::abs(value_of(form, k, e * x, t) - r[k]) / std::pow(form.omega_value[k], 2));
        return largest;
    };
    const double one = remainder(size), half = remainder(size / 2);
    if (std::getenv("LINKWRIGHT_SHOW"))
        std::printf("%-24s n %ld  remainder %.3g  %.3g  slope %.3f\n", name.c_str(), static_cast<long>(n), one, half,
                    std::log2(one / half));
    EXPECT_TRUE(half < 3e-9 * size || std::log2(one / half) > form.degree + 0.6) << name << ": " << one << " then " << half;
}

constexpr const char* pendulum = R"toml(
format = 1
name = "pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
m = 2
l = 0.5
[[body]]
name = "bob"
mass = "m"
com = [0, "-l", 0]
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "bob"
axis = "z"
)toml";

const ModalTerm<double>* find(const std::vector<ModalTerm<double>>& terms, std::vector<std::uint8_t> powers, int harmonic = 0) {
    for (const auto& term : terms) {
        if (term.powers == powers && term.harmonic == harmonic) return &term;
    }
    return nullptr;
}

TEST(Expansion, OfAPendulumIsTheSeriesOfTheSine) {
    const Subject subject(read_text(pendulum, "pendulum.toml"));
    const Expansion x = expand_at(subject, subject.numbers->zero_state(), {.degree = 5, .kept = {}});
    ASSERT_TRUE(x.is_ok) << x.why;
    const ModalForm<double>& form = *x.numeric;
    const double w2 = 9.81 / 0.5;
    EXPECT_NEAR(form.omega[0], std::sqrt(w2), 1e-13);
    ASSERT_EQ(form.terms[0].size(), 2U);
    ASSERT_TRUE(find(form.terms[0], {3, 0, 0}));
    EXPECT_NEAR(find(form.terms[0], {3, 0, 0})->coefficient.re, -w2 / 6, 1e-12);
    EXPECT_NEAR(find(form.terms[0], {5, 0, 0})->coefficient.re, w2 / 120, 1e-12);
}

TEST(Expansion, UprightIsRefused) {
    const Subject subject(read_text(pendulum, "pendulum.toml"));
    numeric::State state = subject.numbers->zero_state();
    state.q[0] = 3.14159265358979323846;
    const Expansion x = expand_at(subject, state);
    EXPECT_FALSE(x.is_ok);
    EXPECT_THAT(x.why, testing::HasSubstr("does not oscillate (λ = -19.62"));
    state.q[0] = 0.3;
    EXPECT_THAT(expand_at(subject, state).why, testing::HasSubstr("not an equilibrium"));
}

/// A coefficient of the symbolic form, as it reads.
std::string letters(const Expansion& x, std::size_t mode, std::vector<std::uint8_t> powers, int harmonic = 0, bool imaginary = false) {
    for (const auto& term : x.symbolic->terms[mode]) {
        if (term.powers != powers || term.harmonic != harmonic) continue;
        const auto formula = sym::readable(imaginary ? term.coefficient.im : term.coefficient.re);
        return formula ? sym::write(*formula) : formula.why_not;
    }
    return "none";
}
std::string read(const Expr& e) { return sym::write(*sym::readable(e)); }

TEST(Expansion, OfAPendulumInLetters) {
    const Subject subject(read_text(pendulum, "pendulum.toml"));
    const Expansion x = expand_at(subject, subject.numbers->zero_state(), {.degree = 5, .kept = {}});
    ASSERT_TRUE(x.symbolic) << testing::PrintToString(x.notes);
    EXPECT_EQ(read(x.symbolic->omega[0]), "omega");
    EXPECT_EQ(read(*x.symbolic->definitions[0].meaning), "sqrt(g/l)");
    EXPECT_EQ(letters(x, 0, {3, 0, 0}), "-omega^2/6");
    EXPECT_EQ(letters(x, 0, {5, 0, 0}), "omega^2/120");
    EXPECT_EQ(x.symbolic->terms[0].size(), 2U);
}

constexpr const char* duffing = R"toml(
format = 1
name = "duffing"
[parameters]
m = 1
k = 4
alpha = 3
c = 0.02
F = 0.1
W = 2.1
[inputs]
push = "F*cos(W*t + 0.5) + 2*F*sin(2*W*t)"
[[body]]
name = "cart"
mass = "m"
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "cart"
axis = "x"
actuator = "push - k*x - alpha*x^3 - c*x'"
)toml";

TEST(Expansion, OfAForcedDuffingOscillator) {
    const Subject subject(read_text(duffing, "duffing.toml"));
    const Expansion x = expand_at(subject, subject.numbers->zero_state());
    ASSERT_TRUE(x.is_ok) << x.why;
    const auto& terms = x.numeric->terms[0];
    EXPECT_DOUBLE_EQ(x.numeric->Omega_value, 2.1);
    EXPECT_NEAR(x.numeric->omega[0], 2, 1e-14);
    ASSERT_TRUE(find(terms, {3, 0, 0}) && find(terms, {0, 1, 0}) && find(terms, {0, 0, 0}, 1) && find(terms, {0, 0, 0}, -2));
    EXPECT_NEAR(find(terms, {3, 0, 0})->coefficient.re, 3, 1e-14);
    EXPECT_NEAR(find(terms, {0, 1, 0})->coefficient.re, 0.02, 1e-14);
    EXPECT_NEAR(find(terms, {0, 0, 0}, 1)->coefficient.re, -0.05 * std::cos(0.5), 1e-14);
    EXPECT_NEAR(find(terms, {0, 0, 0}, 1)->coefficient.im, -0.05 * std::sin(0.5), 1e-14);
    EXPECT_NEAR(find(terms, {0, 0, 0}, -2)->coefficient.im, -0.1, 1e-14);  // −0.2 sin φ: i·0.1 beside e^{iφ}
    EXPECT_EQ(terms.size(), 6U);
    ASSERT_TRUE(x.symbolic) << testing::PrintToString(x.notes);
    EXPECT_EQ(letters(x, 0, {3, 0, 0}), "alpha/m");
    EXPECT_EQ(letters(x, 0, {0, 1, 0}), "c/m");
    EXPECT_EQ(letters(x, 0, {0, 0, 0}, 2, true), "F/m");
    EXPECT_EQ(read(x.symbolic->Omega), "W");
}

TEST(Expansion, OfAShakenPendulumHasCoefficientsThatOscillate) {
    const Subject subject("models/kapitza_pendulum/model.toml");
    numeric::State state = subject.numbers->zero_state();
    const Expansion upright = expand_at(subject, state);
    EXPECT_THAT(upright.why, testing::HasSubstr("does not oscillate"));
    state.q[0] = 3.14159265358979323846;
    const Expansion x = expand_at(subject, state);
    ASSERT_TRUE(x.is_ok) << x.why;
    const double W = 100 * 3.14159265358979323846, l = 0.3, a = 0.01;
    EXPECT_NEAR(x.numeric->Omega_value, W, 1e-10);
    const auto& terms = x.numeric->terms[0];  // θ̈ = (g − a W² cos Wt) sin(θ)/l about π
    ASSERT_TRUE(find(terms, {1, 0, 0}, 1));
    EXPECT_NEAR(find(terms, {1, 0, 0}, 1)->coefficient.re, -a * W * W / (2 * l), 1e-8);
    EXPECT_NEAR(find(terms, {3, 0, 0}, -1)->coefficient.re, a * W * W / (12 * l), 1e-8);
    EXPECT_NEAR(find(terms, {3, 0, 0})->coefficient.re, -9.81 / l / 6, 1e-9);
    ASSERT_TRUE(x.symbolic) << testing::PrintToString(x.notes);
    EXPECT_EQ(letters(x, 0, {1, 0, 0}, 1), "-a*W^2/(2*l)");
}

TEST(Expansion, TimeThatDoesNotRepeatIsRefused) {
    std::string text = duffing;
    text.replace(text.find("F*cos(W*t + 0.5) + 2*F*sin(2*W*t)"), 33, "F*t");
    const Subject subject(read_text(text.c_str(), "ramp.toml"));
    const Expansion x = expand_at(subject, subject.numbers->zero_state());
    EXPECT_FALSE(x.is_ok);
    EXPECT_THAT(x.why, testing::HasSubstr("time enters otherwise"));
    text = duffing;
    text.replace(text.find("2*F*sin(2*W*t)"), 14, "F*sin(sqrt(2)*W*t)");
    const Subject two(read_text(text.c_str(), "two.toml"));
    EXPECT_THAT(expand_at(two, two.numbers->zero_state()).why, testing::HasSubstr("not small multiples of one"));
}

TEST(Expansion, KinksAreNamed) {
    std::string text = duffing;
    text.replace(text.find("- c*x'"), 6, "- c*sign(x')");
    const Subject subject(read_text(text.c_str(), "friction.toml"));
    const Expansion x = expand_at(subject, subject.numbers->zero_state());
    EXPECT_FALSE(x.is_ok);
    EXPECT_THAT(x.why, testing::AllOf(testing::HasSubstr("sign(x')"), testing::HasSubstr("kink")));
}

constexpr const char* spring_pendulum = R"toml(
format = 1
name = "spring pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
m = 0.5
k = 60
l0 = 0.4
[[body]]
name = "arm"
[[body]]
name = "bob"
mass = "m"
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "arm"
axis = "z"
[[joint]]
name = "r"
type = "prismatic"
parent = "arm"
child = "bob"
axis = "-y"
actuator = "-k*(r - l0)"
)toml";

/// r = l + x:  ẍ − (l + x)θ̇² + g(1 − cos θ) + k x/m = 0,  (l + x)² θ̈ + 2(l + x)ẋ θ̇ + g (l + x) sin θ = 0.
TEST(Expansion, OfASpringPendulumIsThatByHand) {
    const Subject subject(read_text(spring_pendulum, "spring_pendulum.toml"));
    numeric::State state = subject.numbers->zero_state();
    const double l = 0.4 + 0.5 * 9.81 / 60;
    state.q[1] = l;
    const Expansion x = expand_at(subject, state);
    ASSERT_TRUE(x.is_ok) << x.why;
    const ModalForm<double>& form = *x.numeric;
    EXPECT_NEAR(form.omega[0], std::sqrt(9.81 / l), 1e-12);  // modes ascend: θ, then x
    EXPECT_NEAR(form.omega[1], std::sqrt(120.0), 1e-12);
    EXPECT_EQ(form.coordinates[form.reference[0]], "theta");
    const auto at = [&](std::size_t mode, std::vector<std::uint8_t> powers) {
        const auto* term = find(form.terms[mode], std::move(powers));
        return term ? term->coefficient.re : 0.0;
    };
    // powers of θ, x, θ̇, ẋ, θ̈, ẍ
    EXPECT_NEAR(at(1, {0, 0, 2, 0, 0, 0}), -l, 1e-13);
    EXPECT_NEAR(at(1, {0, 1, 2, 0, 0, 0}), -1, 1e-13);
    EXPECT_NEAR(at(1, {2, 0, 0, 0, 0, 0}), 9.81 / 2, 1e-12);
    EXPECT_EQ(form.terms[1].size(), 3U);
    EXPECT_NEAR(at(0, {0, 1, 0, 0, 1, 0}), 2 / l, 1e-12);
    EXPECT_NEAR(at(0, {0, 2, 0, 0, 1, 0}), 1 / (l * l), 1e-12);
    EXPECT_NEAR(at(0, {0, 0, 1, 1, 0, 0}), 2 / l, 1e-12);
    EXPECT_NEAR(at(0, {0, 1, 1, 1, 0, 0}), 2 / (l * l), 1e-12);
    EXPECT_NEAR(at(0, {1, 1, 0, 0, 0, 0}), 9.81 / (l * l), 1e-11);
    EXPECT_NEAR(at(0, {3, 0, 0, 0, 0, 0}), -9.81 / l / 6, 1e-12);
    EXPECT_EQ(form.terms[0].size(), 6U);
    ASSERT_TRUE(x.symbolic) << testing::PrintToString(x.notes);
    EXPECT_EQ(letters(x, 1, {0, 0, 2, 0, 0, 0}), "-r_0");
    EXPECT_EQ(letters(x, 0, {3, 0, 0, 0, 0, 0}), "-omega1^2/6");
    const auto& rest = x.symbolic->definitions.at(2);
    ASSERT_TRUE(rest.meaning);
    EXPECT_EQ(read(*rest.meaning), "g*m/k + l0");
}

/// Where it may rest, from the model's own state and some others.
std::vector<linear::Equilibrium> rests(const Subject& subject, std::size_t starts) {
    numeric::State state = subject.start();
    state.u.setZero();
    linear::EquilibriumOptions options;
    options.starts = starts;
    options.with_stability = false;
    return find_equilibria(*subject.numbers, state, options).found;
}

bool is_shown() { return std::getenv("LINKWRIGHT_SHOW") != nullptr; }

/// About the first of them that has a series: held against the equations.
void check_series(const Subject& subject, const std::string& name, double size, std::size_t starts, unsigned degree,
                  std::string* letters = nullptr) {
    std::string why = "no equilibrium";
    for (const linear::Equilibrium& at : rests(subject, starts)) {
        ASSERT_TRUE(at.is_ok) << name << ": " << at.why;
        const auto before = std::chrono::steady_clock::now();
        const Expansion x = expand(*subject.numbers, at.point, {.degree = degree, .symbolic = letters != nullptr, .kept = {}});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        if (is_shown())
            std::printf("%-20s degree %u %.4f s %s %s %s\n", name.c_str(), degree, seconds, x.symbolic ? "letters" : "", x.why.c_str(),
                        testing::PrintToString(x.notes).c_str());
        why = x.why;
        if (!x.is_ok) {  // upright; whoever gives more than one start expects that
            EXPECT_GT(starts, 1U) << name;
            EXPECT_THAT(why, testing::HasSubstr("does not oscillate")) << name;
            continue;
        }
        if (letters) *letters = x.symbolic ? "yes" : x.notes.back();
        return check_remainder(subject, at.point, *x.numeric, size, name);
    }
    FAIL() << name << ": " << why;
}

struct Zoo {
    const char* model;
    double size;
    std::size_t starts = 1;
    unsigned degree = 3;
};

/// What has a place to rest and to swing about: chains, closed chains (two of them overconstrained), rods, excitation.
TEST(Expansion, RemainderFallsAsPromised) {
    for (const Zoo& c : std::vector<Zoo>{{"double_pendulum", 0.2},
                                         {"double_pendulum", 0.4, 1, 5},
                                         {"triple_pendulum", 0.1},
                                         {"spring_pendulum", 0.05},
                                         {"four_bar", 0.05, 3},
                                         {"four_bar", 0.1, 3, 5},
                                         {"slider_crank", 0.1, 12},
                                         {"lynch_four_bar", 0.05},
                                         {"rod_pendulum", 0.2},
                                         {"spatial_four_bar", 0.05},
                                         {"bricard", 0.05},
                                         {"ship_pendulum", 0.1},
                                         {"parametric_pendulum", 0.2},
                                         {"duffing", 0.2},
                                         {"van_der_pol", 0.2},
                                         {"two_blocks", 0.2},
                                         {"chain10", 0.02}}) {
        const std::string folder = project_root() + "/models/" + c.model;
        const std::string deck = folder + "/lynch.toml";
        const Subject subject(std::filesystem::exists(deck) ? model::read_lynch_files(deck) : model::read_file(folder + "/model.toml"));
        check_series(subject, c.model, c.size, c.starts, c.degree);
    }
}

TEST(Expansion, TurnsOfAQuaternionAreThreeFreedoms) {
    const Subject subject(read_text(R"toml(
format = 1
name = "body on a ball joint"
gravity = [0, "-9.81", 0]
[ground]
points = { a = [1, 0, 0.5], b = [0, 0.2, 1] }
[[body]]
name = "body"
mass = 1.5
com = [0.05, -0.3, 0.02]
inertia = [0.02, 0.01, 0.03]
points = { p = [0.3, -0.2, 0.1], q = [0, -0.1, 0.25] }
[[joint]]
name = "ball"
type = "spherical"
parent = "ground"
child = "body"
[[spring]]
from = "ground.a"
to = "body.p"
stiffness = 20
rest = 0.4
[[spring]]
from = "ground.b"
to = "body.q"
stiffness = 15
rest = 0.3
)toml",
                                    "ball.toml"));
    check_series(subject, "ball", 0.1, 4, 3);
    const Expansion x = expand(*subject.numbers, rests(subject, 4).front().point, {});
    EXPECT_THAT(x.numeric->coordinates, testing::ElementsAre("ball.turn.x", "ball.turn.y", "ball.turn.z"));
}

TEST(Expansion, UsersSpeedsMakeNoDifference) {
    const std::string arms = R"toml(
format = 1
name = "double pendulum"
gravity = [0, "-9.81", 0]
[[body]]
name = "upper"
mass = 1
com = [0, -0.5, 0]
inertia = [0, 0, 0.1]
points = { end = [0, -1, 0] }
[[body]]
name = "lower"
mass = 0.7
com = [0, -0.4, 0]
inertia = [0, 0, 0.05]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "upper"
axis = "z"
[[joint]]
name = "knee"
type = "revolute"
parent = "upper"
child = "lower"
parent_at = "end"
axis = "z"
)toml";
    const Subject plain(read_text(arms.c_str(), "plain.toml"));
    const Subject own(
        read_text((arms + "[speeds]\nu1 = \"hip' - knee'\"\nu2 = \"hip' + (2 + sin(hip + knee))*knee'\"\n").c_str(), "own.toml"));
    const Expansion a = expand_at(plain, plain.numbers->zero_state()), b = expand_at(own, own.numbers->zero_state());
    ASSERT_TRUE(a.is_ok && b.is_ok) << a.why << b.why;
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(a.numeric->omega[k], b.numeric->omega[k], 1e-11);
        VectorXd x(6);
        x << 0.1, -0.2, 0.3, 0.15, -0.4, 0.25;
        EXPECT_NEAR(value_of(*a.numeric, k, x, 0), value_of(*b.numeric, k, x, 0), 1e-10);
    }
    check_series(own, "own speeds", 0.1, 1, 3);
}

TEST(Expansion, LoopsMayBeCarriedAlong) {
    const Subject subject(read_text(R"toml(
format = 1
name = "rod on a hook that is shaken"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
a = 0.05
W = 4
l = 1.2
[[body]]
name = "hook"
[[body]]
name = "bob"
mass = 0.3
[[joint]]
name = "shake"
type = "translation"
parent = "ground"
child = "hook"
axes = ["x", "z"]
[[joint]]
name = "at"
type = "translation"
parent = "ground"
child = "bob"
[[rod]]
name = "rod"
from = "hook"
to = "bob"
length = "l"
[[motion]]
coordinate = "shake.x"
equals = "a*sin(W*t)"
[[motion]]
coordinate = "shake.z"
equals = "0.3*a*cos(W*t)"
[initial]
at.x = 0
at.y = 0
[guess]
at.z = -1
)toml",
                                    "hook.toml"));
    numeric::State state = subject.start();
    const Expansion x = expand_at(subject, state, {.symbolic = false, .kept = {"at.x", "at.y"}});
    ASSERT_TRUE(x.is_ok) << x.why;
    check_remainder(subject, operating_point(*subject.numbers, state), *x.numeric, 0.2, "hook");
}

/// A bead on a circle, as a rod: in letters though its loop is closed by a series.
TEST(Expansion, OfARodPendulumInLetters) {
    const Subject subject("models/rod_pendulum/model.toml");
    std::string letters;
    check_series(subject, "rod_pendulum", 0.1, 1, 3, &letters);
    EXPECT_EQ(letters, "yes");
}

// At a double or triple root Newton's method ends a little beside it, where there is a little stiffness.
TEST(Expansion, AStiffnessThatGoesWithThePlaceHoldsNothingBack) {
    const auto why = [](const char* force, double start) {
        const std::string text = std::string(
                                     "format = 1\nname = \"soft\"\n[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\nname = \"x\"\ntype = "
                                     "\"prismatic\"\naxis = \"x\"\n"
                                     "parent = \"ground\"\nchild = \"b\"\nactuator = \"") +
                                 force + "\"\n";
        const Subject subject(read_text(text.c_str(), "soft.toml"));
        numeric::State state = subject.numbers->zero_state();
        state.q[0] = start;
        return expand_at(subject, state).why;
    };
    EXPECT_THAT(why("-0.02*x' - 0.5*x^2 - 0.3*x^3", 1e-8), testing::HasSubstr("there is no restoring force"));
    EXPECT_THAT(why("-0.02*x' - 0.3*x^3", 1e-5), testing::HasSubstr("there is no restoring force"));
    EXPECT_THAT(why("-0.02*x' - 0.5*(x - 1)^2", 1 + 1e-6), testing::HasSubstr("there is no restoring force"));
    EXPECT_EQ(why("-1e-8*x - 1e-3*x^3", 1e-6), "");  // soft, but held
    EXPECT_EQ(why("-x - 0.5*x^2", 1e-6), "");
}

TEST(Expansion, RefusalsAreSentences) {
    const auto why = [](const std::string& name) {
        const Subject subject("models/" + name + "/model.toml");
        numeric::State state = subject.start();
        state.u.setZero();
        return expand_at(subject, state).why;
    };
    EXPECT_THAT(why("rolling_disk"), testing::HasSubstr("nonholonomic"));
    EXPECT_THAT(why("mufti_tree"), testing::HasSubstr("does not oscillate (λ = 0 1/s²"));
    EXPECT_THAT(why("driven_crank"), testing::HasSubstr("no degree of freedom"));
    const Subject large("models/chain10/model.toml");
    EXPECT_THAT(expand_at(large, large.numbers->zero_state(), {.degree = 7, .kept = {}}).why, testing::HasSubstr("too many terms"));
}

}  // namespace
}  // namespace linkwright::perturb
