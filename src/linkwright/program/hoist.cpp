#include "linkwright/program/hoist.hpp"

#include <algorithm>
#include <span>

#include "linkwright/program/factor.hpp"
#include "linkwright/program/lower.hpp"

namespace linkwright::program {

Hoisted hoisted(std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs, std::span<const sym::Expr> fixed) {
    std::vector<sym::Expr> all(inputs.begin(), inputs.end());
    all.insert(all.end(), fixed.begin(), fixed.end());
    const Program whole = factor(lower(outputs, all), inputs.size());

    // Lines made of fixed values and constants go to setup; of what it makes, run takes what other lines want.
    const auto is_constant = [&](std::size_t v) { return v >= whole.inputs && v < whole.first_line(); };
    std::vector<bool> is_fixed(whole.values()), is_wanted(whole.values());
    for (std::size_t v = inputs.size(); v < whole.first_line(); ++v) is_fixed[v] = true;
    for (std::size_t k = 0; k < whole.lines.size(); ++k) {
        const Line& line = whole.lines[k];
        const std::span args(line.args.data(), arity(line.op));
        is_fixed[whole.first_line() + k] = std::ranges::all_of(args, [&](Index v) { return is_fixed[v]; });
        if (is_fixed[whole.first_line() + k]) continue;
        for (const Index v : args) is_wanted[v] = is_wanted[v] || is_fixed[v];
    }
    for (const Index v : whole.outputs) is_wanted[v] = is_wanted[v] || is_fixed[v];

    Hoisted r;
    r.setup.inputs = fixed.size();
    r.run.inputs = inputs.size();
    r.setup.constants = r.run.constants = whole.constants;
    std::vector<Index> in_setup(whole.values()), in_run(whole.values());
    for (std::size_t i = 0; i < inputs.size(); ++i) in_run[i] = static_cast<Index>(i);
    for (std::size_t i = 0; i < fixed.size(); ++i) in_setup[inputs.size() + i] = static_cast<Index>(i);
    for (std::size_t v = 0; v < whole.values(); ++v) {
        if (is_wanted[v] && !is_constant(v)) in_run[v] = static_cast<Index>(r.run.inputs++);
    }
    for (std::size_t k = 0; k < whole.constants.size(); ++k) {
        in_setup[whole.inputs + k] = static_cast<Index>(fixed.size() + k);
        in_run[whole.inputs + k] = static_cast<Index>(r.run.inputs + k);
    }
    for (std::size_t k = 0; k < whole.lines.size(); ++k) {
        const std::size_t v = whole.first_line() + k;
        Program& program = is_fixed[v] ? r.setup : r.run;
        std::vector<Index>& place = is_fixed[v] ? in_setup : in_run;
        Line line = whole.lines[k];
        for (std::size_t i = 0; i < arity(line.op); ++i) line.args[i] = place[line.args[i]];
        if (is_fixed[v] || !is_wanted[v]) place[v] = static_cast<Index>(program.values());
        program.lines.push_back(line);
    }
    for (std::size_t v = 0; v < whole.values(); ++v) {
        if (is_wanted[v] && !is_constant(v)) r.setup.outputs.push_back(in_setup[v]);
    }
    for (const Index v : whole.outputs) r.run.outputs.push_back(in_run[v]);
    return r;
}

}  // namespace linkwright::program
