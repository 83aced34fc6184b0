#pragma once
// Two mechanisms that move alike, one of them with redundant rows of constraints.

#include <gtest/gtest.h>

#include <complex>

#include "linkwright/session/generate.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/simulate.hpp"

namespace linkwright::test {

using Eigen::VectorXd;

inline double off(const VectorXd& a, const VectorXd& b) {
    if (a.size() != b.size()) return 1e300;
    return a.size() == 0 ? 0 : (a - b).lpNorm<Eigen::Infinity>() / (1 + b.lpNorm<Eigen::Infinity>());
}

/// The worst distance of a pole to the nearest of the others, beside the largest of all.
inline double off(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b) {
    if (a.size() != b.size()) return 1e300;
    double worst = 0;
    for (const std::complex<double> x : a) worst = std::max(worst, (b.array() - x).abs().minCoeff());
    return a.size() == 0 ? 0 : worst / (1 + b.lpNorm<Eigen::Infinity>());
}

/// What moves alike in both: every column of `should` at its end, beside the largest number there.
inline void expect_same_end(const session::Simulation& moved, const session::Simulation& should, double tolerance) {
    const double largest = should.motion.rows.back().lpNorm<Eigen::Infinity>();
    for (std::size_t k = 0; k < should.motion.columns.size(); ++k) {
        const std::string& column = should.motion.columns[k];
        const auto same = std::ranges::find(moved.motion.columns, column);
        if (same == moved.motion.columns.end()) continue;  // multipliers of rows that are not there
        if (column.ends_with(".tension")) continue;        // shared by legs side by side
        const double x = moved.motion.rows.back()[static_cast<std::size_t>(same - moved.motion.columns.begin())];
        const double y = should.motion.rows.back()[k];
        EXPECT_LT(std::abs(x - y), tolerance * (1 + largest)) << column;
    }
}

/// Linear models, poles and the rank in emitted code say the same of both.
inline void expect_same_linear(const session::Session& with, const session::Session& without, std::size_t freedoms) {
    session::LinearizeOptions linearize;
    linearize.operating.at = linear::Operating::At::initial;
    const auto linear = session::linearize(with, linearize), linear_truth = session::linearize(without, linearize);
    ASSERT_TRUE(linear_truth) << to_string(linear_truth.problems);
    ASSERT_TRUE(linear) << to_string(linear.problems);
    EXPECT_EQ(linear->linear.state_space.A.rows(), linear_truth->linear.state_space.A.rows());
    session::ModesOptions modes;
    modes.operating.at = linear::Operating::At::initial;
    const auto poles = session::modes(with, modes), poles_truth = session::modes(without, modes);
    ASSERT_TRUE(poles_truth) << to_string(poles_truth.problems);
    ASSERT_TRUE(poles) << to_string(poles.problems);
    EXPECT_LT(off(poles->modes().poles, poles_truth->modes().poles), 1e-6) << poles->modes().poles << "\n\n" << poles_truth->modes().poles;

    session::GenerateOptions generate;
    generate.languages = {"c"};
    const auto code = session::generate(with, generate);
    ASSERT_TRUE(code) << to_string(code.problems);
    if (code->package.m() > 0) EXPECT_EQ(code->package.nu() - code->package.rank, freedoms);
}

}  // namespace linkwright::test
