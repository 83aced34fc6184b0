#include "linkwright/analysis/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "linkwright/analysis/motion_system.hpp"
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
        x_.setZero(nq_ + n_ + (system_.has_power() ? 1 : 0));
        x_.head(nq_) = start.q;
        x_.segment(nq_, n_) = start.u;
        t_ = start.t;
    }

    bool rate(double t, const double* x, double* out) {
        system_.put(t, x, x + nq_);
        if (!system_.calc_rates()) return false;
        std::ranges::copy(system_.qdot(), out);
        std::ranges::copy(system_.udot(), out + nq_);
        if (system_.has_power()) out[nq_ + n_] = system_.power();
        return true;
    }

    solve::Projected project(double t, double* x) {
        system_.put(t, x, x + nq_);
        switch (system_.project()) {
            case MotionSystem::Projection::kept: return solve::Projected::kept;
            case MotionSystem::Projection::failed: return solve::Projected::failed;
            case MotionSystem::Projection::moved: break;
        }
        std::copy_n(system_.q(), nq_, x);
        std::copy_n(system_.u(), n_, x + nq_);
        return solve::Projected::moved;
    }

    /// All columns at a state; false when something in it is not a number.
    bool make_row(double t, const VectorXd& x, VectorXd& row) {
        system_.put(t, x.data(), x.data() + nq_);
        if (options_.keep == Keep::projection && system_.must_project() && system_.project() == MotionSystem::Projection::failed) return false;
        if (!system_.calc_rates()) return false;
        const State s = system_.state();
        const VectorXd invariants = numbers_.invariants(s);
        const Residuals residuals = numbers_.residuals(s);
        const VectorXd outputs = numbers_.outputs(s, system_.udot(), system_.lambda());
        const double total = invariants[0] + invariants[1];
        if (std::isnan(start_energy_)) start_energy_ = total;
        const double work = system_.has_power() ? x[nq_ + n_] : 0;
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
    void look_at_energy(solve::Ode& ode, double t, const VectorXd& x) {
        system_.put(t, x.data(), x.data() + nq_);
        double kinetic = 0;
        kinetic_(system_.in(), {&kinetic, 1});
        if (!std::isfinite(kinetic)) return;
        motion_.statistics.largest_kinetic = std::max(motion_.statistics.largest_kinetic, kinetic);
        energy_scale_ = std::max(energy_scale_, kinetic);
        if (system_.has_power()) ode.absolute[ode.size - 1] = std::max(absolute_ * 1e-3, options_.tolerance * energy_scale_);
    }

    bool after_step(solve::Ode& ode, solve::Stepper& stepper) {
        const long k = stepper.statistics().steps;
        if (k < 64 || k % 8 == 0) look_at_energy(ode, stepper.now(), stepper.x());
        return !options_.go_on || options_.go_on(stepper.now());
    }

    std::unique_ptr<solve::Stepper> make_stepper(const solve::Ode& ode) const {
        switch (options_.integrator) {
            case Integrator::bdf: return solve::make_bdf(ode, t_, x_);
            case Integrator::rk: return solve::make_runge_kutta(ode, t_, x_);
            case Integrator::rk4: return solve::make_classical(ode, t_, x_);
            case Integrator::adams:
            case Integrator::ida: break;
        }
        return solve::make_adams(ode, t_, x_);
    }

    void move() {
        solve::Ode ode;
        ode.size = x_.size();
        ode.rate = [this](double t, const double* x, double* out) { return rate(t, x, out); };
        if (system_.must_project() && options_.keep == Keep::projection) ode.project = [this](double t, double* x) { return project(t, x); };
        ode.relative = options_.tolerance;
        ode.absolute = VectorXd::Constant(x_.size(), absolute_);
        if (system_.has_power()) {
            // The work done is known to the tolerance relative to the energies met with so far; from rest, to those of a crawl.
            system_.put(t_, x_.data(), x_.data() + nq_);
            system_.calc_dynamics();
            const double crawl = n_ == 0 ? 0 : 1e-3 * system_.dynamics().M.diagonal().maxCoeff();
            energy_scale_ = std::isfinite(crawl) ? crawl : 0;
        }
        ode.end = options_.times.empty() ? t_ : options_.times.back();
        ode.max_step = options_.max_step;
        ode.step = options_.step;
        const std::unique_ptr<solve::Stepper> stepper = make_stepper(ode);
        solve::Watch watch;
        watch.max_steps = options_.max_steps;
        watch.row = [this](double t, const VectorXd& x) {
            VectorXd row;
            if (!make_row(t, x, row)) return false;
            motion_.rows.push_back(std::move(row));
            return true;
        };
        watch.step = [this, &ode](solve::Stepper& s) { return after_step(ode, s); };
        look_at_energy(ode, t_, x_);
        if (!options_.events.empty()) {
            std::vector<Expr> when;
            for (const eom::Event& event : options_.events) {
                when.push_back(event.when);
                using enum eom::Event::Direction;
                watch.crossings.push_back(event.direction == up ? solve::Crossing::up : event.direction == down ? solve::Crossing::down : solve::Crossing::both);
            }
            watch.roots = [this, function = numbers_.compile(when)](double t, const VectorXd& x, VectorXd& g) {
                system_.put(t, x.data(), x.data() + nq_);
                g = function(system_.state());
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
    Index nq_ = 0, n_ = 0;
    VectorXd x_;
    std::string row_trouble_;
};

}  // namespace

Motion simulate(const Numbers& numbers, const State& start, const SimulateOptions& options) {
    return Run(numbers, start, options)();
}

}  // namespace linkwright::analysis
