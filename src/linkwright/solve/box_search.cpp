#include "linkwright/solve/box_search.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace linkwright::solve {

namespace {

constexpr double underflow = 1e-280;  ///< all rows smaller than this: nothing is left of F to decide by
constexpr double at = 0.4871;         ///< where a box is cut: not in the middle, where symmetric models have their zeros
constexpr double shrinks = 0.7;       ///< a box cut to less than this much is looked at again before it is divided
constexpr int rounds = 8;
constexpr std::size_t most_clusters = 300;  ///< more of them, not joined yet, are no points but a line or a face of zeros

VectorXd middle_of(const Box& x) {
    VectorXd m(static_cast<Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) m[static_cast<Index>(i)] = x[i].middle();
    return m;
}
Box point(const VectorXd& x) {
    Box b;
    for (const double v : x) b.emplace_back(v);
    return b;
}
bool is_inside(const Box& inner, const Box& outer) {
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (!outer[i].contains(inner[i])) return false;
    }
    return true;
}
bool is_inside(const VectorXd& x, const Box& outer) { return is_inside(point(x), outer); }

class BoxSearch {
public:
    BoxSearch(const Enclose& enclose, const BoxSearchOptions& options) : enclose_(enclose), options_(options) {}

    ZerosInBox operator()(const Box& box) {
        push(box);
        while (!waiting_.empty() && found_.looked < options_.budget && goes_on(options_.goes_on)) {
            const Box next = waiting_.top().box;
            waiting_.pop();
            look_at(next);
            if (found_.clusters.size() > most_clusters) break;
        }
        if (found_.clusters.size() > most_clusters) {
            found_.open.insert(found_.open.end(), found_.clusters.begin(), found_.clusters.end());
            found_.clusters.clear();
        }
        for (; !waiting_.empty(); waiting_.pop()) {
            if (!is_known(waiting_.top().box)) found_.open.push_back(waiting_.top().box);
        }
        join_clusters();
        return found_;
    }

private:
    struct Waiting {
        double distance;
        Box box;
        bool operator<(const Waiting& other) const { return distance > other.distance; }  // the nearest on top
    };
    /// A box in which `zero` is the only one.
    struct Known {
        Box box;
        VectorXd zero;
    };
    struct Newton {
        Box box;  ///< K(X)
        VectorXd next;
        bool is_there = false;    ///< there are bounds for J, and A exists
        bool is_regular = false;  ///< A J(X) holds no singular matrix: at most one zero
    };

    double width(const Box& x, std::size_t i) const {
        const auto k = static_cast<Index>(i);
        return x[i].width() / (options_.scale[k] + std::abs(x[i].middle() - options_.from[k]));
    }
    std::size_t widest(const Box& x) const {
        std::size_t w = 0;
        for (std::size_t i = 1; i < x.size(); ++i) w = width(x, i) > width(x, w) ? i : w;
        return w;
    }
    bool is_known(const Box& x) const {
        return std::ranges::any_of(known_, [&](const Known& k) { return is_inside(x, k.box); });
    }

    void push(Box x) {
        double d = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto k = static_cast<Index>(i);
            const double gap = std::max({0.0, x[i].lower - options_.from[k], options_.from[k] - x[i].upper}) / options_.scale[k];
            d += gap * gap;
        }
        waiting_.push({d, std::move(x)});
    }

    void look_at(Box x) {
        for (int round = 0; round < rounds; ++round) {
            if (is_known(x)) return;
            ++found_.looked;
            const Enclosure here = enclose_(x, true);
            for (const Interval& f : here.F) {
                if (f.is_empty() || !f.contains(0.0)) return;
            }
            if (std::ranges::all_of(here.F, [](const Interval& f) { return f.size() < underflow; }) &&
                width(x, widest(x)) > options_.smallest) {
                found_.open.push_back(std::move(x));
                return;
            }
            const VectorXd m = middle_of(x);
            const Enclosure there = enclose_(point(m), true);
            if (!may_vanish(x, m, here, there)) return;
            const Newton newton = krawczyk(x, m, here, there);
            if (newton.is_regular && settle(x, newton.next)) return;
            if (width(x, widest(x)) < options_.smallest) return found_.clusters.push_back(std::move(x));
            if (!newton.is_there || !cut(x, newton.box)) break;
            if (std::ranges::any_of(x, &Interval::is_empty)) return;
        }
        divide(x);
    }

    /// F(m) + J(X) (X − m), row by row.
    static bool may_vanish(const Box& x, const VectorXd& m, const Enclosure& here, const Enclosure& there) {
        const std::size_t n = x.size();
        for (std::size_t r = 0; r < here.F.size(); ++r) {
            Interval f = there.F[r];
            for (std::size_t j = 0; j < n; ++j) f = f + here.J[r * n + j] * (x[j] - Interval(m[static_cast<Index>(j)]));
            if (!f.is_empty() && !f.contains(0.0)) return false;
        }
        return true;
    }

    Newton krawczyk(const Box& x, const VectorXd& m, const Enclosure& here, const Enclosure& there) const {
        const std::size_t n = x.size(), rows = here.F.size();
        Newton k;
        MatrixXd J(static_cast<Index>(rows), static_cast<Index>(n));
        for (std::size_t i = 0; i < rows * n; ++i) {
            if (!here.J[i].is_bounded() || !there.J[i].is_bounded()) return k;
            J(static_cast<Index>(i / n), static_cast<Index>(i % n)) = there.J[i].middle();
        }
        VectorXd weight(J.rows());
        for (Index r = 0; r < J.rows(); ++r) {
            const double size = (J.row(r) * options_.scale.asDiagonal()).lpNorm<Eigen::Infinity>();
            weight[r] = size > 0 ? 1 / size : 0;
            if (!there.F[static_cast<std::size_t>(r)].is_bounded() || !std::isfinite(weight[r])) return k;
        }
        const MatrixXd scaled = weight.asDiagonal() * J * options_.scale.asDiagonal();
        const Svd svd = make_svd(scaled);
        if (svd.rank(1e-12) < scaled.cols()) return k;
        const MatrixXd A =
            options_.scale.asDiagonal() * svd.v * svd.s.cwiseInverse().asDiagonal() * svd.u.transpose() * weight.asDiagonal();
        k.is_there = k.is_regular = true;
        k.next = m;
        for (std::size_t i = 0; i < n; ++i) {
            Interval sum = Interval(m[static_cast<Index>(i)]);
            for (std::size_t r = 0; r < rows; ++r) sum = sum - Interval(A(static_cast<Index>(i), static_cast<Index>(r))) * there.F[r];
            k.next[static_cast<Index>(i)] = sum.middle();
            double off = 0;  // ‖1 − A J(X)‖ < 1 in the norm of the scales
            for (std::size_t j = 0; j < n; ++j) {
                Interval e(i == j ? 1 : 0);
                for (std::size_t r = 0; r < rows; ++r)
                    e = e - Interval(A(static_cast<Index>(i), static_cast<Index>(r))) * here.J[r * n + j];
                sum = sum + e * (x[j] - Interval(m[static_cast<Index>(j)]));
                off += e.size() * options_.scale[static_cast<Index>(j)] / options_.scale[static_cast<Index>(i)];
            }
            k.is_regular &= off < 0.99;
            k.box.push_back(sum);
        }
        return k;
    }

    Newton krawczyk(const Box& x) const {
        const VectorXd m = middle_of(x);
        return krawczyk(x, m, enclose_(x, true), enclose_(point(m), true));
    }

    /// At most one zero is in x. Is it one, in a box a little larger? Then that box is known, and x done with. A zero at the border of x is
    /// found in this way too.
    bool settle(const Box& x, VectorXd zero) {
        for (int i = 0; i < 30; ++i) {
            for (std::size_t j = 0; j < x.size(); ++j) {
                const double reach = 2 * x[j].width() + 1e-9 * options_.scale[static_cast<Index>(j)];
                if (!(std::abs(zero[static_cast<Index>(j)] - x[j].middle()) <= reach)) return false;
            }
            const VectorXd before = zero;
            const Newton step = krawczyk(point(zero));
            if (!step.is_there) return false;
            zero = step.next;
            if ((zero - before).cwiseQuotient(options_.scale).lpNorm<Eigen::Infinity>() < 1e-13) break;
        }
        Box around = x;
        for (std::size_t j = 0; j < x.size(); ++j) {
            const auto k = static_cast<Index>(j);
            around[j] = hull(x[j], Interval(zero[k]));
            const double more = 0.1 * around[j].width() + 1e-9 * (options_.scale[k] + std::abs(zero[k]));
            around[j] = {around[j].lower - more, around[j].upper + more};
        }
        const Newton there = krawczyk(around);
        found_.looked += 1;
        if (!there.is_regular || !is_inside(there.box, around)) return false;
        if (std::ranges::none_of(known_, [&](const Known& k) { return is_inside(k.zero, around) && is_inside(zero, k.box); })) {
            if (is_new(zero)) found_.zeros.push_back(zero);
        }
        known_.push_back({std::move(around), std::move(zero)});
        return true;
    }
    bool is_new(const VectorXd& zero) const {
        return std::ranges::none_of(
            found_.zeros, [&](const VectorXd& z) { return (z - zero).cwiseQuotient(options_.scale).lpNorm<Eigen::Infinity>() < 1e-10; });
    }

    /// x to what it shares with `to`; was that worth it?
    static bool cut(Box& x, const Box& to) {
        bool is_less = false;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Interval part = shared(x[i], to[i]);
            is_less |= part.is_empty() || part.width() < shrinks * x[i].width();
            x[i] = part;
        }
        return is_less;
    }

    void divide(const Box& x) {
        const std::size_t i = widest(x);
        const double where = x[i].lower + at * x[i].width();
        Box left = x, right = x;
        left[i].upper = right[i].lower = where;
        push(std::move(left)), push(std::move(right));
    }

    /// Boxes that touch, or nearly, are one.
    void join_clusters() {
        const auto near = [&](const Box& a, const Box& b) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double slack = 100 * options_.smallest * (options_.scale[static_cast<Index>(i)] + a[i].size());
                if (a[i].lower > b[i].upper + slack || b[i].lower > a[i].upper + slack) return false;
            }
            return true;
        };
        std::vector<Box>& all = found_.clusters;
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t j = i + 1; j < all.size(); ++j) {
                if (!near(all[i], all[j])) continue;
                for (std::size_t k = 0; k < all[i].size(); ++k) all[i][k] = hull(all[i][k], all[j][k]);
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
                j = i;
            }
        }
    }

    const Enclose& enclose_;
    const BoxSearchOptions& options_;
    std::priority_queue<Waiting> waiting_;
    std::vector<Known> known_;
    ZerosInBox found_;
};

}  // namespace

ZerosInBox zeros_in_box(const Enclose& enclose, const Box& box, const BoxSearchOptions& options) {
    return BoxSearch(enclose, options)(box);
}

Box box_without(Box box, const std::vector<Box>& open, const VectorXd& from) {
    for (const Box& hole : open) {
        std::size_t best = box.size();
        double kept = -1;
        bool is_apart = false;
        for (std::size_t i = 0; i < box.size(); ++i) {
            is_apart |= hole[i].lower >= box[i].upper || hole[i].upper <= box[i].lower;
            const double x = from[static_cast<Index>(i)];
            const double left = hole[i].lower > x ? (hole[i].lower - x) / (box[i].upper - x) : -1;
            const double right = hole[i].upper < x ? (x - hole[i].upper) / (x - box[i].lower) : -1;
            if (std::max(left, right) > kept) kept = std::max(left, right), best = i;
        }
        if (is_apart) continue;
        if (best == box.size()) return {};
        (hole[best].lower > from[static_cast<Index>(best)] ? box[best].upper = hole[best].lower : box[best].lower = hole[best].upper);
    }
    return box;
}

}  // namespace linkwright::solve
