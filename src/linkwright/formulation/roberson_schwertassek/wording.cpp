#include "linkwright/formulation/roberson_schwertassek/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/formulation/explain_finish.hpp"

namespace linkwright::formulation::roberson_schwertassek {

bool is_zero(const spatial::Mat3& m) {
    const auto vanishes = [](const auto& row) { return std::ranges::all_of(row, [](const Expr& x) { return x.is_literally(0); }); };
    return std::ranges::all_of(m.e, vanishes);
}
bool is_zero(const Wrench& W) { return is_zero(W.t) && is_zero(W.f); }

void WrittenSum::add(int sign, const std::string& term) {
    if (sign == 0) return;
    if (++count_ == 1)
        text_ = (sign < 0 ? "-" : "") + term;
    else
        text_ += (sign < 0 ? " - " : " + ") + term;
}

std::string WrittenSum::text(const std::string& in_general) const {
    constexpr std::size_t most_terms = 12;
    return count_ == 0 || count_ > most_terms ? in_general : text_;
}

Wording::Wording(const System& system, const Terms& terms, const Literal& literal)
    : s_(system), m_(system.mechanism), model_(*m_.model), t_(terms), l_(literal), n_(terms.bodies.size()) {
    for (const BodyIndex b : m_.topology->order) {
        if (b != model::ground) order_.push_back(b);
    }
}

std::string Wording::of(const char* letter, BodyIndex i) const { return fmt::format("{}[{}]", letter, body(i)); }
std::string Wording::of(const char* letter, BodyIndex i, BodyIndex j) const { return fmt::format("{}[{},{}]", letter, body(i), body(j)); }
std::string Wording::of_arc(const char* letter, BodyIndex a) const { return fmt::format("{}[{}]", letter, joint(a)); }
std::string Wording::of_arcs(const char* letter, BodyIndex a, BodyIndex b) const {
    return fmt::format("{}[{},{}]", letter, joint(a), joint(b));
}

std::vector<BodyIndex> Wording::way(BodyIndex j) const {
    std::vector<BodyIndex> way;
    for (; j != model::ground; j = t_.arcs[j].inner) way.push_back(j);
    std::ranges::reverse(way);
    return way;
}

// ------------------------------------------------------------------------------------------------------------ written out

std::string Wording::a_hat_written_out(BodyIndex i, BodyIndex j) const {
    WrittenSum sum;
    for (const BodyIndex a : way(j)) {
        if (l_.S(i, a) != 0) sum.add(l_.S(i, a) * l_.T(a, j), fmt::format("c_hat[{},{}]", body(i), joint(a)));
    }
    return sum.text("sum over a of S[i,a] T[a,j] c_hat[i,a]");
}

std::string Wording::K_written_out(BodyIndex i, BodyIndex k) const {
    WrittenSum sum;
    if (i == k) sum.add(1, fmt::format("A[ground,{0}] I[{0}] A[ground,{0}]^T", body(i)));
    for (const BodyIndex j : order_) {
        if (is_zero(l_.d[i][j]) || is_zero(l_.d[k][j])) continue;
        sum.add(1, fmt::format("m[{0}] (d[{1},{0}]^T d[{2},{0}] E - d[{1},{0}] d[{2},{0}]^T)", body(j), body(k), body(i)));
    }
    return sum.is_empty() ? "" : sum.text("sum over j of m[j] (d[k,j]^T d[i,j] E - d[k,j] d[i,j]^T)");
}

std::string Wording::J_11_written_out(BodyIndex a, BodyIndex b) const {
    WrittenSum sum;
    for (const BodyIndex i : order_) {
        for (const BodyIndex k : order_) {
            if (!is_zero(l_.K[i][k])) sum.add(l_.T(a, i) * l_.T(b, k), of("K", i, k));
        }
    }
    std::string written = sum.text("sum over i, k of T[a,i] T[b,k] K[i,k]");
    const BodyIndex from_a = t_.arcs[a].from(), from_b = t_.arcs[b].from();
    if (from_a != model::ground || from_b != model::ground) written = "(" + written + ")";
    if (from_a != model::ground) written = fmt::format("A[{},ground] {}", body(from_a), written);
    if (from_b != model::ground) written += fmt::format(" A[ground,{}]", body(from_b));
    return written;
}

std::string Wording::Q_II_written_out(BodyIndex i) const {
    const std::string carried = carried_by(m_, i);
    if (carried.empty()) return fmt::format("A[ground,{0}] (w[{0}] x (I[{0}] w[{0}]))", body(i));
    return fmt::format("A[ground,{0}] (w[{0}] x (I[{0}] w[{0}] + h[{0}]) + hdot[{0}]), h the momentum of the {1}", body(i), carried);
}

std::string Wording::Q_III_written_out(BodyIndex i) const {
    WrittenSum sum;
    for (const BodyIndex a : way(i)) {
        const ArcTerms& arc = t_.arcs[a];
        if (is_zero(t_.bodies[arc.from()].w) || is_zero(arc.G.w)) continue;
        sum.add(l_.T(a, i), fmt::format("A[ground,{0}] (Omega[{1}] x w[{0}])", body(arc.from()), joint(a)));
    }
    return sum.text("sum over a of T[a,i] A[0,f(a)] (Omega[a] x w[f(a)])");
}

std::string Wording::Q_IV_written_out(BodyIndex i) const {
    WrittenSum sum;
    for (const BodyIndex j : way(i)) {
        if (!is_zero(l_.a_hat[j][i]) && !is_zero(t_.bodies[j].w)) {
            sum.add(1, fmt::format("A[ground,{0}] (w[{0}]^T w[{0}] E - w[{0}] w[{0}]^T) a_hat[{0},{1}]", body(j), body(i)));
        }
    }
    return sum.text("sum over j of A[0,j] (w[j]^T w[j] E - w[j] w[j]^T) a_hat[j,i]");
}

std::string Wording::Q_V_written_out(BodyIndex i) const {
    WrittenSum sum;
    for (const BodyIndex a : way(i)) {
        const ArcTerms& arc = t_.arcs[a];
        if (!is_zero(t_.bodies[arc.from()].w) && !is_zero(arc.G.v))
            sum.add(-l_.T(a, i), fmt::format("2 A[ground,{0}] (w[{0}] x V[{1}])", body(arc.from()), joint(a)));
    }
    return sum.text("-2 sum over a of T[a,i] A[0,f(a)] (w[f(a)] x V[a])");
}

std::string Wording::acceleration(BodyIndex k) const {
    WrittenSum sum;
    if (!is_zero(l_.Q_I[k])) sum.add(1, of("Q_I", k));
    if (!is_zero(l_.Q_IV[k])) sum.add(1, of("Q_IV", k));
    if (!is_zero(l_.Q_V[k])) sum.add(1, of("Q_V", k));
    if (sum.is_empty()) return "";
    const std::string text = sum.text("");
    return text.find(" + ") == text.npos ? text : "(" + text + ")";
}

// ---------------------------------------------------------------------------------------------------------------- reasons

std::string Wording::why_no_Q_II(BodyIndex i) const {
    if (is_zero(t_.bodies[i].w)) return "Zero: the body does not turn.";
    if (is_zero(model_.bodies[i].inertia)) return "Zero: the body is a point.";
    return "Zero: the body turns about a principal axis of its inertia, and carries no rotor that would tilt its momentum.";
}

std::string Wording::why_no_Q_III(BodyIndex i) const {
    bool has_turning = false;
    for (const BodyIndex a : way(i)) has_turning |= !is_zero(t_.arcs[a].G.w) && !is_zero(t_.bodies[t_.arcs[a].from()].w);
    return has_turning ? "Zero: each joint on the way turns about the direction about which the body it leaves turns already."
                       : "Zero: no joint that turns on the way leaves a body that turns itself.";
}

std::string Wording::why_no_Q_IV(BodyIndex i) const {
    for (const BodyIndex j : way(i)) {
        if (!is_zero(t_.bodies[j].w)) return "Zero: what turns on the way to the ground turns about a line through the joints.";
    }
    return "Zero: nothing turns on the way to the ground.";
}

std::string Wording::why_no_Q_V(BodyIndex i) const {
    bool slides = false, slides_in_turning = false;
    for (const BodyIndex a : way(i)) {
        const bool here = !is_zero(t_.arcs[a].G.v);
        slides |= here;
        slides_in_turning |= here && !is_zero(t_.bodies[t_.arcs[a].from()].w);
    }
    if (!slides) return "Zero: no joint on the way to the ground slides.";
    return slides_in_turning ? "Zero: what slides on the way slides along the line about which its body turns."
                             : "Zero: what slides on the way slides in a body that does not turn.";
}

}  // namespace linkwright::formulation::roberson_schwertassek
