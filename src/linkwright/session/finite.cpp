#include "linkwright/session/finite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace linkwright::session {

namespace {

/// Lists of numbers, and the lists of names beside them that say what their entries are. Without one an entry has a number, from 1.
struct Axes {
    std::string_view list, rows, columns;
};
constexpr std::array<Axes, 11> axes{{
    {"forcing", "speeds", ""},
    {"accelerations", "speeds", ""},
    {"coordinate_rates", "coordinates", ""},
    {"auxiliary_rates", "auxiliary", ""},
    {"multipliers", "constraints", ""},
    {"mass_matrix", "speeds", "speeds"},
    {"constraint_jacobian", "constraints", "speeds"},
    {"derivatives", "", "parameters"},
    {"relative", "", "parameters"},
    {"frequency_hz", "", "parameters"},
    {"damping_ratio", "", "parameters"},
}};

class Search {
public:
    std::vector<std::string> found;

    void look(const Json& j, const std::string& path) {
        if (j.is_number_float() && !std::isfinite(j.get<double>())) found.push_back(path);
        if (j.is_object()) look_at_object(j, path);
        if (j.is_array()) look_at_list(j, path, {}, {});
    }

private:
    void look_at_object(const Json& j, const std::string& path) {
        for (const auto& [key, value] : j.items()) {
            const std::string name = path.empty() ? key : fmt::format("{}.{}", path, key);
            const auto known = std::ranges::find(axes, key, &Axes::list);
            if (value.is_array() && known != axes.end()) {
                look_at_list(value, name, names(j, known->rows), names(j, known->columns));
            } else {
                look(value, name);
            }
        }
    }

    void look_at_list(const Json& list, const std::string& path, const std::vector<std::string>& rows,
                      const std::vector<std::string>& columns) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!list[i].is_array()) {
                look(list[i], i < rows.size() ? fmt::format("{} of {}", path, rows[i]) : fmt::format("{}[{}]", path, i + 1));
                continue;
            }
            for (std::size_t k = 0; k < list[i].size(); ++k)
                look(list[i][k], fmt::format("{}[{}, {}]", path, entry(rows, i), entry(columns, k)));
        }
    }

    static std::string entry(const std::vector<std::string>& names, std::size_t i) {
        return i < names.size() ? names[i] : fmt::format("{}", i + 1);
    }

    static std::vector<std::string> names(const Json& beside, std::string_view key) {
        std::vector<std::string> list;
        const auto at = beside.find(key);
        if (key.empty() || at == beside.end() || !at->is_array()) return list;
        for (const Json& name : *at) {
            if (!name.is_string()) return {};
            list.push_back(name.get<std::string>());
        }
        return list;
    }
};

}  // namespace

std::vector<std::string> not_finite(const Json& result) {
    Search search;
    search.look(result, "");
    return search.found;
}

std::vector<std::string> not_finite(const std::vector<std::string>& columns, const std::vector<Eigen::VectorXd>& rows) {
    std::vector<std::string> found;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto k = static_cast<Eigen::Index>(c);
        const auto bad = std::ranges::find_if(rows, [&](const Eigen::VectorXd& row) { return !std::isfinite(row[k]); });
        if (bad == rows.end()) continue;
        found.push_back(c == 0 ? columns[0] : fmt::format("{} at {} = {:.6g}", columns[c], columns[0], (*bad)[0]));
    }
    return found;
}

void tell_not_finite(const std::vector<std::string>& names, Report& report) {
    if (names.empty()) return;
    constexpr std::size_t most = 8;
    std::vector<std::string> shown(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
    if (names.size() > most) shown.push_back(fmt::format("and {} more", names.size() - most));
    report.fail(fmt::format("not finite: {}", fmt::join(shown, ", ")),
                "at this state something is divided by zero, undefined, or too large for a floating-point number");
}

}  // namespace linkwright::session
