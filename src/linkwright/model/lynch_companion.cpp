#include "linkwright/model/lynch_companion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "linkwright/base/text.hpp"

namespace linkwright::model {

namespace {

using Rows = std::vector<std::vector<LynchCell>>;

std::string shown(const LynchEntry& e) {
    std::string s;
    for (const auto& row : e.rows) {
        std::string cells;
        for (const LynchCell& c : row) cells += (cells.empty() ? "" : ", ") + c.text;
        s += (s.empty() ? "" : e.rows[0].size() == 1 ? ", " : "; ") + cells;
    }
    return e.is_matrix ? fmt::format("({})", s) : s;
}

/// One value of TOML as a cell that stands where the entry stands.
std::optional<LynchCell> cell(const LynchEntry& e, const Value& v) {
    if (v.is(Value::Kind::string) && v.string.size() <= 1000) return LynchCell{v.string, e.where};
    if (v.is(Value::Kind::integer)) return LynchCell{fmt::format("{}", v.integer), e.where};
    if (v.is(Value::Kind::real)) return LynchCell{fmt::format("{}", v.real), e.where};
    return std::nullopt;
}

/// A list of rows, or of entries when the matrix is one row or one column.
std::optional<Rows> corrected(const LynchEntry& e, const Value& value) {
    Rows rows;
    const auto put = [&](const Value& v) {
        const std::optional<LynchCell> c = cell(e, v);
        if (c) rows.back().push_back(*c);
        return c.has_value();
    };
    if (!e.is_matrix) {
        rows.emplace_back();
        return put(value) ? std::optional(rows) : std::nullopt;
    }
    if (!value.is(Value::Kind::array) || value.items.empty()) return std::nullopt;
    const bool is_column = e.rows.size() > 1 && e.rows[0].size() == 1;
    for (const Value& item : value.items) {
        if (item.is(Value::Kind::array)) {
            rows.emplace_back();
            if (item.items.empty() || !std::ranges::all_of(item.items, put)) return std::nullopt;
        } else {
            if (rows.empty() || is_column) rows.emplace_back();
            if (!put(item)) return std::nullopt;
        }
    }
    return rows;
}

}  // namespace

void apply_corrections(const Value& companion, LynchStatements& statements, Diagnostics& problems) {
    const auto error = [&](Position where, std::string what, std::string hint) {
        problems.push_back({.file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)});
    };
    const Value* list = companion.find("correction");
    if (list == nullptr) return;
    for (const Value& item : list->items) {
        const Value *name = item.find("entry"), *value = item.find("value"), *because = item.find("because");
        if (item.entries.size() != 3 || name == nullptr || !name->is(Value::Kind::string) || value == nullptr || because == nullptr ||
            !because->is(Value::Kind::string)) {
            error(item.where, "a correction has entry, value and because", "entry = \"SL[3,1]\", value = [1, 0, 0], because = \"…\"");
            continue;
        }
        std::string wanted = name->string;
        std::erase(wanted, ' ');
        const auto at = std::ranges::find(statements.entries, wanted, &LynchEntry::name);
        if (at == statements.entries.end()) {
            std::vector<std::string> all;
            for (const LynchEntry& e : statements.entries) all.push_back(e.name);
            const auto meant = did_you_mean(wanted, all);
            error(name->where, fmt::format("there is no entry '{}' to correct", name->string),
                  meant ? fmt::format("did you mean '{}'?", *meant) : "");
            continue;
        }
        const std::optional<Rows> rows = corrected(*at, *value);
        if (!rows) {
            error(value->where, fmt::format("the value does not have the shape of {}", at->name), "a matrix is a list of rows");
            continue;
        }
        const std::string before = shown(*at);
        at->rows = *rows;
        problems.push_back(
            {.severity = Diagnostic::Severity::warning,
             .file = {},
             .where = item.where,
             .what = fmt::format("correction: {} reads {} and is taken as {}: {}", at->name, before, shown(*at), because->string),
             .hint = {}});
    }
}

std::optional<std::string> plain_companion(std::string_view text, const Value& companion, const std::string& instead,
                                           Diagnostics& problems) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::set<std::size_t> starts{lines.size() + 1};
    std::vector<const Value*> mine;
    for (const Entry& e : companion.entries) {
        std::vector<const Value*> tables;
        if (e.value.is(Value::Kind::table)) tables.push_back(&e.value);
        for (const Value& item : e.value.items) {
            if (item.is(Value::Kind::table)) tables.push_back(&item);
        }
        for (const Value* t : tables) starts.insert(t->where.line);
        if (e.key == "names" || e.key == "correction") mine.insert(mine.end(), tables.begin(), tables.end());
    }
    for (const Value* t : mine) {
        const std::string& first = lines[t->where.line - 1];
        const std::size_t begin = first.find_first_not_of(" \t");
        if (begin == std::string::npos || first[begin] != '[') {
            problems.push_back({.file = {},
                                .where = t->where,
                                .what = "names and corrections need tables of their own",
                                .hint = "write [names] and [[correction]] as headers"});
            return std::nullopt;
        }
        for (std::size_t k = t->where.line; k < *starts.upper_bound(t->where.line); ++k) lines[k - 1].insert(0, "# ");
    }
    std::string& key = lines[companion.find_entry("lynch")->where.line - 1];
    key = fmt::format("{}{}# {}", instead, instead.empty() ? "" : "  ", key);
    std::string result;
    for (const std::string& line : lines) result += line + "\n";
    return result;
}

}  // namespace linkwright::model
