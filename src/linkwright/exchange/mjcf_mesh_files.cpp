// The three files of triangles that MuJoCo reads.

#include <charconv>
#include <cmath>
#include <cstring>

#include "linkwright/exchange/mjcf_mesh.hpp"

namespace linkwright::exchange::mjcf {

using Eigen::Vector3d;

namespace {

template <class T>
T little_endian(std::string_view bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);  // of the machines that we run on
    return value;
}

bool is_finite(const Vector3d& v) { return v.allFinite(); }

/// Words of a text, one after the other.
struct Words {
    std::string_view text;
    std::size_t at = 0;

    std::string_view next() {
        at = text.find_first_not_of(" \t\r\n", at);
        if (at == std::string_view::npos) return at = text.size(), std::string_view{};
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        at = end;
        return word;
    }
    bool number(double& x) {
        std::string_view word = next();
        if (word.starts_with('+')) word.remove_prefix(1);
        const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), x);
        return trouble == std::errc() && end == word.data() + word.size() && std::isfinite(x);
    }
    bool vertex(Vector3d& v) { return number(v.x()) && number(v.y()) && number(v.z()); }
};

std::optional<Triangles> parse_text_stl(std::string_view bytes, std::string& why) {
    Triangles all;
    Words words{bytes};
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word != "vertex") continue;
        Vector3d v;
        if (!words.vertex(v)) return why = "a vertex has no three numbers", std::nullopt;
        all.vertices.push_back(v);
    }
    for (std::uint32_t i = 0; i + 2 < all.vertices.size(); i += 3) all.faces.push_back({i, i + 1, i + 2});
    if (all.faces.empty()) return why = "it is no STL file", std::nullopt;
    return all;
}

// "7", "7/1", "7//3", "7/1/3", and negative numbers that count from the end.
std::optional<std::uint32_t> corner(std::string_view word, std::size_t vertices) {
    long long index = 0;
    const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (trouble != std::errc() || (end != word.data() + word.size() && *end != '/')) return {};
    if (index < 0) index += static_cast<long long>(vertices) + 1;
    if (index < 1 || index > static_cast<long long>(vertices)) return {};
    return static_cast<std::uint32_t>(index - 1);
}

}  // namespace

std::optional<Triangles> parse_stl(std::string_view bytes, std::string& why) {
    constexpr std::size_t head = 84, record = 50;
    const std::size_t count = bytes.size() < head ? 0 : little_endian<std::uint32_t>(bytes, 80);
    if (count == 0 || bytes.size() < head || (bytes.size() - head) / record < count || bytes.size() != head + count * record)
        return parse_text_stl(bytes, why);
    Triangles all;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t at = head + i * record + 12 * (k + 1);
            all.vertices.emplace_back(little_endian<float>(bytes, at), little_endian<float>(bytes, at + 4),
                                      little_endian<float>(bytes, at + 8));
            if (!is_finite(all.vertices.back())) return why = "a vertex is not finite", std::nullopt;
        }
        const auto first = static_cast<std::uint32_t>(3 * i);
        all.faces.push_back({first, first + 1, first + 2});
    }
    return all;
}

std::optional<Triangles> parse_obj(std::string_view bytes, std::string& why) {
    Triangles all;
    for (std::size_t from = 0; from < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', from), bytes.size());
        Words words{bytes.substr(from, end - from)};
        from = end + 1;
        const std::string_view kind = words.next();
        if (kind == "v") {
            Vector3d v;
            if (!words.vertex(v)) return why = "a vertex has no three numbers", std::nullopt;
            all.vertices.push_back(v);
        } else if (kind == "f") {
            std::vector<std::uint32_t> corners;  // of a polygon, cut into a fan
            for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
                const auto index = corner(word, all.vertices.size());
                if (!index) return why = "a face names a vertex that does not exist", std::nullopt;
                corners.push_back(*index);
            }
            for (std::size_t i = 2; i < corners.size(); ++i) all.faces.push_back({corners[0], corners[i - 1], corners[i]});
        }
    }
    if (all.faces.empty()) return why = "it has no faces", std::nullopt;
    return all;
}

std::optional<Triangles> parse_msh(std::string_view bytes, std::string& why) {
    constexpr std::size_t head = 16;
    why = "it is no MSH file of MuJoCo";
    if (bytes.size() < head) return {};
    const auto count = [&](std::size_t i) { return static_cast<std::size_t>(little_endian<std::uint32_t>(bytes, 4 * i)); };
    const std::size_t vertices = count(0), normals = count(1), texture = count(2), faces = count(3);
    if (std::max({vertices, normals, texture, faces}) > bytes.size()) return {};
    const std::size_t first_face = head + 12 * (vertices + normals) + 8 * texture;
    if (bytes.size() != first_face + 12 * faces) return {};
    Triangles all;
    for (std::size_t i = 0; i < vertices; ++i) {
        const std::size_t at = head + 12 * i;
        all.vertices.emplace_back(little_endian<float>(bytes, at), little_endian<float>(bytes, at + 4),
                                  little_endian<float>(bytes, at + 8));
        if (!is_finite(all.vertices.back())) return {};
    }
    for (std::size_t i = 0; i < faces; ++i) {
        std::array<std::uint32_t, 3> face{};
        for (std::size_t k = 0; k < 3; ++k) face[k] = little_endian<std::uint32_t>(bytes, first_face + 12 * i + 4 * k);
        if (std::max({face[0], face[1], face[2]}) >= vertices) return {};
        all.faces.push_back(face);
    }
    if (all.faces.empty()) return {};
    return all;
}

}  // namespace linkwright::exchange::mjcf
