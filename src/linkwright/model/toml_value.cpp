#include "linkwright/model/toml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#define TOML_MAX_NESTED_VALUES 32  // no part of a model file is deeper than five
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace linkwright::model {

namespace {

/// Keys like a.b.c nest tables without a limit in the library, and its destructors recurse.
constexpr std::size_t most_dots_in_a_line = 400;

Position position(const toml::source_position& p) { return {std::max(p.line, 1U), std::max(p.column, 1U)}; }

class Converter {
public:
    explicit Converter(std::string_view text) : text_(text) {
        for (std::size_t at = 0; at != std::string_view::npos && at <= text.size();) {
            line_starts_.push_back(at);
            const std::size_t end = text.find('\n', at);
            at = end == std::string_view::npos ? end : end + 1;
        }
    }

    Value operator()(const toml::node& node) const {
        Value v;
        v.where = position(node.source().begin);
        if (const auto* table = node.as_table()) {
            v.kind = Value::Kind::table;
            v.entries.reserve(table->size());
            for (const auto& [key, child] : *table) {
                v.entries.push_back({std::string(key.str()), position(key.source().begin), (*this)(child)});
            }
            std::ranges::stable_sort(v.entries, [](const Entry& a, const Entry& b) {
                return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
            });
        } else if (const auto* array = node.as_array()) {
            v.kind = Value::Kind::array;
            v.items.reserve(array->size());
            for (const auto& child : *array) v.items.push_back((*this)(child));
        } else if (const auto* string = node.as_string()) {
            v.kind = Value::Kind::string;
            v.string = string->get();
            v.content = content_of(v.where);
        } else if (const auto* integer = node.as_integer()) {
            v.kind = Value::Kind::integer;
            v.integer = integer->get();
        } else if (const auto* real = node.as_floating_point()) {
            v.kind = Value::Kind::real;
            v.real = real->get();
        } else if (const auto* boolean = node.as_boolean()) {
            v.kind = Value::Kind::boolean;
            v.boolean = boolean->get();
        } else {
            v.kind = Value::Kind::date;
        }
        return v;
    }

private:
    /// After the quote, or the three quotes and the line break that belongs to them.
    Position content_of(Position quote) const {
        if (quote.line > line_starts_.size()) return quote;
        std::size_t at = line_starts_[quote.line - 1];
        for (std::uint32_t column = 1; column < quote.column && at < text_.size(); ++column) {
            do ++at;
            while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U);
        }
        const std::string_view rest = text_.substr(std::min(at, text_.size()));
        if (!rest.starts_with("\"\"\"") && !rest.starts_with("'''")) return {quote.line, quote.column + 1};
        const std::string_view inside = rest.substr(3);
        if (inside.starts_with("\n") || inside.starts_with("\r\n")) return {quote.line + 1, 1};
        return {quote.line, quote.column + 3};
    }

    std::string_view text_;
    std::vector<std::size_t> line_starts_;
};

/// The library's sentence in our manner: lower case, without a full stop, one line, not too long.
std::string sentence(std::string_view description) {
    if (description.find("exceeded maximum nested value depth") != std::string_view::npos) return "values are nested too deeply";
    if (description.find("control characters other than TAB") != std::string_view::npos) {
        return "not TOML: a line break or control character in a string, key or remark";
    }
    if (const std::size_t colon = description.find(": "); description.starts_with("Error while parsing") && colon != std::string_view::npos) {
        description.remove_prefix(colon + 2);
    }
    std::string s(description.substr(0, description.find('\n')));
    if (!s.empty()) s[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(s[0])));
    while (!s.empty() && (s.back() == '.' || s.back() == ' ')) s.pop_back();
    for (char& c : s) {
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    if (s.size() > 300) {
        std::size_t end = 300;
        while ((static_cast<unsigned char>(s[end]) & 0xC0U) == 0x80U) --end;
        s = s.substr(0, end) + "…";
    }
    return "not TOML: " + s;
}

std::optional<Diagnostic> line_with_too_many_dots(std::string_view text) {
    std::size_t dots = 0;
    std::uint32_t line = 1;
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            dots = 0;
        } else if (c == '.' && ++dots > most_dots_in_a_line) {
            return Diagnostic{.file = {}, .where = {line, 1},
                              .what = fmt::format("the line has more than {} dots", most_dots_in_a_line),
                              .hint = "break the line"};
        }
    }
    return std::nullopt;
}

}  // namespace

const Entry* Value::find_entry(std::string_view key) const {
    const auto at = std::ranges::find(entries, key, &Entry::key);
    return at == entries.end() ? nullptr : &*at;
}

const Value* Value::find(std::string_view key) const {
    const Entry* entry = find_entry(key);
    return entry == nullptr ? nullptr : &entry->value;
}

std::string_view describe(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::boolean: return "a boolean";
        case Value::Kind::integer: return "an integer";
        case Value::Kind::real: return "a number";
        case Value::Kind::string: return "a string";
        case Value::Kind::array: return "a list";
        case Value::Kind::table: return "a table";
        case Value::Kind::date: return "a date or time";
    }
    return "";
}

std::optional<Value> parse_toml(std::string_view text, Diagnostics& problems) {
    if (auto dots = line_with_too_many_dots(text)) {
        problems.push_back(std::move(*dots));
        return std::nullopt;
    }
    const toml::parse_result result = toml::parse(text);
    if (!result) {
        const toml::parse_error& error = result.error();
        problems.push_back({.file = {}, .where = position(error.source().begin), .what = sentence(error.description()),
                            .hint = {}});
        return std::nullopt;
    }
    return Converter(text)(result.table());
}

}  // namespace linkwright::model
