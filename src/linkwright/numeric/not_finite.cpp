#include "linkwright/numeric/not_finite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::numeric {

namespace {

using Values = std::unordered_map<sym::NodeId, double>;

Values values_of_symbols(const CompiledEquations& numbers, const VectorXd& row) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const bool with_accelerations = row.size() > numbers.layout().size();
    const std::vector<Expr> symbols = arguments(e, with_accelerations);
    Values values;
    for (std::size_t i = 0; i < symbols.size(); ++i) values.emplace(symbols[i].id(), row[static_cast<Eigen::Index>(i)]);
    for (std::size_t i = 0; i < e.parameters.size(); ++i)
        values.emplace(e.parameters[i].symbol.id(), numbers.parameters()[static_cast<Eigen::Index>(i)]);
    return values;
}

std::string describe(const Expr& part, double value, const std::vector<Expr>& symbols, const Values& values) {
    constexpr std::size_t longest = 80, most = 6;
    if (part.op() == sym::Op::undefined) return "it contains a division by zero";
    if (part.is_symbol()) return fmt::format("{} is {}", part.symbol().name, value);
    const bool is_overflow = part.op() == sym::Op::add || part.op() == sym::Op::mul;
    std::string text = fmt::format("{} is {}", print(part, {.style = sym::Style::text, .longest = longest}),
                                   is_overflow         ? "too large for a number"
                                   : std::isnan(value) ? "undefined"
                                                       : "infinite");
    if (symbols.empty() || symbols.size() > most) return text;
    std::vector<std::string> where;
    for (const Expr& s : symbols) where.push_back(fmt::format("{} = {:.6g}", s.symbol().name, values.at(s.id()) + 0.0));
    return fmt::format("{} where {}", text, fmt::join(where, ", "));
}

}  // namespace

std::string not_finite_part(const CompiledEquations& numbers, const Expr& e, const VectorXd& row) {
    const Values values = values_of_symbols(numbers, row);
    const sym::Sweep parts = sym::sweep(std::span(&e, 1));
    std::vector<Expr> nodes;
    for (const sym::Sweep::Step& step : parts.steps) nodes.emplace_back(e.pool(), step.id);
    const std::vector<double> found = sym::evaluate<double>(std::span<const Expr>(nodes), [&](const Expr& s) {
        const auto known = values.find(s.id());
        return known == values.end() ? std::numeric_limits<double>::quiet_NaN() : known->second;
    });
    if (std::isfinite(found[parts.roots.front()])) return "";
    const auto first = std::ranges::find_if(found, [](double x) { return !std::isfinite(x); }) - found.begin();
    std::vector<Expr> symbols;
    for (const sym::Sweep::Step& step : sym::sweep(std::span(&nodes[first], 1)).steps) {
        if (const Expr s(e.pool(), step.id); s.is_symbol() && values.contains(s.id())) symbols.push_back(s);
    }
    return describe(nodes[first], found[first], symbols, values);
}

}  // namespace linkwright::numeric
