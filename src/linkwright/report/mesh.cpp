#include "linkwright/report/mesh.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace linkwright::report {

namespace {

constexpr std::size_t most_triangles = 500'000;
constexpr std::size_t binary_head = 84, binary_triangle = 50;  // of STL: 80 bytes of words and a count; normal, corners, two bytes more

using Corner = std::array<float, 3>;

struct Maker {
    Mesh mesh;
    double scale;
    void add(const Corner& a, const Corner& b, const Corner& c) {
        for (const Corner& p : {a, b, c}) {
            for (const float x : p) {
                const auto scaled = static_cast<float>(scale * x);
                if (!std::isfinite(scaled)) mesh.why = "it has a corner that is no number";
                mesh.positions.push_back(scaled);
            }
        }
        if (mesh.positions.size() > 9 * most_triangles) mesh.why = fmt::format("it has more than {} triangles", most_triangles);
    }
    bool goes_on() const { return mesh.why.empty(); }
};

void read_binary_stl(const std::string& text, Maker& maker) {
    std::uint32_t count = 0;
    std::memcpy(&count, text.data() + binary_head - sizeof count, sizeof count);
    for (std::size_t i = 0; i < count && maker.goes_on(); ++i) {
        std::array<Corner, 4> t;  // the normal first
        std::memcpy(t.data(), text.data() + binary_head + i * binary_triangle, sizeof t);
        maker.add(t[1], t[2], t[3]);
    }
}

bool is_binary_stl(const std::string& text) {
    if (text.size() < binary_head) return false;
    std::uint32_t count = 0;
    std::memcpy(&count, text.data() + binary_head - sizeof count, sizeof count);
    return text.size() == binary_head + std::size_t{count} * binary_triangle;
}

void read_text_stl(const std::string& text, Maker& maker) {
    std::istringstream in(text);
    std::vector<Corner> corners;
    for (std::string word; maker.goes_on() && in >> word;) {
        if (word == "vertex") {
            Corner c{};
            if (!(in >> c[0] >> c[1] >> c[2])) maker.mesh.why = "a vertex is not three numbers";
            corners.push_back(c);
        } else if (word == "endfacet") {
            if (corners.size() == 3)
                maker.add(corners[0], corners[1], corners[2]);
            else
                maker.mesh.why = "a facet has not three corners";
            corners.clear();
        }
    }
}

void read_obj(const std::string& text, Maker& maker) {
    std::istringstream in(text);
    std::vector<Corner> corners;
    for (std::string line; maker.goes_on() && std::getline(in, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "v") {
            Corner c{};
            if (!(words >> c[0] >> c[1] >> c[2])) maker.mesh.why = "a vertex is not three numbers";
            corners.push_back(c);
        } else if (key == "f") {
            std::vector<std::size_t> face;  // a fan of triangles
            for (std::string word; maker.goes_on() && words >> word;) {
                const long i = std::strtol(word.c_str(), nullptr, 10);  // "3/1/2": the rest is of no account; negative: from the end
                const long place = i > 0 ? i - 1 : static_cast<long>(corners.size()) + i;
                if (i == 0 || place < 0 || place >= static_cast<long>(corners.size()))
                    maker.mesh.why = fmt::format("a face names the vertex '{}', which is not there", word);
                else
                    face.push_back(static_cast<std::size_t>(place));
            }
            for (std::size_t k = 2; maker.goes_on() && k < face.size(); ++k)
                maker.add(corners[face[0]], corners[face[k - 1]], corners[face[k]]);
        }
    }
}

}  // namespace

Mesh read_mesh(const std::string& path, double scale) {
    Maker maker{.mesh = {}, .scale = scale};
    std::ifstream in(path, std::ios::binary);
    if (!in) return {{}, fmt::format("'{}' cannot be read", path)};
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (path.ends_with("obj") || path.ends_with("OBJ"))
        read_obj(text, maker);
    else if (is_binary_stl(text))
        read_binary_stl(text, maker);
    else
        read_text_stl(text, maker);
    if (maker.goes_on() && maker.mesh.positions.empty()) maker.mesh.why = "it has no triangles";
    if (!maker.goes_on()) maker.mesh.positions.clear();
    return std::move(maker.mesh);
}

}  // namespace linkwright::report
