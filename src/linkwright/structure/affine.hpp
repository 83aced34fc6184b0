#pragma once
// M and K as exact functions of some parameters: sums of constant matrices, each times a formula.
//
// The stiffness of an element of length h is EI/h³ times numbers between displacements, EI/h² between displacement and turn, EI/h between turns; its
// mass is μh, μh², μh³ times numbers. With h = ℓ/n, n elements over a stretch ℓ that the model describes, these factors are formulas of the model's
// parameters, and so are masses, moments of inertia and stiffnesses of springs:
//
//     K(p) = Σ c_m(p) K_m,      M(p) = Σ c_m(p) M_m.
//
// As in elastic_pencil.hpp, stiffness is never multiplied out, or rounding would be a spring to the ground once there are hundreds of elements. The strain
// energy of an element in bending is ½ EI/h³ (12 α² + h² δ²), α = Δv − h s, with s the mean and δ the difference of the turns at its ends [przemieniecki68 §5.6,
// completed to squares]; with α₀ that of the length h₀ that the element has now,
//
//     α² = α₀² − 2 (h − h₀) α₀ s + (h − h₀)² s²:
//
// products of strains, which are small where the beam is hardly bent, times formulas.
//
// What does not depend on the parameters that are retained is one term with the factor 1. So long as parameters do not move joints against
// each other the rows G x = 0 stay what they are; whoever uses the terms checks that (retained.hpp).

#include "linkwright/model/model.hpp"
#include "linkwright/structure/assembly.hpp"

namespace linkwright::structure {

/// ½ (aᵀb + bᵀa), between strains that are linear in all bodies' displacements. No b: aᵀa.
struct StrainProduct {
    SparseMatrix a, b;
};

struct AffineTerm {
    sym::Expr coefficient;  ///< in the retained parameters; 1 for what does not depend on them
    std::vector<StrainProduct> strains{};
    SparseMatrix S, M;  ///< stiffness that is no product of strains, and mass

    /// tᵀ K t
    MatrixXd stiffness_seen_by(const MatrixXd& t) const;
};

/// Formulas live in a pool of their own, in which nothing but the retained parameters ever was: in the model's pool a formula that is equal to
/// one with more parameters in it may be that one.
struct AffineTerms {
    std::shared_ptr<sym::Pool> pool;
    std::vector<sym::Expr> parameters;  ///< the retained ones, in this pool
    std::vector<AffineTerm> terms;
};

/// The model must be the one that the assembly was gathered from, with the values it has. `retained` are its parameters.
AffineTerms affine_terms(const model::Model& model, const Assembly& assembly, const std::vector<sym::Expr>& retained);

}  // namespace linkwright::structure
