// Multiple scales on the page: formulas, curves, and points of the full equations over them.

#include "linkwright/report/perturbation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/report/page.hpp"
#include "linkwright/report/report.hpp"
#include "linkwright/session/perturb_curves.hpp"
#include "session/subject.hpp"

namespace linkwright::report {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

session::Session model(const std::string& name, std::vector<std::string> set = {}) {
    return test::opened(name + "/model.toml", {.set = std::move(set)});
}

Json section_of(const session::Session& session, const std::string& section) {
    ReportOptions o;
    o.only = {section};
    const auto page = report(session, o);
    EXPECT_TRUE(page) << to_string(page.problems);
    const auto contents = read_page(*page);
    return Json::parse(contents->report);
}

session::PerturbCurves curves_of(const session::Session& session, const session::CurvesOptions& options = {}) {
    const auto curves = session::perturb_curves(session, options);
    EXPECT_TRUE(curves) << to_string(curves.problems);
    return curves ? *curves : session::PerturbCurves{};
}

// ω = ω₀ (1 − a²/16 + …) of a pendulum with amplitude a; what follows is below a⁴/1000
TEST(SimulatedPoints, OfAPendulumLieOnItsBackbone) {
    const session::Session pendulum = test::pendulum({.set = {"c=0"}});
    const session::PerturbCurves curves = curves_of(pendulum);
    ASSERT_EQ(curves.backbones.size(), 1);
    const session::BackboneCurve& b = curves.backbones[0];
    EXPECT_NEAR(b.farthest, std::sqrt(1.6), 1e-6);  // a²/16 = 0.1, whose square is a hundredth
    ASSERT_EQ(b.simulated.points.size(), 6);
    EXPECT_TRUE(b.simulated.left_out.empty());
    const double w0 = std::sqrt(9.81 / 0.5);
    for (const perturb::SimulatedPoint& p : b.simulated.points) {
        const double a = p.size;
        EXPECT_GT(a, 0.2);
        EXPECT_NEAR(p.frequency / w0, 1 - a * a / 16, 1e-5 + std::pow(a, 4) / 1000) << a;
        EXPECT_LT(p.frequency / w0, 1 - a * a / 20) << a;
    }
}

// A linear oscillator has its response in closed form: x = F/√((k − mΩ²)² + c²Ω²)
TEST(SimulatedPoints, OfALinearOscillatorAreItsResponse) {
    const session::PerturbCurves curves = curves_of(model("duffing", {"alpha=0", "c=0.1"}));
    std::size_t count = 0;
    for (const session::ResponseCurve& r : curves.response) {
        EXPECT_TRUE(r.simulated.left_out.empty()) << r.simulated.left_out[0];
        for (const perturb::SimulatedPoint& p : r.simulated.points) {
            const double W = p.frequency, x = 0.005 / std::hypot(1 - W * W, 0.1 * W);
            EXPECT_NEAR(p.size / x, 1, 2e-3) << W;  // the largest of 64 rows
            EXPECT_TRUE(p.is_stable);
            ++count;
        }
    }
    EXPECT_GE(count, 12);
}

// Driven hard enough three motions go on at one frequency; the one between is unstable
TEST(SimulatedPoints, AreFoundOnUnstableBranches) {
    const session::PerturbCurves curves = curves_of(model("duffing", {"Omega=1.15", "F=0.02"}));
    bool has_unstable = false;
    std::size_t count = 0, alike = 0;
    for (const session::ResponseCurve& r : curves.response) {
        for (const perturb::SimulatedPoint& p : r.simulated.points) {
            double nearest = INFINITY;
            bool is_stable = true;
            for (const perturb::SteadyState& s : r.branch.states) {
                const double d = std::hypot(s.Omega - p.frequency, s.reach - p.size);
                if (d < nearest) nearest = d, is_stable = s.is_stable;
            }
            EXPECT_LT(nearest, 0.03 * std::max(p.size, 0.3)) << p.frequency;
            has_unstable = has_unstable || !p.is_stable;
            ++count, alike += is_stable == p.is_stable ? 1 : 0;
        }
    }
    EXPECT_TRUE(has_unstable);
    EXPECT_GE(count, 10);
    EXPECT_GE(alike + 1, count);  // at a fold either may be nearest
}

TEST(SimulatedPoints, StopAtTheirBudget) {
    session::CurvesOptions few;
    few.steps = 1;  // a thousand at least
    few.points = 40;
    const session::PerturbCurves curves = curves_of(test::pendulum({.set = {"c=0"}}), few);
    const session::SimulatedCurve& s = curves.backbones.at(0).simulated;
    EXPECT_GT(s.points.size(), 0);
    ASSERT_GT(s.left_out.size(), 0);
    EXPECT_EQ(s.left_out.back(), "the budget of steps is spent");
    EXPECT_EQ(s.points.size() + s.left_out.size(), 40);
}

TEST(Perturbation, IsTypesetWithNamesThatExplainThemselves) {
    const Json j = section_of(model("spring_pendulum"), "perturbation");
    const Json& p = j["perturbation"];
    std::string all;
    std::vector<std::string> titles;
    for (const Json& part : p["parts"]) {
        titles.push_back(part["title"]);
        for (const Json& block : part["blocks"]) all += block.value("latex", "");
    }
    EXPECT_THAT(titles, testing::IsSupersetOf({"Frequencies and modes", "Modulation of amplitudes and phases", "Approximate motion"}));
    std::size_t l = 0;
    while (j["symbols"][l]["name"] != "l") ++l;
    EXPECT_THAT(all, HasSubstr("\\htmlData{symbol=" + std::to_string(l) + "}{l}"));
    EXPECT_THAT(all, HasSubstr("\\begin{aligned}"));
    EXPECT_THAT(p["latex"], HasSubstr("\\begin{document}"));
    EXPECT_EQ(p["latex"].get<std::string>().find("htmlData"), std::string::npos);
    EXPECT_EQ(j["notes"][0]["text"], "mode 1 has no backbone curve: mode 1 does not move alone: mode 2 is dragged along by a resonance");
}

TEST(Perturbation, SaysWhereItDoesNotApply) {
    const Json j = section_of(model("rolling_disk"), "perturbation");
    EXPECT_TRUE(j["perturbation"].is_null());
    EXPECT_THAT(j["notes"][0]["text"], HasSubstr("multiple scales do not apply"));
}

// Gyroscopic moments soften backward whirl and stiffen forward whirl: of each pair the lower one goes backward
TEST(Analysis, TellsWhichWayRotorsWhirl) {
    const Json modes = section_of(model("overhung_rotor"), "analysis")["analysis"]["modes"];
    std::vector<std::string> whirl;
    for (const Json& m : modes) whirl.push_back(m["whirl"]);
    EXPECT_EQ(whirl, (std::vector<std::string>{"backward", "forward", "backward", "forward"}));
    // inner damping takes from the damping of forward whirl and adds to that of backward whirl [genta05]
    const Json jeffcott = section_of(model("jeffcott_rotor"), "analysis")["analysis"]["modes"];
    ASSERT_EQ(jeffcott.size(), 2);
    for (const Json& m : jeffcott) {
        const bool is_forward = m["whirl"] == "forward";
        EXPECT_TRUE(is_forward || m["whirl"] == "backward");
        EXPECT_EQ(m["damping"].get<double>() < 100.0 / (2 * std::sqrt(4e6)), is_forward);
    }
    for (const Json& m : section_of(model("triple_pendulum"), "analysis")["analysis"]["modes"]) EXPECT_EQ(m["whirl"], "");
}

TEST(Trust, MeasuresAMotionByItsTolerance) {
    const auto ok = [](double tolerance, const session::Session& session) {
        ReportOptions o;
        o.only = {"motion", "trust"};
        o.motion.rows = {.until = 5, .samples = 50};
        o.motion.tolerance = tolerance;
        const auto page = report(session, o);
        const Json j = Json::parse(read_page(*page)->report);
        bool all = true;
        for (const Json& c : j["trust"]["checks"]) all = all && c["ok"].get<bool>();
        return all;
    };
    EXPECT_TRUE(ok(1e-8, model("four_bar")));
    EXPECT_TRUE(ok(1e-4, model("double_pendulum")));
    EXPECT_TRUE(ok(1e-8, model("rotating_beam")));  // what drives it feeds in
}

/// "angular momentum about the origin along z" of each check of a momentum.
std::vector<std::string> kept_by(const session::Session& session) {
    ReportOptions o;
    o.only = {"motion", "trust"};
    o.motion.rows = {.until = 2, .samples = 50};
    const auto page = report(session, o);
    const Json j = Json::parse(read_page(*page)->report);
    std::vector<std::string> kept;
    for (const Json& c : j["trust"]["checks"]) {
        const std::string name = c["name"], text = c["text"];
        if (name.find("momentum") == std::string::npos) continue;
        kept.push_back(name + " " + text.substr(0, text.find(", where")));
        EXPECT_TRUE(c["ok"].get<bool>()) << text;
    }
    return kept;
}

TEST(Trust, HoldsAMotionAgainstTheMomentumThatItsEquationsKeep) {
    using List = std::vector<std::string>;
    EXPECT_EQ(kept_by(model("satellite_with_arms")),
              (List{"linear momentum along x, y, z", "angular momentum about the origin along x, y, z"}));
    EXPECT_EQ(kept_by(model("spinning_top")), List{"angular momentum about the origin along z"});  // its weight turns it about the others
    EXPECT_EQ(kept_by(model("four_bar")), List{});
    EXPECT_EQ(kept_by(model("delta_robot")), List{});  // it falls straight down, which is symmetric, and its base can hold a torque
}

TEST(Trust, TakesNoForceForALawThatHappensToBeZero) {
    constexpr const char* text = R"(format = 1
[inputs]
thrust = { value = 0, unit = "N" }
[[body]]
name = "hull"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "hull"
[[force]]
name = "jet"
on = "hull"
vector = ["thrust", 0, 0]
[initial]
fly.vx = 1
fly.vy = 2
fly.wz = 1
)";
    const auto session = session::open_text(text);
    ASSERT_TRUE(session) << to_string(session.problems);
    for (const std::string& one : kept_by(*session)) EXPECT_EQ(one.find("linear momentum along x"), std::string::npos) << one;
}

}  // namespace
}  // namespace linkwright::report
