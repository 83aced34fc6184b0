#include "linkwright/exchange/mesh_path.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace linkwright::exchange {

namespace fs = std::filesystem;

namespace {

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

std::optional<fs::path> find_in_package(const fs::path& inside, const fs::path& folder) {
    std::error_code ignored;
    const fs::path package = inside.empty() ? inside : *inside.begin();
    const fs::path rest = inside.lexically_relative(package);
    for (fs::path at = fs::absolute(folder, ignored).lexically_normal(); !at.empty(); at = at.parent_path()) {
        if (is_file(at / inside)) return at / inside;
        const fs::path own = at.filename().empty() ? at.parent_path().filename() : at.filename();
        if (own == package && is_file(at / rest)) return at / rest;
        if (at == at.parent_path()) break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_mesh(const std::string& uri, const fs::path& folder) {
    const std::string_view text = uri;
    for (const std::string_view scheme : {"package://", "model://"}) {
        if (text.starts_with(scheme)) return find_in_package(fs::path(text.substr(scheme.size())), folder);
    }
    const fs::path path = text.starts_with("file://") ? fs::path(text.substr(7)) : fs::path(text);
    const fs::path whole = path.is_absolute() ? path : folder / path;
    return !uri.empty() && is_file(whole) ? std::optional(whole) : std::nullopt;
}

bool is_drawn(const fs::path& mesh) {
    std::string end = mesh.extension().string();
    std::ranges::transform(end, end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return end == ".stl" || end == ".obj";
}

}  // namespace linkwright::exchange
