#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "linkwright/perturb/form_family.hpp"
#include "linkwright/base/text.hpp"
#include "operating_state.hpp"
#include "perturb_compare.hpp"
#include "perturb_json.hpp"
#include "perturb_page.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    OperatingWords operating;
    perturb::ExpansionOptions expansion;
    perturb::ScalesOptions scales;
    std::optional<long> degree, order, damping, forcing, parametric;  ///< as typed
    enum class To : std::uint8_t { text, latex, json };
    std::optional<To> to;
    bool orders = false, numeric = false;
    std::string response;
    CompareWords compare;
};

/// FROM:UNTIL:STEPS
struct Range {
    double from = 0, until = 0;
    std::size_t steps = 200;
};
std::optional<Range> read_range(const std::string& text) {
    Range r;
    char rest = 0;
    double steps = 200;
    const int read = std::sscanf(text.c_str(), "%lf:%lf:%lf%c", &r.from, &r.until, &steps, &rest);
    if ((read == 2 || read == 3) && std::isfinite(r.from) && std::isfinite(r.until) && r.from > 0 && r.until > r.from && steps >= 2 && steps <= 1e6 && steps == std::floor(steps)) {
        r.steps = static_cast<std::size_t>(steps);
        return r;
    }
    report_error(fmt::format("--response '{}' is no range of frequencies", text), "for example --response 0.8:1.2:100, in rad/s: from, until, steps");
    return std::nullopt;
}

Table as_table(const perturb::FrequencyResponse& response, std::size_t modes) {
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

/// What makes no sense, or would not be listened to.
bool is_right(Options& o) {
    const auto wrong = [](const std::string& what, const std::string& hint = "") { return report_error(what, hint), false; };
    const auto take = [&](const char* name, const std::optional<long>& typed, long least, long most, unsigned& into, const char* hint) {
        if (!typed) return true;
        if (*typed < least || *typed > most) return wrong(fmt::format("{} {} is not offered", name, *typed), hint);
        into = static_cast<unsigned>(*typed);
        return true;
    };
    if (!take("--degree", o.degree, 2, 7, o.expansion.degree, "3 (cubic) or 5 (quintic) as a rule; whole numbers from 2 to 7")) return false;
    if (!take("--order", o.order, 1, 6, o.scales.order, "whole numbers from 1 to 6")) return false;
    constexpr const char* powers = "powers of epsilon are whole numbers from 1 to 6";
    if (!take("--damping", o.damping, 1, 6, o.scales.damping, powers) || !take("--forcing", o.forcing, 1, 6, o.scales.forcing, powers) || !take("--parametric", o.parametric, 1, 6, o.scales.parametric, powers)) return false;
    if (o.common.json && o.to && *o.to != Options::To::json) return wrong("--json and --to ask for different things");
    if (o.to == Options::To::json) o.common.json = true;
    const bool is_response = !o.response.empty();
    if (is_response && o.compare.is_wanted()) return wrong("--response and --compare are two things", "ask for one after the other");
    if (is_response || o.compare.is_wanted()) {
        const char* table = is_response ? "--response" : "--compare";
        if (o.to == Options::To::latex) return wrong(fmt::format("{} is a table and has no LaTeX form", table), "csv by default, or --json");
        if (o.orders) return wrong(fmt::format("--orders belongs to the page, not to {}", table));
        if (o.numeric) return wrong(fmt::format("--numeric belongs to the page; {} is all numbers", table));
    }
    if (const std::string word = o.compare.idle_word(); !word.empty()) return wrong(fmt::format("{} belongs to a comparison with simulation", word), "--compare, --amplitude or --halving asks for one");
    if (!(o.scales.closeness > 0) || !(o.scales.closeness < 1)) return wrong(fmt::format("--closeness {:.6g} is not between 0 and 1", o.scales.closeness), "0.1 is the default: a tenth of the frequency");
    if (o.scales.order >= o.expansion.degree) {
        return wrong(fmt::format("--order {} needs terms of degree {}, and the expansion ends at {}", o.scales.order, o.scales.order + 1, o.expansion.degree), fmt::format("--degree {}", o.scales.order + 1));
    }
    return true;
}

/// An ordering asked for, of terms that are not there.
bool are_orders_used(const Options& o, const Forms<double>& f) {
    bool is_damped = false, is_forced = false, is_parametric = false;
    for (const auto& terms : f.modal.terms) {
        for (const auto& t : terms) {
            if (t.harmonic == 0) is_damped |= t.degree() == 1;
            else (t.degree() == 0 ? is_forced : is_parametric) = true;
        }
    }
    const auto wrong = [](const std::string& what, const std::string& hint = "") { return report_error(what, hint), false; };
    if (o.damping && !is_damped) return wrong("--damping: there is no linear damping or coupling to be ordered");
    if (o.parametric && !is_parametric) return wrong("--parametric: no coefficient depends on time");
    if (o.forcing && !is_forced) return wrong("--forcing: there is no force that depends on time");
    if (o.forcing && *o.forcing != 1 && f.scales.ordering.soft.empty()) {
        return wrong("--forcing: no force is near a natural frequency, and forces away from resonance are of order ε^1", "--closeness says what counts as near");
    }
    return true;
}

int perturb(Options& options) {
    if (!is_right(options)) return wrong_input;
    std::optional<Range> range;
    if (!options.response.empty()) {
        range = read_range(options.response);
        if (!range) return wrong_input;
    }
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;
    if (!can_linearize(*equations)) return wrong_input;
    std::vector<std::string> known;
    for (const sym::Expr& q : equations->q) known.push_back(q.symbol().name);
    for (const std::string& name : options.expansion.kept) {
        if (std::ranges::find(known, name) != known.end() || name.find(".turn.") != std::string::npos) continue;
        const auto meant = did_you_mean(name, known);
        report_error(fmt::format("--keep: no coordinate '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(known, ", ")));
        return wrong_input;
    }
    numeric::CompiledEquations numbers(*equations, native_code(options.common.quiet), options.compare.shrinks() || range ? numeric::Parameters::live : numeric::Parameters::fixed);
    OperatingState where = operating_state(options.operating, numbers, true);  // that time stands still there is no news here
    if (!where.has_point) return where.status;
    // What is zero but for the rounding of a solver would bring terms of that size.
    for (double& q : where.point.state.q) q = std::abs(q) < 1e-14 ? 0 : q;

    const bool is_page = !range && !options.compare.is_wanted();
    options.expansion.symbolic = is_page && !options.numeric;
    perturb::Expansion expansion = perturb::expand(numbers, where.point, options.expansion);
    if (!expansion.is_ok) {
        report_error(does_not_apply(expansion.why));
        return numerical_failure;
    }
    Study study;
    study.name = equations->name;
    for (const auto& p : equations->parameters) study.parameters.push_back(p.symbol.symbol().name);
    for (const sym::Expr& q : equations->q) study.coordinates.push_back(q.symbol().name);
    study.at = where.point;
    study.notes = expansion.notes;
    const bool is_state_given = !options.operating.state.empty() || options.operating.at == linear::Operating::At::initial;
    if (is_state_given && expansion.moved > 1e-6) study.notes.push_back(fmt::format("expanded about where the mean force vanishes, {:.3g} from the state given", expansion.moved));
    study.pool = expansion.pool;
    study.numbers.modal = *expansion.numeric;
    study.numbers.scales = perturb::multiple_scales(study.numbers.modal, options.scales);
    if (!study.numbers.scales.is_ok && options.forcing == 1) {
        perturb::ScalesOptions other = options.scales;
        other.forcing = 0;
        if (const auto scales = perturb::multiple_scales(study.numbers.modal, other); scales.is_ok && !scales.ordering.soft.empty()) {
            report_error("--forcing 1: " + study.numbers.scales.why, fmt::format("--forcing {} is what is chosen without it", scales.forcing));
            return wrong_input;
        }
    }
    if (!study.numbers.scales.is_ok) {
        report_error(does_not_apply(study.numbers.scales.why));
        return numerical_failure;
    }

    if (!range && !are_orders_used(options, study.numbers)) return wrong_input;
    if (options.compare.is_wanted()) return compare(options.common, options.compare, numbers, where, study, options.expansion, options.scales);
    if (range) {
        if (study.numbers.modal.Omega_value == 0) {
            report_error("--response: nothing here depends on time, so there is no frequency to vary", "free vibration has backbone curves: leave --response out");
            return wrong_input;
        }
        perturb::FormFamily family = perturb::form_family(numbers, where.what, where.point, expansion, options.expansion, range->from, range->until);
        if (!family.is_ok) {
            report_error(does_not_apply(family.why));
            return numerical_failure;
        }
        perturb::FrequencyResponse response = perturb::frequency_response(family.form, options.scales, range->from, range->until, range->steps);
        for (auto* list : {&study.notes, &family.notes}) response.notes.insert(response.notes.begin(), list->begin(), list->end());
        if (!options.common.quiet) {
            for (const std::string& note : response.notes) std::cerr << "linkwright: note: " << note << '\n';
        }
        if (response.branches.empty()) {
            report_error("no steady state was found in this range");
            return numerical_failure;
        }
        if (!options.common.json) return deliver(options.common, to_csv(as_table(response, study.numbers.modal.omega.size())));
        nlohmann::ordered_json j;
        j["model"] = study.name;
        j["response"] = to_json(response);
        return deliver(options.common, dump(j));
    }

    study.numbers.polar = perturb::polar_form(study.numbers.scales);
    study.backbones = perturb::backbones(study.numbers.scales);
    study.steady = perturb::steady_states(study.numbers.scales);
    if (expansion.symbolic) {
        const sym::PoolScope scope(*expansion.pool);
        Forms<sym::Expr> f;
        f.modal = *expansion.symbolic;
        perturb::ScalesOptions same = options.scales;
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
    if (options.common.json) return deliver(options.common, dump(perturbation_json(study, options.orders)));
    PageOptions page;
    page.style = options.to == Options::To::latex ? sym::Style::latex : sym::Style::unicode;
    page.orders = options.orders;
    page.numeric = options.numeric;
    return deliver(options.common, perturbation_page(study, page));
}

}  // namespace

Work declare_perturb(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->operating);
    words.add_option("--degree", options->degree, "Highest degree of the expanded equations: 3 (default) or 5; from 2 to 7")->type_name("N");
    words.add_option("--order", options->order, "Highest power of epsilon in the modulation equations (the degree less 1)")->type_name("N");
    words.add_flag("--orders", options->orders, "Show every order: equation, secular terms, solution");
    words.add_flag("--numeric", options->numeric, "Numbers, also where formulas in the parameters can be had");
    words.add_option("--keep", options->expansion.kept, "Coordinates wished independent in closed chains")->type_name("NAMES")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_option("--closeness", options->scales.closeness, "A detuning up to this part of the frequency counts as resonance (0.1)")->type_name("R");
    words.add_option("--damping", options->damping, "Power of epsilon of the linear damping (chosen)")->type_name("N");
    words.add_option("--forcing", options->forcing, "Power of epsilon of resonant forces (chosen); others are of order 1")->type_name("N");
    words.add_option("--parametric", options->parametric, "Power of epsilon of the parametric excitation (chosen)")->type_name("N");
    words.add_option("--response", options->response, "Frequency response: steady states along the frequency of the excitation, CSV")->type_name("FROM:UNTIL:STEPS");
    declare(words, options->compare);
    add_choice(words, "--to", {"text", "latex", "json"}, [options](std::size_t i) { options->to = static_cast<Options::To>(i); }, "text, latex or json");
    return [options] { return perturb(*options); };
}

}  // namespace linkwright::cli
