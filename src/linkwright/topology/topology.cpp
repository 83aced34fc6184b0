#include "linkwright/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "linkwright/topology/massless.hpp"
#include "linkwright/topology/plane.hpp"

namespace linkwright::topology {

namespace {

/// Which bodies hang together, by union and find.
class Components {
public:
    explicit Components(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }
    std::size_t of(std::size_t i) {
        while (above_[i] != i) i = above_[i] = above_[above_[i]];
        return i;
    }
    bool join(std::size_t a, std::size_t b) {
        a = of(a), b = of(b);
        if (a == b) return false;
        above_[a] = b;
        return true;
    }

private:
    std::vector<std::size_t> above_;
};

Topology tree_of(const model::Model& model, const std::vector<bool>& is_cut) {
    Topology t;
    const std::size_t n = model.bodies.size();
    t.arc.resize(n);
    t.outer.resize(n);
    t.is_cut = is_cut;
    std::vector<std::vector<std::size_t>> joints_at(n);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        if (is_cut[j]) {
            t.chords.push_back(j);
        } else {
            joints_at[model.joints[j].parent].push_back(j);
            joints_at[model.joints[j].child].push_back(j);
        }
    }
    std::vector<bool> is_reached(n, false);
    is_reached[model::ground] = true;
    t.order.push_back(model::ground);
    for (std::size_t k = 0; k < t.order.size(); ++k) {  // breadth first
        const BodyIndex inner = t.order[k];
        for (const std::size_t j : joints_at[inner]) {
            const model::Joint& joint = model.joints[j];
            const bool is_reversed = joint.child == inner;
            const BodyIndex outer = is_reversed ? joint.parent : joint.child;
            if (is_reached[outer]) continue;
            is_reached[outer] = true;
            t.arc[outer] = Arc{j, inner, is_reversed};
            t.outer[inner].push_back(outer);
            t.order.push_back(outer);
        }
    }
    return t;
}

/// The joints of the tree between two bodies, from the first to the second.
std::vector<std::size_t> way(const Topology& t, BodyIndex from, BodyIndex to) {
    const auto to_ground = [&](BodyIndex b) {
        std::vector<std::size_t> joints;
        for (; t.arc[b]; b = t.arc[b]->inner) joints.push_back(t.arc[b]->joint);
        return joints;
    };
    std::vector<std::size_t> a = to_ground(from), b = to_ground(to);
    while (!a.empty() && !b.empty() && a.back() == b.back()) a.pop_back(), b.pop_back();
    a.insert(a.end(), b.rbegin(), b.rend());
    return a;
}

}  // namespace

Analysis analyse(const model::Model& model) {
    Analysis result;
    const std::size_t n = model.bodies.size();
    const auto problem = [&](Position where, std::string what, std::string hint) {
        result.problems.push_back({.severity = Diagnostic::Severity::error,
                                   .file = model.file,
                                   .where = where,
                                   .what = std::move(what),
                                   .hint = std::move(hint)});
    };
    std::vector<bool> is_cut(model.joints.size(), true);
    Components components(n);
    enum class Round : std::uint8_t { sections, joints, cut };  // a beam is never cut from its sections
    for (const Round round : {Round::sections, Round::joints, Round::cut}) {
        for (std::size_t j = 0; j < model.joints.size(); ++j) {
            const model::Joint& joint = model.joints[j];
            const Round own = joint.section ? Round::sections : joint.cut ? Round::cut : Round::joints;
            if (own != round || !components.join(joint.parent, joint.child)) continue;
            is_cut[j] = false;
            if (!joint.cut || joint.parent == joint.child) continue;
            result.problems.push_back({.severity = Diagnostic::Severity::warning,
                                       .file = model.file,
                                       .where = joint.where,
                                       .what = fmt::format("joint '{}' is not cut: nothing else connects the bodies it joins", joint.name),
                                       .hint = "only joints in a loop can be cut"});
        }
    }
    for (const model::Joint& joint : model.joints) {
        if (joint.parent != joint.child) continue;
        if (joint.parent == model::ground) {
            problem(joint.where, fmt::format("joint '{}' connects the ground to itself", joint.name), "name a body as its child");
        } else {
            problem(joint.where, fmt::format("joint '{}' connects body '{}' to itself", joint.name, model.bodies[joint.parent].name),
                    "name a different parent or child, or remove the joint");
        }
    }
    for (BodyIndex b = 1; b < n; ++b) {
        if (components.of(b) == components.of(model::ground)) continue;
        problem(model.bodies[b].where, fmt::format("no chain of joints connects body '{}' to the ground", model.bodies[b].name),
                "give it a joint; a body that moves freely has a joint of type \"free\" to the ground");
    }
    const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; };
    if (std::ranges::any_of(result.problems, is_error)) return result;

    Topology t = tree_of(model, is_cut);
    const auto loop_of = [&](std::size_t chord) {
        Loop loop{chord, way(t, model.joints[chord].parent, model.joints[chord].child), false};
        loop.is_planar = is_planar(model, loop);
        return loop;
    };
    // In a planar loop closing a joint with f freedoms takes 3 − f rows: the chord should have the most. An exchange
    // changes the way of other loops, so it is tried until nothing changes; freedoms of the chords only grow, so it
    // ends.
    for (bool is_settled = false; !is_settled;) {
        is_settled = true;
        for (const std::size_t chord : std::vector<std::size_t>(t.chords)) {
            if (model.joints[chord].cut) continue;
            const Loop loop = loop_of(chord);
            if (!loop.is_planar) continue;
            const auto freedoms_of = [&](std::size_t j) { return freedoms(model.joints[j].type, model.joints[j].axes.size()); };
            std::size_t best = chord;
            for (const std::size_t j : loop.joints) {
                if (freedoms_of(j) > freedoms_of(best)) best = j;
            }
            if (best == chord) continue;
            is_cut[chord] = false;
            is_cut[best] = true;
            t = tree_of(model, is_cut);
            is_settled = false;
        }
    }
    for (const std::size_t chord : t.chords) t.loops.push_back(loop_of(chord));
    const Diagnostics massless = find_massless(model, t);
    result.problems.insert(result.problems.end(), massless.begin(), massless.end());
    if (massless.empty()) result.topology = std::move(t);
    return result;
}

}  // namespace linkwright::topology
