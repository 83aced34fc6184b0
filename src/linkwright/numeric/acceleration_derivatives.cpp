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

AccelerationDerivatives::AccelerationDerivatives(const CompiledEquations& equations, Compile compile,
                                                 const std::optional<eom::AccelerationDerivatives>& written)
    : at_(equations.layout()) {
    if (written) {
        DerivativeProgram lowered = lower(*written, equations);
        places_ = std::move(lowered.places);
        run_ = compile(std::move(lowered.program));
        out_.resize(static_cast<Index>(run_->outputs()));
        return;
    }
    const eom::EquationsOfMotion& e = equations.equations();
    std::vector<Expr> matrices = sym::flat(e.M), rows = eom::force_residual(e);
    matrices.insert(matrices.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) matrices.insert(matrices.end(), c.G.begin(), c.G.end());
    for (const eom::Constraint& c : e.constraints) matrices.push_back(c.gamma);
    matrices_ = equations.compile(matrices);
    const std::vector<Expr> held = eom::acceleration_residual(e);
    rows.insert(rows.end(), held.begin(), held.end());
    std::vector<Expr> columns = eom::q_and_x(e);
    columns.insert(columns.end(), e.u.begin(), e.u.end());
    for (const eom::Input& w : e.inputs) columns.push_back(w.symbol);
    residuals_ = JacobianFunction(equations, rows, columns, true);
    derivative_.setZero(residuals_.rows(), residuals_.columns());
    out_.resize(static_cast<Index>(matrices.size()));
    all_.resize(at_.size(true));
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

bool AccelerationDerivatives::by_residuals(std::span<const double> in, Values& values) {
    const Index n = at_.nu, m = at_.m;
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
