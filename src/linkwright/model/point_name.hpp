#pragma once
// Points by name in expressions: `hub.z` is how high the origin of the body hub stands, `arm.tip.x'` how fast that point of arm goes along x,
// `hub.zz` an entry of hub's rotation matrix. Such names are symbols of the role `auxiliary`, like those of outputs; whoever derives
// equations puts in what they mean.
//
//     POINT.x  POINT.y  POINT.z           r, from the ground's origin, in ground axes
//     BODY.xx  BODY.xy  …  BODY.zz        R, with v in ground axes = R · (v in body axes)
//     NAME'  NAME''                       its first and second derivatives by time, also of outputs and of a spring's length
//
// A name that the model declares (a coordinate hub.z of a joint hub) comes before; hub.origin.z is the point then.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// NAME without its primes, and how many these were.
struct RateName {
    std::string_view of;
    std::size_t primes = 0;
};
RateName without_primes(std::string_view name);

/// "arm.tip.x" is "arm.tip" and "x"; nothing when it does not end as the name of a component does.
struct ComponentName {
    std::string_view of;
    std::string_view part;  ///< x, y, z, or two of these letters
    bool is_of_rotation() const { return part.size() == 2; }
};
std::optional<ComponentName> split_component(std::string_view name);

/// What a name without primes says of a point, or of the rotation of a body.
struct PointComponent {
    PointOf point;
    bool is_of_rotation = false;
    std::size_t row = 0, column = 0;  ///< of a point only the row
};

/// Looks such names up in a finished model.
class PointNames {
public:
    explicit PointNames(const Model& model);
    std::optional<PointComponent> operator()(std::string_view name) const;

private:
    std::optional<PointOf> point(std::string_view name) const;
    std::optional<PointOf> point_of(BodyIndex body, std::string_view name) const;
    const Model& model_;
    std::unordered_map<std::string, BodyIndex> bodies_;    ///< without sections of beams
    std::unordered_map<std::string, BodyIndex> sections_;  ///< sections of beams, by their names
};

/// The names of the positions of all points, BODY.x and BODY.POINT.x, for suggestions.
std::vector<std::string> component_names(const Model& model);

}  // namespace linkwright::model
