#include "linkwright/analysis/motion_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::analysis {

namespace {

using Index = Eigen::Index;

std::span<double> span_of(VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

bool is_finite(const VectorXd& v) {
    double sum = 0;
    for (const double x : v) sum += x * 0;  // NaN and infinities stay
    return sum == 0;
}

/// u̇ → a in an expression of a tree.
Expr without_accelerations(const eom::EquationsOfMotion& e, const std::vector<Expr>& a, const Expr& x) {
    std::vector<sym::Binding> pairs;
    for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(e.udot[i], a[i]);
    return sym::Substitution(pairs)(x);
}

}  // namespace

MotionSystem::MotionSystem(const Numbers& numbers, const State& start, const SimulateOptions& options)
    : numbers_(numbers),
      e_(numbers.equations()),
      options_(options),
      nq_(static_cast<Index>(e_.q.size())),
      n_(static_cast<Index>(e_.u.size())),
      m_(static_cast<Index>(e_.constraints.size())),
      nw_(static_cast<Index>(e_.inputs.size())),
      has_power_(!e_.power.is_literally(0)),
      is_tree_(e_.constraints.empty()),
      factor_(options.solver.method),
      holonomic_factor_(options.solver.method) {
    in_.setZero(1 + nq_ + n_ + nw_ + n_ + m_);
    w_ = start.w.size() == nw_ ? start.w : numbers.input_values(start.t);
    qdot_.setZero(nq_), udot_.setZero(n_), lambda_.setZero(m_), phi_.setZero(m_), phi_rate_.setZero(m_),
        residuals_out_.setZero(2 * m_);

    if (options.drive) {
        inputs_move_ = true;
    } else if (!options.hold_inputs) {
        std::vector<Expr> values;
        for (const eom::Input& w : e_.inputs) {
            values.push_back(w.value);
            inputs_move_ |= depends_on(w.value, e_.t);
        }
        if (inputs_move_) inputs_ = numbers.compile(values);
        w_ = numbers.input_values(start.t);
    }
    in_.segment(1 + nq_ + n_, nw_) = w_;

    std::vector<Expr> x;
    if (is_tree_) {
        x = e_.qdot;
        const std::vector<Expr> a = eom::accelerations(e_);
        x.insert(x.end(), a.begin(), a.end());
        if (has_power_) x.push_back(without_accelerations(e_, a, e_.power));
    } else {
        for (std::size_t i = 0; i < e_.u.size(); ++i)
            x.insert(x.end(), e_.M[i].begin(), e_.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
        x.insert(x.end(), e_.f.begin(), e_.f.end());
        std::vector<Expr> residuals;
        for (std::size_t i = 0; i < e_.constraints.size(); ++i) {
            const eom::Constraint& c = e_.constraints[i];
            x.insert(x.end(), c.G.begin(), c.G.end());
            x.push_back(c.gamma);
            residuals.push_back(c.phi), residuals.push_back(c.rate);
            if (c.is_holonomic) holonomic_.push_back(static_cast<Index>(i));
        }
        x.insert(x.end(), e_.qdot.begin(), e_.qdot.end());
        residuals_ = numbers.compile(residuals);
        if (has_power_) power_function_ = numbers.compile_with_accelerations(std::array{e_.power});
        const sym::SparseMatrix N = jacobian(e_.qdot, e_.u);
        std::vector<Expr> entries;
        for (const auto& entry : N.entries) {
            n_places_.emplace_back(entry.row, entry.column);
            entries.push_back(entry.value);
        }
        coordinate_jacobian_ = numbers.compile(entries);
        n_out_.setZero(static_cast<Index>(entries.size()));
        d_ = {MatrixXd::Zero(n_, n_), MatrixXd::Zero(m_, n_), VectorXd::Zero(n_), VectorXd::Zero(m_)};
    }
    rates_ = numbers.compile(x);
    out_.setZero(static_cast<Index>(x.size()));

    put(start.t, start.q.data(), start.u.data());
    zero_.setZero(n_);
    negligible_ = 1e-2 * std::min(1e-10, options.absolute > 0 ? options.absolute : options.tolerance / 100);
    if (!is_tree_ && calc_dynamics()) {
        rank_ = solve::solve_descriptor(d_.M, d_.f, d_.G, d_.gamma, options.solver).rank;
        MatrixXd G(static_cast<Index>(holonomic_.size()), n_);
        for (Index i = 0; i < G.rows(); ++i) G.row(i) = d_.G.row(holonomic_[static_cast<std::size_t>(i)]);
        holonomic_rank_ = solve::solve_descriptor(d_.M, d_.f, G, VectorXd::Zero(G.rows()), options.solver).rank;
    }
}

std::span<const double> MotionSystem::in(bool with_accelerations) const {
    return {in_.data(), static_cast<std::size_t>(with_accelerations ? in_.size() : 1 + nq_ + n_ + nw_)};
}

void MotionSystem::put(double t, const double* q, const double* u) {
    in_[0] = t;
    std::copy_n(q, nq_, in_.data() + 1);
    std::copy_n(u, n_, in_.data() + 1 + nq_);
    if (!inputs_move_) return;
    if (options_.drive) {
        options_.drive(t, w_);
    } else {
        inputs_(in(), span_of(w_));
    }
    in_.segment(1 + nq_ + n_, nw_) = w_;
}

State MotionSystem::state() const {
    return {in_[0], in_.segment(1, nq_), in_.segment(1 + nq_, n_), in_.segment(1 + nq_ + n_, nw_)};
}

bool MotionSystem::refuse(std::string why) {
    refusal_ = std::move(why);
    refused_at_ = in_[0];
    return false;
}

std::string MotionSystem::what_is_not_finite() const {
    const auto name = [](const Expr& symbol) { return symbol.symbol().name; };
    for (Index i = 0; i < nw_; ++i) {
        if (!std::isfinite(w_[i]))
            return fmt::format("input {} is not finite", name(e_.inputs[static_cast<std::size_t>(i)].symbol));
    }
    for (Index i = 0; i < nq_; ++i) {
        if (!std::isfinite(q()[i])) return fmt::format("coordinate {} is not finite", name(e_.q[static_cast<std::size_t>(i)]));
    }
    for (Index i = 0; i < n_; ++i) {
        if (!std::isfinite(u()[i])) return fmt::format("speed {} is not finite", name(e_.u[static_cast<std::size_t>(i)]));
    }
    for (Index i = 0; i < nq_; ++i) {
        if (!std::isfinite(qdot_[i]))
            return fmt::format("the rate of coordinate {} is not finite", name(e_.q[static_cast<std::size_t>(i)]));
    }
    if (is_tree_) {  // in a factored matrix one bad force spoils every acceleration: look where it came from
        const Dynamics d = numbers_.dynamics(state());
        for (Index i = 0; i < n_; ++i) {
            if (!std::isfinite(d.f[i]))
                return fmt::format("the force along speed {} is not finite", name(e_.u[static_cast<std::size_t>(i)]));
        }
        if (!d.M.allFinite()) return "the mass matrix is not finite";
        for (Index i = 0; i < n_; ++i) {
            if (!std::isfinite(udot_[i]))
                return fmt::format("the acceleration of speed {} is not finite", name(e_.u[static_cast<std::size_t>(i)]));
        }
        return "the power is not finite";
    }
    for (Index i = 0; i < n_; ++i) {
        if (!std::isfinite(d_.f[i]))
            return fmt::format("the force along speed {} is not finite", name(e_.u[static_cast<std::size_t>(i)]));
    }
    if (!d_.M.allFinite()) return "the mass matrix is not finite";
    for (Index i = 0; i < m_; ++i) {
        if (!d_.G.row(i).allFinite() || !std::isfinite(d_.gamma[i]))
            return fmt::format("constraint {} is not finite", e_.constraints[static_cast<std::size_t>(i)].name);
    }
    return "the power is not finite";
}

bool MotionSystem::calc_dynamics() {
    if (is_tree_) {
        d_ = numbers_.dynamics(state());
        return true;
    }
    rates_(in(), span_of(out_));
    Index k = 0;
    for (Index i = 0; i < n_; ++i) {
        for (Index j = 0; j <= i; ++j) d_.M(i, j) = d_.M(j, i) = out_[k++];
    }
    for (Index i = 0; i < n_; ++i) d_.f[i] = out_[k++];
    for (Index r = 0; r < m_; ++r) {
        for (Index j = 0; j < n_; ++j) d_.G(r, j) = out_[k++];
        d_.gamma[r] = out_[k++];
    }
    for (Index i = 0; i < nq_; ++i) qdot_[i] = out_[k++];
    return is_finite(out_) || refuse(what_is_not_finite());
}

bool MotionSystem::calc_rates() {
    ++evaluations;
    if (is_tree_) {
        rates_(in(), span_of(out_));
        qdot_ = out_.head(nq_);
        udot_ = out_.segment(nq_, n_);
        in_.segment(1 + nq_ + n_ + nw_, n_) = udot_;
        if (has_power_) power_ = out_[nq_ + n_];
        return is_finite(out_) || refuse(what_is_not_finite());
    }
    if (!calc_dynamics()) return false;
    if (options_.keep == Keep::baumgarte) {
        calc_residuals();
        const double a = options_.baumgarte;
        for (Index i = 0; i < m_; ++i)
            d_.gamma[i] -= e_.constraints[static_cast<std::size_t>(i)].is_holonomic ? 2 * a * phi_rate_[i] + a * a * phi_[i]
                                                                                    : a * phi_rate_[i];
    }
    const bool is_factored = factor_.factor(d_.M, d_.G, rank_);
    independence_ = factor_.independence();
    if (!is_factored) return refuse(factor_.why());
    factor_.solve(d_.f, d_.gamma, udot_, lambda_);
    in_.segment(1 + nq_ + n_ + nw_, n_) = udot_;
    in_.tail(m_) = lambda_;
    if (!is_finite(udot_) || !is_finite(lambda_)) return refuse("the accelerations are too large for a number");
    if (has_power_) {
        power_function_(in(true), {&power_, 1});
        if (!std::isfinite(power_)) return refuse(what_is_not_finite());
    }
    return true;
}

void MotionSystem::calc_residuals() {
    if (m_ == 0) return;
    residuals_(in(), span_of(residuals_out_));
    for (Index i = 0; i < m_; ++i) phi_[i] = residuals_out_[2 * i], phi_rate_[i] = residuals_out_[2 * i + 1];
}

bool MotionSystem::normalise() {
    bool moved = false;
    for (const auto& group : e_.quaternions) {
        double size = 0;
        for (const std::size_t i : group) size += in_[1 + static_cast<Index>(i)] * in_[1 + static_cast<Index>(i)];
        if (!(size > 0) || !std::isfinite(size) || std::abs(size - 1) < 1e-15) continue;
        moved = true;
        for (const std::size_t i : group) in_[1 + static_cast<Index>(i)] /= std::sqrt(size);
    }
    return moved;
}

double MotionSystem::calc_independence() {
    if (is_tree_ || rank_ == 0) return 1;
    if (!calc_dynamics()) return 0;
    factor_.factor(d_.M, d_.G, rank_);
    return factor_.independence();
}

/// Gauss–Newton in the metric of M: min ΔᵀMΔ with G Δ = −φ, then q ← q + N Δ.
bool MotionSystem::project_positions(bool& moved) {
    const Index mh = static_cast<Index>(holonomic_.size());
    if (mh == 0) return true;
    const bool is_all = mh == m_;
    g_.resize(mh);
    // `row_size_` turns φ into the motion it takes to be rid of it
    const auto largest = [&] {
        double most = 0;
        for (Index k = 0; k < mh; ++k)
            most = std::max(most, std::abs(phi_[holonomic_[static_cast<std::size_t>(k)]]) /
                                      row_size_[holonomic_[static_cast<std::size_t>(k)]]);
        return most;
    };
    double size = largest();
    for (int k = 0; k < 12 && !(size <= negligible_); ++k) {
        if (k == 0 || k > 2) {
            if (!calc_dynamics()) return false;
            if (!is_all) {
                G_holonomic_.resize(mh, n_);
                for (Index i = 0; i < mh; ++i) G_holonomic_.row(i) = d_.G.row(holonomic_[static_cast<std::size_t>(i)]);
            }
            solve::DescriptorFactor& f = is_all ? factor_ : holonomic_factor_;
            if (!f.factor(d_.M, is_all ? d_.G : G_holonomic_, holonomic_rank_)) return refuse(f.why());
            coordinate_jacobian_(in(), span_of(n_out_));
        }
        for (Index i = 0; i < mh; ++i) g_[i] = -phi_[holonomic_[static_cast<std::size_t>(i)]];
        (is_all ? factor_ : holonomic_factor_).solve(zero_, g_, step_, unused_);
        for (std::size_t i = 0; i < n_places_.size(); ++i)
            in_[1 + n_places_[i].first] += n_out_[static_cast<Index>(i)] * step_[n_places_[i].second];
        normalise();
        moved = true;
        calc_residuals();
        const double now = largest();
        if (!std::isfinite(now)) return refuse("the constraints are not finite");
        // Where rows are redundant, what one of them lacks of another can only be rounding.
        if (now > 0.5 * size && k > 2) return now < 1e-9 || refuse("the mechanism cannot be closed again");
        size = now;
    }
    return size < 1e-9 || refuse("the mechanism cannot be closed again");
}

bool MotionSystem::project_speeds(bool& moved) {
    const auto largest = [&] {
        double most = 0;
        for (Index i = 0; i < m_; ++i) most = std::max(most, std::abs(phi_rate_[i]) / row_size_[i]);
        return most;
    };
    double size = largest(), speed = 1;
    for (Index i = 0; i < n_; ++i) speed = std::max(speed, std::abs(u()[i]));
    if (size <= negligible_ * speed) return true;
    if (!calc_dynamics()) return false;
    if (!factor_.factor(d_.M, d_.G, rank_)) return refuse(factor_.why());
    for (int k = 0; k < 4 && !(size <= negligible_ * speed); ++k) {
        g_ = -phi_rate_;
        factor_.solve(zero_, g_, step_, unused_);
        in_.segment(1 + nq_, n_) += step_;
        moved = true;
        calc_residuals();
        const double now = largest();
        if (!std::isfinite(now)) return refuse("the constraints are not finite");
        if (now > 0.5 * size) break;
        size = now;
    }
    return true;
}

MotionSystem::Projection MotionSystem::project(bool anyway) {
    bool moved = normalise();
    if (!is_tree_ && (anyway || options_.keep == Keep::projection)) {
        row_size_.resize(m_);
        for (Index i = 0; i < m_; ++i) {
            const double size = d_.G.row(i).cwiseAbs().maxCoeff();  // of the last look around: close enough
            row_size_[i] = size > 1e-12 ? size : 1;
        }
        calc_residuals();
        if (!project_positions(moved) || !project_speeds(moved)) return Projection::failed;
    }
    return moved ? Projection::moved : Projection::kept;
}

}  // namespace linkwright::analysis
