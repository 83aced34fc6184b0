#include "linkwright/formulation/recursive/inverse_derivatives.hpp"

#include "linkwright/formulation/recursive/changes.hpp"

namespace linkwright::formulation::recursive {

namespace {

class InverseDifferentiation {
public:
    InverseDifferentiation(const Task& task, std::span<const Expr> a, bool from_ground)
        : task_(task),
          l_(task.linkage),
          moves_(l_.moves),
          moving_(calc_moving(task, a)),
          carried_(carried_wrenches(task, moving_.motion, a)) {
        if (from_ground) from_root_ = poses(l_);
        find_composites();
    }

    /// ∂(M u̇ − f) of every freedom by columns q, x, u, w.
    std::vector<std::vector<Expr>> calc(const eom::AccelerationDerivatives& d, std::span<const std::size_t> free) {
        std::vector<Expr> columns = d.q;
        for (const auto* list : {&d.x, &d.u, &d.w}) columns.insert(columns.end(), list->begin(), list->end());
        by_column_.assign(columns.size(), std::vector<Expr>(task_.freedoms.size()));
        changes_.resize(moves_.size());
        const auto put = [&](std::size_t column) {
            return [this, column](std::size_t m, const MotionChange& c) { changes_[m].push_back({column, c}); };
        };
        for (std::size_t j = 0; j < d.q.size(); ++j) for_each_change(task_, moving_.motion, moving_.v, carried_, d.q[j], put(j));
        const std::size_t at_u = d.q.size() + d.x.size();
        for (std::size_t j = 0; j < free.size(); ++j) for_each_change(task_, moving_.motion, moving_.v, free[j], put(at_u + j));
        meet_outside();
        meet_inside();
        const std::vector<std::vector<Expr>> forces = changes_of_forces(task_, moving_.motion, columns);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            for (std::size_t i = 0; i < forces[c].size(); ++i) by_column_[c][i] -= forces[c][i];
        }
        return std::move(by_column_);
    }

private:
    void find_composites() {
        composite_ = l_.moments;
        for (std::size_t i = 0; i < moves_.size(); ++i) velocity_.push_back(of_body(composite_[i], moving_.motion[i].w, moving_.v[i]));
        for (const Wheel& wheel : l_.wheels) {
            if (wheel.move == none) continue;
            const Expr spin = wheel.freedom ? task_.freedoms[*wheel.freedom].u : *wheel.speed;
            velocity_[wheel.move].T += Expr(-1) * skew((wheel.inertia * spin) * wheel.axis);
        }
        for (std::size_t i = moves_.size(); i-- > 0;) {
            if (moves_[i].kind == Move::Kind::root) continue;
            composite_[moves_[i].inner] = composite_[moves_[i].inner] + inwards(moves_[i], composite_[i]);
            velocity_[moves_[i].inner] = velocity_[moves_[i].inner] + inwards(moves_[i], velocity_[i]);
        }
    }

    bool is_from_ground() const { return !from_root_.empty(); }
    template <class T>
    T seen_from(std::size_t i, const T& x) const {
        return is_from_ground() ? from_root_[i](x) : x;
    }
    Vec3 seen_from(std::size_t i, const Vec3& x) const { return is_from_ground() ? from_root_[i].R * x : x; }

    /// Freedoms at a change and outside of it.
    void meet_outside() {
        struct Seen {
            std::size_t column;
            Twist X;
            Vec3 w;
        };
        std::vector<std::vector<Seen>> seen(moves_.size());
        for (std::size_t m = 0; m < moves_.size(); ++m) {
            for (const auto& [column, c] : changes_[m]) seen[m].push_back({column, seen_from(m, c.X), seen_from(m, c.w)});
        }
        const auto meet = [&](std::size_t freedom, std::size_t m, Wrench U, Vec3 eta) {
            if (task_.freedoms[freedom].is_given) return;
            U = seen_from(m, U), eta = seen_from(m, eta);
            for (; moves_[m].kind != Move::Kind::root; m = moves_[m].inner) {
                for (const auto& [column, X, w] : seen[m]) by_column_[column][freedom] += dot(X, U) + dot(w, eta);
                if (!is_from_ground()) U = inwards(moves_[m], U), eta = inwards(moves_[m], eta);
            }
        };
        for (std::size_t m = 0; m < moves_.size(); ++m) {
            for (const Move::MotionAxis& way : moves_[m].ways) {
                Vec3 eta;
                for (std::size_t c = 0; c < 6; ++c) {
                    if (!entry(way.S, c).is_literally(0)) eta += entry(way.S, c) * Vec3{c < 3 ? velocity_[m].T[c] : velocity_[m].F[c - 3]};
                }
                meet(way.freedom, m, times(of_body(composite_[m]), way.S), eta);
            }
        }
        for (const Wheel& wheel : l_.wheels) {
            if (!wheel.freedom || wheel.move == none) continue;
            const Vec3 momentum = wheel.inertia * wheel.axis;
            meet(*wheel.freedom, wheel.move, {momentum, {}}, cross(moving_.motion[wheel.move].w, momentum));
        }
    }

    /// Freedoms inside of it, and those at it that feel what it asks for besides.
    void meet_inside() {
        std::vector<std::vector<Twist>> ways(moves_.size());
        for (std::size_t m = 0; m < moves_.size(); ++m) {
            for (const Move::MotionAxis& way : moves_[m].ways) ways[m].push_back(seen_from(m, way.S));
        }
        const auto meet = [&](std::size_t column, std::size_t m, const Wrench& F) {
            for (std::size_t k = 0; k < ways[m].size(); ++k) by_column_[column][moves_[m].ways[k].freedom] += dot(ways[m][k], F);
        };
        for (std::size_t k = 0; k < moves_.size(); ++k) {
            for (const auto& [column, c] : changes_[k]) {
                meet(column, k, seen_from(k, c.wrench));
                const Wrench asked = c.wrench + times(of_body(composite_[k]), c.X) + times(velocity_[k], c.w);
                std::size_t m = moves_[k].inner;
                Wrench F = seen_from(m, inwards(moves_[k], asked) + c.beside);
                for (; moves_[m].kind != Move::Kind::root; m = moves_[m].inner) {
                    meet(column, m, F);
                    if (!is_from_ground()) F = inwards(moves_[m], F);
                }
            }
        }
    }

    const Task& task_;
    const Linkage& l_;
    const std::vector<Move>& moves_;
    Moving moving_;
    std::vector<Wrench> carried_;
    std::vector<FromRoot> from_root_;
    std::vector<Moments> composite_;
    std::vector<VelocityInertia> velocity_;
    struct OfColumn {
        std::size_t column;
        MotionChange change;
    };
    std::vector<std::vector<OfColumn>> changes_;  ///< at each move
    std::vector<std::vector<Expr>> by_column_;
};

}  // namespace

void solve_inverse_derivatives(const Task& task, bool from_ground, eom::AccelerationDerivatives& d) {
    std::vector<std::size_t> free, place(task.freedoms.size());
    std::vector<Expr> udot(task.freedoms.size());
    for (std::size_t i = 0; i < task.freedoms.size(); ++i) {
        place[i] = free.size();
        if (task.freedoms[i].is_given)
            udot[i] = task.freedoms[i].udot;
        else
            free.push_back(i);
    }
    const eom::SparseRows entries = mass_entries(task);
    const std::vector<Expr> bias = inverse_dynamics(task, udot);
    eom::SparseRows M(free.size());
    std::vector<Expr> f;
    for (std::size_t i = 0; i < free.size(); ++i) {
        for (const auto& [j, entry] : entries[free[i]]) {
            if (!task.freedoms[j].is_given) M[i].emplace(place[j], entry);
        }
        f.push_back(-bias[free[i]]);
    }
    const std::size_t n = free.size();
    const eom::FactoredRows factor(std::move(M));
    d.a = factor.solve(f);
    for (std::size_t i = 0; i < n; ++i) udot[free[i]] = d.a[i];
    const std::vector<std::vector<Expr>> by_column = InverseDifferentiation(task, udot, from_ground).calc(d, free);
    std::size_t first = 0;
    const auto solved = [&](std::size_t count) {
        sym::Matrix m = sym::zeros(n, count);
        for (std::size_t j = 0; j < count; ++j) {
            std::vector<Expr> right;
            for (const std::size_t i : free) right.push_back(-by_column[first + j][i]);
            const std::vector<Expr> x = factor.solve(right);
            for (std::size_t i = 0; i < n; ++i) m[i][j] = x[i];
        }
        first += count;
        return m;
    };
    d.by_tau = factor.inverse();
    d.by_q = solved(d.q.size());
    d.by_x = solved(d.x.size());
    d.by_u = solved(d.u.size());
    d.by_w = solved(d.w.size());
}

}  // namespace linkwright::formulation::recursive
