#include <Eigen/Cholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "linkwright/solve/definite_factor.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/finite.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/products.hpp"
#include "linkwright/solve/reflections.hpp"
#include "linkwright/solve/row_lengths.hpp"

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Index large = 80;  ///< rows of the whole matrix from which its emptiness is worth using

}  // namespace

/// With A = Ĝᵀ, A P = Q R and T = QᵀMQ, u̇ = Q [y; z] is
///
///     Rᵀy = Pᵀγ,   T₂₂ z = (Qᵀf)₂ − T₂₁ y,   R Pᵀλ = (Qᵀf)₁ − T₁₁ y − T₁₂ z
///
/// Where more than half of all motions are held, T is not formed: Z, the last columns of Q, are few, and M Z and T₂₂ = ZᵀMZ are quicker.
struct DescriptorFactor::Inside {
    explicit Inside(DescriptorMethod wanted) : method(wanted) {}

    bool factor(const MatrixXd& M, const MatrixXd& G, Index rank);
    void scale(const MatrixXd& M, const MatrixXd& G);
    bool decompose();
    void share_loads();
    bool factor_nullspace();
    bool has_basis() const { return 2 * rank > n; }
    void form_basis();
    bool factor_inertia();
    bool factor_schur();
    bool factor_kkt();
    bool factor_sparse();
    bool serve_by_nullspace(const char* because);

    void solve(const VectorXd& f, const VectorXd& gamma, VectorXd& udot, VectorXd& lambda);
    void solve_nullspace(VectorXd& lambda);
    void solve_with_basis(VectorXd& lambda);
    void solve_schur(VectorXd& lambda);
    void solve_kkt(VectorXd& lambda);
    void along_rows(double* y);
    void multipliers(double* c, VectorXd& lambda);
    void shorten(VectorXd& lambda);

    DescriptorMethod method, used = DescriptorMethod::nullspace;
    Index n = 0, m = 0, rank = 0;
    double condition = 1, independence = 1, largest_pivot = 0;
    std::string why, note;
    RowLengths lengths;
    VectorXd columns, rows;  ///< powers of two
    // Matrices of n rows are padded to a multiple of four (fours.hpp).
    MatrixXd M_scaled, A;  ///< A = Ĝᵀ, or L⁻¹Ĝᵀ; used up by its decomposition
    MatrixXd turned;       ///< T, or T₂₂ alone
    MatrixXd Z, MZ;
    Reflections qr;             ///< A P = Q R
    DefiniteFactor inertia;     ///< of T₂₂
    MatrixXd B;                 ///< room for what the next two take apart
    Reflections loads, silent;  ///< where rows are redundant: P Rᵀ = V T; λ unseen
    VectorXd f, g, u, c;
    // what the rivals need
    Eigen::LLT<MatrixXd> llt;  ///< of M
    MatrixXd kkt;
    Lu lu;                                                                 ///< of the whole matrix, when it is small
    CompleteOrthogonal cod;                                                ///< when rows are redundant
    std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> sparse;  ///< when it is large
    VectorXd whole, whole_x;
};

void DescriptorFactor::Inside::scale(const MatrixXd& M, const MatrixXd& G) {
    constexpr int most = 13;  // 2¹³ ≈ 10⁴: more would let masses decide the rank of G
    int sum = 0, count = 0;
    for (Index j = 0; j < n; ++j) {
        if (M(j, j) > 0) sum += exponent(M(j, j)), ++count;
    }
    const int mean = count > 0 ? sum / count : 0;
    columns.resize(n);
    for (Index j = 0; j < n; ++j) {
        columns[j] = M(j, j) > 0 ? power_of_two(std::clamp((mean - exponent(M(j, j))) / 2, -most, most)) : 1;
    }
    M_scaled.setZero(in_fours(n), n);
    const double* scale = columns.data();
    for (Index j = 0; j < n; ++j) {
        const double *from = M.col(j).data(), own = scale[j];
        double* to = M_scaled.col(j).data();
        for (Index i = 0; i < n; ++i) to[i] = from[i] * (scale[i] * own);
    }
    A.setZero(in_fours(n), m);
    for (Index i = 0; i < m; ++i) {
        double* to = A.col(i).data();
        for (Index j = 0; j < n; ++j) to[j] = G(i, j) * scale[j];
    }
    rows = lengths.scales(A.transpose());
    for (Index i = 0; i < m; ++i) A.col(i) *= rows[i];
}

/// A P = Q R with the rank known.
bool DescriptorFactor::Inside::decompose() {
    independence = condition = 1;
    qr.compute(A, n, rank);
    if (rank > 0) {
        const double first = qr.pivot(0), last = qr.pivot(rank - 1);
        largest_pivot = std::max(largest_pivot, first);  // a row on its own that vanishes has no other to be measured by
        independence = first > 0 ? last / largest_pivot : 0;
        condition = last > 0 ? first / last : std::numeric_limits<double>::infinity();
        if (!(last > 8 * static_cast<double>(m + n) * epsilon * first)) {
            why = fmt::format("the constraints have lost rank: it was {}, and is less here", rank);
            return false;
        }
    }
    if (rank < m) share_loads();
    return true;
}

/// P Rᵀ = V T (P₂ left out), and the λ that Gᵀ does not see, which in their own units are the span of D V₂.
void DescriptorFactor::Inside::share_loads() {
    if (rank == 0) return;
    const Index spare = m - rank;
    B.setZero(in_fours(m), rank);
    for (Index k = 0; k < m; ++k) {
        for (Index i = 0; i < std::min(rank, k + 1); ++i) B(qr.order(k), i) = qr.r()(i, k);
    }
    loads.compute(B, m, rank);
    B.setZero(in_fours(m), spare);
    for (Index k = 0; k < spare; ++k) B(rank + k, k) = 1;
    loads.from_turned(B);
    for (Index k = 0; k < spare; ++k) {
        for (Index i = 0; i < m; ++i) B(i, k) *= rows[i];
    }
    silent.compute(B, m, spare);
}

/// y with Aᵀ(Q_r y) = g, least squares where rows are redundant.
void DescriptorFactor::Inside::along_rows(double* y) {
    if (rank == m) return qr.solve_transposed(g.data(), y);
    if (rank == 0) return;
    loads.to_turned(g.data());
    loads.solve(g.data(), y);
}

/// λ with A λ = Q_r c, in the units of the caller; c is used up.
void DescriptorFactor::Inside::multipliers(double* given, VectorXd& lambda) {
    if (rank == m) {
        qr.solve(given, lambda.data());
        for (Index i = 0; i < m; ++i) lambda[i] *= rows[i];
    } else if (rank > 0) {
        g.setZero();
        loads.solve_transposed(given, g.data());
        loads.from_turned(g.data());
        for (Index i = 0; i < m; ++i) lambda[i] = g[i] * rows[i];
        shorten(lambda);
    }
}

/// Less its part along what Gᵀ does not see.
void DescriptorFactor::Inside::shorten(VectorXd& lambda) {
    if (rank == m) return;
    g.setZero();
    if (rank > 0) {
        std::copy_n(lambda.data(), m, g.data());
        silent.to_turned(g.data());
        g.head(m - rank).setZero();
        silent.from_turned(g.data());
    }
    std::copy_n(g.data(), m, lambda.data());
}

bool DescriptorFactor::Inside::factor_nullspace() {
    used = DescriptorMethod::nullspace;
    if (!decompose()) return false;
    if (has_basis()) {
        form_basis();
    } else {
        turned = M_scaled;
        qr.turn(turned);
    }
    return factor_inertia();
}

void DescriptorFactor::Inside::form_basis() {
    const Index end = in_fours(n), free = n - rank;
    Z.setZero(end, free), MZ.setZero(end, free), turned.setZero(in_fours(free), free);
    for (Index k = 0; k < free; ++k) Z(rank + k, k) = 1;
    qr.from_turned(Z);
    for (Index k = 0; k < free; ++k) {
        double* mz = MZ.col(k).data();
        for (Index j = 0; j < n; ++j) add(mz, Z(j, k), M_scaled.col(j).data(), 0, end);
        for (Index l = 0; l <= k; ++l) turned(k, l) = dot(Z.col(l).data(), mz, 0, end);
    }
}

/// ZᵀMZ = L D Lᵀ; a pivot that rounding could have made is looked at more closely.
bool DescriptorFactor::Inside::factor_inertia() {
    double heaviest = 0;
    for (Index j = 0; j < n; ++j) heaviest = std::max(heaviest, M_scaled(j, j));
    const Index first = has_basis() ? 0 : rank;
    if (!inertia.compute(turned, first, first + n - rank, 1e-8 * heaviest)) {
        MatrixXd basis = MatrixXd::Zero(in_fours(n), n - rank);
        for (Index k = 0; k < n - rank; ++k) basis(rank + k, k) = 1;
        qr.from_turned(basis);
        const MatrixXd M = M_scaled.topRows(n), z = basis.topRows(n), sum = congruent(M, z);
        const Definite exact = factor_definite((sum + sum.transpose()) / 2, -1, congruent(sizes(M), sizes(z)).diagonal());
        if (!exact.ok) {
            why = exact.bad < 0 ? exact.why : "a motion that the constraints allow has no inertia";
            return false;
        }
        inertia.take(exact);
    }
    condition = std::max(condition, inertia.condition());
    return true;
}

bool DescriptorFactor::Inside::factor_schur() {
    used = DescriptorMethod::schur;
    llt.compute(M_scaled.topRows(n));
    const auto& l = llt.matrixLLT();
    for (Index j = 0; j < n; ++j) {
        if (llt.info() == Eigen::Success && l(j, j) * l(j, j) > 1e-12 * M_scaled(j, j)) continue;
        note = "the mass matrix is not definite, so there is no Schur complement; the null-space method was used";
        return factor_nullspace();
    }
    auto part = A.topRows(n);
    if (part.size() > 0) llt.matrixL().solveInPlace(part);
    return decompose();
}

bool DescriptorFactor::Inside::factor_kkt() {
    used = DescriptorMethod::kkt;
    independence = condition = 1;
    const Index k = n + m;
    if (k == 0) return true;
    if (rank == m && k >= large) return factor_sparse();
    kkt.setZero(k, k);
    kkt.topLeftCorner(n, n) = M_scaled.topRows(n);
    kkt.topRightCorner(n, m) = A.topRows(n);
    kkt.bottomLeftCorner(m, n) = A.topRows(n).transpose();
    if (rank < m) {
        cod.compute(kkt, 1e-11);
        if (cod.rank() != n + rank) return serve_by_nullspace("the rank of the whole matrix is in doubt");
        // beside it, the λ that Gᵀ does not see
        if (!decompose()) return false;
        condition = 1;
        return true;
    }
    lu.compute(kkt);
    const double r = lu.pivots().cwiseAbs().minCoeff() > 0 ? lu.rcond() : 0;
    condition = r > 0 ? 1 / r : std::numeric_limits<double>::infinity();
    return r > 1e-13 || serve_by_nullspace("the whole matrix is close to singular");
}

bool DescriptorFactor::Inside::factor_sparse() {
    const Index k = n + m;
    std::vector<Eigen::Triplet<double>> entries;
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
            if (M_scaled(i, j) != 0) entries.emplace_back(i, j, M_scaled(i, j));
        }
        for (Index i = 0; i < m; ++i) {
            if (A(j, i) == 0) continue;
            entries.emplace_back(j, n + i, A(j, i));
            entries.emplace_back(n + i, j, A(j, i));
        }
    }
    Eigen::SparseMatrix<double> all(k, k);
    all.setFromTriplets(entries.begin(), entries.end());
    sparse = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
    sparse->compute(all);
    if (sparse->info() != Eigen::Success) return serve_by_nullspace("the whole matrix is singular");
    // A probe: what is put in must come out.
    const VectorXd probe = VectorXd::LinSpaced(k, 0.5, 1.5), back = sparse->solve(all * probe);
    return (back - probe).lpNorm<Eigen::Infinity>() < 1e-4 || serve_by_nullspace("the whole matrix is close to singular");
}

bool DescriptorFactor::Inside::serve_by_nullspace(const char* because) {
    note = fmt::format("{}; the null-space method was used", because);
    return factor_nullspace();
}

bool DescriptorFactor::Inside::factor(const MatrixXd& M, const MatrixXd& G, Index wanted) {
    n = M.rows(), m = G.rows();
    rank = std::clamp<Index>(wanted, 0, std::min(n, m));
    why.clear(), note.clear();
    if (!is_finite(M) || !is_finite(G)) {
        why = is_finite(M) ? "the constraint Jacobian has an entry that is not finite" : "the mass matrix has an entry that is not finite";
        return false;
    }
    scale(M, G);
    switch (method) {
        case DescriptorMethod::schur: return factor_schur();
        case DescriptorMethod::kkt: return factor_kkt();
        case DescriptorMethod::nullspace: break;
    }
    return factor_nullspace();
}

void DescriptorFactor::Inside::solve_kkt(VectorXd& lambda) {
    whole.resize(n + m);
    whole << f.head(n), g.head(m);
    if (rank < m) {
        cod.solve_into(whole, whole_x);
    } else if (n + m < large) {
        lu.solve_into(whole, whole_x);
    } else {
        whole_x = sparse->solve(whole);
    }
    u.head(n) = whole_x.head(n);
    lambda = rows.cwiseProduct(whole_x.tail(m));
    shorten(lambda);
}

/// x = Lᵀu̇: Aᵀx = g, x + Aλ = L⁻¹f
void DescriptorFactor::Inside::solve_schur(VectorXd& lambda) {
    auto part = f.head(n);
    llt.matrixL().solveInPlace(part);
    qr.to_turned(f.data());
    u = f;
    along_rows(u.data());
    c = f.head(rank) - u.head(rank);
    qr.from_turned(u.data());
    auto speeds = u.head(n);
    llt.matrixU().solveInPlace(speeds);
    multipliers(c.data(), lambda);
}

void DescriptorFactor::Inside::solve_with_basis(VectorXd& lambda) {
    const Index end = in_fours(n);
    along_rows(u.data());
    qr.from_turned(u.data());
    for (Index j = 0; j < n; ++j) add(f.data(), -u[j], M_scaled.col(j).data(), 0, end);
    c.setZero(in_fours(n - rank));
    for (Index k = 0; k < n - rank; ++k) c[k] = dot(Z.col(k).data(), f.data(), 0, end);
    inertia.solve(c.data());
    for (Index k = 0; k < n - rank; ++k) {
        add(u.data(), c[k], Z.col(k).data(), 0, end);
        add(f.data(), -c[k], MZ.col(k).data(), 0, end);
    }
    qr.to_turned(f.data());
    multipliers(f.data(), lambda);
}

void DescriptorFactor::Inside::solve_nullspace(VectorXd& lambda) {
    if (has_basis()) return solve_with_basis(lambda);
    const Index end = in_fours(n);
    qr.to_turned(f.data());
    along_rows(u.data());
    for (Index j = 0; j < rank; ++j) add(f.data(), -u[j], turned.col(j).data(), 0, end);
    c.setZero(in_fours(n - rank));
    std::copy_n(f.data() + rank, n - rank, c.data());
    inertia.solve(c.data());
    std::copy_n(c.data(), n - rank, u.data() + rank);
    for (Index j = rank; j < n; ++j) add(f.data(), -u[j], turned.col(j).data(), 0, rank);
    qr.from_turned(u.data());
    multipliers(f.data(), lambda);
}

void DescriptorFactor::Inside::solve(const VectorXd& forces, const VectorXd& gamma, VectorXd& udot, VectorXd& lambda) {
    udot.resize(n);
    lambda.setZero(m);
    if (n == 0) return;
    f.setZero(in_fours(n)), u.setZero(in_fours(n));
    for (Index j = 0; j < n; ++j) f[j] = columns[j] * forces[j];
    g.setZero(in_fours(m));
    for (Index i = 0; i < m; ++i) g[i] = rows[i] * gamma[i];
    switch (used) {
        case DescriptorMethod::kkt: solve_kkt(lambda); break;
        case DescriptorMethod::schur: solve_schur(lambda); break;
        case DescriptorMethod::nullspace: solve_nullspace(lambda); break;
    }
    for (Index j = 0; j < n; ++j) udot[j] = columns[j] * u[j];
}

DescriptorFactor::DescriptorFactor(DescriptorMethod method) : inside_(std::make_unique<Inside>(method)) {}
DescriptorFactor::DescriptorFactor(DescriptorFactor&&) noexcept = default;
DescriptorFactor& DescriptorFactor::operator=(DescriptorFactor&&) noexcept = default;
DescriptorFactor::~DescriptorFactor() = default;

bool DescriptorFactor::factor(const MatrixXd& M, const MatrixXd& G, Index rank) { return inside_->factor(M, G, rank); }
void DescriptorFactor::solve(const VectorXd& f, const VectorXd& gamma, VectorXd& udot, VectorXd& lambda) {
    inside_->solve(f, gamma, udot, lambda);
}
double DescriptorFactor::condition() const { return inside_->condition; }
double DescriptorFactor::independence() const { return inside_->independence; }
const VectorXd& DescriptorFactor::row_scales() const { return inside_->rows; }
const std::string& DescriptorFactor::why() const { return inside_->why; }
const std::string& DescriptorFactor::note() const { return inside_->note; }

}  // namespace linkwright::solve
