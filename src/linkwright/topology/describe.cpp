#include "linkwright/topology/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/topology/massless.hpp"
#include "linkwright/topology/matrices.hpp"

namespace linkwright::topology {

namespace {

std::string counted(long n, std::string_view one, std::string_view many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

/// Along which axes the slides across a joint's axis run, where that is not what their names say: x, y, axis are cyclic.
std::string directions(const model::Joint& joint) {
    const auto is_across = [](const model::StepPattern& step) { return step.axis.from == model::StepAxis::From::across; };
    const auto patterns = model::steps_of(joint.type, joint.axes.size());
    if (std::ranges::none_of(patterns, is_across)) return "";
    const std::vector<model::JointStep> steps = model::joint_steps(joint);
    std::string text;
    bool is_told = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!is_across(patterns[i])) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            if (!steps[i].axis[k].is_literally(1)) continue;
            text +=
                fmt::format("{} {} runs along {}", text.empty() ? "" : ",", joint.coordinates[steps[i].coordinate].symbol().name, "xyz"[k]);
            is_told |= k != patterns[i].axis.k;
        }
    }
    return is_told ? fmt::format("joint '{}' ({}):{} of the joint axes\n", joint.name, to_string(joint.type), text) : "";
}

}  // namespace

long rows(const model::Model& model, const Loop& loop) {
    const model::Joint& chord = model.joints[loop.chord];
    return (loop.is_planar ? 3 : 6) - static_cast<long>(freedoms(chord.type, chord.axes.size()));
}

FreedomCount count_freedoms(const model::Model& model, const Topology& t) {
    FreedomCount n;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        if (t.is_cut[j]) continue;
        n.tree += static_cast<long>(freedoms(model.joints[j].type, model.joints[j].axes.size()));
        n.prescribed += static_cast<long>(prescribed_speeds(model, j));
    }
    for (const Loop& loop : t.loops) n.loop_rows += rows(model, loop);
    n.other_rows = static_cast<long>(model.rods.size() + model.gears.size() + model.rollings.size());
    for (const model::Constraint& c : model.constraints) ++(c.is_holonomic ? n.other_rows : n.no_slip_rows);
    for (const model::Rolling& r : model.rollings) n.no_slip_rows += r.type == model::RollingType::knife_edge ? 1 : 2;
    return n;
}

std::string describe(const model::Model& model, const Loop& loop) {
    const model::Joint& chord = model.joints[loop.chord];
    std::string text = fmt::format("closed by '{}' ({}) from '{}' to '{}'; around the loop: {}", chord.name, to_string(chord.type),
                                   model.bodies[chord.parent].name, model.bodies[chord.child].name, model.bodies[chord.parent].name);
    BodyIndex body = chord.parent;
    for (const std::size_t s : loop.joints) {
        const model::Joint& joint = model.joints[s];
        body = joint.parent == body ? joint.child : joint.parent;
        if (joint.section)
            text += fmt::format(" - {}", model.bodies[body].name);
        else
            text += fmt::format(" - {} - {}", joint.name, model.bodies[body].name);
    }
    return text + fmt::format("; {}{}", loop.is_planar ? "planar, " : "", counted(rows(model, loop), "row", "rows"));
}

std::string describe_graph(const model::Model& model, const Topology& t) {
    const auto size = [](const auto& list) { return static_cast<long>(list.size()); };
    const long sections = std::ranges::count_if(model.joints, [](const model::Joint& j) { return j.section.has_value(); });
    std::string text = fmt::format("{} besides the ground in {}, {}, {}{}\n", counted(size(model.bodies) - 1 - sections, "body", "bodies"),
                                   counted(size(chains(t)), "chain", "chains"), counted(size(model.joints) - sections, "joint", "joints"),
                                   counted(size(t.loops), "loop", "loops"),
                                   sections == 0 ? "" : fmt::format(", {} of beams", counted(sections, "section", "sections")));
    for (std::size_t i = 0; i < t.loops.size(); ++i) text += fmt::format("loop {}: {}\n", i + 1, describe(model, t.loops[i]));
    for (const model::Joint& joint : model.joints) text += directions(joint);
    return text;
}

std::string describe_count(const model::Model& model, const Topology& t) {
    const FreedomCount n = count_freedoms(model, t);
    std::string text = fmt::format("degrees of freedom: {} of the tree", n.tree);
    if (n.loop_rows != 0) text += fmt::format(" - {} of loops", counted(n.loop_rows, "row", "rows"));
    if (n.other_rows != 0) text += fmt::format(" - {} of constraints", counted(n.other_rows, "row", "rows"));
    if (n.prescribed != 0) text += fmt::format(" - {} prescribed", n.prescribed);
    if (n.tree != n.positions()) text += fmt::format(" = {}", n.positions());
    if (n.no_slip_rows != 0) text += fmt::format("; {} velocity constraints leave {}", n.no_slip_rows, n.speeds());
    text += '\n';
    if (n.speeds() < 0 || (n.positions() < 1 && !t.loops.empty())) {
        text += "by this count the mechanism is rigid; if it moves, constraints are redundant\n";
    }
    return text;
}

std::string describe(const model::Model& model, const Topology& t) { return describe_graph(model, t) + describe_count(model, t); }

}  // namespace linkwright::topology
