#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/base/text.hpp"
#include "linkwright/codegen/backends.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/formulation/recursive/substructures.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
    SharedOptions common;
    std::vector<std::string> languages;
    std::string routines = "auto";  ///< when chains that repeat become routines: auto, never, always
};

struct Written {
    std::string language;
    fs::path path;
    std::size_t lines = 0, bytes = 0;
};

/// Backends of the languages asked for, each once; empty when one of them is unknown, which has been told.
std::vector<codegen::Backend> choose(const std::vector<std::string>& languages) {
    std::vector<std::string> known;
    for (const codegen::Backend& b : codegen::backends()) known.push_back(b.name);
    std::vector<codegen::Backend> chosen;
    bool is_wrong = languages.empty();
    if (languages.empty()) report_error("--language is missing", fmt::format("the languages are {}", fmt::join(known, ", ")));
    for (const std::string& language : languages) {
        const auto backend = std::ranges::find(codegen::backends(), language, &codegen::Backend::name);
        if (backend == codegen::backends().end()) {
            const auto meant = did_you_mean(language, known);
            report_error(fmt::format("unknown language '{}'", language),
                       meant ? fmt::format("did you mean {}?", *meant) : fmt::format("the languages are {}", fmt::join(known, ", ")));
            is_wrong = true;
        } else if (std::ranges::find(chosen, language, &codegen::Backend::name) == chosen.end()) {
            chosen.push_back(*backend);
        }
    }
    if (is_wrong) chosen.clear();
    return chosen;
}

std::string why(const std::error_code& trouble) { return trouble ? trouble.message() : errno == 0 ? "the write failed" : std::strerror(errno); }

/// Every file is written beside its place first; only when all are there are they renamed. Empty when it worked.
std::string save(const fs::path& folder, const std::vector<codegen::File>& files) {
    std::vector<fs::path> beside;
    std::error_code trouble, ignored;
    const auto give_up = [&](const fs::path& path, const std::string& reason) {
        for (const fs::path& part : beside) fs::remove(part, ignored);
        return fmt::format("cannot write {}: {}", path.string(), reason);
    };
    for (const codegen::File& f : files) {
        const fs::path target = folder / f.name;
        fs::create_directories(target.parent_path().empty() ? fs::path(".") : target.parent_path(), trouble);
        if (trouble) return give_up(target.parent_path(), why(trouble));
        beside.push_back(target.string() + fmt::format(".{}.part", ::getpid()));
        errno = 0;
        std::ofstream file(beside.back(), std::ios::binary);
        file << f.text;
        file.close();
        if (!file) return give_up(target, why({}));
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        fs::rename(beside[i], folder / files[i].name, trouble);
        if (trouble) return give_up(folder / files[i].name, why(trouble));
    }
    return {};
}

std::string in_words(const codegen::Package& package, const std::vector<Written>& written) {
    std::string text;
    for (const Written& w : written) text += fmt::format("{}  {} lines\n", w.path.string(), w.lines);
    text += "\noperations\n";
    std::size_t width = 0;
    for (const codegen::Function& f : package.functions) width = std::max(width, f.name.size());
    for (const codegen::Function& f : package.functions) text += fmt::format("    {:<{}}  {}\n", f.name, width, codegen::describe(f.operations));
    for (const codegen::Function& f : package.routines) {
        if (f.is_called) text += fmt::format("    routine {}  {}\n", f.name, codegen::describe(f.operations));
    }
    return text;
}

std::string in_json(const codegen::Package& package, const std::vector<Written>& written) {
    nlohmann::ordered_json j;
    j["model"] = package.name;
    j["identifier"] = package.identifier;
    j["formulation"] = package.formulation;
    j["files"] = nlohmann::ordered_json::array();
    for (const Written& w : written) j["files"].push_back({{"language", w.language}, {"path", w.path.string()}, {"lines", w.lines}, {"bytes", w.bytes}});
    for (const codegen::Function& f : package.functions) j["programs"][f.name] = to_json(f.operations);
    for (const codegen::Function& f : package.routines) {
        if (f.is_called) j["routines"][f.name] = to_json(f.operations);
    }
    return dump(j);
}

Eigen::Index rank_of(const numeric::CompiledEquations& numbers, const numeric::State& state, double tolerance) {
    const numeric::Dynamics d = numbers.dynamics(state);
    solve::DescriptorOptions options;
    options.rank_tolerance = tolerance;
    return solve::solve_descriptor(d.M, d.f, d.G, d.gamma, options).rank;
}

/// How many rows of constraints are independent where the motion begins; or close by, should it begin in a singular position.
Eigen::Index rank_near(const numeric::CompiledEquations& numbers, const numeric::State& start) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const Eigen::Index here = rank_of(numbers, start, solve::default_rank_tolerance);
    std::vector<numeric::Wanted> beside;
    for (std::size_t i = 0; i < e.q.size(); ++i) {
        const double step = 0.02 * std::sin(1.7 * static_cast<double>(i) + 1);
        beside.push_back({"", e.q[i], start.q[i] + step, false, false});
    }
    const numeric::AssembledState near = assemble(numbers, beside, start.t);
    return near.is_ok() ? std::max(here, rank_of(numbers, near.state, 1e-6)) : here;
}

/// The values of coordinates and speeds by default: where the mechanism begins, closed; and the rank of the constraints, which
/// emitted code keeps. If the mechanism does not close, the values stay zero and the code has to count.
void put_in_start(codegen::Package& package, const eom::EquationsOfMotion& equations, bool quiet) {
    const numeric::CompiledEquations numbers(equations);
    const numeric::AssembledState start = assemble(numbers, wanted(numbers));
    if (!start.is_ok()) {
        if (!quiet) std::cerr << "linkwright: warning: the initial state does not close (" << start.why << "); the code begins at zero\n";
        return;
    }
    for (std::size_t i = 0; i < package.nq(); ++i) package.arguments[1].entries[i].value = start.state.q[i];
    for (std::size_t i = 0; i < package.nu(); ++i) package.arguments[2].entries[i].value = start.state.u[i];
    if (package.m() > 0 && package.nu() > 0) package.rank = static_cast<std::size_t>(rank_near(numbers, start.state));
    const numeric::Evaluation there = numeric::evaluate(numbers, start.state);
    if (!there.is_ok && !quiet) std::cerr << "linkwright: warning: the code finds no accelerations where the motion begins: " << there.why << '\n';
}

/// What --freeze made numbers of, with the values it took.
std::vector<codegen::Entry> frozen_parameters(const SharedOptions& common, const codegen::Package& package) {
    if (common.freeze.empty()) return {};
    SharedOptions thawed = common;
    thawed.freeze.clear();
    thawed.quiet = true;
    const auto loaded = load(thawed);
    if (!loaded) return {};
    const auto is_left = [&](const std::string& name) {
        return std::ranges::find(package.arguments[4].entries, name, &codegen::Entry::name) != package.arguments[4].entries.end() ||
               std::ranges::find(package.derived, name, &codegen::Entry::name) != package.derived.end();
    };
    std::map<sym::NodeId, double> known;
    std::vector<codegen::Entry> list;
    for (std::size_t pass = 0; pass < loaded->model->parameters.size(); ++pass) {
        const std::size_t before = known.size();
        for (const model::Parameter& p : loaded->model->parameters) {
            const auto is_known = [&](const sym::Expr& s) { return known.contains(s.id()); };
            if (known.contains(p.symbol.id()) || !std::ranges::all_of(symbols_in(p.value), is_known)) continue;
            known[p.symbol.id()] = sym::evaluate<double>(p.value, [&](const sym::Expr& s) { return known.at(s.id()); });
        }
        if (known.size() == before) break;
    }
    for (const model::Parameter& p : loaded->model->parameters) {
        const std::string& name = p.symbol.symbol().name;
        if (!is_left(name) && known.contains(p.symbol.id())) list.push_back({name, {}, p.about, known.at(p.symbol.id())});
    }
    return list;
}

/// Chains that repeat are looked for where the recursions are those that code runs.
codegen::Package pack(const Options& options, const Loaded& loaded, const eom::EquationsOfMotion& equations) {
    if (options.routines == "never" || options.common.formulation != "recursive") return codegen::make_package(equations);
    const auto chains = formulation::recursive::substructures(*loaded.model, loaded.topology);
    if (!chains) return codegen::make_package(equations);
    return codegen::make_package(equations, &*chains, options.routines == "always" ? codegen::UseRoutines::always : codegen::UseRoutines::when_shorter);
}

int generate(const Options& options) {
    const std::vector<codegen::Backend> backends = choose(options.languages);
    if (backends.empty()) return wrong_input;
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;
    codegen::Package package = pack(options, *loaded, *equations);
    put_in_start(package, *equations, options.common.quiet);
    package.frozen = frozen_parameters(options.common, package);
    const fs::path folder = options.common.output.empty() ? fs::path() : fs::path(options.common.output);
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
        report_error(fmt::format("cannot write into {}: it is not a folder", folder.string()), "-o takes the folder for the files");
        return wrong_input;
    }
    std::vector<Written> written;
    std::vector<codegen::File> files;
    for (const codegen::Backend& backend : backends) {
        for (codegen::File& f : backend.write(package)) {
            written.push_back({backend.name, folder / f.name, static_cast<std::size_t>(std::ranges::count(f.text, '\n')), f.text.size()});
            files.push_back(std::move(f));
        }
    }
    if (const std::string trouble = save(folder, files); !trouble.empty()) {
        report_error(trouble);
        return numerical_failure;
    }
    std::fputs((options.common.json ? in_json(package, written) : in_words(package, written)).c_str(), stdout);
    return done;
}

}  // namespace

Work declare_generate(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.remove_option(words.get_option("--output"));
    words.add_option("-o,--output", options->common.output, "Write the files into this folder (default: here)")->type_name("FOLDER");
    words.add_option("--language", options->languages, "c, cpp, fortran, python, julia, matlab, modelica; several with commas")
        ->type_name("NAMES")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_option("--routines", options->routines, "Chains that repeat as routines: auto (when that is shorter), never, always")
        ->type_name("WHEN")->check(CLI::IsMember({"auto", "never", "always"}));
    return [options] { return generate(*options); };
}

}  // namespace linkwright::cli
