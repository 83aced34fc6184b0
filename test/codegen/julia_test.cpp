// Emitted Julia, read back.

#include "linkwright/codegen/julia/julia.hpp"

#include <algorithm>

#include "codegen/edge_packages.hpp"
#include "codegen/read_back.hpp"
#include "codegen/rounding.hpp"

namespace linkwright::codegen::test {
namespace {

TEST(Julia, ReadsBackAsEveryModelOfTheZoo) {
    std::vector<std::string> names = zoo();
    for (const auto& [name, text] : oddities()) names.push_back(name);
    names.insert(names.end(), {"stanford6+derivatives", "servo+derivatives"});
    for (const std::string& name : names) {
        const Specimen& s = specimen(name);
        const std::vector<File> files = julia::write(s.package);
        expect_anonymous(files);
        ASSERT_EQ(files.size(), 1U);
        EXPECT_EQ(find_open_block(Language::julia, files[0].text), "") << name;
        for (const State& state : s.states) expect_read_back(Language::julia, files[0].text, s, make_point(s, state));
    }
}

TEST(Julia, DecidesLikeTheInterpreter) {
    const Package package = every_operation();
    const std::string text = julia::write(package)[0].text;
    EXPECT_EQ(find_open_block(Language::julia, text), "");
    for (const Point& point : edges()) {
        const Values y = run(package.functions[0], point)[0];
        if (std::ranges::any_of(y, [](double x) { return std::isnan(x); })) continue;  // these languages stop there
        expect_alike("Julia", y, read_back(Language::julia, text, package.functions[0], package, point)[0]);
    }
}

TEST(Julia, MovesAsToldWithoutSpeeds) {
    const auto s = make_specimen("all_given", std::string(all_given));
    const std::string text = julia::write(s->package)[0].text;
    EXPECT_EQ(find_open_block(Language::julia, text), "");
    expect_read_back(Language::julia, text, *s, make_point(*s, s->states[0]));
}

TEST(Julia, NoticesWhatIsOpen) {
    EXPECT_EQ(find_open_block(Language::julia, "function f(x)\n    return x[end] # end\nend\n"), "");
    EXPECT_NE(find_open_block(Language::julia, "function f(x)\n    return \"end\"\n"), "");
    EXPECT_NE(find_open_block(Language::julia, "f(x) = (x\n"), "");
    EXPECT_NE(find_open_block(Language::julia, "if x\nend\nend\n"), "");
}

TEST(Julia, ModulesAreCamels) {
    Package package;
    package.identifier = "spatial_four_bar";
    EXPECT_EQ(julia::module_name(package), "SpatialFourBar");
    package.identifier = "matrix";
    EXPECT_EQ(julia::module_name(package), "MatrixModel");
}

TEST(Julia, TextIsAsItWas) {
    for (const char* name : {"triple_pendulum", "four_bar"}) expect_golden("julia", julia::write(specimen(name).package));
}

}  // namespace
}  // namespace linkwright::codegen::test
