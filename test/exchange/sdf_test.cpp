// What SDF files say, well and badly.

#include "linkwright/exchange/sdf.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
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

// Before 1.5 axes are those of the model, before 1.6 gravity stands in <physics>, before 1.7 poses are relative to a `frame`.
TEST(Sdf, OlderVersionsMeanWhatTheyMeant) {
    const auto world = [](const std::string& version, const std::string& gravity, const std::string& pose, const std::string& axis) {
        return "<sdf version='" + version + "'><world name='w'>" + gravity + "<model name='m'>" + link("a", "<pose>0 0 1 0 0 0</pose>") +
               link("b", pose) + joint("j", "revolute", "world", "a", turn_y) + joint("k", "revolute", "a", "b", axis) +
               "</model></world></sdf>";
    };
    const std::string turned = "<pose>0.1 0 1.5 0 0 1.5707963267948966</pose>", along_y = "<axis><xyz>0 1 0</xyz></axis>";
    const Subject now(from(world("1.7", "<gravity>0 0 -3</gravity>", turned, "<axis><xyz expressed_in='__model__'>0 1 0</xyz></axis>")));
    expect_same(now, Subject(from(world("1.4", "<physics><gravity>0 0 -3</gravity></physics>", turned, along_y))));
    expect_same(now, Subject(from(world("1.6", "<gravity>0 0 -3</gravity>", "<pose frame='a'>0.1 0 0.5 0 0 1.5707963267948966</pose>",
                                        "<axis><xyz>1 0 0</xyz></axis>"))));
}

TEST(Sdf, AJointMayHaveTheNameOfALink) {
    const auto named = [](const std::string& name, const std::string& version) {
        std::string text = model(link("a", "<pose>0 0 1 0 0 0</pose>") + joint(name, "revolute", "a", "b", turn_y) +
                                 link("b", "<pose>0.1 0 1.5 0 0 0</pose>") + joint("w", "fixed", "world", "a", ""));
        return from(text.replace(text.find("1.9"), 3, version));
    };
    const Translation old = named("b", "1.6"), now = named("b", "1.7");
    EXPECT_THAT(told(old), testing::Not(HasSubstr("warning")));
    EXPECT_THAT(told(now), HasSubstr("warning: a link has the name of the joint 'b', too"));
    expect_same(Subject(named("k", "1.7")), Subject(old));
}

TEST(Sdf, WhatIsWrongHasAPlace) {
    EXPECT_THAT(told(from(model(link("a", "<pose relative_to='x'>0 0 0 0 0 0</pose>")))),
                HasSubstr("m.sdf:2:22: error: there is no frame 'x' in this model"));
    EXPECT_THAT(
        told(from(model(link("a", "<pose relative_to='b'>0 0 0 0 0 0</pose>") + link("b", "<pose relative_to='a'>0 0 0 0 0 0</pose>")))),
        HasSubstr("in a circle"));
    EXPECT_THAT(told(from(model(link("a") + joint("j", "revolt", "world", "z", "")))), HasSubstr("unknown type of joint 'revolt'"));
    EXPECT_THAT(told(from(model(link("a") + joint("j", "revolute", "world", "z", "")))), HasSubstr("there is no link 'z' in this model"));
    EXPECT_THAT(told(from(model("<include><uri>model://no_such_model</uri></include>"))),
                HasSubstr("there is no model 'model://no_such_model'"));
    EXPECT_THAT(told(from(model(link("a", "<pose>0 0 nan 0 0 0</pose>")))), HasSubstr("not finite"));
    EXPECT_THAT(told(from(model(link("a") + link("a")))), HasSubstr("is there already"));
    EXPECT_THAT(told(from("<sdf version='1.9'/>")), HasSubstr("there is no <model>"));
}

// --- other files ---

namespace fs = std::filesystem;

/// A folder of files that is gone afterwards.
class SdfInclude : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() /
                 ("linkwright_sdf_" + std::to_string(::getpid()) + "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder);
        fs::create_directories(folder / "world");
    }
    void TearDown() override { fs::remove_all(folder); }
    void put(const std::string& name, const std::string& text) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    }
    Translation read(const std::string& text, const TranslateOptions& options = {}) {
        put("world/m.sdf", text);
        return translate_file(folder / "world" / "m.sdf", options);
    }

    fs::path folder;
    const std::string arm = "<sdf version='1.9'><model name='arm'><pose>9 9 9 0 0 0</pose>\n" + link("b", "<pose>0.2 0 0 0 0 0</pose>") +
                            link("c", "<pose relative_to='b'>0 0.3 0 0.1 0 0</pose>") + joint("e", "revolute", "b", "c", turn_y) +
                            "</model></sdf>\n";
    const std::string hand_at = "<pose>0.1 0 0.5 0 0 1.5707963267948966</pose>";
};

std::string world_of(const std::string& inside) { return "<sdf version='1.9'><world name='w'>\n" + inside + "</world></sdf>\n"; }

TEST_F(SdfInclude, AModelOfAnotherFileIsTheSameMechanism) {
    put("world/arm/model.sdf", arm);
    const std::string base = link("a", "<pose>0 0 1 0 0 0</pose>") + joint("j", "revolute", "world", "a", turn_y) +
                             joint("k", "revolute", "a", "hand::b", "<axis><xyz>1 0 0</xyz></axis>");
    const Subject flat(from(model(link("a", "<pose>0 0 1 0 0 0</pose>") + "<model name='hand'>" + hand_at +
                                  link("b", "<pose>0.2 0 0 0 0 0</pose>") + link("c", "<pose relative_to='b'>0 0.3 0 0.1 0 0</pose>") +
                                  joint("e", "revolute", "b", "c", turn_y) + "</model>\n" + joint("j", "revolute", "world", "a", turn_y) +
                                  joint("k", "revolute", "a", "hand::b", "<axis><xyz>1 0 0</xyz></axis>"))));
    for (const std::string uri : {"arm", "arm/model.sdf", "model://arm", "model://arm/model.sdf"}) {
        const Translation t = read(model("<include><uri>" + uri + "</uri><name>hand</name>" + hand_at + "</include>\n" + base));
        ASSERT_TRUE(t.text) << told(t);
        const Subject included(t);
        expect_same(flat, included);
        EXPECT_EQ(included.model->bodies.back().name, "hand.c");
    }
}

TEST_F(SdfInclude, ThePoseIsThatOfThePlacementFrame) {
    put("world/arm.sdf", arm);
    // c has the pose of the include; so the model is where c would otherwise be by the inverse of its own place.
    const Subject placed(
        read(world_of("<include><uri>arm.sdf</uri><placement_frame>c</placement_frame><pose>0 0 2 0 0 0</pose></include>")));
    const Subject by_hand(from("<sdf version='1.9'><model name='arm'>\n" +
                               link("b", "<pose relative_to='c'>0 -0.29850124958340776 0.029950024994048415 -0.1 0 0</pose>") +
                               link("c", "<pose>0 0 2 0 0 0</pose>") + joint("e", "revolute", "b", "c", turn_y) + "</model></sdf>\n"));
    ASSERT_TRUE(placed.numbers);
    expect_same(by_hand, placed, 1e-12);
    const Subject attribute(from("<sdf version='1.9'><model name='arm' placement_frame='c'><pose>0 0 2 0 0 0</pose>\n" +
                                 link("b", "<pose>0.2 0 0 0 0 0</pose>") + link("c", "<pose relative_to='b'>0 0.3 0 0.1 0 0</pose>") +
                                 joint("e", "revolute", "b", "c", turn_y) + "</model></sdf>\n"));
    expect_same(by_hand, attribute, 1e-12);
    EXPECT_THAT(told(read(world_of("<include><uri>arm.sdf</uri><placement_frame>c</placement_frame></include>"))),
                HasSubstr("there is no <pose>"));
    EXPECT_THAT(told(read(world_of("<include><uri>arm.sdf</uri><pose/><placement_frame>d</placement_frame></include>"))),
                HasSubstr("m.sdf:2:"));
}

TEST_F(SdfInclude, TheSameFileTwiceIsTwoModels) {
    put("world/arm.sdf", arm);
    const Translation t =
        read(world_of("<include><uri>arm.sdf</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>\n"
                      "<include><uri>arm.sdf</uri><name>right</name><static>true</static></include>\n"
                      "<frame name='table'><pose>0 0 1 0 0 0</pose></frame>\n"
                      "<include><uri>arm.sdf</uri><name>third</name><pose relative_to='table'>0 0 1 0 0 0</pose></include>\n"
                      "<joint name='hold' type='fixed'><parent>table</parent><child>third::b</child></joint>\n"));
    ASSERT_TRUE(t.text) << told(t);
    EXPECT_EQ(Subject(t).equations.u.size(), 6U + 3);  // one floats, one stands, one is held by a joint of the world
    EXPECT_THAT(told(read(world_of("<include><uri>arm.sdf</uri></include><include><uri>arm.sdf</uri></include>"))),
                HasSubstr("the name 'arm' is there already"));
}

TEST_F(SdfInclude, MergedNamesAreThoseOfTheModelAround) {
    put("world/arm.sdf", arm);
    const Translation t = read(model("<include merge='true'><uri>arm.sdf</uri>" + hand_at + "</include>\n" +
                                     joint("k", "revolute", "world", "b", "<axis><xyz>1 0 0</xyz></axis>")));
    ASSERT_TRUE(t.text) << told(t);
    const Subject merged(t);
    const Subject nested(read(model("<include><uri>arm.sdf</uri>" + hand_at + "</include>\n" +
                                    joint("k", "revolute", "world", "arm::b", "<axis><xyz>1 0 0</xyz></axis>"))));
    expect_same(nested, merged);
    EXPECT_EQ(merged.model->bodies[1].name, "b");
}

TEST_F(SdfInclude, TheManifestSaysWhichFileIsMeant) {
    put("world/arm/model.config",
        "<model><sdf version='1.9'>new.sdf</sdf><sdf version='1.10'>newest.sdf</sdf><sdf version='1.4'>old.sdf</sdf></model>");
    put("world/arm/newest.sdf", arm);
    const Translation t = read(world_of("<include><uri>model://arm</uri></include>"));
    EXPECT_TRUE(t.text) << told(t);
}

TEST_F(SdfInclude, WhatLiesOutsideIsRefusedUnlessAsked) {
    put("models/arm/model.sdf", arm);
    put("world/near/other.sdf", "<sdf version='1.9'><model name='x'><include><uri>../../models/arm</uri></include></model></sdf>");
    const std::string text = world_of("<include><uri>../models/arm</uri></include>");
    EXPECT_THAT(told(read(text)), HasSubstr("m.sdf:2:10: error: the included model '../models/arm' lies outside of the file's folder"));
    EXPECT_THAT(told(read(world_of("<include><uri>near/other.sdf</uri></include>"))), HasSubstr("lies outside"));
    EXPECT_TRUE(read(text, {.outside = true}).text);
    EXPECT_TRUE(read(text, {.models = {folder / "models"}}).text);
    const std::string by_name = world_of("<include><uri>model://arm</uri></include>");
    EXPECT_THAT(told(read(by_name)), HasSubstr("there is no model 'model://arm'"));
    EXPECT_TRUE(read(by_name, {.models = {folder / "models"}}).text);
    fs::create_directory_symlink(folder / "models", folder / "world" / "way_out");
    EXPECT_THAT(told(read(world_of("<include><uri>way_out/arm</uri></include>"))), HasSubstr("lies outside"));
    EXPECT_THAT(told(read(world_of("<include><uri>https://example.org/arm</uri></include>"))), HasSubstr("nothing is fetched"));
}

TEST_F(SdfInclude, CirclesAndAvalanchesAreTold) {
    put("world/a.sdf", "<sdf version='1.9'><model name='a'><include><uri>b.sdf</uri></include></model></sdf>");
    put("world/b.sdf", "<sdf version='1.9'><model name='b'>" + link("l") + "<include><uri>a.sdf</uri></include></model></sdf>");
    EXPECT_THAT(told(read(world_of("<include><uri>a.sdf</uri></include>"))), HasSubstr("b.sdf:2:"));
    EXPECT_THAT(told(read(world_of("<include><uri>m.sdf</uri></include>"))), HasSubstr("includes itself"));
    std::string twenty;
    for (int i = 0; i < 20; ++i) twenty += "<include><uri>NEXT</uri><name>n" + std::to_string(i) + "</name></include>";
    for (int i = 0; i < 10; ++i) {  // 20^10 links
        std::string text = twenty;
        for (std::size_t at; (at = text.find("NEXT")) != std::string::npos;) text.replace(at, 4, "level" + std::to_string(i + 1) + ".sdf");
        put("world/level" + std::to_string(i) + ".sdf", "<sdf version='1.9'><model name='m'>" + link("l") + text + "</model></sdf>");
    }
    put("world/level10.sdf", "<sdf version='1.9'><model name='m'>" + link("l") + "</model></sdf>");
    EXPECT_THAT(told(read(world_of("<include><uri>level0.sdf</uri></include>"))), HasSubstr("more than 50000 links"));
}

TEST_F(SdfInclude, WhatCannotBeIncludedHasAPlace) {
    put("world/robot.urdf", "<robot name='r'><link name='l'/></robot>");
    put("world/two.sdf", "<sdf version='1.9'><model name='x'/><model name='y'/></sdf>");
    put("world/broken.sdf", "<sdf version='1.9'><model name='x'>");
    fs::create_directories(folder / "world" / "empty");
    EXPECT_THAT(told(read(world_of("<include/>"))), HasSubstr("m.sdf:2:1: error: <include> has no <uri>"));
    EXPECT_THAT(told(read(world_of("<include><uri>robot.urdf</uri></include>"))), HasSubstr("is <robot>, not <sdf>"));
    EXPECT_THAT(told(read(world_of("<include><uri>two.sdf</uri></include>"))), HasSubstr("has 2 models"));
    EXPECT_THAT(told(read(world_of("<include><uri>empty</uri></include>"))), HasSubstr("there is no file"));
    EXPECT_THAT(told(read(world_of("<include><uri>broken.sdf</uri></include>"))), HasSubstr("broken.sdf:1:"));
    EXPECT_THAT(told(read(world_of("<include><uri>none.sdf</uri></include>"))), HasSubstr("there is no model 'none.sdf'"));
}

}  // namespace
}  // namespace linkwright::exchange
