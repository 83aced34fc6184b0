#pragma once
// A plot laid out on paper: lines and words at places. plot_svg and plot_png print it.

#include <cstdint>
#include <string>
#include <vector>

#include "linkwright/report/plot.hpp"
#include "linkwright/report/plot_thin.hpp"

namespace linkwright::report {

struct DrawnLine {
    DrawnCurve pieces;
    std::uint32_t color = 0;       ///< 0xRRGGBB
    double width = 1;              ///< points
    std::vector<double> dashes{};  ///< lengths of lines and gaps; empty: solid
};

enum class Anchor : std::uint8_t { start, middle, end };

struct DrawnText {
    DrawnPoint at;  ///< on the base line
    std::string text;
    double size = 12;
    Anchor anchor = Anchor::start;
    bool is_upright = false;  ///< turned a quarter, read from the right
    std::uint32_t color = 0x222222;
};

/// x to the right, y downwards, in points.
struct Drawing {
    double width = 720, height = 0;
    std::string title;  ///< for readers who do not see: "hip [rad], knee [rad] over t [s]"
    std::vector<DrawnLine> lines;
    std::vector<DrawnText> texts;
};

Drawing lay_out(const Plot& plot);

}  // namespace linkwright::report
