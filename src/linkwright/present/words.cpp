#include "linkwright/present/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/present/definition.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::present {

using sym::Formula, sym::Rational;
using Part = Formula::Part;

std::string write(const Label& label, Style style) {
    const std::string& s = label.symbol;
    if (style != Style::latex) {
        std::string out = sym::is_name(s) ? sym::write_name(s, style) : s;
        for (const std::string& i : label.index) out += "[" + i + "]";
        return out;
    }
    if (!sym::is_name(s)) {
        std::string index;
        for (const std::string& i : label.index) index += (index.empty() ? "" : ",") + i;
        const std::string letter = s.find('[') != s.npos ? latex_definition(s) : "\\text{" + latex_prose(s) + "}";
        if (index.empty()) return letter;
        return (letter.find('_') != s.npos ? "{" + letter + "}" : letter) + "_{" + index + "}";
    }
    // A_upper is A with index upper; a name that has an index already keeps it in braces.
    const std::size_t bar = s.find('_');
    const bool is_simple = s.find_first_of(".'") == std::string::npos;
    const bool has_index = is_simple && bar != std::string::npos && bar > 0 && bar + 1 < s.size();
    std::string out = sym::write_name(has_index ? std::string_view(s).substr(0, bar) : std::string_view(s), style);
    std::string index = has_index ? "\\mathrm{" + latex_prose(s.substr(bar + 1)) + "}" : "";
    for (const std::string& i : label.index) index += (index.empty() ? "" : ",") + i;
    if (index.empty()) return out;
    if (out.find('_') != std::string::npos) out = "{" + out + "}";
    return out + "_{" + index + "}";
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

/// The decimal in place of a positive number, or nothing when it is best written as it is.
std::string decimal(const Rational& r, bool& was_rounded) {
    if (r.bits() <= 32) return "";
    const double x = r.to_double();
    if (!std::isfinite(x) || x == 0) return "";
    const auto spelled = [](std::string s) {
        std::erase(s, '+');
        return s;
    };
    const std::string shortest = spelled(fmt::format("{}", x));
    if (Rational::from_text(shortest) == r) return r.is_integer() ? "" : shortest;
    if (r.bits() <= 64) return "";
    was_rounded = true;
    return spelled(fmt::format("{:.17g}", x));
}

Formula numeral(const Rational& r) {
    Formula f;
    f.root = f.number(r);
    return f;
}

std::string unmarked(const std::string& s, Style style) {
    constexpr std::string_view italic = "\\mathit{";
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

std::string write_rounded(const Formula& formula, Style style, bool& was_rounded, bool fractions_in_front) {
    Formula f;
    std::vector<Part> at;
    bool has_decimals = false;
    const auto number = [&](const Rational& r, bool in_front = false) -> std::vector<Part> {  // a sign, if any, and the rest
        std::string text = decimal(abs(r), was_rounded);
        if (in_front && text.empty() && !r.is_integer()) text = sym::write(numeral(abs(r)));
        if (text.empty()) return {f.number(r)};
        has_decimals = true;
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
        switch (n.kind) {
            case Formula::Kind::undefined: at.push_back(f.undefined()); break;
            case Formula::Kind::pi: at.push_back(f.pi()); break;
            case Formula::Kind::name: at.push_back(f.name(n.name)); break;
            case Formula::Kind::number: at.push_back(f.product(number(n.number))); break;
            case Formula::Kind::sum: at.push_back(f.sum(std::move(args))); break;
            case Formula::Kind::product: at.push_back(f.product(std::move(args))); break;
            case Formula::Kind::power: at.push_back(f.power(args[0], n.number)); break;
            case Formula::Kind::call: at.push_back(f.call(n.function, std::move(args))); break;
        }
    }
    if (!has_decimals) return sym::write(formula, {.style = style});
    f.root = at[formula.root];
    f.keeps_association = formula.keeps_association;
    return unmarked(sym::write(f, {.style = style}), style);
}

// --------------------------------------------------------------------------------------------------------------- lines

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
constexpr char combining = '\xCC';  // the first byte of a dot above
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr std::array<std::string_view, 10> silent{"left", "right", "mathit", "mathrm", "frac", "dot", "ddot", "text", "begin", "end"};

/// Where a formula may be cut, how deep in parentheses, and how wide it is up to each byte.
struct Ruler {
    struct Cut {
        std::size_t at;  // the space before the operator
        std::size_t depth;
    };
    std::vector<Cut> cuts;
    std::vector<std::size_t> upto{0};

    Ruler(std::string_view s, Style style) {
        std::size_t depth = 0, braces = 0;
        for (std::size_t i = 0; i < s.size();) {
            std::size_t length = 1, columns = continues_character(s[i]) || s[i] == combining ? 0 : 1;
            if (style == Style::latex) {
                if (s[i] == '\\') {
                    while (i + length < s.size() && is_letter(s[i + length])) ++length;
                    const std::string_view command = s.substr(i + 1, length - 1);
                    columns = command == "sin" || command == "cos" || command == "tan" ? 3 : 1;
                    if (std::ranges::find(silent, command) != silent.end()) columns = 0;
                    if (command == "left") ++depth;
                    if (command == "right") --depth;
                    if (command == "begin") ++braces;  // cases: as whole as a fraction
                    if (command == "end") --braces;
                } else if (s[i] == '{' || s[i] == '}') {
                    s[i] == '{' ? ++braces : --braces;
                    columns = 0;
                } else if (s[i] == '^' || s[i] == '_') {
                    columns = 0;
                }
            } else {
                if (s[i] == '(') ++depth;
                if (s[i] == ')') --depth;
            }
            const std::string_view here = s.substr(i, 5);
            const bool is_operator = here.starts_with(" + ") || here.starts_with(" - ") || here.starts_with(" − ");
            if (is_operator && braces == 0) cuts.push_back({i, depth});
            upto.resize(upto.size() + length, upto.back() + columns);
            i += length;
        }
    }
    std::size_t width(std::size_t from, std::size_t to) const { return upto[to] - upto[from]; }
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
                const bool is_sum = std::ranges::any_of(cuts, [](const Ruler::Cut& cut) { return cut.depth == 0; });
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

std::size_t width(std::string_view text, Style style) { return Ruler(text, style).upto.back(); }

std::vector<std::string> broken(std::string_view formula, std::size_t room, Style style) {
    const std::string s = style == Style::latex ? with_wide_parts_opened(formula, room) : std::string(formula);
    const Ruler ruler(s, style);
    struct Piece {
        std::size_t from, to;     // bytes
        std::size_t first, last;  // cuts inside
    };
    std::vector<Piece> open{{0, s.size(), 0, ruler.cuts.size()}};
    std::vector<std::string> lines;
    const auto depth_at = [&](std::size_t at) {
        const auto cut = std::ranges::lower_bound(ruler.cuts, at, {}, &Ruler::Cut::at);
        return cut != ruler.cuts.end() && cut->at == at ? cut->depth : 0;
    };
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
            line += text.starts_with(' ') ? text.substr(1) : text;
            if (style == Style::latex) {
                line.insert(0, repeated("\\left. ", depth_at(p.from)));
                if (p.to < s.size()) line += repeated(" \\right.", depth_at(p.to));
            }
            lines.push_back(std::move(line));
            continue;
        }
        // Fill lines with what stands between the outermost cuts; what is still too wide is opened again.
        std::size_t outermost = ruler.cuts[p.first].depth;
        for (std::size_t c = p.first; c < p.last; ++c) outermost = std::min(outermost, ruler.cuts[c].depth);
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
            if (ruler.cuts[c].depth == outermost) extend(ruler.cuts[c].at, c);
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
