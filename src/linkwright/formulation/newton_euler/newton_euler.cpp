#include "linkwright/formulation/newton_euler/newton_euler.hpp"

#include <fmt/format.h>

#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/newton_euler/free_body.hpp"
#include "linkwright/formulation/user_speeds.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::formulation::newton_euler {

namespace {

/// M and f over the speeds of all bodies, then those of what moves inside them.
FormulatedEquations body_by_body(const BodySystem& bodies) {
    const Mechanism& m = bodies.system.mechanism;
    const std::size_t n = m.freedoms.size(), first_own = 6 * (m.X_W.size() - 1);
    FormulatedEquations raw{sym::zeros(n, n), std::vector<Expr>(n)};
    for (BodyIndex b = 1; b < m.X_W.size(); ++b) {
        const FreeBody body = free_body(bodies, b);
        const std::size_t at = 6 * (b - 1);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) raw.M[at + i][at + j] = body.J[i][j];
            raw.M[at + 3 + i][at + 3 + i] = body.m;
            raw.f[at + i] = body.torque[i] - body.gyroscopic[i];
            raw.f[at + 3 + i] = body.force[i] - body.turning[i];
        }
    }
    for (std::size_t r = first_own; r < n; ++r) {
        const kinematics::Freedom& own = m.freedoms[r];
        const std::size_t at = 6 * (own.body - 1);
        raw.M[r][r] = own.of->inertia(own.column, own.column);
        const Vec3 momentum = own.of->partial_momentum(own.column).t;
        for (std::size_t i = 0; i < 3; ++i) raw.M[at + i][r] = raw.M[r][at + i] = momentum[i];
        raw.f[r] = bodies.system.loads.tau[r];
    }
    return raw;
}

/// u = B s + b over the natural speeds of the joints and the bodies' own, given ones in b.
eom::Reduction reduce(const Mechanism& m) {
    eom::Reduction r;
    std::vector<std::size_t> column(m.freedoms.size());
    std::size_t own = 0;
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        own += m.freedoms[i].is_own() ? 1 : 0;
        if (m.freedoms[i].given) continue;
        column[i] = r.s.size();
        r.s.push_back(m.freedoms[i].u);
        r.sdot.push_back(m.freedoms[i].udot);
    }
    r.B = sym::zeros(6 * (m.X_W.size() - 1) + own, r.s.size());
    r.b.resize(r.B.size());
    std::vector<std::vector<std::pair<std::size_t, Twist>>> columns(m.X_W.size());
    for (const BodyIndex b : m.topology->order) {
        if (b == model::ground) continue;
        for (const auto& [i, S] : columns[m.topology->arc[b]->inner]) columns[b].emplace_back(i, to_inner(m.X_inner[b], S));
        for (const auto& [i, S] : m.across[b]) columns[b].emplace_back(i, S);
        for (const auto& [i, S] : columns[b]) {
            const Vec3 v = S.v + cross(S.w, m.model->bodies[b].com);
            for (std::size_t k = 0; k < 6; ++k) {
                const Expr& entry = k < 3 ? S.w[k] : v[k - 3];
                const std::size_t row = 6 * (b - 1) + k;
                if (m.freedoms[i].given) {
                    r.b[row] += m.freedoms[i].u * entry;
                } else {
                    r.B[row][column[i]] = entry;
                }
            }
        }
    }
    std::size_t at = r.B.size() - own;
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        if (m.freedoms[i].is_own()) r.B[at++][column[i]] = 1;
    }
    return r;
}

/// The user's own speeds instead of the natural ones: with s_natural = N s + ν, u = B N s + B ν + b. False when they
/// depend on each other.
bool put_in_user_speeds(const System& s, eom::Reduction& r) {
    std::vector<sym::Binding> known = s.mechanism.given;
    known.insert(known.end(), s.mechanism.defined.begin(), s.mechanism.defined.end());
    sym::Substitution put_in(known);
    std::vector<model::UserSpeed> definitions = s.mechanism.model->speeds;
    for (model::UserSpeed& d : definitions) d.definition = put_in(d.definition);
    const auto chosen = choose_speeds(r.s, r.sdot, definitions, *s.mechanism.model->pool);
    if (!chosen) return false;
    const std::size_t n = r.s.size();
    for (std::size_t i = 0; i < r.B.size(); ++i) {
        std::vector<Expr> row(n);
        for (std::size_t k = 0; k < n; ++k) {
            if (r.B[i][k].is_literally(0)) continue;
            r.b[i] += r.B[i][k] * chosen->nu[k];
            for (std::size_t j = 0; j < n; ++j) row[j] += r.B[i][k] * chosen->N[k][j];
        }
        r.B[i] = std::move(row);
    }
    r.s = chosen->s;
    r.sdot = chosen->sdot;
    return true;
}

/// What drives in the joint of a body take for themselves, on its child in its joint axes: −a ẇ along each.
Wrench drive_wrench(const BodySystem& bodies, BodyIndex b) {
    Wrench W;
    const auto& armatures = bodies.system.armatures;
    if (armatures.empty()) return W;
    const std::vector<Expr> accelerations = armature_accelerations(bodies.system);
    for (std::size_t k = 0; k < armatures.size(); ++k) {
        if (armatures[k].joint != bodies.hinges[b].joint) continue;
        const Expr force = armatures[k].inertia * accelerations[k];
        const Wrench& along = bodies.hinges[b].along[armatures[k].part];
        W -= Wrench{force * along.t, force * along.f};
    }
    return W;
}

/// The wrench that a joint of the tree passes on to its child, ground axes.
Wrench reaction(const BodySystem& bodies, std::size_t j) {
    const Mechanism& m = bodies.system.mechanism;
    const model::Joint& joint = m.model->joints[j];
    for (BodyIndex b = 1; b < bodies.hinges.size(); ++b) {
        if (bodies.hinges[b].joint != j) continue;
        Wrench W = bodies.passing[b].load + drive_wrench(bodies, b);
        for (const auto& [row, on] : bodies.passing[b].rows) {
            const Expr& lambda = bodies.system.lambda[row];
            W -= Wrench{lambda * on.t, lambda * on.f};
        }
        const spatial::Rotation R = m.X_W[joint.child].R * joint.child_axes;
        return {R * W.t, R * W.f};
    }
    return {};
}

/// The speeds of the joints, those of given motions, and the forces that drive a joint which moves as given.
std::vector<eom::Output> further_outputs(const System& s, const BodySystem& bodies, const eom::Reduction& reduction) {
    const Mechanism& m = s.mechanism;
    std::vector<eom::Output> out;
    for (BodyIndex b = 1; b < bodies.hinges.size(); ++b) {
        const model::Joint& joint = m.model->joints[bodies.hinges[b].joint];
        const bool is_whole =
            std::ranges::any_of(m.model->joint_motions, [&](const model::JointMotion& g) { return g.joint == bodies.hinges[b].joint; });
        for (const auto& [i, S_outer] : m.across[b]) {
            if (!m.freedoms[i].given || !is_whole) continue;
            const Twist S = m.topology->arc[b]->is_reversed ? -to_outer(m.X_inner[b], S_outer) : S_outer;  // of the child in the parent
            Wrench W;
            for (const auto& [row, on] : bodies.passing[b].rows) {
                const Expr& lambda = bodies.system.lambda[row];
                W -= Wrench{lambda * on.t, lambda * on.f};
            }
            std::string name = m.freedoms[i].u.symbol().name;
            if (name.ends_with('\'')) name.pop_back();
            out.push_back({name + ".force", dot(S, on_child(joint, W))});
        }
    }
    for (const kinematics::Freedom& f : m.freedoms) {
        if (f.given) out.push_back({f.u.symbol().name, f.u});
    }
    for (std::size_t i = 0; i < reduction.s.size(); ++i) {
        const bool is_own =
            std::ranges::any_of(m.freedoms, [&](const kinematics::Freedom& f) { return f.is_own() && f.u == reduction.s[i]; });
        if (!is_own) out.push_back({reduction.s[i].symbol().name, reduction.s[i]});
    }
    return out;
}

/// A motion of the joints that moves no mass and that no closed loop holds: then the system has no solution, and it is better
/// said here than found by a solver.
Diagnostics find_idle(const System& s, const FormulatedEquations& raw, const eom::Reduction& r) {
    Diagnostics problems;
    const Mechanism& m = s.mechanism;
    for (std::size_t j = 0; j < r.s.size(); ++j) {
        Expr inertia = 0;
        for (std::size_t i = 0; i < r.B.size(); ++i) {
            if (r.B[i][j].is_literally(0)) continue;
            Expr momentum = 0;
            for (std::size_t k = 0; k < r.B.size(); ++k) {
                if (!raw.M[i][k].is_literally(0)) momentum += raw.M[i][k] * r.B[k][j];
            }
            inertia += r.B[i][j] * momentum;
        }
        if (is_zero(inertia) != sym::Verdict::equal) continue;
        bool is_held = false;
        for (const kinematics::Row& row : s.rows) {
            sym::Tangent rate(kinematics::rates(m, false));
            is_held |= is_zero(derivative(row.is_holonomic ? rate(row.phi) : row.rate, r.s[j])) != sym::Verdict::equal;
        }
        if (is_held) continue;
        BodyIndex moved = model::ground;
        for (const kinematics::Freedom& f : m.freedoms) {
            if (f.u == r.s[j]) moved = f.body;
        }
        const model::Body& body = m.model->bodies[moved];
        problems.push_back({.severity = Diagnostic::Severity::error,
                            .file = m.model->file,
                            .where = body.where,
                            .what = fmt::format("speed {} has no inertia: neither body '{}' nor what it carries resists it",
                                                r.s[j].symbol().name, body.name),
                            .hint = "give the body mass or inertia, weld it, or give the coordinate a [[motion]]"});
    }
    return problems;
}

}  // namespace

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System joints = set_up(model, topology);
    if (!joints.problems.empty()) return {std::nullopt, std::move(joints.problems)};
    if (Diagnostics beams = only_rigid(joints, "newton_euler"); !beams.empty()) return {std::nullopt, std::move(beams)};
    BodySystem bodies = take_apart(joints);
    FormulatedEquations raw = body_by_body(bodies);
    add_armature(bodies.system, Drives::all, raw);
    raw.has_armature = true;
    FormulatedEquations::BodyCoordinates maximal;
    maximal.reduction = reduce(joints.mechanism);
    if (Diagnostics idle = find_idle(joints, raw, maximal.reduction); !idle.empty()) return {std::nullopt, std::move(idle)};
    if (!model.speeds.empty() && !put_in_user_speeds(joints, maximal.reduction)) {
        return {std::nullopt,
                {{.severity = Diagnostic::Severity::error,
                  .file = model.file,
                  .where = model.speeds.front().where,
                  .what = "the speeds of [speeds] do not determine the motion: they depend on each other",
                  .hint = fmt::format("the mechanism has {} speeds; give independent combinations of them", maximal.reduction.s.size())}}};
    }
    maximal.rates = bodies.rates;
    for (BodyIndex b = 0; b < model.bodies.size(); ++b) {  // A = v̇ − ω̇ × c at the origin, as a field
        const Twist& A = bodies.rates_of_speeds[b];
        maximal.accelerations.push_back({A.w, A.v - cross(A.w, model.bodies[b].com)});
    }
    maximal.reaction = [&bodies](std::size_t joint) { return reaction(bodies, joint); };
    maximal.outputs = further_outputs(joints, bodies, maximal.reduction);
    raw.maximal = std::move(maximal);
    return finish(bodies.system, std::move(raw), "newton_euler", options);
}

}  // namespace linkwright::formulation::newton_euler
