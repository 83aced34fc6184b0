#pragma once
// The lowest eigenvalues of K x = λ M x for structures of many elements: sparse, and in a form that keeps its digits.
//
// The stiffness of a structure is K = Bᵀ D B + S. B takes displacements to strains of the elements, D > 0 are their rigidities, S is what
// springs add. Multiplied out, K of n beam elements in a row has a condition of the order n⁴, and with a thousand of them the rounding of its
// entries is a spring to the ground: the lowest frequency is lost. So it is never multiplied out. K x = f is solved with the
// strains' forces s = D B x among the unknowns [golub13 §12.3, quasi-definite systems],
//
//     [ −1      √D B ] [ s' ]   [ 0 ]
//     [ Bᵀ√D     S   ] [ x  ] = [ f ],
//
// whose condition is of the order n². A structure that can move as a whole has K N = 0 for motions N that the caller knows (a rank of its
// joints, not of rounded K). Of these x is made M-orthogonal: entries of x as many as N has columns are held, f has no part that moves N, and
// N (NᵀM x) is taken away. So no shift is chosen and zero frequencies are never computed.
//
// Eigenvalues: those of K⁻¹M largest in magnitude, by Lanczos' method with implicit restarts in the inner product of M (Spectra), M
// singular if need be: motions without inertia have infinite λ and do not appear. One sequence of Lanczos finds one vector of a
// multiple eigenvalue; so what was found is taken away and the question put again, until nothing lower than the last of them turns up. Small
// problems are solved densely.

#include <memory>
#include <string>

#include "linkwright/solve/sparse.hpp"

namespace linkwright::solve {

/// K = Bᵀ diag(d) B + S, d > 0; S is symmetric and may be empty.
struct Stiffness {
    SparseMatrix B;
    VectorXd d;
    SparseMatrix S;

    Index size() const { return B.cols(); }
    /// K x
    MatrixXd operator*(const MatrixXd& x) const;
    /// tᵀ K t
    Stiffness seen_by(const SparseMatrix& t) const;
    MatrixXd seen_by(const MatrixXd& t) const;
};

struct LowestModes {
    VectorXd lambda;   ///< ascending; those of N are not among them
    MatrixXd vectors;  ///< xᵀMx = 1, largest entry positive
    bool ok = false;
    std::string why;
};

class ElasticPencil {
public:
    /// `null` spans the x with K x = 0, all of them.
    ElasticPencil(Stiffness K, SparseMatrix M, const MatrixXd& null);
    ~ElasticPencil();
    ElasticPencil(ElasticPencil&&) noexcept;

    bool ok() const;
    const std::string& why() const;
    /// Basis of N, NᵀMN = 1; those without inertia, M N = 0, stand last.
    const MatrixXd& null() const;
    Index massless() const;  ///< how many they are: they have no frequency, zero or other
    /// How many eigenvalues there may be beside those of N, at most.
    Index freedoms() const;
    /// x with K x = f up to what N takes part in, x M-orthogonal to N: the flexibility of a structure that floats [craig81 §11].
    MatrixXd solve(const MatrixXd& f) const;
    /// The `count` lowest; fewer where there are no more.
    LowestModes lowest(Index count) const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// K x = λ M x of small dense matrices, M definite or not: those of finite λ, ascending. `null` as above.
LowestModes lowest_dense(const MatrixXd& K, const MatrixXd& M, const MatrixXd& null, Index count);

}  // namespace linkwright::solve
