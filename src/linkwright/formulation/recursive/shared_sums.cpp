#include "linkwright/formulation/recursive/shared_sums.hpp"

namespace linkwright::formulation::recursive {

namespace {

/// factor · rest
struct Scaled {
    sym::Rational factor;
    Expr rest;
};
Scaled scaled(const Expr& x) {
    if (x.op() == sym::Op::mul && x.arg(0).is_number()) return {x.arg(0).number(), x.arg(1)};
    return {1, x};
}

}  // namespace

Expr sum(const Expr& x, const Expr& y) {
    const Expr r = x + y;
    if (r.op() != sym::Op::add) return r;
    // A pool that folds would have found −x − y while it looked for x + y.
    if (r.pool().options().fold && (r.node().flags & sym::Node::no_residue) == 0) return r;
    if (scaled(x).factor.sign() == scaled(y).factor.sign()) return r;
    const Expr reversed = -x - y;
    return reversed.op() == sym::Op::add && reversed.id() < r.id() ? -reversed : r;
}

Expr combination(const Expr& a, const Expr& x, const Expr& b, const Expr& y) {
    const Scaled p = scaled(x), q = scaled(y);
    if (p.factor == q.factor && !p.factor.is_one()) return p.factor * sum(a * p.rest, b * q.rest);
    if (p.factor == -q.factor && !abs(p.factor).is_one()) return p.factor * sum(a * p.rest, -(b * q.rest));
    return sum(a * x, b * y);
}

Vec3 sum(const Vec3& x, const Vec3& y) { return {{sum(x[0], y[0]), sum(x[1], y[1]), sum(x[2], y[2])}}; }

}  // namespace linkwright::formulation::recursive
