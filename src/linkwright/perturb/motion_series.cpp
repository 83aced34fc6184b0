#include "linkwright/perturb/motion_series.hpp"

#include <algorithm>

namespace linkwright::perturb {

namespace {

std::string name_of(const sym::Expr& symbol) { return symbol.symbol().name; }

/// "base" of base.e0, base.e1, …; of other names the first of them.
std::string name_of(const eom::EquationsOfMotion& e, const std::array<std::size_t, 4>& quaternion) {
    const std::string first = name_of(e.q[quaternion[0]]);
    const std::size_t dot = first.rfind('.');
    if (dot == std::string::npos) return first;
    const std::string stem = first.substr(0, dot);
    const bool is_shared = std::ranges::all_of(quaternion, [&](std::size_t i) { return name_of(e.q[i]).starts_with(stem + "."); });
    return is_shared ? stem : first;
}

}  // namespace

LocalCoordinates local_coordinates(const eom::EquationsOfMotion& e) {
    LocalCoordinates local;
    std::vector<int> group(e.q.size(), -1);
    for (std::size_t k = 0; k < e.quaternions.size(); ++k) {
        for (const std::size_t i : e.quaternions[k]) group[i] = static_cast<int>(k);
    }
    std::vector<bool> is_done(e.quaternions.size(), false);
    for (std::size_t i = 0; i < e.q.size(); ++i) {
        if (group[i] < 0) {
            local.names.push_back(name_of(e.q[i]));
            local.places.push_back({i, std::nullopt, 0});
            continue;
        }
        const std::size_t k = group[i];
        if (is_done[k]) continue;
        is_done[k] = true;
        for (unsigned axis = 0; axis < 3; ++axis) {
            static constexpr const char* names[] = {".turn.x", ".turn.y", ".turn.z"};
            local.names.push_back(name_of(e, e.quaternions[k]) + names[axis]);
            local.places.push_back({0, k, axis});
        }
    }
    return local;
}

}  // namespace linkwright::perturb
