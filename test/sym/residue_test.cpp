#include "linkwright/sym/residue.hpp"

#include <gtest/gtest.h>

namespace linkwright::sym {
namespace {

constexpr Angle part_of_turn(std::uint64_t n) { return {Field1::circle_order / n, Field2::circle_order / n}; }
const Residue one = residue_of(1);

TEST(Field, InversesAndPowers) {
    for (std::uint64_t a = 1; a < 2000; a += 37) {
        EXPECT_EQ(Field1::mul(a, Field1::inv(a)), 1U);
        EXPECT_EQ(Field2::pow(a, Field2::p - 1), 1U);
        EXPECT_EQ(Field1::mul(Field1::p - a, Field1::p - a), Field1::mul(a, a));
    }
    EXPECT_EQ(Field1::add(Field1::p - 1, 1), 0U);
    EXPECT_EQ(Field1::p % 120, 119U);
    EXPECT_EQ(Field2::p % 120, 119U);
}

TEST(Circle, QuarterTurnAndPrincipalRoots) {
    const CosSin quarter = point_of(part_of_turn(4));
    EXPECT_EQ(quarter.cos, Residue{});
    EXPECT_EQ(quarter.sin, one);
    const auto principal = [](std::int64_t n) {
        return Residue{Field1::principal_root(residue_of(n).r1), Field2::principal_root(residue_of(n).r2)};
    };
    EXPECT_EQ(residue_of(2) * point_of(part_of_turn(8)).cos, principal(2));         // 2 cos π/4 = √2
    EXPECT_EQ(residue_of(2) * point_of(part_of_turn(12)).cos, principal(3));        // 2 cos π/6 = √3
    EXPECT_EQ(residue_of(4) * point_of(part_of_turn(10)).cos - one, principal(5));  // 4 cos π/5 = 1 + √5
    EXPECT_EQ(principal(2) * principal(3), principal(6));
}

/// g has the full order of its group: g^(order/prime) ≠ 1 for every prime of p + 1.
TEST(Circle, GeneratorsGenerate) {
    for (const std::uint64_t prime : {2, 3, 5, 7, 9173, 27239, 122069}) {
        ASSERT_EQ(Field1::circle_order % prime, 0U);
        EXPECT_NE(point_of({Field1::circle_order / prime, 0}).cos.r1, 1U);
    }
    for (const std::uint64_t prime : {2, 3, 5, 46974029, 409063451}) {
        ASSERT_EQ(Field2::circle_order % prime, 0U);
        EXPECT_NE(point_of({0, Field2::circle_order / prime}).cos.r2, 1U);
    }
}

TEST(Circle, PointsAddAsAnglesDo) {
    const Angle a = hashed_angle(1, {2, 3}), b = hashed_angle(4, {5, 6});
    const CosSin A = point_of(a), B = point_of(b), sum = point_of(a + b), triple = point_of(times(a, 3));
    EXPECT_EQ(A.cos * A.cos + A.sin * A.sin, one);
    EXPECT_EQ(sum.sin, A.sin * B.cos + A.cos * B.sin);
    EXPECT_EQ(triple.sin, residue_of(3) * A.sin - residue_of(4) * A.sin * A.sin * A.sin);
    EXPECT_EQ(point_of(times(a, -1)).sin, -A.sin);
}

TEST(Hash, ArgumentsHaveTheirPlaces) {
    EXPECT_NE(keyed_hash(1, 2), keyed_hash(2, 1));
    EXPECT_NE(keyed_hash(0, 1, 2, 3), keyed_hash(0, 2, 1, 3));
    EXPECT_NE(keyed_hash(0, 1, 2, 3), keyed_hash(0, 1, 3, 2));
}

/// The two fields must be two witnesses: what one draws says nothing about the other.
TEST(Hash, FieldsDrawIndependently) {
    constexpr int draws = 4096;
    int agreeing_bits = 0;
    for (std::uint64_t i = 0; i < draws; ++i) {
        const Residue r = hashed_residue(7, {i, i});
        agreeing_bits += __builtin_popcountll(~(r.r1 ^ r.r2) & Field1::mask);
    }
    EXPECT_NEAR(agreeing_bits / (61.0 * draws), 0.5, 0.01);
}

}  // namespace
}  // namespace linkwright::sym
