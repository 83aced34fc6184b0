#include "linkwright/numeric/acceleration_derivatives.hpp"

#include <algorithm>

#include "linkwright/eom/residual.hpp"
#include "linkwright/program/lower.hpp"

namespace linkwright::numeric {

using Index = Eigen::Index;

DerivativeProgram lower(const eom::AccelerationDerivatives& d, const CompiledEquations& equations) {
    DerivativeProgram r;
    std::vector<Expr> inputs{d.t}, outputs = d.a;
    for (const auto* list : {&d.q, &d.x, &d.u, &d.w}) inputs.insert(inputs.end(), list->begin(), list->end());
    for (std::size_t i = 0; i < d.a.size(); ++i) {
        Index column = 0;
        for (const auto* m : {&d.by_q, &d.by_x, &d.by_u, &d.by_w, &d.by_tau}) {
            for (const Expr& entry : (*m)[i]) {
                if (!entry.is_literally(0)) {
                    r.places.push_back({static_cast<Index>(i), column});
                    outputs.push_back(entry);
                }
                ++column;
            }
        }
    }
    const sym::PoolScope scope(*d.pool);
    std::vector<sym::Binding> constants;
    const std::vector<eom::Parameter>& parameters = equations.equations().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const sym::SymbolInfo& symbol = parameters[i].symbol.symbol();
        const auto same = std::ranges::find_if(d.parameters, [&](const Expr& p) { return p.symbol().name == symbol.name; });
        if (same != d.parameters.end()) constants.emplace_back(*same, Expr(equations.parameters()[static_cast<Index>(i)]));
    }
    r.program = program::lower(outputs, inputs, constants);
    return r;
}

namespace {

/// M u̇ + Gᵀλ − f, then G u̇ − γ.
std::vector<Expr> residuals(const eom::EquationsOfMotion& e) {
    std::vector<Expr> rows = eom::force_residual(e);
    const std::vector<Expr> held = eom::acceleration_residual(e);
    rows.insert(rows.end(), held.begin(), held.end());
    return rows;
}

/// q, x, u, w
std::vector<Expr> columns_of(const eom::EquationsOfMotion& e) {
    std::vector<Expr> columns = eom::q_and_x(e);
    columns.insert(columns.end(), e.u.begin(), e.u.end());
    for (const eom::Input& w : e.inputs) columns.push_back(w.symbol);
    return columns;
}

}  // namespace

AccelerationDerivatives::AccelerationDerivatives(const CompiledEquations& equations, Compile compile,
                                                 const std::optional<eom::AccelerationDerivatives>& written)
    : equations_(&equations), at_(equations.layout()) {
    if (written) {
        DerivativeProgram lowered = lower(*written, equations);
        places_ = std::move(lowered.places);
        run_ = compile(std::move(lowered.program));
        out_.resize(static_cast<Index>(run_->outputs()));
        return;
    }
    const eom::EquationsOfMotion& e = equations.equations();
    std::vector<Expr> matrices = sym::flat(e.M);
    matrices.insert(matrices.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) matrices.insert(matrices.end(), c.G.begin(), c.G.end());
    for (const eom::Constraint& c : e.constraints) matrices.push_back(c.gamma);
    matrices_ = equations.compile(matrices);
    residuals_ = JacobianFunction(equations, residuals(e), columns_of(e), true);
    derivative_.setZero(residuals_.rows(), residuals_.columns());
    out_.resize(static_cast<Index>(matrices.size()));
    all_.resize(at_.size(true));
    prepare_elimination(equations);
}

bool AccelerationDerivatives::operator()(std::span<const double> in, Values& values) {
    why_.clear();
    values.of_udot.setZero(at_.nu, columns());
    values.of_lambda.setZero(at_.m, columns());
    values.lambda.setZero(at_.m);
    if (!run_) return by_residuals(in, values);
    (*run_)(in, {out_.data(), static_cast<std::size_t>(out_.size())});
    values.udot = out_.head(at_.nu);
    for (std::size_t k = 0; k < places_.size(); ++k)
        values.of_udot(places_[k].row, places_[k].column) = out_[at_.nu + static_cast<Index>(k)];
    if (out_.allFinite()) return true;
    why_ = "accelerations or their derivatives are not finite";
    return false;
}

/// M, f, G, γ and the right-hand sides of all columns as one program, to be eliminated.
void AccelerationDerivatives::prepare_elimination(const CompiledEquations& equations) {
    const eom::EquationsOfMotion& e = equations.equations();
    const sym::PoolScope scope(*e.pool);
    const auto n = static_cast<std::size_t>(at_.nu);
    std::vector<Expr> wanted;
    for (std::size_t i = 0; i < n; ++i) wanted.insert(wanted.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i + 1));
    wanted.insert(wanted.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) {
        wanted.insert(wanted.end(), c.G.begin(), c.G.end());
        wanted.push_back(c.gamma);
    }
    auto right = std::make_shared<program::RightHandSides>();
    right->columns = static_cast<std::size_t>(columns());
    right->first_input = static_cast<std::size_t>(at_.size());
    for (const auto& entry : sym::jacobian(residuals(e), columns_of(e)).entries) {
        right->places.push_back({entry.row, entry.column});
        wanted.push_back(-entry.value);
    }
    for (std::size_t i = 0; i < n; ++i) {
        right->places.push_back({i, static_cast<std::size_t>(column_of_tau()) + i});
        wanted.push_back(1);
    }
    eliminated_program_ = equations.lower(wanted, true);
    right_ = std::move(right);
}

/// The system as it was just solved in general.
void AccelerationDerivatives::offer_elimination() {
    system_.clear();
    for (Index i = 0; i < at_.nu; ++i) {
        for (Index j = 0; j <= i; ++j) system_.push_back(M_(i, j));
    }
    system_.insert(system_.end(), f_.begin(), f_.end());
    for (Index r = 0; r < at_.m; ++r) {
        for (Index j = 0; j < at_.nu; ++j) system_.push_back(G_(r, j));
        system_.push_back(gamma_[r]);
    }
    // Beside the constraints redundant rows contradict each other, and columns lead there: leaving rows out is then another answer than the factor's.
    if (eliminated_->offer(system_)) is_contradictory_ = !eliminated_->choice().redundant.empty();
}

bool AccelerationDerivatives::by_residuals(std::span<const double> in, Values& values) {
    const Index n = at_.nu, m = at_.m;
    if (is_eliminated() && eliminated_->solve(in)) {
        values.udot = eliminated_->udot();
        values.lambda = eliminated_->lambda();
        using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::Map<const ByRows> all(eliminated_->others().data(), n + m, columns());
        values.of_udot = all.topRows(n);
        values.of_lambda = all.bottomRows(m);
        return true;
    }
    matrices_(in, {out_.data(), static_cast<std::size_t>(out_.size())});
    if (!out_.allFinite()) {
        why_ = "M, f, G or γ is not finite";
        return false;
    }
    M_ = out_.head(n * n).reshaped(n, n);  // symmetric
    f_ = out_.segment(n * n, n);
    G_ = out_.segment(n * n + n, m * n).reshaped(n, m).transpose();
    gamma_ = out_.tail(m);
    if (rank_ < 0) rank_ = solve::solve_descriptor(M_, f_, G_, gamma_).rank;
    if (!factor_.factor(M_, G_, rank_)) {
        why_ = factor_.why();
        return false;
    }
    factor_.solve(f_, gamma_, values.udot, values.lambda);
    if (!eliminated_) {
        program::EliminationOptions options;
        options.right = right_;
        eliminated_ = std::make_unique<EliminatedDynamics>(*equations_, std::move(eliminated_program_), rank_, options);
    }
    if (!is_contradictory_) offer_elimination();
    all_ << Eigen::Map<const VectorXd>(in.data(), at_.size()), values.udot, values.lambda;
    if (!residuals_({all_.data(), static_cast<std::size_t>(all_.size())}, out_of_residuals_, derivative_)) {
        why_ = "derivatives of the equations of motion are not finite";
        return false;
    }
    for (Index j = 0; j < columns(); ++j) {
        if (j < residuals_.columns()) {
            r_ = -derivative_.col(j).head(n);
            s_ = -derivative_.col(j).tail(m);
        } else {
            r_ = VectorXd::Unit(n, j - column_of_tau());
            s_.setZero(m);
        }
        factor_.solve(r_, s_, udot_, lambda_);
        values.of_udot.col(j) = udot_;
        values.of_lambda.col(j) = lambda_;
    }
    return true;
}

}  // namespace linkwright::numeric
