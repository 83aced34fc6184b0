#include "linkwright/session/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "linkwright/session/units.hpp"

namespace linkwright::session {

std::optional<std::size_t> Table::find(const std::string& name) const {
    const auto at = std::ranges::find(columns, name);
    if (at == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(at - columns.begin());
}

std::string to_csv(const Table& table) {
    fmt::memory_buffer out;
    const auto put = std::back_inserter(out);
    for (std::size_t i = 0; i < table.columns.size(); ++i) fmt::format_to(put, "{}{}", i == 0 ? "" : ",", table.columns[i]);
    fmt::format_to(put, "\n");
    for (const Eigen::VectorXd& row : table.rows) {
        for (Eigen::Index i = 0; i < row.size(); ++i) fmt::format_to(put, "{}{}", i == 0 ? "" : ",", row[i] + 0.0);  // no -0
        fmt::format_to(put, "\n");
    }
    return fmt::to_string(out);
}

std::string to_csv(Table table, const std::vector<std::string>& units) {
    for (std::size_t i = 0; i < table.columns.size() && i < units.size(); ++i) table.columns[i] = with_unit(table.columns[i], units[i]);
    return to_csv(table);
}

nlohmann::ordered_json to_json(const Table& table) {
    nlohmann::ordered_json columns = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        auto& column = columns[table.columns[c]] = nlohmann::ordered_json::array();
        for (const Eigen::VectorXd& row : table.rows) column.push_back(row[c] + 0.0);
    }
    return columns;
}

namespace {

void complain(Report& report, const std::string& path, std::uint32_t line, std::uint32_t column, const std::string& what,
              const std::string& hint = {}) {
    report.add(Diagnostics{{.severity = Diagnostic::Severity::error, .file = path, .where = {line, column}, .what = what, .hint = hint}});
}

std::string_view trimmed(std::string_view s) {
    constexpr std::string_view blank = " \t\r\"";
    const std::size_t a = s.find_first_not_of(blank);
    return a == std::string_view::npos ? std::string_view{} : s.substr(a, s.find_last_not_of(blank) - a + 1);
}

constexpr std::size_t most_told = 20;  // of the mistakes in a file

/// A cell of a row; empty when it cannot be one.
std::optional<double> read_cell(std::string_view cell, Gaps gaps) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    double x = 0;
    const auto [rest, trouble] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
    const bool is_number = trouble == std::errc{} && rest == cell.data() + cell.size();
    if (is_number && std::isfinite(x)) return x;
    if (gaps == Gaps::allowed && (is_number || cell.empty())) return nan;
    return std::nullopt;
}

std::optional<Table> read_csv(const std::string& path, std::string_view text, Report& report, Gaps gaps) {
    Table table;
    std::uint32_t line_number = 0;
    std::size_t mistakes = 0;
    const auto wrong = [&](std::uint32_t column, const std::string& what, const std::string& hint = {}) {
        if (mistakes++ < most_told) complain(report, path, line_number, column, what, hint);
    };
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the mark some programs put before UTF-8
    if (const std::string_view head = text.substr(0, text.find('\n'));
        head.find(',') == std::string_view::npos && head.find_first_of(";\t") != std::string_view::npos) {
        complain(report, path, 1, static_cast<std::uint32_t>(head.find_first_of(";\t") + 1), "columns must be separated by commas");
        return std::nullopt;
    }
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++line_number;
        if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
        std::vector<std::pair<std::string_view, std::uint32_t>> cells;
        for (std::size_t at = 0;;) {
            const std::size_t comma = line.find(',', at);
            cells.emplace_back(trimmed(line.substr(at, comma == std::string_view::npos ? comma : comma - at)),
                               static_cast<std::uint32_t>(at + 1));
            if (comma == std::string_view::npos) break;
            at = comma + 1;
        }
        if (table.columns.empty()) {
            if (std::ranges::all_of(cells, [](const auto& cell) { return read_cell(cell.first, Gaps::refused).has_value(); }))
                wrong(1, "there are no names above the numbers", "the first line names the columns");
            for (auto [cell, column] : cells) {
                table.units.emplace_back();
                if (const std::size_t unit = cell.rfind(" ["); cell.ends_with(']') && unit != std::string_view::npos) {
                    table.units.back() = cell.substr(unit + 2, cell.size() - unit - 3);
                    cell = trimmed(cell.substr(0, unit));
                }
                if (table.find(std::string(cell))) wrong(column, fmt::format("column '{}' occurs twice", cell));
                table.columns.emplace_back(cell);
            }
            continue;
        }
        if (cells.size() != table.columns.size()) {
            wrong(1, fmt::format("{} values, {} columns in the header", cells.size(), table.columns.size()));
            continue;
        }
        Eigen::VectorXd row(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto& [cell, column] = cells[i];
            const auto x = read_cell(cell, gaps);
            if (!x) wrong(column, fmt::format("'{}' is not a finite number", cell));
            row[i] = x.value_or(0);
        }
        table.rows.push_back(std::move(row));
    }
    if (mistakes > most_told) report.error(fmt::format("{}: {} more mistakes like these", path, mistakes - most_told));
    if (table.columns.empty()) complain(report, path, 1, 1, "the file is empty", "the first line names the columns");
    if (mistakes > 0 || table.columns.empty()) return std::nullopt;
    return table;
}

std::optional<Table> read_json(const std::string& path, const std::string& text, Report& report, Gaps gaps) {
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded()) return complain(report, path, 1, 1, "this is not JSON"), std::nullopt;
    if (!json.is_object() || !json.contains("columns") || !json["columns"].is_object()) {
        return complain(report, path, 1, 1, "there are no \"columns\"", "results of simulate --json have them"), std::nullopt;
    }
    Table table;
    for (const auto& [name, values] : json["columns"].items()) {
        if (!values.is_array()) return complain(report, path, 1, 1, fmt::format("column \"{}\" is not an array", name)), std::nullopt;
        if (table.columns.empty()) table.rows.resize(values.size());
        if (values.size() != table.rows.size())
            return complain(report, path, 1, 1, fmt::format("column \"{}\" has another length", name)), std::nullopt;
        table.columns.push_back(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool is_gap = gaps == Gaps::allowed && values[i].is_null();
            if (!values[i].is_number() && !is_gap)
                return complain(report, path, 1, 1, fmt::format("column \"{}\" has an entry that is not a number", name)), std::nullopt;
            Eigen::VectorXd& row = table.rows[i];
            row.conservativeResize(row.size() + 1);
            row[row.size() - 1] = is_gap ? std::numeric_limits<double>::quiet_NaN() : values[i].get<double>();
        }
    }
    return table;
}

}  // namespace

std::optional<Table> parse_table(const std::string& text, const std::string& name, Report& report, Gaps gaps) {
    return trimmed(text).starts_with('{') ? read_json(name, text, report, gaps) : read_csv(name, text, report, gaps);
}

std::optional<Table> read_table(const std::string& path, Report& report, Gaps gaps) {
    std::error_code trouble;
    if (std::filesystem::is_directory(path, trouble)) return report.error(path + ": is a directory"), std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return report.error(path + ": cannot be opened"), std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    return parse_table(text.str(), path, report, gaps);
}

}  // namespace linkwright::session
