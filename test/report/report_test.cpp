// Pages: what is in them, what cannot get out of them, and what verify finds.

#include "linkwright/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "linkwright/report/page.hpp"
#include "linkwright/session/simulate.hpp"
#include "session/subject.hpp"

namespace linkwright::report {
namespace {

using session::Status;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Json report_in(const std::string& html) {
    const auto page = read_page(html);
    EXPECT_TRUE(page);
    return page ? Json::parse(page->report) : Json();
}

session::Session model(const std::string& name, const session::OpenOptions& how = {}) { return test::opened(name + "/model.toml", how); }

std::string page_of(const session::Session& session, const ReportOptions& options = {}) {
    const auto page = report(session, options);
    EXPECT_TRUE(page) << to_string(page.problems);
    return page ? *page : "";
}

ReportOptions only(std::vector<std::string> sections) {
    ReportOptions o;
    o.only = std::move(sections);
    o.motion.rows = {.until = 1, .samples = 10};
    return o;
}

TEST(Report, HasWhatWasAskedFor) {
    const Json j = report_in(page_of(model("four_bar"), only({"motion", "analysis"})));
    EXPECT_EQ(j["format"], "linkwright-report");
    EXPECT_EQ(j["version"], 1);
    EXPECT_EQ(j["sections"], (Json{"motion", "analysis"}));
    EXPECT_EQ(j["motions"].size(), 1);
    EXPECT_EQ(j["motions"][0]["rows"], 11);
    EXPECT_TRUE(j["equations"].is_null());
    EXPECT_FALSE(j["analysis"]["modes"].empty());
    EXPECT_EQ(j["scene"]["bodies"].size(), 4);
    EXPECT_EQ(j["scene"]["joints"][3]["cut"], true);
}

TEST(Report, SaysWhatIsWrong) {
    EXPECT_EQ(test::first_error(report(model("four_bar"), only({"motoin"}))), "--only: no section 'motoin'");
    ReportOptions live = only({"mechanism"});
    live.live = {"aa"};
    EXPECT_EQ(test::first_error(report(model("four_bar"), live)), "--live: unknown parameter 'aa'");
}

TEST(Report, GeometryFollowsLiveParameters) {
    ReportOptions o = only({"mechanism"});
    o.live = {"a"};
    const Json j = report_in(page_of(model("four_bar"), o));
    EXPECT_THAT(j["scene"]["geometry"], Contains(Json({"joints", 1, "parent_at", 0})));  // the crank's end
    for (const Json& p : j["parameters"]) {
        if (p["name"] == "a") {
            EXPECT_EQ(p["live"], true);
            EXPECT_EQ(p["min"], 0.05);
            EXPECT_EQ(p["max"], 0.2);
        }
    }
}

TEST(Report, KnowsSpringsOfJointsLoadsAndReactions) {
    const Json satellite = report_in(page_of(model("satellite_with_arms"), only({"mechanism"})))["scene"];
    std::size_t springs = 0, loads = 0;
    for (const Json& joint : satellite["joints"]) springs += joint["springs"].size(), loads += joint["loads"].get<std::size_t>();
    EXPECT_EQ(springs, 8);  // a root and a middle hinge on each of four sides
    EXPECT_EQ(satellite["loads"], Json(std::vector<bool>(loads, true)));
    const Json pendulum = report_in(page_of(model("triple_pendulum"), only({"mechanism"})))["scene"];
    EXPECT_THAT(pendulum["joints"][0]["springs"], testing::IsEmpty());  // its stiffness is 0 here
    EXPECT_EQ(pendulum["reactions"][0]["joint"], pendulum["joints"][0]["name"]);
}

TEST(Report, BeamsHaveTheirMass) {
    const Json scene = report_in(page_of(model("baruh_four_bar_b"), only({"mechanism"})))["scene"];
    EXPECT_NEAR(scene["bodies"][1]["mass"].get<double>(), 7830 * 0.01 * 0.008, 1e-9);  // ρ A L
    EXPECT_NEAR(scene["bodies"][1]["com"][0].get<double>(), 0.5, 1e-9);
}

TEST(Report, TellsHowThePageMovesTheModel) {
    const Json arm = report_in(page_of(model("motor_driven_arm"), only({"mechanism"})))["live"];
    EXPECT_EQ(arm["why_not"], "");
    ASSERT_EQ(arm["sampling"].size(), 2);
    EXPECT_EQ(arm["sampling"][0]["name"], "pd1");
    EXPECT_EQ(arm["sampling"][0]["method"], "hold");
    EXPECT_EQ(arm["sampling"][0]["x"], Json({2}));  // after two speeds
    EXPECT_EQ(arm["steady"].size(), 4);             // two filters, two currents
    ReportOptions stopped = only({"mechanism"});
    stopped.motion.stop = {"crank - 1"};
    EXPECT_THAT(report_in(page_of(model("four_bar"), stopped))["live"]["why_not"].get<std::string>(), HasSubstr("--stop ends the motion"));
}

TEST(Report, ComparesMotions) {
    ReportOptions o = only({"motion"});
    o.versus = {"a=0.12, c=0.3"};
    const Json j = report_in(page_of(model("four_bar"), o));
    ASSERT_EQ(j["motions"].size(), 2);
    EXPECT_EQ(j["motions"][1]["parameters"], (Json{{{"name", "a"}, {"value", 0.12}}, {{"name", "c"}, {"value", 0.3}}}));
    EXPECT_NE(j["motions"][0]["data"], j["motions"][1]["data"]);
}

constexpr std::string_view hostile = R"(format = 1
name = "</script><script>alert(1)</script>"
gravity = [0, "-g", 0]
[parameters]
g = { value = 9.81, about = "<img src=x onerror=alert(2)> $\\input{/etc/passwd}$" }
[[body]]
name = "rod"
mass = 1
com = [0, -1, 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "rod"
[initial]
hip = 1
)";

TEST(Report, NoNameEndsItsElement) {
    const auto session = open_text(hostile, "</script>.toml");
    ASSERT_TRUE(session) << to_string(session.problems);
    const std::string html = page_of(*session, only({"motion", "equations"})),
                      plain = page_of(model("single_pendulum"), only({"motion", "equations"}));
    const auto scripts = [](const std::string& s) {
        std::size_t n = 0;
        for (std::size_t at = s.find("</script"); at != s.npos; at = s.find("</script", at + 1)) ++n;
        return n;
    };
    EXPECT_EQ(scripts(html), scripts(plain));
    EXPECT_EQ(report_in(html)["title"], "</script><script>alert(1)</script>");
}

TEST(Report, OfAMechanismWithoutMotionSaysSo) {
    const auto session = open_text(
        "format = 1\nname = \"Rock\"\n[[body]]\nname = \"rock\"\nmass = 1\n[[joint]]\nname = \"lies\"\ntype = \"weld\"\nparent = "
        "\"ground\"\nchild = \"rock\"\n");
    ASSERT_TRUE(session) << to_string(session.problems);
    const Json j = report_in(page_of(*session));
    EXPECT_EQ(j["scene"]["bodies"].size(), 2);
}

TEST(Report, LongMotionsAreThinnedAndSaidSo) {
    ReportOptions o = only({"motion"});
    o.motion.rows = {.until = 1, .samples = 5000};
    const Json j = report_in(page_of(model("single_pendulum"), o));
    EXPECT_LE(j["motions"][0]["rows"].get<int>(), 2001);
    EXPECT_EQ(j["notes"][0]["text"], "of 5001 rows every 3rd is in the page");
}

TEST(Verify, FindsWhatWasChanged) {
    const std::string html = page_of(model("four_bar"), only({"equations", "trust"}));
    const auto right = verify(html);
    ASSERT_TRUE(right) << to_string(right.problems);
    EXPECT_EQ(right.status, Status::done);
    EXPECT_TRUE(right->is_right());

    std::string other = html;  // another number in the code
    const std::size_t code = other.find("linkwright-code"), sine = other.find("Math.sin", code);
    ASSERT_NE(sine, other.npos);
    other.replace(sine, 8, "Math.cos");
    const auto wrong = verify(other);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong.status, Status::numerical_failure);
    EXPECT_FALSE(wrong->lines[2].is_same());
    EXPECT_TRUE(wrong->lines[3].is_same());

    std::string longer = html;  // another model
    const std::size_t text = longer.find("value = 0.35", longer.find("linkwright-report"));
    ASSERT_NE(text, longer.npos);
    longer.replace(text, 12, "value = 0.36");
    const auto changed = verify(longer);
    ASSERT_TRUE(changed);
    EXPECT_FALSE(changed->lines[0].is_same());
}

// whatever was asked of the session before, the page is the same
TEST(Verify, DoesNotDependOnWhatWasDerivedBefore) {
    const session::Session used = model("four_bar");
    ASSERT_TRUE(used.equations("recursive"));
    ASSERT_TRUE(session::simulate(used, only({}).motion));
    page_of(used, only({"equations", "analysis"}));
    const auto again = verify(page_of(used, only({"trust"})));
    ASSERT_TRUE(again) << to_string(again.problems);
    EXPECT_TRUE(again->is_right());
}

TEST(Verify, RefusesOtherFiles) {
    EXPECT_EQ(test::first_error(verify("<html></html>")), "this is no page of linkwright report");
    EXPECT_EQ(test::first_error(verify("")), "this is no page of linkwright report");
}

}  // namespace
}  // namespace linkwright::report
