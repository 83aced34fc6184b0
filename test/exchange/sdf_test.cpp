// What SDF files say, well and badly.

#include "linkwright/exchange/sdf.hpp"

#include <numbers>

#include "subject.hpp"

namespace linkwright::exchange {
namespace {

using testing::HasSubstr;

std::string mass(double m) {
    return "<inertial><pose>0 0 -0.2 0 0 0</pose><mass>" + std::to_string(m) +
           "</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz><ixy>0.001</ixy></inertia></inertial>";
}
std::string link(const std::string& name, const std::string& pose = "", double m = 1.5) {
    return "<link name='" + name + "'>" + pose + mass(m) + "</link>\n";
}
std::string model(const std::string& inside) { return "<sdf version='1.9'><model name='m'>\n" + inside + "</model></sdf>\n"; }
Translation from(const std::string& text, const TranslateOptions& options = {}) { return translate(text, "m.sdf", options); }
std::string told(const Translation& t) { return to_string(t.problems); }
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more) {
    return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child + "</child>" + more +
           "</joint>\n";
}

const std::string turn_y = "<axis><xyz>0 1 0</xyz></axis>";

/// One mechanism, whose poses are relative to the model, to links, to joints, to frames; turned in degrees and quaternions.
TEST(Sdf, PosesMayBeRelativeToAnything) {
    const Subject plain(
        from(model(link("a", "<pose>0 0 1 0 0 0</pose>") + link("b", "<pose>0.1 0 0.5 0 0 1.5707963267948966</pose>") +
                   joint("j", "revolute", "world", "a", turn_y) + joint("k", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz></axis>"))));
    const Subject related(from(model(
        link("a", "<pose relative_to='f'>0 0 0.4 0 0 0</pose>") + "<frame name='f'><pose>0 0 0.6 0 0 0</pose></frame>" +
        link("b", "<pose relative_to='k' degrees='true'>0 0 0 0 0 90</pose>") + joint("j", "revolute", "world", "a", turn_y) +
        joint("k", "revolute", "a", "b", "<pose relative_to='a'>0.1 0 -0.5 0 0 0</pose><axis><xyz expressed_in='a'>0 1 0</xyz></axis>"))));
    const Subject quaternion(
        from(model(link("a", "<pose>0 0 1 0 0 0</pose>") +
                   link("b", "<pose rotation_format='quat_xyzw'>0.1 0 0.5 0 0 0.7071067811865476 0.7071067811865476</pose>") +
                   joint("j", "revolute", "world", "a", turn_y) +
                   joint("k", "revolute", "a", "b", "<axis><xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"))));
    expect_same(plain, related);
    expect_same(plain, quaternion, 1e-9);
}

TEST(Sdf, NestedModelsAreOneMechanism) {
    const Translation nested =
        from(model(link("a", "<pose>0 0 1 0 0 0</pose>") + "<model name='hand'><pose>0.1 0 0.5 0 0 1.5707963267948966</pose>" + link("b") +
                   "</model>\n" + joint("j", "revolute", "world", "a", turn_y) +
                   joint("k", "revolute", "a", "hand::b", "<axis><xyz>1 0 0</xyz></axis>")));
    const Subject flat(
        from(model(link("a", "<pose>0 0 1 0 0 0</pose>") + link("b", "<pose>0.1 0 0.5 0 0 1.5707963267948966</pose>") +
                   joint("j", "revolute", "world", "a", turn_y) + joint("k", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz></axis>"))));
    const Subject r(nested);
    expect_same(flat, r);
    const Subject beside(from(model(link("a", "<pose relative_to='hand'>0 0.1 0.5 0 0 -1.5707963267948966</pose>") +
                                    "<model name='hand'><pose>0.1 0 0.5 0 0 1.5707963267948966</pose>" + link("b") + "</model>\n" +
                                    joint("j", "revolute", "world", "a", turn_y) +
                                    joint("k", "revolute", "a", "hand::b", "<axis><xyz>1 0 0</xyz></axis>"))));
    expect_same(flat, beside);  // a model's name is its frame's
    EXPECT_EQ(r.model->bodies[2].name, "hand.b");
}

TEST(Sdf, ModelsFloatUnlessTheyAreHeld) {
    EXPECT_EQ(Subject(from(model(link("a") + joint("j", "revolute", "a", "world", turn_y)))).equations.u.size(), 1U);
    EXPECT_EQ(Subject(from(model(link("a")))).equations.u.size(), 6U);
    TranslateOptions fixed;
    fixed.base = Base::fixed;
    EXPECT_EQ(Subject(from(model(link("a") + link("b") + joint("j", "revolute", "a", "b", turn_y)), fixed)).equations.u.size(), 1U);
    EXPECT_EQ(
        Subject(from(model("<static>true</static>" + link("a") + link("b") + joint("j", "revolute", "a", "b", turn_y)))).equations.u.size(),
        1U);
}

TEST(Sdf, EveryTypeOfJointHasItsOwn) {
    const Translation t = from(
        model(link("a") + link("b") + link("c") + link("d") + link("e") +
              joint("s", "screw", "world", "a", "<screw_thread_pitch>0.5</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis>") +
              joint("u", "universal", "a", "b", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>") +
              joint("o", "ball", "b", "c", "") +
              joint("p", "prismatic", "c", "d",
                    "<axis><xyz>0 0 1</xyz><dynamics><damping>2</damping><spring_stiffness>30</spring_stiffness>"
                    "<spring_reference>0.1</spring_reference></dynamics><limit><lower>-1e16</lower><upper>inf</upper></limit></axis>") +
              joint("f", "fixed", "d", "e", "")));
    const Subject r(t);
    ASSERT_TRUE(r.numbers);
    EXPECT_EQ(r.coordinates(), (std::vector<std::string>{"s", "u.1", "u.2", "o.e0", "o.e1", "o.e2", "o.e3", "p"}));
    EXPECT_NEAR(r.model->joints[0].pitch.number().to_double(), 0.5 / (2 * std::numbers::pi), 1e-15);
    EXPECT_THAT(*t.text, HasSubstr("stiffness = 30\nrest = 0.1\ndamping = 2\n"));
}

TEST(Sdf, AnOlderThreadIsInRadiansAMetre) {
    const Subject r(
        from(model(link("a") + joint("s", "screw", "world", "a", "<thread_pitch>-4</thread_pitch><axis><xyz>0 0 1</xyz></axis>"))));
    EXPECT_EQ(r.model->joints[0].pitch.number().to_double(), 0.25);
}

TEST(Sdf, AGearboxIsAGear) {
    const Subject r(from(
        model(link("base") + link("a") + link("b") + joint("hold", "fixed", "world", "base", "") +
              joint("j", "revolute", "base", "a", turn_y) + joint("k", "revolute", "base", "b", turn_y) +
              joint("box", "gearbox", "a", "b", "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>"))));
    ASSERT_EQ(r.model->gears.size(), 1U);
    EXPECT_EQ(r.model->gears[0].drive.symbol().name, "k");
    EXPECT_EQ(r.model->gears[0].ratio.number().to_double(), -3);
}

TEST(Sdf, GravityIsThatOfTheWorld) {
    const Translation t = from("<sdf version='1.7'><world name='w'><gravity>0 0 -1.62</gravity><light/><model name='m'>" + link("a") +
                               "</model></world></sdf>");
    EXPECT_THAT(*t.text, HasSubstr("value = 1.62"));
    EXPECT_THAT(told(t), HasSubstr("left out: 1 <light>"));
    EXPECT_THAT(*from(model(link("a"))).text, HasSubstr("value = 9.8,"));
}

TEST(Sdf, WhatIsWrongHasAPlace) {
    EXPECT_THAT(told(from(model(link("a", "<pose relative_to='x'>0 0 0 0 0 0</pose>")))),
                HasSubstr("m.sdf:2:22: error: there is no frame 'x' in this model"));
    EXPECT_THAT(
        told(from(model(link("a", "<pose relative_to='b'>0 0 0 0 0 0</pose>") + link("b", "<pose relative_to='a'>0 0 0 0 0 0</pose>")))),
        HasSubstr("in a circle"));
    EXPECT_THAT(told(from(model(link("a") + joint("j", "revolt", "world", "z", "")))), HasSubstr("unknown type of joint 'revolt'"));
    EXPECT_THAT(told(from(model(link("a") + joint("j", "revolute", "world", "z", "")))), HasSubstr("there is no link 'z' in this model"));
    EXPECT_THAT(told(from(model("<include><uri>model://x</uri></include>"))), HasSubstr("gz sdf -p m.sdf"));
    EXPECT_THAT(told(from(model(link("a", "<pose>0 0 nan 0 0 0</pose>")))), HasSubstr("not finite"));
    EXPECT_THAT(told(from(model(link("a") + link("a")))), HasSubstr("is there already"));
    EXPECT_THAT(told(from("<sdf version='1.9'/>")), HasSubstr("there is no <model>"));
}

}  // namespace
}  // namespace linkwright::exchange
