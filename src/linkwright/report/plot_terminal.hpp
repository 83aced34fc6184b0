#pragma once
// A plot in letters: each curve in a panel of its own, drawn with Braille dots, two by four in a letter.

#include <string>

#include "linkwright/report/plot.hpp"

namespace linkwright::report {

/// Lines of at most `width` letters.
std::string to_terminal(const Plot& plot, std::size_t width = 80);

}  // namespace linkwright::report
