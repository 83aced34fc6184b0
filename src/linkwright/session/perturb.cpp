#include "linkwright/session/perturb.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "linkwright/perturb/form_family.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/perturb_json.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

/// FROM:UNTIL:STEPS
struct Range {
    double from = 0, until = 0;
    std::size_t steps = 200;
};

std::optional<Range> read_range(const std::string& text, Report& report) {
    Range r;
    char rest = 0;
    double steps = 200;
    const int read = std::sscanf(text.c_str(), "%lf:%lf:%lf%c", &r.from, &r.until, &steps, &rest);
    if ((read == 2 || read == 3) && std::isfinite(r.from) && std::isfinite(r.until) && r.from > 0 && r.until > r.from && steps >= 2 &&
        steps <= 1e6 && steps == std::floor(steps)) {
        r.steps = static_cast<std::size_t>(steps);
        return r;
    }
    report.error(fmt::format("--response '{}' is not a range of frequencies", text),
                 "for example --response 0.8:1.2:100, in rad/s: from, until, steps");
    return std::nullopt;
}

/// What the options come to; all that is wrong is in the report.
bool read_options(const PerturbOptions& o, perturb::ExpansionOptions& expansion, perturb::ScalesOptions& scales, Report& report) {
    const auto take = [&](const char* name, const std::optional<long>& given, long least, long most, unsigned& into, const char* hint) {
        if (!given) return;
        if (*given < least || *given > most)
            report.error(fmt::format("{} {} is not supported", name, *given), hint);
        else
            into = static_cast<unsigned>(*given);
    };
    take("--degree", o.degree, 2, 7, expansion.degree, "3 (cubic) or 5 (quintic) as a rule; whole numbers from 2 to 7");
    take("--order", o.order, 1, 6, scales.order, "whole numbers from 1 to 6");
    constexpr const char* powers = "powers of epsilon are whole numbers from 1 to 6";
    take("--damping", o.damping, 1, 6, scales.damping, powers);
    take("--forcing", o.forcing, 1, 6, scales.forcing, powers);
    take("--parametric", o.parametric, 1, 6, scales.parametric, powers);
    scales.closeness = o.closeness;
    if (!(scales.closeness > 0) || !(scales.closeness < 1)) {
        report.error(fmt::format("--closeness {:.6g} is not between 0 and 1", scales.closeness),
                     "0.1 is the default: a tenth of the frequency");
    }
    report.add(check(o.operating));
    if (!report.is_ok()) return false;
    if (scales.order >= expansion.degree) {
        report.error(fmt::format("--order {} needs terms of degree {}, and the expansion ends at {}", scales.order, scales.order + 1,
                                 expansion.degree),
                     fmt::format("--degree {}", scales.order + 1));
        return false;
    }
    expansion.kept = o.keep;
    return true;
}

bool are_kept_known(const std::vector<std::string>& kept, const eom::EquationsOfMotion& e, Report& report) {
    const std::vector<std::string> known = names_of(e.q);
    for (const std::string& name : kept) {
        if (std::ranges::find(known, name) != known.end() || name.find(".turn.") != std::string::npos) continue;
        return report.error(fmt::format("--keep: no coordinate '{}'", name), hint_for(name, known, "there are ")), false;
    }
    return true;
}

}  // namespace

std::string does_not_apply(const std::string& why) { return "the method of multiple scales does not apply: " + why; }

Diagnostics check(const PerturbOptions& options) {
    Report report;
    perturb::ExpansionOptions expansion;
    perturb::ScalesOptions scales;
    read_options(options, expansion, scales, report);
    return report.problems;
}

Diagnostics check(const ResponseOptions& options) {
    Report report;
    report.add(check(options.perturb));
    read_range(options.range, report);
    return report.problems;
}

bool are_orders_used(const PerturbOptions& o, const Study& study, Report& report) {
    bool is_damped = false, is_forced = false, is_parametric = false;
    for (const auto& terms : study.numbers.modal.terms) {
        for (const auto& t : terms) {
            if (t.harmonic == 0)
                is_damped |= t.degree() == 1;
            else
                (t.degree() == 0 ? is_forced : is_parametric) = true;
        }
    }
    const auto wrong = [&](const std::string& what, const std::string& hint = "") { return report.error(what, hint), false; };
    if (o.damping && !is_damped) return wrong("--damping: there is no linear damping or coupling to be ordered");
    if (o.parametric && !is_parametric) return wrong("--parametric: no coefficient depends on time");
    if (o.forcing && !is_forced) return wrong("--forcing: there is no force that depends on time");
    if (o.forcing && *o.forcing != 1 && study.numbers.scales.ordering.soft.empty()) {
        return wrong("--forcing: no force is near a natural frequency, and forces away from resonance are of order ε^1",
                     "--closeness defines what counts as near");
    }
    return true;
}

std::optional<StudyInProgress> begin_study(const PerturbOptions& options, const numeric::CompiledEquations& numbers, bool with_formulas,
                                           Watch& watch, Report& report) {
    const eom::EquationsOfMotion& e = numbers.equations();
    StudyInProgress r;
    if (!read_options(options, r.expanding, r.scaling, report) || !can_linearize(e, report) || !are_kept_known(options.keep, e, report))
        return std::nullopt;
    Report there;  // that time stands still there is no news here
    auto where = operating_state(options.operating, numbers, watch, there);
    if (!where) {
        std::erase_if(there.problems, [](const Diagnostic& d) { return d.severity != Diagnostic::Severity::error; });
        return report.add(there), std::nullopt;
    }
    r.where = std::move(*where);
    // What is zero but for the rounding of a solver would bring terms of that size.
    for (double& q : r.where.point.state.q) q = std::abs(q) < 1e-14 ? 0 : q;
    r.expanding.symbolic = with_formulas;
    r.expanding.goes_on = r.scaling.goes_on = watch.hook();
    r.expansion = perturb::expand(numbers, r.where.point, r.expanding);
    if (watch.is_stopped()) return watch.tell(report), std::nullopt;
    if (!r.expansion.is_ok) return report.fail(does_not_apply(r.expansion.why)), std::nullopt;
    Study& study = r.study;
    const Names names = names_of(e);
    study.name = names.model;
    study.parameters = names.parameters;
    study.coordinates = names.coordinates;
    study.at = r.where.point;
    study.notes = r.expansion.notes;
    const bool is_state_given = options.operating.state.is_given() || options.operating.at == linear::Operating::At::initial;
    if (is_state_given && r.expansion.moved > 1e-6)
        study.notes.push_back(fmt::format("expanded about where the mean force vanishes, {:.3g} from the state given", r.expansion.moved));
    study.pool = r.expansion.pool;
    study.numbers.modal = *r.expansion.numeric;
    study.numbers.scales = perturb::multiple_scales(study.numbers.modal, r.scaling);
    if (watch.is_stopped()) return watch.tell(report), std::nullopt;
    if (!study.numbers.scales.is_ok && options.forcing == 1) {
        perturb::ScalesOptions other = r.scaling;
        other.forcing = 0;
        if (const auto scales = perturb::multiple_scales(study.numbers.modal, other); scales.is_ok && !scales.ordering.soft.empty()) {
            report.error("--forcing 1: " + study.numbers.scales.why,
                         fmt::format("--forcing {} is what is chosen without it", scales.forcing));
            return std::nullopt;
        }
    }
    if (!study.numbers.scales.is_ok) return report.fail(does_not_apply(study.numbers.scales.why)), std::nullopt;
    return r;
}

Result<Study> perturb(const Session& session, const PerturbOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report) || !are_kept_known(options.keep, bench->equations(), report)) return report;
    Watch watch(options.on_step, "stages");
    constexpr std::size_t stages = 4;  // expansion and orders; backbones; steady states; the orders as formulas
    watch(0, stages);
    auto begun = begin_study(options, bench->numbers(Code::native, report), !options.numeric, watch, report);
    if (!begun || !are_orders_used(options, begun->study, report)) return report;
    Study& study = begun->study;
    study.numbers.polar = perturb::polar_form(study.numbers.scales);
    if (watch(1, stages)) study.backbones = perturb::backbones(study.numbers.scales);
    if (watch(2, stages)) study.steady = perturb::steady_states(study.numbers.scales, watch.hook());
    if (watch(3, stages) && begun->expansion.symbolic) {
        const sym::PoolScope scope(*begun->expansion.pool);
        Forms<sym::Expr> f;
        f.modal = *begun->expansion.symbolic;
        perturb::ScalesOptions same = begun->scaling;
        same.damping = study.numbers.scales.damping;  // numbers decide: how strong a coupling is, say
        same.forcing = study.numbers.scales.forcing;
        same.parametric = study.numbers.scales.parametric;
        f.scales = perturb::multiple_scales(f.modal, same);
        if (f.scales.is_ok) {
            f.polar = perturb::polar_form(f.scales);
            study.formulas = std::move(f);
        } else {
            study.notes.push_back("formulas were left out: " + f.scales.why);
        }
    }
    if (watch.is_stopped()) return watch.tell(report), report;
    tell_not_finite(not_finite(perturbation_json(study, false)), report);
    return {report, std::move(study)};
}

Result<SteadyResponse> steady_response(const Session& session, const ResponseOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const auto range = read_range(options.range, report);
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report) || !are_kept_known(options.perturb.keep, bench->equations(), report))
        return report;
    numeric::CompiledEquations numbers = bench->live_numbers(report);
    Watch watch(options.perturb.on_step, "steps");
    const auto begun = begin_study(options.perturb, numbers, false, watch, report);
    if (!begun) return report;
    const Study& study = begun->study;
    if (study.numbers.modal.Omega_value == 0) {
        return report.error("--response: nothing here depends on time, so there is no frequency to vary",
                            "free vibration has backbone curves: leave --response out"),
               report;
    }
    const perturb::FormFamily family =
        perturb::form_family(numbers, begun->where.what, begun->where.point, begun->expansion, begun->expanding, range->from, range->until);
    if (watch.is_stopped()) return watch.tell(report), report;
    if (!family.is_ok) return report.fail(does_not_apply(family.why)), report;
    SteadyResponse r{.model = study.name,
                     .modes = study.numbers.modal.omega.size(),
                     .response = perturb::frequency_response(family.form, begun->scaling, range->from, range->until, range->steps)};
    if (watch.is_stopped()) return watch.tell(report), report;
    auto& notes = r.response.notes;
    for (const auto* list : {&study.notes, &family.notes}) notes.insert(notes.begin(), list->begin(), list->end());
    for (const std::string& note : notes) report.note(note);
    if (r.response.branches.empty()) return report.fail("no steady state was found in this range"), report;
    return finished(report, std::move(r));
}

Json to_json(const SteadyResponse& r) {
    Json j;
    j["model"] = r.model;
    j["response"] = to_json(r.response);
    return j;
}

Table to_table(const SteadyResponse& r) {
    const perturb::FrequencyResponse& response = r.response;
    const std::size_t modes = r.modes;
    Table table;
    table.columns = {"branch", "Omega"};
    for (const char* what : {"a", "beta", "reach"}) {
        for (std::size_t k = 0; k < modes; ++k) table.columns.push_back(fmt::format("{}{}", what, k + 1));
    }
    table.columns.emplace_back("stable");
    const auto n = static_cast<Eigen::Index>(modes);
    for (std::size_t b = 0; b < response.branches.size(); ++b) {
        for (const perturb::SteadyState& s : response.branches[b].states) {
            Eigen::VectorXd row(3 + 3 * n);
            row << static_cast<double>(b + 1), s.Omega, s.a, s.beta, s.reaches, s.is_stable ? 1.0 : 0.0;
            table.rows.push_back(row);
        }
    }
    return table;
}

}  // namespace linkwright::session
