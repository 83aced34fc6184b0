// What is said when words or models are wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "linkwright/session/structure.hpp"
#include "support/project_root.hpp"

namespace linkwright::session {
namespace {

using testing::HasSubstr;

const std::string root = project_root();

std::string told(const std::string& model, const StructureOptions& options) {
    const auto session = open(root + "/models/" + model + "/model.toml");
    EXPECT_TRUE(session) << to_string(session.problems);
    const auto r = structure(*session, options);
    EXPECT_FALSE(r);
    EXPECT_EQ(r.status, Status::wrong_input) << to_string(r.problems);
    return to_string(r.problems);
}

TEST(StructureProblems, OfWords) {
    EXPECT_THAT(told("l_shaped_beam", {.joints = {"cornr=locked"}}), HasSubstr("there is no joint 'cornr'"));
    EXPECT_THAT(told("l_shaped_beam", {.joints = {"cornr=locked"}}), HasSubstr("corner"));
    EXPECT_THAT(told("l_shaped_beam", {.joints = {"stuck"}}), HasSubstr("'stuck' is not a state of a joint"));
    EXPECT_THAT(told("l_shaped_beam", {.joints = {"open"}}), HasSubstr("'open' is not a state of a joint"));
    EXPECT_THAT(told("l_shaped_beam", {.elements = 0}), HasSubstr("--elements must be from 1"));
    EXPECT_THAT(told("l_shaped_beam", {.modes = "0"}), HasSubstr("'0' is not a number of modes"));
    EXPECT_THAT(told("l_shaped_beam", {.modes = "1:8"}), HasSubstr("tables such as 1:8 need component modes"));
    EXPECT_THAT(told("l_shaped_beam", {.elements = 1, .modes = "60"}), HasSubstr("the structure has 6 degrees of freedom"));
    EXPECT_THAT(told("l_shaped_beam", {.elements = 2, .method = structure::Method::fixed, .modes = "9"}),
                HasSubstr("elastic shapes, not 9"));
}

TEST(StructureProblems, OfModels) {
    EXPECT_THAT(told("double_pendulum", {}), HasSubstr("nothing in the model is elastic"));
    EXPECT_THAT(told("cantilever", {.method = structure::Method::fixed}), HasSubstr("the component 'beam' has no interface"));
    EXPECT_THAT(told("lee_two_link_arm", {}), HasSubstr("the structure is a mechanism: 2 rigid-body modes"));
    EXPECT_THAT(told("lee_two_link_arm", {}), HasSubstr("model.toml:"));
    EXPECT_THAT(told("lee_two_link_arm", {}), HasSubstr("--joints locked"));
}

TEST(StructureProblems, ZeroElementsOfABody) {
    const auto r = open_text(
        "format = 1\n[[body]]\nname = \"b\"\ntype = \"beam\"\nlength = 1\nmass_per_length = 1\nbending = { y = 1 }\n"
        "shapes = { family = \"clamped-free\", count = 1 }\nelements = 0\n",
        "test");
    EXPECT_FALSE(r);
    EXPECT_THAT(to_string(r.problems), HasSubstr("test:9:12: error: 'elements' must be from 1 to 100000, not 0"));
}

}  // namespace
}  // namespace linkwright::session
