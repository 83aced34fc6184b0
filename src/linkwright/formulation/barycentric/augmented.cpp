#include "linkwright/formulation/barycentric/augmented.hpp"

#include "linkwright/model/joint_steps.hpp"

namespace linkwright::formulation::barycentric {

namespace {

/// m (d² 1 − d dᵀ) = −m d̃ d̃: a point mass at d.
Mat3 point_tensor(const Expr& m, const Vec3& d) {
    const Expr d2 = dot(d, d);
    return m * (spatial::diagonal(d2, d2, d2) + (-1) * outer(d, d));
}

}  // namespace

Augmented augment(const Mechanism& m) {
    const topology::Topology& tree = *m.topology;
    Augmented a;
    a.bodies.resize(m.X_W.size());
    a.modes.resize(m.freedoms.size());
    for (const BodyIndex j : tree.order) {
        if (j == model::ground) continue;
        const topology::Arc& arc = *tree.arc[j];
        const model::Joint& joint = m.model->joints[arc.joint];
        AugmentedBody& body = a.bodies[j];
        body.hinge = arc.is_reversed ? joint.parent_at : joint.child_at;
        body.slides = model::travels(joint.type);
        const Vec3& at = arc.is_reversed ? joint.child_at : joint.parent_at;
        body.arm = (body.slides ? m.X_inner[j] * body.hinge : at) - a.bodies[arc.inner].hinge;
        for (const auto& [i, S] : m.across[j]) {
            a.modes[i] = {S.w, body.slides ? S.v + cross(S.w, body.hinge) : Vec3{}};
        }
        body.own = m.model->bodies[j].com - body.hinge;
        body.mass = m.model->bodies[j].mass;
        body.b = body.mass * body.own;
        body.K = m.model->bodies[j].inertia + point_tensor(body.mass, body.own);
    }
    for (auto k = tree.order.rbegin(); k != tree.order.rend(); ++k) {  // what hangs on the hinges, from outside in
        if (*k == model::ground) continue;
        const AugmentedBody& outer = a.bodies[*k];
        AugmentedBody& inner = a.bodies[tree.arc[*k]->inner];
        inner.mass += outer.mass;
        inner.b += outer.mass * outer.arm;
        inner.K += point_tensor(outer.mass, outer.arm);
    }
    return a;
}

bool is_beyond(const topology::Topology& tree, BodyIndex j, BodyIndex k) {
    while (k != j && k != model::ground) k = tree.arc[k]->inner;
    return k == j;
}

Vec3 barycentric_vector(const Augmented& a, const topology::Topology& tree, BodyIndex j, BodyIndex k) {
    if (k == j) return a.bodies[j].own;
    for (; k != model::ground; k = tree.arc[k]->inner) {
        if (tree.arc[k]->inner == j) return a.bodies[k].arm;
    }
    return {};
}

Mat3 coupling(const Augmented& a, const Mechanism& m, BodyIndex i, BodyIndex j) {
    const topology::Topology& tree = *m.topology;
    if (i == j) return a.bodies[j].K;
    if (!is_beyond(tree, i, j)) return is_beyond(tree, j, i) ? transpose(coupling(a, m, j, i)) : Mat3{};
    spatial::Rotation R;  // from j to i
    for (BodyIndex k = j; k != i; k = tree.arc[k]->inner) R = m.X_inner[k].R * R;
    const Mat3 db = skew(barycentric_vector(a, tree, i, j)) * (R.matrix() * skew(a.bodies[j].b));
    return (-1) * db;
}

Floating float_free(const Augmented& a, const Mechanism& m, BodyIndex root) {
    const topology::Topology& tree = *m.topology;
    Floating f{a.bodies[root].mass, {}, {}, {}};
    for (const BodyIndex b : tree.order) {
        if (is_beyond(tree, root, b)) f.bodies.push_back(b);
    }
    for (const BodyIndex i : f.bodies) {
        const AugmentedBody& body = a.bodies[i];
        const Vec3 barycentre = (1 / f.mass) * body.b;
        std::vector<Vec3> d;
        for (const BodyIndex k : f.bodies) d.push_back(barycentric_vector(a, tree, i, k) - barycentre);
        f.d.push_back(std::move(d));
        f.K.push_back(body.K + (-1) * point_tensor(f.mass, barycentre));
    }
    return f;
}

}  // namespace linkwright::formulation::barycentric
