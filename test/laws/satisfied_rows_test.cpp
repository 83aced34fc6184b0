// Rows of constraints that hold whatever the coordinates are leave the equations, and no others do: a door on two hinges, its frame on a
// base with and without a unit quaternion.

#include <fmt/format.h>

#include "laws/mechanism.hpp"
#include "linkwright/formulation/system.hpp"
#include "linkwright/topology/topology.hpp"

namespace linkwright::laws {
namespace {

struct Rows {
    std::size_t kept = 0, satisfied = 0;
    bool operator==(const Rows&) const = default;
};

Rows rows_of(const std::string& text) {
    const Model model = read_model(text);
    const topology::Topology topology = *topology::analyse(model).topology;
    const formulation::System s = formulation::set_up(model, topology);
    EXPECT_TRUE(s.problems.empty());
    return {s.rows.size(), s.satisfied.size()};
}

/// The second hinge stands `up` the axis of the first, given by decimals, and is turned about x by `tilt`.
std::string door(const std::string& base, double up, double tilt) {
    const Eigen::Vector3d z(0.4794255386042030, -0.2593433800522308, 0.8383866435942036),
        x(0.8775825618903728, 0.1416805647820713, -0.4580126864907716);
    const Eigen::Vector3d y = z.cross(x), leaning = std::cos(tilt) * z - std::sin(tilt) * y, at = up * z;
    const auto write = [](const Eigen::Vector3d& v) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z()); };
    return fmt::format(R"toml(
format = 1
[[body]]
name = "frame"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "door"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "base"
type = "{0}"
parent = "ground"
child = "frame"
[[joint]]
name = "hinge1"
type = "revolute"
parent = "frame"
child = "door"
both_axes = {{ rotate = ["x", "y"], by = [0.3, 0.5] }}
[[joint]]
name = "hinge2"
type = "revolute"
parent = "frame"
child = "door"
parent_at = {1}
child_at = {1}
both_axes = {{ z = {2}, x = {3} }}
cut = true
)toml",
                       base, write(at), write(leaning), write(x));
}

TEST(SatisfiedRows, OfASecondHingeOnTheSameAxis) {
    for (const char* base : {"weld", "revolute", "gimbal", "spherical", "free", "universal"}) {
        for (const double up : {1e-3, 0.7, 1e3}) EXPECT_EQ(rows_of(door(base, up, 0)), (Rows{0, 5})) << base << " " << up;
        EXPECT_GE(rows_of(door(base, 0.7, 1e-4)).kept, 2U) << base;
    }
}

/// A constraint that somebody wrote is measured by its own terms.
TEST(SatisfiedRows, SmallNumbersAreConstraintsToo) {
    const std::string slides = R"toml(
format = 1
[[body]]
name = "block"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "slide"
type = "translation"
parent = "ground"
child = "block"
[[constraint]]
name = "slope"
holonomic = "1e-15*(slide.x - 2*slide.y)"
)toml";
    EXPECT_EQ(rows_of(slides), (Rows{1, 0}));
}

}  // namespace
}  // namespace linkwright::laws
