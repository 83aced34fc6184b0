#include "linkwright/solve/nearest_closure.hpp"

#include <algorithm>

#include "linkwright/solve/scale.hpp"

namespace linkwright::solve {

namespace {

class Nearest {
public:
    Nearest(const Closure& closure, const VectorXd& guess, std::span<const Index> held, AssembleOptions options)
        : closure_(closure), guess_(guess), held_(held), options_(std::move(options)) {
        options_.starts = 0;
        for (Index i = 0; i < guess.size(); ++i) {
            if (std::ranges::find(held, i) == held.end()) free_.push_back(i);
        }
    }

    NearestClosure operator()(VectorXd x) const {
        constexpr Index most = 50;
        NearestClosure found{.x = std::move(x)};
        for (; found.iterations < most; ++found.iterations) {
            const MatrixXd J = jacobian(found.x);
            const MatrixXd N = free_.empty()   ? MatrixXd()
                               : J.rows() == 0 ? MatrixXd::Identity(J.cols(), J.cols())
                                               : null_space(J, options_.rank_tolerance);
            const VectorXd slope = N.cols() == 0 ? VectorXd() : VectorXd(N.transpose() * away(found.x));
            found.ok = slope.size() == 0 || slope.lpNorm<Eigen::Infinity>() <= 1e-11 * (1 + found.x.lpNorm<Eigen::Infinity>());
            if (found.ok || !advance(found.x, J, N, slope)) break;
        }
        return found;
    }

private:
    /// x − guess of the free unknowns.
    VectorXd away(const VectorXd& x) const {
        VectorXd d(static_cast<Index>(free_.size()));
        for (Index k = 0; k < d.size(); ++k) d[k] = x[free_[k]] - guess_[free_[k]];
        return d;
    }
    VectorXd moved(VectorXd x, const VectorXd& step) const {
        for (Index k = 0; k < step.size(); ++k) x[free_[k]] += step[k];
        return x;
    }
    /// Of the free unknowns, rows of length 1.
    MatrixXd jacobian(const VectorXd& x) const {
        VectorXd phi;
        MatrixXd J;
        closure_(x, phi, J);
        return row_scale(J).asDiagonal() * take_columns(J, free_);
    }
    /// ∂(Jᵀμ)/∂x along the columns of N, by differences; the rows are scaled as they are at x.
    MatrixXd curvature(const VectorXd& x, const MatrixXd& N, const VectorXd& mu) const {
        VectorXd phi;
        MatrixXd J;
        closure_(x, phi, J);
        const VectorXd weighted = row_scale(J).cwiseProduct(mu);
        const double h = 1e-5 * (1 + x.lpNorm<Eigen::Infinity>());
        MatrixXd C(N.rows(), N.cols());
        for (Index k = 0; k < N.cols(); ++k) {
            MatrixXd ahead, behind;
            closure_(moved(x, h * N.col(k)), phi, ahead);
            closure_(moved(x, -h * N.col(k)), phi, behind);
            C.col(k) = take_columns(ahead - behind, free_).transpose() * weighted / (2 * h);
        }
        return C;
    }

    /// A step that comes nearer; false when there is none.
    bool advance(VectorXd& x, const MatrixXd& J, const MatrixXd& N, const VectorXd& slope) const {
        VectorXd y = -slope;  // steepest, where the second derivatives are of no use
        if (J.rows() > 0) {
            const VectorXd mu = solve_least_squares(J.transpose(), -away(x), options_.rank_tolerance).x;
            const MatrixXd H = MatrixXd::Identity(N.cols(), N.cols()) + N.transpose() * curvature(x, N, mu);
            if (const Solution newton = solve_definite((H + H.transpose()) / 2, -slope); newton.ok) y = newton.x;
        }
        // Near the end the gain is less than the rounding of the distance, and Newton's step is as good as it will be.
        const double here = away(x).norm(), allowed = -slope.dot(y) < 1e-12 * here * here ? here * (1 + 1e-13) : here;
        for (double part = 1; part > 1e-6; part /= 4) {
            const Assembly next = assemble(closure_, moved(x, part * (N * y)), held_, options_);
            if (!next.ok || !(away(next.x).norm() < allowed)) continue;
            x = next.x;
            return true;
        }
        return false;
    }

    const Closure& closure_;
    const VectorXd& guess_;
    std::span<const Index> held_;
    AssembleOptions options_;
    std::vector<Index> free_;
};

}  // namespace

NearestClosure nearest_closure(const Closure& closure, const VectorXd& guess, const VectorXd& closed, std::span<const Index> held,
                               AssembleOptions options) {
    return Nearest(closure, guess, held, std::move(options))(closed);
}

}  // namespace linkwright::solve
