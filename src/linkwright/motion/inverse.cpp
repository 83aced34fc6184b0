#include "linkwright/motion/inverse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/jacobian_function.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/row_lengths.hpp"
#include "linkwright/solve/scale.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

Index length(const auto& list) { return static_cast<Index>(list.size()); }

class Inverse {
public:
    Inverse(const numeric::CompiledEquations& numbers, const numeric::State& start, const Prescription& prescription,
            const InverseOptions& options)
        : numbers_(numbers),
          e_(numbers.equations()),
          state_(start),
          prescription_(prescription),
          options_(options),
          closing_(numbers, followed(prescription)) {
        for (const std::size_t i : prescription.coordinates) held_.push_back(i);
    }

    Forces run() && {
        if (!set_up()) return std::move(result_);
        for (const double t : options_.times) {
            if (options_.on_step && !options_.on_step(t)) {
                fail(t, "stopped");
                break;
            }
            if (!position(t) || !speeds(t) || !accelerations(t) || !forces(t)) break;
            VectorXd row(length(result_.columns));
            row << t, push_, state_.q, state_.u, udot_, lambda_, outputs();
            if (!row.allFinite()) {
                Index bad = 0;
                while (std::isfinite(row[bad])) ++bad;
                fail(t, fmt::format("{} is not a number", result_.columns[bad]));
                break;
            }
            result_.rows.push_back(std::move(row));
        }
        return std::move(result_);
    }

private:
    static std::vector<numeric::Wanted> followed(const Prescription& prescription) {
        std::vector<numeric::Wanted> list;
        for (const Prescription::Output& y : prescription.outputs) list.push_back({y.name, y.value, 0, true, false});
        return list;
    }
    std::string name_of_prescribed(Index i) const {
        return i < length(held_) ? e_.q[held_[i]].symbol().name : prescription_.outputs[i - length(held_)].name;
    }
    bool is_solved_for() const { return !e_.constraints.empty() || !prescription_.outputs.empty(); }

    bool fail(double t, const std::string& why, bool is_wrong_input = false) {
        result_.is_ok = false;
        result_.is_wrong_input = is_wrong_input;
        result_.why = fmt::format("at t = {:.6g}: {}", t, why);
        return false;
    }

    bool set_up() {
        if (!e_.x.empty()) {  // their rates need the inputs that are looked for: a differential equation of its own
            result_.is_ok = false, result_.is_wrong_input = true;
            result_.why = fmt::format("the equations have auxiliary states ({}, …): the forces of a motion are not a function of it alone",
                                      e_.x.front().symbol().name);
            return false;
        }
        std::vector<Expr> inputs, moved, qdot;
        for (const eom::Input& w : e_.inputs) inputs.push_back(w.symbol);
        for (const std::size_t i : prescription_.coordinates) qdot.push_back(e_.qdot[i]);
        const sym::PoolScope scope(*e_.pool);
        const auto rates = eom::rates(e_);
        sym::Tangent rate_of_output(rates);
        for (const Prescription::Output& y : prescription_.outputs) qdot.push_back(rate_of_output(y.value));
        N_ = numeric::JacobianFunction(numbers_, qdot, e_.u);
        std::vector<sym::Binding> coasting;  // q̈ with u̇ = 0
        for (const sym::Binding& b : rates) {
            if (std::ranges::find(e_.u, b.first) == e_.u.end()) coasting.push_back(b);
        }
        sym::Tangent rate(coasting);
        std::vector<Expr> qddot;
        for (const Expr& x : qdot) qddot.push_back(rate(x));
        std::vector<Expr> values;
        for (const Prescription::Output& y : prescription_.outputs) values.push_back(y.value);
        values_ = numbers_.compile(values);
        rates_ = numbers_.compile(qdot);
        coasting_ = numbers_.compile(qddot);

        result_.columns.emplace_back("t");
        if (options_.by == ActuatedBy::inputs) {
            B_ = numeric::JacobianFunction(numbers_, e_.f, inputs);
            for (const auto& entry : jacobian(e_.f, inputs).entries) {
                for (const Expr& w : inputs) {
                    if (is_zero(derivative(entry.value, w)) == sym::Verdict::equal) continue;
                    result_.is_ok = false, result_.is_wrong_input = true;
                    result_.why = fmt::format("the force along {} is not linear in the input {}: it cannot be solved for it",
                                              e_.u[entry.row].symbol().name, w.symbol().name);
                    return false;
                }
            }
            for (const Expr& w : inputs) result_.columns.push_back(w.symbol().name);
        } else {
            for (std::size_t i = 0; i < e_.u.size(); ++i) {
                const bool is_moved = std::ranges::any_of(N_.places(), [&](const auto& at) { return at.column == static_cast<Index>(i); });
                if (!is_moved) continue;
                along_.push_back(i);
                std::string name = e_.u[i].symbol().name;
                if (name.ends_with('\'')) name.pop_back();
                result_.columns.push_back(name + ".force");
            }
        }
        for (const auto* list : {&e_.q, &e_.u, &e_.udot}) {
            for (const Expr& s : *list) result_.columns.push_back(s.symbol().name);
        }
        for (const eom::Constraint& c : e_.constraints) result_.columns.push_back(c.lambda.symbol().name);
        for (const eom::Output& o : e_.outputs) result_.columns.push_back(o.name);
        return true;
    }

    /// With what pushes.
    VectorXd outputs() const {
        numeric::State s = state_;
        if (options_.by == ActuatedBy::inputs) s.w = push_;
        return numbers_.outputs(s, udot_, lambda_);
    }

    VectorXd packed() const { return numeric::arguments(numbers_.layout(), state_); }

    /// To the position at time t, in steps short enough to stay on the branch where the mechanism is: a loop can often be closed
    /// in more than one way.
    bool position(double t) {
        if (!has_moved_) {
            has_moved_ = true;
            return first_position(t);
        }
        if (!is_solved_for()) return position_at(t);
        double h = t - state_.t;
        while (state_.t < t) {
            if (!speeds(state_.t)) return false;
            const VectorXd rate = numbers_.coordinate_rates(state_);
            h = std::min(h, 0.1 / std::max(1e-300, rate.cwiseAbs().maxCoeff()));
            const numeric::State before = state_;
            std::string out_of_reach;
            for (;; h /= 2) {
                const double next = state_.t + h >= t ? t : state_.t + h;
                if (!(next > before.t + 1e-13 * std::abs(before.t))) return end_of_the_way(before.t, out_of_reach);
                state_.q = before.q + (next - before.t) * rate;
                const bool is_there = position_at(next);
                if (is_there && iterations_ <= most_iterations) break;
                if (!is_there && (result_.is_wrong_input || next - before.t < 1e-9 * (t - before.t))) return false;
                if (!is_there) out_of_reach = result_.why.substr(result_.why.find(": ") + 2);
                result_.is_ok = true;
                result_.why.clear();
                state_ = before;
            }
            h *= 4;
        }
        return true;
    }

    /// No step is short enough to go on from here.
    bool end_of_the_way(double t, const std::string& out_of_reach) {
        if (!out_of_reach.empty()) return fail(t, out_of_reach + "; this is a singular position, at the edge of what can be reached");
        return fail(t, prescription_.outputs.empty()
                           ? "the prescribed motion cannot be followed: a loop closes in two ways here"
                           : "the prescribed motion cannot be followed: a singular position, at the edge of what can be reached");
    }

    /// Where outputs are prescribed the start may be far from there: the way to it is gone in steps.
    bool first_position(double t) {
        if (prescription_.outputs.empty()) return position_at(t);
        const numeric::State start = state_;
        if (position_at(t) && iterations_ <= 2 * most_iterations) return true;
        if (result_.is_wrong_input) return false;
        const Forces failed = result_;
        const numeric::State found = state_;
        state_ = start;
        constexpr int steps = 64;
        bool is_there = true;
        for (int k = 1; k <= steps && is_there; ++k) is_there = position_at(t, &start, static_cast<double>(k) / steps);
        result_ = failed;
        if (is_there) result_.is_ok = true, result_.why.clear();
        if (!is_there) state_ = found;
        return result_.is_ok;
    }

    /// At time t; or `part` of the way there from `start`.
    bool position_at(double t, const numeric::State* start = nullptr, double part = 1) {
        const Index k = length(held_), all = k + length(prescription_.outputs);
        q_.resize(all), qdot_.resize(all), qddot_.resize(all);
        prescription_.at(t, q_, qdot_, qddot_);
        if (start != nullptr) {
            for (Index i = 0; i < k; ++i) q_[i] = start->q[held_[i]] + part * (q_[i] - start->q[held_[i]]);
            const VectorXd from = values_(*start);
            for (Index i = k; i < all; ++i) q_[i] = from[i - k] + part * (q_[i] - from[i - k]);
        }
        state_.t = t;
        if (options_.by == ActuatedBy::coordinates) {
            state_.w = numbers_.input_values(t);
        } else {
            state_.w.setZero(length(e_.inputs));
        }
        for (Index i = 0; i < k; ++i) state_.q[held_[i]] = q_[i];
        for (Index i = 0; i < all; ++i) {
            for (const double x : {q_[i], qdot_[i], qddot_[i]}) {
                if (!std::isfinite(x)) return fail(t, fmt::format("the motion prescribed for {} is not a number", name_of_prescribed(i)));
            }
        }
        for (const auto& group : e_.quaternions) {
            double square = 0;
            bool is_given = false;
            for (const std::size_t i : group) {
                square += state_.q[i] * state_.q[i];
                is_given |= std::ranges::find(held_, static_cast<Index>(i)) != held_.end();
            }
            if (is_given && std::abs(square - 1) > 1e-3) {
                return fail(t,
                            fmt::format("the Euler parameters {} … prescribed have length {:.6g}, not 1", e_.q[group[0]].symbol().name,
                                        std::sqrt(square)),
                            true);
            }
            if (is_given) put_on_sphere(group);
        }
        if (!is_solved_for()) return true;
        const solve::Assembly closed = closing_(state_, held_, q_.tail(all - k));
        if (!closed.ok) {
            const std::string name = closing_.name(closed.worst);
            const bool is_output =
                std::ranges::find(prescription_.outputs, name, &Prescription::Output::name) != prescription_.outputs.end();
            return fail(t, is_output
                               ? fmt::format("the prescribed motion cannot be followed: {} is out of reach, by {:.3g} at the nearest", name,
                                             closed.residual)
                               : fmt::format("the prescribed motion cannot be followed: '{}' stays open by {:.3g}", name, closed.residual));
        }
        state_.q = closed.x;
        iterations_ = closed.iterations;
        const VectorXd side = numbers_.branches(state_);
        for (Index i = 0; i < side.size(); ++i) {
            if (!(side[i] > 0)) return fail(t, fmt::format("'{}' closes only the wrong way round", e_.branches[i].name));
        }
        return true;
    }

    /// e/|e| and its derivatives instead of e: a curve through samples leaves the sphere between them.
    void put_on_sphere(const std::array<std::size_t, 4>& group) {
        std::array<Index, 4> at{};
        for (std::size_t i = 0; i < 4; ++i) at[i] = std::ranges::find(held_, static_cast<Index>(group[i])) - held_.begin();
        if (std::ranges::any_of(at, [&](Index i) { return i == length(held_); })) return;  // given in part
        Eigen::Vector4d e, v, a;
        for (std::size_t i = 0; i < 4; ++i) e[i] = q_[at[i]], v[i] = qdot_[at[i]], a[i] = qddot_[at[i]];
        const double r = e.norm(), rdot = e.dot(v) / r, rddot = (v.dot(v) + e.dot(a) - rdot * rdot) / r;
        const Eigen::Vector4d n = e / r, ndot = (v - rdot * n) / r, nddot = (a - rddot * n - 2 * rdot * ndot) / r;
        for (std::size_t i = 0; i < 4; ++i) {
            const auto k = static_cast<Index>(i);
            q_[at[i]] = n[k], qdot_[at[i]] = ndot[k], qddot_[at[i]] = nddot[k];
            state_.q[group[i]] = n[k];
        }
    }

    /// Where outputs are prescribed, positions near a singular one are known to half the digits, and speeds to none. There a row of an output
    /// is short beside what it was elsewhere, and beside those of the other components, or rows depend on each other.
    bool is_nearly_singular(MatrixXd A, VectorXd scale) {
        if (prescription_.outputs.empty()) return false;
        constexpr double negligible = 1e-4;
        const auto stem = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
        const Index first = length(held_), outputs = length(prescription_.outputs);
        const VectorXd lengths = A.middleRows(first, outputs).cwiseAbs().rowwise().maxCoeff();
        longest_ = longest_.size() == 0 ? lengths : VectorXd(longest_.cwiseMax(lengths));
        for (Index i = 0; i < outputs; ++i) {
            double longest = 0;
            for (Index k = 0; k < outputs; ++k) {
                if (stem(prescription_.outputs[i].name) == stem(prescription_.outputs[k].name)) longest = std::max(longest, longest_[k]);
            }
            scale[first + i] = longest > 0 ? 1 / longest : 1;
        }
        A = scale.asDiagonal() * A;
        for (Index i = 0; i < A.cols(); ++i) A.col(i) /= std::max(A.col(i).norm(), 1e-300);
        const solve::Svd svd = solve::make_svd(A);
        return !svd.ok || svd.s.size() < A.cols() || svd.s[A.cols() - 1] < negligible * svd.s[0];
    }

    /// [N; G] x = [a; b], prescribed rows and constraints together.
    bool solve_rows(double t, const VectorXd& a, const VectorXd& b, VectorXd& x, const char* what) {
        const Index n = length(e_.u);
        MatrixXd A(N_now_.rows() + dynamics_.G.rows(), n);
        A << N_now_, dynamics_.G;
        VectorXd rhs(A.rows());
        rhs << a, b;
        const VectorXd scale = solve::row_scale(A);
        const solve::Solution s = solve::solve_least_squares(scale.asDiagonal() * A, scale.cwiseProduct(rhs));
        if (!s.ok) return fail(t, s.why);
        const bool is_singular = s.rank < n ? is_complete_ : is_nearly_singular(A, scale);
        if (is_singular)
            return fail(t, "a singular position: what is prescribed does not decide the motion here, or leads beyond what can be reached");
        if (s.rank < n) {
            const MatrixXd open = solve::null_space(scale.asDiagonal() * A);
            std::vector<std::string> names;
            for (Index i = 0; i < n; ++i) {
                if (open.cols() > 0 && open.row(i).norm() > 1e-6) names.push_back(e_.u[i].symbol().name);
            }
            return fail(t,
                        fmt::format("the motion is not prescribed completely: {} left open, among {}",
                                    n - s.rank == 1 ? "1 freedom is" : fmt::format("{} freedoms are", n - s.rank), fmt::join(names, ", ")),
                        true);
        }
        if (s.residual > 1e-7 * (1 + s.x.lpNorm<Eigen::Infinity>())) {
            return fail(t, fmt::format("the {} prescribed contradict the constraints by {:.3g}", what, s.residual), true);
        }
        is_complete_ = true;
        x = s.x;
        return true;
    }

    /// Where the constraints lose rank a prescribed motion does not decide how the others follow. Near such a place the smallest
    /// singular value is nothing beside what it is elsewhere; a start there shows when it grows.
    bool has_rank(double t) {
        if (dynamics_.G.rows() == 0) return true;
        const VectorXd lengths = dynamics_.G.cwiseAbs().rowwise().maxCoeff();
        if (first_lengths_.size() == 0) first_lengths_ = lengths;
        const solve::Svd svd = solve::make_svd(lengths_.scales(dynamics_.G).asDiagonal() * dynamics_.G);
        if (!svd.ok) return fail(t, svd.why);
        if (rank_ < 0) rank_ = svd.rank();
        if (rank_ == 0) return true;
        if ((first_lengths_.array() < 1e-5 * lengths.array()).any()) least_independence_ = 0;  // a row that had all but vanished
        const double smallest = svd.s[rank_ - 1];
        least_independence_ = std::min(least_independence_, smallest);
        most_independence_ = std::max(most_independence_, smallest);
        if (svd.rank() == rank_ && least_independence_ > 1e-5 * most_independence_) return true;
        if (smallest > least_independence_ || svd.rank() > rank_) result_.rows.clear(), t = options_.times.front();
        return fail(t, "the constraints lose rank: a singular position, where the others can follow in more than one way");
    }

    /// Rows of constraints that are only rounding hold nothing.
    void find_dynamics() {
        dynamics_ = numbers_.dynamics(state_);
        dynamics_.G = numeric::without_rounding(numbers_, state_, std::move(dynamics_.G));
    }

    bool speeds(double t) {
        state_.u.setZero(length(e_.u));
        find_dynamics();
        if (!has_rank(t)) return false;
        N_now_ = N_(packed());
        return solve_rows(t, qdot_ - rates_(state_), -numbers_.residuals(state_).rate, state_.u, "speeds");
    }

    bool accelerations(double t) {
        find_dynamics();
        return solve_rows(t, qddot_ - coasting_(state_), dynamics_.gamma, udot_, "accelerations");
    }

    bool forces(double t) {
        const VectorXd missing = dynamics_.M * udot_ - dynamics_.f;  // B w − Gᵀλ... what inputs and constraints must bring
        MatrixXd B;
        if (options_.by == ActuatedBy::inputs) {
            B = B_(packed());
        } else {
            B = MatrixXd::Zero(length(e_.u), length(along_));
            for (std::size_t k = 0; k < along_.size(); ++k) B(along_[k], static_cast<Index>(k)) = 1;
        }
        const MatrixXd& G = dynamics_.G;
        const VectorXd scale = solve::row_scale(G);
        const MatrixXd Z = G.rows() == 0 ? MatrixXd::Identity(length(e_.u), length(e_.u)) : solve::null_space(scale.asDiagonal() * G);
        const MatrixXd ZB = Z.transpose() * B;
        const VectorXd rhs = Z.transpose() * missing;
        const solve::Solution w = solve::solve_least_squares(ZB, rhs);
        if (!w.ok) return fail(t, w.why);
        push_ = w.x;
        if (w.residual > 1e-8 * (1 + missing.lpNorm<Eigen::Infinity>())) {
            const VectorXd left = Z * (rhs - ZB * w.x);
            Index worst = 0;
            left.cwiseAbs().maxCoeff(&worst);
            return fail(t, fmt::format("the inputs cannot bring about this motion: a force of {:.6g} along {} is missing", left[worst],
                                       e_.u[worst].symbol().name));
        }
        if (w.rank < ZB.cols() && !is_overactuated_) {
            is_overactuated_ = true;
            result_.notes.push_back(
                fmt::format("overactuated: {} {} for {} freedoms; of all that serve, those of least length Σ w² are taken", ZB.cols(),
                            options_.by == ActuatedBy::inputs ? "inputs" : "forces", w.rank));
        }
        const VectorXd rest = B * push_ - missing;  // Gᵀλ
        const solve::Solution lambda = solve::solve_least_squares((scale.asDiagonal() * G).transpose(), rest);
        lambda_ = scale.cwiseProduct(lambda.x);
        if (G.rows() > 0 && lambda.rank < G.rows() && !is_redundant_) {
            is_redundant_ = true;
            result_.notes.push_back("constraints are redundant: of all multipliers the shortest are given");
        }
        return true;
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    numeric::State state_;
    const Prescription& prescription_;
    const InverseOptions& options_;
    numeric::Closing closing_;
    std::vector<Index> held_, along_;
    numeric::JacobianFunction N_, B_;
    numeric::CompiledEquations::Function values_, rates_, coasting_;
    VectorXd q_, qdot_, qddot_, udot_, push_, lambda_;
    MatrixXd N_now_;
    numeric::Dynamics dynamics_;
    static constexpr Index most_iterations = 6;  ///< Newton's method from a good guess needs three or four
    Index iterations_ = 0, rank_ = -1;
    solve::RowLengths lengths_;
    VectorXd first_lengths_, longest_;
    double least_independence_ = std::numeric_limits<double>::infinity(), most_independence_ = 0;
    bool has_moved_ = false, is_complete_ = false, is_overactuated_ = false, is_redundant_ = false;
    Forces result_;
};

}  // namespace

Forces inverse(const numeric::CompiledEquations& numbers, const numeric::State& start, const Prescription& prescription,
               const InverseOptions& options) {
    return Inverse(numbers, start, prescription, options).run();
}

}  // namespace linkwright::motion
