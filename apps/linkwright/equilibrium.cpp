#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/session/equilibrium.hpp"
#include "operating_words.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::Equilibrium;

struct Options {
    SharedOptions common;
    session::EquilibriumOptions equilibrium;
};

/// Outputs, springs, reactions: what follows from where it rests.
std::string carried_as_text(const session::FoundEquilibria& r, const session::Carried& c, std::size_t width) {
    std::string out;
    if (!c.outputs.empty()) out += "outputs\n";
    for (std::size_t i = 0; i < c.outputs.size(); ++i)
        out += fmt::format("    {:<{}}{:>15.8g}\n", r.names.outputs[i], width, without_dust(c.outputs[i], 0));
    if (!c.springs.empty()) out += fmt::format("{:<{}}{:>15}{:>15}\n", "springs", width + 4, "length", "force");
    for (std::size_t i = 0; i < c.springs.size(); ++i) {
        const session::Carried::Spring& s = c.springs[i];
        out += fmt::format("    {:<{}}{:>15.8g}{:>15.8g}  {}\n", r.springs[i], width, s.length, s.force,
                           s.force < 0   ? "pulls"
                           : s.force > 0 ? "pushes"
                                         : "");
    }
    constexpr std::size_t most = 40;
    if (c.reactions.size() > most) return out + fmt::format("reactions of {} joints: --json has them\n", c.reactions.size());
    double largest = 0;  // what is nothing beside it is 0
    for (const auto& w : c.reactions) {
        for (const double x : w) largest = std::max(largest, std::abs(x));
    }
    if (!c.reactions.empty())
        out += fmt::format("{:<{}}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}  on the child, at the joint, ground axes\n", "reactions", width + 4,
                           "fx", "fy", "fz", "tx", "ty", "tz");
    for (std::size_t i = 0; i < c.reactions.size(); ++i) {
        out += fmt::format("    {:<{}}", r.joints[i], width);
        for (std::size_t k = 0; k < 6; ++k) out += fmt::format("{:>12.5g}", without_dust(c.reactions[i][k], largest));
        out += "\n";
    }
    return out;
}

std::string as_text(const session::FoundEquilibria& r, const Equilibrium& x, std::size_t number, std::size_t of) {
    const session::Names& n = r.names;
    const bool is_moving = !x.moving.empty() || (x.point.state.u.size() > 0 && x.point.state.u.lpNorm<Eigen::Infinity>() > 1e-10);
    std::string out = is_moving ? "steady motion" : "equilibrium";
    out += of > 1 ? fmt::format(" {} of {}\n", number, of) : "\n";
    std::size_t width = 20;
    const auto widen = [&](const std::string& name) { width = std::max(width, name.size() + 2); };
    for (const auto* list : {&n.coordinates, &n.speeds, &n.constraints, &n.outputs, &r.springs, &r.joints}) {
        for (const std::string& name : *list) widen(name);
    }
    const auto line = [&](const std::string& name, double value, const std::string& beside = {}, double size = 0) {
        out += fmt::format("    {:<{}}{:>15.8g}{}\n", name, width, without_dust(value, size), beside.empty() ? "" : "  " + beside);
    };
    const auto largest = [](const Eigen::VectorXd& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); };
    if (x.point.state.t != 0) line("t", x.point.state.t);
    for (std::size_t i = 0; i < n.coordinates.size(); ++i) {
        const bool moves = std::ranges::find(x.moving, i) != x.moving.end();
        line(n.coordinates[i], x.point.state.q[i], moves ? "moving" : "", 1);
    }
    for (std::size_t i = 0; i < n.speeds.size(); ++i) {
        if (is_moving) line(n.speeds[i], x.point.state.u[i], "", largest(x.point.state.u));
    }
    for (const auto& [name, spin] : r.spins) line(name, spin, "given");
    if (!n.inputs.empty()) out += "inputs\n";
    for (std::size_t i = 0; i < n.inputs.size(); ++i) line(n.inputs[i], x.point.state.w[i], r.input_units[i], largest(x.point.state.w));
    if (!n.constraints.empty()) out += "multipliers\n";
    for (std::size_t i = 0; i < n.constraints.size(); ++i) line(n.constraints[i], x.point.lambda[i], "", largest(x.point.lambda));
    if (number <= r.carried.size()) out += carried_as_text(r, r.carried[number - 1], width);
    out += fmt::format("residual            {:.2g}\n", x.residual);
    out += fmt::format("{}\n", x.verdict);
    for (const std::string& note : x.notes) out += fmt::format("note: {}\n", note);
    return out;
}

int equilibrium(Options& options) {
    if (!are_right(check(options.equilibrium), options.common)) return wrong_input;
    const auto session = open(options.common);
    if (!session) return wrong_input;
    Progress progress("searching", options.common.quiet, Progress::Of::steps);
    options.equilibrium.on_step = progress.on_step();
    auto found = session::equilibrium(*session, options.equilibrium);
    if (!options.common.json && !found.is_ok()) found.value.reset();  // what was reached is no equilibrium: nothing for people
    return deliver(options.common, found, [&](const session::FoundEquilibria& r) {
        if (options.common.json) return dump(to_json(r));
        std::string text;
        for (std::size_t i = 0; i < r.found.size(); ++i) text += (i > 0 ? "\n" : "") + as_text(r, r.found[i], i + 1, r.found.size());
        if (!r.list.words.empty()) text += fmt::format("\n{}\n", r.list.words);
        if (r.found.size() > 1) text += fmt::format("the nearest to the start first: {}\n", r.list.metric);
        return text;
    });
}

}  // namespace

Work declare_equilibrium(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->equilibrium.words);
    words
        .add_option("--starts", options->equilibrium.starts,
                    "List the different equilibria, the nearest first: with one or two degrees of freedom all within the printed ranges, "
                    "else those found from N starts (1)")
        .type_name("N");
    words.add_option("--seed", options->equilibrium.seed, "Seed of the further starts (1)").type_name("N");
    words.add_input("--state", options->equilibrium.state.file, "State at which the search starts (default: [initial])");
    return [options] { return equilibrium(*options); };
}

}  // namespace linkwright::cli
