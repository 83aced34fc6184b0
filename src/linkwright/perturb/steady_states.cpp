#include <cmath>
#include <numbers>
#include <random>

#include "linkwright/perturb/steady_search.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using std::numbers::pi;

/// Free turns by as many modes as there are turns: θ = shares·θ_modes.
struct Gauge {
    std::vector<Eigen::Index> modes;
    MatrixXd shares;  ///< rational, 1 in the chosen modes
};

Gauge gauge_of(const SlowFlow& flow, const Eigen::VectorXcd& B) {
    const MatrixXd turns = turns_of(flow, B);
    Gauge gauge;
    gauge.shares = MatrixXd(turns.rows(), 0);
    if (turns.cols() == 0) return gauge;
    MatrixXd moving = turns;
    for (Eigen::Index k = 0; k < B.size(); ++k)
        if (B[k] == 0.0) moving.row(k).setZero();
    const solve::PivotedQr qr(moving.transpose());
    MatrixXd chosen(turns.cols(), turns.cols());
    for (Eigen::Index i = 0; i < turns.cols(); ++i) {
        gauge.modes.push_back(qr.order()[i]);
        chosen.row(i) = turns.row(gauge.modes.back());
    }
    gauge.shares = turns * solve::CompleteOrthogonal(chosen).pseudo_inverse();
    return gauge;
}

/// After how many full turns of the chosen mode all others are where they were.
int turns_until_back(const VectorXd& shares) {
    constexpr int most = 60;
    for (int k = 1; k < most; ++k)
        if ((k * shares - (k * shares).array().round().matrix()).lpNorm<Eigen::Infinity>() < 1e-7) return k;
    return most;
}

/// Whether angles of the modes that move are zero but for a free turn and full turns.
bool is_free_turn(const Gauge& gauge, const VectorXd& angles, const std::vector<bool>& moves, std::size_t first = 0) {
    if (first == gauge.modes.size()) {
        for (Eigen::Index k = 0; k < angles.size(); ++k)
            if (moves[k] && std::abs(std::remainder(angles[k], 2 * pi)) > 1e-4) return false;
        return true;
    }
    const VectorXd shares = gauge.shares.col(static_cast<Eigen::Index>(first));
    const int different = turns_until_back(shares);
    for (int i = 0; i < different; ++i)
        if (is_free_turn(gauge, angles - shares * (angles[gauge.modes[first]] + 2 * pi * i), moves, first + 1)) return true;
    return false;
}

std::vector<bool> moving_in(const Eigen::VectorXcd& B) {
    std::vector<bool> moves;
    for (const auto& b : B) moves.push_back(b != 0.0);
    return moves;
}

bool have_same_amplitudes(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b) {
    for (Eigen::Index k = 0; k < a.size(); ++k)
        if (std::abs(std::abs(a[k]) - std::abs(b[k])) > 1e-6 * std::max(std::abs(a[k]), std::abs(b[k]))) return false;
    return true;
}

}  // namespace

bool is_within_series(const MultipleScales<double>& scales, const Eigen::VectorXcd& B) {
    double first = 0, later = 0;
    const auto n = static_cast<std::size_t>(B.size());
    for (const auto& mode : scales.solution) {
        double sum1 = 0, sum = 0;
        for (const auto& t : mode) {
            double p = std::hypot(t.coefficient.re, t.coefficient.im);
            for (std::size_t j = 0; j < n; ++j) p *= std::pow(std::abs(B[j]), t.powers[j] + t.powers[n + j]);
            (t.order <= 1 ? sum1 : sum) += p;
        }
        first = std::max(first, sum1), later = std::max(later, sum);
    }
    return later <= first || later == 0;
}

SteadyState describe(const MultipleScales<double>& scales, const SlowFlow& flow, const SteadyPoint& at) {
    const auto n = flow.modes();
    SteadyState s;
    s.Omega = scales.Omega_value;
    Eigen::VectorXcd B = rested(flow, at.B, 0);
    // Turned so that as many phases as are free vanish.
    const Gauge gauge = gauge_of(flow, B);
    VectorXd phases(static_cast<Eigen::Index>(gauge.modes.size()));
    for (Eigen::Index i = 0; i < phases.size(); ++i) phases[i] = std::arg(B[gauge.modes[i]]);
    const VectorXd back = gauge.shares * phases;
    for (Eigen::Index k = 0; k < n; ++k) B[k] *= std::polar(1.0, -back[k]);
    s.a = 2 * B.cwiseAbs();
    s.beta = VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k)
        if (B[k] != 0.0) s.beta[k] = std::abs(std::arg(B[k])) < 1e-14 ? 0 : std::arg(B[k]);
    s.frequencies = flow.frame() + at.spin;
    const MatrixXd J = BalancedFlow(flow).disturbance(at);
    const Eigen::VectorXcd exponents = solve::eigenvalues(J);
    // Turning freely is neither growth nor decay: as many exponents as there are free turns are zero.
    double worst = -INFINITY;
    std::vector<std::complex<double>> list(exponents.begin(), exponents.end());
    std::sort(list.begin(), list.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
    std::fill_n(list.begin(), gauge.modes.size(), 0);
    for (const auto& x : list) worst = std::max(worst, x.real());
    std::sort(list.begin(), list.end(), [](auto a, auto b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
    s.exponents = list;
    s.is_stable = worst <= 1e-9 * std::max(J.cwiseAbs().maxCoeff(), 1e-300);
    s.reaches = reaches_of(scales, B, s.frequencies);
    s.reach = s.reaches.maxCoeff();
    return s;
}

bool are_alike(const SlowFlow& flow, const Eigen::VectorXcd& a, const Eigen::VectorXcd& b) {
    if (!have_same_amplitudes(a, b)) return false;
    const Gauge gauge = gauge_of(flow, a);
    const auto moves = moving_in(a);
    // A period later each mode has turned on, and those that answer at a fraction of Ω are elsewhere.
    const VectorXd onward = flow.frame() * flow.period();
    VectorXd angles = a.array().arg() - b.array().arg();
    constexpr int most = 120;
    for (int i = 0; i < most; ++i, angles += onward) {
        if (is_free_turn(gauge, angles, moves)) return true;
        if (flow.period() == 0 || (i > 0 && is_free_turn(gauge, i * onward, moves))) return false;
    }
    return false;
}

bool are_images(const SlowFlow& flow, const Eigen::VectorXcd& a, const Eigen::VectorXcd& b) {
    if (!have_same_amplitudes(a, b)) return false;
    for (const auto& r : flow.relations()) {
        double angle = 0;
        bool is_moving = true;
        for (Eigen::Index j = 0; j < a.size(); ++j) {
            if (r[j] != 0 && a[j] == 0.0) is_moving = false;
            angle += r[j] * (std::arg(a[j]) - std::arg(b[j]));
        }
        if (is_moving && std::abs(std::remainder(angle, 2 * pi)) > 1e-4) return false;
    }
    return true;
}

namespace {

/// Steady points as they turn up, each once, with how often.
class Findings {
public:
    Findings(const MultipleScales<double>& scales, const SlowFlow& flow) : scales_(scales), flow_(flow), balanced_(flow) {}

    const BalancedFlow& balanced() const { return balanced_; }
    void add(const SteadyPoint& at) {
        points_.push_back(at);
        times_.push_back(1);
    }
    void add_from(SteadyPoint start) {
        if (!balanced_.settle(start) || start.B.isZero(0)) return;
        for (std::size_t j = 0; j < points_.size(); ++j)
            if (are_alike(flow_, points_[j].B, start.B)) return void(++times_[j]);
        if (balanced_.is_isolated(start) && is_within_series(scales_, start.B)) add(start);
    }
    /// What was met but seldom has neighbours that were not met at all: the chance that the next start finds something new is about that of
    /// having found something once only [good53].
    bool are_enough() const {
        constexpr int often = 3;
        for (std::size_t j = 0; j < points_.size(); ++j)
            if (times_[j] < often && !points_[j].B.isZero(0)) return false;
        return true;
    }
    std::vector<SteadyPoint> points() && { return std::move(points_); }

private:
    const MultipleScales<double>& scales_;
    const SlowFlow& flow_;
    BalancedFlow balanced_;
    std::vector<SteadyPoint> points_;
    std::vector<int> times_;
};

}  // namespace

std::vector<SteadyPoint> search(const MultipleScales<double>& scales, const SlowFlow& flow, const GoesOn& goes_on) {
    const auto n = flow.modes();
    Findings found(scales, flow);
    const SteadyPoint rest{Eigen::VectorXcd::Zero(n), VectorXd::Zero(n)};
    if (flow.rate(rest.B).isZero(0)) {
        found.add(rest);
    } else {
        // The linear answer.
        SteadyPoint linear = rest;
        linear.B = whole_of(solve::CompleteOrthogonal(flow.jacobian(rest.B)).solve(-parts_of(flow.rate(rest.B))));
        found.add_from(linear);
    }
    const VectorXd& units = found.balanced().units();
    const auto& sizes = found.balanced().sizes();
    if (sizes.empty()) return std::move(found).points();
    // Each mode alone; where there is but one, more densely: the basin of a saddle is narrow.
    const std::vector<double> shares = n == 1 ? std::vector<double>{0.6, 0.8, 1.0, 1.25} : std::vector<double>{1.0};
    const int phases = n == 1 ? 16 : 4;
    for (Eigen::Index k = 0; k < n; ++k)
        for (const double size : sizes)
            for (const double part : shares)
                for (int i = 0; i < phases && linkwright::goes_on(goes_on); ++i) {
                    SteadyPoint at = rest;
                    at.B[k] = std::polar(part * size * units[k], 2 * pi * i / phases);
                    found.add_from(at);
                }
    // All together, for a good while and until everything has turned up more than once.
    std::mt19937 random(1);
    const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296.0; };
    const int least = n == 1 ? 0 : static_cast<int>(std::min<Eigen::Index>(240, 80 * n)), most = 1500;
    for (int i = 0; i < most && (i < least || !found.are_enough()) && linkwright::goes_on(goes_on); ++i) {
        SteadyPoint at = rest;
        const double moving = i % 2 == 0 ? 0.7 : 1;  // the share of modes that begin to move
        for (Eigen::Index k = 0; k < n; ++k) {
            // By turns near an amplitude at which terms balance, or anywhere between.
            const double size = i % 2 == 0
                                    ? sizes[static_cast<std::size_t>(uniform() * static_cast<double>(sizes.size()))] * (0.5 + uniform())
                                    : sizes.front() / 4 * std::pow(8 * sizes.back() / sizes.front(), uniform());
            if (n == 1 || uniform() < moving) at.B[k] = std::polar(size * units[k], 2 * pi * uniform());
        }
        if (!at.B.isZero(0)) found.add_from(at);
    }
    return std::move(found).points();
}

std::vector<SteadyState> steady_states(const MultipleScales<double>& scales, const GoesOn& goes_on) {
    std::vector<SteadyState> states;
    if (!scales.is_ok || scales.modulation.empty()) return states;
    const SlowFlow flow(scales);
    for (const auto& p : search(scales, flow, goes_on)) states.push_back(describe(scales, flow, p));
    std::stable_sort(states.begin(), states.end(), [](const auto& a, const auto& b) { return a.a.norm() < b.a.norm(); });
    return states;
}

}  // namespace linkwright::perturb
