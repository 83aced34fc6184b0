#include "linkwright/numeric/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/motion_in_words.hpp"
#include "linkwright/numeric/quaternions.hpp"

namespace linkwright::numeric {

namespace {

using Index = Eigen::Index;

/// The quadratic equations aᵀ S a = 0, each S of size 1 at the most.
struct Quadrics {
    std::vector<MatrixXd> forms;

    VectorXd values(const VectorXd& a) const {
        VectorXd r(static_cast<Index>(forms.size()));
        for (Index j = 0; j < r.size(); ++j) r[j] = a.dot(forms[static_cast<std::size_t>(j)] * a);
        return r;
    }
    MatrixXd jacobian(const VectorXd& a) const {
        MatrixXd J(static_cast<Index>(forms.size()), a.size());
        for (Index j = 0; j < J.rows(); ++j) J.row(j) = 2 * forms[static_cast<std::size_t>(j)] * a;
        return J;
    }
    /// Whether all a = T b solve them.
    bool vanish_on(const MatrixXd& T) const {
        return std::ranges::all_of(forms, [&](const MatrixXd& S) { return (T.transpose() * S * T).cwiseAbs().maxCoeff() < 1e-7; });
    }
};

/// γ at other speeds, in rows of length 1.
class Curvature {
public:
    Curvature(const CompiledEquations& numbers, const State& state, const VectorXd& lengths)
        : numbers_(numbers), state_(state), lengths_(lengths.cwiseMax(1e-300)) {}

    VectorXd operator()(const VectorXd& u) {
        state_.u = u;
        return numbers_.dynamics(state_).gamma.cwiseQuotient(lengths_);
    }

private:
    const CompiledEquations& numbers_;
    State state_;
    VectorXd lengths_;
};

/// γ is quadratic in u: its values along two directions and between them are its matrix.
std::vector<MatrixXd> forms_of(Curvature& gamma, const MatrixXd& K, const MatrixXd& W) {
    const Index k = K.cols();
    std::vector<MatrixXd> forms(static_cast<std::size_t>(W.cols()), MatrixXd(k, k));
    std::vector<VectorXd> squares;
    for (Index i = 0; i < k; ++i) squares.push_back(W.transpose() * gamma(K.col(i)));
    for (Index i = 0; i < k; ++i) {
        for (Index l = 0; l <= i; ++l) {
            VectorXd mixed = squares[static_cast<std::size_t>(i)];
            if (l != i)
                mixed = (W.transpose() * gamma(K.col(i) + K.col(l)) - squares[static_cast<std::size_t>(i)] -
                         squares[static_cast<std::size_t>(l)]) /
                        2;
            for (Index j = 0; j < W.cols(); ++j)
                forms[static_cast<std::size_t>(j)](i, l) = forms[static_cast<std::size_t>(j)](l, i) = mixed[j];
        }
    }
    return forms;
}

/// Of forms that depend on each other, and of those that vanish (rows that are redundant everywhere), an independent few.
Quadrics independent(const std::vector<MatrixXd>& forms) {
    Quadrics q;
    if (forms.empty()) return q;
    const Index k = forms[0].rows();
    MatrixXd all(static_cast<Index>(forms.size()), k * k);
    for (Index j = 0; j < all.rows(); ++j) all.row(j) = forms[static_cast<std::size_t>(j)].reshaped().transpose();
    const solve::Svd svd = solve::make_svd(all);
    for (Index j = 0; svd.ok && j < svd.s.size() && svd.s[j] > 1e-7 * svd.s[0] && svd.s[0] > 1e-12; ++j)
        q.forms.push_back(svd.v.col(j).reshaped(k, k));
    return q;
}

/// A direction that solves the equations, from one that does not; empty where Newton's method does not get there.
VectorXd solution_near(const Quadrics& quadrics, VectorXd a) {
    a.normalize();
    for (int i = 0; i < 60; ++i) {
        const VectorXd off = quadrics.values(a);
        if (off.lpNorm<Eigen::Infinity>() < 1e-14) return a;
        const solve::Solution step = solve::solve_least_squares(quadrics.jacobian(a), -off, 1e-9);
        if (!step.ok) return {};
        a += step.x;
        if (!(a.norm() > 1e-6)) return {};
        a.normalize();
    }
    return quadrics.values(a).lpNorm<Eigen::Infinity>() < 1e-12 ? a : VectorXd();
}

/// The same space with a basis that can be read: reduced column echelon form, pivots the largest entries that are left.
MatrixXd readable_basis(MatrixXd T) {
    for (Index j = 0; j < T.cols(); ++j) {
        Index row = 0, column = 0;
        const double largest = T.rightCols(T.cols() - j).cwiseAbs().maxCoeff();
        // of entries as large as the largest the first
        for (row = 0; row < T.rows(); ++row) {
            if (T.row(row).tail(T.cols() - j).cwiseAbs().maxCoeff(&column) > 0.999 * largest) break;
        }
        T.col(j).swap(T.col(j + column));
        T.col(j) /= T(row, j);
        for (Index l = 0; l < T.cols(); ++l) {
            if (l != j) T.col(l) -= T(row, l) * T.col(j);
        }
    }
    return T;
}

/// The state a little way along it, on either side; nothing where the mechanism does not follow.
std::optional<State> follow(const CompiledEquations& numbers, const Closing& close, const State& state, const VectorXd& direction,
                            const RankNearby& rank) {
    State there = state;
    for (const double step : {0.02, -0.02, 0.004, -0.004}) {
        there.q = state.q, there.u = direction;
        const VectorXd rate = numbers.coordinate_rates(there);
        const double most = rate.lpNorm<Eigen::Infinity>();
        if (!(most > 0)) return std::nullopt;
        there.q += step / most * rate;
        normalise_quaternions(numbers.equations(), there.q);
        const solve::Assembly closed = close(there, {});
        if (!closed.ok) continue;
        // second-order terms bend the way, by what the square of the step is
        if ((closed.x - there.q).lpNorm<Eigen::Infinity>() > 0.3 * std::abs(step)) continue;
        there.q = closed.x;
        if (rank_of_rows(numbers, there, rank.lengths) < rank.generic()) continue;
        there.u.setZero();
        return there;
    }
    return std::nullopt;
}

}  // namespace

Branches find_branches(const CompiledEquations& numbers, const State& state, const RankNearby& rank, std::size_t most) {
    Branches result;
    const Index n = numbers.layout().nu, freedoms = n - rank.generic();
    State still = state;
    still.u.setZero();
    Curvature gamma(numbers, state, rank.lengths);
    if (numbers.residuals(still).velocity() > 1e-9 || gamma(VectorXd::Zero(n)).lpNorm<Eigen::Infinity>() > 1e-9)
        return result.why = "the constraints move with time", result;
    if (freedoms == 0) return result.why = "nearby the mechanism has no degree of freedom", result;

    MatrixXd G = numbers.dynamics(still).G;
    for (Index i = 0; i < G.rows(); ++i) G.row(i) /= rank.lengths[i] > 0 ? rank.lengths[i] : 1;
    const solve::Svd svd = solve::make_svd(G), transposed = solve::make_svd(G.transpose());
    if (!svd.ok || !transposed.ok) return result.why = svd.ok ? transposed.why : svd.why, result;
    const MatrixXd K = svd.v.rightCols(n - rank.here), W = transposed.v.rightCols(G.rows() - rank.here);
    const Quadrics quadrics = independent(forms_of(gamma, K, W));
    if (quadrics.forms.empty()) return result.why = "second-order terms do not tell the branches apart", result;

    const Closing close(numbers);
    const Index k = K.cols();
    constexpr int starts = 400;
    int without_news = 0;
    std::vector<MatrixXd> tangents;
    bool is_tangential = false;
    for (int s = 0; s < starts && without_news < 60 + 20 * static_cast<int>(tangents.size()); ++s, ++without_news) {
        VectorXd a(k);
        for (Index i = 0; i < k; ++i) a[i] = std::cos(1 + 2.4 * static_cast<double>(i) * (1 + 0.37 * s) + 1.7 * s);
        a = solution_near(quadrics, a);
        if (a.size() == 0) continue;
        const MatrixXd T = solve::null_space(quadrics.jacobian(a), 1e-5);
        if (T.cols() != freedoms || !quadrics.vanish_on(T)) {
            is_tangential = true;
            continue;
        }
        const MatrixXd projector = T * T.transpose();
        if (std::ranges::any_of(tangents, [&](const MatrixXd& p) { return (p - projector).cwiseAbs().maxCoeff() < 1e-4; })) continue;
        if (result.found.size() == most) {
            result.is_complete = false;
            break;
        }
        tangents.push_back(projector);
        without_news = 0;
        Branch branch{.speeds = readable_basis(K * T), .beside = {}};
        const auto beside = follow(numbers, close, state, branch.speeds.col(0), rank);
        if (!beside) continue;
        branch.beside = *beside;
        result.found.push_back(std::move(branch));
    }
    if (is_tangential) result.is_complete = false;
    if (result.found.empty())
        result.why =
            is_tangential ? "branches touch there, and second-order terms do not tell them apart" : "no motion leads away from there";
    return result;
}

std::string branch_in_words(const eom::EquationsOfMotion& equations, const Branch& branch) {
    std::vector<std::string> names, parts;
    for (const Expr& u : equations.u) names.push_back(u.symbol().name);
    for (Index j = 0; j < branch.speeds.cols(); ++j) parts.push_back(motion_in_words(branch.speeds.col(j), names));
    return fmt::format("{}", fmt::join(parts, ", and "));
}

}  // namespace linkwright::numeric
