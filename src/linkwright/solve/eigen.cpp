#include "linkwright/solve/eigen.hpp"

#include <fmt/format.h>
#define LAPACK_COMPLEX_CPP  // complex numbers of C++
#include <lapacke.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/products.hpp"
#include "linkwright/solve/scale.hpp"
#include "linkwright/solve/singular_values.hpp"
#include "linkwright/solve/zero_chains.hpp"

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
using Complex = std::complex<double>;

std::string find_trouble(const MatrixXd& a, const char* name) {
    if (a.rows() != a.cols()) return fmt::format("{} has {} rows and {} columns", name, a.rows(), a.cols());
    for (Index j = 0; j < a.cols(); ++j) {
        for (Index i = 0; i < a.rows(); ++i) {
            if (!std::isfinite(a(i, j))) return fmt::format("{} is not finite in row {}, column {}", name, i, j);
        }
    }
    return {};
}

double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

/// K = F Fᵀ with as few columns as K has positive directions; empty when K has negative ones.
std::optional<MatrixXd> positive_factor(const MatrixXd& K, const MatrixXd& size) {
    const Index n = K.rows();
    VectorXd d(n);  // units taken out, so that a pivot is compared with its own diagonal
    for (Index i = 0; i < n; ++i) {
        const double noise = 8 * epsilon * static_cast<double>(n) * size(i, i);
        if (K(i, i) < -noise) return std::nullopt;
        d(i) = K(i, i) > noise ? 1 / std::sqrt(power_of_two(K(i, i))) : 0;
    }
    MatrixXd h = d.asDiagonal() * K * d.asDiagonal();
    const double tolerance = 32 * epsilon * static_cast<double>(n);
    std::vector<lapack_int> pivot(static_cast<std::size_t>(n));
    lapack_int rank = 0;
    LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', static_cast<lapack_int>(n), h.data(), static_cast<lapack_int>(n), pivot.data(), &rank, tolerance);
    MatrixXd f = MatrixXd::Zero(n, rank);
    for (Index i = 0; i < n; ++i) {
        const Index row = pivot[i] - 1;
        if (d(row) == 0) continue;
        for (Index j = 0; j <= std::min<Index>(i, rank - 1); ++j) f(row, j) = h(i, j) / d(row);
    }
    const MatrixXd rest = K - times(f, f.transpose());
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
            const double beside = std::max(size(i, j), std::sqrt(size(i, i) * size(j, j)));
            if (std::abs(rest(i, j)) > 4 * tolerance * beside) return std::nullopt;
        }
    }
    return f;
}

/// √λ as singular values, by one-sided Jacobi rotations; false when they do not converge.
bool by_singular_values(const MatrixXd& a, VectorXd& lambda, MatrixXd& vectors) {
    const Index n = a.rows(), r = a.cols();
    lambda = VectorXd::Zero(n);
    vectors = MatrixXd::Identity(n, n);
    if (r == 0) return true;
    MatrixXd work = a, u(n, n), v(r, r);
    VectorXd sigma(r);
    std::array<double, 7> stat{};
    std::array<lapack_int, 3> istat{};
    const auto info = LAPACKE_dgejsv(LAPACK_COL_MAJOR, 'G', 'F', 'N', 'N', 'N', 'N', static_cast<lapack_int>(n), static_cast<lapack_int>(r),
                                     work.data(), static_cast<lapack_int>(n), sigma.data(), u.data(), static_cast<lapack_int>(n), v.data(),
                                     static_cast<lapack_int>(r), stat.data(), istat.data());
    if (info != 0 || !u.allFinite() || !sigma.allFinite()) return false;
    if (stat[0] != 0 && stat[1] != 0) sigma *= stat[0] / stat[1];
    // Descending σ; zeros come first in λ.
    for (Index i = 0; i < n; ++i) {
        const Index from = n - 1 - i;
        vectors.col(i) = u.col(from);
        lambda(i) = from < r ? sigma(from) * sigma(from) : 0;
    }
    return true;
}

/// Pairs of LAPACK's real vectors made complex, of length 1.
MatrixXcd as_complex(const MatrixXd& v, const VectorXd& imaginary) {
    const Index n = v.cols();
    MatrixXcd x(v.rows(), n);
    for (Index j = 0; j < n; ++j) {
        if (imaginary(j) > 0 && j + 1 < n) {
            x.col(j).real() = v.col(j), x.col(j).imag() = v.col(j + 1);
            x.col(j).normalize();
            x.col(j + 1) = x.col(j).conjugate();
            ++j;
        } else {
            x.col(j) = v.col(j).cast<Complex>();
            x.col(j).normalize();
        }
    }
    return x;
}

}  // namespace

SymmetricSpectrum symmetric_spectrum(const MatrixXd& K, const MatrixXd& M, const MatrixXd& k_size) {
    SymmetricSpectrum s;
    const Index n = K.rows();
    s.why = find_trouble(K, "the stiffness matrix");
    if (s.why.empty()) s.why = find_trouble(M, "the mass matrix");
    if (s.why.empty() && M.rows() != n) s.why = fmt::format("a stiffness matrix of {} rows and a mass matrix of {}", n, M.rows());
    if (!s.why.empty()) return s;
    const MatrixXd m = 0.5 * (M + M.transpose()), k = 0.5 * (K + K.transpose());
    const Definite factor = factor_definite(m);
    if (!factor.ok) {
        s.bad = factor.bad;
        s.direction = factor.direction;
        const double d = factor.direction.size() == 0 ? 0 : factor.direction.dot(m * factor.direction);
        const double size = factor.direction.size() == 0 ? 0 : factor.direction.cwiseAbs().dot(m.cwiseAbs() * factor.direction.cwiseAbs());
        s.why = d < -1e-10 * size ? fmt::format("the mass matrix is indefinite: row {} brings a motion with negative inertia", factor.bad)
                                  : fmt::format("the mass matrix is singular: row {} brings a motion without inertia", factor.bad);
        return s;
    }
    s.condition = factor.condition;
    s.ok = true;
    s.lambda.resize(n), s.x.resize(n, n);
    if (n == 0) return s;
    // (L D^½)⁻¹ F: rows scaled by D^−½ after the triangle, which has unit diagonal.
    const VectorXd root = factor.d.cwiseSqrt();
    const auto reduce = [&](MatrixXd a) -> MatrixXd {
        if (a.size() == 0) return a;
        factor.l.triangularView<Eigen::UnitLower>().solveInPlace(a);
        return root.cwiseInverse().asDiagonal() * a;
    };
    const MatrixXd size = k_size.rows() == n && k_size.cols() == n ? k.cwiseAbs().cwiseMax(k_size).eval() : k.cwiseAbs().eval();
    MatrixXd y;
    if (const auto f = positive_factor(k, size)) s.is_graded = by_singular_values(reduce(*f), s.lambda, y);
    if (!s.is_graded) {
        MatrixXd h = reduce(MatrixXd(reduce(k).transpose()));
        h = (0.5 * (h + h.transpose())).eval();
        const auto info =
            LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', static_cast<lapack_int>(n), h.data(), static_cast<lapack_int>(n), s.lambda.data());
        if (info != 0 || !h.allFinite()) {
            s.ok = false;
            s.why = "the eigenvalues of the symmetric problem did not converge, or are too large for numbers";
            return s;
        }
        y = h;
    }
    s.x = root.cwiseInverse().asDiagonal() * y;
    factor.l.triangularView<Eigen::UnitLower>().transpose().solveInPlace(s.x);
    for (Index j = 0; j < n; ++j) {
        Index at = 0;
        (m.diagonal().cwiseSqrt().cwiseProduct(s.x.col(j).cwiseAbs())).maxCoeff(&at);
        if (s.x(at, j) < 0) s.x.col(j) *= -1;
    }
    if (!s.x.allFinite() || !s.lambda.allFinite()) {
        s.ok = false;
        s.why = "eigenvalues are too large for numbers";
    }
    return s;
}

namespace {

Spectrum whole_spectrum(const MatrixXd& A) {
    Spectrum s;
    const Index n = A.rows();
    s.ok = true;
    s.values.resize(n), s.right.resize(n, n), s.left.resize(n, n);
    s.condition.resize(n), s.error.resize(n), s.separation.resize(n);
    if (n == 0) return s;
    MatrixXd work = A, left(n, n), right(n, n);
    VectorXd re(n), im(n), scale(n), e(n), v(n);
    lapack_int low = 0, high = 0;
    const auto size = static_cast<lapack_int>(n);
    const auto info = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'V', 'V', 'B', size, work.data(), size, re.data(), im.data(), left.data(), size,
                                     right.data(), size, &low, &high, scale.data(), &s.norm, e.data(), v.data());
    if (info != 0 || !re.allFinite() || !im.allFinite() || !left.allFinite() || !right.allFinite()) {
        s.ok = false;
        s.why = info > 0 ? "the eigenvalues did not converge" : "eigenvalues are too large for numbers";
        return s;
    }
    s.right = as_complex(right, im), s.left = as_complex(left, im);
    for (Index i = 0; i < n; ++i) {
        s.values(i) = {re(i), im(i)};
        s.condition(i) = e(i) > 0 ? 1 / e(i) : infinity;
        s.error(i) = epsilon * s.norm / std::max(e(i), std::sqrt(epsilon));
        s.separation(i) = v(i);
    }
    return s;
}

/// States that act on one another, directly or through others: the diagonal blocks of A, once sorted into triangular form.
std::vector<std::vector<Index>> blocks_of(const MatrixXd& A) {
    const auto n = static_cast<std::size_t>(A.rows()), words = (n + 63) / 64;
    std::vector<std::vector<std::uint64_t>> reach(n, std::vector<std::uint64_t>(words, 0));
    const auto has = [&](std::size_t i, std::size_t j) { return (reach[i][j / 64] >> (j % 64) & 1) != 0; };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j || A(static_cast<Index>(i), static_cast<Index>(j)) != 0) reach[i][j / 64] |= std::uint64_t{1} << (j % 64);
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!has(i, k)) continue;
            for (std::size_t w = 0; w < words; ++w) reach[i][w] |= reach[k][w];
        }
    }
    std::vector<std::vector<Index>> blocks;
    std::vector<bool> taken(n, false);
    for (std::size_t i = 0; i < n; ++i) {
        if (taken[i]) continue;
        blocks.emplace_back();
        for (std::size_t j = i; j < n; ++j) {
            if (has(i, j) && has(j, i)) taken[j] = true, blocks.back().push_back(j);
        }
    }
    return blocks;
}

/// The vector with A x = μ x that is nearest to x, of length 1; x itself where it is one already, or there is none.
VectorXcd onto_eigenvectors(const MatrixXd& A, Complex mu, const VectorXcd& x, double norm) {
    if ((A * x - mu * x).norm() <= 1e-9 * norm) return x;
    const Index n = A.rows(), size = mu.imag() == 0 ? n : 2 * n;
    MatrixXd E(size, size);  // of the real part, then the imaginary one
    E.topLeftCorner(n, n) = A - mu.real() * MatrixXd::Identity(n, n);
    if (size > n) {
        E.bottomRightCorner(n, n) = E.topLeftCorner(n, n);
        E.topRightCorner(n, n) = mu.imag() * MatrixXd::Identity(n, n);
        E.bottomLeftCorner(n, n) = -E.topRightCorner(n, n);
    }
    const SingularValues svd = singular_values(E, SingularVectors::none, SingularVectors::full);
    Index none = 0;
    while (svd.ok && none < size && svd.s[size - 1 - none] <= 1e-9 * svd.s[0]) ++none;
    if (none == 0) return x;
    const MatrixXd N = svd.v.rightCols(none);
    VectorXcd found(n);
    if (size == n) {
        found = N * (N.transpose() * x);
    } else {
        VectorXd z(size);
        z << x.real(), x.imag();
        z = (N * (N.transpose() * z)).eval();
        found.real() = z.head(n), found.imag() = z.tail(n);
    }
    return found.norm() > 1e-6 ? VectorXcd(found.normalized()) : x;
}

/// One step of inverse iteration [golub13 §7.6.1]. What does not act on the states of x in A does not in the factors either: parts of other
/// vectors that QR has mixed in, through all of A at once, go down to rounding. x itself where that makes it no better.
VectorXcd polished(const MatrixXd& A, Complex mu, const VectorXcd& x, double norm) {
    const Index n = A.rows();
    const ComplexLu shifted(A.cast<Complex>() - (mu + epsilon * norm) * MatrixXcd::Identity(n, n));
    VectorXcd better = shifted.solve(x);
    if (!better.allFinite() || !(better.norm() > 0)) return x;
    better.normalize();
    const Complex along = better.dot(x);
    if (std::abs(along) < 0.999) return x;
    better *= along / std::abs(along);
    return (A * better - mu * better).norm() <= std::max((A * x - mu * x).norm(), 4 * epsilon * norm) ? better : x;
}

/// Of eigenvalues that stand clear of all others; conjugates stay conjugate.
void polish(Spectrum& s, const MatrixXd& A) {
    const Index n = A.rows();
    for (Index i = 0; i < n; ++i) {
        if (s.values[i] == 0.0 || s.values[i].imag() < 0) continue;
        double gap = infinity;
        for (Index j = 0; j < n; ++j) {
            if (j != i) gap = std::min(gap, std::abs(s.values[i] - s.values[j]));
        }
        if (!(gap > 1e3 * s.error[i])) continue;
        s.right.col(i) = polished(A, s.values[i], s.right.col(i), s.norm);
        s.left.col(i) = polished(A.transpose(), std::conj(s.values[i]), s.left.col(i), s.norm);
        if (s.values[i].imag() == 0 || i + 1 == n) continue;
        s.right.col(i + 1) = s.right.col(i).conjugate();
        s.left.col(i + 1) = s.left.col(i).conjugate();
    }
}

/// Without the last step.
Spectrum raw_spectrum(const MatrixXd& A, const MatrixXd& noise) {
    Spectrum refused;
    refused.why = find_trouble(A, "the matrix");
    if (!refused.why.empty()) return refused;
    const Spectrum whole = whole_spectrum(A);
    const Index n = A.rows();
    if (!whole.ok || n == 0) return whole;
    const auto blocks = blocks_of(A);
    const bool has_noise = noise.rows() == n && noise.cols() == n;
    if (blocks.size() == 1 && !has_noise) return whole;
    // Eigenvalues, and what they are worth, block by block: what a block only acts upon does not disturb it. Vectors are those of the
    // whole; of eigenvalues that cannot be told apart there it matters little which.
    std::vector<Complex> values;
    std::vector<double> errors;
    for (const auto& block : blocks) {
        Index zeros = 0;
        MatrixXd rest = A(block, block);
        if (has_noise) {
            const ZeroChains chains = zero_chains(rest, noise(block, block));
            zeros = chains.count();
            if (zeros > 0) rest = chains.rest;
        }
        if (blocks.size() == 1 && zeros == 0) return whole;
        const Spectrum part = whole_spectrum(rest);
        if (!part.ok) return part;
        values.insert(values.end(), static_cast<std::size_t>(zeros), Complex(0));
        errors.insert(errors.end(), static_cast<std::size_t>(zeros), 0.0);
        values.insert(values.end(), part.values.begin(), part.values.end());
        errors.insert(errors.end(), part.error.begin(), part.error.end());
    }
    MatrixXd cost(n, n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) cost(i, j) = std::abs(values[i] - whole.values[j]);
    }
    const auto place = assign(cost);
    Spectrum s = whole;
    for (Index i = 0; i < n; ++i) {
        const Index j = place[i];
        const Complex value = values[i];
        s.values(i) = value, s.error(i) = errors[i];
        s.condition(i) = whole.condition(j), s.separation(i) = whole.separation(j);
        const Complex was = whole.values(j);
        const auto vector = [&](const MatrixXcd& from, MatrixXcd& to) {
            if ((value.imag() == 0) == (was.imag() == 0)) {
                to.col(i) = (value.imag() > 0) == (was.imag() > 0) ? VectorXcd(from.col(j)) : VectorXcd(from.col(j).conjugate());
            } else if (value.imag() == 0) {
                to.col(i) = (was.imag() > 0 ? VectorXd(from.col(j).real()) : VectorXd(from.col(j).imag())).cast<Complex>();
                if (to.col(i).norm() < 1e-8) to.col(i) = from.col(j).real().cast<Complex>();
            } else if (value.imag() > 0) {
                const Index k = i + 1 < n ? place[i + 1] : j;
                to.col(i) = from.col(j) + Complex(0, 1) * from.col(k);
            } else {
                to.col(i) = to.col(i - 1).conjugate();
            }
            to.col(i).normalize();
        };
        vector(whole.right, s.right), vector(whole.left, s.left);
        // those of eigenvalues that rounding has thrown apart in the whole are vectors of none
        s.right.col(i) = onto_eigenvectors(A, value, s.right.col(i), whole.norm);
        s.left.col(i) = onto_eigenvectors(A.transpose(), std::conj(value), s.left.col(i), whole.norm);
    }
    return s;
}

}  // namespace

Spectrum spectrum(const MatrixXd& A, const MatrixXd& noise) {
    Spectrum s = raw_spectrum(A, noise);
    if (s.ok) polish(s, A);
    return s;
}

std::vector<Index> assign(const MatrixXd& cost) {
    // Rows enter one after the other; each by the shortest augmenting path, potentials keep reduced costs positive.
    const Index rows = cost.rows(), columns = std::max(cost.cols(), cost.rows());
    const double none = 2 * (cost.size() == 0 ? 0 : cost.cwiseAbs().maxCoeff()) + 1;
    const auto at = [&](Index i, Index j) { return j < cost.cols() ? cost(i, j) : none; };
    const auto size = static_cast<std::size_t>(columns) + 1;
    std::vector<double> row_potential(static_cast<std::size_t>(rows) + 1, 0), potential(size, 0);
    std::vector<Index> owner(size, 0), way(size, 0);
    for (Index i = 1; i <= rows; ++i) {
        owner[0] = i;
        Index j0 = 0;
        std::vector<double> least(size, std::numeric_limits<double>::infinity());
        std::vector<bool> used(size, false);
        do {
            used[j0] = true;
            const Index i0 = owner[j0];
            double delta = std::numeric_limits<double>::infinity();
            Index j1 = 0;
            for (Index j = 1; j <= columns; ++j) {
                const auto k = static_cast<std::size_t>(j);
                if (used[k]) continue;
                const double reduced = at(i0 - 1, j - 1) - row_potential[i0] - potential[k];
                if (reduced < least[k]) least[k] = reduced, way[k] = j0;
                if (least[k] < delta) delta = least[k], j1 = j;
            }
            for (std::size_t k = 0; k < size; ++k) {
                if (used[k]) {
                    row_potential[owner[k]] += delta, potential[k] -= delta;
                } else {
                    least[k] -= delta;
                }
            }
            j0 = j1;
        } while (owner[j0] != 0);
        do {
            const Index j1 = way[j0];
            owner[j0] = owner[j1];
            j0 = j1;
        } while (j0 != 0);
    }
    std::vector<Index> result(static_cast<std::size_t>(rows), -1);
    for (Index j = 1; j <= cost.cols(); ++j) {
        if (owner[j] > 0) result[owner[j] - 1] = j - 1;
    }
    return result;
}

namespace {

/// Row and column factors, powers of two, that give B rows and columns of length about 1; where B has none, A. Then `shift`
/// brings A to the size of B.
struct Balance {
    VectorXd row, column;
    double shift = 1;
};

Balance balance(const MatrixXd& A, const MatrixXd& B) {
    const Index n = A.rows();
    Balance b{VectorXd::Ones(n), VectorXd::Ones(n)};
    const auto scale = [&](const MatrixXd& m, const std::vector<bool>& rows, const std::vector<bool>& columns) {
        for (int pass = 0; pass < 4; ++pass) {
            for (Index i = 0; i < n; ++i) {
                if (!rows[i]) continue;
                const double length = (m.row(i).transpose().cwiseProduct(b.column)).stableNorm();
                if (length > 0 && std::isfinite(1 / length)) b.row(i) = 1 / power_of_two(length);
            }
            for (Index j = 0; j < n; ++j) {
                if (!columns[j]) continue;
                const double length = (m.col(j).cwiseProduct(b.row)).stableNorm();
                if (length > 0 && std::isfinite(1 / length)) b.column(j) = 1 / power_of_two(length);
            }
        }
    };
    std::vector<bool> rows, columns, other_rows, other_columns;
    for (Index i = 0; i < n; ++i) {
        rows.push_back(!B.row(i).isZero(0)), columns.push_back(!B.col(i).isZero(0));
        other_rows.push_back(!rows.back()), other_columns.push_back(!columns.back());
    }
    scale(B, rows, columns);
    // What A is on the rows and columns that B has; the others follow it.
    double most = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            if (rows[i] && columns[j]) most = std::max(most, std::abs(A(i, j)) * b.row(i) * b.column(j));
        }
    }
    if (most > 0 && std::isfinite(most)) b.shift = power_of_two(most);
    scale(A / b.shift, other_rows, other_columns);
    return b;
}

/// One link of every chain at infinity split off: V = [V1 V2] with B V2 = 0, Q = [Q1 Q2] with Q2ᵀA V2 = 0.
struct Link {
    MatrixXd V1, V2, Q2;
    MatrixXd A11, B11;  ///< Q1ᵀ A V1, Q1ᵀ B V1
    MatrixXd R;         ///< Q1ᵀ A V2
};

}  // namespace

PencilSpectrum pencil_spectrum(const MatrixXd& A, const MatrixXd& B, const PencilOptions& options) {
    PencilSpectrum s;
    const Index n = A.rows();
    s.why = find_trouble(A, "the first matrix");
    if (s.why.empty()) s.why = find_trouble(B, "the second matrix");
    if (s.why.empty() && B.rows() != n) s.why = fmt::format("matrices of {} and {} rows make no pencil", n, B.rows());
    if (!s.why.empty()) return s;
    s.right.resize(n, 0), s.left.resize(n, 0);
    s.ok = true;
    if (n == 0) return s;
    const Balance balanced = balance(A, B);
    s.scale = balanced.shift;
    MatrixXd a = balanced.row.asDiagonal() * A * balanced.column.asDiagonal() / balanced.shift;
    MatrixXd b = balanced.row.asDiagonal() * B * balanced.column.asDiagonal();
    std::vector<Link> links;
    const double b_norm = b.norm() > 0 ? b.norm() / std::sqrt(static_cast<double>(n)) : 1;
    while (b.rows() > 0) {
        const Index m = b.rows();
        const SingularValues svd = singular_values(b, SingularVectors::full, SingularVectors::full);
        Index rank = 0;
        while (rank < m && svd.s(rank) > options.b_tolerance * static_cast<double>(n) * std::max(b_norm, svd.s(0))) ++rank;
        if (rank == m) break;
        Link link;
        link.V1 = svd.v.leftCols(rank), link.V2 = svd.v.rightCols(m - rank);
        const MatrixXd on = times(a, link.V2);
        const PivotedQr qr(on);
        const MatrixXd q = qr.q();
        const double largest = std::max(qr.pivot(0), 1e-3);
        Index full = 0;
        while (full < m - rank && qr.pivot(full) > options.a_tolerance * largest) ++full;
        if (full < m - rank) {
            s.ok = false;
            s.undetermined = m - rank - full;
            s.why = fmt::format("the pencil is singular: in {} direction{} both matrices vanish, so every number is an eigenvalue",
                                s.undetermined, s.undetermined == 1 ? "" : "s");
            s.infinite = 0;
            return s;
        }
        const MatrixXd q1 = q.leftCols(m - rank);
        link.Q2 = q.rightCols(rank);
        link.R = transposed_times(q1, on);
        link.A11 = times(transposed_times(q1, a), link.V1);
        link.B11 = times(transposed_times(q1, b), link.V1);
        a = times(transposed_times(link.Q2, a), link.V1);
        b = times(transposed_times(link.Q2, b), link.V1);
        s.infinite += m - rank;
        s.chains.push_back(m - rank);
        links.push_back(std::move(link));
    }
    const Index r = b.rows();
    s.values.resize(r), s.condition.resize(r);
    s.right.resize(n, r), s.left.resize(n, r);
    if (r == 0) return s;
    MatrixXd left(r, r), right(r, r), a_work = a, b_work = b;
    VectorXd re(r), im(r), beta(r);
    const auto size = static_cast<lapack_int>(r);
    const auto info = LAPACKE_dggev(LAPACK_COL_MAJOR, 'V', 'V', size, a_work.data(), size, b_work.data(), size, re.data(), im.data(),
                                    beta.data(), left.data(), size, right.data(), size);
    if (info != 0 || !left.allFinite() || !right.allFinite() || !re.allFinite() || !im.allFinite()) {
        s.ok = false;
        s.why = "the QZ iteration did not converge";
        return s;
    }
    MatrixXcd x = as_complex(right, im), y = as_complex(left, im);
    for (Index i = 0; i < r; ++i) {
        const Complex mu = beta(i) == 0 ? Complex(0) : Complex(re(i), im(i)) / beta(i);
        if (beta(i) == 0 || !std::isfinite(std::abs(mu) * balanced.shift)) {
            s.ok = false;
            s.why = "an eigenvalue is too large for a number and not infinite";
            return s;
        }
        s.values(i) = mu * balanced.shift;
        const Complex ya = y.col(i).dot(a * x.col(i)), yb = y.col(i).dot(b * x.col(i));
        const double size_of = std::hypot(std::abs(ya), std::abs(yb));
        s.condition(i) = size_of > 0 ? 1 / size_of : infinity;
        VectorXcd full = x.col(i), other = y.col(i);
        for (auto link = links.rbegin(); link != links.rend(); ++link) {
            // (A11 − μ B11) x1 + R x2 = 0
            const VectorXcd rhs = -(link->A11 * full - mu * (link->B11 * full));
            const VectorXcd x2 = link->R.cast<Complex>().colPivHouseholderQr().solve(rhs);
            full = (link->V1 * full + link->V2 * x2).eval();
            other = (link->Q2 * other).eval();
        }
        s.right.col(i) = (balanced.column.asDiagonal() * full).normalized();
        s.left.col(i) = (balanced.row.asDiagonal() * other).normalized();
    }
    return s;
}

NullSpace null_space_by_qr(const MatrixXd& G, double tolerance) {
    NullSpace s;
    const Index m = G.rows(), n = G.cols();
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) {
            if (!std::isfinite(G(i, j))) return s.why = fmt::format("the matrix is not finite in row {}, column {}", i, j), s;
        }
    }
    s.ok = true;
    s.z = MatrixXd::Identity(n, n);
    for (Index i = 0; i < m; ++i) s.dependent.push_back(i);
    if (m == 0 || n == 0) return s;
    const PivotedQr qr((row_scale(G).asDiagonal() * G).transpose());
    const double first = qr.pivot(0);
    while (s.rank < std::min(m, n) && qr.pivot(s.rank) > tolerance * first) ++s.rank;
    const MatrixXd q = qr.q();
    s.z = q.rightCols(n - s.rank);
    s.dependent.clear();
    for (Index i = 0; i < m; ++i) (i < s.rank ? s.independent : s.dependent).push_back(qr.order()(i));
    std::ranges::sort(s.independent);
    std::ranges::sort(s.dependent);
    return s;
}

}  // namespace linkwright::solve
