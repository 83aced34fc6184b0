#include "linkwright/session/parameter_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "linkwright/base/text.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

bool is_derived(const eom::Parameter& parameter) { return !symbols_in(parameter.value).empty(); }

std::optional<std::vector<std::size_t>> find_parameters(const std::string& option, const std::vector<std::string>& names,
                                                        const std::vector<std::string>& frozen, const eom::EquationsOfMotion& e,
                                                        Report& report) {
    std::vector<std::size_t> found;
    std::vector<std::string> known;
    for (const eom::Parameter& p : e.parameters) known.push_back(p.symbol.symbol().name);
    if (names.empty()) {
        report.error(fmt::format("{} is missing: it names the parameters", option),
                     known.empty() ? "the model has none" : fmt::format("all, or some of {}", fmt::join(known, ", ")));
        return std::nullopt;
    }
    const auto add = [&](std::size_t i) {
        if (std::ranges::find(found, i) == found.end()) found.push_back(i);
    };
    for (const std::string& name : names) {
        const auto at = std::ranges::find(known, name);
        if (at != known.end()) {
            add(static_cast<std::size_t>(at - known.begin()));
            continue;
        }
        if (name == "all") {
            for (std::size_t i = 0; i < known.size(); ++i) {
                if (!is_derived(e.parameters[i])) add(i);
            }
            continue;
        }
        const bool is_frozen = std::ranges::any_of(frozen, [&](const std::string& f) { return f == name || f == "all"; });
        if (is_frozen) {
            report.error(fmt::format("{}: '{}' is frozen and no longer a parameter", option, name), "leave it out of --freeze");
            return std::nullopt;
        }
        const auto meant = did_you_mean(name, known);
        std::string hint = known.empty() ? "the model has none" : fmt::format("there are {}", fmt::join(known, ", "));
        if (meant) hint = fmt::format("did you mean {}?", *meant);
        report.error(fmt::format("{}: no parameter '{}'", option, name), hint);
        return std::nullopt;
    }
    if (found.empty()) {
        report.error(fmt::format("{}: the model has no parameters", option));
        return std::nullopt;
    }
    return found;
}

double unit_of(const model::Model& model, const std::string& parameter) {
    const sym::PoolScope scope(*model.pool);
    for (const model::Parameter& p : model.parameters) {
        if (p.symbol.symbol().name != parameter || p.unit.empty()) continue;
        const auto factor = model::unit_factor(p.unit).factor;
        return factor ? model::ParameterValues(model)(*factor) : 1;
    }
    return 1;
}

}  // namespace linkwright::session
