#include <iostream>
#include <iterator>

#include "common.hpp"
#include "linkwright/session/exchange.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    session::ImportOptions import;
};

int import(Options& options) {
    const SharedOptions& common = options.common;
    if (!common.output.empty() && !may_write(common, common.output)) return wrong_input;
    options.import.output = common.output;
    const auto text = common.model == "-"
                          ? session::import_text(std::string(std::istreambuf_iterator<char>(std::cin), {}), "<stdin>", options.import)
                          : session::import_robot(common.model, options.import);
    return deliver(common, text, [](const std::string& words) { return words; });
}

}  // namespace

Work declare_import(Words words) {
    auto options = std::make_shared<Options>();
    options->common.inputs = [words] { return words.inputs(); };
    words.add_input("file", options->common.model, "The robot's file: URDF, SDF, MJCF; - is standard input").required();
    words.add_option("--base", options->import.base, "Hold the root fixed or let it float (default: as the file has it)")
        .type_name("fixed|floating");
    words.add_flag("--outside", options->import.outside, "Include files outside of the robot's folder, too");
    words.add_option("--models", options->import.models, "A folder in which model://NAME is looked for, too (repeatable)")
        .type_name("FOLDER")
        .repeatable();
    words.add_option("-o,--output", options->common.output, "Write the model file here; - is standard output").type_name("FILE");
    words.add_flag("--quiet", options->common.quiet, "Print no warnings");
    return [options] { return import(*options); };
}

}  // namespace linkwright::cli
