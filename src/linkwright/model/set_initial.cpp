// `--initial name=value`.

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/base/text.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::model {

namespace {

Diagnostic problem(std::string what, std::string hint = {}) {
    return {.file = {}, .where = {}, .what = std::move(what), .hint = std::move(hint)};
}

/// What may begin somewhere, and its SI unit where the joint tells.
struct Beginner {
    Expr symbol;
    std::string unit;
};

std::vector<Beginner> beginners(const Model& m) {
    std::vector<Beginner> all;
    for (const Joint& joint : m.joints) {
        const auto quaternion = quaternion_at(joint.type);
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
            const bool is_euler = quaternion && i >= *quaternion && i < *quaternion + 4;
            all.push_back({joint.coordinates[i], is_euler ? "" : is_angle(joint.type, i) ? "rad" : "m"});
        }
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
            const bool follows = is_rate(joint.type, i) && !quaternion;
            all.push_back({joint.speeds[i], !follows ? "" : is_angle(joint.type, i) ? "rad/s" : "m/s"});
        }
    }
    for (const Body& b : m.bodies) {
        for (const Rotor& r : b.rotors) {
            if (r.spin) all.push_back({*r.spin, "rad/s"});
        }
        if (!b.beam) continue;
        for (const Expr& q : b.beam->elastic.coordinates) all.push_back({q, ""});
        for (const Expr& u : b.beam->elastic.speeds) all.push_back({u, ""});
    }
    for (const UserSpeed& u : m.speeds) all.push_back({u.symbol, ""});
    for (const AuxiliaryState& x : m.states) all.push_back({x.symbol, ""});
    return all;
}

/// Whether a motion of the file says where it is.
bool is_given(const Model& m, const Expr& symbol) {
    const auto moves = [&](const Joint& joint, auto wants) {
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
            if (!wants(joint.coordinates[i])) continue;
            if (joint.coordinates[i] == symbol) return true;
            if (i < joint.speeds.size() && is_rate(joint.type, i) && joint.speeds[i] == symbol) return true;
        }
        return false;
    };
    for (const Joint& joint : m.joints) {
        const auto is_moved = [&](const Expr& q) { return std::ranges::find(m.motions, q, &Motion::coordinate) != m.motions.end(); };
        if (moves(joint, is_moved)) return true;
    }
    return std::ranges::any_of(m.joint_motions, [&](const JointMotion& motion) {
        const Joint& joint = m.joints[motion.joint];
        return std::ranges::find(joint.coordinates, symbol) != joint.coordinates.end() ||
               std::ranges::find(joint.speeds, symbol) != joint.speeds.end();
    });
}

}  // namespace

std::optional<Diagnostic> set_initial(Model& model, std::string_view name, std::string_view text) {
    const sym::PoolScope scope(*model.pool);
    const std::vector<Beginner> all = beginners(model);
    const auto at = std::ranges::find(all, name, [](const Beginner& b) -> std::string_view { return b.symbol.symbol().name; });
    if (at == all.end()) {
        std::vector<std::string> names;
        for (const Beginner& b : all) names.push_back(b.symbol.symbol().name);
        const auto meant = did_you_mean(name, names);
        return problem(fmt::format("unknown coordinate, speed or state '{}'", name),
                       meant ? fmt::format("did you mean '{}'?", *meant) : "");
    }
    if (is_given(model, at->symbol))
        return problem(fmt::format("'{}' is prescribed by a motion", name), "leave it out: its value follows from the motion");
    const auto find = [&](std::string_view word) {
        auto s = model.pool->find_symbol(word);
        return s && s->symbol().role == sym::Role::parameter ? s : std::nullopt;
    };
    Expr value;
    if (const auto given = quantity(text); given && !find(given->unit)) {
        const UnitFactor unit = unit_factor(given->unit);
        if (!at->unit.empty() && unit.si != at->unit)
            return problem(fmt::format("'{}' is in {}, which '{}' does not convert to", name, at->unit, given->unit));
        value = Expr(given->number) * *unit.factor;
    } else {
        const sym::Names names{find, [&] {
                                   std::vector<std::string> known;
                                   for (const Parameter& p : model.parameters) known.push_back(p.symbol.symbol().name);
                                   return known;
                               }};
        sym::Parsed parsed = sym::parse(text, names, *model.pool);
        if (!parsed.expr) return parsed.problems.front();
        if (parsed.expr->is_undefined()) return problem(fmt::format("'{}' has no value", text));
        value = *parsed.expr;
    }
    const auto is_same = [&](const InitialValue& x) { return x.symbol == at->symbol; };
    std::erase_if(model.initial, is_same);
    std::erase_if(model.guess, is_same);
    model.initial.push_back({at->symbol, value, {}});
    return std::nullopt;
}

}  // namespace linkwright::model
