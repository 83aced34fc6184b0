#pragma once
// A map from nodes to values, for walks over a part of a pool: its cost follows the part, not the pool.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

template <class T>
class NodeMap {
public:
    const T* find(NodeId id) const {
        if (slots_.empty()) return nullptr;
        for (std::size_t i = first(id);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].position == 0) return nullptr;
            if (slots_[i].id == id) return &values_[slots_[i].position - 1];
        }
    }
    bool contains(NodeId id) const { return find(id) != nullptr; }
    const T& at(NodeId id) const { return *find(id); }
    /// False when the node has a value already; the value then stays.
    bool insert(NodeId id, T value) {
        if ((values_.size() + 1) * 2 > slots_.size()) grow();
        std::size_t i = first(id);
        for (; slots_[i].position != 0; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].id == id) return false;
        }
        values_.push_back(std::move(value));
        slots_[i] = {id, static_cast<std::uint32_t>(values_.size())};
        return true;
    }
    std::size_t size() const { return values_.size(); }

private:
    struct Slot {
        NodeId id = 0;
        std::uint32_t position = 0;  // 1-based; 0 is empty
    };
    std::size_t first(NodeId id) const { return (id * 0x9E3779B97F4A7C15ULL >> 24) & (slots_.size() - 1); }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
        std::swap(old, slots_);
        for (const Slot& s : old) {
            if (s.position == 0) continue;
            std::size_t i = first(s.id);
            while (slots_[i].position != 0) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = s;
        }
    }
    std::vector<Slot> slots_;
    std::vector<T> values_;
};

/// A set of nodes as bits, one per node of the pool up to the largest: what a walk has met, in ascending order for free.
class NodeSet {
public:
    explicit NodeSet(NodeId largest) : words_(largest / 64 + 1) {}
    /// False when it was in already.
    bool insert(NodeId id) {
        std::uint64_t& word = words_[id / 64];
        const std::uint64_t bit = std::uint64_t{1} << (id % 64);
        const bool is_new = (word & bit) == 0;
        word |= bit;
        return is_new;
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
                visit(static_cast<NodeId>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
            }
        }
    }
    /// How many members come before each word, so that rank() is a look-up.
    std::vector<std::uint32_t> counts() const {
        std::vector<std::uint32_t> before;
        before.reserve(words_.size() + 1);
        before.push_back(0);
        for (const std::uint64_t word : words_) before.push_back(before.back() + static_cast<std::uint32_t>(std::popcount(word)));
        return before;
    }
    std::uint32_t rank(NodeId id, std::span<const std::uint32_t> counts) const {
        const std::uint64_t below = words_[id / 64] & ((std::uint64_t{1} << (id % 64)) - 1);
        return counts[id / 64] + static_cast<std::uint32_t>(std::popcount(below));
    }

private:
    std::vector<std::uint64_t> words_;
};

/// The arguments of a node, as node numbers. The exponent of a power is not one of them.
inline std::span<const NodeId> arguments(const Node& n) {
    static_assert(offsetof(Node, b) == offsetof(Node, a) + 4 && offsetof(Node, c) == offsetof(Node, b) + 4);
    if (n.op < Op::add) return {};
    if (n.op == Op::select) return {&n.a, 3};
    const bool has_two = n.op == Op::add || n.op == Op::mul || (n.op >= Op::atan2 && n.op <= Op::max);
    return {&n.a, has_two ? std::size_t{2} : std::size_t{1}};
}

/// The nodes below `roots`, roots included.
inline NodeSet reachable(const Pool& pool, std::span<const Expr> roots) {
    NodeId largest = 0;
    for (const Expr& root : roots) largest = std::max(largest, root.id());
    NodeSet seen(largest);
    std::vector<NodeId> open;
    for (const Expr& root : roots) {
        if (seen.insert(root.id())) open.push_back(root.id());
    }
    while (!open.empty()) {
        const Node& n = pool.node(open.back());
        open.pop_back();
        for (const NodeId arg : arguments(n)) {
            if (seen.insert(arg)) open.push_back(arg);
        }
    }
    return seen;
}

/// Values for every node below some roots, each worked out once from its arguments', kept from call to call. No recursion.
///
/// `work(id)` gives the value of a node whose arguments are all in `memo`; `skip(id)`, if it gives a value, ends the walk
/// there without looking below.
template <class T, class Skip, class Work>
T walk_up(const Pool& pool, NodeId root, NodeMap<T>& memo, Skip skip, Work work) {
    std::vector<NodeId> open{root};
    while (!open.empty()) {
        const NodeId id = open.back();
        if (memo.contains(id)) {
            open.pop_back();
            continue;
        }
        if (std::optional<T> known = skip(id)) {
            memo.insert(id, std::move(*known));
            open.pop_back();
            continue;
        }
        bool is_ready = true;
        for (const NodeId arg : arguments(pool.node(id))) {
            if (!memo.contains(arg)) {
                open.push_back(arg);
                is_ready = false;
            }
        }
        if (!is_ready) continue;
        memo.insert(id, work(id));
        open.pop_back();
    }
    return memo.at(root);
}

}  // namespace linkwright::sym
