#pragma once
// Robots' files in and out: `import` and `export`. docs/exchange.md says what is read, written and left out.

#include <string>
#include <string_view>
#include <vector>

#include "linkwright/session/report.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct ImportOptions {
    std::string base{};    ///< "fixed" or "floating"; empty: as the file has it
    std::string output{};  ///< the model file that the text becomes: paths of meshes are relative to its folder. Empty: beside the robot's
    bool outside = false;  ///< files outside of the robot's folder may be included
    std::vector<std::string> models{};  ///< folders in which model://NAME is looked for, beside those around the file
};

Diagnostics check(const ImportOptions& options);

/// The text of a model file, which has been read once: what is wrong with it is told at the places of the robot's file.
Result<std::string> import_robot(const std::string& path, const ImportOptions& options = {});
/// The same of a text; `name` stands for the file in messages.
Result<std::string> import_text(std::string_view text, const std::string& name, const ImportOptions& options = {});

/// "urdf, sdf": what there is.
std::string known_formats();

/// The model in another format, by its name.
Result<std::string> export_robot(const Session& session, const std::string& format);

}  // namespace linkwright::session
