#include "linkwright/model/lynch_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace linkwright::model {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }

std::string capitals(std::string_view text) {
    std::string s(text);
    std::ranges::transform(s, s.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return s;
}

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    LynchStatements run() {
        for (skip(); at_ < text_.size(); skip()) {
            if (peek() == ';' || peek() == '$') {  // nothing between two
                advance();
                continue;
            }
            LynchEntry entry;
            if (statement(entry)) {
                result_.entries.push_back(std::move(entry));
            } else {
                while (at_ < text_.size() && peek() != ';' && peek() != '$') advance();
            }
        }
        result_.end = here_;
        return std::move(result_);
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void advance() {
        if (text_[at_] == '\n') {
            ++here_.line;
            here_.column = 1;
        } else if ((static_cast<unsigned char>(text_[at_]) & 0xC0U) != 0x80U) {
            ++here_.column;
        }
        ++at_;
    }

    /// Spaces and comments.
    void skip() {
        while (at_ < text_.size()) {
            if (is_space(peek())) {
                advance();
            } else if (text_.substr(at_).starts_with("/*")) {
                const Position begin = here_;
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) error(begin, "the comment does not end", "close it with */");
                const std::size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
                while (at_ < stop) advance();
            } else {
                return;
            }
        }
    }

    bool error(Position where, std::string what, std::string hint = {}) {
        result_.problems.push_back({.file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)});
        return false;
    }

    std::string next_thing() const {
        if (at_ >= text_.size()) return "the end of the file";
        std::size_t end = at_;
        while (end < text_.size() && end - at_ < 30 && is_word(text_[end])) ++end;
        while (end == at_ || (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U)) ++end;
        return fmt::format("'{}'", text_.substr(at_, end - at_));
    }

    bool expect(char c, std::string_view after, std::string hint = {}) {
        skip();
        if (peek() == c && at_ < text_.size()) {
            advance();
            return true;
        }
        return error(here_, fmt::format("expected '{}' {}, found {}", c, after, next_thing()), std::move(hint));
    }

    std::string word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_word(peek())) advance();
        return std::string(text_.substr(begin, at_ - begin));
    }

    bool statement(LynchEntry& entry) {
        entry.where = here_;
        entry.stem = capitals(word());
        entry.name = entry.stem;
        if (entry.stem.empty()) return error(here_, fmt::format("expected a name, found {}", next_thing()));
        skip();
        if (peek() == '[' && !indices(entry)) return false;
        skip();
        if (peek() == ':') {
            advance();
            skip();
            if (!value(entry)) return false;
        }
        skip();
        if (peek() == ';' || peek() == '$') {
            advance();
            return true;
        }
        return error(here_, fmt::format("expected ';' after {}, found {}", entry.name, next_thing()),
                     "every statement ends with a semicolon");
    }

    bool indices(LynchEntry& entry) {
        do {
            advance();
            skip();
            const Position where = here_;
            const std::string text = word();
            int index = 0;
            const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
            if (text.empty() || problem != std::errc{} || end != text.data() + text.size() || index < 1) {
                return error(where, fmt::format("the index of {} is not the number of a body", entry.stem), "bodies count from 1");
            }
            entry.indices.push_back(index);
            skip();
        } while (peek() == ',');
        entry.name = fmt::format("{}[{}]", entry.stem, fmt::join(entry.indices, ","));
        return expect(']', "after the indices");
    }

    bool value(LynchEntry& entry) {
        if (capitals(text_.substr(at_, 6)) != "MATRIX" || (at_ + 6 < text_.size() && is_word(text_[at_ + 6]))) {
            entry.rows.resize(1);
            return cell(entry, entry.rows.front());
        }
        entry.is_matrix = true;
        word();
        if (!expect('(', "after MATRIX")) return false;
        do {
            if (!expect('[', "before a row", "MATRIX([1, 0], [0, 1]) has two rows")) return false;
            entry.rows.emplace_back();
            do {
                skip();
                if (!cell(entry, entry.rows.back())) return false;
                if (peek() != ',') break;
                advance();
            } while (true);
            if (!expect(']', "after a row")) return false;
            skip();
            if (peek() != ',') break;
            advance();
        } while (true);
        return expect(')', "after the last row");
    }

    bool cell(const LynchEntry& entry, std::vector<LynchCell>& into) {
        const Position where = here_;
        const std::size_t begin = at_;
        for (int depth = 0; at_ < text_.size(); advance()) {
            const char c = peek();
            if (c == '(' || c == '[') ++depth;
            if (c == ')' || c == ']') --depth;
            if (depth < 0 || c == ';' || c == '$' || c == ':' || (depth == 0 && c == ',')) break;
        }
        std::size_t end = at_;
        while (end > begin && is_space(text_[end - 1])) --end;
        if (end == begin) return error(where, fmt::format("an entry of {} is empty", entry.name));
        if (end - begin > 1000) return error(where, fmt::format("an entry of {} is longer than 1000 characters", entry.name));
        if (peek() == ':') {
            return error(where, fmt::format("a ';' is missing in or after {}", entry.name), "every statement ends with a semicolon");
        }
        into.push_back({std::string(text_.substr(begin, end - begin)), where});
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Position here_;
    LynchStatements result_;
};

}  // namespace

LynchStatements parse_lynch(std::string_view text) { return Scanner(text).run(); }

}  // namespace linkwright::model
