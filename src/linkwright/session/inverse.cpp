#include "linkwright/session/inverse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/session/expression.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/point_values.hpp"
#include "linkwright/session/samples.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Functions of time of coordinates, outputs and points, as --motion gives them: NAME=EXPRESSION, or a table of samples.
class Motions {
public:
    Motions(const numeric::CompiledEquations& numbers, const model::Model& model, Report& report)
        : numbers_(numbers), e_(numbers.equations()), report_(report) {
        for (const eom::Output& o : e_.outputs) followed_.push_back(o);
        const PointValues points(model, e_);
        const std::vector<std::string> declared = names();  // these come before
        for (const std::string& name : points.names()) {
            if (std::ranges::find(declared, name) != declared.end()) continue;
            if (const auto value = points(name)) followed_.push_back({name, *value});
        }
    }

    bool add(const std::string& text) {
        const std::size_t equals = text.find('=');
        return equals == std::string::npos ? add_samples(text) : add_expression(trimmed(text.substr(0, equals)), text.substr(equals + 1));
    }

    /// Where samples begin and end, when there are any.
    std::optional<double> first, last;

    motion::Prescription prescription() {
        if (!expressions_.empty()) run_ = numbers_.compile(expressions_);
        std::vector<std::size_t> given = by_expression_;
        for (const Samples& s : samples_) given.insert(given.end(), s.which.begin(), s.which.end());
        motion::Prescription p;
        std::vector<Index> places;  // in the order given, of coordinates first
        for (const bool wants_outputs : {false, true}) {
            for (std::size_t k = 0; k < given.size(); ++k) {
                if (is_output(given[k]) != wants_outputs) continue;
                places.push_back(static_cast<Index>(k));
                if (wants_outputs)
                    p.outputs.push_back({name_of(given[k]), value_of(given[k])});
                else
                    p.coordinates.push_back(given[k]);
            }
        }
        p.at = [this, places](double t, VectorXd& y, VectorXd& ydot, VectorXd& yddot) {
            VectorXd x(y.size()), v(y.size()), a(y.size());
            calc(t, x, v, a);
            for (std::size_t k = 0; k < places.size(); ++k) {
                const auto at = static_cast<Index>(k);
                y[at] = x[places[k]], ydot[at] = v[places[k]], yddot[at] = a[places[k]];
            }
        };
        p.first = first.value_or(p.first), p.last = last.value_or(p.last);
        return p;
    }

private:
    /// In the order given: expressions, then samples.
    void calc(double t, VectorXd& y, VectorXd& ydot, VectorXd& yddot) const {
        Index at = 0;
        if (!expressions_.empty()) {
            const numeric::State s = numbers_.zero_state(t);
            const VectorXd x = run_(s);
            for (; at < static_cast<Index>(by_expression_.size()); ++at)
                y[at] = x[3 * at], ydot[at] = x[3 * at + 1], yddot[at] = x[3 * at + 2];
        }
        for (const Samples& s : samples_) {
            VectorXd x, v, a;
            s.curve(t, x, &v, &a);
            y.segment(at, x.size()) = x, ydot.segment(at, x.size()) = v, yddot.segment(at, x.size()) = a;
            at += x.size();
        }
    }
    /// Of coordinates and, after them, outputs and points: their number.
    std::optional<std::size_t> find(const std::string& name) const {
        const std::vector<std::string> all = names();
        const auto at = std::ranges::find(all, name);
        if (at == all.end()) return std::nullopt;
        const auto i = static_cast<std::size_t>(at - all.begin());
        if (i < e_.q.size()) return i;
        const auto same = std::ranges::find(e_.q, value_of(i));  // an output that is a coordinate
        return same == e_.q.end() ? i : static_cast<std::size_t>(same - e_.q.begin());
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all = names_of(e_.q);
        for (const eom::Output& o : followed_) all.push_back(o.name);
        return all;
    }
    bool is_output(std::size_t i) const { return i >= e_.q.size(); }
    std::string name_of(std::size_t i) const { return is_output(i) ? followed_[i - e_.q.size()].name : e_.q[i].symbol().name; }
    const sym::Expr& value_of(std::size_t i) const { return followed_[i - e_.q.size()].value; }

    bool take(std::size_t i, std::vector<std::size_t>& list) {
        if (std::ranges::find(taken_, i) != taken_.end())
            return report_.error(fmt::format("the motion of {} is prescribed twice", name_of(i))), false;
        if (is_output(i) && !is_position(i)) return false;
        taken_.push_back(i);
        list.push_back(i);
        return true;
    }
    /// A motion is given by positions: what is differentiated twice to get accelerations.
    bool is_position(std::size_t i) {
        for (const sym::Expr& s : symbols_in(value_of(i))) {
            const sym::Role role = s.symbol().role;
            if (role == sym::Role::coordinate || role == sym::Role::parameter || role == sym::Role::time) continue;
            report_.error(fmt::format("--motion: the output '{}' is not a position: it depends on '{}'", name_of(i), s.symbol().name),
                          "a motion can be prescribed for coordinates, and for outputs that depend on coordinates and t only");
            return false;
        }
        return true;
    }

    bool add_expression(const std::string& name, const std::string& text) {
        const auto i = find(name);
        if (!i) {
            report_.error(fmt::format("--motion: no coordinate, output or point '{}'", name),
                          hint_for(name, names(), {}, "the coordinates of the tree, the outputs and the points are "));
            return false;
        }
        const auto value = read_expression("--motion", text, e_, report_);
        if (!value) return false;
        for (const sym::Expr& s : symbols_in(*value)) {
            if (s == e_.t || s.symbol().role == sym::Role::parameter) continue;
            return report_.error(fmt::format("--motion {}: '{}' is not a function of time", name, s.symbol().name),
                                 "only t and parameters may be used there"),
                   false;
        }
        const sym::PoolScope scope(*e_.pool);
        const sym::Expr rate = derivative(*value, e_.t);
        expressions_.insert(expressions_.end(), {*value, rate, derivative(rate, e_.t)});
        return take(*i, by_expression_);
    }

    /// Coordinates of a table; of one that has none of them, outputs: results of `inverse` and `simulate` have both.
    bool add_samples(const std::string& path) {
        const auto table = read_table(path, report_);
        if (!table) return false;
        const std::vector<std::string> coordinates = names_of(e_.q);
        const bool has_coordinates = std::ranges::any_of(coordinates, [&](const std::string& q) { return table->find(q).has_value(); });
        auto samples = make_samples(*table, path, has_coordinates ? coordinates : names(), "coordinate, output or point", report_);
        if (!samples) return false;
        if (samples->count < 4) return report_.error(path + ": at least four samples are needed for accelerations"), false;
        std::vector<std::size_t> taken;
        for (std::size_t& i : samples->which) {
            i = *find(name_of(i));
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
    std::vector<eom::Output> followed_;  ///< outputs, then points
    std::vector<std::size_t> taken_, by_expression_;
    std::vector<sym::Expr> expressions_;  ///< value, rate, second derivative of each
    numeric::CompiledEquations::Function run_;
    std::vector<Samples> samples_;
};

}  // namespace

Diagnostics check(const InverseOptions& options) {
    Report report;
    if (options.motion.empty())
        report.error("--motion is missing", "for example --motion \"hip = 0.5*sin(2*t)\", or a CSV file with columns t and hip");
    for (const std::string& text : options.motion) {
        const std::size_t equals = text.find('=');
        const bool is_half =
            equals != std::string::npos && (trimmed(text.substr(0, equals)).empty() || trimmed(text.substr(equals + 1)).empty());
        if (trimmed(text).empty() || is_half)
            report.error(fmt::format("--motion takes name=expression or a file, not '{}'", text),
                         "for example --motion \"hip = 0.5*sin(2*t)\"");
    }
    if (!(options.tolerance > 0 && options.tolerance <= 0.1))
        report.error(fmt::format("--tolerance {:.6g} is no tolerance", options.tolerance), "1e-3 is coarse, 1e-8 the default");
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
            fmt::format("inverse dynamics needs the speeds of joints, and the speeds of '{}' are those of the bodies", e.formulation),
            "use another formulation, for example recursive; forces in joints are reactions there too");
        return report;
    }
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    Motions motions(numbers, bench->model(), report);
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
    o.tolerance = options.tolerance;
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
