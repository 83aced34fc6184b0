#include "linkwright/linear/design/eigenvalue_targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linkwright/solve/eigen.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;
using Of = EigenvalueTargets::Of;

constexpr double never = 1e100;  ///< a cost

bool is_pair(Complex z) { return z.imag() != 0; }

/// For ascending wishes the ascending choice of least cost.
std::vector<Index> in_order(const MatrixXd& cost) {
    const Index n = cost.rows(), m = cost.cols();
    MatrixXd total = MatrixXd::Constant(n + 1, m + 1, std::numeric_limits<double>::infinity());
    total.row(0).setZero();
    for (Index i = 1; i <= n; ++i) {
        for (Index j = i; j <= m; ++j) total(i, j) = std::min(total(i, j - 1), total(i - 1, j - 1) + cost(i - 1, j - 1));
    }
    std::vector<Index> which(static_cast<std::size_t>(n));
    for (Index i = n, j = m; i > 0; --j) {
        if (total(i, j) != total(i, j - 1)) which[--i] = j - 1;
    }
    return which;
}

/// Which eigenvalues the parameters leave where they are, and which of them may have a wish nevertheless.
struct Still {
    std::vector<bool> rows;
    double norm = 0;
    bool operator[](Index row) const { return rows[row]; }
    bool meets(Complex value, Complex wish) const { return std::abs(value - wish) <= 1e-9 * std::abs(wish) + 1e-12 * norm; }
};

Still still_rows(const EigenvalueTargets& wish, const EigenvalueSensitivity& of, const VectorXd& scale, Pairing taken) {
    Still still;
    if (of.values.size() > 0) still.norm = of.values.cwiseAbs().maxCoeff();
    const bool is_of_frequency = wish.of == Of::frequency && taken == Pairing::singly;
    for (Index i = 0; i < of.values.size(); ++i) {
        const Multiplicity multiplicity = of.multiplicity[i];
        const MatrixXcd derivatives = of.derivatives.row(i);
        const double moves = is_of_frequency ? (derivatives.imag() * scale.asDiagonal()).norm() : (derivatives * scale.asDiagonal()).norm();
        still.rows.push_back(multiplicity == Multiplicity::ignorable ||
                             (multiplicity != Multiplicity::defective && moves <= 1e-11 * std::abs(of.values[i]) + 1e-15 * still.norm));
    }
    for (const Coinciding& group : of.coinciding) {  // any of them may take the branch that moves
        bool moves = false;
        for (std::size_t c = 0; c < group.by.size(); ++c) {
            moves = moves || group.by[c].norm() * scale[c] > 1e-11 * std::abs(of.values[group.members[0]]) + 1e-15 * still.norm;
        }
        for (const Index row : group.members) still.rows[row] = !moves;
    }
    return still;
}

/// Only those that never move, whatever the parameters.
Still ignorable_rows(const EigenvalueSensitivity& of) {
    Still still;
    for (const Multiplicity multiplicity : of.multiplicity) still.rows.push_back(multiplicity == Multiplicity::ignorable);
    return still;
}

Assignment match_singly(const EigenvalueTargets& wish, const EigenvalueSensitivity& of, const Still& still, bool is_in_order) {
    Assignment found;
    std::vector<Index> rows;
    for (Index i = 0; i < of.values.size(); ++i) {
        if (wish.of != Of::frequency || is_pair(of.values[i])) rows.push_back(i);
    }
    const auto n = static_cast<Index>(wish.values.size()), m = static_cast<Index>(rows.size());
    if (m < n) return found.is_ok = false, found;
    MatrixXd cost(n, m);
    for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        for (Index j = 0; j < m; ++j) {
            const Index row = rows[j];
            const Complex w = wish.values[k], v = wish.of == Of::frequency ? of.values[row].imag() : of.values[row];
            const double d = wish.weight(k) / wish.size(k) * std::abs(v - w);
            const bool suits = (wish.of != Of::pole || is_pair(v) == is_pair(w)) && (!still[row] || still.meets(v, w));
            cost(i, j) = suits ? d * d : never;
        }
    }
    const std::vector<Index> which = is_in_order ? in_order(cost) : solve::assign(cost);
    for (Index i = 0; i < n; ++i) {
        const Index j = which[i];
        if (j < 0 || cost(i, j) >= never) return found.is_ok = false, found;
        found.parts.push_back({{static_cast<std::size_t>(i)}, {rows[j]}, true});
    }
    return found;
}

/// Two poles by their sum and product.
struct Couple {
    double S = 0, P = 0;
    Couple(const EigenvalueSensitivity& of, const std::vector<Index>& rows) {
        const Complex a = of.values[rows[0]], b = rows.size() > 1 ? of.values[rows[1]] : std::conj(a);
        S = (a + b).real(), P = (a * b).real();
    }
    Couple(Complex a, Complex b) : S((a + b).real()), P((a * b).real()) {}
};

/// What two wishes, or one with its conjugate, ask of S and P, and how large these are.
struct Wanted2 {
    Couple couple;
    double s = 1, p = 1;
};
Wanted2 wanted_of(const EigenvalueTargets& wish, const std::vector<std::size_t>& wishes) {
    const Complex a = wish.values[wishes[0]], b = wishes.size() > 1 ? wish.values[wishes[1]] : std::conj(a);
    Wanted2 w{Couple(a, b)};
    const double size = std::abs(a) + std::abs(b);
    w.s = size > 0 ? size : 1;
    w.p = std::abs(a * b) > 1e-6 * w.s * w.s ? std::abs(a * b) : w.s * w.s / 4;
    return w;
}

double cost_of_couple(const EigenvalueTargets& wish, const std::vector<std::size_t>& wishes, const Couple& c) {
    const double weight = wish.weight(wishes[0]);
    if (wish.of == Of::frequency) {
        const double square = std::norm(wish.values[wishes[0]]);
        return weight * std::abs(c.P - c.S * c.S / 4 - square) / (2 * square);
    }
    const Wanted2 w = wanted_of(wish, wishes);
    return weight * std::hypot((c.S - w.couple.S) / w.s, (c.P - w.couple.P) / w.p);
}

Assignment match_in_pairs(const EigenvalueTargets& wish, const EigenvalueSensitivity& of, const Still& still) {
    Assignment found;
    std::vector<bool> taken(static_cast<std::size_t>(of.values.size()), false);
    const auto is_taken = [&](Index row) { return taken[row]; };
    // real wishes in twos, neighbours together; the one that is left over is the one that a real pole is nearest to
    std::vector<std::vector<std::size_t>> twos;
    std::vector<std::size_t> real;
    for (std::size_t i = 0; i < wish.values.size(); ++i) {
        if (wish.of == Of::frequency || is_pair(wish.values[i])) {
            twos.push_back({i});
            continue;
        }
        Index met = -1;  // by one that stays there
        for (Index j = 0; j < of.values.size(); ++j) {
            if (still[j] && !is_taken(j) && !is_pair(of.values[j]) && still.meets(of.values[j], wish.values[i])) met = j;
        }
        if (met < 0) {
            real.push_back(i);
        } else {
            taken[met] = true;
            found.parts.push_back({{i}, {met}, true});
        }
    }
    std::ranges::sort(real, {}, [&](std::size_t i) { return wish.values[i].real(); });
    std::optional<std::size_t> alone;
    if (real.size() % 2 == 1) {
        std::size_t best = real.size() - 1;
        double least = never;
        for (std::size_t k = 0; k < real.size(); ++k) {
            for (Index j = 0; j < of.values.size(); ++j) {
                const double d = std::abs(of.values[j] - wish.values[real[k]]) / wish.size(real[k]);
                if (!is_pair(of.values[j]) && !still[j] && d < least) least = d, best = k;
            }
        }
        alone = real[best];
        real.erase(real.begin() + static_cast<std::ptrdiff_t>(best));
    }
    for (std::size_t k = 0; k + 1 < real.size(); k += 2) twos.push_back({real[k], real[k + 1]});

    std::vector<std::vector<Index>> couples;
    for (Index i = 0; i < of.values.size(); ++i) {
        if (is_pair(of.values[i])) couples.push_back({i});
        for (Index j = 0; j < i; ++j) {
            if (!is_pair(of.values[i]) && !is_pair(of.values[j]) && !still[i] && !still[j]) couples.push_back({j, i});
        }
    }
    std::vector<std::tuple<double, std::size_t, std::size_t>> near;
    for (std::size_t i = 0; i < twos.size(); ++i) {
        for (std::size_t j = 0; j < couples.size(); ++j) {
            const double cost = cost_of_couple(wish, twos[i], Couple(of, couples[j]));
            if (!still[couples[j][0]] || cost <= 1e-9 * wish.weight(twos[i][0])) near.emplace_back(cost, i, j);
        }
    }
    std::ranges::sort(near);
    std::vector<bool> has(twos.size(), false);
    for (const auto& [cost, i, j] : near) {
        if (has[i] || std::ranges::any_of(couples[j], is_taken)) continue;
        has[i] = true;
        for (const Index row : couples[j]) taken[row] = true;
        found.parts.push_back({twos[i], couples[j], false});
    }
    found.is_ok = std::ranges::all_of(has, [](bool b) { return b; });
    if (alone) {
        const Complex w = wish.values[*alone];
        Index best = -1;
        for (Index j = 0; j < of.values.size(); ++j) {
            if (is_taken(j) || still[j]) continue;
            const auto rank = [&](Index row) { return std::pair(is_pair(of.values[row]), std::abs(of.values[row] - w)); };
            if (best < 0 || rank(j) < rank(best)) best = j;
        }
        if (best < 0) return found.is_ok = false, found;
        found.parts.push_back({{*alone}, {best}, !is_pair(of.values[best])});
    }
    return found;
}

}  // namespace

std::size_t EigenvalueTargets::states() const {
    std::size_t n = 0;
    for (const Complex w : values) n += of == Of::frequency || (of == Of::pole && is_pair(w)) ? 2 : 1;
    return n;
}

std::size_t states(const EigenvalueSensitivity& of) {
    std::size_t n = 0;
    for (const Complex v : of.values) n += is_pair(v) ? 2 : 1;
    return n;
}

Assignment match(const EigenvalueTargets& wish, const EigenvalueSensitivity& of, Pairing taken, const VectorXd& scale) {
    const bool is_in_order = wish.of != Of::pole, is_single = taken == Pairing::singly || wish.of == Of::lambda;
    const Still still = still_rows(wish, of, scale, taken), ignorable = ignorable_rows(of);
    Assignment found = is_single ? match_singly(wish, of, still, is_in_order) : match_in_pairs(wish, of, still);
    if (!found.is_ok && is_single && is_in_order) found = match_singly(wish, of, still, false);  // one passes the other that stays
    if (found.is_ok) return found;
    found = is_single ? match_singly(wish, of, ignorable, is_in_order) : match_in_pairs(wish, of, ignorable);
    found.is_forced = found.is_ok;
    return found;
}

MatrixXcd branches(const EigenvalueTargets& wish, const Assignment& match, const EigenvalueSensitivity& of, const VectorXd& direction) {
    MatrixXcd derivatives = of.derivatives;
    if (of.coinciding.empty()) return derivatives;
    VectorXcd needed = VectorXcd::Zero(of.values.size());
    std::vector<bool> is_wished(static_cast<std::size_t>(of.values.size()), false);
    for (const Assignment::Part& part : match.parts) {
        for (std::size_t k = 0; k < part.rows.size(); ++k) {
            const Index row = part.rows[k];
            const Complex w = wish.values[part.wishes[std::min(k, part.wishes.size() - 1)]];
            needed[row] = (wish.of == Of::frequency ? Complex(0, w.real()) : w) - of.values[row];
            if (wish.of == Of::frequency) needed[row].real(0);
            is_wished[row] = true;
        }
    }
    for (const Coinciding& group : of.coinciding) {
        const auto size = static_cast<Index>(group.members.size());
        MatrixXcd D = MatrixXcd::Zero(size, size);
        for (std::size_t c = 0; c < group.by.size(); ++c) D += direction[c] * group.by[c];
        const solve::ComplexEigen eigen = solve::complex_eigen(D);
        if (!eigen.ok) continue;
        const solve::ComplexFullLu lu(eigen.vectors);
        if (!(lu.rcond() > 1e-8)) continue;
        VectorXcd go = eigen.values, need(size);
        for (Index k = 0; k < size; ++k) need[k] = needed[group.members[k]];
        if (wish.of == Of::frequency) go.real().setZero();
        if (go.norm() > 0) go /= go.norm();
        if (need.norm() > 0) need /= need.norm();
        MatrixXd cost = MatrixXd::Zero(size, size);
        for (Index k = 0; k < size; ++k) {
            if (!is_wished[group.members[k]]) continue;
            for (Index b = 0; b < size; ++b) cost(k, b) = std::norm(need[k] - go[b]);
        }
        const std::vector<Index> which = solve::assign(cost);
        for (std::size_t c = 0; c < group.by.size(); ++c) {
            const VectorXcd along = lu.solve(group.by[c] * eigen.vectors).diagonal();
            for (Index k = 0; k < size; ++k) derivatives(group.members[k], static_cast<Index>(c)) = along[which[k]];
        }
    }
    return derivatives;
}

Distance distance(const EigenvalueTargets& wish, const Assignment& match, const EigenvalueSensitivity& of, const MatrixXcd& derivatives) {
    Distance d;
    const Index np = derivatives.cols();
    d.values = VectorXcd::Zero(wish.values.size());
    std::vector<double> r;
    std::vector<VectorXd> gradients;
    const auto add = [&](double value, const VectorXd& gradient) { r.push_back(value), gradients.push_back(gradient); };
    for (const Assignment::Part& part : match.parts) {
        for (const Index row : part.rows) {
            const Multiplicity multiplicity = of.multiplicity[row];
            if (multiplicity == Multiplicity::defective) d.has_derivatives = false;
            if (multiplicity == Multiplicity::repeated) d.is_parting = true;
        }
        const std::size_t i = part.wishes[0];
        const Complex w = wish.values[i], v = of.values[part.rows[0]];
        const VectorXcd dv = derivatives.row(part.rows[0]).transpose();
        const double weight = wish.weight(i), size = wish.size(i);
        if (part.is_single) {
            const Complex value = wish.of == Of::frequency ? v.imag() : v;
            d.values[i] = v;
            d.error = std::max(d.error, std::abs(value - w) / size);
            add(weight / size * (value - w).real(), weight / size * (wish.of == Of::frequency ? VectorXd(dv.imag()) : VectorXd(dv.real())));
            if (wish.of == Of::pole && is_pair(w)) add(weight / size * (v - w).imag(), weight / size * dv.imag());
            continue;
        }
        const Couple c(of, part.rows);
        const bool is_couple = part.rows.size() > 1;
        const Complex other = is_couple ? of.values[part.rows[1]] : std::conj(v);
        const VectorXcd d_other = is_couple ? VectorXcd(derivatives.row(part.rows[1]).transpose()) : VectorXcd(dv.conjugate());
        const VectorXd dS = (dv + d_other).real(), dP = (other * dv + v * d_other).real();
        d.values[i] = v;
        if (wish.of == Of::frequency) {
            const double square = std::norm(w);
            d.error =
                std::max(d.error, is_couple ? std::max(1.0, std::sqrt(c.S * c.S / 4 - c.P) / size) : std::abs(v.imag() - w.real()) / size);
            add(weight * (c.P - c.S * c.S / 4 - square) / (2 * square), weight / (2 * square) * (dP - c.S / 2 * dS));
            continue;
        }
        if (part.wishes.size() == 1 && !is_pair(w)) {  // one real wish, and a pair that may hold it
            d.error = std::max(d.error, std::abs(v - w) / size);
            add(weight * ((w * w).real() - c.S * w.real() + c.P) / (size * size), weight / (size * size) * (dP - w.real() * dS));
            continue;
        }
        const Wanted2 wanted = wanted_of(wish, part.wishes);
        const double first = (c.S - wanted.couple.S) / wanted.s, second = (c.P - wanted.couple.P) / wanted.p;
        add(weight * first, weight / wanted.s * dS);
        add(weight * second, weight / wanted.p * dP);
        const Complex second_wish = part.wishes.size() > 1 ? wish.values[part.wishes[1]] : std::conj(w);
        if (part.wishes.size() > 1) d.values[part.wishes[1]] = other;
        const double far = std::abs(second_wish) > 0 ? std::abs(second_wish) : 1;
        const bool is_double = std::abs(w - second_wish) <= 1e-6 * wanted.s;
        const double straight = std::max(std::abs(v - w) / size, std::abs(other - second_wish) / far);
        d.error = std::max(d.error, is_double ? std::max(std::abs(first), std::abs(second)) : straight);
    }
    d.r = Eigen::Map<const VectorXd>(r.data(), static_cast<Index>(r.size()));
    d.J.resize(d.r.size(), np);
    for (Index k = 0; k < d.r.size(); ++k) d.J.row(k) = gradients[k].transpose();
    return d;
}

}  // namespace linkwright::linear
