#include "linkwright/linear/design/place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <numbers>

#include "linkwright/base/text.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "operating_state.hpp"
#include "parameter_names.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::Placement;
using linear::EigenvalueTargets;
using Complex = std::complex<double>;
using Eigen::Index;
using Json = nlohmann::ordered_json;

struct Options {
    SharedOptions common;
    OperatingWords operating;
    std::vector<double> eigenvalues, frequencies, weights;
    std::vector<std::string> poles, vary, bounds;
    long iterations = 60;
    double tolerance = 1e-10;
};

/// "-1+2i", "3", "2i", "-1e-3-2j".
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
    const auto im = im_text.empty() || im_text == "+" ? std::optional<double>(1) : im_text == "-" ? std::optional<double>(-1) : number(im_text);
    if (!re || !im) return std::nullopt;
    return Complex(*re, *im);
}

std::string trimmed(const std::string& s) {
    const std::size_t a = s.find_first_not_of(" \t"), b = s.find_last_not_of(" \t");
    return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

std::optional<EigenvalueTargets> read_wish(const Options& options) {
    const int given = (options.eigenvalues.empty() ? 0 : 1) + (options.frequencies.empty() ? 0 : 1) + (options.poles.empty() ? 0 : 1);
    if (given != 1) {
        report_error(given == 0 ? "what is wanted? none of --eigenvalues, --frequencies, --poles is given" : "--eigenvalues, --frequencies and --poles exclude one another",
                   "for example --eigenvalues 20,40,130, the λ of K x = λ M x; or --frequencies 1.5,3 in Hz; or --poles=-1+2i,-4");
        return std::nullopt;
    }
    EigenvalueTargets wish;
    if (!options.eigenvalues.empty()) {
        for (const double x : options.eigenvalues) wish.values.emplace_back(x);
    } else if (!options.frequencies.empty()) {
        wish.of = EigenvalueTargets::Of::frequency;
        for (const double x : options.frequencies) {
            if (!(x > 0)) return report_error(fmt::format("--frequencies: {} is not positive", x)), std::nullopt;
            wish.values.emplace_back(2 * std::numbers::pi * x);
        }
    } else {
        wish.of = EigenvalueTargets::Of::pole;
        std::vector<Complex> alone;  // a pair may be written with both its members
        for (const std::string& text : options.poles) {
            const auto z = read_complex(text);
            if (!z) return report_error(fmt::format("--poles: '{}' is no complex number", text), "write -1+2i, or -3 for a real one"), std::nullopt;
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
        if (!std::isfinite(z.real())) return report_error("wanted eigenvalues must be finite"), std::nullopt;
    }
    return wish;
}

/// NAME=LOW:HIGH over what the model file says.
bool read_bounds(const Options& options, const model::Model& model, const eom::EquationsOfMotion& e, linear::PlaceOptions& o) {
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
        if (equals == std::string::npos || colon == std::string::npos || colon < equals) {
            report_error(fmt::format("--bounds: '{}' is not NAME=LOW:HIGH", text), "either may be left out: m=0.1: or m=:3");
            return false;
        }
        const auto at = std::ranges::find(names, name);
        if (at == names.end()) {
            const auto meant = did_you_mean(name, names);
            report_error(fmt::format("--bounds: '{}' is not varied", name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("varied are {}", fmt::join(names, ", ")));
            return false;
        }
        const std::size_t k = at - names.begin();
        const auto side = [&](const std::string& part, double& to) {
            if (part.empty()) return true;
            const auto z = read_complex(part);
            if (!z || z->imag() != 0) return report_error(fmt::format("--bounds {}: '{}' is no number", name, part)), false;
            to = z->real() * unit_of(model, name);
            return true;
        };
        if (!side(trimmed(text.substr(equals + 1, colon - equals - 1)), o.low[k]) || !side(trimmed(text.substr(colon + 1)), o.high[k])) return false;
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (std::isnan(o.low[k]) || std::isnan(o.high[k]) || o.low[k] > o.high[k]) {
            report_error(fmt::format("the bounds of {} leave nothing: {:.6g} to {:.6g}", names[k], o.low[k], o.high[k]));
            return false;
        }
    }
    return true;
}

std::string number(double x) {
    const bool is_plain = x == 0 || (std::abs(x) >= 1e-3 && std::abs(x) < 1e5);
    return is_plain ? fmt::format("{:.6f}", x) : fmt::format("{:.6e}", x);
}
std::string number(Complex z) {
    if (z.imag() == 0) return number(z.real());
    return fmt::format("{} {} {}i", number(z.real()), z.imag() < 0 ? '-' : '+', number(std::abs(z.imag())));
}

std::string right(const std::string& text, std::size_t width) { return fmt::format(" {:>{}}", text, width - 1); }

int place(const Options& options) {
    const auto wish = read_wish(options);
    if (!wish) return wrong_input;
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations || !can_linearize(*equations)) return wrong_input;
    linear::PlaceOptions o;
    o.wish = *wish;
    const auto vary = find_parameters("--vary", options.vary, options.common, *equations);
    if (!vary) return wrong_input;
    o.vary = *vary;
    const auto name = [&](std::size_t i) { return equations->parameters[i].symbol.symbol().name; };
    const auto note = [&](const std::string& text) {
        if (!options.common.quiet) std::cerr << "linkwright: note: " << text << '\n';
    };
    for (const std::string& text : options.vary) {
        if (std::ranges::count(options.vary, text) > 1) return report_error(fmt::format("--vary: {} is given twice", text)), wrong_input;
    }
    for (const std::size_t i : o.vary) {
        if (!is_derived(equations->parameters[i])) continue;
        for (const sym::Expr& s : symbols_in(equations->parameters[i].value)) {
            if (std::ranges::any_of(o.vary, [&](std::size_t k) { return equations->parameters[k].symbol == s; })) {
                report_error(fmt::format("--vary: {} follows from {}, so both cannot be varied", name(i), s.symbol().name));
                return wrong_input;
            }
        }
        note(fmt::format("{} is a formula of other parameters; it is varied by itself, and no longer follows them", name(i)));
    }
    if (!read_bounds(options, *loaded->model, *equations, o)) return wrong_input;
    if (!options.weights.empty() && options.weights.size() != o.wish.values.size()) {
        report_error(fmt::format("--weights: {} for {} wanted eigenvalues", options.weights.size(), o.wish.values.size()));
        return wrong_input;
    }
    for (const double w : options.weights) {
        if (!(w > 0) || !std::isfinite(w)) return report_error("--weights must be positive"), wrong_input;
    }
    if (options.iterations < 1 || !(options.tolerance > 0)) return report_error("--iterations and --tolerance must be positive"), wrong_input;
    // wishes ascend, their weights with them
    std::vector<std::size_t> order(o.wish.values.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    if (o.wish.of != EigenvalueTargets::Of::pole) std::ranges::stable_sort(order, {}, [&](std::size_t k) { return o.wish.values[k].real(); });
    std::vector<Complex> sorted;
    for (const std::size_t k : order) {
        sorted.push_back(o.wish.values[k]);
        if (!options.weights.empty()) o.wish.weights.push_back(options.weights[k]);
    }
    o.wish.values = sorted;
    o.iterations = static_cast<std::size_t>(options.iterations);
    o.tolerance = options.tolerance;

    const numeric::Compile compile = native_code(options.common.quiet);
    numeric::CompiledEquations numbers(*equations, compile, numeric::Parameters::live);
    for (std::size_t k = 0; k < o.vary.size(); ++k) {
        const double p = numbers.parameters()[o.vary[k]];
        if (p >= o.low[k] && p <= o.high[k]) continue;
        report_error(fmt::format("{} = {:.6g} lies outside its bounds, {:.6g} to {:.6g}", name(o.vary[k]), p, o.low[k], o.high[k]), fmt::format("begin inside: --set {}=...", name(o.vary[k])));
        return wrong_input;
    }
    const OperatingState where = operating_state(options.operating, numbers, options.common.quiet);
    if (!where.has_point) return where.status;
    const linear::OperatingPoints points(numbers, where.what);
    const linear::Linearizer linearizer(numbers);
    const linear::Sensitivity sensitivity(numbers, linearizer, compile);
    const Placement found = linear::place(numbers, points, linearizer, sensitivity, o);
    if (found.walk.empty()) {
        report_error(found.why, found.hint);
        return found.is_wrong_input ? wrong_input : numerical_failure;
    }
    for (const std::string& text : found.notes) note(text);
    int status = done;
    if (!found.is_converged) {
        report_error(found.why, "the best that was reached is given");
        status = numerical_failure;
    }
    const Placement::Iteration& last = found.walk.back();
    std::vector<std::string> set;
    for (std::size_t k = 0; k < o.vary.size(); ++k) set.push_back(fmt::format("--set {}={}", name(o.vary[k]), last.parameters[k] / unit_of(*loaded->model, name(o.vary[k]))));
    const bool is_complex = o.wish.of != EigenvalueTargets::Of::lambda;
    if (options.common.json) {
        const auto value = [&](Complex z) -> Json {
            if (!is_complex) return z.real();
            return {{"re", z.real()}, {"im", z.imag()}};
        };
        const auto parameters = [&](const Placement::Iteration& at) {
            Json p = Json::object();
            for (std::size_t k = 0; k < o.vary.size(); ++k) p[name(o.vary[k])] = at.parameters[k];
            return p;
        };
        const auto values = [&](const Placement::Iteration& at) {
            Json list = Json::array();
            for (const Complex z : at.eigenvalues) list.push_back(value(z));
            return list;
        };
        Json j;
        j["model"] = equations->name;
        j["converged"] = found.is_converged;
        j["why"] = found.why;
        j["wanted"] = Json::array();
        for (const Complex z : o.wish.values) j["wanted"].push_back(o.wish.of == EigenvalueTargets::Of::pole ? value(z) : Json(z.real()));
        if (o.wish.of == EigenvalueTargets::Of::frequency) {
            for (Json& w : j["wanted"]) w = w.get<double>() / (2 * std::numbers::pi);
        }
        j["parameters"] = parameters(last);
        j["eigenvalues"] = values(last);
        if (o.wish.of == EigenvalueTargets::Of::frequency) {
            j["frequencies_hz"] = Json::array();
            for (const Complex z : last.eigenvalues) j["frequencies_hz"].push_back(z.imag() / (2 * std::numbers::pi));
        }
        j["error"] = last.error;
        j["iterations"] = Json::array();
        for (const Placement::Iteration& at : found.walk) {
            j["iterations"].push_back({{"parameters", parameters(at)}, {"eigenvalues", values(at)}, {"error", at.error}, {"full_step", at.is_full_step}});
        }
        j["at_bound"] = Json::array();
        for (const std::size_t k : found.at_bound) j["at_bound"].push_back(name(o.vary[k]));
        j["set"] = set;
        j["notes"] = found.notes;
        const int delivered = deliver(options.common, dump(j));
        return delivered == done ? status : delivered;
    }
    std::string out = fmt::format("{}: {} by varying {}\n\n", equations->name,
                                  o.wish.of == EigenvalueTargets::Of::lambda ? "wanted λ" : o.wish.of == EigenvalueTargets::Of::pole ? "wanted poles" : "wanted frequencies",
                                  fmt::join(options.vary, ", "));
    const std::size_t width = is_complex && o.wish.of == EigenvalueTargets::Of::pole ? 26 : 14;
    std::string head = " step";
    for (const std::size_t i : o.vary) {
        const std::string& unit = equations->parameters[i].unit;
        head += right(unit.empty() ? name(i) : fmt::format("{} [{}]", name(i), unit), 14);
    }
    const char* letter = o.wish.of == EigenvalueTargets::Of::lambda ? "lambda" : o.wish.of == EigenvalueTargets::Of::pole ? "pole" : "Hz";
    for (std::size_t k = 0; k < o.wish.values.size(); ++k) head += right(fmt::format("{} {}", letter, k + 1), width);
    out += head + right("error", 11) + "\n";
    const auto shown = [&](Complex z) { return o.wish.of == EigenvalueTargets::Of::frequency ? number(z.imag() / (2 * std::numbers::pi)) : number(z); };
    for (std::size_t i = 0; i < found.walk.size(); ++i) {
        const Placement::Iteration& at = found.walk[i];
        out += fmt::format("{:>4}{}", i, at.is_full_step ? ' ' : '~');
        for (const double p : at.parameters) out += right(number(p), 14);
        for (const Complex z : at.eigenvalues) out += right(shown(z), width);
        out += right(fmt::format("{:.2e}", at.error), 11) + "\n";
    }
    out += right("wanted", 5 + 14 * o.vary.size());
    for (const Complex z : o.wish.values) out += right(o.wish.of == EigenvalueTargets::Of::frequency ? number(z.real() / (2 * std::numbers::pi)) : number(z), width);
    out += "\n";
    if (std::ranges::any_of(found.walk, [](const Placement::Iteration& at) { return !at.is_full_step; })) out += "\n~ not Newton's full step, which would have led away or nowhere\n";
    for (const std::size_t k : found.at_bound) out += fmt::format("\n{} is at its bound\n", name(o.vary[k]));
    out += fmt::format("\n{}\n", fmt::join(set, " "));
    const int delivered = deliver(options.common, out);
    return delivered == done ? status : delivered;
}

}  // namespace

Work declare_place(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->operating);
    words.add_option("--eigenvalues", options->eigenvalues, "Wanted λ of K x = λ M x, in ascending order")->type_name("L,L,...")->delimiter(',');
    words.add_option("--frequencies", options->frequencies, "Wanted frequencies in Hz instead")->type_name("F,F,...")->delimiter(',');
    words.add_option("--poles", options->poles, "Wanted poles instead, one of each pair: --poles=-1+2i,-4")->type_name("P,P,...")->delimiter(',');
    words.add_option("--vary", options->vary, "Parameters that may change")->type_name("NAMES")->delimiter(',');
    words.add_option("--bounds", options->bounds, "NAME=LOW:HIGH, over the min and max in the model file")->type_name("BOUNDS")->delimiter(',');
    words.add_option("--weights", options->weights, "How much each wanted eigenvalue matters when not all can be had")->type_name("W,W,...")->delimiter(',');
    words.add_option("--iterations", options->iterations, "At most so many steps (60)")->type_name("N");
    words.add_option("--tolerance", options->tolerance, "Largest relative error of an eigenvalue (1e-10)")->type_name("R");
    return [options] { return place(*options); };
}

}  // namespace linkwright::cli
