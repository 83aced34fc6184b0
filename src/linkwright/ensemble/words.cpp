#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/base/sha256.hpp"
#include "linkwright/base/text.hpp"
#include "linkwright/ensemble/motions.hpp"
#include "linkwright/ensemble/problem.hpp"
#include "linkwright/ensemble/sobol_sequence.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/session/digest.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/parameter_names.hpp"
#include "linkwright/session/values.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::ensemble {

namespace {

using session::hint_for;
using session::Report;
using session::trimmed;

constexpr std::size_t most_runs = 100'000'000;
constexpr const char* vary_hint = "for example --vary \"m ~ normal(1, 0.1)\"";

/// Parts between commas outside of parentheses.
std::vector<std::string> arguments_of(const std::string& text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}

class Reader {
public:
    Reader(const session::Session& session, const EnsembleOptions& options, session::Workbench& bench, Report& report)
        : session_(session), options_(options), bench_(bench), e_(bench.equations()), numbers_(e_), report_(report) {}

    std::optional<Problem> read() {
        DesignWords words{.spread = {},
                          .grid = {},
                          .sampling = options_.sampling,
                          .draws = static_cast<std::size_t>(options_.runs.value_or(1)),
                          .seed = options_.seed,
                          .indices = options_.indices};
        for (const std::string& text : options_.vary) {
            if (auto spread = read_vary(text)) words.spread.push_back(std::move(*spread));
        }
        for (const std::string& text : options_.grid) read_grid(text, words);
        if (!report_.is_ok()) return std::nullopt;
        const std::size_t dimensions = words.spread.size() * (words.indices ? 2 : 1);
        if (words.sampling == Sampling::sobol && dimensions > sobol_dimensions) {
            report_.error(
                fmt::format("--sampling sobol serves {} quantities{}, and {} are varied", sobol_dimensions / (words.indices ? 2 : 1),
                            words.indices ? " with --indices" : "", words.spread.size()),
                "latin and random serve any number");
            return std::nullopt;
        }
        double runs = static_cast<double>(words.draws) * (words.indices ? static_cast<double>(words.spread.size() + 2) : 1);
        for (const auto& values : words.grid) runs *= static_cast<double>(values.size());
        if (runs > static_cast<double>(most_runs)) {
            report_.error(fmt::format("{:.3g} runs are too many", runs), fmt::format("{} at most", most_runs));
            return std::nullopt;
        }
        Problem problem{.session = session_,
                        .options = options_,
                        .varied = std::move(varied_),
                        .design = Design(std::move(words)),
                        .collectors = {},
                        .times = {},
                        .digest = {}};
        if (!read_collectors(problem)) return std::nullopt;
        problem.digest = digest_of(problem);
        return problem;
    }

    /// Of motions that are kept whole.
    std::optional<Problem> read(const MotionsOptions& motions) {
        DesignWords words{.spread = {},
                          .grid = {},
                          .given = motions.names.size(),
                          .table = motions.values,
                          .draws = motions.values.size() / motions.names.size()};
        for (const std::string& name : motions.names) find("motions", name, trimmed(name));
        Problem problem{.session = session_,
                        .options = options_,
                        .varied = {},
                        .design = Design(std::move(words)),
                        .collectors = {},
                        .times = {},
                        .digest = {}};
        const auto keep = [&](const std::string& expression) {
            problem.collectors.push_back({.name = expression, .how = Reduce::value, .expression = expression});
        };
        for (const std::string& column : motions.columns) {
            if (std::ranges::find(problem.collectors, column, &Collector::name) != problem.collectors.end())
                refuse("columns", column, "it is kept twice", {});
            keep(column);
        }
        if (motions.columns.empty()) {
            for (const auto* list : {&e_.q, &e_.u, &e_.x}) {
                for (const sym::Expr& s : *list) keep(s.symbol().name);
            }
        }
        const auto times = make_times(options_.simulate.rows, 0, report_);
        if (!report_.is_ok() || !times) return std::nullopt;
        problem.times = *times, problem.varied = std::move(varied_);
        return problem;
    }

private:
    bool refuse(const std::string& option, const std::string& text, const std::string& what, const std::string& hint) {
        report_.error(fmt::format("{} \"{}\": {}", option, text, what), hint);
        return false;
    }

    /// What the name stands for; false when nothing, or when it stands there a second time.
    bool find(const std::string& option, const std::string& text, const std::string& name) {
        Varied v{.name = name};
        std::vector<std::string> known;
        bool is_known = false;
        const auto look = [&](const sym::Expr& symbol, Varied::What what, std::size_t place) {
            known.push_back(symbol.symbol().name);
            if (known.back() != name || is_known) return;
            v.what = what, v.place = place, is_known = true;
        };
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) look(e_.parameters[i].symbol, Varied::What::parameter, i);
        for (std::size_t i = 0; i < e_.inputs.size(); ++i) look(e_.inputs[i].symbol, Varied::What::input, i);
        std::size_t place = 0;
        for (const auto* list : {&e_.q, &e_.x, &e_.u}) {
            for (const sym::Expr& s : *list) look(s, Varied::What::initial, place++);
        }
        if (!is_known) return refuse(option, text, fmt::format("no parameter, input or coordinate '{}'", name), hint_for(name, known));
        if (std::ranges::any_of(varied_, [&](const Varied& other) { return other.name == name; }))
            return refuse(option, text, fmt::format("'{}' is varied twice", name), {});
        if (v.what == Varied::What::initial && v.place < e_.q.size()) {
            for (const auto& group : e_.quaternions) {
                if (std::ranges::find(group, v.place) != group.end())
                    return refuse(option, text, "Euler parameters cannot be varied one by one", {});
            }
        }
        if (v.what == Varied::What::parameter) v.unit = session::unit_of(bench_.model(), name);
        varied_.push_back(std::move(v));
        return true;
    }

    std::optional<double> number(const std::string& text, const std::string& part) {
        const auto value = session::read_expression(fmt::format("--vary \"{}\":", text), part, e_, report_);
        if (!value) return std::nullopt;
        for (const sym::Expr& s : symbols_in(*value)) {
            if (s.symbol().role == sym::Role::parameter) continue;
            refuse("--vary", text, fmt::format("'{}' is not a number", part), "use numbers and parameters only");
            return std::nullopt;
        }
        return numbers_.constant(*value);
    }

    std::optional<Distribution> read_vary(const std::string& text) {
        const std::size_t tilde = text.find('~');
        if (tilde == std::string::npos) return refuse("--vary", text, "it takes NAME ~ DISTRIBUTION", vary_hint), std::nullopt;
        std::string right = trimmed(text.substr(tilde + 1));
        Distribution d;
        if (const std::size_t in = right.find(" in "); in != std::string::npos) {
            const std::string bounds = trimmed(right.substr(in + 4));
            right = trimmed(right.substr(0, in));
            const auto parts = bounds.size() > 2 ? arguments_of(bounds.substr(1, bounds.size() - 2)) : std::vector<std::string>{};
            if (parts.size() != 2 || bounds.front() != '[' || bounds.back() != ']')
                return refuse("--vary", text, "bounds are written in [LEAST, GREATEST]", "for example normal(1, 0.1) in [0.8, 1.2]"),
                       std::nullopt;
            const auto least = number(text, parts[0]), greatest = number(text, parts[1]);
            if (!least || !greatest) return std::nullopt;
            d.least = least, d.greatest = greatest;
        }
        const std::size_t open = right.find('(');
        const std::vector<std::string> families = family_names();
        const std::string family = trimmed(right.substr(0, open));
        const auto known = std::ranges::find(families, family);
        if (known == families.end())
            return refuse("--vary", text, fmt::format("unknown distribution '{}'", family), hint_for(family, families)), std::nullopt;
        d.family = static_cast<Family>(known - families.begin());
        if (open == std::string::npos || right.back() != ')')
            return refuse("--vary", text, fmt::format("{} needs its numbers in parentheses", family), vary_hint), std::nullopt;
        for (const std::string& part : arguments_of(right.substr(open + 1, right.size() - open - 2))) {
            if (part.empty()) return refuse("--vary", text, "a number is missing", vary_hint), std::nullopt;
            const auto x = number(text, part);
            if (!x) return std::nullopt;
            d.numbers.push_back(*x);
        }
        if (const auto trouble = find_trouble(d)) return refuse("--vary", text, trouble->what, trouble->hint), std::nullopt;
        if (!find("--vary", text, trimmed(text.substr(0, tilde)))) return std::nullopt;
        return d;
    }

    void read_grid(const std::string& text, DesignWords& words) {
        constexpr const char* hint = "for example --grid v=1:10:50, fifty intervals from 1 to 10; or v=1,2,5";
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) {
            refuse("--grid", text, "it takes NAME=FROM:TO:INTERVALS", hint);
            return;
        }
        const auto values = session::read_values(fmt::format("--grid {}", text), text.substr(equals + 1), hint, report_);
        if (!values || !find("--grid", text, trimmed(text.substr(0, equals)))) return;
        words.grid.push_back(*values);
    }

    bool read_collectors(Problem& problem) {
        const bool has_time = options_.of == Of::simulate || options_.of == Of::inverse;
        for (const std::string& text : options_.collect) {
            auto collector = read_collector(text, has_time, report_);
            if (!collector) continue;
            if (std::ranges::any_of(problem.collectors, [&](const Collector& c) { return c.name == collector->name; }))
                refuse("--collect", text, fmt::format("'{}' is collected twice", collector->name), "names before '=' tell them apart");
            else
                problem.collectors.push_back(std::move(*collector));
        }
        if (!report_.is_ok()) return false;
        if (!has_time) return true;
        const auto times = make_times(options_.simulate.rows, 0, report_);
        if (!times) return false;
        std::vector<double> needed{0.0, times->back()};
        for (const Collector& c : problem.collectors) {
            if (needs_samples(c)) needed.insert(needed.end(), times->begin(), times->end());
            if (c.how != Reduce::at) continue;
            if (c.t < 0 || c.t > times->back())
                return refuse("--collect", c.name, fmt::format("t = {:.6g} is not within the motion", c.t), "it goes from 0 to --until");
            needed.push_back(c.t);
        }
        std::ranges::sort(needed);
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        problem.times = std::move(needed);
        return true;
    }

    /// Whatever changes a number changes it; not where and by how many they are computed.
    std::string digest_of(const Problem& p) const {
        const auto& o = options_;
        const session::OpenOptions& opened = session_.options();
        const session::SimulateOptions& s = o.simulate;
        std::string text = fmt::format("ensemble 1\nmodel {} {}\nset {}\ninitial {}\nfreeze {}\nformulation {}\n",
                                       session::sha256_of(session_), session_.model().name, fmt::join(opened.set, ";"),
                                       fmt::join(opened.initial, ";"), fmt::join(opened.freeze, ";"), bench_.formulation());
        text += fmt::format("vary {}\ngrid {}\nsampling {} draws {} seed {} indices {}\nof {}\ncollect {}\n", fmt::join(o.vary, ";"),
                            fmt::join(o.grid, ";"), static_cast<int>(o.sampling), o.runs.value_or(1), o.seed, o.indices,
                            static_cast<int>(o.of), fmt::join(o.collect, ";"));
        text +=
            fmt::format("times {}\ntolerance {} {} integrator {} step {} {} {} keep {}\nstop {}\nmotion {}\nstate {} at {}\n",
                        fmt::join(p.times, " "), s.tolerance, s.absolute.value_or(0), static_cast<int>(s.integrator), s.step.value_or(0),
                        s.max_step, s.max_steps, s.constraints ? static_cast<int>(*s.constraints) : -1, fmt::join(s.stop, ";"),
                        fmt::join(o.inverse.motion, ";"), s.state.file, o.operating.at ? static_cast<int>(*o.operating.at) : -1);
        const session::EquilibriumWords& q = o.operating.equilibrium;
        text += fmt::format("equilibrium {} {} {} {}\none by one {} native {}\n", fmt::join(q.hold, ";"), fmt::join(q.moving, ";"),
                            fmt::join(q.trim, ";"), q.steady, o.one_by_one, !s.interpret && jit::why_not().empty());
        return sha256(text);
    }

    const session::Session& session_;
    const EnsembleOptions& options_;
    session::Workbench& bench_;
    const eom::EquationsOfMotion& e_;
    numeric::CompiledEquations numbers_;
    Report& report_;
    std::vector<Varied> varied_;
};

}  // namespace

Diagnostics check(const EnsembleOptions& o) {
    Report report;
    if (o.vary.empty() && o.grid.empty()) report.error("nothing is varied", vary_hint);
    if (o.runs && *o.runs < 1) report.error(fmt::format("--runs {}: at least one run is needed", *o.runs));
    if (!o.vary.empty() && !o.runs) report.error("--runs is missing: how many draws of what is varied", "for example --runs 1000");
    if (o.vary.empty() && o.runs && *o.runs > 1) report.error("--runs has no meaning without --vary: every point of the grid is one run");
    if (o.indices && !o.grid.empty())
        report.error("--indices are of what --vary spreads, and --grid is given too", "leave one of them out");
    if (o.indices && o.vary.empty()) report.error("--indices need something to vary", vary_hint);
    if (o.indices && o.runs && *o.runs < 2) report.error("--indices need at least two base samples, --runs 2");
    if (o.collect.empty()) report.error("nothing is collected", "for example --collect \"final(x)\" or --collect \"max(abs(x))\"");
    if (!(o.patience > 0)) report.error("--patience must be positive", "for example 30 (s)");
    if (!(o.confidence > 0 && o.confidence < 1)) report.error("--confidence must be between 0 and 1", "for example 0.95");
    for (const double q : o.quantiles) {
        if (!(q >= 0 && q <= 1)) report.error(fmt::format("--quantiles: {:.6g} is not between 0 and 1", q));
    }
    if (o.bins < 0 || o.bins > 100'000) report.error(fmt::format("--bins {}: from 1 to 100000", o.bins));
    if (o.of == Of::simulate) report.add(check(o.simulate));
    if (o.of == Of::inverse && o.inverse.motion.empty()) report.error("--of inverse needs a motion", "for example --motion \"x = t^2\"");
    if (o.of == Of::modes) report.add(check(o.operating));
    if (o.of == Of::equilibrium) report.add(check(o.operating.equilibrium));
    if (o.of == Of::inverse) report.add(check(o.simulate.rows));
    if (!o.output.empty() && !o.output.ends_with(".csv") && !o.output.ends_with(".h5") && !o.output.ends_with(".hdf5") &&
        !o.output.starts_with("/dev/"))
        report.error(fmt::format("-o {}: the ending says how it is written", o.output), "runs.csv or runs.h5");
    return report.problems;
}

std::optional<Problem> read_problem(const session::Session& session, const EnsembleOptions& options, Report& report) {
    report.add(check(options));
    if (!report.is_ok()) return std::nullopt;
    const session::Lease bench = borrow(session, "recursive", report);
    if (!bench) return std::nullopt;
    return Reader(session, options, *bench, report).read();
}

std::optional<Problem> read_problem(const session::Session& session, const MotionsOptions& options, Report& report) {
    const session::Lease bench = borrow(session, "recursive", report);
    if (!bench) return std::nullopt;
    const EnsembleOptions as_ensemble{
        .simulate = options.simulate, .threads = options.threads, .one_by_one = options.one_by_one, .on_step = options.on_step};
    return Reader(session, as_ensemble, *bench, report).read(options);
}

}  // namespace linkwright::ensemble
