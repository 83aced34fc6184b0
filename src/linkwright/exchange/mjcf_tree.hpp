#pragma once
// The bodies of an MJCF file as plain data: defaults applied, angles in radians, frames composed, nothing interpreted yet. Bodies are in the order in which
// MuJoCo numbers them, depth first, and so are joints: positions in a keyframe count in that order. Body 0 is the world.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/exchange/mjcf_compiler.hpp"
#include "linkwright/exchange/mjcf_defaults.hpp"

namespace linkwright::exchange::mjcf {

/// Mass, centre of mass and moments about it, in the axes of the body.
struct Inertia {
    double mass = 0;
    Eigen::Vector3d com = Eigen::Vector3d::Zero();
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
    bool is_full = false;  ///< given by six entries
};

enum class JointKind { hinge, slide, ball, free };

struct Joint {
    Origin at{};
    std::string name{};  ///< empty when it has none
    JointKind kind = JointKind::hinge;
    std::size_t body = 0;
    Eigen::Vector3d pos = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();  ///< body axes
    double armature = 0, damping = 0, stiffness = 0, spring_ref = 0, ref = 0;
    std::optional<std::array<double, 2>> spring_damper{};  ///< a time constant and a damping ratio, which then say stiffness and damping
};

enum class GeomKind { plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf };

struct Geom {
    Origin at{};
    GeomKind kind = GeomKind::sphere;
    Pose pose{};
    std::array<double, 3> size{};
    std::optional<double> mass{};
    double density = 1000;
    int group = 0;
    bool is_shell = false;
    std::string mesh{}, material{};
    std::optional<std::vector<double>> rgba{};
};

struct Site {
    std::string name{};
    std::size_t body = 0;
    Pose pose{};
};

struct Body {
    Origin at{};
    std::string name{};
    std::size_t parent = 0;
    Pose pose{};  ///< in the parent, where all coordinates are as written
    std::optional<Inertia> inertial{};
    double gravity_compensation = 0;
    std::vector<std::size_t> joints{}, geoms{}, sites{};
};

/// Things that have no smooth equation, or no equation at all: how many there are and where the first stands.
struct LeftOut {
    std::size_t count = 0;
    Origin first{};
};
using LeftOuts = std::map<std::string, LeftOut>;  ///< by what they are, in words
void leave_out(LeftOuts& all, const std::string& what, const Origin& at, std::size_t count = 1);

struct Tree {
    std::vector<Body> bodies{};
    std::vector<Joint> joints{};
    std::vector<Geom> geoms{};
    std::vector<Site> sites{};
    std::map<std::string, std::size_t, std::less<>> body_names{}, joint_names{}, site_names{};
    LeftOuts left_out{};

    /// Where a body is in the world when all coordinates are as written.
    Pose world_pose(std::size_t body) const;
};

Tree read_tree(Source& source, const Defaults& defaults, const Compiler& compiler, Problems& problems);

/// An element that is known by a name; empty, with a problem at the attribute, when there is none such.
std::optional<std::size_t> find_named(const std::map<std::string, std::size_t, std::less<>>& names, const xml::Element& e,
                                      std::string_view attribute, std::string_view what, Problems& problems);

}  // namespace linkwright::exchange::mjcf
