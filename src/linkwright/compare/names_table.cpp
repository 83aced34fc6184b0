#include "linkwright/compare/names_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "linkwright/base/text.hpp"
#include "linkwright/model/toml_value.hpp"

namespace linkwright::compare {

namespace {

bool is_whole(std::string_view s) {
    if (s.starts_with('-')) s.remove_prefix(1);
    return !s.empty() && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

using Letters = std::map<std::string, std::string, std::less<>>;

/// {i}, {i+1}, {i-4} replaced; empty when a brace holds something else.
std::optional<std::string> put_in(std::string_view text, const Letters& letters) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{') {
            out += text[i];
            continue;
        }
        const std::size_t end = text.find('}', i);
        if (end == std::string_view::npos) return std::nullopt;
        std::string_view inside = trimmed(text.substr(i + 1, end - i - 1));
        const std::size_t sign = inside.find_first_of("+-");
        const auto value = letters.find(trimmed(inside.substr(0, sign)));
        if (value == letters.end()) return std::nullopt;
        if (sign == std::string_view::npos) {
            out += value->second;
        } else {
            const std::string_view by = trimmed(inside.substr(sign + 1));
            int n = 0, shift = 0;
            if (!is_whole(by) || !is_whole(value->second)) return std::nullopt;
            std::from_chars(value->second.data(), value->second.data() + value->second.size(), n);
            std::from_chars(by.data(), by.data() + by.size(), shift);
            out += std::to_string(std::int64_t{n} + (inside[sign] == '+' ? std::int64_t{shift} : -std::int64_t{shift}));
        }
        i = end;
    }
    return out;
}

/// Letters of the indices of a target's right side are bare words there: "f[i]" with i a letter. Given as {i} it means the same.
std::string put_in_indices(std::string_view text, const Letters& letters) {
    std::string out;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[') ++depth;
        if (c == ']') --depth;
        const bool starts = depth > 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_');
        if (!starts) {
            out += c;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
        const auto value = letters.find(text.substr(i, end - i));
        out += value == letters.end() ? std::string(text.substr(i, end - i)) : value->second;
        i = end - 1;
    }
    return out;
}

class Reader {
public:
    Reader(std::string file, Language language, NamesTable& table, Diagnostics& problems)
        : file_(std::move(file)), language_(language), table_(table), problems_(problems) {}

    void complain(Position where, std::string what, std::string hint = {}) {
        problems_.push_back(
            {.severity = Diagnostic::Severity::error, .file = file_, .where = where, .what = std::move(what), .hint = std::move(hint)});
    }

    void add_rule(std::vector<Rule>& rules, std::string_view left, Position where, std::string_view right, Position text_where,
                  bool is_ours) {
        const Language language = is_ours ? Language::ours : language_;
        const TreeOrProblem key = parse_printed(left, language, where);
        const std::string shown(left.substr(0, 40));
        if (key.problem || key.tree[key.root].kind != Tree::Kind::name) {
            return complain(where, fmt::format("'{}' is not a name", shown),
                            "a name of the file, with indices if it has some: ma(4), ma(i)");
        }
        const Tree::Node& node = key.tree[key.root];
        Rule rule{.name = folded(node.name, language),
                  .indices = node.indices,
                  .text = std::string(right),
                  .file = file_,
                  .where = where,
                  .text_where = text_where,
                  .has_letters = false};
        Letters letters;
        for (const std::string& index : rule.indices) {
            if (is_whole(index)) continue;
            rule.has_letters = true;
            if (!letters.emplace(index, "1").second) return complain(where, fmt::format("'{}' has the letter {} twice", shown, index));
        }
        if (!put_in(right, letters)) {
            return complain(text_where,
                            fmt::format("a {{…}} in '{}' is not one of the indices of '{}'", std::string(right.substr(0, 60)), shown),
                            "write {i}, {i+1} or {i-1}");
        }
        if (const auto twice = std::ranges::find_if(rules, [&](const Rule& r) { return r.name == rule.name && r.indices == rule.indices; });
            twice != rules.end()) {
            return complain(where, fmt::format("'{}' has a meaning already", shown),
                            fmt::format("it was given in line {}", twice->where.line));
        }
        rules.push_back(std::move(rule));
    }

    void accept(std::string_view word, Position where) {
        if (word == "sign") {
            table_.accepts_sign = true;
        } else if (word == "factor") {
            table_.accepts_sign = table_.accepts_factor = true;
        } else {
            complain(where, fmt::format("accept takes sign or factor, not '{}'", word.substr(0, 40)));
        }
    }
    void set_language(std::string_view word, Position where) {
        if (const auto language = find_language(word)) {
            table_.language = language;
        } else {
            complain(where, fmt::format("unknown language '{}'", word.substr(0, 40)), fmt::format("there are: {}", known_languages));
        }
    }

    void read_toml(std::string_view text) {
        Diagnostics trouble;
        const auto root = model::parse_toml(text, trouble);
        for (Diagnostic& d : trouble) d.file = file_, problems_.push_back(std::move(d));
        if (!root) return;
        static const std::vector<std::string> known{"language", "accept", "names", "targets", "coordinates", "at"};
        for (const model::Entry& e : root->entries) {
            std::vector<Rule>* const rules = find_rules(e.key);
            const bool is_section = rules != nullptr;
            if (std::ranges::find(known, e.key) == known.end()) {
                const auto meant = did_you_mean(e.key, known);
                complain(
                    e.where, fmt::format("unknown key '{}'", e.key),
                    meant ? fmt::format("did you mean '{}'?", *meant) : "there are: language, accept, names, targets, coordinates, at");
            } else if (is_section && !e.value.is(model::Value::Kind::table)) {
                complain(e.where, fmt::format("'{}' must be a table", e.key), fmt::format("write [{}] and the rules below it", e.key));
            } else if (!is_section && !e.value.is(model::Value::Kind::string)) {
                complain(e.value.where, fmt::format("'{}' must be a string", e.key));
            } else if (e.key == "language") {
                set_language(e.value.string, e.value.content);
            } else if (e.key == "accept") {
                accept(e.value.string, e.value.content);
            } else {
                const bool is_coordinate = is_of_coordinates(*rules);
                for (const model::Entry& rule : e.value.entries) {
                    if (rule.value.is(model::Value::Kind::integer)) {
                        add_rule(*rules, rule.key, rule.where, std::to_string(rule.value.integer), rule.value.where, is_coordinate);
                    } else if (rule.value.is(model::Value::Kind::real)) {
                        add_rule(*rules, rule.key, rule.where, fmt::format("{}", rule.value.real), rule.value.where, is_coordinate);
                    } else if (rule.value.is(model::Value::Kind::string)) {
                        add_rule(*rules, rule.key, rule.where, rule.value.string, rule.value.content, is_coordinate);
                    } else {
                        complain(rule.value.where, fmt::format("the meaning of '{}' must be a string or a number", rule.key.substr(0, 40)),
                                 "for example \"cos(q1)\"");
                    }
                }
            }
        }
    }

    void read_remark(const Remark& remark) {
        const std::string_view text = remark.text;
        const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
        const std::string_view word = text.substr(0, blank);
        const std::string_view rest = trimmed(text.substr(blank));
        const auto at = [&](std::string_view part) {
            return Position{remark.where.line,
                            remark.where.column + static_cast<std::uint32_t>(
                                                      part.empty() ? text.size() : static_cast<std::size_t>(part.data() - text.data()))};
        };
        if (word == "language") return set_language(rest, at(rest));
        if (word == "accept") return accept(rest, at(rest));
        std::vector<Rule>* const rules = word == "at" ? &table_.at : find_rules(std::string(word) + "s");
        if (rules == nullptr) {
            return complain(remark.where, fmt::format("unknown word '{}' after @", word.substr(0, 40)),
                            "there are: language, accept, name, target, coordinate, at");
        }
        const std::size_t equals = rest.find('=');
        if (equals == std::string_view::npos) return complain(at(rest), "a rule needs a '='", "for example @ name ma(i) = MA{i}");
        const std::string_view left = trimmed(rest.substr(0, equals)), right = trimmed(rest.substr(equals + 1));
        add_rule(*rules, left, at(left), right, at(right), is_of_coordinates(*rules));
    }

private:
    std::vector<Rule>* find_rules(std::string_view section) const {
        if (section == "names") return &table_.names;
        if (section == "targets") return &table_.targets;
        if (section == "coordinates") return &table_.coordinates;
        return section == "at" ? &table_.at : nullptr;
    }
    /// Left stands a coordinate, in our language, and no name of theirs.
    bool is_of_coordinates(const std::vector<Rule>& rules) const { return &rules == &table_.coordinates || &rules == &table_.at; }

    std::string file_;
    Language language_;
    NamesTable& table_;
    Diagnostics& problems_;
};

}  // namespace

std::optional<NamesTable::Fit> NamesTable::find(const std::vector<Rule>& rules, std::string_view name,
                                                const std::vector<std::string>& indices) {
    for (const bool with_letters : {false, true}) {
        for (const Rule& rule : rules) {
            if (rule.has_letters != with_letters || rule.name != name || rule.indices.size() != indices.size()) continue;
            Letters letters;
            const bool fits = std::ranges::equal(rule.indices, indices, [&](const std::string& pattern, const std::string& index) {
                if (is_whole(pattern)) return pattern == index;
                letters.emplace(pattern, index);
                return true;
            });
            if (!fits) continue;
            if (auto text = put_in(rule.text, letters)) return Fit{&rule, put_in_indices(*text, letters)};
        }
    }
    return std::nullopt;
}

void read_names(std::string_view text, const std::string& file, Language language, NamesTable& table, Diagnostics& problems) {
    Reader(file, language, table, problems).read_toml(text);
}

void read_remarks(const std::vector<Remark>& remarks, const std::string& file, Language language, NamesTable& table,
                  Diagnostics& problems) {
    Reader reader(file, language, table, problems);
    for (const Remark& remark : remarks) reader.read_remark(remark);
}

std::optional<Language> stated_language(std::string_view toml, std::string_view printed) {
    Diagnostics ignored;
    if (const auto root = model::parse_toml(toml, ignored)) {
        const model::Value* value = root->find("language");
        if (value != nullptr && value->is(model::Value::Kind::string)) return find_language(value->string);
    }
    for (const Remark& remark : find_remarks(printed)) {
        const std::string_view text = trimmed(remark.text);
        if (text.starts_with("language")) return find_language(trimmed(text.substr(8)));
    }
    return std::nullopt;
}

}  // namespace linkwright::compare
