#include "linkwright/linear/equilibrium/energy_supply.hpp"

#include <cmath>
#include <random>

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// d(T + V)/dt around a state of rest: at q₀ + S Y y with u = ±Z z.
class Power {
public:
    Power(const Linearization& linear, const numeric::CompiledEquations& numbers)
        : linear_(linear), numbers_(numbers), shift_(linear.full.S * linear.Y) {}

    /// The halves that are even and odd in z; not a number where there is none.
    struct Halves {
        double even = 0, odd = 0;
        double rounding = 0;  ///< of either, from the powers of all forces
        double size() const { return std::abs(even) + std::abs(odd); }
        bool is_finite() const { return std::isfinite(even + odd); }
    };
    Halves operator()(const VectorXd& y, const VectorXd& z) const {
        double rounding = 0;
        const double forth = at(y, z, rounding), back = at(y, -z, rounding);
        return {(forth + back) / 2, (forth - back) / 2, rounding};
    }

private:
    double at(const VectorXd& y, const VectorXd& z, double& rounding) const {
        numeric::State s = linear_.point.state;
        const VectorXd moved = shift_ * y;
        s.q += moved.head(s.q.size());
        if (s.x.size() > 0) s.x += moved.tail(s.x.size());
        s.u = linear_.Z * z;
        const numeric::OperatingPoint p = operating_point(numbers_, s);
        rounding = std::max(rounding, 1e-12 * numbers_.dynamics(s).f.cwiseAbs().dot(s.u.cwiseAbs()));
        return p.is_ok ? numbers_.power(s, p.udot, p.lambda) : std::nan("");
    }

    const Linearization& linear_;
    const numeric::CompiledEquations& numbers_;
    MatrixXd shift_;
};

/// ∂Q_j/∂y_i = ∂Q_i/∂y_j of the forces Q that depend on position alone, at y.
bool is_symmetric(const Power& power, const VectorXd& y, Index n) {
    constexpr double step = 1e-4;
    const auto force = [&](const VectorXd& where, Index k) { return power(where, VectorXd::Unit(n, k) * step).odd / step; };
    const auto slope = [&](Index of, Index by) {
        const VectorXd along = VectorXd::Unit(n, by) * step;
        return (force(y + along, of) - force(y - along, of)) / (2 * step);
    };
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            const double a = slope(i, j), b = slope(j, i), size = std::abs(slope(i, i)) + std::abs(slope(j, j)) + std::abs(a) + std::abs(b);
            if (!(std::abs(a - b) <= 1e-5 * size + 1e-9)) return false;
        }
    }
    return true;
}

/// Of one freedom: energy comes in whatever the position and the speed, near and very near.
bool feeds_always(const Power& power) {
    for (const double size : {0.1, 0.03, 0.01, 0.003, 0.001}) {
        for (const double y : {-1.0, -0.6, -0.2, 0.0, 0.2, 0.6, 1.0}) {
            for (const double z : {0.1, 0.3, 1.0}) {
                const Power::Halves p = power(VectorXd::Constant(1, size * y), VectorXd::Constant(1, size * z));
                if (!p.is_finite() || !(p.even > 1e-9 * p.size() + p.rounding)) return false;
            }
        }
    }
    return true;
}

}  // namespace

EnergySupply energy_supply(const Linearization& linear, const numeric::CompiledEquations& numbers) {
    if (numbers.equations().power.is_literally(0)) return EnergySupply::none;
    const Power power(linear, numbers);
    const Index ny = linear.Y.cols(), nz = linear.Z.cols();
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> draw(-1, 1);
    const auto some = [&](Index n, double size) { return VectorXd(VectorXd::NullaryExpr(n, [&] { return size * draw(random); })); };
    bool is_constant = true, has_any = false;
    VectorXd far;
    for (const double size : {0.1, 0.03, 0.01}) {
        for (int k = 0; k < 8; ++k) {
            const VectorXd y = some(ny, size), z = some(nz, size);
            const Power::Halves p = power(y, z);
            if (!p.is_finite()) continue;
            has_any = true;
            if (p.even > 1e-9 * p.size() + p.rounding)
                return ny == 1 && nz == 1 && feeds_always(power) ? EnergySupply::always : EnergySupply::feeds;
            const Power::Halves here = power(VectorXd::Zero(ny), z);
            if (std::abs(p.odd - here.odd) > 1e-7 * (p.size() + here.size()) + p.rounding) is_constant = false, far = y;
        }
    }
    if (!has_any) return EnergySupply::unknown;
    if (is_constant || ny == 1) return EnergySupply::none;
    const bool is_plain =
        !linear.has_constraints && ny == nz && linear.second_order.is_mechanical && !linear.second_order.has_replaced_speeds;
    return is_plain && is_symmetric(power, far, ny) ? EnergySupply::none : EnergySupply::unknown;
}

}  // namespace linkwright::linear
