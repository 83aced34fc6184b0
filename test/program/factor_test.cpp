#include "linkwright/program/factor.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <set>

#include "linkwright/program/count.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "support/random_expr.hpp"

namespace linkwright::program {
namespace {

using sym::Expr;

class Factor : public testing::Test {
protected:
    sym::Pool pool{sym::Pool::Options{}};
    sym::PoolScope scope{pool};
    Expr x = sym::symbol("x"), y = sym::symbol("y"), z = sym::symbol("z"), w = sym::symbol("w");
    std::vector<Expr> inputs{x, y, z, w};

    std::string listing(const std::vector<Expr>& out) const { return write(lower(out, inputs)); }
    Operations counted(const std::vector<Expr>& out) const { return count(lower(out, inputs)); }
};

TEST_F(Factor, TakesACommonFactorOut) {
    EXPECT_EQ(counted({x * y + x * z}), (Operations{.add = 1, .mul = 1}));
    EXPECT_EQ(counted({x * y - x * z + w}), (Operations{.add = 2, .mul = 1}));
    EXPECT_EQ(counted({x * y + w * y + z * y}), (Operations{.add = 2, .mul = 1}));
    // not when the products are wanted anyway
    EXPECT_EQ(counted({x * y + x * z, sin(x * y), sin(x * z)}), (Operations{.add = 1, .mul = 2, .sincos = 2}));
}

TEST_F(Factor, ANumberGoesWithTheFactorThatSharesIt) {
    EXPECT_EQ(counted({sin(2 * x * y), sin(2 * x * z)}), (Operations{.mul = 3, .sincos = 2}));
}

TEST_F(Factor, SumsShareWhatTheyHaveInCommon) {
    EXPECT_EQ(counted({x + y + z, x + w + y}), (Operations{.add = 3}));
    EXPECT_EQ(counted({x + y, z - x - y}), (Operations{.add = 2}));
    EXPECT_EQ(counted({3 * x + 6 * y, sin(z + x + 2 * y)}).add, 2u);  // the same up to a factor
}

TEST_F(Factor, OneSignIsEnough) { EXPECT_EQ(counted({z + 3 * x, w - 3 * x}), (Operations{.add = 2, .mul = 1})); }

TEST_F(Factor, LeavesAloneWhatGainsNothing) {
    const Expr sum = x + y, difference = z - w, xy = x * y, zw = z * w;  // in this order
    EXPECT_EQ(listing({sum * difference}), "v0 = add x0 x1\nv1 = sub x2 x3\nv2 = mul v0 v1\nout v2\n");
    EXPECT_EQ(listing({xy + zw}), "v0 = mul x0 x1\nv1 = mul x2 x3\nv2 = add v0 v1\nout v2\n");
}

TEST_F(Factor, FixedFactorsAreJoinedOnce) {
    const std::vector<Expr> out{2 * z * w * x + z * y, z * x - w * x}, moving{x, y}, fixed{z, w};
    const Hoisted h = hoisted(out, moving, fixed);
    EXPECT_EQ(count(h.run), (Operations{.add = 1, .mul = 3}));
    const std::vector<double> all{1.5, -2, 0.3, 0.7};
    const std::vector<double> wanted = run<double>(lower(out, inputs), std::span<const double>(all));
    const std::vector<double> made = run<double>(h.setup, std::span<const double>(all).subspan(2));
    std::vector<double> in{all[0], all[1]};
    in.insert(in.end(), made.begin(), made.end());
    const std::vector<double> got = run<double>(h.run, std::span<const double>(in));
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-15);
}

/// Random programs of sums and products: the same numbers, no more lines, none twice, none idle; once more changes nothing much.
TEST(FactorLaws, MeansTheSameAndIsNoLonger) {
    std::mt19937_64 random(5);
    const auto below = [&](std::size_t n) { return static_cast<Index>(random() % n); };
    for (int trial = 0; trial < 400; ++trial) {
        Program p;
        p.inputs = 5;
        p.constants = {2, -2, 0.5, 3};
        const std::size_t length = 3 + below(60);
        for (std::size_t k = 0; k < length; ++k) {
            static constexpr std::array ops{Op::add, Op::sub, Op::mul, Op::mul, Op::add, Op::neg, Op::sin, Op::sub};
            const Op op = ops[below(ops.size())];
            const auto any = [&] {
                return below(4) == 0 ? below(p.values()) : static_cast<Index>(p.values() - 1 - below(std::min<std::size_t>(p.values(), 8)));
            };
            p.lines.push_back({op, {any(), arity(op) > 1 ? any() : 0, 0}});
        }
        for (int k = 0; k < 3; ++k) p.outputs.push_back(static_cast<Index>(p.values() - 1 - below(3)));
        const Program f = factor(p);
        EXPECT_LE(f.lines.size(), p.lines.size());
        std::set<std::pair<Op, std::array<Index, 3>>> seen;
        for (std::size_t k = 0; k < f.lines.size(); ++k) {
            EXPECT_TRUE(seen.emplace(f.lines[k].op, f.lines[k].args).second || f == p);
            for (std::size_t i = 0; i < arity(f.lines[k].op); ++i) EXPECT_LT(f.lines[k].args[i], f.first_line() + k);
        }
        const std::vector<double> in{0.3, -0.8, 1.1, 0.6, -1.2};
        const auto wanted = run<double>(p, std::span<const double>(in)), got = run<double>(f, std::span<const double>(in));
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (std::isfinite(wanted[i]) && std::abs(wanted[i]) < 1e6) {
                EXPECT_NEAR(got[i], wanted[i], 1e-8 * (1 + std::abs(wanted[i]))) << trial << "\n" << write(p) << write(f);
            }
        }
    }
}

/// The most memory that this process has had, in megabytes.
double most_memory() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

/// x₁ + (x₂ + (x₃ + …)): terms that are copied at every line take n² of memory, gigabytes here.
TEST_F(Factor, OfALongSumTakesNoMoreThanTheSum) {
    const std::size_t n = 16'000;
    for (const bool is_right : {false, true}) {
        Program p;
        p.inputs = n;
        Index sum = 0;
        for (std::size_t k = 1; k < n; ++k) {
            const auto term = static_cast<Index>(k);
            p.lines.push_back({Op::add, is_right ? std::array<Index, 3>{term, sum, 0} : std::array<Index, 3>{sum, term, 0}});
            sum = static_cast<Index>(n + k - 1);
        }
        p.outputs = {sum};
        const double before = most_memory();
        const Program short_one = factor(p);
        EXPECT_LT(most_memory() - before, 500);
        EXPECT_EQ(short_one.lines.size(), n - 1);
    }
}

}  // namespace
}  // namespace linkwright::program
