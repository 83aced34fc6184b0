#include "linkwright/session/derive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "linkwright/codegen/elimination.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/session/eliminated.hpp"
#include "linkwright/session/spellings.hpp"
#include "linkwright/session/tidy.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

bool is_asked_for(const DeriveOptions& options, std::string_view part) {
    return std::ranges::find(options.only, part) != options.only.end();
}

formulation::Options what_it_takes(const DeriveOptions& options) {
    const auto asked = [&](std::string_view part) { return is_asked_for(options, part); };
    return {.partial_velocities = asked("B"),
            .axes = options.axes,
            .shares = asked("C") || asked("g") || asked("causes"),
            .all_frames = (asked("J") || asked("Lambda")) && options.frames.empty(),
            .frames = options.frames};
}

/// Outputs that are called like a coordinate or a speed: those of joints that are cut.
std::vector<std::string> outputs_of_cut_joints(const model::Model& model, const eom::EquationsOfMotion& equations) {
    std::vector<std::string> out;
    for (const eom::Output& o : equations.outputs) {
        const auto is_called_so = [&](const sym::Expr& s) { return s.symbol().name == o.name; };
        const bool is_of_joint = std::ranges::any_of(model.joints, [&](const model::Joint& j) {
            return std::ranges::any_of(j.coordinates, is_called_so) || std::ranges::any_of(j.speeds, is_called_so);
        });
        if (is_of_joint) out.push_back(o.name);
    }
    return out;
}

}  // namespace

Diagnostics check(const DeriveOptions& options) {
    Report report;
    const auto known = present::parts();
    for (const std::string& part : options.only) {
        if (std::ranges::find(known, part) == known.end())
            report.error(fmt::format("--only: unknown part '{}'", part), fmt::format("the parts are {}", fmt::join(known, ", ")));
    }
    if (!options.frames.empty() && !is_asked_for(options, "J") && !is_asked_for(options, "Lambda"))
        report.error("--frame is for Jacobians and operational-space inertia", "add --only J or --only Lambda");
    constexpr std::size_t most_digits = 17;
    if (options.digits < 1 || options.digits > most_digits)
        report.error(fmt::format("--digits takes 1 to {}, not {}", most_digits, options.digits), "JSON has all digits: --to json");
    if (options.fragment && options.to != present::To::latex) report.error("--fragment is a piece of LaTeX", "add --to latex");
    return report.problems;
}

Result<std::string> derive(const Session& session, const DeriveOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step, "entries");
    const Lease bench = borrow(session, "kane", report, what_it_takes(options));
    if (!bench) return report;
    present::Options how{.to = options.to, .form = options.form, .only = options.only};
    if (options.to != present::To::json) how.budget.terms = longest_to_read;
    how.digits = options.digits;
    how.fragment = options.fragment;
    how.spellings = spellings_of(bench->model());
    how.cut = outputs_of_cut_joints(bench->model(), bench->equations());
    const bool may_be_eliminated = !bench->equations().constraints.empty() && options.to != present::To::json;
    if (may_be_eliminated && (options.only.empty() || is_asked_for(options, "elimination"))) {
        const Eliminated eliminated = eliminate_at_start(*bench);
        const auto& pivots = eliminated.package.pivots;
        how.elimination = !pivots ? fmt::format("Emitted code takes a general solver at every state: {}.", eliminated.why_not)
                          : options.only.empty() ? codegen::in_short(*pivots, "`") + " (--only elimination)."
                                                 : codegen::in_words(*pivots, "`");
    }
    how.goes_on = watch.hook();
    if (!watch()) return watch.tell(report), report;
    const auto finish = [&](std::string page) -> Result<std::string> {
        if (watch.is_stopped()) return watch.tell(report), report;
        return {report, std::move(page)};
    };
    if (!options.steps) return finish(present::present(bench->equations(), how));
    if (how.only.empty()) how.only = {"q"};  // the last step has M and f
    const formulation::Formulation& formulation = *formulation::find_formulation(bench->formulation());
    if (!formulation.explain) {
        report.error(fmt::format("--steps: the formulation '{}' is written for machines and has no worked derivation", formulation.name),
                     "for example --formulation kane");
        return report;
    }
    const eom::Derivation steps = formulation.explain(bench->model(), session.topology(), bench->equations());
    return finish(present::present(steps, bench->equations(), how));
}

}  // namespace linkwright::session
