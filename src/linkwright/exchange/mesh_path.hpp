#pragma once
// Where the meshes of a robot are. Internal to the room.

#include <filesystem>
#include <optional>
#include <string>

namespace linkwright::exchange {

/// The file that `uri` means for a robot whose file stands in `folder`: a path relative to it, file://…, or package://NAME/… and model://NAME/…, which
/// are looked for in the folder, those above it, and where one of these is itself called NAME. Empty when there is no such file.
std::optional<std::filesystem::path> find_mesh(const std::string& uri, const std::filesystem::path& folder);

/// Whether pictures can show it: STL and OBJ.
bool is_drawn(const std::filesystem::path& mesh);

}  // namespace linkwright::exchange
