#include <fmt/format.h>

#include <algorithm>

#include "linkwright/motion/trajectory_sensitivity.hpp"
#include "linkwright/numeric/jacobian_function.hpp"
#include "linkwright/numeric/operating_point.hpp"
#include "linkwright/numeric/settle.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

namespace {

using Index = Eigen::Index;

std::optional<Index> place_of(const std::vector<Expr>& symbols, const Expr& e) {
    const auto at = std::ranges::find(symbols, e);
    if (at == symbols.end()) return std::nullopt;
    return static_cast<Index>(at - symbols.begin());
}

/// x₀ as [initial] and the loops make it, differentiated in the same order: positions, then speeds.
class Start {
public:
    Start(const numeric::CompiledEquations& numbers, const numeric::State& start, const TrajectoryOptions& options)
        : numbers_(numbers),
          e_(numbers.equations()),
          start_(start),
          options_(options),
          nq_(numbers.layout().nq),
          nx_(numbers.layout().nx),
          n_(static_cast<Index>(e_.u.size())),
          p_(static_cast<Index>(options.parameters.size())),
          columns_(p_ + static_cast<Index>(options.initial.size())) {}

    StartSensitivity operator()() {
        const sym::PoolScope scope(*e_.pool);
        for (const std::size_t p : options_.parameters) follow_.push_back(parameter_derivatives(numbers_, p));
        gather();
        result_.columns.setZero(nq_ + nx_ + n_, columns_);
        move_auxiliary();
        if (move_positions() && move_speeds()) move_steady();
        return std::move(result_);
    }

private:
    /// What is wanted at the start: `change` of its value in each column.
    struct Entry {
        std::string name;
        Expr what;
        double value;
        bool is_held, is_speed;
        VectorXd change;
    };

    double derivative_by(const Expr& e, Index column) const {
        double sum = 0;
        for (const Expr& s : symbols_in(e)) {
            for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
                const double follows = follow_[column][i];
                if (e_.parameters[i].symbol == s && follows != 0) sum += numbers_.constant(derivative(e, s)) * follows;
            }
        }
        return sum;
    }

    void gather() {
        if (options_.start_follows) {
            for (const bool is_held : {false, true}) {  // what is held comes last and wins, as in assembly
                for (const eom::Initial& i : e_.initial) {
                    if (i.is_held != is_held) continue;
                    Entry entry{i.name, i.what, numbers_.constant(i.value), is_held, i.is_speed, VectorXd::Zero(columns_)};
                    for (Index k = 0; k < p_; ++k) entry.change[k] = derivative_by(i.value, k);
                    entries_.push_back(std::move(entry));
                }
            }
        }
        for (std::size_t k = 0; k < options_.initial.size(); ++k) {
            const InitialValue& v = options_.initial[k];
            VectorXd change = VectorXd::Zero(columns_);  // as the guess for it does
            for (const Entry& e : entries_) {
                if (e.what == v.what && !e.is_held) change = e.change;
            }
            std::erase_if(entries_, [&](const Entry& e) { return e.what == v.what && !e.is_held; });
            auto at = std::ranges::find(entries_, v.what, &Entry::what);
            if (at == entries_.end()) {
                const auto q = place_of(e_.q, v.what), u = place_of(e_.u, v.what), x = place_of(e_.x, v.what);
                const double value = q ? start_.q[*q] : u ? start_.u[*u] : x ? start_.x[*x] : 0;
                // Held in the columns of its own kind only: what nobody holds moves freely when something else changes.
                only_for_.emplace_back(v.what, p_ + static_cast<Index>(k));
                entries_.push_back({v.name, v.what, value, true, v.is_speed, change});
                at = entries_.end() - 1;
            }
            at->change[p_ + static_cast<Index>(k)] = 1;
        }
    }
    /// Is it held in this column?
    bool holds(const Entry& entry, Index column) const {
        if (!entry.is_held) return false;
        for (const auto& [what, only] : only_for_) {
            if (what == entry.what) return only == column;
        }
        return true;
    }

    std::string name_of(Index column) const {
        return column < p_ ? e_.parameters[options_.parameters[column]].symbol.symbol().name : options_.initial[column - p_].name + "(0)";
    }
    std::vector<Expr> involved() const {
        std::vector<Expr> symbols;
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) {
            if (std::ranges::any_of(follow_, [&](const VectorXd& f) { return f[i] != 0; })) symbols.push_back(e_.parameters[i].symbol);
        }
        return symbols;
    }
    VectorXd directions(const std::vector<Expr>& symbols, Index column) const {
        VectorXd d = VectorXd::Zero(symbols.size());
        for (std::size_t i = 0; column < p_ && i < symbols.size(); ++i) {
            for (std::size_t k = 0; k < e_.parameters.size(); ++k) {
                if (e_.parameters[k].symbol == symbols[i]) d[i] = follow_[column][k];
            }
        }
        return d;
    }
    /// ∂rows/∂symbols at the start.
    MatrixXd jacobian_at_start(std::span<const Expr> rows, std::span<const Expr> symbols) const {
        return numeric::JacobianFunction(numbers_, rows, symbols)(arguments(numbers_.layout(), start_));
    }

    /// What the curvature of φ = 0 adds to the wish for a short change: the least ½|x − wish|² + ½ xᵀH x + cᵀx. Empty H: nothing.
    struct Curvature {
        MatrixXd H;
        VectorXd c;
    };

    /// The change of what is free that meets A x = b and is the least otherwise; false with the worst row where it does not. `wish` is where x
    /// would go if it were free to, and what the rows leave open of it is kept.
    static bool meet(const MatrixXd& A, const VectorXd& b, const std::vector<bool>& is_fixed, const VectorXd& wish, const Curvature& bent,
                     VectorXd& x, Index& worst, double& off) {
        std::vector<Index> free;
        for (Index i = 0; i < A.cols(); ++i) {
            if (!is_fixed[i]) free.push_back(i);
        }
        MatrixXd F(A.rows(), static_cast<Index>(free.size()));
        for (std::size_t k = 0; k < free.size(); ++k) {
            F.col(k) = A.col(free[k]);
            x[free[k]] += wish[free[k]];
        }
        VectorXd size(A.rows());  // rows of different units
        const double most = A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff();
        for (Index i = 0; i < A.rows(); ++i) size[i] = A.cols() == 0 ? 1 : std::max({A.row(i).cwiseAbs().maxCoeff(), 1e-6 * most, 1e-9});
        VectorXd gap = (b - A * x).cwiseQuotient(size);
        const double before =
            std::max(1.0, std::max(x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(), gap.size() == 0 ? 0 : gap.cwiseAbs().maxCoeff()));
        if (!free.empty() && F.rows() > 0) {
            const MatrixXd scaled = size.cwiseInverse().asDiagonal() * F;
            const VectorXd step = solve::CompleteOrthogonal(scaled, 1e-9).solve(gap);
            for (std::size_t k = 0; k < free.size(); ++k) x[free[k]] += step[k];
            if (bent.H.size() > 0) bend(solve::null_space(scaled, 1e-9), free, bent, x);
            gap = (b - A * x).cwiseQuotient(size);
        }
        if (gap.size() == 0) return true;
        off = gap.cwiseAbs().maxCoeff(&worst);
        return off <= 1e-7 * before;
    }

    /// x is the nearest to the wish on A x = b already: NᵀN y + NᵀH N y = −Nᵀ(H x + c) is what remains.
    static void bend(const MatrixXd& N, const std::vector<Index>& free, const Curvature& bent, VectorXd& x) {
        if (N.cols() == 0) return;
        const VectorXd pull = bent.H * x + bent.c;
        MatrixXd H(N.rows(), N.rows());
        VectorXd along(N.rows());
        for (Index i = 0; i < N.rows(); ++i) {
            along[i] = pull[free[i]];
            for (Index j = 0; j < N.rows(); ++j) H(i, j) = bent.H(free[i], free[j]);
        }
        const MatrixXd metric = MatrixXd::Identity(N.cols(), N.cols()) + N.transpose() * H * N;
        const VectorXd y = solve::CompleteOrthogonal(metric, 1e-12).solve(VectorXd(-N.transpose() * along));
        const VectorXd step = N * y;
        for (std::size_t k = 0; k < free.size(); ++k) x[free[k]] += step[static_cast<Index>(k)];
    }

    bool refuse(Index column, const std::vector<std::string>& names, Index row, double off, const char* what) {
        const std::string about = row < static_cast<Index>(names.size()) ? names[row] : "a unit quaternion";
        result_.is_ok = false;
        result_.is_wrong_input = column >= p_;
        result_.why =
            column < p_
                ? fmt::format("the {} cannot follow when {} changes: '{}' would open at the rate {:.3g}", what, name_of(column), about, off)
                : fmt::format(
                      "{} is not free: the {} cannot follow it while the rest of [initial] stays ('{}' would open at the rate {:.3g})",
                      name_of(column), what, about, off);
        return false;
    }

    /// Auxiliary states begin where [initial] says, whatever the loops do.
    void move_auxiliary() {
        for (const Entry& entry : entries_) {
            if (const auto i = place_of(e_.x, entry.what)) result_.columns.row(nq_ + *i) = entry.change.transpose();
        }
    }

    /// Those that begin steady: g = 0 of them follows parameters, coordinates, speeds and the other states, g_x dx = −(g_p dp + g_y dy).
    void move_steady() {
        std::vector<bool> is_given(e_.x.size(), false);
        for (const Entry& entry : entries_) {
            if (const auto i = place_of(e_.x, entry.what)) is_given[*i] = true;
        }
        numeric::SteadyRows steady = numeric::steady_rows(e_, is_given);
        if (steady.rows.empty()) return;
        std::vector<sym::Binding> inputs;  // which may be made of parameters
        for (const eom::Input& w : e_.inputs) inputs.emplace_back(w.symbol, w.value);
        sym::Substitution put_in(inputs);
        for (Expr& row : steady.rows) row = put_in(row);
        std::vector<Expr> unknown, carried = e_.q, known;
        for (const std::size_t i : steady.x) unknown.push_back(e_.x[i]);
        carried.insert(carried.end(), e_.x.begin(), e_.x.end());
        carried.insert(carried.end(), e_.u.begin(), e_.u.end());
        for (const Expr& s : symbols_in(steady.rows)) {
            if (s.symbol().role == sym::Role::parameter) known.push_back(s);
        }
        MatrixXd& all = result_.columns;
        for (const std::size_t i : steady.x) all.row(nq_ + static_cast<Index>(i)).setZero();
        const MatrixXd by_x = jacobian_at_start(steady.rows, unknown), by_p = jacobian_at_start(steady.rows, known),
                       by_others = jacobian_at_start(steady.rows, carried);
        for (Index column = 0; column < columns_; ++column) {
            const VectorXd right = -(by_p * directions(known, column) + by_others * all.col(column));
            const VectorXd change = solve::CompleteOrthogonal(by_x, 1e-12).solve(right);
            for (std::size_t k = 0; k < steady.x.size(); ++k)
                all(nq_ + static_cast<Index>(steady.x[k]), column) = change[static_cast<Index>(k)];
        }
    }

    bool move_positions() {
        std::vector<Expr> rows;
        std::vector<std::string> names;
        for (const eom::Constraint& c : e_.constraints) {
            if (c.is_holonomic) rows.push_back(c.phi), names.push_back(c.name);
        }
        std::vector<std::pair<Index, const Entry*>> targets;
        VectorXd raw = numbers_.zero_state(start_.t).q;
        for (const numeric::Wanted& w : numeric::wanted(numbers_)) {
            if (const auto i = place_of(e_.q, w.what); i && !w.is_speed) raw[*i] = w.value;
        }
        for (const Entry& entry : entries_) {
            if (entry.is_speed || place_of(e_.x, entry.what) || place_of(e_.q, entry.what)) continue;
            if (entry.is_held || is_met(entry)) {
                targets.emplace_back(rows.size(), &entry);
                rows.push_back(entry.what), names.push_back(entry.name);
            }
        }
        const std::vector<Expr> matter = involved();
        const MatrixXd by_q = jacobian_at_start(rows, e_.q), by_p = jacobian_at_start(rows, matter);
        std::vector<Expr> symbols = e_.q;
        symbols.insert(symbols.end(), matter.begin(), matter.end());
        raw_ = raw;
        normalise(raw);
        const Index m = static_cast<Index>(rows.size()), spheres = static_cast<Index>(e_.quaternions.size());
        for (Index column = 0; column < columns_; ++column) {
            VectorXd x = VectorXd::Zero(nq_), wish = VectorXd::Zero(nq_);
            std::vector<bool> is_fixed(static_cast<std::size_t>(nq_), false);
            for (const Entry& entry : entries_) {
                if (entry.is_speed) continue;
                const auto i = place_of(e_.q, entry.what);
                if (!i) continue;
                const bool held = holds(entry, column);
                if (held || entry.change[column] != 0) wish[*i] = entry.change[column];
                if (held) is_fixed[*i] = true;
            }
            for (const auto& group : e_.quaternions) normalise(group, raw, is_fixed, wish);
            for (Index i = 0; i < nq_; ++i) {
                if (is_fixed[i]) x[i] = wish[i];
            }
            MatrixXd A = MatrixXd::Zero(m + spheres, nq_);
            VectorXd b = VectorXd::Zero(m + spheres);
            A.topRows(m) = by_q;
            b.head(m) = -by_p * directions(matter, column);
            for (const auto& [row, entry] : targets) {
                if (holds(*entry, column) || !entry->is_held) {
                    b[row] += entry->change[column];
                } else {
                    A.row(row).setZero(), b[row] = 0;
                }
            }
            for (Index k = 0; k < spheres; ++k) {
                for (const std::size_t i : e_.quaternions[k]) A(m + k, static_cast<Index>(i)) = start_.q[i];
            }
            Index worst = 0;
            double off = 0;
            const Curvature bent = curvature(rows, symbols, A, is_fixed, start_.q - raw, directions(matter, column));
            if (!meet(A, b, is_fixed, wish, bent, x, worst, off)) return refuse(column, names, worst, off, "positions");
            result_.columns.col(column).head(nq_) = x;
        }
        return true;
    }

    /// A guess for a cut joint's coordinate is met where the loop allows it (assemble.hpp), and then it decides like a value that is held.
    bool is_met(const Entry& entry) const {
        return std::abs(numbers_.compile(std::span(&entry.what, 1))(start_)[0] - entry.value) <= 1e-9 * (1 + std::abs(entry.value));
    }

    void normalise(VectorXd& q) const {
        for (const auto& group : e_.quaternions) {
            double size = 0;
            for (const std::size_t i : group) size += q[i] * q[i];
            for (const std::size_t i : group) q[i] /= size > 0 ? std::sqrt(size) : 1;
        }
    }

    /// Positions that nobody holds are the nearest to the guess: q − guess + Aᵀμ = 0 (solve/nearest_closure.hpp). Differentiated, that is
    /// δq − δguess + Aᵀδμ + δAᵀμ = 0, and δAᵀμ = H δq + c. Nothing where `moved` = q − guess is none such, or what is free is decided anyway.
    Curvature curvature(const std::vector<Expr>& rows, const std::vector<Expr>& symbols, const MatrixXd& A,
                        const std::vector<bool>& is_fixed, VectorXd moved, const VectorXd& direction) const {
        MatrixXd F = A;
        for (Index i = 0; i < nq_; ++i) {
            if (is_fixed[i]) moved[i] = 0, F.col(i).setZero();
        }
        if (!options_.start_follows || rows.empty() || moved.isZero(1e-12)) return {};
        const VectorXd mu = solve::CompleteOrthogonal(F.transpose(), 1e-9).solve(VectorXd(-moved));
        if ((moved + F.transpose() * mu).lpNorm<Eigen::Infinity>() > 1e-7 * (1 + moved.lpNorm<Eigen::Infinity>())) return {};
        std::vector<Expr> weighted(static_cast<std::size_t>(nq_), Expr(0));
        const sym::SparseMatrix J = sym::jacobian(rows, e_.q);
        for (const auto& entry : J.entries) weighted[entry.column] += Expr(mu[entry.row]) * entry.value;
        const MatrixXd second = jacobian_at_start(weighted, symbols);
        Curvature bent{second.leftCols(nq_), second.rightCols(static_cast<Index>(symbols.size()) - nq_) * direction};
        for (std::size_t k = 0; k < e_.quaternions.size(); ++k) {  // of the rows (|e|² − 1)/2
            for (const std::size_t i : e_.quaternions[k]) bent.H(i, i) += mu[static_cast<Index>(rows.size() + k)];
        }
        return bent;
    }

    /// Values of Euler parameters are normalised before anything else: only what lies along the sphere arrives.
    void normalise(const std::array<std::size_t, 4>& group, const VectorXd& raw, std::vector<bool>& is_fixed, VectorXd& wish) const {
        double size = 0, along = 0;
        bool held = false;
        const VectorXd& at = options_.start_follows ? raw : start_.q;
        for (const std::size_t i : group) {
            const Index k = i;
            size += raw_[k] * raw_[k], along += at[k] * wish[k];
            held |= is_fixed[i];
        }
        size = options_.start_follows && size > 0 ? std::sqrt(size) : 1;
        for (const std::size_t i : group) {
            const Index k = i;
            wish[k] = (wish[k] - at[k] * along) / size;
            is_fixed[i] = held;
        }
    }

    bool move_speeds() {
        std::vector<Expr> rows;
        std::vector<std::string> names;
        for (const eom::Constraint& c : e_.constraints) rows.push_back(c.rate), names.push_back(c.name);
        std::vector<std::pair<Index, const Entry*>> targets;
        VectorXd wanted = VectorXd::Zero(n_);
        for (const Entry& entry : entries_) {
            if (!entry.is_speed) continue;
            if (const auto i = place_of(e_.u, entry.what)) {
                wanted[*i] = entry.value;
            } else if (entry.is_held) {
                targets.emplace_back(rows.size(), &entry);
                rows.push_back(entry.what), names.push_back(entry.name);
            }
        }
        const std::vector<Expr> matter = involved();
        std::vector<Expr> symbols = e_.q;
        symbols.insert(symbols.end(), matter.begin(), matter.end());
        const MatrixXd by_u = jacobian_at_start(rows, e_.u), by_rest = jacobian_at_start(rows, symbols);
        for (Index column = 0; column < columns_; ++column) {
            VectorXd x = VectorXd::Zero(n_), wish = VectorXd::Zero(n_), other(static_cast<Index>(symbols.size()));
            std::vector<bool> is_fixed(static_cast<std::size_t>(n_), false);
            other << result_.columns.col(column).head(nq_), directions(matter, column);
            MatrixXd A = by_u;
            VectorXd b = -by_rest * other;
            for (const auto& [row, entry] : targets) {
                if (holds(*entry, column)) {
                    b[row] += entry->change[column];
                } else {
                    A.row(row).setZero(), b[row] = 0;
                }
            }
            for (const Entry& entry : entries_) {
                const auto i = entry.is_speed ? place_of(e_.u, entry.what) : std::nullopt;
                if (!i) continue;
                const bool held = holds(entry, column);
                if (held || entry.change[column] != 0) wish[*i] = entry.change[column];
                if (held) is_fixed[*i] = true;
            }
            for (Index i = 0; i < n_; ++i) {
                if (is_fixed[i]) x[i] = wish[i];
            }
            if (options_.start_follows && column < p_) wish += turn_of_rows(rows, symbols, A, is_fixed, wanted, other);
            Index worst = 0;
            double off = 0;
            if (!meet(A, b, is_fixed, wish, {}, x, worst, off)) return refuse(column, names, worst, off, "speeds");
            result_.columns.col(column).tail(n_) = x;
        }
        return true;
    }

    /// Speeds that nobody holds are the nearest to those wanted: u = wanted + Aᵀμ. When A turns, so does that, by δAᵀμ.
    VectorXd turn_of_rows(const std::vector<Expr>& rows, const std::vector<Expr>& symbols, const MatrixXd& A,
                          const std::vector<bool>& is_fixed, const VectorXd& wanted, const VectorXd& direction) const {
        VectorXd turn = VectorXd::Zero(n_), moved = start_.u - wanted;
        MatrixXd F = A;
        for (Index i = 0; i < n_; ++i) {
            if (is_fixed[i]) moved[i] = 0, F.col(i).setZero();
        }
        if (rows.empty() || moved.isZero(1e-13) || direction.isZero(0)) return turn;
        const VectorXd mu = solve::CompleteOrthogonal(F.transpose(), 1e-9).solve(moved);
        std::vector<Expr> weighted(static_cast<std::size_t>(n_), Expr(0));
        const sym::SparseMatrix J = sym::jacobian(rows, e_.u);
        for (const auto& entry : J.entries) weighted[entry.column] += Expr(mu[entry.row]) * entry.value;
        return jacobian_at_start(weighted, symbols) * direction;
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const numeric::State& start_;
    const TrajectoryOptions& options_;
    Index nq_, nx_, n_, p_, columns_;
    std::vector<VectorXd> follow_;
    std::vector<Entry> entries_;
    std::vector<std::pair<Expr, Index>> only_for_;
    VectorXd raw_;  ///< coordinates as they are written, quaternions of any length
    StartSensitivity result_;
};

}  // namespace

std::optional<InitialValue> find_initial(const eom::EquationsOfMotion& equations, const std::string& name) {
    for (const Expr& q : equations.q) {
        if (q.symbol().name == name) return InitialValue{name, q, false};
    }
    for (const Expr& u : equations.u) {
        if (u.symbol().name == name) return InitialValue{name, u, true};
    }
    for (const Expr& x : equations.x) {
        if (x.symbol().name == name) return InitialValue{name, x, false};
    }
    for (const eom::Initial& i : equations.initial) {
        if (i.name == name) return InitialValue{name, i.what, i.is_speed};
    }
    return std::nullopt;
}

StartSensitivity start_sensitivity(const numeric::CompiledEquations& numbers, const numeric::State& start,
                                   const TrajectoryOptions& options) {
    return Start(numbers, start, options)();
}

}  // namespace linkwright::motion
