#pragma once
// Points and lanes: a batch comes point by point, lane code wants value by value.

#include <cstddef>

namespace linkwright::jit {

/// rows[lanes·i + p] = points[p·n + i] for p below `size` (1 to `lanes`, which is 4 or 8); further lanes repeat the last point.
void to_rows(std::size_t n, std::size_t lanes, std::size_t size, const double* points, double* rows);

/// points[p·n + i] = rows[lanes·i + p] for p below `size`.
void from_rows(std::size_t n, std::size_t lanes, std::size_t size, const double* rows, double* points);

}  // namespace linkwright::jit
