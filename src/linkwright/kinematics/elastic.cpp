#include "linkwright/kinematics/elastic.hpp"

#include "linkwright/sym/derivative.hpp"

namespace linkwright::kinematics {

namespace {

std::vector<OwnFreedom> freedoms_of(const model::Elastic& e) {
    std::vector<OwnFreedom> list;
    for (std::size_t k = 0; k < e.coordinates.size(); ++k) list.push_back({e.speeds[k], e.coordinates[k]});
    return list;
}

/// +1, −1 or 0 along which axis e_a × e_b is.
struct Across {
    std::size_t axis = 0;
    int sign = 0;
};
Across across(std::size_t a, std::size_t b) {
    if (a == b) return {};
    return {3 - a - b, (a + 1) % 3 == b ? 1 : -1};
}

}  // namespace

Elastic::Elastic(const model::Elastic& elastic) : Contribution(freedoms_of(elastic)), e_(elastic) {
    const std::size_t n = e_.coordinates.size();
    slope_.assign(terms(), std::vector<Expr>(n));
    for (std::size_t a = 0; a < terms(); ++a) {
        const model::ElasticTerm& t = e_.terms[a];
        Expr s = t.coefficient;
        for (const std::size_t k : t.factors) s = s * q(k);
        s_.push_back(s);
        Expr rate = 0;
        if (t.factors.size() == 1) {
            slope_[a][t.factors[0]] = t.coefficient;
            rate = t.coefficient * w(t.factors[0]);
        } else if (t.factors.size() == 2) {
            const std::size_t k = t.factors[0], l = t.factors[1];
            slope_[a][k] += t.coefficient * q(l);
            slope_[a][l] += t.coefficient * q(k);
            rate = k == l ? 2 * t.coefficient * q(k) * w(k) : t.coefficient * (w(k) * q(l) + q(k) * w(l));
        }
        rate_.push_back(rate);
    }
    place_ = gathered(s_), velocity_ = gathered(rate_);
    own_moment_.assign(n, std::vector<Expr>(terms()));
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t a = 0; a < terms(); ++a) {
            if (slope_[a][k].is_literally(0)) continue;
            for (std::size_t b = 0; b < terms(); ++b) {
                if (axis(a) == axis(b)) own_moment_[k][b] += e_.second[a][b] * slope_[a][k];
            }
        }
    }
    locked_.m = e_.mass;
    spatial::Mat3 Q;
    for (std::size_t b = 0; b < terms(); ++b) {
        locked_.h[axis(b)] += e_.first[b] * s_[b];
        for (std::size_t i = 0; i < 3; ++i) Q[i][axis(b)] += place_[b][i] * s_[b];
    }
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) locked_.I[i][j] = i == j ? Q[(i + 1) % 3][(i + 1) % 3] + Q[(i + 2) % 3][(i + 2) % 3] : -Q[i][j];
    }
    for (const model::ElasticSpin& spin : e_.spins) locked_.I[spin.axis][spin.axis] += spin.inertia;
}

std::vector<Vec3> Elastic::gathered(std::span<const Expr> x) const {
    std::vector<Vec3> sums(terms());
    for (std::size_t b = 0; b < terms(); ++b) {
        for (std::size_t a = 0; a < terms(); ++a) sums[b][axis(a)] += e_.second[a][b] * x[a];
    }
    return sums;
}

std::vector<Expr> Elastic::second_rates(std::span<const Expr> wdot) const {
    std::vector<Expr> list;
    for (const model::ElasticTerm& t : e_.terms) {
        Expr x = 0;
        if (t.factors.size() == 1) x = t.coefficient * wdot[t.factors[0]];
        if (t.factors.size() == 2) {
            const std::size_t k = t.factors[0], l = t.factors[1];
            x = t.coefficient * (wdot[k] * q(l) + 2 * w(k) * w(l) + q(k) * wdot[l]);
        }
        list.push_back(x);
    }
    return list;
}

// 2T = 2 v·∫ρ̇ dm + 2 ω·∫ρ × ρ̇ dm + ∫ρ̇² dm
Expr Elastic::twice_kinetic_energy(const Twist& V) const {
    Expr twice = 0;
    for (std::size_t b = 0; b < terms(); ++b) {
        Expr met = velocity_[b][axis(b)] + 2 * e_.first[b] * V.v[axis(b)];
        for (std::size_t i = 0; i < 3; ++i) {
            const Across x = across(i, axis(b));
            if (x.sign != 0) met += 2 * x.sign * V.w[x.axis] * place_[b][i];
        }
        twice += rate_[b] * met;
    }
    for (const model::ElasticSpin& spin : e_.spins) {
        for (std::size_t k = 0; k < e_.speeds.size(); ++k) {
            twice += 2 * V.w[spin.axis] * spin.first[k] * w(k);
            for (std::size_t l = 0; l < e_.speeds.size(); ++l) twice += spin.second[k][l] * w(k) * w(l);
        }
    }
    return twice;
}

Expr Elastic::potential() const {
    Expr twice = 0;
    for (std::size_t k = 0; k < e_.coordinates.size(); ++k) {
        for (std::size_t l = 0; l < e_.coordinates.size(); ++l) twice += e_.stiffness[k][l] * q(k) * q(l);
    }
    return twice / 2;
}

Wrench Elastic::momentum() const {
    Wrench P;
    for (std::size_t b = 0; b < terms(); ++b) {
        P.f[axis(b)] += e_.first[b] * rate_[b];
        for (std::size_t i = 0; i < 3; ++i) {
            const Across x = across(i, axis(b));
            if (x.sign != 0) P.t[x.axis] += x.sign * place_[b][i] * rate_[b];
        }
    }
    for (const model::ElasticSpin& spin : e_.spins) {
        for (std::size_t k = 0; k < e_.speeds.size(); ++k) P.t[spin.axis] += spin.first[k] * w(k);
    }
    return P;
}

// The locked inertia and P differentiated along the elastic speeds.
Wrench Elastic::momentum_rate(const Twist& V) const {
    std::vector<sym::Binding> directions;
    for (std::size_t k = 0; k < e_.coordinates.size(); ++k) directions.emplace_back(q(k), w(k));
    sym::Tangent rate(directions);
    spatial::Inertia I;
    Wrench P = momentum();
    for (std::size_t i = 0; i < 3; ++i) {
        I.h[i] = rate(locked_.h[i]), P.t[i] = rate(P.t[i]), P.f[i] = rate(P.f[i]);
        for (std::size_t j = 0; j < 3; ++j) I.I[i][j] = rate(locked_.I[i][j]);
    }
    return I * V + P;
}

// The acceleration of a particle less that of the locked body is 2 ω × ρ̇ + ρ̈; its moment is ∫ρ × (…) dm, and
// ρ × (ω × ρ̇) = ω (ρ·ρ̇) − ρ̇ (ρ·ω).
Wrench Elastic::inertial_wrench(const Twist& V, std::span<const Expr> wdot) const {
    const std::vector<Expr> second = second_rates(wdot);
    Wrench W;
    Vec3 p;
    Expr along = 0;  // ∫ρ·ρ̇ dm
    for (std::size_t b = 0; b < terms(); ++b) {
        const std::size_t j = axis(b);
        p[j] += e_.first[b] * rate_[b];
        W.f[j] += e_.first[b] * second[b];
        along += place_[b][j] * rate_[b];
        for (std::size_t i = 0; i < 3; ++i) {
            const Across x = across(i, j);
            if (x.sign != 0) W.t[x.axis] += x.sign * place_[b][i] * second[b];
        }
        W.t[j] -= 2 * rate_[b] * dot(place_[b], V.w);
    }
    W.t += (2 * along) * V.w;
    W.f += Expr(2) * cross(V.w, p);
    for (const model::ElasticSpin& spin : e_.spins) {
        Vec3 own;
        for (std::size_t k = 0; k < wdot.size(); ++k) {
            own[spin.axis] += spin.first[k] * w(k);
            W.t[spin.axis] += spin.first[k] * wdot[k];
        }
        W.t += cross(V.w, own);
    }
    return W;
}

// ∫ ∂_kρ · (a_O + ω̇ × ρ + ω × (ω × ρ) + 2 ω × ρ̇ + ρ̈) dm
Expr Elastic::inertia_force(std::size_t k, const Twist& V, const Twist& A, std::span<const Expr> wdot) const {
    const std::vector<Vec3> acceleration = gathered(second_rates(wdot));
    const Vec3 origin = A.v + cross(V.w, V.v);
    Expr sum = 0;
    for (std::size_t b = 0; b < terms(); ++b) {
        const Expr& slope = slope_[b][k];
        if (slope.is_literally(0)) continue;
        const std::size_t j = axis(b), u = (j + 1) % 3, v = (j + 2) % 3;
        Expr met = e_.first[b] * origin[j] + acceleration[b][j] - place_[b][j] * (V.w[u] * V.w[u] + V.w[v] * V.w[v]);
        for (const std::size_t i : {u, v}) {
            const Across x = across(i, j);  // e_j · (ω × e_i) = ω · (e_i × e_j)
            met += place_[b][i] * (x.sign * A.w[x.axis] + V.w[i] * V.w[j]) + 2 * x.sign * velocity_[b][i] * V.w[x.axis];
        }
        sum += slope * met;
    }
    for (const model::ElasticSpin& spin : e_.spins) {
        sum += spin.first[k] * A.w[spin.axis];
        for (std::size_t l = 0; l < wdot.size(); ++l) sum += spin.second[k][l] * wdot[l];
    }
    return sum;
}

Expr Elastic::load(std::size_t k) const {
    Expr sum = 0;
    for (std::size_t l = 0; l < e_.speeds.size(); ++l) sum -= e_.damping[k][l] * w(l);
    return sum;
}

Wrench Elastic::partial_momentum(std::size_t k) const {
    Wrench P;
    for (std::size_t b = 0; b < terms(); ++b) {
        if (slope_[b][k].is_literally(0)) continue;
        P.f[axis(b)] += e_.first[b] * slope_[b][k];
        for (std::size_t i = 0; i < 3; ++i) {
            const Across x = across(i, axis(b));
            if (x.sign != 0) P.t[x.axis] += x.sign * place_[b][i] * slope_[b][k];
        }
    }
    for (const model::ElasticSpin& spin : e_.spins) P.t[spin.axis] += spin.first[k];
    return P;
}

// The velocity that S gives to a particle, v + ω × ρ, along ∂_kρ.
Expr Elastic::coupling(std::size_t k, const Twist& S) const {
    Expr sum = 0;
    for (std::size_t b = 0; b < terms(); ++b) {
        if (slope_[b][k].is_literally(0)) continue;
        Expr along = e_.first[b] * S.v[axis(b)];
        for (std::size_t i = 0; i < 3; ++i) {
            const Across x = across(i, axis(b));
            if (x.sign != 0) along += x.sign * place_[b][i] * S.w[x.axis];
        }
        sum += slope_[b][k] * along;
    }
    for (const model::ElasticSpin& spin : e_.spins) sum += spin.first[k] * S.w[spin.axis];
    return sum;
}

Expr Elastic::inertia(std::size_t k, std::size_t l) const {
    Expr sum = 0;
    for (std::size_t b = 0; b < terms(); ++b) sum += own_moment_[k][b] * slope_[b][l];
    for (const model::ElasticSpin& spin : e_.spins) sum += spin.second[k][l];
    return sum;
}

}  // namespace linkwright::kinematics
