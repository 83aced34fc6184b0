#include "linkwright/solve/independent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "linkwright/solve/scale.hpp"
#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Independent, TheDependentBlockIsWellConditioned) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(8), r = 1 + random.below(n);
        const MatrixXd G = random(r + 2, r) * random(r, n);
        const Partition p = choose_independent(G);
        ASSERT_TRUE(p.ok);
        EXPECT_EQ(p.rank, r);
        EXPECT_EQ(static_cast<Index>(p.dependent.size()), r);
        EXPECT_EQ(static_cast<Index>(p.independent.size()), n - r);
        EXPECT_EQ(make_svd(take_columns(G, p.dependent)).rank(), r) << "seed " << seed;
    }
}

TEST(Independent, WishesAreGrantedWhenSound) {
    MatrixXd G(1, 3);
    G << 1, 0.5, 1e-6;
    EXPECT_THAT(choose_independent(G).dependent, ElementsAre(0));
    const std::vector<Index> sound{0}, mixed{0, 1};
    EXPECT_THAT(choose_independent(G, sound).independent, ElementsAre(0, 2));
    // Column 2 alone could not carry the constraint: the last wish gives way.
    const Partition p = choose_independent(G, mixed);
    EXPECT_THAT(p.dependent, ElementsAre(1));
    EXPECT_THAT(p.refused, ElementsAre(1));
    EXPECT_NEAR(p.condition, 1, 1e-12);
}

TEST(Independent, AllWishedIsNoWish) {
    RandomMatrix random(4);
    const MatrixXd G = random(2, 4);
    const std::vector<Index> all{3, 1, 0, 2};
    const Partition p = choose_independent(G, all);
    EXPECT_EQ(p.rank, 2);
    EXPECT_EQ(p.refused, p.dependent);
    EXPECT_THAT(choose_independent(MatrixXd(0, 3)).independent, ElementsAre(0, 1, 2));
    EXPECT_THAT(choose_independent(MatrixXd::Zero(2, 2)).dependent, IsEmpty());
    EXPECT_FALSE(choose_independent(MatrixXd::Constant(2, 2, std::nan(""))).ok);
}

}  // namespace
}  // namespace linkwright::solve
