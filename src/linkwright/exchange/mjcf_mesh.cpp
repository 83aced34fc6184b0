#include "linkwright/exchange/mjcf_mesh.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace linkwright::exchange::mjcf {

namespace fs = std::filesystem;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr std::uintmax_t largest_mesh = 256'000'000;

// The first file that exists, or the first.
fs::path locate(const Source& source, const Compiler& compiler, const std::string& file) {
    const fs::path name = compiler.strip_path ? fs::path(file).filename() : fs::path(file);
    const fs::path usual = source.folder() / compiler.mesh_folder / name;
    std::error_code failed;
    const fs::path plain = source.folder() / name;
    return !fs::exists(usual, failed) && fs::exists(plain, failed) ? plain : usual;
}

std::optional<Mesh> read_mesh(Source& source, const Attributes& a, const Compiler& compiler, Problems& problems) {
    Mesh mesh{.element = a.own(), .file = a.text("file").value_or("")};
    if (!mesh.file.empty()) mesh.path = locate(source, compiler, mesh.file);
    if (const auto s = a.vector("scale", problems)) mesh.scale = to_vector(*s);
    if (const auto p = a.vector("refpos", problems)) mesh.ref_pos = to_vector(*p);
    if (const auto q = a.numbers("refquat", 4, problems)) {
        const Turn given((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
        if (given.norm() > 1e-14) mesh.ref_quat = given.normalized();
    }
    const std::string how = a.text("inertia").value_or(compiler.exact_meshes ? "exact" : "legacy");
    if (how == "shell")
        mesh.how = MeshInertia::shell;
    else if (how == "exact" || how == "convex")
        mesh.how = MeshInertia::exact;
    else if (how != "legacy")
        problems.error(a.origin_of("inertia"), "'inertia' of a mesh is none of legacy, exact, convex, shell: '" + how + "'");
    mesh.is_convex_wish = how == "convex";
    return mesh;
}

std::optional<Triangles> inline_triangles(const Mesh& mesh, Problems& problems) {
    const auto v = xml::numbers(mesh.element, "vertex", problems);
    const auto f = xml::numbers(mesh.element, "face", problems);
    if (!v || !f) return {};
    Triangles all;
    for (std::size_t i = 0; i + 2 < v->size(); i += 3) all.vertices.emplace_back((*v)[i], (*v)[i + 1], (*v)[i + 2]);
    for (std::size_t i = 0; i + 2 < f->size(); i += 3) {
        std::array<std::uint32_t, 3> face{};
        for (std::size_t k = 0; k < 3; ++k) {
            const double index = (*f)[i + k];
            if (!(index >= 0) || index >= static_cast<double>(all.vertices.size())) return {};
            face[k] = static_cast<std::uint32_t>(index);
        }
        all.faces.push_back(face);
    }
    return all;
}

std::optional<Triangles> read_file(const Mesh& mesh, std::string& why) {
    std::error_code failed;
    const auto size = fs::file_size(mesh.path, failed);
    if (failed) return why = "there is no file '" + mesh.path.lexically_normal().string() + "'", std::nullopt;
    if (size > largest_mesh) return why = "it is larger than 256 MB", std::nullopt;
    std::ifstream in(mesh.path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::string extension = mesh.path.extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".stl") return parse_stl(bytes, why);
    if (extension == ".obj") return parse_obj(bytes, why);
    if (extension == ".msh") return parse_msh(bytes, why);
    return why = "only STL, OBJ and MSH files are read", std::nullopt;
}

// In this order: moved, turned, scaled. A mirror image has its faces turned round.
void place(Triangles& all, const Mesh& mesh) {
    for (Vector3d& v : all.vertices) v = mesh.scale.cwiseProduct(mesh.ref_quat.conjugate() * (v - mesh.ref_pos));
    if (mesh.scale.prod() < 0)
        for (auto& face : all.faces) std::swap(face[1], face[2]);
}

// ∫ r rᵀ over the simplex with corners 0, a, b, c per unit of volume, times 20; of the triangle a, b, c per unit of area, times 12, as linear shape functions give them.
Matrix3d second_moment(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const Vector3d s = a + b + c;
    return a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
}

Vector3d face_centre(const Triangles& mesh) {
    Vector3d sum = Vector3d::Zero();
    double area = 0;
    for (const auto& f : mesh.faces) {
        const Vector3d &a = mesh.vertices[f[0]], &b = mesh.vertices[f[1]], &c = mesh.vertices[f[2]];
        const double own = cross(b - a, c - a).norm() / 2;
        sum += own * (a + b + c) / 3;
        area += own;
    }
    return area > 0 ? Vector3d(sum / area) : sum;
}

}  // namespace

// Pyramids from a point to each face: first from the centre of the faces, which gives the centre of mass, then from there.
MeshProperties calc_mesh_properties(const Triangles& mesh, MeshInertia how) {
    MeshProperties result;
    const bool is_shell = how == MeshInertia::shell;
    const auto weight = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
        if (is_shell) return cross(b - a, c - a).norm() / 2;
        const double volume = a.dot(cross(b, c)) / 6;
        return how == MeshInertia::legacy ? std::abs(volume) : volume;
    };
    const Vector3d centre = face_centre(mesh);
    Vector3d first = Vector3d::Zero();
    for (const auto& f : mesh.faces) {
        const Vector3d a = mesh.vertices[f[0]] - centre, b = mesh.vertices[f[1]] - centre, c = mesh.vertices[f[2]] - centre;
        const double w = weight(a, b, c);
        result.volume += w;
        first += w * (a + b + c) / (is_shell ? 3 : 4);
    }
    if (!(result.volume > 1e-15)) return {};
    result.com = centre + first / result.volume;
    result.volume = 0;
    Matrix3d second = Matrix3d::Zero();
    for (const auto& f : mesh.faces) {
        const Vector3d a = mesh.vertices[f[0]] - result.com, b = mesh.vertices[f[1]] - result.com, c = mesh.vertices[f[2]] - result.com;
        const double w = weight(a, b, c);
        result.volume += w;
        second += w / (is_shell ? 12 : 20) * second_moment(a, b, c);
    }
    result.moments = second.trace() * Matrix3d::Identity() - second;
    return result;
}

Meshes::Meshes(Source& source, const Defaults& defaults, const Compiler& compiler, Problems& problems) {
    for (const xml::Element& asset : source.sections("asset")) {
        for (const xml::Element& e : source.children(asset)) {
            if (e.name() != "mesh") continue;
            const auto mesh = read_mesh(source, defaults.attributes(e, "mesh", 0, problems), compiler, problems);
            const std::string name = e.attribute("name").value_or(mesh ? fs::path(mesh->file).stem().string() : "");
            if (mesh) meshes_.try_emplace(name, *mesh);
        }
    }
}

const Mesh* Meshes::find(std::string_view name) const {
    const auto place = meshes_.find(name);
    return place == meshes_.end() ? nullptr : &place->second;
}

std::optional<MeshProperties> Meshes::properties(const Mesh& mesh, bool is_shell, const Origin& at, Problems& problems) {
    const auto [place_, is_new] = known_.try_emplace({&mesh, is_shell});
    if (!is_new) return place_->second;
    std::string why = "its vertices and faces do not make triangles";
    auto triangles = mesh.file.empty() ? inline_triangles(mesh, problems) : read_file(mesh, why);
    if (!triangles || triangles->faces.empty()) {
        if (triangles) why = "it has no faces";
        problems.error(at, "the mass of this geom is that of a mesh which cannot be read: " + why,
                       "give the body an <inertial>, or the geom mass=\"0\"");
        return {};
    }
    place(*triangles, mesh);
    MeshProperties found = calc_mesh_properties(*triangles, is_shell ? MeshInertia::shell : mesh.how);
    if (!(found.volume > 0)) {
        problems.error(at, "the mass of this geom is that of a mesh without volume",
                       "are its faces turned inside out? inertia=\"legacy\" or \"shell\" does not mind");
        return {};
    }
    if (mesh.is_convex_wish)
        problems.note(mesh.element.origin(), "the inside of this mesh is counted as it is, not that of its convex hull");
    return place_->second = found;
}

}  // namespace linkwright::exchange::mjcf
