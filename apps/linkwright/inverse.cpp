#include "linkwright/motion/inverse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>

#include "linkwright/base/text.hpp"
#include "linkwright/sym/dependency.hpp"
#include "progress.hpp"
#include "samples.hpp"
#include "start.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

struct Options {
    SharedOptions common;
    std::vector<std::string> motion;
    std::string state;
    std::optional<double> until;
    long samples = 100;
    std::vector<double> times;
    std::optional<motion::ActuatedBy> by;
};

/// Functions of time of coordinates, as --motion gives them: NAME=EXPRESSION, or a table of samples.
class Motions {
public:
    explicit Motions(const numeric::CompiledEquations& numbers) : numbers_(numbers), e_(numbers.equations()) {}

    bool add(const std::string& text) {
        const std::size_t equals = text.find('=');
        return equals == std::string::npos ? add_samples(text) : add_expression(trim(text.substr(0, equals)), text.substr(equals + 1));
    }

    /// Where samples begin and end, when there are any.
    std::optional<double> first, last;

    motion::Prescription prescription() {
        if (!expressions_.empty()) run_ = numbers_.compile(expressions_);
        motion::Prescription p;
        p.coordinates = by_expression_;
        for (const Samples& s : samples_) p.coordinates.insert(p.coordinates.end(), s.which.begin(), s.which.end());
        p.at = [this](double t, VectorXd& q, VectorXd& qdot, VectorXd& qddot) {
            Index at = 0;
            if (!expressions_.empty()) {
                numeric::State s = numbers_.zero_state(t);
                const VectorXd x = run_(s);
                for (; at < static_cast<Index>(by_expression_.size()); ++at) q[at] = x[3 * at], qdot[at] = x[3 * at + 1], qddot[at] = x[3 * at + 2];
            }
            for (const Samples& s : samples_) {
                VectorXd x, v, a;
                s.curve(t, x, &v, &a);
                q.segment(at, x.size()) = x, qdot.segment(at, x.size()) = v, qddot.segment(at, x.size()) = a;
                at += x.size();
            }
        };
        return p;
    }

private:
    static std::string trim(const std::string& s) {
        const std::size_t a = s.find_first_not_of(" \t"), b = s.find_last_not_of(" \t");
        return a == std::string::npos ? "" : s.substr(a, b - a + 1);
    }
    std::optional<std::size_t> find(const std::string& name) const {
        for (std::size_t i = 0; i < e_.q.size(); ++i) {
            if (e_.q[i].symbol().name == name) return i;
        }
        return std::nullopt;
    }
    bool take(std::size_t i, std::vector<std::size_t>& list) {
        if (std::ranges::find(taken_, i) != taken_.end()) return report_error(fmt::format("the motion of {} is prescribed twice", e_.q[i].symbol().name)), false;
        taken_.push_back(i);
        list.push_back(i);
        return true;
    }

    bool add_expression(const std::string& name, const std::string& text) {
        const auto i = find(name);
        if (!i) {
            std::vector<std::string> known;
            for (const sym::Expr& q : e_.q) known.push_back(q.symbol().name);
            const auto meant = did_you_mean(name, known);
            report_error(fmt::format("--motion: no coordinate '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("the coordinates of the tree are {}", fmt::join(known, ", ")));
            return false;
        }
        const auto value = read_expression("--motion", text, e_);
        if (!value) return false;
        for (const sym::Expr& s : symbols_in(*value)) {
            if (s == e_.t || s.symbol().role == sym::Role::parameter) continue;
            return report_error(fmt::format("--motion {}: '{}' is no function of time", name, s.symbol().name), "only t and parameters may stand there"), false;
        }
        const sym::PoolScope scope(*e_.pool);
        const sym::Expr rate = derivative(*value, e_.t);
        expressions_.insert(expressions_.end(), {*value, rate, derivative(rate, e_.t)});
        return take(*i, by_expression_);
    }

    bool add_samples(const std::string& path) {
        std::vector<std::string> names;
        for (const sym::Expr& q : e_.q) names.push_back(q.symbol().name);
        auto samples = read_samples(path, names, "coordinate");
        if (!samples) return false;
        if (samples->count < 4) return report_error(path + ": at least four samples are needed for accelerations"), false;
        std::vector<std::size_t> taken;
        for (const std::size_t i : samples->which) {
            if (!take(i, taken)) return false;
        }
        first = std::max(first.value_or(samples->first), samples->first);
        last = std::min(last.value_or(samples->last), samples->last);
        samples_.push_back(std::move(*samples));
        return true;
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    std::vector<std::size_t> taken_, by_expression_;
    std::vector<sym::Expr> expressions_;  ///< value, rate, second derivative of each
    numeric::CompiledEquations::Function run_;
    std::vector<Samples> samples_;
};

int inverse(const Options& options) {
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;
    if (equations->reduction) {
        report_error(fmt::format("inverse dynamics asks for forces along the joints, and the speeds of '{}' are those of the bodies", equations->formulation),
                   "take another formulation, for example recursive; the forces in joints are reactions there too");
        return wrong_input;
    }
    const numeric::CompiledEquations numbers(*equations, native_code(options.common.quiet));
    Motions motions(numbers);
    if (options.motion.empty()) {
        report_error("which motion? --motion is not given", "for example --motion \"hip = 0.5*sin(2*t)\", or a CSV file with columns t and hip");
        return wrong_input;
    }
    for (const std::string& text : options.motion) {
        if (!motions.add(text)) return wrong_input;
    }
    const Start start = start_state(options.state, numbers, options.common.quiet);
    if (!start.has_state) return start.status;
    motion::InverseOptions o;
    const double from = std::max(start.state.t, motions.first.value_or(start.state.t));
    const auto until = options.until ? options.until : motions.last;
    const auto times = read_times(from, until, options.samples, options.times);
    if (!times) return wrong_input;
    o.times = *times;
    if (motions.last && o.times.back() > *motions.last + 1e-12 * std::abs(*motions.last)) {
        report_error(fmt::format("the samples end at t = {:.6g}, before {:.6g}", *motions.last, o.times.back()));
        return wrong_input;
    }
    o.by = options.by.value_or(equations->inputs.empty() ? motion::ActuatedBy::coordinates : motion::ActuatedBy::inputs);
    Progress progress("inverse", o.times.front(), o.times.back(), options.common.quiet);
    o.on_step = [&](double t) { return progress(t); };
    const motion::Prescription prescription = motions.prescription();
    const motion::Forces forces = motion::inverse(numbers, start.state, prescription, o);
    int status = done;
    if (!forces.is_ok) {
        report_error(forces.why, forces.rows.empty() ? "" : kept(forces.rows.size()));
        status = forces.is_wrong_input ? wrong_input : numerical_failure;
        if (forces.rows.empty()) return status;
    }
    for (const std::string& note : forces.notes) {
        if (!options.common.quiet) std::cerr << "linkwright: note: " << note << '\n';
    }
    const Table table{forces.columns, forces.rows};
    if (!options.common.json) {
        const int delivered = deliver(options.common, to_csv(table));
        return delivered == done ? status : delivered;
    }
    nlohmann::ordered_json j;
    j["model"] = equations->name;
    j["columns"] = to_json(table);
    j["stop"] = {{"reason", forces.is_ok ? "reached" : "failed"}, {"why", forces.why}};
    j["notes"] = forces.notes;
    const int delivered = deliver(options.common, dump(j));
    return delivered == done ? status : delivered;
}

}  // namespace

Work declare_inverse(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.add_option("--motion", options->motion, "NAME=EXPRESSION in t, or a CSV file with t and coordinates (repeatable)")->type_name("MOTION")->take_all()->allow_extra_args(false);
    words.add_option("--until", options->until, "When to end (with samples: at the last)")->type_name("T");
    words.add_option("--samples", options->samples, "Rows at equal intervals: N of them, N+1 rows (100)")->type_name("N");
    words.add_option("--times", options->times, "Rows at these times instead")->type_name("T,T,...")->delimiter(',');
    words.add_option("--state", options->state, "Where closing begins; without it: [initial]")->type_name("FILE");
    add_choice(words, "--by", {"inputs", "coordinates"}, [options](std::size_t i) { options->by = static_cast<motion::ActuatedBy>(i); },
               "What pushes: inputs (default when there are any) or coordinates");
    return [options] { return inverse(*options); };
}

}  // namespace linkwright::cli
