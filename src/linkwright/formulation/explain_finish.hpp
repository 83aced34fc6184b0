#pragma once
// The part of a derivation that every formulation tells alike: what the freedoms inside bodies add, what given motions take away, and how
// the model's own speeds replace those of the joints. It is the story of finish().

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation {

/// What freedoms inside the bodies add to M and f, in the names that the step gives it.
///
/// A rotor whose spin σ is a state turns with its body and in it: T = … + I σ (aᵀω + σ/2). With c the derivative of aᵀω by the
/// speeds, e the row that has a 1 in the column of σ, and p the rate of aᵀω at u̇ = 0, M gains Σ I (eᵀc + cᵀe + eᵀe) and f
/// gains −Σ I eᵀp. What the spin does to the turning of the body is in ω × H already.
struct OwnTerms {
    Matrix M;  ///< over all freedoms
    std::vector<Expr> f;
    std::string name_of_M, name_of_f;  ///< the last two lines of the step
    eom::Step step;
    eom::Step step_of_M;  ///< the same without f and what only f needs: for those whose f has it already
};
/// Empty when there are none.
std::optional<OwnTerms> own_terms(const Mechanism& mechanism);
/// "all + M_rotors", or "all" when there are none. The same of drives.
std::string with_own_M(std::string all, const std::optional<OwnTerms>& own);
std::string with_own_f(std::string all, const std::optional<OwnTerms>& own);

/// What drives in the joints add, as armature.hpp has it; f and what only f needs are left out where they are 0. Empty when there are none.
std::optional<OwnTerms> drive_terms(const System& system);

/// What moves inside a body, as a page calls it: "rotors"; empty when nothing does.
std::string carried_by(const Mechanism& mechanism, BodyIndex body);

/// "Given motions", when there are some.
std::optional<eom::Step> given_motions(const Mechanism& mechanism, std::string citation = {});

/// Of M and f in the finished equations, from what they are over all freedoms: the same when nothing is given, the rows and
/// columns of the free speeds otherwise.
std::string mass_of_free(const Mechanism& mechanism, const std::string& all);
std::string forcing_of_free(const Mechanism& mechanism, const std::string& all);

/// The equations in the speeds of the joints, and the step from there to the model's own: u = Y s + y,
/// M_own = Yᵀ M Y, f_own = Yᵀ (f − M (Ẏ s + ẏ)).
struct JointSpeeds {
    eom::EquationsOfMotion equations;
    eom::Step step;
};
using Derive = Derived (*)(const model::Model&, const topology::Topology&, const Options&);
/// Empty when `finished` are in the speeds of the joints anyway. `row` is the letter for a row of constraints.
std::optional<JointSpeeds> in_joint_speeds(const System& system, const eom::EquationsOfMotion& finished, Derive derive,
                                           const std::string& row = "G");

/// The whole derivation where nothing can move.
std::optional<eom::Derivation> nothing_moves(const Mechanism& mechanism);
/// Said in the last step when every freedom moves as given.
inline constexpr const char* all_is_given =
    "Every degree of freedom has a given motion: no equations are left. The required forces are outputs.";

/// Brings every expression of the derivation into one pool.
void gather(eom::Derivation& derivation, sym::Pool& pool);

}  // namespace linkwright::formulation
