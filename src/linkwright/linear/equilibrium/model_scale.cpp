#include "linkwright/linear/equilibrium/model_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/sym/dependency.hpp"

namespace linkwright::linear {

using Index = Eigen::Index;
using sym::Expr;

namespace {

std::vector<bool> turning(const eom::EquationsOfMotion& e) {
    std::vector<bool> turns(e.q.size(), true);
    for (std::size_t i = 0; i < e.q_units.size(); ++i) turns[i] = e.q_units[i] != "m";
    return turns;
}

std::vector<bool> sliding_speeds(const eom::EquationsOfMotion& e, const std::vector<bool>& is_turning) {
    std::vector<bool> slides(e.u.size(), false), turns(e.u.size(), false);
    for (const auto& [row, column] : sym::sparsity(e.qdot, e.u)) (is_turning[row] ? turns : slides)[column] = true;
    for (std::size_t j = 0; j < turns.size(); ++j) slides[j] = slides[j] && !turns[j];
    return slides;
}

/// Rounding leaves 1e-17 where nothing is, and 1e17 where that is divided by: neither is a size.
bool is_size(double x) { return x > 1e-9 && x < 1e9; }

}  // namespace

bool ModelScale::has_slides() const { return std::ranges::find(is_turning, false) != is_turning.end(); }

std::string ModelScale::words(bool with_speeds) const {
    const bool has_turns = std::ranges::find(is_turning, true) != is_turning.end();
    std::string text = has_turns ? "turns in radians" : "";
    if (has_slides()) text += fmt::format("{}lengths in units of {:.3g} m", has_turns ? ", " : "", length);
    if (with_speeds) text += fmt::format(", rates in units of {:.3g} 1/s", rate);
    return text;
}

ModelScales::ModelScales(const numeric::CompiledEquations& numbers) : numbers_(numbers) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);
    is_turning_ = turning(e);
    slides_along_ = sliding_speeds(e, is_turning_);
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        if (e.parameters[i].unit == "m") lengths_.push_back(i);
    }
    std::vector<Expr> places;
    for (const eom::BodyPose& p : e.poses) {
        places.insert(places.end(), p.p.begin(), p.p.end());
        for (std::size_t k = 0; k < 3; ++k) places.push_back(p.com[k] - p.p[k]);
    }
    places_ = numbers.compile(places);
}

double ModelScales::length(const numeric::State& state, const Forces& forces) const {
    double most = 0;
    const auto take = [&](double x) {
        if (is_size(x)) most = std::max(most, x);
    };
    for (const std::size_t i : lengths_) take(std::abs(numbers_.parameters()[static_cast<Index>(i)]));
    const VectorXd places = places_(state);
    for (Index i = 0; i + 2 < places.size(); i += 3) take(places.segment(i, 3).norm());
    for (std::size_t i = 0; i < is_turning_.size(); ++i) {
        if (!is_turning_[i]) take(std::abs(state.q[static_cast<Index>(i)]));
    }
    if (most > 0) return most;
    for (std::size_t j = 0; j < slides_along_.size(); ++j) {
        const auto k = static_cast<Index>(j);
        if (slides_along_[j]) take(std::abs(forces.f[k] / forces.f_q(k, k)));
    }
    return most > 0 ? most : 1;
}

ModelScale ModelScales::at(const numeric::State& state, const Forces& forces) const {
    ModelScale s;
    s.is_turning = is_turning_, s.slides_along = slides_along_;
    const auto n = static_cast<Index>(slides_along_.size());
    s.length = length(state, forces);
    s.q = VectorXd::Ones(static_cast<Index>(is_turning_.size()));
    for (Index i = 0; i < s.q.size(); ++i) s.q[i] = is_turning_[static_cast<std::size_t>(i)] ? 1 : s.length;
    s.eta = VectorXd::Ones(n);
    double rate = 0;
    const auto take = [&](double x) {
        if (is_size(x)) rate = std::max(rate, x);
    };
    for (Index j = 0; j < n; ++j) {
        s.eta[j] = slides_along_[static_cast<std::size_t>(j)] ? s.length : 1;
        take(std::abs(state.u[j]) / s.eta[j]);
        take(std::sqrt(std::abs(forces.f_q(j, j)) / forces.M(j, j)));
        take(std::sqrt(std::abs(forces.f[j]) / (forces.M(j, j) * s.eta[j])));
    }
    s.rate = rate > 0 ? rate : 1;
    s.u = s.rate * s.eta;
    return s;
}

double distance(const eom::EquationsOfMotion& e, const ModelScale& scale, const numeric::State& a, const numeric::State& b,
                bool with_speeds) {
    VectorXd d = (a.q - b.q).cwiseQuotient(scale.q);
    for (const auto& group : e.quaternions) {
        double dot = 0;
        for (const std::size_t i : group) dot += a.q[i] * b.q[i];
        for (const std::size_t i : group) d[i] = 0;
        d[group[0]] = 2 * std::acos(std::min(1.0, std::abs(dot)));
    }
    double sum = d.squaredNorm();
    if (with_speeds) sum += (a.u - b.u).cwiseQuotient(scale.u).squaredNorm();
    return std::sqrt(sum);
}

}  // namespace linkwright::linear
