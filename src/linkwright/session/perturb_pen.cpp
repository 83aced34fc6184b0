#include "linkwright/session/perturb_pen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "linkwright/sym/readable.hpp"

namespace linkwright::session {

using sym::Formula, sym::Rational, sym::Expr;
using Part = Formula::Part;

namespace {

std::string raised(int n) {
    static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string s = n < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(n))) s += digits[c - '0'];
    return s;
}

const char* minus(Style style) { return style == Style::unicode ? "−" : "-"; }
const char* dot(Style style) { return style == Style::latex ? " " : style == Style::unicode ? "·" : "*"; }

/// 1/32 is written as a fraction, not 0.03125, and so is all else that has a short one: no formula mixes both.
bool is_fraction(const Rational& r) {
    const auto d = r.small_denominator();
    return d && *d != 1 && *d <= 10'000'000;
}

Formula with_fractions(const Formula& from) {
    Formula f;
    std::vector<Part> at;
    const auto number = [&](const Rational& r) -> std::vector<Part> {
        if (!is_fraction(r)) return {f.number(r)};
        const Part below = f.power(f.number(r.denominator()), Rational(-1));
        return r.numerator().is_one() ? std::vector<Part>{below} : std::vector<Part>{f.number(r.numerator()), below};
    };
    for (Part i = 0; i < from.size(); ++i) {
        const Formula::Node& n = from[i];
        std::vector<Part> args;
        for (const Part a : n.args) {
            if (n.kind == Formula::Kind::product && from[a].kind == Formula::Kind::number) {
                for (const Part part : number(from[a].number)) args.push_back(part);
            } else {
                args.push_back(at[a]);
            }
        }
        switch (n.kind) {
            case Formula::Kind::undefined: at.push_back(f.undefined()); break;
            case Formula::Kind::pi: at.push_back(f.pi()); break;
            case Formula::Kind::name: at.push_back(f.name(n.name)); break;
            case Formula::Kind::number: at.push_back(f.product(number(n.number))); break;
            case Formula::Kind::sum: at.push_back(f.sum(args)); break;
            case Formula::Kind::product: at.push_back(f.product(args)); break;
            case Formula::Kind::power: at.push_back(f.power(args[0], n.number)); break;
            case Formula::Kind::call: at.push_back(f.call(n.function, args)); break;
        }
    }
    f.root = at[from.root];
    return f;
}

Formula arranged(const Expr& e) {
    auto readable = sym::readable(e, {.terms = 2'000, .time = std::chrono::milliseconds(300)});
    return with_fractions(readable.value ? *readable.value : sym::faithful(e));
}

bool is_sum(const Formula& f) { return f[f.root].kind == Formula::Kind::sum; }

/// A leading minus sign taken off.
bool take_minus(std::string& s, Style style) {
    const std::string_view sign = minus(style);
    if (!s.starts_with(sign)) return false;
    s.erase(0, sign.size());
    return true;
}

/// Conjugates of A travel as names of their own.
std::string with_bars(std::string s, Style style) {
    if (style == Style::text) return s;
    const std::string from = style == Style::latex ? "\\mathit{Abar}" : "Abar", to = style == Style::latex ? "\\bar{A}" : "A\u0304";
    for (std::size_t at = s.find(from); at != std::string::npos; at = s.find(from, at + to.size())) s.replace(at, from.size(), to);
    return s;
}

std::string in_parentheses(const std::string& s, Style style) { return style == Style::latex ? "\\left(" + s + "\\right)" : "(" + s + ")"; }

}  // namespace

std::string short_number(double x, Style style) {
    std::string s = fmt::format("{:.5g}", x);
    if (const std::size_t e = s.find('e'); e != std::string::npos && style != Style::text) {
        const int power = std::stoi(s.substr(e + 1));
        std::string front = s.substr(0, e);
        s = style == Style::latex ? front + " \\cdot 10^{" + std::to_string(power) + "}" : front + "·10" + raised(power);
    }
    if (style == Style::unicode && s.starts_with('-')) s = "−" + s.substr(1);
    return s;
}

Letters letters_beside(const std::vector<std::string>& taken, std::size_t modes) {
    Letters l;
    const auto choose = [&](std::string& letter, std::initializer_list<const char*> others) {
        const auto clashes = [&](const std::string& stem) {
            if (std::ranges::find(taken, stem) != taken.end() && stem == "Omega") return true;
            for (std::size_t k = 1; k <= std::max<std::size_t>(modes, 1); ++k) {
                if (std::ranges::find(taken, stem + std::to_string(k)) != taken.end()) return true;
            }
            return false;
        };
        if (!clashes(letter)) return;
        for (const char* other : others) {
            if (!clashes(other)) return void(letter = other);
        }
    };
    choose(l.eta, {"xi", "zeta", "y"});
    choose(l.a, {"r", "b", "rho"});
    choose(l.beta, {"psi", "delta"});
    choose(l.phi, {"vartheta", "chi"});
    choose(l.gamma, {"kappa", "Gamma"});
    choose(l.omega, {"nu", "w"});
    return l;
}

SumPen::Product& SumPen::Product::times(const std::string& name, unsigned power) {
    if (power > 0) parts_.push_back(power == 1 ? f_.name(name) : f_.power(f_.name(name), Rational(static_cast<int>(power))));
    return *this;
}

SumPen::Product& SumPen::Product::times_wave(bool is_sine, const std::vector<std::pair<int, std::string>>& angle) {
    std::vector<Part> terms;
    for (const auto& [multiple, name] : angle) {
        if (multiple == 0) continue;
        std::vector<Part> factors;
        if (multiple != 1) factors.push_back(f_.number(Rational(multiple)));
        std::size_t from = 0;  // "Omega t" is a product
        while (from < name.size()) {
            const std::size_t blank = std::min(name.find(' ', from), name.size());
            factors.push_back(f_.name(name.substr(from, blank - from)));
            from = blank + 1;
        }
        terms.push_back(f_.product(factors));
    }
    parts_.push_back(f_.call(is_sine ? sym::Op::sin : sym::Op::cos, {f_.sum(terms)}));
    return *this;
}

SumPen::Product& SumPen::Product::times_turn(int harmonic, const std::string& Omega) {
    if (harmonic != 0) turn_.emplace_back(harmonic, Omega);
    return *this;
}

SumPen::Product& SumPen::Product::times_conjugate(const std::string& name, unsigned power) {
    return times(name.substr(0, 1) + "bar" + name.substr(1), power);  // a bar when it is written
}

std::string SumPen::written(const Product& product) const {
    std::string s;
    if (!product.parts_.empty()) {
        Formula f = product.f_;
        f.root = f.product(product.parts_);
        s = with_bars(present::write_spelled(f, {.style = style_, .spellings = spellings_}), style_);
    }
    for (const auto& [h, Omega] : product.turn_) {
        const std::string W = present::write_name(Omega, style_, spellings_), sign = h < 0 ? minus(style_) : "";
        const std::string count = std::abs(h) == 1 ? "" : std::to_string(std::abs(h));
        s += (s.empty() ? "" : dot(style_)) +
             (style_ == Style::latex ? "e^{" + sign + count + " i " + W + " t}" : "e^(" + sign + count + "i" + W + "t)");
    }
    return s;
}

void SumPen::add_written(bool is_negative, const std::string& text) {
    if (text_.empty()) {
        text_ = (is_negative ? minus(style_) : "") + text;
    } else {
        text_ += (is_negative ? fmt::format(" {} ", minus(style_)) : std::string(" + ")) + text;
    }
}

void SumPen::add(double coefficient, const Product& product) {
    const std::string p = written(product);
    const double size = std::abs(coefficient);
    const std::string number = short_number(size, style_);
    add_written(coefficient < 0, p.empty() ? number : number == "1" ? p : number + dot(style_) + p);
}

void SumPen::add(const Expr& coefficient, const Product& product) {
    if (coefficient.is_number() && coefficient.number().is_zero()) return;
    Formula f;
    const Formula c = arranged(coefficient);
    std::vector<Part> factors{f.append(c)};
    if (c[c.root].kind == Formula::Kind::product) factors = f[factors[0]].args;  // one line of factors
    if (c[c.root].kind == Formula::Kind::number && c[c.root].number.is_one() && !product.parts_.empty()) factors.clear();
    if (!product.parts_.empty()) {
        Formula rest = product.f_;
        rest.root = rest.product(product.parts_);
        const Part at = f.append(rest);
        if (product.parts_.size() == 1) {
            factors.push_back(at);
        } else {
            const std::vector<Part> args = f[at].args;
            factors.insert(factors.end(), args.begin(), args.end());
        }
    }
    f.root = f.product(factors);
    std::string s = with_bars(present::write_spelled(f, {.style = style_, .spellings = spellings_}), style_);
    Product others;
    others.turn_ = product.turn_;
    const std::string tail = written(others);
    if (is_sum(f) && !tail.empty()) s = in_parentheses(s, style_);
    const bool is_negative = !is_sum(f) && take_minus(s, style_);
    if (!tail.empty()) s = s == "1" ? tail : s + dot(style_) + tail;
    add_written(is_negative, is_sum(f) && tail.empty() && !text_.empty() ? in_parentheses(s, style_) : s);
}

void SumPen::add(const perturb::Complex<double>& c, const Product& product) {
    if (c.im == 0 || std::abs(c.im) < 1e-12 * std::abs(c.re)) return add(c.re, product);
    const std::string p = written(product), i = "i";
    const auto imaginary = [&](double x) {
        const std::string n = short_number(x, style_);
        return n == "1" ? i : n + dot(style_) + i;
    };
    if (c.re == 0 || std::abs(c.re) < 1e-12 * std::abs(c.im))
        return add_written(c.im < 0, imaginary(std::abs(c.im)) + (p.empty() ? "" : dot(style_) + p));
    const std::string both = in_parentheses(
        short_number(c.re, style_) + fmt::format(" {} ", c.im < 0 ? minus(style_) : "+") + imaginary(std::abs(c.im)), style_);
    add_written(false, both + (p.empty() ? "" : dot(style_) + p));
}

void SumPen::add(const perturb::Complex<Expr>& c, const Product& product) {
    const auto is_zero = [](const Expr& e) { return e.is_number() && e.number().is_zero(); };
    if (!is_zero(c.re)) add(c.re, product);
    if (is_zero(c.im)) return;
    SumPen one(style_, spellings_);
    one.add(c.im);
    std::string s = one.text();
    const bool is_sum_inside = is_sum(arranged(c.im));
    const bool is_negative = !is_sum_inside && take_minus(s, style_);
    if (is_sum_inside) s = in_parentheses(s, style_);
    const std::string p = written(product);
    s = s == "1" ? "i" : "i" + std::string(dot(style_)) + s;
    add_written(is_negative, s + (p.empty() ? "" : dot(style_) + p));
}

std::string write_readable(const Expr& e, Style style, const present::Spellings* spellings) {
    return present::write_spelled(arranged(e), {.style = style, .spellings = spellings});
}

}  // namespace linkwright::session
