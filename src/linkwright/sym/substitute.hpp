#pragma once

#include <span>

#include "linkwright/sym/derivative.hpp"

namespace linkwright::sym {

/// Many replacements at once: x → y and y → x swaps them. Replaced may be symbols or whole subexpressions.
/// Keeps what it has worked out, so applying it to many expressions costs each node once.
class Substitution {
public:
    explicit Substitution(std::span<const Binding> replacements);
    explicit Substitution(std::initializer_list<Binding> replacements)
        : Substitution(std::span(replacements.begin(), replacements.size())) {}
    Expr operator()(const Expr& e);

private:
    NodeMap<NodeId> memo_;
};

/// The same expressions in another pool, with some symbols replaced on the way: how symbols are got rid of for good.
///
/// In a pool that folds, a Substitution may give back a node in which a replaced symbol still stands: one whose value never
/// depended on it, and which the rebuilt node equals. In a fresh pool there is no such node. Other symbols go over by name
/// and role, quaternion groups as groups. Keeps what it has copied, so all it is given comes from one pool (numbers may come
/// from anywhere); expressions of a second one throw std::invalid_argument.
class Transplant {
public:
    explicit Transplant(Pool& target) : target_(&target) {}
    /// From now on. `by` lives in the target (numbers may live anywhere); nothing that holds `symbol` may have been copied.
    void replace(const Expr& symbol, const Expr& by);
    Expr operator()(const Expr& e);

private:
    void keep_to(const Expr& e);
    Pool* target_;
    const Pool* source_ = nullptr;
    NodeMap<NodeId> memo_;
};

}  // namespace linkwright::sym
