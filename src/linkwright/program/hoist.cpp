#include "linkwright/program/hoist.hpp"

#include <algorithm>

#include "linkwright/sym/node_map.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::program {

std::vector<sym::Expr> fixed_parts(std::span<const sym::Expr> outputs, std::span<const sym::Expr> fixed) {
    if (outputs.empty()) return {};
    sym::Pool& pool = outputs.front().pool();
    sym::NodeMap<std::uint8_t> is_fixed_symbol;
    for (const sym::Expr& s : fixed) is_fixed_symbol.insert(s.id(), 1);
    const sym::Sweep sweep = sym::sweep(outputs);

    // A step is a number, fixed (made of fixed symbols and numbers), or moving.
    enum Kind : std::uint8_t { number, constant, moving };
    std::vector<Kind> kind(sweep.steps.size(), number);
    std::vector<bool> is_part(sweep.steps.size());
    for (std::size_t k = 0; k < sweep.steps.size(); ++k) {
        const auto& step = sweep.steps[k];
        if (pool.op(step.id) == sym::Op::symbol) kind[k] = is_fixed_symbol.contains(step.id) ? constant : moving;
        for (std::size_t i = 0; i < step.arity; ++i) kind[k] = std::max(kind[k], kind[step.args[i]]);
        if (kind[k] != moving) continue;
        for (std::size_t i = 0; i < step.arity; ++i) is_part[step.args[i]] = is_part[step.args[i]] || kind[step.args[i]] == constant;
    }
    for (const std::uint32_t root : sweep.roots) is_part[root] = is_part[root] || kind[root] == constant;
    std::vector<sym::Expr> parts;
    for (std::size_t k = 0; k < sweep.steps.size(); ++k) {
        if (is_part[k]) parts.emplace_back(pool, sweep.steps[k].id);
    }
    return parts;
}

}  // namespace linkwright::program
