#include "linkwright/sym/expr.hpp"

#include <algorithm>
#include <stdexcept>

#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/node_map.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::sym {

namespace {

struct Pair {
    Pool& pool;
    NodeId x, y;
};

/// The node of a number (or pi, or undefined) in another pool; empty for anything that belongs to its own.
std::optional<NodeId> adopted(const Expr& e, Pool& home) {
    if (e.id() <= Pool::pi_id) return e.id();
    if (e.is_number()) return home.make_number(e.number());
    return std::nullopt;
}

/// x and y as nodes of one pool. Numbers follow the other side home; of two numbers, the one from the current pool,
/// where literals are made, follows.
Pair together(const Expr& x, const Expr& y) {
    if (&x.pool() == &y.pool()) return {x.pool(), x.id(), y.id()};
    const bool x_stays = &y.pool() == &Pool::current();
    if (const auto id = x_stays ? adopted(y, x.pool()) : std::nullopt) return {x.pool(), x.id(), *id};
    if (const auto id = adopted(x, y.pool())) return {y.pool(), *id, y.id()};
    if (const auto id = adopted(y, x.pool())) return {x.pool(), x.id(), *id};
    throw std::invalid_argument("expressions of two pools in one operation; transplant() one of them first");
}

Expr binary(Op op, const Expr& x, const Expr& y) {
    const auto [pool, a, b] = together(x, y);
    return {pool, pool.binary(op, a, b)};
}

}  // namespace

Expr::Expr(const Rational& r) : Expr(Pool::current(), Pool::current().make_number(r)) {}
Expr::Expr(double x) : Expr(Pool::current(), Pool::undefined_id) {
    if (const auto r = Rational::from_double(x)) id_ = pool_->make_number(*r);
}

bool Expr::is_literally(int n) const { return is_number() && number() == Rational(n); }
std::size_t Expr::arity() const { return arguments(node()).size(); }
Expr Expr::arg(std::size_t i) const { return {*pool_, arguments(node())[i]}; }

Expr& Expr::operator+=(const Expr& x) { return *this = *this + x; }
Expr& Expr::operator-=(const Expr& x) { return *this = *this - x; }
Expr& Expr::operator*=(const Expr& x) { return *this = *this * x; }
Expr& Expr::operator/=(const Expr& x) { return *this = *this / x; }

Expr operator+(const Expr& x, const Expr& y) {
    const auto [pool, a, b] = together(x, y);
    return {pool, pool.add(a, b)};
}
Expr operator-(const Expr& x, const Expr& y) {
    const auto [pool, a, b] = together(x, y);
    return {pool, pool.add(a, pool.neg(b))};
}
Expr operator*(const Expr& x, const Expr& y) {
    const auto [pool, a, b] = together(x, y);
    return {pool, pool.mul(a, b)};
}
Expr operator/(const Expr& x, const Expr& y) {
    const auto [pool, a, b] = together(x, y);
    return {pool, pool.mul(a, pool.pow(b, -1))};
}
Expr operator-(const Expr& x) { return {x.pool(), x.pool().neg(x.id())}; }

Expr pow(const Expr& x, const Rational& r) { return {x.pool(), x.pool().pow(x.id(), r)}; }
Expr pow(const Expr& x, const Expr& y) { return y.is_number() ? pow(x, y.number()) : exp(y * log(x)); }
Expr sqrt(const Expr& x) { return pow(x, Rational(1, 2)); }
Expr make_function(Op f, const Expr& x) { return {x.pool(), x.pool().unary(f, x.id())}; }
Expr atan2(const Expr& y, const Expr& x) { return binary(Op::atan2, y, x); }
Expr min(const Expr& x, const Expr& y) { return binary(Op::min, x, y); }
Expr max(const Expr& x, const Expr& y) { return binary(Op::max, x, y); }
Expr select(const Expr& condition, const Expr& positive, const Expr& otherwise) {
    const auto [pool, c, a] = together(condition, positive);
    const auto [same, d, b] = together(Expr(pool, c), otherwise);
    return {same, same.select(d, together(Expr(same, d), positive).y, b)};
}

Expr pi() { return {Pool::current(), Pool::pi_id}; }
Expr undefined() { return {Pool::current(), Pool::undefined_id}; }
Expr symbol(std::string_view name, Role role) { return Pool::current().symbol(name, role); }

Expr rebuild(const Expr& like, std::span<const Expr> args) {
    switch (like.op()) {
        case Op::undefined:
        case Op::number:
        case Op::pi:
        case Op::symbol: return like;
        case Op::add: return args[0] + args[1];
        case Op::mul: return args[0] * args[1];
        case Op::pow: return pow(args[0], like.exponent());
        case Op::atan2:
        case Op::min:
        case Op::max: return binary(like.op(), args[0], args[1]);
        case Op::select: return select(args[0], args[1], args[2]);
        default: return make_function(like.op(), args[0]);
    }
}

std::string_view function_name(Op op) {
    if (is_elementary(op)) return elementary_function(op).name;
    switch (op) {
        case Op::atan2: return "atan2";
        case Op::min: return "min";
        case Op::max: return "max";
        case Op::select: return "if";
        default: return "";
    }
}

std::vector<Expr> nodes_below(std::span<const Expr> roots) {
    std::vector<Expr> nodes;
    if (roots.empty()) return nodes;
    Pool& pool = roots.front().pool();
    reachable(pool, roots).for_each([&](NodeId id) { nodes.emplace_back(pool, id); });
    return nodes;
}

std::vector<Expr> transplant(std::span<const Expr> roots, Pool& target) {
    Transplant copy(target);
    for (const Expr& e : nodes_below(roots)) copy(e);  // in the order they were made
    std::vector<Expr> out;
    for (const Expr& root : roots) out.push_back(copy(root));
    return out;
}

}  // namespace linkwright::sym
