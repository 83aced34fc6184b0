#include "linkwright/structure/natural_modes.hpp"

#include <cmath>
#include <numbers>

#include "linkwright/structure/elimination.hpp"

namespace linkwright::structure {

VectorXd NaturalModes::frequencies() const { return omega2.cwiseMax(0).cwiseSqrt() / (2 * std::numbers::pi); }

NaturalModes full_modes(const Assembly& a, const RigidModes& rigid, Index count) {
    const Elimination e = eliminate(a.G, a.scale);
    NaturalModes r;
    r.freedoms = e.T.cols(), r.rigid = rigid.count();
    MatrixXd null(r.freedoms, r.rigid);
    for (Index i = 0; i < r.freedoms; ++i) null.row(i) = rigid.vectors.row(e.kept[i]);
    const solve::ElasticPencil pencil(a.stiffness().seen_by(e.T), solve::congruence(a.M, e.T), null);
    if (pencil.massless() > 0) return r.why = no_inertia, r;
    const solve::LowestModes low = pencil.lowest(count);
    r.ok = low.ok, r.why = low.why;
    if (!r.ok) return r;
    r.omega2 = VectorXd::Zero(r.rigid + low.lambda.size());
    r.omega2.tail(low.lambda.size()) = low.lambda;
    r.shapes.resize(a.size(), r.omega2.size());
    r.shapes << e.T * pencil.null(), e.T * low.vectors;
    return r;
}

MatrixXd energy_parts(const Assembly& a, const MatrixXd& shapes) {
    const MatrixXd momentum = solve::times(a.M, shapes);
    const Index bodies = static_cast<Index>(a.of->bodies.size());
    MatrixXd parts = MatrixXd::Zero(bodies, shapes.cols());
    for (Index b = 0; b < bodies; ++b) {
        const Index n = a.size(static_cast<std::size_t>(b)), at = a.first[b];
        for (Index k = 0; k < shapes.cols(); ++k) parts(b, k) = shapes.col(k).segment(at, n).dot(momentum.col(k).segment(at, n));
    }
    for (Index k = 0; k < shapes.cols(); ++k) {
        const double whole = parts.col(k).sum();
        if (whole > 0) parts.col(k) /= whole;
    }
    return parts;
}

}  // namespace linkwright::structure
