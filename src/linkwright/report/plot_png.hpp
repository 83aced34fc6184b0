#pragma once
// A drawing as PNG, by Cairo.

#include <string>

#include "linkwright/report/plot_drawing.hpp"

namespace linkwright::report {

/// So many pixels for a point. Empty when there is no memory for that.
std::string to_png(const Drawing& drawing, double pixels_per_point = 2);

}  // namespace linkwright::report
