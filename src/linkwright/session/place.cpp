#include "linkwright/session/place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/base/text.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/parameter_names.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

using linear::EigenvalueTargets;
using linear::Placement;
using Complex = std::complex<double>;
using Eigen::Index;

std::optional<Complex> read_complex(std::string text) {
    std::erase(text, ' ');
    if (text.empty()) return std::nullopt;
    const auto number = [](std::string_view s) -> std::optional<double> {
        if (!s.empty() && s.front() == '+') s.remove_prefix(1);
        double x = 0;
        const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
        if (error != std::errc() || end != s.data() + s.size() || !std::isfinite(x)) return std::nullopt;
        return x;
    };
    if (text.back() != 'i' && text.back() != 'j') {
        const auto re = number(text);
        return re ? std::optional<Complex>(*re) : std::nullopt;
    }
    text.pop_back();
    std::size_t split = 0;  // the sign of the imaginary part
    for (std::size_t k = text.size(); k-- > 1;) {
        if ((text[k] == '+' || text[k] == '-') && text[k - 1] != 'e' && text[k - 1] != 'E') {
            split = k;
            break;
        }
    }
    const std::string re_text = text.substr(0, split), im_text = text.substr(split);
    const auto re = re_text.empty() ? std::optional<double>(0) : number(re_text);
    const auto im = im_text.empty() || im_text == "+" ? std::optional<double>(1)
                    : im_text == "-"                  ? std::optional<double>(-1)
                                                      : number(im_text);
    if (!re || !im) return std::nullopt;
    return Complex(*re, *im);
}

namespace {

std::optional<EigenvalueTargets> read_wish(const PlaceOptions& options, Report& report) {
    const int given = (options.eigenvalues.empty() ? 0 : 1) + (options.frequencies.empty() ? 0 : 1) + (options.poles.empty() ? 0 : 1);
    if (given != 1) {
        report.error(given == 0 ? "none of --eigenvalues, --frequencies, --poles is given"
                                : "--eigenvalues, --frequencies and --poles exclude one another",
                     "for example --eigenvalues 20,40,130, the λ of K x = λ M x; or --frequencies 1.5,3 in Hz; or --poles=-1+2i,-4");
        return std::nullopt;
    }
    EigenvalueTargets wish;
    if (!options.eigenvalues.empty()) {
        for (const double x : options.eigenvalues) wish.values.emplace_back(x);
    } else if (!options.frequencies.empty()) {
        wish.of = EigenvalueTargets::Of::frequency;
        for (const double x : options.frequencies) {
            if (!(x > 0)) return report.error(fmt::format("--frequencies: {} is not positive", x)), std::nullopt;
            wish.values.emplace_back(2 * std::numbers::pi * x);
        }
    } else {
        wish.of = EigenvalueTargets::Of::pole;
        std::vector<Complex> alone;  // a pair may be written with both its members
        for (const std::string& text : options.poles) {
            const auto z = read_complex(text);
            if (!z)
                return report.error(fmt::format("--poles: '{}' is not a complex number", text), "write -1+2i, or -3 for a real one"),
                       std::nullopt;
            const auto other = z->imag() == 0 ? alone.end() : std::ranges::find(alone, std::conj(*z));
            if (other != alone.end()) {
                alone.erase(other);
                continue;
            }
            alone.push_back(*z);
            wish.values.push_back(z->imag() < 0 ? std::conj(*z) : *z);
        }
    }
    for (const Complex z : wish.values) {
        if (!std::isfinite(z.real())) return report.error("required eigenvalues must be finite"), std::nullopt;
    }
    return wish;
}

bool is_bound(const std::string& text, Report& report) {
    const std::size_t equals = text.find('='), colon = text.find(':');
    if (equals != std::string::npos && colon != std::string::npos && colon > equals) return true;
    report.error(fmt::format("--bounds: '{}' is not NAME=LOW:HIGH", text), "either may be left out: m=0.1: or m=:3");
    return false;
}

bool are_varied_once(const PlaceOptions& options, Report& report) {
    const auto& names = options.vary;
    for (auto at = names.begin(); at != names.end(); ++at) {
        if (std::find(names.begin(), at, *at) != at) return report.error(fmt::format("--vary: {} is given twice", *at)), false;
    }
    return true;
}

/// NAME=LOW:HIGH over what the model file says.
bool read_bounds(const PlaceOptions& options, const model::Model& model, const eom::EquationsOfMotion& e, linear::PlaceOptions& o,
                 Report& report) {
    const model::ParameterValues values(model);
    std::vector<std::string> names;
    for (const std::size_t i : o.vary) {
        names.push_back(e.parameters[i].symbol.symbol().name);
        double low = -std::numeric_limits<double>::infinity(), high = -low;
        for (const model::Parameter& p : model.parameters) {
            if (p.symbol.symbol().name != names.back()) continue;
            if (p.min) low = values(*p.min);
            if (p.max) high = values(*p.max);
        }
        o.low.push_back(low), o.high.push_back(high);
    }
    for (const std::string& text : options.bounds) {
        const std::size_t equals = text.find('='), colon = text.find(':');
        const std::string name = trimmed(text.substr(0, equals));
        const auto at = std::ranges::find(names, name);
        if (at == names.end()) {
            const auto meant = did_you_mean(name, names);
            report.error(fmt::format("--bounds: '{}' is not varied", name),
                         meant ? fmt::format("did you mean {}?", *meant) : fmt::format("varied are {}", fmt::join(names, ", ")));
            return false;
        }
        const std::size_t k = at - names.begin();
        const auto side = [&](const std::string& part, double& to) {
            if (part.empty()) return true;
            const auto z = read_complex(part);
            if (!z || z->imag() != 0) return report.error(fmt::format("--bounds {}: '{}' is not a number", name, part)), false;
            to = z->real() * unit_of(model, name);
            return true;
        };
        if (!side(trimmed(text.substr(equals + 1, colon - equals - 1)), o.low[k]) || !side(trimmed(text.substr(colon + 1)), o.high[k]))
            return false;
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (std::isnan(o.low[k]) || std::isnan(o.high[k]) || o.low[k] > o.high[k]) {
            report.error(fmt::format("the bounds of {} leave nothing: {:.6g} to {:.6g}", names[k], o.low[k], o.high[k]));
            return false;
        }
    }
    return true;
}

/// Parameters that may change: known, each once, and none that follows from another.
bool read_varied(const PlaceOptions& options, const std::vector<std::string>& frozen, const eom::EquationsOfMotion& e,
                 linear::PlaceOptions& o, Report& report) {
    const auto vary = find_parameters("--vary", options.vary, frozen, e, report);
    if (!vary) return false;
    o.vary = *vary;
    const auto name = [&](std::size_t i) { return e.parameters[i].symbol.symbol().name; };
    for (const std::size_t i : o.vary) {
        if (!is_derived(e.parameters[i])) continue;
        for (const sym::Expr& s : symbols_in(e.parameters[i].value)) {
            if (std::ranges::any_of(o.vary, [&](std::size_t k) { return e.parameters[k].symbol == s; })) {
                return report.error(fmt::format("--vary: {} follows from {}, so both cannot be varied", name(i), s.symbol().name)), false;
            }
        }
        report.note(fmt::format("{} is a formula of other parameters; it is varied independently of them", name(i)));
    }
    return true;
}

void check_figures(const PlaceOptions& options, std::optional<std::size_t> wishes, Report& report) {
    if (wishes && !options.weights.empty() && options.weights.size() != *wishes)
        report.error(fmt::format("--weights: {} weights for {} required eigenvalues", options.weights.size(), *wishes));
    if (std::ranges::any_of(options.weights, [](double w) { return !(w > 0) || !std::isfinite(w); }))
        report.error("--weights must be positive");
    if (options.iterations < 1 || !(options.tolerance > 0)) report.error("--iterations and --tolerance must be positive");
}

/// Wishes ascend, their weights with them.
void sort_wishes(EigenvalueTargets& wish, const std::vector<double>& weights) {
    std::vector<std::size_t> order(wish.values.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    if (wish.of != EigenvalueTargets::Of::pole) std::ranges::stable_sort(order, {}, [&](std::size_t k) { return wish.values[k].real(); });
    std::vector<Complex> sorted;
    for (const std::size_t k : order) {
        sorted.push_back(wish.values[k]);
        if (!weights.empty()) wish.weights.push_back(weights[k]);
    }
    wish.values = sorted;
}

}  // namespace

Diagnostics check(const PlaceOptions& options) {
    Report report;
    const auto wish = read_wish(options, report);
    check_figures(options, wish ? std::optional(wish->values.size()) : std::nullopt, report);
    for (const std::string& text : options.bounds) is_bound(text, report);
    are_varied_once(options, report);
    report.add(check(options.operating));
    return report.problems;
}

Result<Placed> place(const Session& session, const PlaceOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const auto wish = read_wish(options, report);
    Watch watch(options.on_step, "iterations");
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    linear::PlaceOptions o;
    o.wish = *wish;
    if (!read_varied(options, session.options().freeze, e, o, report) || !read_bounds(options, bench->model(), e, o, report)) return report;
    sort_wishes(o.wish, options.weights);
    o.iterations = static_cast<std::size_t>(options.iterations);
    o.tolerance = options.tolerance;
    o.goes_on = watch.hook();

    Placed r{.names = names_of(e), .wish = o.wish, .vary = {}, .units = {}, .placement = {}, .set = {}};
    for (const std::size_t i : o.vary) r.vary.push_back(r.names.parameters[i]), r.units.push_back(e.parameters[i].unit);
    numeric::CompiledEquations numbers = bench->live_numbers(report);
    for (std::size_t k = 0; k < o.vary.size(); ++k) {
        const double p = numbers.parameters()[o.vary[k]];
        if (p >= o.low[k] && p <= o.high[k]) continue;
        report.error(fmt::format("{} = {:.6g} lies outside its bounds, {:.6g} to {:.6g}", r.vary[k], p, o.low[k], o.high[k]),
                     fmt::format("start inside: --set {}=...", r.vary[k]));
        return report;
    }
    const auto where = operating_state(options.operating, numbers, watch, report);
    if (!where) return report;
    const linear::OperatingPoints points(numbers, where->what);
    const linear::Linearizer linearizer(numbers);
    Report said;  // already
    const linear::Sensitivity sensitivity(numbers, linearizer, native_code(said));
    r.placement = linear::place(numbers, points, linearizer, sensitivity, o);
    const Placement& found = r.placement;
    if (found.walk.empty() && watch.is_stopped()) return watch.tell(report), report;
    if (found.walk.empty()) {
        found.is_wrong_input ? report.error(found.why, found.hint) : report.fail(found.why, found.hint);
        return report;
    }
    for (const std::string& text : found.notes) report.note(text);
    if (watch.is_stopped()) {
        watch.tell(report, "the best that was reached is given");
        r.placement.is_converged = false, r.placement.why = interrupted;
    } else if (!found.is_converged) {
        report.fail(found.why, "the best that was reached is given");
    }
    for (std::size_t k = 0; k < r.vary.size(); ++k) {
        r.set.push_back(fmt::format("--set {}={}", r.vary[k], found.walk.back().parameters[k] / unit_of(bench->model(), r.vary[k])));
    }
    return finished(report, std::move(r));
}

Json to_json(const Placed& result) {
    const EigenvalueTargets& wish = result.wish;
    const Placement& found = result.placement;
    const Placement::Iteration& last = found.walk.back();
    const bool is_complex = wish.of != EigenvalueTargets::Of::lambda;
    const auto value = [&](Complex z) -> Json {
        if (!is_complex) return z.real();
        return {{"re", z.real()}, {"im", z.imag()}};
    };
    const auto parameters = [&](const Placement::Iteration& at) {
        Json p = Json::object();
        for (std::size_t k = 0; k < result.vary.size(); ++k) p[result.vary[k]] = at.parameters[k];
        return p;
    };
    const auto values = [&](const Placement::Iteration& at) {
        Json list = Json::array();
        for (const Complex z : at.eigenvalues) list.push_back(value(z));
        return list;
    };
    Json j;
    j["model"] = result.names.model;
    j["converged"] = found.is_converged;
    j["why"] = found.why;
    j["wanted"] = Json::array();
    for (const Complex z : wish.values) j["wanted"].push_back(wish.of == EigenvalueTargets::Of::pole ? value(z) : Json(z.real()));
    if (wish.of == EigenvalueTargets::Of::frequency) {
        for (Json& w : j["wanted"]) w = w.get<double>() / (2 * std::numbers::pi);
    }
    j["parameters"] = parameters(last);
    j["eigenvalues"] = values(last);
    if (wish.of == EigenvalueTargets::Of::frequency) {
        j["frequencies_hz"] = Json::array();
        for (const Complex z : last.eigenvalues) j["frequencies_hz"].push_back(z.imag() / (2 * std::numbers::pi));
    }
    j["error"] = last.error;
    j["iterations"] = Json::array();
    for (const Placement::Iteration& at : found.walk) {
        j["iterations"].push_back(
            {{"parameters", parameters(at)}, {"eigenvalues", values(at)}, {"error", at.error}, {"full_step", at.is_full_step}});
    }
    j["at_bound"] = Json::array();
    for (const std::size_t k : found.at_bound) j["at_bound"].push_back(result.vary[k]);
    j["set"] = result.set;
    j["notes"] = found.notes;
    return j;
}

}  // namespace linkwright::session
