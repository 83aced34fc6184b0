#include "linkwright/sym/sweep.hpp"

#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

Sweep sweep(std::span<const Expr> roots) {
    Sweep s;
    NodeMap<std::uint32_t> position;
    for (const Expr& e : nodes_below(roots)) {
        Sweep::Step step{.id = e.id(), .arity = 0, .args = {}};
        for (const NodeId arg : arguments(e.node())) step.args[step.arity++] = position.at(arg);
        position.insert(e.id(), static_cast<std::uint32_t>(s.steps.size()));
        s.steps.push_back(step);
    }
    for (const Expr& root : roots) s.roots.push_back(position.at(root.id()));
    return s;
}

}  // namespace linkwright::sym
