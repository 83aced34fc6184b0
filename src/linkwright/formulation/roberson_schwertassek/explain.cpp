#include "linkwright/formulation/roberson_schwertassek/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/formulation/explain_finish.hpp"
#include "linkwright/formulation/roberson_schwertassek/chords.hpp"
#include "linkwright/formulation/roberson_schwertassek/roberson_schwertassek.hpp"
#include "linkwright/formulation/roberson_schwertassek/state_space.hpp"
#include "linkwright/formulation/roberson_schwertassek/wording.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::formulation::roberson_schwertassek {

namespace {

using spatial::Mat3;

constexpr std::size_t few_bodies = 4;  // up to so many, what is zero because bodies lie on different ways is shown

class Page : Wording {
public:
    Page(const System& system, const Terms& terms, const Literal& literal, const eom::EquationsOfMotion& e)
        : Wording(system, terms, literal), e_(e) {
        for (BodyIndex a = 1; a < n_; ++a) {
            for (const Twist& phi : t_.arcs[a].phi) has_sliding_ |= !is_zero(phi.v);
        }
    }

    eom::Derivation write() && {
        graph();
        free_modes();
        directions();
        attachment_vectors();
        inertias();
        generalized_inertia();
        own_freedoms();
        drives();
        velocities();
        parts_of_Q();
        second();
        prime();
        chi();
        lambda();
        chords();
        given_motions();
        equations();
        independent_speeds();
        return std::move(d_);
    }

private:
    eom::Step& step(std::string title, std::string text, std::string citation = {}) {
        return d_.steps.emplace_back(eom::Step{std::move(title), std::move(text), {}, std::move(citation)});
    }

    // ------------------------------------------------------------------------------------------------------------- steps

    void graph() {
        std::vector<std::string> bodies, arcs, chords;
        for (BodyIndex b = 1; b < n_; ++b) bodies.push_back(body(b)), arcs.push_back(joint(b));
        for (const std::size_t c : m_.topology->chords) chords.push_back(model_.joints[c].name);
        eom::Step& g =
            step("Graph", fmt::format("Bodies are vertices, the ground is 0, joints are branches from parent to child. Rows of `S` and "
                                      "columns of `T` are the bodies {}; columns of `S` and rows of `T` are the arcs {}.{}",
                                      fmt::join(bodies, ", "), fmt::join(arcs, ", "),
                                      chords.empty() ? " No joint is cut: the system is a tree."
                                                     : fmt::format(" Cut joints, which close the loops (the chords of the graph): {}.",
                                                                   fmt::join(chords, ", "))));
        g.lines.push_back(
            {"S", rows_of(l_.graph.S_A), "+1 where the arc leaves the body, -1 where it ends there", "", "forehand (3), (33)"});
        g.lines.push_back({"T", rows_of(l_.graph.T), "S^-1",
                           "Not zero where the arc lies on the way from the body to the ground: +1 if it runs towards the "
                           "ground, -1 if away from it.",
                           "forehand (5), (34)"});
        if (!chords.empty()) g.lines.push_back({"S_C", rows_of(l_.graph.S_C), "the same for the cut joints", "", "forehand (13)"});
    }

    void free_modes() {
        eom::Step& s = step("Free modes",
                            "Across each joint the child moves with the angular velocity `Omega` and its attachment point with "
                            "the velocity `V`, relative to the parent and in the parent's axes: `Omega` above `V` is `phi g`. "
                            "The speeds `g` are independent of each other; loops and other constraints come later.",
                            "forehand (14), (18)");
        for (const BodyIndex a : order_) {
            const ArcTerms& arc = t_.arcs[a];
            std::vector<Expr> g;
            Matrix phi(6), phidot(6);
            bool is_moving = false;
            for (std::size_t k = 0; k < arc.phi.size(); ++k) {
                g.push_back(m_.freedoms[arc.freedoms[k]].u);
                for (std::size_t i = 0; i < 3; ++i) {
                    phi[i].push_back(arc.phi[k].w[i]), phi[3 + i].push_back(arc.phi[k].v[i]);
                    phidot[i].push_back(arc.phidot[k].w[i]), phidot[3 + i].push_back(arc.phidot[k].v[i]);
                }
                is_moving |= !is_zero(arc.phidot[k].w) || !is_zero(arc.phidot[k].v);
            }
            const std::string type(model::to_string(model_.joints[arc.joint].type));
            if (g.empty()) {
                s.lines.push_back({of_arc("phi", a), {}, "nothing: the joint holds everything", "", ""});
                continue;
            }
            s.lines.push_back({of_arc("g", a), column(g), "", "", "forehand (35)"});
            s.lines.push_back({of_arc("phi", a), std::move(phi),
                               fmt::format("what is free in a {} joint, in the axes of {}", type, body(arc.from())),
                               is_moving ? "" : "Constant: its rate is zero.", "forehand (21), (36)"});
            if (is_moving) s.lines.push_back({of_arc("phidot", a), std::move(phidot), "d phi / dt", "", "forehand (26)"});
        }
    }

    void directions() {
        eom::Step& s = step("Directions",
                            "`A[0,i]` takes components in the axes of a body to those in the ground's. It is the unit matrix "
                            "`E` for the ground itself.");
        for (const BodyIndex b : order_) {
            const BodyIndex inner = t_.arcs[b].inner;
            const std::string turn = fmt::format("A[{},{}]", body(inner), body(b));
            s.lines.push_back(
                {fmt::format("A[ground,{}]", body(b)), rows_of(A(b)),
                 inner == model::ground ? fmt::format("axes of {} in ground", body(b)) : fmt::format("A[ground,{}] {}", body(inner), turn),
                 "", "forehand (41)"});
        }
    }

    void attachment_vectors() {
        eom::Step& s = step("Attachment vectors",
                            "`c_hat[i,a]` runs from the centre of mass of body i to the attachment point of joint a, which is "
                            "a point of the joint's child; in the axes of body i. Then `a_hat[i,j] = sum over a of S[i,a] "
                            "T[a,j] c_hat[i,a]` is what body i contributes to the way from body j back to the ground, and "
                            "`d[i,j] = A[0,i] a_hat[i,j]` the same in ground axes.",
                            "forehand (49), (50)");
        const auto from_ground = [&](BodyIndex a) { return t_.arcs[a].inner == model::ground && is_zero(t_.arcs[a].c_inner); };
        for (const BodyIndex i : order_) {
            s.lines.push_back({fmt::format("c_hat[{},{}]", body(i), joint(i)), column(t_.arcs[i].c_outer), "", "", "forehand (51)"});
            for (const BodyIndex o : m_.topology->outer[i]) {
                s.lines.push_back({fmt::format("c_hat[{},{}]", body(i), joint(o)), column(t_.arcs[o].c_inner), "", "", "forehand (51)"});
            }
        }
        for (const BodyIndex a : m_.topology->outer[model::ground]) {
            if (!from_ground(a)) s.lines.push_back({fmt::format("c_hat[ground,{}]", joint(a)), column(t_.arcs[a].c_inner), "", "", ""});
        }
        for (const BodyIndex i : order_) {
            for (const BodyIndex j : order_) {
                if (!is_on_way(i, j)) {
                    if (n_ > few_bodies + 1) continue;
                    const std::string why = fmt::format("Zero: {} does not lie on the way from {} to the ground.", body(i), body(j));
                    s.lines.push_back({of("a_hat", i, j), column(l_.a_hat[i][j]), "", why, "forehand (54)"});
                    s.lines.push_back({of("d", i, j), column(l_.d[i][j]), "", "", "forehand (66)"});
                    continue;
                }
                s.lines.push_back({of("a_hat", i, j), column(l_.a_hat[i][j]), a_hat_written_out(i, j), "", "forehand (52)–(55)"});
                s.lines.push_back({of("d", i, j), column(l_.d[i][j]), fmt::format("A[ground,{}] a_hat[{},{}]", body(i), body(i), body(j)),
                                   "", "forehand (64)–(67)"});
            }
        }
        if (n_ > few_bodies + 1) s.text += " Those of bodies i that do not lie on the way from j to the ground are zero and not shown.";
    }

    void inertias() {
        eom::Step& s = step("Inertia of pairs of bodies",
                            "`K[i,k] = A[0,i] I[i] A[0,i]^T + sum over j of m[j] (d[k,j]^T d[i,j] E - d[k,j] d[i,j]^T)`, the "
                            "first term only for i = k. `I` is about the centre of mass, in the body's axes.",
                            "forehand (42), (60)–(63)");
        for (const BodyIndex i : order_) {
            s.lines.push_back({of("m", i), {{model_.bodies[i].mass}}, "", "", ""});
            s.lines.push_back({of("I", i), rows_of(model_.bodies[i].inertia), "", "", "forehand (43)"});
        }
        for (const BodyIndex i : order_) {
            for (const BodyIndex k : order_) {
                if (!are_on_one_way(i, k) && n_ > few_bodies + 1) continue;
                std::string why;
                if (!are_on_one_way(i, k))
                    why = "Zero: neither body lies on the other's way to the ground.";
                else if (is_zero(l_.K[i][k]))
                    why = "Zero: no vector joins what both of them carry.";
                s.lines.push_back({of("K", i, k), rows_of(l_.K[i][k]), K_written_out(i, k), why, "forehand (68)–(71)"});
            }
        }
        if (n_ > few_bodies + 1) s.text += " Pairs on different ways to the ground have none and are not shown.";
    }

    void generalized_inertia() {
        eom::Step& s = step("Generalized inertia",
                            "`J[a,b]` has four blocks, rows in the axes of the parent f(a) of joint a and columns in those of f(b): "
                            "`J_11[a,b] = A[f(a),0] (sum over i, k of T[a,i] T[b,k] K[i,k]) A[0,f(b)]`. The free modes pick from it "
                            "`J_I[a,b] = phi[a]^T J[a,b] phi[b]`.",
                            "forehand (29), (38), (40), (45)–(48)");
        if (n_ > few_bodies + 1) s.text += " The blocks of so many bodies are not shown.";
        if (has_sliding_) {
            s.text +=
                " Where joints slide: `J_12[a,b] = -A[f(a),0] (sum over i, k of T[a,i] T[b,k] m[k] skew(d[i,k])) A[0,f(b)]`, "
                "`J_21[a,b] = J_12[b,a]^T`, `J_22[a,b] = A[f(a),0] (sum over i of T[a,i] T[b,i] m[i]) A[0,f(b)]`.";
        } else {
            s.text += " No joint slides, so the other blocks are not needed.";
        }
        for (const BodyIndex a : order_) {
            for (const BodyIndex b : order_) {
                if (t_.arcs[a].phi.empty() || t_.arcs[b].phi.empty()) continue;
                if (!are_on_one_way(a, b) && n_ > few_bodies + 1) continue;
                add_pair(s, a, b);
            }
        }
    }
    void add_pair(eom::Step& s, BodyIndex a, BodyIndex b) {
        const Blocks J = inertia_between(s_, t_, l_, a, b);
        const bool are_few = n_ <= few_bodies + 1;  // the blocks of many are long, and only J_I is used
        s.lines.push_back({of_arcs("J_11", a, b), are_few ? rows_of(J.J_11) : Matrix{}, J_11_written_out(a, b), "", "forehand (40)"});
        if (has_sliding_ && are_few) {
            s.lines.push_back({of_arcs("J_12", a, b), rows_of(J.J_12), "", "", "forehand (38)"});
            s.lines.push_back({of_arcs("J_21", a, b), rows_of(J.J_21), "", "", "forehand (38)"});
            s.lines.push_back({of_arcs("J_22", a, b), rows_of(J.J_22), "", "", "forehand (38)"});
        }
        Matrix J_I;
        for (const Twist& phi_a : t_.arcs[a].phi) {
            J_I.emplace_back();
            for (const Twist& phi_b : t_.arcs[b].phi) J_I.back().push_back(dot(phi_a, J * phi_b));
        }
        s.lines.push_back({of_arcs("J_I", a, b), std::move(J_I), fmt::format("phi[{0}]^T J[{0},{1}] phi[{1}]", joint(a), joint(b)),
                           are_on_one_way(a, b) ? "" : "Zero: no body lies behind both joints.", "forehand (72)–(75)"});
    }
    void own_freedoms() {
        if (!own_) return;
        eom::Step& s = d_.steps.emplace_back(own_->step);
        s.lines.pop_back();  // that in f is told as chi
    }
    void drives() {
        if (drives_) d_.steps.push_back(drives_->step);
    }

    void velocities() {
        eom::Step& s = step("Velocities",
                            "`w[i]` is the angular velocity of a body in its own axes; `Omega` and `V` are what moves across "
                            "the joints, in the axes of f(a). The ground does not turn.",
                            "forehand (87), (89)");
        for (const BodyIndex b : order_) {
            const ArcTerms& a = t_.arcs[b];
            s.lines.push_back({of("w", b), column(t_.bodies[b].w), "", "", "forehand (87)"});
            s.lines.push_back(
                {of_arc("Omega", b), column(a.G.w), "", is_zero(a.G.w) ? "Zero: the joint does not turn." : "", "forehand (89)"});
            if (has_sliding_)
                s.lines.push_back(
                    {of_arc("V", b), column(a.G.v), "", is_zero(a.G.v) ? "Zero: the joint does not slide." : "", "forehand (14)"});
        }
    }

    void parts_of_Q() {
        eom::Step& s = step("Accelerations at constant speeds",
                            "The accelerations that are left when no speed changes, and the torques of turning bodies, in "
                            "ground axes. `Q_I`: attachment points that move in their body. `Q_II`: gyroscopic torques. "
                            "`Q_III`: angular acceleration. `Q_IV`: centripetal acceleration. `Q_V`: Coriolis acceleration.",
                            "forehand (84)–(98)");
        bool moves = false;
        for (const BodyIndex b : order_) moves |= !is_zero(l_.Q_I[b]);
        if (!moves) s.text += " `Q_I` is zero for all bodies, because the attachment points do not move in their bodies.";
        for (const BodyIndex i : order_) {
            s.lines.push_back(
                {of("Q_II", i), column(l_.Q_II[i]), Q_II_written_out(i), is_zero(l_.Q_II[i]) ? why_no_Q_II(i) : "", "forehand (86)"});
            s.lines.push_back(
                {of("Q_III", i), column(l_.Q_III[i]), Q_III_written_out(i), is_zero(l_.Q_III[i]) ? why_no_Q_III(i) : "", "forehand (88)"});
            s.lines.push_back({of("Q_IV", i), column(l_.Q_IV[i]), Q_IV_written_out(i), is_zero(l_.Q_IV[i]) ? why_no_Q_IV(i) : "",
                               i == order_.front() ? "forehand (94), (97)" : "forehand (94), (98)"});
            s.lines.push_back(
                {of("Q_V", i), column(l_.Q_V[i]), Q_V_written_out(i), is_zero(l_.Q_V[i]) ? why_no_Q_V(i) : "", "forehand (84)"});
        }
    }

    void second() {
        eom::Step& s =
            step("Q'' of the bodies",
                 "`Q1_second[i] = Q_II[i] + sum over k of K[i,k] Q_III[k] - sum over k of m[k] d[i,k] x (Q_I[k] + Q_IV[k] + "
                 "Q_V[k])` is a torque; the paper prints the second sign as a minus, which does not go with its `Q_III` (88) and "
                 "does not matter in its plane example.",
                 "forehand (84), (91)–(93)");
        if (has_sliding_) s.text += " `Q2_second[i] = m[i] (Q_I[i] + Q_IV[i] + Q_V[i] + sum over k of d[k,i] x Q_III[k])` is a force.";
        for (const BodyIndex i : order_) {
            WrittenSum torque, force;
            if (!is_zero(l_.Q_II[i])) torque.add(1, of("Q_II", i));
            for (const BodyIndex k : order_) {
                if (!is_zero(l_.Q_III[k]) && !is_zero(l_.K[i][k])) torque.add(1, of("K", i, k) + " " + of("Q_III", k));
            }
            for (const BodyIndex k : order_) {
                if (is_zero(l_.d[i][k])) continue;
                if (const std::string Q = acceleration(k); !Q.empty())
                    torque.add(-1, fmt::format("{} {} x {}", of("m", k), of("d", i, k), Q));
            }
            if (const std::string Q = acceleration(i); !Q.empty()) force.add(1, of("m", i) + " " + Q);
            for (const BodyIndex k : order_) {
                if (!is_zero(l_.d[k][i]) && !is_zero(l_.Q_III[k]))
                    force.add(1, fmt::format("{} {} x {}", of("m", i), of("d", k, i), of("Q_III", k)));
            }
            bool are_parallel = is_zero(l_.Q_II[i]);  // every single term is zero
            for (const BodyIndex k : order_) {
                are_parallel &= is_zero(l_.K[i][k] * l_.Q_III[k]) && is_zero(cross(l_.d[i][k], l_.Q_I[k] + l_.Q_IV[k] + l_.Q_V[k]));
            }
            const auto note = [&](const Vec3& Q, const WrittenSum& sum) {
                return !is_zero(Q)      ? ""
                       : sum.is_empty() ? "Zero: every part is."
                       : are_parallel   ? "Zero: the vectors in each product are parallel."
                                        : "Zero: the parts cancel.";
            };
            s.lines.push_back({of("Q1_second", i), column(l_.Q_second[i].t), torque.is_empty() ? "0" : torque.text("the formula above"),
                               note(l_.Q_second[i].t, torque), i == order_.front() ? "forehand (92), (99)" : "forehand (93), (100)"});
            if (has_sliding_)
                s.lines.push_back({of("Q2_second", i), column(l_.Q_second[i].f), force.is_empty() ? "0" : force.text("the formula above"),
                                   note(l_.Q_second[i].f, force), ""});
        }
    }

    void prime() {
        eom::Step& s = step("Q' of the bodies",
                            "`L[i]` and `F[i]` are the torque about the centre of mass and the force that act on body i from "
                            "outside, gravity, springs and loads, here in ground axes: `Q1_prime[i] = -L[i] + sum over j of "
                            "d[i,j] x F[j]`.",
                            "forehand (101)");
        if (has_sliding_) s.text += " `Q2_prime[i] = -F[i]`.";
        for (const BodyIndex i : order_) {
            const Vec3 L = A(i) * t_.bodies[i].L, F = A(i) * t_.bodies[i].F;
            s.lines.push_back({of("L", i), column(L), "", is_zero(L) ? "Zero: no torque acts from outside." : "", ""});
            s.lines.push_back({of("F", i), column(F), "", is_zero(F) ? "Zero: no force acts from outside." : "", "forehand (102)"});
        }
        for (const BodyIndex i : order_) {
            WrittenSum sum;
            if (!is_zero(t_.bodies[i].L)) sum.add(-1, of("L", i));
            for (const BodyIndex j : order_) {
                if (!is_zero(l_.d[i][j]) && !is_zero(t_.bodies[j].F)) sum.add(1, of("d", i, j) + " x " + of("F", j));
            }
            s.lines.push_back({of("Q1_prime", i), column(l_.Q_prime[i].t),
                               sum.is_empty() ? "0" : sum.text("-L[i] + sum over j of d[i,j] x F[j]"), "",
                               i == order_.front() ? "forehand (103)" : "forehand (104)"});
        }
    }

    void chi() {
        eom::Step& s = step("Right-hand sides",
                            "Summed over the bodies behind each joint: `Q1[a] = A[f(a),0] (sum over i of T[a,i] (Q1_second[i] "
                            "+ Q1_prime[i]))`, `Q2[a]` likewise. Then `X[a] = Q[a] - sum over b of J[a,b] phidot[b] g[b]` and "
                            "`chi[a] = phi[a]^T X[a]`.",
                            "forehand (30), (80), (82), (83)");
        bool is_moving = false;
        for (const BodyIndex a : order_) is_moving |= !is_zero(t_.arcs[a].moving.w) || !is_zero(t_.arcs[a].moving.v);
        if (!is_moving) s.text += " The sum over `b` is zero, because all free modes are constant.";
        for (const BodyIndex a : order_) {
            const ArcTerms& arc = t_.arcs[a];
            if (arc.phi.empty()) continue;
            WrittenSum sum;
            for (const BodyIndex i : order_) {
                if (!is_zero(l_.Q_second[i].t)) sum.add(l_.T(a, i), of("Q1_second", i));
                if (!is_zero(l_.Q_prime[i].t)) sum.add(l_.T(a, i), of("Q1_prime", i));
            }
            const std::string f = body(arc.from());
            std::string written = sum.is_empty() ? "0" : sum.text("sum over i of T[a,i] (Q1_second[i] + Q1_prime[i])");
            if (f != "ground" && !sum.is_empty()) written = fmt::format("A[{},ground] ({})", f, written);
            s.lines.push_back({of_arc("Q1", a), column(l_.Q[a].t), written, "", "forehand (80)"});
            if (has_sliding_) s.lines.push_back({of_arc("Q2", a), column(l_.Q[a].f), "", "", "forehand (80)"});
            if (is_moving) {
                Wrench X = l_.Q[a];
                for (const BodyIndex b : order_) {
                    const ArcTerms& other = t_.arcs[b];
                    if (is_zero(Wrench{other.moving.w, other.moving.v})) continue;
                    X -= inertia_between(s_, t_, l_, a, b) * other.moving;
                }
                s.lines.push_back({of_arc("X", a), stacked(X.t, X.f), "", "", "forehand (30)"});
                s.lines.push_back({of_arc("chi", a), chi_of(arc, X), fmt::format("phi[{0}]^T X[{0}]", joint(a)), "", "forehand (30)"});
            } else {
                s.lines.push_back({of_arc("chi", a), chi_of(arc, l_.Q[a]), fmt::format("phi[{0}]^T Q[{0}]", joint(a)), "",
                                   a == order_.front() ? "forehand (76), (105)" : "forehand (76), (106)"});
            }
        }
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            const kinematics::Freedom& f = m_.freedoms[i];
            if (!f.is_own()) continue;
            s.lines.push_back({fmt::format("chi[{}]", f.u.symbol().name),
                               {{-f.of->coupling(f.column, {t_.alpha[f.body], {}})}},
                               fmt::format("-I[{0}] p[{0}]", f.u.symbol().name),
                               "What the turning of its body leaves along the rotor's axis.",
                               ""});
        }
    }
    static Matrix chi_of(const ArcTerms& arc, const Wrench& X) {
        Matrix rows;
        for (const Twist& phi : arc.phi) rows.push_back({dot(phi, X)});
        return rows;
    }

    void lambda() {
        eom::Step& s = step("Generalized forces of the joints",
                            "`lambda[a] = phi[a]^T Lambda[a]`: of all forces that a joint transmits, its free modes keep those of its "
                            "springs, dampers and actuators. The forces that hold the joint together do no work along them and "
                            "drop out.",
                            "forehand (31)");
        for (const BodyIndex a : order_) {
            std::vector<Expr> tau;
            for (const std::size_t i : t_.arcs[a].freedoms) tau.push_back(s_.loads.tau[i]);
            if (tau.empty()) continue;
            const bool is_still = std::ranges::all_of(tau, [](const Expr& x) { return x.is_literally(0); });
            s.lines.push_back({of_arc("lambda", a), column(tau), "", is_still ? "Zero: this joint has no spring, damper or actuator." : "",
                               "forehand (107)"});
        }
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            if (m_.freedoms[i].is_own())
                s.lines.push_back(
                    {fmt::format("lambda[{}]", m_.freedoms[i].u.symbol().name), {{s_.loads.tau[i]}}, "torque on the rotor", "", ""});
        }
    }

    void chords() {
        if (!m_.topology->chords.empty()) {
            eom::Step& s = step("Kinematic consistency",
                                "What moves across a cut joint follows from what moves across the arcs of its loop: `G[c] = sum "
                                "over a of W[a,c]^T G[a]`. `U = T S_C` shows which arcs a loop passes, and in which direction; G is the "
                                "angular velocity above the velocity, in the axes of the cut joint's parent.",
                                "forehand (15), (16)");
            topology::IntMatrix U = topology::loop_matrix(model_, *m_.topology);
            s.lines.push_back({"U", rows_of(U), "T S_C", "Rows: arcs; columns: cut joints.", ""});
            const std::vector<Twist> G = across_chords(t_, loop_transfers(s_, t_));
            for (std::size_t c = 0; c < G.size(); ++c) {
                s.lines.push_back(
                    {fmt::format("G[{}]", model_.joints[m_.topology->chords[c]].name), stacked(G[c].w, G[c].v), "", "", "forehand (16)"});
            }
        }
        if (e_.constraints.empty()) return;
        eom::Step& rows =
            step("Constraints",
                 "Constraints of the cut joints and others, row by row: `phi` = 0 where there is a position, `G u' = gamma` "
                 "for the accelerations. Their forces enter the equations of the arcs as `-G^T lambda`; for cut joints that is "
                 "`phi[a]^T W[a,c] Lambda[c]`.",
                 "forehand (15)");
        for (const eom::Constraint& c : e_.constraints) {
            if (c.is_holonomic) rows.lines.push_back({fmt::format("phi[{}]", c.name), {{c.phi}}, "", "", ""});
            rows.lines.push_back(
                {fmt::format("G[{}]", c.name), {c.G}, "", c.is_holonomic ? "" : "Nonholonomic: there is no position behind it.", ""});
            rows.lines.push_back({fmt::format("gamma[{}]", c.name), {{c.gamma}}, "", "", ""});
        }
    }

    void given_motions() {
        if (auto given = formulation::given_motions(m_)) d_.steps.push_back(*std::move(given));
    }

    void equations() {
        const bool is_free = e_.constraints.empty();
        eom::Step& s =
            step("Equations of motion",
                 fmt::format("`sum over b of J_I[a,b] g[b]' = chi[a] + lambda[a]`{}, all joints together: `{}`.",
                             is_free ? "" : " and the forces of the constraints", is_free ? "M u' = f" : "M u' + G^T lambda = f"),
                 is_free ? "forehand (28), (108), (109)" : "forehand (15), (28)");
        if (e_.u.empty()) {
            s.text = all_is_given;
            return;
        }
        s.lines.push_back({"M", e_.M, mass_of_free(m_, with_own_M(with_own_M("J_I", own_), drives_)), "", ""});
        s.lines.push_back({"f", column(e_.f), forcing_of_free(m_, with_own_f("chi + lambda", drives_)), "", ""});
    }

    void independent_speeds() {
        if (e_.constraints.empty() || e_.u.empty()) return;
        eom::Step& s = step("Independent speeds",
                            "Of the speeds as many are independent as the constraints leave; in terms of these, `u' = B g' + "
                            "b`, the multipliers drop out: `J_I = B^T M B`, `chi = B^T (f - M b)`.",
                            "forehand (28)–(32)");
        const Reduced reduced = reduce(e_);
        if (!reduced.form) {
            s.text += " Here they are not found: " + reduced.why_not + ".";
            return;
        }
        std::vector<Expr> g;
        for (const std::size_t i : reduced.form->independent) g.push_back(e_.u[i]);
        s.lines.push_back({"g", column(g), "", "Chosen by what the entries of `G` are as functions.", ""});
        if (reduced.form->dependent.size() <= 3) {
            s.lines.push_back({"D",
                               {{reduced.form->determinant}},
                               "determinant of the columns of G for the other speeds",
                               "Where it vanishes another choice is needed.",
                               ""});
        }
    }

    const eom::EquationsOfMotion& e_;
    const std::optional<OwnTerms> own_ = own_terms(m_), drives_ = drive_terms(s_);
    bool has_sliding_ = false;
    eom::Derivation d_;
};

}  // namespace

eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*model.pool);
    const System system = set_up(model, topology);
    if (auto rest = nothing_moves(system.mechanism)) return *std::move(rest);
    const Terms terms = calc_terms(system);
    const Literal literal = write_out(system, terms);
    const std::optional<JointSpeeds> joint_speeds = in_joint_speeds(system, e, derive);
    eom::Derivation d = Page(system, terms, literal, joint_speeds ? joint_speeds->equations : e).write();
    if (joint_speeds) d.steps.push_back(joint_speeds->step);
    gather(d, *e.pool);
    return d;
}

}  // namespace linkwright::formulation::roberson_schwertassek
