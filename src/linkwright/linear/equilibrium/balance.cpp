#include "linkwright/linear/equilibrium/balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::linear {

using Index = Eigen::Index;

namespace {

std::span<const double> span_of(const VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

VectorXd call(const numeric::CompiledEquations::Function& f, const VectorXd& in) {
    VectorXd out(static_cast<Index>(f.evaluator().outputs()));
    f(span_of(in), {out.data(), static_cast<std::size_t>(out.size())});
    return out;
}

std::vector<Expr> input_symbols(const eom::EquationsOfMotion& e) {
    std::vector<Expr> w;
    for (const eom::Input& i : e.inputs) w.push_back(i.symbol);
    return w;
}

}  // namespace

bool Balance::Values::is_finite() const {
    return f.allFinite() && phi.allFinite() && rate.allFinite() && qdot.allFinite() && xdot.allFinite() && G.allFinite() && T.allFinite();
}
bool Balance::Jacobians::is_finite() const {
    return std::ranges::all_of(
        std::array{&r_q, &r_u, &r_w, &r_x, &phi_q, &rate_q, &rate_u, &qdot_q, &qdot_u, &xdot_q, &xdot_u, &xdot_w, &xdot_x},
        [](const MatrixXd* a) { return a->allFinite(); });
}

Balance::Balance(const numeric::CompiledEquations& numbers) : numbers_(numbers), scales_(numbers), later_(std::make_unique<Later>()) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);
    const std::size_t n = e.u.size();
    for (std::size_t i = 0; i < n; ++i) rows_.push_back(e.inverse.empty() ? e.f[i] : -e.inverse[i]);
    for (const eom::Constraint& c : e.constraints) rows_.push_back(c.phi);
    for (const eom::Constraint& c : e.constraints) rows_.push_back(c.rate);
    rows_.insert(rows_.end(), e.qdot.begin(), e.qdot.end());
    rows_.insert(rows_.end(), e.xdot.begin(), e.xdot.end());
    balanced_ = rows_;
    for (std::size_t i = 0; i < n; ++i) {
        for (const eom::Constraint& c : e.constraints) balanced_[i] -= c.G[i] * c.lambda;
    }

    std::vector<Expr> all = rows_;
    for (const eom::Constraint& c : e.constraints) all.insert(all.end(), c.G.begin(), c.G.end());
    for (const Expr& rate : e.qdot) {
        for (const Expr& u : e.u) all.push_back(derivative(rate, u));
    }
    values_ = numbers.compile_with_accelerations(all);
    std::vector<Expr> columns = e.q;
    const std::vector<Expr> w = input_symbols(e);
    columns.insert(columns.end(), w.begin(), w.end());
    columns.insert(columns.end(), e.x.begin(), e.x.end());
    by_q_ = numeric::JacobianFunction(numbers, balanced_, columns, true);

    std::vector<sym::Binding> still;
    for (const Expr& u : e.u) still.emplace_back(u, Expr(0));
    sym::Substitution at_rest(still);
    for (const Expr& rate : e.qdot) rests_ &= at_rest(rate).is_literally(0);
    for (const Expr& x : all) has_time_ |= depends_on(x, e.t);
    constexpr std::array decisions{sym::Op::abs, sym::Op::sign, sym::Op::min, sym::Op::max, sym::Op::select};
    for (const Expr& x : nodes_below(rows_)) is_analytic_ &= std::ranges::find(decisions, x.op()) == decisions.end();
    find_ignorable();
}

VectorXd Balance::arguments(const numeric::State& s, const VectorXd& lambda) const {
    return numeric::arguments(numbers_.layout(), s, VectorXd::Zero(s.u.size()), lambda);
}

Balance::Values Balance::values(const numeric::State& s) const {
    const auto [nq, nx, n, nw, m] = numbers_.layout();
    const VectorXd x = call(values_, arguments(s, VectorXd::Zero(m)));
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Values v{x.head(n), x.segment(n, m), x.segment(n + m, m), x.segment(n + 2 * m, nq), x.segment(n + 2 * m + nq, nx), {}, {}};
    const double* next = x.data() + rows_.size();
    v.G = Eigen::Map<const Rows>(next, m, n);
    v.T = Eigen::Map<const Rows>(next + m * n, nq, n);
    return v;
}

Balance::Jacobians Balance::derivatives(const numeric::State& s, const VectorXd& lambda, const MatrixXd& T, bool with_speeds) const {
    const eom::EquationsOfMotion& e = numbers_.equations();
    const auto [nq, nx, n, nw, m] = numbers_.layout();
    const VectorXd in = arguments(s, lambda);
    const MatrixXd J = by_q_(in);
    const MatrixXd by = J.leftCols(nq) * T;
    Jacobians d;
    d.r_q = by.topRows(n), d.phi_q = by.middleRows(n, m), d.rate_q = by.middleRows(n + m, m);
    d.qdot_q = by.middleRows(n + 2 * m, nq), d.xdot_q = by.bottomRows(nx);
    d.r_w = J.block(0, nq, n, nw), d.xdot_w = J.block(n + 2 * m + nq, nq, nx, nw);
    d.r_x = J.topRightCorner(n, nx), d.xdot_x = J.bottomRightCorner(nx, nx);
    if (!with_speeds) return d;
    std::call_once(later_->once, [&] { later_->by_u = numeric::JacobianFunction(numbers_, balanced_, e.u, true); });
    const MatrixXd U = later_->by_u(in);
    d.r_u = U.topRows(n);
    d.rate_u = U.middleRows(n + m, m);
    d.qdot_u = U.middleRows(n + 2 * m, nq), d.xdot_u = U.bottomRows(nx);
    return d;
}

/// A coordinate may go on moving unnoticed when no force, no constraint and no rate of a coordinate that does not depends on it.
/// The members of a quaternion go together.
void Balance::find_ignorable() {
    const eom::EquationsOfMotion& e = numbers_.equations();
    const std::size_t nq = e.q.size(), n = e.u.size(), m = e.constraints.size();
    std::vector<Expr> rows = rows_;  // q̇, ẋ last
    const std::size_t rates = n + 2 * m;
    for (const eom::Constraint& c : e.constraints) rows.insert(rows.end(), c.G.begin(), c.G.end());
    std::vector<sym::Binding> steady;
    for (const Expr& a : e.udot) steady.emplace_back(a, Expr(0));
    sym::Substitution no_acceleration(steady);
    for (std::size_t i = 0; i < n; ++i) rows[i] = no_acceleration(rows[i]);
    std::vector<std::vector<std::size_t>> seen_by(nq);  // rows
    for (const auto& entry : jacobian(rows, e.q).entries) seen_by[entry.column].push_back(entry.row);
    std::vector<std::size_t> group(nq, 0);
    for (std::size_t i = 0; i < nq; ++i) group[i] = i;
    for (const auto& g : e.quaternions) {
        for (const std::size_t i : g) group[i] = g[0];
    }
    std::vector<bool> is_free(nq, true);
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (std::size_t i = 0; i < nq; ++i) {
            if (!is_free[i]) continue;
            const bool is_noticed =
                std::ranges::any_of(seen_by[i], [&](std::size_t row) { return row < rates || row >= rates + nq || !is_free[row - rates]; });
            if (!is_noticed) continue;
            for (std::size_t k = 0; k < nq; ++k) {
                if (group[k] == group[i]) is_free[k] = false;
            }
            is_new = true;
        }
    }
    for (std::size_t i = 0; i < nq; ++i) {
        if (is_free[i]) ignorable_.push_back(i);
    }
}

}  // namespace linkwright::linear
