#include "linkwright/formulation/kane/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/formulation/explain_beams.hpp"
#include "linkwright/formulation/explain_finish.hpp"
#include "linkwright/formulation/invariants.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/kinematics/jacobians.hpp"

namespace linkwright::formulation::kane {

namespace {

/// A partial velocity of a body: angular, and linear at its centre of mass; body axes.
struct Partial {
    std::size_t freedom;
    Twist B, Bdot;
};

/// Everything about one body that Kane's equations multiply.
struct BodyTerms {
    std::vector<Partial> partials;
    Wrench active;  ///< gravity and loads, torque about the centre of mass
    Vec3 h;         ///< ω × Jω and what wheels add
    Twist rest;     ///< Ḃu: acceleration left when u̇ = 0
};

class Terms {
public:
    explicit Terms(const System& s) : s_(s), m_(s.mechanism), rate_(kinematics::rates(s.mechanism, false)) {
        bodies_.resize(m_.X_W.size());
        const std::vector<std::vector<kinematics::Column>> columns = kinematics::jacobians(m_);
        for (const BodyIndex b : m_.topology->order) {
            if (b != model::ground) fill(b, columns[b]);
        }
    }
    const BodyTerms& of(BodyIndex b) const { return bodies_[b]; }

private:
    Vec3 rate(const Vec3& v) { return {{rate_(v[0]), rate_(v[1]), rate_(v[2])}}; }

    void fill(BodyIndex b, const std::vector<kinematics::Column>& columns) {
        const model::Body& body = m_.model->bodies[b];
        const Vec3& w = m_.V[b].w;
        BodyTerms& t = bodies_[b];
        for (const auto& [i, S] : columns) {
            const Twist B{S.w, S.v + cross(S.w, body.com)};
            // The rate as seen from the ground, in body axes: components' rates and ω × B
            const Twist Bdot{rate(B.w) + cross(w, B.w), rate(B.v) + cross(w, B.v)};
            t.partials.push_back({i, B, Bdot});
            t.rest += m_.freedoms[i].u * Bdot;
        }
        const Wrench& load = s_.loads.on[b];
        const Vec3 weight = m_.X_W[b].R.back(body.mass * m_.model->gravity);
        t.active = {load.t - cross(body.com, load.f), load.f + weight};
        Vec3 H = body.inertia * w;
        for (const auto& c : m_.contributions[b]) {
            H += c->momentum().t;
            t.h += c->momentum_rate(m_.V[b]).t;
        }
        t.h += cross(w, H);
    }

    const System& s_;
    const Mechanism& m_;
    sym::Tangent rate_;
    std::vector<BodyTerms> bodies_;
};

/// His seventh step: every equation on one line, as a program takes it. Of many speeds nobody reads that.
eom::Step for_the_machine(const eom::EquationsOfMotion& e) {
    constexpr std::size_t few = 3;
    eom::Step step{"Output", "", {}, "lynch88 step 7"};
    if (e.u.size() > few) {
        step.text = "`linkwright generate` writes these equations as code; `derive --form recursive` shows them with intermediates.";
        return step;
    }
    const sym::PoolScope scope(*e.pool);
    step.text = "Each equation in full, everything on one side; `linkwright generate` writes them as code.";
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        Expr sum = -e.f[i];
        for (std::size_t j = 0; j < e.u.size(); ++j) sum += e.M[i][j] * e.udot[j];
        for (const eom::Constraint& c : e.constraints) sum += c.G[i] * c.lambda;
        step.lines.push_back({"0", {{sum}}});
    }
    return step;
}

void add_constraints(const eom::EquationsOfMotion& e, eom::Derivation& d) {
    if (e.constraints.empty()) return;
    eom::Step rows{"Constraints",
                   "`phi` = 0 closes the loops; `G` is its derivative by the speeds, and `G u' = gamma`.",
                   {},
                   "lynch88 (4.18), (4.20)"};
    for (const eom::Constraint& c : e.constraints) {
        if (c.is_holonomic) rows.lines.push_back({fmt::format("phi[{}]", c.name), {{c.phi}}});
        rows.lines.push_back({fmt::format("G[{}]", c.name), {c.G}});
        rows.lines.push_back({fmt::format("gamma[{}]", c.name), {{c.gamma}}});
    }
    d.steps.push_back(std::move(rows));
}

/// With beams the sums over bodies have integrals in them; their columns are shown, the sums are not multiplied out.
eom::Derivation explain_with_beams(const System& s, const eom::EquationsOfMotion& e, const eom::EquationsOfMotion& finished,
                                   const std::optional<JointSpeeds>& joint_speeds) {
    const Mechanism& m = s.mechanism;
    eom::Derivation d;
    eom::Step partial{
        "Partial velocities",
        "The columns of `B` are the motion of a body's frame in the ground, the angular velocity above the velocity of its origin, when "
        "one speed is 1 and the others are 0, in the body's axes. Sections of beams are frames like those of bodies.",
        {},
        "lynch88 (3.34)"};
    std::vector<std::string> speeds;
    for (const kinematics::Freedom& f : m.freedoms) speeds.push_back(f.u.symbol().name);
    partial.text += fmt::format(" Columns: {}.", fmt::join(speeds, ", "));
    const std::vector<std::vector<kinematics::Column>> columns = kinematics::jacobians(m);
    for (const BodyIndex b : m.topology->order) {
        if (b == model::ground || is_bare_section(m, b)) continue;
        Matrix B = sym::zeros(6, m.freedoms.size());
        for (const auto& [i, S] : columns[b]) {
            for (std::size_t k = 0; k < 3; ++k) B[k][i] = S.w[k], B[3 + k][i] = S.v[k];
        }
        partial.lines.push_back({fmt::format("B[{}]", m.model->bodies[b].name), std::move(B)});
    }
    d.steps.push_back(std::move(partial));
    for (eom::Step& step : explain_beams(m)) d.steps.push_back(std::move(step));
    add_constraints(e, d);
    const std::optional<OwnTerms> drives = drive_terms(s);
    if (drives) d.steps.push_back(drives->step);
    if (auto given = given_motions(m)) d.steps.push_back(*std::move(given));
    eom::Step equations{
        "Equations of motion",
        "Kane: the inertia and the loads of every particle, times its partial velocities, summed over rigid bodies and integrated over "
        "beams. A particle's partial velocities are those of its frame, `v + omega x rho`, and the derivatives of `rho` by the "
        "elastic coordinates.",
        {},
        "lynch88 (4.14), lee90 (2.23)-(2.28)"};
    const std::string mass = with_own_M("sum over i of B[i]^T M[i] B[i]", drives) + ", and B^T P and N of the beams";
    equations.lines.push_back({"M", e.M, mass_of_free(m, mass)});
    equations.lines.push_back({"f", column(e.f), forcing_of_free(m, "loads less the inertia of the motion at u' = 0")});
    d.steps.push_back(std::move(equations));
    if (joint_speeds) d.steps.push_back(joint_speeds->step);
    gather(d, *finished.pool);
    return d;
}

}  // namespace

Literal multiply_out(const System& s) {
    const Mechanism& m = s.mechanism;
    const Terms terms(s);
    const std::size_t n = m.freedoms.size();
    Literal result{sym::zeros(n, n), s.loads.tau};
    for (BodyIndex b = 1; b < m.X_W.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        const BodyTerms& t = terms.of(b);
        const Vec3 torque = t.active.t - body.inertia * t.rest.w - t.h, force = t.active.f - body.mass * t.rest.v;
        for (const Partial& p : t.partials) {
            result.f[p.freedom] += dot(p.B.w, torque) + dot(p.B.v, force);
            for (const Partial& r : t.partials) {
                result.M[p.freedom][r.freedom] += dot(p.B.w, body.inertia * r.B.w) + body.mass * dot(p.B.v, r.B.v);
            }
        }
    }
    return result;
}

eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& finished) {
    const sym::PoolScope scope(*model.pool);
    const System s = set_up(model, topology);
    const Mechanism& m = s.mechanism;
    if (auto rest = nothing_moves(m)) return *std::move(rest);
    const std::optional<JointSpeeds> joint_speeds = in_joint_speeds(s, finished, derive);
    const eom::EquationsOfMotion& e = joint_speeds ? joint_speeds->equations : finished;
    if (has_beams(m)) return explain_with_beams(s, e, finished, joint_speeds);
    const Terms terms(s);
    const std::optional<OwnTerms> own_freedoms = own_terms(m), drives = drive_terms(s);
    eom::Derivation d;

    eom::Step frames{"Transformation matrices and joint axes",
                     "`A[i,j]` takes components in the axes of body j to those in body i; the columns `u` are the motion across the joint "
                     "for a unit rate of each of its speeds: the angular velocity `u_w`, and below it the velocity `u_v` of the joint's "
                     "point, in the "
                     "outer body's axes.",
                     {},
                     "lynch88 step 1"};
    eom::Step arms{"Vectors to the centres of mass",
                   "`d[i,j]` runs from the joint of body j to the centre of mass of body i, in the axes of body i.",
                   {},
                   "lynch88 step 2, (3.21), (3.22)"};
    eom::Step partial{"Partial velocities", "", {}, "lynch88 step 3, (3.34)"};
    partial.text =
        "The columns of `B` are the angular velocity of the body, and below it the velocity of its centre of mass, when one "
        "speed is 1 and the others are 0: `A[i,j] u_w` above `A[i,j] u_v + (A[i,j] u_w) x d[i,j]`, and 0 for joints that do not "
        "lie "
        "on the way from the body to the ground.";
    eom::Step rates{
        "Their rates", "The same columns differentiated in the ground, written in the body's axes.", {}, "lynch88 step 4, (3.36)"};
    eom::Step forces{"Forces",
                     "`f` holds the torque about the centre of mass and the force on each body, `h` is the torque that turning "
                     "it takes; forces "
                     "inside joints are `tau`, one for each speed.",
                     {},
                     "lynch88 step 5, (4.11), (4.13)"};
    std::vector<std::string> speeds;
    for (const kinematics::Freedom& f : m.freedoms) speeds.push_back(f.u.symbol().name);
    partial.text += fmt::format(" Columns: {}.", fmt::join(speeds, ", "));
    for (const BodyIndex b : topology.order) {
        if (b == model::ground) continue;
        const std::string &name = model.bodies[b].name, &inner = model.bodies[topology.arc[b]->inner].name;
        const model::Joint& own = model.joints[topology.arc[b]->joint];
        const Vec3& own_point = topology.arc[b]->is_reversed ? own.parent_at : own.child_at;
        frames.lines.push_back(
            {fmt::format("A[{},{}]", inner, name), rows_of(m.X_inner[b].R.matrix()), fmt::format("axes of {} in {}", name, inner)});
        for (const auto& [i, S] : m.across[b]) {
            const std::string& speed = m.freedoms[i].u.symbol().name;
            frames.lines.push_back(
                {fmt::format("u[{}]", speed), stacked(S.w, S.v + cross(S.w, own_point)), fmt::format("motion of {} in {}", name, inner)});
        }
        if (m.freedoms_of[b].empty())
            frames.lines.push_back({fmt::format("u[{}]", own.name), {}, "nothing", "The joint holds everything."});
        // Walk inwards: where the joint of each body on the way stands, seen from this body.
        spatial::Pose X{};  // of body b in body j
        for (BodyIndex j = b; j != model::ground; X = m.X_inner[j] * X, j = topology.arc[j]->inner) {
            const model::Joint& joint = model.joints[topology.arc[j]->joint];
            const Vec3& at = topology.arc[j]->is_reversed ? joint.parent_at : joint.child_at;
            arms.lines.push_back({fmt::format("d[{},{}]", name, model.bodies[j].name), column(model.bodies[b].com - X.inverse() * at),
                                  fmt::format("centre of mass of {}, seen from joint {}", name, joint.name)});
        }
        const BodyTerms& t = terms.of(b);
        const Matrix none = sym::zeros(6, m.freedoms.size());
        Matrix B = none, Bdot = none;
        for (const Partial& p : t.partials) {
            for (std::size_t k = 0; k < 3; ++k) {
                B[k][p.freedom] = p.B.w[k], B[3 + k][p.freedom] = p.B.v[k];
                Bdot[k][p.freedom] = p.Bdot.w[k], Bdot[3 + k][p.freedom] = p.Bdot.v[k];
            }
        }
        const bool is_constant = std::ranges::all_of(
            Bdot, [](const auto& row) { return std::ranges::all_of(row, [](const Expr& x) { return x.is_literally(0); }); });
        partial.lines.push_back({fmt::format("B[{}]", name), std::move(B)});
        rates.lines.push_back({fmt::format("Bdot[{}]", name), std::move(Bdot), fmt::format("d B[{}] / dt", name),
                               is_constant ? "Zero: the columns keep length and direction." : ""});
        forces.lines.push_back({fmt::format("f[{}]", name), stacked(t.active.t, t.active.f), "torque, and below it force"});
        const std::string carried = carried_by(m, b);
        forces.lines.push_back(
            {fmt::format("h[{}]", name), column(t.h),
             carried.empty() ? "w x (J w)" : fmt::format("w x (J w + H) + Hdot, H the momentum of the {} of {}", carried, name),
             !is_zero(t.h)       ? ""
             : is_zero(m.V[b].w) ? "Zero: the body does not turn."
                                 : "Zero: the body turns about a principal axis of inertia."});
    }
    forces.lines.push_back({"tau", column(s.loads.tau), "springs, dampers and actuators in the joints"});
    d.steps = {std::move(frames), std::move(arms), std::move(partial), std::move(rates), std::move(forces)};
    add_constraints(e, d);
    if (own_freedoms) d.steps.push_back(own_freedoms->step);
    if (drives) d.steps.push_back(drives->step);
    if (auto given = given_motions(m)) d.steps.push_back(*std::move(given));
    const bool is_free = e.constraints.empty();
    eom::Step equations{"Equations of motion",
                        is_free ? "Summed over the bodies, whose masses and inertias are `M[i]`: `M u' = f`."
                                : "Summed over the bodies, whose masses and inertias are `M[i]`: `M u' + G^T lambda = f`.",
                        {},
                        is_free ? "lynch88 step 6, (4.14)" : "lynch88 step 6, (4.19)"};
    if (e.u.empty()) {
        equations.text = all_is_given;
    } else {
        const std::string mass = with_own_M(with_own_M("sum over i of B[i]^T M[i] B[i]", own_freedoms), drives);
        const std::string forcing = with_own_f("sum over i of B[i]^T (f[i] - M[i] Bdot[i] u - h[i]) + tau", own_freedoms);
        equations.lines.push_back({"M", e.M, mass_of_free(m, mass)});
        equations.lines.push_back({"f", column(e.f), forcing_of_free(m, with_own_f(forcing, drives))});
    }
    d.steps.push_back(std::move(equations));
    if (joint_speeds) d.steps.push_back(joint_speeds->step);
    if (!e.u.empty()) d.steps.push_back(for_the_machine(finished));
    gather(d, *finished.pool);
    return d;
}

}  // namespace linkwright::formulation::kane
