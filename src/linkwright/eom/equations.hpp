#pragma once
// The equations of motion as plain data: what every formulation returns and all that presentation, code generation and
// the numeric rooms accept.
//
//     q̇ = N(q, t) u + ν(q, t)
//     ẋ = g(q, u, x, w, t)                        filters, motors, controllers; none for a bare mechanism
//     M(q, t) u̇ + G(q, t)ᵀ λ = f(q, u, x, w, t)
//     G u̇ = γ(q, u, t)                            rows of constraints; none for a tree
//
// q coordinates, x auxiliary states, u speeds, w inputs, λ multipliers. f never contains constraint forces. Every expression lives in `pool`;
// symbols of coordinates, auxiliary states, speeds, accelerations, multipliers, inputs, parameters and t are its only leaves.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/base/crossing.hpp"
#include "linkwright/base/sample_method.hpp"
#include "linkwright/eom/strands.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::eom {

using sym::Expr;
using sym::Matrix;

struct Parameter {
    Expr symbol;
    Expr value;        ///< a number, or an expression in other parameters
    std::string unit;  ///< SI
    std::string about;
    bool is_shape_constant = false;  ///< an integral over a beam's shapes
};

struct Input {
    Expr symbol;
    Expr value;  ///< when nothing drives it: an expression in t and parameters
    std::string unit, about;
};

/// One row of constraints.
struct Constraint {
    std::string name;   ///< "E3.x": the joint, rod, wheel or gear, and which of its rows
    std::string about;  ///< the same in words: "joint 'E3' holds its point along the ground's x"
    bool is_holonomic = true;
    Expr phi;             ///< position residual; 0 for a nonholonomic row
    Expr rate;            ///< velocity residual, affine in u: G u + ∂φ/∂t
    std::vector<Expr> G;  ///< one entry for each speed
    Expr gamma;           ///< G u̇ = γ
    Expr lambda;          ///< its multiplier's symbol
};

/// A row of constraints that holds whatever the coordinates are: it is in no equation, but joints were counted with it.
struct SatisfiedConstraint {
    std::string name, about;
};

/// What must be positive at an assembled state: axes of a closed joint point the same way, not opposite ways.
struct Branch {
    std::string name;
    Expr positive;
};

struct Output {
    std::string name;  ///< "tip.x"
    Expr value;        ///< may use u̇ and λ
};

/// Something worth knowing the time of: `when` crosses zero.
struct Event {
    std::string name;
    Expr when;  ///< an expression in q, u, x, w, t
    Crossing direction = Crossing::both;
    bool stops = false;  ///< otherwise it is recorded and the motion goes on
};

/// A filter that runs in a computer: at every multiple of the period y = x₁ + D·input is put out and held, and x goes on to the next
/// sample. Between samples neither moves: their rates are 0.
struct Sampled {
    std::string name;
    Expr period;
    SampleMethod method = SampleMethod::hold;
    std::vector<std::size_t> x;  ///< places of its states among the auxiliary ones
    std::size_t held = 0;        ///< and of y
    Matrix A;                    ///< ẋ = A x + B·input of the filter that is sampled
    std::vector<Expr> B;
    Expr D, input;
};

/// A value at the beginning: `what` is a coordinate, a speed, an auxiliary state, or an expression of them (a cut joint's coordinate).
struct Initial {
    std::string name;
    Expr what;
    Expr value;           ///< in parameters
    bool is_held = true;  ///< exactly; otherwise only where assembly starts
    bool is_speed = false;
};

/// The frame of a body in the ground, for drawing, and its centre of mass.
struct BodyPose {
    std::string name;
    std::array<std::array<Expr, 3>, 3> R;
    std::array<Expr, 3> p, com;
    std::vector<std::array<Expr, 3>> line{};  ///< of a beam: points of its deflected axis, from one end to the other
};

/// What must stay small for the theory behind the equations to hold, such as the slope of a beam.
struct Validity {
    std::string what;  ///< "slope of 'arm' at x = 0.5"
    Expr value;
    double limit;  ///< of its size
};

/// A body's partial velocities: rows ω then v of the centre of mass, a column for each speed.
struct PartialVelocities {
    std::string body;
    std::array<std::vector<Expr>, 6> B;
    std::array<Expr, 6> rest;    ///< what does not depend on u (rheonomic)
    std::array<Expr, 6> Bdot_u;  ///< Ḃ u and the rates of `rest`: the acceleration left when u̇ = 0
};

/// What one cause brings to f: gravity, motion, springs and so on. All causes together are f.
struct ForceShare {
    std::string cause;  ///< "gravity", "velocity", "springs"
    std::vector<Expr> f;
};

/// How the speeds move a point and turn its body: v = J u + rest, v̇ = J u̇ + bias.
struct FrameJacobian {
    std::string name;               ///< of an output, or "hand.tip": a body and one of its points
    std::string about;              ///< what is measured, in which axes
    std::vector<std::string> rows;  ///< "wx", "vy": rotation about x, translation along y
    Matrix J;                       ///< a row for each of them, a column for each speed
    Matrix Jdot;                    ///< its rate
    std::vector<Expr> rest;         ///< what does not depend on u: given motions
    std::vector<Expr> bias;         ///< J̇ u and the rates of `rest`
};

/// Of a formulation that has more speeds than the tree has freedoms (six for each body): u = B s + b, where s are the speeds
/// of the tree's joints. M, f, G of the smaller form follow: G B = 0, Bᵀ M B, Bᵀ (f − M (Ḃ s + ḃ)).
struct Reduction {
    std::vector<Expr> s, sdot;  ///< symbols
    Matrix B;                   ///< a row for each u, a column for each s
    std::vector<Expr> b;        ///< what moves by itself: given motions
};

struct Energy {
    Expr kinetic, potential;
    Expr total() const { return kinetic + potential; }
};

struct Momentum {
    std::array<Expr, 3> linear, angular;  ///< ground axes; angular about the ground's origin
};

struct EquationsOfMotion {
    std::shared_ptr<sym::Pool> pool;
    std::string name;                      ///< of the model
    std::string formulation;               ///< "kane"
    std::vector<std::string> assumptions;  ///< a line for each beam: its frame, shapes, and the order of its kinetic energy
    Expr t;
    std::vector<Parameter> parameters;
    std::vector<Input> inputs;
    std::vector<Expr> q, u, udot;                         ///< symbols
    std::vector<std::array<std::size_t, 4>> quaternions;  ///< where in q the unit quaternions stand
    std::vector<std::string> q_units;                     ///< "rad", "m", or nothing, one for each q
    std::vector<Expr> qdot;                               ///< N u + ν, one for each q
    std::vector<Expr> x, xdot;                            ///< symbols, and g: nothing but f, power, outputs and events depends on x
    std::vector<std::string> x_units;                     ///< SI, one for each x; may be empty strings
    std::vector<std::size_t> steady;                      ///< of x: those that begin where their rates vanish
    std::vector<Sampled> sampled;                         ///< in the order in which they sample
    Matrix M;                                             ///< symmetric; the same node on both sides; empty where only `a` was asked for
    std::vector<Expr> inertias;                           ///< the diagonal of M, where M is empty
    std::vector<Expr> f;
    /// u̇ = a(q, u, x, w, t) of a tree, written out by a recursion of O(n); empty when the formulation has none.
    std::vector<Expr> a;
    Strands strands;  ///< of what `a` is made of; empty where nobody kept a record
    /// M u̇ − f in terms of the symbols u̇, by a recursion of O(n); empty likewise.
    std::vector<Expr> inverse;
    std::vector<Constraint> constraints;
    std::vector<SatisfiedConstraint> satisfied;
    std::vector<Branch> branches;
    Energy energy;
    Expr power;  ///< d(T + V)/dt: what actuators, dampers, given motions and moving constraints feed in; may use u̇ and λ
    Momentum momentum;
    std::vector<Output> outputs;
    std::vector<Event> events;
    std::vector<Initial> initial;
    std::vector<BodyPose> poses;
    std::vector<Validity> validity;
    std::vector<PartialVelocities> partial_velocities;  ///< only when asked for
    Matrix C;                                           ///< of the velocity forces C u, Ṁ − 2C skew-symmetric; only when asked for
    std::vector<ForceShare> shares;                     ///< f by cause; only when asked for
    std::vector<FrameJacobian> jacobians;               ///< of the frames that were asked for
    std::string axes;                                   ///< in which B is written: "body" or "ground"
    std::optional<Reduction> reduction;                 ///< empty when u are the speeds of the joints, or the user's own
};

/// A step of the derivation, for derive --steps: a symbol, what it is, its value as a matrix, and where that is written.
struct Step {
    std::string title;  ///< "Partial velocities of upper"
    std::string text;   ///< one or two sentences
    struct Line {
        std::string symbol;        ///< "B", "A[ground,upper]"
        Matrix value;              ///< rows; 1 × 1 for a scalar
        std::string definition{};  ///< how it is made of what came before: "sum over i of B[i]' M[i] B[i]"
        std::string note{};        ///< why it is what it is: "zero, because the joint does not slide"
        std::string citation{};    ///< of this line alone: "forehand (62)"
    };
    std::vector<Line> lines;
    std::string citation;  ///< "lynch88 (4.14)"
};

struct Derivation {
    std::vector<Step> steps;
};

/// The diagonal of M.
std::vector<Expr> inertias(const EquationsOfMotion& equations);

/// All that has a rate of first order: q, then x; and these rates. Many readers need not tell the two apart: both are carried by the
/// motion, only q is held by constraints and moved by speeds alone.
std::vector<Expr> q_and_x(const EquationsOfMotion& equations);
std::vector<Expr> qdot_and_xdot(const EquationsOfMotion& equations);

/// q → q̇, u → u̇, x → ẋ and t → 1: the total derivative with respect to time.
std::vector<sym::Binding> rates(const EquationsOfMotion& equations);

}  // namespace linkwright::eom
