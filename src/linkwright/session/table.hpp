#pragma once
// Tables of numbers with a name above each column: results of simulate and inverse, samples of inputs and motions.

#include <Eigen/Core>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/session/report.hpp"

namespace linkwright::session {

struct Table {
    std::vector<std::string> columns;
    std::vector<Eigen::VectorXd> rows;
    std::vector<std::string> units{};  ///< as the header says them, "rad" of "hip [rad]"; may be shorter than the columns
    /// The place of a column, or nothing.
    std::optional<std::size_t> find(const std::string& name) const;
};

/// CSV with a header; numbers as short as they read back exactly.
std::string to_csv(const Table& table);
/// The same with "hip [rad]" for the columns whose units are not empty; read_table takes the units off again.
std::string to_csv(Table table, const std::vector<std::string>& units);

/// An array for each column, under its name.
nlohmann::ordered_json to_json(const Table& table);

/// Whether there may be cells without a finite number: nothing, nan or inf in CSV, null in JSON. They are read as NaN.
enum class Gaps : std::uint8_t { refused, allowed };

/// CSV, or JSON with arrays under "columns". Empty when it cannot be read, and the report says why.
std::optional<Table> read_table(const std::string& path, Report& report, Gaps gaps = Gaps::refused);
/// The same of a text; `name` stands for the file in messages.
std::optional<Table> parse_table(const std::string& text, const std::string& name, Report& report, Gaps gaps = Gaps::refused);

}  // namespace linkwright::session
