// Beams against the literature: frequencies of cantilevers, loaded and rotating; the spin-up; derivatives; frames.
// With TABLES in the environment the tables of docs/elastic.md are printed.

#include <Eigen/Eigenvalues>

#include <cstdlib>

#include "linear/live_subject.hpp"
#include "linkwright/linear/modes.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

/// A beam on a hub that turns with `rate`, or is clamped where there is none.
struct Blade {
    std::string direction = "y", family = "clamped-free", rate = {}, more = {};
    int count = 3;

    std::string text() const {
        const std::string joint = rate.empty() ? "type = \"weld\"\n" : "type = \"revolute\"\n";
        const std::string motion = rate.empty() ? "" : "[[motion]]\ncoordinate = \"hub\"\nequals = \"" + rate + "*t\"\n";
        return "format = 1\nname = \"Blade\"\n[parameters]\nL = 1\nmu = 1\nEI = 1\nmass = 0\n[[body]]\nname = \"beam\"\ntype = "
               "\"beam\"\nlength = \"L\"\n"
               "mass_per_length = \"mu\"\nbending = { " +
               direction + " = \"EI\" }\nshapes = { " + direction + " = { family = \"" + family + "\", count = " + std::to_string(count) +
               " } }\n" + more + "[[joint]]\nname = \"hub\"\nparent = \"ground\"\nchild = \"beam\"\n" + joint + motion;
    }
    Subject subject() const { return Subject(model::read(text(), "blade.toml")); }
};

/// ω of small motions about the straight beam, ascending.
std::vector<double> frequencies(const Blade& blade) {
    const Subject s = blade.subject();
    const auto linear = linear::linearize(*s.numbers, numeric::operating_point(*s.numbers, s.start()));
    EXPECT_TRUE(linear.is_ok) << linear.why;
    const linear::Modes modes = linear::modes(linear);
    EXPECT_TRUE(modes.is_ok) << modes.why;
    std::vector<double> found;
    for (const std::complex<double> p : modes.poles) {
        EXPECT_LT(std::abs(p.real()), 1e-6 * std::abs(p));
        if (p.imag() > 0) found.push_back(p.imag());
    }
    std::ranges::sort(found);
    return found;
}

void print_row(const std::string& name, const std::vector<double>& values) {
    if (std::getenv("TABLES") == nullptr) return;  // NOLINT(concurrency-mt-unsafe)
    std::printf("| %s |", name.c_str());
    for (const double v : values) std::printf(" %.1e |", v);
    std::printf("\n");
}

// -------------------------------------------------------------------------------------------------------------- frequencies

TEST(Cantilever, HasTheFrequenciesOfTheBooks) {
    const std::vector<double> wanted{1.87510406871196, 4.69409113297417, 7.85475743823761, 10.9955407348755, 14.1371683910465};
    const std::vector<double> found = frequencies({.more = "shortening = false\n", .count = 5});
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(std::sqrt(found[i]), wanted[i], 1e-10 * wanted[i]) << i;
    // and those of the model in the zoo
    const Subject zoo("models/cantilever/model.toml");
    const auto linear = linear::linearize(*zoo.numbers, numeric::operating_point(*zoo.numbers, zoo.numbers->zero_state()));
    const linear::Modes modes = linear::modes(linear);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(2 * std::numbers::pi * modes.modes[i].natural_hz, std::pow(wanted[i], 2) * std::sqrt(60 / (0.8 * std::pow(1.5, 4))),
                    1e-8);
    }
}

/// βL of a cantilever with a mass at its tip, by the ratio of the masses. Shapes of the beam without it approach them from above, and so do
/// polynomials, faster.
TEST(Cantilever, WithAMassAtItsTipApproachesTheTable) {
    const std::map<std::string, std::vector<double>> table{{"0.1", {1.72274152059326, 4.39952281615601}},
                                                           {"1", {1.24791740960647, 4.03113943671496}},
                                                           {"10", {0.735781919389651, 3.93846583325181}}};
    for (const auto& [ratio, wanted] : table) {
        for (const std::string family : {"clamped-free", "polynomial"}) {
            for (std::size_t mode = 0; mode < 2; ++mode) {
                std::vector<double> errors;
                for (const int count : {2, 4, 6, 8}) {
                    const Blade blade{.family = family,
                                      .more = "shortening = false\nmasses = [ { at = \"L\", mass = " + ratio + " } ]\n",
                                      .count = count};
                    errors.push_back(std::sqrt(frequencies(blade)[mode]) / wanted[mode] - 1);
                }
                print_row(family + ", mass " + ratio + ", mode " + std::to_string(mode + 1), errors);
                for (std::size_t i = 0; i < errors.size(); ++i) {
                    EXPECT_GT(errors[i], -1e-9) << ratio << family << i;
                    if (i > 0 && errors[i - 1] > 1e-9) EXPECT_LT(errors[i], 0.5 * errors[i - 1]) << ratio << family << i;
                }
                EXPECT_LT(errors.back(), family == "polynomial" ? 1e-8 : 4e-3) << ratio << family;
            }
        }
    }
}

/// Flapping (out of the plane of rotation) at γ = Ω √(μL⁴/EI) [wright82]; lagging, in the plane, has γ² less in its square.
TEST(RotatingBeam, HasTheFrequenciesOfTheLiterature) {
    const std::map<std::string, std::vector<double>> flap{
        {"0", {3.51602, 22.03449}}, {"2", {4.13732, 22.61492}}, {"4", {5.58500, 24.27335}}, {"6", {7.36037, 26.80908}}};
    for (const auto& [gamma, wanted] : flap) {
        const double speed = std::stod(gamma);
        for (const std::string family : {"clamped-free", "polynomial"}) {
            std::vector<double> errors;
            for (const int count : {1, 2, 3, 4, 6, 8}) {
                const Blade out{.direction = "z", .family = family, .rate = gamma, .count = count},
                    in{.family = family, .rate = gamma, .count = count};
                const std::vector<double> a = frequencies(out), b = frequencies(in);
                errors.push_back(a[0] / wanted[0] - 1);
                for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(b[i] * b[i], a[i] * a[i] - speed * speed, 1e-7 * a[i] * a[i]);
                if (count == 8) {
                    EXPECT_NEAR(a[0], wanted[0], family == "polynomial" ? 1e-5 : 1e-4);
                    EXPECT_NEAR(a[1], wanted[1], family == "polynomial" ? 2e-5 : 5e-4);
                }
            }
            print_row(family + ", γ = " + gamma, errors);
            for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], errors[i - 1] + 2e-6);
        }
    }
}

/// Without the shortening, flapping does not know of the rotation, and lagging loses stiffness by it.
TEST(RotatingBeam, IsNotStiffenedWithoutShortening) {
    const std::string no = "shortening = false\n";
    EXPECT_NEAR(frequencies({.direction = "z", .rate = "3", .more = no})[0], 3.51602, 1e-5);
    EXPECT_NEAR(frequencies({.rate = "3", .more = no})[0], std::sqrt(3.516015 * 3.516015 - 9), 1e-5);
}

// ------------------------------------------------------------------------------------------------------------------ spin-up

struct Extreme {
    double t = 0, least = 0, last = 0;
};

Extreme spin_up(const std::string& more, double until) {
    std::ifstream file(project_root() + "/models/rotating_beam/model.toml");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.find("shapes = ");
    text.insert(at, more);
    const Subject s(model::read(text, "spin_up.toml"));
    motion::SimulateOptions options;
    options.times = times_until(until, static_cast<int>(100 * until));
    options.tolerance = 1e-9;
    const motion::Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, motion::Stop::reached) << m.why;
    const Index y = column(m, "tip.y");
    Extreme e;
    for (const VectorXd& row : m.rows) {
        if (row[y] < e.least) e.least = row[y], e.t = row[0];
    }
    e.last = m.rows.back()[y];
    return e;
}

/// Largest deflection of the tip [simo87]; by all orders and to second order.
TEST(SpinUp, BendsBackAndStraightens) {
    const Extreme all = spin_up("", 20), second = spin_up("order = \"second\"\n", 20);
    EXPECT_NEAR(all.least, -0.5759, 5e-5);
    EXPECT_NEAR(all.t, 6.8, 0.1);
    EXPECT_NEAR(second.least, -0.5744, 5e-5);
    EXPECT_NEAR(second.t, 6.8, 0.1);
    EXPECT_LT(std::abs(all.last), 2e-3);
    EXPECT_LT(std::abs(second.last), 2e-3);
    EXPECT_LT(spin_up("shortening = false\n", 15).last, -1e3);
}

// -------------------------------------------------------------------------------------------------------------- derivatives

/// λ = β⁴ EI/(μL⁴) through the shape constants: exact.
TEST(Derivatives, OfTheCantilever) {
    LiveSubject b("models/cantilever/model.toml");
    b.numbers->set(b.find("zeta"), 0);
    b.operate(linear::Operating::At::equilibrium);
    ASSERT_TRUE(b.point.is_ok) << b.point.why;
    const std::vector<std::size_t> parameters = b.find({"L", "EI", "mu"});
    const auto s = b.derivatives(parameters);
    ASSERT_TRUE(s.is_ok) << s.why;
    ASSERT_TRUE(s.is_lambda);
    ASSERT_EQ(s.values.size(), 3);
    const std::array<double, 3> factor{-4 / 1.5, 1 / 60.0, -1 / 0.8};
    for (Index i = 0; i < 3; ++i) {
        for (Index k = 0; k < 3; ++k) EXPECT_NEAR(s.derivatives(i, k).real(), factor[k] * s.values[i].real(), 1e-9 * std::abs(s.values[i]));
    }
}

/// With a load at the tip, about the state that its weight bends it to: against differences.
TEST(Derivatives, OfALoadedBeam) {
    LiveSubject b("models/beam_with_tip_load/model.toml");
    b.operate(linear::Operating::At::equilibrium);
    ASSERT_TRUE(b.point.is_ok) << b.point.why;
    const std::vector<std::size_t> parameters = b.find({"L", "EI", "mu", "load", "J"});
    const auto s = b.derivatives(parameters);
    ASSERT_TRUE(s.is_ok) << s.why;
    const auto lambda = [&] {
        const numeric::OperatingPoint at = b.points->find(&b.point);
        return linear::modes(b.linear(at)).lambda;
    };
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const double p = b.numbers->parameters()[parameters[k]], h = 1e-4 * p;
        b.numbers->set(parameters[k], p + h);
        const auto up = lambda();
        b.numbers->set(parameters[k], p - h);
        const auto down = lambda();
        b.numbers->set(parameters[k], p);
        for (Index i = 0; i < 3; ++i) {
            const double difference = (up[i] - down[i]) / (2 * h);
            EXPECT_NEAR(s.derivatives(i, static_cast<Index>(k)).real(), difference,
                        1e-6 * std::max(std::abs(difference), std::abs(s.values[i]) / p))
                << k;
        }
    }
}

/// The handbook's deflection at rest.
TEST(LoadedBeam, RestsWhereTheHandbookSays) {
    LiveSubject b("models/beam_with_tip_load/model.toml");
    b.operate(linear::Operating::At::equilibrium);
    ASSERT_TRUE(b.point.is_ok) << b.point.why;
    const numeric::Evaluation e = numeric::evaluate(*b.numbers, b.point.state);
    const auto output = [&](const std::string& name) {
        for (std::size_t i = 0; i < b.subject.equations.outputs.size(); ++i) {
            if (b.subject.equations.outputs[i].name == name) return e.outputs[static_cast<Index>(i)];
        }
        ADD_FAILURE() << name;
        return 0.0;
    };
    EXPECT_NEAR(output("tip.y"), -(2 * 8.0 / 3 + 1.5 * 16 / 8) * 9.81 / 800, 1e-12);
    EXPECT_NEAR(output("tip.y"), output("handbook"), 1e-14);
    EXPECT_NEAR(std::abs(output("clamp_moment.z")), (2 * 2 + 1.5 * 4 / 2) * 9.81, 1e-9);
}

// ------------------------------------------------------------------------------------------------------------------- frames

/// A beam on a pin, horizontal, let go: where its tip is.
std::vector<Eigen::Vector2d> tip_path(const std::string& frame, const std::string& family, int count) {
    const std::string at = frame == "mean" ? "child_at = { at = 0 }\n" : "";
    const std::string text =
        "format = 1\nname = \"Bar\"\ngravity = [0, \"-g\", 0]\n[parameters]\ng = 9.81\nL = 1\nmu = 1\nEI = 100\n[[body]]\nname = "
        "\"beam\"\ntype = "
        "\"beam\"\nlength = \"L\"\nmass_per_length = \"mu\"\nbending = { y = \"EI\" }\nframe = \"" +
        frame + "\"\nshapes = { y = { family = \"" + family + "\", count = " + std::to_string(count) +
        " } }\n[[joint]]\nname = \"pin\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"beam\"\n" + at +
        "[[output]]\nname = \"tip\"\nposition = \"beam.tip\"\n";
    const Subject s(model::read(text, "bar.toml"));
    motion::SimulateOptions options;
    options.times = times_until(0.5, 50);
    options.tolerance = 1e-10;
    const motion::Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, motion::Stop::reached) << m.why;
    std::vector<Eigen::Vector2d> path;
    for (const VectorXd& row : m.rows) path.emplace_back(row.segment<2>(column(m, "tip.x")));
    return path;
}

double apart(const std::vector<Eigen::Vector2d>& a, const std::vector<Eigen::Vector2d>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
    return most;
}

/// Whatever its frame, a beam moves as it does: the more shapes, the less the paths of its tip differ.
TEST(Frames, ApproachEachOther) {
    const std::vector<Eigen::Vector2d> fine = tip_path("chord", "polynomial", 8);
    for (const auto& [frame, family] : {std::pair<std::string, std::string>{"tangent", "clamped-free"},
                                        {"chord", "pinned-pinned"},
                                        {"mean", "free-free"},
                                        {"tangent", "polynomial"},
                                        {"chord", "polynomial"},
                                        {"mean", "polynomial"}}) {
        std::vector<double> errors;
        for (const int count : {1, 2, 4, 6}) errors.push_back(apart(tip_path(frame, family, count), fine));
        print_row(frame + ", " + family, errors);
        for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], errors[i - 1]) << frame << " " << family << " " << i;
        EXPECT_LT(errors.back(), 3e-5) << frame << " " << family;
    }
    // the same polynomials in three frames: what is left is of third order in the slopes
    const auto tangent = tip_path("tangent", "polynomial", 8), mean = tip_path("mean", "polynomial", 8);
    print_row("tangent, chord, mean beside each other, 8 polynomials", {apart(tangent, fine), apart(mean, fine), apart(tangent, mean)});
    EXPECT_LT(apart(tangent, fine), 2e-7);
    EXPECT_LT(apart(mean, fine), 2e-7);
}

// ------------------------------------------------------------------------------------------------------------------ limits

/// A rod that hardly bends makes a slider-crank that is nearly rigid: the difference falls as 1/EI.
TEST(StiffRod, IsARigidOne) {
    motion::SimulateOptions options;
    options.times = times_until(0.02, 200);
    options.tolerance = 1e-11;
    const auto turned = [&](const Subject& s) {
        const motion::Motion m = simulate(*s.numbers, s.start(), options);
        EXPECT_EQ(m.stop, motion::Stop::reached) << m.why;
        VectorXd angle(static_cast<Index>(m.rows.size()));
        for (Index i = 0; i < angle.size(); ++i) angle[i] = m.rows[static_cast<std::size_t>(i)][column(m, "shaft")];
        return angle;
    };
    Subject rigid(model::read(R"(
format = 1
name = "Rigid"
gravity = [0, "-9.81", 0]
[[body]]
name = "crank"
inertia = [0, 0, 0.01]
points = { pin = [0.05, 0, 0] }
[[body]]
name = "rod"
mass = 0.09
inertia = [0, 0, "0.09*0.3^2/12"]
com = [0.15, 0, 0]
points = { tip = [0.3, 0, 0] }
[[body]]
name = "piston"
mass = 0.4
[[joint]]
name = "shaft"
type = "revolute"
parent = "ground"
child = "crank"
[[joint]]
name = "big_end"
type = "revolute"
parent = "crank"
child = "rod"
parent_at = "pin"
[[joint]]
name = "bore"
type = "prismatic"
parent = "ground"
child = "piston"
axis = "x"
[[joint]]
name = "wrist"
type = "revolute"
parent = "rod"
child = "piston"
parent_at = "tip"
[initial]
shaft = "60*deg"
"shaft'" = "40*pi"
[guess]
big_end = "-70*deg"
bore = 0.3
)",
                              "rigid.toml"));
    const VectorXd limit = turned(rigid);
    double before = 0;
    for (const char* EI : {"12", "120", "1200"}) {
        Subject s("models/flexible_slider_crank/model.toml");
        EXPECT_FALSE(model::set_value(*s.model, "EI", EI));
        s.derive();
        const double now = (turned(s) - limit).cwiseAbs().maxCoeff();
        if (before > 0) EXPECT_NEAR(now, before / 10, 0.3 * before / 10) << EI;
        before = now;
    }
    EXPECT_LT(before, 1e-4);
}

}  // namespace
}  // namespace linkwright
