#pragma once
// What many numbers say together.

#include <cstdint>
#include <span>
#include <vector>

namespace linkwright::ensemble {

struct Interval {
    double low = 0, high = 0;
};

/// Of the finite ones among the values, in their order: the same sums whoever computed the values.
struct Statistics {
    std::size_t count = 0, missing = 0;
    double mean = 0, deviation = 0;  ///< n − 1 below
    Interval mean_within{};          ///< by the central limit, with the confidence asked for
    double least = 0, greatest = 0;
    std::vector<double> quantiles;  ///< of the parts asked for; between values linearly
    std::vector<double> edges;      ///< of the histogram, one more than counts
    std::vector<std::size_t> counts;
};
Statistics calc_statistics(std::span<const double> values, std::span<const double> parts, double confidence, std::size_t bins);

/// Part of the variance that a quantity makes alone, and together with the others.
struct Index {
    double first = 0, total = 0;
    Interval first_within{}, total_within{};
};
struct Indices {
    std::vector<Index> of;  ///< one for each quantity
    std::size_t samples = 0, left_out = 0;
    double variance = 0;
};
/// By the estimators of [saltelli10] (first order) and [jansen99] (total). `values` are those of the runs of a Design with indices; a base sample of
/// which any is not finite is left out. Intervals by drawing base samples anew, `draws` times [efron79].
Indices calc_indices(std::span<const double> values, std::size_t quantities, double confidence, std::uint64_t seed,
                     std::size_t draws = 200);

}  // namespace linkwright::ensemble
