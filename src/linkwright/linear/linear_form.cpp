#include "linkwright/linear/linear_form.hpp"

#include <algorithm>
#include <stdexcept>

#include "linkwright/eom/residual.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::linear {

namespace {

/// A·S for a sparse A whose columns are coordinates, rows `first` to `first + count`.
Matrix times(const sym::SparseMatrix& A, std::size_t first, std::size_t count, const Matrix& S, std::size_t columns) {
    std::vector<std::vector<std::pair<std::size_t, Expr>>> sparse(S.size());
    for (std::size_t i = 0; i < S.size(); ++i) {
        for (std::size_t k = 0; k < columns; ++k) {
            if (!S[i][k].is_literally(0)) sparse[i].emplace_back(k, S[i][k]);
        }
    }
    Matrix product = sym::zeros(count, columns);
    for (const auto& entry : A.entries) {
        if (entry.row < first || entry.row >= first + count || entry.column >= S.size()) continue;
        for (const auto& [k, factor] : sparse[entry.column]) product[entry.row - first][k] += entry.value * factor;
    }
    return product;
}

/// The columns of A from `column` on, likewise.
Matrix block(const sym::SparseMatrix& A, std::size_t first, std::size_t count, std::size_t column, std::size_t columns) {
    Matrix part = sym::zeros(count, columns);
    for (const auto& entry : A.entries) {
        if (entry.row < first || entry.row >= first + count || entry.column < column || entry.column >= column + columns) continue;
        part[entry.row - first][entry.column - column] = entry.value;
    }
    return part;
}

std::string name_of(const Expr& symbol) { return symbol.symbol().name; }

/// "base" of base.e0, base.e1, …; of other names the first of them.
std::string name_of(const eom::EquationsOfMotion& e, const std::array<std::size_t, 4>& quaternion) {
    const std::string first = name_of(e.q[quaternion[0]]);
    const std::size_t dot = first.rfind('.');
    if (dot == std::string::npos) return first;
    const std::string stem = first.substr(0, dot);
    const bool is_shared = std::ranges::all_of(quaternion, [&](std::size_t i) { return name_of(e.q[i]).starts_with(stem + "."); });
    return is_shared ? stem : first;
}

/// E(e) with ė = ½ E ω, ω in the axes that turn.
Matrix turns(const std::array<Expr, 4>& e) {
    return {{-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
}

}  // namespace

LinearForm linear_form(const eom::EquationsOfMotion& e) {
    if (e.reduction) throw std::invalid_argument("linear_form: the speeds of these equations are those of the bodies, not of the joints");
    const sym::PoolScope scope(*e.pool);
    const std::vector<Expr> carried = eom::q_and_x(e), rates = eom::qdot_and_xdot(e);
    const std::size_t nq = carried.size(), nu = e.u.size(), m = e.constraints.size(), nw = e.inputs.size(), no = e.outputs.size();
    const Expr half = sym::Rational(1, 2);
    LinearForm form;
    form.pool = e.pool;

    // S, its left inverse and its rate along the motion
    std::vector<int> group_of(nq, -1);
    for (std::size_t k = 0; k < e.quaternions.size(); ++k) {
        for (const std::size_t i : e.quaternions[k]) group_of[i] = static_cast<int>(k);
    }
    const std::size_t ns = nq - e.quaternions.size();
    std::vector<std::string> units = e.q_units;
    units.resize(e.q.size());
    units.insert(units.end(), e.x_units.begin(), e.x_units.end());
    form.S = sym::zeros(nq, ns);
    Matrix left = sym::zeros(ns, nq), rate = sym::zeros(nq, ns);
    std::vector<bool> is_done(e.quaternions.size(), false);
    for (std::size_t i = 0; i < nq; ++i) {
        const std::size_t at = form.s.size();
        if (group_of[i] < 0) {
            form.S[i][at] = left[at][i] = 1;
            form.s.push_back(name_of(carried[i]));
            form.units.push_back(units[i]);
            continue;
        }
        const std::size_t k = group_of[i];
        if (is_done[k]) continue;
        is_done[k] = true;
        std::array<Expr, 4> here, moving;
        for (std::size_t c = 0; c < 4; ++c) here[c] = e.q[e.quaternions[k][c]], moving[c] = e.qdot[e.quaternions[k][c]];
        const Matrix E = turns(here), Edot = turns(moving);
        for (std::size_t r = 0; r < 4; ++r) {
            for (std::size_t c = 0; c < 3; ++c) {
                form.S[e.quaternions[k][r]][at + c] = half * E[r][c];
                rate[e.quaternions[k][r]][at + c] = half * Edot[r][c];
                left[at + c][e.quaternions[k][r]] = 2 * E[r][c];
            }
        }
        for (const char* axis : {".turn.x", ".turn.y", ".turn.z"}) {
            form.s.push_back(name_of(e, e.quaternions[k]) + axis);
            form.units.push_back("rad");
        }
    }

    // every row, differentiated in one sweep
    std::vector<Expr> rows = eom::unconstrained_residual(e);
    const std::size_t forces_at = rows.size();  // Gᵀλ
    for (std::size_t i = 0; i < nu; ++i) {
        Expr r = 0;
        for (const eom::Constraint& c : e.constraints) r += c.G[i] * c.lambda;
        rows.push_back(r);
    }
    const std::size_t rates_at = rows.size();
    rows.insert(rows.end(), rates.begin(), rates.end());
    const std::size_t phi_at = rows.size();
    for (const eom::Constraint& c : e.constraints) rows.push_back(c.is_holonomic ? c.phi : Expr(0));
    const std::size_t speed_at = rows.size();
    for (const eom::Constraint& c : e.constraints) rows.push_back(c.rate);
    const std::size_t acceleration_at = rows.size();
    for (const eom::Constraint& c : e.constraints) {
        Expr a = -c.gamma;
        for (std::size_t j = 0; j < nu; ++j) a += c.G[j] * e.udot[j];
        rows.push_back(a);
    }
    const std::size_t outputs_at = rows.size();
    for (const eom::Output& o : e.outputs) rows.push_back(o.value);
    std::vector<Expr> columns = carried;
    columns.insert(columns.end(), e.u.begin(), e.u.end());
    for (const eom::Input& w : e.inputs) columns.push_back(w.symbol);
    const sym::SparseMatrix J = sym::jacobian(rows, columns);
    form.depends_on_time = std::ranges::any_of(sym::symbols_in(rows), [&](const Expr& s) { return s == e.t; });

    form.M = e.M;
    form.geometric = times(J, forces_at, nu, form.S, ns);
    form.K = times(J, 0, nu, form.S, ns);
    form.C = block(J, 0, nu, nq, nu);
    form.B = block(J, 0, nu, nq + nu, nw);
    for (std::size_t i = 0; i < nu; ++i) {
        for (std::size_t k = 0; k < ns; ++k) form.K[i][k] += form.geometric[i][k];
        for (Expr& b : form.B[i]) b = -b;
    }
    const Matrix forces_by_inputs = block(J, forces_at, nu, nq + nu, nw);
    for (std::size_t i = 0; i < nu; ++i) {
        for (std::size_t k = 0; k < nw; ++k) form.B[i][k] -= forces_by_inputs[i][k];
    }

    // N = S⁺ ∂q̇/∂u, H = S⁺(∂q̇/∂q S − Ṡ), W = S⁺ ∂q̇/∂w
    const Matrix along = times(J, rates_at, nq, form.S, ns), by_speeds = block(J, rates_at, nq, nq, nu),
                 by_inputs = block(J, rates_at, nq, nq + nu, nw);
    form.N = sym::zeros(ns, nu);
    form.H = sym::zeros(ns, ns);
    form.W = sym::zeros(ns, nw);
    for (std::size_t i = 0; i < ns; ++i) {
        for (std::size_t k = 0; k < nq; ++k) {
            if (left[i][k].is_literally(0)) continue;
            for (std::size_t j = 0; j < nu; ++j) form.N[i][j] += left[i][k] * by_speeds[k][j];
            for (std::size_t j = 0; j < ns; ++j) form.H[i][j] += left[i][k] * (along[k][j] - rate[k][j]);
            for (std::size_t j = 0; j < nw; ++j) form.W[i][j] += left[i][k] * by_inputs[k][j];
        }
    }

    form.Phi = times(J, phi_at, m, form.S, ns);
    form.D = times(J, speed_at, m, form.S, ns);
    form.E = block(J, acceleration_at, m, nq, nu);
    form.F = times(J, acceleration_at, m, form.S, ns);
    form.Phi_w = block(J, phi_at, m, nq + nu, nw);
    form.D_w = block(J, speed_at, m, nq + nu, nw);
    form.F_w = block(J, acceleration_at, m, nq + nu, nw);
    for (const eom::Constraint& c : e.constraints) form.G.push_back(c.G);

    form.O_s = times(J, outputs_at, no, form.S, ns);
    form.O_u = block(J, outputs_at, no, nq, nu);
    form.O_w = block(J, outputs_at, no, nq + nu, nw);
    std::vector<Expr> hidden = e.udot;
    for (const eom::Constraint& c : e.constraints) hidden.push_back(c.lambda);
    const sym::SparseMatrix O = sym::jacobian(std::span(rows).subspan(outputs_at), hidden);
    form.O_a = block(O, 0, no, 0, nu);
    form.O_lambda = block(O, 0, no, nu, m);
    return form;
}

}  // namespace linkwright::linear
