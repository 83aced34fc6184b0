// Parameters for wanted eigenvalues: the published walk, bounds, too many and too few wishes, poles.

#include "linkwright/analysis/place.hpp"

#include "linear/live_subject.hpp"

namespace linkwright {
namespace {

using analysis::Placement;
using analysis::PlaceOptions;
using analysis::Wish;
using Complex = std::complex<double>;

struct Placing : LiveSubject {
    Placing(const std::string& path, const std::vector<std::string>& vary) : LiveSubject(path) { set_up(vary); }
    Placing(model::Reading reading, const std::vector<std::string>& vary) : LiveSubject(std::move(reading)) { set_up(vary); }
    void set_up(const std::vector<std::string>& vary) {
        options.vary = find(vary);
        options.low.assign(vary.size(), -std::numeric_limits<double>::infinity());
        options.high.assign(vary.size(), std::numeric_limits<double>::infinity());
    }
    Placement operator()(std::vector<Complex> wish, Wish::Of of = Wish::Of::lambda) {
        operate(analysis::Operating::At::equilibrium);
        EXPECT_TRUE(point.is_ok) << point.why;
        options.wish = {of, std::move(wish)};
        return analysis::place(*numbers, *points, *linearizer, *sensitivity, options);
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
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(p.walk[i].eigenvalues[static_cast<Index>(k)].real(), walk[i][k], i == 0 ? 5e-3 : 6e-4);
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
        for (std::size_t k = 0; k < 3; ++k) place.numbers->set(place.options.vary[k], x[static_cast<Index>(k)]);
        const auto m = analysis::modes(place.linear(place.points->find(&p.point)));
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
    const Placement p = place({Complex(-2, 3)}, Wish::Of::pole);  // k = |μ|², c = −2 Re μ
    ASSERT_TRUE(p.is_converged) << p.why;
    EXPECT_NEAR(p.walk.back().parameters[0], 13, 1e-8);
    EXPECT_NEAR(p.walk.back().parameters[1], 4, 1e-8);

    Placing fast(model::read(oscillator, "oscillator.toml"), {"k"});
    const Placement f = fast({Complex(5)}, Wish::Of::frequency);  // ω² = k − c²/4
    ASSERT_TRUE(f.is_converged) << f.why;
    EXPECT_NEAR(f.walk.back().parameters[0], 25.25, 1e-8);
}

}  // namespace
}  // namespace linkwright
