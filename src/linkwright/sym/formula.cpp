#include "linkwright/sym/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

Formula::Part Formula::sum(std::vector<Part> terms) {
    if (terms.empty()) return number(0);
    if (terms.size() == 1) return terms.front();
    return add({.kind = Kind::sum, .function = {}, .number = {}, .name = {}, .args = std::move(terms)});
}

Formula::Part Formula::product(std::vector<Part> factors) {
    if (factors.empty()) return number(1);
    if (factors.size() == 1) return factors.front();
    return add({.kind = Kind::product, .function = {}, .number = {}, .name = {}, .args = std::move(factors)});
}

Formula::Part Formula::power(Part base, const Rational& exponent) {
    if (exponent.is_one()) return base;
    return add({.kind = Kind::power, .function = {}, .number = exponent, .name = {}, .args = {base}});
}

Formula::Part Formula::append(const Formula& other) {
    const auto shift = static_cast<Part>(nodes_.size());
    for (Node node : other.nodes_) {
        for (Part& arg : node.args) arg += shift;
        nodes_.push_back(std::move(node));
    }
    return other.root + shift;
}

// --------------------------------------------------------------------------------------------------------------- names

namespace {

struct Letter {
    std::string_view name, unicode;
};
constexpr Letter greek[] = {
    {"alpha", "α"},  {"beta", "β"},  {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ε"}, {"zeta", "ζ"},  {"eta", "η"},   {"theta", "θ"},
    {"iota", "ι"},   {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},    {"nu", "ν"},      {"xi", "ξ"},    {"rho", "ρ"},   {"sigma", "σ"},
    {"tau", "τ"},    {"phi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},   {"omega", "ω"},   {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},
    {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Sigma", "Σ"},  {"Phi", "Φ"},   {"Psi", "Ψ"},     {"Omega", "Ω"},
};
constexpr std::array<std::string_view, 10> superscripts{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
constexpr std::array<std::string_view, 10> subscripts{"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string in_digits(std::string_view digits, const std::array<std::string_view, 10>& alphabet) {
    std::string s;
    for (const char c : digits) s += is_digit(c) ? std::string(alphabet[c - '0']) : "⁻";
    return s;
}

std::string escaped(std::string_view word) {
    std::string s;
    for (const char c : word) s += c == '_' ? "\\_" : std::string(1, c);
    return s;
}

/// "y1twist2" as the shapes y1\theta 2; empty when it is no such list.
std::string shapes_in_latex(std::string_view word, std::size_t& count) {
    std::string s;
    for (count = 0; !word.empty(); ++count) {
        const std::string_view direction = word.starts_with("twist") ? "twist" : word.substr(0, 1);
        if (direction != "twist" && direction != "x" && direction != "y" && direction != "z") return "";
        word.remove_prefix(direction.size());
        std::size_t digits = 0;
        while (digits < word.size() && is_digit(word[digits])) ++digits;
        if (digits == 0) return "";
        s += std::string(direction == "twist" ? "\\theta " : direction) + std::string(word.substr(0, digits));
        word.remove_prefix(digits);
    }
    return s;
}

/// Integrals over a beam's shapes, arm.H.x.y1y2 or arm.tip.y1y2: a capital letter, or h, with the shapes and the beam for indices. Empty for any other
/// name. (arm.tip.y1 may be a coordinate of a beam `tip`.)
std::string shape_constant_in_latex(std::string_view name) {
    const std::size_t last = name.rfind('.');
    if (last == std::string_view::npos) return "";
    std::size_t count = 0;
    std::string index = shapes_in_latex(name.substr(last + 1), count);
    if (index.empty()) return "";
    std::vector<std::string_view> parts;  // of what stands before
    for (std::string_view rest = name.substr(0, last); !rest.empty();) {
        const std::size_t dot = rest.find('.');
        parts.push_back(rest.substr(0, dot));
        rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
    }
    std::size_t more = 0;
    if (parts.size() > 2) {  // arm.H.x.y1y2, arm.H.y1.y1y2
        const std::string first = parts.back() == "x" ? "x" : shapes_in_latex(parts.back(), more);
        if (parts[parts.size() - 2] == "H" && !first.empty()) index = first + "," + index, parts.pop_back(), count = 2;
    }
    constexpr std::string_view letters = "SXNHKCJR";
    std::string letter = "h";
    if (parts.size() > 1 && parts.back().size() == 1 && letters.find(parts.back()[0]) != std::string_view::npos) {
        letter = parts.back();
        parts.pop_back();
    } else if (count < 2 || parts.size() < 2) {
        return "";
    }
    std::string owner;
    for (const std::string_view part : parts) owner += (owner.empty() ? "" : ".") + escaped(part);
    return letter + "_{" + index + ",\\mathrm{" + owner + "}}";
}

/// Whether LaTeX writes the letters after the first as an index: ml, Jx, Ixx; but not EI, load, or a Greek letter.
bool is_letter_with_index(std::string_view stem) {
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (stem.size() < 2 || !(is_lower(stem[0]) || is_upper(stem[0]))) return false;
    if (stem.size() == 2) return is_lower(stem[1]);
    return is_upper(stem[0]) && stem.find_first_not_of("xyz", 1) == std::string_view::npos;
}

}  // namespace

std::string write_name(std::string_view name, Style style) {
    if (style == Style::text) return std::string(name);
    if (style == Style::latex) {
        if (std::string constant = shape_constant_in_latex(name); !constant.empty()) return constant;
    }
    std::size_t primes = 0;
    while (name.ends_with('\'')) name.remove_suffix(1), ++primes;
    constexpr std::string_view multiplier = "lambda.";  // lambda.hip.x is λ with the index hip.x
    const bool is_multiplier = name.starts_with(multiplier) && name.size() > multiplier.size();
    const std::size_t dot = is_multiplier ? multiplier.size() - 1 : name.rfind('.');
    std::string_view owner = dot == std::string_view::npos ? "" : name.substr(0, dot);
    if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
    if (is_multiplier) std::swap(owner, name);
    std::string number;  // leg.u.2 is u with the indices 2 and leg
    if (style == Style::latex && !owner.empty() && std::ranges::all_of(name, is_digit)) {
        number = name;
        const std::size_t last = owner.rfind('.');
        name = owner.substr(last == std::string_view::npos ? 0 : last + 1);
        owner = last == std::string_view::npos ? "" : owner.substr(0, last);
    }
    std::string_view suffix;  // m_rod is m with the index rod, slanted: of a body rod it is upright
    if (const std::size_t bar = name.find('_');
        style == Style::latex && bar != std::string_view::npos && bar > 0 && bar + 1 < name.size()) {
        if (!std::ranges::all_of(name.substr(bar + 1), is_digit)) suffix = name.substr(bar + 1), name = name.substr(0, bar);
    }
    std::size_t letters = name.size();
    while (letters > 1 && is_digit(name[letters - 1])) --letters;
    std::string_view stem = name.substr(0, letters);
    const std::string_view digits = name.substr(letters);
    if (stem.size() > 1 && stem.ends_with('_') && !digits.empty()) stem.remove_suffix(1);
    const auto* letter = std::ranges::find(greek, stem, &Letter::name);

    if (style == Style::unicode) {
        std::string s = owner.empty() || is_multiplier ? "" : std::string(owner) + ".";
        s += letter != std::end(greek) ? letter->unicode : stem;
        if (primes == 1) s += "\u0307";
        if (primes == 2) s += "\u0308";
        s += in_digits(digits, subscripts);
        if (primes > 2) s += std::string(primes, '\'');
        return is_multiplier ? s + "." + std::string(owner) : s;
    }
    std::string_view tail;
    if (letter == std::end(greek) && suffix.empty() && is_letter_with_index(stem)) tail = stem.substr(1), stem = stem.substr(0, 1);
    std::string s = letter != std::end(greek) ? "\\" + std::string(stem)
                    : stem.size() == 1        ? std::string(stem)
                                              : "\\mathit{" + escaped(stem) + "}";
    if (primes == 1) s = "\\dot{" + s + "}";
    if (primes == 2) s = "\\ddot{" + s + "}";
    if (primes > 2) s = "{" + s + "^{(" + std::to_string(primes) + ")}}";
    std::string index = std::string(tail) + std::string(digits);
    if (!suffix.empty()) index += (index.empty() ? "" : ",") + ("\\mathit{" + escaped(suffix) + "}");
    if (!number.empty()) index += (index.empty() ? "" : ",") + number;
    if (!owner.empty()) index += (index.empty() ? "" : ",") + ("\\mathrm{" + escaped(owner) + "}");
    if (!index.empty()) s += "_{" + index + "}";
    return s;
}

// ------------------------------------------------------------------------------------------------------------- writing

namespace {

using Kind = Formula::Kind;
using Part = Formula::Part;

/// How tightly the surroundings bind: what is looser gets parentheses.
enum Tightness : std::uint8_t { loose, as_term, as_factor, as_base };

/// 981/100 is written 9.81, 1/3 stays a fraction. Empty when the decimal would be no shorter for the eye.
std::string decimal(const Rational& r) {
    const auto n = r.small_numerator(), d = r.small_denominator();
    if (!n || !d || *d <= 16 || *d > 1'000'000'000) return "";
    std::int64_t scale = 10;
    std::size_t digits = 1;
    while (scale % *d != 0 && scale < 1'000'000'000) scale *= 10, ++digits;
    if (scale % *d != 0 || std::abs(*n) > INT64_MAX / scale) return "";
    std::string s = std::to_string(std::abs(*n) * (scale / *d));
    if (s.size() <= digits) s.insert(0, digits + 1 - s.size(), '0');
    s.insert(s.size() - digits, ".");
    return (*n < 0 ? "-" : "") + s;
}

class Writer {
public:
    Writer(const Formula& formula, WriteOptions options) : f_(formula), options_(options) {}

    std::string write() {
        push({.text = {}, .part = f_.root, .around = loose, .is_text = false, .is_negated = false});
        while (!todo_.empty() && out_.size() <= options_.longest) {
            const Task task = std::move(todo_.back());
            todo_.pop_back();
            if (task.is_text) {
                out_ += task.text;
                continue;
            }
            line_.clear();
            lay_out(task);
            for (auto part = line_.rbegin(); part != line_.rend(); ++part) todo_.push_back(std::move(*part));
        }
        if (out_.size() > options_.longest) {
            out_.resize(options_.longest);
            while (!out_.empty() && (static_cast<unsigned char>(out_.back()) & 0xC0U) == 0x80U) out_.pop_back();
            if (!out_.empty() && static_cast<unsigned char>(out_.back()) >= 0x80U) out_.pop_back();
            out_ += "…";
        }
        return std::move(out_);
    }

private:
    struct Task {
        std::string text;
        Part part;
        Tightness around;
        bool is_text, is_negated;
    };

    bool latex() const { return options_.style == Style::latex; }
    void push(Task t) { todo_.push_back(std::move(t)); }
    void say(std::string text) {
        line_.push_back({.text = std::move(text), .part = 0, .around = loose, .is_text = true, .is_negated = false});
    }
    void put(Part part, Tightness around, bool negated = false) {
        line_.push_back({.text = {}, .part = part, .around = around, .is_text = false, .is_negated = negated});
    }
    void open() { say(latex() ? "\\left(" : "("); }
    void close() { say(latex() ? "\\right)" : ")"); }

    bool is_inverse(Part i) const { return f_[i].kind == Kind::power && f_[i].number.sign() < 0; }
    bool is_negative(Part i) const {
        const Formula::Node& n = f_[i];
        if (n.kind == Kind::number) return n.number.sign() < 0;
        return n.kind == Kind::product && f_[n.args[0]].kind == Kind::number && f_[n.args[0]].number.sign() < 0;
    }

    void lay_out(const Task& task) {
        const Formula::Node& n = f_[task.part];
        switch (n.kind) {
            case Kind::undefined: say(latex() ? "\\mathrm{undefined}" : "undefined"); break;
            case Kind::pi: say(latex() ? "\\pi" : options_.style == Style::unicode ? "π" : "pi"); break;
            case Kind::name: say(write_name(n.name, options_.style)); break;
            case Kind::number: lay_out_number(task.is_negated ? -n.number : n.number, task.around); break;
            case Kind::sum: lay_out_sum(n, task.around); break;
            case Kind::product: lay_out_product(task, n); break;
            case Kind::power: lay_out_power(task, n); break;
            case Kind::call: lay_out_call(n, task.around); break;
        }
    }

    void lay_out_number(const Rational& r, Tightness around) {
        const std::string short_form = decimal(r);
        const bool is_whole = r.is_integer() || !short_form.empty();
        const bool needs_parentheses = (r.sign() < 0 && around >= as_factor) || (!is_whole && around >= as_factor);
        if (needs_parentheses) open();
        if (options_.style == Style::unicode) {
            const std::string plain = short_form.empty() ? r.to_string() : short_form;
            say(r.sign() < 0 ? "−" + plain.substr(1) : plain);
        } else if (!short_form.empty()) {
            say(short_form);
        } else if (latex() && !r.is_integer()) {
            say(std::string(r.sign() < 0 ? "-" : "") + "\\frac{" + abs(r).numerator().to_string() + "}{" + r.denominator().to_string() +
                "}");
        } else {
            say(r.to_string());
        }
        if (needs_parentheses) close();
    }

    void lay_out_sum(const Formula::Node& n, Tightness around) {
        const bool needs_parentheses = around != loose;
        if (needs_parentheses) open();
        for (std::size_t i = 0; i < n.args.size(); ++i) {
            const bool negative = is_negative(n.args[i]);
            if (i > 0) say(negative ? (options_.style == Style::unicode ? " − " : " - ") : " + ");
            if (i == 0 && negative) say(options_.style == Style::unicode ? "−" : "-");
            // Only the first term may be a sum without parentheses: a + b + c is (a + b) + c.
            put(n.args[i], i == 0 && !negative ? loose : as_term, negative);
        }
        if (needs_parentheses) close();
    }

    /// p/q · a · b / c: sign and p first, q last; in LaTeX a fraction.
    void lay_out_product(const Task& task, const Formula::Node& n) {
        Rational coefficient(1);
        std::span<const Part> args = n.args;
        if (f_[args[0]].kind == Kind::number) {
            coefficient = f_[args[0]].number;
            args = args.subspan(1);
        }
        if (task.is_negated) coefficient = -coefficient;
        const bool needs_parentheses =
            task.around == as_base || (task.around == as_factor) || (coefficient.sign() < 0 && task.around > loose);
        if (needs_parentheses) open();
        if (coefficient.sign() < 0) say(options_.style == Style::unicode ? "−" : "-");
        coefficient = abs(coefficient);
        if (latex()) {
            lay_out_fraction(coefficient, args);
        } else {
            lay_out_line(coefficient, args);
        }
        if (needs_parentheses) close();
    }

    void lay_out_line(const Rational& coefficient, std::span<const Part> args) {
        const std::string times = options_.style == Style::unicode ? "·" : "*";
        const std::string short_form = decimal(coefficient);
        const Rational front = short_form.empty() ? coefficient.numerator() : coefficient;
        const Rational back = short_form.empty() ? coefficient.denominator() : Rational(1);
        std::vector<Part> above, below;
        for (const Part arg : args) (is_inverse(arg) ? below : above).push_back(arg);
        const bool has_number_above = !front.is_one() || above.empty();
        if (has_number_above) say(short_form.empty() ? front.to_string() : short_form);
        for (std::size_t i = 0; i < above.size(); ++i) {
            if (i > 0 || has_number_above) say(times);
            // A product that comes first needs no parentheses: a*b*c is (a*b)*c.
            put(above[i], i == 0 ? as_term : as_factor);
        }
        // Under the bar: x^(−r) is written x^r. Several factors share parentheses, if they may.
        const std::size_t count = below.size() + (back.is_one() ? 0 : 1);
        const bool is_shared = count > 1 && (!f_.keeps_association || below.size() == 1);
        if (count == 0) return;
        say(is_shared ? "/(" : "/");
        if (!back.is_one()) say(back.to_string());
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i > 0 || !back.is_one()) say(is_shared ? times : "/");
            put(below[i], as_factor, true);
        }
        if (is_shared) say(")");
    }

    /// 2 2^{1/3} would be read as 22.
    bool begins_with_digit(Part i) const {
        const Formula::Node& n = f_[i];
        return n.kind == Kind::number || (n.kind == Kind::power && abs(n.number) != Rational(1, 2) && f_[n.args[0]].kind == Kind::number);
    }

    /// What stands between two factors: beside a name of several letters a thin space, or m·l would be read as one name.
    std::string between(Part left, Part right) const {
        if (begins_with_digit(right)) return " \\cdot ";
        return is_long_name(left) || is_long_name(right) ? " \\, " : " ";
    }
    bool is_long_name(Part i) const {
        const Formula::Node& n = f_[f_[i].kind == Kind::power ? f_[i].args[0] : i];
        if (n.kind != Kind::name) return false;
        const std::string s = write_name(n.name, options_.style);
        constexpr std::string_view italic = "\\mathit{";
        const std::size_t at = s.find(italic);
        const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
        return at != s.npos && at < s.find('_') && is_letter(s[at + italic.size()]);
    }

    void lay_out_fraction(const Rational& coefficient, std::span<const Part> args) {
        std::vector<Part> above, below;
        std::vector<Part> open_parts(args.rbegin(), args.rend());
        constexpr std::size_t most_factors = 1000;  // a shared product of products can hold any number
        while (!open_parts.empty()) {               // products of products are one line of factors here
            const Part part = open_parts.back();
            open_parts.pop_back();
            const Formula::Node& n = f_[part];
            const bool is_open = n.kind == Kind::product && f_[n.args[0]].kind != Kind::number;
            if (is_open && above.size() + below.size() + open_parts.size() < most_factors) {
                open_parts.insert(open_parts.end(), n.args.rbegin(), n.args.rend());
            } else {
                (is_inverse(part) ? below : above).push_back(part);
            }
        }
        // sin x y would be read as sin(x y): functions come last.
        const auto is_function = [&](Part i) {
            const Formula::Node& n = f_[i];
            return n.kind == Kind::call || (n.kind == Kind::power && f_[n.args[0]].kind == Kind::call);
        };
        for (std::vector<Part>* side : {&above, &below}) std::ranges::stable_partition(*side, [&](Part i) { return !is_function(i); });
        const std::string short_form = decimal(coefficient);
        const Rational front = short_form.empty() ? coefficient.numerator() : coefficient;
        const Rational back = short_form.empty() ? coefficient.denominator() : Rational(1);
        const bool is_fraction = !below.empty() || !back.is_one();
        const bool has_number_above = !front.is_one() || above.empty();
        if (is_fraction) say("\\frac{");
        if (has_number_above) say(short_form.empty() ? front.to_string() : short_form);
        const Tightness alone_above = is_fraction && above.size() == 1 && !has_number_above ? loose : as_factor;
        for (std::size_t i = 0; i < above.size(); ++i) {
            if (i > 0)
                say(between(above[i - 1], above[i]));
            else if (has_number_above)
                say(begins_with_digit(above[i]) ? " \\cdot " : " ");
            put(above[i], alone_above);
        }
        if (!is_fraction) return;
        say("}{");
        if (!back.is_one()) say(back.to_string());
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i > 0)
                say(between(below[i - 1], below[i]));
            else if (!back.is_one())
                say(begins_with_digit(below[i]) ? " \\cdot " : " ");
            put(below[i], below.size() == 1 && back.is_one() ? loose : as_factor, true);
        }
        say("}");
    }

    void lay_out_power(const Task& task, const Formula::Node& n) {
        const Rational exponent = task.is_negated ? -n.number : n.number;
        const Part base = n.args[0];
        if (exponent.sign() < 0) {  // alone: 1/x
            const bool needs_parentheses = task.around >= as_factor;
            if (needs_parentheses) open();
            say(latex() ? "\\frac{1}{" : "1/");
            put(task.part, latex() ? loose : as_factor, true);
            if (latex()) say("}");
            if (needs_parentheses) close();
            return;
        }
        if (exponent.is_one()) {
            put(base, task.around == loose ? loose : as_factor);
            return;
        }
        const bool needs_parentheses = task.around == as_base;
        if (exponent == Rational(1, 2)) {
            say(latex() ? "\\sqrt{" : options_.style == Style::unicode ? "√(" : "sqrt(");
            put(base, loose);
            say(latex() ? "}" : ")");
            return;
        }
        if (needs_parentheses) open();
        const Formula::Node& b = f_[base];
        const bool is_function_power = latex() && b.kind == Kind::call && exponent.is_integer() && has_latex_command(b.function);
        if (is_function_power) {
            say("\\" + latex_command(b.function) + "^{" + exponent.to_string() + "}");
            lay_out_arguments(b);
        } else {
            // In LaTeX e^x and sin x do not take an exponent of their own.
            const bool is_bare_call = latex() && b.kind == Kind::call && (b.function == Op::exp || is_bare(b));
            if (is_bare_call) open();
            put(base, is_bare_call ? loose : as_base);
            if (is_bare_call) close();
            if (latex()) {
                say("^{" + exponent.to_string() + "}");
            } else if (options_.style == Style::unicode && exponent.is_integer()) {
                say(in_digits(exponent.to_string(), superscripts));
            } else {
                say(exponent.is_integer() ? "^" + exponent.to_string() : "^(" + exponent.to_string() + ")");
            }
        }
        if (needs_parentheses) close();
    }

    static bool has_latex_command(Op op) { return !latex_command(op).empty(); }
    static std::string latex_command(Op op) { return is_elementary(op) ? std::string(elementary_function(op).latex) : ""; }

    /// sin q, without parentheses.
    bool is_bare(const Formula::Node& n) const {
        return latex() && has_latex_command(n.function) && (f_[n.args[0]].kind == Kind::name || f_[n.args[0]].kind == Kind::pi);
    }

    void lay_out_arguments(const Formula::Node& n) {
        if (is_bare(n)) {
            say(" ");
            put(n.args[0], loose);
            return;
        }
        open();
        for (std::size_t i = 0; i < n.args.size(); ++i) {
            if (i > 0) say(", ");
            put(n.args[i], loose);
        }
        close();
    }

    void lay_out_call(const Formula::Node& n, Tightness around) {
        if (n.function == Op::select) {
            const bool needs_parentheses = latex() && around != loose;
            if (needs_parentheses) open();
            say(latex() ? "\\begin{cases}" : "if(");
            if (latex()) {
                put(n.args[1], loose);
                say(" & ");
                put(n.args[0], loose);
                say(" > 0 \\\\ ");
                put(n.args[2], loose);
                say(" & \\text{otherwise} \\end{cases}");
            } else {
                put(n.args[0], loose);
                say(" > 0, ");
                put(n.args[1], loose);
                say(", ");
                put(n.args[2], loose);
                say(")");
            }
            if (needs_parentheses) close();
            return;
        }
        if (latex() && n.function == Op::abs) {
            say("\\left|");
            put(n.args[0], loose);
            say("\\right|");
            return;
        }
        if (latex() && n.function == Op::exp) {
            say("e^{");
            put(n.args[0], loose);
            say("}");
            return;
        }
        if (latex()) {
            const std::string command = latex_command(n.function);
            say(command.empty() ? "\\operatorname{" + std::string(function_name(n.function)) + "}" : "\\" + command);
        } else {
            say(std::string(function_name(n.function)));
        }
        lay_out_arguments(n);
    }

    const Formula& f_;
    WriteOptions options_;
    std::vector<Task> todo_, line_;
    std::string out_;
};

}  // namespace

std::string write(const Formula& formula, WriteOptions options) { return Writer(formula, options).write(); }

double own_operations(const Formula& f, const Formula::Node& n) {
    switch (n.kind) {
        case Kind::sum: return static_cast<double>(n.args.size() - 1);
        case Kind::product: {
            const bool has_sign = f[n.args[0]].kind == Kind::number && f[n.args[0]].number == Rational(-1);
            return static_cast<double>(n.args.size() - 1) - (has_sign ? 1 : 0);
        }
        case Kind::power: return std::max(1.0, std::ceil(std::log2(abs(n.number).to_double())));
        case Kind::call: return 1;
        default: return 0;
    }
}

double operations(const Formula& f) {
    std::vector<double> count(f.size(), 0);
    for (Part i = 0; i < f.size(); ++i) {
        count[i] = own_operations(f, f[i]);
        for (const Part arg : f[i].args) count[i] += count[arg];
    }
    return f.size() == 0 ? 0 : count[f.root];
}

Formula faithful(const Expr& e) {
    Formula f;
    Pool& pool = e.pool();
    NodeMap<Part> part;
    const auto is_inverse = [&](NodeId id) { return pool.op(id) == Op::pow && Expr(pool, id).exponent().sign() < 0; };
    const auto is_negative = [&](NodeId id) {
        const Node& n = pool.node(id);
        return (n.op == Op::mul && pool.is_number(n.a) && pool.number(n.a).sign() < 0);
    };
    for (const Expr& x : nodes_below(std::span(&e, 1))) {
        const Node& n = x.node();
        const auto made = [&]() -> Part {
            switch (n.op) {
                case Op::undefined: return f.undefined();
                case Op::number: return f.number(x.number());
                case Op::pi: return f.pi();
                case Op::symbol: return f.name(x.symbol().name);
                case Op::add: {  // the sum first, then x + 1 and 1 - x: numbers after letters, what is negative last
                    const auto rank = [&](NodeId id) {
                        if (pool.op(id) == Op::add) return 0;
                        if (pool.is_number(id)) return pool.number(id).sign() < 0 ? 4 : 2;
                        return is_negative(id) ? 3 : 1;
                    };
                    const bool swapped = rank(n.b) < rank(n.a);
                    return f.sum({part.at(swapped ? n.b : n.a), part.at(swapped ? n.a : n.b)});
                }
                case Op::mul: {  // the number first, then the product, inverses last
                    const auto rank = [&](NodeId id) {
                        return pool.is_number(id) ? 0 : pool.op(id) == Op::mul ? 1 : is_inverse(id) ? 3 : 2;
                    };
                    const bool swapped = rank(n.b) < rank(n.a);
                    return f.product({part.at(swapped ? n.b : n.a), part.at(swapped ? n.a : n.b)});
                }
                case Op::pow: return f.power(part.at(n.a), x.exponent());
                default: {
                    std::vector<Part> args;
                    for (const NodeId arg : arguments(n)) args.push_back(part.at(arg));
                    return f.call(n.op, std::move(args));
                }
            }
        };
        part.insert(x.id(), made());
    }
    f.root = part.at(e.id());
    f.keeps_association = true;
    return f;
}

std::string print(const Expr& e, WriteOptions options) { return write(faithful(e), options); }

}  // namespace linkwright::sym
