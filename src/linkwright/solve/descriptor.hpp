#pragma once
// The equations of a constrained mechanism, solved for accelerations and multipliers:
//
//     M u̇ + Gᵀλ = f
//     G u̇       = γ
//
// M need only be positive definite on the motions that G allows: massless links in loops are fine. G may have redundant
// rows: u̇ does not mind, and of the λ that serve the shortest is taken.
//
// Method: the null-space one. Rows of G are scaled to length 1, columns by 1/√M_jj within bounds, which makes the
// choice of units a matter of taste. QR with pivoting of Gᵀ gives the rank r and a basis [Y Z] with G Z = 0; when rows
// are redundant a singular value decomposition does. Then
//
//     G u_p = γ,  u_p in Y          what the constraints alone decide
//     (ZᵀMZ) z = Zᵀ(f − M u_p)      L D Lᵀ; its failure is a motion without inertia
//     u̇ = u_p + Z z,   Gᵀλ = f − M u̇
//
// M is never inverted, so its own singularity does not show.

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// When a row counts as redundant, and when as contradicted.
struct DescriptorOptions {
    double rank_tolerance = default_rank_tolerance;
    double consistency = 1e-8;  ///< |G_i u̇ − γ_i| allowed, relative to |G_i||u̇| + |γ_i|
    double floor = 1e-10;       ///< and, in units of u̇, allowed anyway
};

/// When `ok` is false, udot and lambda are what could be reached, finite, and `why` says what could not.
struct DescriptorSolution {
    VectorXd udot;
    VectorXd lambda;               ///< the shortest, when rows are redundant
    Index rank = 0;                ///< of G
    std::vector<Index> redundant;  ///< rows of G that the others imply, ascending; m − rank of them
    double residual = 0;           ///< largest |G u̇ − γ|, in the units of γ
    Index worst = -1;              ///< the row where it is largest against its scale; −1 without rows
    bool consistent = false;       ///< γ can be reached, within the tolerance of the options
    double condition = 1;          ///< an estimate: the larger of those of G and of ZᵀMZ, both scaled
    VectorXd direction;            ///< a motion that G allows and that has no inertia, largest entry ±1; else empty
    bool ok = false;               ///< solved and consistent
    std::string why;
};

/// Solves for u̇ and λ, deciding the rank of G here.
DescriptorSolution solve_descriptor(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                                    const DescriptorOptions& options = {});

/// The same with a rank decided before (at assembly) and kept, so that it cannot flicker while a simulation runs. Near
/// a singular position `condition` grows instead; not ok when the constraints have clearly lost that rank.
DescriptorSolution solve_descriptor(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                                    Index rank, const DescriptorOptions& options = {});

}  // namespace linkwright::solve
