#include "linkwright/present/given_values.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "linkwright/sym/evaluate.hpp"

namespace linkwright::present {

namespace {

using sym::Expr;

constexpr double longest = 40;  ///< symbols and operations that a formula may have when it is written in a table

/// How many of them there are, what is shared counted each time it occurs.
double written_size(const Expr& e) {
    const sym::Sweep s = sym::sweep(std::array{e});
    std::vector<double> size;
    size.reserve(s.steps.size());
    for (const sym::Sweep::Step& step : s.steps) {
        double sum = 1;
        for (std::size_t i = 0; i < step.arity; ++i) sum += size[step.args[i]];
        size.push_back(sum);
    }
    return size[s.roots.front()];
}

/// Numbers for all parameters, each as soon as those it is made of have theirs.
std::unordered_map<sym::NodeId, double> numbers(const eom::EquationsOfMotion& e) {
    std::vector<Expr> formulas;
    for (const eom::Parameter& p : e.parameters) formulas.push_back(p.value);
    std::unordered_map<sym::NodeId, double> known;
    for (std::size_t before = 0; formulas.size() > known.size();) {
        const std::vector<double> values = sym::evaluate<double>(formulas, [&](const Expr& symbol) {
            const auto at = known.find(symbol.id());
            return at == known.end() ? std::numeric_limits<double>::quiet_NaN() : at->second;
        });
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isfinite(values[i])) known[e.parameters[i].symbol.id()] = values[i];
        }
        if (known.size() == before) break;
        before = known.size();
    }
    return known;
}

}  // namespace

std::vector<Expr> given_values(const eom::EquationsOfMotion& e) {
    std::vector<Expr> list;
    std::unordered_map<sym::NodeId, double> known;
    for (const eom::Parameter& p : e.parameters) {
        list.push_back(p.value);
        if (!(written_size(p.value) > longest)) continue;
        if (known.empty()) known = numbers(e);
        if (const auto at = known.find(p.symbol.id()); at != known.end()) list.back() = Expr(at->second);
    }
    return list;
}

}  // namespace linkwright::present
