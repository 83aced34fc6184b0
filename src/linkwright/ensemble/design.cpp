#include "linkwright/ensemble/design.hpp"

#include <algorithm>
#include <numeric>

#include "linkwright/ensemble/random.hpp"
#include "linkwright/ensemble/sobol_sequence.hpp"

namespace linkwright::ensemble {

Design::Design(DesignWords words) : words_(std::move(words)) {
    for (const auto& values : words_.grid) points_ *= values.size();
    if (words_.sampling != Sampling::latin) return;
    slices_.resize(words_.spread.size() * (words_.indices ? 2 : 1));
    for (std::size_t j = 0; j < slices_.size(); ++j) {
        slices_[j].resize(words_.draws);
        std::iota(slices_[j].begin(), slices_[j].end(), 0U);
        for (std::size_t i = words_.draws; i > 1; --i)
            std::swap(slices_[j][i - 1], slices_[j][below(i, bits(words_.seed, Stream::order, i, static_cast<std::uint32_t>(j)))]);
    }
}

double Design::place(std::size_t draw, std::size_t dimension) const {
    const auto series = static_cast<std::uint32_t>(dimension);
    switch (words_.sampling) {
        case Sampling::random: return unit(bits(words_.seed, Stream::values, draw, series));
        case Sampling::latin:
            return (slices_[dimension][draw] + unit(bits(words_.seed, Stream::place, draw, series))) / static_cast<double>(words_.draws);
        case Sampling::sobol: return unit(sobol_bits(draw, dimension) ^ bits(words_.seed, Stream::shift, 0, series));
    }
    return 0.5;
}

void Design::values(std::size_t run, std::span<double> out) const {
    if (words_.given > 0) {
        std::copy_n(words_.table.begin() + static_cast<std::ptrdiff_t>(run * words_.given), words_.given, out.begin());
        return;
    }
    const std::size_t d = words_.spread.size(), point = run / per_point();
    std::size_t draw = run % per_point(), variant = 0;  // 0: A, 1: B, 2 + j: A with quantity j from B
    if (words_.indices) variant = draw % (d + 2), draw /= d + 2;
    for (std::size_t j = 0; j < d; ++j) {
        const std::size_t from_b = variant == 1 || variant == j + 2 ? d : 0;
        out[j] = quantile(words_.spread[j], place(draw, from_b + j));
    }
    const std::vector<double> grid = grid_values(point);
    for (std::size_t j = 0; j < grid.size(); ++j) out[d + j] = grid[j];
}

std::vector<double> Design::grid_values(std::size_t point) const {
    std::vector<double> values(words_.grid.size());
    for (std::size_t j = words_.grid.size(); j-- > 0;) {  // the last one runs fastest
        values[j] = words_.grid[j][point % words_.grid[j].size()];
        point /= words_.grid[j].size();
    }
    return values;
}

}  // namespace linkwright::ensemble
