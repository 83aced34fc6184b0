#include "linkwright/analysis/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "linkwright/analysis/chart.hpp"
#include "linkwright/analysis/motion_system.hpp"
#include "linkwright/analysis/rate_jacobian.hpp"
#include "linkwright/analysis/stabilised_form.hpp"
#include "linkwright/solve/ode.hpp"

namespace linkwright::analysis {

namespace {

using Index = Eigen::Index;

/// One motion under way.
class Run {
public:
    Run(const Numbers& numbers, const State& start, const SimulateOptions& options)
        : numbers_(numbers), e_(numbers.equations()), options_(options), system_(numbers, start, options) {
        absolute_ = options.absolute > 0 ? options.absolute : options.tolerance / 100;
        nq_ = system_.coordinates(), n_ = system_.speeds();
        name_columns();
        kinetic_ = numbers.compile(std::array{e_.energy.kinetic});
        begin(start);
    }

    Motion operator()() {
        const std::clock_t clock = std::clock();
        move();
        motion_.statistics.evaluations = system_.evaluations;
        motion_.statistics.cpu_seconds = static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
        return std::move(motion_);
    }

private:
    void name_columns() {
        std::vector<std::string>& c = motion_.columns;
        c.emplace_back("t");
        for (const Expr& q : e_.q) c.push_back(q.symbol().name);
        for (const Expr& u : e_.u) c.push_back(u.symbol().name);
        for (const char* name : {"energy.kinetic", "energy.potential", "energy.total", "constraint.position", "constraint.velocity", "energy.error"}) c.emplace_back(name);
        for (const char* kind : {"linear", "angular"}) {
            for (const char* axis : {"x", "y", "z"}) c.push_back(fmt::format("momentum.{}.{}", kind, axis));
        }
        for (const eom::Output& o : e_.outputs) c.push_back(o.name);
    }

    void begin(const State& start) {
        t_ = start.t;
        system_.put(t_, start.q.data(), start.u.data());
        if (system_.rows() > 0 && options_.integrator != Integrator::ida && (options_.keep == Keep::partition || options_.keep == Keep::nullspace)) {
            chart_ = std::make_unique<Chart>(system_, options_.keep == Keep::partition);
            if (!chart_->choose()) chart_.reset();
        }
        nv_ = chart_ ? chart_->coordinates() : nq_;
        nz_ = chart_ ? chart_->speeds() : n_;
        x_.setZero(nv_ + nz_ + (system_.has_power() ? 1 : 0));
        gather(x_.data());
    }

    /// From where the system is to what is integrated, and back.
    void gather(double* x) const {
        if (chart_) return chart_->pack(x, x + nv_);
        std::copy_n(system_.q(), nq_, x);
        std::copy_n(system_.u(), n_, x + nq_);
    }
    bool spread(double t, const double* x) {
        if (chart_) return chart_->unpack(t, x, x + nv_);
        system_.put(t, x, x + nq_);
        return true;
    }

    bool rate(double t, const double* x, double* out) {
        if (!spread(t, x) || !system_.calc_rates()) return false;
        if (chart_) {
            chart_->rates(out, out + nv_);
        } else {
            std::ranges::copy(system_.qdot(), out);
            std::ranges::copy(system_.udot(), out + nq_);
        }
        if (system_.has_power()) out[nv_ + nz_] = system_.power();
        return true;
    }

    solve::Projected project(double t, double* x) {
        system_.put(t, x, x + nq_);
        switch (system_.project()) {
            case MotionSystem::Projection::kept: return solve::Projected::kept;
            case MotionSystem::Projection::failed: return solve::Projected::failed;
            case MotionSystem::Projection::moved: break;
        }
        gather(x);
        return solve::Projected::moved;
    }

    /// All columns at a state; false when something in it is not a number.
    bool make_row(double t, const VectorXd& x, VectorXd& row) {
        if (!spread(t, x.data())) return false;
        if ((options_.keep == Keep::projection || form_) && system_.must_project() && system_.project() == MotionSystem::Projection::failed) return false;
        if (!system_.calc_rates()) return false;
        const State s = system_.state();
        const VectorXd invariants = numbers_.invariants(s);
        const Residuals residuals = numbers_.residuals(s);
        const VectorXd outputs = numbers_.outputs(s, system_.udot(), system_.lambda());
        const double total = invariants[0] + invariants[1];
        if (std::isnan(start_energy_)) start_energy_ = total;
        const double work = system_.has_power() ? x[nv_ + nz_] : 0;
        const double error = total - start_energy_ - work;
        row.resize(static_cast<Index>(motion_.columns.size()));
        row << t, s.q, s.u, invariants[0], invariants[1], total, residuals.position(), residuals.velocity(), error, invariants.segment(2, 6), outputs;
        Statistics& k = motion_.statistics;
        k.energy_error = std::max(k.energy_error, std::abs(error));
        k.largest_kinetic = std::max(k.largest_kinetic, invariants[0]);
        k.position = std::max(k.position, residuals.position());
        k.velocity = std::max(k.velocity, residuals.velocity());
        for (Index i = 0; i < row.size(); ++i) {
            if (std::isfinite(row[i])) continue;
            row_trouble_ = fmt::format("{} is not finite", motion_.columns[static_cast<std::size_t>(i)]);
            return false;
        }
        return true;
    }

    /// Kinetic energy now and then, not only at the rows, which may fall where it happens to vanish.
    void look_at_energy(double t, const VectorXd& x) {
        if (!spread(t, x.data())) return;
        double kinetic = 0;
        kinetic_(system_.in(), {&kinetic, 1});
        if (!std::isfinite(kinetic)) return;
        motion_.statistics.largest_kinetic = std::max(motion_.statistics.largest_kinetic, kinetic);
        energy_scale_ = std::max(energy_scale_, kinetic);
        if (!system_.has_power()) return;
        const double allowed = std::max(absolute_ * 1e-3, options_.tolerance * energy_scale_);
        (form_ ? dae_.absolute : ode_.absolute)[nv_ + nz_] = allowed;
    }

    void keep_chart(solve::Stepper& stepper) {
        if (!spread(stepper.now(), stepper.x().data())) return;
        chart_->settle();
        if (chart_->calc_quality() > (options_.keep == Keep::partition ? 0.1 : 0.3) || !chart_->choose()) return;
        ++motion_.statistics.choices;
        VectorXd x = stepper.x();
        gather(x.data());
        stepper.restart(stepper.now(), x);
    }

    void keep_rows(solve::Stepper& stepper) {
        if (!form_->has_redundant_rows()) return;
        spread(stepper.now(), stepper.x().data());
        if (form_->calc_quality() > 0.1 || !form_->choose()) return;
        ++motion_.statistics.choices;
        stepper.restart(stepper.now(), stepper.x());
    }

    bool after_step(solve::Stepper& stepper) {
        const long k = stepper.statistics().steps;
        if (k < 64 || k % 8 == 0) look_at_energy(stepper.now(), stepper.x());
        if (chart_) keep_chart(stepper);
        if (form_) keep_rows(stepper);
        return !options_.go_on || options_.go_on(stepper.now());
    }

    std::unique_ptr<solve::Stepper> make_stepper() {
        switch (options_.integrator) {
            case Integrator::bdf: return solve::make_bdf(ode_, t_, x_);
            case Integrator::rk: return solve::make_runge_kutta(ode_, t_, x_);
            case Integrator::rk4: return solve::make_classical(ode_, t_, x_);
            case Integrator::ida: return make_descriptor_stepper();
            case Integrator::adams: break;
        }
        return solve::make_adams(ode_, t_, x_);
    }

    /// How the integrators are to judge errors. The work done is known to the tolerance relative to the energies met with so
    /// far; from rest, to those of a crawl.
    void set_tolerances() {
        ode_.relative = options_.tolerance;
        ode_.absolute = VectorXd::Constant(x_.size(), absolute_);
        ode_.end = options_.times.empty() ? t_ : options_.times.back();
        ode_.max_step = options_.max_step;
        ode_.step = options_.step;
        if (!system_.has_power()) return;
        spread(t_, x_.data());
        system_.calc_dynamics();
        const double crawl = n_ == 0 ? 0 : 1e-3 * system_.dynamics().M.diagonal().maxCoeff();
        energy_scale_ = std::isfinite(crawl) ? crawl : 0;
    }

    void set_up_ode() {
        ode_.size = x_.size();
        ode_.rate = [this](double t, const double* x, double* out) { return rate(t, x, out); };
        if (system_.must_project() && options_.keep == Keep::projection) ode_.project = [this](double t, double* x) { return project(t, x); };
        if (options_.integrator == Integrator::bdf && !chart_) {
            jacobian_ = std::make_unique<RateJacobian>(system_, options_);
            ode_.jacobian = [this](double t, const double* x, double* columns) { return jacobian_->calc(t, x, columns); };
        }
    }

    /// IDA keeps the constraints itself.
    std::unique_ptr<solve::Stepper> make_descriptor_stepper() {
        form_ = std::make_unique<StabilisedForm>(system_);
        spread(t_, x_.data());
        VectorXd rates;
        if (!form_->choose() || !form_->complete(t_, x_, rates)) return nullptr;
        set_tolerances();
        dae_.size = form_->size();
        for (Index i = 0; i < dae_.size; ++i) dae_.is_differential.push_back(form_->is_differential(i));
        dae_.residual = [this](double t, const double* x, const double* xdot, double* r) { return form_->calc_residual(t, x, xdot, r); };
        dae_.jacobian = [this](double t, double c, const double* x, const double* xdot, double* J) { return form_->calc_jacobian(t, c, x, xdot, J); };
        dae_.relative = ode_.relative, dae_.absolute = ode_.absolute, dae_.end = ode_.end, dae_.max_step = ode_.max_step;
        // Multipliers take no part in any test: what rounding leaves of φ divided by a short step is no error of theirs.
        for (Index i = 0; i < dae_.size; ++i) {
            if (!form_->is_differential(i)) dae_.absolute[i] = 1e30;
        }
        return solve::make_ida(dae_, t_, x_, rates, [this](double t, VectorXd& x, VectorXd& xdot) { return form_->complete(t, x, xdot); });
    }

    void move() {
        if (options_.integrator != Integrator::ida) set_tolerances(), set_up_ode();
        const std::unique_ptr<solve::Stepper> stepper = make_stepper();
        if (!stepper) {
            motion_.stop = Stop::failed;
            motion_.t = t_;
            motion_.why = fmt::format("at t = {:.6g} {}", t_, system_.refusal());
            return;
        }
        solve::Watch watch;
        watch.max_steps = options_.max_steps;
        watch.row = [this](double t, const VectorXd& x) {
            VectorXd row;
            if (!make_row(t, x, row)) return false;
            motion_.rows.push_back(std::move(row));
            return true;
        };
        watch.step = [this](solve::Stepper& s) { return after_step(s); };
        look_at_energy(t_, x_);
        if (!options_.events.empty()) {
            std::vector<Expr> when;
            for (const eom::Event& event : options_.events) {
                when.push_back(event.when);
                using enum eom::Event::Direction;
                watch.crossings.push_back(event.direction == up ? solve::Crossing::up : event.direction == down ? solve::Crossing::down : solve::Crossing::both);
            }
            watch.roots = [this, function = numbers_.compile(when)](double t, const VectorXd& x, VectorXd& g) {
                if (spread(t, x.data())) {
                    g = function(system_.state());
                } else {
                    g.setConstant(std::numeric_limits<double>::quiet_NaN());
                }
            };
            watch.crossed = [this](Index which, double t, const VectorXd& x) {
                EventRecord record{t, options_.events[static_cast<std::size_t>(which)].name, {}};
                if (make_row(t, x, record.row)) motion_.events.push_back(std::move(record));
                return options_.events[static_cast<std::size_t>(which)].stops;
            };
        }
        const solve::OdeReport report = solve::integrate(*stepper, options_.times, watch);
        motion_.t = report.t;
        motion_.why = report.why;
        using enum solve::OdeReport::Status;
        switch (report.status) {
            case reached: motion_.stop = Stop::reached; break;
            case event:
                motion_.stop = Stop::event;
                motion_.why = fmt::format("at t = {:.6g} event {} stopped the motion", report.t, motion_.events.back().name);
                break;
            case interrupted:
                motion_.stop = Stop::interrupted;
                motion_.why = fmt::format("at t = {:.6g} the motion was interrupted", report.t);
                break;
            case failed: motion_.stop = Stop::failed; break;
        }
        if (report.status == failed && !system_.refusal().empty()) {
            motion_.why = fmt::format("at t = {:.6g} {}", report.t, system_.refusal());
        }
        const solve::OdeStatistics& s = stepper->statistics();
        motion_.statistics.steps = s.steps;
        motion_.statistics.jacobians = s.jacobians;
        motion_.statistics.failures = s.failures;
        motion_.statistics.projections = s.projections;
    }

    const Numbers& numbers_;
    const eom::EquationsOfMotion& e_;
    const SimulateOptions& options_;
    MotionSystem system_;
    Motion motion_;
    Numbers::Function kinetic_;
    double energy_scale_ = 0;
    double absolute_ = 0, t_ = 0, start_energy_ = std::numeric_limits<double>::quiet_NaN();
    Index nq_ = 0, n_ = 0, nv_ = 0, nz_ = 0;
    std::unique_ptr<Chart> chart_;
    std::unique_ptr<RateJacobian> jacobian_;
    std::unique_ptr<StabilisedForm> form_;
    solve::Ode ode_;
    solve::Dae dae_;
    VectorXd x_;
    std::string row_trouble_;
};

}  // namespace

Motion simulate(const Numbers& numbers, const State& start, const SimulateOptions& options) {
    return Run(numbers, start, options)();
}

}  // namespace linkwright::analysis
