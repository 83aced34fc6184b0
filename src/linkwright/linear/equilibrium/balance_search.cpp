#include "linkwright/linear/equilibrium/balance_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "linkwright/numeric/quaternions.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/products.hpp"
#include "linkwright/solve/scale.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using solve::times, solve::transposed_times;

constexpr double polished = 1e-14, accepted = 1e-9;
/// Of constraints. Beside the closed position redundant rows seem independent by as much as the loop is open; were they taken for it, a
/// loop opened by nothing would balance any force.
constexpr double rank_tolerance = 1e-7;

std::optional<Index> place_of(const std::vector<Expr>& symbols, const Expr& e) {
    const auto at = std::ranges::find(symbols, e);
    if (at == symbols.end()) return std::nullopt;
    return static_cast<Index>(at - symbols.begin());
}

double largest(const VectorXd& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); }

struct Decomposition {
    MatrixXd u, v;
    VectorXd s;
    Index rank = 0;
};
Decomposition decompose(const MatrixXd& A, double tolerance = solve::default_rank_tolerance) {
    const solve::Svd svd = solve::make_svd(A);
    return {svd.u, svd.v, svd.s, svd.rank(tolerance)};
}

/// Σ v_i s_i c_i/(s_i² + μ): the whole step of least squares when it is short enough, else the one of length `radius`.
VectorXd trust_step(const Decomposition& d, const VectorXd& R, double radius) {
    const VectorXd c = -(d.u.leftCols(d.rank).transpose() * R);
    const VectorXd s = d.s.head(d.rank);
    const auto coefficients = [&](double mu) { return VectorXd((s.array() * c.array() / (s.array().square() + mu)).matrix()); };
    VectorXd y = coefficients(0);
    if (y.norm() > radius) {
        double low = 0, high = s[0] * c.norm() / radius;  // |y(μ)| ≤ s_0 |c|/μ
        for (int i = 0; i < 200 && high - low > 1e-10 * high; ++i) {
            const double middle = low == 0 ? high * 1e-3 : std::sqrt(low * high);
            (coefficients(middle).norm() > radius ? low : high) = middle;
            if (low == 0 && high < 1e-300) break;
        }
        y = coefficients(high);
    }
    return d.v.leftCols(d.rank) * y;
}

}  // namespace

BalanceSearch::BalanceSearch(const Balance& balance, const EquilibriumOptions& options, const numeric::State& start)
    : balance_(balance), options_(options) {
    const eom::EquationsOfMotion& e = balance.numbers().equations();
    n_ = static_cast<Index>(e.u.size()), m_ = static_cast<Index>(e.constraints.size()), nq_ = static_cast<Index>(e.q.size()),
    nx_ = static_cast<Index>(e.x.size());
    is_moving_.assign(e.q.size(), false);
    if (options.is_steady) {
        for (const std::size_t i : balance.ignorable()) is_moving_[i] = true;
        for (const std::size_t i : options.moving) is_moving_[i] = true;
    }
    const bool may_move =
        std::ranges::find(is_moving_, true) != is_moving_.end() || std::ranges::any_of(options.held, &numeric::Wanted::is_speed);
    with_speeds_ = (options.is_steady && may_move) || !balance.rests_without_speeds();
    for (Index r = 0; r < m_; ++r) {
        if (e.constraints[r].is_holonomic) holonomic_.push_back(r);
    }
    for (Index i = 0; i < nq_; ++i) {
        if (!is_moving_[i]) standing_.push_back(i);
    }
    std::vector<bool> is_held(e.u.size(), false);
    std::vector<Expr> rows;
    for (std::size_t k = 0; k < options.held.size(); ++k) {
        numeric::Wanted w = options.held[k];
        if (k < options.held_values.size()) w.value = balance.numbers().constant(options.held_values[k], start.t);
        if (w.is_speed && !with_speeds_) continue;
        if (place_of(e.x, w.what)) continue;  // only where the search begins: an auxiliary state goes where its rate vanishes
        if (const auto i = place_of(e.q, w.what)) {
            held_values_.push_back(w);
            bool is_quaternion = false;
            for (const auto& group : e.quaternions) {
                if (std::ranges::find(group, static_cast<std::size_t>(*i)) == group.end()) continue;
                is_quaternion = true;
                for (const std::size_t j : group) held_q_.push_back(j);
            }
            if (!is_quaternion) held_q_.push_back(*i);
        } else if (const auto j = place_of(e.u, w.what)) {
            held_values_.push_back(w);
            is_held[*j] = true;
        } else {
            held_rows_.push_back(w);
            rows.push_back(w.what);
        }
    }
    std::ranges::sort(held_q_);
    held_q_.erase(std::unique(held_q_.begin(), held_q_.end()), held_q_.end());
    if (with_speeds_) {
        for (Index i = 0; i < n_; ++i) {
            if (!is_held[i]) free_u_.push_back(i);
        }
    }
    if (!rows.empty()) {
        std::vector<Expr> columns = e.q;
        columns.insert(columns.end(), e.u.begin(), e.u.end());
        for (const auto& entry : jacobian(std::vector<Expr>(rows), columns).entries) {
            held_places_.emplace_back(entry.row, entry.column);
            rows.push_back(entry.value);
        }
        held_function_ = balance.numbers().compile(rows);
    }
    numeric::State at = start;
    set_scales(at);
    const Found closed = prepare(start);
    set_scales(closed.state);
}

/// Each row against what it is made of: forces as they are, what a displacement by 1 would change them, and what constraints hold.
void BalanceSearch::set_scales(const numeric::State& at) {
    const Balance::Values v = balance_.values(at);
    force_scale_ = VectorXd::Ones(n_);
    phi_scale_ = VectorXd::Ones(m_), rate_scale_ = VectorXd::Ones(m_);
    input_scale_ = VectorXd::Ones(options_.trimmed.size());
    xdot_scale_ = x_scale_ = VectorXd::Ones(nx_);
    stiffness_ = VectorXd::Zero(n_);
    scale_ = balance_.scales().at(at, {VectorXd::Zero(n_), MatrixXd::Zero(n_, n_), MatrixXd::Identity(n_, n_)});
    if (!v.is_finite()) return;
    const MatrixXd M = balance_.numbers().dynamics(at).M;
    VectorXd lambda = VectorXd::Zero(m_);
    if (m_ > 0) lambda = solve::solve_least_squares(v.G.transpose(), v.f, rank_tolerance).x;
    const Balance::Jacobians d = balance_.derivatives(at, lambda, v.T, with_speeds_);
    if (!d.is_finite() || !M.allFinite()) return;
    scale_ = balance_.scales().at(at, {v.f, d.r_q, M});
    VectorXd inertia(n_), size(n_);
    for (Index i = 0; i < n_; ++i) {
        inertia[i] = std::sqrt(std::max(M(i, i), 0.0));
        size[i] = std::abs(v.f[i]) + d.r_q.row(i).lpNorm<Eigen::Infinity>();
        if (m_ > 0) size[i] += v.G.col(i).cwiseAbs().dot(lambda.cwiseAbs());
    }
    const double heaviest = largest(inertia) > 0 ? largest(inertia) : 1;
    double most = 0;
    for (Index i = 0; i < n_; ++i) most = std::max(most, size[i] / std::max(inertia[i], 1e-6 * heaviest));
    for (Index i = 0; i < n_; ++i) {  // a row without forces is measured by those of the others
        const double floor = std::max(inertia[i], 1e-6 * heaviest) * (most > 0 ? 1e-4 * most : 1);
        force_scale_[i] = std::max(size[i], floor);
    }
    for (Index j = 0; j < n_; ++j) stiffness_[j] = largest(d.r_q.col(j).cwiseQuotient(force_scale_)) * scale_.eta[j];
    for (Index r = 0; r < m_; ++r) {
        const double by = d.phi_q.row(r).lpNorm<Eigen::Infinity>(), rate = v.G.row(r).lpNorm<Eigen::Infinity>();
        phi_scale_[r] = by > 1e-9 ? by : 1;
        rate_scale_[r] = rate > 1e-9 ? rate : 1;
    }
    for (std::size_t k = 0; k < options_.trimmed.size(); ++k) {
        const VectorXd column = d.r_w.col(options_.trimmed[k]).cwiseQuotient(force_scale_);
        if (largest(column) > 0) input_scale_[k] = 1 / largest(column);
    }
    const auto size_of = [](const MatrixXd& row) { return row.size() == 0 ? 0 : row.cwiseAbs().maxCoeff(); };
    for (Index i = 0; i < nx_; ++i) {
        const double by = std::max({std::abs(v.xdot[i]), size_of(d.xdot_q.row(i)), size_of(d.xdot_x.row(i))});
        if (by > 0) xdot_scale_[i] = by;
    }
    for (Index k = 0; k < nx_; ++k) {
        const double by = std::max(largest(d.r_x.col(k).cwiseQuotient(force_scale_)), largest(d.xdot_x.col(k).cwiseQuotient(xdot_scale_)));
        if (by > 0) x_scale_[k] = 1 / by;
    }
}

/// Displacements that leave held coordinates where they are.
MatrixXd BalanceSearch::free_displacements(const MatrixXd& T) const {
    if (held_q_.empty()) return MatrixXd::Identity(n_, n_);
    MatrixXd rows(static_cast<Index>(held_q_.size()), n_);
    for (std::size_t k = 0; k < held_q_.size(); ++k) rows.row(k) = T.row(held_q_[k]);
    return solve::null_space(rows);
}

BalanceSearch::Look BalanceSearch::look(const numeric::State& s, bool with_derivatives) const {
    Look l;
    l.values = balance_.values(s);
    const Balance::Values& v = l.values;
    l.lambda = VectorXd::Zero(m_);
    if (!v.is_finite()) return l;
    const VectorXd weight = force_scale_.cwiseInverse();
    // λ: the best there is. What it cannot balance is left by the projection 1 − U Uᵀ.
    MatrixXd U(n_, 0);
    if (m_ > 0) {
        const VectorXd rows = solve::row_scale(v.G);
        const MatrixXd A = weight.asDiagonal() * (rows.asDiagonal() * v.G).transpose();
        const Decomposition d = decompose(A, rank_tolerance);
        U = d.u.leftCols(d.rank);
        l.lambda = rows.asDiagonal() *
                   (d.v.leftCols(d.rank) * (d.s.head(d.rank).cwiseInverse().asDiagonal() * (U.transpose() * weight.cwiseProduct(v.f))));
    }
    const auto project = [&](const MatrixXd& x) -> MatrixXd { return x - times(U, transposed_times(U, x)); };
    const auto weighted = [](const VectorXd& by, const MatrixXd& x) -> MatrixXd { return by.asDiagonal() * x; };

    VectorXd extra(static_cast<Index>(held_rows_.size()));
    VectorXd held_out;
    if (extra.size() > 0) {
        held_out = held_function_(s);
        for (Index i = 0; i < extra.size(); ++i) extra[i] = held_out[i] - held_rows_[i].value;
    }
    const Index mh = static_cast<Index>(holonomic_.size()), ms = static_cast<Index>(standing_.size());
    const Index first = n_ + nx_, rows = first + mh + (with_speeds_ ? m_ + ms : 0) + extra.size();
    l.R.resize(rows);
    l.R.head(n_) = project(weight.cwiseProduct(v.f));
    l.R.segment(n_, nx_) = v.xdot.cwiseQuotient(xdot_scale_);
    for (Index k = 0; k < mh; ++k) l.R[first + k] = v.phi[holonomic_[k]] / phi_scale_[holonomic_[k]];
    if (with_speeds_) {
        l.R.segment(first + mh, m_) = v.rate.cwiseQuotient(rate_scale_);
        for (Index k = 0; k < ms; ++k) l.R[first + mh + m_ + k] = v.qdot[standing_[k]];
    }
    l.R.tail(extra.size()) = extra;
    l.is_ok = l.R.allFinite();
    if (!with_derivatives || !l.is_ok) return l;

    const Balance::Jacobians d = balance_.derivatives(s, l.lambda, v.T, with_speeds_);
    const MatrixXd X = free_displacements(v.T);
    const Index nx = X.cols(), nu = static_cast<Index>(free_u_.size()), nw = static_cast<Index>(options_.trimmed.size());
    const VectorXd xdot_weight = xdot_scale_.cwiseInverse();
    l.J = MatrixXd::Zero(rows, nx + nu + nw + nx_);
    l.J.topLeftCorner(n_, nx) = project(times(weighted(weight, d.r_q), X));
    const MatrixXd phi_q = times(d.phi_q, X);
    for (Index k = 0; k < mh; ++k) {
        const Index r = holonomic_[k];
        l.J.row(first + k).head(nx) = phi_q.row(r) / phi_scale_[r];
    }
    if (with_speeds_) {
        const MatrixXd r_u = project(weighted(weight, d.r_u)), qdot_q = times(d.qdot_q, X);
        l.J.block(first + mh, 0, m_, nx) = times(weighted(rate_scale_.cwiseInverse(), d.rate_q), X);
        for (Index j = 0; j < nu; ++j) {
            const Index u = free_u_[j];
            l.J.col(nx + j).head(n_) = r_u.col(u);
            l.J.block(first + mh, nx + j, m_, 1) = d.rate_u.col(u).cwiseQuotient(rate_scale_);
            l.J.col(nx + j).segment(n_, nx_) = xdot_weight.cwiseProduct(d.xdot_u.col(u));
        }
        for (Index k = 0; k < ms; ++k) {
            const Index row = first + mh + m_ + k, i = standing_[k];
            l.J.row(row).head(nx) = qdot_q.row(i);
            for (Index j = 0; j < nu; ++j) l.J(row, nx + j) = d.qdot_u(i, free_u_[j]);
        }
    }
    for (Index k = 0; k < nw; ++k) {
        const VectorXd column = weight.cwiseProduct(d.r_w.col(options_.trimmed[k]));
        l.J.col(nx + nu + k).head(n_) = project(column) * input_scale_[k];
        l.J.col(nx + nu + k).segment(n_, nx_) = xdot_weight.cwiseProduct(d.xdot_w.col(options_.trimmed[k])) * input_scale_[k];
    }
    if (nx_ > 0) {
        const MatrixXd scale = x_scale_.asDiagonal();
        l.J.block(n_, 0, nx_, nx) = times(weighted(xdot_weight, d.xdot_q), X);
        l.J.topRightCorner(n_, nx_) = times(project(weighted(weight, d.r_x)), scale);
        l.J.block(n_, nx + nu + nw, nx_, nx_) = times(weighted(xdot_weight, d.xdot_x), scale);
    }
    if (extra.size() > 0) {
        MatrixXd by_q = MatrixXd::Zero(extra.size(), nq_), by_u = MatrixXd::Zero(extra.size(), n_);
        for (std::size_t k = 0; k < held_places_.size(); ++k) {
            const auto [row, column] = held_places_[k];
            const double x = held_out[extra.size() + static_cast<Index>(k)];
            (column < nq_ ? by_q(row, column) : by_u(row, column - nq_)) = x;
        }
        l.J.bottomLeftCorner(extra.size(), nx) = times(by_q, v.T, X);
        for (Index j = 0; j < nu; ++j) l.J.col(nx + j).tail(extra.size()) = by_u.col(free_u_[j]);
    }
    l.is_ok = l.J.allFinite();
    return l;
}

numeric::State BalanceSearch::moved(const numeric::State& from, const Balance::Values& at, const VectorXd& step) const {
    numeric::State s = from;
    const MatrixXd X = free_displacements(at.T);
    s.q += at.T * (X * step.head(X.cols()));
    numeric::normalise_quaternions(balance_.numbers().equations(), s.q);
    for (const Index i : held_q_) s.q[i] = from.q[i];
    Index k = X.cols();
    for (const Index u : free_u_) s.u[u] += step[k++];
    for (std::size_t w = 0; w < options_.trimmed.size(); ++w) s.w[options_.trimmed[w]] += step[k++] * input_scale_[w];
    for (Index i = 0; i < nx_; ++i) s.x[i] += step[k++] * x_scale_[i];
    return s;
}

VectorXd BalanceSearch::closure_part(const VectorXd& R) const { return R.tail(R.size() - n_ - nx_); }

/// Newton's steps towards ẋ = 0 with everything else where it is; an x on which no rate depends stays.
void BalanceSearch::settle_auxiliary(numeric::State& s) const {
    for (int i = 0; nx_ > 0 && i < 8; ++i) {
        const Balance::Values v = balance_.values(s);
        if (!v.is_finite() || largest(v.xdot.cwiseQuotient(xdot_scale_)) <= polished) return;
        const MatrixXd by_x = balance_.derivatives(s, VectorXd::Zero(m_), v.T, false).xdot_x;
        if (!by_x.allFinite()) return;
        s.x -= solve::solve_least_squares(by_x, v.xdot, solve::default_rank_tolerance).x;
    }
}

BalanceSearch::Found BalanceSearch::minimise(const numeric::State& from, bool only_closure, std::size_t iterations) const {
    const auto part = [&](const VectorXd& R) { return only_closure ? closure_part(R) : R; };
    Found found{from, 0, 0, false};
    Look at = look(from, true);
    const auto infinite = std::numeric_limits<double>::infinity();
    if (!at.is_ok) return found.residual = found.merit = infinite, found;
    VectorXd R = part(at.R);
    double merit = R.squaredNorm(), radius = 0.5, old_merit = merit;
    std::size_t since = 0;
    for (std::size_t i = 0; i < iterations && largest(R) > polished && goes_on(options_.goes_on); ++i) {
        const MatrixXd J = only_closure ? MatrixXd(at.J.bottomRows(R.size())) : at.J;
        const Decomposition d = decompose(J);
        if (d.rank == 0) break;
        bool is_better = false;
        for (int attempt = 0; attempt < 40 && !is_better; ++attempt) {
            const VectorXd step = trust_step(d, R, radius);
            const numeric::State next = moved(found.state, at.values, step);
            const Look there = look(next, false);
            const double expected = merit - (R + J * step).squaredNorm();
            const double gained = there.is_ok ? merit - part(there.R).squaredNorm() : -infinite;
            is_better = gained > 0 && gained >= 1e-4 * expected;
            const double length = step.norm();
            if (is_better) {
                found.state = next;
                if (gained > 0.75 * expected && length > 0.9 * radius) radius *= 2;
            } else {
                radius = 0.25 * std::min(length, radius);
                if (!(radius > 1e-15) || !(expected > 0)) break;
            }
        }
        if (!is_better) break;
        at = look(found.state, true);
        if (!at.is_ok) break;
        R = part(at.R);
        merit = R.squaredNorm();
        if (++since == 15) {  // hardly any progress: a valley without a bottom, or a minimum that is none
            if (merit > 0.9 * old_merit && largest(R) > accepted) break;
            old_merit = merit, since = 0;
        }
    }
    const Look last = look(found.state, false);
    found.residual = last.is_ok ? largest(part(last.R)) : infinite;
    found.merit = last.is_ok ? part(last.R).squaredNorm() : infinite;
    found.is_ok = found.residual <= accepted;
    return found;
}

BalanceSearch::Found BalanceSearch::prepare(const numeric::State& from) const {
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    numeric::State s = from;
    if (!with_speeds_) s.u.setZero();
    for (const numeric::Wanted& w : held_values_) {
        if (const auto i = place_of(e.q, w.what)) s.q[*i] = w.value;
        if (const auto i = place_of(e.u, w.what)) s.u[*i] = w.value;
    }
    numeric::normalise_quaternions(e, s.q);
    return minimise(s, true, 100);
}

BalanceSearch::Found BalanceSearch::descend(const numeric::State& from, std::size_t iterations) const {
    return minimise(from, false, iterations);
}

/// In the directions that constraints leave (Z) the step solves (σ M + K) y = Zᵀf with the smallest σ ≥ 0 that makes the left side
/// definite and y no longer than allowed; it is kept when the forces did work on the way.
BalanceSearch::Found BalanceSearch::creep(const numeric::State& from, std::size_t iterations) const {
    numeric::State s = from;
    if (with_speeds_) return {from, 0, std::numeric_limits<double>::infinity(), false};
    double radius = 0.3;
    settle_auxiliary(s);
    Look at = look(s, false);
    for (std::size_t i = 0; i < iterations && at.is_ok && largest(at.R.head(n_)) > 1e-7 && goes_on(options_.goes_on); ++i) {
        const Balance::Values& v = at.values;
        const MatrixXd X = free_displacements(v.T);
        MatrixXd Z = X;
        if (m_ > 0) {
            Z = times(X, solve::null_space(times(solve::row_scale(v.G).asDiagonal() * v.G, X)));
        }
        if (Z.cols() == 0) break;
        const MatrixXd M = balance_.numbers().dynamics(s).M;
        const MatrixXd K = -solve::congruent(balance_.derivatives(s, at.lambda, v.T, false).r_q, Z);
        MatrixXd I = solve::congruent(M, Z);
        if (!K.allFinite() || !I.allFinite()) break;
        I.diagonal().array() += 1e-9 * std::max(I.diagonal().maxCoeff(), 1e-9);
        const VectorXd g = Z.transpose() * v.f;
        const solve::SymmetricEigen eigen = solve::symmetric_eigen(0.5 * (K + K.transpose()), I);
        if (!eigen.ok) break;
        const VectorXd k = eigen.values, c = eigen.vectors.transpose() * g;
        const double stiffest = std::max(std::abs(k.minCoeff()), std::abs(k.maxCoeff()));
        const auto step = [&](double sigma) -> VectorXd { return eigen.vectors * (c.array() / (k.array() + sigma)).matrix(); };
        const double least = std::max(0.0, -1.01 * k.minCoeff()) + 1e-12 * stiffest + 1e-300;
        bool is_better = false;
        for (int attempt = 0; attempt < 30 && !is_better; ++attempt) {
            double sigma = least;
            if (!(step(sigma).norm() <= radius)) {
                double low = sigma, high = std::max(sigma, c.norm() / radius) + stiffest + 1e-12;
                while (step(high).norm() > radius && high < 1e200) high *= 4;
                for (int b = 0; b < 60; ++b) {
                    const double middle = std::sqrt(std::max(low, 1e-200) * high);
                    (step(middle).norm() > radius ? low : high) = middle;
                }
                sigma = high;
            }
            const VectorXd y = step(sigma);
            numeric::State next = s;
            next.q += v.T * (Z * y);
            numeric::normalise_quaternions(balance_.numbers().equations(), next.q);
            for (const Index h : held_q_) next.q[h] = s.q[h];
            bool is_closed = next.q.allFinite();
            if (is_closed && m_ + static_cast<Index>(held_rows_.size()) > 0) {
                const Found closed = minimise(next, true, 20);
                is_closed = closed.is_ok;
                next = closed.state;
            }
            if (is_closed) settle_auxiliary(next);
            const Look there = is_closed ? look(next, false) : Look{};
            if (there.is_ok) {
                // the work of all forces; those of constraints do none along Z, to second order
                const VectorXd eta = Z * y, r0 = v.f - v.G.transpose() * at.lambda,
                               r1 = there.values.f - there.values.G.transpose() * there.lambda;
                const double promised = g.dot(y) - 0.5 * y.dot(K * y), done = 0.5 * (r0 + r1).dot(eta);
                is_better = done > 0.05 * promised && y.norm() > 0;
                if (is_better && std::abs(done - promised) < 0.2 * promised) radius = std::max(radius, 2 * y.norm());
            }
            if (is_better) {
                s = next;
                at = there;
            } else {
                radius = 0.3 * std::min(radius, y.norm());
                if (!(radius > 1e-13)) break;
            }
        }
        if (!is_better) break;
    }
    return minimise(s, false, 50);
}

numeric::State BalanceSearch::displaced(const numeric::State& from, double size, std::uint64_t seed, double spread) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const Balance::Values v = balance_.values(from);
    const MatrixXd X = free_displacements(v.T);
    VectorXd eta(n_);
    for (Index j = 0; j < n_; ++j)
        eta[j] = size * (scale_.slides_along[static_cast<std::size_t>(j)] ? spread * scale_.length : 1) * normal(random);
    VectorXd step = VectorXd::Zero(X.cols() + static_cast<Index>(free_u_.size() + options_.trimmed.size()) + nx_);
    step.head(X.cols()) = X.transpose() * eta;
    Index k = X.cols();
    for (const Index u : free_u_) step[k++] = size * spread * scale_.u[u] * normal(random);
    numeric::State s = moved(from, v, step);
    for (const std::size_t i : balance_.ignorable()) s.q[static_cast<Index>(i)] = from.q[static_cast<Index>(i)];  // nothing new there
    return s;
}

std::vector<Index> BalanceSearch::free_coordinates() const {
    std::vector<bool> is_free(static_cast<std::size_t>(nq_), true);
    for (const Index i : held_q_) is_free[static_cast<std::size_t>(i)] = false;
    for (const std::size_t i : balance_.ignorable()) is_free[i] = false;
    std::vector<Index> list;
    for (Index i = 0; i < nq_; ++i) {
        if (is_free[static_cast<std::size_t>(i)]) list.push_back(i);
    }
    return list;
}

VectorXd BalanceSearch::multipliers(const numeric::State& state) const {
    const Balance::Values v = balance_.values(state);
    if (m_ == 0) return VectorXd::Zero(0);
    const Index rank = decompose(solve::row_scale(v.G).asDiagonal() * v.G, rank_tolerance).rank;
    const Decomposition d = decompose(v.G.transpose());
    const Index used = std::min(rank, d.rank);
    return d.v.leftCols(used) * (d.s.head(used).cwiseInverse().asDiagonal() * (d.u.leftCols(used).transpose() * v.f));
}

bool BalanceSearch::is_on_branch(const numeric::State& state) const {
    const VectorXd b = balance_.numbers().branches(state);
    return b.size() == 0 || b.minCoeff() > 0;
}

double BalanceSearch::distance(const numeric::State& a, const numeric::State& b) const {
    return linear::distance(balance_.numbers().equations(), scale_, a, b, !free_u_.empty());
}

std::vector<std::size_t> BalanceSearch::nearest_first(const numeric::State& start, std::span<const numeric::State> states) const {
    constexpr double step = 1e-6;
    const auto rounded = [&](double x) { return std::round(x / step); };
    std::vector<double> energy;
    for (const numeric::State& s : states) energy.push_back(balance_.numbers().invariants(s)[1]);
    double most = 1e-300;
    for (const double V : energy) most = std::max(most, std::abs(V));
    std::vector<std::vector<double>> keys;
    for (std::size_t k = 0; k < states.size(); ++k) {
        const numeric::State& s = states[k];
        keys.push_back({rounded(distance(s, start)), rounded(energy[k] / most)});
        for (Index i = 0; i < nq_; ++i) keys.back().push_back(-rounded(s.q[i] / scale_.q[i]));
        for (Index i = 0; i < n_; ++i) keys.back().push_back(-rounded(s.u[i] / scale_.u[i]));
    }
    std::vector<std::size_t> order(states.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return order;
}

bool BalanceSearch::is_isolated(const numeric::State& state) const {
    const Look l = look(state, true);
    return l.is_ok && l.J.allFinite() && decompose(l.J, 1e-7).rank == l.J.cols();
}

bool BalanceSearch::recedes(const numeric::State& state) const { return runs_away(state) || is_faded(state); }

/// Towards a zero of order k steps shrink by 1 − 1/k; where forces fade they stay as they are, or grow.
bool BalanceSearch::runs_away(const numeric::State& state) const {
    constexpr int steps = 20;
    constexpr double negligible = 1e-6, shrinks = 0.35;  // ten orders: 0.9²⁰ = 0.12
    numeric::State s = state;
    double first = 0, last = 0;
    for (int i = 0; i < steps; ++i) {
        const Look l = look(s, true);
        if (!l.is_ok || !l.J.allFinite()) return i > 0;
        const Decomposition d = decompose(l.J, 1e-6);  // only where the derivative is clearly none of rounding
        if (d.rank == 0) return i > 0;
        const VectorXd c = (d.u.leftCols(d.rank).transpose() * l.R).cwiseQuotient(d.s.head(d.rank));
        const VectorXd step = -(d.v.leftCols(d.rank) * c);
        const numeric::State next = moved(s, l.values, step);
        last = distance(next, s);
        if (i == 0) first = last;
        if (!(last > negligible)) return false;
        s = next;
    }
    return last > shrinks * first;
}

bool BalanceSearch::is_faded(const numeric::State& state) const {
    constexpr double nothing = 1e-7, beside = 0.05;  // a zero of the fifth order leaves 3e-5 beside it
    if (!balance_.is_analytic() || m_ > 0 || !held_q_.empty()) return false;
    const Balance::Values v = balance_.values(state);
    if (!v.is_finite()) return false;
    const auto is_left = [&](const numeric::State& s, Index j) {
        const MatrixXd r_q = balance_.derivatives(s, VectorXd::Zero(m_), balance_.values(s).T, false).r_q;
        return !(largest(r_q.col(j).cwiseQuotient(force_scale_)) * scale_.eta[j] <= nothing * stiffness_[j]);
    };
    VectorXd aside(n_);  // in no direction that means anything: along one of them alone there may be balances side by side
    for (Index j = 0; j < n_; ++j) aside[j] = beside * scale_.eta[j] * std::cos(static_cast<double>(j + 1));
    std::vector<numeric::State> around{state, state, state};
    around[1].q += v.T * aside, around[2].q -= v.T * aside;
    for (numeric::State& s : around) numeric::normalise_quaternions(balance_.numbers().equations(), s.q);
    for (Index j = 0; j < n_; ++j) {
        if (!(stiffness_[j] > 1e-6)) continue;
        if (std::ranges::none_of(around, [&](const numeric::State& s) { return is_left(s, j); })) return true;
    }
    return false;
}

std::string BalanceSearch::recession(const numeric::State& state) const {
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    Index furthest = 0;
    if (state.q.size() > 0) state.q.cwiseAbs().maxCoeff(&furthest);
    return fmt::format("the forces fade with distance, and vanish nowhere on the way: it got as far as {} = {:.4g}",
                       e.q[furthest].symbol().name, state.q[furthest]);
}

std::string BalanceSearch::complaint_about_derivatives(const numeric::State& state, const Look& l) const {
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    const Balance::Jacobians d = balance_.derivatives(state, l.lambda, l.values.T, with_speeds_);
    for (Index i = 0; i < d.r_q.rows(); ++i) {
        if (d.r_q.row(i).allFinite()) continue;
        return fmt::format("the force along {}, {:.4g}, has no finite derivative there (a root or a distance that is zero)",
                           e.u[i].symbol().name, l.values.f[i]);
    }
    return d.is_finite() ? "" : "the equations have no finite derivative there";
}

std::string BalanceSearch::complaint(const numeric::State& state) const {
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    const Look l = look(state, false);
    if (!l.is_ok) return "the equations are not finite there";
    if (largest(l.R) <= accepted) {
        const VectorXd b = balance_.numbers().branches(state);
        for (Index i = 0; i < b.size(); ++i) {
            if (!(b[i] > 0)) {
                return fmt::format(
                    "everything found has '{}' on its wrong side: a joint closed with its axes opposite, or a disk tilted past lying flat",
                    e.branches[i].name);
            }
        }
    }
    if (l.R.size() == 0) return "no equation is left to be solved";
    if (const std::string slope = complaint_about_derivatives(state, l); !slope.empty()) return slope;
    Index worst = 0;
    l.R.cwiseAbs().maxCoeff(&worst);
    if (worst < n_) {
        const VectorXd r = l.values.f - l.values.G.transpose() * l.lambda;
        return fmt::format("a force of {1:.4g} (SI units) remains along {0}", e.u[worst].symbol().name, r[worst]);
    }
    worst -= n_;
    if (worst < nx_) return fmt::format("the auxiliary state {} still changes at {:.4g}", e.x[worst].symbol().name, l.values.xdot[worst]);
    worst -= nx_;
    if (worst < static_cast<Index>(holonomic_.size())) {
        const Index r = holonomic_[worst];
        return fmt::format("'{}' stays open by {:.3g}", e.constraints[r].name, std::abs(l.values.phi[r]));
    }
    worst -= static_cast<Index>(holonomic_.size());
    if (with_speeds_ && worst < m_) {
        return fmt::format("'{}' is not met by the speeds: {:.3g} remains", e.constraints[worst].name, std::abs(l.values.rate[worst]));
    }
    if (with_speeds_) worst -= m_;
    if (with_speeds_ && worst < static_cast<Index>(standing_.size())) {
        const Index i = standing_[worst];
        return fmt::format("the coordinate {} moves at {:.4g}", e.q[i].symbol().name, l.values.qdot[i]);
    }
    if (with_speeds_) worst -= static_cast<Index>(standing_.size());
    return fmt::format("'{}' misses its value by {:.3g}", held_rows_[worst].name, std::abs(l.R.tail(held_rows_.size())[worst]));
}

}  // namespace linkwright::linear
