#include "linkwright/perturb/simulated_points.hpp"

#include <cmath>
#include <numbers>

#include "linkwright/motion/simulate.hpp"
#include "linkwright/perturb/motion_series.hpp"
#include "linkwright/perturb/scales_motion.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"

namespace linkwright::perturb {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using std::numbers::pi;

constexpr std::size_t rows_a_period = 64;

/// (η, η̇) of states: of independent coordinates that are no quaternions by s_i = X η, otherwise by Newton's method.
class ModalReader {
public:
    explicit ModalReader(const SimulatedMechanism& m) : m_(m) {
        const auto n = m.form.omega.size();
        const LocalCoordinates local = local_coordinates(m.numbers.equations());
        if (m.form.independent.size() != n) return;
        MatrixXd X = MatrixXd::Zero(static_cast<Index>(n), static_cast<Index>(n));
        for (std::size_t i = 0; i < n; ++i) {
            const auto& place = local.places[m.form.independent[i]];
            if (place.quaternion) return;
            coordinates_.push_back(static_cast<Index>(place.coordinate));
            for (const auto& term : m.form.shapes[m.form.independent[i]]) {
                for (std::size_t k = 0; k < n; ++k) {
                    if (term.powers[k] == 1) X(static_cast<Index>(i), static_cast<Index>(k)) = term.coefficient;
                }
            }
        }
        inverse_ = solve::Lu(X).solve(MatrixXd::Identity(X.rows(), X.cols()));
    }

    /// Empty where there is none.
    VectorXd operator()(const numeric::State& state, const VectorXd& near) const {
        if (inverse_.size() == 0) {
            const ModalPlace place = modal_place(m_.numbers, m_.at, m_.form, state, near);
            if (!place.is_ok) return {};
            VectorXd y(2 * place.eta.size());
            y << place.eta, place.eta_dot;
            return y;
        }
        const VectorXd& centre = m_.form.centre.size() == state.q.size() ? m_.form.centre : m_.at.state.q;
        const VectorXd rates = m_.numbers.coordinate_rates(state);
        const Index n = inverse_.rows();
        VectorXd s(n), v(n), y(2 * n);
        for (Index i = 0; i < n; ++i) s[i] = state.q[coordinates_[i]] - centre[coordinates_[i]], v[i] = rates[coordinates_[i]];
        y << inverse_ * s, inverse_ * v;
        return y;
    }

private:
    const SimulatedMechanism& m_;
    std::vector<Index> coordinates_;
    MatrixXd inverse_;
};

class Carrier {
public:
    Carrier(const SimulatedMechanism& m, StepBudget& budget) : m_(m), reader_(m), budget_(budget) {}

    /// y at these times, from y at the first of them; fewer where it did not get so far, and why() says it.
    std::vector<VectorXd> operator()(const VectorXd& y, const std::vector<double>& times) {
        const Index n = y.size() / 2;
        why_.clear();
        const numeric::State start = state_of(m_.numbers, m_.at, m_.form, y.head(n), y.tail(n), times.front());
        if (!start.q.allFinite() || !start.u.allFinite()) return why_ = "the mechanism cannot be there", std::vector<VectorXd>{};
        motion::SimulateOptions o;
        o.times = times;
        o.tolerance = m_.tolerance;
        o.integrator = motion::Integrator::rk;
        o.keep_end = false;
        o.on_step = [this](double) { return --budget_.left > 0 && (!budget_.goes_on || budget_.goes_on()); };
        const motion::Motion motion = simulate(m_.numbers, start, o);
        if (motion.stop != motion::Stop::reached) why_ = budget_.is_spent() ? "the budget of steps is spent" : "the motion ended early";
        std::vector<VectorXd> out;
        numeric::State state = start;
        for (const VectorXd& row : motion.rows) {
            state.t = row[0];
            state.q = row.segment(1, start.q.size());
            state.u = row.segment(1 + start.q.size(), start.u.size());
            out.push_back(reader_(state, out.empty() ? y : out.back()));
            if (out.back().size() != y.size() || !out.back().allFinite())
                return why_ = "the motion leaves the modes", std::vector<VectorXd>{};
        }
        return out;
    }
    const std::string& why() const { return why_; }

private:
    const SimulatedMechanism& m_;
    ModalReader reader_;
    StepBudget& budget_;
    std::string why_;
};

std::vector<double> even_times(double from, double until, std::size_t intervals) {
    std::vector<double> times;
    for (std::size_t i = 0; i <= intervals; ++i)
        times.push_back(from + (until - from) * static_cast<double>(i) / static_cast<double>(intervals));
    return times;
}

/// Where x passes upward through the middle of its range.
std::vector<double> passages(const std::vector<double>& times, const std::vector<double>& x) {
    const auto [low, high] = std::ranges::minmax(x);
    const double middle = (low + high) / 2;
    std::vector<double> found;
    for (std::size_t i = 1; i < x.size(); ++i) {
        const double before = x[i - 1] - middle, now = x[i] - middle;
        if (before < 0 && now >= 0) found.push_back(times[i - 1] + (times[i] - times[i - 1]) * before / (before - now));
    }
    return found;
}

SimulatedPoint without(std::string why) {
    SimulatedPoint p;
    p.why = std::move(why);
    return p;
}

/// In how many periods of the excitation all modes that move have turned a whole number of times; 0: in none of a few.
int periods_until_back(const SteadyState& s) {
    constexpr int most = 6;
    for (int m = 1; m <= most; ++m) {
        bool is_back = true;
        for (Index k = 0; k < s.a.size(); ++k) {
            const double turns = m * s.frequencies[k] / s.Omega;
            is_back = is_back && (s.a[k] == 0 || std::abs(turns - std::round(turns)) < 1e-6);
        }
        if (is_back) return m;
    }
    return 0;
}

}  // namespace

SimulatedPoint simulate_free(const SimulatedMechanism& mechanism, const MultipleScales<double>& scales, std::size_t mode, double a,
                             StepBudget& budget) {
    constexpr std::size_t periods = 4;
    if (budget.is_spent()) return without("the budget of steps is spent");
    const auto n = static_cast<Index>(mechanism.form.omega.size()), k = static_cast<Index>(mode);
    Eigen::VectorXcd A = Eigen::VectorXcd::Zero(n);
    A[k] = a / 2;
    const ModalMotion start = motion_at(scales, A, 0);
    VectorXd y(2 * n);
    y << start.eta, start.eta_dot;
    const double from = mechanism.at.state.t;
    const double period = 2 * pi / mechanism.form.omega_value[mode];
    Carrier carry(mechanism, budget);
    // a start at a crest passes the middle after 3/4 of a period; half as much again for one that slows down
    const std::vector<double> times = even_times(from, from + (periods + 2) * period, (periods + 2) * rows_a_period);
    const auto column = [&](const std::vector<VectorXd>& rows) {
        std::vector<double> x;
        for (const VectorXd& row : rows) x.push_back(row[k]);
        return x;
    };
    const std::vector<VectorXd> rows = carry(y, times);
    if (rows.size() != times.size()) return without(carry.why());
    std::vector<double> through = passages(times, column(rows));
    if (through.size() > periods + 1) through.resize(periods + 1);
    if (through.size() < 2) return without("the mode does not oscillate");
    const auto count = through.size() - 1;
    std::vector<double> whole = even_times(through.front(), through.back(), count * rows_a_period);
    whole.insert(whole.begin(), from);
    const std::vector<VectorXd> again = carry(y, whole);
    if (again.size() != whole.size()) return without(carry.why());
    SimulatedPoint p;
    p.frequency = 2 * pi * static_cast<double>(count) / (through.back() - through.front());
    std::complex<double> harmonic = 0;
    for (std::size_t i = 1; i + 1 < whole.size(); ++i)
        harmonic += again[i][k] * std::polar(1.0, -p.frequency * (whole[i] - through.front()));
    p.size = 2 * std::abs(harmonic) / static_cast<double>(whole.size() - 2);
    return p;
}

SimulatedPoint simulate_forced(const SimulatedMechanism& mechanism, const SteadyState& near, StepBudget& budget) {
    constexpr int most_steps = 12;
    constexpr double nudge = 1e-5, close = 1e-7, good_rate = 0.25;
    if (budget.is_spent()) return without("the budget of steps is spent");
    const int count = periods_until_back(near);
    if (count == 0) return without("it is not periodic with the excitation");
    if (!(near.reach > 0)) return without("it is at rest");
    const Index n = near.eta.size();
    const double until = count * 2 * pi / near.Omega;
    VectorXd y(2 * n), unit(2 * n);
    y << near.eta, near.eta_dot;
    unit << VectorXd::Constant(n, near.reach), VectorXd::Constant(n, near.reach * near.Omega);
    const VectorXd start = y;
    Carrier carry(mechanism, budget);
    const auto end_of = [&](const VectorXd& from) {
        const auto rows = carry(from, {0, until});
        return rows.size() == 2 ? rows.back() : VectorXd();
    };
    MatrixXd slopes;
    double before = INFINITY;
    bool has_arrived = false;
    for (int step = 0; step < most_steps && !has_arrived; ++step) {
        const VectorXd end = end_of(y);
        if (end.size() == 0) return without(carry.why());
        const double gap = (end - y).cwiseQuotient(unit).lpNorm<Eigen::Infinity>();
        if (slopes.size() == 0 || gap > good_rate * before) {
            slopes.resize(2 * n, 2 * n);
            for (Index j = 0; j < 2 * n; ++j) {
                VectorXd beside = y;
                beside[j] += nudge * unit[j];
                const VectorXd moved = end_of(beside);
                if (moved.size() == 0) return without(carry.why());
                slopes.col(j) = (moved - end) / (nudge * unit[j]);
            }
        }
        before = gap;
        const VectorXd d = solve::Lu(slopes - MatrixXd::Identity(2 * n, 2 * n)).solve(y - end);
        if (!d.allFinite()) return without("it did not converge");
        const double length = d.cwiseQuotient(unit).lpNorm<Eigen::Infinity>();
        y += std::min(1.0, 0.5 / length) * d;
        has_arrived = length < close;
        if ((y - start).cwiseQuotient(unit).lpNorm<Eigen::Infinity>() > 1) return without("it went to another motion");
    }
    if (!has_arrived) return without("it did not converge");
    const auto rows = carry(y, even_times(0, until, static_cast<std::size_t>(count) * rows_a_period));
    if (rows.size() != static_cast<std::size_t>(count) * rows_a_period + 1) return without(carry.why());
    SimulatedPoint p;
    p.frequency = near.Omega;
    for (const VectorXd& row : rows) p.size = std::max(p.size, row.head(n).lpNorm<Eigen::Infinity>());
    constexpr double rounding = 1e-4;  // of slopes by differences
    p.is_stable = solve::eigenvalues(slopes).cwiseAbs().maxCoeff() <= 1 + rounding;
    return p;
}

}  // namespace linkwright::perturb
