#pragma once
// Derivatives as expressions. Each rule is applied once per node; results share nodes with what they came from.
//
// Where abs, sign, min, max, if have a kink the derivative is that of one side. Partial derivatives with respect to the
// members of a unit quaternion are determined only up to a multiple of the quaternion itself (see Quaternion): use them
// along the sphere, Nᵀ ∂/∂e, or through Tangent with rates that stay on it.

#include <span>
#include <utility>
#include <vector>

#include "linkwright/sym/expr.hpp"
#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

/// A symbol and what stands beside it: its rate, its direction, its replacement.
using Binding = std::pair<Expr, Expr>;

/// The derivative along a direction: with ẋ_i given for some symbols x_i, Tangent(e) = Σ ∂e/∂x_i · ẋ_i.
/// Keeps what it has worked out, so asking for many expressions costs each node once.
class Tangent {
public:
    explicit Tangent(std::span<const Binding> directions);
    explicit Tangent(std::initializer_list<Binding> directions) : Tangent(std::span(directions.begin(), directions.size())) {}
    Expr operator()(const Expr& e);

private:
    NodeMap<NodeId> memo_;
};

/// ∂e/∂symbol. Here and below, differentiating by anything but a symbol throws std::invalid_argument.
Expr derivative(const Expr& e, const Expr& symbol);

/// de/dt: the given rates (q → u, u → u̇, …) and t → 1 for symbols of the role time.
Tangent time_derivative(Pool& pool, std::span<const Binding> rates);

/// ∂e/∂symbol for every symbol, by reverse accumulation: one pass, however many symbols.
std::vector<Expr> gradient(const Expr& e, std::span<const Expr> symbols);

/// A matrix of which only entries that are not literally zero are kept, by rows, then columns.
struct SparseMatrix {
    struct Entry {
        std::uint32_t row, column;
        Expr value;
    };
    std::size_t rows = 0, columns = 0;
    std::vector<Entry> entries;
};

/// ∂rows/∂symbols: forward, column by column, looking only at the nodes that come after the column's symbol.
SparseMatrix jacobian(std::span<const Expr> rows, std::span<const Expr> symbols);

}  // namespace linkwright::sym
