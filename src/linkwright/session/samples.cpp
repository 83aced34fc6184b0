#include "linkwright/session/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linkwright::session {

std::optional<Samples> read_samples(const std::string& path, const std::vector<std::string>& names, const std::string& what,
                                    Report& report) {
    const auto table = read_table(path, report);
    if (!table) return std::nullopt;
    return make_samples(*table, path, names, what, report);
}

std::optional<Samples> make_samples(const Table& table, const std::string& path, const std::vector<std::string>& names,
                                    const std::string& what, Report& report) {
    using Eigen::Index;
    const auto time = table.find("t");
    if (!time) return report.error(path + ": there is no column t"), std::nullopt;
    if (table.rows.empty()) return report.error(path + ": there are no rows"), std::nullopt;
    std::vector<std::size_t> which, columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (const auto column = table.find(names[i])) which.push_back(i), columns.push_back(*column);
    }
    if (which.empty()) {
        report.error(fmt::format("{}: no column is the {} of the model", path, what),
                     names.empty() ? fmt::format("the model has no {}", what) : fmt::format("there are {}", fmt::join(names, ", ")));
        return std::nullopt;
    }
    std::vector<double> times;
    Eigen::MatrixXd values(static_cast<Index>(table.rows.size()), static_cast<Index>(columns.size()));
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
        times.push_back(table.rows[k][*time]);
        if (k > 0 && !(times[k] > times[k - 1]))
            return report.error(fmt::format("{}: the times do not ascend at t = {:.6g}", path, times[k])), std::nullopt;
        for (std::size_t c = 0; c < columns.size(); ++c) values(static_cast<Index>(k), static_cast<Index>(c)) = table.rows[k][columns[c]];
    }
    return Samples{std::move(which), solve::Spline(times, values), times.front(), times.back(), times.size()};
}

}  // namespace linkwright::session
