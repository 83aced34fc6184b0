#pragma once
// How the accelerations of a tree change with everything they depend on, as plain data.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// u̇ = a(q, x, u, w, t) and its derivatives; with forces τ on the freedoms besides, u̇ = a + M⁻¹τ. Partial derivatives by the members of a unit
/// quaternion are determined up to a multiple of the quaternion, as everywhere (sym/derivative.hpp).
struct AccelerationDerivatives {
    std::shared_ptr<sym::Pool> pool;           ///< of its own: a pool that knew other forms of these expressions would give back those
    Expr t;                                    ///< symbols, named as in the equations
    std::vector<Expr> parameters, q, x, u, w;  ///< likewise, and in their order
    std::vector<Expr> a;
    Matrix by_q, by_x, by_u, by_w;  ///< a row for each u̇, a column for each symbol
    Matrix by_tau;                  ///< M⁻¹, symmetric
};

/// Calls f(Expr&) for a and every derivative.
template <class F>
void for_each_value(AccelerationDerivatives& d, F f) {
    for (Expr& x : d.a) f(x);
    for (Matrix* m : {&d.by_q, &d.by_x, &d.by_u, &d.by_w, &d.by_tau}) {
        for (auto& row : *m) {
            for (Expr& x : row) f(x);
        }
    }
}

}  // namespace linkwright::eom
