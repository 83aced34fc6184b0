// Long roots that a page repeats get a name; what they are made of comes first.

#include "linkwright/present/roots.hpp"

#include <gmock/gmock.h>

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/parse.hpp"
#include "present/pendulum.hpp"

namespace linkwright::present::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Roots : public testing::Test {
protected:
    Pool pool;
    PoolScope scope{pool};
    std::vector<sym::Formula> formulas;

    std::string named(const std::vector<Expr>& entries) {
        formulas.clear();
        for (const Expr& e : entries) formulas.push_back(sym::faithful(e));
        std::vector<sym::Formula*> pointers;
        for (sym::Formula& f : formulas) pointers.push_back(&f);
        std::string out;
        for (const auto& step : name_roots(pointers, "z")) out += step.name + " = " + sym::write(step.value) + "; ";
        for (const sym::Formula& f : formulas) out += sym::write(f) + "; ";
        return out;
    }
};

TEST_F(Roots, OnlyLongOnesThatAreRepeated) {
    const Expr x = symbol("position_x"), y = symbol("position_y"), k = symbol("k");
    const Expr xx = x * x, yy = y * y, length = sqrt(xx + yy);  // one after the other: compilers differ
    EXPECT_EQ(named({k / length, k * length}), "k/sqrt(position_x^2 + position_y^2); k*sqrt(position_x^2 + position_y^2); ");
    EXPECT_EQ(named({k / length, k * length, k + pow(length, 3)}), "z1 = sqrt(position_x^2 + position_y^2); k/z1; k*z1; k + z1^3; ");
    EXPECT_EQ(named({sqrt(k), 1 / sqrt(k), sqrt(k) + x, sqrt(k) - y}), "sqrt(k); 1/sqrt(k); position_x + sqrt(k); sqrt(k) - position_y; ");
    EXPECT_EQ(named({}), "");
}

TEST_F(Roots, RootsWithinRoots) {
    const Expr x = symbol("position_x"), y = symbol("position_y"), long_name = symbol("a_rather_long_name");
    const Expr xx = x * x, yy = y * y, inner = sqrt(xx + yy + long_name), outer = sqrt(inner + long_name * long_name + y);
    EXPECT_EQ(named({outer, 1 / outer, inner + 1, inner + 2}),
              "z1 = sqrt(position_x^2 + position_y^2 + a_rather_long_name); z2 = sqrt(z1 + a_rather_long_name^2 + position_y); "
              "z2; 1/z2; z1 + 1; z1 + 2; ");
}

/// Three springs between four points: the page names the lengths, and reads back as what was derived.
TEST(Lengths, AreIntermediatesOfThePage) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr x = symbol("p.x", Role::coordinate), y = symbol("p.y", Role::coordinate), k = symbol("k"), l0 = symbol("l0");
    Expr f1 = 0, f2 = 0, V = 0;
    for (int i = 1; i <= 3; ++i) {
        const Expr dx = x - symbol("anchor_x" + std::to_string(i)), dy = y - symbol("anchor_y" + std::to_string(i)), dy2 = dy * dy,
                   dx2 = dx * dx, s = sqrt(dx2 + dy2);
        f1 -= k * (1 - l0 / s) * dx;
        f2 -= k * (1 - l0 / s) * dy;
        V += k * pow(s - l0, 2) / 2;
    }
    e.f = {f1, f2};
    e.energy.potential = V;
    const std::string text = present(e, {.only = {"f", "energy"}});
    EXPECT_THAT(text, HasSubstr("\nwhere\n  z1 = sqrt((p.x - anchor_x"));
    EXPECT_THAT(text, Not(HasSubstr("z4")));
    EXPECT_LT(text.size(), 1200U) << text;
    const auto right_sides = equations_of(text);
    std::map<std::string, Expr> names;
    for (const std::string name : {"z1", "z2", "z3"}) names.insert({name, meaning(right_sides.at(name), *e.pool, names)});
    EXPECT_EQ(equal(meaning(right_sides.at("f[1]"), *e.pool, names), f1), Verdict::equal) << text;
    EXPECT_EQ(equal(meaning(right_sides.at("f[2]"), *e.pool, names), f2), Verdict::equal) << text;
    EXPECT_EQ(equal(meaning(right_sides.at("V"), *e.pool, names), V), Verdict::equal) << text;
    // Entries that are too large go on counting where the lengths end.
    const std::string both = present(e, {.only = {"f", "M"}, .budget = {.terms = 12, .time = std::chrono::milliseconds(2000)}});
    EXPECT_THAT(both, Not(HasSubstr("z1 = z1")));
}

TEST(Text, OutputsAreNoEntriesOfMatrices) {
    EquationsOfMotion e = double_pendulum();
    e.outputs = {{"inertia", e.M[0][0]}, {"again", e.M[0][0]}};
    const std::string text = present(e, {.only = {"M", "outputs"}});
    EXPECT_THAT(text, Not(HasSubstr("inertia = M[1][1]"))) << text;
}

TEST(Latex, MultipliersAndLegendsAreMathematics) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr lambda = symbol("lambda.close.x", Role::multiplier);
    e.constraints = {{"close.x", "", true, sin(e.q[0]), cos(e.q[0]) * e.u[0], {cos(e.q[0]), 0}, sin(e.q[0]) * e.u[0] * e.u[0], lambda}};
    for (const To to : {To::latex, To::markdown}) {
        const std::string page = present(e, {.to = to});
        EXPECT_THAT(page, HasSubstr("$\\lambda_{\\mathrm{close.x}}$"));
        EXPECT_THAT(page, HasSubstr("everything that is not $M \\dot{u}$, without"));
        EXPECT_THAT(page, HasSubstr("$\\phi$ is the position residual, $\\gamma$ the right-hand side"));
    }
    EXPECT_THAT(present(e, {}), HasSubstr("everything that is not M u', without constraint forces\n"));
    EXPECT_THAT(present(e, {.unicode = true}), HasSubstr("λ.close.x"));
}

}  // namespace
}  // namespace linkwright::present::test
