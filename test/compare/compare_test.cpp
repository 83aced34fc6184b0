// What compare says of equations that are right, wrong in one place, or damaged.

#include "linkwright/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "compare/against.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Against& pendulum() {
    static const Against a("models/double_pendulum/model.toml");
    return a;
}
const Against& cart_pole() {
    static const Against a("models/cart_pole/model.toml");
    return a;
}
const Against& lynch() {
    static const Against a("models/lynch_triple_pendulum/lynch.toml");
    return a;
}

void expect_all_equal(const Comparison& c, std::size_t entries) {
    EXPECT_THAT(to_string(c.problems), IsEmpty());
    EXPECT_EQ(c.entries.size(), entries);
    for (const ComparedEntry& e : c.entries) EXPECT_EQ(e.outcome, Outcome::equal) << e.ours << ": " << e.difference;
    EXPECT_TRUE(c.is_all_equal());
}

// ------------------------------------------------------------------------------------------------------------- print

TEST(ComparePrint, LynchAppendixBIsRightOnceMended) {
    const Comparison c = lynch()(content("models/lynch_triple_pendulum/appendix_b.f"), "appendix_b.f",
                                 content("models/lynch_triple_pendulum/appendix_b.names"));
    expect_all_equal(c, 12);
    EXPECT_THAT(c.unchecked, IsEmpty());
    for (const ComparedEntry& e : c.entries) EXPECT_EQ(to_string(e.witness), "fingerprint, normal form") << e.ours;
}

TEST(ComparePrint, LynchAppendixBAsPrintedHasElevenDamages) {
    const Comparison c = lynch()(content("models/lynch_triple_pendulum/appendix_b_as_printed.f"), "appendix_b_as_printed.f",
                                 content("models/lynch_triple_pendulum/appendix_b.names"));
    EXPECT_THAT(to_string(c.problems), IsEmpty());
    ASSERT_EQ(c.entries.size(), 12U);
    std::vector<std::string> damages;
    for (const ComparedEntry& e : c.entries) {
        if (e.outcome == Outcome::equal) continue;
        EXPECT_EQ(e.outcome, Outcome::mended) << e.ours;
        for (const std::string& r : repairs(e)) damages.push_back(e.ours + " " + r);
    }
    EXPECT_THAT(
        damages,
        ElementsAre("M[1,1] 10:7 the ')' is superfluous", "M[1,1] 13:7 the ')' is superfluous", "M[1,1] 15:7 the ')' is superfluous",
                    "M[1,1] 16:7 the ')' is superfluous", "f[1] 64:47 ')' is missing after c(6)", "f[1] 65:50 ')' is missing after s(5)",
                    "f[1] 68:7 '+(y(3)*' is missing before (", "f[1] 70:27 ')' is missing after c(6)", "f[1] 81:7 '+' is missing before (",
                    "f[2] 95:7 '+' is missing before (", "f[2] 99:7 the ')' is superfluous"));
    EXPECT_FALSE(c.is_all_equal());
}

TEST(ComparePrint, Forehand) {
    expect_all_equal(pendulum()(content("models/double_pendulum/forehand.eqs")), 2);
    const Comparison c = pendulum()(content("models/double_pendulum/forehand_98.eqs"));
    ASSERT_EQ(c.entries.size(), 4U);
    EXPECT_EQ(c.entries[0].outcome, Outcome::equal);
    EXPECT_EQ(c.entries[1].outcome, Outcome::equal);
    EXPECT_THAT(repairs(c.entries[2]), ElementsAre("11:43 l2 instead of l1"));
    EXPECT_THAT(repairs(c.entries[3]), ElementsAre("12:42 l2 instead of l1"));
}

TEST(ComparePrint, LeeCoupling) {
    expect_all_equal(pendulum()(content("models/double_pendulum/lee_coupling.eqs")), 6);
    // with the modes lumped, the pattern that he prints is wrong: two zeros and a factor of two [lee90 (2.69)-(2.73)]
    const Against lumped("test/compare/lee_lumped.toml");
    const Comparison c = lumped(content("test/compare/lee_lumped.eqs"));
    ASSERT_EQ(c.entries.size(), 3U);
    EXPECT_EQ(c.entries[0].note, "it must be 0");
    EXPECT_EQ(c.entries[1].expected, "-m2*sin(theta2)");
    EXPECT_EQ(c.entries[2].note, "it must be 0");
    for (const ComparedEntry& e : c.entries) EXPECT_EQ(e.outcome, Outcome::different);
}

/// Entries that are not equal, with what they must be or what they are too much, in the letters of shape constants.
std::vector<std::string> wrong(const Comparison& c) {
    std::vector<std::string> out;
    for (const ComparedEntry& e : c.entries) {
        if (e.is_accepted) continue;
        out.push_back(e.ours + (e.outcome == Outcome::up_to_sign ? " = -1 *" : e.note == "it must be 0" ? " = 0" : " + " + e.difference));
    }
    return out;
}

/// The velocity coupling of two flexible links as Lee prints it: twelve entries are wrong, and no other.
TEST(ComparePrint, LeeFlexibleCoupling) {
    const Against arm("models/lee_two_link_arm/model.toml");
    const Comparison c = arm(content("models/lee_two_link_arm/lee_coupling.eqs"));
    EXPECT_THAT(to_string(c.problems), IsEmpty());
    EXPECT_EQ(c.entries.size(), 126U);
    EXPECT_THAT(wrong(c), ElementsAre("C[2][3,5] = 0", "C[2][3,6] = 0", "C[2][4,5] = 0", "C[2][4,6] = 0",
                                      "C[3][2,5] + link1.tip.y1*link2.S.y1*sin(th2)/2", "C[3][2,6] + link1.tip.y1*link2.S.y2*sin(th2)/2",
                                      "C[4][2,5] + link1.tip.y2*link2.S.y1*sin(th2)/2", "C[4][2,6] + link1.tip.y2*link2.S.y2*sin(th2)/2",
                                      "C[5][2,3] = 0", "C[5][2,4] = 0", "C[6][2,3] = 0", "C[6][2,4] = 0"));
    for (const ComparedEntry& e : c.entries) {
        if (!e.is_accepted && e.note != "it must be 0") EXPECT_THAT(repairs(e), ElementsAre(HasSubstr("without the divisor 2")));
    }
}

/// The equations of the flexible four-bar as Baruh and Radisavljevic print them.
TEST(ComparePrint, BaruhAppendix) {
    const Against four_bar("models/baruh_four_bar_c/model.toml");
    const Comparison c = compare(four_bar.equations(), {.file = "appendix.eqs",
                                                        .text = content("models/baruh_four_bar_c/appendix.eqs"),
                                                        .seed = 5,
                                                        .patience = std::chrono::milliseconds(300)});
    EXPECT_THAT(to_string(c.problems), IsEmpty());
    EXPECT_EQ(c.entries.size(), 80U);
    std::map<std::string, std::string> differences;
    std::map<std::string, std::vector<std::string>> changes;  // without their places
    std::vector<std::string> names;
    for (const ComparedEntry& e : c.entries) {
        if (e.is_accepted) continue;
        differences[e.ours] = e.difference;
        ASSERT_FALSE(e.repairs.empty()) << e.ours;
        for (const Repair& r : e.repairs.front()) changes[e.ours].push_back(r.what);
        names.push_back(e.ours);
        if (e.ours.starts_with("-G")) EXPECT_EQ(e.outcome, Outcome::up_to_sign) << e.ours;
    }
    EXPECT_THAT(names, ElementsAre("T2L2u1", "T", "V", "M[1,1]", "M[1,2]", "M[2,4]", "M[2,5]", "f[1]", "f[4]", "f[5]", "f[6]", "f[7]",
                                   "f[8]", "f[9]", "-G[1,8]", "-G[2,8]", "-G[1,9]", "-G[2,9]", "-gamma[1]", "-gamma[2]"));
    const auto expect = [&](const std::string& entry, const std::string& difference) {
        EXPECT_EQ(differences[entry], difference) << entry;
    };
    expect("M[1,1]", "L2*link2.S.y1*link2.y1*sin(theta1 - theta2)");                      // (63): not here,
    expect("M[1,2]", "-L1*link2.S.y1*link2.y1*sin(theta1 - theta2)");                     // but here, with L1
    expect("M[2,4]", "L2*link1.tip.y1y1*link2.m*link1.y1*(1 + sin(theta1 - theta2))/2");  // (65): sin is lost
    expect("M[2,5]", "L2*link1.tip.y2y2*link2.m*link1.y2*(1 + sin(theta1 - theta2))/2");
    for (const char* k : {"1", "2", "3"}) {  // (53): K q is lost
        for (const char* i : {"1", "2"}) {
            const std::string q = std::string("link") + k + ".y" + i, K = std::string("link") + k + ".K.y" + i + "y" + i;
            expect("f[" + std::to_string(2 * (*k - '0') + 1 + (*i - '0')) + "]", K + "*" + q);
        }
    }
    // (68), first term, and (69), last term: twice what they are, with the other sign
    EXPECT_THAT(differences["f[1]"], HasSubstr("-(4*theta1'*(link1.y1'*(link1.H.x.y1y1*link1.y1 + link1.H.x.y1y2*link1.y2)"));
    EXPECT_THAT(differences["f[1]"], HasSubstr("L1*theta2'^2*(link2.H.y1y1*link2.y1^2 + 2*link2.H.y1y2*link2.y1*link2.y2"));
    EXPECT_THAT(changes["f[1]"], ElementsAre("'-' before 2*q1hdq1*theta1'", "'+' instead of '-'"));
    EXPECT_THAT(changes["T"], ElementsAre("m2*theta2'*L2*q1Udq1/2 multiplied by sintt"));
    EXPECT_THAT(changes["M[2,4]"], ElementsAre("0.5*m2*L2*U1L_11*q11 multiplied by sintt"));
    EXPECT_THAT(changes["M[1,1]"], ElementsAre("without the term -m2*L2*p21*q21*sintt"));
    EXPECT_THAT(changes["V"], testing::Each(HasSubstr("^2/2")));  // (46): a half and the q are lost, six times
    EXPECT_EQ(changes["V"].size(), 6U);
    EXPECT_THAT(changes["f[9]"], ElementsAre(HasSubstr("is missing")));
    // (55) lacks a minus, (85) has q1 for qk
    EXPECT_THAT(changes["-gamma[1]"], ElementsAre("q2Uq2 instead of q2Uq1", "q3Uq3 instead of q3Uq1", "the whole with the opposite sign"));
}

/// "T2: theta1'^2 instead of theta1', …" of every entry that is wrong.
std::vector<std::string> told(const Comparison& c) {
    std::vector<std::string> out;
    for (const ComparedEntry& e : c.entries) {
        if (e.is_accepted) continue;
        std::string line = e.ours + ":";
        if (!e.repairs.empty()) {
            for (const Repair& r : e.repairs.front()) line += (line.back() == ':' ? " " : ", ") + r.what;
        }
        out.push_back(line);
    }
    return out;
}

/// The energies before they were put together, and the rigid four-bar: [baruh (16)-(32), (42), (46)].
TEST(ComparePrint, BaruhEnergiesAndRigidLinks) {
    const Against four_bar("models/baruh_four_bar_c/model.toml");
    const Comparison energies = four_bar(content("models/baruh_four_bar_c/energies.eqs"));
    EXPECT_THAT(to_string(energies.problems), IsEmpty());
    EXPECT_EQ(energies.entries.size(), 16U);
    const std::string T2 = "T2R + T2v + T2u + T2L1v2 + T2L1u2 + T2L2u1: ";
    EXPECT_THAT(told(energies),
                ElementsAre(T2 + "theta1'^2 instead of theta1', L1 instead of L2, the terms - L1*U1L_11*m2*q11^2*theta1'^2/2 - "
                                 "L1*U1L_22*m2*q12^2*theta1'^2/2 are missing",
                            T2 + "0.5*m2*theta2'*L2*q1Udq1 multiplied by sintt", "T1u: '-' before 0.5*theta1'^2*q1hq1",
                            "T2u: '-' before 0.5*theta2'^2*q2hq2", "T2L2u1: 0.5*m2*theta2'*L2*q1Udq1 multiplied by sintt",
                            "V1: K1_11 multiplied by q11^2/2, K1_22 multiplied by q12^2/2",
                            "V2: K2_11 multiplied by q21^2/2, K2_22 multiplied by q22^2/2",
                            "V3: K3_11 multiplied by link3.y1^2/2, K3_22 multiplied by link3.y2^2/2"));
    const Comparison rigid = four_bar(content("models/baruh_four_bar_c/rigid.eqs"));
    EXPECT_THAT(to_string(rigid.problems), IsEmpty());
    EXPECT_EQ(rigid.entries.size(), 5U);
    EXPECT_THAT(told(rigid), ElementsAre("row 1 (theta1'): m2*L1*L2*cos(theta2-theta1)*theta2'' divided by 2, "
                                         "m2*L1*L2*sin(theta2-theta1)*theta2' multiplied by theta2'/2",
                                         "row 2 (theta2'): m2*L2^2 divided by 4, m2*L1*L2*cos(theta2-theta1)*theta1'' divided by 2, "
                                         "m2*L1*L2*sin(theta2-theta1)*theta1' multiplied by theta1'/2",
                                         "row 3 (theta3'): '-' instead of '+'"));
}

/// Linearized matrices, and the other side of the arm: [lee90 (2.32), (2.33), (2.90)-(2.95)].
TEST(ComparePrint, LeeLinearizedAndConnectingLink) {
    const Against arm("models/lee_two_link_arm/model.toml");
    const Comparison linear = arm(content("models/lee_two_link_arm/lee_linear.eqs"));
    EXPECT_THAT(to_string(linear.problems), IsEmpty());
    EXPECT_EQ(linear.entries.size(), 25U);
    EXPECT_THAT(told(linear), ElementsAre("M[3,4]: the term + L2*mu2*phi11e*phi12e is missing", HasSubstr("dV[3]/g: the terms + "),
                                          HasSubstr("dV[4]/g: the terms + "), "dV[5]/g: the term + LM21*C12 is missing",
                                          "dV[6]/g: the term + LM22*C12 is missing"));
    const Against connecting("models/lee_two_link_arm/connecting.toml");
    const Comparison c = connecting(content("models/lee_two_link_arm/lee_connecting.eqs"));
    EXPECT_THAT(to_string(c.problems), IsEmpty());
    EXPECT_EQ(c.entries.size(), 75U);
    std::vector<std::string> swapped, factors;
    for (const std::string& line : told(c)) (line.ends_with("without the factor m4") ? factors : swapped).push_back(line);
    EXPECT_THAT(swapped, ElementsAre("C[1][2,2]: e1 instead of e2", "C[1][2,3]: e2 instead of e1", "C[1][3,3]: e2 instead of e1"));
    EXPECT_EQ(factors.size(), 18U);
}

TEST(ComparePrint, OtherCoordinatesAndC) {
    expect_all_equal(pendulum()(content("models/double_pendulum/absolute_angles.eqs")), 7);
    expect_all_equal(cart_pole()(content("models/cart_pole/hand.c"), "hand.c"), 6);
}

/// Ours, written as text and read again, is ours: on every model there is. And with one entry turned around, that entry is told.
TEST(ComparePrint, OursAgainstOurs) {
    std::size_t models = 0;
    for (const auto& folder : std::filesystem::directory_iterator(root + "/models")) {
        if (!std::filesystem::exists(folder.path() / "model.toml")) continue;
        SCOPED_TRACE(folder.path().filename().string());
        const Against against(std::filesystem::relative(folder.path() / "model.toml", root).string());
        const eom::EquationsOfMotion& e = against.equations();
        std::string text;
        std::size_t entries = 0;
        std::optional<std::string> last;
        const auto add = [&](const std::string& left, const Expr& right) {
            const std::string formula = sym::print(right, {.longest = 4000});
            if (formula.size() >= 4000 || entries >= 60) return;
            text += left + " = " + formula + "\n";
            if (!right.is_literally(0)) last = left;
            ++entries;
        };
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            const std::string row = std::to_string(i + 1);
            add("f[" + row + "]", e.f[i]);
            for (std::size_t j = i; j < e.u.size(); ++j) add("M[" + row + "," + std::to_string(j + 1) + "]", e.M[i][j]);
        }
        for (std::size_t r = 0; r < e.constraints.size(); ++r) {
            add("gamma[" + std::to_string(r + 1) + "]", e.constraints[r].gamma);
            for (std::size_t j = 0; j < e.u.size(); ++j)
                add("G[" + e.constraints[r].name + ", " + std::to_string(j + 1) + "]", e.constraints[r].G[j]);
        }
        const bool has_own_T = std::ranges::any_of(e.parameters, [](const eom::Parameter& p) { return p.symbol.symbol().name == "T"; });
        if (!has_own_T) add("T", e.energy.kinetic);
        if (entries == 0) continue;
        ++models;
        expect_all_equal(against(text), entries);
        const Comparison turned = compare(
            e, {.file = "x.eqs", .text = text + *last + " = -(" + *last + ")\n", .seed = 5, .patience = std::chrono::milliseconds(20)});
        ASSERT_FALSE(turned.entries.empty()) << to_string(turned.problems);
        EXPECT_EQ(turned.entries.back().outcome, Outcome::up_to_sign) << *last;
    }
    EXPECT_GT(models, 20U);
}

// ----------------------------------------------------------------------------------------------------------- repairs

struct Slip {
    std::string text, repair;
};

TEST(CompareRepair, OneSlipIsFound) {
    // f[1] and M[1,1] of the double pendulum with one thing wrong
    for (const Slip& slip : {
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/4", "1:60 3 instead of 4"},
             Slip{"M[1,1] = (m1/3 - m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:16 '+' instead of '-'"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^3 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:25 2 instead of 3"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l1*cos(theta2) + m2*l2^2/3", "1:32 l2 instead of l1"},
             Slip{"M[1,1] = (m1/3 + m1)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:18 m2 instead of m1"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2*sin(theta2) + m2*l2^2/3", "1:38 cos instead of sin"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta1) + m2*l2^2/3", "1:42 theta2 instead of theta1"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*cos(theta2) + m2*l2^2/3", "1:29 m2*l1*cos(theta2) multiplied by l2"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + 2*m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:29 without the factor 2"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2*g*cos(theta2) + m2*l2^2/3", "1:38 without the factor g"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2)", "1:48 the term + m2*l2^2/3 is missing"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3 + m1*l1*l2", "1:62 without the term m1*l1*l2"},
             Slip{"M[1,1] = (m1/3)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:55 the term + m2*l1^2 is missing"},
             Slip{"M[1,1] = (m1/3 + m2)+l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:21 '*' instead of '+'"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2*m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:26 '+' instead of '*'"},
             Slip{"M[1,1] = (m1/3 + m2)*l1^2 + m2*l1+l2*cos(theta2) + m2*l2^2/3", "1:34 '*' instead of '+'"},
             Slip{"M[1,1] = (m1/3 + m2*l1^2) + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:25 the ')' belongs after m2"},
             Slip{"M[1,2] = m2*l1*(l2/2*cos(theta2) + l2^2/3)", "1:16 the '(' belongs before l1"},
             Slip{"M[1,1] = (m1*3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "1:14 divided by 3"},
             Slip{"f[1] = m2*l1*l2/2*(theta1' - theta2')^2*sin(theta2) - (m1/2 + m2)*g*l1*sin(theta1) - m2*l1*l2/2*theta1'^2*sin(theta2)"
                  " - m2*g*l2/2*sin(theta1 + theta2) + tau1",
                  "1:28 '+' instead of '-'"},
             Slip{"f[1] = m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2) - (m1/2 + m2)*g*l1*sin(theta1) - m2*l1*l2/2*theta1'^2*sin(theta2)"
                  " - m2*g*l2/2*sin(theta2) + tau1",
                  "1:135 theta2 + theta1 instead of theta2"},
             Slip{"f[1] = m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2) - (m1/2 + m2)*g*l1*sin(theta1) - m2*l1*l2/2*theta1'^2*sin(theta2)"
                  " - m2*g*l2/2*sin(theta1 - theta2) + tau1",
                  "1:142 '+' instead of '-'"},
         }) {
        const Comparison c = pendulum()(slip.text);
        ASSERT_EQ(c.entries.size(), 1U) << slip.text << to_string(c.problems);
        EXPECT_EQ(c.entries[0].outcome, Outcome::different) << slip.text;
        EXPECT_THAT(repairs(c.entries[0]), ElementsAre(slip.repair)) << slip.text;
        EXPECT_FALSE(c.entries[0].difference.empty());
    }
}

TEST(CompareRepair, TermsThatAreMissing) {
    const Comparison c =
        pendulum()("f[1] = tau1 - m1*g*l1/2*sin(theta1) + m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2) - m2*l1*l2/2*theta1'^2*sin(theta2)");
    ASSERT_EQ(c.entries.size(), 1U);
    EXPECT_THAT(repairs(c.entries[0]),
                ElementsAre(HasSubstr("the terms - g*m2*l2*sin(theta1 + theta2)/2 - g*m2*l1*sin(theta1) are missing")));
    // what would take all of theirs away and put all of ours in is no repair
    const Comparison all = pendulum()("M[2,2] = 17");
    ASSERT_EQ(all.entries.size(), 1U);
    EXPECT_EQ(all.entries[0].outcome, Outcome::different);
    EXPECT_THAT(all.entries[0].repairs, IsEmpty());
    EXPECT_EQ(all.entries[0].expected, "m2*l2^2/3");
}

TEST(CompareRepair, LettersThatLookAlike) {
    EXPECT_THAT(repairs(pendulum()("M[2,2] = m2*12^2/3").entries.at(0)), ElementsAre("1:13 l2 instead of 12, which looks like it"));
    const Comparison c = pendulum()("M[1,2] = m2*1l*l2/2*cos(theta2) + m2*l2^2/3");
    EXPECT_EQ(c.entries.at(0).outcome, Outcome::mended);
    EXPECT_THAT(repairs(c.entries.at(0)), ElementsAre("1:13 l1 instead of 1l, which looks like it"));
}

/// A mend repairs text; what is another formula once it parses is different.
TEST(CompareRepair, MendsDoNotMakeFormulas) {
    EXPECT_EQ(pendulum()("M[2,2] = m2*(l2^2/3").entries.at(0).outcome, Outcome::mended);
    for (const std::string wrong : {"M[2,2] = 2m2", "M[2,2] = m2*(l2", "M[1,2] = (m2*l1*l2/2*sin(theta2) + m2*l2^2/3"}) {
        EXPECT_EQ(pendulum()(wrong).entries.at(0).outcome, Outcome::different) << wrong;
    }
}

TEST(CompareRepair, TwoSlips) {
    const Comparison c = pendulum()("M[1,1] = (m1/3 - m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/4");
    ASSERT_EQ(c.entries.size(), 1U);
    EXPECT_THAT(repairs(c.entries[0]), ElementsAre("1:16 '+' instead of '-'", "1:60 3 instead of 4"));
}

TEST(CompareRepair, InsideAnIntermediateThatIsUsedTwice) {
    const Comparison c = pendulum()("b = m2*l1*l1/2\nM[1,1] = (m1/3 + m2)*l1^2 + b*cos(theta2) + b*cos(theta2) + m2*l2^2/3");
    ASSERT_EQ(c.entries.size(), 1U);
    EXPECT_EQ(c.entries[0].outcome, Outcome::different);
    EXPECT_THAT(repairs(c.entries[0]), ElementsAre(testing::AnyOf("1:11 l2 instead of l1", "1:8 l2 instead of l1")));
}

TEST(CompareRepair, EquationsUpToARowAFactorAndTheOtherSide) {
    expect_all_equal(cart_pole()("x'' = (F - friction*x' + m*l*theta'^2*sin(theta) - m*l*cos(theta)*theta'')/(M + m)\n"
                                 "F = (M + m)*x'' + m*l*cos(theta)*theta'' - m*l*theta'^2*sin(theta) + friction*x'\n"
                                 "4/3*l*theta'' + cos(theta)*x'' = g*sin(theta)\n"
                                 "4/3*m*l^2*theta'' + (M + m + m*l*cos(theta))*x'' + m*l*cos(theta)*theta'' - m*l*theta'^2*sin(theta) + "
                                 "friction*x' = F + m*l*g*sin(theta)\n"),
                     4);
    const Comparison c = cart_pole()("4/3*l*theta'' + cos(theta)*x'' = g*cos(theta)");
    ASSERT_EQ(c.entries.size(), 1U);
    EXPECT_EQ(c.entries[0].ours, "row 2 (theta')");
    EXPECT_THAT(repairs(c.entries[0]), ElementsAre("1:36 sin instead of cos"));
}

TEST(CompareRepair, ExplicitAccelerations) {
    const std::string right =
        "theta'' = (g*sin(theta) + cos(theta)*(-F + friction*x' - m*l*theta'^2*sin(theta))/(M + m)) / (l*(4/3 - m*cos(theta)^2/(M + m)))";
    expect_all_equal(cart_pole()(right), 1);
    std::string wrong = right;
    wrong[wrong.rfind(" - ") + 1] = '+';
    const Comparison c = cart_pole()(wrong);
    ASSERT_EQ(c.entries.size(), 1U);
    EXPECT_EQ(c.entries[0].outcome, Outcome::different);
    EXPECT_THAT(repairs(c.entries[0]), ElementsAre("1:102 '-' instead of '+'"));
}

/// Every sign, every name and every number of a page that is right, changed one at a time: each change must be seen, and what is
/// told must be at the right place nearly always (another place can be as small a repair).
TEST(CompareRepair, ChangedOneByOne) {
    const std::string page = content("models/double_pendulum/absolute_angles.eqs");
    const Printed printed = read_printed(page, Language::ours, "x.eqs");
    std::size_t tried = 0, seen = 0, repaired = 0, in_place = 0;
    for (const Statement& s : printed.statements) {
        for (std::size_t k = s.equals + 1; k + 1 < s.tokens.size(); ++k) {
            const Token& t = s.tokens[k];
            std::string by;
            if (t.text == "+") by = "-";
            if (t.text == "-") by = "+";
            if (t.text == "l1") by = "l2";
            if (t.text == "sin") by = "cos";
            if (t.text == "2") by = "3";
            if (by.empty() || tried % 3 != 0) {
                tried += by.empty() ? 0 : 1;
                continue;
            }
            ++tried;
            std::vector<std::string> lines = printed.lines;
            lines[t.where.line - 1].replace(t.where.column - 1, t.text.size(), by);
            std::string text;
            for (const std::string& line : lines) text += line + "\n";
            const Comparison c = pendulum()(text);
            for (const ComparedEntry& e : c.entries) {
                if (e.outcome == Outcome::equal) continue;
                ++seen;
                repaired += e.repairs.empty() ? 0 : 1;
                if (!e.repairs.empty() && e.repairs[0][0].where == t.where) ++in_place;
            }
        }
    }
    EXPECT_GT(tried, 40U);
    EXPECT_GE(seen, tried / 3);
    EXPECT_EQ(repaired, seen);
    EXPECT_GE(in_place + seen / 5, seen);
}

// ------------------------------------------------------------------------------------------------------- conventions

TEST(CompareConvention, SignAndFactor) {
    const std::string turned = "f[2] = m2*l1*l2/2*theta1'^2*sin(theta2) + m2*g*l2/2*sin(theta1 + theta2) - tau2";
    Comparison c = pendulum()(turned);
    EXPECT_EQ(c.entries.at(0).outcome, Outcome::up_to_sign);
    EXPECT_FALSE(c.is_all_equal());
    EXPECT_TRUE(pendulum()("# @ accept sign\n" + turned).is_all_equal());
    std::string declared = turned;
    declared.replace(0, 4, "h[2]");
    EXPECT_TRUE(pendulum()("# @ target h = -f\n" + declared).is_all_equal());

    const std::string row = "M[2,1] = 6*l1*l2/2*cos(theta2) + 6*l2^2/3\nM[2,2] = 6*l2^2/3\n";
    EXPECT_EQ(pendulum()(row).entries.at(0).outcome, Outcome::up_to_factor);
    EXPECT_EQ(pendulum()(row).entries.at(0).factor, "6/m2");
    EXPECT_FALSE(pendulum()(row).is_all_equal());
    // a factor of one entry alone is no convention
    EXPECT_FALSE(pendulum()("# @ accept factor\nM[2,1] = 2*(m2*l1*l2/2*cos(theta2) + m2*l2^2/3)\nM[2,2] = m2*l2^2/3\n").is_all_equal());
}

TEST(CompareConvention, OneSignThroughoutARow) {
    const std::string f2 = "tau2 - m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2)";
    EXPECT_FALSE(pendulum()("# @ accept sign\nM[2,2] = -m2*l2^2/3\nf[2] = " + f2).is_all_equal());
    EXPECT_FALSE(pendulum()("# @ accept sign\nM[2,2] = m2*l2^2/3\nf[2] = -(" + f2 + ")").is_all_equal());
    EXPECT_TRUE(pendulum()("# @ accept sign\nM[2,2] = -m2*l2^2/3\nf[2] = -(" + f2 + ")").is_all_equal());
}

/// Functions that fingerprints know nothing of: √(l²) is l where the model's l is positive.
TEST(CompareConvention, RootsAreJudgedAsNumbers) {
    const Against crank("models/slider_crank/model.toml");
    for (const std::string right : {"l*sqrt(1 - (r/l*sin(shaft))^2)", "l*cos(asin(r/l*sin(shaft)))",
                                    "sqrt(l - r*sin(shaft))*sqrt(l + r*sin(shaft))", "sqrt(l^2)*sqrt(1 - (r/l*sin(shaft))^2)"}) {
        const Comparison c = crank("ideal_position = r*cos(shaft) + " + right);
        EXPECT_EQ(c.entries.at(0).outcome, Outcome::agrees) << right << c.entries.at(0).note;
        EXPECT_EQ(to_string(c.entries.at(0).witness), "numbers") << right;
        EXPECT_FALSE(c.is_all_equal());
    }
    for (const std::string wrong : {"l*sqrt(1 - (r/l*cos(shaft))^2)", "l*cos(asin(r/l*sin(2*shaft)))",
                                    "-sqrt(l^2)*sqrt(1 - (r/l*sin(shaft))^2)", "1.0001*l*sqrt(1 - (r/l*sin(shaft))^2)"}) {
        EXPECT_EQ(crank("ideal_position = r*cos(shaft) + " + wrong).entries.at(0).outcome, Outcome::different) << wrong;
    }
}

/// A potential energy counts from anywhere; nothing else does.
TEST(CompareConvention, EnergiesUpToAConstant) {
    const std::string V = "-(m1/2 + m2)*g*l1*cos(theta1) - m2*g*l2/2*cos(theta1 + theta2)";
    const Comparison c = pendulum()("V = m2*g*l1 + " + V);
    EXPECT_EQ(c.entries.at(0).outcome, Outcome::up_to_constant);
    EXPECT_EQ(c.entries.at(0).difference, "g*m2*l1");
    EXPECT_TRUE(c.is_all_equal());
    const std::string T =
        "(m1/3 + m2)*l1^2*theta1'^2/2 + m2*l2^2*(theta1' + theta2')^2/6 + m2*l1*l2/2*theta1'*(theta1' + theta2')*cos(theta2)";
    EXPECT_EQ(pendulum()("# @ target L = T - V\nL = 3 + " + T + " - (" + V + ")").entries.at(0).outcome, Outcome::up_to_constant);
    for (const std::string moves : {"tau1", "t", "theta1", "theta1'", "sign(theta1)", "1e-25*abs(theta2)"})
        EXPECT_EQ(pendulum()("V = " + moves + " + " + V).entries.at(0).outcome, Outcome::different) << moves;
    EXPECT_EQ(pendulum()("T = 3 + " + T).entries.at(0).outcome, Outcome::different);
    EXPECT_EQ(pendulum()("M[2,2] = 3 + m2*l2^2/3").entries.at(0).outcome, Outcome::different);
}

/// Coordinates that are constants, with no rates: in M, f, energies and equations as they are, in Christoffel symbols after differentiation.
TEST(CompareConvention, CoordinatesThatAreHeld) {
    const std::string at = "# @ at theta2 = 0\n";
    expect_all_equal(pendulum()(at + "M[1,1] = (m1/3 + m2)*l1^2 + m2*l1*l2 + m2*l2^2/3\nf[1] = tau1 - (m1/2 + m2)*g*l1*sin(theta1) - "
                                     "m2*g*l2/2*sin(theta1)\nT = ((m1/3 + m2)*l1^2 + m2*l1*l2 + m2*l2^2/3)*theta1'^2/2\n"
                                     "dV[2] = m2*g*l2/2*sin(theta1)\nC[1][1,2] = 0\nC[2][1,1] = 0"),
                     6);
    expect_all_equal(pendulum()("# @ at theta2 = pi/2\nC[1][1,2] = -m2*l1*l2/2\nC[2][1,1] = m2*l1*l2/2\nh[1] = 0\n"
                                "((m1/3 + m2)*l1^2 + m2*l2^2/3)*theta1'' + (m1/2 + m2)*g*l1*sin(theta1) + m2*g*l2/2*cos(theta1) = tau1"),
                     4);
    EXPECT_THAT(to_string(pendulum()(at + "theta1'' = 0").problems), HasSubstr("not written out where coordinates are held"));
    const Comparison wrong = pendulum()("# @ at theta9 = 0\n# @ at theta1 = theta2\n# @ at theta2 = 3*\nM[1,1] = 0");
    ASSERT_EQ(wrong.problems.size(), 3U);
    EXPECT_EQ(to_string(wrong.problems[0]), "hand.eqs:1:8: error: 'theta9' is not a coordinate\n    hint: did you mean 'theta1'?");
    EXPECT_EQ(wrong.problems[1].what, "'theta2' is not a constant");
    EXPECT_EQ(wrong.problems[2].where, (Position{3, 19}));
    expect_all_equal(pendulum()("M[1,2] = m2*l1*l2/2 + m2*l2^2/3", "x.eqs", "[at]\ntheta2 = 0"), 1);
}

/// A rule says what thdd is; that it is assigned does not make it a name of the writer's.
TEST(CompareConvention, NamesWithARuleAreCompared) {
    const std::string rules = "# @ name thdd = theta''\n# @ name xdd = x''\n";
    const Comparison wrong = cart_pole()(rules + "acc = 3\nthdd = 17*g + acc");
    EXPECT_EQ(wrong.entries.at(0).outcome, Outcome::different);
    expect_all_equal(cart_pole()(rules + "4/3*l*thdd + cos(theta)*xdd = g*sin(theta)\nthdd = (g*sin(theta) - cos(theta)*xdd)/(4/3*l)"), 2);
    EXPECT_EQ(cart_pole()("# @ name c = cos(theta)\nc = sin(theta)\nM[1,2] = m*l*cos(theta)").entries.at(0).outcome, Outcome::different);
}

TEST(CompareConvention, ParametersThatAreSet) {
    expect_all_equal(cart_pole()("g = 9.8\nf[2] = m*g*l*sin(theta)"), 1);  // as the model has it
    const Comparison c = cart_pole()("g = 9.81\nf[2] = m*g*l*sin(theta)");
    EXPECT_THAT(to_string(c.problems), HasSubstr("line 1 gives the model's g another meaning"));
    EXPECT_EQ(c.entries.at(0).outcome, Outcome::different);
}

TEST(CompareConvention, WhatIsNotGivenIsTold) {
    EXPECT_THAT(pendulum()("M[1,2] = m2*l1*l2/2*cos(theta2) + m2*l2^2/3").unchecked, ElementsAre("M[1,1]", "M[2,2]", "f"));
    EXPECT_THAT(pendulum()("V = 0").unchecked, ElementsAre("M", "f"));
}

// ------------------------------------------------------------------------------------------------------------- input

TEST(CompareInput, UnknownNamesAllAtOnce) {
    const Comparison c = pendulum()("M[1,1] = m3*l1^2\nM[1,2] = m2*ll2\n  + thta2 + m3");
    EXPECT_TRUE(c.is_wrong_input());
    EXPECT_THAT(c.entries, IsEmpty());
    ASSERT_EQ(c.problems.size(), 3U);
    EXPECT_EQ(to_string(c.problems[0]).substr(0, 42), "hand.eqs:1:10: error: unknown name 'm3'\n  ");
    EXPECT_THAT(c.problems[1].hint, HasSubstr("l2"));
    EXPECT_EQ(c.problems[2].where, (Position{3, 5}));
    EXPECT_THAT(c.problems[2].hint, HasSubstr("theta2"));
}

TEST(CompareInput, SyntaxHasAPlace) {
    struct Case {
        std::string text;
        Position where;
        std::string what;
    };
    for (const Case& x :
         {Case{"M[1,1] = 3*\nf[1] = 2*+", {2, 11}, "ends too early"}, Case{"M[1,1] 3", {1, 1}, "no '='"},
          Case{"x = M = 3", {1, 7}, "second '='"}, Case{"t1 = (2", {1, 6}, "never closed"}, Case{"t1 = 2x", {1, 7}, "operator is missing"},
          Case{"t1 = 2)", {1, 7}, "superfluous"}, Case{"t1 = sin(1,2)", {1, 6}, "takes 1 argument"},
          Case{"M[1,7] = 2", {1, 1}, "no index 7"}, Case{"M = 3", {1, 1}, "M takes 2 indices"},
          Case{"M[1] = 2", {1, 1}, "M takes 2 indices"}, Case{"f[1,1] = 1", {1, 1}, "f takes 1 index"}}) {
        const Comparison c = pendulum()(x.text);
        EXPECT_TRUE(c.is_wrong_input()) << x.text;
        ASSERT_FALSE(c.problems.empty());
        EXPECT_TRUE(std::ranges::any_of(
            c.problems, [&](const Diagnostic& d) { return d.where == x.where && d.what.find(x.what) != std::string::npos; }))
            << x.text << "\n"
            << to_string(c.problems);
    }
}

TEST(CompareInput, MisspelledTargetsAndRules) {
    EXPECT_THAT(to_string(pendulum()("Mm[1,1] = m1\nV = 0").problems), HasSubstr("never used"));
    EXPECT_THAT(to_string(pendulum()("V = 0", "x.eqs", "[namse]\na = \"b\"").problems), HasSubstr("did you mean 'names'?"));
    EXPECT_THAT(to_string(pendulum()("V = k", "x.eqs", "[names]\nk = \"m9\"").problems), HasSubstr("unknown name 'm9'"));
    EXPECT_THAT(to_string(pendulum()("V = 0", "x.eqs", "[coordinates]\ntheta9 = \"p\"").problems), HasSubstr("not a coordinate"));
    EXPECT_THAT(to_string(pendulum()("V = 0", "x.eqs", "[coordinates]\ntheta1 = \"p\"\ntheta2 = \"p\"").problems),
                HasSubstr("2 coordinates of the model are given by 1"));
    EXPECT_THAT(to_string(pendulum()("").problems), HasSubstr("nothing in this file"));
}

TEST(CompareInput, Languages) {
    // Fortran: one letter case, d0, continued lines, x = x + …; C: 0-based, +=, casts of types
    expect_all_equal(
        pendulum()("      T1 = M2*L1*L2/2.D0\n      m(1,2) = t1*\n     &  DCOS(THETA2)\n      M(1,2) = M(1,2) + M2*L2**2/3.0d0\n", "a.f"),
        1);
    expect_all_equal(pendulum()("double t1 = m2*l1*l2/2.0;\nM[0][1] = t1*cos(q[1]);\nM[0][1] += m2*pow(l2, 2)/3.0; // done\n", "a.c"), 1);
    expect_all_equal(
        pendulum()("subroutine f\n  m(1,2) = m2*l1*l2/2.0 & ! half\n    & *cos(theta2) + m2*l2**2/3.0\nend subroutine\n", "a.f90"), 1);
    EXPECT_THAT(to_string(pendulum()("M[1][1] = 1/3*m2*l2*l2;", "a.c").problems), HasSubstr("division of whole numbers"));
    expect_all_equal(pendulum()("double th = q[1], c = cos(th), unused;\nM[0][1] = m2*l1*l2/2.0*c + m2*pow(l2, 2)/3.0;", "a.c"), 1);
    expect_all_equal(pendulum()("real(kind=8) :: a, b\nreal(dp), parameter :: three = 3.0_dp\nm(2,2) = m2*l2**2/three\n", "a.f90"), 1);
}

TEST(CompareInput, WhatCouldNotBeReadIsNotEqual) {
    const Comparison c = pendulum()("function M = mass(q, p)\nM(2,2) = m2*l2^2/3;\nend\n", "hand.jl");
    EXPECT_TRUE(c.is_wrong_input());
    EXPECT_EQ(c.entries.at(0).outcome, Outcome::equal);
    EXPECT_FALSE(c.is_all_equal());
    EXPECT_FALSE(c.is_all_in_agreement());
    EXPECT_THAT(to_string(c.problems), HasSubstr("Julia and Modelica cannot be read"));
}

TEST(CompareInput, LinesThatUseAnUnreadableOne) {
    const Comparison c = pendulum()("a = (2 + ]\nb = 2*a\nM[2,2] = b*m2");
    EXPECT_EQ(c.entries.at(0).outcome, Outcome::unreadable);
    EXPECT_EQ(c.entries.at(0).note, "it uses line 1, which could not be read");
}

TEST(CompareInput, WorkIsBounded) {
    const auto nested = [](const std::string& f, int depth) {
        std::string text = "m2";
        std::string opened;
        for (int i = 0; i < depth; ++i) opened += f + "(";
        return "M[2,2] = " + opened + text + std::string(static_cast<std::size_t>(depth), ')');
    };
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& text : {nested("foo", 300), nested("foo", 2000), nested("sin", 100'000)}) {
        EXPECT_TRUE(pendulum()(text).is_wrong_input());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));  // a tenth of a second, without checks
}

/// Whatever is done to a file, there is an answer.
TEST(CompareInput, SurvivesDamage) {
    std::mt19937 random(7);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    struct Page {
        const Against* against;
        std::string text, file, names;
    };
    const std::vector<Page> pages{
        {&pendulum(), content("models/double_pendulum/forehand.eqs"), "x.eqs", ""},
        {&pendulum(), content("models/double_pendulum/absolute_angles.eqs"), "x.eqs", ""},
        {&cart_pole(), content("models/cart_pole/hand.c"), "x.c", ""},
        {&lynch(), content("models/lynch_triple_pendulum/appendix_b.f").substr(0, 2600), "x.f",
         content("models/lynch_triple_pendulum/appendix_b.names")},
    };
    for (int round = 0; round < 120; ++round) {
        const Page& page = pages[pick(pages.size())];
        std::string text = page.text, names = page.names;
        std::string& victim = !names.empty() && pick(3) == 0 ? names : text;
        if (pick(3) == 0) {
            victim.resize(pick(victim.size()));
        } else {
            for (std::size_t k = pick(6) + 1; k-- > 0 && !victim.empty();) {
                const char by = pick(4) == 0 ? static_cast<char>(pick(256)) : "()[]+-*/^=,;'0.e@{}\n#!&"[pick(24)];
                const std::size_t at = pick(victim.size());
                if (pick(2) == 0)
                    victim[at] = by;
                else
                    victim.insert(at, 1, by);
            }
        }
        const Comparison c = compare(page.against->equations(), {.file = page.file,
                                                                 .text = text,
                                                                 .names_file = "x.names",
                                                                 .names_text = names,
                                                                 .seed = 5,
                                                                 .patience = std::chrono::milliseconds(40)});
        EXPECT_TRUE(!c.entries.empty() || c.is_wrong_input()) << text;
        for (const Diagnostic& d : c.problems) {
            EXPECT_GE(d.where.line, 1U);
            EXPECT_GE(d.where.column, 1U);
            EXPECT_FALSE(d.what.empty());
        }
    }
    for (const std::string& nasty :
         {std::string(100'000, '('), "V = " + std::string(100'000, '-') + "1", std::string("V = 2") + std::string(3000, '^') + "2",
          std::string("V = 10^10^10^10^10"), std::string("V = 1e999999999"), std::string("V = 1/0"), std::string("V = 0^0"),
          std::string("\xFF\xFE\0V=", 5), "V = " + std::string(5000, '1'), std::string("V = sqrt(-1)")}) {
        const Comparison c = pendulum()(nasty);
        EXPECT_TRUE(!c.entries.empty() || c.is_wrong_input());
    }
}

}  // namespace
}  // namespace linkwright::compare
