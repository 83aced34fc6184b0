#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "linkwright/solve/descriptor.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/products.hpp"

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Index large = 80;  ///< rows of the whole matrix from which its emptiness is worth using

bool is_finite(const MatrixXd& a) {
    double sum = 0;
    for (Index i = 0; i < a.size(); ++i) sum += a.data()[i] * 0;
    return sum == 0;
}

}  // namespace

struct DescriptorFactor::Inside {
    Eigen::ColPivHouseholderQR<MatrixXd> qr;                               ///< A P = Q R
    Eigen::LLT<MatrixXd> llt;                                              ///< of M
    Lu lu;                                                                 ///< of the whole matrix, when it is small
    CompleteOrthogonal cod;                                                ///< when rows are redundant
    std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> sparse;  ///< when it is large
};

DescriptorFactor::DescriptorFactor(DescriptorMethod method) : method_(method), inside_(std::make_unique<Inside>()) {}
DescriptorFactor::DescriptorFactor(DescriptorFactor&&) noexcept = default;
DescriptorFactor& DescriptorFactor::operator=(DescriptorFactor&&) noexcept = default;
DescriptorFactor::~DescriptorFactor() = default;

void DescriptorFactor::scale(const MatrixXd& M, const MatrixXd& G) {
    constexpr int most = 13;  // 2¹³ ≈ 10⁴: more would let masses decide the rank of G
    int sum = 0, count = 0;
    for (Index j = 0; j < n_; ++j) {
        if (M(j, j) > 0) sum += std::ilogb(M(j, j)), ++count;
    }
    const int mean = count > 0 ? sum / count : 0;
    columns_.setOnes(n_);
    for (Index j = 0; j < n_; ++j) {
        if (M(j, j) > 0) columns_[j] = std::ldexp(1.0, std::clamp((mean - std::ilogb(M(j, j))) / 2, -most, most));
    }
    M_.resize(n_, n_);
    for (Index j = 0; j < n_; ++j) {
        for (Index i = 0; i < n_; ++i) M_(i, j) = columns_[i] * M(i, j) * columns_[j];
    }
    A_.resize(n_, m_);
    for (Index i = 0; i < m_; ++i) {
        for (Index j = 0; j < n_; ++j) A_(j, i) = G(i, j) * columns_[j];
    }
    rows_ = lengths_.scales(A_.transpose());
    for (Index i = 0; i < m_; ++i) A_.col(i) *= rows_[i];
}

/// A P = Q R with the rank known, and Rᵀ = V T where rows are redundant.
bool DescriptorFactor::decompose(const MatrixXd& A) {
    independence_ = condition_ = 1;
    if (m_ == 0 || rank_ == 0) {
        silent_.setIdentity(m_, m_);
        return true;
    }
    inside_->qr.compute(A);
    const double first = std::abs(inside_->qr.matrixQR()(0, 0)), last = std::abs(inside_->qr.matrixQR()(rank_ - 1, rank_ - 1));
    largest_pivot_ = std::max(largest_pivot_, first);  // a row on its own that vanishes has no other to be measured by
    independence_ = first > 0 ? last / largest_pivot_ : 0;
    condition_ = last > 0 ? first / last : std::numeric_limits<double>::infinity();
    if (!(last > 8 * static_cast<double>(m_ + n_) * epsilon * first)) {
        why_ = fmt::format("the constraints have lost rank: it was {}, and is less here", rank_);
        return false;
    }
    if (rank_ < m_) {
        const MatrixXd rt = MatrixXd(inside_->qr.matrixQR().topRows(rank_).template triangularView<Eigen::Upper>()).transpose();
        const PlainQr second = plain_qr(rt);
        const MatrixXd& v = second.q;
        v_ = inside_->qr.colsPermutation() * v.leftCols(rank_);
        t_ = second.r;
        // λ that Gᵀ does not see, in its own units
        silent_ = rows_.asDiagonal() * (inside_->qr.colsPermutation() * v.rightCols(m_ - rank_));
        silent_ = plain_qr(silent_).q.leftCols(m_ - rank_);
    }
    return true;
}

/// y with Aᵀ(Q_r y) = g_, least squares where rows are redundant.
void DescriptorFactor::along_rows(VectorXd& y) {
    if (rank_ == m_) {
        y.noalias() = inside_->qr.colsPermutation().transpose() * g_;
        inside_->qr.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(y);
    } else {
        y.noalias() = v_.transpose() * g_;
        t_.triangularView<Eigen::Upper>().solveInPlace(y);
    }
}

/// λ with A λ = Q_r c, in the units of the caller; c is used up.
void DescriptorFactor::multipliers(VectorXd& c, VectorXd& lambda) {
    if (rank_ == m_) {
        inside_->qr.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(c);
        lambda.noalias() = inside_->qr.colsPermutation() * c;
    } else {
        t_.triangularView<Eigen::Upper>().transpose().solveInPlace(c);
        lambda.noalias() = v_ * c;
    }
    lambda.array() *= rows_.array();
    shorten(lambda);
}

void DescriptorFactor::shorten(VectorXd& lambda) const {
    if (rank_ < m_) lambda -= silent_ * (silent_.transpose() * lambda);
}

/// ZᵀMZ = L Lᵀ in place; a pivot that rounding could have made is looked at more closely.
bool DescriptorFactor::factor_inertia() {
    const Index k = inertia_.rows();
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    bool is_plain = true;
    for (Index j = 0; j < k && is_plain; ++j) {
        const double before = inertia_(j, j);
        double d = before;
        for (Index i = 0; i < j; ++i) d -= inertia_(j, i) * inertia_(j, i);
        if (!(d > 1e-10 * before) || !(before > 1e-8 * M_.diagonal().maxCoeff())) {
            is_plain = false;
            break;
        }
        largest = std::max(largest, d / before), smallest = std::min(smallest, d / before);
        const double root = std::sqrt(d);
        inertia_(j, j) = root;
        for (Index r = j + 1; r < k; ++r) {
            double x = inertia_(r, j);
            for (Index i = 0; i < j; ++i) x -= inertia_(r, i) * inertia_(j, i);
            inertia_(r, j) = x / root;
        }
    }
    if (is_plain) {
        if (k > 0) condition_ = std::max(condition_, largest / smallest);
        return true;
    }
    inertia_.noalias() = z_.transpose() * mz_;
    const MatrixXd size = congruent(sizes(M_), sizes(z_));
    const Definite exact = factor_definite((inertia_ + inertia_.transpose()) / 2, -1, size.diagonal());
    if (!exact.ok) {
        why_ = exact.bad < 0 ? exact.why : "a motion that the constraints allow has no inertia";
        return false;
    }
    condition_ = std::max(condition_, exact.condition);
    inertia_ = exact.l * exact.d.cwiseSqrt().asDiagonal();
    return true;
}

bool DescriptorFactor::factor_nullspace() {
    used_ = DescriptorMethod::nullspace;
    if (!decompose(A_)) return false;
    if (rank_ == 0) {
        q_.setIdentity(n_, n_);
    } else {
        q_.resize(n_, n_);
        inside_->qr.householderQ().evalTo(q_, work_);
    }
    z_ = q_.rightCols(n_ - rank_);
    mz_.noalias() = M_ * z_;
    inertia_.noalias() = z_.transpose() * mz_;
    return factor_inertia();
}

bool DescriptorFactor::factor_schur() {
    used_ = DescriptorMethod::schur;
    inside_->llt.compute(M_);
    const auto& l = inside_->llt.matrixLLT();
    for (Index j = 0; j < n_; ++j) {
        if (inside_->llt.info() == Eigen::Success && l(j, j) * l(j, j) > 1e-12 * M_(j, j)) continue;
        note_ = "the mass matrix is not definite, so there is no Schur complement; the null-space method served";
        return factor_nullspace();
    }
    if (A_.size() > 0) inside_->llt.matrixL().solveInPlace(A_);
    return decompose(A_);
}

bool DescriptorFactor::factor_kkt() {
    used_ = DescriptorMethod::kkt;
    const Index k = n_ + m_;
    if (rank_ < m_ || k < large) {
        kkt_.setZero(k, k);
        kkt_.topLeftCorner(n_, n_) = M_;
        kkt_.topRightCorner(n_, m_) = A_;
        kkt_.bottomLeftCorner(m_, n_) = A_.transpose();
    }
    independence_ = 1;
    const auto joint_acceleration = [&](const char* why) {
        note_ = fmt::format("{}; the null-space method served", why);
        return factor_nullspace();
    };
    if (rank_ < m_) {
        inside_->cod.compute(kkt_, 1e-11);
        if (inside_->cod.rank() != n_ + rank_) return joint_acceleration("the rank of the whole matrix is in doubt");
        // beside it, the λ that Gᵀ does not see
        if (!decompose(A_)) return false;
        condition_ = 1;
        return true;
    }
    if (k == 0) return true;
    if (k < large) {
        inside_->lu.compute(kkt_);
        const VectorXd pivots = inside_->lu.pivots().cwiseAbs();
        const double r = pivots.minCoeff() > 0 ? inside_->lu.rcond() : 0;
        condition_ = r > 0 ? 1 / r : std::numeric_limits<double>::infinity();
        if (!(r > 1e-13)) return joint_acceleration("the whole matrix is close to singular");
        return true;
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (Index j = 0; j < n_; ++j) {
        for (Index i = 0; i < n_; ++i) {
            if (M_(i, j) != 0) entries.emplace_back(i, j, M_(i, j));
        }
        for (Index i = 0; i < m_; ++i) {
            if (A_(j, i) == 0) continue;
            entries.emplace_back(j, n_ + i, A_(j, i));
            entries.emplace_back(n_ + i, j, A_(j, i));
        }
    }
    Eigen::SparseMatrix<double> whole(k, k);
    whole.setFromTriplets(entries.begin(), entries.end());
    inside_->sparse = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
    inside_->sparse->compute(whole);
    if (inside_->sparse->info() != Eigen::Success) return joint_acceleration("the whole matrix is singular");
    // A probe: what is put in must come out.
    const VectorXd probe = VectorXd::LinSpaced(k, 0.5, 1.5), back = inside_->sparse->solve(whole * probe);
    if (!((back - probe).lpNorm<Eigen::Infinity>() < 1e-4)) return joint_acceleration("the whole matrix is close to singular");
    condition_ = 1;
    return true;
}

bool DescriptorFactor::factor(const MatrixXd& M, const MatrixXd& G, Index rank) {
    n_ = M.rows(), m_ = G.rows();
    rank_ = std::clamp<Index>(rank, 0, std::min(n_, m_));
    why_.clear(), note_.clear();
    if (!is_finite(M) || !is_finite(G)) {
        why_ = is_finite(M) ? "the constraint Jacobian has an entry that is not finite" : "the mass matrix has an entry that is not finite";
        return false;
    }
    scale(M, G);
    switch (method_) {
        case DescriptorMethod::schur: return factor_schur();
        case DescriptorMethod::kkt: return factor_kkt();
        case DescriptorMethod::nullspace: break;
    }
    return factor_nullspace();
}

void DescriptorFactor::solve_kkt(VectorXd& udot, VectorXd& lambda) {
    whole_.resize(n_ + m_);
    whole_ << f_, g_;
    if (rank_ < m_) {
        inside_->cod.solve_into(whole_, whole_x_);
    } else if (n_ + m_ < large) {
        inside_->lu.solve_into(whole_, whole_x_);
    } else {
        whole_x_ = inside_->sparse->solve(whole_);
    }
    udot = columns_.cwiseProduct(whole_x_.head(n_));
    lambda = rows_.cwiseProduct(whole_x_.tail(m_));
    shorten(lambda);
}

void DescriptorFactor::solve(const VectorXd& f, const VectorXd& gamma, VectorXd& udot, VectorXd& lambda) {
    if (n_ == 0) {
        udot.resize(0);
        lambda.setZero(m_);
        return;
    }
    f_ = columns_.cwiseProduct(f);
    g_ = rows_.cwiseProduct(gamma);
    if (used_ == DescriptorMethod::kkt) return solve_kkt(udot, lambda);
    lambda.setZero(m_);
    if (used_ == DescriptorMethod::schur) {
        // x = Lᵀu̇: Aᵀx = g, x + Aλ = L⁻¹f
        inside_->llt.matrixL().solveInPlace(f_);
        u_ = f_;
        if (rank_ > 0) {
            along_rows(y_);
            u_.applyOnTheLeft(inside_->qr.householderQ().setLength(rank_).adjoint());
            c_ = u_.head(rank_) - y_;
            u_.head(rank_) = y_;
            u_.applyOnTheLeft(inside_->qr.householderQ().setLength(rank_));
            multipliers(c_, lambda);
        }
        inside_->llt.matrixU().solveInPlace(u_);
        udot = columns_.cwiseProduct(u_);
        return;
    }
    if (rank_ > 0) {
        along_rows(y_);
        u_.noalias() = q_.leftCols(rank_) * y_;
        r_ = f_;
        r_.noalias() -= M_ * u_;
    } else {
        u_.setZero(n_);
        r_ = f_;
    }
    if (rank_ < n_) {
        c_.noalias() = z_.transpose() * r_;
        inertia_.triangularView<Eigen::Lower>().solveInPlace(c_);
        inertia_.triangularView<Eigen::Lower>().transpose().solveInPlace(c_);
        u_.noalias() += z_ * c_;
        r_.noalias() -= mz_ * c_;
    }
    udot = columns_.cwiseProduct(u_);
    if (rank_ > 0) {
        c_.noalias() = q_.leftCols(rank_).transpose() * r_;
        multipliers(c_, lambda);
    }
}

}  // namespace linkwright::solve
