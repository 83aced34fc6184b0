#pragma once
// Closing a cut joint: the rows that hold it together, and its coordinates in terms of the tree's.

#include <cstdint>
#include <string>

#include "linkwright/kinematics/mechanism.hpp"

namespace linkwright::kinematics {

/// One row of constraints and what it does to bodies.
///
/// A holonomic row is φ(q, t) = 0, a nonholonomic one rate(q, u, t) = 0, affine in u. `shares` tell which wrenches its
/// multiplier stands for: the generalized force −λ ∂rate/∂u is that of the wrenches −λ·on on the bodies, in body axes about
/// the body's origin. Rows between coordinates (gears, the user's own) act inside joints, as actuators do: for joints of the
/// tree they have no wrenches, for cut joints those of wrench_of().
struct Row {
    /// What the residual is a difference of: that tells what rounding may have left of a zero, whatever it was folded into.
    enum class Measure : std::uint8_t {
        own,     ///< the terms of the expression, as somebody wrote it
        turn,    ///< products of unit vectors
        length,  ///< lengths of the mechanism
    };
    std::string name;
    std::string about;  ///< in words: what it holds
    bool is_holonomic = true;
    Expr phi;   ///< of a holonomic row
    Expr rate;  ///< of a nonholonomic row
    struct Share {
        BodyIndex body;
        Wrench on;
        std::size_t through = no_joint;  ///< the cut joint that brings it, on the share of that joint's child
    };
    static constexpr std::size_t no_joint = -1;
    std::vector<Share> shares;
    Position where;
    Measure measure = Measure::own;
};

/// A cut joint: F is its frame in the parent, C its frame in the child.
struct CutJoint {
    std::size_t joint;
    Pose X_WF, X_WC, X_FC;
    Twist V_FC;                     ///< of C in F, axes of C
    std::vector<Expr> coordinates;  ///< as functions of the tree's
    std::vector<Expr> speeds;
    std::vector<Row> rows;
    Expr same_way;  ///< positive when the joint is closed the right way round; 1 when there is no other way
};

/// Rows: the child's point minus the parent's in ground axes where all three are held (NAME.x NAME.y NAME.z), or across the
/// free directions in the parent's joint axes (NAME.px …), then the attitude in the parent's joint axes (NAME.rx …).
CutJoint close(const Mechanism& mechanism, std::size_t joint);

/// The shares of a wrench W on the child of a cut joint, in its joint axes, and of its opposite on the parent.
std::array<Row::Share, 2> shares_of(const model::Joint& joint, const CutJoint& cut, const Wrench& W);

}  // namespace linkwright::kinematics
