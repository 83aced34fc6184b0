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
    const ModalMotion start = motion_at(scales, B, 0);
    s.eta = start.eta, s.eta_dot = start.eta_dot;
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

/// B as it stands after each period of the excitation, until it is where it was: what answers at a fraction of Ω comes back later.
std::vector<Eigen::VectorXcd> begun_later(const SlowFlow& flow, const Eigen::VectorXcd& B) {
    std::vector<Eigen::VectorXcd> list{B};
    const VectorXd onward = flow.frame() * flow.period();
    constexpr int most = 12;
    for (int i = 1; i < most && flow.period() != 0; ++i) {
        Eigen::VectorXcd next = B;
        for (Eigen::Index k = 0; k < B.size(); ++k) next[k] *= std::polar(1.0, i * onward[k]);
        if ((next - B).norm() <= 1e-6 * B.norm()) break;
        list.push_back(next);
    }
    return list;
}

/// The sign of det J.
int index_of(const MatrixXd& J) {
    int sign = 1;
    for (const auto& x : solve::eigenvalues(J))
        if (x.imag() == 0 && x.real() < 0) sign = -sign;
    return sign;
}

/// Steady points as they turn up, each once.
class Findings {
public:
    Findings(const MultipleScales<double>& scales, const SlowFlow& flow) : scales_(scales), flow_(flow), balanced_(flow) {}

    const BalancedFlow& balanced() const { return balanced_; }
    void add(const SteadyPoint& at) {
        const auto all = begun_later(flow_, at.B);
        points_.push_back(at);
        known_.insert(known_.end(), all.begin(), all.end());
        if (flow_.turns().cols() == 0) indices_ += static_cast<int>(all.size()) * index_of(balanced_.disturbance(at));
        if (is_within_series(scales_, at.B)) in_vain_ = 0;
    }
    void add_from(SteadyPoint start) {
        if (balanced_.settle(start)) take(start);
    }
    /// The basin of a saddle may be too narrow to be hit, and is not when those of its neighbours are taken out.
    void add_others_from(SteadyPoint start) {
        ++in_vain_;
        if (balanced_.settle_elsewhere(start, known_)) take(start);
    }
    /// Of tries beside each point that is known so many led to nothing new. Where a motion that is large enough always comes back, the
    /// indices of all steady points add up to one; where they do not, it takes more of them.
    bool are_enough() const {
        const bool add_up = flow_.turns().cols() > 0 || indices_ == 1;
        return in_vain_ >= (add_up ? 40 : 80) * points_.size();
    }
    std::size_t count() const { return points_.size(); }
    const SteadyPoint& one(std::size_t i) const { return points_[i]; }
    std::vector<SteadyPoint> within_series() && {
        std::erase_if(points_, [&](const SteadyPoint& p) { return !p.B.isZero(0) && !is_within_series(scales_, p.B); });
        return std::move(points_);
    }

private:
    void take(const SteadyPoint& at) {
        const auto is_here = [&](const SteadyPoint& p) { return are_alike(flow_, p.B, at.B); };
        if (at.B.isZero(0) || std::ranges::any_of(points_, is_here)) return;
        if (balanced_.is_isolated(at)) add(at);
    }

    const MultipleScales<double>& scales_;
    const SlowFlow& flow_;
    BalancedFlow balanced_;
    std::vector<SteadyPoint> points_;
    std::vector<Eigen::VectorXcd> known_;
    int indices_ = 0;
    std::size_t in_vain_ = 0;
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
    if (sizes.empty()) return std::move(found).within_series();
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
    // All together, for a good while.
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
        if (at.B.isZero(0)) continue;
        found.add_from(at);
        // And beside one that is known, near or far.
        if (found.are_enough()) continue;
        at = found.one(static_cast<std::size_t>(uniform() * static_cast<double>(found.count())));
        const double own = at.B.cwiseQuotient(units.cast<std::complex<double>>()).cwiseAbs().maxCoeff();
        const double far = 2 * std::pow(0.01, uniform()) * std::max(own, sizes.front());
        for (Eigen::Index k = 0; k < n; ++k) at.B[k] += std::polar(far * uniform() * units[k], 2 * pi * uniform());
        found.add_others_from(at);
    }
    return std::move(found).within_series();
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
