#include "linkwright/codegen/package.hpp"

#include <gtest/gtest.h>

#include <random>

#include "codegen/support.hpp"
#include "linkwright/codegen/backends.hpp"
#include "linkwright/numeric/evaluate.hpp"

namespace linkwright::codegen {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Point;
using test::Specimen;
using test::State;
using test::Values;

VectorXd to_vector(const Values& v) { return Eigen::Map<const VectorXd>(v.data(), static_cast<Index>(v.size())); }

/// A result by its name, flat.
VectorXd value(const Specimen& s, const std::string& function, const std::string& result, const Point& point) {
    const Function* f = s.package.find(function);
    if (f == nullptr) return {};
    const auto all = test::run(*f, point);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (f->results[i].name == result) return to_vector(all[i]);
    }
    return {};
}

VectorXd flat(const MatrixXd& m) {
    VectorXd v(m.size());
    for (Index i = 0; i < m.rows(); ++i) v.segment(i * m.cols(), m.cols()) = m.row(i).transpose();
    return v;
}

/// Sums that cancel leave 1e-32 in one order and 0 in another: what is below `least` counts as such.
void expect_same(const VectorXd& a, const VectorXd& b, double tolerance, const std::string& what, double least = 1e-15) {
    ASSERT_EQ(a.size(), b.size()) << what;
    if (a.size() == 0) return;
    const double size = std::max(b.cwiseAbs().maxCoeff(), least);
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * size) << what << "\n" << a.transpose() << "\n" << b.transpose();
}

/// Emitted code has speeds and auxiliary states as one block, of which the latter have the mass 1 and the force g.
numeric::Dynamics with_states(const numeric::Evaluation& e) {
    const Index n = e.dynamics.f.size(), m = e.dynamics.gamma.size(), all = n + e.auxiliary_rates.size();
    numeric::Dynamics d = e.dynamics;
    d.M = MatrixXd::Identity(all, all), d.M.topLeftCorner(n, n) = e.dynamics.M;
    d.G = MatrixXd::Zero(m, all), d.G.leftCols(n) = e.dynamics.G;
    d.f = VectorXd(all), d.f << e.dynamics.f, e.auxiliary_rates;
    return d;
}

std::vector<std::string> everything() {
    std::vector<std::string> names = test::zoo();
    for (const auto& [name, text] : test::oddities()) names.push_back(name);
    return names;
}

class EveryPackage : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Zoo, EveryPackage, ::testing::ValuesIn(everything()), [](const auto& at) { return at.param; });
INSTANTIATE_TEST_SUITE_P(WithDerivatives, EveryPackage,
                         ::testing::Values("stanford6+derivatives", "tree30f+derivatives", "motor_driven_arm+derivatives",
                                           "servo+derivatives", "satellite+derivatives", "gyrostat+derivatives",
                                           "kapitza_pendulum+derivatives"),
                         [](const auto& at) { return at.param.substr(0, at.param.find('+')); });

TEST_P(EveryPackage, SaysWhatNumbersSays) {
    const Specimen& s = test::specimen(GetParam());
    for (const State& state : s.states) {
        const Point at = test::make_point(s, state);
        const numeric::Evaluation e = numeric::evaluate(*s.numbers, state);
        const numeric::Dynamics d = with_states(e);
        expect_same(value(s, "dynamics", "M", at), flat(d.M), 1e-13, "M");
        expect_same(value(s, "dynamics", "f", at), d.f, 1e-12, "f");
        if (s.package.nu() > 0) expect_same(value(s, "dynamics", "G", at), flat(d.G), 1e-13, "G");
        expect_same(value(s, "dynamics", "gamma", at), d.gamma, 1e-12, "gamma", 1e-3);
        expect_same(value(s, "rates", "qdot", at), e.coordinate_rates, 1e-13, "qdot");
        VectorXd rates(d.f.size());
        rates << e.accelerations, e.auxiliary_rates;
        if (s.package.m() == 0 && s.package.nu() > 0) expect_same(value(s, "accelerations", "udot", at), rates, 1e-9, "udot");
        EXPECT_NEAR(value(s, "energy", "T", at)[0], e.kinetic, 1e-12 * std::abs(e.kinetic) + 1e-300);
        EXPECT_NEAR(value(s, "energy", "V", at)[0], e.potential, 1e-12 * std::abs(e.potential) + 1e-300);
        expect_same(value(s, "momentum", "linear", at), VectorXd(e.linear), 1e-12, "linear");
        expect_same(value(s, "momentum", "angular", at), VectorXd(e.angular), 1e-12, "angular");
        expect_same(value(s, "outputs", "y", at), e.outputs, 1e-11, "outputs");
        const VectorXd balance = value(s, "inverse", "r", at);
        if (balance.size() > 0) {
            const double size = d.f.cwiseAbs().maxCoeff() + (e.dynamics.M * e.accelerations).cwiseAbs().maxCoeff();
            EXPECT_LE(balance.cwiseAbs().maxCoeff(), 1e-9 * size + 1e-12);
        }
    }
}

// Along directions that keep quaternions on their sphere, by central differences of the interpreter.
TEST_P(EveryPackage, JacobiansAreDerivatives) {
    const Specimen& s = test::specimen(GetParam());
    const Package& k = s.package;
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const Point at = test::make_point(s, s.states.front());
    for (int direction = 0; direction < 3; ++direction) {
        std::array<VectorXd, 3> d;
        for (std::size_t a = 1; a <= 3; ++a) {
            d[a - 1] = VectorXd(static_cast<Index>(at[a].size()));
            for (double& x : d[a - 1]) x = normal(random);
        }
        for (const auto& e : k.quaternions) {  // d ⊥ e, and a difference quotient on the sphere
            double along = 0;
            for (const std::size_t i : e) along += d[0][i] * at[1][i];
            for (const std::size_t i : e) d[0][i] -= along * at[1][i];
        }
        const auto moved = [&](double h) {
            Point p = at;
            for (std::size_t a = 1; a <= 3; ++a) {
                for (std::size_t i = 0; i < p[a].size(); ++i) p[a][i] += h * d[a - 1][i];
            }
            for (const auto& e : k.quaternions) {
                double square = 0;
                for (const std::size_t i : e) square += p[1][i] * p[1][i];
                for (const std::size_t i : e) p[1][i] /= std::sqrt(square);
            }
            return p;
        };
        const auto derivative = [&](const auto& f) -> VectorXd {
            const double h = 1e-4;
            const VectorXd a = (f(moved(h)) - f(moved(-h))) / (2 * h), b = (f(moved(2 * h)) - f(moved(-2 * h))) / (4 * h);
            return (4 * a - b) / 3;
        };
        const auto product = [&](const std::string& function, const std::string& row, Index rows) {
            VectorXd sum = VectorXd::Zero(rows);
            for (const auto& [by, a] : {std::pair("q", 0), std::pair("u", 1), std::pair("w", 2)}) {
                const VectorXd J = value(s, function, row + "_" + by, at);
                if (J.size() == 0) continue;
                for (Index i = 0; i < rows; ++i) sum[i] += J.segment(i * d[a].size(), d[a].size()).dot(d[a]);
            }
            return sum;
        };
        const VectorXd udot = to_vector(at[6]);
        const auto n = static_cast<Index>(k.nu()), m = static_cast<Index>(k.m()), nq = static_cast<Index>(k.nq());
        const auto close = [&](const VectorXd& a, const VectorXd& b, const std::string& what) {
            if (a.size() == 0) return;
            EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 2e-6 * (1 + b.cwiseAbs().maxCoeff())) << what << "\n"
                                                                                           << a.transpose() << "\n"
                                                                                           << b.transpose();
        };
        close(product("rate_jacobians", "qdot", nq), derivative([&](const Point& p) { return value(s, "rates", "qdot", p); }), "qdot");
        if (n == 0) continue;
        if (k.find("acceleration_derivatives") != nullptr) {
            const auto a = [&](const Point& p) { return value(s, "accelerations", "udot", p); };
            close(product("acceleration_derivatives", "udot", n), derivative(a), "udot");
            close(value(s, "acceleration_derivatives", "udot", at), a(at), "udot itself");
            const VectorXd inverse = value(s, "acceleration_derivatives", "mobility", at), M = value(s, "dynamics", "M", at);
            const Eigen::Map<const Eigen::MatrixXd> A(inverse.data(), n, n), B(M.data(), n, n);
            close((A * B).reshaped(), Eigen::MatrixXd::Identity(n, n).reshaped(), "mobility");
        }
        close(product("jacobians", "r", n), derivative([&](const Point& p) { return value(s, "inverse", "r", p); }), "r");
        if (m == 0) continue;
        close(product("jacobians", "s", m), derivative([&](const Point& p) -> VectorXd {
                  const VectorXd G = value(s, "dynamics", "G", p);
                  VectorXd gap = -value(s, "dynamics", "gamma", p);
                  for (Index i = 0; i < m; ++i) gap[i] += G.segment(i * n, n).dot(udot);
                  return gap;
              }),
              "s");
    }
}

TEST(PackageTest, HasTheFunctionsInTheirOrder) {
    const auto names = [](const Package& k) {
        std::vector<std::string> list;
        for (const Function& f : k.functions) list.push_back(f.name);
        return list;
    };
    EXPECT_EQ(names(test::specimen("four_bar").package),
              (std::vector<std::string>{"setup", "rates", "dynamics", "rate_jacobians", "jacobians", "inverse", "energy", "momentum",
                                        "residuals", "outputs"}));
    const Package& bare = test::specimen("bare").package;
    EXPECT_EQ(names(bare), (std::vector<std::string>{"rates", "dynamics", "accelerations", "rate_jacobians", "jacobians", "inverse",
                                                     "energy", "momentum"}));
    EXPECT_EQ(bare.nc(), 0U);
    EXPECT_EQ(bare.arguments.size(), 8U);
}

TEST(PackageTest, SetupTakesWhatParametersAloneDecide) {
    const Package& k = test::specimen("kapitza_pendulum").package;
    const Function* setup = k.find("setup");
    ASSERT_NE(setup, nullptr);
    EXPECT_EQ(setup->results[0].rows, k.nc());
    for (const Function& f : k.functions) {
        const bool takes_parameters = std::ranges::find(f.arguments, 4U) != f.arguments.end();
        EXPECT_EQ(takes_parameters, f.name == "setup") << f.name;
    }
}

TEST(PackageTest, NamesAreIdentifiers) {
    EXPECT_EQ(identifier("Triple pendulum"), "triple_pendulum");
    EXPECT_EQ(identifier("Kapitza's pendulum"), "kapitza_s_pendulum");
    EXPECT_EQ(identifier("double"), "double_model");
    EXPECT_EQ(identifier("3 bars"), "model_3_bars");
    EXPECT_EQ(identifier("é*/"), "unnamed_model");
    EXPECT_EQ(identifier(""), "unnamed_model");
    EXPECT_EQ(identifier("rates"), "rates_model");
    EXPECT_EQ(identifier("V12"), "v12_model");
    EXPECT_LE(identifier(std::string(500, 'x')).size(), 50U);
}

// A parameter given by others follows them; an input given by t has a function.
TEST(Package, DerivedParametersAndInputsFollow) {
    const auto s = test::make_specimen("follows", std::string(R"toml(
format = 1
name = "follows"
[parameters]
m = 2
I = "m/12"
twice = "2*I"
a = 0.3
[inputs]
tau = "a*sin(3*t)"
push = 0.5
[[body]]
name = "rod"
mass = "m"
inertia = ["twice", "twice", "I"]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "rod"
axis = "z"
actuator = "tau + push + if(hip, sqrt(hip), 2)"
)toml"));
    const Package& k = s->package;
    ASSERT_EQ(k.np(), 2U);
    EXPECT_EQ(k.arguments[4].entries[0].name, "m");
    ASSERT_EQ(k.derived.size(), 2U);
    EXPECT_EQ(k.derived[0].formula, "m/12");
    EXPECT_DOUBLE_EQ(k.derived[1].value, 1.0 / 3);
    EXPECT_EQ(k.arguments[3].entries[0].formula, "a*sin(3*t)");
    EXPECT_EQ(k.arguments[3].entries[1].formula, "");
    test::Point point = make_point(*s, s->states[0]);
    const auto inertia = [&] {
        point[5] = test::run(*k.find("setup"), point)[0];
        return test::run(*k.find("dynamics"), point)[0][0];
    };
    EXPECT_NEAR(inertia(), 2.0 / 12, 1e-15);
    point[4][0] = 6;
    EXPECT_NEAR(inertia(), 6.0 / 12, 1e-15);
    point[0] = {0.4};
    const test::Values w = test::run(*k.find("input_values"), point)[0];
    EXPECT_NEAR(w[0], 0.3 * std::sin(1.2), 1e-15);
    EXPECT_EQ(w[1], 0.5);
    for (const Backend& backend : backends()) {
        std::string text;
        for (const File& file : backend.write(k)) text += file.text;
        EXPECT_NE(text.find("input_values"), std::string::npos) << backend.name;
        EXPECT_NE(text.find("= a*sin(3*t)"), std::string::npos) << backend.name;
        EXPECT_NE(text.find("= m/12"), std::string::npos) << backend.name;
        const bool is_guarded = backend.name == "julia" || backend.name == "matlab" || backend.name == "modelica";
        EXPECT_EQ(text.find("square_root(q") != std::string::npos, is_guarded) << backend.name;
    }
}

TEST(Package, HasPosesAndGeometryOnRequest) {
    EXPECT_EQ(test::specimen("four_bar").package.find("poses"), nullptr);
    for (const char* name : {"four_bar", "driven_crank", "ralf", "spinning_top"}) {
        const auto s = test::make_specimen_with_poses(name);
        std::vector<sym::Expr> bodies, lines;
        for (const eom::BodyPose& b : s->equations.poses) {
            for (const auto& row : b.R) bodies.insert(bodies.end(), row.begin(), row.end());
            for (const auto* list : {&b.p, &b.com}) bodies.insert(bodies.end(), list->begin(), list->end());
            for (const auto& point : b.line) lines.insert(lines.end(), point.begin(), point.end());
        }
        EXPECT_EQ(bodies.size(), 15 * (s->model->bodies.size() - 1));
        EXPECT_EQ(lines.empty(), std::string_view(name) != "ralf");
        bodies.insert(bodies.end(), lines.begin(), lines.end());
        const auto poses = s->numbers->compile(bodies);
        for (const State& state : s->states) {
            const Point at = test::make_point(*s, state);
            expect_same(value(*s, "poses", "pose", at), poses(state), 1e-14, name);
            const VectorXd geometry = value(*s, "geometry", "numbers", at);
            ASSERT_EQ(geometry.size(), 1 + 2 * static_cast<Index>(s->equations.parameters.size()));
            EXPECT_EQ(geometry[0], 0);
            for (Index i = 1; i < geometry.size(); i += 2) EXPECT_NEAR(geometry[i + 1], geometry[i] * geometry[i], 1e-14 * geometry[i + 1]);
        }
    }
}

TEST(Package, NamesHideNoHeaderAndNoMacro) {
    for (const char* name : {"stdio", "ctype", "string", "limits", "Vector", "numbers"})
        EXPECT_EQ(identifier(name), identifier(std::string(name) + "_model")) << name;
}

TEST(Package, NamesHideNoFunctionOfOctave) {
    for (const char* name : {"test", "demo", "rotate", "mode", "spring", "sphere", "arm", "Pendulum"}) {
        const bool is_taken = std::string_view(name) != "arm" && std::string_view(name) != "Pendulum";
        EXPECT_EQ(identifier(name).ends_with("_model"), is_taken) << name;
    }
}

TEST(Package, WordsOfTheAuthorDoNotTurnTheDirectionOfWriting) {
    Package k = test::specimen("triple_pendulum").package;
    k.name = "triple \u202Eevil\u2066 pendulum";
    for (Argument& argument : k.arguments) {
        for (Entry& e : argument.entries) e.about = "length \u200F of\u2028it";
    }
    for (const Backend& backend : backends()) {
        std::string text;
        for (const File& file : backend.write(k)) text += file.text;
        for (const char* hidden : {"\u202E", "\u2066", "\u200F", "\u2028"}) EXPECT_EQ(text.find(hidden), std::string::npos) << backend.name;
        EXPECT_NE(text.find("triple <U+202E>evil<U+2066> pendulum"), std::string::npos) << backend.name;
    }
}

}  // namespace
}  // namespace linkwright::codegen
