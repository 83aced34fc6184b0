#include "linkwright/model/unit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace linkwright::model {

namespace {

using sym::Rational;

/// Factor to SI: rational · pi^pi_power.
struct Unit {
    std::string_view name;
    std::string_view factor;
    int pi_power = 0;
    bool takes_prefixes = false;
};

constexpr std::array units{
    Unit{"m", "1", 0, true},
    Unit{"in", "127/5000"},
    Unit{"ft", "381/1250"},
    Unit{"yd", "1143/1250"},
    Unit{"mi", "201168/125"},
    Unit{"g", "1/1000", 0, true},
    Unit{"t", "1000"},
    Unit{"lb", "45359237/100000000"},
    Unit{"slug", "44482216152605/3048000000000"},
    Unit{"s", "1", 0, true},
    Unit{"min", "60"},
    Unit{"h", "3600"},
    Unit{"Hz", "1", 0, true},
    Unit{"rad", "1", 0, true},
    Unit{"deg", "1/180", 1},
    Unit{"°", "1/180", 1},
    Unit{"rev", "2", 1},
    Unit{"rpm", "1/30", 1},
    Unit{"N", "1", 0, true},
    Unit{"lbf", "4.4482216152605"},
    Unit{"kgf", "9.80665"},
    Unit{"Pa", "1", 0, true},
    Unit{"bar", "100000"},
    Unit{"psi", "8896443230521/1290320000"},
    Unit{"J", "1", 0, true},
    Unit{"W", "1", 0, true},
    Unit{"V", "1", 0, true},
    Unit{"A", "1", 0, true},
    Unit{"ohm", "1", 0, true},
    Unit{"Ω", "1", 0, true},
    Unit{"H", "1", 0, true},
    Unit{"F", "1", 0, true},
    Unit{"C", "1", 0, true},
    Unit{"T", "1", 0, true},
    Unit{"Wb", "1", 0, true},
    Unit{"K", "1", 0, true},
    Unit{"%", "1/100"},
};

struct Prefix {
    std::string_view name;
    int exponent;
};
constexpr std::array prefixes{Prefix{"n", -9}, Prefix{"u", -6}, Prefix{"µ", -6}, Prefix{"μ", -6}, Prefix{"m", -3},
                              Prefix{"c", -2}, Prefix{"d", -1}, Prefix{"k", 3}, Prefix{"M", 6}, Prefix{"G", 9}};

struct Factor {
    Rational rational = 1;
    int pi_power = 0;
};

std::optional<Factor> find_unit(std::string_view name) {
    for (const Unit& u : units) {
        if (name == u.name) return Factor{*Rational::from_text(u.factor), u.pi_power};
    }
    for (const Prefix& p : prefixes) {
        if (!name.starts_with(p.name)) continue;
        const std::string_view rest = name.substr(p.name.size());
        const auto* u = std::ranges::find_if(units, [&](const Unit& x) { return x.takes_prefixes && x.name == rest; });
        if (u != units.end())
            return Factor{*Rational::from_text(u->factor) * power(Rational(10), p.exponent), u->pi_power};
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
        }
        if (term.empty()) return {};
        if (divides) exponent = -exponent;
        if (term != "1") {
            const auto factor = find_unit(term);
            if (!factor) return {std::nullopt, std::string(term)};
            rational *= power(factor->rational, exponent);
            pi_power += factor->pi_power * exponent;
        }
        if (end == std::string_view::npos) break;
        divides = rest[end] == '/';
        rest.remove_prefix(end + (rest.substr(end).starts_with(dot) ? dot.size() : 1));
    }
    return {sym::Expr(rational) * pow(sym::pi(), pi_power), {}};
}

std::vector<std::string> unit_names() {
    std::vector<std::string> names{"mm",  "cm",  "km", "kg", "ms", "kN", "kPa",
                                   "MPa", "GPa", "kJ", "kW", "mV", "mA", "mH"};
    for (const Unit& u : units) names.emplace_back(u.name);
    return names;
}

}  // namespace linkwright::model
