#include "linkwright/compare/printed_scripts.hpp"

#include <algorithm>
#include <array>

namespace linkwright::compare {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

/// "M[0,1] = …" at the beginning of a line: a name, perhaps indices, one '='.
bool begins_assignment(std::string_view line) {
    std::size_t i = 0;
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i == line.size() || !is_word(line[i])) return false;
    while (i < line.size() && (is_word(line[i]) || line[i] == '.')) ++i;
    for (int depth = 0; i < line.size() && (depth > 0 || line[i] == '[' || line[i] == '('); ++i) {
        depth += opens(line[i]) ? 1 : closes(line[i]) ? -1 : 0;
        if (line[i] == '=') return false;
    }
    if (i == line.size() || !is_blank(line[i])) return false;  // an argument with a name has no blanks: dtype=float
    while (i < line.size() && is_blank(line[i])) ++i;
    return i + 1 < line.size() && line[i] == '=' && line[i + 1] != '=';
}

/// What both languages share: a statement collects letters until its line ends outside of all brackets.
class ScriptCutter {
public:
    ScriptCutter(const std::vector<std::string>& lines, Language language) : lines_(lines), is_python_(language == Language::python) {
        for (n_ = 0; n_ < lines_.size(); ++n_) is_python_ ? cut_python_line() : cut_matlab_line();
        finish();
    }
    Cut result;

private:
    const std::string& line() const { return lines_[n_]; }
    std::string_view rest(std::size_t i) const { return std::string_view(line()).substr(i); }

    void finish() {
        const auto is_nothing = [](const Letter& l) { return is_blank(l.c) || l.c == '\n'; };
        if (!std::ranges::all_of(pending_, is_nothing)) result.statements.push_back(std::move(pending_));
        pending_.clear();
        depth_ = 0;
    }
    void add(std::size_t begin, std::size_t end) {
        if (begin >= end) return;
        append(pending_, line(), begin, end, n_ + 1, !pending_.empty());
    }
    void remark(std::size_t at) {
        if (auto found = remark_at(line(), n_, at)) result.remarks.push_back(std::move(*found));
    }
    /// Open brackets go on to the next line, unless that plainly begins another statement: then one was never closed.
    void begin_line() {
        if (depth_ == 0 ? !is_continued_ : begins_assignment(line())) finish();
        is_continued_ = false;
    }
    void end_line() {
        pending_.push_back({'\n', {n_ + 1, 1}, false});
        if (depth_ == 0 && !is_continued_) finish();
    }
    void count(char c) {
        if (opens(c)) ++depth_;
        if (closes(c)) depth_ = std::max(depth_ - 1, 0);
    }
    /// After the closing quote of a text that begins at `i`, on the same line.
    std::size_t after_quotes(std::size_t i) const {
        const char quote = line()[i];
        for (++i; i < line().size() && line()[i] != quote; ++i) i += is_python_ && line()[i] == '\\' ? 1 : 0;
        return std::min(i + 1, line().size());
    }

    void cut_python_line() {
        std::size_t begin = 0;
        if (!triple_.empty()) {
            begin = line().find(triple_);
            if (begin == std::string::npos) return;
            begin += 3;
            triple_ = {};
        } else {
            begin_line();
        }
        for (std::size_t i = begin; i < line().size(); ++i) {
            const char c = line()[i];
            if (c == '#') {
                add(begin, i);
                remark(i + 1);
                return end_line();
            }
            if (rest(i).starts_with("\"\"\"") || rest(i).starts_with("'''")) {
                add(begin, i);
                triple_ = rest(i).substr(0, 3);
                const std::size_t close = line().find(triple_, i + 3);
                if (close == std::string::npos) return;
                triple_ = {};
                begin = close + 3;
                i = close + 2;
            } else if (c == '"' || c == '\'') {
                i = after_quotes(i) - 1;
            } else if (c == ';' && depth_ == 0) {
                add(begin, i);
                finish();
                begin = i + 1;
            } else if (c == '\\' && rest(i + 1).find_first_not_of(" \t\r") == std::string_view::npos) {
                add(begin, i);
                is_continued_ = true;
                return end_line();
            }
            count(c);
        }
        add(begin, line().size());
        end_line();
    }

    /// ' begins a text, unless it follows what it may transpose.
    bool transposes(std::size_t i) const {
        if (i == 0) return false;
        const char before = line()[i - 1];
        return is_word(before) || closes(before) || before == '\'' || before == '.';
    }

    void cut_matlab_line() {
        const std::size_t first = std::min(line().find_first_not_of(" \t\r"), line().size());
        const bool is_alone =
            rest(first).substr(std::min<std::size_t>(2, line().size() - first)).find_first_not_of(" \t\r") == std::string::npos;
        if (is_alone && rest(first).starts_with("%{")) ++in_block_;
        if (in_block_ > 0) {
            if (is_alone && rest(first).starts_with("%}")) --in_block_;
            return;
        }
        begin_line();
        std::size_t begin = 0;
        for (std::size_t i = 0; i < line().size(); ++i) {
            const char c = line()[i];
            if (c == '%') {
                add(begin, i);
                remark(i + 1);
                return end_matlab_line();
            }
            if (rest(i).starts_with("...")) {
                add(begin, i);
                is_continued_ = true;
                return end_line();
            }
            if (c == '"' || (c == '\'' && !transposes(i))) {
                i = after_quotes(i) - 1;
            } else if ((c == ';' || c == ',') && depth_ == 0) {
                add(begin, i);
                finish();
                begin = i + 1;
            }
            count(c);
        }
        add(begin, line().size());
        end_matlab_line();
    }
    void end_matlab_line() {  // inside of brackets the end of a line ends a row
        if (depth_ > 0) pending_.push_back({';', {n_ + 1, static_cast<std::uint32_t>(line().size()) + 1}, false});
        end_line();
    }

    const std::vector<std::string>& lines_;
    bool is_python_;
    std::uint32_t n_ = 0;
    Letters pending_;
    int depth_ = 0;
    bool is_continued_ = false;
    std::string_view triple_;  ///< the quotes that end the text we are in
    int in_block_ = 0;         ///< of %{ … %}
};

bool is_one_of(const Token& t, std::initializer_list<std::string_view> words) {
    return t.kind == Token::Kind::name && std::ranges::find(words, t.text) != words.end();
}
bool is_assignment(const Token& t) { return t.is("=") || t.is("+=") || t.is("-=") || t.is("*=") || t.is("/="); }
int turn(const Token& t) { return t.is("(") || t.is("[") ? 1 : t.is(")") || t.is("]") ? -1 : 0; }

using Tokens = std::vector<Token>;

/// tokens [begin, end) cut at `signs` outside of brackets.
std::vector<Tokens> split(const Tokens& tokens, std::size_t begin, std::size_t end, std::string_view sign) {
    std::vector<Tokens> parts(1);
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
        depth += turn(tokens[i]);
        if (depth == 0 && tokens[i].is(sign))
            parts.emplace_back();
        else
            parts.back().push_back(tokens[i]);
    }
    return parts;
}

void drop_empty(std::vector<Tokens>& parts) {
    std::erase_if(parts, [](const Tokens& part) { return part.empty(); });
}

/// In MATLAB a blank ends an entry: [a b -c] has three, [a b - c] and [a b -c*d] two and three.
std::vector<Tokens> split_at_blanks(const Tokens& row) {
    std::vector<Tokens> parts;
    int depth = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Token& t = row[i];
        const auto blank_between = [](const Token& a, const Token& b) {
            return a.where.line != b.where.line || a.where.column + a.width < b.where.column;
        };
        bool begins = parts.empty();
        if (!begins && depth == 0) {
            const Token& before = row[i - 1];
            const bool ends_operand = before.kind == Token::Kind::name || before.kind == Token::Kind::number || before.is(")");
            const bool is_operand = t.kind == Token::Kind::name || t.kind == Token::Kind::number || t.is("(");
            const bool is_own_sign = (t.is("+") || t.is("-")) && i + 1 < row.size() && !blank_between(t, row[i + 1]);
            begins = ends_operand && blank_between(before, t) && (is_operand || is_own_sign);
        }
        if (begins) parts.emplace_back();
        parts.back().push_back(t);
        depth += turn(t);
    }
    return parts;
}

/// Where the outermost '[' of an array stands after the '=', and where its ']' does; nothing when the right side is no array.
struct Brackets {
    std::size_t open, close;
};
std::optional<Brackets> array_brackets(const Tokens& t, std::size_t equals) {
    std::size_t i = equals + 1;
    if (is_one_of(t[i], {"array", "asarray", "Matrix", "ImmutableMatrix", "matrix", "mat", "sym", "vertcat", "DM", "SX"}) &&
        t[i + 1].is("("))
        i += 2;
    if (!t[i].is("[")) return std::nullopt;
    int depth = 0;
    for (std::size_t k = i; k + 1 < t.size(); ++k) {
        depth += turn(t[k]);
        if (depth != 0) continue;
        const bool is_whole = k + 2 == t.size() || t[k + 1].is(")") || t[k + 1].is(",");  // then perhaps dtype=float
        return is_whole ? std::optional(Brackets{i, k}) : std::nullopt;
    }
    return std::nullopt;
}

std::vector<std::vector<Tokens>> rows_of(const Tokens& t, Brackets at, Language language, bool& is_nested) {
    std::vector<std::vector<Tokens>> rows;
    if (language == Language::matlab) {
        for (const Tokens& row : split(t, at.open + 1, at.close, ";")) {
            std::vector<Tokens> entries;
            for (const Tokens& part : split(row, 0, row.size(), ",")) {
                for (Tokens& entry : split_at_blanks(part)) entries.push_back(std::move(entry));
            }
            drop_empty(entries);
            if (!entries.empty()) rows.push_back(std::move(entries));
        }
        return rows;
    }
    std::vector<Tokens> parts = split(t, at.open + 1, at.close, ",");
    drop_empty(parts);
    for (Tokens& part : parts) {
        if (part.front().is("[") && part.back().is("]")) {
            is_nested = true;
            std::vector<Tokens> entries = split(part, 1, part.size() - 1, ",");
            drop_empty(entries);
            rows.push_back(std::move(entries));
        } else {
            rows.push_back({std::move(part)});
        }
    }
    return rows;
}

/// name[i, j] = entry, its left side at the place of the entry.
Tokens assign_entry(const Token& name, const std::vector<std::size_t>& indices, const Tokens& entry, Language language) {
    const Position where = entry.front().where;
    const auto sign = [&](const char* text) { return Token{Token::Kind::sign, text, where, 1, false}; };
    const bool from_zero = counts_from_zero(language);
    Tokens t{name};
    t.front().where = where;
    t.push_back(sign(from_zero ? "[" : "("));
    for (std::size_t k = 0; k < indices.size(); ++k) {
        if (k > 0) t.push_back(sign(","));
        t.push_back({Token::Kind::number, std::to_string(indices[k] + (from_zero ? 0 : 1)), where, 1, false});
    }
    t.push_back(sign(from_zero ? "]" : ")"));
    t.push_back(sign("="));
    t.insert(t.end(), entry.begin(), entry.end());
    const Token& last = entry.back();
    t.push_back({Token::Kind::end, {}, {last.where.line, last.where.column + last.width}, 1, false});
    return t;
}

std::optional<std::vector<Tokens>> entries_of_array(const Tokens& t, std::size_t equals, Language language) {
    if (equals != 1 || t[0].kind != Token::Kind::name || !t[1].is("=")) return std::nullopt;
    const auto at = array_brackets(t, equals);
    if (!at) return std::nullopt;
    bool is_nested = false;
    const auto rows = rows_of(t, *at, language, is_nested);
    const bool is_column = std::ranges::all_of(rows, [](const auto& row) { return row.size() == 1; });
    const bool is_row = rows.size() == 1 && language == Language::matlab;
    const bool has_one_index = (is_column && (rows.size() > 1 || !is_nested)) || is_row;
    std::vector<Tokens> all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows[i].size(); ++j) {
            const std::vector<std::size_t> indices = has_one_index ? std::vector{std::max(i, j)} : std::vector{i, j};
            all.push_back(assign_entry(t[0], indices, rows[i][j], language));
        }
    }
    return all;
}

/// th1, th2 = q    or    a, b = c, d
std::optional<std::vector<Tokens>> entries_of_tuple(const Tokens& t, std::size_t equals) {
    if (equals + 2 > t.size() || !t[equals].is("=")) return std::nullopt;
    const std::vector<Tokens> left = split(t, 0, equals, ",");
    if (left.size() < 2) return std::nullopt;
    std::vector<Tokens> right = split(t, equals + 1, t.size() - 1, ",");
    if (right.size() != left.size()) {
        if (right.size() != 1 || right[0].size() != 1 || right[0][0].kind != Token::Kind::name) return std::nullopt;
        const Token name = right[0][0];
        right.clear();
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto sign = [&](const char* text) { return Token{Token::Kind::sign, text, name.where, 1, false}; };
            right.push_back({name, sign("["), {Token::Kind::number, std::to_string(i), name.where, 1, false}, sign("]")});
        }
    }
    std::vector<Tokens> all;
    for (std::size_t i = 0; i < left.size(); ++i) {
        Tokens one = left[i];
        one.push_back(t[equals]);
        one.insert(one.end(), right[i].begin(), right[i].end());
        one.push_back(t.back());
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

Cut cut_python(const std::vector<std::string>& lines) { return ScriptCutter(lines, Language::python).result; }
Cut cut_matlab(const std::vector<std::string>& lines) { return ScriptCutter(lines, Language::matlab).result; }

std::size_t find_assignment(const std::vector<Token>& tokens) {
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        depth += turn(tokens[i]);
        if (depth <= 0 && is_assignment(tokens[i])) return i;
    }
    return tokens.size();
}

bool is_passed_over_in_script(const std::vector<Token>& t, Language language) {
    if (is_one_of(t[0], {"for", "while", "if", "elif", "elseif", "else", "switch", "case", "otherwise"}))
        return t[1].is(":") || (t[1].kind == Token::Kind::name && t[1].text == "__name__");  // else: after an if that was told
    const std::size_t equals = find_assignment(t);
    if (equals >= t.size()) return true;
    if (language == Language::python && is_one_of(t[0], {"def", "class", "return", "import", "from", "print", "assert", "with"}))
        return true;
    if (language == Language::matlab && is_one_of(t[0], {"function", "syms", "clear", "clc", "close", "global", "persistent"})) return true;
    const bool is_call = equals + 2 < t.size() && t[equals + 2].is("(");
    return is_call && is_one_of(t[equals + 1], {"zeros", "zeros_like", "empty", "symbols", "var", "dynamicsymbols", "simplify", "expand",
                                                "trigsimp", "syms", "lambdify"});
}

std::vector<std::vector<Token>> entries_of(std::vector<Token> t, Language language) {
    std::size_t equals = find_assignment(t);
    if (language == Language::python && t.size() > 3 && t[0].kind == Token::Kind::name && t[1].is(":") && equals < t.size()) {
        t.erase(t.begin() + 1, t.begin() + static_cast<std::ptrdiff_t>(equals));  // x: float = …
        equals = 1;
    }
    if (equals >= t.size()) return {std::move(t)};
    if (auto entries = entries_of_array(t, equals, language)) return std::move(*entries);
    if (language == Language::python) {
        if (auto entries = entries_of_tuple(t, equals)) return std::move(*entries);
    }
    return {std::move(t)};
}

}  // namespace linkwright::compare
