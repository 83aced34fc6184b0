#pragma once
// Model files (TOML, format 1) to models. docs/formats/model.md describes them for people.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::model {

class ParameterValues;

/// `model` is empty exactly when `problems` holds an error. Problems come in the order of the text; all of them are
/// found at once, up to a hundred. Warnings do not stop.
struct Reading {
    std::optional<Model> model;
    Diagnostics problems;
    std::string sha256{};  ///< of the text, where there was one
};

/// Reads a text. `file` is its name in messages. Cost: linear in the text and in what chains make of it.
Reading read(std::string_view text, std::string file = {});

/// Reads a file of at most 16 MB.
Reading read_file(const std::filesystem::path& path);

/// `--set name=value`: replaces the value or the derivation of a parameter or an input. A plain number is in the unit
/// that the file gives, as it would be there; one with a unit of its own is converted. Enforces min and max. Nothing is changed when a problem is returned.
std::optional<Diagnostic> set_value(Model& model, std::string_view name, std::string_view expression);

/// `--initial name=value`: where a coordinate, speed or state begins, instead of what [initial] or [guess] say of it; a number (SI units), a number with a unit
/// ("20deg"), or an expression in parameters. Nothing is changed when a problem is returned.
std::optional<Diagnostic> set_initial(Model& model, std::string_view name, std::string_view value);

/// What only numbers can tell: masses and moments below zero (errors), moments no body can have (warnings), parameters
/// outside of min and max (errors).
Diagnostics check_values(const Model& model);
/// The same with other values than the model's own.
Diagnostics check_values(const Model& model, const ParameterValues& values);

}  // namespace linkwright::model
