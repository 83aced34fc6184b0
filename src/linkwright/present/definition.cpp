#include "linkwright/present/definition.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "linkwright/present/words.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::present {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
    return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 14> small_words{"of", "in", "is", "by", "at", "to", "as", "or", "on", "no", "if", "it", "an", "be"};
constexpr std::array<std::string_view, 8> functions{"sin", "cos", "tan", "det", "exp", "log", "min", "max"};

bool is_greek(std::string_view name) {
    const std::string s = sym::is_name(name) ? sym::write_name(name, Style::latex) : "";
    return s.starts_with('\\') && !s.starts_with("\\mathit");
}

struct Token {
    bool is_prose;
    std::string text;
};

class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    std::vector<Token> scan() {
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (c == ' ' || c == '\n')
                take(1);
            else if (is_letter(c))
                word();
            else if (is_digit(c))
                number();
            else
                sign();
        }
        return std::move(tokens_);
    }

private:
    std::string_view take(std::size_t n) {
        const std::string_view taken = rest_.substr(0, n);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    void maths(std::string s) { tokens_.push_back({false, std::move(s)}); }
    void prose(std::string_view s) {
        if (!tokens_.empty() && tokens_.back().is_prose)
            tokens_.back().text += " " + std::string(s);
        else
            tokens_.push_back({true, std::string(s)});
    }

    bool sum() {
        constexpr std::string_view start = "sum over ", stop = " of ";
        const std::size_t end = rest_.starts_with(start) ? rest_.find(stop) : rest_.npos;
        if (end == rest_.npos) return false;
        const std::string_view over = rest_.substr(start.size(), end - start.size());
        if (over.size() > 40 || over.find("sum over") != over.npos) return false;
        maths("\\sum_{" + latex_definition(over) + "}");
        take(end + stop.size());
        return true;
    }

    void word() {
        if (sum()) return;
        std::size_t n = 1;
        const auto continues = [&](std::size_t i) {
            return i < rest_.size() && (is_letter(rest_[i]) || is_digit(rest_[i]) || rest_[i] == '_');
        };
        while (continues(n) || (n + 1 < rest_.size() && rest_[n] == '.' && is_letter(rest_[n + 1]))) ++n;
        const std::string_view name = take(n);
        const char next = rest_.empty() ? ' ' : rest_.front();
        if (name == "x" && next == ' ' && !tokens_.empty()) return maths("\\times");
        if (name == "a" && is_between_words()) return prose(name);
        if (name == "dt") return maths("dt");  // d B / dt
        if (is_one_of(name, functions)) return maths("\\" + std::string(name));
        if (next != '[' && next != '\'' && next != '^' && is_prose(name)) {
            if (next != '(') return prose(name);
            return maths("\\operatorname{" + std::string(name) + "}");
        }
        letter(name);
    }
    bool is_between_words() const {
        return !tokens_.empty() && tokens_.back().is_prose && rest_.size() > 2 && rest_[0] == ' ' && is_lower(rest_[1]) &&
               is_lower(rest_[2]);
    }
    static bool is_prose(std::string_view name) {
        if (name.size() == 2) return is_one_of(name, small_words);
        if (name.size() < 3 || is_greek(name) || has_dot(name)) return false;
        const bool is_word = std::ranges::all_of(name.substr(1), is_lower);
        return is_word || std::ranges::all_of(name, is_upper);
    }
    static bool has_dot(std::string_view name) {
        return name.ends_with("dot") && (name.size() == 4 || is_greek(name.substr(0, name.size() - 3)));
    }

    /// A letter with what hangs on it: hats, indices, primes, exponents.
    void letter(std::string_view name) {
        std::vector<std::string> index;
        std::string above, raised;
        const std::size_t bar = name.find('_');
        std::string_view stem = name.substr(0, bar);
        if (bar != name.npos && bar + 1 < name.size()) {
            const std::string_view suffix = name.substr(bar + 1);
            if (suffix == "hat" || suffix == "tilde" || suffix == "bar")
                above = suffix;
            else if (suffix == "prime")
                raised = "\\prime";
            else if (suffix == "second")
                raised = "\\prime\\prime";
            else
                index.push_back("\\mathrm{" + latex_prose(suffix) + "}");
        }
        if (has_dot(stem)) stem.remove_suffix(3), above = "dot";
        std::size_t letters = stem.size();
        while (letters > 1 && is_digit(stem[letters - 1])) --letters;
        if (letters < stem.size()) index.insert(index.begin(), std::string(stem.substr(letters)));
        const bool is_capital = letters == 1 && is_upper(stem[0]);
        std::string base = sym::write_name(stem.substr(0, letters), Style::latex);
        if (rest_.starts_with('[')) {
            for (std::string& i : indices()) index.push_back(std::move(i));
        }
        std::size_t primes = 0;
        while (primes < rest_.size() && rest_[primes] == '\'') ++primes;
        take(primes);
        if (primes == 1) is_capital ? raised += "T" : above = "dot";
        if (primes == 2) above = "ddot";
        if (primes > 2) raised += "(" + std::to_string(primes) + ")";
        raised += exponent();
        if (!above.empty()) base = "\\" + above + "{" + base + "}";
        std::string places;
        for (const std::string& i : index) places += (places.empty() ? "" : ",") + i;
        std::string s = with_index(base, places);
        if (!raised.empty()) s += "^{" + raised + "}";
        maths(std::move(s));
    }
    std::vector<std::string> indices() {
        const std::size_t end = rest_.find(']');
        if (end == rest_.npos) return {};
        std::string_view inside = rest_.substr(1, end - 1);
        take(end + 1);
        std::vector<std::string> list;
        for (;;) {
            const std::size_t comma = std::min(inside.find(','), inside.size());
            std::string_view item = inside.substr(0, comma);
            while (item.starts_with(' ')) item.remove_prefix(1);
            const bool is_coordinate = sym::is_name(item) && (item.ends_with('\'') || is_greek(item));
            const bool is_plain = item.size() == 1 && (is_letter(item[0]) || is_digit(item[0]));
            list.push_back(is_coordinate ? sym::write_name(item, Style::latex)
                           : is_plain    ? std::string(item)
                                         : "\\mathrm{" + in_text(item) + "}");
            if (comma == inside.size()) return list;
            inside.remove_prefix(comma + 1);
        }
    }
    /// What may stand in \mathrm{} and \text{} alike: prose without a switch to mathematics and back.
    static std::string in_text(std::string_view s) {
        const std::string p = latex_prose(s);
        return p.find('$') == p.npos ? p : "\\text{" + p + "}";
    }
    std::string exponent() {
        if (!rest_.starts_with('^')) return "";
        std::size_t n = 1;
        if (rest_.substr(1).starts_with('T'))
            n = 2;
        else {
            if (n < rest_.size() && rest_[n] == '-') ++n;
            while (n < rest_.size() && is_digit(rest_[n])) ++n;
        }
        if (n == 1 || rest_[n - 1] == '-') return "";
        return std::string(take(n).substr(1));
    }
    void number() {
        std::size_t n = 1;
        while (n < rest_.size() && (is_digit(rest_[n]) || (rest_[n] == '.' && n + 1 < rest_.size() && is_digit(rest_[n + 1])))) ++n;
        std::string s(take(n));
        if (const std::string e = exponent(); !e.empty()) s += "^{" + e + "}";
        maths(std::move(s));
    }
    void sign() {
        const char c = rest_.front();
        if ((static_cast<unsigned char>(c) & 0x80U) != 0) return foreign();
        take(1);
        switch (c) {
            case ')':
            case ']': {
                std::string s(1, c);
                if (c == ')' && rest_.starts_with('\'')) take(1), s += "^{T}";
                if (const std::string e = exponent(); !e.empty()) s += "^{" + e + "}";
                return maths(std::move(s));
            }
            case '*':
            case '`': return;
            case '^': return maths("\\hat{\\ }");
            case '~': return maths("\\sim");
            case '\\': return maths("\\backslash");
            case '"': return maths("''");
            case '%':
            case '&':
            case '#':
            case '$':
            case '_':
            case '{':
            case '}': return maths(std::string("\\") + c);
            default: return maths(std::string(1, c));
        }
    }
    /// A character beyond ASCII: latex_prose knows it, between dollars if it is a letter of mathematics.
    void foreign() {
        std::size_t n = 1;
        const auto continues = [&] { return n < rest_.size() && (static_cast<unsigned char>(rest_[n]) & 0xC0U) == 0x80U; };
        while (continues()) ++n;
        if (rest_.substr(n).starts_with("\u0307") || rest_.substr(n).starts_with("\u0308")) n += 2;
        const std::string p = latex_prose(take(n));
        if (p.size() > 2 && p.front() == '$' && p.back() == '$')
            maths(p.substr(1, p.size() - 2));
        else
            prose(p);
    }

    std::string_view rest_;
    std::vector<Token> tokens_;
};

bool opens(const std::string& s) { return s == "(" || s == "[" || s == "\\{"; }
bool closes(const std::string& s) {
    return s.starts_with(')') || s.starts_with(']') || s == "," || s == ";" || s == "." || s == ":" || s == "'";
}

}  // namespace

std::string latex_definition(std::string_view definition) {
    std::string out;
    bool was_open = true, was_prose = false;
    for (const Token& t : Scanner(definition).scan()) {
        const bool is_apart = !was_open && !closes(t.text);
        if (was_prose && is_apart) out.back() = ' ', out += '}';  // the space belongs to the words
        if (t.is_prose)
            out += (out.empty() ? "" : " ") + ("\\text{" + std::string(is_apart ? " " : "")) + t.text + "}";
        else
            out += (is_apart ? " " : "") + t.text;
        was_open = !t.is_prose && opens(t.text);
        was_prose = t.is_prose;
    }
    return out;
}

std::string latex_sentence(std::string_view definition) {
    const auto is_mark = [](const std::string& s) { return s == "," || s == ";" || s == "." || s == ":"; };
    const std::vector<Token> tokens = Scanner(definition).scan();
    std::string out, maths;
    std::size_t depth = 0;  // a comma between parentheses is mathematics
    const auto flush = [&] {
        if (!maths.empty()) out += (out.empty() ? "$" : " $") + maths + "$";
        maths.clear();
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (t.is_prose || (is_mark(t.text) && depth == 0)) {
            flush();
            out += (t.is_prose && !out.empty() ? " " : "") + t.text;
            continue;
        }
        const bool is_apart = !maths.empty() && !opens(tokens[i - 1].text) && !closes(t.text);
        maths += (is_apart ? " " : "") + t.text;
        if (opens(t.text)) ++depth;
        if (depth > 0 && (t.text.starts_with(')') || t.text.starts_with(']') || t.text == "\\}")) --depth;
    }
    flush();
    return out;
}

std::size_t longest_prose(std::string_view definition) {
    std::size_t longest = 0;
    for (const Token& t : Scanner(definition).scan()) {
        if (t.is_prose) longest = std::max(longest, t.text.size());
    }
    return longest;
}

}  // namespace linkwright::present
