#pragma once
// A robot's file translated, read, derived and put into numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "linkwright/exchange/formats.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/topology/topology.hpp"
#include "support/project_root.hpp"

namespace linkwright::exchange {

inline std::string path_of(const std::string& robot) { return project_root() + "/test/exchange/robots/" + robot; }

inline std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A sine of numbers: in no special place, and the same everywhere.
inline double spread(Eigen::Index i, int seed) {
    return std::sin(1.0 + 2.3 * static_cast<double>(i) + 0.7 * seed * static_cast<double>(i + 1));
}

struct Subject {
    explicit Subject(const Translation& translation, const std::string& more = {}) {
        Translation whole = translation;
        if (whole.text) *whole.text += more;
        model::Reading reading = read(whole);
        EXPECT_TRUE(reading.model) << to_string(reading.problems) << whole.text.value_or("");
        if (reading.model) derive(std::move(*reading.model));
    }
    explicit Subject(model::Model m) { derive(std::move(m)); }

    void derive(model::Model m) {
        model = std::make_unique<model::Model>(std::move(m));
        auto analysis = topology::analyse(*model);
        ASSERT_TRUE(analysis.topology) << to_string(analysis.problems);
        auto derived = formulation::recursive::derive(*model, *analysis.topology, {});
        ASSERT_TRUE(derived.equations) << to_string(derived.problems);
        equations = std::move(*derived.equations);
        numbers = std::make_unique<numeric::CompiledEquations>(equations, jit::native());
    }

    std::vector<std::string> coordinates() const {
        std::vector<std::string> names;
        for (const sym::Expr& q : equations.q) names.push_back(q.symbol().name);
        return names;
    }
    std::vector<std::string> speeds() const {
        std::vector<std::string> names;
        for (const sym::Expr& u : equations.u) names.push_back(u.symbol().name);
        return names;
    }

    /// Somewhere; Euler parameters have length 1.
    numeric::State state(int seed) const {
        numeric::State s = numbers->zero_state();
        for (Eigen::Index i = 0; i < s.q.size(); ++i) s.q[i] = 0.9 * spread(i, seed);
        for (Eigen::Index i = 0; i < s.u.size(); ++i) s.u[i] = 1.7 * spread(i + 40, seed);
        const std::vector<std::string> names = coordinates();
        for (std::size_t i = 0; i + 3 < names.size(); ++i) {
            if (names[i].ends_with(".e0")) s.q.segment<4>(static_cast<Eigen::Index>(i)).normalize();
        }
        return s;
    }

    std::unique_ptr<model::Model> model;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;
};

/// The same mechanism: names, M, f, G and γ at a few states, up to rounding.
inline void expect_same(const Subject& a, const Subject& b, double tolerance = 1e-12) {
    ASSERT_TRUE(a.numbers && b.numbers);
    ASSERT_EQ(a.equations.q.size(), b.equations.q.size());
    ASSERT_EQ(a.equations.u.size(), b.equations.u.size());
    for (const int seed : {1, 2, 3}) {
        const numeric::Dynamics x = a.numbers->dynamics(a.state(seed)), y = b.numbers->dynamics(a.state(seed));
        ASSERT_EQ(x.G.rows(), y.G.rows());
        EXPECT_LT((x.M - y.M).cwiseAbs().maxCoeff(), tolerance * (1 + x.M.cwiseAbs().maxCoeff()));
        EXPECT_LT((x.f - y.f).cwiseAbs().maxCoeff(), tolerance * (1 + x.f.cwiseAbs().maxCoeff()));
        if (x.G.rows() > 0) {
            EXPECT_LT((x.G - y.G).cwiseAbs().maxCoeff(), tolerance * 10);
        }
    }
}

}  // namespace linkwright::exchange
