#pragma once
// The tree of a mechanism taken apart into single moves, in frames chosen so that few operations are left.
//
// Every joint is brought to turns about and slides along its z axis. The frame of a link has z along its joint's axis and x
// along the common normal to the axis of the next joint, so that from link to link
//
//     X = Tz(b) Rz(γ) · Tx(d) Rx(α) · Rz(q + δ) Tz(r)         b = γ = 0 for the first joint that follows
//
// (Denavit and Hartenberg, as arranged for trees in [khalil86]). Origins slide along their axes, lines of travel are moved
// until they meet, welded bodies are one, and where z and z' are parallel nothing is left but d. The user's coordinates stay
// what they are: δ is a number, worked out from the frames of the file. Two files that place their frames differently, but
// mean the same axes, lengths and coordinates, lead to the same moves.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::recursive {

using spatial::Mat3;
using spatial::Pose;

/// Mass, first moment and second moment ∫ r rᵀ dm about the origin of a frame. The inertia tensor is tr(J) 1 − J. Turns act on h
/// and J as they are, a slide along one axis touches one entry of h and one row of J.
struct Moments {
    Expr m;
    Vec3 h;
    Mat3 J;

    friend Moments operator+(const Moments& a, const Moments& b) { return {a.m + b.m, a.h + b.h, a.J + b.J}; }
    bool is_zero() const;  ///< literally
};

inline constexpr std::size_t none = -1;

/// One move from an inner frame to the next.
struct Move {
    enum class Kind : std::uint8_t {
        root,    ///< no move: the ground, in the frame of one branch
        turn,    ///< about `axis`, by the angle of `c` and `s`
        slide,   ///< by `d` along `axis`
        rotate,  ///< by any rotation R, from the outer frame to the inner
        joint,   ///< nothing moves here; what lies outside moves with ΣS u, S fixed in this frame
    };
    Kind kind = Kind::root;
    std::size_t inner = 0;
    std::size_t axis = 2;
    Expr c = 1, s = 0, d = 0;
    Expr q = 0, c0 = 1, s0 = 0;  ///< of a turn: its angle is q + δ, δ by its cosine and sine
    Mat3 R{};
    bool is_fixed = true;  ///< depends on parameters at most
    struct MotionAxis {
        std::size_t freedom;
        Twist S;
    };
    std::vector<MotionAxis> ways{};  ///< of a joint
};

/// A wheel in a link.
struct Wheel {
    std::size_t move;  ///< whose frame `axis` refers to; none when it is welded to the ground
    Vec3 axis;
    Expr inertia;
    std::optional<Expr> speed;           ///< held
    std::optional<std::size_t> freedom;  ///< free
};

struct Linkage {
    std::vector<Move> moves;            ///< inner ones first; every branch from the ground begins with a root
    std::vector<Vec3> gravity;          ///< of each root, in its axes; of other moves nothing
    std::vector<Moments> true_moments;  ///< of what is fixed in each move's frame
    std::vector<Moments> moments;       ///< the same regrouped: what a joint cannot feel is counted with its inner link
    std::vector<Wheel> wheels;
    std::vector<std::size_t> move_of;  ///< in whose frame each body is fixed; none when it is welded to the ground
    std::vector<Pose> X_body;          ///< where in it
};

Linkage take_apart(const System& system);

/// Whether no symbol is in it.
bool is_constant(const Expr& e);
/// A fraction of many digits cut where no double could tell; any other expression as it is.
Expr shortened(const Expr& e);

// What a move does to things. `inwards`: given in its own frame, wanted in its inner one.
Vec3 inwards(const Move& move, const Vec3& v);
Vec3 outwards(const Move& move, const Vec3& v);
Wrench inwards(const Move& move, const Wrench& F);
Moments inwards(const Move& move, const Moments& a);
/// Two turns about one axis in a row as one.
Move joined(const Move& first, const Move& second);
/// R S Rᵀ, S symmetric.
Mat3 turned(const Move& move, const Mat3& S);

}  // namespace linkwright::formulation::recursive
