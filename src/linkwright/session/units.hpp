#pragma once
// SI units of what a result holds, as far as the model says them: coordinates and speeds by their joints, inputs and states by the file,
// outputs by what they are. Empty where nothing is known: a shape normalised by mass, a speed of the user's own, a written expression.

#include <string>
#include <unordered_map>
#include <vector>

#include "linkwright/eom/equations.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::session {

/// In the order of Names.
struct Units {
    std::vector<std::string> coordinates, speeds, accelerations, auxiliary, inputs, outputs;
    std::vector<std::string> forcing;      ///< of f: power is forcing times speed
    std::vector<std::string> multipliers;  ///< one for each constraint
};
Units units_of(const eom::EquationsOfMotion& equations, const model::Model& model);

/// The same for whatever is a column of a table: t, coordinates, speeds, accelerations, inputs, states, signals, outputs, energies, momenta,
/// multipliers (lambda.NAME). Names that are not in it have no unit, or none that is known.
std::unordered_map<std::string, std::string> units_by_name(const model::Model& model);
/// One for each of `names`.
std::vector<std::string> units_for(const std::vector<std::string>& names, const model::Model& model);

/// "rad/s" or "m/s" of the speeds of joints, beams and rotors, by name.
std::unordered_map<std::string, std::string> speed_units(const model::Model& model);

/// "rad" becomes "rad/s", "m/s" becomes "m/s^2"; of nothing nothing.
std::string rate_of(const std::string& unit);

/// "hip [rad]"; only the name where the unit is empty.
std::string with_unit(const std::string& name, const std::string& unit);

}  // namespace linkwright::session
