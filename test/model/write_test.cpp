// What is written reads back as the same model.

#include "linkwright/model/write.hpp"

#include <gtest/gtest.h>

#include "everything.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/visit.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

Model again(const Model& m) {
    const std::string text = write(m);
    Reading reading = read(text, "again.toml");
    EXPECT_TRUE(reading.model) << to_string(reading.problems) << text;
    return reading.model ? std::move(*reading.model) : empty_model();
}

std::vector<Expr> expressions(Model& m) {
    std::vector<Expr> all;
    for_each_expression(m, [&](Expr& e) { all.push_back(e); });
    return all;
}

/// Expression by expression equal, and written alike.
void expect_same(Model& a, Model& b) {
    const auto in_b = sym::transplant(expressions(a), *b.pool);
    const auto of_b = expressions(b);
    ASSERT_EQ(in_b.size(), of_b.size());
    for (std::size_t i = 0; i < in_b.size(); ++i) {
        EXPECT_EQ(sym::equal(in_b[i], of_b[i]), sym::Verdict::equal) << sym::print(in_b[i]) << "\n" << sym::print(of_b[i]);
    }
    EXPECT_EQ(write(a), write(b));
}

TEST(Write, EverythingComesBack) {
    Reading reading = read(everything);
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    Model back = again(*reading.model);
    expect_same(*reading.model, back);
    EXPECT_EQ(back.name, "Everything, \"quoted\"");
}

TEST(Write, FrozenModelsComeBack) {
    Reading reading = read(everything);
    ASSERT_TRUE(reading.model);
    freeze(*reading.model, {"alpha", "l", "third", "eps"});
    Model back = again(*reading.model);
    expect_same(*reading.model, back);
}

TEST(Write, ModelsBuiltInProgramsComeBack) {
    Model m = empty_model("Pendulum");
    const Expr g = parameter(m, "g", 9.81), l = parameter(m, "l", 0.5, {.unit = "m", .about = "to the \\ centre"});
    const Expr mass = parameter(m, "m", 1), tau = input(m, "tau");
    m.gravity = {{0, -g, 0}};
    const BodyIndex rod = body(m, "rod", {.mass = mass, .inertia = spatial::diagonal(0, 0, mass * l * l / 3), .com = {{0, -l, 0}}});
    joint(m, JointType::revolute, "hip", ground, rod, {.axes = {{{0, 0, 2}}}, .damping = {0.1}, .actuator = {tau}});
    Spring s;
    s.name = "s";
    s.from = {ground, {{1, 0, 0}}, ""};
    s.to = {rod, {{0, -2 * l, 0}}, ""};
    s.stiffness = 3;
    m.springs.push_back(s);
    Model back = again(m);
    EXPECT_EQ(back.springs[0].from.name, "ground.point1");
    EXPECT_EQ(back.springs[0].to.at[1], -2 * *back.pool->find_symbol("l"));
    EXPECT_EQ(back.parameters[1].about, "to the \\ centre");
    EXPECT_EQ(write(again(back)), write(back));
}

TEST(Write, NumbersStayExact) {
    Model m = empty_model();
    const char* texts[]{"1/3", "0.1", "1e-30", "12345678901234567890", "123456789.123456789123", "-2.5", "1e300", "10^400"};
    for (std::size_t i = 0; i < std::size(texts); ++i) {
        const std::string name = "p" + std::to_string(i);
        parameter(m, name, 0);
        ASSERT_FALSE(set_value(m, name, texts[i]));
    }
    Model back = again(m);
    expect_same(m, back);
}

}  // namespace
}  // namespace linkwright::model
