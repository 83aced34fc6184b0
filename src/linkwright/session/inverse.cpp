#include "linkwright/session/inverse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/session/expression.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/samples.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Functions of time of coordinates, as --motion gives them: NAME=EXPRESSION, or a table of samples.
class Motions {
public:
    Motions(const numeric::CompiledEquations& numbers, Report& report) : numbers_(numbers), e_(numbers.equations()), report_(report) {}

    bool add(const std::string& text) {
        const std::size_t equals = text.find('=');
        return equals == std::string::npos ? add_samples(text) : add_expression(trimmed(text.substr(0, equals)), text.substr(equals + 1));
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
                for (; at < static_cast<Index>(by_expression_.size()); ++at)
                    q[at] = x[3 * at], qdot[at] = x[3 * at + 1], qddot[at] = x[3 * at + 2];
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
    std::optional<std::size_t> find(const std::string& name) const {
        for (std::size_t i = 0; i < e_.q.size(); ++i) {
            if (e_.q[i].symbol().name == name) return i;
        }
        return std::nullopt;
    }
    bool take(std::size_t i, std::vector<std::size_t>& list) {
        if (std::ranges::find(taken_, i) != taken_.end())
            return report_.error(fmt::format("the motion of {} is prescribed twice", e_.q[i].symbol().name)), false;
        taken_.push_back(i);
        list.push_back(i);
        return true;
    }

    bool add_expression(const std::string& name, const std::string& text) {
        const auto i = find(name);
        if (!i) {
            report_.error(fmt::format("--motion: no coordinate '{}'", name),
                          hint_for(name, names_of(e_.q), {}, "the coordinates of the tree are "));
            return false;
        }
        const auto value = read_expression("--motion", text, e_, report_);
        if (!value) return false;
        for (const sym::Expr& s : symbols_in(*value)) {
            if (s == e_.t || s.symbol().role == sym::Role::parameter) continue;
            return report_.error(fmt::format("--motion {}: '{}' is no function of time", name, s.symbol().name),
                                 "only t and parameters may stand there"),
                   false;
        }
        const sym::PoolScope scope(*e_.pool);
        const sym::Expr rate = derivative(*value, e_.t);
        expressions_.insert(expressions_.end(), {*value, rate, derivative(rate, e_.t)});
        return take(*i, by_expression_);
    }

    bool add_samples(const std::string& path) {
        std::vector<std::string> names;
        for (const sym::Expr& q : e_.q) names.push_back(q.symbol().name);
        auto samples = read_samples(path, names, "coordinate", report_);
        if (!samples) return false;
        if (samples->count < 4) return report_.error(path + ": at least four samples are needed for accelerations"), false;
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
    Report& report_;
    std::vector<std::size_t> taken_, by_expression_;
    std::vector<sym::Expr> expressions_;  ///< value, rate, second derivative of each
    numeric::CompiledEquations::Function run_;
    std::vector<Samples> samples_;
};

}  // namespace

Diagnostics check(const InverseOptions& options) {
    Report report;
    if (options.motion.empty())
        report.error("which motion? --motion is not given",
                     "for example --motion \"hip = 0.5*sin(2*t)\", or a CSV file with columns t and hip");
    for (const std::string& text : options.motion) {
        const std::size_t equals = text.find('=');
        const bool is_half =
            equals != std::string::npos && (trimmed(text.substr(0, equals)).empty() || trimmed(text.substr(equals + 1)).empty());
        if (trimmed(text).empty() || is_half)
            report.error(fmt::format("--motion takes name=expression or a file, not '{}'", text),
                         "for example --motion \"hip = 0.5*sin(2*t)\"");
    }
    report.add(check(options.rows, false));
    report.add(check(options.state));
    return report.problems;
}

Result<InverseForces> inverse(const Session& session, const InverseOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    if (e.reduction) {
        report.error(
            fmt::format("inverse dynamics asks for forces along the joints, and the speeds of '{}' are those of the bodies", e.formulation),
            "take another formulation, for example recursive; the forces in joints are reactions there too");
        return report;
    }
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    Motions motions(numbers, report);
    for (const std::string& text : options.motion) {
        if (!motions.add(text)) return report;
    }
    const StartState start = start_state(options.state, numbers, report);
    if (!start.has_state) return report;
    motion::InverseOptions o;
    const double from = std::max(start.state.t, motions.first.value_or(start.state.t));
    TimeAxis rows = options.rows;
    if (!rows.until) rows.until = motions.last;
    const auto times = make_times(rows, from, report);
    if (!times) return report;
    o.times = *times;
    if (motions.last && o.times.back() > *motions.last + 1e-12 * std::abs(*motions.last)) {
        return report.error(fmt::format("the samples end at t = {:.6g}, before {:.6g}", *motions.last, o.times.back())), report;
    }
    o.by = options.by.value_or(e.inputs.empty() ? motion::ActuatedBy::coordinates : motion::ActuatedBy::inputs);
    if (options.on_step) o.on_step = [&](double t) { return options.on_step({t, o.times.front(), o.times.back()}); };
    const motion::Prescription prescription = motions.prescription();
    InverseForces r{.names = names_of(e), .forces = motion::inverse(numbers, start.state, prescription, o)};
    const motion::Forces& forces = r.forces;
    if (!forces.is_ok) {
        const std::string hint = forces.rows.empty() ? "" : kept(forces.rows.size());
        forces.is_wrong_input ? report.error(forces.why, hint) : report.fail(forces.why, hint);
        if (forces.rows.empty()) return report;
    }
    for (const std::string& note : forces.notes) report.note(note);
    tell_not_finite(not_finite(forces.columns, forces.rows), report);
    return {report, std::move(r)};
}

Json to_json(const InverseForces& r) {
    Json j;
    j["model"] = r.names.model;
    j["columns"] = to_json(r.table());
    j["stop"] = {{"reason", r.forces.is_ok ? "reached" : "failed"}, {"why", r.forces.why}};
    j["notes"] = r.forces.notes;
    return j;
}

}  // namespace linkwright::session
