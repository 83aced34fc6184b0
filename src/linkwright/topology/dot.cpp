#include "linkwright/topology/dot.hpp"

#include <fmt/format.h>

namespace linkwright::topology {

namespace {

/// A string of the dot language.
std::string quoted(std::string_view text) {
    std::string s = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') s += '\\';
        s += c;
    }
    return s + '"';
}

std::string escaped(std::string_view text) {
    const std::string s = quoted(text);
    return s.substr(1, s.size() - 2);
}

}  // namespace

std::string to_dot(const model::Model& model, const Topology& t) {
    std::string text = fmt::format(
        "digraph {} {{\n"
        "  rankdir=LR; nodesep=0.4; ranksep=0.9;\n"
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=12];\n"
        "  edge [fontname=\"Helvetica\", fontsize=10, color=\"#3b5b7c\", fontcolor=\"#3b5b7c\", arrowsize=0.7];\n\n",
        quoted(model.name.empty() ? "mechanism" : model.name));
    for (const BodyIndex b : t.order) {
        text += fmt::format("  b{} [label={}{}];\n", b, quoted(model.bodies[b].name),
                            b == model::ground ? ", style=filled, fillcolor=\"#d0d0d0\"" : "");
    }
    text += '\n';
    const auto label = [&](const model::Joint& joint) {
        return fmt::format("label=\"{}\\n{}\"", escaped(joint.name), to_string(joint.type));
    };
    for (const BodyIndex b : t.order) {  // away from the ground, so that the picture is layered like the tree
        if (!t.arc[b]) continue;
        text += fmt::format("  b{} -> b{} [{}{}];\n", t.arc[b]->inner, b, label(model.joints[t.arc[b]->joint]),
                            t.arc[b]->is_reversed ? ", dir=back" : "");
    }
    for (const std::size_t c : t.chords) {
        const model::Joint& joint = model.joints[c];
        text += fmt::format("  b{} -> b{} [{}, style=dashed, constraint=false, color=\"#b04a2f\", fontcolor=\"#b04a2f\"];\n", joint.parent,
                            joint.child, label(joint));
    }
    for (const model::Rod& rod : model.rods) {
        text += fmt::format("  b{} -> b{} [label=\"{}\\nrod\", style=dotted, dir=none, constraint=false];\n", rod.from.body, rod.to.body,
                            escaped(rod.name));
    }
    return text + "}\n";
}

}  // namespace linkwright::topology
