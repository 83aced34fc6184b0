#include "linkwright/codegen/prose.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen {
namespace {

constexpr std::size_t width = 110;

/// index, name, value, unit, about: columns as wide as their entries, but no wider than reason.
void add_table(std::vector<std::string>& lines, const std::string& title, const std::vector<Entry>& entries, std::size_t first,
               bool has_values) {
    if (entries.empty()) return;
    lines.emplace_back();
    lines.push_back(title);
    std::size_t name = 0, value = 0, unit = 0;
    for (const Entry& e : entries) {
        name = std::max(name, std::min<std::size_t>(one_line(e.name).size(), 32));
        if (has_values) value = std::max(value, shortest(e.value).size());
        unit = std::max(unit, std::min<std::size_t>(one_line(e.unit).size(), 16));
    }
    const std::size_t digits = fmt::format("{}", entries.size() + first - 1).size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& e = entries[i];
        std::string line = fmt::format("    {:>{}}  {:<{}}", i + first, digits, one_line(e.name), name);
        if (has_values) line += fmt::format("  {:<{}}", shortest(e.value), value);
        if (unit > 0) line += fmt::format("  {:<{}}", one_line(e.unit), unit);
        if (!e.formula.empty()) line += "  = " + one_line(e.formula);
        if (!e.about.empty()) line += (e.formula.empty() ? "  " : "; ") + one_line(e.about);
        line.erase(line.find_last_not_of(' ') + 1);
        const std::size_t indent = std::min<std::size_t>(4 + digits + 2 + name + 2, 48);
        for (std::string& part : wrap(line, width, indent)) lines.push_back(std::move(part));
    }
}

}  // namespace

std::string made_by() { return "linkwright " LINKWRIGHT_VERSION; }

std::string one_line(const std::string& text) {
    // Directions of writing and ends of lines: with these in a comment a person would not see what a compiler reads.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 14> hidden{{{"\u061C", "U+061C"},
                                                                                    {"\u200E", "U+200E"},
                                                                                    {"\u200F", "U+200F"},
                                                                                    {"\u2028", "U+2028"},
                                                                                    {"\u2029", "U+2029"},
                                                                                    {"\u202A", "U+202A"},
                                                                                    {"\u202B", "U+202B"},
                                                                                    {"\u202C", "U+202C"},
                                                                                    {"\u202D", "U+202D"},
                                                                                    {"\u202E", "U+202E"},
                                                                                    {"\u2066", "U+2066"},
                                                                                    {"\u2067", "U+2067"},
                                                                                    {"\u2068", "U+2068"},
                                                                                    {"\u2069", "U+2069"}}};
    std::string line;
    for (const char x : text) line += static_cast<unsigned char>(x) < 32 || x == 127 ? ' ' : x;
    for (const auto& [character, name] : hidden) line = replace(std::move(line), std::string(character), "<" + std::string(name) + ">");
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string replace(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
    return text;
}

std::string unbroken(const std::string& arguments) {
    std::string text;
    for (const char x : arguments) {
        const bool is_inside = x == ' ' && (text.empty() || text.back() != ',');
        text += is_inside ? held : std::string(1, x);
    }
    return text;
}

std::string formula_of(const Entry& constant, const Package& package) {
    const bool is_parameter =
        std::ranges::find(package.arguments[4].entries, constant.name, &Entry::name) != package.arguments[4].entries.end();
    return is_parameter || constant.about.empty() ? constant.name : constant.name + " = " + constant.about;
}

std::vector<std::string> wrap(const std::string& text, std::size_t longest, std::size_t indent) {
    std::vector<std::string> lines;
    std::string rest = text;
    while (rest.size() > longest) {
        const std::size_t begin = rest.find_first_not_of(' ');
        const std::size_t at = rest.rfind(' ', longest);
        if (at == std::string::npos || begin == std::string::npos || at <= begin) break;
        lines.push_back(rest.substr(0, at));
        lines.back().erase(lines.back().find_last_not_of(' ') + 1);
        std::string next = rest.substr(at);
        next.erase(0, next.find_first_not_of(' '));
        if (next.size() + indent >= rest.size()) {
            rest = next;
            break;
        }
        rest = std::string(indent, ' ') + next;
    }
    lines.push_back(rest);
    return lines;
}

std::string describe(const program::Operations& o) {
    std::string text;
    for (const auto& [n, what] : {std::pair(o.add, "add"), std::pair(o.mul, "mul"), std::pair(o.div, "div"), std::pair(o.sqrt, "sqrt"),
                                  std::pair(o.sincos, "sincos"), std::pair(o.other, "other")}) {
        if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, what);
    }
    return text.empty() ? "none" : text;
}

std::string signature(const Function& f, const Package& package) {
    std::string text;
    for (const std::size_t a : f.arguments) text += package.arguments[a].name + " ";
    text += "->";
    for (const Result& r : f.results) text += " " + r.name;
    return text;
}

std::vector<std::string> head(const Package& k, std::size_t first) {
    std::vector<std::string> lines{
        one_line(k.name) + ": equations of motion",
        fmt::format("Derived by the formulation '{}', written by {}.", k.formulation, made_by()),
    };
    for (const std::string& line : k.assumptions) lines.push_back(one_line(line));
    lines.insert(lines.end(), {"", "    qdot = N(q, t) u + nu(q, t)"});
    if (k.m() == 0) {
        lines.emplace_back("    M(q, t) udot = f(q, u, w, t)");
    } else {
        lines.emplace_back("    M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)");
        lines.emplace_back("    G(q, t) udot = gamma(q, u, t)");
    }
    lines.insert(lines.end(), {"", "SI units, angles in radians. The state x is q, then u."});
    add_table(lines, "Coordinates q, with their initial values", k.arguments[1].entries, first, true);
    add_table(lines, "Speeds u, with their initial values", k.arguments[2].entries, first, true);
    add_table(lines, "Inputs w, with their default values", k.arguments[3].entries, first, true);
    if (k.find("input_values") != nullptr) lines.emplace_back("    (values at t = 0; input_values gives them at any t)");
    add_table(lines, "Parameters p, with their values in the model", k.arguments[4].entries, first, true);
    add_table(lines, "Parameters that setup computes from the others", k.derived, first, true);
    add_table(lines, "Parameters whose values are fixed in the code", k.frozen, first, true);
    add_table(lines, "Constraints: rows of G, entries of lambda", k.constraints, first, false);
    if (k.m() > 0 && k.nu() > 0) {
        const std::string known = fmt::format(
            "Of the {} rows of G {} are independent at the initial state, and are assumed to be so at every call. "
            "Parameters that change this number need code of their own.",
            k.m(), k.rank);
        const std::string unknown = "How many rows of G are independent is decided at every call, with a tolerance of 1e-10.";
        lines.emplace_back();
        for (std::string& line : wrap(k.rank == Package::undecided ? unknown : known, width)) lines.push_back(std::move(line));
    }
    add_table(lines, "Outputs y", k.outputs, first, false);
    if (!k.quaternions.empty()) {
        lines.emplace_back();
        lines.emplace_back("Unit quaternions in q, scalar first");
        for (const auto& group : k.quaternions) {
            std::vector<std::string> places;
            for (const std::size_t i : group) places.push_back(fmt::format("{}", i + first));
            lines.push_back(fmt::format("    {}", fmt::join(places, " ")));
        }
        for (std::string& line :
             wrap("Formulas hold on the unit sphere. Integrators drift from it: normalise from time to time. Derivatives by a "
                  "quaternion's members are meant along the sphere.",
                  width))
            lines.push_back(std::move(line));
    }
    lines.emplace_back();
    lines.emplace_back("Functions and their operations");
    std::size_t name = 0, shape = 0;
    for (const Function& f : k.functions)
        name = std::max(name, f.name.size()), shape = std::max(shape, std::min<std::size_t>(signature(f, k).size(), 48));
    for (const Function& f : k.functions) {
        lines.push_back(fmt::format("    {:<{}}  {:<{}}  {}", f.name, name, signature(f, k), shape, describe(f.operations)));
    }
    return lines;
}

}  // namespace linkwright::codegen
