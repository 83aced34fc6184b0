// What an FMU says of itself: units, variables, dependencies, the set of initial unknowns. What it computes: test/codegen/fmu.

#include "linkwright/codegen/fmu/fmu.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/support.hpp"
#include "linkwright/codegen/c/c.hpp"
#include "linkwright/codegen/fmu/interface.hpp"
#include "linkwright/codegen/fmu/units.hpp"

namespace linkwright::codegen::fmu {
namespace {

Package with_signals(const std::string& model) {
    return make_package(test::specimen(model).equations, nullptr, UseRoutines::never, {.poses = false, .geometry = {}, .signals = true});
}

const Variable& find(const Interface& i, const std::string& name) {
    const auto at = std::ranges::find(i.variables, name, &Variable::name);
    if (at == i.variables.end()) throw std::runtime_error("no variable " + name);
    return *at;
}

std::vector<std::string> names_of(const Interface& i, const std::vector<Unknown>& list, const std::string& unknown) {
    const auto at = std::ranges::find(list, find(i, unknown).reference, &Unknown::reference);
    std::vector<std::string> names;
    for (const std::size_t on : at->dependencies.on) names.push_back(i.variables[on].name);
    return names;
}

TEST(Fmu, UnitsAreProductsOfBaseUnits) {
    using Powers = std::array<int, 8>;
    EXPECT_EQ(exponents("N*m/rad"), (Powers{1, 2, -2, 0, 0, 0, 0, -1}));
    EXPECT_EQ(exponents("kg*m^2"), (Powers{1, 2}));
    EXPECT_EQ(exponents("1/s"), (Powers{0, 0, -1}));
    EXPECT_EQ(exponents("V*s/rad"), (Powers{1, 2, -2, -1, 0, 0, 0, -1}));
    EXPECT_EQ(exponents("m^-2"), (Powers{0, -2}));
    EXPECT_FALSE(exponents("furlong"));
    EXPECT_FALSE(exponents("m^x"));
    EXPECT_FALSE(exponents(""));
}

TEST(Fmu, ATreeStartsWhereItIsTold) {
    const Interface i = make_interface(with_signals("single_pendulum"));
    EXPECT_TRUE(i.is_tunable);
    EXPECT_FALSE(i.uses_time);
    EXPECT_EQ(find(i, "theta").initial, "exact");
    EXPECT_EQ(find(i, "g").variability, "tunable");
    EXPECT_EQ(find(i, "der(theta)").state, find(i, "theta").reference);
    EXPECT_EQ(names_of(i, i.derivatives, "der(theta)"), std::vector<std::string>{"theta'"});
    EXPECT_EQ(names_of(i, i.derivatives, "der(theta')"), (std::vector<std::string>{"tau", "theta"}));
    EXPECT_EQ(names_of(i, i.initial_unknowns, "der(theta')"), (std::vector<std::string>{"g", "m", "L", "tau", "theta"}));
    EXPECT_EQ(i.derivatives[0].dependencies.kinds[0], "constant");
    EXPECT_EQ(i.initial_unknowns.size(), i.derivatives.size() + i.outputs.size());
}

TEST(Fmu, Fmi3CountsParametersAsKnowns) {
    Package k = with_signals("single_pendulum");
    k.fmi = 3;
    const Interface i = make_interface(k);
    EXPECT_EQ(names_of(i, i.derivatives, "der(theta')"), (std::vector<std::string>{"g", "m", "L", "tau", "theta"}));
    EXPECT_EQ(names_of(i, i.outputs, "tip.x"), (std::vector<std::string>{"L", "theta"}));
}

TEST(Fmu, AClosedChainFindsWhatIsNotHeld) {
    const Interface i = make_interface(with_signals("four_bar"));
    EXPECT_EQ(find(i, "alpha").initial, "exact");
    EXPECT_EQ(find(i, "alpha'").initial, "exact");
    EXPECT_EQ(find(i, "beta").initial, "approx");
    EXPECT_EQ(find(i, "delta'").initial, "approx");
    EXPECT_EQ(find(i, "a").variability, "fixed");
    EXPECT_EQ(i.initial_unknowns.size(), 4 + i.derivatives.size() + i.outputs.size());
    EXPECT_EQ(i.held_positions, (std::vector<bool>{true, false, false}));
    const std::vector<std::string> on = names_of(i, i.initial_unknowns, "beta");
    for (const char* name : {"base", "a", "b", "c", "alpha"}) EXPECT_NE(std::ranges::find(on, name), on.end()) << name;
    for (const char* name : {"rho", "g", "drive", "delta"}) EXPECT_EQ(std::ranges::find(on, name), on.end()) << name;
}

TEST(Fmu, TheTokenIsOfTheModelAndNotOfTheDay) {
    Package k = with_signals("single_pendulum");
    const auto token = [&] {
        const std::string text = write(k, c::write(k))[0].text;
        const std::size_t at = text.find("guid=\"");
        return text.substr(at, text.find('"', at + 6) - at);
    };
    const std::string first = token();
    k.written_at = "2030-01-01T00:00:00Z";
    EXPECT_EQ(token(), first);
    k.arguments[1].entries[0].value = 0.25;
    EXPECT_NE(token(), first);
}

}  // namespace
}  // namespace linkwright::codegen::fmu
