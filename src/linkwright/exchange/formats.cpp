#include "linkwright/exchange/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "linkwright/base/sha256.hpp"
#include "linkwright/exchange/mjcf.hpp"
#include "linkwright/exchange/sdf.hpp"
#include "linkwright/exchange/urdf.hpp"

namespace linkwright::exchange {

std::span<const Format> formats() {
    static const std::array<Format, 3> all{{
        {"urdf", "URDF, the robots of ROS", "robot", ".urdf", translate_urdf, write_urdf},
        {"mjcf", "MJCF, the models of MuJoCo", "mujoco", ".xml", translate_mjcf, write_mjcf},
        {"sdf", "SDF, the worlds of Gazebo", "sdf", ".sdf", translate_sdf, write_sdf},
    }};
    return all;
}

const Format* find_format(std::string_view name) {
    const auto at = std::ranges::find(formats(), name, &Format::name);
    return at == formats().end() ? nullptr : &*at;
}

bool is_foreign(const std::filesystem::path& path, std::string_view bytes) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* known : {".urdf", ".sdf", ".xml", ".mjcf", ".xacro", ".world"}) {
        if (extension == known) return true;
    }
    return xml::looks_like_xml(bytes);
}

namespace {

Translation refused(Problems problems) {
    Translation none;
    none.problems = std::move(problems.list);
    none.files = std::move(problems.files);
    return none;
}

std::string known_roots() {
    std::string words;
    for (const Format& f : formats()) words += fmt::format("{}<{}> ({})", words.empty() ? "" : ", ", f.root, f.name);
    return words;
}

Translation translate_document(const xml::Document& document, Problems problems, const TranslateOptions& options) {
    const std::string root(document.root().name());
    const auto at = std::ranges::find(formats(), root, &Format::root);
    if (at != formats().end()) return at->translate(document, std::move(problems), options);
    problems.error(document.root().origin(), fmt::format("<{}> is no robot that can be read here", root),
                   "the formats are " + known_roots());
    return refused(std::move(problems));
}

}  // namespace

Translation translate(std::string_view bytes, const std::string& file, const TranslateOptions& options) {
    Problems problems;
    const auto document = xml::parse(bytes, file, problems);
    Translation translation = document ? translate_document(*document, std::move(problems), options) : refused(std::move(problems));
    translation.sha256 = sha256(bytes);
    return translation;
}

Translation translate_file(const std::filesystem::path& path, const TranslateOptions& options) {
    Problems problems;
    const auto bytes = xml::read_bytes(path, problems);
    return bytes ? translate(*bytes, path.string(), options) : refused(std::move(problems));
}

}  // namespace linkwright::exchange
