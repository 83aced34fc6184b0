#include "linkwright/solve/elastic_pencil.hpp"

#include <Spectra/SymEigsSolver.h>
#include <Spectra/SymGEigsShiftSolver.h>
#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linkwright/solve/eigenvalues.hpp"

namespace linkwright::solve {

namespace {

constexpr Index largest_dense = 240;

/// Signs of vectors are nobody's choice: the largest entry is positive, the first of them where several are equal but for rounding.
void choose_signs(MatrixXd& vectors) {
    for (Index k = 0; k < vectors.cols(); ++k) {
        const double most = vectors.col(k).cwiseAbs().maxCoeff();
        for (Index i = 0; i < vectors.rows(); ++i) {
            if (std::abs(vectors(i, k)) < (1 - 1e-6) * most) continue;
            if (vectors(i, k) < 0) vectors.col(k) *= -1;
            break;
        }
    }
}

/// L with L Lᵀ = M of a matrix that may be singular; columns of nothing are left out.
MatrixXd square_root(const MatrixXd& M) {
    const Index n = M.rows();
    VectorXd scale(n);
    for (Index i = 0; i < n; ++i) scale[i] = M(i, i) > 0 ? std::sqrt(M(i, i)) : 0;
    const VectorXd inverse = scale.unaryExpr([](double s) { return s > 0 ? 1 / s : 0; });
    const SymmetricEigen e = symmetric_eigen(inverse.asDiagonal() * M * inverse.asDiagonal());
    Index first = 0;
    while (first < n && e.values[first] <= 1e-13 * e.values[n - 1]) ++first;
    const Index rank = n - first;
    return scale.asDiagonal() * e.vectors.rightCols(rank) * e.values.tail(rank).cwiseSqrt().asDiagonal();
}

}  // namespace

MatrixXd Stiffness::operator*(const MatrixXd& x) const {
    const MatrixXd s = d.asDiagonal() * (B * x);
    MatrixXd f = B.transpose() * s;
    if (S.size() > 0) f += S * x;
    return f;
}

Stiffness Stiffness::seen_by(const SparseMatrix& t) const { return {B * t, d, S.size() > 0 ? congruence(S, t) : SparseMatrix()}; }

MatrixXd Stiffness::seen_by(const MatrixXd& t) const {
    const MatrixXd strain = d.cwiseSqrt().asDiagonal() * (B * t);
    MatrixXd K = strain.transpose() * strain;
    if (S.size() > 0) K += t.transpose() * (S * t);
    return K;
}

struct ElasticPencil::Inside {
    Stiffness K;
    SparseMatrix M;
    MatrixXd N, MN;  ///< motions of the whole that have inertia, orthonormal
    MatrixXd all;    ///< with those that have none
    Index massless = 0;
    std::vector<Index> left;  ///< entries of x that are not held
    VectorXd scale;           ///< of those
    Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> lu;
    bool ok = false;
    std::string why;

    void take_null(const MatrixXd& null) {
        const Index n = K.size();
        N = null;
        if (N.cols() == 0) {
            N.resize(n, 0), MN.resize(n, 0), all.resize(n, 0);
            return;
        }
        // Motions with inertia become orthonormal; those without stand behind them.
        const MatrixXd gram = N.transpose() * (M * N);
        const SymmetricEigen e = symmetric_eigen(gram);
        const Index n0 = std::ranges::count_if(e.values, [&](double x) { return !(x > 1e-13 * e.values[N.cols() - 1]); });
        const Index n1 = N.cols() - n0;
        const MatrixXd rotated = N * e.vectors;
        MatrixXd heavy = rotated.rightCols(n1) * e.values.tail(n1).cwiseSqrt().cwiseInverse().asDiagonal();
        if (n1 > 0) {  // once more, against rounding
            const SymmetricEigen again = symmetric_eigen(heavy.transpose() * (M * heavy));
            heavy = (heavy * again.vectors * again.values.cwiseSqrt().cwiseInverse().asDiagonal()).eval();
        }
        massless = n0;
        all.resize(n, N.cols());
        all << heavy, rotated.leftCols(n0);
        N = std::move(heavy);
        MN = M * N;
    }

    void fail(std::string what) { why = std::move(what); }

    /// Sizes of the columns of √D B and S.
    VectorXd sizes() const {
        const Index n = K.size();
        VectorXd size = VectorXd::Zero(n);
        for (Index j = 0; j < n; ++j) {
            for (SparseMatrix::InnerIterator at(K.B, j); at; ++at) size[j] += K.d[at.row()] * at.value() * at.value();
            if (K.S.size() > 0) size[j] += std::abs(K.S.coeff(j, j));
            size[j] = size[j] > 0 ? 1 / std::sqrt(size[j]) : 1;
        }
        return size;
    }

    /// Which entries are held: those in which N is told apart best.
    void hold(const VectorXd& size) {
        std::vector<bool> is_held(static_cast<std::size_t>(K.size()), false);
        if (all.cols() > 0) {
            const MatrixXd rows = (size.cwiseInverse().asDiagonal() * all).transpose();
            for (const Index i : independent_columns(rows, 1e-14).independent) is_held[i] = true;
        }
        for (Index i = 0; i < K.size(); ++i) {
            if (!is_held[i]) left.push_back(i);
        }
    }

    void factor() {
        const VectorXd size = sizes();
        hold(size);
        const Index m = K.B.rows(), f = static_cast<Index>(left.size());
        scale.resize(f);
        std::vector<Index> place(static_cast<std::size_t>(K.size()), -1);
        for (Index k = 0; k < f; ++k) scale[k] = size[left[k]], place[left[k]] = k;
        std::vector<Triplet> entries;
        for (Index i = 0; i < m; ++i) entries.emplace_back(i, i, -1.0);
        for (Index k = 0; k < f; ++k) {
            for (SparseMatrix::InnerIterator at(K.B, left[k]); at; ++at) {
                const double x = std::sqrt(K.d[at.row()]) * at.value() * scale[k];
                entries.emplace_back(at.row(), m + k, x);
                entries.emplace_back(m + k, at.row(), x);
            }
            if (K.S.size() == 0) continue;
            for (SparseMatrix::InnerIterator at(K.S, left[k]); at; ++at) {
                if (place[at.row()] >= 0) entries.emplace_back(m + place[at.row()], m + k, at.value() * scale[k] * scale[place[at.row()]]);
            }
        }
        if (f == 0) return void(ok = true);
        const SparseMatrix a = make_sparse(m + f, m + f, entries);
        lu.analyzePattern(a);
        lu.factorize(a);
        if (lu.info() != Eigen::Success)
            return fail("the stiffness is singular: something moves that no element, spring or joint restrains");
        ok = true;
    }

    MatrixXd without_null(const MatrixXd& x) const { return N.cols() == 0 ? x : x - N * (MN.transpose() * x); }
    MatrixXd without_null_load(const MatrixXd& f) const { return N.cols() == 0 ? f : f - MN * (N.transpose() * f); }

    MatrixXd solve(const MatrixXd& f) const {
        const Index m = K.B.rows(), k = static_cast<Index>(left.size());
        const MatrixXd load = without_null_load(f);
        MatrixXd x = MatrixXd::Zero(K.size(), f.cols());
        if (k == 0) return x;
        MatrixXd right = MatrixXd::Zero(m + k, f.cols());
        for (Index i = 0; i < k; ++i) right.row(m + i) = scale[i] * load.row(left[i]);
        const MatrixXd found = lu.solve(right);
        for (Index i = 0; i < k; ++i) x.row(left[i]) = scale[i] * found.row(m + i);
        return without_null(x);
    }
};

namespace {

/// y = K⁻¹ x, or y = M x: what Spectra wants of an operator. Vectors that have been found are taken away.
class Inverse {
public:
    using Scalar = double;
    Inverse(std::function<MatrixXd(const MatrixXd&)> solve, const SparseMatrix& M, const MatrixXd& found)
        : solve_(std::move(solve)), n_(M.rows()), found_(found), Mfound_(M * found) {}
    Index rows() const { return n_; }
    Index cols() const { return n_; }
    void set_shift(double) {}
    void perform_op(const double* in, double* out) const {
        VectorXd f = Eigen::Map<const VectorXd>(in, n_);
        if (found_.cols() > 0) f -= Mfound_ * (found_.transpose() * f);
        VectorXd x = solve_(f);
        if (found_.cols() > 0) x -= found_ * (Mfound_.transpose() * x);
        Eigen::Map<VectorXd>(out, n_) = x;
    }

private:
    std::function<MatrixXd(const MatrixXd&)> solve_;
    Index n_;
    const MatrixXd& found_;
    MatrixXd Mfound_;
};

class Mass {
public:
    using Scalar = double;
    explicit Mass(const SparseMatrix& M) : M_(M) {}
    Index rows() const { return M_.rows(); }
    Index cols() const { return M_.cols(); }
    void perform_op(const double* in, double* out) const {
        Eigen::Map<VectorXd>(out, M_.rows()) = M_ * Eigen::Map<const VectorXd>(in, M_.rows());
    }

private:
    const SparseMatrix& M_;
};

struct Found {
    VectorXd lambda;
    MatrixXd vectors;
    bool ok = false;
};

/// One sequence: the `count` eigenvalues of K⁻¹M that are largest in magnitude, those of `known` not among them.
Found lanczos(const std::function<MatrixXd(const MatrixXd&)>& solve, const SparseMatrix& M, const MatrixXd& known, Index count) {
    const Index n = M.rows(), vectors = std::min(n, std::max<Index>(2 * count + 1, count + 20));
    Inverse inverse(solve, M, known);
    Mass mass(M);
    Spectra::SymGEigsShiftSolver<Inverse, Mass, Spectra::GEigsMode::ShiftInvert> solver(inverse, mass, count, vectors, 0.0);
    // Begin where motions without inertia have no part, and nothing is symmetric.
    VectorXd start(n);
    std::uint64_t state = 88172645463325252ULL;
    for (Index i = 0; i < n; ++i) {
        state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
        start[i] = static_cast<double>(state >> 11U) / 9007199254740992.0 - 0.5;
    }
    VectorXd first(n);
    const VectorXd load = M * start;
    inverse.perform_op(load.data(), first.data());
    solver.init(first.data());
    Found found;
    solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12, Spectra::SortRule::LargestMagn);
    if (solver.info() != Spectra::CompInfo::Successful) return found;
    found.lambda = solver.eigenvalues();
    found.vectors = solver.eigenvectors();
    found.ok = true;
    return found;
}

void sort_by_lambda(VectorXd& lambda, MatrixXd& vectors, Index count) {
    std::vector<Index> order(static_cast<std::size_t>(lambda.size()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](Index i) { return lambda[i]; });
    count = std::min<Index>(count, lambda.size());
    VectorXd l(count);
    MatrixXd v(vectors.rows(), count);
    for (Index k = 0; k < count; ++k) l[k] = lambda[order[k]], v.col(k) = vectors.col(order[k]);
    lambda = std::move(l), vectors = std::move(v);
}

}  // namespace

ElasticPencil::ElasticPencil(Stiffness K, SparseMatrix M, const MatrixXd& null) : inside_(std::make_unique<Inside>()) {
    inside_->K = std::move(K), inside_->M = std::move(M);
    inside_->take_null(null);
    if (inside_->why.empty()) inside_->factor();
}
ElasticPencil::~ElasticPencil() = default;
ElasticPencil::ElasticPencil(ElasticPencil&&) noexcept = default;

bool ElasticPencil::ok() const { return inside_->ok; }
const std::string& ElasticPencil::why() const { return inside_->why; }
const MatrixXd& ElasticPencil::null() const { return inside_->all; }
Index ElasticPencil::massless() const { return inside_->massless; }
Index ElasticPencil::freedoms() const { return static_cast<Index>(inside_->left.size()); }
MatrixXd ElasticPencil::solve(const MatrixXd& f) const { return inside_->solve(f); }

LowestModes ElasticPencil::lowest(Index count) const {
    LowestModes r;
    const Inside& in = *inside_;
    const Index n = in.K.size();
    count = std::min(count, freedoms());
    r.vectors.resize(n, 0);
    if (!in.ok) return r.why = in.why, r;
    if (count <= 0) return r.ok = true, r;
    if (n <= largest_dense || count > n / 3) {
        const MatrixXd L = square_root(in.M);
        if (L.cols() == 0) return r.ok = true, r;
        const MatrixXd X = in.solve(L);
        MatrixXd G = L.transpose() * X;
        G = (0.5 * (G + G.transpose())).eval();
        const SymmetricEigen e = symmetric_eigen(G);
        if (!e.ok || !e.values.allFinite()) return r.why = "the eigenvalues of the structure did not converge", r;
        const double most = e.values.cwiseAbs().maxCoeff();
        std::vector<Index> finite;
        for (Index i = 0; i < e.values.size(); ++i) {
            if (std::abs(e.values[i]) > 1e-13 * most) finite.push_back(i);
        }
        std::ranges::stable_sort(finite, {}, [&](Index i) { return 1 / e.values[i]; });
        count = std::min<Index>(count, static_cast<Index>(finite.size()));
        r.lambda.resize(count), r.vectors.resize(n, count);
        for (Index k = 0; k < count; ++k) {
            r.lambda[k] = 1 / e.values[finite[k]];
            r.vectors.col(k) = X * e.vectors.col(finite[k]) * r.lambda[k];
        }
    } else {
        const auto solve = [&](const MatrixXd& f) { return in.solve(f); };
        Index wanted = count;
        r.lambda.resize(0);
        for (int round = 0; round < 12; ++round) {
            const Found more = lanczos(solve, in.M, r.vectors, wanted);
            if (!more.ok) return r.why = "Lanczos' method did not converge", r;
            const bool was_empty = r.lambda.size() == 0;
            const double last = was_empty ? 0 : r.lambda[std::min<Index>(count, r.lambda.size()) - 1];
            const bool is_lower = was_empty || (more.lambda.array() < last * (1 + 1e-10)).any();
            if (!is_lower) break;
            VectorXd lambda(r.lambda.size() + more.lambda.size());
            lambda << r.lambda, more.lambda;
            MatrixXd vectors(n, lambda.size());
            vectors << r.vectors, more.vectors;
            r.lambda = std::move(lambda), r.vectors = std::move(vectors);
            sort_by_lambda(r.lambda, r.vectors, r.lambda.size());
            wanted = std::min<Index>(was_empty ? std::max<Index>(4, count / 4) : wanted, n - r.lambda.size() - 2);
            if (wanted < 1) break;
        }
        sort_by_lambda(r.lambda, r.vectors, count);
    }
    choose_signs(r.vectors);
    r.ok = true;
    return r;
}

LowestModes lowest_dense(const MatrixXd& K, const MatrixXd& M, const MatrixXd& null, Index count) {
    // K is small and full: its own square root stands for √D B.
    Stiffness stiffness;
    const Index n = K.rows();
    stiffness.B.resize(0, n), stiffness.d.resize(0), stiffness.S = sparse(K);
    const ElasticPencil pencil(std::move(stiffness), sparse(M), null);
    return pencil.lowest(count);
}

}  // namespace linkwright::solve
