// Derivatives of eigenvalues, vectors and equilibria, against differences and published numbers.

#include "linkwright/analysis/sensitivity.hpp"

#include <numbers>

#include "linkwright/analysis/operating.hpp"
#include "linkwright/solve/eigen.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using analysis::Eigenvalues;
using analysis::Standing;
using Complex = std::complex<double>;

analysis::Compile native() {
    return [](program::Program p) { return jit::compile(std::move(p)); };
}

/// A model with live parameters, at its equilibrium or, where it has none, as it begins.
struct Bench {
    explicit Bench(const std::string& path) : subject(path) { begin(); }
    explicit Bench(model::Reading reading) : subject(std::move(reading)) { begin(); }

    void begin() {
        numbers = std::make_unique<analysis::Numbers>(subject.equations, native(), analysis::Parameters::live);
        linearizer = std::make_unique<analysis::Linearizer>(*numbers);
        sensitivity = std::make_unique<analysis::Sensitivity>(*numbers, *linearizer, native());
    }
    void operate(analysis::Operating::At at) {
        analysis::Operating what;
        what.at = at;
        what.start = analysis::assemble(*numbers, analysis::wanted(*numbers)).state;
        points = std::make_unique<analysis::OperatingPoints>(*numbers, what);
        point = points->find();
    }
    std::size_t find(const std::string& name) const {
        const auto& all = subject.equations.parameters;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].symbol.symbol().name == name) return i;
        }
        ADD_FAILURE() << name;
        return 0;
    }
    std::vector<std::size_t> find(const std::vector<std::string>& names) const {
        std::vector<std::size_t> list;
        for (const std::string& name : names) list.push_back(find(name));
        return list;
    }
    analysis::Linearization linear(const analysis::OperatingPoint& at) const { return (*linearizer)(at, {.onto = {}, .checks_rank = false}); }
    analysis::EigenvalueSlopes slopes(std::span<const std::size_t> parameters, Eigenvalues which = Eigenvalues::lambda_or_poles) const {
        const analysis::Linearization L = linear(point);
        return sensitivity->eigenvalues(L, analysis::modes(L), points->slopes(point, parameters), parameters, which);
    }

    Subject subject;
    std::unique_ptr<analysis::Numbers> numbers;
    std::unique_ptr<analysis::Linearizer> linearizer;
    std::unique_ptr<analysis::Sensitivity> sensitivity;
    std::unique_ptr<analysis::OperatingPoints> points;
    analysis::OperatingPoint point;
};

Json oracle() {
    std::ifstream file(std::string(LINKWRIGHT_ROOT) + "/test/linear/triple_pendulum.json");
    return Json::parse(file);
}

TEST(Sensitivity, OfTheTriplePendulumIsThatOfTheTable) {
    Bench b("models/lynch_triple_pendulum/lynch.toml");
    const std::vector<std::size_t> lengths = b.find({"DL22", "DL33", "DL44"});
    const Json table = oracle();
    for (const Json& row : table.at("newton")) {
        for (std::size_t k = 0; k < 3; ++k) b.numbers->set(lengths[k], row.at("DL")[k].get<double>());
        b.operate(analysis::Operating::At::equilibrium);
        ASSERT_TRUE(b.point.is_ok) << b.point.why;
        const auto s = b.slopes(lengths);
        ASSERT_TRUE(s.is_ok) << s.why;
        ASSERT_TRUE(s.is_lambda);
        for (Index i = 0; i < 3; ++i) {
            const std::size_t r = static_cast<std::size_t>(i);
            EXPECT_NEAR(s.values[i].real(), row.at("eigenvalues")[r].get<double>(), 1e-9);
            for (Index k = 0; k < 3; ++k) EXPECT_NEAR(s.derivatives(i, k).real(), row.at("sensitivity")[r][static_cast<std::size_t>(k)].get<double>(), 1e-7);
        }
    }
}

/// The eigenvalue next to each of `of`, each taken once.
Eigen::VectorXcd matched(const Eigen::VectorXcd& of, Eigen::VectorXcd among) {
    Eigen::VectorXcd found = of;
    std::vector<bool> is_taken(static_cast<std::size_t>(among.size()), false);
    for (Index i = 0; i < of.size(); ++i) {
        Index best = -1;
        for (Index j = 0; j < among.size(); ++j) {
            if (!is_taken[static_cast<std::size_t>(j)] && (best < 0 || std::abs(among[j] - of[i]) < std::abs(among[best] - of[i]))) best = j;
        }
        if (best < 0) continue;
        is_taken[static_cast<std::size_t>(best)] = true;
        found[i] = among[best];
    }
    return found;
}

std::vector<std::string> zoo() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(LINKWRIGHT_ROOT) + "/models")) {
        for (const char* name : {"model.toml", "lynch.toml"}) {
            if (std::filesystem::exists(entry.path() / name)) paths.push_back("models/" + entry.path().filename().string() + "/" + name);
        }
    }
    std::ranges::sort(paths);
    return paths;
}

bool is_derived(const eom::Parameter& p) { return !p.value.is_number(); }

class SensitivityOfTheZoo : public testing::TestWithParam<std::string> {};

TEST_P(SensitivityOfTheZoo, IsThatOfDifferences) {
    Bench b(GetParam());
    b.operate(analysis::Operating::At::equilibrium);
    std::vector<std::size_t> parameters;
    for (std::size_t i = 0; i < b.subject.equations.parameters.size(); ++i) {
        if (!is_derived(b.subject.equations.parameters[i])) parameters.push_back(i);
    }
    if (!b.point.is_ok || !b.linear(b.point).is_ok || !b.points->slopes(b.point, parameters).is_ok) b.operate(analysis::Operating::At::initial);
    if (!b.point.is_ok) GTEST_SKIP() << b.point.why;
    const auto L = b.linear(b.point);
    if (!L.is_ok) GTEST_SKIP() << L.why;
    const analysis::Slopes point_slopes = b.points->slopes(b.point, parameters);
    if (!point_slopes.is_ok) GTEST_SKIP() << point_slopes.why;
    const analysis::Modes modes = analysis::modes(L);
    ASSERT_TRUE(modes.is_ok) << modes.why;
    for (const Eigenvalues which : {Eigenvalues::lambda_or_poles, Eigenvalues::poles}) {
        if (which == Eigenvalues::poles && !modes.has_lambda) continue;
        const auto s = b.sensitivity->eigenvalues(L, modes, point_slopes, parameters, which);
        ASSERT_TRUE(s.is_ok) << s.why;
        const auto values = [&](const analysis::Linearization& at, const analysis::Modes& m) -> Eigen::VectorXcd {
            if (!s.is_lambda) return at.state_space.A.size() == 0 ? Eigen::VectorXcd() : solve::spectrum(at.state_space.A).values;
            Eigen::VectorXcd v(static_cast<Index>(m.lambda.size()));
            for (Index i = 0; i < v.size(); ++i) v[i] = m.lambda[static_cast<std::size_t>(i)];
            return v;
        };
        double size = 0;
        for (const Complex v : s.values) size = std::max(size, std::abs(v));
        int compared = 0;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const double p = b.numbers->parameters()[static_cast<Index>(parameters[k])];
            const double h = 1e-5 * (p == 0 ? 1 : std::abs(p));
            std::array<Eigen::VectorXcd, 2> beside;
            bool is_ok = true;
            for (const int side : {0, 1}) {
                b.numbers->set(parameters[k], side == 0 ? p - h : p + h);
                const analysis::OperatingPoint at = b.points->find(&b.point);
                const analysis::Linearization near = at.is_ok ? b.linear(at) : analysis::Linearization{};
                const analysis::Modes m = at.is_ok ? analysis::modes(near) : analysis::Modes{};
                is_ok = is_ok && at.is_ok && near.is_ok && m.is_ok && (!s.is_lambda || m.has_lambda) && near.y == L.y && near.z == L.z && (at.state.q - b.point.state.q).norm() < 0.1;
                if (is_ok) beside[static_cast<std::size_t>(side)] = matched(s.values + (side == 0 ? -h : h) * s.derivatives.col(static_cast<Index>(k)), values(near, m));
            }
            b.numbers->set(parameters[k], p);
            if (!is_ok) continue;  // damping where there was none, a linkage that no longer closes
            ++compared;
            for (Index i = 0; i < s.values.size(); ++i) {
                if (s.standing[static_cast<std::size_t>(i)] != Standing::simple) continue;
                const Complex difference = (beside[1][i] - beside[0][i]) / (2 * h), exact = s.derivatives(i, static_cast<Index>(k));
                const double scale = std::max({std::abs(exact), std::abs(s.values[i]) / std::max(std::abs(p), 0.1), 1e-4 * size});
                EXPECT_LT(std::abs(difference - exact), 3e-5 * scale)
                    << b.subject.equations.parameters[parameters[k]].symbol.symbol().name << ", eigenvalue " << s.values[i] << ": " << exact << " against " << difference;
            }
        }
        RecordProperty("compared", compared);
        std::printf("%s %s: %d of %zu parameters, %ld eigenvalues\n", GetParam().c_str(), s.is_lambda ? "lambda" : "poles", compared, parameters.size(), static_cast<long>(s.values.size()));
        for (const auto& note : s.notes) std::printf("   %s\n", note.c_str());
    }
}

INSTANTIATE_TEST_SUITE_P(Models, SensitivityOfTheZoo, testing::ValuesIn(zoo()), [](const auto& given) {
    std::string name = given.param.substr(7, given.param.rfind('/') - 7);
    if (given.param.ends_with("lynch.toml")) name += "_as_lynch_wrote_it";
    return name;
});

}  // namespace
}  // namespace linkwright
