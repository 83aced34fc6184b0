#pragma once
// Systems M u̇ + Gᵀλ = f, G u̇ = γ for the kernels of emitted code, harder than models make them: redundant rows, more
// rows than columns, no freedom left, rows of zeros, masses of many sizes, M singular where G holds.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include <fmt/format.h>

#include "codegen/support.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace linkwright::codegen::test {

struct DescriptorCase {
    Eigen::MatrixXd M, G;
    Eigen::VectorXd f, gamma;
    std::vector<Quantity> expected;  ///< u̇, λ
};

inline Values values_row_by_row(const Eigen::MatrixXd& m) {
    Values v;
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
        for (Eigen::Index j = 0; j < m.cols(); ++j) v.push_back(m(i, j));
    }
    return v;
}

inline std::vector<DescriptorCase> descriptor_cases() {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const auto draw = [&](Eigen::Index rows, Eigen::Index columns) {
        return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
    };
    struct Shape {
        Eigen::Index n, m, rank;
        double spread;  ///< of the masses, in decades
        bool is_light;  ///< a speed that G holds has no inertia of its own
    };
    std::vector<DescriptorCase> cases;
    for (const auto& [n, m, rank, spread, is_light] : std::vector<Shape>{{3, 2, 2, 0, false},
                                                                         {1, 1, 1, 0, false},
                                                                         {1, 3, 1, 0, false},
                                                                         {2, 5, 2, 0, false},
                                                                         {4, 6, 3, 0, false},
                                                                         {6, 4, 4, 3, false},
                                                                         {5, 3, 2, 2, false},
                                                                         {3, 2, 0, 0, false},
                                                                         {1, 2, 0, 0, false},
                                                                         {4, 2, 2, 0, true},
                                                                         {8, 9, 6, 1, false}}) {
        DescriptorCase c;
        const Eigen::MatrixXd root = draw(n, n);
        Eigen::VectorXd size = Eigen::VectorXd::Ones(n);
        for (Eigen::Index j = 0; j < n; ++j) size(j) = std::pow(10.0, spread * normal(random) / 2);
        c.M = size.asDiagonal() * (root * root.transpose() + Eigen::MatrixXd::Identity(n, n)) * size.asDiagonal();
        c.G = draw(m, rank) * draw(rank, n);
        if (rank == 0) c.G = Eigen::MatrixXd::Zero(m, n);
        if (is_light) {  // the last speed is tied to the first
            c.M.row(n - 1).setZero();
            c.M.col(n - 1).setZero();
            c.G.row(0).setZero();
            c.G(0, 0) = 1, c.G(0, n - 1) = -2;
        }
        c.f = c.M * draw(n, 1) + draw(n, 1);
        c.gamma = c.G * draw(n, 1);
        const solve::DescriptorSolution x = solve::solve_descriptor(c.M, c.f, c.G, c.gamma);
        EXPECT_TRUE(x.ok) << x.why;
        const double tolerance = 1e-13 * std::max(100.0, x.condition);
        c.expected = {{"udot", static_cast<std::size_t>(n), 1, values_row_by_row(x.udot), tolerance},
                      {"lambda", static_cast<std::size_t>(m), 1, values_row_by_row(x.lambda), tolerance}};
        if (rank == 0) c.expected[1].tolerance = 1e290;  // nothing is held: λ is 0, rounding aside
        cases.push_back(std::move(c));
    }
    return cases;
}

/// A matrix as a literal: rows between `open` and `close`, their numbers between commas.
inline std::string literal(const Eigen::MatrixXd& m, const std::string& open, const std::string& between, const std::string& close) {
    std::string text = open;
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
        for (Eigen::Index j = 0; j < m.cols(); ++j) text += fmt::format("{}{}", j > 0 ? ", " : i > 0 ? between : "", m(i, j));
    }
    return text + close;
}

}  // namespace linkwright::codegen::test
