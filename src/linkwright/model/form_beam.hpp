#pragma once
// From the description of a beam to what equations see: shape constants, sections, masses on sections.

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// Families that meet the end conditions of a frame.
std::vector<BeamFamily> fitting(flex::Frame frame, BeamDirection direction);

/// Fills in `elastic` of a body's beam, whose coordinates and speeds are there already; its constants become parameters of the model. Masses and
/// sleeves go to sections. The description is taken as it is: whoever reads or builds one has looked at it.
void form_beam(Model& model, BodyIndex beam);

/// The body that is fixed in the section at x = at, which is made if there is none yet. Without `turns` its axes stay those of the beam's
/// frame. `name` is that of a point: "tip".
BodyIndex section(Model& model, BodyIndex beam, const Expr& at, bool turns, const std::string& name);

/// The centre of mass with everything on the beam: where it is while the beam is straight, and the section that follows it.
Vec3 straight_com(const Model& model, BodyIndex beam);
BodyIndex moving_com(Model& model, BodyIndex beam);

/// By angles[0] about z, then angles[1] about the new y, then angles[2] about the newest x.
Rotation section_axes(const Vec3& angles);

/// Deflection of the axis in the body frame at x = at: along x by shortening and stretch, along y and z.
Vec3 deflection(Model& model, BodyIndex beam, const Expr& at);
/// At x = at: −offset_y v'' − offset_z w'' + stretch'.
Expr strain(Model& model, BodyIndex beam, const Expr& at, const Vec3& offset);
/// At x = at, about the axes of the section: GJ τ', −EI w'', EI v''.
Vec3 moment(Model& model, BodyIndex beam, const Expr& at);
/// ∫φφ dm of the coordinates of a beam with the masses on it, frame held, undeflected. With `stiffness` it tells the beam's own frequencies.
sym::Matrix mass_at_rest(const Model& model, BodyIndex beam);
/// "beam 'arm': tangent frame, shortening, y: 2 shapes clamped-free; kinetic energy of all orders"
std::string describe(const Body& beam);
/// ½ qᵀ K q
Expr elastic_energy(const Beam& beam);

}  // namespace linkwright::model
