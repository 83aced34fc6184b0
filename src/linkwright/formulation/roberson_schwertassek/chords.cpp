#include "linkwright/formulation/roberson_schwertassek/chords.hpp"

#include "linkwright/topology/matrices.hpp"

namespace linkwright::formulation::roberson_schwertassek {

Twist LoopTransfer::across(const Twist& G) const {
    if (U == 0) return {};
    return {Expr(U) * (A * G.w), Expr(U) * (A * (G.v + cross(G.w, r)))};
}

Wrench LoopTransfer::on_arc(const Wrench& L) const {
    if (U == 0) return {};
    const Vec3 t = transposed_times(A, L.t), f = transposed_times(A, L.f);
    return {Expr(U) * (t + cross(r, f)), Expr(U) * f};
}

std::vector<std::vector<LoopTransfer>> loop_transfers(const System& s, const Terms& t) {
    const Mechanism& m = s.mechanism;
    const topology::IntMatrix U = topology::loop_matrix(*m.model, *m.topology);
    std::vector<std::vector<LoopTransfer>> W(m.topology->chords.size(), std::vector<LoopTransfer>(t.arcs.size()));
    for (std::size_t c = 0; c < W.size(); ++c) {
        const model::Joint& chord = m.model->joints[m.topology->chords[c]];
        const Vec3 P_c = m.X_W[chord.child] * chord.child_at;
        for (BodyIndex a = 1; a < t.arcs.size(); ++a) {
            LoopTransfer& w = W[c][a];
            w.U = U(a - 1, c);
            if (w.U == 0) continue;
            const ArcTerms& arc = t.arcs[a];
            const spatial::Rotation& from = m.X_W[arc.from()].R;
            const Vec3 P_a = m.X_W[arc.to()] * m.model->joints[arc.joint].child_at;
            w.A = (m.X_W[chord.parent].R.inverse() * from).matrix();
            w.r = from.back(P_c - P_a);
        }
    }
    return W;
}

std::vector<Twist> across_chords(const Terms& t, const std::vector<std::vector<LoopTransfer>>& W) {
    std::vector<Twist> G(W.size());
    for (std::size_t c = 0; c < W.size(); ++c) {
        for (BodyIndex a = 1; a < t.arcs.size(); ++a) G[c] += W[c][a].across(t.arcs[a].G);
    }
    return G;
}

std::vector<Expr> forces_of_chord(const System& s, const Terms& t, const std::vector<std::vector<LoopTransfer>>& W, std::size_t c,
                                  const Wrench& L_c) {
    std::vector<Expr> f(s.mechanism.freedoms.size());
    for (BodyIndex a = 1; a < t.arcs.size(); ++a) {
        if (W[c][a].U == 0) continue;
        const Wrench on_arc = W[c][a].on_arc(L_c);
        for (std::size_t k = 0; k < t.arcs[a].freedoms.size(); ++k) f[t.arcs[a].freedoms[k]] += dot(t.arcs[a].phi[k], on_arc);
    }
    return f;
}

}  // namespace linkwright::formulation::roberson_schwertassek
