#include <array>
#include <memory>

#include "common.hpp"
#include "starters.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    std::string kind;
    SharedOptions common;  // of which a file that is written needs -o alone
};

int work(const Options& options) {
    const auto starter = std::ranges::find(starters, options.kind, &Starter::name);
    if (!options.common.output.empty() && options.common.output != "-" && std::filesystem::exists(options.common.output)) {
        report_error("'" + options.common.output + "' is there already", "choose another name; nothing was written");
        return wrong_input;
    }
    return deliver(options.common, std::string(starter->text));
}

}  // namespace

Work declare_new(Words words) {
    auto options = std::make_shared<Options>();
    std::vector<std::string> kinds;
    for (const Starter& s : starters) kinds.emplace_back(s.name);
    words.add_option("kind", options->kind, "pendulum, robot, four-bar, vehicle or beam").required().one_of(kinds);
    words.add_option("-o,--output", options->common.output, "Write the file here, unless it is there already; - is standard output")
        .type_name("FILE");
    return [options] { return work(*options); };
}

}  // namespace linkwright::cli
