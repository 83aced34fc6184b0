#include "linkwright/analysis/place.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace linkwright::analysis {

namespace {

using Index = Eigen::Index;
using Of = Wish::Of;

constexpr double no_effect = 1e-12;       ///< of J D: relative change of an eigenvalue for that of a parameter
constexpr double flat = 1e-12;            ///< of |r|²: what a full step may win at a minimum
constexpr std::size_t most_detours = 6;

/// What is found at some values of the parameters.
struct Look {
    VectorXd p;
    OperatingPoint point;
    Taken taken = Taken::singly;
    EigenvalueSlopes of;
    Match match;
    Distance far;
    bool is_ok = true, is_wrong_input = false;
    std::string why, hint;
    double size() const { return far.r.squaredNorm(); }
};

class Search {
public:
    Search(Numbers& numbers, const OperatingPoints& points, const Linearizer& linearizer, const Sensitivity& sensitivity, const PlaceOptions& options)
        : numbers_(numbers), points_(points), linearizer_(linearizer), sensitivity_(sensitivity), o_(options) {}

    Placement run();

private:
    Look look(const VectorXd& p, const OperatingPoint* before, Taken taken);
    Look descend(Look at);
    std::optional<Look> detour(const Look& at, bool is_minimum);
    void choose_branches(Look& at) const;
    VectorXd step(const Look& at, const VectorXd& r, double nu) const;
    VectorXd clamped(VectorXd p) const;
    bool pushes_outside(const Look& at, Index k) const;
    void record(const Look& at, bool is_full) { found_.walk.push_back({at.p, at.far.values, at.far.error, is_full}); }
    bool is_there(const Look& at) const { return at.far.error <= o_.tolerance; }
    bool may_go_on() const { return found_.walk.size() <= o_.iterations; }
    std::string reason(const Look& at) const;

    Numbers& numbers_;
    const OperatingPoints& points_;
    const Linearizer& linearizer_;
    const Sensitivity& sensitivity_;
    const PlaceOptions& o_;
    Placement found_;
    VectorXd scale_;               ///< D: how large a parameter is
    std::size_t detours_ = 0;
    std::string last_failure_;
};

Look Search::look(const VectorXd& p, const OperatingPoint* before, Taken taken) {
    Look l;
    l.p = p, l.taken = taken;
    const auto fail = [&](std::string why, bool is_wrong = false, std::string hint = "") {
        l.is_ok = false;
        l.is_wrong_input = is_wrong && before == nullptr;
        l.why = std::move(why), l.hint = std::move(hint);
        return l;
    };
    for (std::size_t k = 0; k < o_.vary.size(); ++k) numbers_.set(o_.vary[k], p[static_cast<Index>(k)]);
    l.point = points_.find(before);
    if (!l.point.is_ok) return fail(l.point.why);
    const Linearization at = linearizer_(l.point, {.onto = {}, .checks_rank = before == nullptr});
    if (!at.is_ok) return fail(at.why);
    const Modes m = modes(at);
    if (!m.is_ok) return fail(m.why);
    const Wish& wish = o_.wish;
    const char* instead = "--poles takes complex ones, --frequencies those of oscillation";
    if (wish.of == Of::lambda && !m.has_lambda) return fail(fmt::format("there are no λ of K x = λ M x here: the mechanism is {}", m.why_no_lambda), true, instead);
    l.of = sensitivity_.eigenvalues(at, m, points_.slopes(l.point, o_.vary), o_.vary, wish.of == Of::lambda ? Eigenvalues::lambda_or_poles : Eigenvalues::poles);
    if (!l.of.is_ok) return fail(l.of.why);
    if (wish.of == Of::lambda && !l.of.is_lambda) return fail("this is no state of equilibrium: there are no λ of K x = λ M x here", true, instead);
    const std::size_t has = states(l.of), wants = wish.states();
    if (wants > has) {
        switch (wish.of) {
            case Of::lambda: return fail(fmt::format("{} λ are wanted, and the mechanism has {}", wants, has), true, "K x = λ M x has one λ for each freedom; fewer wishes than that may be given");
            case Of::pole: return fail(fmt::format("{} poles are wanted, and the mechanism has {} (both of a pair counted)", wants, has), true, "fewer wishes than that may be given");
            case Of::frequency: return fail(fmt::format("{} frequencies are wanted, and the mechanism has {} poles, two for each", wants / 2, has), true, "fewer wishes than that may be given");
        }
    }
    l.match = match(wish, l.of, taken);
    if (!l.match.is_ok) return fail("there are not enough eigenvalues of the kind that is wanted, and none that could become such");
    l.far = distance(wish, l.match, l.of, l.of.derivatives);
    if (!l.far.r.allFinite() || !l.far.J.allFinite()) return fail("the eigenvalues or their derivatives are not finite there");
    return l;
}

VectorXd Search::clamped(VectorXd p) const {
    for (Index k = 0; k < p.size(); ++k) p[k] = std::clamp(p[k], o_.low[static_cast<std::size_t>(k)], o_.high[static_cast<std::size_t>(k)]);
    return p;
}

/// At a bound, and the way down leads through it.
bool Search::pushes_outside(const Look& at, Index k) const {
    const double down = -at.far.J.col(k).dot(at.far.r), p = at.p[k];
    if (std::abs(down) * scale_[k] <= 1e-9 * (at.far.J * scale_.asDiagonal()).norm() * at.far.r.norm()) return false;
    return (p <= o_.low[static_cast<std::size_t>(k)] && down < 0) || (p >= o_.high[static_cast<std::size_t>(k)] && down > 0);
}

/// The step of least squares from r on parameters that are free to take it.
VectorXd Search::step(const Look& at, const VectorXd& r, double nu) const {
    const VectorXd& p = at.p;
    const MatrixXd& J = at.far.J;
    const Index np = p.size(), rows = r.size();
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
        VectorXd rest = r;
        for (Index k = 0; k < np; ++k) {
            if (!is_free[static_cast<std::size_t>(k)]) rest += J.col(k) * d[k];
        }
        b.head(rows) = -rest;
        for (Index k = 0; k < nf; ++k) A.col(k).head(rows) = J.col(free[static_cast<std::size_t>(k)]) * scale_[free[static_cast<std::size_t>(k)]];
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

/// The J with which the step along d is the one that has the branches of d, of several such d the one that comes nearest.
void Search::choose_branches(Look& at) const {
    if (!at.far.is_parting) return;
    const Index np = at.p.size();
    std::minstd_rand random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    Look trial = at;
    double least = std::numeric_limits<double>::infinity();
    for (Index start = 0; start < 2 * np + 8; ++start) {
        VectorXd d(np);
        for (Index k = 0; k < np; ++k) d[k] = scale_[k] * (start < 2 * np ? (start / 2 == k ? (start % 2 == 0 ? 1 : -1) : 0) : number(random));
        for (int round = 0; round < 8; ++round) {
            trial.far = distance(o_.wish, at.match, at.of, branches(o_.wish, at.match, at.of, d));
            const VectorXd next = step(trial, trial.far.r, 0);
            const bool is_same = (next - d).norm() <= 1e-9 * next.norm();
            d = next;
            if (is_same || d.isZero(0)) break;
        }
        trial.far = distance(o_.wish, at.match, at.of, branches(o_.wish, at.match, at.of, d));
        const double left = (trial.far.r + trial.far.J * d).norm();
        if (left >= least * (1 - 1e-9)) continue;
        least = left;
        at.far = trial.far;
    }
}

/// A little way along directions that J does not see; where there is no J, along any.
std::optional<Look> Search::detour(const Look& at, bool is_minimum) {
    if (detours_ >= most_detours) return std::nullopt;
    const Index np = at.p.size();
    std::vector<VectorXd> directions;
    const MatrixXd JD = at.far.J * scale_.asDiagonal();
    if (at.far.has_slopes) {
        const Eigen::JacobiSVD<MatrixXd> svd(JD, Eigen::ComputeFullU | Eigen::ComputeFullV);
        const VectorXd s = svd.singularValues();
        for (Index k = np - 1; k >= 0; --k) {
            if (k >= s.size() || s[k] <= 1e-6 * std::max(s[0], no_effect)) directions.emplace_back(svd.matrixV().col(k));
        }
    }
    if (!at.far.has_slopes || !is_minimum) {
        std::minstd_rand random(1);
        std::uniform_real_distribution<double> number(-1, 1);
        for (Index k = 0; k < np && np > 1; ++k) directions.emplace_back(VectorXd::Unit(np, k));
        for (int k = 0; k < 3; ++k) directions.emplace_back(VectorXd::NullaryExpr(np, [&] { return number(random); }).normalized());
    }
    std::optional<Look> best;
    const double limit = at.far.has_slopes ? at.size() * (1 - 1e-9) : std::numeric_limits<double>::infinity();
    for (const double far : at.far.has_slopes ? std::vector<double>{1e-1, 1e-2} : std::vector<double>{1e-3, 1e-2}) {
        for (const VectorXd& direction : directions) {
            for (const double sign : {1, -1}) {
                const VectorXd p = clamped(at.p + sign * far * scale_.cwiseProduct(direction));
                if (p == at.p) continue;
                Look next = look(p, &at.point, at.taken);
                if (!next.is_ok || !(next.far.has_slopes || is_there(next)) || !(next.size() < (best ? best->size() : limit))) continue;
                best = std::move(next);
            }
        }
        if (best) break;
    }
    if (!best) return std::nullopt;
    ++detours_;
    const std::string note = at.far.has_slopes ? "the derivatives vanish along some direction there, so the parameters were moved a little way along it; the other way may lead elsewhere"
                                               : "an eigenvalue has no derivative there (it is defective), so the parameters were moved a little";
    if (std::ranges::find(found_.notes, note) == found_.notes.end()) found_.notes.push_back(note);
    return best;
}

Look Search::descend(Look at) {
    std::size_t slow = 0;
    while (!is_there(at) && may_go_on()) {
        const double before = at.size();
        std::optional<Look> next;
        bool is_full = true, is_minimum = false;
        if (at.far.has_slopes) {
            choose_branches(at);
            const double effect = (at.far.J * scale_.asDiagonal()).squaredNorm();
            const VectorXd newton = step(at, at.far.r, 0);
            is_minimum = effect <= no_effect * no_effect || before - (at.far.r + at.far.J * newton).squaredNorm() <= flat * before || slow >= 8;
            for (double nu = 0; !is_minimum && nu <= 1e12 * effect; nu = nu == 0 ? 1e-4 * effect : 10 * nu) {
                const VectorXd d = nu == 0 ? newton : step(at, at.far.r, nu);
                if ((d.array() / scale_.array()).abs().maxCoeff() < 1e-15) break;
                Look trial = look(at.p + d, &at.point, at.taken);
                if (trial.is_ok && trial.size() < before * (1 - 1e-12) && (trial.far.has_slopes || is_there(trial) || trial.far.error < 0.5 * at.far.error)) {
                    next = std::move(trial);
                    is_full = nu == 0;
                    break;
                }
                if (!trial.is_ok) last_failure_ = trial.why;
            }
        }
        if (!next) {
            is_full = false;
            // a minimum that rounding alone keeps from its end is none to leave
            if (at.far.error < 1e-8) break;
            next = detour(at, is_minimum);
        }
        if (!next) break;
        at = std::move(*next);
        slow = at.size() > (1 - 1e-3) * before ? slow + 1 : 0;
        for (Index k = 0; k < at.p.size(); ++k) {
            if (at.p[k] != 0) scale_[k] = std::max(std::abs(at.p[k]), 1e-2 * scale_[k]);
        }
        record(at, is_full);
    }
    return at;
}

std::string Search::reason(const Look& at) const {
    if (!may_go_on()) return fmt::format("not there after {} iterations: the largest error is {:.3g} of what is wanted", o_.iterations, at.far.error);
    std::string why = fmt::format("these parameters come no nearer than {:.3g} of what is wanted", at.far.error);
    const auto name = [&](Index k) { return numbers_.equations().parameters[o_.vary[static_cast<std::size_t>(k)]].symbol.symbol().name; };
    std::vector<std::string> held, idle;
    for (Index k = 0; k < at.p.size(); ++k) {
        if (pushes_outside(at, k)) held.push_back(fmt::format("{} at {:.6g}", name(k), at.p[k]));
        if (at.far.has_slopes && at.far.J.col(k).norm() * scale_[k] <= no_effect) idle.push_back(name(k));
    }
    if (!held.empty()) why += fmt::format("; bounds are in the way: {}", fmt::join(held, ", "));
    if (!idle.empty()) why += fmt::format("; {} {} no effect on {} there", fmt::join(idle, ", "), idle.size() == 1 ? "has" : "have", at.far.r.size() == 1 ? "it" : "them");
    const bool is_of_another_kind = !match(o_.wish, at.of, Taken::singly).is_ok;
    if (is_of_another_kind) why += o_.wish.of == Of::frequency ? "; there some of it does not oscillate" : "; there some poles are pairs where real ones are wanted, or real where a pair is";
    if (!last_failure_.empty()) why += "; further steps failed: " + last_failure_;
    return why;
}

Placement Search::run() {
    const Index np = static_cast<Index>(o_.vary.size());
    VectorXd p(np);
    scale_.resize(np);
    for (Index k = 0; k < np; ++k) {
        p[k] = numbers_.parameters()[static_cast<Index>(o_.vary[static_cast<std::size_t>(k)])];
        scale_[k] = p[k] != 0 ? std::abs(p[k]) : 1;
    }
    const bool has_kinds = o_.wish.of != Of::lambda;
    Look at = look(p, nullptr, Taken::singly);
    if (!at.is_ok && has_kinds && !at.is_wrong_input && at.of.is_ok && at.of.values.size() > 0 && !at.match.is_ok) at = look(p, nullptr, Taken::in_pairs);
    found_.point = at.point;
    if (!at.is_ok) {
        found_.is_wrong_input = at.is_wrong_input;
        found_.why = at.why, found_.hint = at.hint;
        return found_;
    }
    record(at, true);
    at = descend(std::move(at));
    if (has_kinds && !is_there(at)) {
        const std::size_t kept = found_.walk.size();
        const VectorXd scale = scale_;
        const std::string failure = last_failure_;
        const auto other = [&](const Look& from, Taken taken) {
            Look next = look(from.p, &from.point, taken);
            return next.is_ok ? descend(std::move(next)) : next;
        };
        Look next = at.taken == Taken::singly ? other(at, Taken::in_pairs) : at;
        // least squares are those of single eigenvalues in the end, where there are such
        if (next.is_ok && !is_there(next)) {
            Look single = other(next, Taken::singly);
            if (single.is_ok) next = std::move(single);
        }
        if (next.is_ok && (is_there(next) || at.taken == Taken::in_pairs || (next.taken == Taken::singly && next.size() < at.size() * (1 - 1e-9)))) {
            at = std::move(next);
        } else {
            found_.walk.resize(kept), scale_ = scale, last_failure_ = failure;
        }
    }
    for (std::size_t k = 0; k < o_.vary.size(); ++k) numbers_.set(o_.vary[k], at.p[static_cast<Index>(k)]);
    found_.point = at.point;
    found_.notes.insert(found_.notes.end(), at.of.notes.begin(), at.of.notes.end());
    for (std::size_t k = 0; k < o_.vary.size(); ++k) {
        if (at.p[static_cast<Index>(k)] == o_.low[k] || at.p[static_cast<Index>(k)] == o_.high[k]) found_.at_bound.push_back(k);
    }
    // rounding may end the walk a little before a tolerance that is too fine
    found_.is_converged = is_there(at) || (may_go_on() && at.far.error <= 1e3 * std::max(o_.tolerance, 1e-14) && at.far.error < 1e-8);
    if (!found_.is_converged) found_.why = reason(at);
    return found_;
}

}  // namespace

Placement place(Numbers& numbers, const OperatingPoints& points, const Linearizer& linearizer, const Sensitivity& sensitivity, const PlaceOptions& options) {
    return Search(numbers, points, linearizer, sensitivity, options).run();
}

}  // namespace linkwright::analysis
