#include "linkwright/compare/printed_lines.hpp"

#include <algorithm>
#include <array>

#include "linkwright/compare/printed_scripts.hpp"

namespace linkwright::compare {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }  // a later byte of a character

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
    return s;
}

/// Signs that print has and keyboards have not.
struct Glyph {
    std::string_view utf8;
    char means;
};
constexpr std::array glyphs{Glyph{"−", '-'}, Glyph{"–", '-'},  Glyph{"·", '*'},  Glyph{"⋅", '*'},     Glyph{"×", '*'},
                            Glyph{"∙", '*'}, Glyph{"′", '\''}, Glyph{"’", '\''}, Glyph{"\u00A0", ' '}};

bool is_empty(const Letters& letters) {
    return std::ranges::all_of(letters, [](const Letter& l) { return is_blank(l.c) || l.c == '\n'; });
}

/// An = that is not part of == <= >= != .
bool has_equals(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '=') continue;
        const char before = i > 0 ? line[i - 1] : ' ', after = i + 1 < line.size() ? line[i + 1] : ' ';
        if (after == '=') {
            ++i;
        } else if (before != '<' && before != '>' && before != '!') {
            return true;
        }
    }
    return false;
}

class Cutter {
public:
    Cutter(const std::vector<std::string>& lines, Language language, std::string_view file) : lines_(lines) {
        switch (language) {
            case Language::ours: cut_ours(); break;
            case Language::fortran: is_fixed(file) ? cut_fixed() : cut_free(); break;
            case Language::c: cut_c(); break;
            case Language::python: result = cut_python(lines); return;
            case Language::matlab: result = cut_matlab(lines); return;
        }
        finish();
    }
    Cut result;

private:
    void finish() {
        if (!is_empty(pending_)) result.statements.push_back(std::move(pending_));
        pending_.clear();
        pending_has_equals_ = false;
    }
    void add(std::uint32_t number, std::size_t begin, std::size_t end) {
        append(pending_, lines_[number], begin, end, number + 1, !is_empty(pending_));
        pending_.push_back({'\n', {number + 1, 1}, false});
    }
    void remark(std::uint32_t number, std::size_t at) {  // `at`: after the sign of the comment
        if (auto found = remark_at(lines_[number], number, at)) result.remarks.push_back(std::move(*found));
    }

    // A line goes on with the statement before it unless it has an = of its own; an empty line ends a statement.
    void cut_ours() {
        for (std::uint32_t n = 0; n < lines_.size(); ++n) {
            const std::string& line = lines_[n];
            const std::size_t hash = std::min(line.find('#'), line.size());
            if (hash < line.size()) remark(n, hash + 1);
            std::size_t begin = 0;
            if (trimmed(std::string_view(line).substr(0, hash)).empty()) {
                if (hash == line.size()) finish();
                continue;
            }
            while (begin <= hash) {
                const std::size_t end = std::min(line.find(';', begin), hash);
                const std::string_view part = trimmed(std::string_view(line).substr(begin, end - begin));
                const bool has = has_equals(part);
                if (has && pending_has_equals_ && !part.starts_with('=')) finish();
                pending_has_equals_ |= has;
                if (!part.empty()) add(n, begin, end);
                if (end < hash) finish();
                begin = end + 1;
            }
        }
    }

    bool is_fixed(std::string_view file) const {
        for (const std::string_view suffix : {".f90", ".f95", ".f03", ".f08", ".F90"}) {
            if (file.ends_with(suffix)) return false;
        }
        for (const std::string_view suffix : {".f", ".for", ".ftn", ".f77", ".F", ".FOR"}) {
            if (file.ends_with(suffix)) return true;
        }
        return std::ranges::none_of(
            lines_, [](const std::string& line) { return trimmed(std::string_view(line).substr(0, line.find('!'))).ends_with('&'); });
    }

    // Columns 1 to 5 hold a label, column 6 a mark when the line goes on, 7 and later the text. What stands beyond column 72 is
    // read as well: print does not count columns.
    void cut_fixed() {
        for (std::uint32_t n = 0; n < lines_.size(); ++n) {
            const std::string& line = lines_[n];
            if (trimmed(line).empty()) continue;
            if (line[0] == 'C' || line[0] == 'c' || line[0] == '*' || line[0] == '!') {
                remark(n, 1);
                continue;
            }
            std::size_t begin = std::min<std::size_t>(6, line.size());
            bool continues =
                line.size() > 5 && !is_blank(line[5]) && line[5] != '0' && trimmed(std::string_view(line).substr(0, 5)).empty();
            if (const std::size_t tab = line.find('\t'); tab < 6) {
                continues = tab + 1 < line.size() && line[tab + 1] >= '1' && line[tab + 1] <= '9';
                begin = std::min(tab + (continues ? 2 : 1), line.size());
            } else if (!continues) {
                begin = 0;  // a label is dropped; a statement that begins too early is read all the same
                while (begin < line.size() && (is_blank(line[begin]) || (begin < 5 && is_digit(line[begin])))) ++begin;
            }
            const std::size_t end = std::min(line.find('!', begin), line.size());
            if (end < line.size()) remark(n, end + 1);
            if (!continues) finish();
            add(n, begin, end);
        }
        for (Letters& statement : result.statements) std::erase_if(statement, [](const Letter& l) { return is_blank(l.c) || l.c == '\n'; });
        std::erase_if(pending_, [](const Letter& l) { return is_blank(l.c) || l.c == '\n'; });
    }

    void cut_free() {
        bool continues = false;
        for (std::uint32_t n = 0; n < lines_.size(); ++n) {
            const std::string& line = lines_[n];
            std::size_t end = std::min(line.find('!'), line.size());
            if (end < line.size()) remark(n, end + 1);
            std::size_t begin = 0;
            while (begin < end && is_blank(line[begin])) ++begin;
            while (end > begin && is_blank(line[end - 1])) --end;
            if (begin == end) continue;
            if (continues && line[begin] == '&') ++begin;
            if (!continues) finish();
            continues = end > begin && line[end - 1] == '&';
            if (continues) --end;
            while (begin < end) {
                const std::size_t stop = std::min(line.find(';', begin), end);
                add(n, begin, stop);
                if (stop < end) finish();
                begin = stop + 1;
            }
        }
    }

    void cut_c() {
        bool in_comment = false;
        for (std::uint32_t n = 0; n < lines_.size(); ++n) {
            const std::string& line = lines_[n];
            if (!in_comment && trimmed(line).starts_with('#')) continue;
            std::size_t begin = 0;
            const auto flush = [&](std::size_t end) {
                if (begin < end && !trimmed(std::string_view(line).substr(begin, end - begin)).empty()) add(n, begin, end);
            };
            for (std::size_t i = 0; i <= line.size(); ++i) {
                const std::string_view rest = std::string_view(line).substr(i);
                if (in_comment) {
                    if (rest.starts_with("*/")) in_comment = false, begin = i + 2, ++i;
                } else if (rest.empty()) {
                    flush(i);
                } else if (rest.starts_with("//")) {
                    flush(i);
                    remark(n, i + 2);
                    begin = line.size();
                    break;
                } else if (rest.starts_with("/*")) {
                    flush(i);
                    remark(n, i + 2);
                    in_comment = true;
                    ++i;
                } else if (rest[0] == ';' || rest[0] == '{' || rest[0] == '}') {
                    flush(i);
                    finish();
                    begin = i + 1;
                }
            }
        }
    }

    const std::vector<std::string>& lines_;
    Letters pending_;
    bool pending_has_equals_ = false;
};

/// Where the number that begins at `i` ends.
std::size_t number_end(const Letters& s, std::size_t i, Language language) {
    const auto at = [&](std::size_t k) { return k < s.size() ? s[k].c : '\0'; };
    while (is_digit(at(i))) ++i;
    if (at(i) == '.') {
        ++i;
        while (is_digit(at(i))) ++i;
    }
    const bool takes_d = language == Language::fortran && (at(i) == 'd' || at(i) == 'D');
    if (at(i) == 'e' || at(i) == 'E' || takes_d) {
        std::size_t k = i + 1;
        if (at(k) == '+' || at(k) == '-') ++k;
        if (is_digit(at(k))) {
            while (is_digit(at(k))) ++k;
            i = k;
        }
    }
    if (language == Language::fortran && at(i) == '_' && (is_letter(at(i + 1)) || is_digit(at(i + 1)))) {  // a kind
        ++i;
        while (is_letter(at(i)) || is_digit(at(i))) ++i;
    }
    if (language == Language::c && (at(i) == 'f' || at(i) == 'F' || at(i) == 'l' || at(i) == 'L') && !is_letter(at(i + 1)) &&
        !is_digit(at(i + 1)))
        ++i;
    return i;
}

std::size_t name_end(const Letters& s, std::size_t i, Language language) {
    const auto at = [&](std::size_t k) { return k < s.size() ? s[k].c : '\0'; };
    const bool is_ours = language == Language::ours, has_parts = is_ours || is_script(language);
    while (is_letter(at(i)) || is_digit(at(i)) || (has_parts && at(i) == '.' && (is_letter(at(i + 1)) || (is_ours && is_digit(at(i + 1))))))
        ++i;
    if (is_ours) {
        while (at(i) == '\'') ++i;
    }
    return i;
}

}  // namespace

void append(Letters& out, std::string_view line, std::size_t begin, std::size_t end, std::uint32_t number, bool starts_line) {
    std::uint32_t column = 0;
    for (std::size_t i = 0; i < begin; ++i) column += goes_on(line[i]) ? 0 : 1;
    for (std::size_t i = begin; i < end; ++i) {
        if (!goes_on(line[i])) ++column;
        const Position where{number, std::max(column, 1U)};
        const auto glyph =
            std::ranges::find_if(glyphs, [&](const Glyph& g) { return line.substr(i).starts_with(g.utf8) && i + g.utf8.size() <= end; });
        if (glyph != glyphs.end()) {
            out.push_back({glyph->means, where, starts_line});
            i += glyph->utf8.size() - 1;
        } else {
            out.push_back({line[i], where, starts_line});
        }
        if (!is_blank(line[i])) starts_line = false;
    }
}

std::optional<Remark> remark_at(const std::string& line, std::uint32_t number, std::size_t at) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at >= line.size() || line[at] != '@') return std::nullopt;
    std::string_view text = trimmed(std::string_view(line).substr(at + 1));
    if (text.ends_with("*/")) text = trimmed(text.substr(0, text.size() - 2));
    std::size_t column = 0;
    const auto begin = static_cast<std::size_t>(text.data() - line.data());
    for (std::size_t i = 0; i <= std::min(begin, line.size() - 1); ++i) column += goes_on(line[i]) ? 0 : 1;
    return Remark{{number + 1, static_cast<std::uint32_t>(std::max<std::size_t>(column, 1))}, std::string(text)};
}

Cut cut(const std::vector<std::string>& lines, Language language, std::string_view file) { return Cutter(lines, language, file).result; }

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

namespace {

/// np.cos is cos: the names of modules of functions go.
void drop_module(Token& name) {
    constexpr std::array<std::string_view, 11> modules{"np", "numpy", "math", "cmath", "sp", "sympy", "sm", "jnp", "ca", "casadi", "me"};
    const std::size_t dot = name.text.find('.');
    if (dot == std::string::npos || std::ranges::find(modules, std::string_view(name.text).substr(0, dot)) == modules.end()) return;
    name.text.erase(0, dot + 1);
    name.where.column += static_cast<std::uint32_t>(dot + 1);
    name.width -= static_cast<std::uint32_t>(dot + 1);
}

/// .* ./ .^ work entry by entry, and entries are what is compared.
bool is_elementwise(char c, char next) { return c == '.' && (next == '*' || next == '/' || next == '^'); }

}  // namespace

std::vector<Token> tokens_of(const Letters& s, Language language) {
    constexpr std::array<std::string_view, 10> pairs{"**", "==", "<=", ">=", "!=", "+=", "-=", "*=", "/=", "::"};
    std::vector<Token> tokens;
    bool starts_line = false;
    std::size_t i = 0;
    const auto push = [&](Token::Kind kind, std::size_t end) {
        Token t{kind, {}, s[i].where, 0, starts_line};
        for (std::size_t k = i; k < end; ++k) {
            t.text += s[k].c;
            if (s[k].where.line == s[i].where.line && !goes_on(s[k].c)) ++t.width;
        }
        t.width = std::max(t.width, 1U);
        tokens.push_back(std::move(t));
        starts_line = false;
        i = end;
    };
    while (i < s.size()) {
        const char c = s[i].c, next = i + 1 < s.size() ? s[i + 1].c : '\0';
        starts_line |= s[i].starts_line;
        if (is_blank(c) || c == '\n') {
            ++i;
        } else if (is_digit(c) || (c == '.' && is_digit(next))) {
            push(Token::Kind::number, number_end(s, i, language));
        } else if (is_letter(c)) {
            push(Token::Kind::name, name_end(s, i, language));
            if (tokens.back().text == "std" && i + 1 < s.size() && s[i].c == ':' && s[i + 1].c == ':') tokens.pop_back(), i += 2;
            if (language == Language::python) drop_module(tokens.back());
        } else if (language == Language::matlab && is_elementwise(c, next)) {
            push(Token::Kind::sign, i + 2);
            tokens.back().text.erase(0, 1);
        } else if (language == Language::matlab && c == ';') {
            push(Token::Kind::sign, i + 1);
        } else if (std::ranges::find(pairs, std::string{c, next}) != pairs.end()) {
            push(Token::Kind::sign, i + 2);
        } else if (std::string_view("+-*/^()[],=<>:").find(c) != std::string_view::npos) {
            push(Token::Kind::sign, i + 1);
        } else {
            std::size_t end = i + 1;
            while (end < s.size() && goes_on(s[end].c)) ++end;
            push(Token::Kind::strange, end);
        }
    }
    Position after{1, 1};
    if (!tokens.empty()) after = {tokens.back().where.line, tokens.back().where.column + tokens.back().width};
    tokens.push_back({Token::Kind::end, {}, after, 1, false});
    return tokens;
}

}  // namespace linkwright::compare
