#pragma once
// What a joint does, as a table: every joint is a few elementary steps in a row.
//
// A step is a turn about an axis, a slide along one, a screw that does both, a ball that turns any way, or a place that travels
// any way. The child's joint frame in the parent's is the product of the steps, X = X_1 X_2 …, each seen from the frame that
// those before it have reached. A cylindrical joint is a slide and a turn about one axis, a planar joint two slides and a turn,
// a free joint a place and a ball.
//
// Nothing else about a type is written down anywhere: names, numbers of coordinates and speeds, which coordinates are angles,
// columns of motion, moves of a linkage, directions that are held, planes that are kept and motions without inertia are read
// off the steps by whoever asks. Only what holds a cut joint together is no matter of steps; kinematics/closure.cpp has it.
//
// What must hold of every row, and is checked when the table is compiled:
//
// - The steps' coordinates are numbered without gaps, and so are their speeds, in the order in which the joint lists them.
// - A turn, slide or screw has one coordinate, and its rate is the speed of the same number.
// - Travel comes before turning. A screw, a ball and a place are each the only one of its kind; a screw is alone.
// - Coordinates before Euler parameters are those of travel, in the order of the steps.

#include <array>
#include <span>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

enum class StepKind : std::uint8_t {
    turn,   ///< about the axis, by the coordinate
    slide,  ///< along the axis, by the coordinate
    screw,  ///< both: turn by the coordinate, slide by pitch · coordinate
    ball,   ///< R(e0, e1, e2, e3), Euler parameters; speeds ω in the axes that are reached
    place,  ///< p = (x, y, z); speeds v in the axes that the whole joint reaches
};

constexpr std::size_t coordinates_of(StepKind kind) { return kind == StepKind::ball ? 4 : kind == StepKind::place ? 3 : 1; }
constexpr std::size_t speeds_of(StepKind kind) { return kind == StepKind::ball || kind == StepKind::place ? 3 : 1; }

/// Where a step has its axis from.
struct StepAxis {
    enum class From : std::uint8_t {
        joint,   ///< the joint's axis number k
        across,  ///< across the joint's first axis a: (x, y, a) cyclic; x for k = 0, y for k = 1
        frame,   ///< the coordinate axis number k of the joint frame
    };
    From from = From::joint;
    std::uint8_t k = 0;
};

/// A step of a type, before the joint's axes are known.
struct StepPattern {
    StepKind kind = StepKind::turn;
    std::uint8_t coordinate = 0;  ///< number of the first
    std::uint8_t speed = 0;       ///< likewise
    StepAxis axis;                ///< of a turn, slide or screw
    std::string_view part;        ///< last part of its coordinate's name; a ball and a place have names of their own
};

/// What a type's axes are called in a file.
enum class AxesKey : std::uint8_t {
    none,
    axis,  ///< one
    axes,  ///< as many as there are when none are given
    some,  ///< `axes` too, or fewer; there are as many steps, named after their axes
};

/// A row of the table. Two rows may have one word: giving `axes` to the first means the second.
struct JointPattern {
    JointType type = JointType::weld;
    std::string_view word;  ///< in files
    AxesKey key = AxesKey::none;
    std::string_view axes;   ///< when none are given, by letters
    std::uint8_t count = 0;  ///< of steps
    std::array<StepPattern, 6> all{};

    constexpr std::span<const StepPattern> steps() const { return {all.data(), count}; }
};

std::span<const JointPattern> joint_patterns();  ///< in the order of JointType
const JointPattern& pattern_of(JointType type);
/// The steps of a joint that has this many axes.
std::span<const StepPattern> steps_of(JointType type, std::size_t axes);

/// What the word of this type means beside `axes`.
JointType with_axes(JointType type);

/// A step of a joint.
struct JointStep {
    StepKind kind;
    std::size_t coordinate;  ///< number of the first in the joint's list
    std::size_t speed;       ///< likewise
    Vec3 axis;               ///< of a turn, slide or screw, in joint axes
    Expr pitch;              ///< of a screw
};
std::vector<JointStep> joint_steps(const Joint& joint);

// Answers that many want.

/// Whether the speed number i is the rate of the coordinate number i; otherwise it belongs to a ball or a place.
bool is_rate(JointType type, std::size_t i);
/// Whether the coordinate number i is an angle that begins again after a full turn. That of a screw does not.
bool is_angle(JointType type, std::size_t i);
/// Whether the joint's points on child and parent move apart.
bool travels(JointType type);

}  // namespace linkwright::model
