// Long sums that a page repeats get a name, in whatever order and with whatever factor they stand; so do long sums that are multiplied by others.

#include "linkwright/present/sums.hpp"

#include <gmock/gmock.h>

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/parse.hpp"
#include "present/pendulum.hpp"

namespace linkwright::present::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Sums : public testing::Test {
protected:
    Pool pool;
    PoolScope scope{pool};
    std::vector<sym::Formula> formulas;
    std::vector<StraightLine::Step> steps;

    static void declare() {
        for (const char* name : {"alpha", "beta", "gamma1", "delta", "length1", "length2", "length3", "mass1", "mass2", "x", "y"})
            symbol(name);
    }

    /// Formulas of the expression language, as they stand.
    std::string named(const std::vector<std::string>& entries) {
        formulas.clear(), steps.clear();
        Pool plain({.fold = false});
        const PoolScope as_written(plain);
        declare();
        for (const std::string& entry : entries) formulas.push_back(flattened(*sym::parse(entry, sym::names_of(plain), plain).expr));
        std::vector<sym::Formula*> pointers;
        for (sym::Formula& f : formulas) pointers.push_back(&f);
        name_sums(pointers, steps, "z");
        std::string out;
        for (const auto& step : steps) out += step.name + " = " + sym::write(step.value) + "; ";
        for (const sym::Formula& f : formulas) out += sym::write(f) + "; ";
        return out;
    }

    /// As readable formulas are: sums of many terms, products of many factors.
    static sym::Formula flattened(const Expr& e) {
        StraightLine line = straight_line(std::span(&e, 1));
        EXPECT_TRUE(line.steps.empty());
        return line.values.front();
    }
};

TEST_F(Sums, OnlyLongOnesThatAreRepeated) {
    const std::string sum = "length1 + length2 + length3*cos(alpha)";
    EXPECT_THAT(named({"x*(" + sum + ")", "y*(" + sum + ")"}), Not(HasSubstr("z1")));  // hardly anything is saved
    const std::string thrice = named({"x*(" + sum + ")", "y*(" + sum + ")^2", "mass1*(" + sum + ")*sin(beta)"});
    EXPECT_THAT(thrice, testing::StartsWith("z1 = "));
    EXPECT_THAT(thrice, HasSubstr("; x*z1; y*z1^2; mass1*sin(beta)*z1; "));
    EXPECT_THAT(named({"x*(alpha + beta)", "y*(alpha + beta)", "mass1*(alpha + beta)", "mass2*(alpha + beta)"}), Not(HasSubstr("z1")));
}

TEST_F(Sums, InAnyOrderAndUpToAFactor) {
    const std::string all =
        named({"x*(length1 - length2 - length3*cos(alpha))", "y*(length3*cos(alpha) + length2 - length1)^2",
               "mass1*(2*length1 - 2*length2 - 2*length3*cos(alpha))", "mass2*(length1 - length2 - length3*cos(alpha))"});
    EXPECT_THAT(all, HasSubstr("; x*z1; y*z1^2; 2*mass1*z1; mass2*z1; ")) << all;
    EXPECT_THAT(all, Not(HasSubstr("z2")));
}

TEST_F(Sums, FactorsBecomeOneNumber) {
    const std::string sum = "length1 + length2 + length3*cos(alpha)", half = "(length1/2 + length2/2 + length3*cos(alpha)/2)";
    const std::string all = named({"x*(" + sum + ")", "y*(" + sum + ")", "8*mass1*" + half + "*sin(beta)", "1/(8*mass2*" + half + ")"});
    EXPECT_THAT(all, HasSubstr("; x*z1; y*z1; 4*mass1*sin(beta)*z1; 1/(4*(mass2*z1)); ")) << all;
}

TEST_F(Sums, OuterOnesFirst) {
    const std::string inner = "length1 + length2 + length3*cos(alpha)", outer = "mass1*sin(beta)*(" + inner + ") + mass2*cos(gamma1)";
    const std::string all = named({"x*(" + outer + ")", "y*(" + outer + ")", "delta*(" + outer + ")"});
    EXPECT_THAT(all, HasSubstr("; x*z1; y*z1; delta*z1; ")) << all;  // what stands in z1 alone needs no name
    const std::string both = named(
        {"x*(" + outer + ")", "y*(" + outer + ")", "delta*(" + outer + ")", "x + mass1*(" + inner + ")", "y + mass2*(" + inner + ")"});
    EXPECT_THAT(both, HasSubstr("; x*z2; y*z2; delta*z2; x + mass1*z1; y + mass2*z1; ")) << both;
}

TEST_F(Sums, ANameIsPositive) {
    std::vector<sym::Formula*> pointers;
    formulas.resize(3);
    for (sym::Formula& f : formulas) {  // x·(−length_of_rod1 − length_of_rod2 − length_of_rod3)
        std::vector<sym::Formula::Part> terms;
        for (const char* name : {"length_of_rod1", "length_of_rod2", "length_of_rod3"})
            terms.push_back(f.product({f.number(sym::Rational(-1)), f.name(name)}));
        const auto sum = f.sum(std::move(terms));
        f.root = f.product({f.name("x"), sum});
        pointers.push_back(&f);
    }
    name_sums(pointers, steps, "z");
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(sym::write(steps[0].value), "length_of_rod1 + length_of_rod2 + length_of_rod3");
    EXPECT_EQ(sym::write(formulas[2]), "-x*z1");
}

TEST_F(Sums, LongFactorsBesideOneAnother) {
    const std::string a = "length1*sin(alpha) + length2*sin(beta) + length3*sin(gamma1) + mass1*delta",
                      b = "length1*cos(alpha) + length2*cos(beta) + length3*cos(gamma1) + mass2*delta";
    const std::string all = named({"x*(" + a + ")*(" + b + ") + y"});
    EXPECT_THAT(all, HasSubstr("z2 = ")) << all;
    EXPECT_THAT(all, HasSubstr("*z1*z2")) << all;
    EXPECT_THAT(named({"x*(" + a + ")*sin(beta) + y"}), Not(HasSubstr("z1")));
}

/// What is written with names is what was there before.
TEST_F(Sums, NamesMeanWhatTheyStandFor) {
    const std::string inner = "length1 - length2 + length3*cos(alpha)", outer = "mass1*sin(beta)*(" + inner + ")/3 + mass2*cos(gamma1)";
    const std::vector<std::string> entries{"-x*(" + outer + ")^3", "y*(" + outer + ") - delta", "sqrt(delta + x*(" + outer + "))",
                                           "x/(length2 - length1 - length3*cos(alpha))^3", "max(y, 2*(" + inner + "))*delta"};
    ASSERT_THAT(named(entries), HasSubstr("z2 = "));
    declare();
    std::map<std::string, Expr> names;
    for (const auto& step : steps) names.insert({step.name, meaning(sym::write(step.value), pool, names)});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string text = sym::write(formulas[i]);
        EXPECT_EQ(equal(meaning(text, pool, names), meaning(entries[i], pool, {})), Verdict::equal) << text;
    }
}

}  // namespace
}  // namespace linkwright::present::test
