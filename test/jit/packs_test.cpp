// Lines that become packs: which they are, and that no bit of any result changes.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "jit/random_columns.hpp"
#include "jit/random_program.hpp"
#include "linkwright/jit/emit.hpp"
#include "linkwright/jit/packs.hpp"

namespace linkwright::jit {
namespace {

std::size_t packed_steps(const Plan& plan, const Program& program) {
    std::size_t n = 0;
    for (const Step& s : plan.steps) n += s.value != none && s.value >= program.values() && s.kind != Kind::gather ? 1 : 0;
    return n;
}
std::size_t gathers(const Plan& plan) { return static_cast<std::size_t>(std::ranges::count(plan.steps, Kind::gather, &Step::kind)); }

std::vector<double> run(const Code& code, const Program& program, std::vector<double> in) {
    std::vector<double> out(program.outputs.size(), NAN), room(code.scratch() + 8, NAN);
    double* const scratch = room.data() + (8 - std::bit_cast<std::uint64_t>(room.data()) / 8 % 8) % 8;
    code(in.data(), out.data(), scratch);
    return out;
}

/// Code with packs and without gives the same bits. Returns how many packs there were.
std::size_t expect_same_bits(const Program& program, std::span<const double> in, const std::string& what) {
    const Plan plan = make_plan(program), packed = with_packs(plan, program, -1e9);  // whether it pays or not
    for (const unsigned registers : {16U, 32U}) {
        if (registers > vector_registers()) continue;
        const Code plain = emit(plan, program, 1, registers), code = emit(packed, program, 1, registers);
        EXPECT_TRUE(plain && code) << what;
        if (!plain || !code) return 0;
        const std::vector<double> x(in.begin(), in.end()), wanted = run(plain, program, x), got = run(code, program, x);
        for (std::size_t k = 0; k < got.size(); ++k) {
            if (std::isnan(got[k]) && std::isnan(wanted[k])) continue;
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got[k]), std::bit_cast<std::uint64_t>(wanted[k]))
                << what << ", " << registers << " registers, output " << k << ": " << got[k] << ", not " << wanted[k];
            if (testing::Test::HasFailure()) return 0;
        }
    }
    return packed_steps(packed, program);
}

/// y = A x for several x: `rows` sums of `size` products for each column. A comes first among the inputs.
Program product(Index rows, Index size, Index columns) {
    Program p{rows * size + size * columns, {}, {}, {}};
    std::vector<std::vector<Index>> y(rows);
    for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < rows; ++i) {
            Index sum = none;
            for (Index k = 0; k < size; ++k) {
                p.lines.push_back({Op::mul, {i * size + k, rows * size + j * size + k, 0}});
                const auto product = static_cast<Index>(p.values() - 1);
                if (sum == none) {
                    sum = product;
                    continue;
                }
                p.lines.push_back({Op::add, {sum, product, 0}});
                sum = static_cast<Index>(p.values() - 1);
            }
            y[i].push_back(sum);
        }
    }
    for (const auto& row : y) p.outputs.insert(p.outputs.end(), row.begin(), row.end());
    return p;
}

TEST(Packs, AreFoundInProductsOfMatrices) {
    const Program p = product(6, 5, 9);
    const Plan plan = with_packs(make_plan(p), p);
    // Of nine columns eight are packs, or of six rows four and the other two beside them: no line of those is left alone.
    EXPECT_GE(packed_steps(plan, p), 6U * 5U * 2U - 6U);
    EXPECT_LE(plan.steps.size(), make_plan(p).steps.size() / 2);
    EXPECT_GT(expect_same_bits(p, numbers(p.inputs, 1), "a product"), 0U);
}

TEST(Packs, AreNotMadeWhereNothingIsAlike) {
    // A chain: every line needs the one before.
    Program p{2, {0.5}, {}, {}};
    for (Index k = 0; k < 40; ++k) p.lines.push_back({k % 2 == 0 ? Op::mul : Op::sub, {k == 0 ? 0 : 2 + k, k % 3, 0}});
    p.outputs = {static_cast<Index>(p.values() - 1)};
    const Plan before = make_plan(p), after = with_packs(before, p);
    EXPECT_TRUE(after.packs.empty());
    ASSERT_EQ(after.steps.size(), before.steps.size());
    for (std::size_t k = 0; k < before.steps.size(); ++k) EXPECT_EQ(after.steps[k].value, before.steps[k].value);
}

TEST(Packs, TakeRowsOfInputsAndConstantsAsTheyStand) {
    Program p{9, {1.5, 2.5, 3.5, 7.0}, {}, {}};
    for (Index k = 0; k < 4; ++k) p.lines.push_back({Op::mul, {8, k, 0}});            // inputs in a row
    for (Index k = 0; k < 4; ++k) p.lines.push_back({Op::mul, {13 + k, 12 - k, 0}});  // constants backwards
    for (Index k = 0; k < 4; ++k) p.lines.push_back({Op::max, {4 + k, 17 + k, 0}});
    p.outputs = {21, 22, 23, 24};
    const Plan plan = with_packs(make_plan(p), p);
    EXPECT_EQ(packed_steps(plan, p), 3U);
    EXPECT_EQ(gathers(plan), 0U);
    EXPECT_EQ(plan.constants, (std::vector{7.0, 3.5, 2.5, 1.5}));
    EXPECT_EQ(expect_same_bits(p, numbers(9, 2), "rows"), 3U);
}

TEST(Packs, DoNotWaitForEachOther) {
    // Of two groups of four each has a line that the other one needs: both cannot be packs.
    Program p{20, {}, {}, {}};
    const auto line = [&](Op op, Index a, Index b) {
        p.lines.push_back({op, {a, b, 0}});
        return static_cast<Index>(p.values() - 1);
    };
    std::vector<Index> a, b;
    for (Index k = 0; k < 2; ++k) a.push_back(line(Op::div, k, 19));
    for (Index k = 0; k < 2; ++k) b.push_back(line(Op::sub, a[k], 18));
    for (Index k = 2; k < 4; ++k) b.push_back(line(Op::sub, k, 18));
    for (Index k = 2; k < 4; ++k) a.push_back(line(Op::div, b[k], 19));
    for (const Index v : a) p.outputs.push_back(v);
    for (const Index v : b) p.outputs.push_back(v);
    EXPECT_LE(expect_same_bits(p, numbers(20, 3), "a circle"), 1U);
    const Plan plan = with_packs(make_plan(p), p);
    EXPECT_EQ(std::ranges::count_if(plan.steps, [&](const Step& s) { return s.kind == Kind::div || s.kind == Kind::sub; }) +
                  3 * static_cast<std::ptrdiff_t>(packed_steps(plan, p)),
              8);
}

TEST(Packs, ChangeNoBitOfRandomColumns) {
    std::size_t packs = 0, lines = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::size_t columns = 4 + seed % 6, size = seed % 10 == 9 ? 3000 : 30 + 20 * (seed % 10);
        const Program p = random_columns(columns, size, seed % 3 != 0, seed % 2 == 0, seed);
        for (std::uint64_t point = 0; point < 2; ++point) {
            packs += expect_same_bits(p, numbers(p.inputs, 1000 + 2 * seed + point), "columns of seed " + std::to_string(seed));
            if (HasFailure()) return;
        }
        lines += 2 * p.lines.size();
    }
    if (vector_registers() > 0) {
        EXPECT_GT(packs, lines / 100);
    }
}

TEST(Packs, ChangeNoBitOfRandomPrograms) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Shape shape;
        shape.lines = 100 + 20 * seed, shape.outputs = 40, shape.points = 1, shape.reach = seed % 2 == 0 ? 0U : 60U;
        const RandomProgram r = random_program(shape, seed);
        expect_same_bits(r.program, r.in[0], "seed " + std::to_string(seed));
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace linkwright::jit
