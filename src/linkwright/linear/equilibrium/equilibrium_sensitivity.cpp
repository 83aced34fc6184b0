#include "linkwright/linear/equilibrium/equilibrium_sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include "linkwright/eom/residual.hpp"
#include "linkwright/numeric/derived_parameters.hpp"
#include "linkwright/numeric/jacobian_function.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "linkwright/solve/products.hpp"
#include "linkwright/solve/scale.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using solve::times, solve::transposed_times;

constexpr double rank_tolerance = 1e-7;  ///< of constraints, as in balance_search.cpp

std::optional<Index> place_of(const std::vector<Expr>& symbols, const Expr& e) {
    const auto at = std::ranges::find(symbols, e);
    if (at == symbols.end()) return std::nullopt;
    return static_cast<Index>(at - symbols.begin());
}

/// Derivatives of any expressions at one state: by all of q, u, w, x and along a few directions in the space of parameters.
struct Local {
    VectorXd value;
    MatrixXd by_q, by_u, by_w, by_x, by_parameter;
    std::vector<VectorXd> along;  ///< dp_k/dp of each parameter
};

/// Of an expression in parameters alone.
double derivative_of(const numeric::CompiledEquations& numbers, const Expr& value, const VectorXd& along) {
    double total = 0;
    const std::vector<eom::Parameter>& all = numbers.equations().parameters;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const double a = along[k];
        if (a == 0) continue;
        const Expr by = derivative(value, all[k].symbol);
        if (!by.is_literally(0)) total += numbers.constant(by) * a;
    }
    return total;
}

/// Such derivatives, compiled.
class Rows {
public:
    Rows(const numeric::CompiledEquations& numbers, const std::vector<Expr>& rows, std::span<const std::size_t> parameters)
        : layout_(numbers.layout()),
          followers_(numbers),
          parameters_(parameters.begin(), parameters.end()),
          count_(static_cast<Index>(rows.size())) {
        const eom::EquationsOfMotion& e = numbers.equations();
        std::vector<Expr> columns = e.q;
        columns.insert(columns.end(), e.u.begin(), e.u.end());
        for (const eom::Input& w : e.inputs) columns.push_back(w.symbol);
        columns.insert(columns.end(), e.x.begin(), e.x.end());
        for (const std::size_t k : followers_.reached_from(parameters)) which_.push_back(k), columns.push_back(e.parameters[k].symbol);
        function_ = numbers.compile_with_accelerations(rows);
        derivatives_ = numeric::JacobianFunction(numbers, rows, columns, true);
    }

    Local operator()(const numeric::OperatingPoint& at) const {
        const VectorXd in = arguments(layout_, at.state, at.udot, at.lambda);
        Local local;
        local.value.resize(count_);
        function_({in.data(), static_cast<std::size_t>(in.size())}, {local.value.data(), static_cast<std::size_t>(count_)});
        const MatrixXd D = derivatives_(in);
        const auto [nq, nx, nu, nw, m] = layout_;
        local.by_q = D.leftCols(nq), local.by_u = D.middleCols(nq, nu), local.by_w = D.middleCols(nq + nu, nw);
        local.by_x = D.middleCols(nq + nu + nw, nx);
        const Index first = nq + nu + nw + nx;
        local.by_parameter = MatrixXd::Zero(count_, static_cast<Index>(parameters_.size()));
        local.along = followers_.derivatives(parameters_);
        for (std::size_t j = 0; j < parameters_.size(); ++j) {
            const VectorXd& along = local.along[j];
            for (std::size_t k = 0; k < which_.size(); ++k) {
                if (along[which_[k]] != 0) local.by_parameter.col(j) += D.col(first + static_cast<Index>(k)) * along[which_[k]];
            }
        }
        return local;
    }

private:
    numeric::Layout layout_;
    numeric::DerivedParameters followers_;
    std::vector<std::size_t> parameters_;
    Index count_ = 0;
    std::vector<Index> which_;
    numeric::CompiledEquations::Function function_;
    numeric::JacobianFunction derivatives_;
};

/// Inputs that have their own values follow them.
MatrixXd input_derivatives(const numeric::CompiledEquations& numbers, const numeric::State& s, const Local& local, std::size_t parameters) {
    const eom::EquationsOfMotion& e = numbers.equations();
    MatrixXd derivatives = MatrixXd::Zero(s.w.size(), static_cast<Index>(parameters));
    const VectorXd own = numbers.input_values(s.t);
    for (Index i = 0; i < s.w.size(); ++i) {
        if (own[i] != s.w[i]) continue;
        for (std::size_t j = 0; j < parameters; ++j)
            derivatives(i, static_cast<Index>(j)) = derivative_of(numbers, e.inputs[i].value, local.along[j]);
    }
    return derivatives;
}

/// The shortest X with A X = B; false when some column cannot be reached.
struct Shortest {
    MatrixXd x;
    std::vector<bool> is_reached;
};
Shortest shortest(const MatrixXd& A, const MatrixXd& B) {
    const VectorXd rows = solve::row_scale(A);
    const MatrixXd a = rows.asDiagonal() * A, b = rows.asDiagonal() * B;
    const solve::Svd svd = solve::make_svd(a);
    const Index rank = svd.ok ? svd.rank(1e-9) : 0;
    Shortest r{MatrixXd::Zero(A.cols(), B.cols()), {}};
    if (rank > 0) {
        const MatrixXd along = svd.s.head(rank).cwiseInverse().asDiagonal() * transposed_times(svd.u.leftCols(rank), b);
        r.x = times(svd.v.leftCols(rank), along);
    }
    const MatrixXd error = a * r.x - b;
    for (Index j = 0; j < B.cols(); ++j) {
        r.is_reached.push_back(
            b.rows() == 0 ||
            error.col(j).lpNorm<Eigen::Infinity>() <=
                1e-7 * (b.col(j).lpNorm<Eigen::Infinity>() + a.cwiseAbs().maxCoeff() * r.x.col(j).lpNorm<Eigen::Infinity>()) + 1e-10);
    }
    return r;
}

/// −(shortest δλ), and what no λ can take up is left in the projection.
MatrixXd range_of_constraints(const MatrixXd& G) {
    if (G.rows() == 0) return MatrixXd(G.cols(), 0);
    const solve::Svd svd = solve::make_svd((solve::row_scale(G).asDiagonal() * G).transpose());
    return svd.u.leftCols(svd.rank(rank_tolerance));
}

/// How the shortest λ turns with G: rows that say nothing new give λ no part along N, GᵀN = 0, and N changes when G does.
/// δ(Nᵀλ) = 0 leads to N Nᵀδλ = N Nᵀ δG G⁺λ.
VectorXd turning(const MatrixXd& G, const MatrixXd& dG, const VectorXd& lambda) {
    const MatrixXd N = solve::null_space(MatrixXd(G.transpose()), rank_tolerance);
    if (N.cols() == 0) return VectorXd::Zero(lambda.size());
    const VectorXd shadow = solve::solve_least_squares(G, lambda, rank_tolerance).x;  // G⁺λ
    return N * (N.transpose() * (dG * shadow));
}

MatrixXd numbers_of_constraints(const eom::EquationsOfMotion& e, const VectorXd& values) {
    MatrixXd G(static_cast<Index>(e.constraints.size()), static_cast<Index>(e.u.size()));
    Index k = 0;
    for (Index r = 0; r < G.rows(); ++r) {
        for (Index i = 0; i < G.cols(); ++i) G(r, i) = values[k++];
    }
    return G;
}

std::vector<Expr> entries_of_constraints(const eom::EquationsOfMotion& e) {
    std::vector<Expr> list;
    for (const eom::Constraint& c : e.constraints) list.insert(list.end(), c.G.begin(), c.G.end());
    return list;
}

}  // namespace

/// What was compiled, for which rows and parameters.
struct PointSensitivity::Inside {
    enum class Kind : std::uint8_t { balance, closing, accelerations };
    struct Kept {
        Kind kind;
        std::vector<Expr> beside;  ///< rows of held or wished values
        std::vector<std::size_t> parameters;
        std::shared_ptr<const Rows> rows;
    };
    const numeric::CompiledEquations& numbers;
    std::mutex mutex;
    std::vector<Kept> kept;
    std::optional<numeric::CompiledEquations::Function> tangent;

    explicit Inside(const numeric::CompiledEquations& some) : numbers(some) {}

    std::shared_ptr<const Rows> rows(Kind kind, const std::vector<numeric::Wanted>& wanted, std::span<const std::size_t> parameters,
                                     const std::function<std::vector<Expr>()>& make) {
        std::vector<Expr> beside;
        for (const numeric::Wanted& w : wanted) beside.push_back(w.what);
        const std::lock_guard lock(mutex);
        for (const Kept& k : kept) {
            if (k.kind == kind && k.beside == beside && std::ranges::equal(k.parameters, parameters)) return k.rows;
        }
        if (kept.size() >= 8) kept.erase(kept.begin());
        kept.push_back({kind, beside, {parameters.begin(), parameters.end()}, std::make_shared<const Rows>(numbers, make(), parameters)});
        return kept.back().rows;
    }

    MatrixXd tangent_map(const numeric::State& s) {
        const eom::EquationsOfMotion& e = numbers.equations();
        {
            const std::lock_guard lock(mutex);
            if (!tangent) {
                std::vector<Expr> entries;
                for (const Expr& rate : e.qdot) {
                    for (const Expr& u : e.u) entries.push_back(derivative(rate, u));
                }
                tangent = numbers.compile(entries);
            }
        }
        const VectorXd x = (*tangent)(s);
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        return Eigen::Map<const RowMajor>(x.data(), static_cast<Index>(e.q.size()), static_cast<Index>(e.u.size()));
    }

    void add_accelerations(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters, PointDerivatives& derivatives);
    PointDerivatives closed_derivatives(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters,
                                        const std::vector<numeric::Wanted>& wanted, const std::vector<Expr>& values);
};

PointSensitivity::PointSensitivity(const numeric::CompiledEquations& numbers) : inside_(std::make_unique<Inside>(numbers)) {}
PointSensitivity::~PointSensitivity() = default;

/// A state's own derivatives are known; those of u̇ and λ follow from M u̇ + Gᵀλ = f, G u̇ = γ.
void PointSensitivity::Inside::add_accelerations(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters,
                                                 PointDerivatives& derivatives) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const Index n = static_cast<Index>(e.u.size()), m = static_cast<Index>(e.constraints.size());
    const Local local = (*rows(Kind::accelerations, {}, parameters, [&] {
        const sym::PoolScope scope(*e.pool);
        std::vector<Expr> list = eom::force_residual(e);
        const std::vector<Expr> held = eom::acceleration_residual(e), G = entries_of_constraints(e);
        list.insert(list.end(), held.begin(), held.end());
        list.insert(list.end(), G.begin(), G.end());
        return list;
    }))(at);
    const numeric::Dynamics d = numbers.dynamics(at.state);
    for (std::size_t j = 0; j < derivatives.by.size(); ++j) {
        numeric::PointDerivative& p = derivatives.by[j];
        const VectorXd change = local.by_q * p.q + local.by_u * p.u + local.by_w * p.w + local.by_x * p.x + local.by_parameter.col(j);
        const solve::DescriptorSolution s = solve::solve_descriptor(d.M, -change.head(n), d.G, -change.segment(n, m));
        p.udot = s.udot;
        p.lambda = s.lambda;
        if (s.rank < m) p.lambda += turning(d.G, numbers_of_constraints(e, change.tail(n * m)), at.lambda);
        if (!s.ok) derivatives.is_ok = false, derivatives.why = s.why;
    }
}

/// Moves q and u as wished, corrected by the shortest displacement that closes positions and then speeds.
PointDerivatives PointSensitivity::Inside::closed_derivatives(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters,
                                                              const std::vector<numeric::Wanted>& wanted, const std::vector<Expr>& values) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const Index n = static_cast<Index>(e.u.size()), m = static_cast<Index>(e.constraints.size()), nq = static_cast<Index>(e.q.size());
    PointDerivatives result;
    const Local local = (*rows(Kind::closing, wanted, parameters, [&] {
        std::vector<Expr> list;
        for (const eom::Constraint& c : e.constraints) list.push_back(c.phi);
        for (const eom::Constraint& c : e.constraints) list.push_back(c.rate);
        for (const numeric::Wanted& w : wanted) list.push_back(w.what);
        return list;
    }))(at);
    const MatrixXd inputs = input_derivatives(numbers, at.state, local, parameters.size());
    const MatrixXd T = tangent_map(at.state);
    for (std::size_t j = 0; j < parameters.size(); ++j) {
        const Index column = j;
        // positions: wishes first, then the shortest correction that keeps what is held and closes the loops
        VectorXd wish = VectorXd::Zero(nq), wish_u = VectorXd::Zero(n), wish_x = VectorXd::Zero(e.x.size());
        std::vector<Index> fixed, fixed_u, rows_q, rows_u;
        std::vector<double> targets(wanted.size(), 0);
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            targets[k] = derivative_of(numbers, values[k], local.along[j]);
            const Index row = 2 * m + static_cast<Index>(k);
            if (const auto x = place_of(e.x, wanted[k].what)) {
                wish_x[*x] = targets[k];
            } else if (const auto i = place_of(e.q, wanted[k].what); i && !wanted[k].is_speed) {
                wish[*i] = targets[k];
                if (wanted[k].is_held) fixed.push_back(*i);
            } else if (const auto u = place_of(e.u, wanted[k].what); u && wanted[k].is_speed) {
                wish_u[*u] = targets[k];
                if (wanted[k].is_held) fixed_u.push_back(*u);
            } else if (wanted[k].is_held) {
                (wanted[k].is_speed ? rows_u : rows_q).push_back(row);
            }
        }
        for (const auto& group : e.quaternions) {  // what is wished of a quaternion is normalised
            double along = 0;
            for (const std::size_t i : group) along += wish[i] * at.state.q[i];
            for (const std::size_t i : group) wish[i] -= along * at.state.q[i];
            const bool is_held =
                std::ranges::any_of(group, [&](std::size_t i) { return std::ranges::find(fixed, static_cast<Index>(i)) != fixed.end(); });
            if (!is_held) continue;
            for (const std::size_t i : group) fixed.push_back(i);
        }
        MatrixXd A = MatrixXd::Zero(m + static_cast<Index>(fixed.size() + rows_q.size()), n);
        VectorXd b = VectorXd::Zero(A.rows());
        const MatrixXd along_T = times(local.by_q, T);
        A.topRows(m) = along_T.topRows(m);
        b.head(m) = -(local.by_parameter.col(column).head(m) + local.by_q.topRows(m) * wish);
        Index row = m;
        for (const Index i : fixed) A.row(row++) = T.row(i);
        for (const Index r : rows_q) {
            A.row(row) = along_T.row(r);
            b[row++] = targets[r - 2 * m] - local.by_parameter(r, column) - local.by_q.row(r).dot(wish);
        }
        const Shortest position = shortest(A, b);
        numeric::PointDerivative p;
        p.q = wish + T * position.x.col(0);
        p.w = inputs.col(column);
        p.x = wish_x;

        MatrixXd B = MatrixXd::Zero(m + static_cast<Index>(fixed_u.size() + rows_u.size()), n);
        VectorXd c = VectorXd::Zero(B.rows());
        B.topRows(m) = local.by_u.middleRows(m, m);
        c.head(m) = -(local.by_parameter.col(column).segment(m, m) + local.by_q.middleRows(m, m) * p.q + B.topRows(m) * wish_u);
        row = m;
        for (const Index i : fixed_u) B(row++, i) = 1;
        for (const Index r : rows_u) {
            B.row(row) = local.by_u.row(r);
            c[row++] = targets[r - 2 * m] - local.by_parameter(r, column) - local.by_q.row(r).dot(p.q) - local.by_u.row(r).dot(wish_u);
        }
        const Shortest speed = shortest(B, c);
        p.u = wish_u + speed.x.col(0);
        if (!position.is_reached[0] || !speed.is_reached[0]) {
            result.is_ok = false;
            result.why = fmt::format("when {} changes the loops cannot stay closed with these held values",
                                     e.parameters[parameters[j]].symbol.symbol().name);
        }
        p.udot = VectorXd::Zero(n), p.lambda = VectorXd::Zero(m);
        result.by.push_back(std::move(p));
    }
    add_accelerations(at, parameters, result);
    return result;
}

/// Rows of balance.hpp, differentiated: with P = 1 − U Uᵀ taking out what λ can balance,
/// P (r_q η + r_u δu + r_w δw) = −P ∂r/∂p, Φ η = −∂φ/∂p, and so on; λ afterwards.
PointDerivatives PointSensitivity::of_equilibrium(const Balance& balance, const Equilibrium& at, const EquilibriumOptions& options,
                                                  std::span<const std::size_t> parameters) const {
    const numeric::CompiledEquations& numbers = balance.numbers();
    const eom::EquationsOfMotion& e = numbers.equations();
    const auto [nq, nx, n, all_inputs, m] = numbers.layout();
    const Index count = parameters.size();
    const numeric::State& s = at.point.state;
    const bool with_speeds = options.is_steady || !balance.rests_without_speeds();
    PointDerivatives result;

    const Index held_at = static_cast<Index>(balance.rows().size()), G_at = held_at + static_cast<Index>(options.held.size());
    const auto rows = inside_->rows(Inside::Kind::balance, options.held, parameters, [&] {  // f, φ, rates, q̇, ẋ; what is held; G
        const sym::PoolScope scope(*e.pool);
        std::vector<Expr> list = balance.rows();
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            for (const eom::Constraint& c : e.constraints) list[i] -= c.G[i] * c.lambda;
        }
        for (const numeric::Wanted& w : options.held) list.push_back(w.what);
        const std::vector<Expr> entries = entries_of_constraints(e);
        list.insert(list.end(), entries.begin(), entries.end());
        return list;
    });
    numeric::OperatingPoint still = at.point;
    still.udot.setZero(n);
    const Local local = (*rows)(still);
    const Balance::Values v = balance.values(s);
    MatrixXd inputs = input_derivatives(numbers, s, local, parameters.size());
    for (const std::size_t i : options.trimmed) inputs.row(i).setZero();
    const MatrixXd by_p = local.by_parameter + times(local.by_w, inputs);

    std::vector<bool> is_moving(e.q.size(), false);
    if (options.is_steady) {
        for (const std::size_t i : balance.ignorable()) is_moving[i] = true;
        for (const std::size_t i : options.moving) is_moving[i] = true;
    }
    const Index nu = with_speeds ? n : 0, nw = static_cast<Index>(options.trimmed.size());
    const MatrixXd U = range_of_constraints(v.G);
    std::vector<VectorXd> A;
    std::vector<VectorXd> b;
    const Index unknowns = n + nu + nw + nx;
    const auto add = [&](const Eigen::RowVectorXd& by_q, const Eigen::RowVectorXd& by_u, const Eigen::RowVectorXd& by_w,
                         const Eigen::RowVectorXd& by_x, const Eigen::RowVectorXd& right) {
        VectorXd row(unknowns);
        row.head(n) = (by_q * v.T).transpose();
        row.tail(nx) = by_x.transpose();
        if (nu > 0) row.segment(n, nu) = by_u.transpose();
        for (Index k = 0; k < nw; ++k) row[n + nu + k] = by_w[options.trimmed[k]];
        A.push_back(row);
        b.emplace_back(right.transpose());
    };
    const auto project = [&](const MatrixXd& x) -> MatrixXd { return x - times(U, transposed_times(U, x)); };
    const MatrixXd f_q = project(local.by_q.topRows(n)), f_u = project(local.by_u.topRows(n)), f_w = project(local.by_w.topRows(n)),
                   f_x = project(local.by_x.topRows(n)), f_p = project(by_p.topRows(n));
    for (Index i = 0; i < n; ++i) add(f_q.row(i), f_u.row(i), f_w.row(i), f_x.row(i), -f_p.row(i));
    const auto add_row = [&](Index r) { add(local.by_q.row(r), local.by_u.row(r), local.by_w.row(r), local.by_x.row(r), -by_p.row(r)); };
    for (Index r = 0; r < m; ++r) add_row(n + r);
    for (Index i = 0; i < nx; ++i) add_row(n + 2 * m + nq + i);
    if (with_speeds) {
        for (Index r = 0; r < m; ++r) add_row(n + m + r);
        for (Index i = 0; i < nq; ++i) {
            if (!is_moving[i]) add_row(n + 2 * m + i);
        }
    }
    for (std::size_t k = 0; k < options.held.size(); ++k) {
        if (options.held[k].is_speed && !with_speeds) continue;
        Eigen::RowVectorXd target = Eigen::RowVectorXd::Zero(count);
        if (k < options.held_values.size()) {
            for (Index j = 0; j < count; ++j) target[j] = derivative_of(numbers, options.held_values[k], local.along[j]);
        }
        const Index r = held_at + static_cast<Index>(k);
        add(local.by_q.row(r), local.by_u.row(r), local.by_w.row(r), local.by_x.row(r), target - by_p.row(r));
    }
    MatrixXd left(static_cast<Index>(A.size()), unknowns), right(left.rows(), count);
    for (Index i = 0; i < left.rows(); ++i) left.row(i) = A[i], right.row(i) = b[i];
    if (!left.allFinite() || !right.allFinite()) {
        result.is_ok = false;
        result.why = "the derivatives are not finite there";
    }
    // Rows of forces that the projection has emptied carry rounding only: they are measured by what they were.
    for (Index i = 0; i < n; ++i) {
        const double before = local.by_q.row(i).lpNorm<Eigen::Infinity>() + (m > 0 ? v.G.col(i).lpNorm<Eigen::Infinity>() : 0);
        if (left.row(i).lpNorm<Eigen::Infinity>() < 1e-12 * before) left.row(i).setZero();
        if (right.row(i).lpNorm<Eigen::Infinity>() < 1e-12 * by_p.row(i).lpNorm<Eigen::Infinity>()) right.row(i).setZero();
    }
    const Shortest x = shortest(left, right);
    for (Index j = 0; j < count; ++j) {
        numeric::PointDerivative p;
        const VectorXd by = x.x.col(j);
        p.q = v.T * by.head(n);
        p.u = nu > 0 ? VectorXd(by.segment(n, nu)) : VectorXd(VectorXd::Zero(n));
        p.w = inputs.col(j);
        for (Index k = 0; k < nw; ++k) p.w[options.trimmed[k]] = by[n + nu + k];
        p.x = by.tail(nx);
        p.udot = VectorXd::Zero(n);
        p.lambda = VectorXd::Zero(m);
        if (m > 0) {
            VectorXd change = local.by_parameter.col(j) + local.by_q * p.q + local.by_u * p.u + local.by_w * p.w + local.by_x * p.x;
            p.lambda = solve::solve_least_squares(v.G.transpose(), change.head(n), rank_tolerance).x;
            p.lambda += turning(v.G, numbers_of_constraints(e, change.segment(G_at, n * m)), at.point.lambda);
        }
        if (!x.is_reached[j] && result.is_ok) {
            result.is_ok = false;
            result.why = fmt::format("the equilibrium ends where it is when {} changes: a fold, or a balance that only this value has",
                                     e.parameters[parameters[j]].symbol.symbol().name);
        }
        result.by.push_back(std::move(p));
    }
    return result;
}

PointDerivatives PointSensitivity::of_initial(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters) const {
    std::vector<Expr> values;
    for (const bool is_held : {false, true}) {  // in the order of wanted()
        for (const eom::Initial& i : inside_->numbers.equations().initial) {
            if (i.is_held == is_held) values.push_back(i.value);
        }
    }
    return inside_->closed_derivatives(at, parameters, wanted(inside_->numbers), values);
}

PointDerivatives PointSensitivity::of_given(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters) const {
    return inside_->closed_derivatives(at, parameters, {}, {});
}

PointDerivatives initial_sensitivity(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at,
                                     std::span<const std::size_t> parameters) {
    return PointSensitivity(numbers).of_initial(at, parameters);
}

PointDerivatives given_sensitivity(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at,
                                   std::span<const std::size_t> parameters) {
    return PointSensitivity(numbers).of_given(at, parameters);
}

}  // namespace linkwright::linear
