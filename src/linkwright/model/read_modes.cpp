#include "linkwright/model/read_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace linkwright::model {

namespace {

using Json = nlohmann::json;

std::optional<std::vector<double>> numbers(const Json& list) {
    if (!list.is_array()) return std::nullopt;
    std::vector<double> all;
    for (const Json& x : list) {
        if (!x.is_number() || !std::isfinite(x.get<double>())) return std::nullopt;
        all.push_back(x.get<double>());
    }
    return all;
}

/// Slopes of the natural cubic spline through the points: a tridiagonal system, eliminated downwards.
std::vector<double> spline_slopes(const std::vector<double>& x, const std::vector<double>& y) {
    const std::size_t n = x.size();
    std::vector<double> diagonal(n), upper(n), right(n);
    const auto h = [&](std::size_t k) { return x[k + 1] - x[k]; };
    const auto rise = [&](std::size_t k) { return (y[k + 1] - y[k]) / h(k); };
    diagonal[0] = 2, upper[0] = 1, right[0] = 3 * rise(0);
    for (std::size_t k = 1; k < n; ++k) {
        const bool is_last = k + 1 == n;
        double lower = is_last ? 1 : h(k);
        diagonal[k] = is_last ? 2 : 2 * (h(k - 1) + h(k));
        upper[k] = is_last ? 0 : h(k - 1);
        right[k] = is_last ? 3 * rise(k - 1) : 3 * (h(k) * rise(k - 1) + h(k - 1) * rise(k));
        lower /= diagonal[k - 1];
        diagonal[k] -= lower * upper[k - 1];
        right[k] -= lower * right[k - 1];
    }
    for (std::size_t k = n; k-- > 0;) right[k] = (right[k] - (k + 1 < n ? upper[k] * right[k + 1] : 0)) / diagonal[k];
    return right;
}

}  // namespace

std::optional<GivenShapes> read_modes(const std::string& path, std::string& problem) {
    const auto refuse = [&](std::string why) {
        problem = std::move(why);
        return std::nullopt;
    };
    constexpr std::uintmax_t largest = 16'000'000;
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) return refuse("there is no such file");
    if (std::filesystem::file_size(path, code) > largest) return refuse("the file is too large");
    std::ifstream in(path, std::ios::binary);
    const Json file = Json::parse(in, nullptr, false);
    if (file.is_discarded() || !file.is_object()) return refuse("the file is not a JSON object");
    if (!file.contains("x") || !file.contains("phi")) return refuse("the file has no \"x\" or no \"phi\"");
    GivenShapes shapes;
    const auto x = numbers(file["x"]);
    if (!x || x->size() < 2 || x->size() > 10'000) return refuse("\"x\" must be a list of at least two numbers");
    if (x->front() != 0 || std::ranges::adjacent_find(*x, std::greater_equal<>()) != x->end()) return refuse("\"x\" must ascend from 0");
    shapes.x = *x;
    const auto rows = [&](const char* key, std::vector<std::vector<double>>& all) {
        if (!file[key].is_array() || file[key].empty() || file[key].size() > 40) return false;
        for (const Json& row : file[key]) {
            const auto list = numbers(row);
            if (!list || list->size() != x->size()) return false;
            all.push_back(*list);
        }
        return true;
    };
    const char* wrong = "must be lists of as many numbers as \"x\" has, one for each of at most 40 shapes";
    if (!rows("phi", shapes.phi)) return refuse(fmt::format("\"phi\" {}", wrong));
    if (file.contains("slope")) {
        if (!rows("slope", shapes.slope) || shapes.slope.size() != shapes.phi.size()) return refuse(fmt::format("\"slope\" {}", wrong));
    } else {
        for (const auto& phi : shapes.phi) shapes.slope.push_back(spline_slopes(shapes.x, phi));
    }
    return shapes;
}

}  // namespace linkwright::model
