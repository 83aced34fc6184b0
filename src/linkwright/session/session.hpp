#pragma once
// One object that knows a mechanism: its model, its graph, its equations in any formulation, and code for them.
//
//     const auto crane = linkwright::open("crane.toml");
//     if (!crane) std::cerr << to_string(crane.problems);
//     const auto motion = simulate(*crane, {.rows = {.until = 10}});
//
// A session is a handle: copying it is cheap, and everything it needs lives as long as any copy does. It never changes. What it has to work out
// (equations, compiled code) is worked out when it is first asked for, and kept. The verbs are free functions, one header each; they return
// results with what there is to say about them, print nothing, and throw nothing but std::bad_alloc and what Result says.
//
// Threads may share a session. Expressions belong to a pool, and a pool to one thread at a time; so every verb works at a bench of its own, with its
// own copy of the equations: one that lies idle, or a fresh one. model() and equations() are for reading: building expressions out of
// theirs is, as everywhere, the business of one thread.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/finish.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/session/report.hpp"
#include "linkwright/topology/topology.hpp"

namespace linkwright::session {

struct OpenOptions {
    std::vector<std::string> set{};      ///< "name=value": other values of parameters and inputs
    std::vector<std::string> freeze{};   ///< parameters that become numbers, or "all"
    std::string formulation{};           ///< of every verb; empty: the one that suits it, kane for formulas and recursive for code
    std::vector<std::string> initial{};  ///< "hip=20deg": where coordinates, speeds and states begin, instead of [initial] and [guess]
    std::string base{};                  ///< of robots' files: how the root is held, "fixed" or "floating"; empty: as the file has it
};

/// What can be said without a model.
Diagnostics check(const OpenOptions& options);

using Equations = std::shared_ptr<const eom::EquationsOfMotion>;

class Session {
public:
    const model::Model& model() const;
    /// Before parameters were frozen.
    const model::Model& whole_model() const;
    const topology::Topology& topology() const;
    const OpenOptions& options() const;
    /// Where the model came from: the path, or the name it was given.
    const std::string& source() const;

    /// By a formulation's name; empty: that of the options, or kane.
    Result<Equations> equations(const std::string& formulation = {}, const formulation::Options& options = {}) const;

    struct Inside;
    explicit Session(std::shared_ptr<const Inside> inside);
    const Inside& inside() const { return *inside_; }

private:
    std::shared_ptr<const Inside> inside_;
};

/// Reads a model file, or a robot's file (exchange/formats.hpp), which is translated first.
Result<Session> open(const std::string& path, const OpenOptions& options = {});
/// The same of a text; `name` stands for the file in messages.
Result<Session> open_text(std::string_view text, const std::string& name = {}, const OpenOptions& options = {});
/// Of a model made in C++. The model is copied.
Result<Session> open_model(const model::Model& model, const OpenOptions& options = {});

/// "kane, recursive": what there is.
std::string known_formulations();

}  // namespace linkwright::session

namespace linkwright {

using session::open;
using session::open_model;
using session::open_text;

}  // namespace linkwright
