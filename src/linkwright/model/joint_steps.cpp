#include "linkwright/model/joint_steps.hpp"

#include <algorithm>

#include "linkwright/spatial/exact.hpp"

namespace linkwright::model {

namespace {

constexpr StepAxis axis(std::uint8_t k) { return {StepAxis::From::joint, k}; }
constexpr StepAxis across(std::uint8_t k) { return {StepAxis::From::across, k}; }
constexpr StepAxis frame(std::uint8_t k) { return {StepAxis::From::frame, k}; }

constexpr StepPattern turn(std::uint8_t i, StepAxis a, std::string_view part) { return {StepKind::turn, i, i, a, part}; }
constexpr StepPattern slide(std::uint8_t i, StepAxis a, std::string_view part) { return {StepKind::slide, i, i, a, part}; }
constexpr StepPattern screw(std::uint8_t i, StepAxis a, std::string_view part) { return {StepKind::screw, i, i, a, part}; }
constexpr StepPattern ball(std::uint8_t coordinate, std::uint8_t speed) { return {StepKind::ball, coordinate, speed, {}, {}}; }
constexpr StepPattern place(std::uint8_t coordinate, std::uint8_t speed) { return {StepKind::place, coordinate, speed, {}, {}}; }

template <class... Steps>
constexpr JointPattern row(JointType type, std::string_view word, AxesKey key, std::string_view axes, Steps... steps) {
    return {type, word, key, axes, sizeof...(steps), {steps...}};
}

/// In the order of JointType. Numbers are those of coordinate and speed in the joint's lists.
constexpr std::array table{
    row(JointType::weld, "weld", AxesKey::none, ""),
    row(JointType::revolute, "revolute", AxesKey::axis, "z", turn(0, axis(0), "")),
    row(JointType::prismatic, "prismatic", AxesKey::axis, "z", slide(0, axis(0), "")),
    row(JointType::screw, "screw", AxesKey::axis, "z", screw(0, axis(0), "")),
    row(JointType::cylindrical, "cylindrical", AxesKey::axis, "z", slide(1, axis(0), ".travel"), turn(0, axis(0), ".angle")),
    row(JointType::universal, "universal", AxesKey::axes, "xy", turn(0, axis(0), ".1"), turn(1, axis(1), ".2")),
    row(JointType::planar, "planar", AxesKey::axis, "z", slide(0, across(0), ".x"), slide(1, across(1), ".y"), turn(2, axis(0), ".angle")),
    row(JointType::gimbal, "gimbal", AxesKey::axes, "zyx", turn(0, axis(0), ".1"), turn(1, axis(1), ".2"), turn(2, axis(2), ".3")),
    row(JointType::translation, "translation", AxesKey::some, "xyz", slide(0, axis(0), ".x"), slide(1, axis(1), ".y"),
        slide(2, axis(2), ".z")),
    row(JointType::spherical, "spherical", AxesKey::none, "", ball(0, 0)),
    row(JointType::free, "free", AxesKey::axes, "xyz", place(0, 3), ball(3, 0)),
    row(JointType::free_axes, "free", AxesKey::axes, "zyx", slide(0, frame(0), ".x"), slide(1, frame(1), ".y"), slide(2, frame(2), ".z"),
        turn(3, axis(0), ".1"), turn(4, axis(1), ".2"), turn(5, axis(2), ".3")),
    row(JointType::point_on_line, "point-on-line", AxesKey::axis, "z", slide(0, axis(0), ".travel"), ball(1, 1)),
};

/// What the header promises of a row.
constexpr bool is_sound(const JointPattern& pattern) {
    unsigned coordinates = 0, speeds = 0, balls = 0, places = 0, screws = 0;
    std::size_t count = 0, speed_count = 0, travelled = 0, quaternion = 0;
    bool has_turned = false, is_ordered = true;
    for (const StepPattern& step : pattern.steps()) {
        const bool is_travel = step.kind == StepKind::slide || step.kind == StepKind::place;
        if (is_travel && has_turned) return false;
        has_turned = has_turned || !is_travel;
        if (coordinates_of(step.kind) == 1 && step.coordinate != step.speed) return false;
        for (std::size_t k = 0; k < coordinates_of(step.kind); ++k) coordinates |= 1U << (step.coordinate + k);
        for (std::size_t k = 0; k < speeds_of(step.kind); ++k) speeds |= 1U << (step.speed + k);
        count += coordinates_of(step.kind), speed_count += speeds_of(step.kind);
        if (is_travel) is_ordered = is_ordered && step.coordinate == travelled, travelled += coordinates_of(step.kind);
        if (step.kind == StepKind::ball) ++balls, quaternion = step.coordinate;
        places += step.kind == StepKind::place ? 1 : 0;
        screws += step.kind == StepKind::screw ? 1 : 0;
    }
    const bool is_numbered = coordinates == (1U << count) - 1 && speeds == (1U << speed_count) - 1;
    return is_numbered && balls <= 1 && places <= balls && screws <= 1 && (screws == 0 || pattern.count == 1) &&
           (balls == 0 || (is_ordered && quaternion == travelled));
}
constexpr bool is_sound() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].type != static_cast<JointType>(i) || !is_sound(table[i])) return false;
    }
    return true;
}
static_assert(is_sound());

}  // namespace

std::span<const JointPattern> joint_patterns() { return table; }

const JointPattern& pattern_of(JointType type) { return table[static_cast<std::size_t>(type)]; }

std::span<const StepPattern> steps_of(JointType type, std::size_t axes) {
    const JointPattern& pattern = pattern_of(type);
    return pattern.key == AxesKey::some ? pattern.steps().first(std::min<std::size_t>(axes, pattern.count)) : pattern.steps();
}

JointType with_axes(JointType type) {
    const auto last = std::find_if(table.rbegin(), table.rend(), [&](const JointPattern& p) { return p.word == pattern_of(type).word; });
    return last->type;
}

std::vector<JointStep> joint_steps(const Joint& joint) {
    const sym::PoolScope scope(joint.pitch.pool());
    std::vector<JointStep> steps;
    for (const StepPattern& p : steps_of(joint.type, joint.axes.size())) {
        JointStep step{p.kind, p.coordinate, p.speed, {}, 0};
        if (coordinates_of(p.kind) == 1) {
            switch (p.axis.from) {
                case StepAxis::From::joint: step.axis = joint.axes[p.axis.k]; break;
                case StepAxis::From::frame: step.axis = spatial::unit(p.axis.k); break;
                case StepAxis::From::across: {
                    const auto [x, y] = spatial::plane_axes(joint.axes.front());
                    step.axis = p.axis.k == 0 ? x : y;
                    break;
                }
            }
        }
        if (p.kind == StepKind::screw) step.pitch = joint.pitch;
        steps.push_back(std::move(step));
    }
    return steps;
}

bool is_rate(JointType type, std::size_t i) {
    return std::ranges::any_of(pattern_of(type).steps(), [&](const StepPattern& p) { return p.speed == i && coordinates_of(p.kind) == 1; });
}

bool is_angle(JointType type, std::size_t i) {
    return std::ranges::any_of(pattern_of(type).steps(),
                               [&](const StepPattern& p) { return p.coordinate == i && p.kind == StepKind::turn; });
}

bool travels(JointType type) {
    return std::ranges::any_of(pattern_of(type).steps(),
                               [](const StepPattern& p) { return p.kind != StepKind::turn && p.kind != StepKind::ball; });
}

}  // namespace linkwright::model
