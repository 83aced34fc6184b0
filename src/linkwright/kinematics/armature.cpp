#include "linkwright/kinematics/armature.hpp"

#include <algorithm>
#include <unordered_map>

namespace linkwright::kinematics {

std::vector<Armature> armatures(const Mechanism& m) {
    std::vector<Armature> all;
    std::unordered_map<sym::NodeId, std::size_t> freedom_of;
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) freedom_of.emplace(m.freedoms[i].u.id(), i);
    for (std::size_t j = 0; j < m.model->joints.size(); ++j) {
        const model::Joint& joint = m.model->joints[j];
        for (std::size_t i = 0; i < joint.armature.size(); ++i) {
            if (joint.armature[i].is_literally(0)) continue;
            const Expr& u = joint.speeds[i];
            if (const auto freedom = freedom_of.find(u.id()); freedom != freedom_of.end()) {
                all.push_back({j, i, joint.armature[i], u, freedom->second});
                continue;
            }
            const auto known = std::ranges::find(m.defined, u, &sym::Binding::first);
            if (known != m.defined.end()) all.push_back({j, i, joint.armature[i], known->second, std::nullopt});
        }
    }
    return all;
}

}  // namespace linkwright::kinematics
