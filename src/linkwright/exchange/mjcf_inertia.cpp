#include "linkwright/exchange/mjcf_inertia.hpp"

#include <cmath>
#include <numbers>
#include <optional>

namespace linkwright::exchange::mjcf {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

/// Volume, and principal moments of a body of mass 1 about its middle.
struct Solid {
    double volume = 0;
    Vector3d moments = Vector3d::Zero();
};

Solid capsule(double r, double half) {
    const double h = 2 * half;
    const double ends = 4 * r / (4 * r + 3 * h), middle = 1 - ends;  // parts of the mass
    const double across = middle * (3 * r * r + h * h) / 12 + ends * (2 * r * r / 5 + h * (3 * r + 2 * h) / 8);
    return {pi * r * r * (h + 4 * r / 3), {across, across, middle * r * r / 2 + ends * 2 * r * r / 5}};
}

Vector3d cross_squares(const Vector3d& s) {
    const Vector3d q = s.cwiseAbs2();
    return {q.y() + q.z(), q.x() + q.z(), q.x() + q.y()};
}

// Sizes are radii and half lengths.
std::optional<Solid> solid(GeomKind kind, const std::array<double, 3>& size) {
    const double r = size[0], half = size[1];
    const Vector3d s(size[0], size[1], size[2]);
    switch (kind) {
        case GeomKind::sphere: return Solid{4 * pi * r * r * r / 3, Vector3d::Constant(2 * r * r / 5)};
        case GeomKind::capsule: return capsule(r, half);
        case GeomKind::cylinder: return Solid{2 * pi * r * r * half, {r * r / 4 + half * half / 3, r * r / 4 + half * half / 3, r * r / 2}};
        case GeomKind::ellipsoid: return Solid{4 * pi * s.prod() / 3, cross_squares(s) / 5};
        case GeomKind::box: return Solid{8 * s.prod(), cross_squares(s) / 3};
        default: return {};
    }
}

int sizes_of(GeomKind kind) {
    switch (kind) {
        case GeomKind::sphere: return 1;
        case GeomKind::capsule:
        case GeomKind::cylinder: return 2;
        case GeomKind::ellipsoid:
        case GeomKind::box: return 3;
        default: return 0;
    }
}

bool check_sizes(const Geom& geom, Problems& problems) {
    for (int i = 0; i < sizes_of(geom.kind); ++i) {
        if (geom.size[static_cast<std::size_t>(i)] > 0) continue;
        problems.error(geom.at, "size " + std::to_string(i + 1) + " of this geom is missing or not positive",
                       "a sphere has a radius, a capsule and a cylinder a radius and half the length, a box and an ellipsoid three halves");
        return false;
    }
    return true;
}

}  // namespace

Principal find_principal(const Matrix3d& moments, double least) {
    constexpr int most_turns = 500;
    Matrix3d R = Matrix3d::Identity(), D = moments;
    for (int n = 0; n < most_turns; ++n) {
        const double xy = std::abs(D(0, 1)), xz = std::abs(D(0, 2)), yz = std::abs(D(1, 2));
        const int row = xy > xz && xy > yz ? 0 : xz > yz ? 0 : 1;
        const int column = xy > xz && xy > yz ? 1 : 2;
        if (std::abs(D(row, column)) <= least) break;
        const double cot = (D(column, column) - D(row, row)) / (2 * D(row, column));  // of twice the angle
        const double tangent = (cot >= 0 ? 1 : -1) / (std::abs(cot) + std::sqrt(1 + cot * cot));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        if (cosine > 1 - least && least > 0) break;
        if (std::abs(tangent) < 1e-17) break;
        Matrix3d turn = Matrix3d::Identity();
        turn(row, row) = turn(column, column) = cosine;
        turn(row, column) = tangent * cosine;
        turn(column, row) = -tangent * cosine;
        R = R * turn;
        D = R.transpose() * moments * R;
    }
    return {R, D.diagonal()};
}

Matrix3d keep_principal(const Matrix3d& moments) {
    const Principal p = find_principal(moments, 1e-12);
    return p.R * p.moments.asDiagonal() * p.R.transpose();
}

namespace {

/// Whether nothing around a body moves: its mass matters to nothing but the total.
std::vector<bool> find_still(const Tree& tree) {
    std::vector<bool> is_still{true};
    for (std::size_t b = 1; b < tree.bodies.size(); ++b)
        is_still.push_back(tree.bodies[b].joints.empty() && is_still[tree.bodies[b].parent]);
    return is_still;
}

struct Weigher {
    const Tree& tree;
    Meshes& meshes;
    const Compiler& compiler;
    Problems& problems;

    std::optional<Inertia> of_mesh(const Geom& geom);
    std::optional<Inertia> of_geom(const Geom& geom);
    std::optional<Inertia> of_geoms(const Body& body);
    Inertia of_body(const Body& body);
    void bound(Inertia& inertia) const;
};

std::optional<Inertia> Weigher::of_mesh(const Geom& geom) {
    const Mesh* mesh = meshes.find(geom.mesh);
    if (!mesh) {
        problems.error(geom.at, "there is no mesh '" + geom.mesh + "'", "meshes are declared in <asset>");
        return {};
    }
    const auto inside = meshes.properties(*mesh, geom.is_shell, geom.at, problems);
    if (!inside) return {};
    const double density = geom.mass ? *geom.mass / inside->volume : geom.density;
    constexpr double water = 1000;  // the turns end at an absolute size, with this density
    const Matrix3d R = geom.pose.q.toRotationMatrix(), moments = keep_principal(water * inside->moments) / water;
    return Inertia{.mass = density * inside->volume, .com = geom.pose * inside->com, .moments = density * R * moments * R.transpose()};
}

std::optional<Inertia> Weigher::of_geom(const Geom& geom) {
    const double given = geom.mass.value_or(1) * (geom.mass ? 1 : geom.density);
    if (given == 0) return Inertia{.mass = 0, .com = geom.pose.p};
    if (given < 0) return problems.error(geom.at, "the mass or density of this geom is negative"), std::nullopt;
    if (geom.kind == GeomKind::mesh || geom.kind == GeomKind::sdf) return of_mesh(geom);
    if (!geom.mesh.empty() || (geom.is_shell && sizes_of(geom.kind) > 0)) {
        problems.error(
            geom.at,
            geom.is_shell ? "the inertia of a shell is known of meshes only" : "a simple shape that is fitted to a mesh is not read",
            "give the body an <inertial>, or the geom mass=\"0\"");
        return {};
    }
    const bool has_sizes = check_sizes(geom, problems);
    const auto shape = solid(geom.kind, geom.size);
    if (!shape || !has_sizes) return {};
    const double mass = geom.mass.value_or(geom.density * shape->volume);
    const Matrix3d R = geom.pose.q.toRotationMatrix();
    return Inertia{.mass = mass, .com = geom.pose.p, .moments = mass * R * shape->moments.asDiagonal() * R.transpose()};
}

// Parallel axes: each about the common centre of mass.
std::optional<Inertia> Weigher::of_geoms(const Body& body) {
    std::vector<Inertia> parts;
    for (const std::size_t g : body.geoms) {
        const Geom& geom = tree.geoms[g];
        if (geom.group < compiler.inertia_groups[0] || geom.group > compiler.inertia_groups[1]) continue;
        if (const auto part = of_geom(geom)) parts.push_back(*part);
    }
    if (parts.empty()) return {};
    Inertia sum;
    for (const Inertia& part : parts) {
        sum.mass += part.mass;
        sum.com += part.mass * part.com;
    }
    if (sum.mass <= 0) return Inertia{};
    sum.com /= sum.mass;
    for (const Inertia& part : parts) {
        const Vector3d d = part.com - sum.com;
        sum.moments += part.moments + part.mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
    }
    if (parts.size() > 1) sum.moments = keep_principal(sum.moments);
    return sum;
}

// Least mass and least principal moments; moments that no body can have become three equal ones.
void Weigher::bound(Inertia& inertia) const {
    inertia.mass = std::max(inertia.mass, compiler.least_mass);
    if (compiler.least_inertia <= 0 && !compiler.balance_inertia) return;
    const Principal axes = find_principal(inertia.moments, 1e-12);
    Vector3d A = axes.moments;
    const bool is_low = A.minCoeff() < compiler.least_inertia;
    A = A.cwiseMax(compiler.least_inertia);
    const bool is_odd = compiler.balance_inertia && 2 * A.maxCoeff() > A.sum();
    if (is_odd) A.setConstant(A.mean());
    if (is_low || is_odd) inertia.moments = axes.R * A.asDiagonal() * axes.R.transpose();
}

Inertia Weigher::of_body(const Body& body) {
    Inertia inertia = body.inertial.value_or(Inertia{});
    if (inertia.is_full) inertia.moments = keep_principal(inertia.moments);
    const bool from_geoms = compiler.inertia_from_geoms == InertiaFromGeoms::always ||
                            (compiler.inertia_from_geoms == InertiaFromGeoms::where_missing && !body.inertial);
    if (from_geoms)
        if (const auto sum = of_geoms(body)) inertia = *sum;
    bound(inertia);
    return inertia;
}

}  // namespace

std::vector<Inertia> calc_inertias(const Tree& tree, Meshes& meshes, const Compiler& compiler, Problems& problems) {
    std::vector<Inertia> all(1);
    double total = 0;
    const std::vector<bool> is_still = find_still(tree);
    for (std::size_t b = 1; b < tree.bodies.size(); ++b) {
        Problems unheard{.files = problems.files};
        const bool may_fail = is_still[b] && !compiler.total_mass;
        Weigher weigher{tree, meshes, compiler, may_fail ? unheard : problems};
        all.push_back(weigher.of_body(tree.bodies[b]));
        total += all.back().mass;
    }
    if (!compiler.total_mass || total <= 0) return all;
    for (Inertia& inertia : all) {
        inertia.mass *= *compiler.total_mass / total;
        inertia.moments *= *compiler.total_mass / total;
    }
    return all;
}

}  // namespace linkwright::exchange::mjcf
