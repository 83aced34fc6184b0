// Parameters for wanted eigenvalues: the published walk, bounds, too many and too few wishes, poles.

#include "linkwright/linear/design/place.hpp"

#include <fmt/format.h>

#include <random>

#include "linear/live_subject.hpp"
#include "linkwright/solve/bounded.hpp"

namespace linkwright {
namespace {

using linear::EigenvalueTargets;
using linear::Placement;
using linear::PlaceOptions;
using Complex = std::complex<double>;

struct Placing : LiveSubject {
    Placing(const std::string& path, const std::vector<std::string>& vary) : LiveSubject(path) { set_up(vary); }
    Placing(model::Reading reading, const std::vector<std::string>& vary) : LiveSubject(std::move(reading)) { set_up(vary); }
    void set_up(const std::vector<std::string>& vary) {
        options.vary = find(vary);
        options.low.assign(vary.size(), -std::numeric_limits<double>::infinity());
        options.high.assign(vary.size(), std::numeric_limits<double>::infinity());
    }
    Placement operator()(std::vector<Complex> wish, EigenvalueTargets::Of of = EigenvalueTargets::Of::lambda) {
        operate(linear::Operating::At::equilibrium);
        EXPECT_TRUE(point.is_ok) << point.why;
        options.wish = {of, std::move(wish)};
        return linear::place(*numbers, *points, *linearizer, *sensitivity, options);
    }
    PlaceOptions options;
};

const std::vector<std::string> lengths{"DL22", "DL33", "DL44"};

TEST(Place, WalksAsInTheTables) {  // [lynch88 tables 6.1, 6.2]
    Placing place("models/lynch_triple_pendulum/lynch.toml", lengths);
    place.numbers->set(place.find("g"), 98.1);
    const Placement p = place({20, 40, 130});
    ASSERT_TRUE(p.is_converged) << p.why;
    const std::vector<std::vector<double>> walk{{46.03, 67.66, 198.64}, {28.408, 41.713, 156.662}, {21.452, 40.035, 132.874}};
    for (std::size_t i = 0; i < walk.size(); ++i) {
        EXPECT_TRUE(p.walk[i].is_full_step);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(p.walk[i].eigenvalues[k].real(), walk[i][k], i == 0 ? 5e-3 : 6e-4);
    }
    EXPECT_NEAR(p.walk.back().parameters[0], 2.569179, 1e-6);
    EXPECT_NEAR(p.walk.back().parameters[1], 1.879349, 1e-6);
    EXPECT_NEAR(p.walk.back().parameters[2], 0.323667, 1e-6);
    EXPECT_LE(p.walk.size(), 9U);
}

TEST(Place, StaysWithinBoundsAndSaysWhenTheyAreInTheWay) {
    Placing place("models/lynch_triple_pendulum/lynch.toml", lengths);
    place.numbers->set(place.find("g"), 98.1);
    place.options.low = {0.1, 0.1, 0.1}, place.options.high = {2.0, 3.0, 3.0};
    const Placement p = place({20, 40, 130});
    EXPECT_FALSE(p.is_converged);
    EXPECT_THAT(p.why, testing::HasSubstr("DL22"));
    EXPECT_EQ(p.at_bound, std::vector<std::size_t>{0});
    for (const auto& at : p.walk) {
        EXPECT_GE(at.parameters.minCoeff(), 0.1);
        EXPECT_LE(at.parameters[0], 2.0);
    }
    for (std::size_t i = 1; i < p.walk.size(); ++i) EXPECT_NE(p.walk[i].parameters, p.walk[i - 1].parameters);
    // what is left is a minimum: a little to either side of what is free it is no better
    const auto size = [&](const VectorXd& x) {
        for (std::size_t k = 0; k < 3; ++k) place.numbers->set(place.options.vary[k], x[k]);
        const auto m = linear::modes(place.linear(place.points->find(&p.point)));
        return std::pow(m.lambda[0] / 20 - 1, 2) + std::pow(m.lambda[1] / 40 - 1, 2) + std::pow(m.lambda[2] / 130 - 1, 2);
    };
    const VectorXd best = p.walk.back().parameters;
    const double least = size(best);
    for (const Index k : {1, 2}) {
        for (const double d : {-1e-3, 1e-3}) EXPECT_GT(size(best + d * VectorXd::Unit(3, k)), least);
    }
}

TEST(Place, TakesFewerWishesThanParametersAndMore) {
    Placing more("models/lynch_triple_pendulum/lynch.toml", lengths);
    const Placement two = more({5, 15});
    ASSERT_TRUE(two.is_converged) << two.why;
    EXPECT_NEAR(two.walk.back().eigenvalues[0].real(), 5, 1e-8);
    EXPECT_NEAR(two.walk.back().eigenvalues[1].real(), 15, 1e-8);

    Placing fewer("models/lynch_triple_pendulum/lynch.toml", {"DL22"});
    const Placement one = fewer({2, 4, 13});
    EXPECT_FALSE(one.is_converged);
    EXPECT_LT(one.walk.back().error, one.walk.front().error + 1e-12);
    EXPECT_FALSE(one.why.empty());
}

TEST(Place, RefusesWhatCannotBeAsked) {
    Placing place("models/lynch_triple_pendulum/lynch.toml", lengths);
    const Placement many = place({1, 2, 3, 4});
    EXPECT_TRUE(many.is_wrong_input);
    EXPECT_TRUE(many.walk.empty());
    place.numbers->set(place.find("CR21"), 5);
    const Placement damped = place({2, 4, 13});
    EXPECT_TRUE(damped.is_wrong_input);
    EXPECT_THAT(damped.why, testing::HasSubstr("damped"));
}

const char* oscillator = R"(
format = 1
name = "Oscillator"
[parameters]
m = 1.0
k = 4.0
c = 1.0
[[body]]
name = "block"
mass = "m"
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
stiffness = "k"
damping = "c"
)";

TEST(Place, PutsPolesAndFrequencies) {
    Placing place(model::read(oscillator, "oscillator.toml"), {"k", "c"});
    const Placement p = place({Complex(-2, 3)}, EigenvalueTargets::Of::pole);  // k = |μ|², c = −2 Re μ
    ASSERT_TRUE(p.is_converged) << p.why;
    EXPECT_NEAR(p.walk.back().parameters[0], 13, 1e-8);
    EXPECT_NEAR(p.walk.back().parameters[1], 4, 1e-8);

    Placing fast(model::read(oscillator, "oscillator.toml"), {"k"});
    const Placement f = fast({Complex(5)}, EigenvalueTargets::Of::frequency);  // ω² = k − c²/4
    ASSERT_TRUE(f.is_converged) << f.why;
    EXPECT_NEAR(f.walk.back().parameters[0], 25.25, 1e-8);
}

/// Equal masses on springs and dampers of their own, each coupled with the next.
std::string equal_masses(int n, double coupling, double damping = 0) {
    std::string parameters = fmt::format("kc = {}\n", coupling), rest;
    for (int i = 0; i < n; ++i) {
        parameters += fmt::format("k{0} = 9.0\nc{0} = {1}\n", i, damping);
        rest += fmt::format(
            "[[body]]\nname = \"b{0}\"\nmass = 1\n[[joint]]\nname = \"x{0}\"\ntype = \"prismatic\"\naxis = \"x\"\nparent = "
            "\"ground\"\nchild = \"b{0}\"\n"
            "parent_at = [{0}, 0, 0]\nstiffness = \"k{0}\"\ndamping = \"c{0}\"\n",
            i);
        if (i > 0 && coupling > 0)
            rest += fmt::format("[[spring]]\nfrom = \"b{}\"\nto = \"b{}\"\nstiffness = \"kc\"\nrest = 1\n", i - 1, i);
    }
    return fmt::format("format = 1\nname = \"equal masses\"\n[parameters]\n{}{}", parameters, rest);
}

Placement placed(const std::string& text, const std::vector<std::string>& vary, const std::vector<Complex>& wish,
                 EigenvalueTargets::Of of = EigenvalueTargets::Of::lambda, const std::vector<std::pair<std::string, double>>& set = {}) {
    Placing place(model::read(text, "text.toml"), vary);
    for (const auto& [name, value] : set) place.numbers->set(place.find(name), value);
    return place(wish, of);
}

void expect_values(const Placement& p, const std::vector<Complex>& wish) {
    ASSERT_TRUE(p.is_converged) << p.why;
    for (std::size_t i = 0; i < wish.size(); ++i)
        EXPECT_LT(std::abs(p.walk.back().eigenvalues[i] - wish[i]), 1e-8 * std::abs(wish[i])) << i;
    EXPECT_LT(p.walk.size(), 25U);
}

TEST(Place, PartsWhatIsEqual) {
    const std::string two = equal_masses(2, 0), three = equal_masses(3, 0);
    expect_values(placed(two, {"k0", "k1"}, {4, 20}), {4, 20});
    expect_values(placed(two, {"k0", "k1"}, {12}), {12});
    expect_values(placed(three, {"k0", "k1", "k2"}, {4, 12, 20}), {4, 12, 20});
    expect_values(placed(three, {"k0", "k1", "k2"}, {4, 12}), {4, 12});
    const std::string damped = equal_masses(2, 0, 0.2);
    const std::vector<Complex> poles{{-0.1, 2}, {-0.3, 5}};
    expect_values(placed(damped, {"k0", "k1", "c0", "c1"}, poles, EigenvalueTargets::Of::pole), poles);
    const Placement f = placed(damped, {"k0", "k1"}, {2, 4}, EigenvalueTargets::Of::frequency);
    ASSERT_TRUE(f.is_converged) << f.why;
    EXPECT_NEAR(f.walk.back().eigenvalues[1].imag(), 4, 1e-8);
}

TEST(Place, BringsTogetherWhatIsDifferent) {
    expect_values(placed(equal_masses(2, 0), {"k0", "k1"}, {10, 10}, EigenvalueTargets::Of::lambda, {{"k0", 4}}), {10, 10});
    expect_values(placed(equal_masses(3, 0), {"k0", "k1", "k2"}, {7, 7, 7}, EigenvalueTargets::Of::lambda, {{"k0", 4}, {"k1", 17}}),
                  {7, 7, 7});
}

TEST(Place, LeavesSymmetryWhereItMust) {  // the derivatives by both of a symmetric two are equal
    for (const double coupling : {1e-6, 0.5, 4.0}) expect_values(placed(equal_masses(2, coupling), {"k0", "k1"}, {6, 25}), {6, 25});
    expect_values(placed(equal_masses(3, 2), {"k0", "k1", "k2"}, {6, 15, 30}), {6, 15, 30});
}

TEST(Place, GoesFromPairsToRealPolesAndBack) {
    const std::vector<Complex> real{-1, -3}, pair{{-1, 2}}, twice{-2, -2};
    expect_values(placed(oscillator, {"k", "c"}, real, EigenvalueTargets::Of::pole), real);
    expect_values(placed(oscillator, {"k", "c"}, pair, EigenvalueTargets::Of::pole, {{"c", 6}}), pair);
    expect_values(placed(oscillator, {"k", "c"}, real, EigenvalueTargets::Of::pole, {{"c", 4}}), real);  // begins where both meet
    expect_values(placed(oscillator, {"k", "c"}, {-5}, EigenvalueTargets::Of::pole), {-5});
    const Placement meeting = placed(oscillator, {"k", "c"}, twice, EigenvalueTargets::Of::pole);
    ASSERT_TRUE(meeting.is_converged) << meeting.why;
    EXPECT_NEAR(meeting.walk.back().parameters[0], 4, 1e-8);
    const Placement f = placed(oscillator, {"k"}, {5}, EigenvalueTargets::Of::frequency, {{"c", 6}});  // ω² = k − c²/4
    ASSERT_TRUE(f.is_converged) << f.why;
    EXPECT_NEAR(f.walk.back().parameters[0], 34, 1e-7);

    const std::vector<Complex> mixed{-1, -4, {-0.5, 3}};
    expect_values(placed(equal_masses(2, 2, 0.4), {"k0", "k1", "c0", "c1"}, mixed, EigenvalueTargets::Of::pole), mixed);
    const std::vector<Complex> pairs{{-0.5, 2}, {-0.5, 4}};
    expect_values(placed(equal_masses(2, 2, 12), {"k0", "k1", "c0", "c1"}, pairs, EigenvalueTargets::Of::pole), pairs);
}

TEST(Place, CountsStates) {
    const Placement many = placed(oscillator, {"k", "c"}, {-1, -2, -3}, EigenvalueTargets::Of::pole);
    EXPECT_TRUE(many.is_wrong_input);
    EXPECT_THAT(many.why, testing::HasSubstr("3 poles are required, and the mechanism has 2"));
    const Placement lambda = placed(equal_masses(2, 1), {"k0"}, {1, 2, 3});
    EXPECT_TRUE(lambda.is_wrong_input);
    EXPECT_THAT(lambda.hint, testing::HasSubstr("one λ for each degree of freedom"));
}

TEST(Place, SaysWhatIsInTheWay) {
    // nothing knows kc here, and no bound is to blame
    Placing idle(model::read(equal_masses(2, 0), "text.toml"), {"kc"});
    idle.options.low = {0}, idle.options.high = {0.5};
    const Placement none = idle({4, 20});
    EXPECT_FALSE(none.is_converged);
    EXPECT_THAT(none.why, testing::HasSubstr("kc has no effect"));
    EXPECT_THAT(none.why, testing::Not(testing::HasSubstr("bounds")));
    EXPECT_LE(none.walk.size(), 3U);

    // least squares end where the slope does, not after all iterations
    const Placement flat = placed(equal_masses(2, 1), {"kc"}, {4, 20}, EigenvalueTargets::Of::lambda);
    EXPECT_FALSE(flat.is_converged);
    EXPECT_LT(flat.walk.size(), 30U);
    EXPECT_THAT(flat.why, testing::HasSubstr("come no nearer"));
}

TEST(Place, CaresForNoUnits) {  // large numbers and small ones
    const std::string text = std::string(oscillator);
    for (const double size : {1e-9, 1e9}) {
        Placing place(model::read(text, "oscillator.toml"), {"k", "c"});
        place.numbers->set(place.find("m"), size), place.numbers->set(place.find("k"), 4 * size), place.numbers->set(place.find("c"), size);
        const Placement p = place({-1, -3}, EigenvalueTargets::Of::pole);
        ASSERT_TRUE(p.is_converged) << p.why;
        EXPECT_NEAR(p.walk.back().parameters[0] / size, 3, 1e-8);
        EXPECT_NEAR(p.walk.back().parameters[1] / size, 4, 1e-8);
    }
}

/// Whether x is the least |A x − b| within bounds: free ones have no slope, held ones one that leads outside.
void expect_least(const MatrixXd& A, const VectorXd& b, const VectorXd& low, const VectorXd& high, const VectorXd& x) {
    const VectorXd down = A.transpose() * (b - A * x);
    const double small = 1e-9 * A.norm() * b.norm();
    for (Index k = 0; k < x.size(); ++k) {
        ASSERT_GE(x[k], low[k]);
        ASSERT_LE(x[k], high[k]);
        EXPECT_TRUE(x[k] == low[k] || down[k] >= -small) << k;
        EXPECT_TRUE(x[k] == high[k] || down[k] <= small) << k;
    }
}

TEST(PlaceWithinBounds, LeastSquares) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int trial = 0; trial < 2000; ++trial) {
        const Index rows = 1 + trial % 5, n = 1 + trial % 7;  // fewer rows than columns too
        const auto any = [&] { return number(random); };
        MatrixXd A = MatrixXd::NullaryExpr(rows, n, any);
        if (trial % 4 == 0 && n > 1) A.col(1) = 3 * A.col(0);
        const VectorXd b = VectorXd::NullaryExpr(rows, any);
        VectorXd low = VectorXd::NullaryExpr(n, any).cwiseMin(0), high = VectorXd::NullaryExpr(n, any).cwiseMax(0);
        if (trial % 3 == 0) low[0] = -std::numeric_limits<double>::infinity();
        expect_least(A, b, low, high, solve::least_squares_within(A, b, low, high));
    }
    // columns that are nearly the same: what is met first comes back inside in the end
    const MatrixXd A = (MatrixXd(2, 2) << 1, 1, 0, 0.1).finished();
    const VectorXd b = (VectorXd(2) << 1, -0.5).finished(), low = VectorXd::Constant(2, -1), high = VectorXd::Constant(2, 2);
    expect_least(A, b, low, high, solve::least_squares_within(A, b, low, high));
}

/// Masses 1, 2, 1 one after the other from the ground, on springs k1 to k3.
const char* chain = R"(
format = 1
name = "chain"
[parameters]
k1 = 10000
k2 = 8000
k3 = 5000
[[body]]
name = "a"
mass = 1
[[body]]
name = "b"
mass = 2
[[body]]
name = "c"
mass = 1
[[joint]]
name = "x1"
type = "prismatic"
axis = "x"
parent = "ground"
child = "a"
stiffness = "k1"
[[joint]]
name = "x2"
type = "prismatic"
axis = "x"
parent = "a"
child = "b"
stiffness = "k2"
[[joint]]
name = "x3"
type = "prismatic"
axis = "x"
parent = "b"
child = "c"
stiffness = "k3"
)";

Placement placed_within(const std::vector<double>& low, const std::vector<double>& high, const std::vector<double>& hertz) {
    Placing place(model::read(chain, "chain.toml"), {"k1", "k2", "k3"});
    place.options.low = low, place.options.high = high;
    std::vector<Complex> wish;
    for (const double f : hertz) wish.emplace_back(2 * M_PI * f);
    return place(wish, EigenvalueTargets::Of::frequency);
}

TEST(PlaceWithinBounds, FindsWhatCanBeHad) {
    const Placement near = placed_within({9000, 4100, 3300}, {13000, 10800, 6000}, {4.966, 13.518, 21.239});
    ASSERT_TRUE(near.is_converged) << near.why;
    EXPECT_NEAR(near.walk.back().parameters[0], 12658.855, 1e-2);
    EXPECT_LE(near.walk.size(), 10U);
    // a minimum at k2's bound comes first; there is a way elsewhere within
    const Placement far =
        placed_within({9669.99, 5394.63, 3956.57}, {21948.04, 9809.3, 7531.08}, {6.034073860073979, 16.452354896857006, 25.23909102811712});
    ASSERT_TRUE(far.is_converged) << far.why;
    EXPECT_NEAR(far.walk.back().parameters[1], 6719.1736, 1e-2);
    EXPECT_EQ(far.notes.size(), 1U);
}

TEST(PlaceWithinBounds, EndsAtAMinimum) {  // what cannot be had: no slope is left where bounds leave a way
    Placing place(model::read(chain, "chain.toml"), {"k1", "k2"});
    place.options.low = {1000, 100}, place.options.high = {1e5, 9000};
    const std::vector<Complex> wish{1000, 9000, 12000};
    const Placement p = place(wish);
    EXPECT_FALSE(p.is_converged);
    EXPECT_THAT(p.why, testing::HasSubstr("these parameters come no nearer than"));
    EXPECT_LT(p.walk.size(), 40U);
    const auto size = [&](const VectorXd& x) {
        for (std::size_t k = 0; k < 2; ++k) place.numbers->set(place.options.vary[k], x[k]);
        const auto m = linear::modes(place.linear(place.points->find(&p.point)));
        double sum = 0;
        for (Index i = 0; i < 3; ++i) sum += std::pow(m.lambda[i] / wish[i].real() - 1, 2);
        return sum;
    };
    const VectorXd best = p.walk.back().parameters;
    for (const Index k : {0, 1}) {
        const double h = 1e-4 * best[k], up = size(best + h * VectorXd::Unit(2, k)), down = size(best - h * VectorXd::Unit(2, k)),
                     here = size(best);
        EXPECT_TRUE(up > here || best[k] == place.options.high[k]);
        EXPECT_TRUE(down > here || best[k] == place.options.low[k]);
        if (std::ranges::find(p.at_bound, static_cast<std::size_t>(k)) == p.at_bound.end()) {  // the vertex of the parabola is here
            EXPECT_LT(std::abs(0.5 * (down - up) / (up - 2 * here + down)), 0.1);
        }
    }
}

TEST(PlaceMoves, OnlyWhatTheParametersMove) {
    const std::vector<std::pair<std::string, double>> apart{{"k0", 100}, {"k1", 400}}, damped{{"k0", 100}, {"k1", 400}, {"c0", 1}};
    const std::string two = equal_masses(2, 0);
    expect_values(placed(two, {"k0"}, {350}, EigenvalueTargets::Of::lambda, apart), {350});
    expect_values(placed(two, {"k0"}, {400, 500}, EigenvalueTargets::Of::lambda, apart), {400, 500});  // one passes the other
    expect_values(placed(two, {"k0", "c0"}, {{-1, 18}}, EigenvalueTargets::Of::pole, damped), {{-1, 18}});
    expect_values(placed(two, {"k0", "c0"}, {-15, -30}, EigenvalueTargets::Of::pole, damped), {-15, -30});
    const Placement f = placed(two, {"k0"}, {19}, EigenvalueTargets::Of::frequency, damped);
    ASSERT_TRUE(f.is_converged) << f.why;
    EXPECT_NEAR(f.walk.back().parameters[0], 361.25, 1e-7);  // ω² = k − c²/4
    // one that stays may have what it meets; where it is alone it is told
    expect_values(placed(two, {"k0"}, {50, 400}, EigenvalueTargets::Of::lambda, apart), {50, 400});
    const Placement none = placed(two, {"k0"}, {50, 350}, EigenvalueTargets::Of::lambda, apart);
    EXPECT_FALSE(none.is_converged);
    EXPECT_NEAR(none.walk.back().parameters[0], 50, 1e-6);
}

TEST(PlaceMoves, DoublePolesFromWhereTheyMeet) {
    const std::vector<std::pair<std::string, double>> critical{{"k", 100}, {"c", 20}};
    const Placement twice = placed(oscillator, {"k", "c"}, {-5, -5}, EigenvalueTargets::Of::pole, critical);
    ASSERT_TRUE(twice.is_converged) << twice.why;
    EXPECT_NEAR(twice.walk.back().parameters[0], 25, 1e-7);
    EXPECT_LE(twice.walk.size(), 5U);
    for (const std::string& note : twice.notes)
        EXPECT_THAT(note, testing::AnyOf(testing::HasSubstr("sum and product"), testing::HasSubstr("defective")));
    expect_values(placed(oscillator, {"k", "c"}, {{-5, 3}}, EigenvalueTargets::Of::pole, critical), {{-5, 3}});
    expect_values(placed(oscillator, {"k", "c"}, {-3, -8}, EigenvalueTargets::Of::pole, critical), {-3, -8});
    const Placement at_once = placed(oscillator, {"k", "c"}, {-10, -10}, EigenvalueTargets::Of::pole, critical);
    EXPECT_TRUE(at_once.is_converged) << at_once.why;
    // two that have nothing to do with each other
    const Placement apart = placed(equal_masses(2, 0), {"k0", "k1"}, {-1, -1}, EigenvalueTargets::Of::pole, {{"c0", 10}, {"c1", 12}});
    ASSERT_TRUE(apart.is_converged) << apart.why;
}

TEST(PlaceMoves, SaysOneThingOfEachParameter) {
    Placing place(model::read(oscillator, "oscillator.toml"), {"k"});
    place.options.low = {1}, place.options.high = {5};
    place.numbers->set(place.find("c"), 0);
    const Placement p = place({25});
    EXPECT_FALSE(p.is_converged);
    EXPECT_THAT(p.why, testing::HasSubstr("bounds are in the way: k at 5"));
    EXPECT_THAT(p.why, testing::Not(testing::HasSubstr("no effect")));
    // k/m sinks with m for ever, and never below zero
    Placing away(model::read(oscillator, "oscillator.toml"), {"m"});
    away.numbers->set(away.find("c"), 0);
    away.options.low = {1e-3};
    const Placement never = away({-1});
    EXPECT_FALSE(never.is_converged);
    EXPECT_THAT(never.why, testing::HasSubstr("diverging"));
}

}  // namespace
}  // namespace linkwright
