#include "linkwright/codegen/elimination.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "linkwright/program/elimination.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"

namespace linkwright::codegen {

namespace {

constexpr std::size_t most_lines = 20'000;  // of the solution; longer code compiles slowly and fills caches

/// Values of an argument where the mechanism starts.
void append(std::vector<double>& in, const Argument& argument) {
    if (argument.is_scalar) return in.push_back(0);
    for (const Entry& e : argument.entries) in.push_back(e.value);
}

std::vector<double> run(const program::Program& program, const std::vector<double>& in) {
    std::vector<double> out(program.outputs.size());
    program::Interpreter interpreter(program);
    interpreter(in, out);
    return out;
}

/// `dynamics` with all entries of M, f, G and γ, in the order that an elimination takes them; those that are not computed are a constant 0.
program::Program whole_system(const Package& package, const Function& dynamics) {
    program::Program p = program::inlined(dynamics.program);
    const std::vector<program::Index> given = p.outputs;
    const program::Index first = p.first_line(), zero = first;
    const auto moved = [&](program::Index i) { return i < first ? i : i + 1; };
    p.constants.push_back(0);
    for (program::Line& line : p.lines) {
        for (std::size_t k = 0; k < arity(line.op); ++k) line.args[k] = moved(line.args[k]);
    }
    const std::size_t n = package.nu(), m = package.m();
    std::vector<program::Index> M(n * n, zero), f(n, zero), G(m * n, zero), gamma(m, zero);
    std::size_t k = 0;
    for (const Result& r : dynamics.results) {
        auto& entries = r.name == "M" ? M : r.name == "f" ? f : r.name == "G" ? G : gamma;
        for (const std::size_t at : r.at) entries[at] = moved(given[k++]);
    }
    p.outputs.clear();
    for (std::size_t i = 0; i < n; ++i) std::copy_n(M.begin() + static_cast<std::ptrdiff_t>(i * n), i + 1, std::back_inserter(p.outputs));
    p.outputs.insert(p.outputs.end(), f.begin(), f.end());
    for (std::size_t r = 0; r < m; ++r) {
        std::copy_n(G.begin() + static_cast<std::ptrdiff_t>(r * n), n, std::back_inserter(p.outputs));
        p.outputs.push_back(gamma[r]);
    }
    return p;
}

PivotChoice choice_of(const Package& package, const program::Elimination& e) {
    PivotChoice choice;
    for (const program::Pivot& pivot : e.pivots) {
        const std::string& speed = package.arguments[2].entries[pivot.speed].name;
        if (pivot.is_pair())
            choice.pairs.push_back({speed, package.constraints[pivot.row].name, pivot.value, pivot.least});
        else
            choice.independent.push_back(speed);
    }
    return choice;
}

}  // namespace

namespace {

std::string quoted(const std::string& name, std::string_view quote) { return fmt::format("{0}{1}{0}", quote, name); }

/// Of more than so many the others are counted.
std::string list(std::vector<std::string> words, std::size_t most) {
    const std::size_t all = words.size();
    if (all > most) words.resize(most), words.push_back(fmt::format("{} more", all - most));
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string independent(const PivotChoice& choice, std::string_view quote, std::size_t most) {
    std::vector<std::string> names;
    for (const std::string& speed : choice.independent) names.push_back(quoted(speed, quote));
    return list(std::move(names), most);
}

}  // namespace

std::string in_words(const PivotChoice& choice, std::string_view quote) {
    constexpr std::size_t most = 12;
    std::vector<std::string> pairs;
    for (const PivotChoice::Pair& pair : choice.pairs)
        pairs.push_back(fmt::format("{} by row {} (pivot at least {:.2g})", quoted(pair.speed, quote), pair.row, std::abs(pair.least)));
    return fmt::format(
        "Speeds that the constraints give, with pivots that are good at the start: {}; independent: {}. Valid while every pivot keeps that "
        "size "
        "(weakest at least 1) and growth is at most {}.",
        list(std::move(pairs), most), independent(choice, quote, most), program::Elimination::most_growth);
}

std::string in_short(const PivotChoice& choice, std::string_view quote) {
    return fmt::format("Solved by elimination, {} independent; valid while its pivots keep their size", independent(choice, quote, 6));
}

std::string put_in_elimination(Package& package) {
    const auto dynamics = std::ranges::find(package.functions, "dynamics", &Function::name);
    if (package.m() == 0 || package.nu() == 0 || dynamics == package.functions.end()) return "there is no closed chain";
    if (package.rank == Package::undecided) return "where the mechanism starts is not known";
    std::vector<double> p, in;
    append(p, package.arguments[4]);
    for (const std::size_t a : dynamics->arguments) {
        if (const Function* setup = package.find("setup"); a == 5 && setup != nullptr) {
            const std::vector<double> c = run(setup->program, p);
            std::vector<double> all(package.nc(), 0);
            for (std::size_t k = 0; k < c.size(); ++k) all[setup->results.front().at[k]] = c[k];
            in.insert(in.end(), all.begin(), all.end());
        } else {
            append(in, package.arguments[a]);
        }
    }
    const program::Program system = whole_system(package, *dynamics);
    const std::vector<double> reference = run(system, in);
    if (!std::ranges::all_of(reference, [](double x) { return std::isfinite(x); })) return "the equations are not finite at the start";
    program::Elimination e = program::eliminate(system, {package.nu(), package.m()}, reference, {.most_lines = most_lines});
    if (!e.is_ok()) return e.why;
    if (!e.redundant.empty()) return "rows of constraints are redundant";
    if (e.rank() != package.rank) return "the constraints have another rank nearby";
    package.pivots = choice_of(package, e);
    Function f{.name = "elimination",
               .about = "Accelerations and multipliers by straight-line code. " + in_words(*package.pivots),
               .arguments = dynamics->arguments,
               .results = {},
               .program = {},
               .operations = {}};
    const auto& outputs = e.program.outputs;
    std::vector<program::Index> kept;
    std::size_t k = 0;
    const auto add = [&](Result result) {
        for (std::size_t i = 0; i < result.rows; ++i, ++k) {
            const program::Index at = outputs[k];
            const bool is_zero = at >= e.program.inputs && at < e.program.first_line() && e.program.constants[at - e.program.inputs] == 0;
            if (is_zero && !result.is_scalar) continue;
            result.at.push_back(i), kept.push_back(at);
        }
        f.results.push_back(std::move(result));
    };
    add({.name = "udot", .about = "accelerations", .rows = package.nu(), .at = {}});
    add({.name = "lambda", .about = "multipliers", .rows = package.m(), .at = {}});
    add({.name = "weakest", .about = "least of the pivots, each against what is demanded of it", .is_scalar = true, .at = {}});
    add({.name = "growth",
         .about = "largest square of what a dependent speed moves against another of its row, speeds scaled",
         .is_scalar = true,
         .at = {}});
    f.program = std::move(e.program);
    f.program.outputs = std::move(kept);
    f.operations = program::count(f.program);
    package.functions.insert(dynamics + 1, std::move(f));
    return {};
}

Package without_elimination(Package package) {
    std::erase_if(package.functions, [](const Function& f) { return f.name == "elimination"; });
    package.pivots.reset();
    return package;
}

}  // namespace linkwright::codegen
