// What URDF files say, well and badly.

#include "linkwright/exchange/urdf.hpp"

#include <Eigen/Geometry>

#include "subject.hpp"

namespace linkwright::exchange {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>\n"; }
const std::string mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
std::string link(const std::string& name) { return "<link name='" + name + "'>" + mass + "</link>\n"; }
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" + more +
           "</joint>\n";
}
Translation from(const std::string& inside, const TranslateOptions& options = {}) { return translate(robot(inside), "r.urdf", options); }
std::string told(const Translation& t) { return to_string(t.problems); }

TEST(Urdf, WhatPublicFilesDo) {
    // A parent 'world' that is no link of the file is the ground.
    EXPECT_THAT(from(link("a") + joint("j", "revolute", "world", "a")).text.value_or(""), HasSubstr("parent = \"ground\""));
    // A call that xacro did not expand is told; macros are refused.
    const Translation left = from(link("a") + link("b") + joint("j", "revolute", "a", "b") + "<xacro:sensor/>");
    EXPECT_TRUE(left.text);
    EXPECT_THAT(told(left), HasSubstr("<xacro:sensor> was not expanded by xacro"));
    EXPECT_FALSE(from(link("a") + "<xacro:property name='x' value='1'/>").text);
    // A mass on the axis of its joint, without moments of inertia: there is nothing to turn.
    const Translation point = from(link("a") + link("b") + "<link name='c'><inertial><mass value='1'/></inertial></link>" +
                                   joint("j", "revolute", "a", "b") + joint("k", "revolute", "b", "c"));
    EXPECT_TRUE(point.text);
    EXPECT_THAT(told(point), HasSubstr("link 'c' has no moment of inertia about its axis: joint 'k' is held at 0"));
    // Moments that are negative by rounding are 0; what is negative by more is wrong.
    const auto rod = [](const std::string& ixx) {
        return from("<link name='a'><inertial><mass value='0.5'/><inertia ixx='" + ixx + "' iyy='1' izz='1'/></inertial></link>");
    };
    EXPECT_THAT(told(rod("-5.4e-20")), HasSubstr("note: a moment of inertia of 'a' is negative by less than 1e-12 of its size"));
    EXPECT_THAT(rod("-5.4e-20").text.value_or(""), HasSubstr("inertia = [0, 1, 1]"));
    EXPECT_THAT(to_string(read(rod("-1e-3")).problems), HasSubstr("error: the moment of inertia Ixx of 'a' is negative"));
    // Names with dots, as a model writes them, stay.
    EXPECT_THAT(from(link("a") + link("b") + joint("wrist.x", "revolute", "a", "b")).text.value_or(""), HasSubstr("name = \"wrist.x\""));
}

TEST(Urdf, EveryTypeOfJointHasItsOwn) {
    const std::string axis = "<axis xyz='0 0 -2'/>";
    const Translation t =
        from(link("a") + link("b") + link("c") + link("d") + link("e") + link("f") + link("g") + joint("j1", "revolute", "a", "b", axis) +
             joint("j2", "continuous", "b", "c") + joint("j3", "prismatic", "c", "d", axis) + joint("j4", "fixed", "d", "e") +
             joint("j5", "floating", "a", "f") + joint("j6", "planar", "f", "g", "<axis xyz='0 1 0'/>"));
    const Subject r(t);
    ASSERT_TRUE(r.numbers);
    EXPECT_EQ(r.coordinates(), (std::vector<std::string>{"j1", "j2", "j3", "j5.x", "j5.y", "j5.z", "j5.e0", "j5.e1", "j5.e2", "j5.e3",
                                                         "j6.x", "j6.y", "j6.angle"}));
    EXPECT_THAT(*t.text, HasSubstr("axis = \"-z\""));
    EXPECT_THAT(*t.text, HasSubstr("axis = \"x\""));  // what URDF has without a word
    EXPECT_THAT(told(t), HasSubstr("the axis of the joint 'j1' has the length 2"));
}

TEST(Urdf, APlaneMayLieAnyWay) {
    const auto energy = [](const std::string& normal) {
        const Subject r(
            from(link("a") + link("b") + joint("j", "planar", "a", "b", "<origin rpy='0.3 0 0'/><axis xyz='" + normal + "'/>")));
        return r.numbers->dynamics(r.state(1)).M.trace();
    };
    EXPECT_NEAR(energy("0 0 1"), energy("0.6 0 0.8"), 1e-12);
    EXPECT_NEAR(energy("0 0 1"), energy("0 0 -1"), 1e-12);
}

TEST(Urdf, AnglesThatAreMultiplesOfPiAreExact) {
    const Translation t =
        from(link("a") + link("b") + joint("j", "revolute", "a", "b", "<origin rpy='1.57079632679 -0.0 -3.141592653589793'/>") + link("c") +
             joint("k", "revolute", "b", "c", "<origin rpy='1.5708 0 0'/>"));
    EXPECT_THAT(*t.text, HasSubstr("parent_axes = { rotate = [\"z\", \"x\"], by = [\"-pi\", \"pi/2\"] }"));
    EXPECT_THAT(*t.text, HasSubstr("by = [1.5708] }"));
}

TEST(Urdf, TheBaseFloatsWhenTold) {
    TranslateOptions floating;
    floating.base = Base::floating;
    const std::string text = bytes_of(path_of("quadruped.urdf"));
    const Subject fixed(translate(text, "q.urdf")), free(translate(text, "q.urdf", floating));
    EXPECT_EQ(fixed.equations.u.size(), 12U);
    EXPECT_EQ(free.equations.u.size(), 18U);
}

/// u of the free joint (ω and v in the trunk) from the rates of three slides and three turns z, y, x: the mass matrices are congruent, and so are the forces.
TEST(Urdf, AFloatingBaseIsOneOnSixJoints) {
    TranslateOptions floating;
    floating.base = Base::floating;
    const Subject free(translate_file(path_of("quadruped.urdf"), floating)), carried(translate_file(path_of("quadruped_carried.urdf")));
    ASSERT_TRUE(free.numbers && carried.numbers);
    numeric::State c = carried.state(2);
    const double rz = c.q[3], ry = c.q[4], rx = c.q[5];
    const Eigen::Quaterniond e = Eigen::AngleAxisd(rz, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(ry, Eigen::Vector3d::UnitY()) *
                                 Eigen::AngleAxisd(rx, Eigen::Vector3d::UnitX());
    const Eigen::Matrix3d R = e.toRotationMatrix();
    Eigen::MatrixXd J = Eigen::MatrixXd::Identity(18, 18);
    J.topLeftCorner<6, 6>().setZero();
    const Eigen::Matrix3d Rx = Eigen::AngleAxisd(rx, Eigen::Vector3d::UnitX()).toRotationMatrix(),
                          Ry = Eigen::AngleAxisd(ry, Eigen::Vector3d::UnitY()).toRotationMatrix();
    J.block<3, 1>(0, 3) = Rx.transpose() * Ry.transpose() * Eigen::Vector3d::UnitZ();
    J.block<3, 1>(0, 4) = Rx.transpose() * Eigen::Vector3d::UnitY();
    J.block<3, 1>(0, 5) = Eigen::Vector3d::UnitX();
    J.block<3, 3>(3, 0) = R.transpose();
    numeric::State f = free.numbers->zero_state();
    f.q.head<3>() = c.q.head<3>();
    f.q.segment<4>(3) << e.w(), e.x(), e.y(), e.z();
    f.q.tail(12) = c.q.tail(12);
    c.u.setZero();
    const numeric::Dynamics a = free.numbers->dynamics(f), b = carried.numbers->dynamics(c);
    EXPECT_LT((J.transpose() * a.M * J - b.M).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((J.transpose() * a.f - b.f).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Urdf, MimicsAreGearsAndConstraints) {
    const Translation t = translate_file(path_of("gripper.urdf"));
    const Subject r(t);
    ASSERT_TRUE(r.numbers);
    ASSERT_EQ(r.model->gears.size(), 3U);
    ASSERT_EQ(r.model->constraints.size(), 1U);
    EXPECT_THAT(*t.text, HasSubstr("holonomic = \"left_tip_joint - (-0.8*left_finger_joint + 0.1)\""));
    EXPECT_EQ(r.numbers->dynamics(r.state(1)).G.rows(), 4);
}

TEST(Urdf, AJointMayCloseALoop) {
    const Subject r(translate_file(path_of("parallel_gripper.urdf")));
    ASSERT_TRUE(r.numbers);
    EXPECT_EQ(r.equations.u.size(), 3U);
    EXPECT_GE(r.equations.constraints.size(), 2U);
}

TEST(Urdf, WhatHasNoMassIsHeld) {
    const Translation t =
        from(link("a") + "<link name='b'/>\n<link name='c'><inertial><mass value='0'/></inertial></link>\n" +
             joint("j", "revolute", "a", "b") + joint("k", "continuous", "b", "c") + link("d") + joint("l", "revolute", "a", "d"));
    EXPECT_THAT(told(t), HasSubstr("r.urdf:5:1: warning: link 'b' and what hangs on it have no mass: joint 'j' is held at 0"));
    const Subject r(t);
    EXPECT_EQ(r.coordinates(), std::vector<std::string>{"l"});
}

TEST(Urdf, NamesBecomeLegalAndStayApart) {
    const Translation t = from(link("ground") + link("left-arm/1") + link("left_arm_1") + joint("t", "revolute", "ground", "left-arm/1") +
                               joint("1 é", "revolute", "ground", "left_arm_1"));
    const Subject r(t);
    ASSERT_TRUE(r.model);
    EXPECT_EQ(r.model->bodies[1].name, "ground_2");
    EXPECT_EQ(r.model->bodies[2].name, "left_arm_1");
    EXPECT_EQ(r.model->bodies[3].name, "left_arm_1_2");
    EXPECT_EQ(r.coordinates(), (std::vector<std::string>{"t_", "_1__"}));
    EXPECT_THAT(*t.text, HasSubstr("# 'left-arm/1' is called left_arm_1 here"));
}

TEST(Urdf, WhatIsLeftOutIsCounted) {
    const Translation t = translate_file(path_of("arm7.urdf"));
    EXPECT_THAT(told(t), HasSubstr("note: left out: 7 joint friction, 2 <gazebo>"));
    EXPECT_THAT(*t.text, HasSubstr("actuator = \"tau_joint_3\""));
    EXPECT_THAT(*t.text, HasSubstr("# limits: from -2.9 to 2.9, speed up to 1.7, effort up to 120"));
    EXPECT_THAT(*t.text, HasSubstr("colour = \"#999999\""));
}

TEST(Urdf, MissingMeshesAreANote) {
    const Translation t = from("<link name='a'><visual><geometry><mesh filename='package://none/a.stl'/></geometry></visual></link>\n");
    EXPECT_TRUE(t.text);
    EXPECT_THAT(told(t), HasSubstr("1 mesh that is not found"));
}

TEST(Urdf, WorldIsTheGround) {
    const Translation t = from("<link name='world'/>\n" + link("a") + joint("j", "revolute", "world", "a"));
    EXPECT_THAT(*t.text, HasSubstr("parent = \"ground\""));
    EXPECT_THAT(*t.text, Not(HasSubstr("world")));
}

// --- what is wrong ---

TEST(Urdf, AllProblemsAreToldAtOnce) {
    const Translation t =
        from(link("a") + link("a") + joint("j", "revolut", "a", "b") + joint("k", "revolute", "a", "a", "<axis xyz='0 0 0'/>") +
             "<link/>\n<joint name='l' type='fixed'><parent link='a'/></joint>\n<link name='c'><inertial><mass "
             "value='nan'/></inertial></link>\n");
    EXPECT_FALSE(t.text);
    EXPECT_EQ(told(t),
              "r.urdf:3:7: error: the link 'a' is there already\n    hint: the first is in line 2; give this one another name\n"
              "r.urdf:4:17: error: unknown type of joint 'revolut'\n    hint: did you mean 'revolute'?\n"
              "r.urdf:4:57: error: there is no link 'b'\n    hint: every link that a joint names must be there\n"
              "r.urdf:5:1: error: the joint 'k' connects a link with itself\n    hint: name another <child>\n"
              "r.urdf:5:74: error: the axis of the joint 'k' has no direction\n    hint: write an axis that is not zero, as xyz=\"0 0 1\"\n"
              "r.urdf:6:1: error: <link> has no 'name'\n    hint: write <link name=\"…\">\n"
              "r.urdf:7:1: error: the joint 'l' has no <child>\n    hint: write <child link=\"…\"/> in it\n"
              "r.urdf:8:32: error: 'value' is not finite: 'nan'\n    hint: write a finite number\n");
}

TEST(Urdf, TwoRootsCirclesAndTwoParentsAreWrong) {
    EXPECT_THAT(told(from(link("a") + link("b") + link("c") + joint("j", "fixed", "a", "b"))),
                HasSubstr("r.urdf:4:1: error: the link 'c' is a second root: no joint holds it, nor 'a'"));
    EXPECT_THAT(told(from(link("r") + link("a") + link("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a"))),
                HasSubstr("links form a circle: a → b → a"));
    EXPECT_THAT(told(from(link("a") + link("b") + link("c") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "c") +
                          joint("l", "fixed", "a", "c"))),
                HasSubstr("the link 'c' is the child of two joints, 'k' and 'l'"));
}

TEST(Urdf, MimicsThatLeadNowhereAreWrong) {
    const std::string two = link("a") + link("b") + link("c");
    EXPECT_THAT(told(from(two + joint("j", "revolute", "a", "b", "<mimic joint='x'/>") + joint("k", "revolute", "a", "c"))),
                HasSubstr("mimics 'x', which is not there"));
    EXPECT_THAT(told(from(two + joint("j", "revolute", "a", "b", "<mimic joint='elbw'/>") + joint("elbow", "revolute", "a", "c"))),
                HasSubstr("hint: did you mean 'elbow'?"));
    EXPECT_THAT(
        told(from(two + joint("j", "revolute", "a", "b", "<mimic joint='k'/>") + joint("k", "revolute", "a", "c", "<mimic joint='j'/>"))),
        HasSubstr("in a circle"));
}

TEST(Urdf, XacroIsRefusedWithTheCommand) {
    EXPECT_THAT(
        told(from("<xacro:macro name='leg'/>")),
        HasSubstr(
            "r.urdf:2:1: error: this is a xacro file, a macro that makes a URDF\n    hint: expand it first: xacro r.urdf > robot.urdf"));
}

TEST(Urdf, ProblemsOfTheModelAreToldInTheRobotsFile) {
    const Translation t =
        from("<link name='a'/>\n<link name='b'>\n<inertial><mass value='-1'/></inertial></link>\n" + joint("j", "revolute", "a", "b"));
    const model::Reading reading = read(t);
    EXPECT_FALSE(reading.model);
    EXPECT_THAT(to_string(reading.problems), HasSubstr("r.urdf:3:1: error: the mass of 'b' is negative"));
}

TEST(Urdf, TruncatedAnywhereItIsRefusedOrRead) {
    const std::string whole = bytes_of(path_of("gripper.urdf"));
    for (std::size_t length = 0; length < whole.size(); length += 97) {
        const Translation t = translate(whole.substr(0, length), "g.urdf");
        EXPECT_FALSE(t.text);
        EXPECT_FALSE(t.problems.empty());
    }
}

TEST(Urdf, AHundredThousandLinksAreReadAndTold) {
    std::string text = link("l0");
    for (int i = 1; i <= 100'000; ++i)
        text += link("l" + std::to_string(i)) +
                joint("j" + std::to_string(i), "revolute", "l" + std::to_string(i - 1), "l" + std::to_string(i));
    const Translation t = from(text);  // a square law would take hours
    const model::Reading reading = read(t);
    EXPECT_FALSE(reading.model);
    EXPECT_THAT(to_string(reading.problems),
                HasSubstr("r.urdf:8002:1: error: too large: there are 100001 joints, and at most 4000 are read"));
}

}  // namespace
}  // namespace linkwright::exchange
