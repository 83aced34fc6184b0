#include "linkwright/linear/design/place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "linkwright/solve/bounded.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Of = EigenvalueTargets::Of;

constexpr double no_effect = 1e-12;  ///< of J D: relative change of an eigenvalue for that of a parameter
constexpr double flat = 1e-12;       ///< of |r|²: what a step may win at a minimum
constexpr double runaway = 1e4;      ///< of a parameter: how many times its first value
constexpr std::size_t most_detours = 6;

/// What is found at some values of the parameters.
struct Look {
    VectorXd p;
    numeric::OperatingPoint point;
    Pairing taken = Pairing::singly;
    EigenvalueSensitivity of;
    Assignment match;
    Distance far;
    bool is_ok = true, is_wrong_input = false;
    std::string why, hint;
    double size() const { return far.r.squaredNorm(); }
};

class Search {
public:
    Search(numeric::CompiledEquations& numbers, const OperatingPoints& points, const Linearizer& linearizer, const Sensitivity& sensitivity,
           const PlaceOptions& options)
        : numbers_(numbers), points_(points), linearizer_(linearizer), sensitivity_(sensitivity), o_(options) {}

    Placement run();

private:
    Look look(const VectorXd& p, const numeric::OperatingPoint* before, Pairing taken);
    Look exact_look(const VectorXd& p, const numeric::OperatingPoint* before, Pairing taken);
    void derivatives_by_differences(Look& at);
    Look walk(Look at);
    Look start_elsewhere(Look at, const VectorXd& first);
    Look descend(Look at);
    std::optional<Look> curved_step(const Look& at);
    std::optional<Look> detour(const Look& at, bool is_minimum);
    void choose_branches(Look& at) const;
    VectorXd step(const MatrixXd& J, const VectorXd& r, const VectorXd& p, double nu) const;
    VectorXd step(const Look& at, double nu) const { return step(at.far.J, at.far.r, at.p, nu); }
    VectorXd clamped(VectorXd p) const;
    bool is_better(const Look& trial, const Look& at) const {
        if (!trial.is_ok || !(trial.size() < at.size() * (1 - 1e-12))) return false;
        if (is_there(trial)) return true;
        return (!trial.match.is_forced || at.match.is_forced) && (trial.far.has_derivatives || trial.far.error < 0.5 * at.far.error);
    }
    bool pushes_outside(const Look& at, Index k) const;
    void record(const Look& at, bool is_full) { found_.walk.push_back({at.p, at.far.values, at.far.error, is_full}); }
    bool is_there(const Look& at) const { return at.far.error <= o_.tolerance; }
    bool may_go_on() const { return !is_stopped_ && found_.walk.size() <= o_.iterations; }
    std::string reason(const Look& at) const;

    numeric::CompiledEquations& numbers_;
    const OperatingPoints& points_;
    const Linearizer& linearizer_;
    const Sensitivity& sensitivity_;
    const PlaceOptions& o_;
    Placement found_;
    VectorXd scale_, first_scale_;  ///< D: how large a parameter is, and was
    std::size_t detours_ = 0;
    std::string last_failure_;
    bool is_stopped_ = false;
};

Look Search::exact_look(const VectorXd& p, const numeric::OperatingPoint* before, Pairing taken) {
    Look l;
    l.p = p, l.taken = taken;
    const auto fail = [&](std::string why, bool is_wrong = false, std::string hint = "") {
        l.is_ok = false;
        l.is_wrong_input = is_wrong && before == nullptr;
        l.why = std::move(why), l.hint = std::move(hint);
        return l;
    };
    is_stopped_ = is_stopped_ || !goes_on(o_.goes_on, std::min(found_.walk.size(), o_.iterations), o_.iterations);
    if (is_stopped_) return fail(interrupted);
    for (std::size_t k = 0; k < o_.vary.size(); ++k) numbers_.set(o_.vary[k], p[k]);
    l.point = points_.find(before);
    if (!l.point.is_ok) return fail(l.point.why);
    const Linearization at = linearizer_(l.point, {.onto = {}, .checks_rank = before == nullptr});
    if (!at.is_ok) return fail(at.why);
    const Modes m = modes(at);
    if (!m.is_ok) return fail(m.why);
    const EigenvalueTargets& wish = o_.wish;
    const char* instead = "--poles takes complex ones, --frequencies those of oscillation";
    if (wish.of == Of::lambda && !m.has_lambda)
        return fail(fmt::format("there are no λ of K x = λ M x here: the mechanism is {}", m.why_no_lambda), true, instead);
    l.of = sensitivity_.eigenvalues(at, m, points_.derivatives(l.point, o_.vary), o_.vary,
                                    wish.of == Of::lambda ? Eigenvalues::lambda_or_poles : Eigenvalues::poles);
    if (!l.of.is_ok) return fail(l.of.why);
    if (wish.of == Of::lambda && !l.of.is_lambda)
        return fail("this is not an equilibrium: there are no λ of K x = λ M x here", true, instead);
    const std::size_t has = states(l.of), wants = wish.states();
    if (wants > has) {
        switch (wish.of) {
            case Of::lambda:
                return fail(fmt::format("{} λ are required, and the mechanism has {}", wants, has), true,
                            "K x = λ M x has one λ for each degree of freedom; give at most that many");
            case Of::pole:
                return fail(fmt::format("{} poles are required, and the mechanism has {} (both of a pair counted)", wants, has), true,
                            "give fewer");
            case Of::frequency:
                return fail(fmt::format("{} frequencies are required, and the mechanism has {} poles, two for each", wants / 2, has), true,
                            "give fewer");
        }
    }
    l.match = match(wish, l.of, taken, scale_);
    if (!l.match.is_ok) return fail("there are not enough eigenvalues of the required kind, and none that could become one");
    l.far = distance(wish, l.match, l.of, l.of.derivatives);
    if (!l.far.r.allFinite() || !l.far.J.allFinite()) return fail("the eigenvalues or their derivatives are not finite there");
    return l;
}

Look Search::look(const VectorXd& p, const numeric::OperatingPoint* before, Pairing taken) {
    Look l = exact_look(p, before, taken);
    if (l.is_ok && !l.far.has_derivatives && taken == Pairing::in_pairs && !is_there(l)) derivatives_by_differences(l);
    return l;
}

/// Where two real poles meet they have no derivatives, but their sum and product do.
void Search::derivatives_by_differences(Look& at) {
    for (const Assignment::Part& part : at.match.parts) {
        const auto is_defective = [&](Index row) { return at.of.multiplicity[row] == Multiplicity::defective; };
        if (std::ranges::none_of(part.rows, is_defective)) continue;
        if (part.rows.size() != 2) return;
        const std::complex<double> here = at.of.values[part.rows[0]];
        for (Index j = 0; j < at.of.values.size(); ++j) {  // of three that meet, two are not smooth
            if (j != part.rows[0] && j != part.rows[1] && std::abs(at.of.values[j] - here) <= 1e-3 * std::abs(here)) return;
        }
    }
    MatrixXd J(at.far.J.rows(), at.far.J.cols());
    for (Index k = 0; k < at.p.size(); ++k) {
        const VectorXd h = 1e-5 * scale_[k] * VectorXd::Unit(at.p.size(), k);
        const Look up = exact_look(clamped(at.p + h), &at.point, at.taken), down = exact_look(clamped(at.p - h), &at.point, at.taken);
        const double width = up.p[k] - down.p[k];
        if (width == 0) {
            J.col(k).setZero();
            continue;
        }
        if (!up.is_ok || !down.is_ok || up.far.r.size() != J.rows() || down.far.r.size() != J.rows()) return;
        J.col(k) = (up.far.r - down.far.r) / width;
    }
    if (!J.allFinite()) return;
    at.far.J = J;
    at.far.has_derivatives = true;
}

VectorXd Search::clamped(VectorXd p) const {
    for (Index k = 0; k < p.size(); ++k) {
        const double low = o_.low[k], high = o_.high[k], rounding = 1e-15 * std::abs(p[k]);
        p[k] = p[k] <= low + rounding ? low : p[k] >= high - rounding ? high : p[k];
    }
    return p;
}

/// At a bound, and the way down leads through it.
bool Search::pushes_outside(const Look& at, Index k) const {
    const double down = -at.far.J.col(k).dot(at.far.r), p = at.p[k];
    if (std::abs(down) * scale_[k] <= 1e-9 * (at.far.J * scale_.asDiagonal()).norm() * at.far.r.norm()) return false;
    return (p <= o_.low[k] && down < 0) || (p >= o_.high[k] && down > 0);
}

/// min |r + J d|² + ν |D⁻¹d|² within the bounds.
VectorXd Search::step(const MatrixXd& J, const VectorXd& r, const VectorXd& p, double nu) const {
    const Index np = p.size(), rows = r.size();
    MatrixXd A = MatrixXd::Zero(rows + (nu > 0 ? np : 0), np);
    VectorXd b = VectorXd::Zero(A.rows());
    A.topRows(rows) = J * scale_.asDiagonal();
    b.head(rows) = -r;
    if (nu > 0) A.bottomRows(np).diagonal().setConstant(std::sqrt(nu));
    const VectorXd low = (Eigen::Map<const VectorXd>(o_.low.data(), np) - p).cwiseQuotient(scale_),
                   high = (Eigen::Map<const VectorXd>(o_.high.data(), np) - p).cwiseQuotient(scale_);
    return solve::least_squares_within(A, b, low, high).cwiseProduct(scale_);
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
        for (Index k = 0; k < np; ++k)
            d[k] = scale_[k] * (start < 2 * np ? (start / 2 == k ? (start % 2 == 0 ? 1 : -1) : 0) : number(random));
        for (int round = 0; round < 8; ++round) {
            trial.far = distance(o_.wish, at.match, at.of, branches(o_.wish, at.match, at.of, d));
            const VectorXd next = step(trial, 0);
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
    if (at.far.has_derivatives) {
        const solve::SingularValues svd = solve::singular_values(JD, solve::SingularVectors::full, solve::SingularVectors::full);
        const VectorXd& s = svd.s;
        for (Index k = np - 1; k >= 0; --k) {
            if (k >= s.size() || s[k] <= 1e-6 * std::max(s[0], no_effect)) directions.emplace_back(svd.v.col(k));
        }
    }
    if (!at.far.has_derivatives || !is_minimum) {
        std::minstd_rand random(1);
        std::uniform_real_distribution<double> number(-1, 1);
        for (Index k = 0; k < np && np > 1; ++k) directions.emplace_back(VectorXd::Unit(np, k));
        for (int k = 0; k < 3; ++k) directions.emplace_back(VectorXd::NullaryExpr(np, [&] { return number(random); }).normalized());
    }
    std::optional<Look> best;
    const double limit = at.far.has_derivatives ? at.size() * (1 - 1e-9) : std::numeric_limits<double>::infinity();
    for (const double far : at.far.has_derivatives ? std::vector<double>{1e-1, 1e-2} : std::vector<double>{1e-3, 1e-2}) {
        for (const VectorXd& direction : directions) {
            for (const double sign : {1, -1}) {
                const VectorXd p = clamped(at.p + sign * far * scale_.cwiseProduct(direction));
                if (p == at.p) continue;
                Look next = look(p, &at.point, at.taken);
                if (!next.is_ok || !(next.far.has_derivatives || is_there(next)) || !(next.size() < (best ? best->size() : limit)))
                    continue;
                best = std::move(next);
            }
        }
        if (best) break;
    }
    if (!best) return std::nullopt;
    ++detours_;
    const std::string note = at.far.has_derivatives
                                 ? "the derivatives vanish along some direction there, so the parameters were moved a little way along it; "
                                   "the other way may lead elsewhere"
                                 : "an eigenvalue has no derivative there (it is defective), so the parameters were moved a little";
    if (std::ranges::find(found_.notes, note) == found_.notes.end()) found_.notes.push_back(note);
    return best;
}

/// Newton's step for a minimum where r does not vanish: the gradient Jᵀr itself is differentiated, by differences.
std::optional<Look> Search::curved_step(const Look& at) {
    if (at.far.is_parting) return std::nullopt;
    const Index np = at.p.size();
    const VectorXd down = at.far.J.transpose() * at.far.r;
    MatrixXd H(np, np);
    for (Index k = 0; k < np; ++k) {
        const double h = (at.p[k] + 1e-5 * scale_[k] <= o_.high[k] ? 1e-5 : -1e-5) * scale_[k];
        const VectorXd p = clamped(at.p + h * VectorXd::Unit(np, k));
        if (p == at.p) {
            H.col(k) = at.far.J.transpose() * at.far.J.col(k);
            continue;
        }
        const Look there = look(p, &at.point, at.taken);
        if (!there.is_ok || !there.far.has_derivatives || there.far.is_parting || there.far.r.size() != at.far.r.size())
            return std::nullopt;
        H.col(k) = (there.far.J.transpose() * there.far.r - down) / (p[k] - at.p[k]);
    }
    const MatrixXd scaled = scale_.asDiagonal() * (0.5 * (H + H.transpose())) * scale_.asDiagonal();
    const solve::SymmetricEigen eigen = solve::symmetric_eigen(scaled);
    if (!eigen.ok) return std::nullopt;
    // as a problem of least squares, curvatures that are negative turned over
    const double most = eigen.values.cwiseAbs().maxCoeff();
    if (!(most > 0)) return std::nullopt;
    const VectorXd root = eigen.values.cwiseAbs().cwiseMax(1e-8 * most).cwiseSqrt();
    const MatrixXd A = root.asDiagonal() * eigen.vectors.transpose() * scale_.cwiseInverse().asDiagonal();
    const VectorXd b = (eigen.vectors.transpose() * scale_.cwiseProduct(down)).cwiseQuotient(root);
    const VectorXd d = step(A, b, at.p, 0);
    for (double part = 1; part > 0.02; part /= 3) {
        Look trial = look(clamped(at.p + part * d), &at.point, at.taken);
        if (is_better(trial, at)) return trial;
    }
    return std::nullopt;
}

Look Search::descend(Look at) {
    bool is_slow = false;
    std::size_t crawls = 0;
    while (!is_there(at) && may_go_on() && !(crawls >= 4 && (at.p.array().abs() > runaway * first_scale_.array()).any())) {
        const double before = at.size();
        std::optional<Look> next;
        bool is_full = true, is_minimum = false;
        if (at.far.has_derivatives) {
            choose_branches(at);
            const double effect = (at.far.J * scale_.asDiagonal()).squaredNorm();
            const VectorXd newton = step(at, 0);
            const double gain = before - (at.far.r + at.far.J * newton).squaredNorm();
            is_minimum = effect <= no_effect * no_effect || gain <= flat * before;
            if (is_slow && !is_minimum) {
                next = curved_step(at);
                is_full = !next;
            }
            for (double nu = 0; !is_minimum && !next && nu <= 1e12 * effect; nu = nu == 0 ? 1e-4 * effect : 10 * nu) {
                const VectorXd d = nu == 0 ? newton : step(at, nu);
                if ((d.array() / scale_.array()).abs().maxCoeff() < 1e-15) break;
                Look trial = look(clamped(at.p + d), &at.point, at.taken);
                if (!trial.is_ok) last_failure_ = trial.why;
                if (!is_better(trial, at)) continue;
                next = std::move(trial);
                is_full = nu == 0;
            }
            is_minimum = is_minimum || (!next && gain <= 1e4 * flat * before);
        }
        if (!next) {
            is_full = false;
            // a minimum that rounding alone keeps from its end is none to leave
            if (at.far.error < 1e-8) break;
            next = detour(at, is_minimum);
        }
        if (!next) break;
        at = std::move(*next);
        is_slow = at.size() > 0.8 * before;
        crawls = at.size() > (1 - 1e-4) * before ? crawls + 1 : 0;
        for (Index k = 0; k < at.p.size(); ++k) {
            if (at.p[k] != 0) scale_[k] = std::max(std::abs(at.p[k]), 1e-2 * scale_[k]);
        }
        record(at, is_full);
    }
    return at;
}

std::string Search::reason(const Look& at) const {
    if (is_stopped_) return interrupted;
    std::string why =
        may_go_on() ? fmt::format("from this start these parameters come no nearer than a relative error of {:.3g}", at.far.error)
                    : fmt::format("not converged after {} iterations: the largest relative error is {:.3g}", o_.iterations, at.far.error);
    const auto name = [&](Index k) { return numbers_.equations().parameters[o_.vary[k]].symbol.symbol().name; };
    std::vector<std::string> held, idle, away;
    for (Index k = 0; k < at.p.size(); ++k) {
        if (pushes_outside(at, k)) {
            held.push_back(fmt::format("{} at {:.6g}", name(k), at.p[k]));
        } else if (std::abs(at.p[k]) > runaway * first_scale_[k]) {
            away.push_back(fmt::format("{} to {:.3g}", name(k), at.p[k]));
        } else if (at.far.has_derivatives && at.far.J.col(k).norm() * scale_[k] <= no_effect) {
            idle.push_back(name(k));
        }
    }
    if (!away.empty()) why += fmt::format("; diverging, with less and less effect: {}", fmt::join(away, ", "));
    if (!held.empty()) why += fmt::format("; bounds are in the way: {}", fmt::join(held, ", "));
    if (!idle.empty())
        why += fmt::format("; {} {} no effect on {} there", fmt::join(idle, ", "), idle.size() == 1 ? "has" : "have",
                           at.far.r.size() == 1 ? "it" : "them");
    const bool is_of_another_kind = !match(o_.wish, at.of, Pairing::singly, scale_).is_ok;
    if (is_of_another_kind)
        why += o_.wish.of == Of::frequency ? "; there some of it does not oscillate"
                                           : "; there some poles are pairs where real ones are wanted, or real where a pair is";
    if (!last_failure_.empty()) why += "; further steps failed: " + last_failure_;
    return why;
}

/// Descends, in pairs too where there are poles.
Look Search::walk(Look at) {
    at = descend(std::move(at));
    if (o_.wish.of != Of::lambda && !is_there(at)) {
        const std::size_t kept = found_.walk.size();
        const VectorXd scale = scale_;
        const std::string failure = last_failure_;
        const auto other = [&](const Look& from, Pairing taken) {
            Look next = look(from.p, &from.point, taken);
            return next.is_ok ? descend(std::move(next)) : next;
        };
        Look next = at.taken == Pairing::singly ? other(at, Pairing::in_pairs) : at;
        // least squares are those of single eigenvalues in the end, where there are such
        if (next.is_ok && !is_there(next)) {
            Look single = other(next, Pairing::singly);
            if (single.is_ok && (next.match.is_forced || !single.match.is_forced)) next = std::move(single);
        }
        if (next.is_ok &&
            (is_there(next) || at.taken == Pairing::in_pairs || (next.taken == Pairing::singly && next.size() < at.size() * (1 - 1e-9)))) {
            at = std::move(next);
        } else {
            found_.walk.resize(kept), scale_ = scale, last_failure_ = failure;
        }
    }
    return at;
}

/// From a minimum to other places, for there may be a lower one: first those that bounds suggest where they hold a parameter.
Look Search::start_elsewhere(Look at, const VectorXd& first) {
    const Index np = at.p.size();
    VectorXd middle = first;
    std::vector<Index> held;
    for (Index k = 0; k < np; ++k) {
        const double low = o_.low[k], high = o_.high[k];
        if (std::isfinite(low) && std::isfinite(high)) middle[k] = low > 0 ? std::sqrt(low * high) : (low + high) / 2;
        if (low < high && pushes_outside(at, k)) held.push_back(k);
    }
    if ((at.far.J * scale_.asDiagonal()).norm() <= no_effect) return at;
    std::vector<VectorXd> starts;
    if (!held.empty()) starts = {at.p, first, middle, at.p};
    for (const Index k : held) {
        const double low = o_.low[k], high = o_.high[k], other = at.p[k] == low ? high : low;
        starts[0][k] = starts[1][k] = middle[k];
        starts[3][k] = std::isfinite(other) ? other : middle[k];
    }
    std::minstd_rand random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int n = 0; n < 4; ++n)
        starts.push_back(clamped(
            VectorXd::NullaryExpr(np, [&](Index k) { return first[k] != 0 ? first[k] * std::exp(number(random)) : number(random); })));
    const std::size_t kept = found_.walk.size();
    for (const VectorXd& start : starts) {
        const VectorXd scale = scale_;
        const std::string failure = last_failure_;
        const std::vector<std::string> notes = found_.notes;
        scale_ = first_scale_;
        Look next = look(start, &at.point, at.taken);
        if (next.is_ok) {
            record(next, false);
            next = walk(std::move(next));
        }
        if (next.is_ok && (is_there(next) || (next.taken == at.taken && next.size() < at.size() * (1 - 1e-6)))) {
            found_.notes.emplace_back("the first search ended at a local minimum; another start led to a lower one");
            return next;
        }
        found_.walk.resize(kept), found_.notes = notes, scale_ = scale, last_failure_ = failure;
    }
    return at;
}

Placement Search::run() {
    const Index np = o_.vary.size();
    VectorXd p(np);
    scale_.resize(np);
    for (Index k = 0; k < np; ++k) {
        p[k] = numbers_.parameters()[o_.vary[k]];
        scale_[k] = p[k] != 0 ? std::abs(p[k]) : 1;
    }
    first_scale_ = scale_;
    const bool has_kinds = o_.wish.of != Of::lambda;
    Look at = look(p, nullptr, Pairing::singly);
    const bool has_poles = has_kinds && !at.is_wrong_input && at.of.is_ok && at.of.values.size() > 0;
    if (has_poles && (!at.match.is_ok || (!is_there(at) && (at.match.is_forced || !at.far.has_derivatives)))) {
        Look pairs = look(p, nullptr, Pairing::in_pairs);
        if (!at.is_ok || (pairs.is_ok && (at.match.is_forced ? !pairs.match.is_forced : pairs.far.has_derivatives))) at = std::move(pairs);
    }
    found_.point = at.point;
    if (!at.is_ok) {
        found_.is_wrong_input = at.is_wrong_input;
        found_.why = at.why, found_.hint = at.hint;
        return found_;
    }
    record(at, true);
    at = walk(std::move(at));
    if (!is_there(at) && may_go_on()) at = start_elsewhere(std::move(at), p);
    for (std::size_t k = 0; k < o_.vary.size(); ++k) numbers_.set(o_.vary[k], at.p[k]);
    found_.point = at.point;
    found_.notes.insert(found_.notes.end(), at.of.notes.begin(), at.of.notes.end());
    for (std::size_t k = 0; k < o_.vary.size(); ++k) {
        if (at.p[k] == o_.low[k] || at.p[k] == o_.high[k]) found_.at_bound.push_back(k);
    }
    // rounding may end the walk a little before a tolerance that is too fine
    found_.is_converged = is_there(at) || (may_go_on() && at.far.error <= 1e3 * std::max(o_.tolerance, 1e-14) && at.far.error < 1e-8);
    if (!found_.is_converged) found_.why = reason(at);
    double apart = 0;
    for (std::size_t i = 0; o_.wish.of == Of::pole && i < o_.wish.values.size(); ++i)
        apart = std::max(apart, std::abs(at.far.values[i] - o_.wish.values[i]) / o_.wish.size(i));
    if (found_.is_converged && apart > std::max(1e-8, 2 * at.far.error)) {
        found_.notes.push_back(fmt::format(
            "two equal poles are met by their sum and product; each by itself is {:.1e} off, for poles that meet part like a root", apart));
    }
    return found_;
}

}  // namespace

Placement place(numeric::CompiledEquations& numbers, const OperatingPoints& points, const Linearizer& linearizer,
                const Sensitivity& sensitivity, const PlaceOptions& options) {
    return Search(numbers, points, linearizer, sensitivity, options).run();
}

}  // namespace linkwright::linear
