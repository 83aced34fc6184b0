#pragma once
// Where things stand in the row of arguments that every compiled function takes:
//
//     t, q, x, u, w        and, where accelerations take part,        u̇, λ
//
// q and x stand side by side: together they are what the speeds carry along (eom::q_and_x).

#include "linkwright/eom/equations.hpp"
#include "linkwright/solve/dense.hpp"

namespace linkwright::numeric {

using Eigen::VectorXd;
using sym::Expr;

/// Where a mechanism is: time, coordinates, speeds; what drives it; and the auxiliary states.
struct State {
    double t = 0;
    VectorXd q, u;
    VectorXd w;    ///< inputs
    VectorXd x{};  ///< auxiliary states
};

struct Layout {
    Eigen::Index nq = 0, nx = 0, nu = 0, nw = 0, m = 0;  ///< how many of q, x, u, w, λ

    static constexpr Eigen::Index q() { return 1; }  ///< where q begins; t stands before it
    Eigen::Index x() const { return 1 + nq; }
    Eigen::Index u() const { return x() + nx; }
    Eigen::Index w() const { return u() + nu; }
    Eigen::Index udot() const { return w() + nw; }
    Eigen::Index lambda() const { return udot() + nu; }
    Eigen::Index size(bool with_accelerations = false) const { return with_accelerations ? lambda() + m : udot(); }
};

Layout layout_of(const eom::EquationsOfMotion& equations);

/// The symbols in that order.
std::vector<Expr> arguments(const eom::EquationsOfMotion& equations, bool with_accelerations = false);

/// Their values. A state without x (made where there are none) counts as x = 0.
VectorXd arguments(const Layout& layout, const State& state);
VectorXd arguments(const Layout& layout, const State& state, const VectorXd& udot, const VectorXd& lambda);

}  // namespace linkwright::numeric
