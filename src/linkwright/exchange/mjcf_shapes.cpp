// Geoms as shapes for pictures: those of the groups that MuJoCo's viewer shows at first, 0 to 2.

#include <fmt/format.h>

#include <system_error>

#include "linkwright/exchange/mjcf_draft.hpp"

namespace linkwright::exchange::mjcf {

namespace {

namespace fs = std::filesystem;

constexpr int last_group_shown = 2;

using Colours = std::map<std::string, std::vector<double>, std::less<>>;

Colours read_materials(Draft& draft) {
    Colours all;
    Problems unheard{.files = draft.problems.files};
    for (const xml::Element& asset : draft.source.sections("asset"))
        for (const xml::Element& e : draft.source.children(asset))
            if (e.name() == "material" && e.has("name") && e.has("rgba"))
                if (const auto rgba = xml::numbers(e, "rgba", 4, unheard)) all.try_emplace(*e.attribute("name"), *rgba);
    return all;
}

std::string_view type_of(GeomKind kind) {
    switch (kind) {
        case GeomKind::sphere: return "sphere";
        case GeomKind::capsule: return "capsule";
        case GeomKind::cylinder: return "cylinder";
        case GeomKind::box: return "box";
        case GeomKind::mesh: return "mesh";
        default: return "";
    }
}

/// A mesh that can be drawn: its file is there, and not stretched.
bool is_drawable(const Mesh* mesh) {
    if (!mesh || mesh->file.empty() || !mesh->ref_pos.isZero(0) || mesh->ref_quat.vec().norm() > 0) return false;
    if (mesh->scale.x() != mesh->scale.y() || mesh->scale.x() != mesh->scale.z() || mesh->scale.x() <= 0) return false;
    std::string extension = mesh->path.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::error_code failed;
    return (extension == ".stl" || extension == ".obj") && fs::is_regular_file(mesh->path, failed);
}

std::string path_text(const Draft& draft, const fs::path& path) {
    std::error_code failed;
    const fs::path base = draft.options.folder.empty() ? draft.source.folder() : draft.options.folder;
    const fs::path relative = fs::relative(path, base, failed);
    return (failed || relative.empty() ? path : relative).generic_string();
}

void write_size(const Draft& draft, const Geom& geom, Block& block) {
    const auto twice = [](double x) { return toml::number(2 * x); };
    switch (geom.kind) {
        case GeomKind::box: return block.key("size", toml::list({twice(geom.size[0]), twice(geom.size[1]), twice(geom.size[2])}));
        case GeomKind::capsule:
        case GeomKind::cylinder: block.key("length", twice(geom.size[1])); [[fallthrough]];
        case GeomKind::sphere: return block.key("radius", toml::number(geom.size[0]));
        case GeomKind::mesh: {
            const Mesh& mesh = *draft.meshes.find(geom.mesh);
            block.key("file", toml::quoted(path_text(draft, mesh.path)));
            if (mesh.scale.x() != 1) block.key("scale", toml::number(mesh.scale.x()));
            return;
        }
        default: return;
    }
}

bool has_sizes(const Geom& geom) {
    const auto& s = geom.size;
    switch (geom.kind) {
        case GeomKind::sphere: return s[0] > 0;
        case GeomKind::capsule:
        case GeomKind::cylinder: return s[0] > 0 && s[1] > 0;
        case GeomKind::box: return s[0] > 0 && s[1] > 0 && s[2] > 0;
        default: return true;
    }
}

void write_shape(Draft& draft, std::size_t body, const Geom& geom, const Colours& colours) {
    if (geom.group > last_group_shown || geom.kind == GeomKind::plane || geom.kind == GeomKind::hfield) return;
    const bool is_mesh = geom.kind == GeomKind::mesh;
    if (type_of(geom.kind).empty() || (!is_mesh && !geom.mesh.empty()) || (is_mesh && !is_drawable(draft.meshes.find(geom.mesh))) ||
        !has_sizes(geom))
        return leave_out(draft.tree.left_out, "shapes that are not drawn (ellipsoids, stretched or missing meshes)", geom.at);
    Block& block = draft.text.add("shape", geom.at);
    block.key("on", toml::quoted(draft.bodies[body]));
    block.key("type", toml::quoted(type_of(geom.kind)));
    if (!geom.pose.p.isZero(0)) block.key("at", vector_text(geom.pose.p));
    if (const std::string axes = axes_text(geom.pose.q); !axes.empty()) block.key("axes", axes);
    write_size(draft, geom, block);
    const auto material = colours.find(geom.material);
    if (geom.rgba)
        block.key("colour", toml::colour(*geom.rgba));
    else if (material != colours.end())
        block.key("colour", toml::colour(material->second));
}

}  // namespace

void write_shapes(Draft& draft) {
    const Colours colours = read_materials(draft);
    for (std::size_t b = 0; b < draft.tree.bodies.size(); ++b)
        for (const std::size_t g : draft.tree.bodies[b].geoms) write_shape(draft, b, draft.tree.geoms[g], colours);
}

}  // namespace linkwright::exchange::mjcf
