#include "linkwright/perturb/expansion.hpp"

#include <fmt/format.h>

#include <map>
#include <numbers>

#include "linkwright/eom/residual.hpp"
#include "linkwright/perturb/excitation.hpp"
#include "linkwright/perturb/symbolic_expansion.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/independent.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::perturb {

namespace {

using Index = Eigen::Index;
using RealSeries = PowerSeries<double>;
using RealMotion = MotionSeries<RealField>;
using RealMoments = std::vector<Moment<double>>;
using Rows = std::vector<std::vector<double>>;

Rows rows_of(const MatrixXd& m) {
    Rows rows(static_cast<std::size_t>(m.rows()));
    for (Index i = 0; i < m.rows(); ++i) {
        for (Index j = 0; j < m.cols(); ++j) rows[i].push_back(m(i, j));
    }
    return rows;
}

MotionRoots roots_of(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    std::vector<sym::Binding> moving;
    for (const eom::Input& w : e.inputs) {
        if (sym::depends_on(w.value, e.t)) moving.emplace_back(w.symbol, w.value);
    }
    sym::Substitution put(moving);
    const auto with_inputs = [&](const Expr& x) { return moving.empty() ? x : put(x); };
    MotionRoots roots;
    for (const Expr& r : eom::unconstrained_residual(e)) roots.residual.push_back(with_inputs(r));
    for (const eom::Constraint& c : e.constraints) roots.phi.push_back(with_inputs(c.phi));
    for (const Expr& rate : e.qdot) roots.qdot.push_back(with_inputs(rate));
    roots.has_plain_speeds = e.q.size() == e.u.size();
    for (std::size_t i = 0; roots.has_plain_speeds && i < e.q.size(); ++i) roots.has_plain_speeds = e.qdot[i] == e.u[i];
    for (const Expr& phi : roots.phi) roots.closing_depends_on_time |= sym::depends_on(phi, e.t);
    for (const Expr& rate : roots.qdot) roots.speeds_depend_on_time |= sym::depends_on(rate, e.t);
    return roots;
}

/// Coefficients of one series at equally spaced phases, as functions of the phase.
using Phases = std::map<std::uint32_t, std::vector<double>>;
Phases phases_of(const std::vector<const RealSeries*>& along) {
    Phases all;
    for (std::size_t k = 0; k < along.size(); ++k) {
        for (const auto& [monomial, c] : *along[k]) {
            auto& values = all[monomial];
            values.resize(along.size(), 0.0);
            values[k] = c;
        }
    }
    return all;
}

/// c_h of Σ c_h e^(ihφ), h ≥ 0.
std::complex<double> fourier(const std::vector<double>& values, int h) {
    std::complex<double> sum = 0;
    const double n = static_cast<double>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
        sum += values[k] * std::polar(1.0, -2 * std::numbers::pi * h * static_cast<double>(k) / n);
    return sum / n;
}

/// ∂/∂t of series at equally spaced phases of Ω.
std::vector<RealSeries> time_rates(const std::vector<RealSeries>& along, double Omega) {
    std::vector<const RealSeries*> refer;
    for (const RealSeries& x : along) refer.push_back(&x);
    std::vector<RealSeries> out(along.size());
    const int half = static_cast<int>(along.size()) / 2;
    for (const auto& [monomial, values] : phases_of(refer)) {
        std::vector<double> derivative(along.size(), 0.0);
        for (int h = 1; h < half; ++h) {
            const std::complex<double> c = std::complex<double>(0, h * Omega) * fourier(values, h);
            for (std::size_t k = 0; k < along.size(); ++k) {
                derivative[k] +=
                    2 * (c * std::polar(1.0, 2 * std::numbers::pi * h * static_cast<double>(k) / static_cast<double>(along.size()))).real();
            }
        }
        for (std::size_t k = 0; k < along.size(); ++k) {
            if (derivative[k] != 0) out[k].emplace_back(monomial, derivative[k]);
        }
    }
    return out;
}

double mean(const RealMoments& moments, const SeriesAlgebra<RealField>& a,
            const std::function<const RealSeries&(const Moment<double>&)>& of, std::size_t monomial) {
    double sum = 0;
    for (const Moment<double>& m : moments) sum += a.coefficient(of(m), monomial);
    return sum / static_cast<double>(moments.size());
}

/// The linear part about a centre, averaged over the excitation.
struct LinearPart {
    MatrixXd M, C, K;  ///< on independent coordinates
    MatrixXd Y;        ///< all small motions from the independent ones
    VectorXd r;        ///< what is left when nothing moves
};

class NumericExpansion {
public:
    NumericExpansion(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ExpansionOptions& options,
                     Expansion& result)
        : numbers_(numbers), e_(numbers.equations()), at_(at), options_(options), result_(result) {}

    void run() {
        if (!admit()) return;
        std::vector<Expr> all = roots_.residual;
        all.insert(all.end(), roots_.phi.begin(), roots_.phi.end());
        all.insert(all.end(), roots_.qdot.begin(), roots_.qdot.end());
        excitation_ = find_excitation(all, e_.t, [&](const Expr& x) { return numbers_.constant(x); });
        if (!excitation_.is_ok) return fail(excitation_.why);
        note(excitation_.notes);
        if (excitation_.Omega_value > 0) result_.Omega = excitation_.Omega;
        local_ = local_coordinates(e_);
        for (Index i = 0; i < at_.state.q.size(); ++i) centre_.push_back(at_.state.q[i]);
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) constants_[e_.parameters[i].symbol.id()] = numbers_.parameters()[i];
        for (std::size_t i = 0; i < e_.inputs.size() && static_cast<Index>(i) < at_.state.w.size(); ++i) {
            constants_[e_.inputs[i].symbol.id()] = at_.state.w[i];
        }
        if (!choose_independent() || !settle() || !find_modes()) return;
        expand();
    }

    /// Where each mode is a coordinate.
    bool is_diagonal() const { return is_diagonal_; }
    SymbolicRequest request() const {
        return {numbers_, local_, roots_, excitation_, at_.state, independent_, dependent_, X_, *result_.numeric, options_.goes_on};
    }

private:
    void fail(std::string why) {
        result_.is_ok = false;
        if (result_.why.empty()) result_.why = std::move(why);
    }
    void note(const std::vector<std::string>& notes) { result_.notes.insert(result_.notes.end(), notes.begin(), notes.end()); }

    bool admit() {
        if (e_.reduction)
            return fail("the speeds of these equations are those of the bodies, not of the joints: expand those of another formulation"),
                   false;
        if (!e_.x.empty())
            return fail(fmt::format("the equations have auxiliary states ({}, …): multiple scales are those of a mechanism alone",
                                    e_.x.front().symbol().name)),
                   false;
        if (!at_.is_ok) return fail(at_.why), false;
        roots_ = roots_of(e_);
        const bool is_carried = roots_.closing_depends_on_time || roots_.speeds_depend_on_time;
        if (!at_.is_at_rest && !is_carried)
            return fail("the mechanism moves at this state; multiple scales start from a state of rest"), false;
        for (const eom::Constraint& c : e_.constraints) {
            if (!c.is_holonomic)
                return fail(fmt::format("{}: nonholonomic constraints cannot be expanded in independent coordinates", c.name)), false;
        }
        if (options_.degree < 1 || options_.degree > 7) return fail("the degree of an expansion is one of 1 to 7"), false;
        return true;
    }

    void prepare(RealMotion& motion, const std::vector<double>& centre) const {
        motion.centre = centre;
        motion.independent = independent_;
        motion.dependent = dependent_;
        motion.closing = closing_;
        motion.speeds = speeds_;
        motion.constants = constants_;
        motion.accuracy = 1e-14;
        motion.goes_on = options_.goes_on;
        if (excitation_.Omega_value > 0) motion.corrections = 80;
    }
    RealMoments phases(std::size_t count) const {
        RealMoments moments(excitation_.Omega_value > 0 ? count : 1);
        for (std::size_t k = 0; k < moments.size(); ++k) {
            const double t = excitation_.Omega_value > 0 ? 2 * std::numbers::pi * static_cast<double>(k) /
                                                               (static_cast<double>(moments.size()) * excitation_.Omega_value)
                                                         : at_.state.t;
            if (t != 0) moments[k].t = {{0, t}};
        }
        return moments;
    }
    bool expand(RealMotion& motion, RealMoments& moments) {
        const double Omega = excitation_.Omega_value;
        if (motion.expand(moments, [Omega](const std::vector<RealSeries>& along) { return time_rates(along, Omega); })) return true;
        fail("the equations have no expansion here: " + motion.why);
        return false;
    }

    /// ∂φ/∂s and N at the centre, from polynomials of degree 1 in all of s or u.
    bool choose_independent() {
        const std::size_t ns = local_.places.size();
        const std::size_t variables = std::max(ns, e_.u.size());
        const Monomials monomials(variables, 1);
        SeriesAlgebra<RealField> algebra(monomials);
        std::vector<RealSeries> s, middle;
        for (std::size_t i = 0; i < ns; ++i) s.push_back(algebra.variable(i));
        for (const double c : centre_) middle.push_back(algebra.constant(c));
        struct Maker {
            SeriesAlgebra<RealField>& a;
            RealSeries add(const RealSeries& x, const RealSeries& y) const { return a.add(x, y); }
            RealSeries subtract(const RealSeries& x, const RealSeries& y) const { return a.subtract(x, y); }
            RealSeries multiply(const RealSeries& x, const RealSeries& y) const { return a.multiply(x, y); }
            RealSeries half(const RealSeries& x) const { return a.scale(0.5, x); }
            RealSeries root_of_one_less(const RealSeries&) const { return a.constant(1.0); }  // to first order
        } maker{algebra};
        const std::vector<RealSeries> q = coordinates_at(e_, local_, middle, s, maker);
        const auto linear = [&](const std::vector<RealSeries>& x, std::size_t columns) {
            MatrixXd m = MatrixXd::Zero(x.size(), static_cast<Index>(columns));
            for (std::size_t i = 0; i < x.size(); ++i) {
                for (std::size_t j = 0; j < columns; ++j)
                    m(static_cast<Index>(i), static_cast<Index>(j)) = algebra.coefficient(x[i], monomials.variable(j));
            }
            return m;
        };
        const auto walk = [&](const std::vector<Expr>& roots, const std::vector<RealSeries>& at_q, bool with_speeds) {
            std::unordered_map<sym::NodeId, RealSeries> at;
            for (std::size_t i = 0; i < e_.q.size(); ++i) at[e_.q[i].id()] = at_q[i];
            for (std::size_t i = 0; with_speeds && i < e_.u.size(); ++i) at[e_.u[i].id()] = algebra.variable(i);
            for (const auto& [id, c] : constants_) at[id] = algebra.constant(c);
            if (excitation_.Omega_value == 0) at[e_.t.id()] = algebra.constant(at_.state.t);
            return algebra.walk(roots, [&](const Expr& x) { return at.contains(x.id()) ? at.at(x.id()) : RealSeries{}; });
        };
        S_ = linear(q, ns);
        independent_.clear(), dependent_.clear();
        if (roots_.phi.empty()) {
            for (std::size_t i = 0; i < ns; ++i) independent_.push_back(i);
        } else {
            const std::vector<RealSeries> phi = walk(roots_.phi, q, false);
            if (!algebra.why.empty()) return fail("the constraints have no expansion here: " + algebra.why), false;
            const MatrixXd Phi = linear(phi, ns);
            std::vector<Index> wished;
            for (const std::string& name : options_.kept) {
                const auto at = std::ranges::find(local_.names, name);
                if (at == local_.names.end()) return fail(fmt::format("no coordinate is called '{}'", name)), false;
                wished.push_back(at - local_.names.begin());
            }
            const solve::Partition split = solve::choose_independent(Phi, wished);
            if (!split.ok) return fail(split.why), false;
            for (const Index i : split.independent) independent_.push_back(i);
            for (const Index i : split.dependent) dependent_.push_back(i);
            for (const Index i : split.refused) result_.notes.push_back(fmt::format("{} cannot be independent here", local_.names[i]));
            MatrixXd block(Phi.rows(), split.rank);
            for (Index k = 0; k < split.rank; ++k) block.col(k) = Phi.col(split.dependent[k]);
            closing_ = rows_of(solve::CompleteOrthogonal(block).pseudo_inverse());
        }
        if (independent_.empty()) return fail("the mechanism has no degree of freedom here"), false;
        double monomials_in_all = 1;
        const unsigned highest = options_.degree + (needs_one_more() ? 1 : 0);
        for (unsigned k = 1; k <= highest; ++k) monomials_in_all *= (3.0 * static_cast<double>(independent_.size()) + k) / k;
        if (monomials_in_all > 2e6)
            return fail(fmt::format("polynomials of degree {} in {} degrees of freedom have too many terms", options_.degree,
                                    independent_.size())),
                   false;
        L_ = S_;
        if (!roots_.has_plain_speeds) {
            const std::vector<RealSeries> rates = walk(roots_.qdot, middle, true);
            if (!algebra.why.empty()) return fail("the speeds have no expansion here: " + algebra.why), false;
            const solve::CompleteOrthogonal N(linear(rates, e_.u.size()));
            if (N.rank() < static_cast<Index>(e_.u.size()))
                return fail("the speeds do not follow from the rates of coordinates here"), false;
            const MatrixXd inverse = N.pseudo_inverse();
            speeds_ = rows_of(inverse);
            L_ = inverse * S_;
        }
        return true;
    }

    bool linear_part(LinearPart& part) {
        const std::size_t n = independent_.size();
        const Monomials monomials(3 * n, needs_one_more() ? 2 : 1);
        RealMotion motion(e_, local_, roots_, monomials, {});
        prepare(motion, centre_);
        motion.X = rows_of(MatrixXd::Identity(n, static_cast<Index>(n)));
        RealMoments moments = phases(64);
        if (!expand(motion, moments)) return false;
        const auto matrix = [&](std::size_t block) {
            MatrixXd m(static_cast<Index>(n), static_cast<Index>(n));
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    m(static_cast<Index>(i), static_cast<Index>(j)) = mean(
                        moments, motion.algebra, [i](const Moment<double>& x) -> const RealSeries& { return x.residual[i]; },
                        monomials.variable(block * n + j));
                }
            }
            return m;
        };
        part.K = matrix(0), part.C = matrix(1), part.M = matrix(2);
        part.r.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            part.r[i] = mean(moments, motion.algebra, [i](const Moment<double>& x) -> const RealSeries& { return x.residual[i]; }, 0);
        part.Y.resize(local_.places.size(), static_cast<Index>(n));
        for (std::size_t i = 0; i < local_.places.size(); ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                part.Y(static_cast<Index>(i), static_cast<Index>(j)) = mean(
                    moments, motion.algebra, [i](const Moment<double>& x) -> const RealSeries& { return x.s[i]; }, monomials.variable(j));
            }
        }
        // where dependent coordinates came to stand
        shift_.setZero(local_.places.size());
        for (std::size_t i = 0; i < local_.places.size(); ++i)
            shift_[i] = mean(moments, motion.algebra, [i](const Moment<double>& x) -> const RealSeries& { return x.s[i]; }, 0);
        return true;
    }
    bool needs_one_more() const { return !roots_.phi.empty() || !roots_.has_plain_speeds; }

    /// Newton's method to where the mean force vanishes. Without excitation the state must be nearly there.
    bool settle() {
        double moved = 0;
        bool is_last = false;
        for (int k = 0; k < 30; ++k) {
            if (!linear_part(linear_)) return false;
            const VectorXd step = -solve::CompleteOrthogonal(linear_.K).solve(linear_.r);
            const double size = step.lpNorm<Eigen::Infinity>(), left = (linear_.K * step + linear_.r).lpNorm<Eigen::Infinity>();
            const double force = linear_.r.lpNorm<Eigen::Infinity>();
            if (!(left <= 1e-6 * std::max(force, linear_.K.cwiseAbs().maxCoeff() * 1e-6))) return not_at_rest();
            result_.moved = moved;
            if (is_last || size == 0) return true;
            // A force that vanishes with its slope: only half the way is gone at each step, or rounding decides where it ends.
            if (k == 29 && size < 1e-5 && lowest_changes()) return true;
            is_last = size <= 1e-11 || (size <= 1e-9 && k > 3);  // one step more: the error is squared, or rounding
            moved += size;
            before_ = linear_, last_step_ = size;
            if (excitation_.Omega_value == 0 && moved > 1e-3) return not_at_rest();
            if (!(moved < 10)) return not_at_rest();
            VectorXd s = linear_.Y * step;
            if (!roots_.closing_depends_on_time) s += shift_;
            centre_ = moved_centre(s);
            for (double& c : centre_) c = is_last && std::abs(c) <= 1e-14 ? 0 : c;
            if (!choose_independent()) return false;
        }
        return not_at_rest();
    }
    /// K/M in increasing order; empty where M is not positive.
    static VectorXd squares_of(const LinearPart& part) {
        const solve::SymmetricEigen modes =
            solve::symmetric_eigenvalues((part.K + part.K.transpose()) / 2, (part.M + part.M.transpose()) / 2);
        return modes.ok ? modes.values : VectorXd();
    }
    /// Whether the last step, however small, made another of the lowest stiffness: then that stiffness is what the place is wrong by.
    bool lowest_changes() const {
        if (before_.K.size() == 0 || before_.K.rows() != linear_.K.rows() || last_step_ > 1e-5) return false;
        const VectorXd now = squares_of(linear_), then = squares_of(before_);
        return now.size() > 0 && then.size() > 0 && std::abs(now[0] - then[0]) > 0.2 * std::abs(now[0]);
    }
    bool not_at_rest() {
        Index worst = 0;
        linear_.r.cwiseAbs().maxCoeff(&worst);
        fail(fmt::format("the state is not an equilibrium: a force of {:.3g} is left along {}{}", linear_.r[worst],
                         local_.names[independent_[worst]], excitation_.Omega_value > 0 ? ", as the mean over the excitation" : ""));
        return false;
    }
    std::vector<double> moved_centre(const VectorXd& s) const {
        struct Plain {
            double add(double x, double y) const { return x + y; }
            double subtract(double x, double y) const { return x - y; }
            double multiply(double x, double y) const { return x * y; }
            double half(double x) const { return x / 2; }
            double root_of_one_less(double x) const { return std::sqrt(std::max(0.0, 1 - x)); }
        } plain;
        return coordinates_at(e_, local_, centre_, std::vector<double>(s.begin(), s.end()), plain);
    }

    std::string mode_name(const VectorXd& s) const { return local_.names[most_moved(s)]; }
    /// The coordinate that takes the largest part: measured by √(inertia) where it has one, so that metres and radians compare.
    std::size_t most_moved(const VectorXd& s) const {
        VectorXd score = s.cwiseAbs().cwiseProduct(mass_.cwiseSqrt());
        if (!(score.maxCoeff() > 0)) score = s.cwiseAbs();
        std::size_t best = 0;
        for (Index i = 1; i < score.size(); ++i) {
            if (score[i] > score[best] * (1 + 1e-6)) best = static_cast<std::size_t>(i);
        }
        return best;
    }

    bool find_modes() {
        const Index n = independent_.size();
        const MatrixXd M = (linear_.M + linear_.M.transpose()) / 2, K = (linear_.K + linear_.K.transpose()) / 2;
        numeric::State centre = at_.state;
        centre.q = Eigen::Map<const VectorXd>(centre_.data(), static_cast<Index>(centre_.size()));
        mass_ = (L_.transpose() * numbers_.dynamics(centre).M * L_).diagonal().cwiseMax(0.0);
        is_diagonal_ = true;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < i; ++j) {
                is_diagonal_ &= std::abs(M(i, j)) <= 1e-12 * std::sqrt(std::abs(M(i, i) * M(j, j))) &&
                                std::abs(K(i, j)) <= 1e-12 * std::sqrt(std::abs(K(i, i) * K(j, j)));
            }
        }
        const solve::SymmetricEigen inertia = solve::symmetric_eigen(M);
        if (!(inertia.values[0] > 1e-13 * inertia.values[n - 1])) {
            return fail(fmt::format("the mass matrix is singular: a motion of {} has no inertia",
                                    mode_name(linear_.Y * inertia.vectors.col(0)))),
                   false;
        }
        VectorXd lambda;
        MatrixXd X;
        if (is_diagonal_) {
            std::vector<Index> order(static_cast<std::size_t>(n));
            for (Index i = 0; i < n; ++i) order[i] = i;
            lambda.resize(n);
            for (Index i = 0; i < n; ++i) lambda[i] = K(i, i) / M(i, i);
            std::ranges::stable_sort(order, [&](Index a, Index b) { return lambda[a] < lambda[b] - 1e-12 * std::abs(lambda[b]); });
            X.setZero(n, n);
            VectorXd sorted(n);
            for (Index k = 0; k < n; ++k) X(order[k], k) = 1, sorted[k] = lambda[order[k]];
            lambda = sorted;
        } else {
            const solve::SymmetricEigen modes = solve::symmetric_eigen(K, M);
            if (!modes.ok) return fail("the modes of the linear part were not found"), false;
            lambda = modes.values;
            X = modes.vectors;
        }
        const double largest = lambda.cwiseAbs().maxCoeff();
        for (Index k = 0; k < n; ++k) {
            const bool is_zero = std::abs(lambda[k]) <= std::max(1e-9 * largest, 1e-12) || (k == 0 && lowest_changes());
            if (lambda[k] > 0 && !is_zero) continue;
            return fail(fmt::format("mode {} (mostly {}) does not oscillate (λ = {:.6g} 1/s²: {})", k + 1, mode_name(linear_.Y * X.col(k)),
                                    is_zero ? 0.0 : lambda[k], is_zero ? "there is no restoring force" : "it is unstable")),
                   false;
        }
        reference_.clear();
        for (Index k = 0; k < n; ++k) {
            std::size_t reference = 0;
            if (is_diagonal_) {
                Index at = 0;
                X.col(k).cwiseAbs().maxCoeff(&at);
                reference = independent_[at];
            } else {
                reference = most_moved(linear_.Y * X.col(k));
            }
            X.col(k) /= linear_.Y.row(reference).dot(X.col(k));
            reference_.push_back(reference);
            if (k > 0 && lambda[k] - lambda[k - 1] <= 1e-9 * lambda[k]) {
                result_.notes.push_back(fmt::format("modes {} and {} have the same frequency: their shapes are not unique", k, k + 1));
            }
        }
        lambda_ = lambda;
        X_ = X;
        return true;
    }

    void expand() {
        const std::size_t n = independent_.size();
        const unsigned degree = options_.degree;
        const Monomials monomials(3 * n, degree + (needs_one_more() ? 1 : 0));
        RealMotion motion(e_, local_, roots_, monomials, {});
        prepare(motion, centre_);
        motion.X = rows_of(X_);
        RealMoments moments;
        ModalForm<double> form;
        for (std::size_t count = 16;; count *= 2) {
            moments = phases(count);
            if (!expand(motion, moments)) return;
            fill(form, motion, moments);
            if (moments.size() == 1 || highest_harmonic(form) < static_cast<int>(count) / 2 - 2) break;
            if (count >= 256) return fail("the excitation has too many harmonics of its frequency"), void();
        }
        // all small motions
        for (std::size_t i = 0; i < local_.places.size(); ++i) {
            std::vector<ShapeTerm<double>> shape;
            std::vector<const RealSeries*> along;
            for (const Moment<double>& m : moments) along.push_back(&m.s[i]);
            double largest = 0;
            for (const auto& [monomial, values] : phases_of(along)) {
                const double c = fourier(values, 0).real();
                const unsigned d = monomials.degree_of(monomial);
                if (d == 0 || d > degree) continue;
                largest = std::max(largest, std::abs(c));
                std::vector<std::uint8_t> powers = monomials.powers(monomial);
                powers.resize(n);
                if (std::abs(c) > 1e-14 * largest) shape.push_back({c, std::move(powers)});
            }
            form.shapes.push_back(std::move(shape));
        }
        form.coordinates = local_.names;
        form.reference = reference_;
        form.degree = degree;
        form.independent = independent_;
        form.centre = Eigen::Map<const VectorXd>(centre_.data(), static_cast<Index>(centre_.size()));
        form.Omega = form.Omega_value = excitation_.Omega_value;
        if (roots_.closing_depends_on_time)
            result_.notes.push_back("coordinates that follow by closing loops are given by their mean over the excitation");
        judge_linear_terms(form);
        result_.numeric = std::move(form);
    }

    static int highest_harmonic(const ModalForm<double>& form) {
        int highest = 0;
        for (const auto& terms : form.terms) {
            for (const auto& term : terms) highest = std::max(highest, term.harmonic);
        }
        return highest;
    }

    void fill(ModalForm<double>& form, const RealMotion& motion, const RealMoments& moments) const {
        const Monomials& monomials = motion.algebra.m;
        const std::size_t n = independent_.size();
        form.omega.clear(), form.omega_value.clear(), form.terms.clear();
        struct Found {
            std::uint32_t monomial;
            int harmonic;
            std::complex<double> c;
            double size;
        };
        for (std::size_t k = 0; k < n; ++k) form.omega_value.push_back(std::sqrt(lambda_[k]));
        form.omega = form.omega_value;
        for (std::size_t k = 0; k < n; ++k) {
            std::vector<const RealSeries*> along;
            for (const Moment<double>& m : moments) along.push_back(&m.residual[k]);
            const Phases phases = phases_of(along);
            const double inertia = fourier(phases.at(static_cast<std::uint32_t>(monomials.variable(2 * n + k))), 0).real();
            // sizes as if every mode moved by 1: rates count ω, accelerations ω²
            std::vector<Found> found;
            std::vector<double> largest(options_.degree + 1, 0.0);
            for (const auto& [monomial, values] : phases) {
                const unsigned d = monomials.degree_of(monomial);
                if (d > options_.degree) continue;
                double weight = 1;
                for (const std::uint16_t v : monomials.factors(monomial))
                    weight *= std::pow(form.omega_value[v % n], static_cast<double>(v / n));
                for (int h = 0; h < std::max<int>(1, static_cast<int>(moments.size()) / 2); ++h) {
                    const std::complex<double> c = fourier(values, h) / inertia;
                    found.push_back({monomial, h, c, std::abs(c) * weight});
                    largest[d] = std::max(largest[d], found.back().size);
                }
            }
            // What rounding may leave of a degree that has nothing of its own: measured between its neighbours, whatever the unit.
            std::vector<double> dust = largest;
            for (unsigned d = 1; d < largest.size(); ++d) {
                dust[d] = std::max(dust[d], 0.1 * largest[1]);
                for (unsigned a = 1; a < d; ++a) {
                    for (unsigned b = d + 1; b < largest.size(); ++b) {
                        if (largest[a] == 0 || largest[b] == 0) continue;
                        const double part = static_cast<double>(d - a) / static_cast<double>(b - a);
                        dust[d] = std::max(dust[d], std::pow(largest[a], 1 - part) * std::pow(largest[b], part));
                    }
                }
            }
            std::vector<ModalTerm<double>> terms;
            for (const Found& f : found) {
                const unsigned d = monomials.degree_of(f.monomial);
                std::complex<double> c = f.c;
                if (f.harmonic == 0 && d == 0) continue;
                if (f.harmonic == 0 && f.monomial == monomials.variable(2 * n + k)) continue;
                double tolerance = 1e-13 * dust[d];
                if (f.harmonic == 0 && d == 1) {
                    const std::size_t v = f.monomial - monomials.variable(0);
                    if (v == k) c -= lambda_[k];
                    if (v < n || v >= 2 * n) tolerance = 1e-9 * largest[d];  // K and M were made diagonal
                    if (v == k && std::abs(c) <= tolerance) continue;
                }
                if (d == 0) tolerance = std::max(tolerance, 1e-14 * dust[1]);
                if (std::isfinite(f.size) && f.size <= tolerance) continue;  // what is infinite stays, and is complained of
                ModalTerm<double> term{{c.real(), f.harmonic == 0 ? 0.0 : c.imag()}, monomials.powers(f.monomial), f.harmonic};
                if (std::abs(term.coefficient.im) <= 1e-13 * std::abs(term.coefficient.re)) term.coefficient.im = 0;
                if (std::abs(term.coefficient.re) <= 1e-13 * std::abs(term.coefficient.im)) term.coefficient.re = 0;
                terms.push_back(term);
                if (f.harmonic == 0) continue;
                term.coefficient = conj(term.coefficient);
                term.harmonic = -f.harmonic;
                terms.push_back(std::move(term));
            }
            form.terms.push_back(std::move(terms));
        }
    }

    /// Damping, gyroscopic and circulatory coupling are taken as small: said where they are not.
    void judge_linear_terms(const ModalForm<double>& form) {
        const std::size_t n = form.omega.size();
        for (std::size_t k = 0; k < n; ++k) {
            for (const auto& term : form.terms[k]) {
                if (term.degree() != 1 || term.harmonic != 0) continue;
                const std::size_t v = std::ranges::find(term.powers, 1) - term.powers.begin();
                const double c = term.coefficient.re, w = form.omega_value[k];
                if (v == n + k && std::abs(c) / (2 * w) > options_.largest_damping_ratio) {
                    result_.notes.push_back(fmt::format("damping of mode {} is not small: damping ratio {:.3g}", k + 1, c / (2 * w)));
                } else if (v >= n && v < 2 * n && v != n + k && std::abs(c) / (2 * w) > options_.largest_damping_ratio) {
                    result_.notes.push_back(
                        fmt::format("coupling of mode {} to the rate of mode {} is not small ({:.3g} 1/s beside ω = {:.3g} rad/s): "
                                    "frequencies of the linear motion differ from those used here",
                                    k + 1, v - n + 1, c, w));
                } else if (v < n && std::abs(c) > options_.largest_damping_ratio * w * w) {
                    result_.notes.push_back(
                        fmt::format("a stiffness that is not symmetric couples mode {} to mode {} and is not small", k + 1, v + 1));
                }
            }
        }
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const numeric::OperatingPoint& at_;
    const ExpansionOptions& options_;
    Expansion& result_;

    MotionRoots roots_;
    Excitation excitation_;
    LocalCoordinates local_;
    std::vector<double> centre_;
    std::unordered_map<sym::NodeId, double> constants_;
    std::vector<std::size_t> independent_, dependent_;
    Rows closing_, speeds_;
    MatrixXd S_, L_;
    LinearPart linear_, before_;  ///< at the last place, and one step of Newton's method before
    double last_step_ = 0;        ///< between the two
    VectorXd shift_, mass_, lambda_;
    MatrixXd X_;
    bool is_diagonal_ = false;
    std::vector<std::size_t> reference_;
};

}  // namespace

Expansion expand(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ExpansionOptions& options) {
    Expansion result;
    result.pool = numbers.equations().pool;
    NumericExpansion numeric(numbers, at, options, result);
    numeric.run();
    if (!result.is_ok || !options.symbolic) return result;
    if (!numeric.is_diagonal()) {
        result.notes.push_back("the linear part couples coordinates: coefficients are numbers");
        return result;
    }
    auto pool = std::make_shared<sym::Pool>();
    std::string why;
    result.symbolic = symbolic_form(numeric.request(), *pool, why);
    if (!goes_on(options.goes_on)) {
        result.is_ok = false;
        result.why = interrupted;
    } else if (result.symbolic) {
        result.pool = std::move(pool);
    } else {
        result.notes.push_back("coefficients are numbers: " + why);
    }
    return result;
}

}  // namespace linkwright::perturb
