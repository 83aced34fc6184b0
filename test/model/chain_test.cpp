// Chains and their instances.

#include <gtest/gtest.h>

#include "linkwright/model/read.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

std::string told(std::string_view text) { return to_string(read(text, "m.toml").problems); }

constexpr std::string_view link = R"(format = 1
[parameters]
L = 7
[[chain]]
name = "link"
ports = ["base"]
set = { L = 2, m = "3*L" }
[[chain.body]]
name = "rod"
mass = "m"
points = { tip = ["L", 0, 0] }
[[chain.joint]]
name = "pin"
type = "revolute"
parent = "base"
child = "rod"
)";

std::string with_link(std::string_view rest) { return std::string(link) + std::string(rest); }

TEST(Chain, CopiesAreNumberedAndHangOnEachOther) {
    const Reading reading = read(with_link(R"([[body]]
name = "wall"
[[instance]]
of = "link"
name = "link"
count = 3
base = "wall"
next = { base = "rod.tip" }
set = { L = "L/2" }
[[body]]
name = "last"
[[joint]]
name = "end"
type = "weld"
parent = "link3.rod"
parent_at = "tip"
child = "last"
)"));
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    const Model& m = *reading.model;
    const sym::PoolScope scope(*m.pool);
    std::vector<std::string> bodies, joints;
    for (const Body& b : m.bodies) bodies.push_back(b.name);
    for (const Joint& j : m.joints) joints.push_back(j.name);
    EXPECT_EQ(bodies, (std::vector<std::string>{"ground", "wall", "link1.rod", "link2.rod", "link3.rod", "last"}));
    EXPECT_EQ(joints, (std::vector<std::string>{"link1.pin", "link2.pin", "link3.pin", "end"}));
    const auto symbol = [&](const char* name) { return *m.pool->find_symbol(name); };
    EXPECT_EQ(m.joints[0].parent, 1U);
    EXPECT_EQ(m.joints[1].parent, 2U);
    EXPECT_EQ(m.joints[1].parent_at, (Vec3{{symbol("link1.L"), 0, 0}}));
    EXPECT_EQ(m.joints[2].parent_at, (Vec3{{symbol("link2.L"), 0, 0}}));
    EXPECT_EQ(m.joints[3].parent_at, (Vec3{{symbol("link3.L"), 0, 0}}));
    EXPECT_EQ(m.bodies[3].mass, symbol("link2.m"));
    ASSERT_EQ(m.parameters.size(), 7U);
    EXPECT_EQ(m.parameters[3].symbol, symbol("link2.L"));
    EXPECT_EQ(m.parameters[3].value, symbol("L") / 2);        // read outside
    EXPECT_EQ(m.parameters[4].value, 3 * symbol("link2.L"));  // read inside
}

TEST(Chain, WithoutCountThereIsNoNumber) {
    const Reading reading = read(with_link("[[instance]]\nof = \"link\"\nname = \"arm\"\nbase = \"ground\"\n"));
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    EXPECT_EQ(reading.model->bodies[1].name, "arm.rod");
    EXPECT_EQ(reading.model->joints[0].coordinates[0].symbol().name, "arm.pin");
}

TEST(Chain, ChainsMayHoldInstances) {
    const Reading reading = read(with_link(R"([[chain]]
name = "leg"
ports = ["hip"]
[[chain.instance]]
of = "link"
name = "part"
count = 2
base = "hip"
next = { base = "rod.tip" }
[[chain.body]]
name = "foot"
[[chain.joint]]
name = "ankle"
type = "weld"
parent = "part2.rod"
child = "foot"
[[instance]]
of = "leg"
name = "left"
hip = "ground"
)"));
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    std::vector<std::string> bodies;
    for (const Body& b : reading.model->bodies) bodies.push_back(b.name);
    EXPECT_EQ(bodies, (std::vector<std::string>{"ground", "left.part1.rod", "left.part2.rod", "left.foot"}));
    EXPECT_EQ(reading.model->joints.back().parent, 2U);
}

TEST(Chain, Problems) {
    EXPECT_EQ(told(with_link("")), "m.toml:4:1: warning: the chain 'link' is never used\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"lnk\"\nname = \"a\"\nbase = \"ground\"\n")),
              "m.toml:4:1: warning: the chain 'link' is never used\n"
              "m.toml:18:7: error: unknown chain 'lnk'\n    hint: did you mean 'link'?\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"link\"\nname = \"a\"\n")),
              "m.toml:17:1: error: the port 'base' is not given\n    hint: write base = \"body.point\"\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"link\"\nname = \"a\"\nbase = \"grund\"\n")),
              "m.toml:20:9: error: unknown body 'grund'\n    hint: did you mean 'ground'?\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"link\"\nname = \"a\"\nbase = \"ground\"\ncount = 0\n")),
              "m.toml:21:9: error: 'count' must be between 1 and 100000\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"link\"\nname = \"a\"\nbase = \"ground\"\nset = { k = 1 }\n")),
              "m.toml:21:9: error: unknown parameter of the chain 'k'\n    hint: choose from L, m\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"link\"\nname = \"a\"\nbase = \"ground\"\nbases = \"ground\"\n")),
              "m.toml:21:1: error: unknown key 'bases' in an instance\n    hint: did you mean 'base'?\n");
    EXPECT_EQ(told(with_link("[[instance]]\nof = \"link\"\nname = \"a\"\nbase = \"ground\"\ncount = 3\nnext = { bse = \"rod\" }\n")),
              "m.toml:22:10: error: unknown port 'bse'\n    hint: did you mean 'base'?\n");
    const std::string twice = "[[instance]]\nof = \"link\"\nname = \"a\"\nbase = \"ground\"\n";
    EXPECT_EQ(told(with_link(twice + twice)), "m.toml:23:9: error: the name 'a' is already used\n    hint: it is first used at 17:1\n");
}

TEST(Chain, ErrorsInsideAreToldOnce) {
    EXPECT_EQ(told(R"(format = 1
[[chain]]
name = "link"
ports = ["base"]
[[chain.body]]
name = "rod"
mass = "M"
[[instance]]
of = "link"
name = "a"
count = 50
base = "ground"
)"),
              "m.toml:7:9: error: unknown name 'M'\n");
}

TEST(Chain, NoChainContainsItself) {
    EXPECT_EQ(told(R"(format = 1
[[chain]]
name = "a"
[[chain.instance]]
of = "b"
name = "x"
[[chain]]
name = "b"
[[chain.instance]]
of = "a"
name = "y"
[[instance]]
of = "a"
name = "z"
)"),
              "m.toml:10:7: error: the chain 'a' contains itself\n");
}

TEST(Chain, GrowthIsBounded) {
    std::string text = "format = 1\n[[chain]]\nname = \"c0\"\n[[chain.body]]\nname = \"b\"\n";
    for (int i = 1; i < 10; ++i) {
        const std::string k = std::to_string(i);
        text +=
            "[[chain]]\nname = \"c" + k + "\"\n[[chain.instance]]\nof = \"c" + std::to_string(i - 1) + "\"\nname = \"x\"\ncount = 100\n";
    }
    const Reading reading = read(text + "[[instance]]\nof = \"c9\"\nname = \"x\"\n", "m.toml");
    EXPECT_FALSE(reading.model);
    ASSERT_FALSE(reading.problems.empty());
    EXPECT_EQ(reading.problems.front().what, "the chains make more than 200000 elements");
}

TEST(Chains, InstancesHaveInputsOfTheirOwn) {
    const Reading reading = read(R"(format = 1
[inputs]
common = 1
[[chain]]
name = "leg"
set = { k = 2 }
[chain.inputs]
tau = { value = "3*k", unit = "N*m", about = "motor" }
[[chain.body]]
name = "rod"
mass = 1
inertia = [1, 1, 1]
[[chain.joint]]
name = "pin"
type = "revolute"
parent = "ground"
child = "rod"
actuator = "tau + common"
[[instance]]
of = "leg"
name = "left"
[[instance]]
of = "leg"
name = "right"
set = { k = 5 }
)",
                                 "m.toml");
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    const Model& m = *reading.model;
    ASSERT_EQ(m.inputs.size(), 3);
    EXPECT_EQ(m.inputs[1].symbol.symbol().name, "left.tau");
    EXPECT_EQ(m.inputs[2].symbol.symbol().name, "right.tau");
    EXPECT_EQ(m.inputs[2].unit, "N*m");
    const sym::PoolScope scope(*m.pool);
    EXPECT_EQ(m.inputs[2].value, 3 * *m.pool->find_symbol("right.k"));
    EXPECT_EQ(m.joints[0].forces[0].actuator, m.inputs[1].symbol + m.inputs[0].symbol);
    EXPECT_EQ(
        to_string(read("format = 1\n[[chain]]\nname = \"a\"\n[chain.inputs]\nt = 1\n[[instance]]\nof = \"a\"\nname = \"b\"\n", "m.toml")
                      .problems),
        "m.toml:5:1: error: the name 't' is reserved\n    hint: choose another name\n");
}

}  // namespace
}  // namespace linkwright::model
