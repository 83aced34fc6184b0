#include "linkwright/formulation/armature.hpp"

#include <algorithm>

#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation {

namespace {

using kinematics::Armature;

std::vector<Expr> speeds_of(const Mechanism& m) {
    std::vector<Expr> u;
    for (const kinematics::Freedom& f : m.freedoms) u.push_back(f.u);
    return u;
}

ArmatureTerms terms_of(const System& s, Drives which) {
    const Mechanism& m = s.mechanism;
    const std::size_t n = m.freedoms.size();
    const std::vector<Expr> u = speeds_of(m);
    ArmatureTerms terms{sym::zeros(n, n), sym::zeros(n, n), std::vector<Expr>(n)};
    sym::Tangent rate(kinematics::rates(m, false));
    for (const Armature& a : s.armatures) {
        if (a.freedom) {
            if (which == Drives::all) terms.M[*a.freedom][*a.freedom] += a.inertia;
            continue;
        }
        const std::vector<Expr> J = gradient(a.speed, u);
        const Expr rest = rate(a.speed);
        for (std::size_t i = 0; i < n; ++i) {
            if (J[i].is_literally(0)) continue;
            const Expr along = a.inertia * J[i];
            terms.f[i] -= along * rest;
            for (std::size_t j = 0; j < n; ++j) {
                if (J[j].is_literally(0)) continue;
                if (j >= i) terms.M[j][i] = terms.M[i][j] += along * J[j];
                terms.C[i][j] += along * rate(J[j]);
            }
        }
    }
    return terms;
}

}  // namespace

ArmatureTerms armature_terms(const System& s) { return terms_of(s, Drives::all); }

std::vector<Expr> armature_of_freedoms(const System& s) {
    std::vector<Expr> along(s.mechanism.freedoms.size());
    for (const Armature& a : s.armatures) {
        if (a.freedom) along[*a.freedom] += a.inertia;
    }
    return along;
}

bool has_armature_across(const System& s) {
    return std::ranges::any_of(s.armatures, [](const Armature& a) { return !a.freedom; });
}

void add_armature(const System& s, Drives which, FormulatedEquations& raw) {
    if (s.armatures.empty() || (which == Drives::across && !has_armature_across(s))) return;
    const Mechanism& m = s.mechanism;
    const ArmatureTerms terms = terms_of(s, which);
    sym::Pool& pool = raw.pool ? *raw.pool : *m.model->pool;
    const sym::PoolScope scope(pool);
    sym::Transplant there(pool);
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        const Expr f = there(terms.f[i]);
        raw.f[i] += f;
        if (!raw.inverse.empty()) raw.inverse[i] -= f;
        for (std::size_t j = 0; j < m.freedoms.size(); ++j) {
            if (terms.M[i][j].is_literally(0)) continue;
            const Expr entry = there(terms.M[i][j]);
            raw.M[i][j] += entry;
            if (!raw.inverse.empty()) raw.inverse[i] += entry * there(m.freedoms[j].udot);
        }
    }
}

std::vector<Expr> armature_accelerations(const System& s) {
    sym::Tangent rate(kinematics::rates(s.mechanism, true));
    std::vector<Expr> all;
    for (const Armature& a : s.armatures) all.push_back(rate(a.speed));
    return all;
}

std::optional<Wrench> armature_wrench(const System& s, const kinematics::CutJoint& cut, std::span<const Expr> accelerations) {
    const model::Joint& joint = s.mechanism.model->joints[cut.joint];
    std::vector<Expr> tau(joint.speeds.size());
    bool acts = false;
    for (std::size_t k = 0; k < s.armatures.size(); ++k) {
        const Armature& a = s.armatures[k];
        if (a.joint != cut.joint) continue;
        acts = true;
        tau[a.part] -= a.inertia * accelerations[k];
    }
    if (!acts) return std::nullopt;
    return kinematics::wrench_of(joint, kinematics::in_joint_axes(joint, cut.coordinates), tau);
}

}  // namespace linkwright::formulation
