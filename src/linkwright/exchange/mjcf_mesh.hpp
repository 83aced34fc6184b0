#pragma once
// Meshes of the section <asset>: where their files are, and the mass properties of what they enclose.

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/exchange/mjcf_compiler.hpp"
#include "linkwright/exchange/mjcf_defaults.hpp"

namespace linkwright::exchange::mjcf {

struct Triangles {
    std::vector<Eigen::Vector3d> vertices{};
    std::vector<std::array<std::uint32_t, 3>> faces{};
};

/// The bytes of an STL file, text or binary; of an OBJ file; of an MSH file, MuJoCo's own. Empty, with the reason in `why`, when they are none.
std::optional<Triangles> parse_stl(std::string_view bytes, std::string& why);
std::optional<Triangles> parse_obj(std::string_view bytes, std::string& why);
std::optional<Triangles> parse_msh(std::string_view bytes, std::string& why);

/// How the inside of a mesh is counted. `legacy` takes every pyramid from the centre to a face as positive, which is right for convex meshes, counts what is
/// hollow twice and does not mind faces that are turned round; it is what MuJoCo does unless told otherwise.
enum class MeshInertia { legacy, exact, shell };

/// Of density 1. The volume of a shell is its area.
struct MeshProperties {
    double volume = 0;
    Eigen::Vector3d com = Eigen::Vector3d::Zero();
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();  ///< about the centre of mass
};
MeshProperties calc_mesh_properties(const Triangles& mesh, MeshInertia how);

struct Mesh {
    xml::Element element{};
    std::string file{};  ///< as written; empty for a mesh of vertices
    std::filesystem::path path{};
    Eigen::Vector3d scale = Eigen::Vector3d::Ones(), ref_pos = Eigen::Vector3d::Zero();
    Turn ref_quat = Turn::Identity();
    MeshInertia how = MeshInertia::legacy;
    bool is_convex_wish = false;  ///< the hull was asked for
};

class Meshes {
public:
    Meshes(Source& source, const Defaults& defaults, const Compiler& compiler, Problems& problems);
    /// Null when there is none of that name.
    const Mesh* find(std::string_view name) const;
    /// Reads the file when first asked. Empty, with a problem at `at`, when it cannot be had.
    std::optional<MeshProperties> properties(const Mesh& mesh, bool is_shell, const Origin& at, Problems& problems);

private:
    std::map<std::string, Mesh, std::less<>> meshes_;
    std::map<std::pair<const Mesh*, bool>, std::optional<MeshProperties>> known_;
};

}  // namespace linkwright::exchange::mjcf
