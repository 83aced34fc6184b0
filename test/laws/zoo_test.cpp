// The laws on every model that comes with the project.

#include <filesystem>

#include "laws/mechanism.hpp"
#include "support/project_root.hpp"

namespace linkwright::laws {
namespace {

std::vector<std::string> models() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(project_root() + "/models")) {
        if (std::filesystem::exists(entry.path() / "model.toml")) names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

class Zoo : public ::testing::TestWithParam<std::string> {};

TEST_P(Zoo, KeepsTheLaws) {
    model::Reading reading = model::read_file(std::filesystem::path(project_root() + "/models") / GetParam() / "model.toml");
    ASSERT_TRUE(reading.model);
    const Mechanism m(std::move(*reading.model));
    std::vector<numeric::Wanted> wanted = numeric::wanted(*m.numbers);
    Random random(17);
    const auto is_elastic = [&](const Expr& q) {  // beams bend a little only
        return std::ranges::any_of(m.model.bodies, [&](const model::Body& b) {
            return b.beam &&
                   std::ranges::any_of(b.beam->elastic.coordinates, [&](const Expr& s) { return s.symbol().name == q.symbol().name; });
        });
    };
    std::vector<numeric::Wanted> stirred;  // other speeds than those of [initial], and in trees other places
    for (const numeric::Wanted& w : wanted) {
        if (w.is_speed) continue;
        stirred.push_back(w);
        if (m.equations.constraints.empty()) stirred.back().value += random.real(-0.3, 0.3) * (is_elastic(w.what) ? 0.03 : 1);
    }
    for (const Expr& q : m.equations.q) {  // beams bend by little
        const auto bends = [&](const model::Body& b) { return b.beam && q.symbol().name.starts_with(b.name + "."); };
        if (m.equations.constraints.empty() && std::ranges::any_of(m.model.bodies, bends))
            stirred.push_back({q.symbol().name, q, random.real(-0.01, 0.01), false, false});
    }
    for (const Expr& u : m.equations.u) stirred.push_back({u.symbol().name, u, random.real(-1, 1), false, true});
    for (const auto& list : {wanted, stirred}) {
        const numeric::AssembledState assembled = numeric::assemble(*m.numbers, list, 0);
        ASSERT_TRUE(assembled.is_ok()) << assembled.why;
        expect_laws(m, assembled.state);
        expect_numeric_path(m, assembled.state);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Zoo, ::testing::ValuesIn(models()), [](const auto& p) { return p.param; });

}  // namespace
}  // namespace linkwright::laws
