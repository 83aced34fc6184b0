#pragma once
// Every expression of the equations, one after the other.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// Calls f(Expr&) for every expression, symbols of declarations included; M's two halves stay the same nodes.
template <class F>
void for_each_expression(EquationsOfMotion& e, F f) {
    const auto all = [&](auto& list) {
        for (Expr& x : list) f(x);
    };
    f(e.t);
    for (Parameter& p : e.parameters) f(p.symbol), f(p.value);
    for (Input& w : e.inputs) f(w.symbol), f(w.value);
    all(e.q), all(e.u), all(e.udot), all(e.qdot), all(e.x), all(e.xdot);
    for (Sampled& s : e.sampled) {
        f(s.period), f(s.D), f(s.input), all(s.B);
        for (auto& row : s.A) all(row);
    }
    for (std::size_t i = 0; i < e.M.size(); ++i) {
        for (std::size_t j = i; j < e.M.size(); ++j) f(e.M[i][j]), e.M[j][i] = e.M[i][j];
    }
    all(e.inertias), all(e.f), all(e.a), all(e.inverse);
    for (Constraint& c : e.constraints) f(c.phi), f(c.rate), all(c.G), f(c.gamma), f(c.lambda);
    for (Branch& b : e.branches) f(b.positive);
    f(e.energy.kinetic), f(e.energy.potential), f(e.power);
    all(e.momentum.linear), all(e.momentum.angular);
    for (Output& o : e.outputs) f(o.value);
    for (Event& v : e.events) f(v.when);
    for (Initial& i : e.initial) f(i.what), f(i.value);
    for (BodyPose& b : e.poses) {
        for (auto& row : b.R) all(row);
        all(b.p), all(b.com);
        for (auto& point : b.line) all(point);
    }
    for (Validity& v : e.validity) f(v.value);
    for (PartialVelocities& p : e.partial_velocities) {
        for (auto& row : p.B) all(row);
        all(p.rest), all(p.Bdot_u);
    }
    for (auto& row : e.C) all(row);
    for (ForceShare& share : e.shares) all(share.f);
    for (FrameJacobian& frame : e.jacobians) {
        for (auto& row : frame.J) all(row);
        for (auto& row : frame.Jdot) all(row);
        all(frame.rest), all(frame.bias);
    }
    if (e.reduction) {
        all(e.reduction->s), all(e.reduction->sdot), all(e.reduction->b);
        for (auto& row : e.reduction->B) all(row);
    }
}

}  // namespace linkwright::eom
