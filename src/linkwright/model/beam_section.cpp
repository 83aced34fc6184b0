#include "linkwright/model/beam_section.hpp"

#include <fmt/format.h>

#include "linkwright/model/beam_constants.hpp"
#include "linkwright/model/beam_field.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::model {

Rotation section_axes(const Vec3& angles) {
    Rotation R;
    const std::array<std::size_t, 3> axes{2, 1, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!angles[i].is_literally(0)) R = R * Rotation::turn(spatial::unit(axes[i]), angles[i]);
    }
    return R;
}

namespace {

/// A body without mass, at p in the frame of the beam.
BodyIndex add_section(Model& model, BodyIndex index, const std::string& name, const Vec3& p, Section section) {
    Body body;
    body.name = name;
    body.where = model.bodies[index].where;
    Joint joint;  // a weld
    joint.name = name;
    joint.parent = index;
    joint.child = model.bodies.size();
    joint.parent_at = p;
    joint.parent_axes = section_axes(section.angles);
    joint.section = std::move(section);
    joint.where = body.where;
    model.bodies.push_back(std::move(body));
    model.joints.push_back(std::move(joint));
    return model.bodies.size() - 1;
}

}  // namespace

BodyIndex section(Model& model, BodyIndex index, const Expr& at, bool turns, const std::string& name) {
    const sym::PoolScope scope(*model.pool);
    for (const Joint& joint : model.joints) {
        if (joint.section && joint.parent == index && joint.section->at == at && joint.section->turns == turns &&
            !joint.name.ends_with(".com_now"))
            return joint.child;
    }
    const Beam& beam = *model.bodies[index].beam;
    BeamField field(beam);
    const PlaceOnBeam place = place_of(model, beam, field, at);
    const std::string full = model.bodies[index].name + "." + name;
    BeamConstants constant(model, full + ".", model.bodies[index].where);
    const std::vector<Expr>& q = beam.elastic.coordinates;
    // Where the axis is, and how its section is turned, at the last place of the elastic part before x = at.
    Vec3 p{{at - place.beyond, 0, 0}}, angles;
    for (std::size_t a = 1; a < field.terms().size(); ++a) {
        const ElasticTerm& t = field.terms()[a];
        Expr s = t.coefficient * constant("", field.labels()[a], field.at(field.functions()[a], place.xi, 0), "",
                                          fmt::format("{} {}", t.factors.size() == 1 ? "phi at" : "integral of phi' phi' up to", name));
        for (const std::size_t k : t.factors) s = s * q[k];
        p[t.axis] += s;
    }
    for (std::size_t k = 0; k < q.size(); ++k) {
        const BeamDirection d = field.directions()[k];
        if (d == BeamDirection::x) continue;
        const bool is_twist = d == BeamDirection::twist;
        const Expr c = constant("", field.names()[k] + (is_twist ? "" : "'"), field.at(field.shapes()[k], place.xi, is_twist ? 0 : 1), "",
                                fmt::format("{} at {}", is_twist ? "phi" : "phi'", name));
        angles[is_twist ? 2 : d == BeamDirection::y ? 0 : 1] += (d == BeamDirection::z ? -c : c) * q[k];
    }
    if (!place.beyond.is_literally(0)) p += section_axes(angles) * Vec3{{place.beyond, 0, 0}};
    if (!turns) angles = {};
    return add_section(model, index, full, p, Section{at, turns, angles});
}

namespace {

/// Mass and first moment of a beam with what is on it, in the frame of the body.
std::pair<Expr, Vec3> first_moment(const Model& model, BodyIndex index) {
    const Body& body = model.bodies[index];
    const Elastic& e = body.beam->elastic;
    Expr m = body.mass + e.mass;
    Vec3 h = body.mass * body.com;
    for (std::size_t a = 0; a < e.terms.size(); ++a) {
        Expr s = e.terms[a].coefficient * e.first[a];
        for (const std::size_t k : e.terms[a].factors) s = s * e.coordinates[k];
        h[e.terms[a].axis] += s;
    }
    for (const Joint& joint : model.joints) {
        if (!joint.section || joint.parent != index) continue;
        const Body& on = model.bodies[joint.child];
        if (on.mass.is_literally(0)) continue;
        m += on.mass;
        h += on.mass * (joint.parent_at + section_axes(joint.section->angles) * on.com);
    }
    return {m, h};
}

}  // namespace

Vec3 straight_com(const Model& model, BodyIndex index) {
    const sym::PoolScope scope(*model.pool);
    const auto [m, h] = first_moment(model, index);
    std::vector<sym::Binding> straight;
    for (const Expr& q : model.bodies[index].beam->elastic.coordinates) straight.emplace_back(q, Expr(0));
    sym::Substitution at_rest(straight);
    return {{at_rest(h[0]) / m, at_rest(h[1]) / m, at_rest(h[2]) / m}};
}

BodyIndex moving_com(Model& model, BodyIndex index) {
    const sym::PoolScope scope(*model.pool);
    const std::string name = model.bodies[index].name + ".com_now";
    if (const auto known = find_body(model, name)) return *known;
    const auto [m, h] = first_moment(model, index);
    return add_section(model, index, name, (1 / m) * h, Section{straight_com(model, index)[0], false, {}});
}

Vec3 deflection(Model& model, BodyIndex index, const Expr& at) {
    const sym::PoolScope scope(*model.pool);
    const BodyIndex on = section(model, index, at, true, fmt::format("at{}", model.bodies.size()));
    for (const Joint& joint : model.joints) {
        if (joint.section && joint.child == on) return joint.parent_at - Vec3{{at, 0, 0}};
    }
    return {};
}

namespace {

/// Σ c_k q_k over the coordinates of one direction, c_k the derivative of the shape at x.
Expr differentiated(const Model& model, const Beam& beam, BeamDirection direction, const Expr& at, int derivatives) {
    BeamField field(beam);
    const Expr xi = place_of(model, beam, field, at).xi;
    Expr sum = 0;
    for (std::size_t k = 0; k < field.shapes().size(); ++k) {
        if (field.directions()[k] == direction) sum += field.at(field.shapes()[k], xi, derivatives) * beam.elastic.coordinates[k];
    }
    return sum;
}

const BeamSection& section_at(const Model& model, const Beam& beam, const Expr& at) {
    const ParameterValues value(model);
    for (const BeamPiece& p : beam.pieces) {
        if (value(at) <= value(p.to) * (1 + 1e-9)) return p.section;
    }
    return beam.pieces.back().section;
}

}  // namespace

Expr strain(Model& model, BodyIndex index, const Expr& at, const Vec3& offset) {
    const sym::PoolScope scope(*model.pool);
    const Beam& beam = *model.bodies[index].beam;
    return differentiated(model, beam, BeamDirection::x, at, 1) - offset[1] * differentiated(model, beam, BeamDirection::y, at, 2) -
           offset[2] * differentiated(model, beam, BeamDirection::z, at, 2);
}

Vec3 moment(Model& model, BodyIndex index, const Expr& at) {
    const sym::PoolScope scope(*model.pool);
    const Beam& beam = *model.bodies[index].beam;
    const BeamSection& s = section_at(model, beam, at);
    return {{s.torsion * differentiated(model, beam, BeamDirection::twist, at, 1),
             -s.bending_z * differentiated(model, beam, BeamDirection::z, at, 2),
             s.bending_y * differentiated(model, beam, BeamDirection::y, at, 2)}};
}

}  // namespace linkwright::model
