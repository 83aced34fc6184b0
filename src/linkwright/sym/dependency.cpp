#include "linkwright/sym/dependency.hpp"

#include <algorithm>

#include "linkwright/sym/node_map.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::sym {

std::vector<Expr> symbols_in(std::span<const Expr> roots) {
    std::vector<Expr> nodes = nodes_below(roots);
    std::erase_if(nodes, [](const Expr& e) { return !e.is_symbol(); });
    return nodes;
}
std::vector<Expr> symbols_in(const Expr& e) { return symbols_in(std::span(&e, 1)); }

bool depends_on(const Expr& e, const Expr& symbol) {
    const std::vector<Expr> nodes = nodes_below(std::span(&e, 1));
    return std::ranges::binary_search(nodes, symbol.id(), {}, &Expr::id);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> sparsity(std::span<const Expr> rows, std::span<const Expr> symbols) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const Sweep s = sweep(rows);
    std::vector<std::uint64_t> mask(s.steps.size());
    for (std::size_t first = 0; first < symbols.size(); first += 64) {
        const std::size_t count = std::min<std::size_t>(64, symbols.size() - first);
        NodeMap<std::uint64_t> bit;
        for (std::size_t k = 0; k < count; ++k) bit.insert(symbols[first + k].id(), std::uint64_t{1} << k);
        for (std::size_t i = 0; i < s.steps.size(); ++i) {
            const Sweep::Step& step = s.steps[i];
            const std::uint64_t* own = bit.find(step.id);
            mask[i] = own == nullptr ? 0 : *own;
            for (std::size_t k = 0; k < step.arity; ++k) mask[i] |= mask[step.args[k]];
        }
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            for (std::size_t k = 0; k < count; ++k) {
                if ((mask[s.roots[row]] >> k & 1) != 0) pairs.emplace_back(row, static_cast<std::uint32_t>(first + k));
            }
        }
    }
    std::ranges::sort(pairs);
    return pairs;
}

}  // namespace linkwright::sym
