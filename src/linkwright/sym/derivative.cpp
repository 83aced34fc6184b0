#include "linkwright/sym/derivative.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::sym {

namespace {

/// c0 + c1·x + c2·x².
Expr quadratic(const std::array<int, 3>& c, const Expr& x) {
    const auto number = [&](int n) { return Expr(x.pool(), x.pool().make_number(Rational(n))); };
    Expr sum(x.pool(), Pool::zero_id);
    if (c[2] != 0) sum += number(c[2]) * (x * x);
    if (c[1] != 0) sum += number(c[1]) * x;
    return c[0] != 0 ? number(c[0]) + sum : sum;
}

/// f'(x) of a function of one argument, e = f(x).
Expr slope(const Expr& e, const Expr& x) {
    if (e.op() == Op::pow) return Expr(x.pool(), x.pool().make_number(e.exponent())) * pow(x, e.exponent() - Rational(1));
    const Slope& s = elementary_function(e.op()).slope;
    const auto with_sign = [&](const Expr& size) { return s.sign < 0 ? -size : size; };
    switch (s.kind) {
        case Slope::Kind::by_value: return quadratic(s.c, e);
        case Slope::Kind::by_argument: return with_sign(pow(quadratic(s.c, x), Rational(s.halves, 2)));
        case Slope::Kind::by_partner: return with_sign(make_function(s.partner, x));
        case Slope::Kind::none: break;
    }
    return {x.pool(), Pool::zero_id};
}

/// The derivative of e given those of its arguments.
template <class Argument, class Rate>
Expr chain_rule(const Expr& e, Argument arg, Rate rate) {
    const Expr zero(e.pool(), Pool::zero_id);
    switch (e.op()) {
        case Op::undefined: return e;
        case Op::number:
        case Op::pi:
        case Op::symbol: return zero;
        case Op::add: return rate(0) + rate(1);
        case Op::mul: return rate(0) * arg(1) + arg(0) * rate(1);
        case Op::atan2: {  // atan2(y, x)
            const Expr y = arg(0), x = arg(1);
            return (x * rate(0) - y * rate(1)) * pow(x * x + y * y, -1);
        }
        case Op::min: return select(arg(1) - arg(0), rate(0), rate(1));
        case Op::max: return select(arg(0) - arg(1), rate(0), rate(1));
        case Op::select: return select(arg(0), rate(1), rate(2));
        default: return slope(e, arg(0)) * rate(0);
    }
}

void demand_symbol(const Expr& e) {
    if (!e.is_symbol()) throw std::invalid_argument("derivatives are taken with respect to symbols");
}

}  // namespace

Tangent::Tangent(std::span<const Binding> directions) {
    for (const auto& [symbol, rate] : directions) {
        demand_symbol(symbol);
        memo_.insert(symbol.id(), (Expr(symbol.pool(), Pool::zero_id) + rate).id());
    }
}

Expr Tangent::operator()(const Expr& e) {
    Pool& pool = e.pool();
    const auto work = [&](NodeId id) {
        const auto args = arguments(pool.node(id));
        const auto arg = [&](std::size_t i) { return Expr(pool, args[i]); };
        const auto rate = [&](std::size_t i) { return Expr(pool, memo_.at(args[i])); };
        const bool is_constant = std::ranges::all_of(args, [&](NodeId a) { return memo_.at(a) == Pool::zero_id; });
        if (is_constant && id != Pool::undefined_id) return Pool::zero_id;
        return chain_rule(Expr(pool, id), arg, rate).id();
    };
    return {pool, walk_up(pool, e.id(), memo_, [](NodeId) { return std::optional<NodeId>(); }, work)};
}

Expr derivative(const Expr& e, const Expr& symbol) {
    const SparseMatrix J = jacobian(std::span(&e, 1), std::span(&symbol, 1));
    return J.entries.empty() ? Expr(e.pool(), Pool::zero_id) : J.entries.front().value;
}

Tangent time_derivative(Pool& pool, std::span<const Binding> rates) {
    std::vector<Binding> all(rates.begin(), rates.end());
    for (const SymbolInfo& s : pool.symbols()) {
        if (s.role == Role::time) all.emplace_back(Expr(pool, s.node), Expr(pool, Pool::one_id));
    }
    return Tangent(all);
}

std::vector<Expr> gradient(const Expr& e, std::span<const Expr> symbols) {
    Pool& pool = e.pool();
    const Sweep s = sweep(std::span(&e, 1));
    const Expr zero(pool, Pool::zero_id);
    std::vector<Expr> adjoint(s.steps.size(), zero);  // ∂e/∂(node)
    adjoint[s.roots.front()] = Expr(pool, Pool::one_id);
    NodeMap<std::uint32_t> position;
    for (std::size_t i = s.steps.size(); i-- > 0;) {
        const Sweep::Step& step = s.steps[i];
        const Expr bar = adjoint[i], node(pool, step.id);
        if (node.is_symbol()) position.insert(step.id, static_cast<std::uint32_t>(i));
        if (bar.id() == Pool::zero_id) continue;
        const auto arg = [&](std::size_t k) { return Expr(pool, s.steps[step.args[k]].id); };
        const auto give = [&](std::size_t k, const Expr& share) { adjoint[step.args[k]] += share; };
        switch (node.op()) {
            case Op::undefined:
            case Op::number:
            case Op::pi:
            case Op::symbol: break;
            case Op::add:
                give(0, bar);
                give(1, bar);
                break;
            case Op::mul:
                if (!arg(0).is_number()) give(0, bar * arg(1));
                give(1, bar * arg(0));
                break;
            case Op::atan2: {
                const Expr y = arg(0), x = arg(1), scaled = bar * pow(x * x + y * y, -1);
                give(0, scaled * x);
                give(1, -scaled * y);
                break;
            }
            case Op::min:
            case Op::max: {
                const Expr first = node.op() == Op::min ? arg(1) - arg(0) : arg(0) - arg(1);
                give(0, select(first, bar, zero));
                give(1, select(first, zero, bar));
                break;
            }
            case Op::select:
                give(1, select(arg(0), bar, zero));
                give(2, select(arg(0), zero, bar));
                break;
            default: give(0, bar * slope(node, arg(0)));
        }
    }
    std::vector<Expr> out;
    for (const Expr& symbol : symbols) {
        demand_symbol(symbol);
        const std::uint32_t* at = position.find(symbol.id());
        out.push_back(e.is_undefined() ? e : at == nullptr ? zero : adjoint[*at]);
    }
    return out;
}

SparseMatrix jacobian(std::span<const Expr> rows, std::span<const Expr> symbols) {
    SparseMatrix J{.rows = rows.size(), .columns = symbols.size(), .entries = {}};
    if (rows.empty()) return J;
    Pool& pool = rows.front().pool();
    const Sweep s = sweep(rows);
    std::vector<NodeId> rate(s.steps.size());
    for (std::uint32_t column = 0; column < symbols.size(); ++column) {
        demand_symbol(symbols[column]);
        const auto from = std::ranges::lower_bound(s.steps, symbols[column].id(), {}, &Sweep::Step::id);
        const auto first = static_cast<std::size_t>(from - s.steps.begin());
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            if (rows[row].is_undefined()) J.entries.push_back({row, column, rows[row]});
        }
        if (first == s.steps.size() || from->id != symbols[column].id()) continue;
        std::fill(rate.begin(), rate.begin() + static_cast<std::ptrdiff_t>(first), Pool::zero_id);
        rate[first] = Pool::one_id;
        for (std::size_t i = first + 1; i < s.steps.size(); ++i) {
            const Sweep::Step& step = s.steps[i];
            rate[i] = Pool::zero_id;
            for (std::size_t k = 0; k < step.arity; ++k) {
                if (rate[step.args[k]] == Pool::zero_id) continue;
                rate[i] = chain_rule(
                              Expr(pool, step.id), [&](std::size_t j) { return Expr(pool, s.steps[step.args[j]].id); },
                              [&](std::size_t j) { return Expr(pool, rate[step.args[j]]); })
                              .id();
                break;
            }
        }
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const NodeId value = rate[s.roots[row]];
            if (value != Pool::zero_id && !rows[row].is_undefined()) J.entries.push_back({row, column, Expr(pool, value)});
        }
    }
    std::ranges::sort(J.entries, {}, [](const SparseMatrix::Entry& e) { return std::pair(e.row, e.column); });
    return J;
}

}  // namespace linkwright::sym
