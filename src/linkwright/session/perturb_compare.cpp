#include "linkwright/session/perturb_compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/base/text.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/time_axis.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

using Eigen::Index;
using Eigen::VectorXcd, Eigen::VectorXd;

/// "name=value" taken apart; empty when it is not so, and the report says so.
std::optional<std::pair<std::string, double>> read_pair(const char* option, const std::string& text, const char* example, Report& report) {
    const std::size_t equals = text.find('=');
    double x = 0;
    char rest = 0;
    if (equals != std::string::npos && equals > 0 && std::sscanf(text.c_str() + equals + 1, "%lf%c", &x, &rest) == 1 && std::isfinite(x))
        return std::pair{text.substr(0, equals), x};
    report.error(fmt::format("{} takes name=value, not '{}'", option, text), example);
    return std::nullopt;
}

auto read_amplitude(const std::string& text, Report& report) {
    return read_pair("--amplitude", text, "for example --amplitude hip=0.1, or --amplitude 1=0.1 for the first mode", report);
}
auto read_shrink(const std::string& text, Report& report) { return read_pair("--shrink", text, "for example --shrink c=2", report); }

/// Where the comparison begins: amplitudes of modes, places of coordinates, or [initial].
struct Begin {
    std::vector<std::pair<std::size_t, double>> modes;  ///< a_k
    std::vector<std::pair<Index, double>> coordinates;  ///< distance from rest
};

std::optional<Begin> read_begin(const ScalesCompareOptions& words, const Study& study, Report& report) {
    Begin begin;
    const std::size_t n = study.numbers.modal.omega.size();
    for (const std::string& text : words.amplitude) {
        const auto pair = read_amplitude(text, report);
        if (!pair) return std::nullopt;
        const auto& [name, x] = *pair;
        if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) {
            const unsigned long k = std::strtoul(name.c_str(), nullptr, 10);
            if (k < 1 || k > n) {
                report.error(fmt::format("--amplitude {}: there is no mode {}", text, name),
                             n == 1 ? "there is one mode" : fmt::format("there are modes 1 to {}", n));
                return std::nullopt;
            }
            begin.modes.emplace_back(k - 1, x);
            continue;
        }
        const auto at = std::ranges::find(study.coordinates, name);
        if (at == study.coordinates.end()) {
            report.error(fmt::format("--amplitude: no coordinate '{}'", name),
                         hint_for(name, study.coordinates, {}, "the coordinates are "));
            return std::nullopt;
        }
        begin.coordinates.emplace_back(at - study.coordinates.begin(), x);
    }
    if (!begin.modes.empty() && !begin.coordinates.empty()) {
        report.error("--amplitude: either modes by number or coordinates by name");
        return std::nullopt;
    }
    return begin;
}

/// Amplitudes that belong to a beginning; empty when there are none, and the report says why.
std::optional<VectorXcd> amplitudes(const Begin& begin, const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at,
                                    const perturb::ModalForm<double>& form, const perturb::MultipleScales<double>& scales,
                                    const Study& study, Report& report) {
    const auto n = static_cast<Index>(form.omega.size());
    if (!begin.modes.empty()) {
        VectorXcd A = VectorXcd::Zero(n);
        for (const auto& [k, a] : begin.modes) A[k] = a / 2;
        return A;
    }
    numeric::State state = at.state;
    if (begin.coordinates.empty()) {
        const StartState start = start_state({}, numbers, report);
        if (!start.has_state) return std::nullopt;
        state = start.state;
    } else {
        std::vector<numeric::Wanted> wishes;
        const Eigen::VectorXd& centre = form.centre.size() == at.state.q.size() ? form.centre : at.state.q;
        for (std::size_t i = 0; i < study.coordinates.size(); ++i) {
            const auto given = std::ranges::find(begin.coordinates, static_cast<Index>(i), &std::pair<Index, double>::first);
            const bool is_given = given != begin.coordinates.end();
            wishes.push_back({study.coordinates[i], numbers.equations().q[i], centre[i] + (is_given ? given->second : 0), is_given, false});
        }
        const numeric::AssembledState closed = numeric::assemble(numbers, wishes, at.state.t);
        if (!closed.is_ok()) return report.error("--amplitude: " + closed.why), std::nullopt;
        state.q = closed.state.q;
        state.u = closed.state.u;
    }
    const perturb::StartAmplitudes found = perturb::amplitudes_at(numbers, at, form, scales, state);
    if (!found.is_ok()) return report.fail(found.why, "begin closer to rest, for example with --amplitude"), std::nullopt;
    if (found.misfit > 1e-6 * (1 + (state.q - at.state.q).lpNorm<Eigen::Infinity>())) {
        report.note(fmt::format("the initial state is {:.3g} away from what the modes can represent; the nearest is taken", found.misfit));
    }
    return found.A;
}

std::vector<double> times_until(double from, double until, long samples) {
    std::vector<double> times;
    for (long i = 0; i <= samples; ++i) times.push_back(from + (until - from) * static_cast<double>(i) / static_cast<double>(samples));
    return times;
}

/// Parameters that shrink, and with which power of ε.
std::optional<std::vector<std::pair<std::size_t, double>>> read_shrinking(const ScalesCompareOptions& options,
                                                                          const eom::EquationsOfMotion& e, Report& report) {
    std::vector<std::pair<std::size_t, double>> shrinking;
    const std::vector<std::string> known = names_of(e).parameters;
    for (const std::string& text : options.shrink) {
        const auto pair = read_shrink(text, report);
        if (!pair) return std::nullopt;
        const auto at = std::ranges::find(known, pair->first);
        if (at == known.end()) {
            const auto meant = did_you_mean(pair->first, known);
            return report.error(fmt::format("--shrink: no parameter '{}'", pair->first),
                                meant ? fmt::format("did you mean {}?", *meant) : ""),
                   std::nullopt;
        }
        shrinking.emplace_back(at - known.begin(), pair->second);
    }
    return shrinking;
}

void fail(const perturb::ScalesMotion& m, Report& report) {
    report.fail(m.why.empty() ? "the motion could not be followed" : m.why,
                m.times.size() < 2 ? "" : fmt::format("up to t = {:.4g} it could", m.times.back()));
}

/// One comparison at work.
class Comparing {
public:
    Comparing(const ScalesCompareOptions& options, numeric::CompiledEquations& numbers, const StudyInProgress& begun, Watch& watch,
              Report& report)
        : options_(options),
          numbers_(numbers),
          begun_(begun),
          watch_(watch),
          report_(report),
          samples_(options.samples.value_or(400)),
          tolerance_(options.tolerance.value_or(1e-10)) {}

    std::optional<ScalesComparison> run() {
        const Study& study = begun_.study;
        if (options_.until && *options_.until <= begun_.where.point.state.t)
            return report_.error(fmt::format("--until {:.6g} is not after the beginning", *options_.until)), std::nullopt;
        const auto shrinking = read_shrinking(options_, numbers_.equations(), report_);
        if (!shrinking) return std::nullopt;
        shrinking_ = *shrinking;
        r_.model = study.name;
        r_.coordinates = study.coordinates;
        for (const std::string& note : study.notes) say(note);
        for (const perturb::ScalesNote& note : study.numbers.scales.notes) {
            if (note.about != perturb::ScalesNote::About::ordering) say(note.text);
        }
        const auto begin = read_begin(options_, study, report_);
        if (!begin) return std::nullopt;
        const auto A = amplitudes(*begin, numbers_, begun_.where.point, study.numbers.modal, study.numbers.scales, study, report_);
        if (!A) return std::nullopt;
        r_.A = *A;
        from_ = begun_.where.point.state.t;
        const double slowest = *std::ranges::min_element(study.numbers.modal.omega_value);
        length_ = (options_.until ? *options_.until : from_ + 20 * 2 * std::numbers::pi / slowest) - from_;
        if (!(options_.halving ? halve() : compare_once())) return std::nullopt;
        return std::move(r_);
    }

private:
    void say(const std::string& note) { r_.notes.push_back(note), report_.note(note); }
    void judge(double relative) {
        if (relative > 1)
            say("the error is larger than the motion itself: the approximation is not valid for this amplitude or this duration");
    }

    /// A motion's own steps are not counted: how many there will be is not known.
    std::function<bool(double)> on_step() {
        return [this](double) { return watch_(); };
    }

    bool compare_once() {
        const Study& study = begun_.study;
        r_.motion = perturb::compare_motion(numbers_, begun_.where.point, study.numbers.modal, study.numbers.scales, r_.A,
                                            times_until(from_, from_ + length_, samples_), tolerance_, on_step());
        if (!r_.motion->is_ok || r_.motion->times.size() < 2) fail(*r_.motion, report_);
        if (r_.motion->times.size() < 2) return false;
        judge(r_.motion->relative());
        return true;
    }

    /// ε, ε/2, …: amplitudes with it, times like 1/ε^p.
    bool halve() {
        const Study& study = begun_.study;
        const auto& form = study.numbers.modal;
        r_.slowness = perturb::slowness(study.numbers.scales);
        r_.has_more = shrinking_.empty() && std::ranges::any_of(form.terms, [](const auto& terms) {
                          return std::ranges::any_of(terms, [](const auto& t) { return t.degree() < 2; });
                      });
        const VectorXd values = numbers_.parameters();
        const auto runs = static_cast<std::size_t>(*options_.halving) + 1;
        for (long i = 0; i <= *options_.halving; ++i) {
            if (!watch_(static_cast<std::size_t>(i), runs)) break;
            const double epsilon = std::ldexp(1.0, -static_cast<int>(i)),
                         until = from_ + length_ * std::pow(epsilon, -static_cast<double>(r_.slowness));
            for (const auto& [which, power] : shrinking_) numbers_.set(which, values[which] * std::pow(epsilon, power));
            numeric::OperatingPoint at = begun_.where.point;
            perturb::ModalForm<double> its_form = form;
            perturb::MultipleScales<double> its = study.numbers.scales;
            if (!shrinking_.empty() && i > 0) {
                linear::OperatingPoints points(numbers_, begun_.where.what);
                at = points.find(&begun_.where.point);
                if (watch_.is_stopped()) break;
                if (!at.is_ok) return report_.fail(at.why), false;
                perturb::ExpansionOptions same = begun_.expanding;
                same.symbolic = false;
                const perturb::Expansion again = perturb::expand(numbers_, at, same);
                if (watch_.is_stopped()) break;
                if (!again.is_ok) return report_.fail(does_not_apply(again.why)), false;
                its_form = *again.numeric;
                its = perturb::multiple_scales(its_form, begun_.scaling);
                if (watch_.is_stopped()) break;
                if (!its.is_ok) return report_.fail(does_not_apply(its.why)), false;
            }
            const perturb::ScalesMotion motion = perturb::compare_motion(numbers_, at, its_form, its, epsilon * r_.A,
                                                                         times_until(from_, until, samples_), tolerance_, on_step());
            if (watch_.is_stopped()) break;
            if (!motion.is_ok) {
                fail(motion, report_);
                break;
            }
            add({.epsilon = epsilon, .until = until, .error = motion.error.maxCoeff(), .relative = motion.relative()});
        }
        if (watch_.is_stopped()) watch_.tell(report_, r_.halvings.empty() ? "" : kept(r_.halvings.size()));
        if (r_.halvings.empty()) return false;
        judge(r_.halvings.back().relative);
        return true;
    }

    void add(ScalesComparison::Halving row) {
        row.is_exact = row.relative <= 10 * tolerance_;
        if (!r_.halvings.empty() && !row.is_exact && r_.halvings.back().relative > 0)
            row.order = std::log2(r_.halvings.back().relative / row.relative);
        r_.halvings.push_back(row);
    }

    const ScalesCompareOptions& options_;
    numeric::CompiledEquations& numbers_;
    const StudyInProgress& begun_;
    Watch& watch_;
    Report& report_;
    long samples_;
    double tolerance_;
    double from_ = 0, length_ = 0;
    std::vector<std::pair<std::size_t, double>> shrinking_;
    ScalesComparison r_;
};

}  // namespace

Diagnostics check(const ScalesCompareOptions& options) {
    Report report;
    report.add(check(options.perturb));
    const long samples = options.samples.value_or(400);
    const double tolerance = options.tolerance.value_or(1e-10);
    if (samples < 1 || samples > 10'000'000) report.error(fmt::format("--samples {} is not a number of intervals", samples));
    if (options.halving && (*options.halving < 1 || *options.halving > 12))
        report.error(fmt::format("--halving {} is not supported", *options.halving), "whole numbers from 1 to 12");
    if (!(tolerance > 0) || tolerance > 0.1) report.error(fmt::format("--tolerance {:.6g} is out of range", tolerance));
    if (options.until && !std::isfinite(*options.until))
        report.error(fmt::format("--until {:.6g} is not after the beginning", *options.until));
    if (!options.shrink.empty() && !options.halving) report.error("--shrink requires --halving");
    for (const std::string& text : options.amplitude) read_amplitude(text, report);
    for (const std::string& text : options.shrink) read_shrink(text, report);
    return report.problems;
}

Result<ScalesComparison> compare_scales(const Session& session, const ScalesCompareOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const auto parameters = options.shrink.empty() ? numeric::Parameters::fixed : numeric::Parameters::live;
    numeric::CompiledEquations numbers(bench->equations(), native_code(report), parameters);
    Watch watch(options.perturb.on_step, "halvings");
    const auto begun = begin_study(options.perturb, numbers, false, watch, report);
    if (!begun || !are_orders_used(options.perturb, begun->study, report)) return report;
    auto r = Comparing(options, numbers, *begun, watch, report).run();
    if (!r) return report;
    return finished(report, std::move(*r));
}

Table ScalesComparison::table() const {
    Table table;
    table.columns = {"t"};
    for (const std::string& name : coordinates) table.columns.push_back(name);
    for (const std::string& name : coordinates) table.columns.push_back(name + ".scales");
    if (!motion) return table;
    for (std::size_t i = 0; i < motion->times.size(); ++i) {
        VectorXd row(1 + 2 * motion->simulated[i].size());
        row << motion->times[i], motion->simulated[i], motion->approximate[i];
        table.rows.push_back(row);
    }
    return table;
}

Json to_json(const ScalesComparison& r) {
    Json j;
    j["model"] = r.model;
    if (r.motion) {
        Json c;
        c["amplitudes"] = Json::array();
        for (const std::complex<double> A : r.A) c["amplitudes"].push_back(2 * std::abs(A));
        c["columns"] = to_json(r.table());
        c["reach"] = to_json(r.motion->reach);
        c["error"] = to_json(r.motion->error);
        c["relative"] = r.motion->relative();
        j["comparison"] = std::move(c);
    } else {
        j["halving"] = Json::array();
        for (std::size_t i = 0; i < r.halvings.size(); ++i) {
            const ScalesComparison::Halving& row = r.halvings[i];
            Json k{{"epsilon", row.epsilon}, {"until", row.until}, {"error", row.error}, {"relative", row.relative}};
            if (i > 0) k["order"] = row.order ? Json(*row.order) : Json();
            j["halving"].push_back(std::move(k));
        }
    }
    j["notes"] = r.notes;
    return j;
}

}  // namespace linkwright::session
