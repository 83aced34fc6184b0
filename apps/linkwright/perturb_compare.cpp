#include "perturb_compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "linkwright/perturb/scales_motion.hpp"
#include "linkwright/base/text.hpp"
#include "table.hpp"

namespace linkwright::cli {

namespace {

using Eigen::Index;
using Eigen::VectorXcd, Eigen::VectorXd;

/// "name=value" taken apart; empty when it is not so, and that has been told.
std::optional<std::pair<std::string, double>> read_pair(const char* option, const std::string& text, const char* example) {
    const std::size_t equals = text.find('=');
    double x = 0;
    char rest = 0;
    if (equals != std::string::npos && equals > 0 && std::sscanf(text.c_str() + equals + 1, "%lf%c", &x, &rest) == 1 && std::isfinite(x)) return std::pair{text.substr(0, equals), x};
    report_error(fmt::format("{} takes name=value, not '{}'", option, text), example);
    return std::nullopt;
}

/// Where the comparison begins: amplitudes of modes, places of coordinates, or [initial].
struct Begin {
    std::vector<std::pair<std::size_t, double>> modes;        ///< a_k
    std::vector<std::pair<Index, double>> coordinates;        ///< distance from rest
    int status = done;
};

Begin read_begin(const CompareWords& words, const Study& study) {
    Begin begin;
    const std::size_t n = study.numbers.modal.omega.size();
    for (const std::string& text : words.amplitude) {
        const auto pair = read_pair("--amplitude", text, "for example --amplitude hip=0.1, or --amplitude 1=0.1 for the first mode");
        if (!pair) return begin.status = wrong_input, begin;
        const auto& [name, x] = *pair;
        if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) {
            const unsigned long k = std::strtoul(name.c_str(), nullptr, 10);
            if (k < 1 || k > n) {
                report_error(fmt::format("--amplitude {}: there is no mode {}", text, name), n == 1 ? "there is one mode" : fmt::format("there are modes 1 to {}", n));
                return begin.status = wrong_input, begin;
            }
            begin.modes.emplace_back(k - 1, x);
            continue;
        }
        const auto at = std::ranges::find(study.coordinates, name);
        if (at == study.coordinates.end()) {
            const auto meant = did_you_mean(name, study.coordinates);
            report_error(fmt::format("--amplitude: no coordinate '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("the coordinates are {}", fmt::join(study.coordinates, ", ")));
            return begin.status = wrong_input, begin;
        }
        begin.coordinates.emplace_back(at - study.coordinates.begin(), x);
    }
    if (!begin.modes.empty() && !begin.coordinates.empty()) {
        report_error("--amplitude: either modes by number or coordinates by name");
        begin.status = wrong_input;
    }
    return begin;
}

/// Amplitudes that belong to a beginning; empty when there are none, and that has been told.
std::optional<VectorXcd> amplitudes(const Begin& begin, const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const perturb::ModalForm<double>& form,
                                    const perturb::MultipleScales<double>& scales, const Study& study, bool quiet, int& status) {
    const auto n = static_cast<Index>(form.omega.size());
    if (!begin.modes.empty()) {
        VectorXcd A = VectorXcd::Zero(n);
        for (const auto& [k, a] : begin.modes) A[k] = a / 2;
        return A;
    }
    numeric::State state = at.state;
    if (begin.coordinates.empty()) {
        const Start start = start_state("", numbers, quiet);
        if (!start.has_state) return status = start.status, std::nullopt;
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
        if (!closed.is_ok()) return report_error("--amplitude: " + closed.why), status = wrong_input, std::nullopt;
        state.q = closed.state.q;
        state.u = closed.state.u;
    }
    const perturb::StartAmplitudes found = perturb::amplitudes_at(numbers, at, form, scales, state);
    if (!found.is_ok()) return report_error(found.why, "begin closer to rest, for example with --amplitude"), status = numerical_failure, std::nullopt;
    if (!quiet && found.misfit > 1e-6 * (1 + (state.q - at.state.q).lpNorm<Eigen::Infinity>())) {
        std::cerr << fmt::format("linkwright: note: the state to begin with is {:.3g} away from what the modes can reach; the nearest is taken\n", found.misfit);
    }
    return found.A;
}

std::vector<double> times_until(double from, double until, long samples) {
    std::vector<double> times;
    for (long i = 0; i <= samples; ++i) times.push_back(from + (until - from) * static_cast<double>(i) / static_cast<double>(samples));
    return times;
}

Table as_table(const perturb::ScalesMotion& motion, const Study& study) {
    Table table;
    table.columns = {"t"};
    for (const std::string& name : study.coordinates) table.columns.push_back(name);
    for (const std::string& name : study.coordinates) table.columns.push_back(name + ".scales");
    for (std::size_t i = 0; i < motion.times.size(); ++i) {
        VectorXd row(1 + 2 * motion.simulated[i].size());
        row << motion.times[i], motion.simulated[i], motion.approximate[i];
        table.rows.push_back(row);
    }
    return table;
}

std::string summary(const perturb::ScalesMotion& motion, const Study& study, const VectorXcd& A) {
    std::string out = fmt::format("{}: multiple scales against simulation, t = {:.5g} … {:.5g}\n\n", study.name, motion.times.front(), motion.times.back());
    out += "beginning   ";
    for (Index k = 0; k < A.size(); ++k) out += fmt::format("{}a{} = {:.5g}", k == 0 ? "" : ", ", k + 1, 2 * std::abs(A[k]));
    out += fmt::format("\n\n{:<20}{:>16}{:>16}{:>14}\n", "", "largest motion", "largest error", "relative");
    for (std::size_t i = 0; i < study.coordinates.size(); ++i) {
        const auto k = static_cast<Index>(i);
        const double reach = motion.reach[k];
        out += fmt::format("{:<20}{:>16.5g}{:>16.3g}{:>14}\n", study.coordinates[i], reach, motion.error[k], reach > 0 ? fmt::format("{:.3g}", motion.error[k] / reach) : "");
    }
    return out;
}

nlohmann::ordered_json as_json(const perturb::ScalesMotion& motion, const Study& study, const VectorXcd& A) {
    nlohmann::ordered_json j;
    j["amplitudes"] = nlohmann::ordered_json::array();
    for (Index k = 0; k < A.size(); ++k) j["amplitudes"].push_back(2 * std::abs(A[k]));
    j["columns"] = to_json(as_table(motion, study));
    j["reach"] = to_json(motion.reach);
    j["error"] = to_json(motion.error);
    j["relative"] = motion.relative();
    return j;
}

struct Halving {
    double epsilon, until, error, relative;
};

}  // namespace

std::string does_not_apply(const std::string& why) { return why.starts_with("multiple scales") ? why : "multiple scales does not apply: " + why; }

std::string CompareWords::idle_word() const {
    if (is_wanted()) return "";
    return until ? "--until" : samples ? "--samples" : !shrink.empty() ? "--shrink" : tolerance ? "--tolerance" : "";
}

void declare(CLI::App& words, CompareWords& c) {
    words.add_flag("--compare", c.compare, "Simulate the full equations beside, and give the error");
    words.add_option("--amplitude", c.amplitude, "Begin here: MODE=VALUE (1=0.1) or COORDINATE=VALUE, which is added to its place at rest; without it: [initial]")->type_name("NAME=VALUE,...")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_option("--until", c.until, "End of the comparison (20 periods of the slowest mode)")->type_name("T");
    words.add_option("--samples", c.samples, "Rows of the comparison: N intervals (400)")->type_name("N");
    words.add_option("--halving", c.halving, "Again with all amplitudes halved N times, over the same slow time: how fast the error shrinks")->type_name("N");
    words.add_option("--shrink", c.shrink, "With --halving: parameters that shrink like a power of epsilon, for example c=2,F=3")->type_name("NAME=POWER,...")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_option("--tolerance", c.tolerance, "Of the simulation (1e-10)")->type_name("R");
}

int compare(const SharedOptions& common, const CompareWords& words, numeric::CompiledEquations& numbers, const OperatingState& where, const Study& study,
            const perturb::ExpansionOptions& expansion, const perturb::ScalesOptions& options) {
    const auto& form = study.numbers.modal;
    const auto& scales = study.numbers.scales;
    const auto wrong = [](const std::string& what, const std::string& hint = "") { return report_error(what, hint), wrong_input; };
    const long samples = words.samples.value_or(400), halvings = words.halving.value_or(0);
    const double tolerance = words.tolerance.value_or(1e-10);
    if (samples < 1 || samples > 10'000'000) return wrong(fmt::format("--samples {} is no number of intervals", samples));
    if (words.halving && (halvings < 1 || halvings > 12)) return wrong(fmt::format("--halving {} is not offered", halvings), "whole numbers from 1 to 12");
    if (!(tolerance > 0) || tolerance > 0.1) return wrong(fmt::format("--tolerance {:.6g} makes no sense", tolerance));
    if (words.until && (!std::isfinite(*words.until) || *words.until <= where.point.state.t)) return wrong(fmt::format("--until {:.6g} is not after the beginning", *words.until));
    if (words.shrinks() && !words.halving) return wrong("--shrink does nothing without --halving");
    std::vector<std::pair<std::size_t, double>> shrinking;
    const auto& parameters = numbers.equations().parameters;
    for (const std::string& text : words.shrink) {
        const auto pair = read_pair("--shrink", text, "for example --shrink c=2");
        if (!pair) return wrong_input;
        std::size_t p = 0;
        while (p < parameters.size() && parameters[p].symbol.symbol().name != pair->first) ++p;
        if (p == parameters.size()) {
            const auto meant = did_you_mean(pair->first, study.parameters);
            return wrong(fmt::format("--shrink: no parameter '{}'", pair->first), meant ? fmt::format("did you mean {}?", *meant) : "");
        }
        shrinking.emplace_back(p, pair->second);
    }
    std::vector<std::string> notes = study.notes;
    for (const std::string& note : scales.notes) {
        if (!note.starts_with("Ordered with")) notes.push_back(note);
    }
    const auto say = [&](const std::string& note) {
        if (!common.quiet) std::cerr << "linkwright: note: " << note << '\n';
    };
    std::ranges::for_each(notes, say);
    const auto judge = [&](double relative) {
        if (!(relative > 1)) return;
        notes.push_back("the error is larger than the motion itself: so far the approximation does not reach, in amplitude or in time");
        say(notes.back());
    };
    const Begin begin = read_begin(words, study);
    if (begin.status != done) return begin.status;
    int status = done;
    const auto A = amplitudes(begin, numbers, where.point, form, scales, study, common.quiet, status);
    if (!A) return status;
    const double from = where.point.state.t;
    const double slowest = *std::ranges::min_element(form.omega_value);
    const double length = (words.until ? *words.until : from + 20 * 2 * std::numbers::pi / slowest) - from;
    const auto fail = [&](const perturb::ScalesMotion& m) { return report_error(m.why.empty() ? "the motion could not be followed" : m.why, m.times.size() < 2 ? "" : fmt::format("up to t = {:.4g} it could", m.times.back())), numerical_failure; };

    if (!words.halving) {
        const perturb::ScalesMotion motion = perturb::compare_motion(numbers, where.point, form, scales, *A, times_until(from, from + length, samples), tolerance);
        if (motion.times.size() < 2) return fail(motion);
        status = motion.is_ok ? done : fail(motion);
        judge(motion.relative());
        nlohmann::ordered_json j;
        j["model"] = study.name;
        j["comparison"] = as_json(motion, study, *A);
        j["notes"] = notes;
        int delivered = done;
        if (common.json) {
            delivered = deliver(common, dump(j));
        } else {
            if (!common.output.empty()) delivered = deliver(common, to_csv(as_table(motion, study)));
            SharedOptions here = common;
            here.output.clear();
            if (delivered == done) delivered = deliver(here, summary(motion, study, *A));
        }
        return delivered == done ? status : delivered;
    }

    // ε, ε/2, …: amplitudes with it, times like 1/ε^p.
    const unsigned p = perturb::slowness(scales);
    std::vector<Halving> rows;
    VectorXd values = numbers.parameters();
    for (long i = 0; i <= halvings && status == done; ++i) {
        const double epsilon = std::ldexp(1.0, -static_cast<int>(i)), until = from + length * std::pow(epsilon, -static_cast<double>(p));
        for (const auto& [which, power] : shrinking) numbers.set(which, values[which] * std::pow(epsilon, power));
        numeric::OperatingPoint at = where.point;
        perturb::ModalForm<double> its_form = form;
        perturb::MultipleScales<double> its = scales;
        if (!shrinking.empty() && i > 0) {
            linear::OperatingPoints points(numbers, where.what);
            at = points.find(&where.point);
            if (!at.is_ok) return report_error(at.why), numerical_failure;
            perturb::ExpansionOptions same = expansion;
            same.symbolic = false;
            const perturb::Expansion again = perturb::expand(numbers, at, same);
            if (!again.is_ok) return report_error(does_not_apply(again.why)), numerical_failure;
            its_form = *again.numeric;
            its = perturb::multiple_scales(its_form, options);
            if (!its.is_ok) return report_error(does_not_apply(its.why)), numerical_failure;
        }
        const perturb::ScalesMotion motion = perturb::compare_motion(numbers, at, its_form, its, epsilon * *A, times_until(from, until, samples), tolerance);
        if (!motion.is_ok) {
            status = fail(motion);
            break;
        }
        rows.push_back({epsilon, until, motion.error.maxCoeff(), motion.relative()});
    }
    if (rows.empty()) return status;
    judge(rows.back().relative);
    // Where only the errors of the simulation are left there is no order.
    const auto is_exact = [&](const Halving& row) { return row.relative <= 10 * tolerance; };
    const auto derivative = [&](std::size_t i) -> std::optional<double> {
        if (is_exact(rows[i]) || !(rows[i - 1].relative > 0)) return std::nullopt;
        return std::log2(rows[i - 1].relative / rows[i].relative);
    };
    int delivered = done;
    if (common.json) {
        nlohmann::ordered_json j, list = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            nlohmann::ordered_json row{{"epsilon", rows[i].epsilon}, {"until", rows[i].until}, {"error", rows[i].error}, {"relative", rows[i].relative}};
            if (i > 0) row["order"] = derivative(i) ? nlohmann::ordered_json(*derivative(i)) : nlohmann::ordered_json();
            list.push_back(row);
        }
        j["model"] = study.name;
        j["halving"] = list;
        j["notes"] = notes;
        delivered = deliver(common, dump(j));
    } else {
        std::string out = fmt::format("{}: multiple scales against simulation, amplitudes halved, times as 1/ε{}\n\n", study.name, p < 2 ? (p == 0 ? "⁰" : "") : p == 2 ? "²" : fmt::format("^{}", p));
        out += fmt::format("{:>10}{:>14}{:>16}{:>16}{:>10}\n", "ε", "until", "largest error", "relative", "order");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            out += fmt::format("{:>10.6g}{:>14.5g}{:>16.3g}{:>16.3g}{:>10}\n", rows[i].epsilon, rows[i].until, rows[i].error, rows[i].relative, i > 0 && derivative(i) ? fmt::format("{:.2f}", *derivative(i)) : is_exact(rows[i]) ? "exact" : "");
        }
        const bool has_more = std::ranges::any_of(form.terms, [](const auto& terms) { return std::ranges::any_of(terms, [](const auto& t) { return t.degree() < 2; }); });
        if (has_more && shrinking.empty()) out += "\nDamping and excitation stayed as they are; --shrink lets their parameters shrink too.\n";
        delivered = deliver(common, out);
    }
    return delivered == done ? status : delivered;
}

}  // namespace linkwright::cli
