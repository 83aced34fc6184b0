// Models with beams: which formulations take them, and what the others say.

#include <set>

#include "agree/subject.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "support/beams.hpp"

namespace linkwright::agree {
namespace {

std::vector<std::filesystem::path> with_beams() {
    std::vector<std::filesystem::path> all = files("/models");
    std::erase_if(all, [](const std::filesystem::path& p) { return !has_beams(p); });
    return all;
}

/// The zoo has those that the other tests of this folder leave to this one.
TEST(Elastic, ModelsOfTheZoo) {
    std::set<std::string> names;
    for (const auto& path : with_beams()) names.insert(path.parent_path().filename().string());
    for (const char* name : {"baruh_four_bar_a", "baruh_four_bar_b", "baruh_four_bar_c", "beam_with_tip_load", "cantilever",
                             "flexible_pendulum_chain", "flexible_slider_crank", "flexible_spatial_arm", "lee_flexible_parallelogram",
                             "lee_two_link_arm", "rotating_beam", "satellite_with_panels"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

/// Balances of rigid bodies say that they are, with the name of the beam and of formulations that take it.
TEST(Elastic, IsRefusedByBalancesOfRigidBodies) {
    const std::set<std::string_view> refusing{"newton_euler", "barycentric", "roberson_schwertassek"};
    for (const auto& path : with_beams()) {
        const model::Model m = read(path);
        const topology::Topology topology = topology::analyse(m).topology.value();
        const auto beam = std::ranges::find_if(m.bodies, [](const model::Body& b) { return b.beam.has_value(); });
        for (const formulation::Formulation& f : formulation::formulations()) {
            SCOPED_TRACE(path.string() + " " + std::string(f.name));
            const formulation::Derived derived = f.derive(m, topology, {});
            ASSERT_EQ(derived.equations.has_value(), !refusing.contains(f.name));
            if (derived.equations) continue;
            ASSERT_EQ(derived.problems.size(), 1u);
            EXPECT_EQ(derived.problems[0].what, "the formulation " + std::string(f.name) + " is for rigid bodies, and '" + beam->name +
                                                    "' is a beam: it describes a body by mass, centre and inertia only");
            EXPECT_EQ(derived.problems[0].hint, "use kane, lagrange or recursive for beams");
        }
    }
}

}  // namespace
}  // namespace linkwright::agree
