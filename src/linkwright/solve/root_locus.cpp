#include "linkwright/solve/root_locus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace linkwright::solve {

namespace {

using Complex = std::complex<double>;

struct Point {
    double p = 0;
    FamilyMember member;
    Spectrum s;
    VectorXd worth;  ///< below it, a part of an eigenvalue is rounding
};
using PointPtr = std::shared_ptr<const Point>;

/// Who goes where, and whether that is certain.
struct Match {
    std::vector<Index> to;
    bool is_sure = true;
};

/// yᴴ(ΔA)x/yᴴx, or nothing where the eigenvalue is too ill-conditioned for it to mean anything.
VectorXcd derivatives(const Point& at, const MatrixXd& change) {
    VectorXcd d = VectorXcd::Zero(at.s.values.size());
    for (Index i = 0; i < d.size(); ++i) {
        const Complex yx = at.s.left.col(i).dot(at.s.right.col(i));
        if (std::abs(yx) > 1e-7) d[i] = at.s.left.col(i).dot(change * at.s.right.col(i)) / yx;
    }
    return d;
}

Match match(const Point& a, const Point& b) {
    const Index n = a.s.values.size(), m = b.s.values.size();
    const bool is_same = a.member.layout == b.member.layout && n == m && n > 0;
    VectorXcd ahead = a.s.values, back = b.s.values;
    MatrixXd shape_class = MatrixXd::Zero(n, m);
    if (is_same) {
        const MatrixXd change = b.member.A - a.member.A;
        const double limit = 2 * (a.s.values - VectorXcd(b.s.values)).cwiseAbs().maxCoeff() + 2 * (a.s.norm + b.s.norm) / 10;
        const VectorXcd forward = derivatives(a, change), backward = derivatives(b, change);
        for (Index i = 0; i < n; ++i) {
            if (std::abs(forward[i]) < limit) ahead[i] += forward[i];
            if (std::abs(backward[i]) < limit) back[i] -= backward[i];
        }
        const MatrixXcd yx = a.s.left.adjoint() * b.s.right, xy = b.s.left.adjoint() * a.s.right;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < m; ++j) {
                const double own = std::abs(a.s.left.col(i).dot(a.s.right.col(i))) * std::abs(b.s.left.col(j).dot(b.s.right.col(j)));
                if (own > 1e-12) shape_class(i, j) = std::min(1.0, std::abs(yx(i, j)) * std::abs(xy(j, i)) / own);
            }
        }
    }
    MatrixXd distance(n, m), cost(n, m);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < m; ++j) {
            distance(i, j) = 0.5 * (std::abs(ahead[i] - b.s.values[j]) + std::abs(back[j] - a.s.values[i]));
            cost(i, j) = distance(i, j) * (2 - shape_class(i, j));
        }
    }
    Match result{.to = assign(cost)};
    for (Index i = 0; i < n && result.is_sure; ++i) {
        const Index j = result.to[i];
        if (j < 0) continue;
        for (Index k = 0; k < m; ++k) {
            const double gap = std::abs(b.s.values[k] - b.s.values[j]);
            if (k == j || gap <= b.worth[j] + b.worth[k]) continue;
            if (distance(i, j) <= 0.25 * gap || distance(i, j) <= a.worth[i] + b.worth[j]) continue;
            if (shape_class(i, j) > 0.8 && shape_class(i, k) < 0.3) continue;
            result.is_sure = false;
        }
    }
    if (n != m) result.is_sure = false;
    // Two real ones that became a pair, and back: the larger is the upper.
    const auto real = [](Complex z) { return z.imag() == 0; };
    for (Index i = 0; i < n; ++i) {
        for (Index k = i + 1; k < n; ++k) {
            Index& ji = result.to[i];
            Index& jk = result.to[k];
            if (ji < 0 || jk < 0) continue;
            const Complex zi = a.s.values[i], zk = a.s.values[k], wi = b.s.values[ji], wk = b.s.values[jk];
            if (real(zi) && real(zk) && !real(wi) && wi == std::conj(wk) && (zi.real() > zk.real()) != (wi.imag() > 0)) std::swap(ji, jk);
            if (real(wi) && real(wk) && !real(zi) && zi == std::conj(zk) && (wi.real() > wk.real()) != (zi.imag() > 0)) std::swap(ji, jk);
        }
    }
    return result;
}

class Following {
public:
    Following(const Family& family, const LocusOptions& options) : family_(family), options_(options) {}

    Locus run(std::span<const double> values) {
        if (values.empty()) return locus_;
        PointPtr before = point(values.front());
        if (!accept(before)) return locus_;
        for (Index i = 0; i < before->s.values.size(); ++i) branch_.push_back(locus_.branches++);
        add(*before, true);
        points_.push_back(before);
        for (std::size_t k = 1; k < values.size(); ++k) {
            const PointPtr next = point(values[k]);
            if (!accept(next) || !connect(before, next, options_.halvings, true)) break;
            before = next;
        }
        if (unsure_ > 0)
            locus_.notes.push_back(fmt::format("in {} place{} branches come so close that which is which was decided by order", unsure_,
                                               unsure_ == 1 ? "" : "s"));
        if (options_.finds_crossings) find_crossings();
        for (const double slope : options_.slopes) find_lines(slope);
        std::ranges::stable_sort(locus_.lines, {}, [&](const LineCrossing& c) { return direction() * c.p; });
        return std::move(locus_);
    }

private:
    PointPtr point(double p) {
        auto made = std::make_shared<Point>();
        made->p = p;
        made->member = family_(p);
        if (!made->member.ok) return made;
        made->s = spectrum(made->member.A);
        if (!made->s.ok) {
            made->member.ok = false;
            made->member.why = made->s.why;
            return made;
        }
        const Index n = made->s.values.size();
        made->worth.resize(n);
        for (Index i = 0; i < n; ++i) made->worth[i] = 500 * made->s.error[i];
        return made;
    }

    bool accept(const PointPtr& p) {
        if (p->member.ok) return true;
        locus_.ok = false;
        locus_.why = fmt::format("at {:.10g}: {}", p->p, p->member.why);
        return false;
    }

    bool connect(const PointPtr& a, const PointPtr& b, int halvings, bool is_asked) {
        const Match m = match(*a, *b);
        const double middle = a->p + (b->p - a->p) / 2;
        if (!m.is_sure && halvings > 0 && middle != a->p && middle != b->p && a->s.values.size() == b->s.values.size()) {
            const PointPtr between = point(middle);
            if (between->member.ok) return connect(a, between, halvings - 1, false) && connect(between, b, halvings - 1, is_asked);
        }
        if (!m.is_sure && a->s.values.size() == b->s.values.size()) ++unsure_;
        std::vector<std::size_t> branch(static_cast<std::size_t>(b->s.values.size()), none);
        for (std::size_t i = 0; i < m.to.size(); ++i) {
            if (m.to[i] >= 0) branch[m.to[i]] = branch_[i];
        }
        for (std::size_t& one : branch) {
            if (one == none) one = locus_.branches++;
        }
        branch_ = std::move(branch);
        add(*b, is_asked);
        points_.push_back(b);
        return true;
    }

    void add(const Point& p, bool is_asked) {
        LocusSample sample{.p = p.p, .is_asked = is_asked, .poles = {}};
        sample.poles.resize(locus_.branches);
        for (std::size_t i = 0; i < branch_.size(); ++i) {
            Complex z = p.s.values[i];
            const double worth = p.worth[i];
            if (std::abs(z.real()) <= worth) z.real(0);
            if (std::abs(z) <= worth) z = 0;
            sample.poles[branch_[i]] = z;
        }
        locus_.samples.push_back(std::move(sample));
        places_.push_back(branch_);
    }

    /// Where branch stands among the eigenvalues of sample k; −1: nowhere.
    Index place(std::size_t k, std::size_t branch) const {
        const auto at = std::ranges::find(places_[k], branch);
        return at == places_[k].end() ? -1 : static_cast<Index>(at - places_[k].begin());
    }

    /// A zero of g between the samples' points, g of the eigenvalues at the end of paths from `a`. Illinois, with halving when it is slow.
    std::optional<double> refine(const PointPtr& a, const PointPtr& b, double ga, double gb,
                                 const std::function<double(const PointPtr& from, const Point& at)>& g) {
        double left = a->p, right = b->p;
        PointPtr from = a;
        int side = 0;
        for (int k = 0; k < 100; ++k) {
            double p = (left * gb - right * ga) / (gb - ga);
            if (k % 4 == 3 || !(std::min(left, right) < p && p < std::max(left, right))) p = left + (right - left) / 2;
            if (p == left || p == right) break;
            if (std::abs(right - left) <= 4e-16 * std::max(std::abs(left), std::abs(right))) break;
            const PointPtr at = point(p);
            if (!at->member.ok) return std::nullopt;
            const double value = g(from, *at);
            if (!std::isfinite(value)) return std::nullopt;
            if (value == 0) return p;
            if ((value > 0) == (ga > 0)) {
                left = p, ga = value;
                if (side == -1) gb /= 2;
                side = -1;
            } else {
                right = p, gb = value;
                if (side == 1) ga /= 2;
                side = 1;
            }
        }
        return std::abs(ga) < std::abs(gb) ? left : right;
    }

    double zero_sign(std::size_t k, Index place) const {
        const double re = points_[k]->s.values[place].real();
        return std::abs(re) <= points_[k]->worth[place] ? 0 : re;
    }

    void find_crossings() {
        for (std::size_t branch = 0; branch < locus_.branches; ++branch) {
            std::size_t last = none;  // the last sample off the axis
            for (std::size_t k = 0; k < points_.size(); ++k) {
                const Index i = place(k, branch);
                if (i < 0) {
                    last = none;
                    continue;
                }
                const double here = zero_sign(k, i);
                if (here == 0) continue;
                if (last != none && k - last <= 2) {
                    const Index j = place(last, branch);
                    const double before = zero_sign(last, j);
                    if ((before > 0) != (here > 0)) cross(last, k, j, i, branch);
                }
                last = k;
            }
        }
        std::ranges::stable_sort(locus_.crossings, {}, [&](const AxisCrossing& c) { return direction() * c.p; });
        for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
            for (std::size_t a = 0; a < locus_.branches; ++a) {
                for (std::size_t b = a + 1; b < locus_.branches; ++b) meet(k, a, b);
            }
        }
    }

    double direction() const { return points_.size() > 1 && points_.back()->p < points_.front()->p ? -1 : 1; }

    void cross(std::size_t ka, std::size_t kb, Index ia, Index ib, std::size_t branch) {
        const PointPtr a = points_[ka], b = points_[kb];
        const Complex za = a->s.values[ia], zb = b->s.values[ib];
        if (za.imag() < 0 || zb.imag() < 0) return;
        // Through zero: past those that stay there, the smallest.
        const auto smallest = [](const Point& p, Index skip) {
            std::vector<Complex> list(p.s.values.begin(), p.s.values.end());
            std::ranges::stable_sort(list, {}, [](Complex z) { return std::abs(z); });
            return skip < static_cast<Index>(list.size()) ? list[skip] : Complex(0);
        };
        const auto zeros = [](const Point& p) {
            Index count = 0;
            for (Index i = 0; i < p.s.values.size(); ++i) count += std::abs(p.s.values[i]) <= p.worth[i] ? 1 : 0;
            return count;
        };
        const Index skip = zeros(*a);
        const bool through_zero =
            za.imag() == 0 && zb.imag() == 0 && zeros(*b) == skip && smallest(*a, skip) == za && smallest(*b, skip) == zb;
        Complex found;
        const auto value = [&](const PointPtr& from, const Point& at) {
            if (through_zero) {
                found = smallest(at, skip);
                return found.real();
            }
            // From whichever end of the interval is nearer.
            const bool near_a = std::abs(at.p - from->p) <= std::abs(at.p - b->p);
            const Match m = match(near_a ? *from : *b, at);
            const Index j = m.to[near_a ? ia : ib];
            if (j < 0) return std::numeric_limits<double>::quiet_NaN();
            found = at.s.values[j];
            return found.real();
        };
        const auto p = refine(a, b, za.real(), zb.real(), value);
        if (!p) return;
        const PointPtr at = point(*p);
        if (!at->member.ok || !std::isfinite(value(a, *at))) return;
        if (std::abs(found.real()) > 1e-6 * std::max({std::abs(za), std::abs(zb), at->s.norm * 1e-6})) return;
        if (za.imag() == 0 && zb.imag() == 0) found.imag(0);
        locus_.crossings.push_back({.p = *p, .pole = found, .branch = branch, .to_the_right = zb.real() > 0});
    }

    void find_lines(double slope) {
        for (std::size_t branch = 0; branch < locus_.branches; ++branch) {
            for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
                const Index i = place(k, branch), j = place(k + 1, branch);
                if (i < 0 || j < 0) continue;
                const Point &a = *points_[k], &b = *points_[k + 1];
                if (a.s.values[i].imag() <= a.worth[i] || b.s.values[j].imag() <= b.worth[j]) continue;  // it does not oscillate
                const double ga = above(a.s.values[i], a.p, slope), gb = above(b.s.values[j], b.p, slope);
                if (k == 0 && ga == 0) locus_.lines.push_back({a.p, a.s.values[i], branch, slope});
                if (gb == 0) locus_.lines.push_back({b.p, b.s.values[j], branch, slope});
                if (ga == 0 || gb == 0) continue;
                const Stretch stretch{points_[k], points_[k + 1], i, j, branch, slope};
                if ((ga > 0) != (gb > 0)) {
                    cross_line(stretch);
                } else if (may_touch(k, branch, slope)) {
                    cross_line_twice(stretch);
                }
            }
        }
    }

    /// A branch between two points, and a line.
    struct Stretch {
        PointPtr a, b;
        Index ia, ib;
        std::size_t branch;
        double slope;
    };
    static double above(const Complex& pole, double p, double slope) { return pole.imag() - slope * std::abs(p); }

    /// Where the branch of a stretch is at a point of it; −1: it cannot be told.
    static Index place_in(const Stretch& s, const Point& at) {
        const bool near_a = std::abs(at.p - s.a->p) <= std::abs(at.p - s.b->p);
        return match(near_a ? *s.a : *s.b, at).to[near_a ? s.ia : s.ib];
    }

    void cross_line(const Stretch& s) {
        Complex found;
        const auto value = [&](const PointPtr&, const Point& at) {
            const Index j = place_in(s, at);
            if (j < 0) return std::numeric_limits<double>::quiet_NaN();
            found = at.s.values[j];
            return above(found, at.p, s.slope);
        };
        const auto p = refine(s.a, s.b, above(s.a->s.values[s.ia], s.a->p, s.slope), above(s.b->s.values[s.ib], s.b->p, s.slope), value);
        if (!p) return;
        const PointPtr at = point(*p);
        if (!at->member.ok) return;
        const double left = value(s.a, *at);
        if (!(std::abs(left) <= 1e-6 * std::abs(found))) return;  // it jumped over the line
        locus_.lines.push_back({*p, found, s.branch, s.slope});
    }

    /// How far a branch is from a line at a sample, on the side where it is at sample `of`; nothing where there is no branch.
    std::optional<double> distance(std::size_t k, std::size_t of, std::size_t branch, double slope) const {
        const Index i = place(k, branch), j = place(of, branch);
        if (i < 0) return std::nullopt;
        const double side = above(points_[of]->s.values[j], points_[of]->p, slope) > 0 ? 1 : -1;
        return side * above(points_[k]->s.values[i], points_[k]->p, slope);
    }

    /// A branch that is on one side of a line at both ends may cross it twice in between. Where it bends away from the line, it stays above the
    /// prolonged chords of the stretches before and behind: only where these meet beyond the line is it worth looking.
    bool may_touch(std::size_t k, std::size_t branch, double slope) const {
        const double width = std::abs(points_[k + 1]->p - points_[k]->p), a = *distance(k, k, branch, slope),
                     b = *distance(k + 1, k, branch, slope);
        const auto before = k > 0 ? distance(k - 1, k, branch, slope) : std::nullopt;
        const auto behind = k + 2 < points_.size() ? distance(k + 2, k, branch, slope) : std::nullopt;
        const double steep = std::numeric_limits<double>::infinity();
        const double fall = before ? (*before - a) / std::abs(points_[k]->p - points_[k - 1]->p) : steep;
        const double rise = behind ? (*behind - b) / std::abs(points_[k + 2]->p - points_[k + 1]->p) : steep;
        if (fall <= 0 || rise <= 0) return false;
        if (std::isinf(fall) || std::isinf(rise)) return (std::isinf(fall) || a < fall * width) && (std::isinf(rise) || b < rise * width);
        return a - fall * (a + rise * width - b) / (fall + rise) < 0;  // where they meet
    }

    /// Golden section, until a point beyond the line is found; then both crossings.
    void cross_line_twice(const Stretch& s) {
        const double golden = 0.3819660112501051, narrow = 1e-4;
        const double side = above(s.a->s.values[s.ia], s.a->p, s.slope) > 0 ? 1 : -1;
        PointPtr at;
        Index place_at = -1;
        const auto value = [&](double p) {
            at = point(p);
            place_at = at->member.ok ? place_in(s, *at) : -1;
            return place_at < 0 ? std::numeric_limits<double>::quiet_NaN() : side * above(at->s.values[place_at], p, s.slope);
        };
        double left = s.a->p, right = s.b->p, p = left + golden * (right - left), here = value(p);
        while (here > 0 && std::abs(right - left) > narrow * std::abs(s.b->p - s.a->p)) {
            const bool is_right_longer = std::abs(right - p) > std::abs(p - left);
            const double next = is_right_longer ? p + golden * (right - p) : p - golden * (p - left);
            const double there = value(next);
            if (!std::isfinite(there)) return;
            if (there < here) {
                (is_right_longer ? left : right) = p;
                p = next, here = there;
            } else {
                (is_right_longer ? right : left) = next;
            }
        }
        if (!(here < 0)) return;
        cross_line({s.a, at, s.ia, place_at, s.branch, s.slope});
        cross_line({at, s.b, place_at, s.ib, s.branch, s.slope});
    }

    void meet(std::size_t k, std::size_t first, std::size_t second) {
        const PointPtr a = points_[k], b = points_[k + 1];
        const Index a1 = place(k, first), a2 = place(k, second), b1 = place(k + 1, first), b2 = place(k + 1, second);
        if (a1 < 0 || a2 < 0 || b1 < 0 || b2 < 0) return;
        const auto is_zero = [](const Point& p, Index i) { return std::abs(p.s.values[i]) <= p.worth[i]; };
        if ((is_zero(*a, a1) && is_zero(*a, a2)) && (is_zero(*b, b1) && is_zero(*b, b2))) return;  // what they do there is rounding
        const Complex za = a->s.values[a1], ya = a->s.values[a2], zb = b->s.values[b1], yb = b->s.values[b2];
        const auto are_real = [](Complex x, Complex y) { return x.imag() == 0 && y.imag() == 0; };
        const auto are_pair = [](Complex x, Complex y) { return x.imag() != 0 && x == std::conj(y); };
        const auto on_axis = [](const Point& p, Index i, Index j) {
            return std::abs(p.s.values[i].real()) <= p.worth[i] && std::abs(p.s.values[j].real()) <= p.worth[j] &&
                   p.s.values[i].imag() > 0 && p.s.values[j].imag() > 0;
        };
        const auto are_mirrored = [](const Point& p, Index i, Index j) {
            const Complex x = p.s.values[i], y = p.s.values[j];
            return x.imag() > 0 && std::abs(x.real()) > p.worth[i] &&
                   std::abs(x + std::conj(y)) <= 10 * (p.worth[i] + p.worth[j]) + 1e-9 * std::abs(x);
        };
        bool on_real = true, they_part = false;
        if (are_real(za, ya) && are_pair(zb, yb)) {
            they_part = true;
        } else if (are_pair(za, ya) && are_real(zb, yb)) {
            they_part = false;
        } else if (on_axis(*a, a1, a2) && are_mirrored(*b, b1, b2)) {
            on_real = false, they_part = true;
        } else if (are_mirrored(*a, a1, a2) && on_axis(*b, b1, b2)) {
            on_real = false, they_part = false;
        } else {
            return;
        }
        const auto square = [](Complex x, Complex y) { return (0.25 * (x - y) * (x - y)).real(); };
        Complex middle;
        const auto value = [&](const PointPtr&, const Point& at) {
            const bool near_a = std::abs(at.p - a->p) <= std::abs(at.p - b->p);
            const Match m = match(near_a ? *a : *b, at);
            const Index i = m.to[near_a ? a1 : b1], j = m.to[near_a ? a2 : b2];
            if (i < 0 || j < 0) return std::numeric_limits<double>::quiet_NaN();
            middle = 0.5 * (at.s.values[i] + at.s.values[j]);
            return square(at.s.values[i], at.s.values[j]);
        };
        const double ga = square(za, ya), gb = square(zb, yb);
        if (ga != 0 && gb != 0 && (ga > 0) == (gb > 0)) return;
        const auto p = ga == 0 ? std::optional(a->p) : gb == 0 ? std::optional(b->p) : refine(a, b, ga, gb, value);
        if (!p) return;
        const PointPtr at = point(*p);
        if (!at->member.ok || !std::isfinite(value(a, *at))) return;
        const bool is_known = std::ranges::any_of(locus_.meetings, [&](const Meeting& x) {
            return x.p == *p && x.first == first && x.second == second && x.they_part == they_part;
        });
        if (is_known) return;  // from the other side of a sample that has hit it
        locus_.meetings.push_back(
            {.p = *p, .pole = middle, .first = first, .second = second, .on_real_axis = on_real, .they_part = they_part});
    }

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    const Family& family_;
    const LocusOptions& options_;
    Locus locus_;
    std::vector<std::size_t> branch_;               ///< of each eigenvalue of the last sample
    std::vector<std::vector<std::size_t>> places_;  ///< the same of every sample
    std::vector<PointPtr> points_;
    std::size_t unsure_ = 0;
};

}  // namespace

Locus follow(const Family& family, std::span<const double> values, const LocusOptions& options) {
    for (std::size_t i = 1; i < values.size(); ++i) {
        const bool rises = values[1] > values[0];
        if (std::isfinite(values[i]) && values[i] != values[i - 1] && (values[i] > values[i - 1]) == rises) continue;
        Locus refused;
        refused.ok = false;
        refused.why = "the values are not monotone";
        return refused;
    }
    return Following(family, options).run(values);
}

}  // namespace linkwright::solve
