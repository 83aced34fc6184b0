// The single pendulum step by step, as the thesis prints its own run [lynch88 §4.5].

#include "linkwright/formulation/kane/explain.hpp"
#include "print/subject.hpp"

namespace linkwright::print {
namespace {

constexpr std::string_view pendulum = R"(
format = 1
name = "Single pendulum of the thesis"
gravity = [0, "-g", 0]

[parameters]
g = 9.81
m2 = 1
dl22 = 0.5
j2x = 0.2
j2y = 0.1
j2z = 0.2

[[body]]
name = "body2"
mass = "m2"
inertia = ["j2x", "j2y", "j2z"]

[[joint]]
name = "q2"
type = "revolute"
parent = "ground"
child = "body2"
child_at = [0, "dl22", 0]
axis = "z"
)";

using Rows = std::vector<std::vector<std::string>>;

class Steps : public testing::Test {
protected:
    Steps() : s(model::read(pendulum)), derivation(formulation::kane::explain(*s.model, s.topology, s.equations)) {
        desk.lay_out(s.equations);
    }

    void expect(const std::string& symbol, const Rows& printed) {
        const eom::Step::Line* line = nullptr;
        for (const eom::Step& step : derivation.steps) {
            for (const eom::Step::Line& l : step.lines) line = l.symbol == symbol ? &l : line;
        }
        ASSERT_NE(line, nullptr) << symbol;
        ASSERT_EQ(line->value.size(), printed.size()) << symbol;
        for (std::size_t i = 0; i < printed.size(); ++i) {
            ASSERT_EQ(line->value[i].size(), printed[i].size()) << symbol;
            for (std::size_t j = 0; j < printed[i].size(); ++j) {
                desk.expect_equal(line->value[i][j], printed[i][j], symbol + " in row " + std::to_string(i + 1));
            }
        }
    }

    Subject s;
    eom::Derivation derivation;
    Desk desk;
};

/// A column of six as he prints it, linear part first; ours begins with the angular one.
Rows from_linear_first(const std::vector<std::string>& v) { return {{v[3]}, {v[4]}, {v[5]}, {v[0]}, {v[1]}, {v[2]}}; }

TEST_F(Steps, SevenStepsInHisOrder) {
    ASSERT_EQ(derivation.steps.size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_TRUE(derivation.steps[i].citation.starts_with("lynch88 step " + std::to_string(i + 1))) << derivation.steps[i].citation;
    }
}

// What is printed as A¹² is A²¹: it takes components in the ground to those in body 2. Ours goes the other way.
TEST_F(Steps, Transformation) {
    const Rows printed{{"cos(q2)", "sin(q2)", "0"}, {"-sin(q2)", "cos(q2)", "0"}, {"0", "0", "1"}};
    Rows transposed(3, std::vector<std::string>(3));
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) transposed[j][i] = printed[i][j];
    }
    expect("A[ground,body2]", transposed);
}

// u is (0, 0, 1); below it ours has the velocity of the joint's point, which a revolute joint holds.
TEST_F(Steps, Axis) { expect("u[q2']", {{"0"}, {"0"}, {"1"}, {"0"}, {"0"}, {"0"}}); }

TEST_F(Steps, VectorToTheCentreOfMass) { expect("d[body2,body2]", {{"0"}, {"-dl22"}, {"0"}}); }

TEST_F(Steps, PartialVelocities) { expect("B[body2]", from_linear_first({"dl22", "0", "0", "0", "0", "1"})); }

TEST_F(Steps, TheirRates) { expect("Bdot[body2]", from_linear_first({"0", "q2'*dl22", "0", "0", "0", "0"})); }

TEST_F(Steps, Forces) {
    expect("f[body2]", from_linear_first({"-m2*sin(q2)*g", "-m2*cos(q2)*g", "0", "0", "0", "0"}));
    expect("h[body2]", {{"0"}, {"0"}, {"0"}});
    expect("tau", {{"0"}});
}

// q̈₂ (j2z + m2 dl22²) + m2 sin(q2) dl22 g = 0
TEST_F(Steps, Equation) {
    expect("M", {{"j2z + m2*dl22^2"}});
    expect("f", {{"-m2*sin(q2)*dl22*g"}});
    expect("0", {{"q2''*(j2z + m2*dl22^2) + m2*sin(q2)*dl22*g"}});
    const eom::EquationsOfMotion& e = s.equations;
    desk.expect_equal(e.M[0][0] * e.udot[0] - e.f[0], "q2''*(j2z + m2*dl22^2) + m2*sin(q2)*dl22*g", "equation");
}

}  // namespace
}  // namespace linkwright::print
