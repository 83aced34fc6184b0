// Draws the graph of an expression: reads one from the command line, writes Graphviz. The picture of the README is
//
//     draw "m*((l*u*cos(q))^2 + (l*u*sin(q))^2)/2" | dot -Tsvg > docs/graph.svg

#include <fmt/format.h>

#include <cstdio>

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/parse.hpp"

using namespace linkwright;
using namespace linkwright::sym;

namespace {

std::string label(const Expr& e) {
    switch (e.op()) {
        case Op::add: return "+";
        case Op::mul: return "×";
        case Op::pow: return "^" + e.exponent().to_string();
        case Op::number:
        case Op::pi:
        case Op::symbol:
        case Op::undefined: return print(e, {.style = Style::unicode});
        default: return std::string(function_name(e.op()));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string text = argc > 1 ? argv[1] : "m*((l*u*cos(q))^2 + (l*u*sin(q))^2)/2";
    Pool pool({.fold = false});
    const Names any_name{.find = [&](std::string_view name) { return pool.symbol(name); },
                         .all = [] { return std::vector<std::string>(); }};
    const Parsed parsed = parse(text, any_name, pool);
    if (!parsed.expr) {
        fmt::print(stderr, "{}", to_string(parsed.problems));
        return 2;
    }
    fmt::print(
        "digraph {{\n  rankdir = TB; bgcolor = transparent;\n"
        "  node [shape = box, style = \"rounded,filled\", fillcolor = \"#f4f1ea\", color = \"#8a7f6a\", fontname = Helvetica];\n"
        "  edge [color = \"#8a7f6a\", arrowsize = 0.6];\n");
    for (const Expr& e : nodes_below(std::span(&*parsed.expr, 1))) {
        const Residue r = pool.residue(e.id());
        fmt::print("  n{} [label = <<b>{}</b><br/><font point-size=\"8\" color=\"#6a6a8a\">{:x}<br/>{:x}</font>>];\n", e.id(), label(e),
                   r.r1, r.r2);
        for (std::size_t i = 0; i < e.arity(); ++i) fmt::print("  n{} -> n{};\n", e.id(), e.arg(i).id());
    }
    fmt::print("}}\n");
}
