#pragma once
// Programs in which much is alike: the same lines for several columns.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "jit/random_program.hpp"

namespace linkwright::jit {

inline std::vector<double> numbers(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> x(n);
    for (double& v : x) v = std::ldexp(static_cast<double>(random() >> 11), -51) - 2;
    return x;
}

/// The same random lines for each column, with common values and some of each column's own; here and there a column differs, and sums over columns
/// are common to what follows.
inline Program random_columns(std::size_t columns, std::size_t lines, bool is_disturbed, bool is_interleaved, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    constexpr std::size_t common_inputs = 6, own_inputs = 3;
    Program p;
    p.inputs = common_inputs + own_inputs * columns;
    p.constants = {0.5, -1.25, 3, 0.125, 2};
    std::vector<Index> common;
    for (std::size_t i = 0; i < common_inputs; ++i) common.push_back(static_cast<Index>(i));
    for (std::size_t i = 0; i < p.constants.size(); ++i) common.push_back(static_cast<Index>(p.inputs + i));
    const std::size_t turns = below(3);
    for (std::size_t i = 0; i < turns; ++i) {
        p.lines.push_back({i == 0 ? Op::sin : Op::cos, {static_cast<Index>(i), 0, 0}});
        common.push_back(static_cast<Index>(p.values() - 1));
    }
    std::vector<std::vector<Index>> own(columns);
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < own_inputs; ++i) own[j].push_back(static_cast<Index>(common_inputs + own_inputs * j + i));
    }
    constexpr std::array ops{Op::add, Op::sub, Op::mul, Op::mul,  Op::add, Op::mul,   Op::neg,
                             Op::div, Op::min, Op::max, Op::sqrt, Op::abs, Op::select};
    for (std::size_t done = 0; done < lines;) {
        struct Draft {
            Op op;
            std::array<std::size_t, 3> at;
            std::array<bool, 3> is_common;
        };
        std::vector<Draft> drafts;
        const std::size_t size = 1 + below(12);
        for (std::size_t k = 0; k < size; ++k) {
            Draft d{ops[below(below(3) == 0 ? ops.size() : 6)], {}, {}};
            for (std::size_t i = 0; i < 3; ++i) {
                d.is_common[i] = below(3) == 0;
                d.at[i] =
                    d.is_common[i] ? below(common.size()) : own[0].size() + k - 1 - below(std::min<std::size_t>(own[0].size() + k, 12));
            }
            drafts.push_back(d);
        }
        const auto put = [&](std::size_t j, std::size_t k) {
            const Draft& d = drafts[k];
            program::Line line{d.op, {0, 0, 0}};
            if (is_disturbed && below(25) == 0) line.op = ops[below(ops.size())];
            for (std::size_t i = 0; i < arity(line.op); ++i) line.args[i] = d.is_common[i] ? common[d.at[i]] : own[j][d.at[i]];
            if (is_disturbed && below(25) == 0) line.args[0] = own[j][below(own[j].size())];
            if (arity(line.op) == 2 && below(4) == 0 && (line.op == Op::add || line.op == Op::mul)) std::swap(line.args[0], line.args[1]);
            if (is_disturbed && line.op == Op::sub && below(6) == 0) std::swap(line.args[0], line.args[1]);
            p.lines.push_back(line);
            own[j].push_back(static_cast<Index>(p.values() - 1));
        };
        if (is_interleaved) {
            for (std::size_t k = 0; k < size; ++k) {
                for (std::size_t j = 0; j < columns; ++j) put(j, k);
            }
        } else {
            for (std::size_t j = 0; j < columns; ++j) {
                for (std::size_t k = 0; k < size; ++k) put(j, k);
            }
        }
        done += size * columns;
        p.lines.push_back({Op::max, {own[below(columns)].back(), own[below(columns)].back(), 0}});
        common.push_back(static_cast<Index>(p.values() - 1));
        if (below(3) == 0) common.push_back(own[below(columns)].back());
    }
    for (std::size_t k = 0; k < 6; ++k) {
        for (std::size_t j = 0; j < columns; ++j) p.outputs.push_back(own[j][own[j].size() - 1 - below(k + 1)]);
    }
    for (std::size_t k = 0; k < 5; ++k) p.outputs.push_back(common[below(common.size())]);
    return p;
}

}  // namespace linkwright::jit
