#include "linkwright/motion/motion_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/finite.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/row_lengths.hpp"
#include "linkwright/solve/singular_values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

using solve::is_finite;

std::span<double> span_of(VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// u̇ → a in an expression of a tree.
Expr without_accelerations(const eom::EquationsOfMotion& e, const std::vector<Expr>& a, const Expr& x) {
    std::vector<sym::Binding> pairs;
    for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(e.udot[i], a[i]);
    return sym::Substitution(pairs)(x);
}

/// Expressions of t, q, x, u, w in numbers, for one look: a program would take longer to make than to run.
VectorXd look_at(const numeric::CompiledEquations& numbers, std::span<const Expr> expressions, std::span<const double> in) {
    const eom::EquationsOfMotion& e = numbers.equations();
    if (expressions.empty()) return VectorXd(0);
    std::unordered_map<sym::NodeId, double> value;
    const std::vector<Expr> symbols = numeric::arguments(e);
    for (std::size_t i = 0; i < symbols.size(); ++i) value.emplace(symbols[i].id(), in[i]);
    for (std::size_t i = 0; i < e.parameters.size(); ++i)
        value.emplace(e.parameters[i].symbol.id(), numbers.parameters()[static_cast<Index>(i)]);
    const std::vector<double> x = sym::evaluate<double>(expressions, [&](const Expr& s) { return value.at(s.id()); });
    return Eigen::Map<const VectorXd>(x.data(), static_cast<Index>(x.size()));
}

bool has_speeds(const eom::Constraint& c) {
    return std::ranges::any_of(c.G, [](const Expr& g) { return !g.is_literally(0); });
}

}  // namespace

MotionSystem::MotionSystem(const numeric::CompiledEquations& numbers, const numeric::State& start, const SimulateOptions& options)
    : numbers_(numbers),
      e_(numbers.equations()),
      options_(options),
      at_(numbers.layout()),
      nq_(at_.nq + at_.nx),
      n_(at_.nu),
      m_(at_.m),
      nw_(at_.nw),
      has_power_(!e_.power.is_literally(0)),
      is_tree_(e_.constraints.empty()),
      factor_(options.solver.method),
      holonomic_factor_(options.solver.method) {
    in_.setZero(at_.size(true));
    w_ = start.w.size() == nw_ ? start.w : numbers.input_values(start.t);
    qdot_.setZero(nq_), udot_.setZero(n_), lambda_.setZero(m_), phi_.setZero(m_), phi_rate_.setZero(m_), residuals_out_.setZero(2 * m_);

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
    in_.segment(at_.w(), nw_) = w_;

    const std::vector<Expr> first_order = eom::qdot_and_xdot(e_);
    std::vector<Expr> x;
    if (is_tree_) {
        x = first_order;
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
            if (c.is_holonomic) holonomic_.push_back(i);
        }
        x.insert(x.end(), first_order.begin(), first_order.end());
        residuals_ = numbers.compile(residuals);
        if (has_power_) power_function_ = numbers.compile_with_accelerations(std::array{e_.power});
        coordinate_jacobian_ = numeric::JacobianFunction(numbers, e_.qdot, e_.u);
        N_.setZero(at_.nq, n_);
        d_ = {MatrixXd::Zero(n_, n_), MatrixXd::Zero(m_, n_), VectorXd::Zero(n_), VectorXd::Zero(m_)};
    }
    for (const eom::Constraint& c : e_.constraints) x.push_back(c.phi), x.push_back(c.rate);
    // rows without any speed in them, as of a planar loop in space, are no load to be shared
    loaded_ = std::ranges::count_if(e_.constraints, has_speeds);
    follows_time_ = inputs_move_ || !sym::sparsity(x, std::array{e_.t}).empty();
    x.resize(x.size() - 2 * e_.constraints.size());
    program::Program program;
    if (!is_tree_) program = numbers.lower(x);
    rates_ = is_tree_ ? numbers.compile_when_used(x) : numbers.compile(program);
    out_.setZero(x.size());

    put(start);
    zero_.setZero(n_);
    negligible_ = 1e-2 * std::min(1e-10, options.absolute > 0 ? options.absolute : options.tolerance / 100);
    if (!is_tree_ && calc_dynamics()) {
        solve::DescriptorOptions solver = options.solver;
        solver.errors = numeric::row_errors(numbers, state());
        solve::DescriptorSolution s = solve::solve_descriptor(d_.M, d_.f, d_.G, d_.gamma, solver);
        rank_ = s.rank;
        for (const Index i : s.redundant) {
            if (has_speeds(e_.constraints[i])) redundant_.push_back(i);
        }
        solve::RowLengths lengths;
        start_scales_ = lengths.scales(d_.G);
        MatrixXd G(static_cast<Index>(holonomic_.size()), n_);
        for (Index i = 0; i < G.rows(); ++i) G.row(i) = d_.G.row(holonomic_[i]);
        solver.errors = {solver.errors.G(holonomic_), VectorXd::Zero(G.rows())};
        holonomic_rank_ = solve::solve_descriptor(d_.M, d_.f, G, VectorXd::Zero(G.rows()), solver).rank;
        position_rank_ =
            holonomic_rank_ - std::ranges::count_if(e_.constraints, [](const eom::Constraint& c) {
                return c.is_holonomic && c.phi.is_literally(0) && has_speeds(c);  // joints of a tree: independent of each other
            });
        // Beside the constraints redundant rows ask for different things, and only the general solver finds their compromise.
        const bool is_consistent = rank_ == loaded_ || options.keep != ConstraintStabilization::none;
        if (options.eliminates && options.solver.method == solve::DescriptorMethod::nullspace && is_consistent &&
            options.keep != ConstraintStabilization::baumgarte) {
            const bool is_projected = must_project() && options.integrator != Integrator::ida;  // which keeps constraints itself
            if (is_projected && rank_ == loaded_) {
                program::EliminationOptions back{.gamma_inputs = static_cast<std::size_t>(at_.size())};
                closing_ = std::make_unique<numeric::EliminatedDynamics>(numbers, program, rank_, back);
            }
            eliminated_ = std::make_unique<numeric::EliminatedDynamics>(numbers, std::move(program), rank_);
        }
    }
}

std::span<const double> MotionSystem::in(bool with_accelerations) const {
    return {in_.data(), static_cast<std::size_t>(at_.size(with_accelerations))};
}

void MotionSystem::put(double t, const double* q, const double* u) {
    in_[0] = t;
    std::copy_n(q, nq_, in_.data() + at_.q());
    std::copy_n(u, n_, in_.data() + at_.u());
    if (!inputs_move_) return;
    if (options_.drive) {
        options_.drive(t, w_);
    } else {
        inputs_(in(), span_of(w_));
    }
    in_.segment(at_.w(), nw_) = w_;
}

void MotionSystem::put(const numeric::State& s) {
    const VectorXd in = arguments(at_, s);
    put(s.t, in.data() + at_.q(), in.data() + at_.u());
}

numeric::State MotionSystem::state() const {
    return {in_[0], in_.segment(at_.q(), at_.nq), in_.segment(at_.u(), n_), in_.segment(at_.w(), nw_), in_.segment(at_.x(), at_.nx)};
}

bool MotionSystem::refuse(std::string why) {
    failure_ = std::move(why);
    refused_at_ = in_[0];
    return false;
}

std::string MotionSystem::what_is_not_finite() const {
    const auto name = [](const Expr& symbol) { return symbol.symbol().name; };
    for (Index i = 0; i < nw_; ++i) {
        if (!std::isfinite(w_[i])) return fmt::format("input {} is not finite", name(e_.inputs[i].symbol));
    }
    const auto carried = [&](Index i) { return i < at_.nq ? "coordinate " + name(e_.q[i]) : "auxiliary state " + name(e_.x[i - at_.nq]); };
    for (Index i = 0; i < nq_; ++i) {
        if (!std::isfinite(q()[i])) return fmt::format("{} is not finite", carried(i));
    }
    for (Index i = 0; i < n_; ++i) {
        if (!std::isfinite(u()[i])) return fmt::format("speed {} is not finite", name(e_.u[i]));
    }
    for (Index i = 0; i < nq_; ++i) {
        if (!std::isfinite(qdot_[i])) return fmt::format("the rate of {} is not finite", carried(i));
    }
    if (is_tree_) {  // in a factored matrix one bad force spoils every acceleration: look where it came from
        const VectorXd f = look_at(numbers_, e_.f, in());
        for (Index i = 0; i < n_; ++i) {
            if (!std::isfinite(f[i])) return fmt::format("the force along speed {} is not finite", name(e_.u[i]));
        }
        if (!calc_inertias().allFinite()) return "the mass matrix is not finite";
        for (Index i = 0; i < n_; ++i) {
            if (!std::isfinite(udot_[i])) return fmt::format("the acceleration of speed {} is not finite", name(e_.u[i]));
        }
        return "the power is not finite";
    }
    for (Index i = 0; i < n_; ++i) {
        if (!std::isfinite(d_.f[i])) return fmt::format("the force along speed {} is not finite", name(e_.u[i]));
    }
    if (!d_.M.allFinite()) return "the mass matrix is not finite";
    for (Index i = 0; i < m_; ++i) {
        if (!d_.G.row(i).allFinite() || !std::isfinite(d_.gamma[i]))
            return fmt::format("constraint {} is not finite", e_.constraints[i].name);
    }
    return "the power is not finite";
}

VectorXd MotionSystem::calc_inertias() const {
    if (!is_tree_) return d_.M.diagonal();
    return look_at(numbers_, eom::inertias(e_), in());
}

bool MotionSystem::calc_dynamics() {
    if (is_tree_) {
        d_ = numbers_.dynamics(state());
        return true;
    }
    rates_(in(), span_of(out_));
    has_dynamics_ = true;
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
        in_.segment(at_.udot(), n_) = udot_;
        if (has_power_) power_ = out_[nq_ + n_];
        return is_finite(out_) || refuse(what_is_not_finite());
    }
    if (eliminate()) return true;
    if (!calc_dynamics()) return false;
    if (options_.keep == ConstraintStabilization::baumgarte) {
        calc_residuals();
        const double a = options_.baumgarte;
        for (Index i = 0; i < m_; ++i)
            d_.gamma[i] -= e_.constraints[i].is_holonomic ? 2 * a * phi_rate_[i] + a * a * phi_[i] : a * phi_rate_[i];
    }
    const bool is_factored = factor_here(factor_, d_.G, rank_);
    independence_ = factor_.independence();
    if (!is_factored) {
        const std::string rows = independence_ < 1e-9 ? weakest_rows() : std::string();
        return refuse(rows.empty() ? factor_.why() : fmt::format("{} ({})", factor_.why(), rows));
    }
    factor_.solve(d_.f, d_.gamma, udot_, lambda_);
    in_.segment(at_.udot(), n_) = udot_;
    in_.segment(at_.lambda(), m_) = lambda_;
    if (eliminated_ && eliminated_->offer(span_of(out_))) {
        anchor_.resize(0);
        if (closing_) closing_->choose(span_of(out_));
    }
    if (!is_finite(udot_) || !is_finite(lambda_)) return refuse("the accelerations are too large for a number");
    if (has_power_) {
        power_function_(in(true), {&power_, 1});
        if (!std::isfinite(power_)) return refuse(what_is_not_finite());
    }
    return true;
}

/// By straight-line code; false where its pivots do not serve.
bool MotionSystem::eliminate() {
    if (!eliminated_ || !eliminated_->solve(in())) return false;
    udot_ = eliminated_->udot(), lambda_ = eliminated_->lambda(), qdot_ = eliminated_->others();
    in_.segment(at_.udot(), n_) = udot_;
    in_.segment(at_.lambda(), m_) = lambda_;
    if (has_power_) {
        power_function_(in(true), {&power_, 1});
        if (!std::isfinite(power_)) return false;
    }
    is_behind_ = true, has_dynamics_ = false;
    ++eliminations;
    return true;
}

void MotionSystem::catch_up() {
    if (!is_behind_ || !calc_dynamics()) return;
    factor_here(factor_, d_.G, rank_);
    independence_ = factor_.independence();
}

/// The independence of the rows follows the pivots of the elimination: while none of them has changed much, it need not be worked out again.
double MotionSystem::independence() {
    if (!is_behind_) return independence_;
    constexpr double much = 0.7;
    const auto now = eliminated_->pivots();
    double least = 1, most = 1;
    for (Index k = 0; k < anchor_.size(); ++k) {
        const double change = std::abs(now[k] / anchor_[k]);
        least = std::min(least, change), most = std::max(most, change);
    }
    if (anchor_.size() == n_ && anchor_choice_ == eliminated_->place() && least > much && most < 1 / much)
        return least * anchor_independence_;
    anchor_ = now, anchor_choice_ = eliminated_->place();
    catch_up();
    return anchor_independence_ = independence_;
}

/// Δ of least kinetic energy with G Δ = −gap, by straight-line code.
bool MotionSystem::close(const VectorXd& gap) {
    if (!closing_) return false;
    in_.segment(at_.size(), m_) = -gap;
    const bool is_solved = closing_->solve({in_.data(), static_cast<std::size_t>(at_.size() + m_)});
    in_.segment(at_.udot(), n_) = udot_;
    in_.segment(at_.lambda(), m_) = lambda_;
    if (is_solved) step_ = closing_->udot();
    return is_solved;
}

void MotionSystem::put_rates(const VectorXd& udot, const VectorXd& lambda) {
    udot_ = udot, lambda_ = lambda;
    in_.segment(at_.udot(), n_) = udot_;
    in_.segment(at_.lambda(), m_) = lambda_;
}

std::string MotionSystem::names_of(const std::vector<Index>& rows, std::size_t most) const {
    std::string names;
    for (std::size_t k = 0; k < std::min(rows.size(), most); ++k)
        names += fmt::format("{}{}", k == 0 ? "" : ", ", e_.constraints[rows[k]].name);
    if (rows.size() > most) names += fmt::format(" and {} more", rows.size() - most);
    return names;
}

std::string MotionSystem::weakest_rows() const {
    if (rank_ == 0 || factor_.row_scales().size() != m_ || !d_.G.allFinite()) return {};
    const solve::SingularValues svd =
        solve::singular_values(factor_.row_scales().asDiagonal() * d_.G, solve::SingularVectors::thin, solve::SingularVectors::none);
    const VectorXd part = svd.u.col(rank_ - 1).cwiseAbs();
    std::vector<Index> rows;
    for (Index i = 0; i < m_; ++i) {
        if (part[i] > 0.1 * part.maxCoeff()) rows.push_back(i);
    }
    std::ranges::stable_sort(rows, [&](Index a, Index b) { return part[a] > 1.001 * part[b]; });
    return names_of(rows);
}

std::string MotionSystem::contradiction(Index row, double off, const char* of) {
    const Index here = calc_rank(1e-6);
    if (here > rank_) return began_singular(here);
    const std::string missed = fmt::format("{} misses by {:.3g} in {} at the best compromise", e_.constraints[row].name, off, of);
    // A little beside this place, on the constraints or not: are there more independent rows?
    const VectorXd at = in_;
    for (Index i = 0; i < at_.nq; ++i) in_[at_.q() + i] += 1e-3 * std::cos(1.0 + 2.4 * static_cast<double>(i));
    const Index beside = calc_dynamics() ? calc_rank(1e-6) : rank_;
    in_ = at;
    calc_dynamics();
    if (beside > rank_)
        return fmt::format(
            "the position is singular, or constraints contradict each other: they have rank {} here and {} "
            "nearby, and {}",
            rank_, beside, missed);
    return fmt::format("the constraints contradict each other: {}", missed);
}

std::string MotionSystem::began_singular(Index here) const {
    return fmt::format(
        "the motion turns out to have begun in a singular position, where the constraints have rank {}, and {} "
        "nearby: where it goes from there is not determined; start elsewhere",
        rank_, here);
}

Index MotionSystem::calc_rank(double tolerance) const {
    const VectorXd pivot = solve::PivotedQr((start_scales_.asDiagonal() * d_.G).transpose()).pivots();
    Index rank = 0;
    while (rank < pivot.size() && pivot[rank] > tolerance * std::max(pivot[0], 1e-3)) ++rank;
    return rank;
}

std::string MotionSystem::find_contradiction(bool is_kept) {
    if (rank_ >= m_) return {};
    if (is_behind_) {  // of rows that ask for different things straight-line code obeys some, and not their best compromise
        catch_up();
        factor_.solve(d_.f, d_.gamma, udot_, lambda_);
        in_.segment(at_.udot(), n_) = udot_;
        in_.segment(at_.lambda(), m_) = lambda_;
    }
    calc_residuals();
    const auto largest = [](const auto& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); };
    const auto length_of = [&](Index i) { return std::max(largest(d_.G.row(i)), 1 / start_scales_[i]); };
    const double far = std::max(1.0, largest(in_.segment(at_.q(), at_.nq))), fast = std::max(1.0, largest(u_part()));
    if (!is_kept) {
        // What has drifted is looked at where it should be; what has drifted far is left alone.
        for (Index i = 0; i < m_; ++i) {
            const double allowed = 1e-2 * length_of(i);
            if (!(std::abs(phi_[i]) < allowed * far) || !(std::abs(phi_rate_[i]) < allowed * fast)) return {};
        }
        const VectorXd here = in_;
        std::string why;
        if (project(true) == Projection::failed || !calc_rates()) {
            why = failure_;
        } else {
            why = find_contradiction(true);
        }
        in_ = here;
        calc_rates();
        return why;
    }
    if (const Index here = calc_rank(1e-6); here > rank_) return began_singular(here);
    struct {
        Index row = -1;
        double ratio = 1, off = 0;
        const char* of = "";
    } worst;
    const auto judge = [&](Index i, double off, double allowed, const char* of) {
        if (std::abs(off) > worst.ratio * allowed) worst = {i, std::abs(off) / allowed, std::abs(off), of};
    };
    const double acceleration = largest(udot_);
    for (Index i = 0; i < m_; ++i) {
        const double length = length_of(i);
        judge(i, phi_[i], 1e-8 * length * far, "position");
        judge(i, phi_rate_[i], 1e-8 * length * fast, "velocity");
        judge(i, d_.G.row(i).dot(udot_) - d_.gamma[i],
              1e-6 * (length * acceleration + std::abs(d_.gamma[i])) + (1e-7 + 1e-9 * fast * fast) * length, "acceleration");
    }
    return worst.row < 0 ? std::string() : contradiction(worst.row, worst.off, worst.of);
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
        for (const std::size_t i : group) size += q()[i] * q()[i];
        if (!(size > 0) || !std::isfinite(size) || std::abs(size - 1) < 1e-15) continue;
        moved = true;
        for (const std::size_t i : group) q_part()[i] /= std::sqrt(size);
    }
    return moved;
}

double MotionSystem::calc_independence() {
    if (is_tree_ || rank_ == 0) return 1;
    if (!calc_dynamics()) return 0;
    factor_here(factor_, d_.G, rank_);
    return factor_.independence();
}

bool MotionSystem::factor_here(solve::DescriptorFactor& factor, const MatrixXd& G, Index rank) {
    const bool is_factored = factor.factor(d_.M, G, rank);
    if (&factor != &factor_) return is_factored;
    is_behind_ = false;
    if (is_factored)
        factored_at_ = in_.head(1 + at_.nq);
    else
        factored_at_.resize(0);
    return is_factored;
}

/// The last rates were worked out beside this place: a step's end is corrected once more after they were. Its factor serves a projection
/// as well as one made here, which differs in the last digits of a correction that is small; where it does not, that shows in the residuals.
bool MotionSystem::is_factored_near() const {
    if (factored_at_.size() == 0 || std::abs(factored_at_[0] - in_[0]) > 1e-14 * std::abs(in_[0])) return false;
    constexpr double near = 1e-5;
    for (Index i = 0; i < at_.nq; ++i) {
        if (!(std::abs(factored_at_[1 + i] - q()[i]) <= near * std::max(1.0, std::abs(q()[i])))) return false;
    }
    return true;
}

/// Gauss–Newton in the metric of M: min ΔᵀMΔ with G Δ = −φ, then q ← q + N Δ.
bool MotionSystem::project_positions(bool& moved) {
    const Index mh = holonomic_.size();
    if (mh == 0) return true;
    const bool is_all = mh == m_;
    g_.resize(mh);
    // `row_size_` turns φ into the motion it takes to be rid of it
    Index worst = 0;
    const auto largest = [&] {
        double most = -1;
        for (const Index i : holonomic_) {
            const double size = std::abs(phi_[i]) / row_size_[i];
            if (!(size <= most)) most = size, worst = i;
        }
        return most;
    };
    const auto give_up = [&] {
        if (rank_ < m_) return refuse(contradiction(worst, std::abs(phi_[worst]), "position"));
        if ((is_all ? factor_ : holonomic_factor_).independence() < 0.03)
            return refuse(fmt::format("the mechanism cannot be closed again: near here the constraints lose rank ({})", weakest_rows()));
        return refuse(
            fmt::format("the mechanism cannot be closed again: {} stays off by {:.3g}", e_.constraints[worst].name, std::abs(phi_[worst])));
    };
    double size = largest();
    const bool is_held = is_all && holonomic_rank_ == rank_;
    bool is_near = is_held && is_factored_near(), has_factor = is_near;
    for (int k = 0; k < 12 && !(size <= negligible_); ++k) {
        if (k == 0 || k > 2 || is_near) coordinate_jacobian_(in(), n_out_, N_);
        const bool is_closed = is_held && !is_near && close(phi_);
        if (!is_closed && (!has_factor || k > 2 || (is_near && k > 0))) {
            is_near = false, has_factor = true;
            if (!calc_dynamics()) return false;
            if (!is_all) {
                G_holonomic_.resize(mh, n_);
                for (Index i = 0; i < mh; ++i) G_holonomic_.row(i) = d_.G.row(holonomic_[i]);
            }
            solve::DescriptorFactor& f = is_all ? factor_ : holonomic_factor_;
            if (!factor_here(f, is_all ? d_.G : G_holonomic_, holonomic_rank_)) return refuse(f.why());
        }
        if (!is_closed) {
            for (Index i = 0; i < mh; ++i) g_[i] = -phi_[holonomic_[i]];
            (is_all ? factor_ : holonomic_factor_).solve(zero_, g_, step_, unused_);
        }
        q_part().head(at_.nq).noalias() += N_ * step_;
        normalise();
        moved = true;
        calc_residuals();
        const double now = largest();
        if (!std::isfinite(now)) return refuse("the constraints are not finite");
        // Where rows are redundant, what one of them lacks of another can only be rounding.
        if (now > 0.5 * size && k > 2) return now < 1e-9 || give_up();
        size = now;
    }
    return size < 1e-9 || give_up();
}

bool MotionSystem::project_speeds(bool& moved) {
    Index worst = 0;
    const auto largest = [&] {
        double most = -1;
        for (Index i = 0; i < m_; ++i) {
            const double size = std::abs(phi_rate_[i]) / row_size_[i];
            if (!(size <= most)) most = size, worst = i;
        }
        return most;
    };
    double size = largest(), speed = 1;
    for (Index i = 0; i < n_; ++i) speed = std::max(speed, std::abs(u()[i]));
    if (size <= negligible_ * speed) return true;
    const bool is_near = is_factored_near();
    bool has_factor = is_near;
    for (int k = 0; k < 4 && !(size <= negligible_ * speed); ++k) {
        if (is_near || !close(phi_rate_)) {
            if (!has_factor || (is_near && k == 1)) {
                if (!calc_dynamics()) return false;
                if (!factor_here(factor_, d_.G, rank_)) return refuse(factor_.why());
                has_factor = true;
            }
            g_ = -phi_rate_;
            factor_.solve(zero_, g_, step_, unused_);
        }
        u_part() += step_;
        moved = true;
        calc_residuals();
        const double now = largest();
        if (!std::isfinite(now)) return refuse("the constraints are not finite");
        const bool is_stuck = now > 0.5 * size && !(is_near && k == 0);
        size = now;
        if (is_stuck) break;
    }
    // What rounding leaves is far below; more than that only rows that ask for different things leave.
    if (rank_ == m_ || size <= 1e-8 * speed) return true;
    return refuse(contradiction(worst, std::abs(phi_rate_[worst]), "velocity"));
}

/// At the last look around, which is close enough. Beside a singular position a row may be short that was long, and what is left of it then takes much motion
/// to be rid of: by straight-line code its pivot tells.
void MotionSystem::measure_rows() {
    row_size_.resize(m_);
    if (has_dynamics_) {
        for (Index i = 0; i < m_; ++i) row_size_[i] = d_.G.row(i).cwiseAbs().maxCoeff();
    } else {
        row_size_ = eliminated_->row_sizes();
        const std::vector<program::Pivot>& pivots = eliminated_->choice().pivots;
        for (std::size_t k = 0; k < pivots.size(); ++k) {
            if (!pivots[k].is_pair()) continue;
            double& size = row_size_[static_cast<Index>(pivots[k].row)];
            size = std::min(size, std::abs(eliminated_->pivots()[static_cast<Index>(k)]));
        }
    }
    for (double& size : row_size_) size = size > 1e-12 ? size : 1;
}

MotionSystem::Projection MotionSystem::project(bool anyway) {
    bool moved = normalise();
    if (!is_tree_ && (anyway || options_.keep == ConstraintStabilization::projection)) {
        if (!closing_) catch_up();
        measure_rows();
        calc_residuals();
        if (!project_positions(moved) || !project_speeds(moved)) return Projection::failed;
    }
    return moved ? Projection::moved : Projection::kept;
}

}  // namespace linkwright::motion
