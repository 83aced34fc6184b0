#include "linkwright/perturb/scales_motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linkwright/motion/simulate.hpp"
#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::perturb {

using Eigen::Index;

ModalPlace modal_place(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                       const numeric::State& state, const VectorXd& near) {
    const auto n = static_cast<Index>(form.omega.size());
    const auto residual = [&](const VectorXd& y) {
        const numeric::State s = state_of(numbers, at, form, y.head(n), y.tail(n), state.t);
        VectorXd r(s.q.size() + s.u.size());
        r << s.q - state.q, s.u - state.u;
        return r;
    };
    // Gauss and Newton: the shapes are linear unless loops bend them.
    VectorXd y = near.size() == 2 * n ? near : VectorXd::Zero(2 * n), r = residual(y);
    for (int i = 0; i < 20; ++i) {
        if (!r.allFinite()) break;
        const double h = 1e-6 * std::max(1e-3, y.lpNorm<Eigen::Infinity>());
        MatrixXd J(r.size(), 2 * n);
        for (Index j = 0; j < 2 * n; ++j) {
            VectorXd forth = y, back = y;
            forth[j] += h, back[j] -= h;
            J.col(j) = (residual(forth) - residual(back)) / (2 * h);
        }
        if (!J.allFinite()) break;
        const VectorXd step = solve::CompleteOrthogonal(J).solve(-r);
        double part = 1;
        VectorXd next = residual(y + step);
        while (!(next.norm() <= r.norm() * (1 + 1e-12)) && part > 1e-3) next = residual(y + (part /= 2) * step);
        if (!(next.norm() <= r.norm() * (1 + 1e-12))) break;
        y += part * step;
        r = next;
        if (part * step.norm() <= 1e-13 * std::max(1e-6, y.norm())) break;
    }
    if (!r.allFinite() || !y.allFinite()) return {};
    return {y.head(n), y.tail(n), r.size() == 0 ? 0 : r.lpNorm<Eigen::Infinity>(), true};
}

StartAmplitudes amplitudes_at(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                              const MultipleScales<double>& scales, const numeric::State& state) {
    StartAmplitudes found;
    const ModalPlace place = modal_place(numbers, at, form, state);
    if (!place.is_ok) return found.why = "no modal coordinates belong to this state", found;
    found.misfit = place.misfit;
    found.A = amplitudes_of(scales, place.eta, place.eta_dot, state.t);
    if (found.A.size() != static_cast<Index>(form.omega.size()))
        found.why = "the series has no amplitudes that begin at this state: it is too far from rest for this order";
    return found;
}

double ScalesMotion::relative() const {
    const double size = reach.size() == 0 ? 0 : reach.maxCoeff();
    return size > 0 ? error.maxCoeff() / size : 0;
}

ScalesMotion compare_motion(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                            const MultipleScales<double>& scales, const Eigen::VectorXcd& A, const std::vector<double>& times,
                            double tolerance, const std::function<bool(double t)>& on_step) {
    ScalesMotion both;
    const Index n = at.state.q.size();
    both.reach = both.error = VectorXd::Zero(n);
    const auto state_at = [&](const Eigen::VectorXcd& a, double t) {
        const ModalMotion m = motion_at(scales, a, t);
        return state_of(numbers, at, form, m.eta, m.eta_dot, t);
    };
    const numeric::State start = state_at(A, times.front());
    if (!start.q.allFinite() || !start.u.allFinite())
        return both.is_ok = false, both.why = "no state belongs to these amplitudes: they are too large for this order", both;
    motion::SimulateOptions o;
    o.times = times;
    o.tolerance = tolerance;
    o.integrator = motion::Integrator::rk;
    o.on_step = on_step;
    o.keep_end = false;
    const motion::Motion motion = simulate(numbers, start, o);
    const Modulation slow = modulate(scales, A, times);
    if (!motion.is_ok()) both.is_ok = false, both.why = motion.why;
    if (!slow.is_ok) both.is_ok = false, both.why = slow.why;
    const std::size_t rows = std::min({motion.rows.size(), slow.A.size(), times.size()});
    for (std::size_t i = 0; i < rows; ++i) {
        const numeric::State s = state_at(slow.A[i], times[i]);
        const VectorXd q = motion.rows[i].segment(1, n);
        if (!s.q.allFinite())
            return both.is_ok = false, both.why = fmt::format("the series left every state of the mechanism at t = {:.4g}", times[i]), both;
        both.times.push_back(times[i]);
        both.simulated.push_back(q);
        both.approximate.push_back(s.q);
        both.A.push_back(slow.A[i]);
        both.reach = both.reach.cwiseMax((q - at.state.q).cwiseAbs());
        both.error = both.error.cwiseMax((q - s.q).cwiseAbs());
    }
    return both;
}

unsigned slowness(const MultipleScales<double>& scales) {
    unsigned least = 0;
    for (const auto& mode : scales.modulation) {
        for (const auto& term : mode) {
            if (std::hypot(term.coefficient.re, term.coefficient.im) > 0 && term.order > 0)
                least = least == 0 ? term.order : std::min(least, term.order);
        }
    }
    return least;
}

}  // namespace linkwright::perturb
