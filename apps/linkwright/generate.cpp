#include "linkwright/session/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common.hpp"
#include "linkwright/codegen/prose.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
    SharedOptions common;
    session::GenerateOptions generate;
    std::string routines = "auto";  ///< when chains that repeat become routines: auto, never, always
};

std::string in_words(const session::GeneratedCode& code, const fs::path& folder) {
    const codegen::Package& package = code.package;
    std::string text;
    for (const codegen::File& f : code.files)
        text += session::count_lines(f) > 0 ? fmt::format("{}  {} lines\n", (folder / f.name).string(), session::count_lines(f))
                                            : fmt::format("{}  {} bytes\n", (folder / f.name).string(), f.text.size());
    text += "\noperations\n";
    std::size_t width = 0;
    for (const codegen::Function& f : package.functions) width = std::max(width, f.name.size());
    for (const codegen::Function& f : package.functions)
        text += fmt::format("    {:<{}}  {}\n", f.name, width, codegen::describe(f.operations));
    for (const codegen::Function& f : package.routines) {
        if (f.is_called) text += fmt::format("    routine {}  {}\n", f.name, codegen::describe(f.operations));
    }
    return text;
}

int generate(const Options& options) {
    if (!are_right(check(options.generate), options.common)) return wrong_input;
    const fs::path folder = options.common.output.empty() ? fs::path() : fs::path(options.common.output);
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
        report_error(fmt::format("cannot write into {}: it is not a folder", folder.string()), "-o takes the folder for the files");
        return wrong_input;
    }
    const auto session = open(options.common);
    if (!session) return wrong_input;
    const auto code = session::generate(*session, options.generate);
    report(code.problems, options.common.quiet);
    if (!code) return static_cast<int>(code.status);
    for (const codegen::File& f : code->files) {
        if (!may_write(options.common, folder / f.name)) return wrong_input;
    }
    if (const std::string trouble = session::save(folder, code->files); !trouble.empty()) {
        report_error(trouble);
        return numerical_failure;
    }
    std::fputs((options.common.json ? dump(to_json(*code, folder)) : in_words(*code, folder)).c_str(), stdout);
    return done;
}

}  // namespace

Work declare_generate(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.remove("--output");
    words.add_option("-o,--output", options->common.output, "Write the files into this folder (default: the current one)")
        .type_name("FOLDER");
    std::vector<std::string> languages;
    for (const codegen::Backend& backend : codegen::backends()) languages.push_back(backend.name);
    words.add_option("--language", options->generate.languages, fmt::format("{}; several with commas", fmt::join(languages, ", ")))
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words.add_option("--fmi", options->generate.fmi, "Of an FMU: the version of the standard, 2 (default) or 3").type_name("2|3");
    words
        .add_option("--also", options->generate.quantities.also,
                    "Also write functions for g (gravity forces), C (matrix of the velocity forces), causes (forcing by cause), J "
                    "(Jacobians of frames), Lambda (operational-space inertia of frames), poses (position and orientation of bodies), "
                    "derivatives (of the accelerations of rigid trees by q, u, inputs and forces)")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words
        .add_option("--frame", options->generate.quantities.frames,
                    "Frames of J: outputs (position, orientation), bodies or BODY.POINT (default: all such outputs)")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words.add_option("--routines", options->routines, "Repeated chains as routines of their own: auto (if that is shorter), never, always")
        .type_name("WHEN")
        .one_of({"auto", "never", "always"});
    return [options] {
        options->generate.routines = options->routines == "never"    ? session::Routines::never
                                     : options->routines == "always" ? session::Routines::always
                                                                     : session::Routines::when_shorter;
        return generate(*options);
    };
}

}  // namespace linkwright::cli
