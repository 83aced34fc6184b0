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

}  // namespace linkwright::sym
