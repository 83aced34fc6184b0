// Derivatives of eigenvalues, vectors and equilibria, against differences and published numbers.

#include <map>

#include "linear/live_subject.hpp"
#include "linkwright/solve/eigen.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using linear::Eigenvalues;
using linear::Multiplicity;
using Complex = std::complex<double>;

Json oracle() {
    std::ifstream file(project_root() + "/test/linear/triple_pendulum.json");
    return Json::parse(file);
}

TEST(Sensitivity, OfTheTriplePendulumIsThatOfTheTable) {
    LiveSubject b("models/lynch_triple_pendulum/lynch.toml");
    const std::vector<std::size_t> lengths = b.find({"DL22", "DL33", "DL44"});
    const Json table = oracle();
    for (const Json& row : table.at("newton")) {
        for (std::size_t k = 0; k < 3; ++k) b.numbers->set(lengths[k], row.at("DL")[k].get<double>());
        b.operate(linear::Operating::At::equilibrium);
        ASSERT_TRUE(b.point.is_ok) << b.point.why;
        const auto s = b.derivatives(lengths);
        ASSERT_TRUE(s.is_ok) << s.why;
        ASSERT_TRUE(s.is_lambda);
        for (Index i = 0; i < 3; ++i) {
            const std::size_t r = i;
            EXPECT_NEAR(s.values[i].real(), row.at("eigenvalues")[r].get<double>(), 1e-9);
            for (Index k = 0; k < 3; ++k) EXPECT_NEAR(s.derivatives(i, k).real(), row.at("sensitivity")[r][k].get<double>(), 1e-7);
        }
    }
}

TEST(Sensitivity, OfVectorsOfTheTriplePendulum) {
    LiveSubject b("models/lynch_triple_pendulum/lynch.toml");
    b.operate(linear::Operating::At::equilibrium);
    const std::vector<std::size_t> none;
    const auto L = b.linear(b.point);
    const linear::EigenvectorSensitivity v = b.sensitivity->vectors(L, linear::modes(L), {}, none);
    const Json table = oracle(), columns = table.at("newton")[0].at("eigenvectors_mass_normalised_columns");
    for (Index i = 0; i < 3; ++i) {
        for (Index k = 0; k < 3; ++k) {
            EXPECT_NEAR(std::abs(v.vectors(k, i)), std::abs(columns[k][i].get<double>()), 1e-9);
        }
    }
}

TEST(Sensitivity, OfRepeatedEigenvaluesIsThatOfBranches) {
    // a ball on a rod in a gimbal: two equal λ, which stay equal when g or the length changes, and part with a spring in one joint
    const char* text = R"(
format = 1
name = "Rod"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
m = 2.0
l = 0.7
k = 0.0
[[body]]
name = "cross"
[[body]]
name = "bob"
mass = "m"
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "cross"
axis = "x"
stiffness = "k"
[[joint]]
name = "b"
type = "revolute"
parent = "cross"
child = "bob"
child_at = [0, 0, "l"]
axis = "y"
)";
    LiveSubject b(model::read(text, "rod.toml"));
    b.operate(linear::Operating::At::equilibrium);
    ASSERT_TRUE(b.point.is_ok) << b.point.why;
    const std::vector<std::size_t> parameters = b.find({"l", "k", "m"});
    const auto s = b.derivatives(parameters);
    ASSERT_TRUE(s.is_ok) << s.why;
    ASSERT_TRUE(s.is_lambda);
    ASSERT_EQ(s.values.size(), 2);
    EXPECT_EQ(s.multiplicity[0], Multiplicity::repeated);
    EXPECT_EQ(s.notes.size(), 1);
    for (Index i = 0; i < 2; ++i) {
        EXPECT_NEAR(s.derivatives(i, 0).real(), -9.81 / 0.49, 1e-10);
        EXPECT_NEAR(s.derivatives(i, 1).real(), i == 0 ? 0 : 1 / (2.0 * 0.49), 1e-10);
        EXPECT_NEAR(s.derivatives(i, 2).real(), 0, 1e-10);
    }
}

TEST(Sensitivity, HasThePolesOfModes) {
    for (const std::string model : {"models/bicycle/model.toml", "models/lynch_triple_pendulum/lynch.toml", "models/four_bar/model.toml"}) {
        LiveSubject b(model);
        b.operate(linear::Operating::At::initial);
        ASSERT_TRUE(b.point.is_ok) << b.point.why;
        const auto L = b.linear(b.point);
        const auto m = linear::modes(L);
        const std::vector<std::size_t> one{0};
        const auto s = b.sensitivity->eigenvalues(L, m, b.points->derivatives(b.point, one), one, Eigenvalues::poles);
        ASSERT_TRUE(s.is_ok) << s.why;
        std::vector<std::pair<double, double>> found, wanted;
        for (const Complex z : s.values) {
            if (z != 0.0) found.emplace_back(z.imag(), z.real());
        }
        for (const Complex z : m.poles) {
            if (z.imag() >= 0 && z != 0.0) wanted.emplace_back(z.imag(), z.real());
        }
        EXPECT_EQ(found, wanted) << model;
    }
}

TEST(Sensitivity, OfVectorsOfTheBicycleHasItsDigits) {  // ψ̇ w = (v δ + c δ̇) cos λ, ψ̇ = μ ψ [meijaard07]
    LiveSubject b("models/bicycle/model.toml");
    b.numbers->set(b.find("v"), 5);
    b.operate(linear::Operating::At::initial);
    ASSERT_TRUE(b.point.is_ok) << b.point.why;
    const auto L = b.linear(b.point);
    const std::vector<std::size_t> none;
    const linear::EigenvectorSensitivity v = b.sensitivity->vectors(L, linear::modes(L), {}, none);
    const auto row = [&](const std::string& name) { return static_cast<Index>(std::ranges::find(v.s, name) - v.s.begin()); };
    const double w = b.numbers->parameters()[b.find("w")], c = b.numbers->parameters()[b.find("c")];
    const double tilt = b.numbers->parameters()[b.find("lam")];
    for (Index i = 0; i < v.vectors.cols(); ++i) {
        const Complex mu = v.of.values[i];
        if (std::abs(mu) < 1e-3) continue;
        const Complex turned = v.vectors(row("yaw"), i) * mu * w, steered = (5.0 + c * mu) * v.vectors(row("steer"), i) * std::cos(tilt);
        EXPECT_LT(std::abs(turned - steered), 1e-11 * (std::abs(turned) + std::abs(steered))) << i;
    }
}

TEST(Sensitivity, OfACriticallyDampedPoleIsNone) {
    const char* text = R"(
format = 1
name = "Oscillator"
[parameters]
m = 1.0
k = 4.0
c = 4.0
[[body]]
name = "block"
mass = "m"
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
stiffness = "k"
damping = "c"
)";
    LiveSubject b(model::read(text, "oscillator.toml"));
    b.operate(linear::Operating::At::equilibrium);
    const std::vector<std::size_t> parameters = b.find({"m", "k", "c"});
    auto s = b.derivatives(parameters);
    ASSERT_TRUE(s.is_ok) << s.why;
    EXPECT_TRUE(std::ranges::all_of(s.multiplicity, [](Multiplicity x) { return x == Multiplicity::defective; }));
    EXPECT_FALSE(s.notes.empty());
    b.numbers->set(parameters[2], 1.0);  // μ = −½ ± i √3.75, dμ/dk = −1/(2μ + c)
    s = b.derivatives(parameters);
    ASSERT_EQ(s.values.size(), 1);
    const Complex mu(-0.5, std::sqrt(3.75));
    EXPECT_LT(std::abs(s.derivatives(0, 1) + 1.0 / (2.0 * mu + 1.0)), 1e-12);
    EXPECT_LT(std::abs(s.derivatives(0, 2) + mu / (2.0 * mu + 1.0)), 1e-12);
    EXPECT_NEAR(s.damping_ratio(0, 2), 0.25, 1e-12);  // ζ = c/(2√(k m))
}

/// The eigenvalue next to each of `of`, each taken once.
Eigen::VectorXcd matched(const Eigen::VectorXcd& of, Eigen::VectorXcd among) {
    Eigen::VectorXcd found = of;
    std::vector<bool> is_taken(static_cast<std::size_t>(among.size()), false);
    for (Index i = 0; i < of.size(); ++i) {
        Index best = -1;
        for (Index j = 0; j < among.size(); ++j) {
            if (!is_taken[j] && (best < 0 || std::abs(among[j] - of[i]) < std::abs(among[best] - of[i]))) best = j;
        }
        if (best < 0) continue;
        is_taken[best] = true;
        found[i] = among[best];
    }
    return found;
}

std::vector<std::string> zoo() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(project_root() + "/models")) {
        for (const char* name : {"model.toml", "lynch.toml"}) {
            if (std::filesystem::exists(entry.path() / name)) paths.push_back("models/" + entry.path().filename().string() + "/" + name);
        }
    }
    std::ranges::sort(paths);
    return paths;
}

bool is_derived(const eom::Parameter& p) { return !p.value.is_number(); }

/// "chain10" of "models/chain10/model.toml"
std::string folder_of(const std::string& path) { return path.substr(7, path.rfind('/') - 7); }

/// Models without an equilibrium that can be linearized, and what is said of them. They are taken as they start.
const std::map<std::string, std::string> never_at_rest{{"biped", "remains along z'"},         {"cart_pole", "remains along x'"},
                                                       {"gear_train", "remains along a'"},    {"mufti_closed", "remains along"},
                                                       {"stewart_platform", "remains along"}, {"spinning_top", "has no inertia"}};

/// Parameters that are zero and bring damping when they are not: beside the point there is no λ to compare with.
bool brings_damping(const std::string& path, const std::string& parameter) {
    static const std::map<std::string, std::vector<std::string>> all{{"chain10", {"c"}},
                                                                     {"flexible_pendulum_chain", {"c"}},
                                                                     {"parametric_pendulum", {"c"}},
                                                                     {"lynch_triple_pendulum", {"CR21", "CR32", "CR43"}},
                                                                     {"triple_pendulum", {"CR21", "CR32", "CR43"}}};
    const auto at = all.find(folder_of(path));
    return at != all.end() && std::ranges::find(at->second, parameter) != at->second.end();
}
/// Where a nudge may make other coordinates the independent ones: they are chosen by size, and here several are alike.
bool may_choose_others(const std::string& path) { return folder_of(path) == "stewart_platform"; }

class SensitivityOfTheZoo : public testing::TestWithParam<std::string> {
protected:
    void operate(LiveSubject& b) {
        b.operate(linear::Operating::At::equilibrium);
        if (const auto refused = never_at_rest.find(folder_of(GetParam())); refused != never_at_rest.end()) {
            ASSERT_FALSE(b.point.is_ok);
            ASSERT_THAT(b.point.why, testing::HasSubstr(refused->second));
            b.operate(linear::Operating::At::initial);
        }
        ASSERT_TRUE(b.point.is_ok) << b.point.why;
    }
    static std::string name_of(const LiveSubject& b, std::size_t parameter) {
        return b.subject.equations.parameters[parameter].symbol.symbol().name;
    }
};

TEST_P(SensitivityOfTheZoo, IsThatOfDifferences) {
    LiveSubject b(GetParam());
    ASSERT_NO_FATAL_FAILURE(operate(b));
    std::vector<std::size_t> parameters;
    for (std::size_t i = 0; i < b.subject.equations.parameters.size(); ++i) {
        if (!is_derived(b.subject.equations.parameters[i])) parameters.push_back(i);
    }
    const auto L = b.linear(b.point);
    ASSERT_TRUE(L.is_ok) << L.why;
    const linear::PointDerivatives point_derivatives = b.points->derivatives(b.point, parameters);
    ASSERT_TRUE(point_derivatives.is_ok) << point_derivatives.why;
    const linear::Modes modes = linear::modes(L);
    ASSERT_TRUE(modes.is_ok) << modes.why;
    for (const Eigenvalues which : {Eigenvalues::lambda_or_poles, Eigenvalues::poles}) {
        if (which == Eigenvalues::poles && !modes.has_lambda) continue;
        const auto s = b.sensitivity->eigenvalues(L, modes, point_derivatives, parameters, which);
        ASSERT_TRUE(s.is_ok) << s.why;
        const auto values = [&](const linear::Linearization& at, const linear::Modes& m) -> Eigen::VectorXcd {
            if (!s.is_lambda) return at.state_space.A.size() == 0 ? Eigen::VectorXcd() : solve::spectrum(at.state_space.A).values;
            Eigen::VectorXcd v(static_cast<Index>(m.lambda.size()));
            for (Index i = 0; i < v.size(); ++i) v[i] = m.lambda[i];
            return v;
        };
        double size = 0;
        for (const Complex v : s.values) size = std::max(size, std::abs(v));
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const double p = b.numbers->parameters()[parameters[k]];
            const double h = 1e-5 * (p == 0 ? 1 : std::abs(p));
            std::array<Eigen::VectorXcd, 2> beside;
            const std::string name = name_of(b, parameters[k]);
            bool has_same_values = true, has_same_coordinates = true;
            for (const int side : {0, 1}) {
                b.numbers->set(parameters[k], side == 0 ? p - h : p + h);
                const numeric::OperatingPoint at = b.points->find(&b.point);
                ASSERT_TRUE(at.is_ok) << name << ": " << at.why;
                ASSERT_LT((at.state.q - b.point.state.q).norm(), 0.1) << name;
                const linear::Linearization near = b.linear(at);
                ASSERT_TRUE(near.is_ok) << name << ": " << near.why;
                const linear::Modes m = linear::modes(near);
                ASSERT_TRUE(m.is_ok) << name << ": " << m.why;
                has_same_values = has_same_values && (!s.is_lambda || m.has_lambda);
                has_same_coordinates = has_same_coordinates && near.y == L.y && near.z == L.z;
                if (has_same_values) beside[side] = matched(s.values + (side == 0 ? -h : h) * s.derivatives.col(k), values(near, m));
            }
            b.numbers->set(parameters[k], p);
            EXPECT_EQ(has_same_values, !s.is_lambda || !brings_damping(GetParam(), name)) << name;
            EXPECT_TRUE(has_same_coordinates || may_choose_others(GetParam())) << name;
            if (!has_same_values || !has_same_coordinates) continue;
            for (Index i = 0; i < s.values.size(); ++i) {
                if (s.multiplicity[i] != Multiplicity::simple) continue;
                const Complex difference = (beside[1][i] - beside[0][i]) / (2 * h), exact = s.derivatives(i, static_cast<Index>(k));
                const double scale = std::max({std::abs(exact), std::abs(s.values[i]) / std::max(std::abs(p), 0.1), 1e-4 * size});
                EXPECT_LT(std::abs(difference - exact), 3e-5 * scale)
                    << name << ", eigenvalue " << s.values[i] << ": " << exact << " against " << difference;
            }
        }
    }
}

/// Beside the point, a vector scaled as the exact one.
Eigen::VectorXcd vector_near(const linear::EigenvectorSensitivity& all, Complex value, const Eigen::VectorXcd& like) {
    Index best = 0;
    for (Index i = 1; i < all.of.values.size(); ++i) {
        if (std::abs(all.of.values[i] - value) < std::abs(all.of.values[best] - value)) best = i;
    }
    Eigen::VectorXcd v = all.vectors.col(best);
    if (all.of.is_lambda) return v.dot(like).real() < 0 ? Eigen::VectorXcd(-v) : v;
    Index largest = 0;  // the first of equals, as there
    while (std::abs(like[largest]) < like.cwiseAbs().maxCoeff() * (1 - 1e-9)) ++largest;
    return v / v[largest];
}

TEST_P(SensitivityOfTheZoo, VectorsToo) {
    LiveSubject b(GetParam());
    ASSERT_NO_FATAL_FAILURE(operate(b));
    std::vector<std::size_t> parameters;
    for (std::size_t i = 0; i < b.subject.equations.parameters.size() && parameters.size() < 4; ++i) {
        if (!is_derived(b.subject.equations.parameters[i])) parameters.push_back(i);
    }
    const auto L = b.linear(b.point);
    const linear::PointDerivatives derivatives = b.points->derivatives(b.point, parameters);
    ASSERT_TRUE(L.is_ok && derivatives.is_ok) << L.why << derivatives.why;
    const linear::EigenvectorSensitivity v = b.sensitivity->vectors(L, linear::modes(L), derivatives, parameters);
    ASSERT_TRUE(v.of.is_ok) << v.of.why;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const double p = b.numbers->parameters()[parameters[k]], h = 1e-5 * (p == 0 ? 1 : std::abs(p));
        std::array<linear::EigenvectorSensitivity, 2> beside;
        const std::string name = name_of(b, parameters[k]);
        bool has_same_values = true, has_same_coordinates = true;
        for (const int side : {0, 1}) {
            b.numbers->set(parameters[k], side == 0 ? p - h : p + h);
            const numeric::OperatingPoint at = b.points->find(&b.point);
            ASSERT_TRUE(at.is_ok) << name << ": " << at.why;
            const linear::Linearization near = b.linear(at);
            ASSERT_TRUE(near.is_ok) << name << ": " << near.why;
            beside[side] = b.sensitivity->vectors(near, linear::modes(near), {}, {});
            has_same_values = has_same_values && beside[side].of.is_lambda == v.of.is_lambda;
            has_same_coordinates = has_same_coordinates && near.y == L.y && near.z == L.z;
        }
        b.numbers->set(parameters[k], p);
        EXPECT_EQ(has_same_values, !v.of.is_lambda || !brings_damping(GetParam(), name)) << name;
        EXPECT_TRUE(has_same_coordinates || may_choose_others(GetParam())) << name;
        if (!has_same_values || !has_same_coordinates) continue;
        for (Index i = 0; i < v.vectors.cols(); ++i) {
            if (!v.has_derivative[i]) continue;
            const Eigen::VectorXcd x = v.vectors.col(i), exact = v.derivatives[k].col(i);
            const Complex value = v.of.values[i], change = h * v.of.derivatives(i, static_cast<Index>(k));
            const Eigen::VectorXcd difference =
                (vector_near(beside[1], value + change, x) - vector_near(beside[0], value - change, x)) / (2 * h);
            const double scale = std::max(exact.norm(), x.norm() / (p == 0 ? 1 : std::abs(p)));
            EXPECT_LT((difference - exact).norm(), 2e-4 * scale) << name << ", of " << value;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, SensitivityOfTheZoo, testing::ValuesIn(zoo()), [](const auto& given) {
    std::string name = folder_of(given.param);
    if (given.param.ends_with("lynch.toml")) name += "_as_lynch_wrote_it";
    return name;
});

}  // namespace
}  // namespace linkwright
