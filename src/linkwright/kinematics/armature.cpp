#include "linkwright/kinematics/armature.hpp"

#include <algorithm>

namespace linkwright::kinematics {

std::vector<Armature> armatures(const Mechanism& m) {
    std::vector<Armature> all;
    for (std::size_t j = 0; j < m.model->joints.size(); ++j) {
        const model::Joint& joint = m.model->joints[j];
        for (std::size_t i = 0; i < joint.armature.size(); ++i) {
            if (joint.armature[i].is_literally(0)) continue;
            const Expr& u = joint.speeds[i];
            const auto freedom = std::ranges::find(m.freedoms, u, &Freedom::u);
            if (freedom != m.freedoms.end()) {
                all.push_back({j, i, joint.armature[i], u, static_cast<std::size_t>(freedom - m.freedoms.begin())});
                continue;
            }
            const auto known = std::ranges::find(m.defined, u, &sym::Binding::first);
            if (known != m.defined.end()) all.push_back({j, i, joint.armature[i], known->second, std::nullopt});
        }
    }
    return all;
}

}  // namespace linkwright::kinematics
