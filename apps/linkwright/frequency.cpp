#include "linkwright/linear/frequency.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <numbers>

#include "linkwright/base/text.hpp"
#include "operating_state.hpp"
#include "spectra.hpp"
#include "sweep.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::Channel;
using linear::TransferFunctions;
using nlohmann::ordered_json;

struct Options {
    SharedOptions common;
    OperatingWords operating;
    SpectrumWords spectrum;
    std::vector<std::string> from, to;
    std::string range, locus;
    long points = 200;
    std::vector<double> frequencies;
    bool in_hz = false, in_rad = false, summary = false, is_even = false;
    CLI::App* words = nullptr;
};

/// Options of one kind of answer mean nothing to another; the first that was given all the same.
bool refuse_ignored(const Options& options, const std::string& beside, std::initializer_list<const char*> ignored) {
    for (const char* name : ignored) {
        if (options.words->count(name) == 0) continue;
        report_error(fmt::format("{} means nothing beside {}", name, beside), "leave one of them out");
        return true;
    }
    return false;
}

std::optional<double> to_number(std::string_view text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
    return x;
}

/// "0.1:100"
std::optional<std::pair<double, double>> read_range(const std::string& text) {
    const std::size_t colon = text.find(':');
    const auto from = to_number(std::string_view(text).substr(0, colon)),
               to = colon == std::string::npos ? std::nullopt : to_number(std::string_view(text).substr(colon + 1));
    if (!from || !to) return report_error(fmt::format("--range \"{}\" is not two numbers", text), "for example --range 0.1:100"), std::nullopt;
    if (!(*from > 0)) return report_error(fmt::format("--range {}: the lower end must be positive", text), "frequencies stand at equal ratios; --frequencies 0,... for 0 itself"), std::nullopt;
    if (!(*to > *from)) return report_error(fmt::format("--range {}: the upper end must lie above the lower", text)), std::nullopt;
    return std::pair(*from, *to);
}

double decibels(double magnitude) { return 20 * std::log10(magnitude); }

ordered_json number(double x) { return std::isfinite(x) ? ordered_json(x + 0.0) : ordered_json(nullptr); }
ordered_json number(std::optional<double> x) { return x ? number(*x) : ordered_json(nullptr); }
ordered_json complex_numbers(const Eigen::VectorXcd& v) {
    ordered_json j = ordered_json::array();
    for (const std::complex<double> z : v) j.push_back({{"re", z.real() + 0.0}, {"im", z.imag() + 0.0}});
    return j;
}

ordered_json as_json(const TransferFunctions& r, const std::string& model, double unit) {
    ordered_json j;
    j["model"] = model;
    j["unit"] = unit == 1 ? "rad/s" : "Hz";
    j["poles"] = complex_numbers(r.poles);  // these and zeros always in rad/s
    j["zeros"] = r.zeros ? complex_numbers(*r.zeros) : r.channels.size() == 1 ? complex_numbers(r.channels[0].zeros) : ordered_json(nullptr);
    ordered_json& frequencies = j["frequencies"] = ordered_json::array();
    for (const double omega : r.omega) frequencies.push_back(omega / unit);
    j["channels"] = ordered_json::array();
    for (const Channel& c : r.channels) {
        ordered_json k;
        k["from"] = c.from, k["to"] = c.to;
        k["gain"] = number(c.gain);
        k["static_gain"] = number(c.static_gain);
        k["zeros"] = complex_numbers(c.zeros);
        k["reaches"] = !c.is_dead;
        k["resonances"] = ordered_json::array();
        for (const linear::Peak& p : c.resonances)
            k["resonances"].push_back({{"frequency", p.omega / unit}, {"magnitude", number(p.magnitude)}, {"infinite", !std::isfinite(p.magnitude)}});
        k["margins"] = nullptr;
        if (c.margins) {
            const linear::Margins& m = *c.margins;
            const auto at = [&](std::optional<double> omega) { return number(omega ? std::optional(*omega / unit) : std::nullopt); };
            k["margins"] = {{"gain", number(m.gain)}, {"gain_at", at(m.gain_at)}, {"phase", number(m.phase)}, {"phase_at", at(m.phase_at)}};
        }
        ordered_json magnitude = ordered_json::array(), db = ordered_json::array(), phase = ordered_json::array(), infinite = ordered_json::array();
        for (std::size_t i = 0; i < r.omega.size(); ++i) {
            magnitude.push_back(number(c.magnitude[i])), db.push_back(number(decibels(c.magnitude[i]))), phase.push_back(number(c.phase[i]));
            if (!std::isfinite(c.magnitude[i])) infinite.push_back(r.omega[i] / unit);
        }
        k["infinite_at"] = infinite;
        k["magnitude"] = magnitude, k["db"] = db, k["phase"] = phase;
        j["channels"].push_back(k);
    }
    j["notes"] = r.notes;
    return j;
}

std::string to_text(std::complex<double> z) {
    if (z.imag() == 0) return fmt::format("{:.6g}", z.real() + 0.0);
    return fmt::format("{:.6g} {} {:.6g}i", z.real() + 0.0, z.imag() < 0 ? "-" : "+", std::abs(z.imag()));
}

/// Pairs as one.
std::string roots(const Eigen::VectorXcd& v) {
    std::vector<std::string> list;
    for (const std::complex<double> z : v) {
        if (z.imag() == 0) list.push_back(to_text(z));
        if (z.imag() > 0) list.push_back(z.real() == 0 ? fmt::format("± {:.6g}i", z.imag()) : fmt::format("{:.6g} ± {:.6g}i", z.real(), z.imag()));
    }
    return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ",  "));
}

std::string size_of(double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x + 0.0) : "infinite"; }

std::string summary(const TransferFunctions& r, const std::string& model, double unit) {
    const char* word = unit == 1 ? "rad/s" : "Hz";
    std::string text = fmt::format("{}: {} of small motions\n\nPoles (rad/s)\n", model, r.channels.size() == 1 ? "the transfer function" : "transfer functions");
    for (const std::complex<double> p : r.poles) {
        if (p.imag() < 0) continue;
        const std::string pole = p.imag() > 0 ? fmt::format("{:.6g} ± {:.6g}i", p.real() + 0.0, p.imag()) : to_text(p);
        if (p == 0.0) text += fmt::format("  {:<28}a rigid motion, or one that nothing resists\n", pole);
        else if (p.imag() > 0) text += fmt::format("  {:<27} {:.6g} {}, damping ratio {:.3g}\n", pole, p.imag() / unit, word, -p.real() / std::abs(p) + 0.0);
        else text += fmt::format("  {:<27} {} in {:.4g} s\n", pole, p.real() < 0 ? "decays e-fold" : "grows e-fold", 1 / std::abs(p.real()));
    }
    if (r.zeros) text += fmt::format("\nZeros of the whole (rad/s)\n  {}\n", roots(*r.zeros));
    for (const Channel& c : r.channels) {
        text += fmt::format("\n{} by {}\n", c.to, c.from);
        if (c.is_dead) {
            text += "  the input does not reach it\n";
            continue;
        }
        text += fmt::format("  static gain   {}\n  gain          {:.6g}\n  zeros (rad/s) {}\n", size_of(c.static_gain), c.gain, roots(c.zeros));
        if (c.resonances.empty()) text += "  no resonance in this range\n";
        for (const linear::Peak& p : c.resonances) {
            text += fmt::format("  resonance     {:.6g} {}: {}", p.omega / unit, word, size_of(p.magnitude));
            if (std::isfinite(p.magnitude)) text += fmt::format(" ({:.4g} dB)", decibels(p.magnitude));
            text += '\n';
        }
        if (!c.margins) continue;
        const linear::Margins& m = *c.margins;
        if (m.gain) text += fmt::format("  gain margin   {:.6g} ({:.4g} dB) at {:.6g} {}\n", *m.gain, decibels(*m.gain), *m.gain_at / unit, word);
        if (m.phase) text += fmt::format("  phase margin  {:.6g} deg at {:.6g} {}\n", *m.phase, *m.phase_at / unit, word);
    }
    return text;
}

Table as_table(const TransferFunctions& r, double unit) {
    Table table{{"frequency"}, {}};
    for (const Channel& c : r.channels) {
        for (const char* what : {"magnitude", "db", "phase"}) table.columns.push_back(fmt::format("{}/{}.{}", c.to, c.from, what));
    }
    for (std::size_t i = 0; i < r.omega.size(); ++i) {
        Eigen::VectorXd row(table.columns.size());
        Eigen::Index k = 0;
        row[k++] = r.omega[i] / unit;
        for (const Channel& c : r.channels) row[k++] = c.magnitude[i], row[k++] = decibels(c.magnitude[i]), row[k++] = c.phase[i];
        table.rows.push_back(std::move(row));
    }
    return table;
}

int frequency(Options& options) {
    const SharedOptions& common = options.common;
    if (options.in_hz && options.in_rad) return report_error("--hz and --rad: one of them"), wrong_input;
    if (!options.locus.empty() &&
        refuse_ignored(options, "--locus", {"--spectrum", "--of", "--until", "--samples", "--tolerance", "--window", "--remove", "--summary", "--from", "--to", "--range", "--points",
                                            "--even", "--frequencies", "--hz", "--rad"})) {
        return wrong_input;
    }
    if (!options.spectrum.columns.empty()) {
        if (refuse_ignored(options, "--spectrum", {"--from", "--to", "--range", "--points", "--even", "--frequencies", "--at", "--steady", "--hold", "--moving", "--trim"})) return wrong_input;
        if (!options.spectrum.of.empty() && refuse_ignored(options, "--of", {"--until", "--samples", "--tolerance", "--state"})) return wrong_input;
        options.spectrum.in_rad = options.in_rad;
        options.spectrum.summary = options.summary;
        return spectra(common, options.spectrum, options.operating.state);
    }
    if (options.locus.empty() && !options.frequencies.empty() && refuse_ignored(options, "--frequencies", {"--range", "--points", "--even"})) return wrong_input;
    if (options.spectrum.of.empty() && refuse_ignored(options, "transfer functions; it is for --spectrum", {"--until", "--samples", "--tolerance", "--window", "--remove"})) return wrong_input;
    if (!options.spectrum.of.empty()) return report_error("--of says where a motion is, but not which spectrum is wanted", "for example --spectrum hip"), wrong_input;
    const double unit = options.in_hz ? 2 * std::numbers::pi : 1;
    linear::FrequencyOptions o;
    if (!options.range.empty()) {
        const auto range = read_range(options.range);
        if (!range) return wrong_input;
        o.range = std::pair(range->first * unit, range->second * unit);
    }
    if (options.points < 2 || options.points > 1'000'000) return report_error(fmt::format("--points {} is not between 2 and 1000000", options.points)), wrong_input;
    o.points = static_cast<std::size_t>(options.points);
    o.refine = !options.is_even;
    for (const double f : options.frequencies) {
        if (!(f >= 0) || !std::isfinite(f)) return report_error(fmt::format("--frequencies: {:g} is no frequency", f)), wrong_input;
        o.omega.push_back(f * unit);
    }
    std::ranges::sort(o.omega);

    const auto loaded = load(common);
    if (!loaded) return wrong_input;
    const auto equations = derive(common, *loaded);
    if (!equations || !can_linearize(*equations)) return wrong_input;
    if (!options.locus.empty()) return sweep(common, *equations, options.operating, options.locus, {}, "--locus");
    if (equations->inputs.empty()) {
        report_error("the model has no inputs, so there is nothing to push with", "declare one, [inputs] tau = 0, and use it, for example as actuator = \"tau\" of a joint");
        return wrong_input;
    }
    const numeric::CompiledEquations numbers(*equations, native_code(common.quiet));
    const OperatingState at = operating_state(options.operating, numbers, common.quiet);
    if (!at.has_point) return at.status;
    const linear::Linearization linear = linear::linearize(numbers, at.point);
    if (!linear.is_ok) return report_error(linear.why), numerical_failure;
    const std::vector<std::string> to = options.to.empty() && loaded->model->outputs.empty() ? linear.s : options.to;
    const linear::Ports ports = connect(*equations, linear, options.from, to);
    if (!ports.unknown.empty()) {
        const auto meant = did_you_mean(ports.unknown, ports.known);
        const bool is_given = ports.is_input && std::ranges::any_of(loaded->model->motions, [&](const model::Motion& m) { return m.coordinate.symbol().name == ports.unknown; });
        if (is_given) {
            report_error(fmt::format("--from: '{}' moves as given and is no input", ports.unknown),
                       "a displacement is an input as the rest of a spring: rest = \"road\" with [inputs] road = 0");
            return wrong_input;
        }
        report_error(fmt::format("{}: no {} '{}'", ports.is_input ? "--from" : "--to", ports.is_input ? "input" : "output, coordinate or speed", ports.unknown),
                   meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(ports.known, ", ")));
        return wrong_input;
    }
    const TransferFunctions r = frequency_response(ports.system, o);
    if (!r.is_ok) return report_error(r.why), numerical_failure;
    for (const std::string& note : r.notes) {
        if (!common.quiet) std::cerr << "linkwright: note: " << note << '\n';
    }
    int delivered = done;
    if (common.json) {
        delivered = deliver(common, dump(as_json(r, equations->name, unit)));
    } else if (options.summary) {
        delivered = deliver(common, summary(r, equations->name.empty() ? "The model" : equations->name, unit));
    } else {
        if (!common.quiet) std::cerr << fmt::format("frequencies in {}, phases in degrees\n", unit == 1 ? "rad/s" : "Hz");
        delivered = deliver(common, to_csv(as_table(r, unit)));
    }
    return delivered == done ? at.status : delivered;
}

}  // namespace

Work declare_frequency(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->operating);
    words.add_option("--from", options->from, "Inputs that push (all)")->type_name("NAME,...")->delimiter(',');
    words.add_option("--to", options->to, "What is looked at: outputs, coordinates, speeds (the model's outputs; without any, all coordinates)")->type_name("NAME,...")->delimiter(',');
    words.add_option("--range", options->range, "From the lowest to the highest frequency (from the poles)")->type_name("A:B");
    words.add_option("--points", options->points, "Frequencies at equal ratios (200); more are added near lightly damped poles and zeros")->type_name("N");
    words.add_flag("--even", options->is_even, "Add none");
    words.add_option("--frequencies", options->frequencies, "Just these")->type_name("F,F,...")->delimiter(',');
    words.add_flag("--hz", options->in_hz, "Frequencies in Hz (of transfer functions: rad/s)");
    words.add_flag("--rad", options->in_rad, "Frequencies in rad/s (of spectra: Hz)");
    words.add_flag("--summary", options->summary, "Poles, zeros, gains, resonances, margins; of a spectrum its peaks");
    words.add_option("--locus", options->locus, "Poles along a parameter instead, as modes --sweep gives them")->type_name("NAME=A:B:N");
    declare(words, options->spectrum);
    options->words = &words;
    return [options] { return frequency(*options); };
}

}  // namespace linkwright::cli
