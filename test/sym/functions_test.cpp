// Each row of the table of elementary functions against the C library and against what building, printing and differentiating
// make of it.

#include "linkwright/sym/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "linkwright/sym/approximate.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/taylor.hpp"
#include "support/print.hpp"

namespace linkwright::sym {

static void PrintTo(const ElementaryFunction& f, std::ostream* out) { *out << f.name; }

namespace test {
namespace {

class Functions : public testing::TestWithParam<ElementaryFunction> {
protected:
    const ElementaryFunction& f = GetParam();
    Pool pool;
    PoolScope scope{pool};
    Expr x = symbol("x", Role::coordinate);
    std::mt19937_64 random{7};

    double value(double at) const { return f.libm != nullptr ? f.libm(at) : Scalar<double>::apply(f.op, at); }
    double at_point(const Expr& e, double at) const {
        return evaluate<double>(e, [&](const Expr&) { return at; });
    }
    /// Inside the domain, away from its ends, from the poles of tan and from kinks at zero.
    std::vector<double> points() {
        std::uniform_real_distribution<double> inside(std::max(f.from, -1.4) + 0.05, std::min(f.to, 1.4) - 0.05);
        std::vector<double> list;
        while (list.size() < 20) {
            const double at = inside(random);
            if (std::abs(at) > 0.01) list.push_back(at);
        }
        return list;
    }
};

TEST_P(Functions, HaveTheValueOfTheLibrary) {
    const Expr e = make_function(f.op, x);
    EXPECT_EQ(e.op(), f.op);
    for (const double at : points()) EXPECT_EQ(at_point(e, at), value(at)) << at;
}

TEST_P(Functions, HaveTheSlopeThatDifferencesShow) {
    const Expr slope = derivative(make_function(f.op, x), x);
    constexpr double h = 1e-4;
    for (const double at : points()) {  // central, and better by one step of Richardson's
        const double wide = (value(at + h) - value(at - h)) / (2 * h), narrow = (value(at + h / 2) - value(at - h / 2)) / h;
        const double expected = (4 * narrow - wide) / 3;
        EXPECT_NEAR(at_point(slope, at), expected, 1e-9 * (1 + std::abs(expected))) << at;
    }
}

TEST_P(Functions, HaveTheSeriesOfTheirDerivatives) {
    const Expr e = make_function(f.op, x), y = symbol("y"), h = symbol("h");
    const std::vector<Expr> series = taylor(e, std::array{Increment{x, y, h}}, 4);
    Expr next = e;
    double factorial = 1;
    for (std::size_t k = 0; k <= 4; ++k) {
        if (k > 0) next = derivative(next, x), factorial *= static_cast<double>(k);
        for (const double at : points()) {
            const double expected = at_point(next, at) / factorial;
            const double found = k < series.size() ? evaluate<double>(series[k], [&](const Expr& s) { return s == h ? 1.0 : at; }) : 0.0;
            EXPECT_NEAR(found, expected, 1e-9 * (1 + std::abs(expected))) << "order " << k << " at " << at;
        }
    }
}

TEST_P(Functions, HaveTheParityTheyClaim) {
    const Expr e = make_function(f.op, x), mirrored = make_function(f.op, -x);
    EXPECT_EQ(mirrored == -e, f.parity == Parity::odd);
    EXPECT_EQ(mirrored == e, f.parity == Parity::even);
    bool is_odd = true, is_even = true;
    for (const double at : points()) {
        is_odd = is_odd && value(-at) == -value(at);
        is_even = is_even && value(-at) == value(at);
    }
    EXPECT_EQ(is_odd, f.parity == Parity::odd);
    EXPECT_EQ(is_even, f.parity == Parity::even);
    if (f.parity == Parity::odd) {
        EXPECT_TRUE(make_function(f.op, 0).is_literally(0));
    }
}

TEST_P(Functions, AreReadAsTheyArePrinted) {
    const Expr e = make_function(f.op, 2 * x + 1);
    const std::string text = print(e);
    EXPECT_EQ(text.substr(0, text.find('(')), f.name);
    const Parsed again = parse(text, names_of(pool), pool);
    ASSERT_TRUE(again.expr) << text;
    EXPECT_EQ(*again.expr, e) << text;
    EXPECT_EQ(find_elementary_function(f.name), &elementary_function(f.op));
}

TEST_P(Functions, AreWrittenWithTheirCommand) {
    const std::string text = print(make_function(f.op, x), {.style = Style::latex});
    if (!f.latex.empty()) {
        EXPECT_EQ(text, "\\" + std::string(f.latex) + " x");
    }
}

TEST_P(Functions, SpreadErrorsAsTheyClaim) {
    constexpr double error = 1e-3;
    for (const double at : points()) {
        const Approximate y = Scalar<Approximate>::apply(f.op, Approximate(at, error));
        ASSERT_TRUE(y.is_known()) << at;
        for (const double move : {-error, -error / 2, error / 2, error}) EXPECT_LE(std::abs(value(at + move) - y.value), y.error) << at;
    }
}

TEST_P(Functions, AreRealWithinTheirDomainOnly) {
    for (const double end : {f.from, f.to}) {
        if (std::isinf(end)) continue;
        EXPECT_FALSE(std::isnan(value(end)));
        const double outside = std::nextafter(end, end == f.from ? -2.0 : 2.0);
        EXPECT_FALSE(std::isfinite(value(outside))) << outside;
    }
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, Functions, testing::ValuesIn(elementary_functions),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace test
}  // namespace linkwright::sym
