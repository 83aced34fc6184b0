// Systems of random numbers, mostly empty, solved by code with pivots chosen once: what comes out must satisfy the equations, near the reference state and far from it.

#include "linkwright/program/elimination.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linkwright/program/interpreter.hpp"

namespace linkwright::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

/// M u̇ + Gᵀλ = f, G u̇ = γ in numbers.
struct System {
    Rows M, G;
    Vector f, gamma;

    std::size_t n() const { return M.size(); }
    std::size_t m() const { return G.size(); }
    DescriptorShape shape() const { return {n(), m()}; }
    Vector numbers() const {
        Vector all;
        for (std::size_t i = 0; i < n(); ++i) all.insert(all.end(), M[i].begin(), M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
        all.insert(all.end(), f.begin(), f.end());
        for (std::size_t r = 0; r < m(); ++r) all.insert(all.end(), G[r].begin(), G[r].end()), all.push_back(gamma[r]);
        return all;
    }
    /// A program that hands its inputs on; what is 0 here is 0 always.
    Program program() const {
        const Vector all = numbers();
        Program p{.inputs = all.size(), .constants = {0.0}, .lines = {}, .outputs = {}};
        for (std::size_t k = 0; k < all.size(); ++k) p.outputs.push_back(static_cast<Index>(all[k] == 0 ? all.size() : k));
        return p;
    }
};

struct Solution {
    Vector udot, lambda;
    double weakest = 0, growth = 0;
    bool is_within() const { return weakest >= 1 && growth <= Elimination::most_growth; }
};

Solution solve(const Elimination& e, const System& s) {
    const Interpreter run(e.program);
    Vector out(e.program.outputs.size());
    run(s.numbers(), out);
    const auto at = [&](std::size_t i) { return out.begin() + static_cast<std::ptrdiff_t>(i); };
    return {Vector(at(0), at(s.n())), Vector(at(s.n()), at(s.n() + s.m())), out[s.n() + s.m()], out[s.n() + s.m() + 1]};
}

/// The largest residual of both equations.
double residual(const System& s, const Solution& x) {
    double most = 0;
    for (std::size_t i = 0; i < s.n(); ++i) {
        double sum = -s.f[i];
        for (std::size_t j = 0; j < s.n(); ++j) sum += s.M[i][j] * x.udot[j];
        for (std::size_t r = 0; r < s.m(); ++r) sum += s.G[r][i] * x.lambda[r];
        most = std::max(most, std::abs(sum));
    }
    for (std::size_t r = 0; r < s.m(); ++r) {
        double sum = -s.gamma[r];
        for (std::size_t j = 0; j < s.n(); ++j) sum += s.G[r][j] * x.udot[j];
        most = std::max(most, std::abs(sum));
    }
    return most;
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double operator()() { return distribution_(engine_); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

private:
    std::mt19937 engine_;
    std::normal_distribution<double> distribution_;
};

/// M = BᵀB of bodies that know a few speeds each; rows of a few speeds each.
System random_system(Random& random, std::size_t n, std::size_t m) {
    System s{Rows(n, Vector(n)), Rows(m, Vector(n)), Vector(n), Vector(m)};
    for (std::size_t body = 0; body < 2 * n; ++body) {
        Vector b(n);
        for (int k = 0; k < 3; ++k) b[(body + random.below(3)) % n] = random();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) s.M[i][j] += b[i] * b[j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) s.M[i][i] += 0.1, s.f[i] = random();
    for (std::size_t r = 0; r < m; ++r) {
        for (int k = 0; k < 4; ++k) s.G[r][(r * n / m + random.below(4)) % n] = random();
        s.gamma[r] = random();
    }
    return s;
}

TEST(Elimination, SolvesSparseSystemsNearTheReferenceStateAndFarFromIt) {
    int within = 0, beyond = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const std::size_t n = 2 + seed % 11, m = random.below(n);
        System s = random_system(random, n, m);
        const Elimination e = eliminate(s.program(), s.shape(), s.numbers());
        if (!e.is_ok()) {
            EXPECT_THAT(e.why, HasSubstr("close to depending"));
            continue;
        }
        EXPECT_EQ(e.pivots.size(), n);
        EXPECT_EQ(e.rank() + e.redundant.size(), m) << "some rows may be empty";
        EXPECT_EQ(e.independent().size(), n - e.rank());
        const Solution here = solve(e, s);
        EXPECT_TRUE(here.is_within()) << here.weakest << " " << here.growth;
        if (e.redundant.empty()) {
            EXPECT_LT(residual(s, here), 1e-9) << seed;
        }
        // other numbers in the same places; M stays definite
        System t = random_system(random, n, m);
        for (std::size_t r = 0; r < m; ++r) {
            for (std::size_t j = 0; j < n; ++j) t.G[r][j] = s.G[r][j] == 0 ? 0 : random();
        }
        t.M = s.M;
        const Solution there = solve(e, t);
        if (!e.redundant.empty()) continue;
        there.is_within() ? ++within : ++beyond;
        if (there.is_within()) {
            EXPECT_LT(residual(t, there), 1e-7) << seed;
        }
    }
    EXPECT_GT(within, 20);
    EXPECT_GT(beyond, 20);  // the domain is not everything
}

/// Two right-hand sides besides: f and γ with other numbers, and one that is u̇ and λ themselves.
TEST(Elimination, SolvesFurtherRightHandSidesThatMayDependOnTheSolution) {
    int solved = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const std::size_t n = 2 + seed % 9, m = random.below(n);
        const System s = random_system(random, n, m);
        Program p = s.program();
        const std::size_t given = p.inputs;
        p.inputs += n + m;
        for (Index& k : p.outputs) k = k == given ? static_cast<Index>(p.inputs) : k;
        auto right = std::make_shared<RightHandSides>();
        right->columns = 3;  // the last one is nothing at all
        right->first_input = given;
        p.constants.push_back(0.5);
        Vector other(n + m);
        for (std::size_t i = 0; i < n + m; ++i) {
            const auto unknown = static_cast<Index>(given + i);
            p.lines.push_back({Op::mul, {unknown, static_cast<Index>(p.inputs + 1), 0}});
            p.lines.push_back({Op::add, {unknown, static_cast<Index>(p.values() - 1), 0}});
            p.outputs.push_back(static_cast<Index>(p.values() - 1));
            right->places.push_back({i, 1});
        }
        for (std::size_t i = 0; i < n; ++i) {
            other[i] = s.f[n - 1 - i];
            p.outputs.push_back(static_cast<Index>(n * (n + 1) / 2 + n - 1 - i));
            right->places.push_back({i, 0});
        }
        EliminationOptions options;
        options.right = right;
        const Elimination e = eliminate(p, s.shape(), s.numbers(), options);
        if (!e.is_ok() || !e.redundant.empty()) continue;
        ASSERT_EQ(e.program.inputs, given);
        ASSERT_EQ(e.program.outputs.size(), n + m + 2 + n + 3 * (n + m));
        const Solution x = solve(e, s);
        EXPECT_LT(residual(s, x), 1e-9) << seed;
        Vector out(e.program.outputs.size());
        Interpreter(e.program)(s.numbers(), out);
        const auto column = [&](std::size_t c) {
            Solution y{Vector(n), Vector(m)};
            for (std::size_t i = 0; i < n + m; ++i) (i < n ? y.udot[i] : y.lambda[i - n]) = out[n + m + 2 + n + 3 * i + c];
            return y;
        };
        System t = s;
        for (std::size_t i = 0; i < n; ++i) t.f[i] = other[i];
        t.gamma.assign(m, 0);
        EXPECT_LT(residual(t, column(0)), 1e-8) << seed;
        for (std::size_t i = 0; i < n; ++i) t.f[i] = x.udot[i] + x.udot[i] * 0.5;
        for (std::size_t r = 0; r < m; ++r) t.gamma[r] = x.lambda[r] + x.lambda[r] * 0.5;
        EXPECT_LT(residual(t, column(1)), 1e-7) << seed;
        for (const double z : column(2).udot) EXPECT_EQ(z, 0);
        ++solved;
    }
    EXPECT_GT(solved, 50);
}

TEST(Elimination, TellsWhereAPivotVanishes) {
    System s{{{1, 0}, {0, 1}}, {{1, 0.5}}, {1, 2}, {3}};
    const Elimination e = eliminate(s.program(), s.shape(), s.numbers());
    ASSERT_TRUE(e.is_ok());
    EXPECT_EQ(e.rank(), 1U);
    EXPECT_EQ(e.pivots.front().speed, 0U);
    EXPECT_THAT(e.independent(), ElementsAre(1U));
    EXPECT_TRUE(solve(e, s).is_within());
    s.G[0] = {0.1, 1};  // the other would be better, but this still serves
    EXPECT_TRUE(solve(e, s).is_within());
    EXPECT_LT(residual(s, solve(e, s)), 1e-13);
    s.G[0] = {0.04, 1};
    EXPECT_GT(solve(e, s).growth, Elimination::most_growth);
    s.G[0] = {1e-3, 1e-3};  // not in bad company, but nearly nothing
    EXPECT_LT(solve(e, s).weakest, 1);
    s.G[0] = {0, 1};
    EXPECT_FALSE(solve(e, s).is_within());
    s.G[0] = {1, 0.5};
    s.M[1][1] = -0.2499;  // JᵀMJ = M₂₂ + M₁₁/4 loses its inertia
    EXPECT_LT(solve(e, s).weakest, 1);
}

TEST(Elimination, MassesMayBeMissingWhereConstraintsHold) {
    // the first speed has no inertia of its own, and is tied to the second
    System s{{{0, 0}, {0, 2}}, {{1, -1}}, {3, 5}, {0}};
    const Elimination e = eliminate(s.program(), s.shape(), s.numbers());
    ASSERT_TRUE(e.is_ok()) << e.why;
    EXPECT_LT(residual(s, solve(e, s)), 1e-13);
    const System loose{{{0, 0}, {0, 2}}, {{0, 1}}, {3, 5}, {0}};
    EXPECT_THAT(eliminate(loose.program(), loose.shape(), loose.numbers()).why, HasSubstr("has no inertia"));
}

TEST(Elimination, RedundantRowsShareTheLoadByTheShortestMultipliers) {
    // rows 0 and 2 say the same, row 3 is the sum of 0 and 1, row 4 is empty
    System s{{{2, 0, 0}, {0, 3, 1}, {0, 1, 4}}, {{1, 2, 0}, {0, 1, 1}, {1, 2, 0}, {1, 3, 1}, {0, 0, 0}}, {1, 2, 3}, {1, 2, 1, 3, 0}};
    const Elimination e = eliminate(s.program(), s.shape(), s.numbers());
    ASSERT_TRUE(e.is_ok()) << e.why;
    EXPECT_EQ(e.rank(), 2U);
    EXPECT_EQ(e.redundant.size(), 2U);
    const Solution x = solve(e, s);
    EXPECT_TRUE(x.is_within());
    EXPECT_LT(residual(s, x), 1e-12);
    // the shortest has no part along what Gᵀ does not see
    EXPECT_NEAR(x.lambda[0], x.lambda[2], 1e-12);
    EXPECT_NEAR(x.lambda[0] + x.lambda[1], x.lambda[3], 1e-12);
    EXPECT_EQ(x.lambda[4], 0);
    // when they no longer agree, that is outside the domain
    s.G[2] = {1, 2.2, 0};
    EXPECT_FALSE(solve(e, s).is_within());
    // and what nobody can tell is refused
    s.G[2] = {1, 2.00001, 0};
    EXPECT_THAT(eliminate(s.program(), s.shape(), s.numbers()).why, HasSubstr("close to depending on each other"));
}

/// N speeds on a ladder: each row ties two rungs, M couples neighbours.
System ladder(std::size_t n) {
    System s{Rows(n, Vector(n)), Rows(n / 2, Vector(n)), Vector(n, 1), Vector(n / 2, 1)};
    for (std::size_t i = 0; i < n; ++i) {
        s.M[i][i] = 4;
        if (i > 0) s.M[i][i - 1] = s.M[i - 1][i] = 1;
    }
    for (std::size_t r = 0; r < n / 2; ++r) s.G[r][2 * r] = 1, s.G[r][(2 * r + 3) % n] = -1;
    return s;
}

TEST(Elimination, GrowsWithTheLoopsAndNoFaster) {
    const auto lines = [](std::size_t n) {
        const System s = ladder(n);
        const Elimination e = eliminate(s.program(), s.shape(), s.numbers());
        EXPECT_TRUE(e.is_ok()) << e.why;
        EXPECT_LT(residual(s, solve(e, s)), 1e-11);
        return static_cast<double>(e.program.lines.size());
    };
    EXPECT_LT(lines(160) / lines(80), 2.2);
}

TEST(Elimination, ALongProgramIsRefused) {
    const System s = ladder(80);
    EXPECT_THAT(eliminate(s.program(), s.shape(), s.numbers(), {.most_lines = 100}).why, HasSubstr("longer than it is worth"));
}

TEST(Elimination, TheWayBackTakesWhatIsMissingAsInputs) {
    Random random(7);
    System s = random_system(random, 6, 3);
    const std::size_t inputs = s.numbers().size();
    const Elimination e = eliminate(s.program(), s.shape(), s.numbers(), {.gamma_inputs = inputs - 1});
    ASSERT_TRUE(e.is_ok()) << e.why;
    ASSERT_EQ(e.program.inputs, inputs + 3);
    Vector in = s.numbers();
    s.gamma = {0.3, -0.2, 0.7};
    s.f.assign(6, 0);
    in.insert(in.end() - 1, s.gamma.begin(), s.gamma.end());
    Vector out(e.program.outputs.size());
    Interpreter(e.program)(in, out);
    const Solution expected = solve(eliminate(s.program(), s.shape(), s.numbers()), s);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], expected.udot[i], 1e-12);
    for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(out[6 + r], 0);
}

}  // namespace
}  // namespace linkwright::program
