#include "linkwright/motion/inverse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/motion/inverse_motion.hpp"
#include "linkwright/solve/ode.hpp"

namespace linkwright::motion {

namespace {

std::string degrees(Index n) { return n == 1 ? "1 degree of freedom" : fmt::format("{} degrees of freedom", n); }

}  // namespace

Forces InverseMotion::run() && {
    if (options_.times.empty() || !set_up() || !begin(options_.times.front())) return std::move(result_);
    is_integrated() ? integrate() : walk();
    return std::move(result_);
}

std::vector<numeric::Wanted> InverseMotion::followed(const Prescription& prescription) {
    std::vector<numeric::Wanted> list;
    for (const Prescription::Output& y : prescription.outputs) list.push_back({y.name, y.value, 0, true, false});
    return list;
}

std::string InverseMotion::name_of_prescribed(Index i) const {
    return i < length(held_) ? e_.q[held_[i]].symbol().name : prescription_.outputs[i - length(held_)].name;
}

bool InverseMotion::fail(double t, const std::string& why, bool is_wrong_input) {
    result_.is_ok = false;
    result_.is_wrong_input = is_wrong_input;
    why_ = why;
    result_.why = fmt::format("at t = {:.6g}: {}", t, why);
    return false;
}

bool InverseMotion::refuse(std::string why) {
    result_.is_ok = false, result_.is_wrong_input = true;
    result_.why = std::move(why);
    return false;
}

bool InverseMotion::set_up() {
    if (!e_.sampled.empty())
        return refuse(
            fmt::format("'{}' is sampled by a computer: what it puts out is no smooth function of the motion that could be inverted",
                        e_.sampled.front().name));
    for (const std::size_t i : prescription_.coordinates) qdot_rows_.push_back(e_.qdot[i]);
    const sym::PoolScope scope(*e_.pool);
    const auto rates = eom::rates(e_);
    sym::Tangent rate_of_output(rates);
    for (const Prescription::Output& y : prescription_.outputs) qdot_rows_.push_back(rate_of_output(y.value));
    N_ = numeric::JacobianFunction(numbers_, qdot_rows_, e_.u);
    std::vector<sym::Binding> coasting;  // q̈ with u̇ = 0
    for (const sym::Binding& b : rates) {
        if (std::ranges::find(e_.u, b.first) == e_.u.end()) coasting.push_back(b);
    }
    sym::Tangent rate(coasting);
    std::vector<Expr> qddot;
    for (const Expr& x : qdot_rows_) qddot.push_back(rate(x));
    std::vector<Expr> values;
    for (const Prescription::Output& y : prescription_.outputs) values.push_back(y.value);
    values_ = numbers_.compile(values);
    rates_ = numbers_.compile(qdot_rows_);
    coasting_ = numbers_.compile(qddot);
    return choose_what_pushes();
}

bool InverseMotion::choose_what_pushes() {
    result_.columns.emplace_back("t");
    if (options_.by == ActuatedBy::inputs) {
        actuation_ = Actuation(numbers_);
        if (!actuation_.why().empty()) return refuse(actuation_.why());
        for (const eom::Input& w : e_.inputs) result_.columns.push_back(w.symbol.symbol().name);
    } else {
        std::vector<std::size_t> along;
        for (std::size_t i = 0; i < e_.u.size(); ++i) {
            const bool is_moved = std::ranges::any_of(N_.places(), [&](const auto& at) { return at.column == static_cast<Index>(i); });
            if (!is_moved) continue;
            along.push_back(i);
            std::string name = e_.u[i].symbol().name;
            if (name.ends_with('\'')) name.pop_back();
            result_.columns.push_back(name + ".force");
        }
        actuation_ = Actuation(numbers_, std::move(along));
    }
    for (const auto* list : {&e_.q, &e_.u, &e_.x, &e_.udot}) {
        for (const Expr& s : *list) result_.columns.push_back(s.symbol().name);
    }
    for (const eom::Constraint& c : e_.constraints) result_.columns.push_back(c.lambda.symbol().name);
    for (const eom::Output& o : e_.outputs) result_.columns.push_back(o.name);
    return true;
}

bool InverseMotion::begin(double t) {
    const VectorXd asked = state_.u;
    if (!first_position(t) || !speeds(t)) return false;
    if (open_ == 0) return true;
    find_dynamics();
    const MatrixXd& G = dynamics_.G;
    const MatrixXd Z = G.rows() == 0 ? MatrixXd::Identity(length(e_.u), length(e_.u)) : solve::null_space(scaled(G));
    held_by_inputs_ = solve::solve_least_squares(Z.transpose() * actuation_.matrix(state_), VectorXd::Zero(Z.cols())).rank;
    rule_ = held_by_inputs_ < Z.cols() ? Rule::own_dynamics : Rule::energy;
    if (rule_ == Rule::energy) metric_rates_ = MetricRates(numbers_, qdot_rows_);
    if (rule_ == Rule::own_dynamics) state_.u = asked;
    tell_open(Z.cols() - held_by_inputs_);
    return rule_ == Rule::energy || fit_speeds(t);
}

void InverseMotion::tell_open(Index unpushed) {
    const MatrixXd open = solve::null_space(scaled(A_));
    std::vector<std::string> names;
    for (Index i = 0; i < open.rows(); ++i) {
        if (open.row(i).norm() > 1e-6) names.push_back(e_.u[i].symbol().name);
    }
    if (names.size() > 8) names.resize(8), names.emplace_back("…");
    const std::string what = fmt::format("the motion leaves {} open, among {}", degrees(open_), fmt::join(names, ", "));
    if (rule_ == Rule::energy) {
        result_.notes.push_back(
            fmt::format("{}: of all speeds that follow it those of least kinetic energy ½ u'M u are taken at every moment", what));
    } else if (unpushed >= open_) {
        result_.notes.push_back(
            fmt::format("{}: nothing pushes there, so that motion follows from the equations and where it begins", what));
    } else {
        result_.notes.push_back(
            fmt::format("{}: nothing pushes along {} of them, whose motion follows from the equations; of all accelerations of the "
                        "others those of least ½ u'' M u'' are taken",
                        what, unpushed));
    }
}

void InverseMotion::walk() {
    for (std::size_t k = 0; k < options_.times.size(); ++k) {
        const double t = options_.times[k];
        if (options_.on_step && !options_.on_step(t)) {
            fail(t, "stopped");
            return;
        }
        if ((k > 0 && !position(t)) || !speeds(t) || !accelerations(t) || !forces(t) || !add_row(t)) return;
    }
}

bool InverseMotion::add_row(double t) {
    VectorXd row(length(result_.columns));
    const VectorXd push = options_.by == ActuatedBy::inputs ? driven_.w : push_;
    row << t, push, state_.q, state_.u, driven_.x, udot_, lambda_, numbers_.outputs(driven_, udot_, lambda_);
    if (!row.allFinite()) {
        Index bad = 0;
        while (std::isfinite(row[bad])) ++bad;
        return fail(t, fmt::format("{} is not a number", result_.columns[bad]));
    }
    result_.rows.push_back(std::move(row));
    return true;
}

VectorXd InverseMotion::gathered() const {
    const Index nq = length(e_.q), nu = has_speeds() ? length(e_.u) : 0;
    const std::vector<std::size_t>& carried = actuation_.carried();
    VectorXd z(nq + nu + length(carried));
    z.head(nq) = state_.q;
    if (nu > 0) z.segment(nq, nu) = state_.u;
    for (std::size_t k = 0; k < carried.size(); ++k) z[nq + nu + static_cast<Index>(k)] = state_.x[static_cast<Index>(carried[k])];
    return z;
}

void InverseMotion::spread(const VectorXd& z) {
    const Index nq = length(e_.q), nu = has_speeds() ? length(e_.u) : 0;
    const std::vector<std::size_t>& carried = actuation_.carried();
    state_.q = z.head(nq);
    if (nu > 0) state_.u = z.segment(nq, nu);
    for (std::size_t k = 0; k < carried.size(); ++k) state_.x[static_cast<Index>(carried[k])] = z[nq + nu + static_cast<Index>(k)];
}

VectorXd InverseMotion::flow() const {
    const Index nq = length(e_.q), nu = has_speeds() ? length(e_.u) : 0;
    const std::vector<std::size_t>& carried = actuation_.carried();
    VectorXd rate(nq + nu + length(carried));
    rate.head(nq) = numbers_.coordinate_rates(driven_);
    if (nu > 0) rate.segment(nq, nu) = udot_;
    if (carried.empty()) return rate;
    const VectorXd xdot = numbers_.auxiliary_rates(driven_);
    for (std::size_t k = 0; k < carried.size(); ++k) rate[nq + nu + static_cast<Index>(k)] = xdot[static_cast<Index>(carried[k])];
    return rate;
}

bool InverseMotion::at(double t, const VectorXd& z, std::size_t level) {
    spread(z);
    return prescribe(t) && speeds(t) && accelerations(t) && forces(t, level);
}

bool InverseMotion::rate(double t, const VectorXd& z, VectorXd& out) {
    const bool needs_inputs = !actuation_.carried().empty();
    const bool is_found = needs_inputs || has_speeds() ? at(t, z, needs_inputs ? last_level() : 0) : (spread(z), prescribe(t) && speeds(t));
    if (!is_found) return forgive();
    if (!needs_inputs && !has_speeds()) driven_ = state_;
    out = flow();
    return out.allFinite();
}

bool InverseMotion::forgive() {
    result_.is_ok = true, result_.is_wrong_input = false;
    result_.why.clear();
    return false;
}

bool InverseMotion::settle(double t, const VectorXd& z) {
    spread(z);
    return prescribe(t) && close(t) && (!has_speeds() || fit_speeds(t));
}

void InverseMotion::integrate() {
    const std::vector<double>& times = options_.times;
    VectorXd z = gathered(), out(z.size());
    solve::Ode ode;
    ode.size = z.size();
    ode.rate = [&](double t, const double* x, double* xdot) {
        const bool is_found = rate(t, Eigen::Map<const VectorXd>(x, z.size()), out);
        Eigen::Map<VectorXd>(xdot, z.size()) = out;
        return is_found;
    };
    ode.project = [&](double t, double* x) {
        Eigen::Map<VectorXd> there(x, z.size());
        if (!settle(t, there)) return forgive(), solve::Projected::failed;
        there = gathered();
        return solve::Projected::moved;
    };
    ode.relative = options_.tolerance;
    ode.absolute = VectorXd::Constant(z.size(), options_.tolerance / 100);
    ode.end = times.back();
    ode.max_step = (times.back() - times.front()) / 100;
    solve::Watch watch;
    watch.row = [&](double t, const VectorXd& x) { return settle(t, x) && at(t, gathered(), last_level()) && add_row(t); };
    bool is_stopped = false;
    watch.step = [&](solve::Stepper& stepper) {
        is_stopped = options_.on_step && !options_.on_step(stepper.now());
        return !is_stopped;
    };
    why_.clear();
    if (!(times.back() > times.front())) {
        watch.row(times.front(), z);
        return;
    }
    const auto stepper = solve::make_adams(ode, times.front(), z);
    const solve::OdeReport report = solve::integrate(*stepper, times, watch);
    if (report.status == solve::OdeReport::Status::reached || !result_.is_ok) return;
    fail(report.t, is_stopped ? "stopped" : !why_.empty() ? why_ : report.why);
}

Forces inverse(const numeric::CompiledEquations& numbers, const numeric::State& start, const Prescription& prescription,
               const InverseOptions& options) {
    return InverseMotion(numbers, start, prescription, options).run();
}

}  // namespace linkwright::motion
