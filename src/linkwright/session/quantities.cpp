#include "linkwright/session/quantities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace linkwright::session {

bool Quantities::has(std::string_view name) const { return std::ranges::find(also, name) != also.end(); }

Diagnostics check(const Quantities& quantities) {
    constexpr std::array<std::string_view, 4> known{"g", "C", "causes", "J"};
    Report report;
    for (const std::string& name : quantities.also) {
        if (std::ranges::find(known, name) == known.end())
            report.error(fmt::format("--also: no quantity '{}'", name), fmt::format("there are {}", fmt::join(known, ", ")));
    }
    if (!quantities.frames.empty() && !quantities.has("J")) report.error("--frame is for Jacobians", "add --also J");
    return report.problems;
}

formulation::Options what_it_takes(const Quantities& q) {
    return {.shares = q.has("g") || q.has("C") || q.has("causes"),
            .all_frames = q.has("J") && q.frames.empty(),
            .frames = q.has("J") ? q.frames : std::vector<std::string>{}};
}

std::vector<sym::Expr> gravity_forces(const eom::EquationsOfMotion& e) {
    const auto weight = std::ranges::find(e.shares, "gravity", &eom::ForceShare::cause);
    std::vector<sym::Expr> g;
    if (weight == e.shares.end()) return g;
    const sym::PoolScope scope(*e.pool);
    for (const sym::Expr& x : weight->f) g.push_back(-x);
    return g;
}

}  // namespace linkwright::session
