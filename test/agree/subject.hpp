#pragma once
// A model, derived one way or another, and numbers for it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/long_real.hpp"
#include "linkwright/topology/topology.hpp"
#include "support/project_root.hpp"

namespace linkwright::agree {

using eom::EquationsOfMotion;
using sym::Expr;
using Values = std::map<std::string, double>;

inline model::Model read(const std::filesystem::path& path) {
    model::Reading reading = model::read_file(path);
    if (!reading.model) throw std::runtime_error(path.string() + " cannot be read");
    return std::move(*reading.model);
}

inline model::Model read_text(const std::string& text) {
    model::Reading reading = model::read(text);
    if (!reading.model) throw std::runtime_error(reading.problems.empty() ? "no model" : reading.problems.front().what);
    return std::move(*reading.model);
}

struct Subject {
    model::Model model;
    topology::Topology topology;
    EquationsOfMotion kane, recursive;

    explicit Subject(model::Model m) : model(std::move(m)) {
        topology::Analysis analysis = topology::analyse(model);
        if (!analysis.topology) throw std::runtime_error(analysis.problems.front().what);
        topology = std::move(*analysis.topology);
        formulation::Derived r = formulation::recursive::derive(model, topology), k = formulation::kane::derive(model, topology);
        if (!k.equations || !r.equations) throw std::runtime_error((k.equations ? r : k).problems.front().what);
        kane = std::move(*k.equations);
        recursive = std::move(*r.equations);
    }

    /// Numbers for every coordinate, speed and acceleration; Euler parameters of length 1; inputs too.
    Values random_values(std::uint64_t seed) const {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> between(-1, 1);
        Values v;
        for (const auto* list : {&recursive.q, &recursive.u, &recursive.udot, &recursive.x}) {
            for (const Expr& x : *list) v[x.symbol().name] = between(random);
        }
        for (const auto& group : recursive.quaternions) {
            double square = 0;
            for (const std::size_t i : group) square += std::pow(v[recursive.q[i].symbol().name], 2);
            for (const std::size_t i : group) v[recursive.q[i].symbol().name] /= std::sqrt(square);
        }
        for (const eom::Input& w : recursive.inputs) v[w.symbol.symbol().name] = between(random);
        v[recursive.t.symbol().name] = between(random);
        return v;
    }

    template <class S = double>
    std::vector<S> evaluate(std::span<const Expr> roots, const Values& v) const {
        const model::ParameterValues parameters(model);
        std::map<std::string, double> of_parameter;
        for (const model::Parameter& p : model.parameters) of_parameter[p.symbol.symbol().name] = parameters(p.symbol);
        return sym::evaluate<S>(roots, [&](const Expr& s) {
            const std::string& name = s.symbol().name;
            if (s.symbol().role == sym::Role::parameter) return S(of_parameter.at(name));
            const auto found = v.find(name);
            if (found == v.end()) throw std::runtime_error("no value for " + name);
            return S(found->second);
        });
    }
};

/// The program of `outputs` with every parameter a constant, and its mul + add + div.
inline program::Program lowered(const Subject& s, const EquationsOfMotion& e, std::span<const Expr> outputs) {
    std::vector<Expr> inputs;
    for (const auto* list : {&e.q, &e.u, &e.udot, &e.x}) inputs.insert(inputs.end(), list->begin(), list->end());
    for (const eom::Input& w : e.inputs) inputs.push_back(w.symbol);
    inputs.push_back(e.t);
    std::vector<sym::Binding> constants;
    const model::ParameterValues parameters(s.model);
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        const sym::PoolScope scope(*e.pool);
        constants.emplace_back(e.parameters[i].symbol, Expr(parameters(s.model.parameters[i].symbol)));
    }
    return program::lower(outputs, inputs, constants);
}
inline std::size_t cost(const program::Program& p) {
    const program::Operations n = program::count(p);
    return n.add + n.mul + n.div;
}

inline std::vector<std::filesystem::path> files(const std::string& folder) {
    std::vector<std::filesystem::path> r;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project_root() + folder)) {
        if (entry.path().extension() == ".toml" && entry.path().filename() != "lynch.toml") r.push_back(entry.path());
    }
    std::ranges::sort(r);
    return r;
}

}  // namespace linkwright::agree
