#pragma once
// The equations of a constrained mechanism, solved for accelerations and multipliers:
//
//     M u̇ + Gᵀλ = f
//     G u̇       = γ
//
// M need only be positive definite on the motions that G allows: massless links in loops are fine. G may have redundant
// rows: u̇ does not mind, and of the λ that serve the shortest is taken. Rows that are only rounding (rank.hpp) count as redundant.
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
//
// Two rivals may be asked for. The Schur complement: with M = L Lᵀ and L⁻¹Gᵀ = Q R (pivoted), G M⁻¹Gᵀ = RᵀR is never
// formed, so the condition of G is not squared; but M must be definite. And the whole matrix [M Gᵀ; G 0] by elimination,
// sparse when it is large. Where one of them cannot serve, the null-space method does, and `note` says why.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linkwright/solve/rank.hpp"

namespace linkwright::solve {

/// Ways to the same u̇ and λ.
enum class DescriptorMethod : std::uint8_t {
    nullspace,  ///< orthogonal basis of what G allows: serves always
    schur,      ///< multipliers first: fast when constraints are few
    kkt,        ///< everything at once: fast when the matrices are large and mostly empty
};

/// When a row counts as redundant, and when as contradicted.
struct DescriptorOptions {
    DescriptorMethod method = DescriptorMethod::nullspace;
    double rank_tolerance = default_rank_tolerance;
    double consistency = 1e-8;  ///< |G_i u̇ − γ_i| allowed, relative to |G_i||u̇| + |γ_i|
    double floor = 1e-10;       ///< and, in units of u̇, allowed anyway
    RowErrors errors{};         ///< what rows and γ may be wrong by, where that is known
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
    std::string note;  ///< why another method served than the one asked for; mostly empty
};

/// Solves for u̇ and λ, deciding the rank of G here.
DescriptorSolution solve_descriptor(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                                    const DescriptorOptions& options = {});

/// The same with a rank decided before (at assembly) and kept, so that it cannot flicker while a simulation runs. Near
/// a singular position `condition` grows instead; not ok when the constraints have clearly lost that rank.
DescriptorSolution solve_descriptor(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma, Index rank,
                                    const DescriptorOptions& options = {});

/// The matrices taken apart, for one right-hand side after the other, with the rank of G known; what memory it needs it
/// keeps. The work of a simulation is done here. Rows are measured by the longest they have been since the factor was made,
/// so that one that vanishes on the way is seen to.
class DescriptorFactor {
public:
    explicit DescriptorFactor(DescriptorMethod method = DescriptorMethod::nullspace);
    DescriptorFactor(DescriptorFactor&&) noexcept;
    DescriptorFactor& operator=(DescriptorFactor&&) noexcept;
    ~DescriptorFactor();

    /// False: the constraints have lost that rank, or something moves without inertia, or is not finite; `why()` tells.
    bool factor(const MatrixXd& M, const MatrixXd& G, Index rank);
    /// u̇ and the shortest λ. Where rows contradict each other a little, as they do beside the constraints, u̇ is the
    /// best compromise.
    void solve(const VectorXd& f, const VectorXd& gamma, VectorXd& udot, VectorXd& lambda);

    double condition() const;  ///< as in DescriptorSolution
    /// Last pivot of the constraints over the largest first one since the factor was made: 0 where they lose rank.
    double independence() const;
    const VectorXd& row_scales() const;  ///< rows of G are multiplied by these
    const std::string& why() const;
    const std::string& note() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace linkwright::solve
