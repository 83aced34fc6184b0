#include "linkwright/formulation/recursive/articulated.hpp"

#include <cmath>

#include "linkwright/sym/evaluate.hpp"

namespace linkwright::formulation::recursive {

namespace {

/// A number as a program would hold it. Quotients of roots and long fractions are worked out instead of being kept exactly.
Expr settled(const Expr& e) {
    if (e.is_number()) return shortened(e);
    const double x = sym::evaluate<double>(e, [](const Expr&) { return std::nan(""); });
    return std::isfinite(x) ? Expr(x) : e;
}

}  // namespace

Articulated of_body(const Moments& b) {
    Articulated r;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        r.I[k][k] = b.J[i][i] + b.J[j][j];
        r.I[i][j] = r.I[j][i] = -b.J[i][j];
        r.M[k][k] = b.m;
    }
    r.H = skew(b.h);
    return r;
}

Articulated operator+(const Articulated& a, const Articulated& b) { return {a.I + b.I, a.H + b.H, a.M + b.M}; }

Articulated inwards(const Move& m, const Articulated& a) {
    const std::size_t k = m.axis, i = (k + 1) % 3, j = (k + 2) % 3;
    if (m.kind == Move::Kind::slide) {
        // H' = H + d [e]× M, I' = I + d [e]× Hᵀ + H' (d [e]×)ᵀ
        Articulated r = a;
        for (std::size_t c = 0; c < 3; ++c) {
            r.H[i][c] -= m.d * a.M[j][c];
            r.H[j][c] += m.d * a.M[i][c];
        }
        r.I[i][i] -= m.d * (a.H[i][j] + r.H[i][j]);
        r.I[j][j] += m.d * (a.H[j][i] + r.H[j][i]);
        r.I[i][j] = r.I[j][i] = a.I[i][j] + m.d * (r.H[i][i] - a.H[j][j]);
        r.I[i][k] = r.I[k][i] = a.I[i][k] - m.d * a.H[k][j];
        r.I[j][k] = r.I[k][j] = a.I[j][k] + m.d * a.H[k][i];
        return r;
    }
    if (m.kind == Move::Kind::joint || m.kind == Move::Kind::root) return a;
    Articulated r{turned(m, a.I), a.H, turned(m, a.M)};
    if (m.kind == Move::Kind::rotate) {
        r.H = (m.R * a.H) * transpose(m.R);
        return r;
    }
    const Mat3& H = a.H;
    const Expr A = m.c * (H[i][i] - H[j][j]) - m.s * (H[i][j] + H[j][i]), cA = m.c * A, sA = m.s * A;
    r.H[i][i] = H[j][j] + cA;
    r.H[j][j] = H[i][i] - cA;
    r.H[i][j] = H[i][j] + sA;
    r.H[j][i] = H[j][i] + sA;
    r.H[i][k] = m.c * H[i][k] - m.s * H[j][k];
    r.H[j][k] = m.s * H[i][k] + m.c * H[j][k];
    r.H[k][i] = m.c * H[k][i] - m.s * H[k][j];
    r.H[k][j] = m.s * H[k][i] + m.c * H[k][j];
    return r;
}

Direction direction(const Twist& S) {
    Direction d;
    for (std::size_t c = 0; c < 6; ++c) {
        if (entry(S, c).is_literally(0)) continue;
        if (d.c != none || !(entry(S, c).is_literally(1) || entry(S, c).is_literally(-1))) return {};
        d = {c, entry(S, c).is_literally(1) ? 1 : -1};
    }
    return d;
}

Wrench times(const Articulated& a, const Twist& V) { return {a.I * V.w + a.H * V.v, transposed_times(a.H, V.w) + a.M * V.v}; }

Pivot eliminate(const Move::MotionAxis& way, const AlongFreedom& freedom, bool is_number, Articulated& IA, Wrench& P) {
    const auto& [tau, beside, armature] = freedom;
    Pivot pivot{way.freedom, way.S, direction(way.S), {}, {}, {}, {}};
    Twist& unit = pivot.S;
    if (pivot.along.sign < 0) unit = -unit;
    pivot.U = times(IA, unit);
    const Expr D = dot(unit, pivot.U) + armature, inverse = is_number ? settled(1 / settled(D)) : 1 / D;
    const Expr force = pivot.along.sign * tau - dot(unit, P) - beside;
    if (!armature.is_literally(0)) {
        if (pivot.along.c != none) entry(P, pivot.along.c) += beside;
        pivot.along.c = none;
    }
    for (std::size_t c = 0; c < 6; ++c) entry(pivot.scaled, c) = c == pivot.along.c ? Expr(1) : entry(pivot.U, c) * inverse;
    pivot.rest = force * inverse;
    pivot.inverse = inverse;
    const auto& U = pivot.U;
    const auto& V = pivot.scaled;
    const bool is_known = pivot.along.c != none;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const bool is_gone_i = is_known && pivot.along.c == i, is_gone_j = is_known && pivot.along.c == j;
            const bool is_gone_fi = is_known && pivot.along.c == i + 3, is_gone_fj = is_known && pivot.along.c == j + 3;
            if (j >= i) {
                IA.I[i][j] = IA.I[j][i] = is_gone_i || is_gone_j ? Expr(0) : IA.I[i][j] - V.t[i] * U.t[j];
                IA.M[i][j] = IA.M[j][i] = is_gone_fi || is_gone_fj ? Expr(0) : IA.M[i][j] - V.f[i] * U.f[j];
            }
            IA.H[i][j] = is_gone_i || is_gone_fj ? Expr(0) : IA.H[i][j] - V.t[i] * U.f[j];
        }
    }
    if (is_number) for_each_entry(IA, [](Expr& x) { x = settled(x); });
    for (std::size_t c = 0; c < 6; ++c) {
        if (is_known && c == pivot.along.c)
            entry(P, c) = pivot.along.sign * tau;  // what the joint transmits
        else
            entry(P, c) += entry(U, c) * pivot.rest;
    }
    return pivot;
}

Expr joint_acceleration(const Pivot& pivot, Twist& A) {
    Expr y = pivot.rest;
    for (std::size_t c = 0; c < 6; ++c) {
        if (c != pivot.along.c) y -= entry(pivot.scaled, c) * entry(A, c);
    }
    if (pivot.along.c == none) {
        A += y * pivot.S;
        return pivot.along.sign * y;
    }
    const Expr before = entry(A, pivot.along.c);
    entry(A, pivot.along.c) = y;
    return pivot.along.sign * (y - before);
}

}  // namespace linkwright::formulation::recursive
