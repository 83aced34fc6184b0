// Bounds of a mechanism's forces on a region of states hold at every state in it.

#include "linkwright/numeric/interval_function.hpp"

#include <random>

#include "motion/subject.hpp"

namespace linkwright {
namespace {

using solve::Interval;

class IntervalFunctionOfTheZoo : public testing::TestWithParam<std::string> {};

TEST_P(IntervalFunctionOfTheZoo, BoundsHold) {
    const Subject s("models/" + GetParam() + "/model.toml");
    std::vector<sym::Expr> rows;
    for (const sym::Expr& f : s.equations.f) rows.push_back(f);
    for (const eom::Constraint& c : s.equations.constraints) rows.push_back(c.phi);
    std::vector<sym::Expr> all = rows;
    for (const auto& entry : jacobian(rows, s.equations.q).entries) all.push_back(entry.value);
    const numeric::IntervalFunction bounds(*s.numbers, all);
    const auto values = s.numbers->compile_with_accelerations(all);
    const numeric::Layout& layout = s.numbers->layout();
    std::mt19937_64 random(17);
    std::uniform_real_distribution<double> offset(-0.5, 0.5), part(0, 1);
    std::size_t bounded = 0;
    for (const double width : {0.0, 1e-6, 0.1, 2.0}) {
        const numeric::State start = s.start();
        std::vector<Interval> box;
        for (const double x : numeric::arguments(layout, start, VectorXd::Zero(layout.nu), VectorXd::Zero(layout.m))) {
            const double from = x + offset(random);
            box.emplace_back(from, from + width);
        }
        const std::vector<numeric::IntervalFunction::Value> out = bounds(box);
        for (int k = 0; k < 20; ++k) {
            VectorXd in(static_cast<Index>(box.size())), exact(static_cast<Index>(all.size()));
            for (Index i = 0; i < in.size(); ++i) in[i] = box[i].lower + part(random) * box[i].width();
            values({in.data(), box.size()}, {exact.data(), all.size()});
            for (std::size_t i = 0; i < all.size(); ++i) {
                const double x = exact[static_cast<Index>(i)];
                if (!std::isfinite(x)) continue;
                // compiled code rounds too: by as much as bounds of one state are apart, and some
                const double slack = width == 0 ? 1e-9 * (1 + std::abs(x)) : 1e-11 * (1 + std::abs(x));
                ASSERT_GE(x, out[i].bounds.lower - slack) << width << ", row " << i;
                ASSERT_LE(x, out[i].bounds.upper + slack) << width << ", row " << i;
                bounded += out[i].bounds.is_bounded() ? 1 : 0;
            }
        }
    }
    EXPECT_GT(bounded, 0u);
}

INSTANTIATE_TEST_SUITE_P(Zoo, IntervalFunctionOfTheZoo,
                         testing::Values("double_pendulum", "four_bar", "slider_crank", "spinning_top", "spring_pendulum", "rod_pendulum",
                                         "spatial_four_bar", "duffing", "cart_pole", "screw_press"),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace linkwright
