#include "linkwright/sym/parts.hpp"

#include <algorithm>

#include "linkwright/sym/node_map.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::sym {

std::vector<Expr> parts_known(std::span<const Expr> outputs, std::span<const Expr> known) {
    if (outputs.empty()) return {};
    Pool& pool = outputs.front().pool();
    NodeMap<std::uint8_t> is_known;
    for (const Expr& s : known) is_known.insert(s.id(), 1);
    const Sweep sweep = sym::sweep(outputs);

    enum Kind : std::uint8_t { number, early, late };
    std::vector<Kind> kind(sweep.steps.size(), number);
    std::vector<bool> is_part(sweep.steps.size());
    for (std::size_t k = 0; k < sweep.steps.size(); ++k) {
        const auto& step = sweep.steps[k];
        if (pool.op(step.id) == Op::symbol) kind[k] = is_known.contains(step.id) ? early : late;
        for (std::size_t i = 0; i < step.arity; ++i) kind[k] = std::max(kind[k], kind[step.args[i]]);
        if (kind[k] != late) continue;
        for (std::size_t i = 0; i < step.arity; ++i) is_part[step.args[i]] = is_part[step.args[i]] || kind[step.args[i]] == early;
    }
    for (const std::uint32_t root : sweep.roots) is_part[root] = is_part[root] || kind[root] == early;
    std::vector<Expr> parts;
    for (std::size_t k = 0; k < sweep.steps.size(); ++k) {
        if (is_part[k]) parts.emplace_back(pool, sweep.steps[k].id);
    }
    return parts;
}

}  // namespace linkwright::sym
