#pragma once
// What pushes in a picture: springs, forces, torques, and what acts along the freedoms of joints, as expressions of the state.

#include "linkwright/eom/equations.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::report {

/// In the order of the scene: for each spring its stiffness, damping, rest length and actuator force; for each force, then each torque its three
/// components; for each freedom of each joint with forces −stiffness·(q − rest) − damping·u + actuator.
struct Loads {
    std::vector<sym::Expr> expressions;
    /// False: it is made of what only equations know (a measured point, a reaction). Its expression is 0 then.
    std::vector<bool> is_known;
};

/// Expressions are in the pool of the equations.
Loads make_loads(const model::Model& model, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::report
