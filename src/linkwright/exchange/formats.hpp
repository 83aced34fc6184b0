#pragma once
// The list of formats.

#include <span>
#include <string>
#include <string_view>

#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/written.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

struct Format {
    std::string name;  ///< of --to: "urdf"
    std::string about;
    std::string root;       ///< the name of its root element
    std::string extension;  ///< of files that are written: ".urdf"
    Translation (*translate)(const xml::Document& document, Problems problems, const TranslateOptions& options);
    Written (*write)(const model::Model& model, const Assembled& assembled);
};

std::span<const Format> formats();
/// By name; null when there is none.
const Format* find_format(std::string_view name);

/// Whether a file is to be translated rather than read as a model file: by its extension, or because it begins like XML.
bool is_foreign(const std::filesystem::path& path, std::string_view bytes);

/// Finds the format by the root element and translates. `file` is the path, for messages and to find what the file names.
Translation translate(std::string_view bytes, const std::string& file, const TranslateOptions& options = {});
/// Reads a file of at most 64 MB.
Translation translate_file(const std::filesystem::path& path, const TranslateOptions& options = {});

}  // namespace linkwright::exchange
