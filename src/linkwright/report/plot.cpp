#include "linkwright/report/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/session/names.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::report {
namespace {

constexpr std::size_t most_by_default = 6;

std::string unit_of(const session::Table& table, std::size_t column) {
    return column < table.units.size() ? table.units[column] : std::string();
}

std::vector<double> values_of(const session::Table& table, std::size_t column) {
    std::vector<double> values;
    values.reserve(table.rows.size());
    for (const Eigen::VectorXd& row : table.rows) values.push_back(row[static_cast<Eigen::Index>(column)]);
    return values;
}

bool has_numbers(const std::vector<double>& values) {
    return std::ranges::any_of(values, [](double x) { return std::isfinite(x); });
}

/// The place of a column; names may have their unit behind them.
std::optional<std::size_t> find(const session::Table& table, const std::string& name, session::Report& report) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i] == name || label(table.columns[i], unit_of(table, i)) == name) return i;
    }
    report.error(fmt::format("there is no column '{}'", name), session::hint_for(name, table.columns));
    return std::nullopt;
}

/// Those asked for; otherwise the first ones.
std::vector<std::size_t> choose(const session::Table& table, const PlotOptions& options, std::size_t abscissa, session::Report& report) {
    std::vector<std::size_t> chosen;
    for (const std::string& name : options.columns) {
        const auto column = find(table, name, report);
        if (column && std::ranges::find(chosen, *column) == chosen.end()) chosen.push_back(*column);
    }
    if (!options.columns.empty()) return chosen;
    for (std::size_t i = 0; i < table.columns.size() && chosen.size() < most_by_default; ++i) {
        if (i != abscissa) chosen.push_back(i);
    }
    if (table.columns.size() > chosen.size() + 1)
        report.note(fmt::format("the first {} of {} columns; --columns chooses: {}", chosen.size(), table.columns.size() - 1,
                                fmt::join(table.columns, ", ")));
    return chosen;
}

}  // namespace

std::string label(const std::string& name, const std::string& unit) { return session::with_unit(name, unit); }

session::Result<Plot> make_plot(const session::Table& table, const PlotOptions& options) {
    session::Report report;
    if (table.columns.empty() || table.rows.empty()) {
        report.error("there are no rows to plot");
        return report;
    }
    std::size_t abscissa = table.find("t").value_or(0);
    if (!options.against.empty()) abscissa = find(table, options.against, report).value_or(abscissa);
    const std::vector<std::size_t> chosen = choose(table, options, abscissa, report);
    if (!report.is_ok()) return report;
    if (chosen.empty()) {
        report.error(fmt::format("there is nothing to plot over {}", table.columns[abscissa]), "the table has one column only");
        return report;
    }
    Plot plot{table.columns[abscissa], unit_of(table, abscissa), values_of(table, abscissa), {}};
    if (!has_numbers(plot.x)) report.error(fmt::format("column '{}' holds no finite number", plot.x_name));
    for (const std::size_t i : chosen) {
        plot.curves.push_back({table.columns[i], unit_of(table, i), values_of(table, i)});
        if (!has_numbers(plot.curves.back().y)) report.error(fmt::format("column '{}' holds no finite number", table.columns[i]));
    }
    if (!report.is_ok()) return report;
    return {report, std::move(plot)};
}

std::vector<std::vector<std::size_t>> panels_of(const Plot& plot) {
    std::vector<std::vector<std::size_t>> panels;
    for (std::size_t i = 0; i < plot.curves.size(); ++i) {
        const auto same = std::ranges::find_if(
            panels, [&](const std::vector<std::size_t>& panel) { return plot.curves[panel.front()].unit == plot.curves[i].unit; });
        if (same == panels.end())
            panels.push_back({i});
        else
            same->push_back(i);
    }
    return panels;
}

}  // namespace linkwright::report
