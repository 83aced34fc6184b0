#pragma once
// Places on a beam: the sections that carry what is attached, and what may be measured there.

#include "linkwright/model/model.hpp"

namespace linkwright::model {

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

}  // namespace linkwright::model
