#pragma once
// A tree in MuJoCo, called as favourably as it can be: no contacts, limits, friction, passive forces, sensors or
// constraint solver; only the stages that lead from q, q̇ to the result. Loops are equality constraints, as stiff as MuJoCo has them.

#include <memory>

#include "tree.hpp"

namespace linkwright::bench {

class MujocoModel {
public:
    explicit MujocoModel(const Tree& tree);  ///< throws std::runtime_error when MuJoCo refuses the model
    ~MujocoModel();
    MujocoModel(const MujocoModel&) = delete;
    MujocoModel& operator=(const MujocoModel&) = delete;

    static const char* version();

    /// Accelerations of the joints, by composite bodies and a sparse factorisation of M: kinematics, M = LᵀDL, bias,
    /// solution. Of closed loops mj_forward.
    void forward(const Posture& at, std::vector<double>& accelerations);
    /// Forces of the joints, by Newton and Euler (mj_rne).
    void inverse(const Posture& at, std::vector<double>& forces);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace linkwright::bench
