#include "linkwright/model/joint_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::model {

using spatial::unit;

std::vector<Vec3> default_axes(JointType type) {
    std::vector<Vec3> axes;
    for (const char letter : pattern_of(type).axes) axes.push_back(unit(static_cast<std::size_t>(letter - 'x')));
    return axes;
}

std::vector<std::string> axis_names(std::span<const Vec3> axes) {
    std::vector<std::string> names;
    bool are_letters = true;
    for (const Vec3& a : axes) {
        std::string name;
        for (std::size_t k = 0; k < 3; ++k) {
            if (a == unit(k) || a == -unit(k)) name = std::string(1, static_cast<char>('x' + k));
        }
        are_letters = are_letters && !name.empty();
        names.push_back(name);
    }
    for (std::size_t i = 0; i < names.size() && !are_letters; ++i) names[i] = std::to_string(i + 1);
    return names;
}

JointNames renamed(JointType type, JointNames defaults, const std::vector<std::string>& coordinates,
                   const std::vector<std::string>& speeds) {
    if (!coordinates.empty()) {
        defaults.coordinates = coordinates;
        for (std::size_t i = 0; i < defaults.speeds.size(); ++i) {
            if (is_rate(type, i)) defaults.speeds[i] = coordinates[i] + "'";
        }
    }
    if (!speeds.empty()) defaults.speeds = speeds;
    return defaults;
}

void make_symbols(Joint& joint, const JointNames& names, sym::Pool& pool) {
    const auto quaternion = quaternion_at(joint.type);
    for (std::size_t i = 0; i < names.coordinates.size(); ++i) {
        if (i == quaternion) {
            std::array<std::string, 4> four;
            for (std::size_t k = 0; k < 4; ++k) four[k] = names.coordinates[i + k];
            for (const Expr& e : pool.quaternion(four)) joint.coordinates.push_back(e);
            i += 3;
        } else {
            joint.coordinates.push_back(pool.symbol(names.coordinates[i], sym::Role::coordinate));
        }
    }
    for (const std::string& name : names.speeds) joint.speeds.push_back(pool.symbol(name, sym::Role::speed));
}

std::optional<std::string> problem_of_axes(JointType type, std::span<const Vec3> axes) {
    const auto vanishes = [](const Expr& e) { return e.is_literally(0) || sym::is_zero(e) == sym::Verdict::equal; };
    const auto are_parallel = [&](const Vec3& a, const Vec3& b) {
        const Vec3 c = cross(a, b);
        return vanishes(c[0]) && vanishes(c[1]) && vanishes(c[2]);
    };
    const auto steps = steps_of(type, axes.size());
    const bool has_plane = std::ranges::any_of(steps, [](const StepPattern& s) { return s.axis.from == StepAxis::From::across; });
    if (has_plane && axes[0] != unit(0) && axes[0] != unit(1) && axes[0] != unit(2)) {
        return fmt::format("the axis of a {} joint must be x, y or z", to_string(type));
    }
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
        if (are_parallel(axes[i], axes[i + 1])) return fmt::format("axes {} and {} are parallel", i + 1, i + 2);
    }
    const auto slides = std::ranges::count_if(
        steps, [](const StepPattern& s) { return s.kind == StepKind::slide && s.axis.from == StepAxis::From::joint; });
    if (slides == 3 && vanishes(dot(axes[0], cross(axes[1], axes[2])))) {
        return "the three axes lie in a plane";
    }
    return std::nullopt;
}

}  // namespace linkwright::model
