#pragma once
// Three ways to get numbers out of Kane's equations, [Bᵀ M B] u̇ = Bᵀ [f − M Ḃu − h] + τ [lynch88 §4.6], to be measured
// side by side:
//
//     expanded        every entry of M and f multiplied out to a sum of products, each computed by itself; sines and
//                     cosines are shared and nothing else. "Pure symbolic"
//     matrices        the entries of B, Ḃ, J, m, f, h are formulas, their products are loops over numbers, zeros included
//     intermediates   the same entries; each that is not zero gets a name, and the products are formulas in these names
//
// None is what derive() does, which never multiplies by B at all. They are for all freedoms of the mechanism, given motions
// as if free, without rows of constraints: what the three do differently.
//
// A plan says which formulas are computed one after the other, each stage knowing nothing of the others but what it is given;
// whoever has a compiler lowers, counts and runs the stages.

#include <cstdint>
#include <string_view>

#include "linkwright/formulation/system.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::formulation::kane {

enum class Evaluation : std::uint8_t { expanded, matrices, intermediates };
std::string_view to_string(Evaluation evaluation);

struct Arithmetic {
    std::size_t add = 0, mul = 0;
};

struct Plan {
    /// Computes `outputs` from the state, inputs, parameters, and what earlier stages have computed: `given`, of which
    /// given[k] is output number from[k].second of stage from[k].first. All of a stage in one pool.
    struct Stage {
        std::vector<Expr> symbols;  ///< q, u, inputs, t
        std::vector<Expr> parameters;
        std::vector<Expr> given, outputs;
        std::vector<std::pair<std::size_t, std::size_t>> from;
    };
    std::vector<Stage> stages;
    std::vector<std::shared_ptr<sym::Pool>> pools;  ///< beside the model's
    std::size_t freedoms = 0, bodies = 0;           ///< bodies without the ground
    Arithmetic loops;                               ///< of multiply()
    std::size_t terms = 0;                          ///< products in the sums, of `expanded`
    std::string why_not;                            ///< not empty when it became too large; the stages are then those that were reached
};

/// The last stages of a plan give the lower triangle of M by rows, then f: one stage for each entry of an expanded one, one for
/// all with intermediates. With matrices there is one stage, and multiply() does the rest. The system must outlive the plan.
/// The budget is for expanding: terms of one entry, and time in all.
Plan plan(const System& system, Evaluation evaluation, sym::Budget budget = {});

/// What the only stage of a plan with matrices has computed, multiplied: M and f in the order told above.
std::vector<double> multiply(const Plan& plan, std::span<const double> entries);

}  // namespace linkwright::formulation::kane
