#include "linkwright/numeric/motion_in_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace linkwright::numeric {

std::string motion_in_words(const Eigen::VectorXd& motion, const std::vector<std::string>& names) {
    const double most = motion.size() == 0 ? 0 : motion.cwiseAbs().maxCoeff();
    std::vector<std::string> parts;
    for (Eigen::Index i = 0; i < motion.size() && most > 0; ++i) {
        const double x = motion[i] / most;
        if (std::abs(x) < 1e-3) continue;
        if (parts.size() == 6) {
            parts.push_back("…");
            break;
        }
        parts.push_back(std::abs(x - 1) < 1e-12 ? names[i] : fmt::format("{:.3g} {}", x, names[i]));
    }
    return fmt::format("{}", fmt::join(parts, " + "));
}

}  // namespace linkwright::numeric
