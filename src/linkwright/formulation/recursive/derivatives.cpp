#include "linkwright/formulation/recursive/derivatives.hpp"

#include <algorithm>
#include <ranges>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/finish.hpp"
#include "linkwright/formulation/recursive/articulated.hpp"
#include "linkwright/formulation/recursive/changes.hpp"
#include "linkwright/formulation/recursive/inverse_derivatives.hpp"
#include "linkwright/formulation/recursive/shared_sums.hpp"

namespace linkwright::formulation::recursive {

namespace {

/// The same move the other way round.
Move inverse(Move m) {
    m.s = -m.s;
    m.R = transpose(m.R);
    return m;
}

/// How a frame accelerates under a wrench on it: α = I t + H f, a = Hᵀ t + M f.
using Compliance = Articulated;

Expr& at(Compliance& C, std::size_t r, std::size_t c) {
    if (r < 3) return c < 3 ? C.I[r][c] : C.H[r][c - 3];
    return c < 3 ? C.H[c][r - 3] : C.M[r - 3][c - 3];
}
void put(Compliance& C, std::size_t r, std::size_t c, const Expr& x) { at(C, r, c) = at(C, c, r) = x; }

Compliance outwards(const Move& m, const Compliance& C) {
    if (m.kind == Move::Kind::slide) {
        // H' = H + I [p]×, M' = M + Hᵀ [p]× − [p]× H'
        const std::size_t k = m.axis, i = (k + 1) % 3, j = (k + 2) % 3;
        Compliance r = C;
        for (std::size_t c = 0; c < 3; ++c) {
            r.H[c][i] += m.d * C.I[c][j];
            r.H[c][j] -= m.d * C.I[c][i];
        }
        r.M[i][i] += m.d * (C.H[j][i] + r.H[j][i]);
        r.M[j][j] -= m.d * (C.H[i][j] + r.H[i][j]);
        r.M[i][j] = r.M[j][i] = C.M[i][j] + m.d * (r.H[j][j] - C.H[i][i]);
        r.M[i][k] = r.M[k][i] = C.M[i][k] + m.d * C.H[j][k];
        r.M[j][k] = r.M[k][j] = C.M[j][k] - m.d * C.H[i][k];
        return r;
    }
    if (m.kind == Move::Kind::joint || m.kind == Move::Kind::root) return C;
    const Move back = inverse(m);
    return {turned(back, C.I), carried(back, C.H), turned(back, C.M)};
}

Twist of_wrench(const Compliance& C, const Wrench& F) { return {C.I * F.t + C.H * F.f, transposed_times(C.H, F.t) + C.M * F.f}; }

/// A freedom that gives way: its acceleration is rest − K·(α, a) − η·w, K being `scaled` of the pivot.
struct Yield {
    Pivot pivot;
    Vec3 eta{};
    bool is_wheel = false;  ///< turns in its carrier and does not move it
};

/// The other side of a joint, past the freedom: Λ ← (1 − S Kᵀ) Λ (1 − K Sᵀ) + S Sᵀ/D.
void give_way(const Pivot& pivot, Compliance& C) {
    const bool is_known = pivot.along.c != none;
    std::array<Expr, 6> v;
    for (std::size_t c = 0; c < 6; ++c) {
        for (std::size_t k = 0; k < 6; ++k) {
            if (!is_known || k != pivot.along.c) v[c] += entry(pivot.scaled, k) * at(C, k, c);
        }
    }
    Expr both = pivot.inverse;
    for (std::size_t k = 0; k < 6; ++k) {
        if (!is_known || k != pivot.along.c) both += entry(pivot.scaled, k) * v[k];
    }
    if (is_known) {  // K is 1 there, and nothing is left of what was
        for (std::size_t c = 0; c < 6; ++c) put(C, pivot.along.c, c, c == pivot.along.c ? both : -v[c]);
        return;
    }
    for (std::size_t r = 0; r < 6; ++r) {
        for (std::size_t c = r; c < 6; ++c) {
            const Expr &x = entry(pivot.S, r), &y = entry(pivot.S, c);
            put(C, r, c, at(C, r, c) - x * v[c] - v[r] * y + both * (x * y));
        }
    }
}

bool is_zero(const Wrench& F) { return spatial::is_zero(F.t) && spatial::is_zero(F.f); }

/// Turns about the axis of a joint and fixed slides along it change places with it where nothing stands in between: the joint is then
/// eliminated before they are passed, as in forward_dynamics().
Task with_joints_outside(Task task) {
    Linkage& l = task.linkage;
    std::vector<std::size_t> branches(l.moves.size()), wheels(l.moves.size());
    for (std::size_t i = 0; i < l.moves.size(); ++i) {
        if (l.moves[i].kind != Move::Kind::root) ++branches[l.moves[i].inner];
    }
    for (const Wheel& wheel : l.wheels) {
        if (wheel.move != none) ++wheels[wheel.move];
    }
    for (std::size_t i = 0; i < l.moves.size(); ++i) {
        const Move& move = l.moves[i];
        if (move.kind != Move::Kind::turn && (move.kind != Move::Kind::slide || !move.is_fixed)) continue;
        const std::size_t j = move.inner;
        const Move& joint = l.moves[j];
        if (joint.kind != Move::Kind::joint || joint.ways.size() != 1 || direction(joint.ways[0].S).c != move.axis) continue;
        if (branches[j] != 1 || wheels[j] != 0 || !l.true_moments[j].is_zero() || !is_zero(task.loads[j])) continue;
        std::swap(l.moves[i], l.moves[j]);
        l.moves[j].inner = l.moves[i].inner;
        l.moves[i].inner = j;
    }
    l.moments = l.true_moments;  // all that follows wants the wrenches that joints really carry
    return task;
}

class Differentiation {
public:
    Differentiation(const Task& task, std::span<const Expr> a, Manner manner)
        : task_(with_joints_outside(task)), l_(task_.linkage), moves_(l_.moves), manner_(manner), a_(a) {
        find_motion();
        W_ = carried_wrenches(task_, motion_, a_);
        find_inertias();
        if (manner_.with_compliance) find_compliances();
        if (manner_.from_ground) look_from_ground();
        for (std::size_t m = 0; m < moves_.size(); ++m) {
            for (const Yield& y : yields_[m]) order_.push_back({m, y.pivot.freedom});
        }
        for (const Wheel& wheel : l_.wheels) {
            if (wheel.freedom && wheel.move == none) fixed_wheels_.push_back({*wheel.freedom, wheel.inertia});
        }
        find_unit_responses();
    }

    /// By the symbols of `d`.
    void calc(eom::AccelerationDerivatives& d) {
        std::vector<Expr> columns = d.q;
        columns.insert(columns.end(), d.x.begin(), d.x.end());
        columns.insert(columns.end(), d.u.begin(), d.u.end());
        columns.insert(columns.end(), d.w.begin(), d.w.end());
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < task_.freedoms.size(); ++i) {
            if (!task_.freedoms[i].is_given) free.push_back(i);
        }
        const std::size_t n = free.size(), at_x = d.q.size(), at_u = at_x + d.x.size(), at_w = at_u + n;
        by_column_.assign(columns.size(), std::vector<Expr>(task_.freedoms.size()));
        for (std::size_t j = 0; j < d.q.size(); ++j) {
            for_each_change(task_, motion_, v_, W_, d.q[j], [&](std::size_t m, const MotionChange& c) { respond(m, c, by_column_[j]); });
        }
        for (std::size_t j = 0; j < n; ++j) {
            for_each_change(task_, motion_, v_, free[j],
                            [&](std::size_t m, const MotionChange& c) { respond(m, c, by_column_[at_u + j]); });
        }
        add_loads(columns);
        const auto rows = [&](const std::vector<std::vector<Expr>>& from, std::size_t first, std::size_t count) {
            Matrix m = sym::zeros(n, count);
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < count; ++j) m[i][j] = from[first + j][free[i]];
            }
            return m;
        };
        d.by_q = rows(by_column_, 0, at_x);
        d.by_x = rows(by_column_, at_x, d.x.size());
        d.by_u = rows(by_column_, at_u, n);
        d.by_w = rows(by_column_, at_w, d.w.size());
        std::vector<std::vector<Expr>> inverse;
        for (const std::size_t j : free) inverse.push_back(inverse_[j]), d.a.push_back(a_[j]);
        d.by_tau = rows(inverse, 0, n);
    }

private:
    // ---------------------------------------------------------------------------------------------- the motion as it is

    void find_motion() {
        Moving moving = calc_moving(task_, a_);
        motion_ = std::move(moving.motion);
        v_ = std::move(moving.v);
        root_.resize(moves_.size());
        for (std::size_t i = 0; i < moves_.size(); ++i) root_[i] = moves_[i].kind == Move::Kind::root ? i : root_[moves_[i].inner];
    }

    // ----------------------------------------------------------------------------- what gives way, and what it takes

    void find_inertias() {
        yields_.resize(moves_.size());
        std::vector<bool> is_number;
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            inertia_.push_back(of_body(l_.true_moments[i]));
            velocity_inertia_.push_back(of_body(l_.true_moments[i], motion_[i].w, v_[i]));
            bool is = true;
            for_each_entry(inertia_.back(), [&](const Expr& x) { is = is && is_constant(x); });
            is_number.push_back(is);
        }
        for (const Wheel& wheel : l_.wheels) {
            if (wheel.move == none) continue;
            const Expr spin = wheel.freedom ? task_.freedoms[*wheel.freedom].u : *wheel.speed;
            const Vec3& axis = wheel.axis;
            velocity_inertia_[wheel.move].T += Expr(-1) * skew((wheel.inertia * spin) * axis);
            if (!wheel.freedom) continue;
            is_number[wheel.move] = false;
            inertia_[wheel.move].I += (-wheel.inertia) * spatial::outer(axis, axis);
            velocity_inertia_[wheel.move].T += wheel.inertia * spatial::outer(axis, cross(axis, motion_[wheel.move].w));
        }
        for (std::size_t i = moves_.size(); i-- > 0;) {
            const Move& move = moves_[i];
            if (move.kind == Move::Kind::root) continue;
            Articulated IA = inertia_[i];
            VelocityInertia B = velocity_inertia_[i];
            for (std::size_t k = move.ways.size(); k-- > 0;) {
                const Task::Freedom& freedom = task_.freedoms[move.ways[k].freedom];
                if (freedom.is_given) continue;
                if (!is_constant(freedom.armature)) is_number[i] = false;
                Wrench unused;
                Yield y{eliminate(move.ways[k], {0, 0, freedom.armature}, is_number[i], IA, unused)};
                for (std::size_t c = 0; c < 6; ++c) {
                    if (entry(y.pivot.S, c).is_literally(0)) continue;
                    y.eta += entry(y.pivot.S, c) * Vec3{c < 3 ? B.T[c] : B.F[c - 3]};
                }
                y.eta = y.pivot.inverse * y.eta;
                for (std::size_t r = 0; r < 6; ++r) {
                    for (std::size_t c = 0; c < 3; ++c) {
                        Expr& x = r < 3 ? B.T[r][c] : B.F[r - 3][c];
                        x = r == y.pivot.along.c ? Expr(0) : x - entry(y.pivot.U, r) * y.eta[c];
                    }
                }
                yields_[i].push_back(std::move(y));
            }
            std::ranges::reverse(yields_[i]);  // in the order in which they are met on the way out
            inertia_[move.inner] = inertia_[move.inner] + inwards(move, IA);
            velocity_inertia_[move.inner] = velocity_inertia_[move.inner] + inwards(move, B);
            const bool is_plain = move.is_fixed && move.kind != Move::Kind::rotate && is_constant(move.d) && is_constant(move.c);
            if (!is_number[i] || !(move.kind == Move::Kind::joint || is_plain)) is_number[move.inner] = false;
        }
        // u̇ = τ/I − axis·(α − ω × w)
        for (const Wheel& wheel : l_.wheels) {
            if (!wheel.freedom || wheel.move == none) continue;
            Yield y{{*wheel.freedom, {}, {}, {}, {wheel.axis, {}}, 0, 1 / wheel.inertia}, cross(motion_[wheel.move].w, wheel.axis), true};
            yields_[wheel.move].push_back(std::move(y));
        }
    }

    void find_compliances() {
        compliance_.resize(moves_.size());
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            if (moves_[i].kind == Move::Kind::root) continue;
            compliance_[i] = outwards(moves_[i], compliance_[moves_[i].inner]);
            for (const Yield& y : yields_[i]) {
                if (!y.is_wheel) give_way(y.pivot, compliance_[i]);
            }
        }
    }

    /// What sweeps look at, from the ground.
    void look_from_ground() {
        from_root_ = poses(l_);
        seen_ = yields_;
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            for (Yield& y : seen_[i]) {
                y.pivot.S = from_root_[i](y.pivot.S);
                y.pivot.scaled = from_root_[i](y.pivot.scaled);
                y.pivot.along.c = none;
                y.eta = from_root_[i].R * y.eta;
            }
        }
    }

    const std::vector<Yield>& seen(std::size_t i) const { return manner_.from_ground ? seen_[i] : yields_[i]; }
    template <class T>
    T seen_from(std::size_t i, const T& x) const {
        return manner_.from_ground ? from_root_[i](x) : x;
    }
    Vec3 seen_from(std::size_t i, const Vec3& x) const { return manner_.from_ground ? from_root_[i].R * x : x; }
    template <class T>
    T carried_out(std::size_t i, const T& x) const {
        return manner_.from_ground ? x : outwards(moves_[i], x);
    }

    // --------------------------------------------------------------------------------------------------------- responses

    /// A change at a move.
    struct Change {
        std::size_t move;
        Wrench wrench{};  ///< that its frame asks for, before its freedoms give way
        Twist X{};        ///< (α, a) of its frame
        Vec3 w{};
        Wrench beside{};            ///< that its inner frame feels besides
        std::size_t forced = none;  ///< the freedom of the move on which a unit force acts
    };

    /// Freedoms of the move give way: what is left of the wrench, and what they have of their own.
    std::vector<Expr> give_way_to(const Change& change, Wrench& p) const {
        const std::vector<Yield>& yields = yields_[change.move];
        std::vector<Expr> rest(yields.size());
        for (std::size_t k = yields.size(); k-- > 0;) {
            const Pivot& pivot = yields[k].pivot;
            const Expr unit = pivot.freedom == change.forced ? pivot.along.sign : 0;
            if (yields[k].is_wheel) {
                rest[k] = unit * pivot.inverse;
                continue;
            }
            rest[k] = (unit - dot(pivot.S, p)) * pivot.inverse;
            for (std::size_t c = 0; c < 6; ++c) {
                if (c == pivot.along.c)
                    entry(p, c) = unit;
                else
                    entry(p, c) += entry(pivot.U, c) * rest[k];
            }
        }
        return rest;
    }

    static Expr yield(const Yield& y, const Expr& rest, Twist& A, const Vec3& w) {
        Pivot pivot = y.pivot;
        pivot.rest = rest - dot(y.eta, w);
        return joint_acceleration(pivot, A);
    }

    /// How the frame inside the change accelerates, given what the freedoms on the way to it do.
    Twist inner_response(std::size_t inner, const Wrench& F, const std::vector<Expr>& udot) const {
        if (manner_.with_compliance) return seen_from(inner, -of_wrench(compliance_[inner], F));
        std::vector<std::size_t> way;
        for (std::size_t m = inner; moves_[m].kind != Move::Kind::root; m = moves_[m].inner) way.push_back(m);
        Twist A;
        for (const std::size_t m : way | std::views::reverse) {
            A = carried_out(m, A);
            for (const Yield& y : seen(m)) A += (y.pivot.along.sign * udot[y.pivot.freedom]) * y.pivot.S;
        }
        return A;
    }

    /// For a unit force on each freedom: how all frames and all freedoms accelerate.
    void find_unit_responses() {
        const std::size_t n = task_.freedoms.size();
        inverse_.assign(n, std::vector<Expr>(n));
        fields_.resize(n);
        std::vector<bool> is_done(n);
        for (const auto& [k, i] : order_) {
            std::vector<Expr>& udot = inverse_[i];
            for (const auto& [m, j] : order_) {
                if (is_done[j]) udot[j] = inverse_[j][i];
            }
            Change change{.move = k, .forced = i};
            for (const Yield& y : yields_[k]) {
                if (y.is_wheel && y.pivot.freedom == i) change.wrench.t = y.pivot.scaled.t;  // on its carrier
            }
            Wrench F = change.wrench;
            const std::vector<Expr> rest = give_way_to(change, F);
            const std::size_t inner = moves_[k].inner;
            const Twist in = inner_response(inner, inwards(moves_[k], F), udot);
            std::vector<Twist>& A = fields_[i];
            A.resize(moves_.size());
            for (std::size_t m = 0; m < moves_.size(); ++m) {
                if (moves_[m].kind == Move::Kind::root || root_[m] != root_[k]) continue;
                A[m] = carried_out(m, m == k ? in : A[moves_[m].inner]);
                for (std::size_t c = 0; c < seen(m).size(); ++c) {
                    const Yield& y = seen(m)[c];
                    const std::size_t j = y.pivot.freedom;
                    if (is_done[j])
                        A[m] += (y.pivot.along.sign * udot[j]) * y.pivot.S;
                    else
                        udot[j] = yield(y, m == k ? rest[c] : Expr(0), A[m], {});
                }
            }
            is_done[i] = true;
        }
        for (const auto& [i, inertia] : fixed_wheels_) inverse_[i][i] = 1 / inertia;
    }

    /// What all freedoms do about a change, added to `column`.
    void respond(const Change& change, std::vector<Expr>& column) const {
        const std::size_t k = change.move, inner = moves_[k].inner;
        Wrench F = change.wrench;
        const std::vector<Expr> rest = give_way_to(change, F);
        F = inwards(moves_[k], F) + change.beside;
        const Wrench seen_F = seen_from(inner, F);
        std::vector<bool> is_outside(moves_.size());
        for (std::size_t m = k; m < moves_.size(); ++m) {
            is_outside[m] = m == k || (moves_[m].kind != Move::Kind::root && is_outside[moves_[m].inner]);
        }
        std::vector<Expr> udot(column.size());
        for (const auto& [m, j] : order_) {
            if (!is_outside[m] && root_[m] == root_[k]) udot[j] = -dot(fields_[j][inner], seen_F);
        }
        std::vector<Twist> A(moves_.size());
        std::vector<Vec3> w(moves_.size());
        // Freedoms of the move itself have given way to the change already; its wheels, which lie outside, see it as others do.
        A[k] = carried_out(k, inner_response(inner, F, udot));
        for (std::size_t c = 0; c < seen(k).size(); ++c) {
            const Yield& y = seen(k)[c];
            if (!y.is_wheel) udot[y.pivot.freedom] = yield(y, rest[c], A[k], {});
        }
        A[k] += seen_from(k, change.X);
        w[k] = seen_from(k, change.w);
        for (const Yield& y : seen(k)) {
            if (y.is_wheel) udot[y.pivot.freedom] = yield(y, 0, A[k], w[k]);
        }
        for (std::size_t m = k + 1; m < moves_.size(); ++m) {
            if (!is_outside[m]) continue;
            A[m] = carried_out(m, A[moves_[m].inner]);
            w[m] = carried_out(m, w[moves_[m].inner]);
            for (const Yield& y : seen(m)) udot[y.pivot.freedom] = yield(y, 0, A[m], w[m]);
        }
        for (std::size_t i = 0; i < column.size(); ++i) column[i] += udot[i];
    }

    // ------------------------------------------------------------------------------------------------------------ columns

    void respond(std::size_t move, const MotionChange& c, std::vector<Expr>& column) const {
        Change change{.move = move, .wrench = c.wrench, .X = c.X, .w = c.w, .beside = c.beside};
        change.wrench += times(inertia_[move], c.X) + times(velocity_inertia_[move], c.w);
        respond(change, column);
    }

    /// Forces, loads on bodies and wheels whose speed is held may depend on everything: their derivatives are forces, and M⁻¹ is there.
    void add_loads(std::span<const Expr> columns) {
        const std::size_t n = task_.freedoms.size();
        const std::vector<std::vector<Expr>> forces = changes_of_forces(task_, motion_, columns);
        for (std::size_t column = 0; column < columns.size(); ++column) {
            for (std::size_t k = 0; k < forces[column].size(); ++k) {
                if (task_.freedoms[k].is_given || forces[column][k].is_literally(0)) continue;
                for (std::size_t i = 0; i < n; ++i) by_column_[column][i] += inverse_[k][i] * forces[column][k];
            }
        }
    }

    Task task_;
    const Linkage& l_;
    const std::vector<Move>& moves_;
    Manner manner_;
    std::span<const Expr> a_;
    std::vector<Motion> motion_;
    std::vector<Vec3> v_;
    std::vector<Wrench> W_;
    std::vector<std::size_t> root_;
    std::vector<Articulated> inertia_;               ///< before the freedoms of the move give way
    std::vector<VelocityInertia> velocity_inertia_;  ///< likewise
    std::vector<Compliance> compliance_;
    std::vector<std::vector<Yield>> yields_, seen_;  ///< of each move, inner ones first; wheels last
    std::vector<FromRoot> from_root_;
    struct Place {
        std::size_t move, freedom;
    };
    std::vector<Place> order_;  ///< inner ones first
    std::vector<std::pair<std::size_t, Expr>> fixed_wheels_;
    std::vector<std::vector<Twist>> fields_;  ///< for a unit force on each freedom, of each frame
    std::vector<std::vector<Expr>> inverse_;  ///< M⁻¹, by columns
    std::vector<std::vector<Expr>> by_column_;
};

eom::AccelerationDerivatives differentiate(const System& system, const Task& given, Manner manner) {
    const Mechanism& m = system.mechanism;
    eom::AccelerationDerivatives d;
    d.pool = pool_with_symbols(system);
    const sym::PoolScope scope(*d.pool);
    sym::Transplant here(*d.pool);
    d.t = here(m.model->t);
    for (const model::Parameter& p : m.model->parameters) d.parameters.push_back(here(p.symbol));
    for (const kinematics::Coordinate& c : m.coordinates) {
        if (!c.given) d.q.push_back(here(c.q));
    }
    for (const model::AuxiliaryState& x : m.model->states) d.x.push_back(here(x.symbol));
    for (const kinematics::Freedom& freedom : m.freedoms) {
        if (!freedom.given) d.u.push_back(here(freedom.u));
    }
    for (const model::Input& w : m.model->inputs) d.w.push_back(here(w.symbol));
    const Task task = copy(given, *d.pool);
    if (manner.by_inverse) {
        solve_inverse_derivatives(task, manner.from_ground, d);
    } else {
        const std::vector<Expr> a = forward_dynamics(task);
        Differentiation(task, a, manner).calc(d);
    }
    return d;
}

/// Given motions leave: everything is built once more in a pool where they never were.
void put_in_given(const Mechanism& m, eom::AccelerationDerivatives& d) {
    if (m.given.empty()) return;
    auto pool = std::make_shared<sym::Pool>(d.pool->options());
    sym::Transplant from_model(*pool), from_there(*pool);
    for (const Expr& p : d.parameters) from_there(p);
    for (const sym::Binding& b : m.given) from_model.replace(b.first, from_model(b.second));
    for (const sym::Binding& b : m.given) {
        const sym::SymbolInfo& symbol = b.first.symbol();
        from_there.replace(d.pool->symbol(symbol.name, symbol.role), from_model(b.first));
    }
    d.t = from_there(d.t);
    for (auto* list : {&d.parameters, &d.q, &d.x, &d.u, &d.w}) {
        for (Expr& x : *list) x = from_there(x);
    }
    eom::for_each_value(d, [&](Expr& x) { x = from_there(x); });
    d.pool = std::move(pool);
}

std::size_t size(eom::AccelerationDerivatives& d) {
    std::vector<Expr> all;
    eom::for_each_value(d, [&](const Expr& x) { all.push_back(x); });
    return eom::arithmetic(all);
}

/// Columns that are solutions with one factor do the same to different numbers, four in one instruction (jit/packs.hpp), where sweeps do so only in part: such a
/// manner may take a fifth more operations and is faster still.
std::size_t weight(Manner manner) { return manner.by_inverse ? 8 : 10; }

/// Each in a pool of its own; the shortest is kept.
std::optional<eom::AccelerationDerivatives> shortest(const model::Model& model, const topology::Topology& topology,
                                                     std::span<const Manner> manners) {
    const sym::PoolScope scope(*model.pool);
    const System system = set_up(model, topology);
    const bool is_rigid = !has_mass_inside(system.mechanism) && model.speeds.empty() && !has_armature_across(system);
    if (!system.problems.empty() || !system.rows.empty() || !is_rigid) return std::nullopt;
    const Task given = task(system);
    std::optional<eom::AccelerationDerivatives> best;
    std::size_t least = 0;
    for (const Manner manner : manners) {
        eom::AccelerationDerivatives d = differentiate(system, given, manner);
        const std::size_t n = size(d) * weight(manner);
        if (!best || n < least) best = std::move(d), least = n;
    }
    put_in_given(system.mechanism, *best);
    return best;
}

}  // namespace

std::optional<eom::AccelerationDerivatives> differentiate_accelerations(const model::Model& model, const topology::Topology& topology,
                                                                        Manner manner) {
    return shortest(model, topology, {&manner, 1});
}

std::optional<eom::AccelerationDerivatives> differentiate_accelerations(const model::Model& model, const topology::Topology& topology) {
    static constexpr std::array all{Manner{false, false, true}, Manner{true, false, true}, Manner{false, false},
                                    Manner{false, true},        Manner{true, false},       Manner{true, true}};
    constexpr std::size_t many = 40;  // joints, from which on the last one is the shortest
    return shortest(model, topology, model.joints.size() < many ? std::span<const Manner>(all) : std::span<const Manner>(all).last(1));
}

}  // namespace linkwright::formulation::recursive
