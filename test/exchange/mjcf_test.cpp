// MJCF: bad input, odd input, and what is written read again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "linkwright/exchange/formats.hpp"
#include "linkwright/exchange/mjcf.hpp"
#include "linkwright/exchange/mjcf_inertia.hpp"
#include "linkwright/model/read.hpp"

namespace linkwright::exchange {
namespace {

using testing::HasSubstr;

std::string said(const std::string& xml) { return to_string(translate(xml, "robot.xml").problems); }

std::string world(const std::string& inside) { return "<mujoco>\n<worldbody>\n" + inside + "\n</worldbody>\n</mujoco>"; }

TEST(Mjcf, ProblemsHaveTheirPlaces) {
    EXPECT_THAT(said("<mujoco><worldbody><body>"), HasSubstr("error"));
    EXPECT_THAT(said("<mujoco/>"), HasSubstr("the model has no bodies"));
    EXPECT_THAT(said(world("<body>\n<joint axis=\"0 0 0\"/></body>")), HasSubstr("robot.xml:4:8: error: the axis has length 0"));
    EXPECT_THAT(said(world("<body><joint type=\"helix\"/></body>")), HasSubstr("there is no joint of type 'helix'"));
    EXPECT_THAT(said(world("<body pos=\"0 nan 0\"/>")), HasSubstr("not finite"));
    EXPECT_THAT(said(world("<body><joint class=\"none\"/></body>")), HasSubstr("there is no class 'none'"));
    EXPECT_THAT(said(world("<body><joint name=\"a\"/></body><body><joint name=\"a\"/></body>")), HasSubstr("the name 'a' is given to two"));
    EXPECT_THAT(said(world("<body><body><freejoint/></body></body>")), HasSubstr("a free joint stands alone"));
    EXPECT_THAT(said(world("<composite type=\"grid\"/>")), HasSubstr("<composite> is not read"));
    EXPECT_THAT(said(world("<body><joint/><geom type=\"mesh\" mesh=\"m\"/></body>")), HasSubstr("there is no mesh 'm'"));
    EXPECT_THAT(said("<mujoco><default><default class=\"a\"><default class=\"a\"/></default></default></mujoco>"),
                HasSubstr("the class 'a' is defined twice"));
    EXPECT_THAT(said("<mujoco><include file=\"../../../etc/passwd\"/></mujoco>"), HasSubstr("lies outside of the model's folder"));
    EXPECT_THAT(said("<mujoco><include file=\"nowhere.xml\"/></mujoco>"), HasSubstr("there is no file 'nowhere.xml'"));
}

TEST(Mjcf, WhatIsLeftOutIsCounted) {
    const std::string words =
        said(world("<camera/><camera/><body colour=\"red\"><joint range=\"0 1\" frictionloss=\"1\"/><geom size=\"1\"/></body>"));
    EXPECT_THAT(words, HasSubstr("left out: cameras, 2 of them"));
    EXPECT_THAT(words, HasSubstr("left out: limits of joints, 1 of them"));
    EXPECT_THAT(words, HasSubstr("left out: dry friction in joints, 1 of them"));
    EXPECT_THAT(words, HasSubstr("<body> has no attribute 'colour' in MJCF"));
}

TEST(Mjcf, ManyBodiesAreLinear) {
    std::string inside;
    for (int i = 0; i < 4'000; ++i) inside += "<body pos=\"1 0 0\"><joint axis=\"0 1 0\"/><geom size=\"0.1\"/></body>\n";
    const Translation translation = translate(world(inside), "many.xml");
    EXPECT_TRUE(translation.text);
    for (int i = 0; i < 100'000; ++i) inside += "<body><joint/><geom size=\"0.1\"/></body>\n";
    EXPECT_THAT(said(world(inside)), HasSubstr("error: too large: there are 104000 joints, and at most 4000 are read"));
}

// Copies are moved against the one before, and have numbers.
TEST(Mjcf, Replicas) {
    const Translation t =
        translate(world("<body name=\"hub\"><joint/><geom size=\"1\"/><replicate count=\"3\" offset=\"0 0 1\" sep=\"-\"><body name=\"b\">"
                        "<joint name=\"j\"/><geom size=\"1\"/></body></replicate></body>"),
                  "robot.xml");
    ASSERT_TRUE(t.text) << to_string(t.problems);
    const model::Reading reading = read(t);
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    EXPECT_EQ(reading.model->joints.size(), 4U);
    EXPECT_THAT(*t.text, HasSubstr("name = \"b_2\""));
    EXPECT_THAT(*t.text, HasSubstr("parent_at = [0, 0, 2]"));
    EXPECT_THAT(
        said(world("<replicate count=\"1000000\"><replicate count=\"1000000\"><body><geom size=\"1\"/></body></replicate></replicate>")),
        HasSubstr("more than 200000"));
    EXPECT_THAT(said(world("<replicate count=\"-1\"/>")), HasSubstr("robot.xml:3:12: error: 'count' is not a whole number"));
}

// Two connects of the same two bodies are a revolute joint.
TEST(Mjcf, TwoConnectsHoldAnAxis) {
    const std::string bodies = "<body name=\"a\"><joint/><geom size=\"1\"/></body><body name=\"b\"><joint/><geom size=\"1\"/></body>";
    const auto with = [&](const std::string& equality) {
        return translate("<mujoco><worldbody>" + bodies + "</worldbody><equality>" + equality + "</equality></mujoco>", "r.xml")
            .text.value_or("");
    };
    const std::string one = "<connect name=\"pin\" body1=\"a\" body2=\"b\" anchor=\"1 0 0\"/>";
    EXPECT_THAT(with(one), HasSubstr("type = \"spherical\""));
    const std::string two = with(one + "<connect body1=\"a\" body2=\"b\" anchor=\"1 0 2\"/>");
    EXPECT_THAT(two, HasSubstr("name = \"pin\"\ntype = \"revolute\""));
    EXPECT_THAT(two, testing::Not(HasSubstr("spherical")));
}

// Turns end early, as MuJoCo's do, and what they leave is small.
TEST(Mjcf, PrincipalMoments) {
    Eigen::Matrix3d I;
    I << 0.7, -0.00014, 0.0068, -0.00014, 0.71, 0.019, 0.0068, 0.019, 0.009;
    const Eigen::Matrix3d kept = mjcf::keep_principal(I);
    EXPECT_LT((kept - I).cwiseAbs().maxCoeff(), 2e-6 * I.trace());
    EXPECT_NEAR(kept.trace(), I.trace(), 1e-14);
    const Eigen::Matrix3d diagonal = Eigen::Vector3d(1, 2, 3).asDiagonal();
    EXPECT_EQ(mjcf::keep_principal(diagonal), diagonal);
}

TEST(Mjcf, WrittenAndReadAgain) {
    const std::string robot = world(
        "<body name=\"a\" pos=\"0 0 1\" euler=\"10 20 30\"><joint name=\"h1\" axis=\"0 1 0\" pos=\"0.1 0 0\" damping=\"0.2\" "
        "armature=\"0.3\"/>"
        "<joint name=\"h2\" type=\"slide\" axis=\"1 0 0\" stiffness=\"4\" springref=\"0.1\"/><geom type=\"box\" size=\"0.1 0.2 0.3\"/>"
        "<body name=\"b\" pos=\"1 0 0\"><joint name=\"ball\" type=\"ball\"/><geom type=\"sphere\" size=\"0.2\"/></body></body>");
    const Translation first = translate(robot, "robot.xml");
    const model::Reading once = read(first);
    ASSERT_TRUE(once.model) << to_string(once.problems);
    const Written written = write_mjcf(*once.model);
    ASSERT_TRUE(written.text) << to_string(written.problems);
    const model::Reading twice = read(translate(*written.text, "again.xml"));
    ASSERT_TRUE(twice.model) << to_string(twice.problems) << *written.text;
    EXPECT_EQ(twice.model->joints.size(), once.model->joints.size()) << *written.text;
    EXPECT_EQ(twice.model->bodies.size(), once.model->bodies.size());
    EXPECT_THAT(*written.text, HasSubstr("armature=\"0.3\""));
    EXPECT_THAT(*written.text, HasSubstr("springref=\"0.1\""));
}

}  // namespace
}  // namespace linkwright::exchange
