#include "linkwright/sym/sweep.hpp"

#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

Sweep sweep(std::span<const Expr> roots) {
    Sweep s;
    if (roots.empty()) return s;
    const Pool& pool = roots.front().pool();
    const NodeSet nodes = reachable(pool, roots);
    const std::vector<std::uint32_t> counts = nodes.counts();
    s.steps.reserve(counts.back());
    nodes.for_each([&](NodeId id) {
        Sweep::Step step{.id = id, .arity = 0, .args = {}};
        for (const NodeId arg : arguments(pool.node(id))) step.args[step.arity++] = nodes.rank(arg, counts);
        s.steps.push_back(step);
    });
    for (const Expr& root : roots) s.roots.push_back(nodes.rank(root.id(), counts));
    return s;
}

}  // namespace linkwright::sym
