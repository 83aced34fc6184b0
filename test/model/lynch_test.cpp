#include "linkwright/model/lynch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "linkwright/model/lynch_text.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "support/project_root.hpp"

namespace linkwright::model {
namespace {

using testing::HasSubstr;

std::filesystem::path models() { return std::filesystem::path(project_root()) / "models"; }

std::string content(const std::string& name) {
    std::ifstream in(models() / name, std::ios::binary);
    EXPECT_TRUE(in) << name;
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Files {
    std::string his, companion;
};

Files files(const std::string& model) { return {content(model + "/lynch.mac"), content(model + "/lynch.toml")}; }

Reading reading_of(const Files& f) { return read_lynch(f.his, "lynch.mac", f.companion, "lynch.toml"); }

/// One text in place of another that must be there.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

/// What is said when his triple pendulum is changed.
std::string problems_after(const std::string& what, const std::string& by) {
    Files f = files("lynch_triple_pendulum");
    f.his = replaced(f.his, what, by);
    const Reading r = reading_of(f);
    EXPECT_FALSE(r.model);
    return to_string(r.problems);
}

bool is(const Expr& e, const std::string& formula_name, int sign = 1) {
    const auto symbol = e.pool().find_symbol(formula_name);
    return symbol && sym::equal(e, sign * *symbol) == sym::Verdict::equal;
}

bool is_frame(const Rotation& r, const Vec3& x, const Vec3& z) {
    const auto same = [](const Vec3& a, const Vec3& b) { return is_zero(a - b); };
    return same(column(r.matrix(), 0), x) && same(column(r.matrix(), 2), z);
}

TEST(Lynch, TriplePendulumIsReadAsPrinted) {
    const Reading r = read_lynch_files(models() / "lynch_triple_pendulum" / "lynch.toml");
    EXPECT_EQ(to_string(r.problems), "");
    ASSERT_TRUE(r.model);
    const Model& m = *r.model;
    ASSERT_EQ(m.bodies.size(), 4U);
    ASSERT_EQ(m.joints.size(), 3U);
    EXPECT_TRUE(is(m.gravity[1], "g", -1));
    const Joint& q2 = m.joints[1];  // its axis is the x of the link before
    EXPECT_EQ(q2.name, "q2");
    EXPECT_EQ(q2.type, JointType::revolute);
    EXPECT_EQ(m.bodies[q2.parent].name, "link2");
    EXPECT_EQ(m.bodies[q2.child].name, "link3");
    EXPECT_TRUE(is(q2.parent_at[1], "SL32", -1));
    EXPECT_TRUE(is(q2.child_at[1], "DL33"));
    EXPECT_TRUE(is_frame(q2.parent_axes, -spatial::unit(2), spatial::unit(0)));
    EXPECT_TRUE(is_frame(q2.child_axes, spatial::unit(0), spatial::unit(2)));
    ASSERT_EQ(q2.forces.size(), 1U);
    EXPECT_TRUE(is(q2.forces[0].stiffness, "KR32"));
    EXPECT_TRUE(is(q2.forces[0].rest, "PHI03"));
    EXPECT_TRUE(is(q2.forces[0].damping, "CR32"));
    EXPECT_TRUE(is(q2.forces[0].actuator, "TAU32"));
    EXPECT_TRUE(is(m.bodies[3].mass, "MA4"));
    EXPECT_TRUE(is(m.bodies[3].inertia[1][1], "J4Y"));
}

TEST(Lynch, StanfordArmSlidesByItsJointAndIsPushedAlongIt) {
    const Reading r = read_lynch_files(models() / "lynch_stanford_arm" / "lynch.toml");
    ASSERT_TRUE(r.model) << to_string(r.problems);
    ASSERT_EQ(r.problems.size(), 1U);  // a row printed with one zero too many
    EXPECT_EQ(r.problems[0].what, "row 1 of DM has 8 entries instead of 7");
    const Joint& q3 = r.model->joints[2];
    EXPECT_EQ(q3.type, JointType::prismatic);
    EXPECT_TRUE(is_zero(q3.child_at));
    EXPECT_TRUE(is_frame(q3.child_axes, spatial::unit(2), spatial::unit(1)));
    ASSERT_EQ(q3.forces.size(), 1U);
    EXPECT_TRUE(is(q3.forces[0].actuator, "TAU43"));
    EXPECT_TRUE(r.model->springs.empty());
}

TEST(Lynch, SatelliteFloatsAndHasEachActuatorOnce) {
    const Reading r = read_lynch_files(models() / "lynch_satellite" / "lynch.toml");
    EXPECT_EQ(to_string(r.problems), "");
    ASSERT_TRUE(r.model);
    EXPECT_EQ(r.model->joints[0].type, JointType::free);
    EXPECT_EQ(r.model->joints[0].parent, ground);
    ASSERT_EQ(r.model->joints[1].forces.size(), 1U);
    EXPECT_TRUE(is(r.model->joints[1].forces[0].actuator, "TAU21"));
    EXPECT_TRUE(is(r.model->joints[2].parent_at[0], "SL31"));
    EXPECT_TRUE(is_zero(r.model->gravity));
}

TEST(Lynch, FourBarIsCorrectedAloudAndClosedByTheCompanion) {
    const Reading r = read_lynch_files(models() / "lynch_four_bar" / "lynch.toml");
    ASSERT_TRUE(r.model) << to_string(r.problems);
    ASSERT_EQ(r.problems.size(), 1U);
    EXPECT_EQ(r.problems[0].severity, Diagnostic::Severity::warning);
    EXPECT_THAT(r.problems[0].what, HasSubstr("correction: SL[3,1] reads (0, 0, 0) and is taken as (L, 0, 0): with both"));
    const Joint& q2 = r.model->joints[find_joint(*r.model, "q2").value()];
    EXPECT_TRUE(is(q2.parent_at[0], "L"));
    const Joint& ball = r.model->joints[find_joint(*r.model, "ball").value()];
    EXPECT_TRUE(ball.cut);
    EXPECT_EQ(ball.type, JointType::spherical);
}

TEST(Lynch, AnyTranslationalSpringElsewhereRunsFromPointToPoint) {
    Files f = files("lynch_triple_pendulum");
    f.his = replaced(f.his, "GOTSDA: STOP;",
                     "GOTSDA: START; NTSDA: 1; TSDA: MATRIX([4, 1]); PITSDA: MATRIX([0, -DL44, 0]); PJTSDA: MATRIX([0, 1, 0]);");
    f.companion = replaced(f.companion, "[inputs]", "KT41 = 3\nBETA4 = 0.5\n[inputs]");
    const Reading r = reading_of(f);
    EXPECT_EQ(to_string(r.problems), "");
    ASSERT_TRUE(r.model);
    ASSERT_EQ(r.model->springs.size(), 1U);
    const Spring& s = r.model->springs[0];
    EXPECT_EQ(s.from.body, ground);
    EXPECT_TRUE(is_zero(s.from.at - spatial::unit(1)));
    EXPECT_EQ(r.model->bodies[s.to.body].name, "link4");
    EXPECT_TRUE(is(s.to.at[1], "DL44", -1));
    EXPECT_TRUE(is(s.stiffness, "KT41"));
    EXPECT_TRUE(is(s.rest, "BETA4"));
}

TEST(Lynch, EntriesAreRewrittenAsText) {
    EXPECT_EQ(with_names("L + PHI[4]*2"), "L + PHI4  *2");
    EXPECT_EQ(with_names("PHI4 + XPHI[4]"), "PHI4 + XPHI[4]");
    EXPECT_EQ(without_coordinates("PHI[4]"), "0");
    EXPECT_EQ(without_coordinates("-PHI[ 4 ]"), "0");
    EXPECT_EQ(without_coordinates("L - PHI[4]"), "L");
    EXPECT_EQ(without_coordinates("PHI[4] + L"), "0 + L");
    EXPECT_EQ(toml_scalar("-1.50"), "-1.50");
    EXPECT_EQ(toml_scalar("01"), "\"01\"");
    EXPECT_EQ(toml_scalar("1."), "\"1.\"");
    EXPECT_EQ(toml_scalar("- L"), "\"- L\"");
    EXPECT_EQ(negated("-DL22"), "DL22");
    EXPECT_EQ(negated("- 0.5"), "0.5");
    EXPECT_EQ(negated("a - b"), "-(a - b)");
    EXPECT_EQ(negated("-a*b"), "-(-a*b)");
    EXPECT_EQ(negated("0.0"), "0");
}

TEST(LynchProblems, SlipsOfSyntaxAreAllFound) {
    Files f = files("lynch_triple_pendulum");
    f.his = replaced(f.his, "NGC: 3;", "NGC: 3");
    f.his = replaced(f.his, "RQJ[4,3]: MATRIX( [ 0 ],", "RQJ[4,3]: MATRIX( [ ],");
    f.his = replaced(f.his, "JIP[4]", "JIP[x]");
    EXPECT_EQ(to_string(reading_of(f).problems),
              "lynch.mac:5:6: error: a ';' is missing in or after NGC\n"
              "    hint: every statement ends with a semicolon\n"
              "lynch.mac:36:21: error: an entry of RQJ[4,3] is empty\n"
              "lynch.mac:54:5: error: the index of JIP is not the number of a body\n"
              "    hint: bodies count from 1\n");
}

TEST(LynchProblems, MatricesMustAgree) {
    EXPECT_EQ(problems_after("[ 1, 1, 1, 0 ],", "[ 1, 0, 1, 0 ],"),
              "lynch.mac:8:20: error: PIE is not the inverse of REF: row 3 must be 1, 1, 1, 0\n");
    EXPECT_THAT(problems_after("[0.0, 1.0, 0.0, 1.0],", "[0.0, 1.0, 0.0, 0.0],"),
                HasSubstr("lynch.mac:16:30: error: REF connects bodies 3 and 4, DM does not"));
    EXPECT_THAT(problems_after("[0.0, 1.0, 0.0, 1.0],", "[0.0, 1.0, 0.0, 1.2],"), HasSubstr("DM is not symmetric"));
    EXPECT_THAT(problems_after("[0.0, 1.0, 0.0, 1.0],", "[0.0, 1.0, 0.0],"),
                HasSubstr("lynch.mac:16:15: error: row 3 of DM has 3 entries instead of 4"));
    EXPECT_THAT(problems_after("[-1, 1, 0, 0 ],", "[ 0, 1, 0, 0 ],"), HasSubstr("no path leads from body 2 to body 1"));
    EXPECT_THAT(problems_after("[ 0, 0, 1, 0 ] );\nTSDAINFO", "[ 1, 0, 1, 0 ] );\nTSDAINFO"),
                HasSubstr("no revolute joint connects bodies 4 and 1"));
    EXPECT_THAT(problems_after("NGC: 3;", "NGC: 4;"), HasSubstr("NGC is 4, but the joints have 3 coordinates"));
    EXPECT_THAT(problems_after("IBB: MATRIX( [ 1, 1 ] );", "IBB: MATRIX( [ 1, 0 ] );"), HasSubstr("DM[1,1] must be 0.2"));
}

TEST(LynchProblems, NamesAreChecked) {
    EXPECT_THAT(problems_after("GRAVITY", "GRAVITIY"), HasSubstr("unknown name 'GRAVITIY'\n    hint: did you mean 'GRAVITY'?"));
    EXPECT_THAT(problems_after("PQI[4,3]: MATRIX( [ 0 ], [ 0 ], [ 1 ] );", ""), HasSubstr("error: PQI[4,3] is missing"));
    EXPECT_THAT(problems_after("SL[4,3]", "SL[4,2]"), HasSubstr("SL[4,2] belongs to no body or joint"));
    EXPECT_THAT(problems_after("SL[4,3]", "SL[3,2]"), HasSubstr("SL[3,2] is defined twice"));
    EXPECT_THAT(problems_after("-SL43", "-Sl99"), HasSubstr("lynch.mac:43:27: error: unknown name 'Sl99'"));
    EXPECT_THAT(problems_after("-DL44", "PHI[4]"), HasSubstr("is not the travel of its joint"));
    EXPECT_THAT(problems_after("[ 1 ], [ 0 ], [ 0 ] );\nPQI[3,2]", "[ 0 ], [ 0 ], [ 1 ] );\nPQI[3,2]"), HasSubstr("lynch.mac:"));
    Files f = files("lynch_triple_pendulum");
    f.companion = replaced(f.companion, "MA3 = 1.0\n", "");
    EXPECT_THAT(to_string(reading_of(f).problems), HasSubstr("give MA3 a value in [parameters] of lynch.toml"));
}

TEST(LynchProblems, OfTheCompanionStandWhereTheyStand) {
    Files f = files("lynch_four_bar");
    f.companion = replaced(f.companion, "SL[3,1]", "SL[3,7]");
    EXPECT_THAT(to_string(reading_of(f).problems), HasSubstr("lynch.toml:13:9: error: there is no entry 'SL[3,7]' to correct"));
    f = files("lynch_four_bar");
    f.companion = replaced(f.companion, "[\"L\", 0, 0]", "\"L\"");
    EXPECT_THAT(to_string(reading_of(f).problems), HasSubstr("lynch.toml:14:9: error: the value does not have the shape"));
    f = files("lynch_four_bar");
    f.companion = replaced(f.companion, "type = \"spherical\"", "type = \"sphericle\"");
    EXPECT_THAT(to_string(reading_of(f).problems), HasSubstr("lynch.toml:37:"));  // no line has moved
    f = files("lynch_four_bar");
    f.companion = replaced(f.companion, "lynch = ", "linch = ");
    EXPECT_THAT(to_string(reading_of(f).problems), HasSubstr("'lynch' must name a file"));
    EXPECT_THAT(to_string(read_lynch_files("nowhere.toml").problems), HasSubstr("cannot be read"));
}

TEST(LynchProblems, NothingInTheTextBreaksTheReader) {
    const Files f = files("lynch_stanford_arm");
    for (std::size_t n = 0; n < f.his.size(); n += 37) {  // cut anywhere
        const Reading r = read_lynch(f.his.substr(0, n), "lynch.mac", f.companion, "lynch.toml");
        EXPECT_FALSE(r.model);
        EXPECT_FALSE(r.problems.empty());
    }
    for (const char* text : {"", ";;;", "NBOD", "NBOD: 1e9;", "NBOD: 0;", "NBOD: nan;", "NBOD: 1e300;", ":", "[", "/*", "A[1", "MATRIX(",
                             "NBOD: MATRIX([1]);", "\xff"}) {
        EXPECT_FALSE(read_lynch(text, "lynch.mac", f.companion, "lynch.toml").model) << text;
    }
}

}  // namespace
}  // namespace linkwright::model
