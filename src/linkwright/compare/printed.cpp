#include "linkwright/compare/printed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "linkwright/compare/printed_lines.hpp"
#include "linkwright/compare/printed_scripts.hpp"
#include "linkwright/sym/functions.hpp"

namespace linkwright::compare {

namespace {

struct Function {
    std::string_view name;
    std::size_t least, most;
};
constexpr std::array functions{
    Function{"atan2", 2, 2}, Function{"sqrt", 1, 1}, Function{"min", 2, 99},
    Function{"max", 2, 99},  Function{"pow", 2, 2},  Function{"if", 3, 3},
};
/// One of these, or a row of the table of elementary functions.
std::optional<Function> find_function(std::string_view name) {
    if (sym::find_elementary_function(name) != nullptr) return Function{name, 1, 1};
    const auto* at = std::ranges::find(functions, name, &Function::name);
    return at == functions.end() ? std::nullopt : std::optional(*at);
}

/// NumPy, SymPy and MATLAB: arctan2 and the like, and what only changes how a number is kept ("+").
std::string function_of_script(std::string name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> other{{{"fabs", "abs"},
                                                                                   {"absolute", "abs"},
                                                                                   {"Abs", "abs"},
                                                                                   {"power", "pow"},
                                                                                   {"Pow", "pow"},
                                                                                   {"minimum", "min"},
                                                                                   {"maximum", "max"},
                                                                                   {"Min", "min"},
                                                                                   {"Max", "max"},
                                                                                   {"fmin", "min"},
                                                                                   {"fmax", "max"},
                                                                                   {"ln", "log"}}};
    constexpr std::array<std::string_view, 9> kept{"float", "double", "Float", "Integer", "S", "sympify", "float64", "sym", "vpa"};
    if (std::ranges::find(kept, name) != kept.end()) return "+";
    if (name == "Rational" || name == "rdivide") return "/";
    if (name == "times") return "*";
    if (name.starts_with("arc")) name = "a" + name.substr(3);
    if (const auto* at = std::ranges::find(other, name, &std::pair<std::string_view, std::string_view>::first); at != other.end())
        name = at->second;
    return find_function(name) ? name : std::string();
}

/// The function that a language calls by this name, as ours; empty when there is none.
std::string function_called(std::string_view written, Language language) {
    std::string name = folded(written, language);
    if (language == Language::ours && name == "pow") return {};
    if (name == "if" && language != Language::ours) return {};
    if (name == "sign" && (language == Language::fortran || language == Language::c)) return {};
    if (is_script(language)) return function_of_script(name);
    if (language == Language::fortran) {
        if (name == "dble" || name == "real" || name == "float" || name == "dfloat") return "+";
        if (name == "alog") name = "log";
        if (name == "pow") return {};
        if (name.size() > 3 && name[0] == 'd') name.erase(0, 1);
    }
    if (language == Language::c && name == "fabs") name = "abs";
    if (language == Language::c && (name == "fmin" || name == "fmax")) name.erase(0, 1);
    return find_function(name) ? name : std::string();
}

constexpr std::size_t deepest = 400;  // brackets within brackets

class Parser {
public:
    Parser(const std::vector<Token>& tokens, std::size_t begin, std::size_t end, Language language)
        : tokens_(tokens), at_(begin), end_(end), language_(language) {
        past_ = tokens_[std::min(end, tokens_.size() - 1)];
        past_.kind = Token::Kind::end;
    }

    TreeOrProblem parse_all() {
        TreeOrProblem out;
        if (const auto root = sum(); root && here().kind == Token::Kind::end) {
            out.root = *root;
        } else if (root) {
            complain_about_rest();
        }
        out.tree = std::move(tree_);
        out.problem = std::move(problem_);
        return out;
    }

private:
    using Part = Tree::Part;
    using Result = std::optional<Part>;

    const Token& here() const { return at_ < end_ ? tokens_[at_] : past_; }
    std::uint32_t index() const { return static_cast<std::uint32_t>(at_); }

    std::nullopt_t fail(const Token& where, std::string what, std::string hint = {}) {
        if (!problem_)
            problem_ = Diagnostic{.severity = Diagnostic::Severity::error,
                                  .file = {},
                                  .where = where.where,
                                  .what = std::move(what),
                                  .hint = std::move(hint)};
        return std::nullopt;
    }
    void complain_about_rest() {
        const Token& t = here();
        if (t.is(")") || t.is("]")) {
            fail(t, fmt::format("superfluous '{}'", t.text), "remove it, or open a bracket before it");
        } else if (t.kind == Token::Kind::name || t.kind == Token::Kind::number || t.is("(")) {
            fail(t, fmt::format("an operator is missing before '{}'", t.text), "write * to multiply");
        } else {
            fail(t, fmt::format("unexpected '{}'", t.text));
        }
    }
    Part add(Tree::Node node) {
        tree_.nodes.push_back(std::move(node));
        return static_cast<Part>(tree_.nodes.size() - 1);
    }

    Result sum() {
        if (++depth_ > deepest) return fail(here(), "brackets are nested too deeply");
        Tree::Node node{.kind = Tree::Kind::sum,
                        .first = index(),
                        .last = 0,
                        .name = {},
                        .indices = {},
                        .number = {},
                        .args = {},
                        .turned = {},
                        .signs = {}};
        bool is_first = true;
        while (is_first || here().is("+") || here().is("-")) {
            const bool has_sign = here().is("+") || here().is("-");
            const bool minus = here().is("-");
            node.signs.push_back(has_sign ? index() : Tree::none);
            if (has_sign) ++at_;
            const Result term = product();
            if (!term) return std::nullopt;
            node.args.push_back(*term);
            node.turned.push_back(minus);
            is_first = false;
        }
        --depth_;
        node.last = index() - 1;
        if (node.args.size() == 1 && !node.turned[0]) return node.args[0];
        return add(std::move(node));
    }

    Result product() {
        Tree::Node node{.kind = Tree::Kind::product,
                        .first = index(),
                        .last = 0,
                        .name = {},
                        .indices = {},
                        .number = {},
                        .args = {},
                        .turned = {},
                        .signs = {}};
        bool divides = false;
        while (true) {
            const Result f = factor();
            if (!f) return std::nullopt;
            node.args.push_back(*f);
            node.turned.push_back(divides);
            if (!here().is("*") && !here().is("/")) break;
            divides = here().is("/");
            ++at_;
        }
        node.last = index() - 1;
        if (node.args.size() == 1) return node.args[0];
        return add(std::move(node));
    }

    Result factor() {
        if (here().is("-") || here().is("+")) {
            if (++depth_ > deepest) return fail(here(), "signs are nested too deeply");
            const bool minus = here().is("-");
            const std::uint32_t sign = index();
            ++at_;
            const Result of = factor();
            --depth_;
            if (!of || !minus) return of;
            return add({.kind = Tree::Kind::sum,
                        .first = sign,
                        .last = index() - 1,
                        .name = {},
                        .indices = {},
                        .number = {},
                        .args = {*of},
                        .turned = {true},
                        .signs = {sign}});
        }
        const std::uint32_t first = index();
        const Result base = atom();
        if (!base || (!here().is("^") && !here().is("**"))) return base;
        if (language_ == Language::c) return fail(here(), fmt::format("'{}' is not a power in C", here().text), "write pow(x, n)");
        if (language_ == Language::python && here().is("^")) return fail(here(), "'^' is not a power in Python", "write **");
        if (language_ == Language::matlab) return powers_from_the_left(*base, first);
        ++at_;
        if (++depth_ > deepest) return fail(here(), "powers are nested too deeply");
        const Result exponent = factor();
        --depth_;
        if (!exponent) return std::nullopt;
        return add({.kind = Tree::Kind::power,
                    .first = first,
                    .last = index() - 1,
                    .name = {},
                    .indices = {},
                    .number = {},
                    .args = {*base, *exponent},
                    .turned = {},
                    .signs = {}});
    }

    /// MATLAB: a^b^c is (a^b)^c, and an exponent may have a sign.
    Result powers_from_the_left(Part base, std::uint32_t first) {
        while (here().is("^") || here().is("**")) {
            ++at_;
            std::vector<std::uint32_t> minus;
            for (; here().is("-") || here().is("+"); ++at_) {
                if (here().is("-")) minus.push_back(index());
            }
            Result exponent = atom();
            if (!exponent) return std::nullopt;
            if (minus.size() % 2 == 1) {
                exponent = add({.kind = Tree::Kind::sum,
                                .first = minus.front(),
                                .last = index() - 1,
                                .name = {},
                                .indices = {},
                                .number = {},
                                .args = {*exponent},
                                .turned = {true},
                                .signs = {minus.front()}});
            }
            base = add({.kind = Tree::Kind::power,
                        .first = first,
                        .last = index() - 1,
                        .name = {},
                        .indices = {},
                        .number = {},
                        .args = {base, *exponent},
                        .turned = {},
                        .signs = {}});
        }
        return base;
    }

    Result atom() {
        const Token& t = here();
        switch (t.kind) {
            case Token::Kind::number: return number();
            case Token::Kind::name: return name();
            case Token::Kind::end: return fail(t, "the expression ends too early", "an operand must follow the last operator");
            case Token::Kind::strange: return fail(t, "this character cannot occur in a formula");
            case Token::Kind::sign: break;
        }
        if (!t.is("(")) {
            return fail(
                t, t.is(")") ? "there is nothing before this ')'" : fmt::format("unexpected '{}'", t.text),
                t.is(")") ? "a formula is missing before it, or the ')' is superfluous" : "a name, a number or a bracket is expected");
        }
        ++at_;
        const Result inner = sum();
        if (!inner) return std::nullopt;
        if (!here().is(")")) return missing_bracket(t);
        ++at_;
        return inner;
    }
    std::nullopt_t missing_bracket(const Token& open) {
        const Token& t = here();
        if (t.kind == Token::Kind::end) return fail(open, fmt::format("this '{}' is never closed", open.text), "add a bracket");
        complain_about_rest();
        return std::nullopt;
    }

    Result number() {
        const Token& t = here();
        std::string text = t.text.substr(0, t.text.find('_'));  // 3.0_dp
        while (!text.empty() && std::string_view("fFlL").find(text.back()) != std::string_view::npos) text.pop_back();
        for (char& c : text) c = c == 'd' || c == 'D' || c == 'E' ? 'e' : c;
        const std::size_t e = text.find('e');
        std::string mantissa = text.substr(0, e), exponent = e == std::string::npos ? "" : text.substr(e);
        if (mantissa.starts_with('.')) mantissa.insert(0, "0");
        if (mantissa.ends_with('.')) mantissa.pop_back();
        if (exponent.starts_with("e+")) exponent.erase(1, 1);
        const auto value = Rational::from_text(mantissa + exponent, 400);
        if (!value) return fail(t, fmt::format("'{}' is not a usable number", t.text.substr(0, 40)));
        ++at_;
        return add({.kind = Tree::Kind::number,
                    .first = index() - 1,
                    .last = index() - 1,
                    .name = {},
                    .indices = {},
                    .number = *value,
                    .args = {},
                    .turned = {},
                    .signs = {}});
    }

    Result name() {
        const std::uint32_t first = index();
        const Token& t = here();
        ++at_;
        if (here().is("(")) {
            if (const std::string f = function_called(t.text, language_); !f.empty()) return call(f, first);
            if (language_ == Language::python)
                return fail(t, fmt::format("the function '{}' cannot be read", t.text), "write its result out, or the entries one by one");
        }
        Tree::Node node{.kind = Tree::Kind::name,
                        .first = first,
                        .last = first,
                        .name = t.text,
                        .indices = {},
                        .number = {},
                        .args = {},
                        .turned = {},
                        .signs = {}};
        while (here().is("(") || here().is("[")) {
            if (here().is("(") && (language_ == Language::fortran) && !node.indices.empty()) break;
            const Token& open = here();
            const std::string_view close = open.is("(") ? ")" : "]";
            const std::size_t back = at_;
            ++at_;
            std::vector<std::string> indices;
            while (true) {
                std::string index;
                if (here().is("-")) index = "-", ++at_;
                const Token& i = here();
                const bool is_whole =
                    i.kind == Token::Kind::number && std::ranges::all_of(i.text, [](char c) { return c >= '0' && c <= '9'; });
                if (!is_whole && i.kind != Token::Kind::name) {
                    if (close == ")" && back > first + 1)
                        return fail(tokens_[back], "an operator is missing before '('", "write * to multiply");
                    return fail(i, fmt::format("an index of '{}' must be a number or a name", t.text),
                                close == ")" ? "write * to multiply" : "");
                }
                indices.push_back(index + i.text);
                ++at_;
                if (here().is(close)) break;
                if (!here().is(",")) {
                    return fail(here(), fmt::format("an index of '{}' must be a number or a name, then ',' or '{}'", t.text, close),
                                close == ")" ? "if this is a product, write * to multiply" : "");
                }
                ++at_;
            }
            ++at_;
            node.indices.insert(node.indices.end(), indices.begin(), indices.end());
            node.last = index() - 1;
        }
        return add(std::move(node));
    }

    Result call(const std::string& f, std::uint32_t first) {
        const Token& open = here();
        ++at_;
        std::vector<Part> args;
        bool turned = false;
        while (true) {
            Result arg = sum();
            if (!arg) return std::nullopt;
            if (f == "if" && args.empty() && (here().is(">") || here().is("<") || here().is(">=") || here().is("<="))) {
                // only c > 0 can be asked: a >= b is "not b > a", so the branches change places
                const std::string sign = here().text;
                ++at_;
                const Result other = sum();
                if (!other) return std::nullopt;
                const bool less = sign[0] == '<';
                turned = sign.size() == 2;
                const Part left = less != turned ? *other : *arg, right = less != turned ? *arg : *other;
                arg = add({.kind = Tree::Kind::sum,
                           .first = first,
                           .last = index() - 1,
                           .name = {},
                           .indices = {},
                           .number = {},
                           .args = {left, right},
                           .turned = {false, true},
                           .signs = {Tree::none, Tree::none}});
            }
            args.push_back(*arg);
            if (!here().is(",")) break;
            ++at_;
        }
        if (!here().is(")")) return missing_bracket(open);
        ++at_;
        if (f == "+") {
            if (args.size() != 1) return fail(tokens_[first], fmt::format("'{}' takes one argument", tokens_[first].text));
            return args[0];
        }
        if (f == "/" || f == "*") {  // Rational(1, 2), times(a, b)
            if (args.size() != 2) return fail(tokens_[first], fmt::format("'{}' takes two arguments", tokens_[first].text));
            return add({.kind = Tree::Kind::product,
                        .first = first,
                        .last = index() - 1,
                        .name = {},
                        .indices = {},
                        .number = {},
                        .args = args,
                        .turned = {false, f == "/"},
                        .signs = {}});
        }
        const Function known = *find_function(f);
        if (args.size() < known.least || args.size() > known.most) {
            return fail(tokens_[first], fmt::format("'{}' takes {} argument{}, not {}", tokens_[first].text, known.least,
                                                    known.least == 1 ? "" : "s", args.size()));
        }
        if (turned) std::swap(args[1], args[2]);
        if (f == "pow") {
            return add({.kind = Tree::Kind::power,
                        .first = first,
                        .last = index() - 1,
                        .name = {},
                        .indices = {},
                        .number = {},
                        .args = args,
                        .turned = {},
                        .signs = {}});
        }
        return add({.kind = Tree::Kind::call,
                    .first = first,
                    .last = index() - 1,
                    .name = f,
                    .indices = {},
                    .number = {},
                    .args = args,
                    .turned = {},
                    .signs = {}});
    }

    const std::vector<Token>& tokens_;
    std::size_t at_, end_;
    Language language_;
    Token past_;
    Tree tree_;
    std::optional<Diagnostic> problem_;
    std::size_t depth_ = 0;
};

bool is_assignment(const Token& t) { return t.is("=") || t.is("+=") || t.is("-=") || t.is("*=") || t.is("/="); }

/// Declarations, headers, ends: nothing to compare.
bool is_passed_over(const std::vector<Token>& tokens, Language language, bool has_equals) {
    if (language == Language::ours || tokens.size() < 2) return false;
    if (is_script(language)) return is_passed_over_in_script(tokens, language);
    const std::string first = folded(tokens[0].text, language);
    if (language == Language::c) return !has_equals;
    const bool is_typed = std::ranges::any_of(tokens, [](const Token& t) { return t.is("::"); });
    if (has_equals && !is_typed) return false;
    if (is_typed) {  // real(kind=8) :: a
        const auto colons = std::ranges::find_if(tokens, [](const Token& t) { return t.is("::"); });
        return std::none_of(colons, tokens.end(), is_assignment);
    }
    constexpr std::array<std::string_view, 24> words{"subroutine", "function",  "program",  "implicit", "real",     "double",
                                                     "integer",    "dimension", "common",   "save",     "external", "intrinsic",
                                                     "return",     "end",       "continue", "stop",     "use",      "contains",
                                                     "data",       "include",   "call",     "write",    "print",    "module"};
    return std::ranges::any_of(words, [&](std::string_view w) { return first.starts_with(w); });
}

/// `double t1 = …` in C, `real(8), parameter :: g = …` in Fortran: the words before the name go.
bool drop_declaration(std::vector<Token>& tokens, Language language) {
    const std::size_t before = tokens.size();
    if (language == Language::fortran) {
        const auto colons = std::ranges::find_if(tokens, [](const Token& t) { return t.is("::"); });
        if (colons != tokens.end()) tokens.erase(tokens.begin(), colons + 1);
    } else if (language == Language::c) {
        constexpr std::array<std::string_view, 9> types{"double", "float", "int", "const", "constexpr", "auto", "static", "long", "real_t"};
        while (tokens.size() > 2 && tokens[1].kind == Token::Kind::name && std::ranges::find(types, tokens[0].text) != types.end())
            tokens.erase(tokens.begin());
    }
    return tokens.size() < before;
}

/// `double c = cos(x), s = sin(x), t`: a statement for each that gets a value.
std::vector<std::vector<Token>> declarators(std::vector<Token> tokens, bool is_declared) {
    std::vector<std::vector<Token>> all;
    const Token end = tokens.back();
    int depth = 0;
    all.emplace_back();
    for (const Token& t : tokens) {
        depth += t.is("(") || t.is("[") ? 1 : t.is(")") || t.is("]") ? -1 : 0;
        if (is_declared && depth == 0 && t.is(",")) {
            all.back().push_back(end);
            all.emplace_back();
        } else {
            all.back().push_back(t);
        }
    }
    if (all.size() > 1) std::erase_if(all, [](const auto& one) { return one.size() < 2 || std::ranges::none_of(one, is_assignment); });
    return all;
}

Statement parse_statement(std::vector<Token> tokens, Language language, Diagnostics& warnings) {
    Statement s{.where = tokens[0].where, .tokens = std::move(tokens), .equals = 0, .tree = {}, .left = 0, .right = 0, .problem = {}};
    const auto& t = s.tokens;
    s.equals = is_script(language) ? find_assignment(t) : static_cast<std::size_t>(std::ranges::find_if(t, is_assignment) - t.begin());
    const auto fail = [&](const Token& where, std::string what, std::string hint) {
        s.problem = Diagnostic{
            .severity = Diagnostic::Severity::error, .file = {}, .where = where.where, .what = std::move(what), .hint = std::move(hint)};
        s.equals = std::min(s.equals, t.size() - 1);
        return s;
    };
    const std::string first = folded(t[0].text, language);
    constexpr std::array<std::string_view, 7> branches{"for", "if", "while", "do", "elif", "elseif", "switch"};
    if (language != Language::ours && std::ranges::find(branches, first) != branches.end() &&
        (s.equals < t.size() || is_script(language))) {
        return fail(t[0], fmt::format("'{}' cannot be read: only assignments can", t[0].text), "write the assignments out");
    }
    if (s.equals == t.size())
        return fail(t[0], "this is not an equation: there is no '='", "write NAME = FORMULA, or begin a comment with #");
    for (std::size_t i = s.equals + 1; i < t.size(); ++i) {
        if (is_assignment(t[i])) return fail(t[i], "a second '='", "one equation at a time");
    }
    if (language == Language::fortran || language == Language::c) {
        for (std::size_t i = s.equals + 1; i + 2 < t.size(); ++i) {
            const auto is_whole = [](const Token& x) {
                return x.kind == Token::Kind::number && std::ranges::all_of(x.text, [](char c) { return c >= '0' && c <= '9'; });
            };
            if (!is_whole(t[i]) || !t[i + 1].is("/") || !is_whole(t[i + 2])) continue;
            if (i > 0 && (t[i - 1].is("**") || t[i - 1].is("/") || t[i - 1].is("*"))) continue;
            warnings.push_back({.severity = Diagnostic::Severity::warning,
                                .file = {},
                                .where = t[i].where,
                                .what = fmt::format("{}/{} is a division of whole numbers, which cuts off; it is read as a fraction",
                                                    t[i].text, t[i + 2].text),
                                .hint = fmt::format("in running code write {}.0/{}", t[i].text, t[i + 2].text)});
        }
    }
    TreeOrProblem left = parse_tokens(t, 0, s.equals, language);
    if (left.problem) return s.problem = left.problem, s;
    TreeOrProblem right = parse_tokens(t, s.equals + 1, t.size() - 1, language);
    if (right.problem) return s.problem = right.problem, s;
    const auto shift = static_cast<Tree::Part>(left.tree.nodes.size());
    s.tree = std::move(left.tree);
    s.left = left.root;
    for (Tree::Node& node : right.tree.nodes) {
        for (Tree::Part& a : node.args) a += shift;
        s.tree.nodes.push_back(std::move(node));
    }
    s.right = right.root + shift;
    if (!t[s.equals].is("=")) {  // x += y is x = x + y
        const bool is_sum = t[s.equals].text[0] == '+' || t[s.equals].text[0] == '-';
        const auto at = static_cast<std::uint32_t>(s.equals);
        s.tree.nodes.push_back({.kind = is_sum ? Tree::Kind::sum : Tree::Kind::product,
                                .first = 0,
                                .last = static_cast<std::uint32_t>(t.size() - 2),
                                .name = {},
                                .indices = {},
                                .number = {},
                                .args = {s.left, s.right},
                                .turned = {false, t[s.equals].text[0] == '-' || t[s.equals].text[0] == '/'},
                                .signs = {Tree::none, at}});
        s.right = static_cast<Tree::Part>(s.tree.nodes.size() - 1);
    }
    return s;
}

}  // namespace

std::optional<Language> find_language(std::string_view name) {
    if (name == "ours" || name == "linkwright") return Language::ours;
    if (name == "fortran" || name == "Fortran" || name == "FORTRAN") return Language::fortran;
    if (name == "c" || name == "C") return Language::c;
    if (name == "python" || name == "Python" || name == "py") return Language::python;
    if (name == "matlab" || name == "MATLAB" || name == "octave" || name == "m") return Language::matlab;
    return std::nullopt;
}

Language language_of(std::string_view file) {
    for (const std::string_view s : {".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".F", ".FOR", ".F90"}) {
        if (file.ends_with(s)) return Language::fortran;
    }
    for (const std::string_view s : {".c", ".h", ".cc", ".cpp", ".hpp", ".cxx"}) {
        if (file.ends_with(s)) return Language::c;
    }
    if (file.ends_with(".py")) return Language::python;
    if (file.ends_with(".m")) return Language::matlab;
    return Language::ours;
}

std::string folded(std::string_view name, Language language) {
    std::string out(name);
    if (language == Language::fortran) {
        for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

std::string write_name(std::string_view name, const std::vector<std::string>& indices, Language language) {
    if (indices.empty()) return std::string(name);
    if (language == Language::c) return fmt::format("{}[{}]", name, fmt::join(indices, "]["));
    const bool is_ours = language == Language::ours, has_brackets = is_ours || language == Language::python;
    if (is_ours && indices.size() == 3) return fmt::format("{}[{}][{},{}]", name, indices[0], indices[1], indices[2]);
    return fmt::format("{}{}{}{}", name, has_brackets ? "[" : "(", fmt::join(indices, ","), has_brackets ? "]" : ")");
}

std::string write_power(std::string_view base, std::string_view exponent, Language language) {
    if (language == Language::c) return fmt::format("pow({}, {})", base, exponent);
    const bool has_stars = language == Language::fortran || language == Language::python;
    return fmt::format("{}{}{}", base, has_stars ? "**" : "^", exponent);
}

std::string write_tokens(const std::vector<Token>& tokens, std::size_t first, std::size_t last) {
    std::string out;
    for (std::size_t i = first; i <= last && i < tokens.size(); ++i) out += tokens[i].text;
    return out;
}

TreeOrProblem parse_tokens(const std::vector<Token>& tokens, std::size_t begin, std::size_t end, Language language) {
    return Parser(tokens, begin, end, language).parse_all();
}

TreeOrProblem parse_printed(std::string_view text, Language language, Position start, std::vector<Token>* tokens) {
    Letters letters;
    Position where = start;
    for (const char c : text) {
        letters.push_back({c, where, false});
        if (c == '\n') {
            ++where.line, where.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
            ++where.column;
        }
    }
    std::vector<Token> own = tokens_of(letters, language);
    if (own.size() == 1) own[0].where = start;
    TreeOrProblem out = parse_tokens(own, 0, own.size() - 1, language);
    if (tokens != nullptr) *tokens = std::move(own);
    return out;
}

std::vector<Remark> find_remarks(std::string_view text) {
    std::vector<Remark> out;
    std::uint32_t number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        const std::size_t at = line.find('@');
        if (at == std::string::npos || line.substr(0, at).find_first_not_of("#!Cc*/% \t") != std::string::npos) continue;
        out.push_back({{number, static_cast<std::uint32_t>(at + 1)}, line.substr(at + 1)});
    }
    return out;
}

Printed read_printed(std::string_view text, Language language, std::string_view file) {
    Printed out{.language = language, .statements = {}, .remarks = {}, .warnings = {}, .lines = lines_of(text)};
    Cut pieces = cut(out.lines, language, file);
    out.remarks = std::move(pieces.remarks);
    for (const Letters& letters : pieces.statements) {
        std::vector<Token> tokens = tokens_of(letters, language);
        if (tokens.size() == 1) continue;
        const bool has_equals = std::ranges::any_of(tokens, is_assignment);
        if (is_passed_over(tokens, language, has_equals)) continue;
        if (is_script(language)) {
            for (std::vector<Token>& one : entries_of(std::move(tokens), language))
                out.statements.push_back(parse_statement(std::move(one), language, out.warnings));
            continue;
        }
        const bool is_declared = drop_declaration(tokens, language);
        for (std::vector<Token>& one : declarators(std::move(tokens), is_declared)) {
            out.statements.push_back(parse_statement(std::move(one), language, out.warnings));
        }
    }
    return out;
}

}  // namespace linkwright::compare
