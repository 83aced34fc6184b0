#pragma once
// Code that computes the equations, to take away.

#include <filesystem>

#include "linkwright/codegen/backends.hpp"
#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/quantities.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

/// When chains that repeat become routines.
enum class Routines : std::uint8_t { when_shorter, never, always };

struct GenerateOptions {
    std::vector<std::string> languages{};  ///< of codegen::backends()
    Routines routines = Routines::when_shorter;
    long fmi = 2;             ///< of an FMU: the version of the standard, 2 or 3
    Quantities quantities{};  ///< and "poses": where bodies are, for drawing (codegen::Extras)
    OnStep on_step{};         ///< told the languages that are done
};
Diagnostics check(const GenerateOptions& options);

struct GeneratedCode {
    codegen::Package package;
    std::vector<codegen::File> files;
    std::vector<std::string> languages;  ///< of each file
};

/// Where the motion begins goes into the code, closed; if it does not close, the code begins at zero, with a warning.
/// Stopped: no value.
Result<GeneratedCode> generate(const Session& session, const GenerateOptions& options);
/// The values of coordinates and speeds by default: where the mechanism begins, closed; and the rank of the constraints, which
/// emitted code keeps. If the mechanism does not close, that is a warning, the values stay zero and the code has to count.
void put_in_start(codegen::Package& package, const numeric::CompiledEquations& numbers, Report& report);
/// With the paths that the files have in `folder`.
Json to_json(const GeneratedCode& code, const std::filesystem::path& folder = {});

/// Of a text; 0 of an archive.
std::size_t count_lines(const codegen::File& file);

/// Into the folder, which is made when it is not there; all or none (write_files.hpp). What went wrong; empty when nothing did.
std::string save(const std::filesystem::path& folder, const std::vector<codegen::File>& files);

}  // namespace linkwright::session
