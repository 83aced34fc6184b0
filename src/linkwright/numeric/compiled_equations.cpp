#include "linkwright/numeric/compiled_equations.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <unordered_map>

#include "linkwright/numeric/deferred_evaluator.hpp"
#include "linkwright/program/factor.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/program/roll.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::numeric {

namespace {

using Index = Eigen::Index;

std::span<const double> span_of(const VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// The values of parameters that depend on one another; the reader has made sure that there is no circle.
VectorXd parameter_values(const std::vector<eom::Parameter>& parameters, const std::vector<std::optional<double>>& given) {
    std::unordered_map<sym::NodeId, std::size_t> index;
    for (std::size_t i = 0; i < parameters.size(); ++i) index.emplace(parameters[i].symbol.id(), i);
    VectorXd values = VectorXd::Constant(parameters.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<std::uint8_t> state(parameters.size(), 0);  // 1: waiting for others, 2: known
    std::vector<std::size_t> stack;
    for (std::size_t first = 0; first < parameters.size(); ++first) {
        if (const Expr& value = parameters[first].value; value.is_number()) {  // most are
            state[first] = 2;
            values[first] = given[first] ? *given[first] : value.number().to_double();
            continue;
        }
        stack.push_back(first);
        while (!stack.empty()) {
            const std::size_t i = stack.back();
            bool is_ready = state[i] != 0;  // seen before: whatever it needs is known by now
            if (state[i] == 0) {
                state[i] = 1;
                is_ready = true;
                for (const Expr& s : symbols_in(parameters[i].value)) {
                    const auto at = index.find(s.id());
                    if (at != index.end() && state[at->second] == 0) stack.push_back(at->second), is_ready = false;
                }
            }
            if (!is_ready) continue;
            if (state[i] == 1) {
                state[i] = 2;
                values[i] = given[i] ? *given[i] : sym::evaluate<double>(parameters[i].value, [&](const Expr& s) {
                    const auto at = index.find(s.id());
                    return at == index.end() ? std::numeric_limits<double>::quiet_NaN() : values[at->second];
                });
            }
            stack.pop_back();
        }
    }
    return values;
}

/// Of lines written for these nodes the groups that strands tell.
std::vector<program::Group> groups_of(const eom::Strands& strands, const std::vector<sym::NodeId>& origins) {
    static_assert(program::no_group == eom::Strand::none);
    std::vector<program::Group> groups;
    groups.reserve(origins.size());
    for (const sym::NodeId node : origins) {
        const auto next = std::ranges::upper_bound(strands, node, {}, &eom::Strand::first);
        groups.push_back(next == strands.begin() ? program::no_group : std::prev(next)->group);
    }
    return groups;
}

/// A program whose last inputs are the parameters, as one without them.
class Live final : public program::Evaluator {
public:
    Live(std::unique_ptr<program::Evaluator> run, const VectorXd& parameters) : run_(std::move(run)), parameters_(parameters) {}
    std::size_t inputs() const override { return run_->inputs() - static_cast<std::size_t>(parameters_.size()); }
    std::size_t outputs() const override { return run_->outputs(); }

private:
    void run(const double* in, double* out) const override {
        static thread_local std::vector<double> all;
        all.assign(in, in + inputs());
        all.insert(all.end(), parameters_.begin(), parameters_.end());
        (*run_)(all, {out, outputs()});
    }
    std::unique_ptr<program::Evaluator> run_;
    const VectorXd& parameters_;
};

}  // namespace

std::unique_ptr<program::Evaluator> interpret(program::Program program) {
    return std::make_unique<program::Interpreter>(std::move(program));
}

CompiledEquations::CompiledEquations(const eom::EquationsOfMotion& equations, Compile compile, Parameters parameters)
    : e_(equations),
      layout_(layout_of(equations)),
      compile_(std::move(compile)),
      are_(parameters),
      given_(equations.parameters.size()),
      parameters_(std::make_unique<VectorXd>(parameter_values(equations.parameters, given_))),
      pool_(std::make_unique<sym::Pool>()),
      programs_(std::make_unique<std::array<Lazy, groups>>()) {
    if (are_ == Parameters::live) return;
    const sym::PoolScope scope(*pool_);
    for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
        values_.emplace_back(e_.parameters[i].symbol, Expr((*parameters_)[i]));
    }
}

void CompiledEquations::set(std::size_t parameter, double value) {
    if (are_ != Parameters::live) throw std::logic_error("CompiledEquations: these parameters are folded into the programs");
    given_[parameter] = value;
    *parameters_ = parameter_values(e_.parameters, given_);
}

std::unique_ptr<program::Evaluator> CompiledEquations::make(program::Program program) const {
    return with_parameters(compile_(std::move(program)));
}

std::unique_ptr<program::Evaluator> CompiledEquations::with_parameters(std::unique_ptr<program::Evaluator> run) const {
    if (are_ == Parameters::fixed) return run;
    return std::make_unique<Live>(std::move(run), *parameters_);
}

double CompiledEquations::constant(const Expr& e, double t) const {
    if (e.is_number()) return e.number().to_double();
    return sym::evaluate<double>(e, [&](const Expr& s) {
        if (s == e_.t) return t;
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
            if (e_.parameters[i].symbol == s) return (*parameters_)[i];
        }
        return std::numeric_limits<double>::quiet_NaN();
    });
}

VectorXd CompiledEquations::input_values(double t) const {
    const State s{t, VectorXd::Zero(layout_.nq), VectorXd::Zero(layout_.nu), VectorXd::Zero(layout_.nw), VectorXd::Zero(layout_.nx)};
    return run(inputs_group, s);
}

State CompiledEquations::zero_state(double t) const {
    State s{t, VectorXd::Zero(layout_.nq), VectorXd::Zero(layout_.nu), input_values(t), VectorXd::Zero(layout_.nx)};
    for (const auto& group : e_.quaternions) s.q[group[0]] = 1;
    return s;
}

std::vector<Expr> CompiledEquations::program_inputs(bool with_accelerations) const {
    std::vector<Expr> in = arguments(e_, with_accelerations);
    if (are_ == Parameters::live) {
        for (const eom::Parameter& p : e_.parameters) in.push_back(p.symbol);
    }
    return in;
}

program::Program CompiledEquations::lower(std::span<const Expr> expressions, bool with_accelerations) const {
    return program::lower(expressions, program_inputs(with_accelerations), values_);
}

std::vector<Expr> CompiledEquations::expressions_of(Group group) const {
    std::vector<Expr> x;
    const std::size_t n = e_.u.size();
    switch (group) {
        case dynamics_group:
            assert(e_.M.size() == n);
            for (std::size_t i = 0; i < n; ++i) x.insert(x.end(), e_.M[i].begin(), e_.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
            x.insert(x.end(), e_.f.begin(), e_.f.end());
            for (const eom::Constraint& c : e_.constraints) {
                x.insert(x.end(), c.G.begin(), c.G.end());
                x.push_back(c.gamma);
            }
            break;
        case rates_group: x = e_.qdot; break;
        case auxiliary_group: x = e_.xdot; break;
        case residuals_group:
            for (const eom::Constraint& c : e_.constraints) x.push_back(c.phi), x.push_back(c.rate);
            break;
        case invariants_group:
            x = {e_.energy.kinetic, e_.energy.potential};
            x.insert(x.end(), e_.momentum.linear.begin(), e_.momentum.linear.end());
            x.insert(x.end(), e_.momentum.angular.begin(), e_.momentum.angular.end());
            break;
        case branches_group:
            for (const eom::Branch& b : e_.branches) x.push_back(b.positive);
            break;
        case inputs_group:
            for (const eom::Input& w : e_.inputs) x.push_back(w.value);
            break;
        case outputs_group:
            for (const eom::Output& o : e_.outputs) x.push_back(o.value);
            break;
        case power_group: x = {e_.power}; break;
        case groups: break;
    }
    return x;
}

VectorXd CompiledEquations::run(Group group, const State& s, const VectorXd* udot, const VectorXd* lambda) const {
    Lazy& lazy = (*programs_)[group];
    std::call_once(lazy.once, [&] { lazy.run = make(lower(expressions_of(group), udot != nullptr)); });
    const VectorXd in = udot ? arguments(layout_, s, *udot, *lambda) : arguments(layout_, s);
    VectorXd out(static_cast<Index>(lazy.run->outputs()));
    (*lazy.run)(span_of(in), {out.data(), static_cast<std::size_t>(out.size())});
    return out;
}

Dynamics CompiledEquations::dynamics(const State& state) const {
    const Index n = static_cast<Index>(e_.u.size()), m = static_cast<Index>(e_.constraints.size());
    const VectorXd x = run(dynamics_group, state);
    Dynamics d{MatrixXd(n, n), MatrixXd(m, n), VectorXd(n), VectorXd(m)};
    Index k = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j <= i; ++j) d.M(i, j) = d.M(j, i) = x[k++];
    }
    for (Index i = 0; i < n; ++i) d.f[i] = x[k++];
    for (Index r = 0; r < m; ++r) {
        for (Index j = 0; j < n; ++j) d.G(r, j) = x[k++];
        d.gamma[r] = x[k++];
    }
    return d;
}

VectorXd CompiledEquations::coordinate_rates(const State& state) const { return run(rates_group, state); }
VectorXd CompiledEquations::auxiliary_rates(const State& state) const { return run(auxiliary_group, state); }

Residuals CompiledEquations::residuals(const State& state) const {
    const VectorXd x = run(residuals_group, state);
    Residuals r{VectorXd(x.size() / 2), VectorXd(x.size() / 2)};
    for (Index i = 0; i < r.phi.size(); ++i) r.phi[i] = x[2 * i], r.rate[i] = x[2 * i + 1];
    return r;
}

VectorXd CompiledEquations::invariants(const State& state) const { return run(invariants_group, state); }
VectorXd CompiledEquations::branches(const State& state) const { return run(branches_group, state); }

double CompiledEquations::power(const State& state, const VectorXd& udot, const VectorXd& lambda) const {
    return run(power_group, state, &udot, &lambda)[0];
}
VectorXd CompiledEquations::outputs(const State& state, const VectorXd& udot, const VectorXd& lambda) const {
    return run(outputs_group, state, &udot, &lambda);
}

CompiledEquations::Function CompiledEquations::compile(std::span<const Expr> expressions) const { return compile(lower(expressions)); }

CompiledEquations::Function CompiledEquations::compile(program::Program program) const {
    Function f;
    f.run_ = make(std::move(program));
    f.layout_ = layout_;
    return f;
}

CompiledEquations::Function CompiledEquations::compile_when_used(std::span<const Expr> expressions) const {
    Function f;
    f.layout_ = layout_;
    std::vector<sym::NodeId> origins;
    program::Program program = program::transcribe(expressions, program_inputs(false), values_, e_.strands.empty() ? nullptr : &origins);
    const bool is_long = program.lines.size() > DeferredEvaluator::long_program;
    if (is_long && !e_.strands.empty()) {
        program::Program by_links = program::rolled(program, groups_of(e_.strands, origins), program::Shorten::yes);
        if (program::is_worth_calling(by_links)) {
            std::unique_ptr<program::Evaluator> run = compile_(std::move(by_links));
            if (program.lines.size() <= DeferredEvaluator::longest_straight_line)
                run = std::make_unique<DeferredEvaluator>(std::move(run), std::move(program), compile_);
            f.run_ = with_parameters(std::move(run));
            return f;
        }
    }
    f.run_ = is_long ? with_parameters(std::make_unique<DeferredEvaluator>(std::move(program), compile_)) : make(program::factor(program));
    return f;
}

CompiledEquations::Function CompiledEquations::compile_with_accelerations(std::span<const Expr> expressions) const {
    Function f;
    f.run_ = make(lower(expressions, true));
    f.layout_ = layout_;
    return f;
}

VectorXd CompiledEquations::Function::operator()(const State& s) const {
    const VectorXd in = arguments(layout_, s);
    VectorXd out(static_cast<Index>(run_->outputs()));
    (*run_)(span_of(in), {out.data(), static_cast<std::size_t>(out.size())});
    return out;
}

}  // namespace linkwright::numeric
