// The benchmark bicycle [meijaard07] from a model with rolling wheels: M q̈ + v C1 q̇ + (g K0 + v² K2) q = f of lean and steer, as
// published, to all digits.

#include "linkwright/linear/linearize.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using Eigen::Matrix2d;

const Matrix2d published_M{{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}};
const Matrix2d published_C1{{0, 33.86641391492494}, {-0.85035641456978, 1.6854039739756}};
const Matrix2d published_K0{{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}};
const Matrix2d published_K2{{0, 76.59734589573222}, {0, 2.65431523794604}};
constexpr double digits = 2e-14 * 80;  // half a unit of the last one, of the largest entries

class Bicycle : public testing::Test {
protected:
    Bicycle() : subject("models/bicycle/model.toml") {
        numbers = std::make_unique<numeric::CompiledEquations>(subject.equations, test_code(), numeric::Parameters::live);
        linearizer = std::make_unique<linear::Linearizer>(*numbers);
    }
    linear::Linearization at(double v) const {
        const auto& parameters = subject.equations.parameters;
        const auto which = std::ranges::find(parameters, "v", [](const eom::Parameter& p) { return p.symbol.symbol().name; });
        numbers->set(static_cast<std::size_t>(which - parameters.begin()), v);
        const numeric::AssembledState start = numeric::assemble(*numbers, numeric::wanted(*numbers));
        EXPECT_TRUE(start.is_ok()) << start.why;
        return (*linearizer)(numeric::operating_point(*numbers, start.state), {.onto = {"lean", "steer"}, .only_onto = true});
    }
    Subject subject;
    std::unique_ptr<numeric::CompiledEquations> numbers;
    std::unique_ptr<linear::Linearizer> linearizer;
};

TEST_F(Bicycle, HasThePublishedMatrices) {
    for (const double v : {0.0, 1.0, 4.2923825363411, 5.0, 10.0}) {
        const linear::Linearization L = at(v);
        ASSERT_TRUE(L.is_ok) << L.why;
        const linear::SecondOrder& o = L.second_order;
        ASSERT_TRUE(o.is_mechanical);
        EXPECT_FALSE(o.has_replaced_speeds);
        EXPECT_LT((o.M - published_M).cwiseAbs().maxCoeff(), digits) << o.M;
        EXPECT_LT((o.C - v * published_C1).cwiseAbs().maxCoeff(), digits * (1 + v)) << o.C;
        EXPECT_LT((o.K - 9.81 * published_K0 - v * v * published_K2).cwiseAbs().maxCoeff(), digits * (10 + v * v)) << o.K;
        // torques of lean and steer, one for one
        EXPECT_LT((o.B - Matrix2d::Identity()).cwiseAbs().maxCoeff(), 1e-13) << o.B;
        EXPECT_FALSE(L.is_holonomic);
        ASSERT_EQ(L.notes.size(), 1u);  // what is left out; nothing of it is coupled
    }
}

TEST_F(Bicycle, HasThePublishedEigenvalues) {
    const auto has = [](const linear::Linearization& L, std::complex<double> pole) {
        const Eigen::VectorXcd poles = solve::eigenvalues(L.state_space.A);
        ASSERT_EQ(poles.size(), 4);
        EXPECT_LT((poles.array() - pole).abs().minCoeff(), 2e-13 * (1 + std::abs(pole)) * 20) << poles;
    };
    const linear::Linearization L = at(5);
    for (const std::complex<double> pole :
         {std::complex<double>(-14.0783896927982, 0), {-0.322866429004087, 0}, {-0.775341882195842, 4.46486771378823}})
        has(L, pole);
    const linear::Linearization fast = at(10);
    for (const std::complex<double> pole :
         {std::complex<double>(-24.624596350174, 0), {0.161053386531716, 0}, {-3.72016840437288, 10.9068113947629}})
        has(fast, pole);
}

/// Without --onto: seven coordinates, three speeds, and a vector field that knows nothing of place and heading.
TEST_F(Bicycle, HasFewerSpeedsThanCoordinates) {
    at(5);
    const numeric::AssembledState start = numeric::assemble(*numbers, numeric::wanted(*numbers));
    const linear::Linearization L = (*linearizer)(numeric::operating_point(*numbers, start.state));
    ASSERT_TRUE(L.is_ok) << L.why;
    EXPECT_EQ(L.y.size(), 7u);
    EXPECT_EQ(L.z.size(), 3u);
    EXPECT_FALSE(L.second_order.is_mechanical);
    const Eigen::VectorXcd poles = solve::eigenvalues(L.state_space.A);
    EXPECT_EQ((poles.array().abs() < 1e-4).count(), 6) << poles;  // place, heading, wheels, forward speed
}

}  // namespace
}  // namespace linkwright
