#pragma once
// A tree in Simbody, without force elements: its operators are handed forces and weights directly. Loops are closed by constraints.

#include <memory>

#include "tree.hpp"

namespace linkwright::bench {

class SimbodyModel {
public:
    explicit SimbodyModel(const Tree& tree);
    ~SimbodyModel();
    SimbodyModel(const SimbodyModel&) = delete;
    SimbodyModel& operator=(const SimbodyModel&) = delete;

    static std::string version();

    /// Accelerations of the joints, by articulated bodies (calcAccelerationIgnoringConstraints), of closed loops with multipliers
    /// (calcAcceleration).
    void forward(const Posture& at, std::vector<double>& accelerations);
    /// Forces of the joints, by Newton and Euler (calcResidualForceIgnoringConstraints).
    void inverse(const Posture& at, std::vector<double>& forces);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace linkwright::bench
