#include "linkwright/session/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "linkwright/codegen/elimination.hpp"
#include "linkwright/formulation/recursive/derivatives.hpp"
#include "linkwright/formulation/recursive/substructures.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/numeric/rank_nearby.hpp"
#include "linkwright/session/fmu_archive.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/units.hpp"
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
codegen::Package pack(const GenerateOptions& options, Workbench& bench, const topology::Topology& topology,
                      const eom::AccelerationDerivatives* derivatives, bool with_signals = false) {
    const eom::EquationsOfMotion e = with_quantities(bench.equations(), options.quantities);
    codegen::Extras extras{.poses = options.quantities.has("poses"), .geometry = {}, .signals = with_signals, .derivatives = derivatives};
    if (with_signals) extras.sampling = codegen::sampling_numbers(e);
    const auto use = options.routines == Routines::always ? codegen::UseRoutines::always : codegen::UseRoutines::when_shorter;
    if (options.routines == Routines::never || bench.formulation() != "recursive") return codegen::make_package(e, nullptr, use, extras);
    const auto chains = formulation::recursive::substructures(bench.model(), topology);
    return codegen::make_package(e, chains ? &*chains : nullptr, use, extras);
}

Diagnostics check_quantities(const GenerateOptions& options) { return check(options.quantities, {"poses", "derivatives"}); }

/// Nothing where accelerations are not those of a rigid tree, and why is in the report.
std::optional<eom::AccelerationDerivatives> derivatives_of(Workbench& bench, const topology::Topology& topology, Report& report) {
    auto derivatives = formulation::recursive::differentiate_accelerations(bench.model(), topology);
    const eom::EquationsOfMotion& e = bench.equations();
    const auto is_same = [](const std::vector<sym::Expr>& a, const std::vector<sym::Expr>& b) {
        return std::ranges::equal(a, b, [](const sym::Expr& x, const sym::Expr& y) { return x.symbol().name == y.symbol().name; });
    };
    if (derivatives && is_same(derivatives->q, e.q) && is_same(derivatives->x, e.x) && is_same(derivatives->u, e.u)) return derivatives;
    report.error("--also derivatives: accelerations of this model cannot be written out with their derivatives",
                 "that is for rigid trees whose speeds are those of their joints; rhs_jacobian in the code serves every model");
    return std::nullopt;
}

/// What the model says of units, where code has a place for them.
void put_in_units(codegen::Package& package, const Units& units) {
    const auto put = [](std::vector<codegen::Entry>& entries, std::size_t first, const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size() && first + i < entries.size(); ++i) entries[first + i].unit = words[i];
    };
    put(package.arguments[1].entries, 0, units.coordinates);
    put(package.arguments[2].entries, 0, units.speeds);
    put(package.arguments[2].entries, units.speeds.size(), units.auxiliary);
    put(package.arguments[6].entries, 0, units.accelerations);
    put(package.arguments[7].entries, 0, units.multipliers);
    put(package.outputs, 0, units.outputs);
}

/// An FMU: a package with all that simulation programs ask for, its files compiled and packed.
codegen::File write_fmu(const GenerateOptions& options, const codegen::Backend& backend, Workbench& bench, const Session& session,
                        const codegen::Package& like, Report& report) {
    codegen::Package package = pack(options, bench, session.topology(), nullptr, true);
    for (const std::size_t a : {1U, 2U}) {
        for (std::size_t i = 0; i < package.arguments[a].entries.size(); ++i)
            package.arguments[a].entries[i].value = like.arguments[a].entries[i].value;
    }
    package.rank = like.rank;
    codegen::put_in_elimination(package);
    package.frozen = like.frozen;
    package.fmi = static_cast<int>(options.fmi);
    package.written_at = time_of_writing();
    put_in_units(package, units_of(bench.equations(), bench.model()));
    return build_fmu(backend.write(package), package, report);
}

}  // namespace

std::size_t count_lines(const codegen::File& file) {
    return file.name.ends_with(".fmu") ? 0 : static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
}

void put_in_start(codegen::Package& package, const numeric::CompiledEquations& numbers, Report& report) {
    const numeric::AssembledState start = assemble(numbers, wanted(numbers));
    if (!start.is_ok()) {
        report.warn("the initial state does not close (" + start.why + "); the initial values in the code are zero");
        return;
    }
    for (std::size_t i = 0; i < package.nq(); ++i) package.arguments[1].entries[i].value = start.state.q[i];
    const std::size_t speeds = static_cast<std::size_t>(start.state.u.size());  // auxiliary states stand after them
    for (std::size_t i = 0; i < package.nu(); ++i)
        package.arguments[2].entries[i].value = i < speeds ? start.state.u[i] : start.state.x[i - speeds];
    if (package.m() > 0 && package.nu() > 0) package.rank = static_cast<std::size_t>(rank_nearby(numbers, start.state).generic());
    const numeric::Evaluation there = numeric::evaluate(numbers, start.state);
    if (!there.is_ok) report.warn("the code has no accelerations at the initial state: " + there.why);
}

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
    if (options.fmi != 2 && options.fmi != 3) report.error("--fmi is 2 or 3", "FMI 2.0 is what most programs read");
    report.add(check_quantities(options));
    return report.problems;
}

Result<GeneratedCode> generate(const Session& session, const GenerateOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const std::vector<codegen::Backend> backends = choose(options.languages, report);
    Watch watch(options.on_step, "languages");
    formulation::Options takes = what_it_takes(options.quantities);
    takes.sampled = model::has_samples(session.model()) && std::ranges::all_of(backends, &codegen::Backend::wants_signals);
    const Lease bench = borrow(session, "recursive", report, takes);
    if (!bench) return report;
    if (!watch(0, backends.size())) return watch.tell(report), report;
    std::optional<eom::AccelerationDerivatives> derivatives;
    if (options.quantities.has("derivatives")) {
        derivatives = derivatives_of(*bench, session.topology(), report);
        if (!derivatives) return report;
    }
    GeneratedCode r{
        .package = pack(options, *bench, session.topology(), derivatives ? &*derivatives : nullptr), .files = {}, .languages = {}};
    if (!watch()) return watch.tell(report), report;
    put_in_start(r.package, bench->numbers(Code::interpreted, report), report);
    codegen::put_in_elimination(r.package);
    r.package.frozen = frozen_parameters(session, r.package);
    for (std::size_t i = 0; i < backends.size(); ++i) {
        const codegen::Backend& backend = backends[i];
        if (!watch(i, backends.size())) return watch.tell(report), report;
        if (backend.wants_signals) {
            r.languages.push_back(backend.name);
            if (takes.sampled == model::has_samples(session.model())) {
                r.files.push_back(write_fmu(options, backend, *bench, session, r.package, report));
                continue;
            }
            takes.sampled = true;  // an FMU samples, beside code that does not
            const Lease sampling = borrow(session, "recursive", report, takes);
            if (!sampling) return report;
            codegen::Package like = pack(options, *sampling, session.topology(), nullptr);
            put_in_start(like, sampling->numbers(Code::interpreted, report), report);
            like.frozen = r.package.frozen;
            r.files.push_back(write_fmu(options, backend, *sampling, session, like, report));
            takes.sampled = false;
            continue;
        }
        for (codegen::File& f : backend.write(backend.eliminates ? r.package : codegen::without_elimination(r.package))) {
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
        j["files"].push_back(
            {{"language", code.languages[i]}, {"path", (folder / f.name).string()}, {"lines", count_lines(f)}, {"bytes", f.text.size()}});
    }
    for (const codegen::Function& f : package.functions) j["programs"][f.name] = to_json(f.operations);
    for (const codegen::Function& f : package.routines) {
        if (f.is_called) j["routines"][f.name] = to_json(f.operations);
    }
    return j;
}

}  // namespace linkwright::session
