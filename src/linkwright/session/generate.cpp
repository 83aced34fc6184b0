#include "linkwright/session/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "linkwright/formulation/recursive/substructures.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/numeric/rank_nearby.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/session/write_files.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::session {

namespace {

namespace fs = std::filesystem;

/// Backends of the languages asked for, each once; unknown ones are in the report.
std::vector<codegen::Backend> choose(const std::vector<std::string>& languages, Report& report) {
    std::vector<std::string> known;
    for (const codegen::Backend& b : codegen::backends()) known.push_back(b.name);
    std::vector<codegen::Backend> chosen;
    if (languages.empty()) report.error("--language is missing", fmt::format("the languages are {}", fmt::join(known, ", ")));
    for (const std::string& language : languages) {
        const auto backend = std::ranges::find(codegen::backends(), language, &codegen::Backend::name);
        if (backend == codegen::backends().end()) {
            report.error(fmt::format("unknown language '{}'", language), hint_for(language, known, {}, "the languages are "));
        } else if (std::ranges::find(chosen, language, &codegen::Backend::name) == chosen.end()) {
            chosen.push_back(*backend);
        }
    }
    return chosen;
}

/// The values of coordinates and speeds by default: where the mechanism begins, closed; and the rank of the constraints, which
/// emitted code keeps. If the mechanism does not close, the values stay zero and the code has to count.
void put_in_start(codegen::Package& package, const numeric::CompiledEquations& numbers, Report& report) {
    const numeric::AssembledState start = assemble(numbers, wanted(numbers));
    if (!start.is_ok()) {
        report.warn("the initial state does not close (" + start.why + "); the code begins at zero");
        return;
    }
    for (std::size_t i = 0; i < package.nq(); ++i) package.arguments[1].entries[i].value = start.state.q[i];
    const std::size_t speeds = static_cast<std::size_t>(start.state.u.size());  // auxiliary states stand after them
    for (std::size_t i = 0; i < package.nu(); ++i)
        package.arguments[2].entries[i].value = i < speeds ? start.state.u[i] : start.state.x[i - speeds];
    if (package.m() > 0 && package.nu() > 0) package.rank = static_cast<std::size_t>(rank_nearby(numbers, start.state).generic());
    const numeric::Evaluation there = numeric::evaluate(numbers, start.state);
    if (!there.is_ok) report.warn("the code finds no accelerations where the motion begins: " + there.why);
}

/// What --freeze made numbers of, with the values it took.
std::vector<codegen::Entry> frozen_parameters(const Session& session, const codegen::Package& package) {
    if (session.options().freeze.empty()) return {};
    const model::Model& whole = session.whole_model();
    const auto is_left = [&](const std::string& name) {
        return std::ranges::find(package.arguments[4].entries, name, &codegen::Entry::name) != package.arguments[4].entries.end() ||
               std::ranges::find(package.derived, name, &codegen::Entry::name) != package.derived.end();
    };
    std::map<sym::NodeId, double> known;
    std::vector<codegen::Entry> list;
    for (std::size_t pass = 0; pass < whole.parameters.size(); ++pass) {
        const std::size_t before = known.size();
        for (const model::Parameter& p : whole.parameters) {
            const auto is_known = [&](const sym::Expr& s) { return known.contains(s.id()); };
            if (known.contains(p.symbol.id()) || !std::ranges::all_of(symbols_in(p.value), is_known)) continue;
            known[p.symbol.id()] = sym::evaluate<double>(p.value, [&](const sym::Expr& s) { return known.at(s.id()); });
        }
        if (known.size() == before) break;
    }
    for (const model::Parameter& p : whole.parameters) {
        const std::string& name = p.symbol.symbol().name;
        if (!is_left(name) && known.contains(p.symbol.id())) list.push_back({name, {}, p.about, known.at(p.symbol.id())});
    }
    return list;
}

/// The equations with those quantities that are asked for and no others.
eom::EquationsOfMotion with_quantities(eom::EquationsOfMotion e, const Quantities& asked) {
    if (!asked.has("C")) e.C.clear();
    std::erase_if(e.shares, [&](const eom::ForceShare& s) { return !asked.has("causes") && !(asked.has("g") && s.cause == "gravity"); });
    return e;
}

/// Chains that repeat are looked for where the recursions are those that code runs.
codegen::Package pack(Routines routines, const Quantities& asked, Workbench& bench, const topology::Topology& topology) {
    const eom::EquationsOfMotion e = with_quantities(bench.equations(), asked);
    if (routines == Routines::never || bench.formulation() != "recursive") return codegen::make_package(e);
    const auto chains = formulation::recursive::substructures(bench.model(), topology);
    if (!chains) return codegen::make_package(e);
    return codegen::make_package(e, &*chains,
                                 routines == Routines::always ? codegen::UseRoutines::always : codegen::UseRoutines::when_shorter);
}

}  // namespace

std::string save(const std::filesystem::path& folder, const std::vector<codegen::File>& files) {
    std::vector<NewFile> all;
    for (const codegen::File& f : files) {
        all.push_back({folder / f.name, f.text});
        const fs::path inside = all.back().path.parent_path();
        std::error_code trouble;
        if (!inside.empty()) fs::create_directories(inside, trouble);
        if (trouble) return fmt::format("cannot write {}: {}", inside.string(), trouble.message());
    }
    return write_files(all);
}

Diagnostics check(const GenerateOptions& options) {
    Report report;
    choose(options.languages, report);
    report.add(check(options.quantities));
    return report.problems;
}

Result<GeneratedCode> generate(const Session& session, const GenerateOptions& options) {
    Report report;
    const std::vector<codegen::Backend> backends = choose(options.languages, report);
    report.add(check(options.quantities));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step, "languages");
    const Lease bench = borrow(session, "recursive", report, what_it_takes(options.quantities));
    if (!bench) return report;
    if (!watch(0, backends.size())) return watch.tell(report), report;
    GeneratedCode r{.package = pack(options.routines, options.quantities, *bench, session.topology()), .files = {}, .languages = {}};
    if (!watch()) return watch.tell(report), report;
    put_in_start(r.package, bench->numbers(Code::interpreted, report), report);
    r.package.frozen = frozen_parameters(session, r.package);
    for (std::size_t i = 0; i < backends.size(); ++i) {
        const codegen::Backend& backend = backends[i];
        if (!watch(i, backends.size())) return watch.tell(report), report;
        for (codegen::File& f : backend.write(r.package)) {
            r.languages.push_back(backend.name);
            r.files.push_back(std::move(f));
        }
    }
    return {report, std::move(r)};
}

Json to_json(const GeneratedCode& code, const fs::path& folder) {
    const codegen::Package& package = code.package;
    Json j;
    j["model"] = package.name;
    j["identifier"] = package.identifier;
    j["formulation"] = package.formulation;
    j["files"] = Json::array();
    for (std::size_t i = 0; i < code.files.size(); ++i) {
        const codegen::File& f = code.files[i];
        j["files"].push_back({{"language", code.languages[i]},
                              {"path", (folder / f.name).string()},
                              {"lines", static_cast<std::size_t>(std::ranges::count(f.text, '\n'))},
                              {"bytes", f.text.size()}});
    }
    for (const codegen::Function& f : package.functions) j["programs"][f.name] = to_json(f.operations);
    for (const codegen::Function& f : package.routines) {
        if (f.is_called) j["routines"][f.name] = to_json(f.operations);
    }
    return j;
}

}  // namespace linkwright::session
