#include "linkwright/linear/equilibrium/stability.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "linkwright/linear/equilibrium/energy_supply.hpp"
#include "linkwright/linear/modes.hpp"
#include "linkwright/solve/eigen.hpp"
#include "linkwright/solve/products.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;
using Eigen::VectorXcd;
using solve::largest;

std::string in_words(Complex pole) {
    if (pole.imag() == 0) return fmt::format("{:.4g} 1/s", pole.real() + 0.0);
    return fmt::format("{:.4g} ± {:.4g}i 1/s", pole.real() + 0.0, std::abs(pole.imag()));
}

VectorXcd rightmost_first(VectorXcd poles) {
    std::stable_sort(poles.begin(), poles.end(),
                     [](Complex a, Complex b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
    return poles;
}

/// What is negative and zero among the eigenvalues of K x = λ M x, K symmetric; `size` as stiffness_size says.
struct Potential {
    double least = 0;
    Index negative = 0, none = 0;
    bool is_known = false;

    bool is_minimum() const { return is_known && negative + none == 0; }
};
Potential potential(const MatrixXd& K, const MatrixXd& M, const MatrixXd& size) {
    Potential p;
    if (K.rows() == 0) return p.is_known = true, p;
    const solve::SymmetricSpectrum s = solve::symmetric_spectrum(K, M, size);
    if (!s.ok) return p;
    const double most = largest(s.lambda);
    for (Index i = 0; i < s.lambda.size(); ++i) {
        const VectorXd x = s.x.col(i).cwiseAbs();
        const bool is_zero = std::abs(s.lambda[i]) <= std::max(1e-11 * x.dot(size * x), 1e-14 * most);
        p.none += is_zero ? 1 : 0;
        p.negative += !is_zero && s.lambda[i] < 0 ? 1 : 0;
    }
    p.least = s.lambda.minCoeff();
    p.is_known = true;
    return p;
}

/// The part of a matrix that belongs to some states.
MatrixXd part_of(const MatrixXd& a, const std::vector<Index>& list) { return a(list, list); }

/// States whose coordinates are ignorable, and the others.
struct Aside {
    std::vector<Index> kept;
    std::vector<std::string> names;
};
Aside set_aside(const Linearization& linear, const eom::EquationsOfMotion& e, std::span<const std::size_t> ignorable) {
    Aside a;
    for (Index i = 0; i < linear.state_space.A.rows(); ++i) {
        bool is_aside = false;
        if (i < static_cast<Index>(linear.y.size())) {
            const std::string& name = linear.s[linear.y[i]];
            for (const std::size_t q : ignorable) {
                const std::string& of = e.q[q].symbol().name;
                is_aside |= of == name || (name.find(".turn.") != std::string::npos &&
                                           of.substr(0, of.rfind('.')) == name.substr(0, name.find(".turn.")));
            }
            if (is_aside) a.names.push_back(name);
        }
        if (!is_aside) a.kept.push_back(i);
    }
    return a;
}

/// "with t", "with t^3"
std::string with_time(std::size_t chain) { return chain == 2 ? "with t" : fmt::format("with t^{}", chain - 1); }

/// At rest, of a mechanism whose speeds are rates of coordinates.
struct Mechanical {
    Potential potential;
    bool has_damping = false, has_gyros = false, has_circulation = false;
};
Mechanical mechanical(const Linearization& linear) {
    const SecondOrder& two = linear.second_order;
    Mechanical m;
    m.potential = potential(two.stiffness, two.M, stiffness_size(linear));
    const double c = largest(two.C), k = largest(two.K), typical = std::sqrt(k * largest(two.M));
    m.has_damping = largest(two.damping) > 1e-12 * std::max(c, typical);
    m.has_gyros = largest(two.gyroscopic) > 1e-10 * std::max(c, 1e-300) && c > 1e-12 * typical;
    m.has_circulation = largest(two.circulatory) > std::max(1e-9 * k, 1e-10 * largest(stiffness_size(linear)));
    return m;
}

class Judge {
public:
    Judge(const Linearization& linear, const numeric::CompiledEquations& numbers, const Circumstances& at)
        : linear_(linear), numbers_(numbers), at_(at) {}

    Judgement operator()() {
        if (!linear_.is_ok) return say(Stability::undecided, RestsOn::neither, linear_.why);
        if (linear_.state_space.A.rows() == 0) return say(Stability::stable, RestsOn::energy, "the mechanism cannot move");
        if (!find_poles()) return say(Stability::undecided, RestsOn::neither, why_);
        if (at_.has_time) {
            const bool grows = decides_ && decides_->real() > 0;
            return say(Stability::undecided, RestsOn::neither,
                       fmt::format("the equations depend on time explicitly; as they are at this instant, {}",
                                   grows ? fmt::format("the pole {} grows", in_words(*decides_)) : "no pole grows"));
        }
        const bool is_mechanism = !at_.is_steady && linear_.second_order.is_mechanical;
        const Mechanical m = is_mechanism ? mechanical(linear_) : Mechanical{};
        if (decides_ && decides_->real() > 0) return unstable(is_mechanism, m);
        if (zeros_ == 0 && decides_ && decides_->real() < 0) return asymptotically_stable();
        if (is_mechanism && m.potential.is_minimum() && !m.has_circulation) return by_energy(m);
        if (zeros_ > 0 || !decides_) return neutral(is_mechanism, m);
        return on_the_axis();
    }

private:
    Judgement say(Stability s, RestsOn basis, const std::string& why) {
        j_.stability = s, j_.rests_on = basis;
        j_.verdict = fmt::format("{}: {}", to_string(s), why);
        return j_;
    }

    bool find_poles() {
        const StateMatrix whole = state_matrix(linear_);
        Poles all = poles(whole);
        if (!all.is_ok) return why_ = all.why, false;
        j_.poles = rightmost_first(all.values);
        if (at_.is_steady) {  // without the coordinates on which nothing depends: the rest of A does not see them
            aside_ = set_aside(linear_, numbers_.equations(), at_.ignorable);
            if (!aside_.names.empty())
                j_.notes.push_back(fmt::format("nothing depends on {}: left out of the verdict", fmt::join(aside_.names, ", ")));
            all = poles({part_of(whole.A, aside_.kept), part_of(whole.noise, aside_.kept)});
            if (!all.is_ok) return why_ = all.why, false;
        }
        chains_ = all.zero_chains;
        for (const std::size_t length : chains_) zeros_ += length;
        if (at_.is_steady && zeros_ > 0 && chains_.front() == 1) {  // as many as there are directions in which the motion is steady, too
            j_.notes.push_back(
                fmt::format("{} of the poles {} at zero: there are neighbouring steady motions, and a disturbance may lead to one of them",
                            zeros_, zeros_ == 1 ? "is" : "are"));
            beside_ = zeros_, zeros_ = 0;
        }
        for (const Complex p : rightmost_first(all.values)) {
            if (p == 0.0) continue;
            if (!decides_) decides_ = p;
            if (p.imag() > 0) lowest_ = lowest_ > 0 ? std::min(lowest_, p.imag()) : p.imag();
        }
        return true;
    }

    Judgement unstable(bool is_mechanism, const Mechanical& m) {
        if (is_mechanism && m.potential.is_known && m.potential.negative > 0 && !m.has_gyros && !m.has_circulation) {
            return say(Stability::unstable, RestsOn::first_order,
                       fmt::format("the potential energy decreases in {} direction{}; the fastest pole is {}", m.potential.negative,
                                   m.potential.negative == 1 ? "" : "s", in_words(*decides_)));
        }
        return say(Stability::unstable, RestsOn::first_order, fmt::format("to first order the pole {} grows", in_words(*decides_)));
    }

    Judgement asymptotically_stable() {
        const std::string but =
            beside_ == 0 ? ""
                         : fmt::format(", but for {} neutral direction{} towards other steady motions", beside_, beside_ == 1 ? "" : "s");
        return say(Stability::asymptotically_stable, RestsOn::first_order,
                   fmt::format("to first order; the slowest pole is {}{}", in_words(*decides_), but));
    }

    Judgement by_energy(const Mechanical& m) {
        const EnergySupply supply = energy_supply(linear_, numbers_);
        if (supply == EnergySupply::none) {
            const double lowest = m.has_gyros || m.has_damping ? lowest_ : std::sqrt(m.potential.least);
            return say(Stability::stable, RestsOn::energy,
                       fmt::format("the potential energy is a minimum, the lowest frequency {:.5g} rad/s{}", lowest,
                                   m.has_damping ? "; damping does not reach every motion" : ""));
        }
        // In one freedom T + V is definite, and constant at rest alone: backwards in time every motion comes to rest (Lyapunov, LaSalle).
        if (supply == EnergySupply::always)
            return say(
                Stability::unstable, RestsOn::energy,
                "the potential energy is a minimum, and velocity-dependent forces supply energy at every nearby state that was tried; "
                "no pole grows to first order");
        return say(Stability::marginal, RestsOn::neither,
                   fmt::format("not decided to first order: no pole grows, the rightmost one is {}; nor by the energy: {}",
                               decides_ ? in_words(*decides_) : "0",
                               supply == EnergySupply::feeds ? "velocity-dependent forces supply energy nearby"
                                                             : "forces act that may have no potential"));
    }

    Judgement neutral(bool is_mechanism, const Mechanical& m) {
        const std::string drift =
            chains_.empty() || chains_.front() == 1 ? "" : fmt::format("; after a disturbance it drifts {}", with_time(chains_.front()));
        const std::string count = fmt::format("{} pole{} at zero", zeros_, zeros_ == 1 ? " is" : "s are");
        if (at_.is_steady) {
            return say(Stability::neutral, RestsOn::first_order,
                       decides_ ? fmt::format("{}, and no other grows: a disturbance leads to a neighbouring steady motion, which takes it "
                                              "further away in proportion to time",
                                              count)
                                : "every pole is at zero: a disturbance leads to another steady motion");
        }
        if (is_mechanism && m.potential.is_known && m.potential.none > 0 && !m.has_gyros && !m.has_circulation) {
            return say(Stability::neutral, RestsOn::first_order,
                       fmt::format("to first order {} of {} motions meet{} no resistance{}", m.potential.none,
                                   linear_.second_order.K.rows(), m.potential.none == 1 ? "s" : "", drift));
        }
        return say(Stability::neutral, RestsOn::first_order,
                   decides_ ? fmt::format("to first order {}, and no other grows{}", count, drift)
                            : fmt::format("to first order every pole is at zero{}", drift));
    }

    Judgement on_the_axis() {
        if (at_.is_steady && linear_.second_order.is_mechanical) {
            const SecondOrder& two = linear_.second_order;
            std::vector<Index> own;
            for (const Index i : aside_.kept) {
                if (i < static_cast<Index>(linear_.y.size())) own.push_back(i);
            }
            const MatrixXd size = stiffness_size(linear_);
            const Potential v = potential(part_of(two.stiffness, own), part_of(two.M, own), part_of(size, own));
            const bool has_circulation = largest(two.circulatory) > std::max(1e-9 * largest(two.K), 1e-10 * largest(size));
            if (v.is_minimum() && !has_circulation && !own.empty() && numbers_.equations().power.is_literally(0)) {
                return say(Stability::stable, RestsOn::energy,
                           fmt::format("the potential with that of the centrifugal forces is a minimum; the rightmost pole is {}",
                                       in_words(*decides_)));
            }
        }
        return say(Stability::marginal, RestsOn::neither,
                   fmt::format("not decided to first order: no pole grows, the rightmost one is {}", in_words(*decides_)));
    }

    const Linearization& linear_;
    const numeric::CompiledEquations& numbers_;
    const Circumstances& at_;
    Judgement j_;
    std::string why_;
    Aside aside_;
    std::vector<std::size_t> chains_;  ///< of poles at zero, without what is aside
    std::size_t zeros_ = 0, beside_ = 0;
    std::optional<Complex> decides_;  ///< the rightmost pole that is not zero
    double lowest_ = 0;               ///< frequency
};

}  // namespace

Judgement judge(const Linearization& linear, const numeric::CompiledEquations& numbers, const Circumstances& at) {
    return Judge(linear, numbers, at)();
}

}  // namespace linkwright::linear
