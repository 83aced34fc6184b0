#include "linkwright/linear/equilibrium/stability.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/solve/eigenvalues.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;

constexpr double zero = 1e-6;  ///< of the largest pole: two poles that meet at zero are √ε away from it

std::string in_words(Complex pole) {
    if (pole.imag() == 0) return fmt::format("{:.4g} 1/s", pole.real());
    return fmt::format("{:.4g} ± {:.4g}i 1/s", pole.real(), std::abs(pole.imag()));
}

Eigen::VectorXcd sorted_poles(const MatrixXd& A) {
    if (A.rows() == 0) return {};
    Eigen::VectorXcd p = solve::eigenvalues(A);
    std::vector<Complex> list(p.begin(), p.end());
    std::ranges::sort(list, [](Complex a, Complex b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
    for (Index i = 0; i < p.size(); ++i) p[i] = list[i];
    return p;
}

/// What is negative, zero and positive among the eigenvalues of K x = λ M x, K symmetric.
struct Potential {
    double least = 0, most = 0;
    Index negative = 0, none = 0;
    bool is_known = false;
};
Potential potential(const MatrixXd& K, const MatrixXd& M) {
    Potential p;
    if (K.rows() == 0) return p.is_known = true, p;
    const solve::SymmetricEigen eigen = solve::symmetric_eigenvalues(0.5 * (K + K.transpose()), 0.5 * (M + M.transpose()));
    if (!eigen.ok || !eigen.values.allFinite()) return p;
    const VectorXd& v = eigen.values;
    p.least = v.minCoeff();
    p.most = v.cwiseAbs().maxCoeff();
    for (Index i = 0; i < v.size(); ++i) {
        const bool is_zero = std::abs(v[i]) <= 1e-10 * p.most + 1e-12;
        if (is_zero)
            ++p.none;
        else if (v[i] < 0)
            ++p.negative;
    }
    p.is_known = true;
    return p;
}

double size_of(const MatrixXd& A) { return A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff(); }

}  // namespace

Judgement judge(const Linearization& linear, const eom::EquationsOfMotion& e, std::span<const std::size_t> ignorable, bool is_steady) {
    Judgement j;
    if (!linear.is_ok) {
        j.verdict = fmt::format("not decided: {}", linear.why);
        return j;
    }
    const MatrixXd& A = linear.state_space.A;
    if (A.rows() == 0) {
        j.stability = Stability::stable;
        j.verdict = "stable: nothing is free to move";
        return j;
    }
    if (!A.allFinite()) {
        j.verdict = "not decided: the linear model is not finite";
        return j;
    }
    j.poles = sorted_poles(A);

    // States that are left: without the coordinates on which nothing depends. The rest of A does not see them.
    std::vector<Index> kept;
    std::vector<std::string> aside;
    const Index ny = linear.y.size();
    for (Index i = 0; i < A.rows(); ++i) {
        bool is_aside = false;
        if (is_steady && i < ny) {
            const std::string& name = linear.s[linear.y[i]];
            for (const std::size_t q : ignorable) {
                const std::string& of = e.q[q].symbol().name;
                is_aside |= of == name || (name.find(".turn.") != std::string::npos &&
                                           of.substr(0, of.rfind('.')) == name.substr(0, name.find(".turn.")));
            }
            if (is_aside) aside.push_back(name);
        }
        if (!is_aside) kept.push_back(i);
    }
    MatrixXd B(static_cast<Index>(kept.size()), static_cast<Index>(kept.size()));
    for (Index i = 0; i < B.rows(); ++i) {
        for (Index k = 0; k < B.cols(); ++k) B(i, k) = A(kept[i], kept[k]);
    }
    const Eigen::VectorXcd poles = is_steady ? sorted_poles(B) : j.poles;
    double fastest = 0;
    for (const Complex p : poles) fastest = std::max(fastest, std::abs(p));
    const double none = zero * fastest + 1e-9;
    Index zeros = 0, neutral = 0;
    for (const Complex p : poles) zeros += std::abs(p) <= none ? 1 : 0;
    if (!aside.empty()) j.notes.push_back(fmt::format("nothing depends on {}: left aside in the verdict", fmt::join(aside, ", ")));
    if (is_steady && zeros > 0 && B.rows() > 0) {  // as many as there are directions in which the motion is steady, too
        const solve::Svd svd = solve::make_svd(B);
        const Index flat = B.rows() - svd.rank(1e-9);
        if (flat >= zeros) {
            j.notes.push_back(
                fmt::format("{} of the poles {} at zero: there are steady motions beside this one, and a push may lead to one of them",
                            zeros, zeros == 1 ? "is" : "are"));
            neutral = zeros;
            zeros = 0;
        }
    }

    // The rightmost pole that is not at zero.
    Complex decides(0, 0);
    bool has_one = false;
    for (const Complex p : poles) {
        if (std::abs(p) <= none || has_one) continue;
        decides = p, has_one = true;
    }
    const double edge = 1e-8 * fastest + 1e-10;
    const SecondOrder& two = linear.second_order;
    const auto say = [&](Stability s, std::string why) {
        j.stability = s;
        j.verdict = fmt::format("{}: {}", to_string(s), why);
        return j;
    };

    if (!is_steady && two.is_mechanical) {
        const Potential v = potential(two.stiffness, two.M);
        const double c_size = size_of(two.C), k_size = size_of(two.K);
        const bool has_damping = size_of(two.damping) > 1e-12 * std::max(c_size, std::sqrt(k_size * size_of(two.M)));
        const bool has_gyros =
            size_of(two.gyroscopic) > 1e-10 * std::max(c_size, 1e-300) && c_size > 1e-12 * std::sqrt(k_size * size_of(two.M));
        const bool has_circulation = size_of(two.circulatory) > 1e-9 * std::max(k_size, 1e-300);
        const Potential d = potential(two.damping, two.M);
        const bool never_feeds = !has_damping || (d.is_known && d.negative == 0);
        if (v.is_known && !has_circulation && never_feeds) {
            if (v.negative == 0 && v.none == 0) {
                if (has_damping && has_one && decides.real() < -edge)
                    return say(Stability::asymptotically_stable, fmt::format("the slowest pole is {}", in_words(decides)));
                const std::string damped = has_damping ? "; damping does not reach every motion" : "";
                double lowest = std::sqrt(v.least);
                if (has_gyros || has_damping) {
                    lowest = fastest;
                    for (const Complex p : poles) lowest = std::abs(p.imag()) > none ? std::min(lowest, std::abs(p.imag())) : lowest;
                }
                return say(Stability::stable,
                           fmt::format("the potential energy is a minimum, the lowest frequency {:.5g} rad/s{}", lowest, damped));
            }
            if (!has_gyros && v.negative > 0) {
                return say(Stability::unstable, fmt::format("the potential energy falls away in {} direction{}; the fastest pole is {}",
                                                            v.negative, v.negative == 1 ? "" : "s", in_words(decides)));
            }
            if (!has_gyros && v.negative == 0) {
                return say(Stability::neutral,
                           fmt::format("{} of {} motions meet{} no resistance", v.none, two.K.rows(), v.none == 1 ? "s" : ""));
            }
        }
    }
    if (has_one && decides.real() > edge) return say(Stability::unstable, fmt::format("the pole {} grows", in_words(decides)));
    if (zeros > 0 && is_steady) {
        return say(Stability::neutral, fmt::format("{} pole{} at zero, and no other grows: a push leads to another steady motion beside "
                                                   "this one, which takes it further away in "
                                                   "proportion to time",
                                                   zeros, zeros == 1 ? " is" : "s are"));
    }
    if (zeros > 0)
        return say(Stability::neutral,
                   fmt::format("{} pole{} at zero: it can be displaced without resistance, or the linear model does not decide", zeros,
                               zeros == 1 ? " is" : "s are"));
    if (!has_one) {
        if (is_steady) return say(Stability::neutral, "every pole is at zero: a push leads to another steady motion");
        return say(Stability::neutral, "every pole is at zero");
    }
    if (decides.real() < -edge) {
        const std::string but =
            neutral == 0 ? ""
                         : fmt::format(", but for {} neutral direction{} towards other steady motions", neutral, neutral == 1 ? "" : "s");
        return say(Stability::asymptotically_stable, fmt::format("the slowest pole is {}{}", in_words(decides), but));
    }
    if (is_steady && two.is_mechanical) {
        MatrixXd K(0, 0), M(0, 0);
        std::vector<Index> own;
        for (const Index i : kept) {
            if (i < ny) own.push_back(i);
        }
        K.resize(own.size(), static_cast<Index>(own.size())), M = K;
        for (Index i = 0; i < K.rows(); ++i) {
            for (Index k = 0; k < K.cols(); ++k) {
                K(i, k) = two.stiffness(own[i], own[k]);
                M(i, k) = two.M(own[i], own[k]);
            }
        }
        const Potential v = potential(K, M);
        const bool has_circulation = size_of(two.circulatory) > 1e-9 * std::max(size_of(two.K), 1e-300);
        if (v.is_known && v.negative + v.none == 0 && !has_circulation && K.rows() > 0) {
            return say(
                Stability::stable,
                fmt::format("the potential with that of the centrifugal forces is a minimum; the rightmost pole is {}", in_words(decides)));
        }
    }
    return say(Stability::marginal, fmt::format("no pole grows, to first order; the rightmost one is {}", in_words(decides)));
}

}  // namespace linkwright::linear
