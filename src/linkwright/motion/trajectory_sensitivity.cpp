#include "linkwright/motion/trajectory_sensitivity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/motion/rate_jacobian.hpp"
#include "linkwright/motion/variation.hpp"
#include "linkwright/solve/cvodes.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

SimulateOptions settled(SimulateOptions o) {
    o.keep = ConstraintStabilization::projection;
    o.events.clear();
    o.keep_end = false;
    if (o.integrator != Integrator::bdf) o.integrator = Integrator::adams;
    return o;
}

/// One motion and its small changes under way: S is stored after x, column by column.
class Run {
public:
    Run(const numeric::CompiledEquations& numbers, const numeric::State& start, const TrajectoryOptions& options, const MatrixXd& S,
        TrajectorySensitivity& result)
        : numbers_(numbers),
          e_(numbers.equations()),
          options_(options),
          motion_options_(settled(options.motion)),
          result_(result),
          system_(numbers, start, motion_options_),
          nq_(system_.coordinates()),
          n_(system_.speeds()),
          size_(nq_ + n_),
          columns_(S.cols()),
          variation_(system_, motion_options_, options.parameters, observed()) {
        x_.resize(size_ * (1 + columns_));
        const VectorXd in = arguments(numbers.layout(), start);
        x_ << in.segment(numbers.layout().q(), size_), S.reshaped();
    }

    void operator()(std::span<const double> times) {
        if (size_ == 0) {  // nothing to integrate: what moves is given
            for (const double t : times) {
                if (!take_row(t, x_)) return fail(t, system_.failure());
            }
            return;
        }
        set_up(times);
        const auto stepper = motion_options_.integrator == Integrator::bdf ? solve::make_bdf(sensitive_, times.front(), x_)
                                                                           : solve::make_adams(sensitive_, times.front(), x_);
        solve::Watch watch;
        watch.max_steps = motion_options_.max_steps;
        watch.row = [this](double t, const VectorXd& x) { return take_row(t, x); };
        watch.step = [this](solve::Stepper& s) { return !motion_options_.on_step || motion_options_.on_step(s.now()); };
        const solve::OdeReport report = solve::integrate(*stepper, times, watch);
        result_.steps = stepper->statistics().steps;
        result_.evaluations = stepper->statistics().evaluations;
        if (report.status == solve::OdeReport::Status::reached) return;
        result_.is_ok = false;
        result_.why = report.status == solve::OdeReport::Status::interrupted ? fmt::format("interrupted at t = {:.6g}", report.t)
                      : system_.failure().empty()                            ? report.why
                                                                             : report.why + ": " + system_.failure();
    }

private:
    using Columns = Eigen::Map<MatrixXd>;
    using ConstColumns = Eigen::Map<const MatrixXd>;

    /// Everything that is told at a row, in its order; also fills its names.
    std::vector<Expr> observed() {
        std::vector<Expr> all;
        const auto add = [&](std::string name, const Expr& value) {
            result_.of.push_back(std::move(name));
            all.push_back(value);
        };
        for (const Expr& q : e_.q) add(q.symbol().name, q);
        for (const Expr& u : e_.u) add(u.symbol().name, u);
        for (const Expr& x : e_.x) add(x.symbol().name, x);
        add("energy.kinetic", e_.energy.kinetic), add("energy.potential", e_.energy.potential), add("energy.total", e_.energy.total());
        std::vector<std::string> left_out;
        for (const eom::Output& o : e_.outputs) {
            const bool has_reactions =
                std::ranges::any_of(e_.constraints, [&](const eom::Constraint& c) { return depends_on(o.value, c.lambda); });
            if (has_reactions && !system_.redundant().empty()) {
                left_out.push_back(o.name);
            } else {
                add(o.name, o.value);
            }
        }
        if (!left_out.empty()) {
            result_.notes.push_back(
                fmt::format("{} left out: reactions that redundant constraints ({}) share among themselves have no derivative of their own",
                            fmt::join(left_out, ", "), system_.names_of(system_.redundant())));
        }
        return all;
    }

    void set_up(std::span<const double> times) {
        const double absolute = motion_options_.absolute > 0 ? motion_options_.absolute : motion_options_.tolerance / 100;
        solve::Ode& ode = sensitive_.ode;
        ode.size = size_;
        ode.relative = motion_options_.tolerance;
        ode.absolute = VectorXd::Constant(size_, absolute);
        ode.end = times.back();
        ode.max_step = motion_options_.max_step;
        if (system_.follows_time() && !(ode.max_step > 0)) ode.max_step = (times.back() - times.front()) / 100;
        ode.rate = [this](double t, const double* x, double* out) {
            system_.put(t, x, x + nq_);
            if (!system_.calc_rates()) return false;
            std::ranges::copy(system_.qdot(), out);
            std::ranges::copy(system_.udot(), out + nq_);
            return true;
        };
        if (motion_options_.integrator == Integrator::bdf) {
            jacobian_ = std::make_unique<RateJacobian>(system_, motion_options_);
            ode.jacobian = [this](double t, const double* x, double* columns) { return calc_jacobian(t, x, columns); };
        }
        if (system_.must_project()) ode.project = [this](double t, double* x) { return project(t, x); };
        sensitive_.columns = columns_;
        sensitive_.rate = [this](double t, const double* x, const double* S, double* out) {
            if (!variation_.at(t, x)) return false;
            Columns rate(out, size_, columns_);
            variation_.rates(ConstColumns(S, size_, columns_), rate);
            return rate.allFinite();
        };
        sensitive_.control_errors = options_.control_errors;
        sensitive_.absolute = MatrixXd::Constant(size_, columns_, absolute);
        for (std::size_t k = 0; k < options_.parameters.size(); ++k) {
            const double p = std::abs(numbers_.parameters()[options_.parameters[k]]);
            if (p > 0) sensitive_.absolute.col(k) /= p;
        }
    }

    /// Without the work done, which is no unknown here.
    bool calc_jacobian(double t, const double* x, double* columns) {
        if (!system_.has_power()) return jacobian_->calc(t, x, columns);
        whole_.resize(size_ + 1, size_ + 1);
        if (!jacobian_->calc(t, x, whole_.data())) return false;
        Columns(columns, size_, size_) = whole_.topLeftCorner(size_, size_);
        return true;
    }

    solve::Projected project(double t, double* x) {
        system_.put(t, x, x + nq_);
        if (system_.project() == MotionSystem::Projection::failed) return solve::Projected::failed;
        std::copy_n(system_.q(), nq_, x);
        std::copy_n(system_.u(), n_, x + nq_);
        Columns S(x + size_, size_, columns_);
        if (!variation_.at(t, x) || !variation_.project(S)) return solve::Projected::failed;
        return solve::Projected::moved;
    }

    bool take_row(double t, const VectorXd& state) {
        row_ = state;
        if (system_.must_project() && project(t, row_.data()) == solve::Projected::failed) return false;
        if (!variation_.at(t, row_.data())) return false;
        const ConstColumns S(row_.data() + size_, size_, columns_);
        VectorXd values = variation_.observe();
        MatrixXd derivatives = variation_.observe(S);
        for (Index i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i]) || !derivatives.row(i).allFinite())
                return system_.refuse(fmt::format("{} or a derivative of it is not finite", result_.of[i]));
        }
        result_.position = std::max(result_.position, variation_.position_residual(S));
        result_.velocity = std::max(result_.velocity, variation_.velocity_residual(S));
        result_.times.push_back(t);
        result_.values.push_back(std::move(values));
        result_.derivatives.push_back(std::move(derivatives));
        return true;
    }

    void fail(double t, const std::string& why) {
        result_.is_ok = false;
        result_.why = fmt::format("at t = {:.6g} {}", t, why);
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const TrajectoryOptions& options_;
    const SimulateOptions motion_options_;
    TrajectorySensitivity& result_;
    MotionSystem system_;
    Index nq_, n_, size_, columns_;
    Variation variation_;
    std::unique_ptr<RateJacobian> jacobian_;
    solve::SensitiveOde sensitive_;
    VectorXd x_, row_;
    MatrixXd whole_;
};

}  // namespace

TrajectorySensitivity trajectory_sensitivity(const numeric::CompiledEquations& numbers, const numeric::State& start,
                                             const TrajectoryOptions& options) {
    const eom::EquationsOfMotion& e = numbers.equations();
    TrajectorySensitivity result;
    const auto refuse = [&](std::string why, bool is_wrong_input) {
        result.is_ok = false;
        result.is_wrong_input = is_wrong_input;
        result.why = std::move(why);
    };
    for (const std::size_t p : options.parameters) result.by.push_back(e.parameters[p].symbol.symbol().name);
    for (const InitialValue& v : options.initial) result.by.push_back(v.name + "(0)");
    if (e.reduction) {
        refuse(fmt::format("sensitivities of a motion are those of the joints' speeds, and '{}' has speeds of the bodies", e.formulation),
               true);
        return result;
    }
    if (result.by.empty()) return refuse("no parameter is given by which to differentiate", true), result;
    // The motion by itself first: it knows all the ways in which a motion ends.
    const SimulateOptions motion = settled(options.motion);
    result.motion = simulate(numbers, start, motion);
    std::vector<double> times;
    for (const VectorXd& row : result.motion.rows) times.push_back(row[0]);
    if (times.empty())
        return refuse(result.motion.why.empty() ? "no times are given" : result.motion.why, result.motion.why.empty()), result;
    const StartSensitivity at_start = start_sensitivity(numbers, start, options);
    if (!at_start.is_ok) return refuse(at_start.why, at_start.is_wrong_input), result;
    Run(numbers, start, options, at_start.columns, result)(times);
    if (result.is_ok && result.motion.stop != Stop::reached) refuse(result.motion.why, false);
    return result;
}

}  // namespace linkwright::motion
