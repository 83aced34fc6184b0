#include "linkwright/program/lower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "linkwright/program/count.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/program/interpreter.hpp"
#include "support/random_expr.hpp"

namespace linkwright::program {
namespace {

using sym::Expr;
using sym::Rational;
using testing::ElementsAre;
using testing::HasSubstr;

class Lower : public testing::Test {
protected:
    sym::Pool pool;
    sym::PoolScope scope{pool};
    Expr x = sym::symbol("x"), y = sym::symbol("y"), z = sym::symbol("z"), m = sym::symbol("m");
    std::vector<Expr> inputs{x, y, z};

    Program lowered(const Expr& e, std::vector<sym::Binding> constants = {}) const { return lower(std::span(&e, 1), inputs, constants); }
    std::string listing(const Expr& e, std::vector<sym::Binding> constants = {}) const { return write(lowered(e, std::move(constants))); }
    static std::string message(auto&& f) {
        try {
            f();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "nothing was thrown";
    }
};

TEST_F(Lower, ChoosesTheCheapOperation) {
    EXPECT_EQ(listing(x - y), "v0 = sub x0 x1\nout v0\n");
    EXPECT_EQ(listing(-x), "v0 = neg x0\nout v0\n");
    EXPECT_EQ(listing(x / y), "v0 = div x0 x1\nout v0\n");
    EXPECT_EQ(listing(2 / y), "v0 = div 2 x1\nout v0\n");
    EXPECT_EQ(listing(-1 / y), "v0 = div -1 x1\nout v0\n");
    EXPECT_EQ(listing(x * x), "v0 = mul x0 x0\nout v0\n");
    EXPECT_EQ(listing(pow(x, 3)), "v0 = mul x0 x0\nv1 = mul x0 v0\nout v1\n");
    EXPECT_EQ(listing(sqrt(x)), "v0 = sqrt x0\nout v0\n");
    EXPECT_EQ(listing(y / sqrt(x)), "v0 = sqrt x0\nv1 = div x1 v0\nout v1\n");
    EXPECT_EQ(listing(pow(x, Rational(3, 2))), "v0 = sqrt x0\nv1 = mul x0 v0\nout v1\n");
    EXPECT_EQ(listing(pow(x, Rational(1, 3))), "v0 = pow x0 0.3333333333333333\nout v0\n");
    EXPECT_EQ(listing(select(x, y, z)), "v0 = select x0 x1 x2\nout v0\n");
    EXPECT_EQ(listing(atan2(x, y)), "v0 = atan2 x0 x1\nout v0\n");
}

TEST_F(Lower, ASharedReciprocalIsOneDivision) {
    const std::vector<Expr> out{x / z, y / z};
    EXPECT_EQ(count(lower(out, inputs)), (Operations{.mul = 2, .div = 1}));
    EXPECT_EQ(count(lowered(1 / (x * y))), (Operations{.mul = 1, .div = 1}));
}

TEST_F(Lower, OutputsMayBeInputsAndConstants) {
    const std::vector<Expr> out{y, Expr(Rational(1, 4)), x, sym::pi()};
    const Program p = lower(out, inputs);
    EXPECT_TRUE(p.lines.empty());
    EXPECT_EQ(run<double>(p, std::vector{1.0, 2.0, 3.0}), (std::vector{2.0, 0.25, 1.0, 3.14159265358979323846}));
}

TEST_F(Lower, SharedNodesAreComputedOnce) {
    const Expr s = x * y + z, t = s * s;
    const std::vector<Expr> out{t + 1, sin(t), t * x, s};
    EXPECT_EQ(count(lower(out, inputs)), (Operations{.add = 2, .mul = 3, .sincos = 1}));
    Expr doubling = x + y;  // 2^40 terms if it were written out
    for (int i = 0; i < 40; ++i) doubling = sin(doubling) * doubling;
    EXPECT_EQ(lowered(doubling).lines.size(), 81u);
}

TEST_F(Lower, SineStandsBeforeCosine) {
    const Expr c = cos(x + y);
    const Expr other = c * z + tan(z);
    const std::vector<Expr> out{other, sin(x + y), sin(z)};
    const Program p = lower(out, inputs);
    std::size_t pairs = 0;
    for (std::size_t k = 0; k < p.lines.size(); ++k) pairs += is_sincos(p, k) ? 1 : 0;
    EXPECT_EQ(pairs, 1u);
    EXPECT_EQ(count(p).sincos, 2u);
}

TEST_F(Lower, ConstantsAreFolded) {
    const Expr mx = m * x, mm = m * m;
    EXPECT_EQ(listing(mx + mm, {{m, Expr(Rational(1, 2))}}), "v0 = mul 0.5 x0\nv1 = add v0 0.25\nout v1\n");
    EXPECT_EQ(listing(x + m * sin(y), {{m, Expr(0)}}), "out x0\n");
    EXPECT_EQ(listing(x / m, {{m, Expr(4)}}), "v0 = mul 0.25 x0\nout v0\n");
    EXPECT_EQ(listing(m * (3 * x), {{m, Expr(2)}}), "v0 = mul 6 x0\nout v0\n");
    EXPECT_EQ(listing(x + m * y, {{m, Expr(-1)}}), "v0 = sub x0 x1\nout v0\n");
    EXPECT_EQ(listing(select(m, x, y), {{m, sym::pi()}}), "out x0\n");
    EXPECT_EQ(listing(x + y, {{y, Expr(3)}}), "v0 = add x0 3\nout v0\n");  // an input that is bound keeps its place
    EXPECT_EQ(lowered(x + y, {{y, Expr(3)}}).inputs, 3u);
}

TEST_F(Lower, NumbersAreRoundedOnce) {
    const Program p = lowered(Expr(Rational(1, 3)) * Expr(Rational(3, 7)) + x);
    EXPECT_THAT(p.constants, ElementsAre(1.0 / 7));
}

TEST_F(Lower, UndefinedIsNaN) {
    const Program p = lowered(sym::undefined());
    EXPECT_TRUE(std::isnan(run<double>(p, std::vector{1.0, 2.0, 3.0})[0]));
}

TEST_F(Lower, NamesWhatIsMissing) {
    const Expr e = m * x + sym::symbol("g") * sin(y);
    EXPECT_EQ(message([&] { lowered(e); }), "lower: neither an input nor constant: m, g");
    EXPECT_EQ(message([&] { lowered(e, {{m, Expr(1)}}); }), "lower: neither an input nor constant: g");
    EXPECT_THAT(message([&] { lowered(e, {{m, x + 1}}); }), HasSubstr("the constant 'm' depends on 'x'"));
    EXPECT_THAT(message([&] { lowered(e, {{m, Expr(1)}, {m, Expr(2)}}); }), HasSubstr("'m' is given twice"));
    EXPECT_THAT(message([&] { lowered(e, {{m + 1, Expr(1)}}); }), HasSubstr("not a symbol"));
    const std::vector<Expr> twice{x, x}, out{x};
    EXPECT_THAT(message([&] { lower(out, twice); }), HasSubstr("'x' is named twice"));
    sym::Pool elsewhere;
    const std::vector<Expr> foreign{elsewhere.symbol("x")};
    EXPECT_THAT(message([&] { lower(out, foreign); }), HasSubstr("another pool"));
}

TEST_F(Lower, NothingInNothingOut) {
    EXPECT_EQ(lower({}, inputs).inputs, 3u);
    EXPECT_TRUE(lower({}, {}).outputs.empty());
}

TEST_F(Lower, AddsNothingToThePool) {
    const Expr e = x / y - pow(x, 7) + sqrt(z);
    const std::size_t before = pool.size();
    lowered(e, {{z, Expr(2)}});
    EXPECT_LE(pool.size(), before + 1);  // the 2
}

TEST_F(Lower, AChainIsALoop) {
    Expr e = x;
    for (int i = 0; i < 100'000; ++i) e = sin(e + y);
    const Program p = lowered(e);
    EXPECT_EQ(p.lines.size(), 200'000u);
    EXPECT_TRUE(std::isfinite(run<double>(p, std::vector{1.0, 2.0, 3.0})[0]));
}

TEST(LowerLaws, EveryLineIsUsedAndNoneIsTwice) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        sym::Pool pool;
        const sym::PoolScope scope(pool);
        sym::test::RandomExpr random(pool, seed, {.kinks = true});
        const std::vector<Expr> out{random(40).e, random(20).e};
        const Program p = lower(out, random.symbol_list());
        std::vector<int> uses(p.values());
        for (const Line& line : p.lines) {
            for (std::size_t i = 0; i < arity(line.op); ++i) ++uses[line.args[i]];
        }
        for (const Index i : p.outputs) ++uses[i];
        for (std::size_t i = p.inputs; i < uses.size(); ++i) EXPECT_GT(uses[i], 0) << "seed " << seed << "\n" << write(p);
        for (std::size_t i = 0; i < p.lines.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(p.lines[i] == p.lines[k]) << "seed " << seed;
        }
    }
}

TEST_F(Lower, AnyExpressionCanBeGiven) {
    const Expr part = sin(m) * m, e = part * x + part;
    const std::vector<Expr> in{x, part};
    EXPECT_EQ(write(lower(std::span(&e, 1), in)), "v0 = mul x0 x1\nv1 = add x1 v0\nout v1\n");
    EXPECT_THAT(message([&] { lower(std::span(&e, 1), inputs); }), HasSubstr("neither an input nor constant: m"));
    const std::vector<Expr> twice{part, part};
    EXPECT_THAT(message([&] { lower(std::span(&e, 1), twice); }), HasSubstr("given twice"));
}

TEST_F(Lower, WhatNeverMovesIsHoisted) {
    const Expr l = sym::symbol("l");
    const std::vector<Expr> fixed{m, l}, out{m * l * x + sin(l), 2 * m, y / (m * l), Expr(3)};
    const std::vector<Expr> parts = fixed_parts(out, fixed);
    EXPECT_EQ(parts.size(), 4U);  // m·l, sin l, 2m, 1/(m·l)
    std::vector<Expr> in = inputs;
    in.insert(in.end(), parts.begin(), parts.end());
    const Program setup = lower(parts, fixed), body = lower(out, in);
    EXPECT_EQ(count(body), (Operations{.add = 1, .mul = 2}));

    const std::vector<double> p{1.5, 0.3}, state{0.2, -0.7, 0.9};
    std::vector<double> c(parts.size()), all = state, got(out.size());
    const Interpreter run_setup(setup), run_body(body);
    run_setup(p, c);
    all.insert(all.end(), c.begin(), c.end());
    run_body(all, got);
    EXPECT_DOUBLE_EQ(got[0], 1.5 * 0.3 * 0.2 + std::sin(0.3));
    EXPECT_DOUBLE_EQ(got[1], 3);
    EXPECT_DOUBLE_EQ(got[2], -0.7 / (1.5 * 0.3));
    EXPECT_EQ(got[3], 3);
}

}  // namespace
}  // namespace linkwright::program
