#include "linkwright/session/inspection_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linkwright::session {

std::string counted(long n, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", n, n == 1 ? one : many.empty() ? one + "s" : many);
}

namespace {

/// "a", "a and b", "a, b and c"
std::string in_a_row(const std::vector<std::string>& parts) {
    if (parts.size() < 2) return parts.empty() ? "" : parts.front();
    return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

std::string kind(const Inspection& r, const topology::Topology& t) {
    if (!t.loops.empty()) return "A closed mechanism";
    if (r.bodies.size() < 2) return "A mechanism";
    const bool is_chain = std::ranges::all_of(t.outer, [](const auto& outer) { return outer.size() <= 1; });
    return is_chain ? "An open chain" : "A tree";
}

std::string members(const Inspection& r) {
    const long beams = std::ranges::count(r.bodies, true, &Inspection::OwnBody::is_beam), rigid = std::ssize(r.bodies) - beams;
    std::vector<std::string> parts;
    if (rigid > 0) parts.push_back(counted(rigid, "rigid body", "rigid bodies"));
    if (beams > 0) parts.push_back(counted(beams, "elastic beam"));
    parts.push_back(counted(std::ssize(r.joints), "joint"));
    return in_a_row(parts);
}

/// Rows that hold a cut joint together are what its loop is; others are constraints of their own.
std::string restrictions(const Inspection& r, const Session& session) {
    const topology::Topology& t = session.topology();
    std::vector<std::string> parts;
    const bool all_planar = std::ranges::all_of(t.loops, &topology::Loop::is_planar);
    if (!t.loops.empty()) parts.push_back(counted(std::ssize(t.loops), all_planar ? "planar loop" : "loop"));
    const auto closes_a_loop = [&](const Inspection::Row& row) {
        return std::ranges::any_of(t.chords, [&](std::size_t j) { return row.name.starts_with(session.model().joints[j].name + "."); });
    };
    long holonomic = 0, nonholonomic = 0;
    for (const Inspection::Row& row : r.rows) {
        if (!row.is_holonomic) ++nonholonomic;
        if (row.is_holonomic && !closes_a_loop(row)) ++holonomic;
    }
    const std::string further = t.loops.empty() ? "" : "further ";
    if (holonomic > 0) parts.push_back(counted(holonomic, further + "holonomic constraint"));
    if (nonholonomic > 0) parts.push_back(counted(nonholonomic, "nonholonomic constraint"));
    return parts.empty() ? "" : " with " + in_a_row(parts);
}

}  // namespace

std::string summarise(const Inspection& r, const Session& session) {
    const model::Model& m = session.model();
    std::string text = fmt::format("{} of {}{}: ", kind(r, session.topology()), members(r), restrictions(r, session));
    const std::string freedoms = counted(static_cast<long>(r.freedoms), "degree of freedom", "degrees of freedom");
    const bool is_given = !m.motions.empty() || !m.joint_motions.empty();
    if (!r.closed.is_ok()) return text + "it does not close from its initial values.";
    text += freedoms;
    if (r.freedoms == 0) text += is_given ? " (it moves as given)" : " (it cannot move)";
    if (r.nearby.is_singular()) text += ", at a singular position";
    if (r.redundant() > 0) text += ", " + counted(r.redundant(), "redundant constraint");
    return text + ".";
}

}  // namespace linkwright::session
