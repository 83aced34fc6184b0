#pragma once
// A mechanism as plain data: what a model file says, every name resolved and every expression a node of one pool. Files are
// read by read.hpp and written by write.hpp; programs say the same things with build.hpp. Nothing here computes.
//
// Names in expressions are symbols of the pool. Parameters, inputs, t, coordinates and speeds have their own roles, also
// those of joints that will be cut; the rate of a speed is an acceleration named like it with one more prime. Names that get
// their meaning only from the equations (energy.total, components of outputs and reactions) are symbols of the role
// `auxiliary`; whoever derives equations puts their definitions in. So are signals, whose meanings stand in `signals`.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/base/crossing.hpp"
#include "linkwright/base/diagnostic.hpp"
#include "linkwright/model/beam.hpp"
#include "linkwright/model/drawn_shape.hpp"
#include "linkwright/model/joint_type.hpp"
#include "linkwright/model/signal.hpp"
#include "linkwright/spatial/rotation.hpp"

namespace linkwright::model {

using spatial::Mat3;
using spatial::Rotation;
using spatial::Vec3;
using sym::Expr;

struct Parameter {
    Expr symbol;
    Expr value;        ///< a number, or an expression in other parameters
    std::string unit;  ///< as written; `value` is in SI
    std::string about;
    std::optional<Expr> min, max;
    bool is_shape_constant = false;  ///< an integral over a beam's shapes: equations that do not use it do not list it
    Position where;
};

struct Input {
    Expr symbol;
    Expr value;  ///< used when nothing drives it: a number or an expression in t and parameters
    std::string unit, about;
    Position where;
};

/// A first-order state of something that is not a body: a filter, a motor's current, the integral of an error. ẋ = rate, an
/// expression in coordinates, speeds, inputs, t, parameters, signals and other such states. Loads, outputs, events may use it; geometry, masses,
/// constraints and given motions may not. Files make them with motors and filters (signal.hpp); others are built (build.hpp), and a model
/// that has one of those is not written.
struct AuxiliaryState {
    Expr symbol;
    Expr rate;
    std::string unit, about;
    bool is_steady = false;  ///< begins where its rate vanishes, unless [initial] says otherwise
    Position where;
};

using BodyIndex = std::size_t;
inline constexpr BodyIndex ground = 0;  ///< bodies[0] is the ground

struct Point {
    std::string name;
    Vec3 at;                      ///< from the body's origin, body axes
    std::optional<BodyIndex> on;  ///< the section that carries it, when the body is a beam: then `at` is in that
};

/// A symmetric wheel in a body. The body's mass and inertia include it, locked.
struct Rotor {
    Vec3 axis;                   ///< unit vector, body axes
    Expr inertia;                ///< axial
    std::optional<Expr> speed;   ///< relative to the body and held; or
    std::optional<Expr> torque;  ///< on the rotor, from the body: then its spin is a state
    std::optional<Expr> spin;    ///< the symbol of that state, a speed named BODY.rotor
    Position where;
};

struct Body {
    std::string name;
    Expr mass;
    Mat3 inertia;  ///< about the centre of mass, body axes
    Vec3 com;
    std::vector<Point> points;  ///< beside `origin` and `com`, which every body has
    std::vector<Rotor> rotors;
    std::optional<Beam> beam;  ///< then mass, inertia and com are those of what is fixed in its frame
    Position where;
};

/// Does something move inside the body that has inertia of its own? Then no motion of the body alone is free of inertia.
inline bool has_moving_parts(const Body& body) { return !body.rotors.empty() || body.beam.has_value(); }

/// A point fixed in a body.
struct PointOf {
    BodyIndex body = ground;
    Vec3 at;
    std::string name;  ///< as written, for messages and labels: "upper.tip"
};

/// What acts along one freedom of a joint: −stiffness·(q − rest) − damping·u + actuator.
struct JointForce {
    Expr stiffness, rest, damping, actuator;
};

/// Child relative to parent, as written; the tree may run the other way.
///
/// The joint frame in the parent has its origin at `parent_at` and the axes `parent_axes` (R from joint axes to parent
/// axes), likewise in the child. At zero coordinates both frames coincide.
/// What makes a weld a section of its parent, a beam: `parent_at` and `parent_axes` are functions of the beam's coordinates.
struct Section {
    Expr at;  ///< x along the beam
    bool turns = true;
    Vec3 angles;  ///< about z, then the new y, then the newest x: v', −w', twist
};

struct Joint {
    std::string name;
    JointType type = JointType::weld;
    BodyIndex parent = ground, child = ground;
    Vec3 parent_at, child_at;
    Rotation parent_axes, child_axes;
    std::vector<Vec3> axes;          ///< unit vectors in joint axes: one, two or three as the type needs; x y z for free
    Expr pitch;                      ///< of a screw: travel per radian
    std::vector<Expr> coordinates;   ///< symbols
    std::vector<Expr> speeds;        ///< symbols
    std::vector<JointForce> forces;  ///< one for each speed, or none at all
    std::vector<Expr> armature;      ///< inertia of a drive, reflected to each speed: one for each, or none at all
    bool cut = false;                ///< asked to be a chord
    std::optional<Section> section;  ///< of a weld: its child is a section of a beam
    Position where;
};

struct Spring {
    std::string name;
    PointOf from, to;
    Expr stiffness, damping, rest, actuator;
    Position where;
};

struct Force {
    std::string name;
    PointOf on;
    Vec3 vector;
    BodyIndex in = ground;        ///< whose axes the components refer to
    std::optional<PointOf> from;  ///< gets the reaction
    Position where;
};

struct Torque {
    std::string name;
    BodyIndex on = ground;
    Vec3 vector;
    BodyIndex in = ground;
    std::optional<BodyIndex> from;
    Position where;
};

/// A massless rod: the distance between two points is `length`.
struct Rod {
    std::string name;
    PointOf from, to;
    Expr length;
    Position where;
};

/// expression = 0; a nonholonomic one is affine in the speeds.
struct Constraint {
    std::string name;
    Expr expression;
    bool is_holonomic = true;
    Position where;
};

/// drive = ratio · driven, for two coordinates.
struct Gear {
    std::string name;
    Expr drive, driven, ratio;
    Position where;
};

enum class RollingType : std::uint8_t { disk, sphere, knife_edge };

struct Rolling {
    std::string name;
    RollingType type = RollingType::disk;
    PointOf on;  ///< the centre
    Vec3 axis;   ///< normal of the disk or blade, body axes; unit
    Expr radius;
    Vec3 plane_at, normal;  ///< ground axes; unit normal
    Position where;
};

/// A coordinate that is a given function of time.
struct Motion {
    Expr coordinate;
    Expr equals;
    Position where;
};

/// A joint with Euler parameters that moves as given: what its coordinates of travel are, as many as it has, and turns in a row,
/// in joint axes.
struct JointMotion {
    std::size_t joint = 0;
    Vec3 translation;
    std::vector<Vec3> axes;
    std::vector<Expr> angles;
    Position where;
};

/// The user's own generalized speed, affine in the natural ones.
struct UserSpeed {
    Expr symbol;
    Expr definition;
    Position where;
};

struct Output {
    enum class Kind : std::uint8_t { position, velocity, acceleration, orientation, reaction, expression };
    std::string name;
    Kind kind = Kind::expression;
    PointOf point;                       ///< of position, velocity, acceleration; its body for an orientation
    BodyIndex in = ground;               ///< axes of the components
    std::optional<PointOf> relative_to;  ///< from which it is measured; seen from that body
    std::size_t joint = 0;               ///< of a reaction
    Expr expression;
    Position where;
};

/// A moment worth knowing, or worth stopping at: `when` crosses zero.
struct Event {
    std::string name;
    Expr when;
    Crossing direction = Crossing::both;  ///< files say rising for up, falling for down
    bool stops = false;                   ///< otherwise it is recorded
    Position where;
};

/// A value at the beginning: of a coordinate, a speed, a cut joint's coordinate, a rotor's spin, an auxiliary state.
struct InitialValue {
    Expr symbol;
    Expr value;  ///< in parameters
    Position where;
};

/// How LaTeX writes a name of the model where its own way would not do: mu is "m_u", not a Greek letter.
struct SymbolText {
    std::string name, latex;
    Position where;
};

struct Model {
    std::shared_ptr<sym::Pool> pool;
    std::string file;  ///< where it was read from; may be empty
    std::string name;
    Expr t;        ///< time
    Vec3 gravity;  ///< ground axes
    std::vector<Parameter> parameters;
    std::vector<Input> inputs;
    std::vector<AuxiliaryState> states;
    std::vector<Motor> motors;  ///< what is said of these three is in `states` and `signals`, too
    std::vector<Filter> filters;
    std::vector<Trajectory> trajectories;
    std::vector<Signal> signals;
    std::vector<Sampled> sampled;  ///< filters with a period, once hold_samples() has turned them into what a computer runs
    std::vector<Body> bodies;      ///< bodies[0] is the ground
    std::vector<Joint> joints;     ///< in the order of the file
    std::vector<Spring> springs;
    std::vector<Force> forces;
    std::vector<Torque> torques;
    std::vector<Rod> rods;
    std::vector<Constraint> constraints;
    std::vector<Gear> gears;
    std::vector<Rolling> rollings;
    std::vector<Motion> motions;
    std::vector<JointMotion> joint_motions;
    std::vector<UserSpeed> speeds;
    std::vector<Output> outputs;
    std::vector<Event> events;
    std::vector<InitialValue> initial;  ///< held exactly
    std::vector<InitialValue> guess;    ///< where assembly starts
    bool elastic_assembles = false;     ///< loops may be closed by bending beams; otherwise these stay as they begin
    std::vector<SymbolText> symbols;    ///< for pages of formulas; nothing else reads them
    std::vector<DrawnShape> shapes;     ///< for pictures; nothing else reads them
};

/// A model with a pool of its own and nothing but the ground in it.
Model empty_model(std::string name = {});

std::optional<BodyIndex> find_body(const Model& model, std::string_view name);
std::optional<std::size_t> find_joint(const Model& model, std::string_view name);

/// The given parameters and inputs replaced everywhere by their values: what `--freeze` does.
void freeze(Model& model, const std::vector<std::string>& names);

}  // namespace linkwright::model
