#pragma once
// A plot: columns of a table over one of them, for a quick look without a browser.
//
// Curves that have one unit share a panel, and panels stand above each other over one abscissa. A plot knows no medium: plot_drawing lays it
// out on paper (SVG and PNG print that drawing), plot_terminal in letters. Long tables are thinned for either, and extremes stay.

#include <string>
#include <vector>

#include "linkwright/session/table.hpp"

namespace linkwright::report {

/// What is drawn over the abscissa; a value that is not finite is a gap.
struct Curve {
    std::string name, unit;
    std::vector<double> y;
};

struct Plot {
    std::string x_name, x_unit;
    std::vector<double> x;
    std::vector<Curve> curves;
};

struct PlotOptions {
    std::vector<std::string> columns{};  ///< empty: the first six, with a note
    std::string against{};               ///< empty: t, or the first column
};

/// Columns of a table by name. Names that are not there, a table without rows and columns without a finite number are errors, all told at once.
session::Result<Plot> make_plot(const session::Table& table, const PlotOptions& options);

/// Curves of each unit, in the order in which units appear.
std::vector<std::vector<std::size_t>> panels_of(const Plot& plot);

/// "hip [rad]"
std::string label(const std::string& name, const std::string& unit);

}  // namespace linkwright::report
