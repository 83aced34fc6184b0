#include "linkwright/formulation/barycentric/explain.hpp"

#include <fmt/format.h>

#include "linkwright/formulation/barycentric/barycentric.hpp"
#include "linkwright/formulation/explain_finish.hpp"
#include "linkwright/topology/matrices.hpp"

namespace linkwright::formulation::barycentric {

namespace {

using eom::Step;

Matrix columns(const std::vector<Vec3>& vs) {
    Matrix rows(3);
    for (const Vec3& v : vs) {
        for (std::size_t k = 0; k < 3; ++k) rows[k].push_back(v[k]);
    }
    return rows;
}

class Explanation {
public:
    explicit Explanation(const System& s)
        : m_(s.mechanism),
          model_(*m_.model),
          tree_(*m_.topology),
          a_(augment(m_)),
          motion_(motion_at_rest(m_, a_)),
          burden_(burdens(s, a_, motion_)) {}

    Step incidence() const {
        const topology::Incidence in = topology::incidence(model_, tree_);
        std::string bodies, arcs;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            bodies += (b > 1 ? ", " : "") + name(b);
            arcs += (b > 1 ? ", " : "") + joint(b).name;
        }
        Step step{
            "Incidence and paths",
            fmt::format(
                "Rows of `S` are the bodies {}; columns are the joints of the tree {}. A joint leaves its parent (+1) and ends at its "
                "child (-1). A nonzero `T[a,i]` says that joint a lies on the way from the ground to body i: multiplying by `T` adds up "
                "everything beyond a joint.",
                bodies, arcs),
            {},
            "mufti83 (1), (22)-(25), Remark 3"};
        step.lines.push_back({"S", rows_of(in.S_A), "", "", "mufti83 (22)"});
        step.lines.push_back(
            {"T", rows_of(in.T), "S^-1", has_reversed() ? "+1 where the path from the ground runs against a joint" : "", "mufti83 (25)"});
        return step;
    }

    Step hinges() const {
        Step step{
            "Hinges",
            "`A` takes components in a body's axes to those in its inner body. `P` holds the axes about which the joint lets its child "
            "turn in its "
            "parent, one column for each of its speeds; `P_bar` the directions in which it shifts the hinge. Both in the axes of the "
            "outer body.",
            {},
            "mufti83 (43), (54), Remark 5"};
        for (const BodyIndex b : tree_.order) {
            if (b == model::ground) continue;
            step.lines.push_back(
                {fmt::format("A[{},{}]", name(tree_.arc[b]->inner), name(b)), rows_of(m_.X_inner[b].R.matrix()), "", "", ""});
            if (m_.freedoms_of[b].empty()) {
                step.lines.push_back({fmt::format("P[{}]", joint(b).name), {}, "", "no column: the joint has no degree of freedom", ""});
                continue;
            }
            const bool is_reversed = tree_.arc[b]->is_reversed;  // the child's motion in the parent is then that of the inner body
            std::vector<Vec3> p, s;
            for (const std::size_t i : m_.freedoms_of[b]) {
                p.push_back(is_reversed ? -a_.modes[i].p : a_.modes[i].p);
                s.push_back(is_reversed ? -a_.modes[i].s : a_.modes[i].s);
            }
            const Matrix P = columns(p), P_bar = columns(s);
            step.lines.push_back({fmt::format("P[{}]", joint(b).name), P, "",
                                  is_literally_zero(P) ? "zero, because the joint does not turn"
                                  : is_reversed        ? "the child is the inner body here, so the outer one turns by `-P`"
                                                       : "",
                                  ""});
            step.lines.push_back({fmt::format("P_bar[{}]", joint(b).name), P_bar, "",
                                  a_.bodies[b].slides ? "" : "zero, because the joint does not slide", ""});
        }
        return step;
    }

    Step vectors() const {
        Step step{"Barycentric vectors",
                  "`d[j,k]` leads from the hinge by which one enters j to the hinge by which one leaves it for k, or to the centre of mass "
                  "of j itself; "
                  "axes of j. All bodies beyond one hinge of j share one vector. `d[j,k] = 0` when j is not on the way to k.",
                  {},
                  "mufti83 (28), Remark 3: D = -L T"};
        for (const BodyIndex j : tree_.order) {
            if (j != model::ground) {
                const Matrix own = column(a_.bodies[j].own);
                step.lines.push_back({fmt::format("d[{0},{0}]", name(j)), own, "",
                                      is_literally_zero(own) ? "zero, because the hinge is at the centre of mass" : "", ""});
            }
            for (const BodyIndex o : tree_.outer[j]) {
                const Matrix arm = column(a_.bodies[o].arm);
                std::string note = is_literally_zero(arm) ? "zero, because both hinges are in one place" : "";
                if (!tree_.outer[o].empty()) note += (note.empty() ? "" : "; ") + fmt::format("the same for every body beyond {}", name(o));
                if (a_.bodies[o].slides) note += (note.empty() ? "" : "; ") + fmt::format("it changes as '{}' slides", joint(o).name);
                step.lines.push_back({fmt::format("d[{},{}]", name(j), name(o)), arm, "", note, ""});
            }
        }
        return step;
    }

    Step augmented() const {
        Step step{
            "Augmented bodies",
            "Each hinge of a body is loaded with the mass of everything beyond it. `m_bar` is the mass with everything beyond, `b` the "
            "first moment "
            "about the inner hinge, `K` the tensor about it; `b` over `m_bar` leads to the barycentre. Body axes.",
            {},
            "mufti83 (30), (35)"};
        for (const BodyIndex j : tree_.order) {
            if (j == model::ground) continue;
            const AugmentedBody& body = a_.bodies[j];
            step.lines.push_back({fmt::format("m_bar[{}]", name(j)),
                                  {{body.mass}},
                                  "sum over k of m[k]",
                                  tree_.outer[j].empty() ? "nothing is beyond" : fmt::format("over {} and all bodies beyond it", name(j)),
                                  ""});
            const Matrix b = column(body.b);
            step.lines.push_back({fmt::format("b[{}]", name(j)), b, fmt::format("sum over k of m[k] d[{},k]", name(j)),
                                  is_literally_zero(b) ? "zero, because the barycentre is at the hinge" : "", ""});
            step.lines.push_back({fmt::format("K[{0},{0}]", name(j)), rows_of(body.K),
                                  fmt::format("J[{0}] - sum over k of m[k] d_tilde[{0},k] d_tilde[{0},k]", name(j)), "", "mufti83 (35)"});
        }
        return step;
    }

    Step couplings() const {
        Step step{
            "Couplings",
            "When j is beyond i, every body beyond j sees the same vector in i, and the sum over bodies becomes a product. `K[i,j]` "
            "takes components in "
            "j's axes to those in i's; `K[j,i]` is its transpose. `L[i,h]` does so between the turning of i and the slide of joint h.",
            {},
            "mufti83 (31), (35), Remark 5"};
        std::size_t strangers = 0;
        for (const BodyIndex i : tree_.order) {
            for (const BodyIndex j : tree_.order) {
                if (i == model::ground || j == model::ground || i == j) continue;
                if (is_beyond(tree_, i, j)) {
                    const Matrix K = rows_of(coupling(a_, m_, i, j));
                    step.lines.push_back({fmt::format("K[{},{}]", name(i), name(j)), K,
                                          fmt::format("-d_tilde[{0},{1}] A[{0},{1}] b_tilde[{1}]", name(i), name(j)),
                                          zero_coupling(K, i, j), "mufti83 (35)"});
                } else if (!is_beyond(tree_, j, i) && i < j && strangers++ == 0) {
                    step.lines.push_back({fmt::format("K[{},{}]", name(i), name(j)),
                                          {{Expr(0)}},
                                          "",
                                          "zero, because neither body is beyond the other and the ground holds both; so for all such pairs",
                                          ""});
                }
            }
        }
        for (const BodyIndex h : tree_.order) {
            if (h == model::ground || !a_.bodies[h].slides) continue;
            for (const BodyIndex i : tree_.order) {
                if (i == model::ground) continue;
                const bool outward = is_beyond(tree_, h, i);
                if (!outward && !is_beyond(tree_, i, h)) continue;
                const Vec3 moment = outward ? a_.bodies[i].b : a_.bodies[h].mass * barycentric_vector(a_, tree_, i, h);
                const Matrix L = rows_of(skew(moment) * rotation(i, h).matrix());
                step.lines.push_back({fmt::format("L[{},{}]", name(i), joint(h).name), L,
                                      outward ? fmt::format("b_tilde[{0}] A[{0},{1}]", name(i), name(h))
                                              : fmt::format("m_bar[{1}] d_tilde[{0},{1}] A[{0},{1}]", name(i), name(h)),
                                      is_literally_zero(L) ? "zero, because the moment vanishes" : "", "mufti83 Remark 5"});
            }
        }
        if (step.lines.empty()) step.text += " Here there is one body only, and nothing to couple.";
        return step;
    }

    /// For every tree whose root flies.
    std::vector<Step> floating() const {
        std::vector<Step> steps;
        for (const BodyIndex root : tree_.outer[model::ground]) {
            if (joint(root).speeds.size() < 6) continue;
            const Floating f = float_free(a_, m_, root);
            if (f.mass.is_literally(0)) continue;
            Step step{fmt::format("The floating tree of {}", name(root)),
                      "Nothing holds this tree, so its mass centre moves by the outer forces alone: `m r'' = F`. Solved for it, the root's "
                      "travel leaves the "
                      "equations, and what remains is the same with the barycentres in place of the inner hinges: `d_hat[i,k] = d[i,k] - "
                      "b[i]/m`, which "
                      "now is there for all k, and `K_hat[i,j] = K[i,j] + b_tilde[i] A[i,j] b_tilde[j]/m`.",
                      {},
                      "mufti83 (26)-(31)"};
            step.lines.push_back({"m", {{f.mass}}, "", "the mass of every augmented body", ""});
            for (std::size_t i = 0; i < f.bodies.size(); ++i) {
                for (std::size_t k = 0; k < f.bodies.size(); ++k) {
                    if (k != i && is_beyond(tree_, f.bodies[i], f.bodies[k]) && tree_.arc[f.bodies[k]]->inner != f.bodies[i]) continue;
                    if (k != i && !is_beyond(tree_, f.bodies[i], f.bodies[k]) && k != 0) continue;  // all towards the root alike
                    step.lines.push_back(
                        {fmt::format("d_hat[{},{}]", name(f.bodies[i]), name(f.bodies[k])), column(f.d[i][k]), "", "", "mufti83 (28)"});
                }
                step.lines.push_back(
                    {fmt::format("K_hat[{0},{0}]", name(f.bodies[i])), rows_of(f.K[i]),
                     fmt::format("J[{0}] - sum over k of m[k] d_tilde[{0},k] d_tilde[{0},k], with d_hat for d", name(f.bodies[i])), "",
                     "mufti83 (35)"});
            }
            step.lines.push_back({"K_hat[i,j]",
                                  {},
                                  "m d_tilde[i,j] A[i,j] d_tilde[j,i], with d_hat for d",
                                  "for any two bodies: the floating K is full",
                                  "mufti83 (31)"});
            steps.push_back(std::move(step));
        }
        return steps;
    }

    Step motion() const {
        Step step{
            "Motion left at u' = 0",
            "The absolute rate `omega` of each body, its rate of change `alpha`, and the acceleration `a` of its inner hinge when all "
            "speeds are constant: "
            "sums along the way from the ground of `omega x (omega x d)`, `alpha x d`, and what slides add. Body axes.",
            {},
            "mufti83 (9), (60)"};
        for (const BodyIndex j : tree_.order) {
            if (j == model::ground) continue;
            const Vec3 a = m_.X_W[j].R.back(model_.gravity) - motion_[j].fall;
            step.lines.push_back({fmt::format("omega[{}]", name(j)), column(motion_[j].w),
                                  has_reversed() ? fmt::format("sum over the joints on the way of -T[h,{}] P[h] u[h]", name(j))
                                                 : "sum over the joints on the way of P[h] u[h]",
                                  "", "mufti83 (60)"});
            const Matrix alpha = column(motion_[j].alpha);
            step.lines.push_back({fmt::format("alpha[{}]", name(j)), alpha, "",
                                  !is_literally_zero(alpha) ? ""
                                  : is_zero(motion_[j].w)   ? "zero, because the body does not turn"
                                                            : "zero, because the axes on the way keep their directions",
                                  ""});
            const Matrix at = column(a);
            step.lines.push_back({fmt::format("a[{}]", name(j)), at, "",
                                  is_literally_zero(at) ? "zero, because the hinge does not move, or moves evenly" : "", ""});
        }
        return step;
    }

    Step right_side() const {
        Step step{
            "Right-hand sides",
            "The torque `t` on every body, about its inner hinge: loads `G` and `d x F`, gravity at the barycentre, `omega x K omega` of "
            "the "
            "augmented body, and "
            "the forces of everything beyond its outer hinges. With a sliding joint goes the force `f` on everything beyond it. Body axes.",
            {},
            "mufti83 (29), (36)-(38)"};
        for (const BodyIndex j : tree_.order) {
            if (j == model::ground) continue;
            const AugmentedBody& body = a_.bodies[j];
            const Vec3 gravity = cross(body.b, m_.X_W[j].R.back(model_.gravity));
            const Matrix weight = column(gravity), turning = column(cross(motion_[j].w, body.K * motion_[j].w));
            step.lines.push_back({fmt::format("gravity[{}]", name(j)), weight, fmt::format("b[{}] x g", name(j)),
                                  !is_literally_zero(weight) ? ""
                                  : is_zero(model_.gravity)  ? "zero, because there is no gravity"
                                  : is_zero(body.b)          ? "zero, because the barycentre is at the hinge"
                                                             : "zero, because the barycentre is above or below the hinge",
                                  ""});
            step.lines.push_back({fmt::format("h_hat[{}]", name(j)), turning, fmt::format("omega[{0}] x K[{0},{0}] omega[{0}]", name(j)),
                                  !is_literally_zero(turning) ? ""
                                  : is_zero(motion_[j].w)     ? "zero, because the body does not turn"
                                                              : "zero, because the body turns about a principal axis of its augmented body",
                                  "mufti83 (38)"});
            const std::string carried = carried_by(m_, j);
            step.lines.push_back({fmt::format("t[{}]", name(j)), column(burden_[j].t),
                                  carried.empty()
                                      ? "G + d x F + b x (g - a) - K alpha - h_hat + pulls of the outer bodies"
                                      : "G + d x F + b x (g - a) - K alpha - h_hat - omega x H - H' + pulls of the outer bodies",
                                  carried.empty() ? ""
                                                  : fmt::format("`H` is the momentum of the {} in the body: inertia times speed, along the "
                                                                "axis; of its rate only the part at `u' = 0`",
                                                                carried),
                                  "mufti83 (38)"});
            if (body.slides) {
                step.lines.push_back({fmt::format("f[{}]", joint(j).name), column(burden_[j].f + body.mass * motion_[j].fall),
                                      "sum over k beyond the joint of F[k] + m[k] (g - r''[k])", "", "mufti83 Remark 5"});
            }
        }
        return step;
    }

    const std::string& name(BodyIndex b) const { return model_.bodies[b].name; }
    const model::Joint& joint(BodyIndex b) const { return model_.joints[tree_.arc[b]->joint]; }

private:
    bool has_reversed() const {
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            if (tree_.arc[b]->is_reversed) return true;
        }
        return false;
    }
    /// From h to i, along the tree.
    spatial::Rotation rotation(BodyIndex i, BodyIndex h) const {
        if (!is_beyond(tree_, i, h)) return rotation(h, i).inverse();
        spatial::Rotation R;
        for (BodyIndex k = h; k != i; k = tree_.arc[k]->inner) R = m_.X_inner[k].R * R;
        return R;
    }
    std::string zero_coupling(const Matrix& K, BodyIndex i, BodyIndex j) const {
        if (!is_literally_zero(K)) return "";
        if (is_zero(a_.bodies[j].b)) return fmt::format("zero, because the barycentre of {} is at its hinge", name(j));
        return fmt::format("zero, because the hinge towards {} is where one enters {}", name(j), name(i));
    }

    const Mechanism& m_;
    const model::Model& model_;
    const topology::Topology& tree_;
    Augmented a_;
    std::vector<Motion> motion_;
    std::vector<Burden> burden_;
};

}  // namespace

eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& finished) {
    const sym::PoolScope scope(*model.pool);
    const System s = set_up(model, topology);
    const Mechanism& m = s.mechanism;
    if (auto rest = nothing_moves(m)) return *std::move(rest);
    const Explanation x(s);
    const std::optional<JointSpeeds> joint_speeds = in_joint_speeds(s, finished, derive);
    const eom::EquationsOfMotion& e = joint_speeds ? joint_speeds->equations : finished;
    const std::optional<OwnTerms> own_freedoms = own_terms(m), drives = drive_terms(s);
    eom::Derivation d;
    d.steps = {x.incidence(), x.hinges(), x.vectors(), x.augmented(), x.couplings()};
    for (Step& step : x.floating()) d.steps.push_back(std::move(step));
    d.steps.push_back(x.motion());
    d.steps.push_back(x.right_side());
    Step own{"Forces in the joints",
             "What springs, dampers and actuators do along each speed: it is left when `P^T T` removes what the joints bear.",
             {},
             "mufti83 (57)"};
    own.lines.push_back(
        {"tau", column(s.loads.tau), "", is_literally_zero(column(s.loads.tau)) ? "zero, because the joints move freely" : "", ""});
    d.steps.push_back(std::move(own));
    if (!e.constraints.empty()) {
        Step rows{"Constraints",
                  "`phi = 0` closes the loops; `G` is its derivative by the speeds, and `G u' = gamma`.",
                  {},
                  "mufti83 (66), (71)-(73)"};
        for (const eom::Constraint& c : e.constraints) {
            if (c.is_holonomic) rows.lines.push_back({fmt::format("phi[{}]", c.name), {{c.phi}}, "", "", ""});
            rows.lines.push_back({fmt::format("G[{}]", c.name), {c.G}, "", "", ""});
            rows.lines.push_back({fmt::format("gamma[{}]", c.name), {{c.gamma}}, "", "", ""});
        }
        d.steps.push_back(std::move(rows));
    }
    if (own_freedoms) d.steps.push_back(own_freedoms->step);
    if (drives) d.steps.push_back(drives->step);
    if (auto given = given_motions(m, "mufti83 Remark 3")) d.steps.push_back(*std::move(given));
    Step last{"Relative coordinates",
              fmt::format("`omega = -T^T P u` puts in the joints' speeds, `P^T T` removes what the joints bear: `M u'{} = f`.",
                          e.constraints.empty() ? "" : " + G^T lambda"),
              {},
              "mufti83 (57), (60), (61)"};
    if (e.u.empty()) {
        last.text = all_is_given;
    } else {
        const std::string mass = with_own_M(with_own_M("P^T T K T^T P", own_freedoms), drives) + ", with L and m_bar where joints slide";
        const std::string forcing = with_own_f(with_own_f("tau - P^T T t", own_freedoms), drives) + ", with the forces f along the slides";
        last.lines.push_back({"M", e.M, mass_of_free(m, mass), "", "mufti83 (61)"});
        last.lines.push_back({"f", column(e.f), forcing_of_free(m, forcing), "", "mufti83 (61)"});
    }
    d.steps.push_back(std::move(last));
    if (joint_speeds) d.steps.push_back(joint_speeds->step);
    gather(d, *finished.pool);
    return d;
}

}  // namespace linkwright::formulation::barycentric
