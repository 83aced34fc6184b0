#include "linkwright/session/frequency.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "linkwright/session/loop_locus.hpp"
#include "linkwright/session/spectra.hpp"
#include "linkwright/session/sweep.hpp"
#include "operating_words.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::Channel;
using linear::TransferFunctions;
using session::decibels;

struct Options {
    SharedOptions common;
    session::FrequencyOptions frequency;
    session::SpectrumOptions spectrum;
    std::string locus, gains, of;
    bool in_rad = false, summary = false;
    std::optional<Words> words;
};

/// Options of one kind of answer mean nothing to another; the first that was given all the same.
bool refuse_ignored(const Options& options, const std::string& beside, std::initializer_list<const char*> ignored) {
    for (const char* name : ignored) {
        if (!options.words->is_given(name)) continue;
        report_error(fmt::format("{} cannot be combined with {}", name, beside), "leave one of them out");
        return true;
    }
    return false;
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
        if (z.imag() > 0)
            list.push_back(z.real() == 0 ? fmt::format("± {:.6g}i", z.imag()) : fmt::format("{:.6g} ± {:.6g}i", z.real(), z.imag()));
    }
    return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ",  "));
}

std::string size_of(double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x + 0.0) : "infinite"; }

/// Margins of the loop, every one of several.
std::string words_of(const linear::Margins& m, double unit, const char* word) {
    std::string text;
    for (const linear::GainMargin& g : m.gains)
        text += fmt::format("  gain margin   {:.6g} ({:.4g} dB) at {:.6g} {}\n", g.factor, decibels(g.factor), g.omega / unit, word);
    for (const linear::PhaseMargin& p : m.phases)
        text += fmt::format("  phase margin  {:.6g} deg at {:.6g} {}\n", p.degrees, p.omega / unit, word);
    if (m.delay && !std::isfinite(*m.delay_at)) text += "  delay margin  none: the loop gain is above 1 at high frequencies\n";
    if (m.delay && std::isfinite(*m.delay_at))
        text += fmt::format("  delay margin  {:.4g} s at {:.6g} {}\n", *m.delay, *m.delay_at / unit, word);
    if (std::isfinite(m.sensitivity) && m.sensitivity > 0)
        text += fmt::format("  sensitivity   at most {:.4g} ({:.3g} dB), at {:.6g} {}\n", m.sensitivity, decibels(m.sensitivity),
                            m.sensitivity_at / unit, word);
    return text;
}

std::string summary(const session::Response& response) {
    const TransferFunctions& r = response.transfer;
    const double unit = response.unit();
    const char* word = response.unit_name();
    const std::string model = response.names.model.empty() ? "The model" : response.names.model;
    std::string text = fmt::format("{}: {} of small motions\n\nPoles (rad/s)\n", model,
                                   r.channels.size() == 1 ? "the transfer function" : "transfer functions");
    for (const std::complex<double> p : r.poles) {
        if (p.imag() < 0) continue;
        const std::string pole = p.imag() > 0 ? fmt::format("{:.6g} ± {:.6g}i", p.real() + 0.0, p.imag()) : to_text(p);
        if (p == 0.0)
            text += fmt::format("  {:<28}a rigid-body motion, or one without restoring forces\n", pole);
        else if (p.imag() > 0)
            text += fmt::format("  {:<27} {:.6g} {}{}, damping ratio {:.3g}\n", pole, p.imag() / unit, word,
                                p.real() == 0 ? "" : fmt::format(" damped, {:.6g} {} natural", std::abs(p) / unit, word),
                                -p.real() / std::abs(p) + 0.0);
        else
            text += fmt::format("  {:<27} {} in {:.4g} s\n", pole, p.real() < 0 ? "decays e-fold" : "grows e-fold", 1 / std::abs(p.real()));
    }
    if (r.poles.size() == 0) text += "  none: the mechanism cannot move\n";
    if (r.zeros) text += fmt::format("\nZeros of the system (rad/s)\n  {}\n", roots(*r.zeros));
    for (const Channel& c : r.channels) {
        text += fmt::format("\n{} by {}\n", c.to, c.from);
        if (c.is_dead) {
            text += "  the input has no effect on it\n";
            continue;
        }
        text +=
            fmt::format("  static gain   {}\n  gain          {:.6g}\n  zeros (rad/s) {}\n", size_of(c.static_gain), c.gain, roots(c.zeros));
        if (const auto right = std::ranges::count_if(c.zeros, [](std::complex<double> z) { return z.real() > 0; }); right > 0)
            text += fmt::format("                not minimum phase: {} zero{} in the right half plane\n", right, right == 1 ? "" : "s");
        if (c.integrations > 0)
            text += fmt::format("  poles at 0    {} in addition to those of the model: {} is integrated\n", c.integrations, c.from);
        if (c.resonances.empty()) text += "  no resonance in this range\n";
        for (const linear::Peak& p : c.resonances) {
            text += fmt::format("  resonance     {:.6g} {}: {}", p.omega / unit, word, size_of(p.magnitude));
            if (std::isfinite(p.magnitude)) text += fmt::format(" ({:.4g} dB)", decibels(p.magnitude));
            text += '\n';
        }
        if (c.loop) text += fmt::format("  closed loop   {}\n", c.loop->words);
        if (c.margins) text += words_of(*c.margins, unit, word);
    }
    return text;
}

std::string angles(const std::vector<double>& degrees) {
    std::vector<std::string> list;
    for (const double d : degrees) list.push_back(fmt::format("{:.4g}", std::abs(d) < 1e-9 ? 0.0 : d));
    return fmt::format("{} deg", fmt::join(list, ", "));
}

std::string summary(const session::LoopPoles& r) {
    const linear::LoopLocus& l = r.locus;
    std::vector<std::string> loops;
    for (std::size_t i = 0; i < r.from.size(); ++i) loops.push_back(fmt::format("{} = -k {}", r.from[i], r.to[i]));
    std::string text = fmt::format("{}: root locus of {}, k from {:.6g} to {:.6g}\n\n", r.names.model.empty() ? "The model" : r.names.model,
                                   fmt::join(loops, ", "), l.samples.front().gain, l.samples.back().gain);
    text += fmt::format("  poles, k = 0  {}\n  zeros         {}\n", roots(l.poles), roots(l.zeros));
    if (l.is_dead) return text + "  the input has no effect on the output: no pole moves\n";
    for (const linear::RootAngles& a : l.departures)
        text += fmt::format("  departure     from {} at {}\n", to_text(a.root), angles(a.degrees));
    for (const linear::RootAngles& a : l.arrivals)
        text += fmt::format("  arrival       at {} from {}\n", to_text(a.root), angles(a.degrees));
    if (!l.asymptotes.empty()) text += fmt::format("  asymptotes    {}, from {:.6g}\n", angles(l.asymptotes), l.centre);
    text += '\n';
    for (const linear::SweepEvent& event : l.events) {
        text += fmt::format("  k = {:<12.8g} {}", event.value, event.words);
        if (event.what == "crossing" && event.pole.imag() != 0) text += fmt::format(" ({:.6g} rad/s)", std::abs(event.pole.imag()));
        text += '\n';
    }
    if (!l.events.empty()) text += '\n';
    for (const linear::GainRange& range : l.stable)
        text += fmt::format("  asymptotically stable for {:.8g} < k < {:.8g}\n", range.from, range.to);
    if (!l.stable.empty()) return text;
    text += "  asymptotically stable for none of these gains\n";
    for (const linear::GainRange& range : l.bounded)
        text += fmt::format("  no pole to the right of the imaginary axis for {:.8g} < k < {:.8g}\n", range.from, range.to);
    return text;
}

/// Powers and the first against each, as tables of harmonics have them.
std::string words_of(const motion::Harmonics& harmonics, double unit, const char* word) {
    const double first = harmonics.list.front().power;
    std::string text =
        fmt::format("  harmonics of {:.8g} {}\n  {:>5} {:>14} {:>13} {:>13} {:>13} {:>13}\n", harmonics.list.front().frequency * unit, word,
                    "", word, "amplitude", "power", fmt::format("per {}", word), "1st/this");
    for (const motion::Harmonic& h : harmonics.list)
        text += fmt::format("  {:>5} {:>14.8g} {:>13.6g} {:>13.6g} {:>13.6g} {:>13}{}\n", h.order, h.frequency * unit, h.amplitude, h.power,
                            h.density / unit, h.power > 0 ? fmt::format("{:.4g}", first / h.power) : "-",
                            h.stands_out() ? "" : fmt::format("  may be leakage, up to {:.2g}", h.leaked));
    if (harmonics.distortion) text += fmt::format("  total harmonic distortion {:.4g} %\n", 100 * *harmonics.distortion);
    return text;
}

std::string summary(const session::Spectra& r) {
    const motion::SignalSpectrum& first = r.spectra.front();
    std::string text = fmt::format("{} samples from t = {:.6g} s on, {:.6g} s apart; lines {:.6g} {} apart, {}", r.samples, r.from,
                                   r.interval, first.resolution * r.unit(), r.unit_name(), motion::about(r.window));
    if (r.segments > 1) text += fmt::format(", {} segments of {} samples averaged", r.segments, first.segment);
    text += '\n';
    for (std::size_t i = 0; i < r.spectra.size(); ++i) {
        text += fmt::format("\n{}: mean {:.6g}\n", r.columns[i], r.spectra[i].mean);
        if (r.spectra[i].peaks.empty()) text += "  no peaks\n";
        for (const motion::SpectralPeak& p : r.spectra[i].peaks)
            text += fmt::format("  {:>14.8g} {}   amplitude {:.6g}\n", p.frequency * r.unit(), r.unit_name(), p.amplitude);
        if (r.has_harmonics && !r.spectra[i].harmonics.list.empty()) text += words_of(r.spectra[i].harmonics, r.unit(), r.unit_name());
    }
    return text;
}

int spectra(Options& options) {
    const SharedOptions& common = options.common;
    const auto text = [&](const session::Spectra& r) {
        if (common.json) return dump(to_json(r));
        if (options.summary) return summary(r);
        if (!common.quiet) std::cerr << fmt::format("frequencies in {}\n", r.unit_name());
        return r.has_harmonics ? harmonics_csv(r) : to_csv(to_table(r));
    };
    if (!common.output.empty() && !may_write(common, common.output)) return wrong_input;
    if (!options.of.empty()) return deliver(common, session::spectra_of_file(options.of, options.spectrum), text);
    if (!are_right(check(options.spectrum), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    Progress progress("simulating", common.quiet);
    options.spectrum.on_step = [&](const session::Step& step) { return progress(step); };
    return deliver(common, session::spectra(*session, options.spectrum), text);
}

int loop(Options& options) {
    const SharedOptions& common = options.common;
    session::LoopLocusOptions o{.gains = options.gains,
                                .operating = options.frequency.operating,
                                .from = options.frequency.from,
                                .to = options.frequency.to,
                                .on_step = {}};
    if (!are_right(check(o), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    Progress progress("gains", common.quiet, Progress::Of::steps);
    o.on_step = progress.on_step();
    return deliver(common, session::loop_locus(*session, o), [&](const session::LoopPoles& r) {
        return common.json ? dump(to_json(r)) : options.summary ? summary(r) : to_csv(r);
    });
}

int frequency(Options& options) {
    const SharedOptions& common = options.common;
    session::SpectrumOptions& spectrum = options.spectrum;
    if (options.frequency.in_hz && options.in_rad) return report_error("--hz and --rad exclude each other"), wrong_input;
    if (!options.gains.empty()) {
        if (refuse_ignored(options, "--loop-gain",
                           {"--locus",     "--spectrum", "--of",     "--until",       "--samples", "--every",     "--after",
                            "--tolerance", "--window",   "--remove", "--average",     "--overlap", "--harmonics", "--fundamental",
                            "--range",     "--points",   "--even",   "--frequencies", "--hz",      "--rad",       "--nyquist"}))
            return wrong_input;
        return loop(options);
    }
    if (!options.locus.empty() &&
        refuse_ignored(options, "--locus",
                       {"--spectrum", "--of",      "--until",   "--samples",     "--every",       "--after",   "--tolerance", "--window",
                        "--remove",   "--average", "--overlap", "--harmonics",   "--fundamental", "--summary", "--from",      "--to",
                        "--range",    "--points",  "--even",    "--frequencies", "--hz",          "--rad",     "--nyquist"})) {
        return wrong_input;
    }
    if (!spectrum.columns.empty()) {
        if (refuse_ignored(options, "--spectrum",
                           {"--from", "--to", "--range", "--points", "--even", "--frequencies", "--nyquist", "--at", "--steady", "--hold",
                            "--moving", "--trim"}))
            return wrong_input;
        if (!options.of.empty() && refuse_ignored(options, "--of", {"--until", "--samples", "--every", "--tolerance", "--state"}))
            return wrong_input;
        if (spectrum.every && refuse_ignored(options, "--every", {"--samples"})) return wrong_input;
        spectrum.in_rad = options.in_rad;
        spectrum.state = options.frequency.operating.state;
        return spectra(options);
    }
    if (options.locus.empty() && !options.frequency.frequencies.empty() &&
        refuse_ignored(options, "--frequencies", {"--range", "--points", "--even"}))
        return wrong_input;
    if (options.of.empty() && refuse_ignored(options, "transfer functions; it is for --spectrum",
                                             {"--until", "--samples", "--every", "--after", "--tolerance", "--window", "--remove",
                                              "--average", "--overlap", "--harmonics", "--fundamental"}))
        return wrong_input;
    if (!options.of.empty())
        return report_error("--of names a motion, but --spectrum is missing", "for example --spectrum hip"), wrong_input;
    if (!are_right(check(options.frequency), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    Progress progress(options.locus.empty() ? "frequencies" : "sweeping", common.quiet, Progress::Of::steps);
    if (!options.locus.empty()) {
        const session::SweepOptions o{
            .along = options.locus, .operating = options.frequency.operating, .option = "--locus", .on_step = progress.on_step()};
        return deliver(common, session::sweep(*session, o),
                       [&](const session::SweptPoles& r) { return common.json ? dump(to_json(r)) : to_csv(r); });
    }
    options.frequency.on_step = progress.on_step();
    options.frequency.loops = common.json || options.summary;
    return deliver(common, session::frequency(*session, options.frequency), [&](const session::Response& r) {
        if (common.json) return dump(to_json(r));
        if (options.summary) return summary(r);
        if (!common.quiet) std::cerr << fmt::format("frequencies in {}{}\n", r.unit_name(), r.as_nyquist ? "" : ", phases in degrees");
        return to_csv(to_table(r));
    });
}

}  // namespace

Work declare_frequency(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->frequency.operating);
    words
        .add_option("--from", options->frequency.from,
                    "Excitation: inputs (default: all), or given motions: base, \"base'\" its rate, \"base''\" its acceleration")
        .type_name("NAME,...")
        .delimiter(',');
    words
        .add_option("--to", options->frequency.to,
                    "Response: outputs, coordinates, speeds (default: the model's outputs; without any, all coordinates)")
        .type_name("NAME,...")
        .delimiter(',');
    words.add_option("--range", options->frequency.range, "Lowest and highest frequency (default: chosen from the poles)").type_name("A:B");
    words
        .add_option("--points", options->frequency.points,
                    "Number of frequencies, spaced at equal ratios (200); more are added near lightly damped poles and zeros")
        .type_name("N");
    words.add_flag("--even", options->frequency.is_even, "Add no further frequencies");
    words.add_option("--frequencies", options->frequency.frequencies, "Exactly these frequencies").type_name("F,F,...").delimiter(',');
    words.add_flag("--hz", options->frequency.in_hz, "Frequencies in Hz (default for spectra)");
    words.add_flag("--rad", options->in_rad, "Frequencies in rad/s (default for transfer functions)");
    words.add_flag("--summary", options->summary, "Print poles, zeros, gains, resonances, margins; for a spectrum its peaks");
    words.add_flag("--nyquist", options->frequency.nyquist, "Real and imaginary parts instead of magnitudes and phases");
    words
        .add_option("--loop-gain", options->gains,
                    "Root locus instead: poles along the gain k of the feedback FROM = -k TO; with --summary its angles, crossings and "
                    "stable gains")
        .type_name("A:B:N|A:B:N:log|K,K,...");
    words.add_option("--locus", options->locus, "Root locus along a parameter instead, as with modes --sweep").type_name("NAME=A:B:N");
    session::SpectrumOptions& o = options->spectrum;
    words
        .add_option("--spectrum", o.columns,
                    "Spectra of these columns of a motion, instead of transfer functions: coordinates, speeds, energies, outputs")
        .type_name("NAME,...")
        .delimiter(',');
    words.add_input("--of", options->of, "The motion: a table written by simulate (default: simulate the model)");
    words.add_option("--until", o.until, "Duration of the simulation for a spectrum").type_name("T");
    words.add_option("--samples", o.samples, "Number of samples (1024)").type_name("N");
    words.add_option("--every", o.every, "Sampling interval, instead of --samples").type_name("DT");
    words.add_option("--after", o.after, "Discard the transient before this time").type_name("T");
    words.add_option("--tolerance", o.tolerance, "Relative tolerance of that simulation (1e-8)").type_name("R");
    words.add_choice(
        "--window", {"hanning", "hamming", "blackman", "blackman-harris", "flat-top", "none"},
        [options](std::size_t i) { options->spectrum.how.window = static_cast<motion::Window>(i); },
        "Window: hanning (default), hamming, blackman, blackman-harris, flat-top or none");
    words.add_option("--average", o.average, "Number of segments whose power spectra are averaged (1)").type_name("N");
    words.add_option("--overlap", o.how.overlap, "Overlap of the segments, as a part of their length (0.5)").type_name("PART");
    words.add_option("--harmonics", o.harmonics, "List N harmonics of the fundamental, and the total harmonic distortion").type_name("N");
    words.add_option("--fundamental", o.fundamental, "Fundamental frequency (default: the largest peak)").type_name("F");
    words.add_choice(
        "--remove", {"mean", "trend"},
        [options](std::size_t i) { (i == 0 ? options->spectrum.how.remove_mean : options->spectrum.how.remove_trend) = true; },
        "Subtract the mean, or the straight line of least squares, first");
    options->words = words;
    return [options] { return frequency(*options); };
}

}  // namespace linkwright::cli
