#pragma once
// A robot's file (URDF, SDF, MJCF) as the text of a model file, format 1, which model/read.hpp reads like any other.
//
// There is one path into a model: what another format says is said again in our own words, and those are read. So `import` shows the very
// text that every verb works with. What the reader finds wrong with that text is told at the place of the user's file that caused it, never at a line
// of a text that the user has not seen.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/model/read.hpp"

namespace linkwright::exchange {

/// A place in one of the files that were read: a file may include others. Line 0 is no place.
struct Origin {
    std::uint32_t file = 0;  ///< index into Translation::files
    Position where{0, 0};
    bool operator==(const Origin&) const = default;
};

/// `text` is empty exactly when `problems` holds an error. Problems have their files; all are found at once.
struct Translation {
    std::optional<std::string> text{};
    Diagnostics problems{};
    std::vector<std::string> files{};  ///< names for messages; the first is the file itself
    std::vector<Origin> origins{};     ///< origins[i]: where line i + 1 of the text came from
    std::string sha256{};              ///< of the file's bytes
};

enum class Base : std::uint8_t { as_written, fixed, floating };

struct TranslateOptions {
    Base base = Base::as_written;  ///< how the root is held where the format does not say; of URDF as written is fixed
    std::filesystem::path
        folder{};          ///< of the model file that the text becomes; paths of meshes are relative to it. Empty: that of the robot's file
    bool outside = false;  ///< files outside of the robot's folder may be included
    std::vector<std::filesystem::path> models{};  ///< folders in which model://NAME is looked for, beside those around the file
};

/// Problems of the text that a translation made, told at the places they came from, in the order of these places.
Diagnostics at_origins(Diagnostics problems, const Translation& translation);

/// Reads what was translated. The model's file is the robot's, so that meshes are found.
model::Reading read(const Translation& translation);

}  // namespace linkwright::exchange
