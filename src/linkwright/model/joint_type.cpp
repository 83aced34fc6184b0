#include "linkwright/model/joint_type.hpp"

#include <algorithm>

#include "linkwright/model/joint_steps.hpp"

namespace linkwright::model {

std::string_view to_string(JointType type) { return pattern_of(type).word; }

std::optional<JointType> joint_type(std::string_view name) {
    const auto at = std::ranges::find(joint_patterns(), name, &JointPattern::word);
    if (at == joint_patterns().end()) return std::nullopt;
    return at->type;
}

std::vector<std::string> joint_type_names() {
    std::vector<std::string> names;
    for (const JointPattern& p : joint_patterns()) {
        if (joint_type(p.word) == p.type) names.emplace_back(p.word);
    }
    return names;
}

std::size_t freedoms(JointType type, std::size_t axes) {
    std::size_t n = 0;
    for (const StepPattern& step : steps_of(type, axes)) n += speeds_of(step.kind);
    return n;
}

JointNames joint_names(JointType type, const std::string& joint, std::span<const std::string> axes) {
    std::array<std::string, 12> q, u;
    std::size_t coordinates = 0, speeds = 0;
    for (const StepPattern& step : steps_of(type, axes.size())) {
        for (std::size_t k = 0; k < coordinates_of(step.kind); ++k) {
            std::string& name = q[step.coordinate + k];
            if (step.kind == StepKind::ball)
                name = joint + ".e" + std::to_string(k);
            else if (step.kind == StepKind::place)
                name = joint + "." + "xyz"[k];
            else if (pattern_of(type).key == AxesKey::some)
                name = joint + "." + axes[step.axis.k];
            else
                name = joint + std::string(step.part);
        }
        for (std::size_t k = 0; k < speeds_of(step.kind); ++k) {
            std::string& name = u[step.speed + k];
            if (step.kind == StepKind::ball)
                name = joint + ".w" + "xyz"[k];
            else if (step.kind == StepKind::place)
                name = joint + ".v" + "xyz"[k];
            else
                name = q[step.coordinate] + "'";
        }
        coordinates += coordinates_of(step.kind), speeds += speeds_of(step.kind);
    }
    return {{q.begin(), q.begin() + static_cast<std::ptrdiff_t>(coordinates)},
            {u.begin(), u.begin() + static_cast<std::ptrdiff_t>(speeds)}};
}

std::optional<std::size_t> quaternion_at(JointType type) {
    for (const StepPattern& step : pattern_of(type).steps()) {
        if (step.kind == StepKind::ball) return step.coordinate;
    }
    return std::nullopt;
}

}  // namespace linkwright::model
