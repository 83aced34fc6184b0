// The recursive formulation against Kane's, on every model that comes with the project.

#include <nlohmann/json.hpp>

#include "agree/subject.hpp"

namespace linkwright::agree {
namespace {

std::string name_of(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

double largest(std::span<const double> v) {
    double r = 0;
    for (const double x : v) r = std::isnan(x) ? x : std::max(r, std::abs(x));
    return r;
}

void expect_near(std::span<const double> a, std::span<const double> b, double scale, double tolerance, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * scale) << what << " " << i;
}

void expect_agreement(const Subject& s, int states = 2) {
    const EquationsOfMotion &k = s.kane, &r = s.recursive;
    ASSERT_EQ(k.u.size(), r.u.size());
    const std::size_t n = r.u.size();
    EXPECT_EQ(r.formulation, "recursive");
    ASSERT_EQ(r.inverse.size(), n);
    ASSERT_EQ(r.a.size(), r.constraints.empty() && s.model.speeds.empty() ? n : 0);
    for (int state = 0; state < states; ++state) {
        const Values v = s.random_values(static_cast<std::uint64_t>(state) + 1);
        const auto Mk = s.evaluate(flat(k.M), v), Mr = s.evaluate(flat(r.M), v), fk = s.evaluate(k.f, v), fr = s.evaluate(r.f, v);
        expect_near(Mr, Mk, largest(Mk), 1e-10, "M");
        const double scale_f = 1 + largest(fk);
        expect_near(fr, fk, scale_f, 1e-10, "f");
        std::vector<double> residual, udot = s.evaluate(r.udot, v);
        double scale = scale_f;
        for (std::size_t i = 0; i < n; ++i) {
            residual.push_back(-fk[i]);
            for (std::size_t j = 0; j < n; ++j) residual[i] += Mk[i * n + j] * udot[j], scale = std::max(scale, std::abs(Mk[i * n + j]));
        }
        expect_near(s.evaluate(r.inverse, v), residual, scale, 1e-10, "inverse");
        if (!r.constraints.empty()) continue;
        for (const auto& a : {s.evaluate(r.a, v), s.evaluate(eom::accelerations(r), v), s.evaluate(eom::factored_accelerations(r), v)}) {
            if (a.empty()) continue;
            std::vector<double> Ma(n);
            double terms = scale_f;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) Ma[i] += Mk[i * n + j] * a[j], terms = std::max(terms, std::abs(Mk[i * n + j] * a[j]));
            }
            expect_near(Ma, fk, terms, 1e-10, "M a");
        }
    }
}

class OfFile : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(OfFile, AgreesWithKane) { expect_agreement(Subject(read(GetParam()))); }
INSTANTIATE_TEST_SUITE_P(Zoo, OfFile, ::testing::ValuesIn(files("/models")), [](const auto& p) { return name_of(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, OfFile, ::testing::ValuesIn(files("/bench/models")), [](const auto& p) { return name_of(p.param); });

class Bench : public ::testing::TestWithParam<std::string> {
protected:
    std::filesystem::path folder() const { return std::filesystem::path(LINKWRIGHT_ROOT "/bench/models") / GetParam(); }
};

struct Counts {
    std::size_t inverse, forward, M;
};
Counts counts(const Subject& s) {
    const EquationsOfMotion& e = s.recursive;
    const auto of = [&](std::span<const Expr> x) { return cost(lowered(s, e, x)); };
    return {of(e.inverse), of(eom::accelerations(e)), of(flat(e.M))};
}

TEST_P(Bench, Counts) {
    const Subject s(read(folder() / "model.toml"));
    const Counts c = counts(s);
    std::cout << GetParam() << ": inverse " << c.inverse << " forward " << c.forward << " M " << c.M << "\n";
}
INSTANTIATE_TEST_SUITE_P(Of, Bench, ::testing::Values("stanford6", "puma6", "iiwa7", "chain12", "chain30", "tree30f"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace linkwright::agree
