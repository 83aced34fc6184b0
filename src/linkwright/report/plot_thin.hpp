#pragma once
// Long curves made short without a visible difference.

#include <vector>

namespace linkwright::report {

/// A point of a drawing, in its units: points of a page, dots of a terminal.
struct DrawnPoint {
    double x = 0, y = 0;
};

/// A curve in pieces: gaps are between them.
using DrawnCurve = std::vector<std::vector<DrawnPoint>>;

/// The same for an eye that sees units of one `grain`. Where x ascends: of each column of that width the first, lowest, highest and last points,
/// so that no extreme is lost; otherwise (a phase plane) points closer than a quarter of a grain to the one before are left out.
DrawnCurve thinned(const DrawnCurve& curve, double grain = 1);

}  // namespace linkwright::report
