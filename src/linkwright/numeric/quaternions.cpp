#include "linkwright/numeric/quaternions.hpp"

#include <cmath>

namespace linkwright::numeric {

void normalise_quaternions(const eom::EquationsOfMotion& e, VectorXd& q) {
    for (const auto& group : e.quaternions) {
        double size = 0;
        for (const std::size_t i : group) size += q[i] * q[i];
        if (!(size > 0)) continue;
        for (const std::size_t i : group) q[i] /= std::sqrt(size);
    }
}

}  // namespace linkwright::numeric
