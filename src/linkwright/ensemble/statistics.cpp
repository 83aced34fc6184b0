#include "linkwright/ensemble/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/ensemble/distribution.hpp"
#include "linkwright/ensemble/random.hpp"

namespace linkwright::ensemble {

namespace {

double part_of(const std::vector<double>& sorted, double part) {
    const double at = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    if (below + 1 >= sorted.size()) return sorted.back();
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

/// Square root of the number of values, at least 5 and at most 50.
std::size_t bins_for(std::size_t count) {
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(count))), 5, 50);
}

void make_histogram(const std::vector<double>& sorted, std::size_t bins, Statistics& s) {
    if (bins == 0) bins = bins_for(sorted.size());
    if (sorted.front() == sorted.back()) {
        s.edges = {sorted.front(), sorted.back()};
        s.counts = {sorted.size()};
        return;
    }
    s.counts.assign(bins, 0);
    const double low = sorted.front(), width = sorted.back() - sorted.front();
    for (std::size_t i = 0; i <= bins; ++i)
        s.edges.push_back(i == bins ? sorted.back() : low + width * (static_cast<double>(i) / static_cast<double>(bins)));
    for (const double x : sorted) {
        const auto at = std::ranges::upper_bound(s.edges, x) - s.edges.begin();
        ++s.counts[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at - 1, 0, static_cast<std::ptrdiff_t>(bins) - 1))];
    }
}

}  // namespace

Statistics calc_statistics(std::span<const double> values, std::span<const double> parts, double confidence, std::size_t bins) {
    Statistics s;
    std::vector<double> there;
    for (const double x : values) {
        if (std::isfinite(x)) there.push_back(x);
    }
    s.count = there.size(), s.missing = values.size() - there.size();
    if (there.empty()) return s;
    const auto n = static_cast<double>(s.count);
    for (const double x : there) s.mean += (x - there.front()) / n;  // from the first: what all have in common costs no digits
    s.mean += there.front();
    double squares = 0;
    for (const double x : there) squares += (x - s.mean) * (x - s.mean);
    s.deviation = s.count > 1 ? std::sqrt(squares / (n - 1)) : 0;
    const double half = s.count > 1 ? normal_quantile(0.5 + confidence / 2) * s.deviation / std::sqrt(n) : 0;
    s.mean_within = {s.mean - half, s.mean + half};
    std::ranges::sort(there);
    s.least = there.front(), s.greatest = there.back();
    for (const double part : parts) s.quantiles.push_back(part_of(there, part));
    make_histogram(there, bins, s);
    return s;
}

namespace {

/// Rows of A, B, AB₁ … of base samples that are whole.
struct Rows {
    std::vector<const double*> rows;
    std::size_t quantities;
    double centre = 0;
};

double variance_of(const Rows& r, const std::vector<std::size_t>& chosen) {
    double mean = 0, squares = 0;
    for (const std::size_t i : chosen) mean += r.rows[i][0] + r.rows[i][1] - 2 * r.centre;
    const double n = 2 * static_cast<double>(chosen.size());
    mean /= n;
    for (const std::size_t i : chosen) {
        for (const std::size_t k : {0, 1}) {
            const double x = r.rows[i][k] - r.centre - mean;
            squares += x * x;
        }
    }
    return squares / (n - 1);
}

Index estimate(const Rows& r, const std::vector<std::size_t>& chosen, std::size_t j, double variance) {
    double first = 0, total = 0;
    for (const std::size_t i : chosen) {
        const double a = r.rows[i][0] - r.centre, b = r.rows[i][1] - r.centre, ab = r.rows[i][2 + j] - r.centre;
        first += b * (ab - a);
        total += (a - ab) * (a - ab);
    }
    const auto n = static_cast<double>(chosen.size());
    return {first / n / variance, total / (2 * n) / variance, {}, {}};
}

Interval middle_of(std::vector<double>& draws, double confidence) {
    std::ranges::sort(draws);
    return {part_of(draws, 0.5 - confidence / 2), part_of(draws, 0.5 + confidence / 2)};
}

}  // namespace

Indices calc_indices(std::span<const double> values, std::size_t quantities, double confidence, std::uint64_t seed, std::size_t draws) {
    const std::size_t width = quantities + 2, samples = values.size() / width;
    Rows r{{}, quantities};
    for (std::size_t i = 0; i < samples; ++i) {
        const double* const row = values.data() + i * width;
        if (std::all_of(row, row + width, [](double x) { return std::isfinite(x); })) r.rows.push_back(row);
    }
    Indices result{.of = std::vector<Index>(quantities), .samples = r.rows.size(), .left_out = samples - r.rows.size()};
    if (r.rows.size() < 2) return result;
    for (const double* row : r.rows) r.centre += (row[0] + row[1]) / (2 * static_cast<double>(r.rows.size()));
    std::vector<std::size_t> chosen(r.rows.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
    result.variance = variance_of(r, chosen);
    if (!(result.variance > 0)) return result;
    for (std::size_t j = 0; j < quantities; ++j) result.of[j] = estimate(r, chosen, j, result.variance);

    std::vector<std::vector<double>> first(quantities), total(quantities);
    for (std::size_t k = 0; k < draws; ++k) {
        for (std::size_t i = 0; i < chosen.size(); ++i)
            chosen[i] = below(r.rows.size(), bits(seed, Stream::resampling, i, static_cast<std::uint32_t>(k)));
        const double variance = variance_of(r, chosen);
        if (!(variance > 0)) continue;
        for (std::size_t j = 0; j < quantities; ++j) {
            const Index index = estimate(r, chosen, j, variance);
            first[j].push_back(index.first), total[j].push_back(index.total);
        }
    }
    for (std::size_t j = 0; j < quantities && !first[j].empty(); ++j) {
        result.of[j].first_within = middle_of(first[j], confidence);
        result.of[j].total_within = middle_of(total[j], confidence);
    }
    return result;
}

}  // namespace linkwright::ensemble
