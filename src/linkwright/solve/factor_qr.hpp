#pragma once
// Factors of products that are never multiplied out [mufti83 Appendix].
//
// Mass matrices and the matrices of constraint forces are products, ZᵀJZ and HᵀJ⁻¹H, with J the masses and inertias of single
// bodies. Multiplied out, their condition is the square of what it needs to be: masses from 1 to 1e-12 leave four digits.
// With J = L D Lᵀ, however, ZᵀJZ = AᵀA for A = D^½ Lᵀ Z, and A = Q R gives the Cholesky factor Rᵀ from A itself.
//
// When the rank of H is short, because a loop is closed twice over, the singular values of A take the place of its
// triangle: accelerations are the same, and of the multipliers that serve the shortest is taken.
//
// descriptor.hpp is what a simulation runs; it scales, keeps memory and has other ways out. Here the appendix stands as
// printed, to be called where a mass matrix is known by its factors, and to hold the other against.

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// L Lᵀ = AᵀA with L lower triangular and a diagonal that is not negative. Not ok when a column of A depends on those before
/// it, `bad` the first such; rank counts the columns before.
struct QrFactor {
    MatrixXd l;
    Index rank = 0;
    Index bad = -1;
    double condition = 1;  ///< largest over smallest diagonal entry, of columns scaled to length 1
    bool ok = false;
    std::string why;
};

/// Of AᵀA. Rows are sorted by size first: then small rows keep their digits beside large ones. A column depends on others
/// when less than `tolerance` of its length is its own; negative means 8ε times the rows.
QrFactor cholesky_through_qr(const MatrixXd& a, double tolerance = -1);

/// Of ZᵀJZ for symmetric J without negative eigenvalues; J may be singular (bodies without mass), ZᵀJZ not.   [(A-3), (A-5)]
QrFactor cholesky_through_qr(const MatrixXd& J, const MatrixXd& Z, double tolerance = -1);

/// Of HᵀJ⁻¹H for positive definite J and H of full column rank.   [(A-3)–(A-5)]
QrFactor cholesky_of_inverse_through_qr(const MatrixXd& J, const MatrixXd& H, double tolerance = -1);

/// x with L Lᵀ x = b.
Solution solve(const QrFactor& factor, const VectorXd& b);

/// Accelerations and multipliers of a constrained system, however many of its rows are redundant.
struct LoopSolution {
    VectorXd udot;
    VectorXd lambda;      ///< the shortest
    Index rank = 0;       ///< of G
    double residual = 0;  ///< largest |G u̇ − γ|
    bool ok = false;      ///< solved, and γ reached to 1e-8 of the terms of its row
    std::string why;
};

/// M u̇ + Gᵀλ = f, G u̇ = γ through multipliers: with M = L D Lᵀ and D^−½ L⁻¹ Gᵀ = V S Wᵀ,
/// λ = W S⁻² Wᵀ (G M⁻¹ f − γ). M must be positive definite. Rank by `tolerance` of the largest singular value.   [(A-11), (A-12)]
LoopSolution minimum_norm_by_svd(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                                 double tolerance = default_rank_tolerance);

/// The same without multipliers: Gᵀ = V S Wᵀ, u̇ = Y γ + Z z with Y = V S⁻¹ Wᵀ and Z the rest of V; ZᵀMZ is factored through
/// QR. M need only be definite on what G allows.   [(A-9), (A-10)]
LoopSolution null_space_by_svd(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                               double tolerance = default_rank_tolerance);

}  // namespace linkwright::solve
