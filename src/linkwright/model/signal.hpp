#pragma once
// What acts on a mechanism and is no body: motors, filters, trajectories. Plain data; form_signals.hpp makes states and signals of it.
//
// A *signal* is a name with a meaning: an expression in coordinates, speeds, inputs, t, parameters, auxiliary states, outputs and other
// signals. Its symbol has the role `auxiliary`; whoever derives equations puts the meaning in. Signals reach each other through states, or
// directly; a circle without a state in it has no meaning (circle_of_signals).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/base/sample_method.hpp"
#include "linkwright/sym/expr.hpp"

namespace linkwright::model {

struct Signal {
    sym::Expr symbol;  ///< "lead", "m1.torque", "ref'"
    sym::Expr value;
    std::string unit;
    Position where;
};

enum class MotorType : std::uint8_t {
    electric,   ///< z is the armature's current
    hydraulic,  ///< z is the pressure of the load
};

/// Both kinds are one equation [lee90 §5.4, (5.3)–(5.6)]:
///
///     storage ż = gain·input − back·(gear·speed) − loss·z,      force on the joint = gear·force·z
///
///                force  back  loss  gain  storage
///     electric   Kt     Kb    R     1     L
///     hydraulic  Dm     Dm    Kc    Kq    V/4β
///
/// `speed` is that of the joint's freedom, or the rate of a spring's length. Without storage (0 literally) z follows at once.
struct Motor {
    std::string name;
    MotorType type = MotorType::electric;
    std::size_t joint = 0, freedom = 0;  ///< which of the joint's speeds it drives; or
    std::optional<std::size_t> spring;   ///< along which spring it pushes: a cylinder between two points
    sym::Expr gear, input;
    sym::Expr force, back, loss, gain, storage;
    bool is_steady = false;  ///< begins where ż = 0
    Position where;
};

/// numerator(s)/denominator(s), highest power first, proper.
struct Filter {
    std::string name;
    sym::Expr input;
    std::vector<sym::Expr> numerator, denominator;  ///< the numerator is not longer
    std::int64_t scale = 0;                         ///< states are scaled by powers of 2^scale: see realise()
    bool is_steady = false;                         ///< begins where ẋ = 0
    std::optional<sym::Expr> sample;                ///< its period, when a computer runs it
    SampleMethod method = SampleMethod::hold;
    Position where;
};

enum class TrajectoryShape : std::uint8_t { cycloid, quintic, trapezoid, points };

/// A function of time from one value to another, constant before and after.
struct Trajectory {
    struct Knot {
        sym::Expr t;  ///< a number
        sym::Expr value;
    };
    std::string name;
    TrajectoryShape shape = TrajectoryShape::cycloid;
    sym::Expr from, to, start, duration;
    sym::Expr acceleration;    ///< of a trapezoid: the part of `duration` in which it speeds up, and again slows down
    std::vector<Knot> points;  ///< of a cubic spline, instead
    bool is_natural = false;   ///< the spline has no curvature at its ends; otherwise no slope
    Position where;
};

/// A filter that runs in a computer: at every multiple of the period y = C x + D·input is put out and held, and x goes on to the next
/// sample. Between samples neither moves. C = (1, 0, …).
struct Sampled {
    std::string name;
    sym::Expr period;
    SampleMethod method = SampleMethod::hold;
    std::vector<std::size_t> x;             ///< places of its states among the auxiliary ones
    std::size_t held = 0;                   ///< and of y
    std::vector<std::vector<sym::Expr>> A;  ///< of the continuous filter, as B and D
    std::vector<sym::Expr> B;
    sym::Expr D, input;
};

}  // namespace linkwright::model
