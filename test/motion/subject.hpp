#pragma once
// A model file derived, compiled, assembled and ready to move, as the command line does it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "support/project_root.hpp"
#include "support/roundings.hpp"

namespace linkwright {

using Json = nlohmann::json;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Subject {
    explicit Subject(const std::string& path) { derive(model::read_file(project_root() + "/" + path)); }
    explicit Subject(model::Reading reading) { derive(std::move(reading)); }

    void derive(model::Reading reading) {
        for (const Diagnostic& d : reading.problems) EXPECT_EQ(d.severity, Diagnostic::Severity::warning) << to_string(d);
        model = std::make_unique<model::Model>(std::move(reading.model.value()));
        nudge(*model);
        derive();
    }
    /// Again, after values have been set.
    void derive() {
        const auto topology = topology::analyse(*model).topology.value();
        equations = formulation::recursive::derive(*model, topology, {}).equations.value();
        numbers = std::make_unique<numeric::CompiledEquations>(equations, test_code());
    }
    numeric::State start() const {
        const numeric::AssembledState a = numeric::assemble(*numbers, numeric::wanted(*numbers));
        EXPECT_TRUE(a.is_ok()) << a.why;
        return a.state;
    }

    std::unique_ptr<model::Model> model;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;
};

/// `intervals` equal ones from 0 to `until`.
inline std::vector<double> times_until(double until, int intervals) {
    std::vector<double> times;
    for (int i = 0; i <= intervals; ++i) times.push_back(until * i / intervals);
    return times;
}

inline VectorXd vector_of(const Json& j) {
    VectorXd v(static_cast<Index>(j.size()));
    for (Index i = 0; i < v.size(); ++i) v[i] = j[i].get<double>();
    return v;
}

inline Index column(const motion::Motion& motion, const std::string& name) {
    const auto at = std::ranges::find(motion.columns, name);
    EXPECT_NE(at, motion.columns.end()) << name;
    return static_cast<Index>(at - motion.columns.begin());
}

/// The largest difference of coordinates and speeds over rows that both have.
inline double difference(const motion::Motion& a, const motion::Motion& b, Index states) {
    double most = a.rows.size() == b.rows.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.rows.size(), b.rows.size()); ++i)
        most = std::max(most, (a.rows[i] - b.rows[i]).segment(1, states).cwiseAbs().maxCoeff());
    return most;
}

}  // namespace linkwright
