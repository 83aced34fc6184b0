#pragma once
// A mechanism near a state of rest: everything that moves as power series in a few small motions η, their rates and accelerations.
//
//     s_i = X η                          independent small motions, X a constant basis
//     s_d:  φ(q(s), t) = 0               dependent ones, an order for each correction by the inverse of ∂φ/∂s_d at the centre
//     u:    N(q, t) u + ν(q, t) = q̇      speeds likewise; u̇ by differentiating the series
//     r = Wᵀ(M u̇ − f),  W = ∂u/∂η̇        projected on the motions that the constraints leave: multipliers drop out
//
// Differentiating by η̇ costs a degree, so where W is not constant series are carried one degree further than asked for.

#include <unordered_map>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/eom/equations.hpp"
#include "linkwright/perturb/power_series.hpp"

namespace linkwright::perturb {

/// Small motions s about a centre q*: δq of ordinary coordinates; of a unit quaternion e = e* ∘ (√(1 − |s|²/4), s/2), which for
/// small s are turns about the body's axes. Names as in linear_form.hpp.
struct LocalCoordinates {
    struct Place {
        std::size_t coordinate = 0;  ///< of an ordinary one
        std::optional<std::size_t> quaternion;
        unsigned axis = 0;
    };
    std::vector<std::string> names;
    std::vector<Place> places;
};
LocalCoordinates local_coordinates(const eom::EquationsOfMotion& equations);

/// q at small motions s. Numbers is anything with +, · (doubles, series): `times`, `plus` and `root` do them.
template <class T, class Algebra>
std::vector<T> coordinates_at(const eom::EquationsOfMotion& e, const LocalCoordinates& local, const std::vector<T>& centre,
                              const std::vector<T>& s, Algebra& a) {
    std::vector<T> q = centre;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto& place = local.places[i];
        if (!place.quaternion) {
            q[place.coordinate] = a.add(centre[place.coordinate], s[i]);
            continue;
        }
        if (place.axis != 0) continue;
        const auto& at = e.quaternions[*place.quaternion];
        const std::array<T, 3> v{a.half(s[i]), a.half(s[i + 1]), a.half(s[i + 2])};
        T square = a.multiply(v[0], v[0]);
        for (std::size_t k = 1; k < 3; ++k) square = a.add(square, a.multiply(v[k], v[k]));
        const std::array<T, 4> p{a.root_of_one_less(square), v[0], v[1], v[2]};
        static constexpr int index[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};  // of e* beside p_c in row r
        static constexpr int sign[4][4] = {{1, -1, -1, -1}, {1, 1, -1, 1}, {1, 1, 1, -1}, {1, -1, 1, 1}};
        for (std::size_t r = 0; r < 4; ++r) {
            T sum{};
            for (std::size_t c = 0; c < 4; ++c) {
                const T product = a.multiply(centre[at[index[r][c]]], p[c]);
                sum = sign[r][c] > 0 ? a.add(sum, product) : a.subtract(sum, product);
            }
            q[at[r]] = sum;
        }
    }
    return q;
}

/// What is expanded, as expressions: inputs that depend on time are already replaced by what they are.
struct MotionRoots {
    std::vector<sym::Expr> residual;  ///< M u̇ − f
    std::vector<sym::Expr> phi;       ///< holonomic rows
    std::vector<sym::Expr> qdot;
    bool has_plain_speeds = true;  ///< q̇ = u, one for one
    bool closing_depends_on_time = false, speeds_depend_on_time = false;
};

/// One moment: everything at one value of the time.
template <class C>
struct Moment {
    PowerSeries<C> t;
    std::vector<PowerSeries<C>> s, q, u, udot, residual;
};

template <class Field>
class MotionSeries {
public:
    using C = typename Field::Element;
    using Series = PowerSeries<C>;
    using Matrix = std::vector<std::vector<C>>;  ///< rows
    /// ∂/∂t of the same series at all moments.
    using TimeRate = std::function<std::vector<Series>(const std::vector<Series>&)>;

    MotionSeries(const eom::EquationsOfMotion& e, const LocalCoordinates& local, const MotionRoots& roots, const Monomials& monomials,
                 Field field)
        : algebra(monomials, std::move(field)), e_(e), local_(local), roots_(roots), n_(monomials.variables() / 3) {}

    SeriesAlgebra<Field> algebra;
    std::vector<C> centre;                            ///< q*
    std::vector<std::size_t> independent, dependent;  ///< of s
    Matrix X;                                         ///< a row for each independent, a column for each η
    Matrix closing;                                   ///< inverse of ∂φ/∂s_d: a row for each dependent, a column for each row of φ
    Matrix speeds;                                    ///< inverse of N: a row for each u, a column for each q
    std::unordered_map<sym::NodeId, C> constants;     ///< parameters and steady inputs
    unsigned corrections = 0;                         ///< at most; 0: as many as the degree asks for
    double accuracy = 0;                              ///< corrections below end it
    bool is_closed = false;                           ///< φ vanishes at the centre, though its expression need not say so
    GoesOn goes_on{};                                 ///< asked before every walk through the equations
    std::string why;

    /// Fills everything; false with `why`.
    bool expand(std::vector<Moment<C>>& moments, const TimeRate& time_rate) {
        for (Moment<C>& m : moments) {
            if (&m != &moments.front() && !roots_.closing_depends_on_time) {
                m.s = moments.front().s, m.q = moments.front().q;
            } else if (!close(m)) {
                return false;
            }
        }
        std::vector<std::vector<Series>> qdot = rates(moments, &Moment<C>::q, roots_.closing_depends_on_time, time_rate);
        const bool speeds_vary = roots_.closing_depends_on_time || roots_.speeds_depend_on_time;
        for (std::size_t k = 0; k < moments.size(); ++k) {
            if (roots_.has_plain_speeds) {
                moments[k].u = qdot[k];
            } else if (k > 0 && !speeds_vary) {
                moments[k].u = moments[0].u;
            } else if (!solve_speeds(moments[k], qdot[k])) {
                return false;
            }
        }
        std::vector<std::vector<Series>> udot = rates(moments, &Moment<C>::u, speeds_vary, time_rate);
        for (std::size_t k = 0; k < moments.size(); ++k) {
            moments[k].udot = std::move(udot[k]);
            if (!project(moments[k])) return false;
        }
        return true;
    }

    Series half(const Series& x) const { return algebra.scale(algebra.field.number(sym::Rational(1, 2)), x); }
    Series add(const Series& x, const Series& y) const { return algebra.add(x, y); }
    Series subtract(const Series& x, const Series& y) const { return algebra.subtract(x, y); }
    Series multiply(const Series& x, const Series& y) { return algebra.multiply(x, y); }
    Series root_of_one_less(const Series& x) {
        return algebra.power(algebra.subtract(algebra.constant(algebra.field.number(1)), x), sym::Rational(1, 2));
    }

private:
    std::vector<Series> walk(std::span<const sym::Expr> roots, const Moment<C>& m) {
        if (!linkwright::goes_on(goes_on)) return why = interrupted, std::vector<Series>(roots.size());
        std::unordered_map<sym::NodeId, const Series*> at;
        for (std::size_t i = 0; i < m.q.size(); ++i) at.emplace(e_.q[i].id(), &m.q[i]);
        for (std::size_t i = 0; i < m.u.size(); ++i) at.emplace(e_.u[i].id(), &m.u[i]);
        for (std::size_t i = 0; i < m.udot.size(); ++i) at.emplace(e_.udot[i].id(), &m.udot[i]);
        at.emplace(e_.t.id(), &m.t);
        auto out = algebra.walk(roots, [&](const sym::Expr& s) -> Series {
            if (const auto found = at.find(s.id()); found != at.end()) return *found->second;
            const auto found = constants.find(s.id());
            return found == constants.end() ? Series{} : algebra.constant(found->second);
        });
        if (!algebra.why.empty()) why = algebra.why;
        return out;
    }

    std::vector<Series> coordinates(const std::vector<Series>& s) {
        std::vector<Series> middle;
        for (const C& c : centre) middle.push_back(algebra.constant(c));
        return coordinates_at(e_, local_, middle, s, *this);
    }

    /// x −= inverse·rest; the largest coefficient that this changed.
    double correct(std::vector<Series>& x, const std::vector<std::size_t>& which, const Matrix& inverse, const std::vector<Series>& rest) {
        double largest = 0;
        for (std::size_t i = 0; i < which.size(); ++i) {
            Series step;
            for (std::size_t j = 0; j < rest.size(); ++j) step = algebra.add(step, algebra.scale(inverse[i][j], rest[j]));
            for (const auto& term : step) largest = std::max(largest, algebra.field.size(term.second));
            x[which[i]] = algebra.subtract(x[which[i]], step);
        }
        return largest;
    }

    bool close(Moment<C>& m) {
        m.s.assign(local_.places.size(), {});
        for (std::size_t i = 0; i < independent.size(); ++i) {
            for (std::size_t k = 0; k < n_; ++k) {
                m.s[independent[i]] = algebra.add(m.s[independent[i]], algebra.scale(X[i][k], algebra.variable(k)));
            }
        }
        m.q = coordinates(m.s);
        if (roots_.phi.empty()) return true;
        const unsigned most = std::max(corrections, algebra.m.degree() + 2);
        double first = 0, now = 0;
        for (unsigned k = 0; k < most; ++k) {
            m.u.clear(), m.udot.clear();
            std::vector<Series> phi = walk(roots_.phi, m);
            if (!why.empty()) return false;
            if (is_closed) {
                for (Series& row : phi) std::erase_if(row, [](const auto& term) { return term.first == 0; });
            }
            now = 0;
            for (const Series& row : phi) {
                for (const auto& term : row) now = std::max(now, algebra.field.size(term.second));
            }
            if (k == 0) first = now;
            const double step = correct(m.s, dependent, closing, phi);
            m.q = coordinates(m.s);
            if (k > algebra.m.degree() && step <= accuracy) break;
        }
        if (!(now <= 1e-7 * std::max(first, 1.0))) {
            why = "the constraints cannot be followed as a power series here: their rank changes, or the mechanism is at a dead end";
            return false;
        }
        return true;
    }

    bool solve_speeds(Moment<C>& m, const std::vector<Series>& qdot) {
        m.u.assign(e_.u.size(), {});
        std::vector<std::size_t> all(e_.u.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
        const unsigned most = std::max(corrections, algebra.m.degree() + 2);
        for (unsigned k = 0; k < most; ++k) {
            std::vector<Series> rest = walk(roots_.qdot, m);
            if (!why.empty()) return false;
            for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = algebra.subtract(rest[i], qdot[i]);
            const double step = correct(m.u, all, speeds, rest);
            if (k >= algebra.m.degree() && step <= accuracy) break;
        }
        return true;
    }

    std::vector<std::vector<Series>> rates(const std::vector<Moment<C>>& moments, std::vector<Series> Moment<C>::* what, bool is_moving,
                                           const TimeRate& time_rate) {
        std::vector<std::vector<Series>> out(moments.size());
        for (std::size_t k = 0; k < moments.size(); ++k) {
            if (k > 0 && !is_moving) {
                out[k] = out[0];
                continue;
            }
            for (const Series& x : moments[k].*what) out[k].push_back(algebra.rate(x));
        }
        if (!is_moving) return out;
        for (std::size_t i = 0; i < out[0].size(); ++i) {
            std::vector<Series> along;
            for (const Moment<C>& m : moments) along.push_back((m.*what)[i]);
            const std::vector<Series> partial = time_rate(along);
            for (std::size_t k = 0; k < out.size(); ++k) out[k][i] = algebra.add(out[k][i], partial[k]);
        }
        return out;
    }

    bool project(Moment<C>& m) {
        const std::vector<Series> R = walk(roots_.residual, m);
        if (!why.empty()) return false;
        m.residual.assign(n_, {});
        for (std::size_t j = 0; j < m.u.size(); ++j) {
            for (std::size_t k = 0; k < n_; ++k) {
                m.residual[k] = algebra.add(m.residual[k], algebra.multiply(algebra.derivative(m.u[j], n_ + k), R[j]));
            }
        }
        return true;
    }

    const eom::EquationsOfMotion& e_;
    const LocalCoordinates& local_;
    const MotionRoots& roots_;
    std::size_t n_;
};

}  // namespace linkwright::perturb
