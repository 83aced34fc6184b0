#pragma once
// From the description of a beam to what equations see: shape constants, and masses on sections.

#include "linkwright/model/beam_section.hpp"

namespace linkwright::model {

/// Families that meet the end conditions of a frame.
std::vector<BeamFamily> fitting(flex::Frame frame, BeamDirection direction);

/// Fills in `elastic` of a body's beam, whose coordinates and speeds are there already; its constants become parameters of the model. Masses and
/// sleeves go to sections. The description is taken as it is: whoever reads or builds one has looked at it.
/// Throws std::invalid_argument for clamped-mass shapes whose mass is beyond all measure (a reader refuses it before).
void form_beam(Model& model, BodyIndex beam);

/// ∫φφ dm of the coordinates of a beam with the masses on it, frame held, undeflected. With `stiffness` it tells the beam's own frequencies.
sym::Matrix mass_at_rest(const Model& model, BodyIndex beam);
/// "beam 'arm': tangent frame, shortening, y: 2 shapes clamped-free; kinetic energy of all orders"
std::string describe(const Body& beam);
/// ½ qᵀ K q
Expr elastic_energy(const Beam& beam);

}  // namespace linkwright::model
