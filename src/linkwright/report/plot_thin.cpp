#include "linkwright/report/plot_thin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace linkwright::report {
namespace {

using Points = std::vector<DrawnPoint>;

Points by_columns(const Points& all, double grain) {
    Points kept;
    for (std::size_t first = 0; first < all.size();) {
        const double column = std::floor(all[first].x / grain);
        std::size_t low = first, high = first, end = first;
        for (; end < all.size() && std::floor(all[end].x / grain) == column; ++end) {
            if (all[end].y < all[low].y) low = end;
            if (all[end].y > all[high].y) high = end;
        }
        std::array<std::size_t, 4> some{first, std::min(low, high), std::max(low, high), end - 1};
        for (std::size_t k = 0; k < some.size(); ++k) {
            if (k == 0 || some[k] != some[k - 1]) kept.push_back(all[some[k]]);
        }
        first = end;
    }
    return kept;
}

Points by_distance(const Points& all, double grain) {
    Points kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_end = i == 0 || i + 1 == all.size();
        if (is_end || std::hypot(all[i].x - kept.back().x, all[i].y - kept.back().y) >= grain / 4) kept.push_back(all[i]);
    }
    return kept;
}

}  // namespace

DrawnCurve thinned(const DrawnCurve& curve, double grain) {
    const auto is_before = [](const DrawnPoint& a, const DrawnPoint& b) { return a.x < b.x; };
    DrawnCurve result;
    for (const Points& piece : curve)
        result.push_back(std::is_sorted(piece.begin(), piece.end(), is_before) ? by_columns(piece, grain) : by_distance(piece, grain));
    return result;
}

}  // namespace linkwright::report
