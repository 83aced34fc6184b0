// The double pendulum as Forehand, Cartmell and Khanin work it out, line by line: every value that they print, under the
// number they give it, against the line of the derivation that shows it [forehand (33)–(109)]. Bars 1 and 2 are bar1 and bar2,
// arcs a1 and a2 the joints theta1 and theta2. The model has actuators where they have none: tau1 and tau2.
//
// Of their print two places are not as it stands: the first entry of (34) is T[a1,1], and in (98) the second term has l2/2.

#include "linkwright/formulation/roberson_schwertassek/explain.hpp"
#include "linkwright/formulation/roberson_schwertassek/roberson_schwertassek.hpp"
#include "print/subject.hpp"

namespace linkwright::print {
namespace {

namespace rs = formulation::roberson_schwertassek;
using Rows = std::vector<std::vector<std::string>>;

Rows column(const std::vector<std::string>& v) {
    Rows rows;
    for (const std::string& x : v) rows.push_back({x});
    return rows;
}
const Rows zero = column({"0", "0", "0"});

class Forehand : public testing::Test {
protected:
    Forehand()
        : s(subject("models/double_pendulum/model.toml")),
          equations(rs::derive(*s.model, s.topology).equations.value()),
          derivation(rs::explain(*s.model, s.topology, equations)) {
        desk.lay_out(equations);
    }

    const eom::Step::Line& line(const std::string& symbol) const {
        for (const eom::Step& step : derivation.steps) {
            for (const eom::Step::Line& l : step.lines) {
                if (l.symbol == symbol) return l;
            }
        }
        ADD_FAILURE() << "no line " << symbol;
        static const eom::Step::Line none{};
        return none;
    }
    Expr entry(const std::string& symbol, std::size_t row = 0, std::size_t column = 0) const {
        const eom::Step::Line& l = line(symbol);
        if (row < l.value.size() && column < l.value[row].size()) return l.value[row][column];
        ADD_FAILURE() << symbol << " has no such entry";
        return {};
    }
    void expect(const std::string& number, const std::string& symbol, const Rows& printed) {
        const eom::Step::Line& l = line(symbol);
        ASSERT_EQ(l.value.size(), printed.size()) << number;
        for (std::size_t i = 0; i < printed.size(); ++i) {
            ASSERT_EQ(l.value[i].size(), printed[i].size()) << number;
            for (std::size_t j = 0; j < printed[i].size(); ++j) {
                desk.expect_equal(l.value[i][j], printed[i][j], number + " " + symbol + " row " + std::to_string(i + 1));
            }
        }
        EXPECT_FALSE(l.citation.empty() && l.definition.empty() && l.note.empty()) << symbol;  // it says where it comes from
    }
    /// {·}₃₃ or {·}₃, the component that matters in a plane.
    void expect_third(const std::string& number, const std::string& symbol, const std::string& printed) {
        desk.expect_equal(entry(symbol, 2, line(symbol).value[0].size() - 1), printed, number + " " + symbol);
    }

    Subject s;
    eom::EquationsOfMotion equations;
    eom::Derivation derivation;
    Desk desk;
};

TEST_F(Forehand, Graph) {
    expect("(33)", "S", {{"-1", "1"}, {"0", "-1"}});
    expect("(34)", "T", {{"-1", "-1"}, {"0", "-1"}});
}

TEST_F(Forehand, FreeModes) {
    expect("(35)", "g[theta1]", {{"theta1'"}});
    expect("(35)", "g[theta2]", {{"theta2'"}});
    for (const char* a : {"phi[theta1]", "phi[theta2]"}) {
        expect("(36)", a, column({"0", "0", "1", "0", "0", "0"}));
        EXPECT_NE(line(a).note.find("Constant"), std::string::npos);
    }
}

TEST_F(Forehand, Directions) {
    // A¹⁰ is printed; A⁰¹ is its transpose, and A⁰² is A⁰¹ with theta1 + theta2
    expect("(41)", "A[ground,bar1]", {{"cos(theta1)", "-sin(theta1)", "0"}, {"sin(theta1)", "cos(theta1)", "0"}, {"0", "0", "1"}});
    expect(
        "(64)", "A[ground,bar2]",
        {{"cos(theta1 + theta2)", "-sin(theta1 + theta2)", "0"}, {"sin(theta1 + theta2)", "cos(theta1 + theta2)", "0"}, {"0", "0", "1"}});
    expect("(43)", "I[bar1]", {{"m1*l1^2/12", "0", "0"}, {"0", "0", "0"}, {"0", "0", "m1*l1^2/12"}});
    expect("(43)", "I[bar2]", {{"m2*l2^2/12", "0", "0"}, {"0", "0", "0"}, {"0", "0", "m2*l2^2/12"}});
}

TEST_F(Forehand, AttachmentVectors) {
    expect("(51)", "c_hat[bar1,theta1]", column({"0", "l1/2", "0"}));
    expect("(51)", "c_hat[bar1,theta2]", column({"0", "-l1/2", "0"}));
    expect("(51)", "c_hat[bar2,theta2]", column({"0", "l2/2", "0"}));
    expect("(52)", "a_hat[bar1,bar1]", column({"0", "l1/2", "0"}));
    expect("(53)", "a_hat[bar1,bar2]", column({"0", "l1", "0"}));
    EXPECT_EQ(line("a_hat[bar1,bar2]").definition, "c_hat[bar1,theta1] - c_hat[bar1,theta2]");
    expect("(54)", "a_hat[bar2,bar1]", zero);
    EXPECT_NE(line("a_hat[bar2,bar1]").note.find("does not lie on the way"), std::string::npos);
    expect("(55)", "a_hat[bar2,bar2]", column({"0", "l2/2", "0"}));
    expect("(64)", "d[bar1,bar1]", column({"-l1/2*sin(theta1)", "l1/2*cos(theta1)", "0"}));
    expect("(65)", "d[bar1,bar2]", column({"-l1*sin(theta1)", "l1*cos(theta1)", "0"}));
    expect("(66)", "d[bar2,bar1]", zero);
    expect("(67)", "d[bar2,bar2]", column({"-l2/2*sin(theta1 + theta2)", "l2/2*cos(theta1 + theta2)", "0"}));
}

TEST_F(Forehand, InertiaOfPairs) {
    const std::vector<std::string> bars{"bar1", "bar2"};
    const auto third = [&](const std::string& i, const std::string& k) { return entry("K[" + i + "," + k + "]", 2, 2); };
    // (57), (58), (60)–(63): {K[i,k]}₃₃ = {I}₃₃ + Σ m[j] d[k,j]ᵀ d[i,j], since no a_hat has a third component
    for (const std::string& i : bars) {
        for (const std::string& k : bars) {
            Expr sum = i == k ? entry("I[" + i + "]", 2, 2) : Expr(*equations.pool, sym::Pool::zero_id);
            for (const std::string& j : bars) {
                EXPECT_TRUE((entry("a_hat[" + k + "," + j + "]", 2) * entry("a_hat[" + i + "," + j + "]", 2)).is_literally(0)) << "(57)";
                for (std::size_t c = 0; c < 3; ++c) {
                    sum += entry("m[" + j + "]") * entry("d[" + k + "," + j + "]", c) * entry("d[" + i + "," + j + "]", c);
                }
            }
            EXPECT_EQ(sym::equal(sum, third(i, k)), sym::Verdict::equal) << "(58) " << i << k;
        }
    }
    expect_third("(68)", "K[bar1,bar1]", "(m1/3 + m2)*l1^2");
    expect_third("(69)", "K[bar1,bar2]", "m2*l1*l2/2*(sin(theta1)*sin(theta1 + theta2) + cos(theta1)*cos(theta1 + theta2))");
    expect_third("(69)", "K[bar1,bar2]", "m2*l1*l2/2*cos(theta2)");
    expect_third("(70)", "K[bar2,bar1]", "m2*l1*l2/2*cos(theta2)");
    expect_third("(71)", "K[bar2,bar2]", "m2*l2^2/3");
    // (37), (39), (44)–(48)
    const auto J = [&](const std::string& a, const std::string& b) { return entry("J_I[" + a + "," + b + "]"); };
    for (const char* a : {"theta1", "theta2"}) {
        for (const char* b : {"theta1", "theta2"}) {
            EXPECT_EQ(sym::equal(J(a, b), entry("J_11[" + std::string(a) + "," + b + "]", 2, 2)), sym::Verdict::equal) << "(39)";
        }
    }
    const Expr K11 = third("bar1", "bar1"), K12 = third("bar1", "bar2"), K21 = third("bar2", "bar1"), K22 = third("bar2", "bar2");
    EXPECT_EQ(sym::equal(J("theta1", "theta1"), K11 + K12 + K21 + K22), sym::Verdict::equal) << "(45)";
    EXPECT_EQ(sym::equal(J("theta1", "theta2"), K12 + K22), sym::Verdict::equal) << "(46)";
    EXPECT_EQ(sym::equal(J("theta2", "theta1"), K21 + K22), sym::Verdict::equal) << "(47)";
    EXPECT_EQ(sym::equal(J("theta2", "theta2"), K22), sym::Verdict::equal) << "(48)";
    EXPECT_EQ(line("J_11[theta1,theta1]").definition, "K[bar1,bar1] + K[bar1,bar2] + K[bar2,bar1] + K[bar2,bar2]");
    EXPECT_EQ(line("J_11[theta2,theta2]").definition, "A[bar1,ground] (K[bar2,bar2]) A[ground,bar1]");
}

TEST_F(Forehand, GeneralizedInertia) {
    expect("(72)", "J_I[theta1,theta1]", {{"(m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3"}});
    expect("(73)", "J_I[theta1,theta2]", {{"m2*l1*l2/2*cos(theta2) + m2*l2^2/3"}});
    expect("(74)", "J_I[theta2,theta1]", {{"m2*l1*l2/2*cos(theta2) + m2*l2^2/3"}});
    expect("(75)", "J_I[theta2,theta2]", {{"m2*l2^2/3"}});
}

TEST_F(Forehand, PartsOfQ) {
    expect("(87)", "w[bar1]", column({"0", "0", "theta1'"}));
    expect("(87)", "w[bar2]", column({"0", "0", "theta1' + theta2'"}));
    expect("(89)", "Omega[theta1]", column({"0", "0", "theta1'"}));
    expect("(89)", "Omega[theta2]", column({"0", "0", "theta2'"}));
    for (const char* i : {"[bar1]", "[bar2]"}) {
        for (const char* Q : {"Q_II", "Q_III", "Q_V"}) {
            expect("(84)", std::string(Q) + i, zero);
            EXPECT_TRUE(line(std::string(Q) + i).note.starts_with("Zero: ")) << Q << i;
        }
    }
    expect("(97)", "Q_IV[bar1]", column({"-l1/2*theta1'^2*sin(theta1)", "l1/2*theta1'^2*cos(theta1)", "0"}));
    const auto printed_98 = [](const std::string& half) {
        return column({"-l1*theta1'^2*sin(theta1) - " + half + "*(theta1' + theta2')^2*sin(theta1 + theta2)",
                       "l1*theta1'^2*cos(theta1) + " + half + "*(theta1' + theta2')^2*cos(theta1 + theta2)", "0"});
    };
    expect("(98)", "Q_IV[bar2]", printed_98("l2/2"));
    // as it stands in print it is something else
    EXPECT_EQ(sym::equal(desk.ours(entry("Q_IV[bar2]", 0)), desk.theirs(printed_98("l1/2")[0][0])), sym::Verdict::different);
}

TEST_F(Forehand, SumsOfQ) {
    expect("(99)", "Q1_second[bar1]", column({"0", "0", "-m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2)"}));
    expect("(100)", "Q1_second[bar2]", column({"0", "0", "m2*l1*l2/2*theta1'^2*sin(theta2)"}));
    EXPECT_EQ(line("Q1_second[bar1]").definition, "-m[bar1] d[bar1,bar1] x Q_IV[bar1] - m[bar2] d[bar1,bar2] x Q_IV[bar2]");  // (92)
    EXPECT_EQ(line("Q1_second[bar2]").definition, "-m[bar2] d[bar2,bar2] x Q_IV[bar2]");                                      // (93), (66)
    expect("(102)", "F[bar1]", column({"0", "-m1*g", "0"}));
    expect("(102)", "F[bar2]", column({"0", "-m2*g", "0"}));
    expect("(102)", "L[bar1]", zero);
    expect("(102)", "L[bar2]", zero);
    expect("(103)", "Q1_prime[bar1]", column({"0", "0", "(m1/2 + m2)*g*l1*sin(theta1)"}));
    expect("(104)", "Q1_prime[bar2]", column({"0", "0", "m2*g*l2/2*sin(theta1 + theta2)"}));
    // (79), (82), (83)
    const auto Q = [&](const std::string& i) { return entry("Q1_second" + i, 2) + entry("Q1_prime" + i, 2); };
    EXPECT_EQ(sym::equal(entry("chi[theta1]"), -(Q("[bar1]") + Q("[bar2]"))), sym::Verdict::equal) << "(82)";
    EXPECT_EQ(sym::equal(entry("chi[theta2]"), -Q("[bar2]")), sym::Verdict::equal) << "(83)";
    EXPECT_EQ(sym::equal(entry("chi[theta2]"), entry("Q1[theta2]", 2)), sym::Verdict::equal) << "(79)";
    expect("(105)", "chi[theta1]",
           {{"m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2) - (m1/2 + m2)*g*l1*sin(theta1) - m2*l1*l2/2*theta1'^2*sin(theta2) - "
             "m2*g*l2/2*sin(theta1 + theta2)"}});
    expect("(106)", "chi[theta2]", {{"-m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2)"}});
    expect("(107)", "lambda[theta1]", {{"tau1"}});  // 0 in the paper: no actuators
    expect("(107)", "lambda[theta2]", {{"tau2"}});
}

TEST_F(Forehand, EquationsOfMotion) {
    const auto u = [&](const char* rhs) { return desk.theirs(rhs); };
    const std::string left_108 =
        "((m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3)*theta1'' + (m2*l1*l2/2*cos(theta2) + m2*l2^2/3)*theta2''";
    const std::string right_108 =
        "m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2) - (m1/2 + m2)*g*l1*sin(theta1)"
        " - m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2) + tau1";
    const std::string left_109 = "(m2*l1*l2/2*cos(theta2) + m2*l2^2/3)*theta1'' + m2*l2^2/3*theta2''";
    const std::string right_109 = "-m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2) + tau2";
    const auto left = [&](std::size_t i) { return entry("M", i, 0) * equations.udot[0] + entry("M", i, 1) * equations.udot[1]; };
    desk.expect_equal(left(0), left_108, "(108)");
    desk.expect_equal(entry("f", 0), right_108, "(108)");
    desk.expect_equal(left(1), left_109, "(109)");
    desk.expect_equal(entry("f", 1), right_109, "(109)");
    EXPECT_EQ(sym::equal(desk.ours(left(0)), u("theta1''")), sym::Verdict::different);  // the desk tells things apart
}

/// And by Kane's equations.
TEST_F(Forehand, KaneComesToTheSame) {
    const eom::EquationsOfMotion& e = s.equations;
    desk.expect_equal(e.M[0][0], "(m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "M11");
    desk.expect_equal(e.M[0][1], "m2*l1*l2/2*cos(theta2) + m2*l2^2/3", "M12");
    desk.expect_equal(e.M[1][1], "m2*l2^2/3", "M22");
    desk.expect_equal(e.f[1], "-m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2) + tau2", "f2");
}

}  // namespace
}  // namespace linkwright::print
