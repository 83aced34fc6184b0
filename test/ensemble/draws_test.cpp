#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "linkwright/ensemble/design.hpp"
#include "linkwright/ensemble/random.hpp"
#include "linkwright/ensemble/sobol_sequence.hpp"
#include "linkwright/ensemble/statistics.hpp"

namespace linkwright::ensemble {
namespace {

// The answers that come with [salmon11].
TEST(Philox, GivesThePublishedAnswers) {
    using Four = std::array<std::uint32_t, 4>;
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t all = 0xffffffff;
    EXPECT_EQ(philox({all, all, all, all}, {all, all}), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Draws, StayInsideTheUnitInterval) {
    EXPECT_GT(unit(0), 0);
    EXPECT_LT(unit(~std::uint64_t{0}), 1);
    EXPECT_EQ(below(7, ~std::uint64_t{0}), 6U);
    EXPECT_NE(bits(1, Stream::values, 5, 0), bits(2, Stream::values, 5, 0));
    EXPECT_NE(bits(1, Stream::values, 5, 0), bits(1, Stream::shift, 5, 0));
}

TEST(SobolSequence, HasOnePointInEverySliceOfAPowerOfTwo) {
    constexpr std::size_t n = 256;
    for (std::size_t j = 0; j < sobol_dimensions; ++j) {
        std::set<std::size_t> slices;
        for (std::size_t i = 0; i < n; ++i) slices.insert(static_cast<std::size_t>(unit(sobol_bits(i, j)) * n));
        EXPECT_EQ(slices.size(), n) << "dimension " << j;
    }
}

TEST(SobolSequence, CoversTheFirstPlaneEvenly) {
    for (const std::size_t across : {1U, 4U, 16U, 64U}) {  // of 64 points one in every box of this many by 64/this many
        std::set<std::pair<std::size_t, std::size_t>> boxes;
        for (std::size_t i = 0; i < 64; ++i)
            boxes.emplace(static_cast<std::size_t>(unit(sobol_bits(i, 0)) * static_cast<double>(across)),
                          static_cast<std::size_t>(unit(sobol_bits(i, 1)) * 64 / static_cast<double>(across)));
        EXPECT_EQ(boxes.size(), 64U);
    }
}

TEST(SobolSequence, IntegratesBetterThanChanceInAllDimensions) {
    double sum = 0;
    constexpr std::size_t n = 4096;
    for (std::size_t i = 0; i < n; ++i) {
        double product = 1;
        for (std::size_t j = 0; j < sobol_dimensions; ++j)
            product *= 1 + 0.1 * (2 * unit(sobol_bits(i, j) ^ bits(1, Stream::shift, 0, static_cast<std::uint32_t>(j))) - 1);
        sum += product / n;
    }
    EXPECT_NEAR(sum, 1, 1e-3);  // by chance: 0.27/64
}

TEST(Distributions, QuantilesAndProbabilitiesAreInverse) {
    const std::vector<Distribution> all{{Family::normal, {1, 0.1}},           {Family::uniform, {10, 20}},
                                        {Family::lognormal, {0.5, 0.3}},      {Family::triangular, {1, 2, 4}},
                                        {Family::exponential, {2}},           {Family::beta, {2, 5}},
                                        {Family::beta, {0.5, 0.7, 10, 20}},   {Family::weibull, {1.5, 2}},
                                        {Family::normal, {1, 0.1}, 0.9, 1.3}, {Family::exponential, {2}, 1.0, std::nullopt}};
    for (const Distribution& d : all) {
        EXPECT_FALSE(find_trouble(d));
        double last = -1e300;
        for (const double p : {1e-6, 0.01, 0.3, 0.5, 0.77, 0.999, 1 - 1e-9}) {
            const double x = quantile(d, p);
            EXPECT_NEAR(probability(d, x), p, 1e-9) << static_cast<int>(d.family);
            EXPECT_GE(x, last);
            last = x;
        }
    }
    const Distribution cut{Family::normal, {0, 1}, -0.5, 0.5};
    EXPECT_GE(quantile(cut, 1e-15), -0.5);
    EXPECT_LE(quantile(cut, 1 - 1e-16), 0.5);
}

TEST(Distributions, QuantilesOfTheNormalOneAreThoseOfTheTables) {
    EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
    EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
    EXPECT_NEAR(normal_quantile(1e-15), -7.941345326170998, 1e-9);
    EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

TEST(Distributions, ChoiceTakesEveryValueAsOften) {
    const Distribution d{Family::choice, {1, 2, 5}};
    EXPECT_EQ(quantile(d, 0.1), 1);
    EXPECT_EQ(quantile(d, 0.5), 2);
    EXPECT_EQ(quantile(d, 0.9), 5);
}

TEST(Designs, OfGridsHaveTheSameDrawsAtEveryPoint) {
    const Design design({.spread = {{Family::normal, {0, 1}}}, .grid = {{1, 2}, {10, 20, 30}}, .draws = 5});
    ASSERT_EQ(design.runs(), 30U);
    std::array<double, 3> first{}, other{};
    for (std::size_t i = 0; i < 5; ++i) {
        design.values(i, first);
        design.values(25 + i, other);
        EXPECT_EQ(first[0], other[0]);
        EXPECT_EQ(std::make_pair(first[1], first[2]), std::make_pair(1.0, 10.0));
        EXPECT_EQ(std::make_pair(other[1], other[2]), std::make_pair(2.0, 30.0));
    }
}

TEST(Designs, WithIndicesChangeOneQuantityAtATime) {
    const Design design({.spread = {{Family::uniform, {0, 1}}, {Family::uniform, {0, 1}}}, .grid = {}, .draws = 3, .indices = true});
    ASSERT_EQ(design.runs(), 12U);
    std::array<double, 2> a{}, b{}, ab{};
    for (std::size_t i = 0; i < 3; ++i) {
        design.values(4 * i, a), design.values(4 * i + 1, b);
        EXPECT_NE(a, b);
        design.values(4 * i + 2, ab);
        EXPECT_EQ(ab, (std::array{b[0], a[1]}));
        design.values(4 * i + 3, ab);
        EXPECT_EQ(ab, (std::array{a[0], b[1]}));
    }
}

TEST(Statistics, OfAFewNumbers) {
    const std::array values{3.0, 1.0, std::nan(""), 2.0, 4.0};
    const Statistics s = calc_statistics(values, std::array{0.0, 0.5, 1.0}, 0.95, 3);
    EXPECT_EQ(s.count, 4U);
    EXPECT_EQ(s.missing, 1U);
    EXPECT_DOUBLE_EQ(s.mean, 2.5);
    EXPECT_NEAR(s.deviation, std::sqrt(5.0 / 3), 1e-15);
    EXPECT_NEAR(s.mean_within.high - s.mean, 1.959963984540054 * s.deviation / 2, 1e-12);
    EXPECT_EQ(s.quantiles, (std::vector{1.0, 2.5, 4.0}));
    EXPECT_EQ(s.counts, (std::vector<std::size_t>{1, 1, 2}));
    EXPECT_EQ(s.edges.front(), 1);
    EXPECT_EQ(s.edges.back(), 4);
}

TEST(Statistics, OfNumbersThatAreTheSame) {
    const std::array values{0.1, 0.1, 0.1};
    const Statistics s = calc_statistics(values, std::array{0.5}, 0.95, 0);
    EXPECT_EQ(s.mean, 0.1);
    EXPECT_EQ(s.deviation, 0);
    EXPECT_EQ(s.counts, (std::vector<std::size_t>{3}));
    EXPECT_EQ(calc_statistics({}, {}, 0.95, 0).count, 0U);
}

}  // namespace
}  // namespace linkwright::ensemble
