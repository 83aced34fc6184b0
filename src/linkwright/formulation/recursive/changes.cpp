#include "linkwright/formulation/recursive/changes.hpp"

#include "linkwright/formulation/recursive/shared_sums.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation::recursive {

VelocityInertia operator+(const VelocityInertia& a, const VelocityInertia& b) { return {a.T + b.T, a.F + b.F}; }
Wrench times(const VelocityInertia& B, const Vec3& w) { return {B.T * w, B.F * w}; }

VelocityInertia of_body(const Moments& b, const Vec3& w, const Vec3& v) {
    if (b.is_zero()) return {};
    const Mat3 K = spatial::outer(v, b.h) + skew(w) * b.J;
    const Expr trace = 2 * dot(v, b.h);  // [ω]× J has none
    const Vec3 P = Expr(2) * (b.m * v + cross(w, b.h));
    return {spatial::diagonal(trace, trace, trace) - Expr(2) * K, Expr(-1) * skew(P)};
}

Mat3 carried(const Move& m, const Mat3& H) {
    if (m.kind == Move::Kind::rotate) return (m.R * H) * transpose(m.R);
    if (m.kind != Move::Kind::turn) return H;
    const std::size_t k = m.axis, i = (k + 1) % 3, j = (k + 2) % 3;
    Mat3 r = H;
    const Expr A = m.c * (H[i][i] - H[j][j]) - m.s * (H[i][j] + H[j][i]), cA = m.c * A, sA = m.s * A;
    r[i][i] = H[j][j] + cA;
    r[j][j] = H[i][i] - cA;
    r[i][j] = H[i][j] + sA;
    r[j][i] = H[j][i] + sA;
    r[i][k] = m.c * H[i][k] - m.s * H[j][k];
    r[j][k] = m.s * H[i][k] + m.c * H[j][k];
    r[k][i] = m.c * H[k][i] - m.s * H[k][j];
    r[k][j] = m.s * H[k][i] + m.c * H[k][j];
    return r;
}

VelocityInertia inwards(const Move& m, const VelocityInertia& B) {
    VelocityInertia r{carried(m, B.T), carried(m, B.F)};
    if (m.kind != Move::Kind::slide) return r;
    const std::size_t i = (m.axis + 1) % 3, j = (m.axis + 2) % 3;
    for (std::size_t c = 0; c < 3; ++c) {
        r.T[i][c] -= m.d * B.F[j][c];
        r.T[j][c] += m.d * B.F[i][c];
    }
    return r;
}

Twist outwards(const Move& m, const Twist& V) {
    Twist r{outwards(m, V.w), outwards(m, V.v)};
    if (m.kind != Move::Kind::slide) return r;
    const std::size_t i = (m.axis + 1) % 3, j = (m.axis + 2) % 3;
    r.v[i] += m.d * V.w[j];
    r.v[j] -= m.d * V.w[i];
    return r;
}

Moving calc_moving(const Task& task, std::span<const Expr> a) {
    const std::vector<Move>& moves = task.linkage.moves;
    std::vector<Expr> bias(a.size());
    for (std::size_t i = 0; i < bias.size(); ++i) {
        if (task.freedoms[i].is_given) bias[i] = task.freedoms[i].udot;
    }
    Moving r{motions(task, bias), std::vector<Vec3>(moves.size())};
    std::vector<Twist> A(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const Move& move = moves[i];
        if (move.kind == Move::Kind::root) continue;
        A[i] = outwards(move, A[move.inner]);
        r.v[i] = outwards(move, Twist{r.motion[move.inner].w, r.v[move.inner]}).v;
        for (const Move::MotionAxis& way : move.ways) {
            r.v[i] += task.freedoms[way.freedom].u * way.S.v;
            if (!task.freedoms[way.freedom].is_given) A[i] += a[way.freedom] * way.S;
        }
        r.motion[i].wdot = sum(r.motion[i].wdot, A[i].w);
        r.motion[i].a = sum(r.motion[i].a, A[i].v);
    }
    return r;
}

std::vector<Wrench> carried_wrenches(const Task& task, std::span<const Motion> motion, std::span<const Expr> a) {
    const std::vector<Move>& moves = task.linkage.moves;
    std::vector<Wrench> W = own_wrenches(task, motion, a);
    for (std::size_t i = moves.size(); i-- > 0;) {
        if (moves[i].kind == Move::Kind::root) continue;
        const Wrench in = inwards(moves[i], W[i]);
        Wrench& inner = W[moves[i].inner];
        inner = {sum(inner.t, in.t), sum(inner.f, in.f)};
    }
    return W;
}

namespace {

/// A frame whose motion changes by δω, δω̇ and δ of its true acceleration.
MotionChange change_of(const Motion& motion, const Vec3& v, const Vec3& w, const Vec3& wdot, const Vec3& a) {
    return {.X = {wdot + cross(motion.w, w), a - Expr(2) * cross(w, v)}, .w = w};
}

}  // namespace

void for_each_change(const Task& task, std::span<const Motion> motion, std::span<const Vec3> v, std::span<const Wrench> carried,
                     const Expr& q, const PutChange& put) {
    const std::vector<Move>& moves = task.linkage.moves;
    for (std::size_t k = 0; k < moves.size(); ++k) {
        const Move& move = moves[k];
        if (move.is_fixed || move.kind == Move::Kind::root || move.kind == Move::Kind::joint) continue;
        const Motion& in = motion[move.inner];
        const Wrench& W = carried[k];
        if (move.kind == Move::Kind::slide) {
            const Expr by = sym::derivative(move.d, q);
            if (by.is_literally(0)) continue;
            const Vec3 e = spatial::unit(move.axis);
            MotionChange change = change_of(motion[k], v[k], {}, {}, by * (cross(in.wdot, e) + cross(in.w, cross(in.w, e))));
            change.beside.t = by * cross(e, W.f);
            put(k, change);
            continue;
        }
        Mat3 R{};  // its derivative
        if (move.kind == Move::Kind::turn) {
            const Expr c = sym::derivative(move.c, q), s = sym::derivative(move.s, q);
            const std::size_t i = (move.axis + 1) % 3, j = (move.axis + 2) % 3;
            R[i][i] = R[j][j] = c, R[i][j] = -s, R[j][i] = s;
        } else {
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = 0; j < 3; ++j) R[i][j] = sym::derivative(move.R[i][j], q);
            }
        }
        if (R == Mat3{}) continue;
        MotionChange change =
            change_of(motion[k], v[k], transposed_times(R, in.w), transposed_times(R, in.wdot), transposed_times(R, in.a));
        change.beside = {R * W.t, R * W.f};
        put(k, change);
    }
}

void for_each_change(const Task& task, std::span<const Motion> motion, std::span<const Vec3> v, std::size_t freedom, const PutChange& put) {
    const Linkage& l = task.linkage;
    for (std::size_t k = 0; k < l.moves.size(); ++k) {
        const Move& move = l.moves[k];
        Vec3 sliding;
        for (const Move::MotionAxis& way : move.ways) sliding += task.freedoms[way.freedom].u * way.S.v;
        for (const Move::MotionAxis& way : move.ways) {
            if (way.freedom != freedom) continue;
            const Vec3 in = motion[move.inner].w, twice = in + motion[k].w;
            put(k, change_of(motion[k], v[k], way.S.w, cross(in, way.S.w), cross(twice, way.S.v) + cross(way.S.w, sliding)));
        }
    }
    for (const Wheel& wheel : l.wheels) {
        if (wheel.freedom != freedom || wheel.move == none) continue;
        put(wheel.move, {.wrench = {cross(motion[wheel.move].w, wheel.inertia * wheel.axis), {}}});
    }
}

std::vector<std::vector<Expr>> changes_of_forces(const Task& task, std::span<const Motion> motion, std::span<const Expr> columns) {
    const Linkage& l = task.linkage;
    const std::vector<Move>& moves = l.moves;
    std::vector<Expr> all;
    for (const Task::Freedom& freedom : task.freedoms) all.push_back(freedom.tau);
    for (const Wrench& load : task.loads) {
        for (std::size_t c = 0; c < 6; ++c) all.push_back(entry(load, c));
    }
    for (std::size_t k = 0; k < l.wheels.size(); ++k) {
        const Wheel& wheel = l.wheels[k];
        all.push_back(wheel.speed ? *wheel.speed : Expr(0));
        all.push_back(task.wheel_rates[k]);
    }
    const std::size_t n = task.freedoms.size(), on_wheels = n + 6 * moves.size();
    std::vector<std::vector<Expr>> forces(columns.size());
    std::vector<std::vector<Wrench>> loads(columns.size());
    for (const auto& [row, column, value] : sym::jacobian(all, columns).entries) {
        forces[column].resize(n);
        if (row < n) {
            forces[column][row] += value;
            continue;
        }
        loads[column].resize(moves.size());
        if (row < on_wheels) {
            entry(loads[column][(row - n) / 6], (row - n) % 6) += value;
            continue;
        }
        const Wheel& wheel = l.wheels[(row - on_wheels) / 2];
        if (wheel.move == none) continue;
        const Vec3 momentum = (wheel.inertia * value) * wheel.axis;
        loads[column][wheel.move].t -= (row - on_wheels) % 2 == 0 ? cross(motion[wheel.move].w, momentum) : momentum;
    }
    for (std::size_t column = 0; column < columns.size(); ++column) {
        std::vector<Wrench>& L = loads[column];
        if (L.empty()) continue;
        for (std::size_t i = moves.size(); i-- > 0;) {
            if (moves[i].kind == Move::Kind::root) continue;
            for (const Move::MotionAxis& way : moves[i].ways) forces[column][way.freedom] += dot(way.S, L[i]);
            L[moves[i].inner] += inwards(moves[i], L[i]);
        }
    }
    return forces;
}

}  // namespace linkwright::formulation::recursive
