#pragma once
// Every expression of a model, in one place.

#include <utility>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// Calls f(Expr&) for every expression of the model, symbols of lists included.
template <class F>
void for_each_expression(Model& m, F f) {
    const auto vec = [&](Vec3& v) {
        for (Expr& e : v.e) f(e);
    };
    const auto mat = [&](Mat3& a) {
        for (auto& row : a.e) {
            for (Expr& e : row) f(e);
        }
    };
    const auto rotation = [&](Rotation& R) {
        Mat3 a = R.matrix();
        mat(a);
        if (a != R.matrix()) R = Rotation(a);
    };
    const auto maybe = [&](std::optional<Expr>& e) {
        if (e) f(*e);
    };
    const auto all = [&](auto& list) {
        for (Expr& e : list) f(e);
    };
    const auto matrix = [&](sym::Matrix& a) {
        for (auto& row : a) all(row);
    };
    const auto section = [&](BeamSection& s) {
        f(s.mass_per_length), f(s.bending_y), f(s.bending_z), f(s.axial), f(s.torsion), f(s.torsion_inertia), f(s.rotary);
    };
    const auto beam = [&](Beam& b) {
        f(b.length), all(b.damping);
        for (BeamShapes& x : b.shapes) maybe(x.tip_mass), maybe(x.tip_inertia), all(x.wave_numbers), f(x.mass_ratio);
        for (BeamPiece& p : b.pieces) f(p.to), section(p.section);
        for (BeamMass& x : b.masses) f(x.at), f(x.mass), mat(x.inertia);
        f(b.sleeves.start), f(b.sleeves.end), maybe(b.sleeves.start_mass), maybe(b.sleeves.end_mass);
        Elastic& e = b.elastic;
        all(e.coordinates), all(e.speeds), f(e.mass), all(e.first), matrix(e.second), matrix(e.stiffness), matrix(e.damping);
        for (Beam::Station& s : b.stations) f(s.x), vec(s.at), all(s.slopes);
        for (ElasticTerm& t : e.terms) f(t.coefficient);
        for (ElasticSpin& s : e.spins) f(s.inertia), all(s.first), matrix(s.second);
    };
    f(m.t);
    vec(m.gravity);
    for (Parameter& p : m.parameters) f(p.symbol), f(p.value), maybe(p.min), maybe(p.max);
    for (Input& w : m.inputs) f(w.symbol), f(w.value);
    for (AuxiliaryState& x : m.states) f(x.symbol), f(x.rate);
    for (Motor& x : m.motors) f(x.gear), f(x.input), f(x.force), f(x.back), f(x.loss), f(x.gain), f(x.storage);
    for (Filter& x : m.filters) f(x.input), all(x.numerator), all(x.denominator), maybe(x.sample);
    for (Trajectory& x : m.trajectories) {
        f(x.from), f(x.to), f(x.start), f(x.duration), f(x.acceleration);
        for (Trajectory::Knot& k : x.points) f(k.t), f(k.value);
    }
    for (Signal& x : m.signals) f(x.symbol), f(x.value);
    for (Sampled& x : m.sampled) f(x.period), matrix(x.A), all(x.B), f(x.D), f(x.input);
    for (Body& b : m.bodies) {
        f(b.mass), mat(b.inertia), vec(b.com);
        for (Point& p : b.points) vec(p.at);
        if (b.beam) beam(*b.beam);
        for (Rotor& r : b.rotors) vec(r.axis), f(r.inertia), maybe(r.speed), maybe(r.torque), maybe(r.spin);
    }
    for (Joint& j : m.joints) {
        vec(j.parent_at), vec(j.child_at), rotation(j.parent_axes), rotation(j.child_axes);
        for (Vec3& a : j.axes) vec(a);
        f(j.pitch), all(j.coordinates), all(j.speeds);
        if (j.section) f(j.section->at), vec(j.section->angles);
        for (JointForce& x : j.forces) f(x.stiffness), f(x.rest), f(x.damping), f(x.actuator);
        all(j.armature);
    }
    for (Spring& s : m.springs) {
        vec(s.from.at), vec(s.to.at), f(s.stiffness), f(s.damping), f(s.rest), f(s.actuator);
    }
    for (Force& x : m.forces) {
        vec(x.on.at), vec(x.vector);
        if (x.from) vec(x.from->at);
    }
    for (Torque& x : m.torques) vec(x.vector);
    for (Rod& r : m.rods) vec(r.from.at), vec(r.to.at), f(r.length);
    for (Constraint& c : m.constraints) f(c.expression);
    for (Gear& g : m.gears) f(g.drive), f(g.driven), f(g.ratio);
    for (Rolling& r : m.rollings) vec(r.on.at), vec(r.axis), f(r.radius), vec(r.plane_at), vec(r.normal);
    for (Motion& x : m.motions) f(x.coordinate), f(x.equals);
    for (JointMotion& x : m.joint_motions) {
        vec(x.translation), all(x.angles);
        for (Vec3& a : x.axes) vec(a);
    }
    for (UserSpeed& s : m.speeds) f(s.symbol), f(s.definition);
    for (Output& o : m.outputs) {
        vec(o.point.at), f(o.expression);
        if (o.relative_to) vec(o.relative_to->at);
    }
    for (Event& e : m.events) f(e.when);
    for (InitialValue& x : m.initial) f(x.symbol), f(x.value);
    for (InitialValue& x : m.guess) f(x.symbol), f(x.value);
    for (DrawnShape& s : m.shapes) {
        vec(s.at), rotation(s.axes), vec(s.size), f(s.radius), f(s.length), f(s.scale);
        for (Vec3& p : s.points) vec(p);
    }
}

}  // namespace linkwright::model
