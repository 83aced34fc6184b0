// [symbols]: how LaTeX writes names of the model.

#include <fmt/format.h>

#include <optional>
#include <string>

#include "linkwright/model/reader.hpp"

namespace linkwright::model {

namespace {

/// Why a text cannot be used in the middle of a formula; empty when it can.
std::string why_no_symbol(std::string_view latex) {
    if (latex.find_first_not_of(' ') == latex.npos) return "is empty";
    std::size_t depth = 0;
    for (std::size_t i = 0; i < latex.size(); ++i) {
        const char c = latex[i];
        if (static_cast<unsigned char>(c) < 0x20) return "has a control character";
        if (static_cast<unsigned char>(c) >= 0x80) return "has a letter that is not ASCII: write its command, as \\\\mu";
        if (c == '\\') {
            if (++i == latex.size()) return "ends with a backslash";
            continue;
        }
        if (std::string_view("$%#&~").find(c) != std::string_view::npos) return fmt::format("has a {}, which ends or breaks a formula", c);
        if (c == '{') ++depth;
        if (c == '}' && depth-- == 0) return "has a } without its {";
    }
    return depth > 0 ? "has a { without its }" : "";
}

void define_symbol(Reader& r, const std::string& name, Position where, const Value& value) {
    if (!r.expect(value, Value::Kind::string, name)) return;
    const auto everything = static_cast<Use>(use_everything | use_trajectories);
    if (r.find(name, r.file_scope) == nullptr) r.unknown("name", name, where, [&] { return r.names_for(everything, r.file_scope); });
    if (const std::string why = why_no_symbol(value.string); !why.empty()) {
        r.error(value.content, fmt::format("the LaTeX text of {} {}", quoted(name), why),
                "write what stands between two dollars: 'm_u', '\\theta_1'");
        return;
    }
    r.model.symbols.push_back({name, value.string, where});
}

/// `fly.wx = "\\omega_x"` is a table in a table.
void define_symbols_below(Reader& r, const std::string& prefix, std::optional<Position> start, const Value& table) {
    for (const Entry& entry : table.entries) {
        const Position where = start && start->line == entry.where.line ? *start : entry.where;
        if (entry.value.is(Value::Kind::table))
            define_symbols_below(r, prefix + entry.key + ".", where, entry.value);
        else
            define_symbol(r, prefix + entry.key, where, entry.value);
    }
}

}  // namespace

void define_symbols(Reader& r, const Value& table) { define_symbols_below(r, "", std::nullopt, table); }

}  // namespace linkwright::model
