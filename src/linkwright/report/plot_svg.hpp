#pragma once
// A drawing as SVG: no scripts, no references, text as text.

#include <string>

#include "linkwright/report/plot_drawing.hpp"

namespace linkwright::report {

std::string to_svg(const Drawing& drawing);

}  // namespace linkwright::report
