#include "linkwright/topology/massless.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/graph.hpp"

namespace linkwright::topology {
namespace {

using model::JointType;
using testing::HasSubstr;

void strip(model::Body& body) {
    body.mass = 0;
    body.inertia = {};
}

/// A heavy arm, and a massless body at its end.
model::Model with_massless_end(JointType type = JointType::revolute) {
    model::Model m = graph(2);
    connect(m, 0, 1);
    connect(m, 1, 2, type);
    strip(m.bodies[2]);
    return m;
}

/// A particle on a joint, its centre of mass at `com`.
model::Model particle(JointType type, spatial::Vec3 com) {
    model::Model m = graph(1);
    connect(m, 0, 1, type);
    m.bodies[1].inertia = {};
    m.bodies[1].com = com;
    return m;
}

std::string first_problem(const model::Model& m) {
    const Analysis a = analyse(m);
    EXPECT_EQ(a.problems.empty(), a.topology.has_value());
    return a.problems.empty() ? "" : a.problems.front().what;
}

TEST(Massless, AtTheEndOfATreeItIsAnErrorUnlessWeldedOrPrescribed) {
    model::Model m = with_massless_end();
    EXPECT_EQ(first_problem(m), "joint 'j1' moves nothing that has mass: 'b2' is massless");
    EXPECT_EQ(analyse(m).problems.front().where, m.joints[1].where);
    EXPECT_EQ(first_problem(with_massless_end(JointType::weld)), "");
    m.motions.push_back({m.joints[1].coordinates[0], 1, {}});
    EXPECT_EQ(first_problem(m), "");
}

TEST(Massless, ADriveAlongEverySpeedResists) {
    model::Model m = with_massless_end(JointType::universal);
    m.joints[1].armature = {2, 0};
    EXPECT_EQ(first_problem(m), "joint 'j1' moves nothing that has mass: 'b2' is massless");
    EXPECT_THAT(analyse(m).problems.front().hint, HasSubstr("an armature"));
    m.motions.push_back({m.joints[1].coordinates[1], 1, {}});
    EXPECT_EQ(first_problem(m), "");
    m.motions.clear();
    m.joints[1].armature = {2, 3};
    EXPECT_EQ(first_problem(m), "");
    // what a drive does for one joint is of no use to the one before it
    model::Model row = graph(2);
    connect(row, 0, 1);
    connect(row, 1, 2);
    strip(row.bodies[1]), strip(row.bodies[2]);
    row.joints[1].armature = {1};
    EXPECT_EQ(first_problem(row), "joint 'j0' moves nothing that has mass: 'b1' and all beyond it is massless");
    model::Model bead = particle(JointType::cylindrical, {});
    EXPECT_NE(first_problem(bead), "");
    bead.joints[0].armature = {1, 0};
    EXPECT_EQ(first_problem(bead), "");
}

TEST(Massless, InsideATreeItIsAllowed) {
    model::Model m = graph(2);
    connect(m, 0, 1);
    connect(m, 1, 2);
    strip(m.bodies[1]);
    m.bodies[2].com = {{0, 1, 0}};
    EXPECT_EQ(first_problem(m), "");
}

TEST(Massless, AWholeBranchIsNamedAtEveryJoint) {
    model::Model m = with_massless_end();
    strip(m.bodies[1]);
    const Analysis a = analyse(m);
    ASSERT_EQ(a.problems.size(), 2U);
    EXPECT_EQ(a.problems[0].what, "joint 'j0' moves nothing that has mass: 'b1' and all beyond it is massless");
}

TEST(Massless, LoopsRodsAndConstraintsMayGiveTheFreedomItsInertia) {
    model::Model loop = with_massless_end();
    connect(loop, 0, 2);
    EXPECT_EQ(first_problem(loop), "");
    model::Model rod = with_massless_end();
    rod.rods.resize(1);
    rod.rods[0].from.body = 2;
    EXPECT_EQ(first_problem(rod), "");
    rod.rods[0].to.body = 2;  // within the body: ties nothing
    EXPECT_NE(first_problem(rod), "");
    model::Model tied = with_massless_end();
    tied.constraints.resize(1);
    tied.constraints[0].expression = tied.joints[0].coordinates[0];
    EXPECT_NE(first_problem(tied), "");
    tied.constraints[0].expression = tied.joints[0].coordinates[0] + tied.joints[1].coordinates[0];
    EXPECT_EQ(first_problem(tied), "");
    tied.constraints[0].expression = sym::symbol("tip.x", sym::Role::auxiliary);  // who knows what an output depends on
    EXPECT_EQ(first_problem(tied), "");
}

TEST(Massless, AParticleMustNotTurnAboutItself) {
    const sym::Expr l = sym::symbol("l");
    EXPECT_EQ(first_problem(particle(JointType::revolute, {{0, 0, l}})),
              "body 'b1' has no inertia against some motion of the revolute joint 'j0'");
    EXPECT_EQ(first_problem(particle(JointType::revolute, {{0, -l, 0}})), "");
    EXPECT_EQ(first_problem(particle(JointType::prismatic, {})), "");
    EXPECT_EQ(first_problem(particle(JointType::universal, {{l, 0, 0}})), "");
    EXPECT_NE(first_problem(particle(JointType::universal, {{0, l, 0}})), "");
    EXPECT_NE(first_problem(particle(JointType::spherical, {{0, l, l}})), "");  // free to spin about the line to it
    EXPECT_NE(first_problem(particle(JointType::gimbal, {{0, l, l}})), "");
    EXPECT_NE(first_problem(particle(JointType::free, {})), "");
    EXPECT_NE(first_problem(particle(JointType::point_on_line, {{0, l, l}})), "");
    EXPECT_NE(first_problem(particle(JointType::planar, {{l, 0, 0}})), "");
}

TEST(Massless, TheCentreOfMassIsSeenFromTheJointAndInItsAxes) {
    const sym::Expr l = sym::symbol("l");
    model::Model m = particle(JointType::revolute, {{l, 0, 0}});
    m.joints[0].child_at = {{l, 0, 0}};
    EXPECT_NE(first_problem(m), "");
    m.joints[0].child_at = {};
    EXPECT_EQ(first_problem(m), "");
    m.joints[0].child_axes = spatial::Rotation::turn(spatial::unit(1), sym::pi() / 2);  // its z is the body's x
    EXPECT_NE(first_problem(m), "");
    std::swap(m.joints[0].parent, m.joints[0].child);
    std::swap(m.joints[0].parent_axes, m.joints[0].child_axes);
    EXPECT_NE(first_problem(m), "");
}

TEST(Massless, PlanarModelsMayLeaveMomentsOut) {
    model::Model m = graph(2);
    connect(m, 0, 1);
    connect(m, 1, 2);
    for (std::size_t b : {1U, 2U}) m.bodies[b].inertia = spatial::diagonal(0, 0, sym::symbol("I"));
    EXPECT_EQ(first_problem(m), "");
    m.joints[1].axes = {spatial::unit(0)};
    EXPECT_THAT(first_problem(m), HasSubstr("'b2' has no inertia against"));
}

}  // namespace
}  // namespace linkwright::topology
