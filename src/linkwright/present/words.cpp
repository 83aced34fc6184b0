#include "linkwright/present/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "linkwright/present/definition.hpp"
#include "linkwright/present/formula_parts.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::present {

using sym::Formula, sym::Rational;
using Part = Formula::Part;

std::string write(const Label& label, Style style, const Spellings* spellings) {
    const std::string& s = label.symbol;
    if (style != Style::latex) {
        std::string out = sym::is_name(s) ? write_name(s, style, spellings) : s;
        for (const std::string& i : label.index) out += "[" + i + "]";
        return out;
    }
    std::string places;
    for (const std::string& i : label.index) places += (places.empty() ? "" : ",") + i;
    if (!sym::is_name(s)) return with_index(s.find('[') != s.npos ? latex_definition(s) : "\\text{" + latex_prose(s) + "}", places);
    if (spellings != nullptr && spellings->contains(s)) return with_index(spellings->at(s), places);
    // A_upper is A with index upper
    const std::size_t bar = s.find('_');
    const bool is_simple = s.find_first_of(".'") == s.npos;
    if (!is_simple || bar == s.npos || bar == 0 || bar + 1 == s.size()) return with_index(write_name(s, style, spellings), places);
    const std::string own = with_index(sym::write_name(s.substr(0, bar), style), "\\mathrm{" + latex_prose(s.substr(bar + 1)) + "}");
    return with_index(own, places);
}

std::string write_name(std::string_view name, Style style, const Spellings* spellings) {
    if (style == Style::text || spellings == nullptr || spellings->empty()) return sym::write_name(name, style);
    if (const auto own = spellings->find(std::string(name)); own != spellings->end()) return own->second;
    const std::string_view stem = name.substr(0, name.find_last_not_of('\'') + 1);
    const std::size_t primes = name.size() - stem.size();
    const auto known = spellings->find(std::string(stem));
    if (primes == 0 || known == spellings->end()) return sym::write_name(name, style);
    if (style != Style::latex) return known->second + std::string(primes, '\'');
    if (primes > 2) return "{" + known->second + "}^{(" + std::to_string(primes) + ")}";
    return (primes == 1 ? "\\dot{" : "\\ddot{") + known->second + "}";
}

std::string with_index(const std::string& letter, const std::string& index) {
    if (index.empty()) return letter;
    std::size_t depth = 0, bar = letter.npos, scripts = 0;
    for (std::size_t i = 0; i < letter.size(); ++i) {
        if (letter[i] == '{') ++depth;
        if (letter[i] == '}') --depth;
        if (depth == 0 && (letter[i] == '_' || letter[i] == '^' || letter[i] == ' ') && (i == 0 || letter[i - 1] != '\\'))
            bar = i, ++scripts;
    }
    if (scripts == 0) return letter + "_{" + index + "}";
    const bool ends_with_index = scripts == 1 && letter[bar] == '_' && letter.ends_with('}');
    if (ends_with_index) return letter.substr(0, letter.size() - 1) + "," + index + "}";
    return "{{}" + letter + "}_{" + index + "}";  // without {} TeX would take the braces from around an accent, and see two subscripts
}

// ------------------------------------------------------------------------------------------------------------- numbers

namespace {

/// A decimal travels through the writer as a name that all styles leave alone: between two marks, digits as letters.
constexpr char mark = '\x01', end_mark = '\x02';
constexpr std::string_view digits = "0123456789.e-/", letters = "abcdefghijklmn";

std::string translated(std::string_view s, std::string_view from, std::string_view to) {
    std::string out;
    for (const char c : s) out += to[from.find(c)];
    return out;
}

/// 2.5e-05 as 2.5e-5, 1e+35 as 1e35.
std::string tidied(std::string s) {
    std::erase(s, '+');
    const std::size_t e = s.find('e');
    if (e == s.npos) return s;
    std::size_t zero = e + (s[e + 1] == '-' ? 2 : 1);
    while (zero + 1 < s.size() && s[zero] == '0') s.erase(zero, 1);
    return s;
}

/// Digits of a decimal without the zeros around them.
std::size_t significant(std::string_view decimal) {
    std::string only;
    for (const char c : decimal.substr(0, decimal.find('e'))) {
        if (c >= '0' && c <= '9' && !(only.empty() && c == '0')) only += c;
    }
    while (only.ends_with('0')) only.pop_back();
    return only.size();
}

/// The decimal in place of a positive number, or nothing when it is best written as it is.
std::string decimal(const Rational& r, std::size_t most, bool& was_rounded) {
    constexpr std::size_t longest_integer = 64;  // bits
    if (r.is_integer() && r.bits() <= longest_integer) return "";
    const double x = r.to_double();
    if (!std::isfinite(x) || x == 0) return "";
    const std::string shortest = tidied(fmt::format("{}", x));
    if (Rational::from_text(shortest) == r && significant(shortest) <= most)
        return (r.bits() <= 32 && x >= 1e-4) || r.is_integer() ? "" : shortest;
    const std::size_t length = r.numerator().to_string().size() + r.denominator().to_string().size();
    if (length <= most) return "";
    was_rounded = true;
    const std::string rounded = fmt::format("{:.{}g}", x, most);
    const bool looks_whole = rounded.find_first_of(".e") == rounded.npos;
    return tidied(looks_whole ? fmt::format("{:#.{}g}", x, most) : rounded);
}

Formula numeral(const Rational& r) {
    Formula f;
    f.root = f.number(r);
    return f;
}

constexpr std::string_view italic = "\\mathit{";

/// Whether LaTeX has a name of several letters in it, not as an index: beside such a one factors need a space.
bool is_long_name(std::string_view latex) {
    const std::size_t at = latex.find(italic);
    if (at == latex.npos || at > latex.find('_') || at + italic.size() == latex.size()) return false;
    const char c = latex[at + italic.size()];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// What stands for the names of a formula that are written otherwise than sym::write() would. In LaTeX sym::write() makes \mathit{…} of it, and
/// takes it for a name of several letters, as far as spaces go, where it begins with a letter.
class StandIns {
public:
    explicit StandIns(const Notation& notation) : notation_(notation) {}

    /// The name that stands for a part, when one must.
    std::optional<std::string> name_for(const Formula& f, Part i) {
        const Formula::Node& n = f[i];
        if (n.kind == Formula::Kind::name) {
            if (notation_.spellings == nullptr || notation_.spellings->empty()) return std::nullopt;
            const std::string text = write_name(n.name, notation_.style, notation_.spellings);
            return text == sym::write_name(n.name, notation_.style) ? std::nullopt : std::optional(stand_in(text, is_long_name(text)));
        }
        const bool is_sine = n.kind == Formula::Kind::call && (n.function == sym::Op::sin || n.function == sym::Op::cos);
        if (!notation_.short_sines || !is_sine || f[n.args[0]].kind != Formula::Kind::name) return std::nullopt;
        const std::string of = write_name(f[n.args[0]].name, notation_.style, notation_.spellings);
        return stand_in((n.function == sym::Op::sin ? "\\mathrm{s}_{" : "\\mathrm{c}_{") + of + "}");
    }
    /// The texts in place of what stood for them.
    std::string put_in(std::string_view s) const {
        std::string out;
        for (std::size_t at = s.find(mark); at != s.npos; at = s.find(mark)) {
            const std::size_t stop = s.find(end_mark, at);
            const std::string number = translated(s.substr(at + 1, stop - at - 1), letters, digits);
            std::size_t front = at, back = stop + 1;
            if (notation_.style == Style::latex) {
                front -= italic.size(), ++back;
                if (s.substr(front, italic.size()) != italic) --front;  // the letter of a long name
            }
            out += s.substr(0, front);
            out += texts_[std::stoul(number)];
            s.remove_prefix(back);
        }
        return out + std::string(s);
    }

private:
    static constexpr char mark = '\x04', end_mark = '\x05', letter = 'l';

    std::string stand_in(const std::string& text, bool is_long = false) {
        const auto [at, is_new] = number_.try_emplace(text, texts_.size());
        if (is_new) texts_.push_back(text);
        return (is_long ? std::string(1, letter) : "") + mark + translated(std::to_string(at->second), digits, letters) + end_mark;
    }

    const Notation& notation_;
    std::unordered_map<std::string, std::size_t> number_;
    std::vector<std::string> texts_;
};

std::string unmarked(const std::string& s, Style style) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] != mark) {
            out += s[i];
            continue;
        }
        const std::size_t stop = s.find(end_mark, i);
        std::string number = translated(std::string_view(s).substr(i + 1, stop - i - 1), letters, digits);
        i = stop;
        if (style == Style::latex) {
            out.resize(out.size() - italic.size());
            ++i;  // its closing brace
            if (const std::size_t bar = number.find('/'); bar != std::string::npos) {
                number = "\\frac{" + number.substr(0, bar) + "}{" + number.substr(bar + 1) + "}";
            }
            if (const std::size_t e = number.find('e'); e != std::string::npos) {
                number = number.substr(0, e) + " \\cdot 10^{" + std::to_string(std::stoi(number.substr(e + 1))) + "}";
            }
        }
        out += number;
    }
    return out;
}

}  // namespace

std::string write_spelled(const Formula& formula, const Notation& notation) {
    StandIns stand_ins(notation);
    Formula f;
    std::vector<Part> at;
    for (Part i = 0; i < formula.size(); ++i) {
        std::vector<Part> args;
        for (const Part a : formula[i].args) args.push_back(at[a]);
        const auto name = stand_ins.name_for(formula, i);
        at.push_back(name ? f.name(*name) : copied(f, formula[i], std::move(args)));
    }
    f.root = at[formula.root];
    f.keeps_association = formula.keeps_association;
    return stand_ins.put_in(sym::write(f, {.style = notation.style}));
}

std::string write_rounded(const Formula& formula, const Notation& notation, bool& was_rounded, bool fractions_in_front) {
    const sym::WriteOptions options{.style = notation.style};
    StandIns stand_ins(notation);
    Formula f;
    std::vector<Part> at;
    const auto number = [&](const Rational& r, bool in_front = false) -> std::vector<Part> {  // a sign, if any, and the rest
        std::string text = decimal(abs(r), notation.digits, was_rounded);
        if (in_front && text.empty() && !r.is_integer()) text = sym::write(numeral(abs(r)));
        if (text.empty()) return {f.number(r)};
        const Part name = f.name(mark + translated(text, digits, letters) + end_mark);
        return r.sign() < 0 ? std::vector<Part>{f.number(-1), name} : std::vector<Part>{name};
    };
    for (Part i = 0; i < formula.size(); ++i) {
        const Formula::Node& n = formula[i];
        std::vector<Part> args;
        for (const Part a : n.args) {
            const bool is_coefficient = n.kind == Formula::Kind::product && formula[a].kind == Formula::Kind::number;
            std::vector<Part> parts{at[a]};
            if (is_coefficient) parts = number(formula[a].number, fractions_in_front);
            args.insert(args.end(), parts.begin(), parts.end());
        }
        if (const auto name = stand_ins.name_for(formula, i))
            at.push_back(f.name(*name));
        else
            at.push_back(n.kind == Formula::Kind::number ? f.product(number(n.number)) : copied(f, n, std::move(args)));
    }
    f.root = at[formula.root];
    f.keeps_association = formula.keeps_association;
    return stand_ins.put_in(unmarked(sym::write(f, options), notation.style));
}

// --------------------------------------------------------------------------------------------------------------- lines

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
constexpr char combining = '\xCC';  // the first byte of a dot above
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Where a formula may be cut, how deep in parentheses, and how wide it is up to each byte.
struct Ruler {
    struct Cut {
        std::size_t at;  // the space before the operator
        std::size_t depth;
        bool is_product = false;  // between two factors: only where no sum is left to cut

        std::size_t rank() const { return depth + (is_product ? std::size_t{1} << 32 : 0); }
    };
    std::vector<Cut> cuts;
    std::vector<double> upto{0};

    Ruler(std::string_view s, Style style) : s_(s) {
        style == Style::latex ? measure_latex() : measure_text();
        column_ = style == Style::latex ? points_a_column : 1;
    }
    std::size_t width(std::size_t from, std::size_t to) const {
        return static_cast<std::size_t>(std::ceil((upto[to] - upto[from]) / column_ - 1e-6));
    }

private:
    static constexpr double points_a_column = 6;
    static constexpr double script = 0.7,
                            script_of_script = 0.65;  // small letters are wider for their size; an index of an index gets no smaller

    bool is_operator_at(std::size_t i) const {
        const std::string_view here = s_.substr(i, 5);
        return here.starts_with(" + ") || here.starts_with(" - ") || here.starts_with(" − ");
    }
    void advance(std::size_t bytes, double by) { upto.resize(upto.size() + bytes, upto.back() + by); }

    void measure_text() {
        std::size_t depth = 0;
        for (std::size_t i = 0; i < s_.size(); ++i) {
            if (s_[i] == '(') ++depth;
            if (s_[i] == ')') --depth;
            if (is_operator_at(i)) cuts.push_back({i, depth});
            advance(1, continues_character(s_[i]) || s_[i] == combining ? 0 : 1);
        }
    }

    /// What stands between braces: its size, and how its width counts.
    struct Group {
        enum Kind : std::uint8_t { plain, above, below, hidden } kind = plain;
        double scale = 1;
        bool is_text = false;
        double start = 0, width_above = 0;
    };

    void measure_latex() {
        std::size_t depth = 0, wholes = 0;  // what cannot be cut: braces, and cases as a whole
        std::vector<Group> groups{{}};
        Group next{};           // of the brace that comes
        bool holds_on = false;  // sin and sum belong to what follows the next space
        bool has_next = false;
        for (std::size_t i = 0; i < s_.size();) {
            const Group& here = groups.back();
            const char c = s_[i];
            if (c == '\\') {
                std::size_t length = 2;
                if (i + 1 < s_.size() && is_letter(s_[i + 1])) {
                    while (i + length < s_.size() && is_letter(s_[i + length])) ++length;
                }
                length = std::min(length, s_.size() - i);
                const std::string_view command = s_.substr(i + 1, length - 1);
                if (command == "left") ++depth;
                if (command == "right") --depth;
                if (command == "begin") ++wholes;
                if (command == "end") --wholes;
                holds_on = takes_what_follows(command);
                next = {.kind = command == "frac"                                                 ? Group::above
                                : command == "begin" || command == "end" || command == "htmlData" ? Group::hidden
                                                                                                  : Group::plain,
                        .scale = here.scale,
                        .is_text = command == "text"};
                has_next = true;
                advance(length, here.kind == Group::hidden ? 0 : here.scale * width_of_command(command));
                i += length;
                continue;
            }
            if (c == '{') {
                Group g = has_next ? next : Group{.scale = here.scale, .is_text = here.is_text};
                if (here.kind == Group::hidden) g.kind = Group::hidden;
                g.start = upto.back();
                has_next = false;
                groups.push_back(g);
                advance(1, 0);
                ++i;
                continue;
            }
            if (c == '}') {
                const Group g = groups.back();
                if (groups.size() > 1) groups.pop_back();
                double to = upto.back();
                if (g.kind == Group::hidden) to = g.start;
                if (g.kind == Group::above) {
                    next = {.kind = Group::below, .scale = g.scale, .start = g.start, .width_above = to - g.start};
                    has_next = true;
                    to = g.start;
                } else if (g.kind == Group::below) {
                    to = g.start + std::max(to - g.start, g.width_above) + 2.4;
                }
                upto.push_back(to);
                ++i;
                continue;
            }
            if (c == '^' || c == '_') {
                next = {.scale = here.scale == 1 ? script : script_of_script};
                has_next = true;
                advance(1, 0);
                ++i;
                continue;
            }
            if (groups.size() == 1 && wholes == 0 && c == ' ') {
                if (is_operator_at(i))
                    cuts.push_back({i, depth});
                else if (!holds_on && is_between_factors(i))
                    cuts.push_back({i, depth, true});
            }
            if (c == ' ' && groups.size() == 1) holds_on = false;
            const double scale = has_next && c != ' ' ? next.scale : here.scale;
            if (c != ' ') has_next = false;
            advance(1, here.kind == Group::hidden ? 0 : scale * width_of(c, here.is_text));
            ++i;
        }
    }

    /// The space at i, in x y and x \, y, but not beside a sign or words.
    bool is_between_factors(std::size_t i) const {
        constexpr std::string_view signs_before = "+-=<>/,:;(", signs_after = "+-=<>/,:;)&";
        if (i == 0 || i + 1 >= s_.size() || signs_before.find(s_[i - 1]) != signs_before.npos) return false;
        std::string_view after = s_.substr(i + 1);
        if (after.starts_with(thin_space)) return true;
        const auto begins = [&](std::string_view word) { return after.starts_with(word); };
        return signs_after.find(after.front()) == signs_after.npos && !begins("\\text") && !begins("\\cdot") && !begins("\\times") &&
               !begins("\\quad") && !begins("\\qquad") && !begins("\\sim") && !begins("\\right");
    }
    static bool takes_what_follows(std::string_view command) {
        constexpr std::array<std::string_view, 7> signs{"sum", "text", "cdot", "times", "quad", "qquad", "sim"};
        return is_function(command) || std::ranges::find(signs, command) != signs.end();
    }
    static bool is_function(std::string_view command) {
        constexpr std::array<std::string_view, 16> functions{"sin",  "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh",
                                                             "tanh", "exp", "log", "ln",     "min",    "max",    "det",  "operatorname"};
        return std::ranges::find(functions, command) != functions.end();
    }

    // Widths in points of Computer Modern at 10 pt, a little generous.
    static double width_of_command(std::string_view command) {
        constexpr std::array<std::string_view, 17> silent{"left",  "right", "mathit",   "mathrm", "frac", "dot",
                                                          "ddot",  "text",  "htmlData", "begin",  "end",  "hat",
                                                          "tilde", "bar",   "prime",    "fitted", "\\"};
        if (std::ranges::find(silent, command) != silent.end()) return 0;
        if (command == "operatorname") return 1.7;
        if (is_function(command)) return 4.7 * static_cast<double>(command.size()) + 1.7;
        if (command == ",") return 1.7;
        if (command == "quad") return 10;
        if (command == "qquad") return 20;
        if (command == "sum") return 15;
        if (command == "sqrt") return 8.4;
        if (command == "cdot") return 7.3;
        return command == "times" || command == "sim" ? 13 : 6.4;
    }
    static double width_of(char c, bool is_text) {
        if (continues_character(c) || c == combining) return 0;
        if (c == ' ') return is_text ? 3.4 : 0;
        if (c >= '0' && c <= '9') return 5;
        if (std::string_view("ijlt.,;:!'|[]").find(c) != std::string_view::npos) return c == ',' ? 4.5 : 3.6;
        if (std::string_view("mwMW").find(c) != std::string_view::npos) return 9;
        if (c >= 'A' && c <= 'Z') return 7.7;
        if (c >= 'a' && c <= 'z') return 5.3;
        if (c == '&') return 10;
        if (std::string_view("+-=<>").find(c) != std::string_view::npos) return is_text ? 7.8 : 12.8;
        return 5;
    }

    static constexpr std::string_view thin_space = "\\, ";
    std::string_view s_;
    double column_ = 1;
};

/// The bytes between the brace at s[open] and its partner.
std::string_view braced(std::string_view s, std::size_t open) {
    std::size_t depth = 0, end = open;
    for (; end < s.size(); ++end) {
        if (s[end] == '{') ++depth;
        if (s[end] == '}' && --depth == 0) break;
    }
    return s.substr(open + 1, end - open - 1);
}

std::string with_wide_parts_opened(std::string_view s, std::size_t room);

std::string in_parentheses(std::string_view inside, std::size_t room, std::string_view exponent = "") {
    std::string out = "\\left(" + with_wide_parts_opened(inside, room) + "\\right)";
    if (!exponent.empty()) out += fmt::format("^{{{}}}", exponent);
    return out;
}

constexpr std::string_view fraction = "\\frac{", root = "\\sqrt{";

/// 1/below, however wide.
std::string inverse(std::string_view below, std::size_t room) {
    if (width(below, Style::latex) <= room) return fmt::format("\\frac{{1}}{{{}}}", below);
    if (below.starts_with(root)) {
        const std::string_view inside = braced(below, root.size() - 1);
        if (root.size() + inside.size() + 1 == below.size()) return in_parentheses(inside, room, "-1/2");
    }
    return in_parentheses(below, room, "-1");
}

/// What is wide and cannot be cut is written so that it can: \frac{a + b}{c} with a numerator wider than `room` becomes
/// \frac{1}{c} \left(a + b\right), a wide denominator \left(c + d\right)^{-1}, a wide root \left(a + b\right)^{1/2}.
std::string with_wide_parts_opened(std::string_view s, std::size_t room) {
    std::string out;
    std::size_t braces = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (braces == 0 && s.substr(i).starts_with(fraction)) {
            const std::size_t open = i + fraction.size() - 1;
            const std::string_view above = braced(s, open), below = braced(s, open + above.size() + 2);
            if (std::max(width(above, Style::latex), width(below, Style::latex)) > room) {
                const auto cuts = Ruler(above, Style::latex).cuts;
                const bool is_sum = std::ranges::any_of(cuts, [](const Ruler::Cut& cut) { return cut.rank() == 0; });
                out += inverse(below, room);
                if (above != "1") out += " " + (is_sum ? in_parentheses(above, room) : with_wide_parts_opened(above, room));
                i = open + above.size() + below.size() + 3;
                continue;
            }
        }
        if (braces == 0 && s.substr(i).starts_with(root)) {
            const std::string_view inside = braced(s, i + root.size() - 1);
            if (width(inside, Style::latex) > room) {
                out += in_parentheses(inside, room, "1/2");
                i += root.size() + inside.size();
                continue;
            }
        }
        if (s[i] == '{') ++braces;
        if (s[i] == '}') --braces;
        out += s[i];
    }
    return out;
}

}  // namespace

std::size_t width(std::string_view text, Style style) { return Ruler(text, style).width(0, text.size()); }

std::vector<std::string> broken(std::string_view formula, std::size_t room, Style style) {
    const std::string s = style == Style::latex ? with_wide_parts_opened(formula, room) : std::string(formula);
    const Ruler ruler(s, style);
    struct Piece {
        std::size_t from, to;     // bytes
        std::size_t first, last;  // cuts inside
    };
    std::vector<Piece> open{{0, s.size(), 0, ruler.cuts.size()}};
    std::vector<std::string> lines;
    constexpr std::string_view times = "\\cdot ", thin = " \\, ";
    const auto cut_at = [&](std::size_t at) {
        const auto cut = std::ranges::lower_bound(ruler.cuts, at, {}, &Ruler::Cut::at);
        return cut != ruler.cuts.end() && cut->at == at ? *cut : Ruler::Cut{at, 0};
    };
    const auto depth_at = [&](std::size_t at) { return cut_at(at).depth; };
    const auto is_product_at = [&](std::size_t at) { return cut_at(at).is_product; };
    const auto indent = [&](std::size_t depth) { return style == Style::latex ? 0 : 2 * std::min<std::size_t>(depth, 10); };
    const auto repeated = [](std::string_view word, std::size_t n) {
        std::string out;
        for (; n > 0; --n) out += word;
        return out;
    };
    while (!open.empty()) {
        const Piece p = open.back();
        open.pop_back();
        if (ruler.width(p.from, p.to) + indent(depth_at(p.from)) <= room || p.first == p.last) {
            const std::string_view text = std::string_view(s).substr(p.from, p.to - p.from);
            std::string line = std::string(indent(depth_at(p.from)), ' ');
            const bool is_factor = is_product_at(p.from);
            if (is_factor) line += times;
            line += text.substr(is_factor && text.starts_with(thin) ? thin.size() : text.starts_with(' ') ? 1 : 0);
            if (style == Style::latex) {
                line.insert(0, repeated("\\left. ", depth_at(p.from)));
                if (p.to < s.size()) line += repeated(" \\right.", depth_at(p.to));
            }
            lines.push_back(std::move(line));
            continue;
        }
        // Fill lines with what stands between the outermost cuts; what is still too wide is opened again.
        std::size_t outermost = ruler.cuts[p.first].rank();
        for (std::size_t c = p.first; c < p.last; ++c) outermost = std::min(outermost, ruler.cuts[c].rank());
        std::vector<Piece> pieces;
        Piece line{p.from, p.from, p.first, p.first};
        const auto extend = [&](std::size_t to, std::size_t next_cut) {
            if (line.to > line.from && ruler.width(line.from, to) + indent(depth_at(line.from)) > room) {
                pieces.push_back(line);
                line = {line.to, line.to, std::min(line.last + 1, p.last), next_cut};
            }
            line.to = to;
            line.last = next_cut;
        };
        for (std::size_t c = p.first; c < p.last; ++c) {
            if (ruler.cuts[c].rank() == outermost) extend(ruler.cuts[c].at, c);
        }
        extend(p.to, p.last);
        pieces.push_back(line);
        open.insert(open.end(), pieces.rbegin(), pieces.rend());
    }
    return lines;
}

std::vector<std::string> wrapped(std::string_view prose, std::size_t room) {
    std::vector<std::string> lines{""};
    while (!prose.empty()) {
        const std::size_t stop = std::min(prose.find_first_of(" \n"), prose.size());
        const std::string word(prose.substr(0, stop));
        prose.remove_prefix(std::min(stop + 1, prose.size()));
        if (word.empty()) continue;
        const std::size_t columns = width(lines.back(), Style::text) + width(word, Style::text) + 1;
        if (!lines.back().empty() && columns > room) lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
}

}  // namespace linkwright::present
