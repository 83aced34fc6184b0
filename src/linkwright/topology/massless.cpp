#include "linkwright/topology/massless.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/spatial/inertia.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::topology {

namespace {

using model::Joint;
using model::Model;
using model::StepKind;
using spatial::Mat3;
using spatial::Vec3;
using sym::Expr;

bool vanishes(const Expr& e) { return is_zero(e) == sym::Verdict::equal; }

Expr determinant(const Mat3& a) { return dot(column(a, 0), cross(column(a, 1), column(a, 2))); }

bool has_mass(const model::Body& body) {
    if (has_moving_parts(body) || !vanishes(body.mass)) return true;
    return std::ranges::any_of(body.inertia.e,
                               [](const auto& row) { return std::ranges::any_of(row, [](const Expr& e) { return !vanishes(e); }); });
}

/// Whether some motion of the joint, all else at rest, gives the outer body no kinetic energy, whatever the position.
bool moves_freely(const Joint& joint, bool is_reversed, const model::Body& body) {
    const auto& axes = is_reversed ? joint.parent_axes : joint.child_axes;
    const Vec3 c = body.com - (is_reversed ? joint.parent_at : joint.child_at);
    // About the joint's point: J = I + m (c² 1 − c cᵀ).
    const Mat3 J = spatial::inertia_about_origin(body.mass, c, body.inertia).I;
    const auto about = [&](const Vec3& n_joint, const Mat3& I) {
        const Vec3 n = axes * n_joint;
        return dot(n, I * n);
    };
    std::vector<Vec3> turns, slides;
    bool turns_any_way = false, travels_any_way = false;
    for (const model::JointStep& step : joint_steps(joint)) {
        switch (step.kind) {
            case StepKind::turn: turns.push_back(step.axis); break;
            case StepKind::slide: slides.push_back(step.axis); break;
            case StepKind::screw: return vanishes(about(step.axis, J)) && vanishes(step.pitch * step.pitch * body.mass);
            case StepKind::ball: turns_any_way = true; break;
            case StepKind::place: travels_any_way = true; break;
        }
    }
    if ((travels_any_way || !slides.empty()) && vanishes(body.mass)) return true;
    turns_any_way = turns_any_way || turns.size() == 3;
    travels_any_way = travels_any_way || slides.size() == 3;
    // A joint that can hold the centre of mass still while it turns leaves the inertia about that.
    const bool travels_across = slides.size() == 2 && turns.size() == 1 && !turns_any_way &&
                                std::ranges::all_of(slides, [&](const Vec3& s) { return vanishes(dot(s, turns[0])); });
    const Mat3& I = travels_any_way || travels_across ? body.inertia : J;
    if (turns_any_way) return vanishes(determinant(I));
    if (turns.empty()) return false;
    return vanishes(about(is_reversed ? turns.front() : turns.back(), I));  // the turn whose axis is fixed in the outer body
}

/// Whether a drive resists every speed of the joint that is not given.
bool is_driven_along_all(const Model& model, const Joint& joint) {
    if (joint.armature.empty()) return false;
    for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
        const bool is_given = is_rate(joint.type, i) && std::ranges::any_of(model.motions, [&](const model::Motion& m) {
                                  return m.coordinate == joint.coordinates[i];
                              });
        if (!is_given && vanishes(joint.armature[i])) return false;
    }
    return true;
}

/// What ties the inside of a set of bodies to the outside, beside the one joint that leads there.
bool is_tied(const Model& model, const Topology& t, const std::vector<bool>& inside) {
    const auto crosses = [&](BodyIndex a, BodyIndex b) { return inside[a] != inside[b]; };
    for (const std::size_t c : t.chords) {
        if (crosses(model.joints[c].parent, model.joints[c].child)) return true;
    }
    for (const model::Rod& rod : model.rods) {
        if (crosses(rod.from.body, rod.to.body)) return true;
    }
    for (const model::Rolling& r : model.rollings) {
        if (inside[r.on.body]) return true;
    }
    std::vector<Expr> rows;
    for (const model::Constraint& c : model.constraints) rows.push_back(c.expression);
    for (const model::Gear& g : model.gears) rows.insert(rows.end(), {g.drive, g.driven});
    if (rows.empty()) return false;
    std::vector<Expr> mine;
    for (BodyIndex b = 1; b < inside.size(); ++b) {
        if (!inside[b]) continue;
        const Joint& joint = model.joints[t.arc[b]->joint];
        mine.insert(mine.end(), joint.coordinates.begin(), joint.coordinates.end());
        mine.insert(mine.end(), joint.speeds.begin(), joint.speeds.end());
    }
    return std::ranges::any_of(sym::nodes_below(rows), [&](const Expr& e) {
        if (!e.is_symbol()) return false;
        return e.symbol().role == sym::Role::auxiliary || std::ranges::find(mine, e) != mine.end();
    });
}

}  // namespace

std::size_t prescribed_speeds(const Model& model, std::size_t joint) {
    const Joint& j = model.joints[joint];
    for (const model::JointMotion& m : model.joint_motions) {
        if (m.joint == joint) return freedoms(j.type, j.axes.size());
    }
    return static_cast<std::size_t>(std::ranges::count_if(
        model.motions, [&](const model::Motion& m) { return std::ranges::find(j.coordinates, m.coordinate) != j.coordinates.end(); }));
}

Diagnostics find_massless(const Model& model, const Topology& t) {
    Diagnostics problems;
    const std::size_t n = model.bodies.size();
    // How many bodies outboard, each included, have mass; and which one it is.
    std::vector<std::size_t> heavy(n, 0);
    std::vector<BodyIndex> last(n, model::ground);
    for (std::size_t k = n; k-- > 1;) {
        const BodyIndex b = t.order[k], inner = t.arc[b]->inner;
        if (has_mass(model.bodies[b])) ++heavy[b], last[b] = b;
        heavy[inner] += heavy[b];
        if (heavy[b] > 0) last[inner] = last[b];
    }
    for (std::size_t k = 1; k < n; ++k) {
        const BodyIndex b = t.order[k];
        const auto& [index, inner, is_reversed] = *t.arc[b];
        const Joint& joint = model.joints[index];
        const model::Body& body = model.bodies[b];
        const std::size_t prescribed = prescribed_speeds(model, index);
        if (prescribed >= freedoms(joint.type, joint.axes.size())) continue;
        if (is_driven_along_all(model, joint)) continue;
        const bool is_empty = heavy[b] == 0;
        if (!is_empty) {
            if (std::ranges::any_of(joint.armature, [](const Expr& a) { return !vanishes(a); })) continue;
            if (heavy[b] > 1 || last[b] != b || prescribed > 0 || has_moving_parts(body)) continue;
            if (!moves_freely(joint, is_reversed, body)) continue;
        }
        std::vector<bool> inside(n, false);
        std::vector<BodyIndex> stack{b};
        while (!stack.empty()) {
            const BodyIndex next = stack.back();
            stack.pop_back();
            inside[next] = true;
            stack.insert(stack.end(), t.outer[next].begin(), t.outer[next].end());
        }
        if (is_tied(model, t, inside)) continue;
        problems.push_back(
            {.severity = Diagnostic::Severity::error,
             .file = model.file,
             .where = joint.where,
             .what = is_empty ? fmt::format("joint '{}' moves nothing that has mass: '{}'{} is massless", joint.name, body.name,
                                            t.outer[b].empty() ? "" : " and all beyond it")
                              : fmt::format("body '{}' has no inertia against some motion of the {} joint '{}'", body.name,
                                            to_string(joint.type), joint.name),
             .hint = is_empty ? "give the body mass and inertia, weld it, give the joint an armature, or prescribe it with [[motion]]"
                              : "give the body more mass or inertia, or choose a joint with fewer degrees of freedom"});
    }
    return problems;
}

}  // namespace linkwright::topology
