#pragma once
// What drives a model, in the words that MJCF has for it: actuators of joints, fixed tendons and sites with affine laws, tendons with springs, carried weight.
//
// Along the joints of one freedom the forces are to be A = b − K q − D q' + Σ G(q, q') s, with s the inputs and what filters make of them. An actuator pulls
// along one length L = Σ cᵢ qᵢ with the force (g₀ + g₁ L + g₂ L') s + b₀ + b₁ L + b₂ L', so that what an input does along several joints gives the cᵢ, and
// the entries of K and D off the diagonal b₁ and b₂. Entries that no input explains are springs and dampers of tendons; what is left on the
// diagonals belongs to the actuator of the joint, or to the joint itself.

#include <cstddef>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/exchange/robot.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::exchange {

/// Where the forces of a model act in a robot.
struct Acting {
    struct Axis {  ///< a joint of one freedom
        std::size_t joint;
        model::Expr q, u, force;
        Position where;
    };
    struct Ball {  ///< and a free joint, whose forces come after its torques
        std::size_t joint;
        std::vector<model::Expr> force;
        Position where;
    };
    std::vector<Axis> axes{};
    std::vector<Ball> balls{};
    std::vector<std::size_t> link_of{};  ///< of each body
    std::vector<Frame> X_BL{};           ///< the link's frame in it
};

/// Adds actuators, tendons and carried weight; warns of what has no word.
void add_actuation(const model::Model& model, const Acting& acting, Robot& robot, Diagnostics& problems);

}  // namespace linkwright::exchange
