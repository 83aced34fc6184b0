// Shapes that come from a file, and shapes with a mass at the tip, through model files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

class GivenShapes : public ::testing::Test {
protected:
    GivenShapes() {
        folder_ = std::filesystem::temp_directory_path() /
                  ("linkwright_given_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::create_directories(folder_);
    }
    ~GivenShapes() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    void write_modes(const std::string& text) const { std::ofstream(folder_ / "modes.json") << text; }
    Reading read_beam(const std::string& keys, const std::string& parameters = "") const {
        const std::string text =
            "format = 1\n[parameters]\nL = 1\nmu = 2\nEI = 3\nm = 0.6\n" + parameters +
            "[[body]]\nname = \"arm\"\ntype = \"beam\"\nlength = \"L\"\nmass_per_length = \"mu\"\nbending = { y = \"EI\" }\n" + keys +
            "\n[[joint]]\nname = \"hip\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"arm\"\n";
        return read(text, (folder_ / "model.toml").string());
    }
    std::filesystem::path folder_;
};

double constant(const Model& m, const std::string& name) {
    for (const Parameter& p : m.parameters) {
        if (p.symbol.symbol().name == name) return ParameterValues(m)(p.symbol);
    }
    ADD_FAILURE() << "no constant " << name;
    return 0;
}

/// The first shape of a cantilever at so many places.
std::string cantilever(int places, bool with_slopes) {
    const double b = 1.87510406871196, s = 0.734095513758476;
    std::string x = "[0", phi = "[[0", slope = "[[0";
    for (int i = 1; i <= places; ++i) {
        const double t = static_cast<double>(i) / places;
        x += ", " + std::to_string(t);
        phi += fmt::format(", {:.16g}", std::cosh(b * t) - std::cos(b * t) - s * (std::sinh(b * t) - std::sin(b * t)));
        slope += fmt::format(", {:.16g}", b * (std::sinh(b * t) + std::sin(b * t) - s * (std::cosh(b * t) - std::cos(b * t))));
    }
    return "{ \"x\": " + x + "], \"phi\": " + phi + "]]" + (with_slopes ? ", \"slope\": " + slope + "]]" : "") + " }";
}

TEST_F(GivenShapes, AreTheFamilyTheyWereTakenFrom) {
    const Reading family = read_beam("shapes = { y = { family = \"clamped-free\", count = 1 } }");
    ASSERT_TRUE(family.model);
    double before = 1;
    for (const int places : {10, 20, 40}) {  // fourth order in the length of an element
        write_modes(cantilever(places, true));
        const Reading given = read_beam("shapes = { y = { given = \"modes.json\" } }");
        ASSERT_TRUE(given.model) << to_string(given.problems);
        double worst = 0;
        for (const Parameter& p : family.model->parameters) {
            if (!p.is_shape_constant) continue;
            const double x = constant(*family.model, p.symbol.symbol().name);
            worst = std::max(worst, std::abs(constant(*given.model, p.symbol.symbol().name) / x - 1));
        }
        EXPECT_LT(worst, 0.1 * before) << places;
        before = worst;
    }
    EXPECT_LT(before, 1e-7);
}

TEST_F(GivenShapes, WithoutSlopesASplinePassesThroughThem) {
    write_modes(cantilever(40, false));
    const Reading given = read_beam("shapes = { y = { given = \"modes.json\" } }");
    // a natural spline is straight at its ends, which a clamped shape is not: its slope there is not quite zero
    EXPECT_FALSE(given.model);
    write_modes(R"({ "x": [0, 0.5, 1], "phi": [[0, 1, 0], [0, 0.3, 0]] })");
    const Reading chord = read_beam("frame = \"chord\"\nshapes = { y = { given = \"modes.json\", count = 1 } }");
    ASSERT_TRUE(chord.model) << to_string(chord.problems);
    EXPECT_EQ(chord.model->bodies[1].beam->elastic.coordinates.size(), 1U);
    // through (0, 0), (½, 1), (1, 0): 3t − 4t³ up to the middle, ∫φ = 5/8
    EXPECT_NEAR(constant(*chord.model, "arm.S.y1"), 2 * 0.625, 1e-14);
}

TEST_F(GivenShapes, ComeBackWhenWritten) {
    write_modes(cantilever(10, true));
    const Reading given = read_beam("shapes = { y = { given = \"modes.json\" } }");
    ASSERT_TRUE(given.model);
    const Reading again = read(write(*given.model), (folder_ / "model.toml").string());
    ASSERT_TRUE(again.model) << to_string(again.problems);
    EXPECT_EQ(constant(*again.model, "arm.N.y1y1"), constant(*given.model, "arm.N.y1y1"));
}

TEST_F(GivenShapes, WhatIsWrongIsTold) {
    const auto told = [&](const std::string& modes, const std::string& shapes = "{ given = \"modes.json\" }") {
        if (!modes.empty()) write_modes(modes);
        return to_string(read_beam("shapes = { y = " + shapes + " }").problems);
    };
    EXPECT_THAT(told("", "{ given = \"none.json\" }"), ::testing::HasSubstr("there is no such file"));
    EXPECT_THAT(told("[1, 2"), ::testing::HasSubstr("the file is not a JSON object"));
    EXPECT_THAT(told("{ \"x\": [0, 1] }"), ::testing::HasSubstr("no \"x\" or no \"phi\""));
    EXPECT_THAT(told("{ \"x\": [0.5, 1], \"phi\": [[0, 1]] }"), ::testing::HasSubstr("must ascend from 0"));
    EXPECT_THAT(told("{ \"x\": [0, 1], \"phi\": [[0, 1, 2]] }"), ::testing::HasSubstr("as many numbers as \"x\" has"));
    EXPECT_THAT(told("{ \"x\": [0, 1], \"phi\": [[0, 1]], \"slope\": [[1, 1]] }"), ::testing::HasSubstr("does not fit a tangent frame"));
    EXPECT_THAT(told(cantilever(4, true), "{ given = \"modes.json\", count = 2 }"), ::testing::HasSubstr("'count' must be from 1 to 1"));
    EXPECT_THAT(told("", "{ given = \"modes.json\", family = \"polynomial\" }"), ::testing::HasSubstr("cannot be combined with 'given'"));
    EXPECT_THAT(told("", "{ given = 3 }"), ::testing::HasSubstr("'given' must be"));
}

/// One shape of a cantilever with a mass has the frequency of both, for any mass.
TEST_F(GivenShapes, AMassAtTheTipIsBuiltIn) {
    for (const char* keys : {"masses = [ { at = \"L\", mass = \"m\" } ]\nshapes = { y = { family = \"clamped-mass\", count = 1 } }",
                             "masses = [ { at = \"L\", mass = \"m\", inertia = 0.1 } ]\nshapes = { y = { family = \"clamped-mass\", count "
                             "= 1, normalise = \"tip\" } }"}) {
        Reading reading = read_beam(keys);
        ASSERT_TRUE(reading.model) << to_string(reading.problems);
        Model& m = *reading.model;
        for (const char* mass : {"0.6", "0.1", "4"}) {
            ASSERT_FALSE(set_value(m, "m", mass));
            const ParameterValues value(m);
            const double K = value(m.bodies[1].beam->elastic.stiffness[0][0]), N = value(mass_at_rest(m, 1)[0][0]),
                         beta = constant(m, "arm.beta.y1");
            EXPECT_NEAR(K / N, std::pow(beta, 4) * 3 / 2, 1e-10 * K / N) << mass;  // EI/μL⁴
        }
    }
}

TEST_F(GivenShapes, CannotStandBesideAMassAtTheTip) {
    write_modes(cantilever(4, true));
    const std::string both =
        "bending = { y = \"EI\", z = \"EI\" }\nshapes = { y = { given = \"modes.json\" }, z = { family = \"clamped-mass\", count = 1 } }";
    const std::string text =
        "format = 1\n[parameters]\nEI = 3\n[[body]]\nname = \"arm\"\ntype = \"beam\"\nlength = 1\nmass_per_length = 2\n" + both +
        "\n[[joint]]\nname = \"hip\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"arm\"\n";
    EXPECT_THAT(to_string(read(text, (folder_ / "model.toml").string()).problems),
                ::testing::HasSubstr("cannot be combined with shapes of the family 'clamped-mass'"));
}

TEST_F(GivenShapes, AMassBeyondAllMeasureIsTold) {
    for (const char* mass : {"1e10", "1e300"}) {
        const std::string keys =
            std::string("masses = [ { at = \"L\", mass = ") + mass + " } ]\nshapes = { y = { family = \"clamped-mass\", count = 2 } }";
        EXPECT_THAT(to_string(read_beam(keys).problems), ::testing::HasSubstr("more than 1e9 times the beam")) << mass;
    }
    const Reading heavy = read_beam("masses = [ { at = \"L\", mass = 1e9 } ]\nshapes = { y = { family = \"clamped-mass\", count = 2 } }");
    ASSERT_TRUE(heavy.model) << to_string(heavy.problems);
    EXPECT_NEAR(constant(*heavy.model, "arm.beta.y2"), 3.92660231204792, 1e-6);  // as good as pinned
}

TEST_F(GivenShapes, TipsAreOnlyForTheirFamily) {
    EXPECT_THAT(to_string(read_beam("shapes = { y = { family = \"clamped-free\", count = 1, tip_mass = 1 } }").problems),
                ::testing::HasSubstr("only for shapes of the family 'clamped-mass'"));
    EXPECT_THAT(to_string(read_beam("shapes = { y = { family = \"clamped-mass\", count = 1, tip_mass = -1 } }").problems),
                ::testing::HasSubstr("is negative"));
}

}  // namespace
}  // namespace linkwright::model
