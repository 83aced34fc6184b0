#pragma once
// A x = b for a square A, by elimination:
//
//     P A = L U         rows exchanged (partial pivoting): the plain way, for a matrix that is known to be regular
//     P A Q = L U       rows and columns exchanged (complete pivoting): dearer, and its pivots tell the rank   [golub13 §3.4]
//     P A Pᵀ = L D Lᵀ   symmetric A, of which the lower triangle is read; the largest pivot next
//
// These are Eigen's, compiled once and for all here; other rooms name them and compile nothing. They pass no judgement: a matrix
// that is singular, or has an entry that is not finite, gives x that are not finite, and whoever cannot be sure asks `rcond` or
// `rank`. Solvers that say what is wrong are in dense.hpp and descriptor.hpp.
//
// All are values: copies share the factors until one of them computes anew. Nothing but assignment and compute() may be done with
// one that has not computed.

#include <complex>
#include <memory>

#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/right_side.hpp"

namespace linkwright::solve {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

/// P A = L U of a real matrix.
class Lu {
public:
    Lu() = default;
    explicit Lu(const MatrixXd& a) { compute(a); }
    /// Anew, in the memory of the last time.
    void compute(const MatrixXd& a);

    VectorXd pivots() const;  ///< U_ii, signs and all
    double rcond() const;     ///< estimate of 1/(‖A‖₁‖A⁻¹‖₁)
    MatrixXd inverse() const;
    VectorXd solve(const VectorXd& b) const;
    MatrixXd solve(const MatrixXd& b) const;
    VectorXcd solve(const VectorXcd& b) const;
    template <class B>
    auto solve(const Eigen::MatrixBase<B>& b) const {
        return solve(evaluated(b));
    }
    /// Into the memory of x, which must not be b.
    void solve_into(const VectorXd& b, VectorXd& x) const;

private:
    struct Inside;
    std::shared_ptr<Inside> inside_;
};

/// P A = L U of a complex matrix.
class ComplexLu {
public:
    explicit ComplexLu(const MatrixXcd& a);

    VectorXcd solve(const VectorXcd& b) const;
    MatrixXcd solve(const MatrixXcd& b) const;
    template <class B>
    auto solve(const Eigen::MatrixBase<B>& b) const {
        return solve(evaluated(b));
    }

private:
    struct Inside;
    std::shared_ptr<const Inside> inside_;
};

/// P A Q = L U of a real matrix.
class FullLu {
public:
    explicit FullLu(const MatrixXd& a);

    double rcond() const;        ///< as that of Lu
    bool is_invertible() const;  ///< every pivot exceeds n ε times the largest
    MatrixXd inverse() const;
    /// Where pivots vanish (as in is_invertible), an x that serves if there is any: unknowns that belong to them are zeros.
    VectorXd solve(const VectorXd& b) const;
    template <class B>
    auto solve(const Eigen::MatrixBase<B>& b) const {
        return solve(evaluated(b));
    }

private:
    struct Inside;
    std::shared_ptr<const Inside> inside_;
};

/// P A Q = L U of a complex matrix, which for its rank need not be square.
class ComplexFullLu {
public:
    explicit ComplexFullLu(const MatrixXcd& a);

    double rcond() const;
    Index rank(double threshold) const;  ///< how many pivots exceed threshold times the largest
    VectorXcd solve(const VectorXcd& b) const;
    MatrixXcd solve(const MatrixXcd& b) const;
    template <class B>
    auto solve(const Eigen::MatrixBase<B>& b) const {
        return solve(evaluated(b));
    }

private:
    struct Inside;
    std::shared_ptr<const Inside> inside_;
};

/// P A Pᵀ = L D Lᵀ of a symmetric matrix, best a definite one. Along pivots that are zero x is zero.
class Ldlt {
public:
    explicit Ldlt(const MatrixXd& a);

    MatrixXd solve(const MatrixXd& b) const;

private:
    struct Inside;
    std::shared_ptr<const Inside> inside_;
};

}  // namespace linkwright::solve
