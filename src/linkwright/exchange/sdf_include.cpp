#include "linkwright/exchange/sdf_include.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace linkwright::exchange {

namespace fs = std::filesystem;
using xml::Element;

namespace {

constexpr std::size_t longest_way = 50;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

fs::path first_file(const Problems& problems) { return problems.files.empty() ? fs::path{} : fs::path(problems.files.front()); }

/// "1.10" is newer than "1.9".
std::vector<int> version_of(const std::string& text) {
    std::vector<int> parts(1);
    for (const char c : text) {
        if (c == '.')
            parts.push_back(0);
        else if (c >= '0' && c <= '9' && parts.back() < 10'000)
            parts.back() = 10 * parts.back() + (c - '0');
    }
    return parts;
}

}  // namespace

SdfIncludes::SdfIncludes(const TranslateOptions& options, Problems& problems)
    : options_(options), problems_(problems), allowed_(first_file(problems), options), way_{settle(first_file(problems))} {}

std::optional<IncludedModel> SdfIncludes::enter(const Element& include, const fs::path& folder) {
    const Element uri = include.child("uri");
    if (!uri || uri.text().empty()) {
        problems_.error(include.origin(), "<include> has no <uri>", "write the file or the folder of the model: <uri>arm/model.sdf</uri>");
        return std::nullopt;
    }
    const auto path = find(uri.text(), uri, folder);
    if (!path) return std::nullopt;
    const fs::path settled = settle(*path);
    if (std::ranges::find(way_, settled) != way_.end()) {
        problems_.error(uri.origin(), fmt::format("'{}' includes itself, perhaps by way of others", uri.text()),
                        "files cannot include each other in a circle");
        return std::nullopt;
    }
    if (way_.size() > longest_way) {
        problems_.error(uri.origin(), fmt::format("files include one another more than {} deep", longest_way));
        return std::nullopt;
    }
    const auto model = model_in(*path, uri);
    if (!model) return std::nullopt;
    way_.push_back(settled);
    return IncludedModel{*model, path->has_parent_path() ? path->parent_path() : fs::path(".")};
}

std::optional<fs::path> SdfIncludes::find(const std::string& uri, const Element& e, const fs::path& folder) {
    std::string_view text = uri;
    std::vector<fs::path> candidates;
    const bool is_model = text.starts_with("model://") || text.starts_with("package://");
    if (is_model) {
        text.remove_prefix(text.find("//") + 2);
        for (const fs::path& given : options_.models) candidates.push_back(given / text);
        std::error_code ignored;
        for (fs::path at = settle(fs::absolute(folder, ignored));; at = at.parent_path()) {
            candidates.push_back(at / text);
            if (at == at.parent_path()) break;
        }
    } else if (text.find("://") != std::string_view::npos && !text.starts_with("file://")) {
        problems_.error(e.origin(), fmt::format("'{}' is not on this machine: nothing is fetched", uri),
                        "download the model, and write the path of its folder here");
        return std::nullopt;
    } else {
        if (text.starts_with("file://")) text.remove_prefix(7);
        candidates.push_back(fs::path(text).is_absolute() ? fs::path(text) : folder / text);
    }
    const auto found = std::ranges::find_if(candidates, is_there);
    if (found == candidates.end()) {
        problems_.error(e.origin(), fmt::format("there is no model '{}'", uri),
                        is_model ? "it is looked for in this folder, in those above it, and in those that 'import --models FOLDER' names"
                                 : "paths count from the folder of the file that includes");
        return std::nullopt;
    }
    const auto refuse = [&](const fs::path& path) {
        if (allowed_.has(settle(path))) return false;
        problems_.error(e.origin(), fmt::format("the included model '{}' lies outside of the file's folder", uri),
                        is_model ? "allow its folder: linkwright import FILE --models FOLDER"
                                 : "copy it into the folder, or allow it: linkwright import FILE --outside");
        return true;
    };
    if (refuse(*found)) return std::nullopt;
    const fs::path path = is_folder(*found) ? file_of(*found) : *found;
    if (refuse(path)) return std::nullopt;  // a link leads out of the folder
    return path.lexically_normal();
}

fs::path SdfIncludes::file_of(const fs::path& model_folder) {
    fs::path file = "model.sdf";
    const fs::path manifest = model_folder / "model.config";
    if (!is_there(manifest) || !allowed_.has(settle(manifest))) return model_folder / file;
    Problems own;  // what is wrong with a manifest shows in the file that is not found
    const auto document = xml::parse_file(manifest, own);
    if (!document) return model_folder / file;
    std::vector<int> newest;
    for (const Element& e : document->root().children("sdf")) {
        std::vector<int> version = version_of(e.attribute("version").value_or("0"));
        if (e.text().empty() || version < newest) continue;
        newest = std::move(version);
        file = e.text();
    }
    return model_folder / file;
}

std::optional<Element> SdfIncludes::model_in(const fs::path& path, const Element& e) {
    const auto [at, is_new] = documents_.try_emplace(settle(path));
    if (is_new) {
        if (is_there(path))
            at->second = xml::parse_file(path, problems_, e.origin());
        else
            problems_.error(e.origin(), fmt::format("there is no file '{}'", path.string()), "the folder of a model holds model.sdf");
    }
    if (!at->second) return std::nullopt;  // told
    const Element root = at->second->root();
    if (root.name() != "sdf") {
        problems_.error(e.origin(), fmt::format("the included file is <{}>, not <sdf>", root.name()),
                        "import it by itself and export it: linkwright export FILE --to sdf");
        return std::nullopt;
    }
    const std::vector<Element> models = root.children("model");
    if (models.size() == 1) return models.front();
    problems_.error(e.origin(), fmt::format("the included file has {} models, and not one", models.size()),
                    models.empty() && root.child("world") ? "a world cannot be included" : "");
    return std::nullopt;
}

}  // namespace linkwright::exchange
