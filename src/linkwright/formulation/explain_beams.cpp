#include "linkwright/formulation/explain_beams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/formulation/second_order.hpp"

namespace linkwright::formulation {

namespace {

const kinematics::Contribution* mass_that_moves(const Mechanism& m, BodyIndex b) {
    const auto& all = m.contributions[b];
    const auto at = std::ranges::find_if(all, [](const auto& c) { return c->moves_mass(); });
    return at == all.end() ? nullptr : at->get();
}

/// The place of the particle at x in the frame of the beam, with phi(x) and h(x) as letters.
Vec3 particle(const Mechanism& m, const model::Body& body) {
    const model::Elastic& e = body.beam->elastic;
    const auto letter = [&](const std::string& name) { return m.model->pool->symbol(name, sym::Role::auxiliary); };
    const auto short_name = [&](std::size_t k) { return e.coordinates[k].symbol().name.substr(body.name.size() + 1); };
    Vec3 rho{{letter("x"), 0, 0}};
    for (const model::ElasticTerm& t : e.terms) {
        if (t.factors.empty()) continue;
        std::string name = t.factors.size() == 1 ? "phi." : "h.";
        Expr s = t.coefficient;
        for (const std::size_t k : t.factors) name += short_name(k), s = s * e.coordinates[k];
        rho[t.axis] += letter(name) * s;
    }
    return rho;
}

}  // namespace

bool has_beams(const Mechanism& m) {
    return std::ranges::any_of(m.model->bodies, [](const model::Body& b) { return b.beam.has_value(); });
}

bool is_bare_section(const Mechanism& m, BodyIndex b) {
    const model::Joint& joint = m.model->joints[m.topology->arc[b]->joint];
    const model::Body& body = m.model->bodies[b];
    return joint.section && joint.child == b && m.topology->outer[b].empty() && body.mass.is_literally(0) &&
           body.inertia == spatial::Mat3{};
}

std::vector<eom::Step> explain_beams(const Mechanism& m) {
    std::vector<eom::Step> steps;
    if (!has_beams(m)) return steps;
    eom::Step places{
        "Beams",
        "A particle of a beam that lies at `x` when the beam is straight is at `rho` in the frame of its body. `phi` are the shapes, "
        "functions of `x`; `h` is the integral of `phi' phi'` from the beginning of the beam to `x`, by which the axis is "
        "shortened as it bends.",
        {},
        "lee90 (2.1), baruh (19)"};
    eom::Step integrals{
        "Integrals over the beams",
        "Integrated over the mass, products of these functions become the shape constants listed above. `I` is the inertia about "
        "the origin of the frame with the beam held as it is bent, `P` the momentum (angular, and below it linear) of a unit "
        "speed of each elastic coordinate while the frame rests, `N` the inertia of the elastic speeds among themselves, `K` the "
        "stiffness. With `V` the motion of the frame, `omega` above `v`, and `w` the elastic speeds, the kinetic energy is "
        "`(V^T I V + 2 V^T P w + w^T N w) / 2`, and the elastic energy `q^T K q / 2`.",
        {},
        "lee90 (2.23)-(2.28), baruh (24)-(32)"};
    for (BodyIndex b = 1; b < m.model->bodies.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        const kinematics::Contribution* c = mass_that_moves(m, b);
        if (!body.beam || c == nullptr) continue;
        places.lines.push_back({fmt::format("rho[{}]", body.name), column(particle(m, body))});
        const std::size_t n = c->freedoms().size();
        Matrix P = sym::zeros(6, n), N = sym::zeros(n, n);
        for (std::size_t k = 0; k < n; ++k) {
            const Wrench p = c->partial_momentum(k);
            for (std::size_t i = 0; i < 3; ++i) P[i][k] = p.t[i], P[3 + i][k] = p.f[i];
            for (std::size_t l = 0; l < n; ++l) N[k][l] = c->inertia(k, l);
        }
        const spatial::Inertia I = c->locked_inertia();
        integrals.lines.push_back({fmt::format("m[{}]", body.name), {{I.m}}});
        integrals.lines.push_back({fmt::format("c[{}]", body.name), column(I.h), "first moment: mass times centre of mass"});
        integrals.lines.push_back({fmt::format("I[{}]", body.name), rows_of(I.I), "the tensor about the origin of the frame"});
        integrals.lines.push_back({fmt::format("P[{}]", body.name), std::move(P)});
        integrals.lines.push_back({fmt::format("N[{}]", body.name), std::move(N)});
        integrals.lines.push_back({fmt::format("K[{}]", body.name), body.beam->elastic.stiffness});
        if (!sym::is_literally_zero(body.beam->elastic.damping))
            integrals.lines.push_back({fmt::format("C[{}]", body.name), body.beam->elastic.damping, "damping: force -C w"});
    }
    if (is_second_order(*m.model)) {
        integrals.text += " Of this, terms beyond the second degree in elastic coordinates and speeds are left out.";
    }
    steps.push_back(std::move(places));
    steps.push_back(std::move(integrals));
    return steps;
}

}  // namespace linkwright::formulation
