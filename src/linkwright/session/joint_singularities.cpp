#include "linkwright/session/joint_singularities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

using model::JointStep;
using sym::Expr;

namespace {

/// A coordinate of the tree, or what the coordinate of a cut joint comes to.
std::optional<Expr> meaning_of(const model::Joint& joint, const Expr& coordinate, const eom::EquationsOfMotion& e) {
    const auto tree = std::ranges::find(e.q, coordinate.symbol().name, [](const Expr& q) { return q.symbol().name; });
    if (tree != e.q.end()) return *tree;
    const auto cut = std::ranges::find(e.outputs, coordinate.symbol().name, &eom::Output::name);
    if (cut == e.outputs.end() || joint.forces.empty()) return std::nullopt;
    return cut->value;
}

/// sin(θ − θ₀), as above, in the pool of the angle.
Expr distance(const std::vector<JointStep>& turns, const Expr& angle) {
    sym::Transplant here(angle.pool());
    const auto axis = [&](std::size_t i) {
        const spatial::Vec3& v = turns[i].axis;
        return spatial::Vec3{here(v[0]), here(v[1]), here(v[2])};
    };
    const spatial::Vec3 last = axis(2), a = cross(axis(0), axis(1)), b = cross(axis(1), last);
    return (dot(a, last) * cos(angle) + dot(a, b) * sin(angle)) / sqrt(dot(a, a) * dot(b, b));
}

}  // namespace

std::vector<motion::Singularity> joint_singularities(const model::Model& model, const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    std::vector<motion::Singularity> all;
    for (const model::Joint& joint : model.joints) {
        std::vector<JointStep> turns = joint_steps(joint);
        std::erase_if(turns, [](const JointStep& s) { return s.kind != model::StepKind::turn; });
        if (turns.size() != 3) continue;
        const Expr& coordinate = joint.coordinates[turns[1].coordinate];
        const auto angle = meaning_of(joint, coordinate, e);
        if (!angle) continue;
        const std::string_view word = pattern_of(joint.type).word;
        all.push_back(
            {.what = fmt::format("the {} joint '{}' is near its singularity, where its three axes lie in one plane", word, joint.name),
             .coordinate = coordinate.symbol().name,
             .value = *angle,
             .distance = distance(turns, *angle),
             .advice = travels(joint.type)
                           ? fmt::format("a joint of type \"{}\" without `axes` turns by Euler parameters and has none", word)
                           : "a joint of type \"spherical\" turns by Euler parameters and has none; or take other axes"});
    }
    return all;
}

}  // namespace linkwright::session
