#pragma once
// Models to prove something about.

#include <gtest/gtest.h>

#include <filesystem>

#include "linkwright/model/build.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/proof/at_solution.hpp"
#include "support/project_root.hpp"

namespace linkwright::proof {

inline std::vector<std::filesystem::path> model_files(const std::string& folder) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project_root() + folder)) {
        if (entry.path().extension() == ".toml" && entry.path().filename() != "lynch.toml") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

struct Subject {
    model::Model model;
    topology::Topology topology;

    explicit Subject(model::Model m) : model(std::move(m)) {
        topology::Analysis analysis = topology::analyse(model);
        if (!analysis.topology) throw std::runtime_error(analysis.problems.front().what);
        topology = std::move(*analysis.topology);
    }
    static Subject read(const std::filesystem::path& path) { return of(model::read_file(path)); }
    static Subject read_text(const std::string& text) { return of(model::read(text)); }

    /// In a pool of its own, with the wrenches of all joints.
    eom::EquationsOfMotion derive(std::string_view formulation) const {
        model::Model own = model::copy(model, std::make_shared<sym::Pool>());
        ask_for_reactions(own);
        formulation::Derived derived = formulation::find_formulation(formulation)->derive(own, topology, {});
        if (!derived.equations) throw std::runtime_error(derived.problems.front().what);
        return std::move(*derived.equations);
    }
    Certificate prove(Options options = {.seed = 1}) const {
        options.patience = options.reading = std::chrono::milliseconds(20);
        return proof::prove(model, topology, options);
    }

private:
    static Subject of(model::Reading reading) {
        if (!reading.model) throw std::runtime_error(reading.problems.front().what);
        return Subject(std::move(*reading.model));
    }
};

}  // namespace linkwright::proof
