#pragma once
// A mechanism written in C++, nearly as on paper:
//
//     Model m = empty_model("Pendulum");
//     const Expr g = parameter(m, "g", 9.81), l = parameter(m, "l", 0.5), mass = parameter(m, "m", 1);
//     m.gravity = {{0, -g, 0}};
//     const BodyIndex rod = body(m, "rod", {.mass = mass, .inertia = diagonal(0, 0, mass * l * l / 3), .com = {{0, -l, 0}}});
//     joint(m, JointType::revolute, "hip", ground, rod, {.axes = {unit(2)}, .damping = {0.1}});
//
// Expressions are made in the model's own pool: numbers follow the other side of an operation, symbols are what these
// functions return. What cannot be meant (a name used twice, an axis without direction) throws std::invalid_argument.

#include <string>
#include <utility>
#include <vector>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

struct About {
    std::string unit, about;
};
Expr parameter(Model& model, const std::string& name, const Expr& value, About about = {});
Expr input(Model& model, const std::string& name, const Expr& value = 0, About about = {});
/// An auxiliary state; its rate may be given later, when the symbols that it needs are there: `model.states.back().rate = …`.
Expr state(Model& model, const std::string& name, const Expr& rate = 0, About about = {});

// NOLINTBEGIN(readability-redundant-member-init): so that any of them may be left out without a warning
struct BodyOptions {
    Expr mass = 0;
    Mat3 inertia{};  ///< about the centre of mass, body axes
    Vec3 com{};
    std::vector<Point> points{};
    std::vector<Rotor> rotors{};
};
BodyIndex body(Model& model, std::string name, BodyOptions options = {});

/// A beam along x. `description` has length, pieces, shapes and the rest; `elastic` of it is filled in.
///
///     Beam arm{.length = L, .pieces = {{.to = L, .section = {.mass_per_length = mu, .bending_y = EI}}},
///              .shapes = {{.direction = BeamDirection::y, .family = BeamFamily::clamped_free, .count = 2}}};
///     const BodyIndex b = beam(m, "arm", arm);
///     joint(m, JointType::revolute, "elbow", point_on(m, b, L).body, forearm);
BodyIndex beam(Model& model, std::string name, Beam description);
/// The point of a beam at x = at: of the section there, which turns with the beam or keeps the axes of its frame.
PointOf point_on(Model& model, BodyIndex beam, const Expr& at, const Vec3& offset = {}, bool turns = true);

struct JointOptions {
    Vec3 parent_at{}, child_at{};
    Rotation parent_axes{}, child_axes{};
    std::vector<Vec3> axes{};               ///< normalised; default z for one axis, x y, z y x, x y z as the type has it
    std::vector<std::string> axis_names{};  ///< of a translation's axes: default x y z, or 1 2 3 when `axes` are given
    Expr pitch = 0;
    std::vector<std::string> coordinates{}, speeds{};                          ///< other names than the type gives
    std::vector<Expr> stiffness{}, rest{}, damping{}, actuator{}, armature{};  ///< one for each speed, or one for all, or none
    bool cut = false;
    Position where{};
};
// NOLINTEND(readability-redundant-member-init)
/// Returns its index in model.joints.
std::size_t joint(Model& model, JointType type, std::string name, BodyIndex parent, BodyIndex child, const JointOptions& options = {});

// NOLINTBEGIN(readability-redundant-member-init)
struct MotorOptions {
    MotorType type = MotorType::electric;
    std::size_t joint = 0, freedom = 0;   ///< which of its speeds; or
    std::optional<std::size_t> spring{};  ///< index in model.springs
    Expr gear = 1, input = 0;
    Expr force = 1, back = 0, loss = 1, gain = 1, storage = 0;  ///< Kt Kb R 1 L, or Dm Dm Kc Kq V/4β: see Motor
    bool is_steady = false;
};
struct FilterOptions {
    Expr input = 0;
    std::vector<Expr> numerator{}, denominator{};  ///< highest power first; proper
    bool is_steady = false;
    std::optional<Expr> sample{};
    SampleMethod method = SampleMethod::hold;
};
struct TrajectoryOptions {
    TrajectoryShape shape = TrajectoryShape::cycloid;
    Expr from = 0, to = 1, start = 0, duration = 1, acceleration = sym::Rational(1, 4);
    std::vector<Trajectory::Knot> points{};  ///< of the shape `points`; times are numbers
    bool is_natural = false;
};
// NOLINTEND(readability-redundant-member-init)
/// Return the symbol of what comes out: the torque or force on the joint, the filtered signal, the function of time. Others (NAME.current,
/// NAME') are found by signal(). What is measured is named by signals of outputs, too: signal(m, "tip.x").
Expr motor(Model& model, std::string name, MotorOptions options);
Expr filter(Model& model, std::string name, FilterOptions options);
Expr trajectory(Model& model, std::string name, TrajectoryOptions options);
/// A state, a signal, or a part of an output, by name.
Expr signal(Model& model, std::string_view name);
/// What goes into a motor or filter, when it could not be said at once.
void drive(Model& model, std::string_view motor_or_filter, const Expr& input);

/// The point of a body by name: a name of its list, `origin` or `com`; empty when there is none.
std::optional<PointOf> point_of(const Model& model, BodyIndex body, std::string_view point = "origin");

/// A coordinate's or speed's symbol by name; empty when there is none. Symbols of cut joints are found as well.
std::optional<Expr> find_coordinate(const Model& model, std::string_view name);
std::optional<Expr> find_speed(const Model& model, std::string_view name);

}  // namespace linkwright::model
