#pragma once
// A model and its equations, derived once, and what compare says of a page beside them.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "linkwright/compare/compare.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/read.hpp"
#include "support/project_root.hpp"

namespace linkwright::compare {

inline const std::string root = project_root();

inline std::string content(const std::string& path) {
    std::ifstream file(root + "/" + path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A model and its equations, derived once.
class Against {
public:
    explicit Against(const std::string& path) {
        model::Reading reading = model::read_file(root + "/" + path);
        EXPECT_TRUE(reading.model) << to_string(reading.problems);
        model_ = std::make_unique<model::Model>(std::move(reading.model.value()));
        topology_ = topology::analyse(*model_).topology.value();
        equations_ = formulation::kane::derive(*model_, topology_, {.partial_velocities = true, .axes = formulation::Axes::ground})
                         .equations.value();
    }
    Comparison operator()(const std::string& text, const std::string& file = "hand.eqs", const std::string& names = {}) const {
        return compare(
            equations_,
            {.file = file, .text = text, .names_file = "hand.names", .names_text = names, .seed = 5, .patience = std::chrono::seconds(2)});
    }
    const eom::EquationsOfMotion& equations() const { return equations_; }

private:
    std::unique_ptr<model::Model> model_;
    topology::Topology topology_;
    eom::EquationsOfMotion equations_;
};

/// "line:column what" of the first repair.
inline std::vector<std::string> repairs(const ComparedEntry& e) {
    std::vector<std::string> out;
    if (e.repairs.empty()) return out;
    for (const Repair& r : e.repairs.front())
        out.push_back(std::to_string(r.where.line) + ":" + std::to_string(r.where.column) + " " + r.what);
    return out;
}

}  // namespace linkwright::compare
