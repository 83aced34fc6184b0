#include "linkwright/formulation/newton_euler/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/formulation/explain_finish.hpp"
#include "linkwright/formulation/newton_euler/free_body.hpp"
#include "linkwright/topology/matrices.hpp"

namespace linkwright::formulation::newton_euler {

namespace {

using eom::Step;

std::vector<std::string> names_of(const std::vector<Expr>& symbols) {
    std::vector<std::string> names;
    for (const Expr& s : symbols) names.push_back("`" + s.symbol().name + "`");
    return names;
}

class Explanation {
public:
    Explanation(const BodySystem& bodies, const eom::EquationsOfMotion& e)
        : bodies_(bodies), m_(bodies.system.mechanism), model_(*m_.model), tree_(*m_.topology), e_(e) {}

    Step graph() const {
        const topology::Incidence in = topology::incidence(model_, tree_);
        std::vector<std::string> labels, rows, arcs, chords;
        for (const BodyIndex b : tree_.order) labels.push_back(model_.bodies[b].name);
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            rows.push_back(model_.bodies[b].name);
            arcs.push_back(model_.joints[tree_.arc[b]->joint].name);
        }
        Step step{"Graph and regular labelling", "", {}, "mufti83 §2, (1)"};
        step.text = fmt::format(
            "Bodies are vertices, joints are arcs from parent to child. Counted from the root outwards, so that a body comes "
            "after the one that carries it: {}. Rows of `S`: {}. Columns: {}.",
            fmt::join(labels, ", "), fmt::join(rows, ", "), fmt::join(arcs, ", "));
        step.lines.push_back(
            {"S", rows_of(in.S_A), "+1 where the joint begins, -1 where it ends; the ground has no row", "", "mufti83 (1)"});
        step.lines.push_back({"T", rows_of(in.T), "S^-1: the joints on the way from each body to the ground", "", "mufti83 Remark 3"});
        if (!tree_.chords.empty()) {
            for (const std::size_t j : tree_.chords) chords.push_back(model_.joints[j].name);
            step.text += fmt::format(" Cut, so that a tree is left: {}.", fmt::join(chords, ", "));
            step.lines.push_back({"S_C", rows_of(in.S_C), "the same for the joints that were cut", "", "mufti83 (62)"});
        }
        return step;
    }

    Step free_bodies() const {
        Step step{"Each body as a free body",
                  "`J w' + h = G` and `m v' + n = F`, in the axes of the body, `w` its angular velocity and `v` that of its centre of "
                  "mass. `F` and `G` "
                  "hold gravity, loads, and the springs and actuators of its joints; the forces of the joints come later, as multipliers.",
                  {},
                  "mufti83 (2), (3)"};
        for (const BodyIndex b : tree_.order) {
            if (b == model::ground) continue;
            const std::string& name = model_.bodies[b].name;
            const FreeBody body = free_body(bodies_, b);
            const auto add = [&](const std::string& symbol, Matrix value, const std::string& definition, const std::string& why_zero,
                                 const char* citation) {
                const bool is_zero = is_literally_zero(value);
                step.lines.push_back(
                    {fmt::format("{}[{}]", symbol, name), std::move(value), definition, is_zero ? "zero: " + why_zero : "", citation});
            };
            add("J", rows_of(body.J), "inertia about the centre of mass", "a particle, or a body without mass", "");
            add("m", {{body.m}}, "mass", "the body has none", "");
            add("F", column(body.force), "forces at the centre of mass", "no force acts on it", "mufti83 (2)");
            add("G", column(body.torque), "torques about the centre of mass", "every force passes through the centre of mass",
                "mufti83 (3)");
            const std::string carried = carried_by(m_, b);
            add("h", column(body.gyroscopic),
                carried.empty() ? "w x J w"
                                : fmt::format("w x (J w + H) + H', H the momentum of its {}, of H' the part at u' = 0", carried),
                "nothing that turns has inertia", "mufti83 (3)");
            add("n", column(body.turning), "m w x v, because v is written in axes that turn", "the body has no mass", "");
        }
        return step;
    }

    Step joints() const {
        Step step{"Joints of the tree",
                  "`l` runs from a body's centre of mass to the joint, in body axes. `A` takes components in the child's joint axes to the "
                  "parent's. Each column of `Q` is "
                  "a direction that the joint holds, torque over force, in the child's joint axes: the twist of the child in the parent "
                  "has no part along it. "
                  "Its multiplier is the torque or force on the child along it.",
                  {},
                  "mufti83 (6)-(9), (44), (47), (48)"};
        for (const std::size_t b : by_joint()) {
            const Hinge& hinge = bodies_.hinges[b];
            const model::Joint& joint = model_.joints[hinge.joint];
            for (const auto& [body, at] : {std::pair{joint.parent, joint.parent_at}, std::pair{joint.child, joint.child_at}}) {
                if (body == model::ground) continue;
                step.lines.push_back({fmt::format("l[{},{}]", model_.bodies[body].name, joint.name), column(at - model_.bodies[body].com),
                                      "", "", "mufti83 (6)"});
            }
            step.lines.push_back({fmt::format("A[{}]", joint.name), rows_of(hinge.X_FC.R.matrix()), "", "", ""});
            Matrix Q(6);
            std::vector<std::string> parts;
            for (const Held& h : hinge.held) {
                parts.push_back(h.part);
                for (std::size_t k = 0; k < 3; ++k) Q[k].push_back(h.c.t[k]), Q[3 + k].push_back(h.c.f[k]);
            }
            if (parts.empty()) {
                step.lines.push_back(
                    {fmt::format("Q[{}]", joint.name), {{Expr(0)}}, "", "no columns: the joint leaves every motion free", "mufti83 (44)"});
            } else {
                step.lines.push_back({fmt::format("Q[{}]", joint.name), std::move(Q), "",
                                      fmt::format("columns: {}", fmt::join(parts, ", ")), "mufti83 (44)"});
            }
            for (const auto& [row, on] : bodies_.passing[b].rows) {
                const std::string& name = bodies_.system.rows[row].name;
                if (row >= first_of_the_rest()) continue;
                const bool is_torque = is_literally_zero(column(on.f));
                add_row(step, name, is_torque ? "mufti83 (47)" : "mufti83 (7)", is_torque ? "mufti83 (48)" : "mufti83 (8), (9)");
            }
        }
        return step;
    }

    std::optional<Step> own_freedoms() const {
        if (!own_) return std::nullopt;
        return own_->step_of_M;  // that in f is 0: the turning of a body is made of its own speeds
    }

    std::optional<Step> drives() const {
        if (!drives_) return std::nullopt;
        return drives_->step;
    }

    std::optional<Step> loops() const {
        Step step{"Closed chains and other constraints",
                  "Rows of cut joints, rods, wheels and gears, written in the speeds of the bodies that they connect.",
                  {},
                  "mufti83 (62), (63), (66)"};
        for (std::size_t r = first_of_the_rest(); r < bodies_.system.rows.size(); ++r) {
            const eom::Constraint& c = e_.constraints[r];
            if (c.is_holonomic) step.lines.push_back({fmt::format("phi[{}]", c.name), {{c.phi}}, "", c.about, "mufti83 (66)"});
            add_row(step, c.name, "mufti83 (66)", "mufti83 (63)");
        }
        if (step.lines.empty()) return std::nullopt;
        return step;
    }

    Step assembled() const {
        const bool is_closed = bodies_.system.rows.size() > first_of_the_rest();
        Step step{"The assembled system", "", {}, is_closed ? "mufti83 (63)" : "mufti83 (10), (49)"};
        step.text = fmt::format(
            "`M u' + G^T lambda = f`, `G u' = gamma`. Speeds `u`: {}. {} equations for {} accelerations and {} multipliers, most of them "
            "0: `M` "
            "has a block for each "
            "body, a row of `G` speeds of two bodies at most.",
            fmt::join(names_of(e_.u), ", "), e_.u.size() + e_.constraints.size(), e_.u.size(), e_.constraints.size());
        Matrix G;
        std::vector<Expr> gamma, lambda;
        for (const eom::Constraint& c : e_.constraints) G.push_back(c.G), gamma.push_back(c.gamma), lambda.push_back(c.lambda);
        step.lines.push_back({"M", e_.M, with_own_M(with_own_M("diag(J, m 1) of each body", own_), drives_), "", ""});
        const std::string forces =
            own_ ? "G - h over F - n of each body, and the torque on each driven rotor" : "G - h over F - n of each body";
        step.lines.push_back({"f", column(e_.f), with_own_f(forces, drives_), "", ""});
        if (!G.empty()) {
            step.lines.push_back({"G", std::move(G), "", "rows in the order of `lambda`", ""});
            step.lines.push_back(
                {"gamma", column(gamma), "", is_literally_zero(column(gamma)) ? "zero: no row changes with the motion" : "", ""});
            step.lines.push_back({"lambda", column(lambda), "", "", ""});
        }
        return step;
    }

    Step elimination() const {
        Step step{
            "Eliminating the multipliers",
            "Either the accelerations leave first, `u' = M^-1 (f - G^T lambda)`, and `(G M^-1 G^T) lambda = G M^-1 f - gamma` is solved "
            "for the hinge forces. Or the "
            "multipliers leave: with `u = B s + b` for the speeds `s` of the joints every row of a joint is met, its `G B` is 0, and `B^T "
            "M "
            "B s' = B^T (f - M (Bdot s + b'))` is left, "
            "with the rows of closed chains as they were: d'Alembert's principle in Lagrange's form.",
            {},
            "mufti83 (12)-(14), (50); (40)"};
        const eom::Reduction& r = *e_.reduction;
        if (!r.s.empty())
            step.lines.push_back({"B", r.B, "du/ds", fmt::format("columns: {}", fmt::join(names_of(r.s), ", ")), "mufti83 (40)"});
        if (!is_literally_zero(column(r.b))) step.lines.push_back({"b", column(r.b), "", "what moves as given", "mufti83 Remark 3"});
        return step;
    }

private:
    std::vector<BodyIndex> by_joint() const {
        std::vector<BodyIndex> list;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) list.push_back(b);
        std::ranges::sort(list, {}, [&](BodyIndex b) { return bodies_.hinges[b].joint; });
        return list;
    }
    /// Rows of joints come first.
    std::size_t first_of_the_rest() const { return bodies_.rows_of_joints; }
    void add_row(Step& step, const std::string& name, const char* of_rate, const char* of_gamma) const {
        const auto c = std::ranges::find(e_.constraints, name, &eom::Constraint::name);
        step.lines.push_back({fmt::format("rate[{}]", name), {{c->rate}}, "", c->about, of_rate});
        step.lines.push_back({fmt::format("gamma[{}]", name),
                              {{c->gamma}},
                              "minus the rate of the row at u' = 0",
                              c->gamma.is_literally(0) ? "zero: nothing in the row changes as the mechanism moves" : "",
                              of_gamma});
    }

    const BodySystem& bodies_;
    const Mechanism& m_;
    const model::Model& model_;
    const topology::Topology& tree_;
    const eom::EquationsOfMotion& e_;
    const std::optional<OwnTerms> own_ = own_terms(m_), drives_ = drive_terms(bodies_.system);
};

}  // namespace

eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*model.pool);
    const System joints = set_up(model, topology);
    const BodySystem bodies = take_apart(joints);
    if (auto rest = nothing_moves(bodies.system.mechanism)) return *std::move(rest);
    const Explanation explanation(bodies, e);
    eom::Derivation d{{explanation.graph(), explanation.free_bodies(), explanation.joints()}};
    if (auto loops = explanation.loops()) d.steps.push_back(std::move(*loops));
    if (auto own = explanation.own_freedoms()) d.steps.push_back(std::move(*own));
    if (auto drives = explanation.drives()) d.steps.push_back(std::move(*drives));
    d.steps.push_back(explanation.assembled());
    d.steps.push_back(explanation.elimination());
    sym::Transplant to_equations(*e.pool);  // where the speeds of joints have left
    for (const auto* list : {&bodies.system.mechanism.given, &bodies.system.mechanism.defined}) {
        for (const sym::Binding& b : *list) to_equations.replace(b.first, to_equations(b.second));
    }
    for (Step& step : d.steps) {
        for (Step::Line& line : step.lines) {
            for (auto& row : line.value) {
                for (Expr& x : row) {
                    if (&x.pool() != e.pool.get()) x = to_equations(x);
                }
            }
        }
    }
    return d;
}

}  // namespace linkwright::formulation::newton_euler
