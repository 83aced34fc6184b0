#include "linkwright/analysis/place.hpp"

#include <Eigen/QR>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace linkwright::analysis {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;
using Of = Wish::Of;

/// What is found at some values of the parameters.
struct Look {
    VectorXcd values;      ///< of the wishes
    VectorXd r;            ///< weighted relative errors; of poles real parts, then imaginary ones
    MatrixXd J;            ///< by the varied parameters
    double error = 0;
    OperatingPoint point;
    std::vector<std::string> notes;
    bool is_ok = true, is_wrong_input = false;
    std::string why;
    double size() const { return r.squaredNorm(); }
};

class Search {
public:
    Search(Numbers& numbers, const OperatingPoints& points, const Linearizer& linearizer, const Sensitivity& sensitivity, const PlaceOptions& options)
        : numbers_(numbers), points_(points), linearizer_(linearizer), sensitivity_(sensitivity), o_(options) {}

    Placement run();

private:
    Look look(const VectorXd& p, const Look* before);
    bool assign(const VectorXcd& all, const Look* before, const VectorXd& step, Look& to);
    VectorXd step(const Look& at, const VectorXd& p, double nu) const;

    Numbers& numbers_;
    const OperatingPoints& points_;
    const Linearizer& linearizer_;
    const Sensitivity& sensitivity_;
    const PlaceOptions& o_;
    std::vector<Index> which_;     ///< of λ: which one each wish is for, by order; of poles: where it stood last
    VectorXd p_;                   ///< where `before` was
    VectorXd scale_;               ///< D: how large a parameter is
};


/// For ascending wishes the ascending choice with the least sum of squared differences.
std::vector<Index> in_order(const std::vector<double>& wishes, const std::vector<double>& values) {
    const std::size_t n = wishes.size(), m = values.size();
    std::vector<std::vector<double>> cost(n + 1, std::vector<double>(m + 1, std::numeric_limits<double>::infinity()));
    for (std::size_t j = 0; j <= m; ++j) cost[0][j] = 0;
    for (std::size_t i = 1; i <= n; ++i) {
        for (std::size_t j = i; j <= m; ++j) {
            const double d = wishes[i - 1] - values[j - 1];
            cost[i][j] = std::min(cost[i][j - 1], cost[i - 1][j - 1] + d * d);
        }
    }
    std::vector<Index> which(n);
    for (std::size_t i = n, j = m; i > 0; --j) {
        if (cost[i][j] == cost[i][j - 1]) continue;
        which[--i] = static_cast<Index>(j - 1);
    }
    return which;
}

bool Search::assign(const VectorXcd& all, const Look* before, const VectorXd& step, Look& to) {
    const std::size_t n = o_.wish.values.size();
    if (static_cast<std::size_t>(all.size()) < n) {
        to.is_ok = false, to.is_wrong_input = before == nullptr;
        to.why = fmt::format("{} eigenvalues are wanted, and the mechanism has {}{}", n, all.size(), o_.wish.of == Of::lambda ? "" : " (a pair counts once)");
        return false;
    }
    if (o_.wish.of == Of::pole) {  // followed: next to where the derivatives say it goes, the nearest of all pairs first
        std::vector<std::tuple<double, std::size_t, Index>> near;
        for (std::size_t i = 0; i < n; ++i) {
            Complex expected = o_.wish.values[i];
            if (before) {
                expected = before->values[static_cast<Index>(i)];
                const Index k = static_cast<Index>(i), rows = static_cast<Index>(n);
                const double weight = o_.weights.empty() ? 1 : o_.weights[i], size = std::abs(o_.wish.values[i]) > 0 ? std::abs(o_.wish.values[i]) : 1;
                if (weight > 0) expected += Complex(before->J.row(k).dot(step), before->J.row(rows + k).dot(step)) * size / weight;
            }
            for (Index j = 0; j < all.size(); ++j) near.emplace_back(std::abs(all[j] - expected), i, j);
        }
        std::ranges::sort(near);
        which_.assign(n, -1);
        std::vector<bool> taken(static_cast<std::size_t>(all.size()), false);
        for (const auto& [distance, i, j] : near) {
            if (which_[i] >= 0 || taken[static_cast<std::size_t>(j)]) continue;
            which_[i] = j, taken[static_cast<std::size_t>(j)] = true;
        }
        return true;
    }
    if (!which_.empty()) return std::ranges::all_of(which_, [&](Index k) { return k < all.size(); });
    std::vector<double> wishes, values;
    for (const Complex w : o_.wish.values) wishes.push_back(w.real());
    for (const Complex v : all) values.push_back(o_.wish.of == Of::lambda ? v.real() : v.imag());
    which_ = in_order(wishes, values);
    return true;
}

Look Search::look(const VectorXd& p, const Look* before) {
    Look l;
    const auto fail = [&](std::string why) {
        l.is_ok = false;
        l.why = std::move(why);
        return l;
    };
    for (std::size_t k = 0; k < o_.vary.size(); ++k) numbers_.set(o_.vary[k], p[static_cast<Index>(k)]);
    l.point = points_.find(before ? &before->point : nullptr);
    if (!l.point.is_ok) return fail(l.point.why);
    const Linearization at = linearizer_(l.point, {.onto = {}, .checks_rank = before == nullptr});
    if (!at.is_ok) return fail(at.why);
    const Modes m = modes(at);
    if (!m.is_ok) return fail(m.why);
    if (o_.wish.of == Of::lambda && !m.has_lambda) {
        l.is_wrong_input = before == nullptr;
        return fail(fmt::format("there are no λ of K x = λ M x here: the mechanism is {}", m.why_no_lambda));
    }
    const Slopes slopes = points_.slopes(l.point, o_.vary);
    const EigenvalueSlopes s =
        sensitivity_.eigenvalues(at, m, slopes, o_.vary, o_.wish.of == Of::lambda ? Eigenvalues::lambda_or_poles : Eigenvalues::poles);
    if (!s.is_ok) return fail(s.why);
    if (o_.wish.of == Of::lambda && !s.is_lambda) {
        l.is_wrong_input = before == nullptr;
        return fail("this is no state of equilibrium: there are no λ of K x = λ M x here");
    }
    // of frequencies those that oscillate, slow ones first: that is how poles are sorted
    std::vector<Index> rows;
    for (Index i = 0; i < s.values.size(); ++i) {
        if (o_.wish.of != Of::frequency || s.values[i].imag() > 0) rows.push_back(i);
    }
    VectorXcd all(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) all[static_cast<Index>(i)] = s.values[rows[i]];
    if (!assign(all, before, before ? VectorXd(p - p_) : VectorXd(), l)) return l.why.empty() ? fail("an eigenvalue that was followed is gone") : l;

    const Index n = static_cast<Index>(which_.size()), np = static_cast<Index>(o_.vary.size());
    const bool is_complex = o_.wish.of == Of::pole;
    l.values.resize(n);
    l.r.setZero(is_complex ? 2 * n : n);
    l.J.setZero(l.r.size(), np);
    for (Index i = 0; i < n; ++i) {
        const std::size_t k = static_cast<std::size_t>(i);
        const Index row = rows[static_cast<std::size_t>(which_[k])];
        const Complex wish = o_.wish.values[k], value = o_.wish.of == Of::frequency ? s.values[row].imag() : s.values[row];
        const double size = std::abs(wish) > 0 ? std::abs(wish) : 1, weight = o_.weights.empty() ? 1 : o_.weights[k];
        if (s.standing[static_cast<std::size_t>(row)] == Standing::defective) return fail(fmt::format("an eigenvalue at {:.6g} has no derivative there (it is defective)", value.real()));
        l.values[i] = s.values[row];
        l.error = std::max(l.error, std::abs(value - wish) / size);
        l.r[i] = weight * (value - wish).real() / size;
        for (Index c = 0; c < np; ++c) {
            const Complex d = o_.wish.of == Of::frequency ? s.derivatives(row, c).imag() : s.derivatives(row, c);
            l.J(i, c) = weight * d.real() / size;
            if (is_complex) l.J(n + i, c) = weight * d.imag() / size;
        }
        if (is_complex) l.r[n + i] = weight * (value - wish).imag() / size;
    }
    l.notes = s.notes;
    return l;
}

/// The step of least squares on parameters that are free to take it.
VectorXd Search::step(const Look& at, const VectorXd& p, double nu) const {
    const Index np = p.size(), rows = at.r.size();
    std::vector<bool> is_free(static_cast<std::size_t>(np), true);
    VectorXd d = VectorXd::Zero(np);
    for (Index round = 0; round <= np; ++round) {
        std::vector<Index> free;
        for (Index k = 0; k < np; ++k) {
            if (is_free[static_cast<std::size_t>(k)]) free.push_back(k);
        }
        if (free.empty()) return d;
        const Index nf = static_cast<Index>(free.size());
        MatrixXd A = MatrixXd::Zero(rows + (nu > 0 ? nf : 0), nf);
        VectorXd b = VectorXd::Zero(A.rows());
        VectorXd rest = at.r;
        for (Index k = 0; k < np; ++k) {
            if (!is_free[static_cast<std::size_t>(k)]) rest += at.J.col(k) * d[k];
        }
        b.head(rows) = -rest;
        for (Index k = 0; k < nf; ++k) A.col(k).head(rows) = at.J.col(free[static_cast<std::size_t>(k)]) * scale_[free[static_cast<std::size_t>(k)]];
        if (nu > 0) A.bottomRows(nf).diagonal().setConstant(std::sqrt(nu));
        Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
        solver.setThreshold(1e-12);
        solver.compute(A);
        const VectorXd x = solver.solve(b);
        bool has_hit = false;
        for (Index k = 0; k < nf; ++k) {
            const Index i = free[static_cast<std::size_t>(k)];
            const std::size_t place = static_cast<std::size_t>(i);
            d[i] = x[k] * scale_[i];
            const double kept = std::clamp(p[i] + d[i], o_.low[place], o_.high[place]);
            if (kept == p[i] + d[i]) continue;
            d[i] = kept - p[i];
            is_free[place] = false;
            has_hit = true;
        }
        if (!has_hit) return d;
    }
    return d;
}

Placement Search::run() {
    Placement found;
    const Index np = static_cast<Index>(o_.vary.size());
    VectorXd p(np);
    scale_.resize(np);
    for (Index k = 0; k < np; ++k) {
        p[k] = numbers_.parameters()[static_cast<Index>(o_.vary[static_cast<std::size_t>(k)])];
        scale_[k] = p[k] != 0 ? std::abs(p[k]) : 1;
    }
    Look at = look(p, nullptr);
    found.point = at.point;
    if (!at.is_ok) {
        found.is_wrong_input = at.is_wrong_input;
        found.why = at.why;
        return found;
    }
    found.walk.push_back({p, at.values, at.error, true});
    std::string last_failure;
    bool is_stuck = false;
    while (at.error > o_.tolerance && found.walk.size() <= o_.iterations && !is_stuck) {
        p_ = p;
        bool is_taken = false, is_full = true;
        for (double nu = 0; nu <= 1e12; nu = nu == 0 ? 1e-4 * std::max(1e-12, (at.J * scale_.asDiagonal()).squaredNorm()) : 10 * nu) {
            const VectorXd d = step(at, p, nu);
            if ((d.array() / scale_.array()).abs().maxCoeff() < 1e-15) break;
            const std::vector<Index> followed = which_;
            Look next = look(p + d, &at);
            if (next.is_ok && next.size() < at.size() * (1 - 1e-12)) {
                p += d;
                at = std::move(next);
                is_taken = true;
                is_full = nu == 0;
                break;
            }
            which_ = followed;
            if (!next.is_ok) last_failure = next.why;
        }
        if (!is_taken) {
            is_stuck = true;
            break;
        }
        for (Index k = 0; k < np; ++k) {
            if (p[k] != 0) scale_[k] = std::max(scale_[k], std::abs(p[k]));
        }
        found.walk.push_back({p, at.values, at.error, is_full});
    }
    for (std::size_t k = 0; k < o_.vary.size(); ++k) numbers_.set(o_.vary[k], p[static_cast<Index>(k)]);
    found.point = at.point;
    found.notes = at.notes;
    found.is_converged = at.error <= o_.tolerance;
    for (std::size_t k = 0; k < o_.vary.size(); ++k) {
        if (p[static_cast<Index>(k)] == o_.low[k] || p[static_cast<Index>(k)] == o_.high[k]) found.at_bound.push_back(k);
    }
    // rounding may end the walk a little before a tolerance that is too fine
    if (!found.is_converged && is_stuck && at.error <= 1e3 * std::max(o_.tolerance, 1e-14) && at.error < 1e-8) found.is_converged = true;
    if (found.is_converged) return found;
    std::vector<std::string> names;
    for (const std::size_t k : found.at_bound) {
        names.push_back(fmt::format("{} at {:.6g}", numbers_.equations().parameters[o_.vary[k]].symbol.symbol().name, p[static_cast<Index>(k)]));
    }
    if (!is_stuck) {
        found.why = fmt::format("not there after {} iterations: the largest error is {:.3g} of what is wanted", o_.iterations, at.error);
    } else {
        found.why = fmt::format("these parameters come no nearer than {:.3g} of what is wanted", at.error);
        if (!names.empty()) found.why += fmt::format("; bounds are in the way: {}", fmt::join(names, ", "));
        if (!last_failure.empty()) found.why += "; further steps failed: " + last_failure;
    }
    return found;
}

}  // namespace

Placement place(Numbers& numbers, const OperatingPoints& points, const Linearizer& linearizer, const Sensitivity& sensitivity, const PlaceOptions& options) {
    return Search(numbers, points, linearizer, sensitivity, options).run();
}

}  // namespace linkwright::analysis
