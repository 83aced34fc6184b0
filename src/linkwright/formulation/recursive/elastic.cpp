#include "linkwright/formulation/recursive/elastic.hpp"

#include <algorithm>
#include <map>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/second_order.hpp"

namespace linkwright::formulation::recursive {

namespace {

using spatial::Mat3;
using spatial::Pose;

/// n = I α + H a, f = Hᵀ α + M a.
struct Block {
    Mat3 I, H, M;
};

Block of_body(const spatial::Inertia& a) { return {a.I, spatial::skew(a.h), spatial::diagonal(a.m, a.m, a.m)}; }
Wrench operator*(const Block& a, const Twist& V) { return {a.I * V.w + a.H * V.v, transposed_times(a.H, V.w) + a.M * V.v}; }

/// Given in B, wanted in A.
Block to_outer(const Pose& X, const Block& b) {
    const Mat3 &R = X.R.matrix(), Rt = transpose(R), P = spatial::skew(X.p);
    const Mat3 H = R * b.H * Rt, M = X.R.congruence(b.M), PM = P * M;
    // With a_B = a_A + α × p: H' = H + P M, I' = I + P Hᵀ + (P Hᵀ)ᵀ + P M Pᵀ
    const Mat3 PHt = P * transpose(H);
    return {X.R.congruence(b.I) + PHt + transpose(PHt) + PM * transpose(P), H + PM, M};
}

void add(Block& to, const Block& b) { to.I += b.I, to.H += b.H, to.M += b.M; }

/// What an eliminated freedom's acceleration is made of: y = rest − scaledᵀA − Σ beside_l y_l.
struct Pivot {
    std::size_t freedom;
    Wrench scaled;
    Expr rest;
    std::vector<std::pair<std::size_t, Expr>> beside;
};

class Sweep {
public:
    /// `A`: the motion that p and d belong to, gravity as an acceleration of the ground; `udot` that of the freedoms in it.
    Sweep(const System& s, std::span<const Twist> A, std::span<const Expr> udot, bool with_loads, bool eliminates)
        : s_(s), m_(s.mechanism), A_(A), udot_(udot.begin(), udot.end()), with_loads_(with_loads), eliminates_(eliminates) {
        const std::size_t n = m_.freedoms.size();
        D_ = sym::zeros(n, n);
        d_.resize(n);
        if (with_loads) {
            for (std::size_t i = 0; i < n; ++i) d_[i] = -s.loads.tau[i];
        }
        const std::vector<Expr> armature = armature_of_freedoms(s);
        for (std::size_t i = 0; i < n; ++i) D_[i][i] = armature[i], d_[i] += armature[i] * udot_[i];
        for (BodyIndex b = 0; b < m_.X_W.size(); ++b) bodies_.push_back({});
        pivots_.resize(bodies_.size());
        inwards();
    }

    const Matrix& D() const { return D_; }
    const std::vector<Expr>& d() const { return d_; }  ///< −τ in it

    /// u̇ of all freedoms, those of given ones as they were.
    std::vector<Expr> outwards() const {
        std::vector<Expr> y(m_.freedoms.size());
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = m_.freedoms[i].udot;
        std::vector<Twist> A(bodies_.size());
        for (const BodyIndex b : m_.topology->order) {
            if (b == model::ground) continue;
            A[b] = to_inner(m_.X_inner[b], A[m_.topology->arc[b]->inner]);
            for (auto pivot = pivots_[b].rbegin(); pivot != pivots_[b].rend(); ++pivot) {
                Expr sum = pivot->rest - dot(A[b], pivot->scaled);
                for (const auto& [l, c] : pivot->beside) sum -= c * y[l];
                y[pivot->freedom] = sum;
            }
            for (const auto& [i, S] : m_.across[b]) A[b] += y[i] * S;
        }
        return y;
    }

private:
    struct Outward {
        Block IA;
        Wrench p;
        std::map<std::size_t, Wrench> U;  ///< of open freedoms
    };

    void inwards() {
        for (BodyIndex b = 1; b < bodies_.size(); ++b) begin(b);
        for (auto b = m_.topology->order.rbegin(); b != m_.topology->order.rend(); ++b) {
            if (*b == model::ground) continue;
            move(*b);
            if (eliminates_) eliminate(*b);
            pass_on(*b);
        }
    }

    void begin(BodyIndex b) {
        Outward& o = bodies_[b];
        const spatial::Inertia& inertia = m_.inertia[b];
        o.IA = of_body(inertia);
        o.p = inertia * A_[b] + kinematics::cross_force(m_.V[b], inertia * m_.V[b]);
        if (with_loads_) o.p -= s_.loads.on[b];
        for (const auto& c : m_.contributions[b]) o.p += c->inertial_wrench(m_.V[b], own_part(m_, *c, udot_));
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            const kinematics::Freedom& f = m_.freedoms[i];
            if (!f.is_own() || f.body != b) continue;
            o.U[i] = f.of->partial_momentum(f.column);
            d_[i] += f.of->inertia_force(f.column, m_.V[b], A_[b], own_part(m_, *f.of, udot_));
            for (std::size_t j = 0; j <= i; ++j) {
                if (m_.freedoms[j].of == f.of) D_[i][j] = D_[j][i] = f.of->inertia(m_.freedoms[j].column, f.column);
            }
        }
    }

    /// A of the body in terms of A before the columns of its joint: A + Σ S_i y_i.
    void move(BodyIndex b) {
        Outward& o = bodies_[b];
        for (const auto& [i, S] : m_.across[b]) {
            d_[i] += dot(S, o.p);
            for (auto& [j, U] : o.U) {
                const Expr entry = dot(S, U);
                D_[i][j] += entry;
                if (i == j)
                    D_[i][i] += entry;
                else
                    D_[j][i] = D_[i][j];
            }
            const Wrench own = o.IA * S;
            D_[i][i] += dot(S, own);
            const auto at = o.U.find(i);
            if (at == o.U.end())
                o.U.emplace(i, own);
            else
                at->second += own;
        }
    }

    void eliminate(BodyIndex b) {
        Outward& o = bodies_[b];
        std::vector<std::size_t> closed;
        for (const auto& [i, U] : o.U) {
            if (m_.freedoms[i].body == b) closed.push_back(i);
        }
        // What bends comes before what turns as a whole: its inertia is the smaller one.
        std::ranges::stable_partition(closed, [&](std::size_t i) { return m_.freedoms[i].is_own(); });
        for (const std::size_t k : closed) {
            const Wrench U = o.U.at(k);
            o.U.erase(k);
            if (m_.freedoms[k].given) {
                const Expr& y = m_.freedoms[k].udot;
                add_scaled(o.p, y, U);
                for (const auto& [l, W] : o.U) d_[l] += D_[l][k] * y;
                continue;
            }
            const Expr inverse = 1 / D_[k][k], rest = -d_[k] * inverse;
            Pivot pivot{k, {}, rest, {}};
            add_scaled(pivot.scaled, inverse, U);
            for (auto& [l, W] : o.U) {
                if (D_[k][l].is_literally(0)) continue;
                const Expr share = D_[k][l] * inverse;
                pivot.beside.emplace_back(l, share);
                add_scaled(W, -share, U);
                d_[l] += D_[k][l] * rest;
                for (const auto& [j, ignored] : o.U) {
                    if (j <= l) D_[l][j] = D_[j][l] = D_[l][j] - share * D_[k][j];
                }
            }
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = 0; j < 3; ++j) {
                    if (j >= i) {
                        o.IA.I[i][j] = o.IA.I[j][i] = o.IA.I[i][j] - pivot.scaled.t[i] * U.t[j];
                        o.IA.M[i][j] = o.IA.M[j][i] = o.IA.M[i][j] - pivot.scaled.f[i] * U.f[j];
                    }
                    o.IA.H[i][j] -= pivot.scaled.t[i] * U.f[j];
                }
            }
            add_scaled(o.p, rest, U);
            pivots_[b].push_back(std::move(pivot));
        }
    }

    void pass_on(BodyIndex b) {
        const BodyIndex inner = m_.topology->arc[b]->inner;
        if (inner == model::ground) return;
        Outward &o = bodies_[b], &in = bodies_[inner];
        const Pose& X = m_.X_inner[b];
        add(in.IA, to_outer(X, o.IA));
        in.p += spatial::to_outer(X, o.p);
        for (const auto& [i, U] : o.U) {
            const Wrench carried = spatial::to_outer(X, U);
            // Where two branches move with one freedom their shares add up.
            const auto at = in.U.find(i);
            if (at == in.U.end())
                in.U.emplace(i, carried);
            else
                at->second += carried;
        }
    }

    static void add_scaled(Wrench& to, const Expr& c, const Wrench& W) { to += Wrench{c * W.t, c * W.f}; }

    const System& s_;
    const Mechanism& m_;
    std::span<const Twist> A_;
    std::vector<Expr> udot_;
    bool with_loads_, eliminates_;
    Matrix D_;
    std::vector<Expr> d_;
    std::vector<Outward> bodies_;
    std::vector<std::vector<Pivot>> pivots_;
};

FormulatedEquations with_drives_across(const System& s, FormulatedEquations raw) {
    add_armature(s, Drives::across, raw);
    raw.has_armature = true;
    return raw;
}

}  // namespace

FormulatedEquations elastic_equations(const System& s) {
    const Mechanism& m = s.mechanism;
    const std::size_t n = m.freedoms.size();
    const std::vector<Expr> still(n);
    std::vector<Expr> udot;
    for (const kinematics::Freedom& f : m.freedoms) udot.push_back(f.udot);
    FormulatedEquations raw;
    const bool is_second = is_second_order(*m.model), is_tree = s.rows.empty() && m.model->speeds.empty() && !has_armature_across(s);
    const std::vector<Twist> A = kinematics::accelerations(m, is_second ? Vec3{} : -m.model->gravity, still);
    const Sweep sweep(s, A, still, !is_second, false);
    raw.M = sweep.D();
    for (const Expr& d : sweep.d()) raw.f.push_back(-d);
    if (is_second) {
        truncate(m, raw);
        const std::vector<Expr> rest = forces_at_rest(s);
        for (std::size_t i = 0; i < n; ++i) raw.f[i] += rest[i];
        if (is_tree) raw.accelerations = factored(m, raw);
        for (std::size_t i = 0; i < n; ++i) {
            raw.inverse.push_back(-raw.f[i]);
            for (std::size_t j = 0; j < n; ++j) raw.inverse[i] += raw.M[i][j] * udot[j];
        }
        return with_drives_across(s, std::move(raw));
    }
    const std::vector<Twist> moving = kinematics::accelerations(m, -m.model->gravity, udot);
    raw.inverse = Sweep(s, moving, udot, true, false).d();
    if (is_tree) raw.accelerations = Sweep(s, A, still, true, true).outwards();
    return with_drives_across(s, std::move(raw));
}

}  // namespace linkwright::formulation::recursive
