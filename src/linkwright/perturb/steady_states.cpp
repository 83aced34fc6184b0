#include <cmath>
#include <random>

#include "linkwright/perturb/steady_search.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Largest rate at which single terms would change B: what a residual is measured against.
double pace(const SlowFlow& flow, const Eigen::VectorXcd& B) {
    const MatrixXd J = flow.jacobian(B);
    const double size = B.size() == 0 ? 0 : B.cwiseAbs().maxCoeff();
    return J.cwiseAbs().maxCoeff() * size + flow.rate(Eigen::VectorXcd::Zero(B.size())).cwiseAbs().maxCoeff();
}

/// ∂(Ḃ − i s∘B)/∂(X, Y, c) with s = turns·c
MatrixXd matrix_of(const SlowFlow& flow, const SteadyPoint& at, const MatrixXd& turns) {
    const auto n = flow.modes();
    MatrixXd J(2 * n, 2 * n + turns.cols());
    J.leftCols(2 * n) = flow.jacobian(at.B);
    for (Eigen::Index k = 0; k < n; ++k) {
        J(k, n + k) += at.spin[k];
        J(n + k, k) -= at.spin[k];
        for (Eigen::Index c = 0; c < turns.cols(); ++c) {
            J(k, 2 * n + c) = turns(k, c) * at.B[k].imag();
            J(n + k, 2 * n + c) = -turns(k, c) * at.B[k].real();
        }
    }
    return J;
}

VectorXd residual_of(const SlowFlow& flow, const SteadyPoint& at) {
    Eigen::VectorXcd r = flow.rate(at.B);
    for (Eigen::Index k = 0; k < r.size(); ++k) r[k] -= std::complex<double>(0, at.spin[k]) * at.B[k];
    return parts_of(r);
}

}  // namespace

MatrixXd turns_of(const SlowFlow& flow, const Eigen::VectorXcd& B) {
    MatrixXd moving = flow.turns();
    const double largest = B.size() == 0 ? 0 : B.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < B.size(); ++k)
        if (!(std::abs(B[k]) > 1e-9 * largest)) moving.row(k).setZero();
    if (moving.cols() == 0 || moving.isZero()) return MatrixXd(B.size(), 0);
    const solve::SingularValues svd = solve::singular_values(moving, solve::SingularVectors::thin, solve::SingularVectors::none);
    Eigen::Index rank = 0;
    while (rank < svd.s.size() && svd.s[rank] > 1e-9 * svd.s[0]) ++rank;
    return svd.u.leftCols(rank);
}

bool settle(const SlowFlow& flow, SteadyPoint& at) {
    const auto n = flow.modes();
    if (at.spin.size() != n) at.spin = VectorXd::Zero(n);
    double last = INFINITY;
    for (int step = 0; step < 60; ++step) {
        const VectorXd r = residual_of(flow, at);
        const double size = r.lpNorm<Eigen::Infinity>();
        if (!std::isfinite(size)) return false;
        const double measure = pace(flow, at.B);
        if (size <= 1e-13 * measure || (size <= 1e-10 * measure && size >= 0.5 * last)) return true;
        if (measure == 0) return size == 0;
        last = size;
        const MatrixXd turns = turns_of(flow, at.B);
        const MatrixXd J = matrix_of(flow, at, turns);
        // Amplitudes and rates in one measure.
        VectorXd weights = VectorXd::Ones(J.cols());
        const double b = std::max(at.B.cwiseAbs().maxCoeff(), 1e-300);
        weights.head(2 * n).setConstant(b);
        weights.tail(turns.cols()).setConstant(std::max(measure / b, 1e-300));
        VectorXd dx = weights.asDiagonal() * solve::CompleteOrthogonal(J * weights.asDiagonal(), 1e-12).solve(-r);
        if (!dx.allFinite()) return false;
        const double longest = dx.head(2 * n).lpNorm<Eigen::Infinity>();
        if (longest > 2 * b) dx *= 2 * b / longest;
        at.B += whole_of(dx.head(2 * n));
        if (turns.cols() > 0) at.spin += turns * dx.tail(turns.cols());
    }
    return false;
}

bool is_isolated(const SlowFlow& flow, const SteadyPoint& at) {
    const MatrixXd turns = turns_of(flow, at.B);
    const MatrixXd J = matrix_of(flow, at, turns);
    const double b = std::max(at.B.cwiseAbs().maxCoeff(), 1e-300), rate = pace(flow, at.B) / b;
    VectorXd weights = VectorXd::Ones(J.cols());
    weights.tail(turns.cols()).setConstant(rate);
    const MatrixXd scaled = J * weights.asDiagonal();
    const VectorXd s = solve::singular_values(scaled, solve::SingularVectors::none, solve::SingularVectors::none).s;
    Eigen::Index rank = 0;
    while (rank < s.size() && s[rank] > 1e-8 * s[0]) ++rank;
    return rank == 2 * flow.modes();
}

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
    Eigen::VectorXcd B = at.B;
    const double largest = B.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < n; ++k)
        if (std::abs(B[k]) <= 1e-9 * largest) B[k] = 0;
    // Turned so that as many phases as are free vanish.
    const MatrixXd turns = turns_of(flow, B);
    if (turns.cols() > 0) {
        const solve::PivotedQr qr(turns.transpose());
        MatrixXd chosen(turns.cols(), turns.cols());
        VectorXd phases(turns.cols());
        for (Eigen::Index i = 0; i < turns.cols(); ++i) {
            const auto k = qr.order()[i];
            chosen.row(i) = turns.row(k);
            phases[i] = std::arg(B[k]);
        }
        const VectorXd back = turns * solve::FullLu(chosen).solve(phases);
        for (Eigen::Index k = 0; k < n; ++k) B[k] *= std::polar(1.0, -back[k]);
    }
    s.a = 2 * B.cwiseAbs();
    s.beta = VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k)
        if (B[k] != 0.0) s.beta[k] = std::abs(std::arg(B[k])) < 1e-14 ? 0 : std::arg(B[k]);
    s.frequencies = flow.frame() + at.spin;
    MatrixXd J = flow.jacobian(at.B);
    for (Eigen::Index k = 0; k < n; ++k) J(k, n + k) += at.spin[k], J(n + k, k) -= at.spin[k];
    const Eigen::VectorXcd exponents = solve::eigenvalues(J);
    // Turning freely is neither growth nor decay: as many exponents as there are free turns are zero.
    double worst = -INFINITY;
    std::vector<std::complex<double>> list(exponents.begin(), exponents.end());
    std::sort(list.begin(), list.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
    for (Eigen::Index i = 0; i < turns.cols(); ++i) list[i] = 0;
    for (const auto& x : list) worst = std::max(worst, x.real());
    std::sort(list.begin(), list.end(), [](auto a, auto b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
    s.exponents = list;
    s.is_stable = worst <= 1e-9 * std::max(J.cwiseAbs().maxCoeff(), 1e-300);
    s.reaches = reaches_of(scales, B, s.frequencies);
    s.reach = s.reaches.maxCoeff();
    return s;
}

bool are_alike(const SlowFlow& flow, const SteadyState& a, const SteadyState& b) {
    const double scale = std::max(a.a.maxCoeff(), b.a.maxCoeff());
    if ((a.a - b.a).lpNorm<Eigen::Infinity>() > 1e-6 * scale) return false;
    for (const auto& r : flow.relations()) {
        double angle = 0;
        bool is_moving = true;
        for (Eigen::Index j = 0; j < a.a.size(); ++j) {
            const int m = r[j];
            if (m == 0) continue;
            if (a.a[j] <= 1e-9 * scale) is_moving = false;
            angle += m * (a.beta[j] - b.beta[j]);
        }
        if (is_moving && std::abs(std::remainder(angle, 2 * M_PI)) > 1e-4) return false;
    }
    return true;
}

std::vector<SteadyPoint> search(const MultipleScales<double>& scales, const SlowFlow& flow, const GoesOn& goes_on) {
    const auto n = flow.modes();
    std::vector<SteadyPoint> points;
    std::vector<SteadyState> seen;
    const auto sizes = flow.scales();
    const auto keep = [&](SteadyPoint at) {
        if (!linkwright::goes_on(goes_on) || !settle(flow, at)) return;
        const double size = at.B.cwiseAbs().maxCoeff();
        if (!sizes.empty() && size <= 1e-7 * sizes.front()) at.B.setZero(), at.spin.setZero();
        if (!residual_of(flow, at).allFinite()) return;
        if (!at.B.isZero(0) && !is_isolated(flow, at)) return;
        if (!is_within_series(scales, at.B)) return;
        const auto state = describe(scales, flow, at);
        for (const auto& s : seen)
            if (are_alike(flow, s, state)) return;
        seen.push_back(state);
        points.push_back(at);
    };
    const SteadyPoint rest{Eigen::VectorXcd::Zero(n), VectorXd::Zero(n)};
    if (flow.rate(rest.B).isZero(0)) {
        seen.push_back(describe(scales, flow, rest));
        points.push_back(rest);
    } else {
        // The linear answer.
        SteadyPoint linear = rest;
        linear.B = whole_of(solve::CompleteOrthogonal(flow.jacobian(rest.B)).solve(-parts_of(flow.rate(rest.B))));
        keep(linear);
    }
    if (sizes.empty()) return points;
    std::mt19937 random(1);
    const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296.0; };
    // Each mode alone.
    const std::vector<double> shares =
        n == 1 ? std::vector<double>{0.6, 0.8, 1.0, 1.25} : std::vector<double>{1.0};  // the basin of a saddle is narrow
    const int phases = n == 1 ? 16 : 4;
    for (Eigen::Index k = 0; k < n; ++k)
        for (const double size : sizes)
            for (const double part : shares)
                for (int i = 0; i < phases; ++i) {
                    SteadyPoint at = rest;
                    at.B[k] = std::polar(part * size, 2 * M_PI * i / phases);
                    keep(at);
                }
    if (n == 1) return points;
    // All together, until nothing new has turned up for a good while.
    const int least = static_cast<int>(std::min<Eigen::Index>(200, 80 * n)), most = 5 * least, patience = least / 2;
    int last = 0;
    for (int i = 0; i < most && (i < least || i - last < patience); ++i) {
        const std::size_t before = points.size();
        SteadyPoint at = rest;
        for (Eigen::Index k = 0; k < n; ++k) {
            const double size = sizes[static_cast<std::size_t>(uniform() * static_cast<double>(sizes.size()))];
            if (uniform() < 0.7) at.B[k] = std::polar(size * (0.5 + uniform()), 2 * M_PI * uniform());
        }
        if (!at.B.isZero()) keep(at);
        if (points.size() > before) last = i;
    }
    return points;
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
