#include "linkwright/model/joint_steps.hpp"

#include <gtest/gtest.h>

#include "linkwright/model/build.hpp"

namespace linkwright::model {
namespace {

using Names = std::vector<std::string>;
const Names xyz{"x", "y", "z"};

TEST(JointSteps, NameCoordinatesAndSpeedsInTheOrderOfTheJoint) {
    const auto q = [](JointType type) { return joint_names(type, "J", xyz).coordinates; };
    const auto u = [](JointType type) { return joint_names(type, "J", xyz).speeds; };
    EXPECT_EQ(q(JointType::weld), Names{});
    EXPECT_EQ(q(JointType::screw), Names{"J"});
    EXPECT_EQ(u(JointType::screw), Names{"J'"});
    EXPECT_EQ(q(JointType::cylindrical), (Names{"J.angle", "J.travel"}));  // though it slides first
    EXPECT_EQ(u(JointType::cylindrical), (Names{"J.angle'", "J.travel'"}));
    EXPECT_EQ(q(JointType::planar), (Names{"J.x", "J.y", "J.angle"}));
    EXPECT_EQ(q(JointType::free), (Names{"J.x", "J.y", "J.z", "J.e0", "J.e1", "J.e2", "J.e3"}));
    EXPECT_EQ(u(JointType::free), (Names{"J.wx", "J.wy", "J.wz", "J.vx", "J.vy", "J.vz"}));
    EXPECT_EQ(q(JointType::free_axes), (Names{"J.x", "J.y", "J.z", "J.1", "J.2", "J.3"}));
    EXPECT_EQ(q(JointType::point_on_line), (Names{"J.travel", "J.e0", "J.e1", "J.e2", "J.e3"}));
    EXPECT_EQ(u(JointType::point_on_line), (Names{"J.travel'", "J.wx", "J.wy", "J.wz"}));
    EXPECT_EQ(joint_names(JointType::translation, "J", Names{"2", "7"}).speeds, (Names{"J.2'", "J.7'"}));
}

TEST(JointSteps, CountFreedoms) {
    for (const JointPattern& pattern : joint_patterns()) {
        EXPECT_EQ(freedoms(pattern.type, 2), joint_names(pattern.type, "J", Names{"x", "y"}).speeds.size()) << pattern.word;
        EXPECT_LE(freedoms(pattern.type, 3), 6U) << pattern.word;
    }
    EXPECT_EQ(freedoms(JointType::translation, 2), 2U);
    EXPECT_EQ(freedoms(JointType::planar, 1), 3U);
    EXPECT_EQ(freedoms(JointType::spherical, 0), 3U);
}

TEST(JointSteps, TellAnglesRatesAndTravel) {
    EXPECT_TRUE(is_angle(JointType::cylindrical, 0));
    EXPECT_FALSE(is_angle(JointType::cylindrical, 1));
    EXPECT_FALSE(is_angle(JointType::screw, 0));  // it does not begin again after a turn
    EXPECT_TRUE(is_angle(JointType::planar, 2));
    EXPECT_TRUE(is_angle(JointType::free_axes, 3));
    EXPECT_FALSE(is_angle(JointType::free_axes, 2));
    EXPECT_FALSE(is_angle(JointType::free, 3));
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_FALSE(is_rate(JointType::free, i));
        EXPECT_TRUE(is_rate(JointType::free_axes, i));
    }
    EXPECT_TRUE(is_rate(JointType::point_on_line, 0));
    EXPECT_FALSE(is_rate(JointType::point_on_line, 1));
    EXPECT_TRUE(travels(JointType::screw));
    EXPECT_TRUE(travels(JointType::free));
    EXPECT_FALSE(travels(JointType::gimbal));
    EXPECT_FALSE(travels(JointType::weld));
}

TEST(JointSteps, HaveTheirWords) {
    for (const JointPattern& pattern : joint_patterns()) {
        EXPECT_EQ(to_string(pattern.type), pattern.word);
        const JointType meant = joint_type(pattern.word).value();
        EXPECT_TRUE(meant == pattern.type || with_axes(meant) == pattern.type) << pattern.word;
    }
    EXPECT_EQ(joint_type("free"), JointType::free);
    EXPECT_EQ(with_axes(JointType::free), JointType::free_axes);
    EXPECT_EQ(with_axes(JointType::gimbal), JointType::gimbal);
    EXPECT_FALSE(joint_type("free_axes"));
}

TEST(JointSteps, TakeTheJointsAxes) {
    Model m = empty_model("steps");
    const sym::PoolScope scope(*m.pool);
    const BodyIndex a = body(m, "a", {}), b = body(m, "b", {});
    const std::size_t plane = joint(m, JointType::planar, "plane", ground, a, {.axes = {spatial::unit(0)}});
    const std::size_t nut = joint(m, JointType::screw, "nut", a, b, {.pitch = 3});
    const std::vector<JointStep> of_plane = joint_steps(m.joints[plane]), of_nut = joint_steps(m.joints[nut]);
    ASSERT_EQ(of_plane.size(), 3U);
    EXPECT_EQ(of_plane[0].axis, spatial::unit(1));
    EXPECT_EQ(of_plane[1].axis, spatial::unit(2));
    EXPECT_EQ(of_plane[2].axis, spatial::unit(0));
    EXPECT_EQ(of_plane[2].kind, StepKind::turn);
    ASSERT_EQ(of_nut.size(), 1U);
    EXPECT_TRUE(of_nut[0].pitch.is_literally(3));
    EXPECT_EQ(of_nut[0].axis, spatial::unit(2));
}

}  // namespace
}  // namespace linkwright::model
