#include "linkwright/motion/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <optional>

#include "linkwright/motion/chart.hpp"
#include "linkwright/motion/motion_system.hpp"
#include "linkwright/motion/pace.hpp"
#include "linkwright/motion/rate_jacobian.hpp"
#include "linkwright/motion/sampling.hpp"
#include "linkwright/motion/singular_watch.hpp"
#include "linkwright/motion/stabilised_form.hpp"
#include "linkwright/numeric/branches.hpp"
#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/ode.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

/// One motion under way.
class Run {
public:
    /// `sound`: where the constraints have their rank; another state than the start when that is in a singular position, which is left then.
    Run(const numeric::CompiledEquations& numbers, const numeric::State& start, const numeric::State& sound, const SimulateOptions& options)
        : numbers_(numbers),
          e_(numbers.equations()),
          options_(options),
          absolute_(options.absolute > 0 ? options.absolute : options.tolerance / 100),
          system_(numbers, sound, options),
          watch_(system_, watched_motion(), options.at_singular == AtSingular::pass, {options.tolerance, absolute_}),
          leaves_singular_(&sound != &start) {
        nq_ = system_.coordinates(), n_ = system_.speeds();
        name_columns();
        if (constexpr Index many = 100; n_ <= many) {
            kinetic_ = numbers.compile_when_used(std::array{e_.energy.kinetic});
        } else {  // long programs of its own: other motions do not change their bits
            std::vector<Expr> x{e_.energy.kinetic, e_.energy.potential};
            x.insert(x.end(), e_.momentum.linear.begin(), e_.momentum.linear.end());
            x.insert(x.end(), e_.momentum.angular.begin(), e_.momentum.angular.end());
            invariants_ = numbers.compile_when_used(x);
        }
        begin(start);
    }

    bool has_redundant_rows() const { return !system_.redundant().empty(); }

    Motion operator()() {
        const std::clock_t clock = std::clock();
        move();
        motion_.singular = watch_.passed();
        motion_.statistics.passages = static_cast<long>(motion_.singular.size());
        motion_.statistics.evaluations = system_.evaluations;
        motion_.statistics.eliminations = system_.eliminations;
        motion_.statistics.pivot_choices = system_.pivot_choices();
        motion_.statistics.cpu_seconds = static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
        return std::move(motion_);
    }

private:
    void name_columns() {
        std::vector<std::string>& c = motion_.columns;
        c.emplace_back("t");
        for (const Expr& q : e_.q) c.push_back(q.symbol().name);
        for (const Expr& u : e_.u) c.push_back(u.symbol().name);
        for (const Expr& x : e_.x) c.push_back(x.symbol().name);
        for (const char* name :
             {"energy.kinetic", "energy.potential", "energy.total", "constraint.position", "constraint.velocity", "energy.error"})
            c.emplace_back(name);
        for (const char* kind : {"linear", "angular"}) {
            for (const char* axis : {"x", "y", "z"}) c.push_back(fmt::format("momentum.{}.{}", kind, axis));
        }
        for (const eom::Output& o : e_.outputs) c.push_back(o.name);
    }

    void begin(const numeric::State& start) {
        t_ = options_.times.empty() ? start.t : options_.times.front();
        numeric::State first = start;
        first.t = t_;
        system_.put(first);
        if (leaves_singular_) {
            const double end =
                options_.times.empty() || options_.times.back() <= t_ ? std::numeric_limits<double>::infinity() : options_.times.back();
            if (!watch_.leave(t_, end)) return;
            t_ = watch_.passage().end();
        }
        if (system_.rows() > 0 && options_.integrator != Integrator::ida &&
            (options_.keep == ConstraintStabilization::partition || options_.keep == ConstraintStabilization::nullspace)) {
            chart_ = std::make_unique<Chart>(system_, options_.keep == ConstraintStabilization::partition);
            if (!chart_->choose()) chart_.reset(), has_no_chart_ = true;
        }
        nv_ = chart_ ? chart_->coordinates() : nq_;
        nz_ = chart_ ? chart_->speeds() : n_;
        // What has no freedom at all still needs something that moves along with time.
        x_.setZero(nv_ + nz_ + (system_.has_power() || nv_ + nz_ == 0 ? 1 : 0));
        gather(x_.data());
        if (leaves_singular_ && system_.has_power()) x_[nv_ + nz_] = watch_.passage().last().work;
    }

    SingularWatch::Subject watched_motion() {
        return {.spread = [this](double t, const double* x) { return spread(t, x); },
                .gather = [this](double* x) { gather(x); },
                .choose = [this] { return (!chart_ || chart_->choose()) && (!form_ || form_->choose()); },
                .end = [this] { return form_ ? dae_.end : ode_.end; },
                .work = [this] { return system_.has_power() ? nv_ + nz_ : Index{-1}; },
                .measures_at_steps = [this] { return form_ || chart_; }};
    }

    /// From where the system is to what is integrated, and back.
    void gather(double* x) const {
        if (chart_) return chart_->pack(x, x + nv_);
        std::copy_n(system_.q(), nq_, x);
        std::copy_n(system_.u(), n_, x + nq_);
    }
    bool spread(double t, const double* x) {
        if (watch_.is_within_passage(t)) {
            const PassedState s = watch_.passage().state(t);
            system_.put(t, s.q.data(), s.u.data());
            return true;
        }
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
        if (system_.has_power() || nv_ + nz_ == 0) out[nv_ + nz_] = system_.has_power() ? system_.power() : 0;
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

    /// Accelerations and multipliers where the system is, put back onto the constraints.
    bool calc_row_rates(double t) {
        if (watch_.is_within_passage(t)) return system_.put_rates(watch_.passage().udot(t), watch_.passage().lambda(t)), true;
        if (system_.must_project() && !chart_ && system_.project(form_ != nullptr) == MotionSystem::Projection::failed) return false;
        if (!system_.calc_rates()) return false;
        row_trouble_ = system_.find_contradiction(is_kept() || form_);
        return row_trouble_.empty();
    }

    /// All columns at a state; false when something in it is not a number.
    bool make_row(double t, const VectorXd& x, VectorXd& row) {
        if (!spread(t, x.data()) || !calc_row_rates(t)) return false;
        const numeric::State s = system_.state();
        const VectorXd invariants = invariants_ ? (*invariants_)(s) : numbers_.invariants(s);
        const numeric::Residuals residuals = numbers_.residuals(s);
        const VectorXd outputs = numbers_.outputs(s, system_.udot(), system_.lambda());
        const double total = invariants[0] + invariants[1];
        if (std::isnan(start_energy_)) start_energy_ = total;
        const double work = system_.has_power() ? x[nv_ + nz_] : 0;
        const double error = total - start_energy_ - work;
        row.resize(motion_.columns.size());
        row << t, s.q, s.u, s.x, invariants[0], invariants[1], total, residuals.position(), residuals.velocity(), error,
            invariants.segment(2, 6), outputs;
        Statistics& k = motion_.statistics;
        k.energy_error = std::max(k.energy_error, std::abs(error));
        k.largest_kinetic = std::max(k.largest_kinetic, invariants[0]);
        k.position = std::max(k.position, residuals.position());
        k.velocity = std::max(k.velocity, residuals.velocity());
        for (Index i = 0; i < row.size(); ++i) {
            if (std::isfinite(row[i])) continue;
            row_trouble_ = fmt::format("{} is not finite", motion_.columns[i]);
            return false;
        }
        return true;
    }

    /// Kinetic energy now and then, not only at the rows, which may fall where it happens to vanish.
    void look_at_energy(double t, const VectorXd& x) {
        if (!spread(t, x.data())) return;
        std::array<double, 8> invariants{};
        const bool is_alone = kinetic_.has_value();
        (is_alone ? *kinetic_ : *invariants_)(system_.in(), {invariants.data(), is_alone ? std::size_t{1} : invariants.size()});
        const double kinetic = invariants[0];
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
        if (chart_->calc_quality() > (options_.keep == ConstraintStabilization::partition ? 0.1 : 0.3) || !chart_->choose()) return;
        ++motion_.statistics.choices;
        VectorXd x = stepper.x();
        gather(x.data());
        stepper.restart(stepper.now(), x);
    }

    void keep_rows(solve::Stepper& stepper) {
        if (!form_->has_redundant_rows()) return;
        spread(stepper.now(), stepper.x().data());
        if (form_->calc_quality() > 0.4 || !form_->choose()) return;
        ++motion_.statistics.choices;
        stepper.restart(stepper.now(), stepper.x());
    }

    bool is_kept() const { return chart_ || (options_.keep == ConstraintStabilization::projection && !form_); }

    bool contradicts(solve::Stepper& stepper) {
        if (system_.rank() == system_.rows() || !spread(stepper.now(), stepper.x().data()) || !system_.calc_rates()) return false;
        std::string why = system_.find_contradiction(is_kept());
        if (why.empty()) return false;
        trouble_at_ = stepper.before();
        trouble_ = std::move(why);
        return true;
    }

    /// Which of the places is near, if one is, and where its coordinate stands. The system is where it is asked.
    struct Near {
        std::string what, advice;
    };
    std::optional<Near> near_singularity() {
        const std::vector<Singularity>& all = options_.singularities;
        if (all.empty()) return std::nullopt;
        if (!singularities_) {
            std::vector<Expr> both;
            for (const Singularity& s : all) both.insert(both.end(), {s.distance, s.value});
            singularities_ = numbers_.compile(both);
        }
        VectorXd out(2 * static_cast<Index>(all.size()));
        (*singularities_)(system_.in(), {out.data(), static_cast<std::size_t>(out.size())});
        constexpr double near = 0.05;  // 3°
        std::optional<Near> found;
        double nearest = near;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double distance = std::abs(out[2 * static_cast<Index>(i)]), value = out[2 * static_cast<Index>(i) + 1];
            if (!(distance < nearest)) continue;
            nearest = distance;
            found = Near{fmt::format("{} ({} = {:.6g})", all[i].what, all[i].coordinate, value), all[i].advice};
        }
        return found;
    }

    /// False when it would never arrive.
    bool gets_on(solve::Stepper& stepper) {
        const Pace::Going going = pace_->step(stepper.now());
        if (going == Pace::Going::well || (going == Pace::Going::creeping && creeps_at_)) return true;
        if (!spread(stepper.now(), stepper.x().data())) return true;
        const auto near = near_singularity();
        creeps_at_ = stepper.now();
        crawl_ = fmt::format("the steps are down to {:.2g} s, and {:.1g} of them are needed to reach the end: {}", pace_->shortest(),
                             (options_.times.back() - stepper.now()) / pace_->shortest(),
                             near ? near->what : "something is stiff there, or nearly singular");
        motion_.advice = near ? near->advice : options_.integrator == Integrator::bdf ? "" : "use --integrator bdf for stiff motion";
        if (going == Pace::Going::creeping) return true;
        trouble_at_ = stepper.now();
        trouble_ = crawl_;
        return false;
    }

    bool after_step(solve::Stepper& stepper) {
        if (!trouble_.empty() || !watch_.trouble().empty() || !gets_on(stepper)) return false;
        const long k = stepper.statistics().steps;
        if ((k < 16 || k % 4 == 0) && contradicts(stepper)) return false;
        if (k < 64 || k % 8 == 0) look_at_energy(stepper.now(), stepper.x());
        if (chart_ && !watch_.has_just_passed()) keep_chart(stepper);
        if (form_ && !watch_.has_just_passed()) keep_rows(stepper);
        return !options_.on_step || options_.on_step(stepper.now());
    }

    std::unique_ptr<solve::Stepper> make_stepper() {
        switch (options_.integrator) {
            case Integrator::bdf: return solve::make_bdf(ode_, t_, x_);
            case Integrator::rk: return solve::make_runge_kutta(ode_, t_, x_);
            case Integrator::rk4: return solve::make_classical(ode_, t_, x_);
            case Integrator::ida:
                if (nq_ + n_ > 0) return make_descriptor_stepper();
                set_tolerances(), set_up_ode();
                break;
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
        // Without freedoms no error limits the steps, and dependent coordinates would be sought too far away.
        if (nz_ == 0 && !(ode_.max_step > 0)) ode_.max_step = (ode_.end - t_) / 500;
        // What follows time may do so while the mechanism is at rest, and a long step would not see it.
        if (system_.follows_time() && !(ode_.max_step > 0)) ode_.max_step = (ode_.end - t_) / 100;
        ode_.step = options_.step > 0 || e_.sampled.empty() ? options_.step : (ode_.end - t_) / 1000;
        if (!system_.has_power()) return;
        spread(t_, x_.data());
        if (system_.rows() > 0) system_.calc_dynamics();
        const double crawl = n_ == 0 ? 0 : 1e-3 * system_.calc_inertias().maxCoeff();
        energy_scale_ = std::isfinite(crawl) ? crawl : 0;
    }

    void set_up_ode() {
        ode_.size = x_.size();
        ode_.rate = [this](double t, const double* x, double* out) { return rate(t, x, out); };
        if (system_.must_project() && !chart_) ode_.project = [this](double t, double* x) { return project(t, x); };
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
        dae_.jacobian = [this](double t, double c, const double* x, const double* xdot, double* J) {
            return form_->calc_jacobian(t, c, x, xdot, J);
        };
        dae_.relative = ode_.relative, dae_.absolute = ode_.absolute, dae_.end = ode_.end, dae_.max_step = ode_.max_step;
        // Multipliers take no part in any test: what rounding leaves of φ divided by a short step is no error of theirs.
        for (Index i = 0; i < dae_.size; ++i) {
            if (!form_->is_differential(i)) dae_.absolute[i] = 1e30;
        }
        return solve::make_ida(dae_, t_, x_, rates, [this](double t, VectorXd& x, VectorXd& xdot) { return form_->complete(t, x, xdot); });
    }

    /// Events of the user, then the sides on which joints must stay, then what the caller's code watches.
    void watch_events(solve::Watch& watch) {
        std::vector<Expr> when;
        for (const eom::Event& event : options_.events) {
            when.push_back(event.when);
            watched_.push_back({event.name, event.stops});
            watch.crossings.push_back(event.direction);
        }
        for (const eom::Branch& branch : e_.branches) {
            when.push_back(branch.positive);
            watched_.push_back({branch.name, true});
            watch.crossings.push_back(Crossing::down);
        }
        for (const EventFunction& event : options_.event_functions) {
            watched_.push_back({event.name, event.stops});
            watch.crossings.push_back(event.direction);
        }
        if (watched_.empty()) return;
        const std::size_t compiled = when.size();
        auto function = when.empty() ? numeric::CompiledEquations::Function() : numbers_.compile(when);
        watch.roots = [this, compiled, function = std::move(function)](double t, const VectorXd& x, VectorXd& g) {
            if (!spread(t, x.data())) {
                g.setConstant(std::numeric_limits<double>::quiet_NaN());
                return;
            }
            if (compiled > 0) function(system_.in(), {g.data(), compiled});
            if (options_.event_functions.empty()) return;
            const numeric::State state = system_.state();
            for (std::size_t i = 0; i < options_.event_functions.size(); ++i)
                g[static_cast<Index>(compiled + i)] = options_.event_functions[i].value(state);
        };
        const auto is_branch = [this, compiled](Index which) {
            return which >= static_cast<Index>(options_.events.size()) && which < static_cast<Index>(compiled);
        };
        watch.crossed = [this, is_branch](Index which, double t, const VectorXd& x) {
            if (is_branch(which)) {
                trouble_at_ = t;
                trouble_ = wrong_side(which - static_cast<Index>(options_.events.size()));
                return true;
            }
            const Watched& event = watched_[which];
            EventRecord record{t, event.name, {}};
            if (!make_row(t, x, record.row)) {
                trouble_at_ = t;
                trouble_ = row_trouble_.empty() ? system_.failure() : row_trouble_;
                return true;
            }
            motion_.events.push_back(std::move(record));
            if (event.stops && !stopped_by_) stopped_by_ = motion_.events.size() - 1;
            return event.stops;
        };
        const auto name_of = [this, is_branch](Index which) {
            return fmt::format("{}'{}'", is_branch(which) ? "" : "event ", watched_[which].name);
        };
        watch.undefined = [this, name_of](Index which, double t) {
            motion_.warnings.push_back(
                fmt::format("{} is not a number at t = {:.6g}: no crossing is found where it is not", name_of(which), t));
        };
        watch.unresolved = [this, name_of](Index which, double t) {
            motion_.warnings.push_back(
                fmt::format("{} changes too fast after t = {:.6g} for all its crossings to be found; a smaller --max-step may help",
                            name_of(which), t));
        };
    }

    std::string wrong_side(Index branch) const {
        return fmt::format("'{}' gets to its wrong side: a joint's axes opposite, or a disk tilted past lying flat",
                           e_.branches[branch].name);
    }

    void fail(double t, const std::string& what) {
        motion_.stop = Stop::failed;
        motion_.t = t;
        motion_.why = fmt::format("at t = {:.6g} {}", t, what);
        std::erase_if(motion_.rows, [&](const VectorXd& row) { return row[0] > t; });
        std::erase_if(motion_.events, [&](const EventRecord& event) { return event.t > t; });
    }

    /// What can be said before anything moves.
    bool is_sound() {
        const std::vector<double>& times = options_.times;
        if (!(options_.tolerance > 0) || !std::isfinite(options_.tolerance))
            return fail(t_, "the tolerance is not a positive number"), false;
        if (!std::ranges::is_sorted(times) || !std::ranges::all_of(times, [](double t) { return std::isfinite(t); }))
            return fail(t_, "the times of the rows do not ascend"), false;
        spread(t_, x_.data());
        if (!system_.calc_rates() || has_no_chart_) return fail(t_, system_.failure()), false;
        const VectorXd sides = numbers_.branches(system_.state());
        for (Index i = 0; i < sides.size(); ++i) {
            if (!(sides[i] > 0)) return fail(t_, wrong_side(i)), false;
        }
        const std::string why = system_.find_contradiction(true);
        if (!why.empty()) return fail(t_, why), false;
        return true;
    }

    void move() {
        if (!watch_.trouble().empty()) return fail(t_, watch_.trouble());
        if (!is_sound() || options_.times.empty()) return;
        if (options_.integrator != Integrator::ida) set_tolerances(), set_up_ode();
        std::unique_ptr<solve::Stepper> stepper = make_stepper();
        if (!stepper) return fail(t_, system_.failure());
        if (system_.rank() > 0) stepper = watch_.look_after(std::move(stepper), t_, x_);
        pace_.emplace(options_.times.back(), options_.max_steps);
        solve::Watch watch;
        watch.max_steps = options_.max_steps;
        watch.row = [this](double t, const VectorXd& x) {
            VectorXd row;
            if (!make_row(t, x, row)) return false;
            motion_.rows.push_back(std::move(row));
            return true;
        };
        watch.step = [this](solve::Stepper& s) { return after_step(s); };
        watch_events(watch);
        look_at_energy(t_, x_);
        conclude(*stepper, e_.sampled.empty() ? solve::integrate(*stepper, options_.times, watch) : integrate_samples(*stepper, watch));
        const solve::OdeStatistics& s = stepper->statistics();
        motion_.statistics.steps = s.steps;
        motion_.statistics.jacobians = s.jacobians;
        motion_.statistics.failures = s.failures;
        motion_.statistics.projections = s.projections;
        warn();
    }

    /// From sample to sample: no step goes over one, and rows at that time show what comes after it.
    solve::OdeReport integrate_samples(solve::Stepper& stepper, solve::Watch watch) {
        using enum solve::OdeReport::Status;
        Sampling sampling(numbers_, t_, options_.resumes);
        const double end = options_.times.back();
        solve::OdeReport report{.status = failed, .t = t_, .why = {}};
        if (const std::string why = sampling.why_not(end, static_cast<double>(options_.max_steps)); !why.empty())
            return report.why = fmt::format("at t = {:.6g} {}", t_, why), report;
        const auto row = watch.row;
        double until = 0;
        watch.row = [&](double t, const VectorXd& x) { return t >= until || row(t, x); };
        std::size_t next = 0;
        const double slack = sampling.slack();  // a row so close to a sample is at the same time
        for (std::vector<double> times;;) {
            if (sampling.next() <= stepper.now() + slack) sample(sampling, stepper);
            const bool is_last = sampling.next() > end + slack;
            until = is_last ? std::numeric_limits<double>::infinity() : sampling.next();
            times.clear();
            for (; next < options_.times.size() && options_.times[next] < until - slack; ++next) times.push_back(options_.times[next]);
            if (!is_last && next < options_.times.size() && options_.times[next] <= until + slack) until = options_.times[next];
            if (!is_last) times.push_back(until);
            if (times.empty()) return report.status = reached, report.t = end, report;
            set_end(stepper, is_last ? end : until);
            const long before = stepper.statistics().steps;
            report = solve::integrate(stepper, times, watch);
            watch.max_steps -= stepper.statistics().steps - before;
            if (report.status != reached || is_last) return report;
        }
    }

    /// The integrator begins anew: what it remembers belongs to what was held before.
    void sample(Sampling& sampling, solve::Stepper& stepper) {
        const double t = stepper.now();
        VectorXd x = stepper.x();
        spread(t, x.data());
        const numeric::Layout& at = numbers_.layout();
        VectorXd in = Eigen::Map<const VectorXd>(system_.in().data(), at.size());
        sampling.sample(in);
        system_.put(t, in.data() + at.q(), in.data() + at.u());
        gather(x.data());
        stepper.restart(t, x);
    }

    void set_end(solve::Stepper& stepper, double end) {
        (form_ ? dae_.end : ode_.end) = end;
        stepper.restart(stepper.now(), VectorXd(stepper.x()));
    }

    void conclude(solve::Stepper& stepper, const solve::OdeReport& report) {
        judge(stepper, report);
        if (!options_.keep_end) return;
        if (motion_.stop == Stop::event && stopped_by_ && is_after_rows(report.t)) motion_.rows.push_back(motion_.events.back().row);
        if (motion_.stop == Stop::interrupted || motion_.stop == Stop::failed) keep_last(stepper);
    }

    /// Why it ended, and when.
    void judge(const solve::Stepper& stepper, const solve::OdeReport& report) {
        using enum solve::OdeReport::Status;
        motion_.t = report.t;
        if (!trouble_.empty()) return fail(trouble_at_, trouble_);
        if (!watch_.trouble().empty()) return fail(watch_.trouble_at(), watch_.trouble());
        switch (report.status) {
            case reached: return;
            case event:
                motion_.stop = Stop::event;
                if (!stopped_by_) return;
                motion_.why = fmt::format("at t = {:.6g} the event '{}' stopped the motion", report.t, motion_.events[*stopped_by_].name);
                return;
            case interrupted:
                motion_.stop = Stop::interrupted;
                motion_.why = fmt::format("at t = {:.6g} the motion was interrupted", report.t);
                return;
            case failed: break;
        }
        // The most telling reason first: constraints about to lose rank, rates that are not there, then the integrator's own.
        if (watch_.is_near_singular()) {
            if (spread(stepper.now(), stepper.x().data())) system_.calc_independence();
            return fail(report.t, watch_.lost_rank());
        }
        if (!row_trouble_.empty()) return fail(report.t, row_trouble_);
        // what was refused before was overcome
        if (!system_.failure().empty() && system_.refused_at() >= report.t) {
            fail(system_.refused_at(), system_.failure());
        } else {
            motion_.stop = Stop::failed;
            motion_.why = report.why;
        }
        if (!spread(stepper.now(), stepper.x().data())) return;
        if (const auto near = near_singularity()) motion_.why += ": " + near->what, motion_.advice = near->advice;
    }

    bool is_after_rows(double t) const { return motion_.rows.empty() || motion_.rows.back()[0] < t; }

    /// The last state that was reached as a row of its own: rows may be far apart. Where trouble stands within the last step, it is
    /// the state before that step.
    void keep_last(solve::Stepper& stepper) {
        for (const double t : {stepper.now(), stepper.before()}) {
            if (t > motion_.t || !is_after_rows(t)) continue;
            VectorXd x = stepper.x(), row;
            if (t < stepper.now()) stepper.interpolate(t, x);
            if (!x.allFinite() || !make_row(t, x, row)) continue;
            motion_.rows.push_back(std::move(row));
            return;
        }
    }

    void warn() {
        const Statistics& k = motion_.statistics;
        for (const std::string& what : watch_.descriptions())
            motion_.notes.push_back(fmt::format("a singular position was passed along the smooth branch: {}", what));
        const std::vector<double>& passed = watch_.passed();
        const std::size_t told = watch_.descriptions().size() + (leaves_singular_ ? 1 : 0);  // the start has a note of its own
        if (passed.size() > told) {
            const std::size_t more = passed.size() - told;
            motion_.notes.push_back(fmt::format("{} more singular position{} passed, the last at t = {:.6g}", more,
                                                more == 1 ? " was" : "s were", passed.back()));
        }
        if (creeps_at_ && motion_.stop != Stop::failed) motion_.warnings.push_back(fmt::format("about t = {:.6g} {}", *creeps_at_, crawl_));
        if (system_.rows() > 0 && (options_.keep == ConstraintStabilization::none || options_.keep == ConstraintStabilization::baumgarte) &&
            !form_) {
            motion_.warnings.push_back(fmt::format("the constraints were {}; they drifted up to {:.2g} in position and {:.2g} in velocity",
                                                   options_.keep == ConstraintStabilization::none ? "left alone" : "held by feedback only",
                                                   k.position, k.velocity));
        }
        if (!system_.redundant().empty())
            motion_.warnings.push_back(fmt::format(
                "constraints are redundant: rank {} of {} rows; of all multipliers those of smallest norm are given; redundant: "
                "{}",
                system_.rank(), system_.loaded_rows(), system_.names_of(system_.redundant())));
        if (!system_.note().empty()) motion_.warnings.push_back(system_.note());
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const SimulateOptions& options_;
    double absolute_;
    MotionSystem system_;
    SingularWatch watch_;
    Motion motion_;
    std::optional<numeric::CompiledEquations::Function> kinetic_;     ///< of few bodies
    std::optional<numeric::CompiledEquations::Function> invariants_;  ///< of many, kinetic energy first
    double energy_scale_ = 0;
    double t_ = 0, start_energy_ = std::numeric_limits<double>::quiet_NaN();
    Index nq_ = 0, n_ = 0, nv_ = 0, nz_ = 0;
    std::unique_ptr<Chart> chart_;
    std::unique_ptr<RateJacobian> jacobian_;
    std::unique_ptr<StabilisedForm> form_;
    solve::Ode ode_;
    solve::Dae dae_;
    VectorXd x_;
    std::optional<Pace> pace_;
    std::optional<double> creeps_at_;  ///< where that was first seen
    std::string crawl_;
    std::optional<numeric::CompiledEquations::Function> singularities_;
    std::string row_trouble_, trouble_;
    double trouble_at_ = 0;
    struct Watched {
        std::string name;
        bool stops = false;
    };
    std::vector<Watched> watched_;           ///< whose crossings are looked for
    std::optional<std::size_t> stopped_by_;  ///< place in the events
    bool has_no_chart_ = false;
    bool leaves_singular_;  ///< at the start
};

/// Which of the branches that meet in a singular position the speeds lie along, and no other.
const numeric::Branch* branch_along(const numeric::Branches& branches, const VectorXd& u) {
    const numeric::Branch* along = nullptr;
    for (const numeric::Branch& branch : branches.found) {
        if ((branch.speeds * solve::solve_least_squares(branch.speeds, u).x - u).norm() > 1e-6 * u.norm()) continue;
        if (along) return nullptr;
        along = &branch;
    }
    return along;
}

/// Constraints that have lost rank say with which speeds a motion may begin, and no more. With the speeds of one branch it is that branch's.
Motion begin_singular(const numeric::CompiledEquations& numbers, const numeric::State& start, const numeric::RankNearby& rank,
                      const SimulateOptions& options) {
    const numeric::Branches branches = find_branches(numbers, start, rank);
    const bool is_at_rest = !(start.u.lpNorm<Eigen::Infinity>() > 0);
    const numeric::Branch* along = is_at_rest ? nullptr : branch_along(branches, start.u);
    Motion motion;
    if (along && options.at_singular == AtSingular::pass) {
        motion = Run(numbers, start, along->beside, options)();
        motion.notes.insert(motion.notes.begin(), fmt::format("the motion begins in a singular position, and leaves it along the branch {}",
                                                              branch_in_words(numbers.equations(), *along)));
        return motion;
    }
    motion.stop = Stop::failed;
    motion.t = options.times.empty() ? start.t : options.times.front();
    motion.why =
        fmt::format("at t = {:.6g} the motion begins in a singular position, where the constraints have rank {}, and {} nearby: {}",
                    motion.t, rank.here, rank.generic(),
                    !branches.why.empty() ? branches.why
                    : along               ? "several branches of motions meet there"
                    : is_at_rest          ? "from rest it is not determined on which branch it goes on"
                                          : "the speeds do not lie along one branch of those that meet there");
    motion.advice = branches.found.empty() ? "start elsewhere"
                    : along                ? "--singular pass goes on along one"
                                           : "give speeds along one branch, or start elsewhere";
    for (const numeric::Branch& branch : branches.found)
        motion.notes.push_back(fmt::format("a branch there: {}", branch_in_words(numbers.equations(), branch)));
    if (!branches.is_complete && !branches.found.empty()) motion.notes.emplace_back("there may be more branches than these");
    return motion;
}

}  // namespace

Motion simulate(const numeric::CompiledEquations& numbers, const numeric::State& start, const SimulateOptions& options) {
    Run run(numbers, start, start, options);
    if (run.has_redundant_rows()) {
        const numeric::RankNearby rank = rank_nearby(numbers, start);
        if (rank.is_singular()) return begin_singular(numbers, start, rank, options);
    }
    return run();
}

}  // namespace linkwright::motion
