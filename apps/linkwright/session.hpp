#pragma once
// What all verbs share: the model file with its options, results and complaints.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/formulation/finish.hpp"
#include "linkwright/program/count.hpp"
#include "verb.hpp"

namespace linkwright::cli {

/// Options that every verb takes.
struct SharedOptions {
    std::string model;
    std::vector<std::string> set;     ///< name=value
    std::vector<std::string> freeze;  ///< names, or "all"
    std::string formulation = "kane";  ///< verbs that want code rather than formulas say "recursive"
    std::string output;               ///< empty: standard output
    bool json = false, quiet = false;
};
void declare(CLI::App& words, SharedOptions& common);

/// An option that takes one of a few words; `take` is told which.
CLI::Option* add_choice(CLI::App& words, const std::string& name, std::vector<std::string> choices, std::function<void(std::size_t)> take, const std::string& about);

/// A model with its graph; empty when it could not be read, and then the reasons have been told.
struct Loaded {
    std::unique_ptr<model::Model> model;  ///< at a fixed address: equations refer to it
    topology::Topology topology;
};
std::optional<Loaded> load(const SharedOptions& common);
std::optional<eom::EquationsOfMotion> derive(const SharedOptions& common, const Loaded& loaded, const formulation::Options& options = {});

/// Native code where there can be some, otherwise the interpreter, with one line of notice unless `quiet`.
numeric::Compile native_code(bool quiet);

/// To standard error, unless `quiet` and only warnings.
void report(const Diagnostics& problems, bool quiet);
void report_error(const std::string& what, const std::string& hint = {});

/// To the file of -o (written beside, then renamed) or to standard output.
int deliver(const SharedOptions& common, const std::string& text);

nlohmann::ordered_json to_json(const Eigen::VectorXd& v);
nlohmann::ordered_json to_json(const Eigen::MatrixXd& m);
nlohmann::ordered_json to_json(const program::Operations& operations);
nlohmann::ordered_json names(const std::vector<sym::Expr>& symbols);
std::string dump(const nlohmann::ordered_json& json);  ///< indented, short arrays on one line

}  // namespace linkwright::cli
