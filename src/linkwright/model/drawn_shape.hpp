#pragma once
// What a picture of the mechanism shows of a body where the default drawing would not do: geometry without mass. Equations
// never see it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/spatial/rotation.hpp"

namespace linkwright::model {

struct DrawnShape {
    enum class Kind : std::uint8_t { box, cylinder, sphere, capsule, polyline, mesh };
    using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

    std::string name;
    std::size_t on = 0;  ///< the body that carries it; 0 is the ground
    Kind kind = Kind::box;
    spatial::Vec3 at;                   ///< its middle, from the body's origin, body axes; expressions in parameters, as all that follows
    spatial::Rotation axes;             ///< from the shape's axes to the body's; a cylinder and a capsule lie along their own z
    spatial::Vec3 size;                 ///< of a box: its edges
    sym::Expr radius;                   ///< of a cylinder, sphere, capsule; of a polyline its half thickness
    sym::Expr length;                   ///< of a cylinder; of a capsule without its caps
    std::vector<spatial::Vec3> points;  ///< of a polyline
    std::string file;                   ///< of a mesh, STL or OBJ: as written, relative to the folder of the model file
    sym::Expr scale;                    ///< of a mesh: metres for one unit of its file
    std::optional<Colour> colour;
    Position where;
};

std::string_view to_string(DrawnShape::Kind kind);

/// "#4477aa" or a name of CSS's sixteen.
std::optional<DrawnShape::Colour> parse_colour(std::string_view text);

}  // namespace linkwright::model
