#include "linkwright/formulation/recursive/passes.hpp"

#include <algorithm>

#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/recursive/articulated.hpp"
#include "linkwright/formulation/recursive/shared_sums.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::formulation::recursive {

namespace {

/// Column k of U = [ω̇]× + [ω]×²: the acceleration of a point at e_k, less that of the origin.
Vec3 column_of_U(const Motion& m, std::size_t k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    Vec3 r;
    r[k] = -(m.w[i] * m.w[i] + m.w[j] * m.w[j]);
    r[i] = sum(m.w[i] * m.w[k], m.wdot[j]);
    r[j] = sum(m.w[j] * m.w[k], -m.wdot[i]);
    return r;
}

/// Turns about one axis in a row, with slides between them: the way from where they begin, as one turn.
struct Row {
    std::size_t base = none;
    Move turn{};
    Expr rate = 0;  ///< of its angle
    std::size_t turns = 0;
};

class Velocities {
public:
    Velocities(const Task& task, std::span<const Expr> udot, LinkRecord* record)
        : task_(task), moves_(task.linkage.moves), udot_(udot), record_(record) {}

    std::vector<Motion> motions() {
        motion_.resize(moves_.size());
        rows_.resize(moves_.size());
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            if (record_ != nullptr) record_->begin(LinkRecord::Sweep::velocities, i);
            if (moves_[i].kind == Move::Kind::root) {
                motion_[i].a = -task_.linkage.gravity[i];
                continue;
            }
            extend_row(i);
            turn(i);
            accelerate(i);
        }
        return std::move(motion_);
    }

private:
    void extend_row(std::size_t i) {
        const Move& move = moves_[i];
        Row& row = rows_[i];
        row = rows_[move.inner];
        if (move.kind == Move::Kind::turn) {
            if (row.base != none && row.turn.axis == move.axis) {
                row.turn = joined(row.turn, move);
                ++row.turns;
            } else {
                row.base = move.inner, row.turn = move, row.rate = 0, row.turns = 1;
            }
        } else if (move.kind == Move::Kind::rotate) {
            row.base = none;
        }
        for (const Move::MotionAxis& way : move.ways) {
            if (row.base == none || is_zero(way.S.w)) continue;
            if (way.S.w == spatial::unit(row.turn.axis))
                row.rate += task_.freedoms[way.freedom].u;
            else
                row.base = none;
        }
    }

    /// Where little turns at the beginning of a row, one turn by the sum of its angles is shorter than one after the other.
    bool is_short_cut(std::size_t i) const {
        const Row& row = rows_[i];
        if (row.base == none || row.turns < 2) return false;
        const Vec3& w = motion_[row.base].w;
        return w[(row.turn.axis + 1) % 3].is_literally(0) || w[(row.turn.axis + 2) % 3].is_literally(0);
    }

    /// ω and ω̇. S is fixed in the frame of a joint: ω̇ gets S u̇ + ω × S u.
    void turn(std::size_t i) {
        const Move& move = moves_[i];
        const Motion& in = motion_[move.inner];
        Motion& out = motion_[i];
        Vec3 w;
        out.w = in.w, out.wdot = in.wdot;
        for (const Move::MotionAxis& way : move.ways) {
            w += task_.freedoms[way.freedom].u * way.S.w;
            out.wdot = sum(out.wdot, udot_[way.freedom] * way.S.w);
        }
        const bool turns = move.kind == Move::Kind::turn || move.kind == Move::Kind::rotate;
        if (!turns && is_zero(w)) return;
        if (!is_short_cut(i)) {
            out.w = turns ? outwards(move, in.w) : sum(in.w, w);
            find_products(out.w);
            out.wdot = turns ? outwards(move, in.wdot) : sum(out.wdot, cross(in.w, w));
            return;
        }
        const Row& row = rows_[i];
        const std::size_t k = row.turn.axis, x = (k + 1) % 3, y = (k + 2) % 3;
        const Vec3 turned = outwards(row.turn, motion_[row.base].w);
        out.w[x] = turned[x], out.w[y] = turned[y], out.w[k] += w[k];
        find_products(out.w);
        const Vec3 wdot = outwards(row.turn, motion_[row.base].wdot);
        out.wdot[x] = sum(wdot[x], out.w[y] * row.rate);
        out.wdot[y] = sum(wdot[y], -(out.w[x] * row.rate));
    }

    /// They are wanted, and what equals them by chance, as part of ω̇ may, is then found to be a product.
    static void find_products(const Vec3& w) {
        for (std::size_t x = 0; x < 3; ++x) {
            for (std::size_t y = x; y < 3; ++y) static_cast<void>(w[x] * w[y]);
        }
    }

    /// The origin. Of a joint it gets S u̇ + (ω + ω + S u) × S u.
    void accelerate(std::size_t i) {
        const Move& move = moves_[i];
        const Motion& in = motion_[move.inner];
        Motion& out = motion_[i];
        out.a = outwards(move, in.a);
        if (move.kind == Move::Kind::slide) out.a = sum(in.a, move.d * column_of_U(in, move.axis));
        Vec3 v;
        for (const Move::MotionAxis& way : move.ways) {
            v += task_.freedoms[way.freedom].u * way.S.v;
            out.a = sum(out.a, udot_[way.freedom] * way.S.v);
        }
        if (!is_zero(v)) out.a = sum(out.a, cross(in.w + out.w, v));
    }

    const Task& task_;
    const std::vector<Move>& moves_;
    std::span<const Expr> udot_;
    LinkRecord* record_;
    std::vector<Motion> motion_;
    std::vector<Row> rows_;
};

/// Which entries of U are wanted anyhow, column by column.
using Wanted = std::array<std::array<bool, 3>, 3>;

/// By slides that begin where a move ends.
std::vector<Wanted> wanted_by_slides(const Linkage& l) {
    std::vector<Wanted> wanted(l.moves.size());
    for (std::size_t i = l.moves.size(); i-- > 0;) {
        if (l.moves[i].kind != Move::Kind::slide) continue;
        Wanted& inner = wanted[l.moves[i].inner];
        inner[l.moves[i].axis] = {true, true, true};
        for (std::size_t k = 0; k < 3; ++k) {  // ω is the same before and behind a slide
            for (std::size_t r = 0; r < 3; ++r) inner[k][r] |= wanted[i][k][r];
        }
    }
    return wanted;
}

/// Newton: m a + U h. Euler: ∫ r × U r dm + h × a, the integral being the axial vector of U J.
Wrench inertia_wrench(const Moments& own, const Motion& m, Wanted wanted) {
    if (own.is_zero()) return {};
    std::array<Vec3, 3> U;
    for (std::size_t k = 0; k < 3; ++k) U[k] = column_of_U(m, k);
    Wrench W;
    W.f = own.m * m.a;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        W.f = sum(W.f, own.h[k] * U[k]);
        if (!own.h[k].is_literally(0)) wanted[k] = {true, true, true};
        if (!own.J[i][k].is_literally(0)) wanted[k][j] = true;
        if (!own.J[j][k].is_literally(0)) wanted[k][i] = true;
        const bool has_i = !own.J[i][i].is_literally(0), has_j = !own.J[j][j].is_literally(0);
        if (has_i != has_j) (has_i ? wanted[i][j] : wanted[j][i]) = true;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        // J_ii U_ji − J_jj U_ij, where U_ji − U_ij = 2 ω̇_k and U_ji + U_ij = 2 ω_i ω_j: in terms of what is there
        const Expr &x = own.J[i][i], &y = own.J[j][j], &wdot = m.wdot[k];
        const bool has_one = x.is_literally(0) || y.is_literally(0);
        Expr in_plane;
        if (has_one || (wanted[i][j] && wanted[j][i] && !(x == y)))
            in_plane = sum(x * U[i][j], -(y * U[j][i]));
        else if (wanted[i][j])
            in_plane = (x - y) * U[i][j] + (2 * y) * wdot;
        else if (wanted[j][i])
            in_plane = (x - y) * U[j][i] + (2 * x) * wdot;
        else
            in_plane = (x + y) * wdot + (x - y) * (m.w[i] * m.w[j]);
        W.t[k] = sum(in_plane, own.J[i][j] * sum(m.w[j] * m.w[j], -(m.w[i] * m.w[i])));
        W.t[k] = sum(W.t[k], own.J[i][k] * U[k][j]);
        W.t[k] = sum(W.t[k], -(own.J[j][k] * U[k][i]));
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        W.t[k] = sum(sum(W.t[k], own.h[i] * m.a[j]), -(own.h[j] * m.a[i]));
    }
    return W;
}

}  // namespace

Wrench FromRoot::operator()(const Wrench& F) const {
    const Vec3 f = R * F.f;
    return {R * F.t + cross(p, f), f};
}

Twist FromRoot::operator()(const Twist& V) const {
    const Vec3 w = R * V.w;
    return {w, R * V.v + cross(p, w)};
}

std::vector<FromRoot> poses(const Linkage& l) {
    std::vector<FromRoot> X(l.moves.size());
    for (std::size_t i = 0; i < X.size(); ++i) {
        const Move& move = l.moves[i];
        if (move.kind == Move::Kind::root) continue;
        X[i] = X[move.inner];
        if (move.kind == Move::Kind::slide) X[i].p += move.d * column(X[i].R, move.axis);
        for (auto& row : X[i].R.e) row = outwards(move, Vec3{row}).e;  // R_0i = R_0k R_ki: each row turned by the transpose
    }
    return X;
}

std::vector<Motion> motions(const Task& task, std::span<const Expr> udot, LinkRecord* record) {
    return Velocities(task, udot, record).motions();
}

std::vector<Wrench> own_wrenches(const Task& task, std::span<const Motion> motion, std::span<const Expr> udot, LinkRecord* record) {
    const Linkage& l = task.linkage;
    std::vector<Wrench> W(l.moves.size());
    const std::vector<Wanted> wanted = wanted_by_slides(l);
    for (std::size_t i = 0; i < W.size(); ++i) {
        if (record != nullptr) record->begin(LinkRecord::Sweep::velocities, i);
        W[i] = inertia_wrench(l.moments[i], motion[i], wanted[i]);
    }
    for (std::size_t k = 0; k < l.wheels.size(); ++k) {
        const Wheel& wheel = l.wheels[k];
        if (wheel.move == none) continue;
        if (record != nullptr) record->begin(LinkRecord::Sweep::velocities, wheel.move);
        const Expr spin = wheel.freedom ? task.freedoms[*wheel.freedom].u : *wheel.speed;
        const Expr spin_rate = wheel.freedom ? udot[*wheel.freedom] : task.wheel_rates[k];
        W[wheel.move].t += cross(motion[wheel.move].w, (wheel.inertia * spin) * wheel.axis) + (wheel.inertia * spin_rate) * wheel.axis;
    }
    for (std::size_t i = 0; i < W.size(); ++i) {
        if (record != nullptr) record->begin(LinkRecord::Sweep::velocities, i);
        W[i] -= task.loads[i];
    }
    return W;
}

Task task(const System& system) {
    const Mechanism& m = system.mechanism;
    Task r{take_apart(system), {}, {}, {}};
    const std::vector<Expr> armature = armature_of_freedoms(system);
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        const kinematics::Freedom& freedom = m.freedoms[i];
        r.freedoms.push_back({freedom.u, freedom.udot, system.loads.tau[i], freedom.given.has_value(), armature[i]});
    }
    r.loads.resize(r.linkage.moves.size());
    for (BodyIndex b = 1; b < r.linkage.move_of.size(); ++b) {
        if (r.linkage.move_of[b] != none) r.loads[r.linkage.move_of[b]] += to_outer(r.linkage.X_body[b], system.loads.on[b]);
    }
    sym::Tangent rate(kinematics::rates(m, false));
    for (const Wheel& wheel : r.linkage.wheels) r.wheel_rates.push_back(wheel.speed ? rate(*wheel.speed) : Expr(0));
    return r;
}

Task copy(const Task& task, sym::Pool& pool) {
    const sym::PoolScope scope(pool);
    sym::Transplant put_in(pool);
    Task r = task;
    const auto scalar = [&](Expr& x) { x = put_in(x); };
    const auto vector = [&](Vec3& v) { std::ranges::for_each(v.e, scalar); };
    const auto matrix = [&](Mat3& m) {
        for (auto& row : m.e) std::ranges::for_each(row, scalar);
    };
    for (Move& move : r.linkage.moves) {
        scalar(move.c), scalar(move.s), scalar(move.d), scalar(move.q), scalar(move.c0), scalar(move.s0), matrix(move.R);
        for (Move::MotionAxis& way : move.ways) vector(way.S.w), vector(way.S.v);
    }
    std::ranges::for_each(r.linkage.gravity, vector);
    for (auto* moments : {&r.linkage.true_moments, &r.linkage.moments}) {
        for (Moments& b : *moments) scalar(b.m), vector(b.h), matrix(b.J);
    }
    for (Wheel& wheel : r.linkage.wheels) {
        vector(wheel.axis), scalar(wheel.inertia);
        if (wheel.speed) scalar(*wheel.speed);
    }
    for (Task::Freedom& freedom : r.freedoms) scalar(freedom.u), scalar(freedom.udot), scalar(freedom.tau), scalar(freedom.armature);
    for (Wrench& load : r.loads) vector(load.t), vector(load.f);
    std::ranges::for_each(r.wheel_rates, scalar);
    r.linkage.X_body.clear();
    return r;
}

namespace {

std::vector<Expr> with_given(const Task& task) {
    std::vector<Expr> udot(task.freedoms.size());
    for (std::size_t i = 0; i < udot.size(); ++i) {
        if (task.freedoms[i].is_given) udot[i] = task.freedoms[i].udot;
    }
    return udot;
}

std::vector<Expr> wrenches_inwards(const Task& task, std::span<const Expr> udot, Outwards outwards) {
    const Linkage& l = task.linkage;
    auto& [motion, W] = outwards;
    std::vector<Expr> r;
    for (const Task::Freedom& freedom : task.freedoms) r.push_back(-freedom.tau);
    for (std::size_t i = l.moves.size(); i-- > 0;) {
        const Move& move = l.moves[i];
        if (move.kind == Move::Kind::root) continue;
        for (const Move::MotionAxis& way : move.ways) r[way.freedom] += dot(way.S, W[i]);
        const Wrench in = inwards(move, W[i]);
        W[move.inner] = {sum(W[move.inner].t, in.t), sum(W[move.inner].f, in.f)};
    }
    for (const Wheel& wheel : l.wheels) {
        if (!wheel.freedom) continue;
        const Expr carried = wheel.move == none ? Expr(0) : dot(wheel.axis, motion[wheel.move].wdot);
        r[*wheel.freedom] += wheel.inertia * (carried + udot[*wheel.freedom]);
    }
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = sum(r[i], task.freedoms[i].armature * udot[i]);
    return r;
}

}  // namespace

Outwards bias(const Task& task, LinkRecord* record) {
    const std::vector<Expr> udot = with_given(task);
    Outwards r{motions(task, udot, record), {}};
    r.wrenches = own_wrenches(task, r.motion, udot, record);
    if (record != nullptr) record->end();
    return r;
}

std::vector<Expr> inverse_dynamics(const Task& task, std::span<const Expr> udot) {
    Outwards r{motions(task, udot), {}};
    r.wrenches = own_wrenches(task, r.motion, udot);
    return wrenches_inwards(task, udot, std::move(r));
}

std::vector<Expr> inverse_dynamics(const Task& task, Outwards bias) { return wrenches_inwards(task, with_given(task), std::move(bias)); }

namespace {

/// Calls put(i, j, M_ij) for what may be in M; an entry may come twice, and the last one counts.
template <class Put>
void put_masses(const Task& task, Put put) {
    const Linkage& l = task.linkage;
    const std::size_t n = task.freedoms.size();
    // Long chains are looked at from the ground: S·momentum is shorter than a momentum carried past a joint, once everything
    // is there.
    constexpr std::size_t long_way = 20;
    std::vector<std::size_t> depth(l.moves.size());
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < l.moves.size(); ++i) {
        if (l.moves[i].kind != Move::Kind::root) depth[i] = depth[l.moves[i].inner] + l.moves[i].ways.size();
        pairs += depth[i] * l.moves[i].ways.size();
    }
    const bool is_long = pairs > long_way * n;
    const std::vector<FromRoot> from_root = is_long ? poses(l) : std::vector<FromRoot>{};
    std::vector<std::vector<Twist>> seen(l.moves.size());
    for (std::size_t i = 0; is_long && i < l.moves.size(); ++i) {
        for (const Move::MotionAxis& way : l.moves[i].ways) seen[i].push_back(from_root[i](way.S));
    }
    const auto meet = [&](std::size_t j, std::size_t i, Wrench momentum) {
        if (is_long) momentum = from_root[i](momentum);
        for (; l.moves[i].kind != Move::Kind::root; i = l.moves[i].inner) {
            for (std::size_t k = 0; k < l.moves[i].ways.size(); ++k) {
                const Move::MotionAxis& way = l.moves[i].ways[k];
                put(way.freedom, j, dot(is_long ? seen[i][k] : way.S, momentum));
            }
            if (!is_long) momentum = inwards(l.moves[i], momentum);
        }
    };
    std::vector<Moments> composite = l.moments;
    for (std::size_t i = l.moves.size(); i-- > 0;) {
        const Move& move = l.moves[i];
        if (move.kind == Move::Kind::root) continue;
        const Moments& c = composite[i];
        for (const Move::MotionAxis& way : move.ways) meet(way.freedom, i, times(of_body(c), way.S));
        composite[move.inner] = composite[move.inner] + inwards(move, c);
    }
    for (const Wheel& wheel : l.wheels) {
        if (!wheel.freedom) continue;
        if (wheel.move != none) meet(*wheel.freedom, wheel.move, {wheel.inertia * wheel.axis, {}});
        put(*wheel.freedom, *wheel.freedom, wheel.inertia);
    }
}

}  // namespace

Matrix mass_matrix(const Task& task) {
    const std::size_t n = task.freedoms.size();
    Matrix M = sym::zeros(n, n);
    put_masses(task, [&](std::size_t i, std::size_t j, const Expr& value) { M[i][j] = M[j][i] = value; });
    for (std::size_t i = 0; i < n; ++i) M[i][i] += task.freedoms[i].armature;
    return M;
}

eom::SparseRows mass_entries(const Task& task) {
    eom::SparseRows M(task.freedoms.size());
    put_masses(task,
               [&](std::size_t i, std::size_t j, const Expr& value) { M[i].insert_or_assign(j, value), M[j].insert_or_assign(i, value); });
    for (std::size_t i = 0; i < M.size(); ++i) {
        if (!task.freedoms[i].armature.is_literally(0)) M[i].insert_or_assign(i, M[i][i] + task.freedoms[i].armature);
        std::erase_if(M[i], [](const auto& entry) { return entry.second.is_literally(0); });
    }
    return M;
}

std::vector<Expr> inertias(const Task& task) {
    const Linkage& l = task.linkage;
    std::vector<Expr> diagonal(task.freedoms.size());
    std::vector<Moments> composite = l.moments;
    for (std::size_t i = l.moves.size(); i-- > 0;) {
        const Move& move = l.moves[i];
        if (move.kind == Move::Kind::root) continue;
        const Moments& c = composite[i];
        for (const Move::MotionAxis& way : move.ways) diagonal[way.freedom] = dot(way.S, times(of_body(c), way.S));
        composite[move.inner] = composite[move.inner] + inwards(move, c);
    }
    for (const Wheel& wheel : l.wheels) {
        if (wheel.freedom) diagonal[*wheel.freedom] = wheel.inertia;
    }
    for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] += task.freedoms[i].armature;
    return diagonal;
}

std::vector<Expr> forward_dynamics(const Task& task) { return forward_dynamics(task, bias(task), nullptr); }

std::vector<Expr> forward_dynamics(const Task& task, Outwards bias, LinkRecord* record) {
    const Linkage& l = task.linkage;
    auto& [motion, P] = bias;
    std::vector<Articulated> IA;
    std::vector<bool> is_number;  // no symbols in it
    for (const Moments& b : l.true_moments) {
        IA.push_back(of_body(b));
        bool is = true;
        for_each_entry(IA.back(), [&](const Expr& x) { is = is && is_constant(x); });
        is_number.push_back(is);
    }
    for (const Wheel& wheel : l.wheels) {
        if (!wheel.freedom || wheel.move == none) continue;
        if (record != nullptr) record->begin(LinkRecord::Sweep::velocities, wheel.move);
        is_number[wheel.move] = false;
        IA[wheel.move].I += (-wheel.inertia) * spatial::outer(wheel.axis, wheel.axis);
        P[wheel.move].t += (task.freedoms[*wheel.freedom].tau - wheel.inertia * dot(wheel.axis, motion[wheel.move].wdot)) * wheel.axis;
    }
    std::vector<std::size_t> branches(l.moves.size());
    for (const Move& move : l.moves) ++branches[move.inner];
    // Turns about the axis of a joint and fixed slides along it change places with the joint: that is eliminated before them,
    // and they have less to carry.
    std::vector<std::size_t> joint_at(l.moves.size());  // whose ways are eliminated here
    for (std::size_t i = 0; i < l.moves.size(); ++i) joint_at[i] = i;
    for (std::size_t i = 0; i < l.moves.size(); ++i) {
        const Move& move = l.moves[i];
        const bool may_change = move.kind == Move::Kind::turn || (move.kind == Move::Kind::slide && move.is_fixed);
        const std::size_t j = may_change ? joint_at[move.inner] : none;
        if (j == none || l.moves[j].ways.size() != 1 || !l.true_moments[move.inner].is_zero()) continue;
        if (direction(l.moves[j].ways[0].S).c == move.axis && branches[move.inner] == 1) {
            joint_at[i] = j;
            joint_at[move.inner] = none;
        }
    }
    std::vector<std::vector<Pivot>> pivots(l.moves.size());
    for (std::size_t i = l.moves.size(); i-- > 0;) {
        const Move& move = l.moves[i];
        if (move.kind == Move::Kind::root) continue;
        if (record != nullptr) record->begin(LinkRecord::Sweep::inertias, i);
        const std::size_t j = joint_at[i];
        if (j != none) {
            const std::vector<Move::MotionAxis>& ways = l.moves[j].ways;
            for (std::size_t k = ways.size(); k-- > 0;) {
                if (task.freedoms[ways[k].freedom].is_given) continue;
                Expr beside = 0;
                for (std::size_t b = i; b != j;) {
                    b = l.moves[b].inner;
                    beside = sum(beside, entry(P[b], move.axis));
                    entry(P[b], move.axis) = 0;
                }
                const Task::Freedom& freedom = task.freedoms[ways[k].freedom];
                if (!is_constant(freedom.armature)) is_number[i] = false;
                pivots[i].push_back(eliminate(ways[k], {freedom.tau, beside, freedom.armature}, is_number[i], IA[i], P[i]));
            }
        }
        IA[move.inner] = IA[move.inner] + inwards(move, IA[i]);
        const bool is_plain = move.is_fixed && move.kind != Move::Kind::rotate && is_constant(move.d) && is_constant(move.c);
        const bool is_free_of_q = move.kind == Move::Kind::joint || is_plain;
        if (!is_number[i] || !is_free_of_q) is_number[move.inner] = false;
        const Wrench in = inwards(move, P[i]);
        P[move.inner] = {sum(P[move.inner].t, in.t), sum(P[move.inner].f, in.f)};
    }
    std::vector<Expr> a = with_given(task);
    std::vector<Twist> A(l.moves.size());
    for (std::size_t i = 0; i < l.moves.size(); ++i) {
        const Move& move = l.moves[i];
        if (move.kind == Move::Kind::root) continue;
        if (record != nullptr) record->begin(LinkRecord::Sweep::accelerations, i);
        const Twist& in = A[move.inner];
        if (move.kind == Move::Kind::slide) {
            A[i] = in;
            const std::size_t x = (move.axis + 1) % 3, y = (move.axis + 2) % 3;
            A[i].v[x] += move.d * in.w[y];
            A[i].v[y] -= move.d * in.w[x];
        } else {
            A[i] = {outwards(move, in.w), outwards(move, in.v)};
        }
        for (std::size_t k = pivots[i].size(); k-- > 0;) a[pivots[i][k].freedom] = joint_acceleration(pivots[i][k], A[i]);
    }
    for (const Wheel& wheel : l.wheels) {
        if (!wheel.freedom) continue;
        if (record != nullptr && wheel.move != none) record->begin(LinkRecord::Sweep::accelerations, wheel.move);
        const Vec3 alpha = wheel.move == none ? Vec3{} : motion[wheel.move].wdot + A[wheel.move].w;
        a[*wheel.freedom] = task.freedoms[*wheel.freedom].tau / wheel.inertia - dot(wheel.axis, alpha);
    }
    if (record != nullptr) record->end();
    return a;
}

}  // namespace linkwright::formulation::recursive
