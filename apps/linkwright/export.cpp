#include <fmt/format.h>

#include "common.hpp"
#include "linkwright/session/exchange.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string to;
};

int export_model(const Options& options) {
    const auto session = open(options.common);
    if (!session) return wrong_input;
    return deliver(options.common, session::export_robot(*session, options.to), [](const std::string& words) { return words; });
}

}  // namespace

Work declare_export(Words words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    for (const char* word : {"--formulation", "--json"}) words.remove(word);
    words.add_option("--to", options->to, fmt::format("The format: {}", session::known_formats())).type_name("FORMAT").required();
    return [options] { return export_model(*options); };
}

}  // namespace linkwright::cli
