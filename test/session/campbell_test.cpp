// Campbell diagrams in the words of a session.

#include <cmath>

#include "linkwright/linkwright.hpp"
#include "session/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::session {
namespace {

using test::first_error;

Session example(const std::string& path) {
    auto session = open(project_root() + "/" + path);
    if (!session) throw std::runtime_error(to_string(session.problems));
    return *session;
}

TEST(Campbell, TellsCriticalSpeeds) {
    const Session rotor = example("models/overhung_rotor/model.toml");
    const auto r = sweep(rotor, {.along = "Omega=0:1500:10", .operating = {.at = linear::Operating::At::initial}, .orders = {1}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_THAT(to_csv(*r), testing::StartsWith("Omega,f1_hz,damping1,whirl1,f2_hz"));
    const Json j = to_json(*r);
    ASSERT_EQ(j["campbell"]["critical_speeds"].size(), 3U);
    EXPECT_NEAR(j["campbell"]["critical_speeds"][1]["value"].get<double>(), 119.884757319, 1e-6);
    EXPECT_EQ(j["campbell"]["critical_speeds"][1]["whirl"], "forward");
    const auto wrong = sweep(rotor, {.along = "m=1:2:3", .operating = {.at = linear::Operating::At::initial}, .orders = {1}});
    EXPECT_EQ(first_error(wrong), "--campbell: 'm' is not a speed of rotation, its unit is kg");
}

TEST(Campbell, SpeedsAreInTheParametersOwnUnit) {
    std::ifstream file(test::model_path("overhung_rotor/model.toml"));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::string unit = "unit = \"rad/s\"";
    text.replace(text.find(unit), unit.size(), "unit = \"rpm\"");
    const auto rotor = open_text(text);
    ASSERT_TRUE(rotor) << to_string(rotor.problems);
    const auto r = sweep(*rotor, {.along = "Omega=0:3000:5", .operating = {.at = linear::Operating::At::initial}, .orders = {1}});
    ASSERT_TRUE(r) << to_string(r.problems);
    ASSERT_EQ(r->sweep.critical.size(), 2U);
    EXPECT_NEAR(r->sweep.critical[1].value, 119.884757319 * 30 / 3.14159265358979, 1e-5);
}

/// (k₁ + k₂ − J₁ω² + Hω)(k₂ − J₂ω² − Hω) = k₂², H = J_p Ω; ω > 0 turns as the inner rotor does. Over the size of its terms.
struct ContraRotating {
    double J1 = 0.2, J2 = 0.16, Jp = 0.3, k1 = 9000, k2 = 2500;
    double operator()(double w, double Omega) const {
        const double H = Jp * Omega;
        return ((k1 + k2 - J1 * w * w + H * w) * (k2 - J2 * w * w - H * w) - k2 * k2) /
               ((k1 + k2 + J1 * w * w + H * std::abs(w)) * (k2 + J2 * w * w + H * std::abs(w)) + k2 * k2);
    }
    /// Of the two rotors the one with more kinetic energy.
    bool lives_on_inner(double w, double Omega) const {
        const double ratio = k2 / (k2 - J2 * w * w - Jp * Omega * w);  // of the tilts, outer to inner
        return J1 > J2 * ratio * ratio;
    }
};

TEST(Campbell, RotorsThatSpinOppositeWaysTellEachItsOwnModes) {
    const ContraRotating rotors;
    const auto r = sweep(example("test/session/contra_rotating.toml"),
                         {.along = "Omega=0:400:8", .operating = {.at = linear::Operating::At::initial}, .orders = {1}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const linear::Sweep& s = r->sweep;
    int of_inner = 0, of_outer = 0;
    for (const linear::SweepSample& sample : s.samples) {
        for (std::size_t b = 0; b < s.branches; ++b) {
            const double f = sample.poles[b]->imag();
            if (f <= 0) continue;
            if (sample.value == 0) {
                EXPECT_EQ(sample.whirl[b], linear::Whirl::none);
                continue;
            }
            const double w = std::abs(rotors(f, sample.value)) < std::abs(rotors(-f, sample.value)) ? f : -f;
            EXPECT_NEAR(rotors(w, sample.value), 0, 1e-10) << sample.value << " " << w;
            const bool is_inner = rotors.lives_on_inner(w, sample.value);
            (is_inner ? of_inner : of_outer) += 1;
            EXPECT_EQ(sample.whirl[b], (w > 0) == is_inner ? linear::Whirl::forward : linear::Whirl::backward) << sample.value << " " << w;
        }
    }
    EXPECT_GT(of_inner, 8);
    EXPECT_GT(of_outer, 8);
}

// The disk itself turns, as given, instead of a wheel in it: the same rotor.
TEST(Campbell, OfADiskThatTurnsIsThatOfAHeldWheel) {
    std::ifstream file(test::model_path("overhung_rotor/model.toml"));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto put = [&](const std::string& old, const std::string& by) { text.replace(text.find(old), old.size(), by); };
    put("rotor = { axis = \"z\", inertia = \"Jp\", speed = \"Omega\" }", "[[body]]\nname = \"frame\"");
    put("child = \"disk\"", "child = \"frame\"");
    text +=
        "[[joint]]\nname = \"spin\"\ntype = \"revolute\"\nparent = \"frame\"\nchild = \"disk\"\naxis = \"z\"\n"
        "[[motion]]\ncoordinate = \"spin\"\nequals = \"Omega*t\"\n";
    const auto rotor = open_text(text);
    ASSERT_TRUE(rotor) << to_string(rotor.problems);
    const auto r = sweep(*rotor, {.along = "Omega=0:600:5", .operating = {.at = linear::Operating::At::initial}, .orders = {1}});
    ASSERT_TRUE(r) << to_string(r.problems);
    ASSERT_EQ(r->sweep.critical.size(), 3U);
    EXPECT_NEAR(r->sweep.critical[0].value, 100.839499564, 1e-6);
    EXPECT_NEAR(r->sweep.critical[1].value, 119.884757319, 1e-6);
    EXPECT_NEAR(r->sweep.critical[2].value, 433.692486799, 1e-6);
    EXPECT_EQ(r->sweep.critical[1].whirl, linear::Whirl::forward);
}

}  // namespace
}  // namespace linkwright::session
