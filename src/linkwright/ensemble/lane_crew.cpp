#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linkwright/ensemble/problem.hpp"
#include "linkwright/ensemble/value_check.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/jit/four.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/solve/lanes.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::ensemble {

namespace {

using session::Report;
using sym::Expr;

/// Programs whose last inputs are what differs from run to run; everything else is folded in.
struct Programs {
    std::size_t nq = 0, nx = 0, nu = 0;
    std::size_t size() const { return nq + nx + nu; }
    std::size_t live = 0;  ///< numbers after t, q, x, u
    std::unique_ptr<jit::Four> rates;
    std::unique_ptr<program::Evaluator> collected;
    std::vector<double> parameters;  ///< of the model
    struct Derived {
        std::size_t parameter;
        std::unique_ptr<program::Evaluator> value;  ///< of all parameters
    };
    std::vector<Derived> derived;               ///< those that follow the varied ones, each after those it is made of
    std::unique_ptr<program::Evaluator> begin;  ///< of all parameters: q, x, u, then the inputs at rest
    std::vector<std::size_t> live_parameters;   ///< where the live numbers come from: first these,
    std::vector<std::size_t> live_inputs;       ///< then these; zeros after them
    double max_step = 0;
};

std::unique_ptr<program::Evaluator> compile(program::Program program, bool interpret) {
    if (interpret) return std::make_unique<program::Interpreter>(std::move(program));
    return jit::compile(std::move(program));
}

bool uses_any(const Expr& value, const std::vector<Expr>& symbols) {
    return std::ranges::any_of(symbols_in(value), [&](const Expr& s) { return std::ranges::find(symbols, s) != symbols.end(); });
}

/// Columns of simulate as expressions; those that need more than a state are not there.
std::optional<Expr> column(const eom::EquationsOfMotion& e, std::string_view name) {
    const auto among = [&](const std::vector<Expr>& list) -> std::optional<Expr> {
        for (const Expr& s : list) {
            if (s.symbol().name == name) return s;
        }
        return std::nullopt;
    };
    if (name == "t") return e.t;
    for (const auto* list : {&e.q, &e.u, &e.x}) {
        if (const auto found = among(*list)) return found;
    }
    for (const eom::Parameter& p : e.parameters) {
        if (p.symbol.symbol().name == name) return p.symbol;
    }
    if (name == "energy.kinetic") return e.energy.kinetic;
    if (name == "energy.potential") return e.energy.potential;
    if (name == "energy.total") return e.energy.total();
    for (std::size_t k = 0; k < 3; ++k) {
        if (name == fmt::format("momentum.linear.{}", "xyz"[k])) return e.momentum.linear[k];
        if (name == fmt::format("momentum.angular.{}", "xyz"[k])) return e.momentum.angular[k];
    }
    for (const eom::Output& o : e.outputs) {
        if (o.name == name) return o.value;
    }
    return std::nullopt;
}

class LaneWorker final : public Worker, private solve::LaneProblems {
public:
    LaneWorker(const Problem& problem, const Programs& programs)
        : problem_(problem),
          programs_(programs),
          check_(problem),
          width_(1 + programs.size() + programs.live),
          room_(solve::lanes * (width_ + 1)),
          values_(problem.varied.size()),
          all_(programs.parameters),
          start_(programs.begin->outputs()) {
        options_.times = problem.times;
        const session::SimulateOptions& s = problem.options.simulate;
        options_.relative = s.tolerance;
        options_.absolute = s.absolute.value_or(s.tolerance / 100);
        options_.max_step = programs.max_step;
        options_.max_steps = s.max_steps;
        for (auto& lane : lane_) lane.rows.resize(problem.times.size() * width_);
        collected_.resize(problem.times.size() * problem.collectors.size());
        series_.resize(problem.times.size());
        const std::size_t past = reinterpret_cast<std::uintptr_t>(room_.data()) / sizeof(double) % solve::lanes;
        arguments_ = room_.data() + (solve::lanes - past) % solve::lanes;
    }

    bool run(std::size_t first, std::span<Outcome> outcomes, const std::function<bool()>& goes_on) override {
        first_ = first, next_ = 0, outcomes_ = outcomes;
        bool is_stopped = false;
        options_.goes_on = [&] { return !(is_stopped = !goes_on()); };
        integrate_lanes(programs_.size(), arguments_, *this, options_);
        return !is_stopped;
    }

private:
    struct Lane {
        std::size_t run = 0;
        std::vector<double> rows;  ///< t, q, x, u, live of every sample
        std::vector<double> live;
    };

    bool begin(std::size_t p, std::span<double> x) override {
        while (next_ < outcomes_.size()) {
            const std::size_t at = next_++;
            problem_.design.values(first_ + at, values_);
            if (std::string why = check_(values_); !why.empty()) {
                outcomes_[at].failure = std::move(why);
                continue;
            }
            Lane& lane = lane_[p];
            lane.run = at;
            set_up(lane, x);
            for (std::size_t i = 0; i < programs_.live; ++i)
                arguments_[solve::lanes * (1 + programs_.size() + i) + p] = i < lane.live.size() ? lane.live[i] : 0;
            return true;
        }
        return false;
    }

    /// Parameters, those that follow from them, inputs and the beginning.
    void set_up(Lane& lane, std::span<double> x) {
        all_ = programs_.parameters;
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Varied& v = problem_.varied[j];
            if (v.what == Varied::What::parameter) all_[v.place] = values_[j] * v.unit;
        }
        for (const Programs::Derived& d : programs_.derived) {
            double value = 0;
            (*d.value)(all_, {&value, 1});
            all_[d.parameter] = value;
        }
        (*programs_.begin)(all_, start_);
        std::copy_n(start_.begin(), x.size(), x.begin());
        const std::span<double> inputs(start_.data() + x.size(), start_.size() - x.size());
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Varied& v = problem_.varied[j];
            if (v.what == Varied::What::input) inputs[v.place] = values_[j];
            if (v.what == Varied::What::initial) x[v.place] = values_[j];
        }
        lane.live.clear();
        for (const std::size_t i : programs_.live_parameters) lane.live.push_back(all_[i]);
        for (const std::size_t i : programs_.live_inputs) lane.live.push_back(inputs[i]);
    }

    void rates(double* out) override { (*programs_.rates)(arguments_, out); }

    void sample(std::size_t p, std::size_t k, std::span<const double> x) override {
        Lane& lane = lane_[p];
        double* const row = lane.rows.data() + k * width_;
        row[0] = problem_.times[k];
        std::ranges::copy(x, row + 1);
        std::ranges::copy(lane.live, row + 1 + x.size());
    }

    void end(std::size_t p, solve::LaneEnd why, double t, const solve::LaneStatistics& statistics) override {
        Outcome& outcome = outcomes_[lane_[p].run];
        switch (why) {
            case solve::LaneEnd::reached: return collect(lane_[p], outcome);
            case solve::LaneEnd::not_finite: outcome.failure = fmt::format("at t = {:.6g} the rates are not finite", t); return;
            case solve::LaneEnd::too_small:
                outcome.failure = fmt::format("at t = {:.6g} the steps became too small: something is stiff there, or nearly singular", t);
                return;
            case solve::LaneEnd::too_many:
                outcome.failure = fmt::format("at t = {:.6g} after {} steps: --max-steps", t, statistics.steps + statistics.rejected);
                return;
        }
    }

    void collect(const Lane& lane, Outcome& outcome) {
        const std::size_t n = problem_.times.size(), m = problem_.collectors.size();
        programs_.collected->batch(n, lane.rows, collected_);
        for (std::size_t c = 0; c < m; ++c) {
            for (std::size_t k = 0; k < n; ++k) series_[k] = collected_[k * m + c];
            outcome.values.push_back(reduce_checked(problem_.collectors[c], problem_.times, series_, outcome.failure));
        }
        if (!outcome.failure.empty()) outcome.values.clear();
        if (!problem_.motions.empty() && outcome.failure.empty())
            std::ranges::copy(collected_, problem_.motions.begin() + static_cast<std::ptrdiff_t>((first_ + lane.run) * n * m));
    }

    const Problem& problem_;
    const Programs& programs_;
    ValueCheck check_;
    std::size_t width_;
    std::vector<double> room_;
    double* arguments_ = nullptr;
    std::vector<double> values_, all_, start_, collected_, series_;
    solve::LaneOptions options_;
    std::array<Lane, solve::lanes> lane_;
    std::size_t first_ = 0, next_ = 0;
    std::span<Outcome> outcomes_;
};

class LaneCrew final : public Crew {
public:
    LaneCrew(const Problem& problem, Programs programs) : problem_(problem), programs_(std::move(programs)) {}
    std::unique_ptr<Worker> make_worker(Report&) const override { return std::make_unique<LaneWorker>(problem_, programs_); }
    bool has_lanes() const override { return true; }

private:
    const Problem& problem_;
    Programs programs_;
};

/// Explicit steps of a tree without events, from values that are given outright.
bool can_have_lanes(const Problem& problem, const eom::EquationsOfMotion& e) {
    const session::SimulateOptions& s = problem.options.simulate;
    if (problem.options.of != Of::simulate || problem.options.one_by_one) return false;
    if (s.integrator != motion::Integrator::adams || s.state.is_given() || !s.restart.empty() || !s.start_from.empty() ||
        !s.inputs.empty() || !s.drive.empty() || !s.stop.empty())
        return false;
    if (!e.constraints.empty() || !e.quaternions.empty() || !e.sampled.empty() || !e.steady.empty() || e.reduction) return false;
    if (std::ranges::any_of(e.events, &eom::Event::stops)) return false;
    return std::ranges::all_of(e.initial, [](const eom::Initial& i) { return i.what.is_symbol(); });
}

class Builder {
public:
    Builder(const Problem& problem, session::Workbench& bench, Report& report)
        : problem_(problem), e_(bench.equations()), report_(report), interpret_(problem.options.simulate.interpret), scope_(*e_.pool) {}

    std::optional<Programs> build() {
        Programs p;
        p.nq = e_.q.size(), p.nx = e_.x.size(), p.nu = e_.u.size();
        find_live(p);
        std::vector<Expr> in{e_.t};
        for (const auto* list : {&e_.q, &e_.x, &e_.u}) in.insert(in.end(), list->begin(), list->end());
        std::vector<Expr> symbols;
        for (const std::size_t i : p.live_parameters) symbols.push_back(e_.parameters[i].symbol);
        for (const std::size_t i : p.live_inputs) symbols.push_back(e_.inputs[i].symbol);
        for (const std::size_t i : moving_)
            symbols.push_back(e_.inputs[i].symbol);  // replaced below; a pool that folds may keep the symbol
        symbols.insert(symbols.end(), e_.udot.begin(), e_.udot.end());
        p.live = symbols.size();
        in.insert(in.end(), symbols.begin(), symbols.end());

        std::vector<Expr> rates = e_.qdot;
        rates.insert(rates.end(), e_.xdot.begin(), e_.xdot.end());
        const std::vector<Expr> a = eom::accelerations(e_);
        rates.insert(rates.end(), a.begin(), a.end());
        std::vector<sym::Binding> by;
        for (const std::size_t i : moving_) by.emplace_back(e_.inputs[i].symbol, e_.inputs[i].value);
        sym::Substitution put_inputs(by);
        for (Expr& r : rates) r = put_inputs(r);
        const bool follows_time = std::ranges::any_of(rates, [&](const Expr& r) { return depends_on(r, e_.t); });
        const double given = problem_.options.simulate.max_step;
        p.max_step = given > 0 || !follows_time ? given : (problem_.times.back() - problem_.times.front()) / 100;

        for (std::size_t i = 0; i < e_.udot.size(); ++i) by.emplace_back(e_.udot[i], put_inputs(a[i]));
        auto collected = read_collectors();
        if (!collected) return std::nullopt;
        sym::Substitution put_all(by);
        for (Expr& c : *collected) c = put_all(c);
        p.rates = jit::compile_four(program::lower(rates, in, constants_), interpret_);
        p.collected = compile(program::lower(*collected, in, constants_), interpret_);
        set_up_begin(p);
        return p;
    }

    bool needs_a_motion = false;  ///< a column that only whole motions have is asked for

private:
    /// Parameters that are varied and those that follow; inputs that are varied, and those that stand still.
    void find_live(Programs& p) {
        const numeric::CompiledEquations numbers(e_);
        p.parameters.assign(numbers.parameters().begin(), numbers.parameters().end());
        std::vector<Expr> changing;
        std::vector<bool> is_live(e_.parameters.size());
        for (const Varied& v : problem_.varied) {
            if (v.what != Varied::What::parameter) continue;
            is_live[v.place] = true;
            changing.push_back(e_.parameters[v.place].symbol);
        }
        std::vector<Expr> all;
        for (const eom::Parameter& q : e_.parameters) all.push_back(q.symbol);
        for (bool grew = true; grew;) {  // each after those it is made of
            grew = false;
            for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
                if (is_live[i] || !uses_any(e_.parameters[i].value, changing)) continue;
                is_live[i] = grew = true;
                changing.push_back(e_.parameters[i].symbol);
            }
        }
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
            const bool is_given =
                std::ranges::any_of(problem_.varied, [&](const Varied& v) { return v.what == Varied::What::parameter && v.place == i; });
            if (is_live[i] && !is_given) open.push_back(i);
        }
        while (!open.empty()) {  // those whose makings are no longer open
            std::vector<Expr> waiting;
            for (const std::size_t i : open) waiting.push_back(e_.parameters[i].symbol);
            const auto ready = std::ranges::find_if(open, [&](std::size_t i) { return !uses_any(e_.parameters[i].value, waiting); });
            p.derived.push_back({*ready, compile(program::lower(std::array{e_.parameters[*ready].value}, all), interpret_)});
            open.erase(ready);
        }
        const sym::PoolScope scope(numbers_pool_);
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
            if (is_live[i])
                p.live_parameters.push_back(i);
            else
                constants_.emplace_back(e_.parameters[i].symbol, Expr(p.parameters[i]));
        }
        for (std::size_t i = 0; i < e_.inputs.size(); ++i) {
            const bool is_varied =
                std::ranges::any_of(problem_.varied, [&](const Varied& v) { return v.what == Varied::What::input && v.place == i; });
            const bool moves = !is_varied && depends_on(e_.inputs[i].value, e_.t);
            (moves ? moving_ : p.live_inputs).push_back(i);
        }
    }

    std::optional<std::vector<Expr>> read_collectors() {
        std::vector<Expr> all;
        const sym::Names names{[&](std::string_view name) { return column(e_, name); },
                               [&] {
                                   std::vector<std::string> known{"t", "energy.kinetic", "energy.potential", "energy.total"};
                                   for (const auto* list : {&e_.q, &e_.u, &e_.x}) {
                                       for (const Expr& s : *list) known.push_back(s.symbol().name);
                                   }
                                   for (const eom::Output& o : e_.outputs) known.push_back(o.name);
                                   return known;
                               }};
        for (const Collector& c : problem_.collectors) {
            for (const char* whole : {"energy.error", "constraint.position", "constraint.velocity"})
                needs_a_motion = needs_a_motion || c.expression.find(whole) != std::string::npos;
            if (needs_a_motion) return std::nullopt;
            const sym::Parsed parsed = sym::parse(c.expression, names, *e_.pool, {1, 1});
            for (const Diagnostic& d : parsed.problems) {
                if (d.severity == Diagnostic::Severity::error)
                    report_.error(fmt::format("{} \"{}\": {}", problem_.motions.empty() ? "--collect" : "columns", c.name, d.what), d.hint);
            }
            if (parsed.expr) all.push_back(*parsed.expr);
        }
        if (!report_.is_ok()) return std::nullopt;
        return all;
    }

    void set_up_begin(Programs& p) {
        std::vector<Expr> all, begin(p.size(), Expr(0));
        for (const eom::Parameter& q : e_.parameters) all.push_back(q.symbol);
        std::vector<Expr> states;
        for (const auto* list : {&e_.q, &e_.x, &e_.u}) states.insert(states.end(), list->begin(), list->end());
        for (const bool is_held : {false, true}) {  // what is held comes last and wins
            for (const eom::Initial& i : e_.initial) {
                const auto at = std::ranges::find(states, i.what);
                if (i.is_held == is_held && at != states.end()) begin[static_cast<std::size_t>(at - states.begin())] = i.value;
            }
        }
        for (std::size_t i = 0; i < e_.inputs.size(); ++i)
            begin.push_back(std::ranges::find(moving_, i) == moving_.end() && !depends_on(e_.inputs[i].value, e_.t) ? e_.inputs[i].value
                                                                                                                    : Expr(0));
        p.begin = compile(program::lower(begin, all), interpret_);
    }

    const Problem& problem_;
    const eom::EquationsOfMotion& e_;
    Report& report_;
    bool interpret_;
    sym::PoolScope scope_;
    sym::Pool numbers_pool_;
    std::vector<sym::Binding> constants_;
    std::vector<std::size_t> moving_;  ///< inputs that are functions of time
};

}  // namespace

std::unique_ptr<Crew> make_lane_crew(const Problem& problem, Report& report) {
    const session::Lease bench = borrow(problem.session, "recursive", report);
    if (!bench || !can_have_lanes(problem, bench->equations())) return nullptr;
    Builder builder(problem, *bench, report);
    auto programs = builder.build();
    if (!programs) return nullptr;
    return std::make_unique<LaneCrew>(problem, std::move(*programs));
}

std::unique_ptr<Crew> make_crew(const Problem& problem, Report& report) {
    if (auto crew = make_lane_crew(problem, report)) return crew;
    return report.is_ok() ? make_single_crew(problem, report) : nullptr;
}

}  // namespace linkwright::ensemble
