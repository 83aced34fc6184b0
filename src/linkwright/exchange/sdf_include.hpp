#pragma once
// Models of other files that an SDF includes. Internal to the room.
//
// <uri> is a path from the folder of the file that includes, file://…, or model://NAME/…, which is looked for in the folders that the user has named, in the
// folder of the file and in those above it. It names a file, or the folder of a model, whose model.config says which file is meant (the newest version),
// or else it is model.sdf. Files outside of the first one's folder are refused unless they are allowed; a file that includes itself by whatever way is told.
// A file is read once, however often it is included.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/exchange/allowed_files.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

struct IncludedModel {
    xml::Element model{};
    std::filesystem::path folder{};  ///< of its file
};

class SdfIncludes {
public:
    SdfIncludes(const TranslateOptions& options, Problems& problems);

    /// The one model of the file that <uri> names, and from now on what it includes; leave() when that is done. Empty, with a problem, when there is none.
    std::optional<IncludedModel> enter(const xml::Element& include, const std::filesystem::path& folder);
    void leave() { way_.pop_back(); }

private:
    std::optional<std::filesystem::path> find(const std::string& uri, const xml::Element& e, const std::filesystem::path& folder);
    std::filesystem::path file_of(const std::filesystem::path& model_folder);
    std::optional<xml::Element> model_in(const std::filesystem::path& path, const xml::Element& e);

    const TranslateOptions& options_;
    Problems& problems_;
    AllowedFiles allowed_;
    std::vector<std::filesystem::path> way_;  ///< settled: the files that are open, the first one first
    std::map<std::filesystem::path, std::optional<xml::Document>> documents_;
};

}  // namespace linkwright::exchange
