#include "linkwright/present/intermediates.hpp"

#include "linkwright/present/formula_parts.hpp"

namespace linkwright::present {

using sym::Formula;
using Part = Formula::Part;

void rename(Formula& f, const NewNames& names) {
    if (names.empty() || f.size() == 0) return;
    f = rebuilt(f, [&](Formula& out, Part i, bool is_wanted) -> std::optional<Part> {
        const auto known = f[i].kind == Formula::Kind::name ? names.find(f[i].name) : names.end();
        if (known == names.end()) return std::nullopt;
        return is_wanted ? out.name(known->second) : Part{0};
    });
}

namespace {

/// Places of the steps, each after those it uses.
std::vector<std::size_t> readable_order(const std::vector<StraightLine::Step>& steps) {
    std::unordered_map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < steps.size(); ++i) place.emplace(steps[i].name, i);
    std::vector<std::vector<std::size_t>> uses(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Formula& f = steps[i].value;
        for (Part k = 0; k < f.size(); ++k) {
            const auto known = f[k].kind == Formula::Kind::name ? place.find(f[k].name) : place.end();
            if (known != place.end()) uses[i].push_back(known->second);
        }
    }
    std::vector<std::size_t> order, open;
    std::vector<char> is_met(steps.size(), 0), is_placed(steps.size(), 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        open.push_back(i);
        while (!open.empty()) {
            const std::size_t top = open.back();
            if (is_met[top] != 0) {
                open.pop_back();
                if (is_placed[top] == 0) order.push_back(top), is_placed[top] = 1;
                continue;
            }
            is_met[top] = 1;
            for (auto used = uses[top].rbegin(); used != uses[top].rend(); ++used) {
                if (is_met[*used] == 0) open.push_back(*used);
            }
        }
    }
    return order;
}

}  // namespace

void number(std::vector<StraightLine::Step>& steps, std::span<Formula* const> formulas, const std::string& prefix) {
    NewNames names;
    std::vector<StraightLine::Step> ordered;
    for (const std::size_t i : readable_order(steps)) {
        const std::string name = prefix + std::to_string(ordered.size() + 1);
        if (name != steps[i].name) names.emplace(steps[i].name, name);
        ordered.push_back({name, std::move(steps[i].value)});
    }
    steps = std::move(ordered);
    for (StraightLine::Step& step : steps) rename(step.value, names);
    for (Formula* f : formulas) rename(*f, names);
}

}  // namespace linkwright::present
