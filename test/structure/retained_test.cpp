// Retained parameters: a small model against the whole one put together anew.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "linkwright/session/structure_sweep.hpp"
#include "support/project_root.hpp"

namespace linkwright::session {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string root = project_root();

SweptStructure swept(const Session& session, const StructureSweepOptions& options) {
    const auto r = sweep_structure(session, options);
    EXPECT_TRUE(r) << to_string(r.problems);
    return *r;
}

double largest_difference(const Table& a, const Table& b) {
    EXPECT_EQ(a.rows.size(), b.rows.size());
    double most = 0;
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        for (Eigen::Index k = 1; k < a.rows[i].size(); ++k) most = std::max(most, std::abs(a.rows[i][k] / b.rows[i][k] - 1));
    }
    return most;
}

TEST(Retained, StiffnessAndLengthOfTheLShapedBeam) {
    const Session session = *open(root + "/models/l_shaped_beam/model.toml");
    for (const char* along : {"EI=50:200:7", "LA=0.8:1.3:7", "mu=0.5:2:3"}) {
        const std::string name = std::string(along).substr(0, 2);
        const SweptStructure small = swept(session, {.retain = {name}, .along = along}), whole = swept(session, {.along = along});
        EXPECT_TRUE(whole.retained.parameters.empty());
        EXPECT_LT(small.retained.error, 1e-6) << along;
        EXPECT_LT(largest_difference(small.table, whole.table), 2e-6) << along;
        EXPECT_LT(small.retained.size(), 40);
    }
}

TEST(Retained, KeepsItsPromiseWithManyElements) {  // multiplied out, stiffness rounds as the fourth power of their number
    std::ifstream file(root + "/models/l_shaped_beam/model.toml");
    const std::string clamped((std::istreambuf_iterator<char>(file)), {});
    std::string floating = clamped;
    floating.replace(floating.find("\"weld\""), 6, "\"free\"");
    for (const std::string& text : {clamped, floating}) {
        const bool is_free = text != clamped;
        const Session session = *open_text(text, "test");
        for (const auto& [along, wanted] : {std::pair("EI=50:200:3", 1e-9), {"LA=0.8:1.3:3", 1e-6}}) {
            if (is_free && along[0] == 'L') continue;  // out of the plane these beams are rigid, and LA is a lever
            const StructureOptions fine{.joints = is_free ? std::vector<std::string>{"free"} : std::vector<std::string>{}, .elements = 600};
            const SweptStructure small = swept(session, {.structure = fine, .retain = {std::string(along).substr(0, 2)}, .along = along});
            EXPECT_LT(small.retained.error, wanted) << along;
            EXPECT_EQ(small.retained.rigid > 0, is_free);
            const SweptStructure whole = swept(session, {.structure = fine, .along = along});
            for (std::size_t i = 0; i < whole.table.rows.size(); ++i) {
                const Eigen::VectorXd f = whole.table.rows[i], g = small.table.rows[i];
                for (Eigen::Index k = 1; k < f.size(); ++k) EXPECT_NEAR(g[k], f[k], 2 * wanted * f[k]) << along << ", " << k;
            }
        }
    }
}

/// ω² = 2T/(mℓ) of a bead between two strings of tension T = k(ℓ − ℓ₀), across them.
TEST(Structure, StringsHoldAcrossByTheirTension) {
    const Session session = *open_text(R"toml(format = 1
[ground]
points = { left = [-2, 0, 0], right = [2, 0, 0] }
[[body]]
name = "bead"
mass = 0.5
inertia = [0, 0, 0.001]
[[joint]]
name = "slide"
type = "prismatic"
axis = "y"
parent = "ground"
child = "bead"
[[spring]]
name = "a"
from = "ground.left"
to = "bead"
stiffness = 100
rest = 1.5
[[spring]]
name = "b"
from = "ground.right"
to = "bead"
stiffness = 100
rest = 1.5
)toml",
                                       "test");
    const auto r = structure(session, {});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_NEAR(r->modes.omega2[0], 100, 1e-9);
}

TEST(Sweep, SynthesisesAnewAtEveryValue) {
    const Session session = *open(root + "/models/l_shaped_beam/model.toml");
    const StructureOptions loaded{.method = structure::Method::loaded, .modes = "4"};
    const SweptStructure all = swept(session, {.structure = loaded, .along = "EI=50:200:2"});
    for (const Eigen::VectorXd& row : all.table.rows) {
        const auto one = structure(*open(root + "/models/l_shaped_beam/model.toml", {.set = {fmt::format("EI={}", row[0])}}), loaded);
        ASSERT_TRUE(one) << to_string(one.problems);
        for (Eigen::Index k = 1; k < row.size(); ++k) EXPECT_NEAR(row[k], one->modes.frequencies()[k - 1], 1e-9 * row[k]);
    }
    StructureOptions many = loaded;
    many.modes = "900";
    EXPECT_THAT(to_string(sweep_structure(session, {.structure = many, .along = "EI=50:200:2"}).problems),
                HasSubstr("--modes 900: component"));
    StructureOptions table = loaded;
    table.modes = "1:4";
    EXPECT_THAT(to_string(sweep_structure(session, {.structure = table, .along = "EI=50:200:2"}).problems),
                HasSubstr("one number of modes"));
    EXPECT_THAT(to_string(sweep_structure(session, {.structure = loaded, .retain = {"EI"}}).problems),
                HasSubstr("--retain requires --method full"));
}

TEST(Retained, SeveralAtOnce) {
    const Session session = *open(root + "/models/l_shaped_beam/model.toml");
    const SweptStructure small = swept(session, {.retain = {"EI", "LA"}, .along = "EI=80:120:4"});
    EXPECT_LT(largest_difference(small.table, swept(session, {.along = "EI=80:120:4"}).table), 2e-6);
    EXPECT_THAT(small.coefficients, Contains(HasSubstr("LA")));
    // A point beside the sweep: the small model against the whole at other values of both.
    const Session other = *open(root + "/models/l_shaped_beam/model.toml", {.set = {"EI=93", "LA=1.11"}});
    const auto f = structure(other, {.modes = "6"});
    const Eigen::VectorXd omega2 = small.retained.omega2({93, 1.11}, 6);
    for (Eigen::Index k = 0; k < 6; ++k) EXPECT_NEAR(omega2[k] / f->modes.omega2[k], 1, 1e-5) << k;
}

const char* const everything = R"toml(format = 1
[ground]
points = { post = [0.3, 0.9, 0] }
[parameters]
L = 1.2
a = 0.5
r = 0.1
m = 0.4
J = 0.02
k = 300
EI = 90
EI2 = "2*EI"
rho = 0.003
[[body]]
name = "b"
type = "beam"
length = "L"
pieces = [{ to = "a", mass_per_length = 2, bending = { y = "EI2", z = "EI" } }, { to = "L", mass_per_length = 1, bending = { y = "EI", z = "EI" } }]
torsion = 40
torsion_inertia = 0.01
rotary = "rho"
rigid = { end = "r" }
masses = [{ at = "a", mass = "m", inertia = ["J", "J", "2*J"] }]
shapes = { family = "polynomial", count = 2 }
[[body]]
name = "hub"
mass = "2*m"
com = [0.1, 0.05, 0]
inertia = ["J", "J", "J"]
[[joint]]
name = "clamp"
type = "revolute"
axis = "z"
parent = "ground"
child = "b"
stiffness = "k"
[[joint]]
name = "end"
type = "weld"
parent = "b"
parent_at = "tip"
child = "hub"
[[spring]]
name = "stay"
from = "b.tip"
to = "ground.post"
stiffness = "k/5"
rest = "sqrt((L - 0.3)^2 + 0.81)"
)toml";

TEST(Retained, EveryKindOfParameter) {
    const auto session = open_text(everything, "test");
    ASSERT_TRUE(session) << to_string(session.problems);
    for (const char* along : {"EI=60:120:3", "m=0.2:0.8:3", "J=0.01:0.03:3", "k=200:400:3", "rho=0.001:0.01:3"}) {
        const std::string name = std::string(along).substr(0, std::string(along).find('='));
        const SweptStructure small = swept(*session, {.retain = {name}, .along = along});
        EXPECT_LT(largest_difference(small.table, swept(*session, {.along = along}).table), 3e-6) << along;
    }
}

TEST(Retained, TellsWhatCannotBe) {
    const auto session = open_text(everything, "test");
    const auto r = sweep_structure(*session, {.retain = {"L"}, .along = "L=1:1.4:3"});  // the spring turns as the beam grows
    EXPECT_FALSE(r);
    EXPECT_THAT(to_string(r.problems), HasSubstr("matrices are no sums of constant ones"));
    EXPECT_THAT(to_string(sweep_structure(*session, {.retain = {"LL"}}).problems), HasSubstr("there is no parameter 'LL'"));
    EXPECT_THAT(to_string(sweep_structure(*session, {}).problems), HasSubstr("no parameter is given to be retained"));
}

}  // namespace
}  // namespace linkwright::session
