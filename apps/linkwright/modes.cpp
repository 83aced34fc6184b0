#include "linkwright/session/modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "linkwright/session/sweep.hpp"
#include "operating_words.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Eigen::Index;
using linear::Mode;
using linear::Modes;
using linear::ModesBy;

struct Options {
    SharedOptions common;
    session::ModesOptions modes;
    std::vector<std::string> methods;
    std::string sweep;
    std::vector<double> campbell;
    std::optional<long> animate;
    session::AnimateOptions animation;
    std::optional<Words> words;
};

std::optional<std::vector<ModesBy>> read_methods(const std::vector<std::string>& words) {
    std::vector<ModesBy> methods;
    for (const std::string& word : words) {
        if (word != "qr" && word != "qz")
            return report_error(fmt::format("--method: unknown method '{}'", word), "the methods are qr, qz, and both: qr,qz"),
                   std::nullopt;
        const ModesBy by = word == "qr" ? ModesBy::qr : ModesBy::qz;
        if (std::ranges::find(methods, by) == methods.end()) methods.push_back(by);
    }
    if (methods.empty()) methods.push_back(ModesBy::qr);
    return methods;
}

std::string number(double x) { return fmt::format("{:.10g}", x + 0.0); }

std::string number(std::complex<double> z) {
    if (z.imag() == 0) return number(z.real());
    if (z.real() == 0) return number(z.imag()) + "i";
    return fmt::format("{}{}{}i", number(z.real()), z.imag() < 0 ? " - " : " + ", number(std::abs(z.imag())));
}

/// Beside `size`, the largest entry in the same unit, and beside each other: what rounding has left of zero is zero. JSON keeps it.
std::complex<double> cleaned(std::complex<double> z, double size) {
    constexpr double dust = 1e-9;
    const double limit = dust * std::max(std::abs(z), 0.1 * size);
    return {std::abs(z.real()) <= limit ? 0 : z.real(), std::abs(z.imag()) <= limit ? 0 : z.imag()};
}

std::string short_number(std::complex<double> z) {
    if (z.imag() == 0) return fmt::format("{:.5g}", z.real() + 0.0);
    return fmt::format("{:.5g} at {:.4g}°", std::abs(z), std::arg(z) * 180 / std::numbers::pi);
}

/// "-2", "± 3i", "-2 ± 3i"
std::string pole_text(std::complex<double> pole) {
    if (pole.imag() == 0) return number(pole.real());
    if (pole.real() == 0) return "± " + number(pole);
    return fmt::format("{} ± {}i", number(pole.real()), number(std::abs(pole.imag())));
}

std::string text_of(const Modes& m, const linear::Linearization& l, const session::FoundModes& r, const std::string& heading) {
    std::string out = heading;
    if (m.poles.size() == 0) return out + "the mechanism cannot move: there are no modes\n";
    if (m.has_lambda) {
        out += "undamped: K x = λ M x\n";
    } else {
        out += fmt::format("poles (no λ: {})\n", m.why_no_lambda);
    }
    std::size_t width = 12;
    for (const std::string& q : r.names.coordinates) width = std::max(width, q.size() + 2);
    for (std::size_t i = 0; i < m.modes.size(); ++i) {
        const Mode& mode = m.modes[i];
        out += fmt::format("\nmode {}: {}\n", i + 1, mode.words);
        if (m.has_lambda) out += fmt::format("    λ     {}\n", number(m.lambda[i]));
        out += fmt::format("    pole  {}\n", pole_text(mode.pole));
        if (mode.pole.imag() != 0 && mode.pole.real() != 0)
            out += fmt::format("    {} Hz damped, {} Hz natural (undamped)\n", number(mode.frequency_hz), number(mode.natural_hz));
        const bool has_shape = mode.q.size() > 0 && mode.q.cwiseAbs().maxCoeff() > 1e-9;
        std::map<std::string, double> largest;
        for (Index k = 0; k < mode.q.size(); ++k) largest[r.units[k]] = std::max(largest[r.units[k]], std::abs(mode.q[k]));
        for (Index k = 0; has_shape && k < mode.q.size(); ++k) {
            const std::complex<double> entry = cleaned(mode.q[k], largest[r.units[k]]);
            if (std::abs(entry) < 1e-9) continue;
            out += fmt::format("    {:<{}}{} {}\n", r.names.coordinates[k], width, short_number(entry), r.units[k]);
            if (out.back() == '\n' && out[out.size() - 2] == ' ') out.replace(out.size() - 2, 2, "\n");
        }
        for (Index k = 0; !has_shape && k < mode.u.size(); ++k) {
            if (std::abs(mode.u[k]) > 1e-9) out += fmt::format("    {:<{}}{}\n", l.u[k], width, short_number(cleaned(mode.u[k], 1)));
        }
        std::vector<std::pair<double, std::string>> parts;
        for (Index k = 0; k < mode.participation.size(); ++k) {
            if (std::abs(mode.participation[k]) >= 0.005) parts.emplace_back(mode.participation[k], m.participants[k]);
        }
        std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
        std::vector<std::string> words;
        for (const auto& [part, name] : parts) words.push_back(fmt::format("{} {:.0f} %", name, 100 * part));
        if (!words.empty()) out += fmt::format("    {}: {}\n", m.has_lambda ? "kinetic energy" : "participation", fmt::join(words, ", "));
    }
    return out;
}

std::string as_text(const session::FoundModes& r) {
    const Modes& m = r.modes();
    std::string out = fmt::format("{}: modes {}\n", r.names.model.empty() ? "The model" : r.names.model, r.where);
    std::vector<std::string> places;
    for (std::size_t i = 0; i < r.names.coordinates.size(); ++i) {
        const double x = r.linear.point.state.q[i];
        places.push_back(fmt::format("{} = {:.6g}", r.names.coordinates[i], without_dust(x, 1)));
    }
    if (!places.empty()) out += fmt::format("    {}\n", fmt::join(places, ", "));
    for (std::size_t i = 0; i < r.found.size(); ++i) {
        const ModesBy by = r.methods[i];
        std::string heading = "\n";
        if (by == ModesBy::qz)
            heading += fmt::format("by QZ of the full pencil: {} finite, {} infinite\n",
                                   m.has_lambda ? r.found[i].lambda.size() : static_cast<std::size_t>(r.found[i].poles.size()),
                                   r.found[i].infinite);
        if (by == ModesBy::qr && r.found.size() > 1) heading += "by the null space of the constraints, by QR\n";
        out += text_of(r.found[i], r.linear, r, heading);
    }
    if (r.found.size() > 1)
        out += fmt::format("\nthe poles of the two methods differ by at most {:.2g} (relative)\n",
                           session::difference(r.found[0], r.found[1]));
    return out + fmt::format("\n{}\n", m.stability);
}

int modes(Options& options) {
    const SharedOptions& common = options.common;
    const auto methods = read_methods(options.methods);
    if (!methods) return wrong_input;
    options.modes.methods = *methods;
    for (const char* name : {"--amplitude", "--frames"}) {
        if (options.animate || !options.words->is_given(name)) continue;
        report_error(fmt::format("{} requires --animate", name), "add --animate 1, or leave it out");
        return wrong_input;
    }
    if (!options.campbell.empty() && options.sweep.empty()) {
        report_error("--campbell requires --sweep", "add --sweep NAME=FROM:TO:INTERVALS, NAME being the rotor's speed");
        return wrong_input;
    }
    const auto session = open(common);
    if (!session) return wrong_input;
    if (!options.sweep.empty()) {
        if (options.animate || methods->size() > 1 || methods->front() != ModesBy::qr) {
            report_error("--sweep cannot be combined with --animate or --method qz");
            return wrong_input;
        }
        Progress progress("sweeping", common.quiet, Progress::Of::steps);
        const session::SweepOptions o{.along = options.sweep,
                                      .operating = options.modes.operating,
                                      .lynch = options.modes.lynch,
                                      .on_step = progress.on_step(),
                                      .orders = options.campbell};
        return deliver(common, session::sweep(*session, o),
                       [&](const session::SweptPoles& r) { return common.json ? dump(to_json(r)) : to_csv(r); });
    }
    if (options.animate) {
        options.animation.modes = options.modes;
        options.animation.mode = *options.animate;
        return deliver(common, session::animate(*session, options.animation),
                       [&](const session::Animation& r) { return common.json ? dump(to_json(r)) : to_csv(r.table); });
    }
    return deliver(common, session::modes(*session, options.modes), [&](const session::FoundModes& r) {
        if (common.json) return dump(to_json(r));
        for (const std::string& note : r.notes) tell_note(common, note);
        return as_text(r);
    });
}

}  // namespace

Work declare_modes(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->modes.operating);
    words
        .add_option("--method", options->methods,
                    "qr: null space of the constraints (default); qz: the full pencil with multipliers; qr,qz: both, and how they differ")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words.add_flag("--lynch", options->modes.lynch, "Leave out the geometric stiffness of the constraint forces [Lynch 1988, eq. (6.6)]");
    words.add_option("--sweep", options->sweep, "Root locus: poles along a parameter, branch by branch: NAME=FROM:TO:INTERVALS")
        .type_name("SWEEP");
    words
        .add_option("--campbell", options->campbell,
                    "Campbell diagram, with --sweep along a rotor's speed: frequencies in Hz, damping and whirl of every mode, and "
                    "critical speeds, where a frequency "
                    "is N times the speed: 1, or 1,2")
        .type_name("N")
        .delimiter(',')
        .repeatable();
    words.add_option("--animate", options->animate, "Write one period of mode N instead: rows of t and all coordinates, loops closed")
        .type_name("N");
    words.add_option("--amplitude", options->animation.amplitude, "With --animate: amplitude of the largest entry of the shape (0.2)")
        .type_name("A");
    words.add_option("--frames", options->animation.frames, "With --animate: number of intervals (60)").type_name("N");
    options->words = words;
    return [options] { return modes(*options); };
}

}  // namespace linkwright::cli
