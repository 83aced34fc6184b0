#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/ensemble/problem.hpp"
#include "linkwright/ensemble/value_check.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/joint_singularities.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::ensemble {

namespace {

using session::Report;
using sym::Expr;

/// The first thing that went wrong, with what may help left out.
std::string first_error(const Report& report) {
    for (const Diagnostic& d : report.problems) {
        if (d.severity == Diagnostic::Severity::error) return d.what;
    }
    return "failed";
}

/// Collectors on rows whose columns have names: read once, run on every row.
class RowCollectors {
public:
    /// False: one of them cannot be read, and `problems` says why.
    bool read(const std::vector<Collector>& collectors, const std::vector<std::string>& columns, Diagnostics& problems) {
        columns_ = columns;
        std::vector<Expr> symbols, all;
        const sym::PoolScope scope(pool_);
        for (const std::string& name : columns) symbols.push_back(pool_.symbol(name));
        const sym::Names names{[&](std::string_view name) -> std::optional<Expr> {
                                   const auto at = std::ranges::find(columns, name);
                                   if (at == columns.end()) return std::nullopt;
                                   return symbols[static_cast<std::size_t>(at - columns.begin())];
                               },
                               [&] { return columns; }};
        for (const Collector& c : collectors) {
            sym::Parsed parsed = sym::parse(c.expression, names, pool_, {1, 1});
            for (Diagnostic& d : parsed.problems) {
                d.what = fmt::format("--collect \"{}\": {}", c.name, d.what), d.where = {};
                problems.push_back(d);
            }
            if (!parsed.expr) return false;
            all.push_back(*parsed.expr);
        }
        run_ = std::make_unique<program::Interpreter>(program::lower(all, symbols));
        return true;
    }
    bool is_for(const std::vector<std::string>& columns) const { return run_ && columns == columns_; }

    /// `motion`: where the whole motion goes, if it is kept.
    void collect(const std::vector<Collector>& collectors, const session::Table& table, Outcome& outcome,
                 std::span<double> motion = {}) const {
        const std::size_t n = table.rows.size(), m = collectors.size();
        std::vector<double> times, values(n * m), series(n);
        const auto t = table.find("t");
        for (std::size_t k = 0; k < n; ++k) {
            times.push_back(t ? table.rows[k][static_cast<Eigen::Index>(*t)] : 0);
            (*run_)({table.rows[k].data(), static_cast<std::size_t>(table.rows[k].size())}, {values.data() + k * m, m});
        }
        for (std::size_t c = 0; c < m; ++c) {
            for (std::size_t k = 0; k < n; ++k) series[k] = values[k * m + c];
            outcome.values.push_back(reduce_checked(collectors[c], times, series, outcome.failure));
        }
        if (!outcome.failure.empty()) return outcome.values.clear();
        std::copy_n(values.begin(), std::min(values.size(), motion.size()), motion.begin());
    }

private:
    sym::Pool pool_;
    std::vector<std::string> columns_;
    std::unique_ptr<program::Interpreter> run_;
};

/// What has been compiled once is not compiled again: every run asks for the same programs, with other parameters.
class CompiledOnce {
public:
    explicit CompiledOnce(numeric::Compile compile) : compile_(std::move(compile)) {}
    std::unique_ptr<program::Evaluator> operator()(program::Program program) {
        const std::size_t hash = hash_of(program);
        for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
            if (at->second.first == program) return std::make_unique<Shared>(at->second.second);
        }
        std::shared_ptr<const program::Evaluator> made = compile_(program);
        known_.emplace(hash, std::pair{std::move(program), made});
        return std::make_unique<Shared>(std::move(made));
    }

private:
    class Shared final : public program::Evaluator {
    public:
        explicit Shared(std::shared_ptr<const program::Evaluator> of) : of_(std::move(of)) {}
        std::size_t inputs() const override { return of_->inputs(); }
        std::size_t outputs() const override { return of_->outputs(); }

    private:
        void run(const double* in, double* out) const override { (*of_)({in, inputs()}, {out, outputs()}); }
        void run_batch(std::size_t points, const double* in, double* out) const override {
            of_->batch(points, {in, points * inputs()}, {out, points * outputs()});
        }
        std::shared_ptr<const program::Evaluator> of_;
    };
    static std::size_t hash_of(const program::Program& p) {
        std::size_t h = p.inputs * 31 + p.lines.size();
        const auto add = [&](std::size_t x) { h = (h ^ x) * 0x100000001b3; };
        for (const program::Line& line : p.lines)
            add(static_cast<std::size_t>(line.op) + (std::size_t{line.args[0]} << 8) + (std::size_t{line.args[1]} << 32));
        for (const program::Index out : p.outputs) add(out);
        return h;
    }
    numeric::Compile compile_;
    std::unordered_multimap<std::size_t, std::pair<program::Program, std::shared_ptr<const program::Evaluator>>> known_;
};

/// Motions one by one, by what simulate is made of; parameters are set, equations and code stay.
class MotionWorker final : public Worker {
public:
    MotionWorker(const Problem& problem, session::Lease bench, Report& report)
        : problem_(problem),
          bench_(std::move(bench)),
          e_(bench_->equations()),
          check_(problem),
          numbers_(
              e_,
              [once = std::make_shared<CompiledOnce>(problem.options.simulate.interpret ? numeric::Compile(numeric::interpret)
                                                                                        : numeric::Compile(jit::native()))](
                  program::Program p) { return (*once)(std::move(p)); },
              numeric::Parameters::live),
          values_(problem.varied.size()) {
        const session::SimulateOptions& s = problem.options.simulate;
        o_.times = problem.times;
        o_.tolerance = s.tolerance;
        o_.absolute = s.absolute.value_or(o_.absolute);
        o_.integrator = s.integrator;
        o_.keep = s.constraints.value_or(o_.keep);
        o_.step = s.step.value_or(o_.step);
        o_.max_step = s.max_step;
        o_.max_steps = s.max_steps;
        o_.solver.method = s.solver;
        if (auto events = events_of(e_, problem.session.model(), report)) o_.events = std::move(*events);
        for (const std::string& text : s.stop) read_stop(text, report);
        o_.singularities = session::joint_singularities(bench_->model(), e_);
        for (const Varied& v : problem.varied) has_inputs_ = has_inputs_ || v.what == Varied::What::input;
        if (has_inputs_) o_.drive = [this](double t, Eigen::VectorXd& w) { put_inputs(t, w); };
    }

    bool run(std::size_t first, std::span<Outcome> outcomes, const std::function<bool()>& goes_on) override {
        bool is_stopped = false;
        long steps = 0;
        o_.on_step = [&](double) { return ++steps % 64 != 0 || !(is_stopped = !goes_on()); };
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (!goes_on()) return false;
            problem_.design.values(first + i, values_);
            outcomes[i].failure = check_(values_);
            if (outcomes[i].failure.empty()) run_one(outcomes[i], first + i);
            if (is_stopped) return false;
        }
        return true;
    }

private:
    void read_stop(std::string text, Report& report) {
        eom::Event event;
        event.name = text, event.stops = true;
        for (const auto& [word, direction] : {std::pair{"rising ", Crossing::up}, std::pair{"falling ", Crossing::down}}) {
            if (!text.starts_with(word)) continue;
            event.direction = direction;
            text = session::trimmed(text.substr(std::string_view(word).size()));
        }
        if (const std::size_t equals = text.find('='); equals != std::string::npos) text = text.substr(equals + 1);
        const auto when = session::read_expression("--stop", text, e_, report, &bench_->model());
        if (!when) return;
        event.when = *when;
        o_.events.push_back(std::move(event));
    }

    void put_inputs(double t, Eigen::VectorXd& w) const {
        w = numbers_.input_values(t);
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Varied& v = problem_.varied[j];
            if (v.what == Varied::What::input) w[static_cast<Eigen::Index>(v.place)] = values_[j];
        }
    }

    void run_one(Outcome& outcome, std::size_t run) {
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Varied& v = problem_.varied[j];
            if (v.what == Varied::What::parameter) numbers_.set(v.place, values_[j] * v.unit);
        }
        std::vector<numeric::Wanted> begin = wanted(numbers_);
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Varied& v = problem_.varied[j];
            if (v.what != Varied::What::initial) continue;
            const std::size_t nq = e_.q.size(), nx = e_.x.size();
            const Expr symbol = v.place < nq ? e_.q[v.place] : v.place < nq + nx ? e_.x[v.place - nq] : e_.u[v.place - nq - nx];
            std::erase_if(begin, [&](const numeric::Wanted& w) { return w.what == symbol; });
            begin.push_back({v.name, symbol, values_[j], true, v.place >= nq + nx});
        }
        const numeric::AssembledState start =
            assemble(numbers_, begin, 0,
                     has_inputs_ ? numeric::InputsAt([this](double t, Eigen::VectorXd& w) { put_inputs(t, w); }) : numeric::InputsAt{});
        if (!start.is_ok() || !start.unsettled.empty()) {
            outcome.failure = start.is_ok() ? start.unsettled : "the mechanism does not close: " + start.why;
            return;
        }
        const motion::Motion motion = motion::simulate(numbers_, start.state, o_);
        if (motion.stop == motion::Stop::failed || motion.stop == motion::Stop::interrupted) {
            outcome.failure = motion.why;
            return;
        }
        collect({motion.columns, motion.rows}, outcome, run);
    }

    void collect(const session::Table& table, Outcome& outcome, std::size_t run) {
        Diagnostics problems;
        if (!collectors_.is_for(table.columns) && !collectors_.read(problem_.collectors, table.columns, problems)) {
            outcome.failure = problems.front().what;
            return;
        }
        const std::size_t size = problem_.times.size() * problem_.collectors.size();
        collectors_.collect(problem_.collectors, table, outcome,
                            problem_.motions.empty() ? problem_.motions : problem_.motions.subspan(run * size, size));
    }

    const Problem& problem_;
    session::Lease bench_;
    const eom::EquationsOfMotion& e_;
    ValueCheck check_;
    numeric::CompiledEquations numbers_;
    motion::SimulateOptions o_;
    std::vector<double> values_;
    RowCollectors collectors_;
    bool has_inputs_ = false;
};

/// Any other verb, on a session of its own for each run.
class VerbWorker final : public Worker {
public:
    explicit VerbWorker(const Problem& problem) : problem_(problem), values_(problem.varied.size()) {}

    bool run(std::size_t first, std::span<Outcome> outcomes, const std::function<bool()>& goes_on) override {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (!goes_on()) return false;
            problem_.design.values(first + i, values_);
            run_one(outcomes[i]);
        }
        return true;
    }

private:
    void run_one(Outcome& outcome) {
        session::OpenOptions with{.formulation = problem_.session.options().formulation};
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Varied& v = problem_.varied[j];
            (v.what == Varied::What::initial ? with.initial : with.set).push_back(fmt::format("{}={}", v.name, values_[j]));
        }
        const auto session = session::open_model(problem_.session.model(), with);
        if (!session) {
            outcome.failure = first_error(session);
            return;
        }
        session::Table table;
        outcome.failure = make_table(*session, table);
        if (!outcome.failure.empty()) return;
        Diagnostics problems;
        if (!collectors_.is_for(table.columns) && !collectors_.read(problem_.collectors, table.columns, problems)) {
            outcome.failure = problems.front().what;
            return;
        }
        collectors_.collect(problem_.collectors, table, outcome);
    }

    /// What the verb has found, as columns. Why not; empty when it has.
    std::string make_table(const session::Session& session, session::Table& table) const {
        const EnsembleOptions& o = problem_.options;
        std::vector<double> row;
        const auto add = [&](std::string name, double value) { table.columns.push_back(std::move(name)), row.push_back(value); };
        if (o.of == Of::inverse) {
            session::InverseOptions how = o.inverse;
            how.rows = {.times = problem_.times};
            const auto forces = inverse(session, how);
            if (!forces || !forces.is_ok()) return first_error(forces);
            table = forces->table();
            return {};
        }
        if (o.of == Of::modes) {
            const auto found = modes(session, {.operating = o.operating});
            if (!found || !found.is_ok()) return first_error(found);
            std::size_t k = 0;
            for (const linear::Mode& mode : found->modes().modes) {
                ++k;
                add(fmt::format("frequency.{}", k), mode.frequency_hz);
                add(fmt::format("natural.{}", k), mode.natural_hz);
                add(fmt::format("damping.{}", k), mode.damping_ratio);
                add(fmt::format("pole.{}.re", k), mode.pole.real());
                add(fmt::format("pole.{}.im", k), mode.pole.imag());
            }
        } else {
            const auto found = equilibrium(session, {.words = o.operating.equilibrium});
            if (!found || !found.is_ok()) return first_error(found);
            const linear::Equilibrium& e = found->found.front();
            const numeric::State& s = e.point.state;
            const auto add_all = [&](const std::vector<std::string>& names, const Eigen::VectorXd& values) {
                for (std::size_t i = 0; i < names.size() && static_cast<Eigen::Index>(i) < values.size(); ++i)
                    add(names[i], values[static_cast<Eigen::Index>(i)]);
            };
            add_all(found->names.coordinates, s.q);
            add_all(found->names.speeds, s.u);
            add_all(found->names.auxiliary, s.x);
            add_all(found->names.inputs, s.w);
            add("energy.potential", found->potential.front());
            add("pole.re", e.poles.size() > 0 ? e.poles[0].real() : 0);
        }
        table.rows.push_back(Eigen::Map<const Eigen::VectorXd>(row.data(), static_cast<Eigen::Index>(row.size())));
        return {};
    }

    const Problem& problem_;
    std::vector<double> values_;
    RowCollectors collectors_;
};

class SingleCrew final : public Crew {
public:
    explicit SingleCrew(const Problem& problem) : problem_(problem) {}
    std::unique_ptr<Worker> make_worker(Report& report) const override {
        if (problem_.options.of != Of::simulate) return std::make_unique<VerbWorker>(problem_);
        session::Lease bench = borrow(problem_.session, "recursive", report, {.sampled = model::has_samples(problem_.session.model())});
        if (!bench) return nullptr;
        auto worker = std::make_unique<MotionWorker>(problem_, std::move(bench), report);
        return report.is_ok() ? std::move(worker) : nullptr;
    }

private:
    const Problem& problem_;
};

/// Names that no run could know are told before the first one.
bool can_collect(const Problem& problem, Report& report) {
    if (problem.options.of != Of::simulate) return true;  // what columns there are follows from the result
    const session::Lease bench = borrow(problem.session, "recursive", report, {.sampled = model::has_samples(problem.session.model())});
    if (!bench) return false;
    const eom::EquationsOfMotion& e = bench->equations();
    std::vector<std::string> columns{"t"};
    for (const auto* list : {&e.q, &e.u, &e.x}) {
        for (const Expr& s : *list) columns.push_back(s.symbol().name);
    }
    for (const char* name :
         {"energy.kinetic", "energy.potential", "energy.total", "constraint.position", "constraint.velocity", "energy.error"})
        columns.emplace_back(name);
    for (const char* kind : {"linear", "angular"}) {
        for (const char* axis : {"x", "y", "z"}) columns.push_back(fmt::format("momentum.{}.{}", kind, axis));
    }
    for (const eom::Output& o : e.outputs) columns.push_back(o.name);
    Diagnostics problems;
    RowCollectors collectors;
    collectors.read(problem.collectors, columns, problems);
    report.add(problems);
    return report.is_ok();
}

}  // namespace

std::unique_ptr<Crew> make_single_crew(const Problem& problem, Report& report) {
    if (!can_collect(problem, report)) return nullptr;
    return std::make_unique<SingleCrew>(problem);
}

}  // namespace linkwright::ensemble
