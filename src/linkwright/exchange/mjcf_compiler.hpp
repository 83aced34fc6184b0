#pragma once
// What the sections <compiler> and <option> say about reading the rest. They hold for the whole model, wherever they stand; later ones overrule.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>

#include "linkwright/exchange/mjcf_pose.hpp"

namespace linkwright::exchange::mjcf {

enum class InertiaFromGeoms { where_missing, always, never };

struct Compiler {
    AngleRules angles{};
    InertiaFromGeoms inertia_from_geoms = InertiaFromGeoms::where_missing;
    std::array<int, 2> inertia_groups{0, 5};  ///< geoms of these groups have mass
    bool balance_inertia = false;
    double least_mass = 0, least_inertia = 0;
    std::optional<double> total_mass{};
    bool exact_meshes = false;  ///< the attribute exactmeshinertia of version 2
    bool strip_path = false;
    bool is_global = false;  ///< places in bodies are those in the world, as version 2 had it
    std::string mesh_folder{};

    Eigen::Vector3d gravity{0, 0, -9.81};
    Origin gravity_origin{};
};

Compiler read_compiler(Source& source, Problems& problems);

}  // namespace linkwright::exchange::mjcf
