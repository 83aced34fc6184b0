#include "linkwright/model/unit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace linkwright::model {

namespace {

using sym::Rational;

/// Factor to SI: rational · pi^pi_power.
struct Unit {
    std::string_view name;
    std::string_view si;  ///< what it becomes
    std::string_view factor;
    int pi_power = 0;
    bool takes_prefixes = false;
};

constexpr std::array units{
    Unit{"m", "m", "1", 0, true},
    Unit{"in", "m", "127/5000"},
    Unit{"ft", "m", "381/1250"},
    Unit{"yd", "m", "1143/1250"},
    Unit{"mi", "m", "201168/125"},
    Unit{"g", "kg", "1/1000", 0, true},
    Unit{"t", "kg", "1000"},
    Unit{"lb", "kg", "45359237/100000000"},
    Unit{"slug", "kg", "44482216152605/3048000000000"},
    Unit{"s", "s", "1", 0, true},
    Unit{"min", "s", "60"},
    Unit{"h", "s", "3600"},
    Unit{"Hz", "Hz", "1", 0, true},
    Unit{"rad", "rad", "1", 0, true},
    Unit{"deg", "rad", "1/180", 1},
    Unit{"°", "rad", "1/180", 1},
    Unit{"rev", "rad", "2", 1},
    Unit{"rpm", "rad/s", "1/30", 1},
    Unit{"N", "N", "1", 0, true},
    Unit{"lbf", "N", "4.4482216152605"},
    Unit{"kgf", "N", "9.80665"},
    Unit{"Pa", "Pa", "1", 0, true},
    Unit{"bar", "Pa", "100000"},
    Unit{"psi", "Pa", "8896443230521/1290320000"},
    Unit{"J", "J", "1", 0, true},
    Unit{"W", "W", "1", 0, true},
    Unit{"V", "V", "1", 0, true},
    Unit{"A", "A", "1", 0, true},
    Unit{"ohm", "ohm", "1", 0, true},
    Unit{"Ω", "Ω", "1", 0, true},
    Unit{"H", "H", "1", 0, true},
    Unit{"F", "F", "1", 0, true},
    Unit{"C", "C", "1", 0, true},
    Unit{"T", "T", "1", 0, true},
    Unit{"Wb", "Wb", "1", 0, true},
    Unit{"K", "K", "1", 0, true},
    Unit{"%", "1", "1/100"},
};

struct Prefix {
    std::string_view name;
    int exponent;
};
constexpr std::array prefixes{Prefix{"n", -9}, Prefix{"u", -6}, Prefix{"µ", -6}, Prefix{"μ", -6}, Prefix{"m", -3},
                              Prefix{"c", -2}, Prefix{"d", -1}, Prefix{"k", 3},  Prefix{"M", 6},  Prefix{"G", 9}};

struct Factor {
    Rational rational = 1;
    int pi_power = 0;
    std::string_view si = {};
};

std::optional<Factor> find_unit(std::string_view name) {
    for (const Unit& u : units) {
        if (name == u.name) return Factor{*Rational::from_text(u.factor), u.pi_power, u.si};
    }
    for (const Prefix& p : prefixes) {
        if (!name.starts_with(p.name)) continue;
        const std::string_view rest = name.substr(p.name.size());
        const auto* u = std::ranges::find_if(units, [&](const Unit& x) { return x.takes_prefixes && x.name == rest; });
        if (u != units.end()) return Factor{*Rational::from_text(u->factor) * power(Rational(10), p.exponent), u->pi_power, u->si};
    }
    return std::nullopt;
}

std::string_view trimmed(std::string_view s) {
    while (s.starts_with(' ')) s.remove_prefix(1);
    while (s.ends_with(' ')) s.remove_suffix(1);
    return s;
}

}  // namespace

UnitFactor unit_factor(std::string_view unit) {
    constexpr std::string_view dot = "·";
    constexpr int largest_exponent = 12;
    if (unit.size() > 200) return {};
    Rational rational = 1;
    int pi_power = 0;
    std::vector<std::pair<std::string, int>> si;  // names and exponents, each once
    const auto count = [&](std::string_view name, int exponent) {
        const auto at = std::ranges::find(si, name, &std::pair<std::string, int>::first);
        if (at == si.end()) {
            si.emplace_back(name, exponent);
        } else {
            at->second += exponent;
        }
    };
    bool divides = false;
    for (std::string_view rest = unit;;) {
        const std::size_t end = std::min({rest.find('*'), rest.find('/'), rest.find(dot)});
        std::string_view term = trimmed(rest.substr(0, end));
        int exponent = 1;
        if (const std::size_t caret = term.find('^'); caret != std::string_view::npos) {
            const std::string_view digits = trimmed(term.substr(caret + 1));
            const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
            const bool is_whole = error == std::errc() && stop == digits.data() + digits.size() && !digits.empty();
            if (!is_whole || exponent > largest_exponent || exponent < -largest_exponent) return {};
            term = trimmed(term.substr(0, caret));
        } else if (term.ends_with("²") || term.ends_with("³")) {
            exponent = term.ends_with("²") ? 2 : 3;
            term.remove_suffix(std::string_view("²").size());
        }
        if (term.empty()) return {};
        if (divides) exponent = -exponent;
        if (term != "1") {
            const auto factor = find_unit(term);
            if (!factor) return {std::nullopt, std::string(term), {}};
            rational *= power(factor->rational, exponent);
            pi_power += factor->pi_power * exponent;
            const std::size_t slash = factor->si.find('/');
            if (factor->si != "1") count(factor->si.substr(0, slash), exponent);
            if (slash != std::string_view::npos) count(factor->si.substr(slash + 1), -exponent);
        }
        if (end == std::string_view::npos) break;
        divides = rest[end] == '/';
        rest.remove_prefix(end + (rest.substr(end).starts_with(dot) ? dot.size() : 1));
    }
    std::string name;
    for (const bool is_above : {true, false}) {
        for (const auto& [part, exponent] : si) {
            if (exponent == 0 || (exponent > 0) != is_above) continue;
            if (!name.empty() || !is_above) name += name.empty() ? "1/" : is_above ? "*" : "/";
            name += part + (std::abs(exponent) > 1 ? "^" + std::to_string(std::abs(exponent)) : "");
        }
    }
    return {sym::Expr(rational) * pow(sym::pi(), pi_power), {}, name.empty() ? "1" : name};
}

std::optional<NumberWithUnit> number_with_unit(std::string_view text) {
    const auto q = quantity(text);
    if (!q || q->unit == "deg" || q->unit == "°" || q->unit == "%") return std::nullopt;
    const bool is_product = text[text.find_first_not_of(' ', q->digits.size())] == '*';
    return is_product ? std::nullopt : q;
}

std::optional<NumberWithUnit> quantity(std::string_view text) {
    NumberWithUnit q;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), q.number);
    if (problem != std::errc()) return std::nullopt;
    const auto length = static_cast<std::size_t>(end - text.data());
    q.digits = text.substr(0, length);
    const auto skip_blanks = [&](std::size_t from) { return std::min(text.find_first_not_of(' ', from), text.size()); };
    std::size_t at = skip_blanks(length);
    if (at < text.size() && text[at] == '*') at = skip_blanks(at + 1);
    q.unit = text.substr(at, std::min(text.find_last_not_of(' ') + 1, text.size()) - std::min(at, text.size()));
    const bool is_digit_next = !q.unit.empty() && q.unit.front() >= '0' && q.unit.front() <= '9';
    if (q.unit.empty() || is_digit_next || !unit_factor(q.unit).factor) return std::nullopt;
    return q;
}

std::vector<std::string> unit_names() {
    std::vector<std::string> names{"mm", "cm", "km", "kg", "ms", "kN", "kPa", "MPa", "GPa", "kJ", "kW", "mV", "mA", "mH"};
    for (const Unit& u : units) names.emplace_back(u.name);
    return names;
}

}  // namespace linkwright::model
