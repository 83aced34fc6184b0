#include "linkwright/kinematics/jacobians.hpp"

#include <algorithm>

namespace linkwright::kinematics {

std::vector<std::vector<Column>> jacobians(const Mechanism& m) {
    std::vector<std::vector<Column>> columns(m.X_W.size());
    for (const BodyIndex b : m.topology->order) {
        if (b == model::ground) continue;
        for (const auto& [i, S] : columns[m.topology->arc[b]->inner]) columns[b].push_back({i, to_inner(m.X_inner[b], S)});
        for (const auto& [i, S] : m.across[b]) {
            const auto met = std::ranges::find(columns[b], i, &Column::freedom);
            if (met == columns[b].end())
                columns[b].push_back({i, S});
            else  // a beam that hangs on one of its sections
                met->S += S;
        }
    }
    return columns;
}

}  // namespace linkwright::kinematics
