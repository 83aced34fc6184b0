#include "linkwright/session/quantities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linkwright::session {

bool Quantities::has(std::string_view name) const { return std::ranges::find(also, name) != also.end(); }

namespace {

bool has_frames(const Quantities& q) { return q.has("J") || q.has("Lambda"); }

}  // namespace

Diagnostics check(const Quantities& quantities, const std::vector<std::string>& others) {
    std::vector<std::string> known{"g", "C", "causes", "J", "Lambda"};
    known.insert(known.end(), others.begin(), others.end());
    Report report;
    for (const std::string& name : quantities.also) {
        if (std::ranges::find(known, name) == known.end())
            report.error(fmt::format("--also: unknown quantity '{}'", name), fmt::format("there are {}", fmt::join(known, ", ")));
    }
    if (!quantities.frames.empty() && !has_frames(quantities))
        report.error("--frame is for Jacobians and operational-space inertia", "add --also J or --also Lambda");
    return report.problems;
}

formulation::Options what_it_takes(const Quantities& q) {
    return {.shares = q.has("g") || q.has("C") || q.has("causes"),
            .all_frames = has_frames(q) && q.frames.empty(),
            .frames = has_frames(q) ? q.frames : std::vector<std::string>{}};
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
