#include "linkwright/topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "linkwright/topology/describe.hpp"
#include "linkwright/topology/dot.hpp"
#include "topology/graph.hpp"

namespace linkwright::topology {
namespace {

using model::JointType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// ground - b1 - b2 - b3 - ground: crank, coupler, rocker.
model::Model fourbar() {
    model::Model m = graph(3);
    connect(m, 0, 1);
    connect(m, 1, 2);
    connect(m, 2, 3);
    connect(m, 0, 3);
    return m;
}

Topology of(const model::Model& m) {
    const Analysis a = analyse(m);
    EXPECT_EQ(to_string(a.problems), "");
    return a.topology.value();
}

TEST(Tree, FollowsTheFileAndReversesJointsWhenItMust) {
    model::Model m = graph(3);
    connect(m, 2, 1);  // written before anything ties them to the ground
    connect(m, 2, 0);
    connect(m, 2, 3);
    const Topology t = of(m);
    EXPECT_THAT(t.order, ElementsAre(0, 2, 1, 3));
    EXPECT_TRUE(t.arc[2]->is_reversed);
    EXPECT_FALSE(t.arc[1]->is_reversed);
    EXPECT_THAT(t.outer[2], ElementsAre(1, 3));
    EXPECT_THAT(t.chords, IsEmpty());
}

TEST(Tree, TheLastJointOfALoopIsTheChordUnlessTheFileMarksOne) {
    model::Model m = fourbar();
    EXPECT_THAT(of(m).chords, ElementsAre(3));
    EXPECT_THAT(of(m).loops[0].joints, ElementsAre(0, 1, 2));
    m.joints[1].cut = true;
    const Topology t = of(m);
    EXPECT_THAT(t.chords, ElementsAre(1));
    EXPECT_THAT(t.loops[0].joints, ElementsAre(0, 3, 2));  // from b1 to b2
    EXPECT_TRUE(t.loops[0].is_planar);
}

TEST(Tree, AMarkedJointStaysInTheTreeWhenNothingElseHoldsItsBody) {
    model::Model m = graph(1);
    connect(m, 0, 1).cut = true;
    const Analysis a = analyse(m);
    EXPECT_THAT(a.topology.value().chords, IsEmpty());
    EXPECT_THAT(to_string(a.problems), HasSubstr("warning: joint 'j0' is not cut: nothing else connects the bodies it joins"));
}

TEST(Planar, TheChordIsTheJointThatTakesTheFewestRows) {
    model::Model m = graph(3);
    connect(m, 0, 1);
    connect(m, 1, 2, JointType::planar);
    connect(m, 2, 3);
    connect(m, 0, 3, JointType::prismatic, 0);
    const Topology t = of(m);
    EXPECT_THAT(t.chords, ElementsAre(1));
    EXPECT_EQ(rows(m, t.loops[0]), 0);
}

TEST(Planar, AWeldThatClosesALoopIsNotItsChord) {
    model::Model m = graph(4);
    connect(m, 0, 1);
    connect(m, 0, 2);
    connect(m, 3, 0);
    connect(m, 4, 0);
    connect(m, 1, 2, JointType::weld);
    connect(m, 3, 4, JointType::weld);
    for (const std::size_t c : of(m).chords) EXPECT_EQ(m.joints[c].type, JointType::revolute);
    EXPECT_EQ(of(m).chords.size(), 2U);
}

TEST(Planar, IsSeenThroughTurnedFramesAndDeniedForSkewAxes) {
    model::Model m = fourbar();
    // The coupler's axes are turned: its z is the y of the others.
    const spatial::Rotation turned = spatial::Rotation::turn(spatial::unit(0), sym::pi() / 2);
    m.joints[1].child_axes = turned;
    m.joints[2].parent_axes = turned;
    EXPECT_TRUE(of(m).loops[0].is_planar);
    m.joints[2].parent_axes = {};
    EXPECT_FALSE(of(m).loops[0].is_planar);
    m = fourbar();
    m.joints[2].type = JointType::universal;
    m.joints[2].axes = {spatial::unit(2), spatial::unit(0)};
    EXPECT_FALSE(of(m).loops[0].is_planar);
    m = graph(3);
    connect(m, 0, 1);
    connect(m, 1, 2);
    connect(m, 2, 3);
    connect(m, 0, 3, JointType::prismatic, 0);
    EXPECT_TRUE(of(m).loops[0].is_planar);
    m.joints[3].axes = {spatial::unit(2)};
    EXPECT_FALSE(of(m).loops[0].is_planar);
}

TEST(Problems, BodiesInTheAirAndJointsToThemselvesAreNamed) {
    model::Model m = graph(3);
    m.file = "air.toml";
    connect(m, 0, 1);
    connect(m, 2, 3);
    connect(m, 1, 1);
    connect(m, 0, 0);
    const Analysis a = analyse(m);
    EXPECT_FALSE(a.topology);
    EXPECT_EQ(to_string(a.problems),
              "air.toml:102:1: error: joint 'j2' connects body 'b1' to itself\n"
              "    hint: name a different parent or child, or remove the joint\n"
              "air.toml:103:1: error: joint 'j3' connects the ground to itself\n"
              "    hint: name a body as its child\n"
              "air.toml:2:1: error: no chain of joints connects body 'b2' to the ground\n"
              "    hint: give it a joint; a body that moves freely has a joint of type \"free\" to the ground\n"
              "air.toml:3:1: error: no chain of joints connects body 'b3' to the ground\n"
              "    hint: give it a joint; a body that moves freely has a joint of type \"free\" to the ground\n");
}

TEST(Words, AFourBarHasOneFreedom) {
    const model::Model m = fourbar();
    EXPECT_EQ(describe(m, of(m)),
              "3 bodies besides the ground in 1 chain, 4 joints, 1 loop\n"
              "loop 1: closed by 'j3' (revolute) from 'ground' to 'b3'; around the loop: ground - j0 - b1 - j1 - b2 - j2 - b3; "
              "planar, 2 rows\n"
              "degrees of freedom: 3 of the tree - 2 rows of loops = 1\n");
}

TEST(Words, ASpatialLoopThatCountsAsStiffIsSaidToBe) {
    model::Model m = fourbar();
    for (std::size_t j = 0; j < 4; ++j) m.joints[j].axes = {spatial::unit(j % 2)};
    const FreedomCount n = count_freedoms(m, of(m));
    EXPECT_EQ(n.positions(), -2);
    EXPECT_THAT(describe(m, of(m)), HasSubstr("by this count the mechanism is rigid"));
}

TEST(Words, NamesThatAreNotTheirAxesAreExplained) {
    for (std::size_t normal = 0; normal < 3; ++normal) {
        model::Model m = graph(1);
        connect(m, 0, 1, JointType::planar, normal);
        const std::string text = describe(m, of(m));
        if (normal == 0) EXPECT_THAT(text, HasSubstr("joint 'j0' (planar): j0.x runs along y, j0.y runs along z of the joint axes\n"));
        if (normal == 1) EXPECT_THAT(text, HasSubstr("joint 'j0' (planar): j0.x runs along z, j0.y runs along x of the joint axes\n"));
        if (normal == 2) EXPECT_THAT(text, Not(HasSubstr("runs along")));
    }
}

TEST(Words, RollingTakesSpeedsAndTouchTakesAPosition) {
    model::Model m = graph(1);
    connect(m, 0, 1, JointType::free);
    m.rollings.push_back({});
    m.rollings[0].on.body = 1;
    const FreedomCount n = count_freedoms(m, of(m));
    EXPECT_EQ(n.positions(), 5);
    EXPECT_EQ(n.speeds(), 3);
}

TEST(Dot, DrawsBodiesJointsAndChords) {
    model::Model m = fourbar();
    m.name = "four \"bar\"";
    std::swap(m.joints[0].parent, m.joints[0].child);
    const std::string text = to_dot(m, of(m));
    EXPECT_THAT(text, HasSubstr("digraph \"four \\\"bar\\\"\" {"));
    EXPECT_THAT(text, HasSubstr("b0 [label=\"ground\", style=filled"));
    EXPECT_THAT(text, HasSubstr("b0 -> b1 [label=\"j0\\nrevolute\", dir=back];"));
    EXPECT_THAT(text, HasSubstr("b0 -> b3 [label=\"j3\\nrevolute\", style=dashed"));
}

}  // namespace
}  // namespace linkwright::topology
