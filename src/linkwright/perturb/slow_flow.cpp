#include "linkwright/perturb/slow_flow.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::perturb {

SlowFlow::SlowFlow(const MultipleScales<double>& scales) : n_(static_cast<Eigen::Index>(scales.omega_value.size())) {
    const auto n = static_cast<std::size_t>(n_);
    std::set<Multiples> seen;
    for (std::size_t k = 0; k < n; ++k) {
        for (const auto& t : scales.modulation[k]) {
            terms_.push_back({static_cast<Eigen::Index>(k), {t.coefficient.re, t.coefficient.im}, t.powers});
            Multiples r(n + 1, 0);
            for (std::size_t j = 0; j < n; ++j) r[j] = t.powers[j] - t.powers[n + j];
            r[k] -= 1;
            r[n] = t.harmonic;
            if (std::any_of(r.begin(), r.end(), [](int x) { return x != 0; })) seen.insert(r);
        }
    }
    relations_.assign(seen.begin(), seen.end());
    std::vector<Multiples> basis;
    for (const auto& r : relations_) {
        basis.push_back(r);
        if (rank_of(basis) < basis.size()) basis.pop_back();
    }
    const auto rows = static_cast<Eigen::Index>(basis.size());
    MatrixXd M(rows, n_);
    VectorXd gap(rows);
    const VectorXd omega = Eigen::Map<const VectorXd>(scales.omega_value.data(), n_);
    for (Eigen::Index i = 0; i < rows; ++i) {
        const auto& r = basis[i];
        for (Eigen::Index j = 0; j < n_; ++j) M(i, j) = r[j];
        gap[i] = M.row(i).dot(omega) + r.back() * scales.Omega_value;
    }
    frame_ = omega;
    if (rows > 0) {
        const solve::SingularValues svd = solve::singular_values(M, solve::SingularVectors::full, solve::SingularVectors::full);
        frame_ -= solve::CompleteOrthogonal(M).solve(gap);
        turns_ = svd.v.rightCols(n_ - svd.rank);
    } else {
        turns_ = MatrixXd::Identity(n_, n_);
    }
    for (Eigen::Index k = 0; k < n_; ++k) {
        const double drift = omega[k] - frame_[k];
        if (drift == 0) continue;
        std::vector<std::uint8_t> powers(2 * n, 0);
        powers[k] = 1;
        terms_.push_back({k, {0, drift}, powers});
    }
    int common = 0;  // of all multiples of Ω
    for (const auto* part : {&scales.modulation, &scales.solution})
        for (const auto& mode : *part)
            for (const auto& t : mode) common = std::gcd(common, t.harmonic);
    if (common != 0) period_ = 2 * std::numbers::pi / (common * scales.Omega_value);
}

Eigen::VectorXcd SlowFlow::rate(const Eigen::VectorXcd& B) const {
    Eigen::VectorXcd rate = Eigen::VectorXcd::Zero(n_);
    for (const auto& t : terms_) {
        auto p = t.coefficient;
        for (Eigen::Index j = 0; j < n_; ++j) {
            for (int i = 0; i < t.powers[j]; ++i) p *= B[j];
            for (int i = 0; i < t.powers[n_ + j]; ++i) p *= std::conj(B[j]);
        }
        rate[t.mode] += p;
    }
    return rate;
}

MatrixXd SlowFlow::jacobian(const Eigen::VectorXcd& B) const {
    Eigen::MatrixXcd P = Eigen::MatrixXcd::Zero(n_, n_), Q = P;  // ∂/∂B, ∂/∂B̄
    for (const auto& t : terms_) {
        for (Eigen::Index v = 0; v < 2 * n_; ++v) {
            const int e = t.powers[v];
            if (e == 0) continue;
            auto p = t.coefficient * static_cast<double>(e);
            for (Eigen::Index j = 0; j < 2 * n_; ++j) {
                const int times = t.powers[j] - (j == v ? 1 : 0);
                for (int i = 0; i < times; ++i) p *= j < n_ ? B[j] : std::conj(B[j - n_]);
            }
            (v < n_ ? P(t.mode, v) : Q(t.mode, v - n_)) += p;
        }
    }
    MatrixXd J(2 * n_, 2 * n_);
    J << (P + Q).real(), -(P - Q).imag(), (P + Q).imag(), (P - Q).real();
    return J;
}

VectorXd SlowFlow::term_sizes(const Eigen::VectorXcd& B) const {
    VectorXd sizes = VectorXd::Zero(n_);
    for (const auto& t : terms_) {
        double p = std::abs(t.coefficient);
        for (Eigen::Index j = 0; j < n_; ++j)
            for (int i = 0; i < t.powers[j] + t.powers[n_ + j]; ++i) p *= std::abs(B[j]);
        sizes[t.mode] += p;
    }
    return sizes;
}

/// log|c| + Σ p_j log u_j − log u_k should be one number for all terms, in the sense of least squares; so should it be with other units.
VectorXd SlowFlow::units() const {
    const auto count = static_cast<Eigen::Index>(std::ranges::count_if(terms_, [](const Term& t) { return t.coefficient != 0.0; }));
    if (count == 0) return VectorXd::Ones(n_);
    MatrixXd M = MatrixXd::Zero(count, n_ + 1);
    VectorXd right(count);
    Eigen::Index row = 0;
    for (const auto& t : terms_) {
        if (t.coefficient == 0.0) continue;
        for (Eigen::Index j = 0; j < n_; ++j) M(row, j) = t.powers[j] + t.powers[n_ + j];
        M(row, t.mode) -= 1;
        M(row, n_) = -1;  // log of the rate
        right[row++] = -std::log(std::abs(t.coefficient));
    }
    return solve::CompleteOrthogonal(M, 1e-9).solve(right).head(n_).array().exp();
}

SlowFlow SlowFlow::in_units(const VectorXd& units) const {
    SlowFlow flow = *this;
    for (auto& t : flow.terms_) {
        double factor = 1 / units[t.mode];
        for (Eigen::Index j = 0; j < n_; ++j)
            for (int i = 0; i < t.powers[j] + t.powers[n_ + j]; ++i) factor *= units[j];
        t.coefficient *= factor;
    }
    return flow;
}

std::vector<double> SlowFlow::scales() const {
    std::set<long> marks;
    for (Eigen::Index k = 0; k < n_; ++k) {
        std::map<int, std::set<double>> sizes;
        for (const auto& t : terms_) {
            if (t.mode != k || t.coefficient == 0.0) continue;
            int degree = 0;
            for (const auto p : t.powers) degree += p;
            sizes[degree].insert(std::abs(t.coefficient));
            sizes[degree].insert(std::abs(t.coefficient.real()));
        }
        for (const auto& [d, low] : sizes)
            for (const auto& [e, high] : sizes)
                if (e > d)
                    for (const double a : low)
                        for (const double b : high)
                            if (a > 0 && b > 0) {
                                const double scale = std::pow(a / b, 1.0 / (e - d));
                                if (std::isfinite(scale) && scale > 0) marks.insert(std::lround(3 * std::log2(scale)));
                            }
    }
    std::vector<double> list;
    for (const long m : marks) list.push_back(std::exp2(static_cast<double>(m) / 3));
    return list;
}

}  // namespace linkwright::perturb
