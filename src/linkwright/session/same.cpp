#include "linkwright/session/same.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "linkwright/eom/visit.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

namespace {

using eom::EquationsOfMotion;
using sym::Expr;

struct Derived {
    std::unique_ptr<model::Model> model;
    std::optional<EquationsOfMotion> equations;
};

Derived derive(const Session& session, const std::string& formulation, Report& report) {
    Derived r{.model = own_model(session), .equations = {}};
    std::vector<std::string> parameters;
    for (const model::Parameter& p : r.model->parameters) parameters.push_back(p.symbol.symbol().name);
    r.model->outputs.clear();
    r.model->events.clear();
    model::freeze(*r.model, parameters);
    const auto analysis = topology::analyse(*r.model);
    report.add(analysis.problems);
    if (!analysis.topology) return r;
    auto derived = formulation::find_formulation(formulation)->derive(*r.model, *analysis.topology, {});
    report.add(derived.problems);
    if (derived.equations) r.equations = std::move(*derived.equations);
    return r;
}

std::vector<std::string> names_in(const std::vector<Expr>& symbols) {
    std::vector<std::string> names;
    for (const Expr& s : symbols) names.push_back(s.symbol().name);
    return names;
}

std::vector<std::string> inputs_of(const EquationsOfMotion& e) {
    std::vector<std::string> names;
    for (const eom::Input& input : e.inputs) names.push_back(input.symbol.symbol().name);
    return names;
}

/// Names that the first has and the second has not.
std::vector<std::string> missing(const std::vector<std::string>& of, const std::vector<std::string>& in) {
    std::vector<std::string> names;
    std::ranges::copy_if(of, std::back_inserter(names), [&](const std::string& n) { return std::ranges::find(in, n) == in.end(); });
    return names;
}

/// Speeds in the order of these names, which are theirs.
void reorder(EquationsOfMotion& e, const std::vector<std::string>& speeds) {
    const std::vector<std::string> own = names_in(e.u);
    std::vector<std::size_t> at;
    for (const std::string& name : speeds) at.push_back(static_cast<std::size_t>(std::ranges::find(own, name) - own.begin()));
    const auto pick = [&](const std::vector<Expr>& list) {
        std::vector<Expr> picked;
        for (const std::size_t i : at) picked.push_back(list[i]);
        return picked;
    };
    sym::Matrix M;
    for (const std::size_t i : at) M.push_back(pick(e.M[i]));
    e.M = std::move(M);
    e.f = pick(e.f);
    e.u = pick(e.u);
    for (eom::Constraint& c : e.constraints) c.G = pick(c.G);
}

/// In a pool of its own, with other names for inputs.
EquationsOfMotion renamed(const EquationsOfMotion& e, const std::vector<std::string>& from, const std::vector<std::string>& to) {
    EquationsOfMotion result = e;
    result.pool = std::make_shared<sym::Pool>();
    const sym::PoolScope scope(*result.pool);
    sym::Transplant over(*result.pool);
    for (const eom::Input& input : e.inputs) {
        const auto at = std::ranges::find(from, input.symbol.symbol().name);
        if (at != from.end()) over.replace(input.symbol, sym::symbol(to[static_cast<std::size_t>(at - from.begin())], sym::Role::input));
    }
    result.poses.clear();
    result.partial_velocities.clear();
    eom::for_each_expression(result, [&](Expr& x) { x = over(x); });
    return result;
}

}  // namespace

Result<proof::Pair> prove_same(const Session& a, const Session& b, const SameOptions& options) {
    Report report;
    if (formulation::find_formulation(options.formulation) == nullptr)
        return report.error(fmt::format("unknown formulation '{}'", options.formulation), "there are: " + known_formulations()), report;
    const Derived x = derive(a, options.formulation, report), y = derive(b, options.formulation, report);
    if (!x.equations || !y.equations) return report;
    const std::vector<std::string> speeds = names_in(x.equations->u);
    const auto only_a = missing(speeds, names_in(y.equations->u)), only_b = missing(names_in(y.equations->u), speeds);
    proof::Pair none{.a = a.source(), .b = b.source(), .verdict = sym::Verdict::unknown};
    if (!only_a.empty() || !only_b.empty()) {
        none.why = fmt::format("speeds are matched by name: the first alone has {}, the second {}",
                               only_a.empty() ? "none" : fmt::format("{}", fmt::join(only_a, ", ")),
                               only_b.empty() ? "none" : fmt::format("{}", fmt::join(only_b, ", ")));
        return {report, std::move(none)};
    }
    const auto of_a = missing(inputs_of(*x.equations), inputs_of(*y.equations));
    const auto of_b = missing(inputs_of(*y.equations), inputs_of(*x.equations));
    EquationsOfMotion second = *y.equations;
    std::string note;
    if (of_a.size() == of_b.size() && !of_a.empty()) {
        second = renamed(second, of_b, of_a);
        for (std::size_t i = 0; i < of_a.size(); ++i) note += fmt::format("{}{} is {}", note.empty() ? "" : ", ", of_b[i], of_a[i]);
    }
    reorder(second, speeds);
    proof::Options how;
    if (options.seed) how.seed = *options.seed;
    proof::Pair pair = proof::compare(*x.equations, second, how);
    pair.a = a.source(), pair.b = b.source();
    if (!note.empty()) pair.note = "inputs: " + note;
    if (pair.verdict == sym::Verdict::different) report.status = Status::numerical_failure;
    return {report, std::move(pair)};
}

}  // namespace linkwright::session
