#pragma once
// Equations of motion with numbers in them: parameters have their values, folded into the code. Each group of expressions is
// lowered and compiled when it is first asked for.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/numeric/layout.hpp"
#include "linkwright/program/evaluator.hpp"
#include "linkwright/program/program.hpp"

namespace linkwright::numeric {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// How programs are made to run. The interpreter serves everywhere; callers may hand in a compiler.
using Compile = std::function<std::unique_ptr<program::Evaluator>(program::Program)>;
std::unique_ptr<program::Evaluator> interpret(program::Program program);

/// M u̇ + Gᵀλ = f, G u̇ = γ at one state.
struct Dynamics {
    MatrixXd M, G;
    VectorXd f, gamma;
};

struct Residuals {
    VectorXd phi;   ///< of every row; 0 for nonholonomic ones
    VectorXd rate;  ///< of every row
    double position() const { return phi.size() == 0 ? 0 : phi.lpNorm<Eigen::Infinity>(); }
    double velocity() const { return rate.size() == 0 ? 0 : rate.lpNorm<Eigen::Infinity>(); }
};

/// Whether the values of parameters are folded into programs, or programs read them each time, so that they may change.
enum class Parameters : std::uint8_t { fixed, live };

/// Equations, parameter values and compiled programs. Threads may share one (but not while it is being set).
class CompiledEquations {
public:
    explicit CompiledEquations(const eom::EquationsOfMotion& equations, Compile compile = interpret,
                               Parameters parameters = Parameters::fixed);

    const eom::EquationsOfMotion& equations() const { return e_; }
    const Layout& layout() const { return layout_; }
    const VectorXd& parameters() const { return *parameters_; }
    /// Another value for a parameter, from now on, in every program made here; parameters derived from it follow, and one that
    /// was itself derived no longer is. Only when parameters are live: otherwise std::logic_error.
    void set(std::size_t parameter, double value);

    /// Zero coordinates, speeds and auxiliary states (e0 = 1), inputs at their own values at time t.
    State zero_state(double t = 0) const;
    VectorXd input_values(double t) const;
    /// An expression without coordinates and speeds: a value in [initial].
    double constant(const Expr& e, double t = 0) const;

    Dynamics dynamics(const State& state) const;
    VectorXd coordinate_rates(const State& state) const;
    VectorXd auxiliary_rates(const State& state) const;  ///< ẋ
    Residuals residuals(const State& state) const;
    /// Kinetic and potential energy, linear momentum (3), angular momentum (3).
    VectorXd invariants(const State& state) const;
    VectorXd branches(const State& state) const;
    double power(const State& state, const VectorXd& udot, const VectorXd& lambda) const;
    VectorXd outputs(const State& state, const VectorXd& udot, const VectorXd& lambda) const;

    /// A program of any expressions of t, q, x, u, w and parameters.
    class Function {
    public:
        VectorXd operator()(const State& state) const;
        /// The same without any memory taken: `in` is t, q, x, u, w in a row, as Layout says.
        void operator()(std::span<const double> in, std::span<double> out) const { (*run_)(in, out); }
        const program::Evaluator& evaluator() const { return *run_; }

    private:
        friend class CompiledEquations;
        std::shared_ptr<const program::Evaluator> run_;
        Layout layout_;
    };
    Function compile(std::span<const Expr> expressions) const;
    /// A program that `lower` has made, and somebody changed.
    Function compile(program::Program program) const;
    /// The same, made when it is worth while: long programs are interpreted, or run link by link (program/roll.hpp), until they have
    /// been called often (deferred_evaluator.hpp).
    Function compile_when_used(std::span<const Expr> expressions) const;
    /// The same with u̇ and λ after w.
    Function compile_with_accelerations(std::span<const Expr> expressions) const;
    /// The program behind it; where parameters are live, they come last among its inputs.
    program::Program lower(std::span<const Expr> expressions, bool with_accelerations = false) const;

private:
    enum Group : std::uint8_t {
        dynamics_group,
        rates_group,
        auxiliary_group,
        residuals_group,
        invariants_group,
        branches_group,
        inputs_group,
        outputs_group,
        power_group,
        groups
    };
    VectorXd run(Group group, const State& state, const VectorXd* udot = nullptr, const VectorXd* lambda = nullptr) const;
    std::vector<Expr> expressions_of(Group group) const;
    std::unique_ptr<program::Evaluator> make(program::Program program) const;
    std::unique_ptr<program::Evaluator> with_parameters(std::unique_ptr<program::Evaluator> run) const;
    std::vector<Expr> program_inputs(bool with_accelerations) const;

    const eom::EquationsOfMotion& e_;
    Layout layout_;
    Compile compile_;
    Parameters are_;
    std::vector<std::optional<double>> given_;  ///< by set()
    std::unique_ptr<VectorXd> parameters_;      ///< at a fixed address: programs read it
    std::unique_ptr<sym::Pool> pool_;           ///< where the values of parameters live as numbers
    std::vector<sym::Binding> values_;          ///< parameters and these numbers
    struct Lazy {
        std::once_flag once;
        std::unique_ptr<program::Evaluator> run;
    };
    std::unique_ptr<std::array<Lazy, groups>> programs_;
};

}  // namespace linkwright::numeric
