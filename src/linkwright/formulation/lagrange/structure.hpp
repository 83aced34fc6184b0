#pragma once
// The velocity coupling of Lagrange's equations, and how little of it there is [lee90 (2.54), (2.63)–(2.65)].
//
// What the velocities u_j and u_k together do to freedom i is C_jk(i) u_j u_k, with Christoffel's symbols of the first kind
//
//     C_jk(i) = ½ (X_k M_ij + X_j M_ik − X_i M_jk)
//
// where X_i is ∂/∂q_i, or the derivative along freedom i when u_i is no rate of a coordinate (quasi_speeds.hpp). Of these n³
// numbers few have to be worked out:
//
//     symmetric          C_jk(i) = C_kj(i)                                                                    (2.63)
//     non-interacting    C_ij(i) = ½ X_j M_ii = 0   where M_ii does not depend on q_j                         (2.64)
//     reflective         C_jk(i) = −C_ji(k)         where M_ik does not depend on q_j                         (2.65)
//
// The literature states the last two for a chain of bodies numbered outwards, by inequalities between the indices. That M_ik
// does not depend on q_j is what they need, for C_jk(i) + C_ji(k) = X_j M_ik; elastic links, branches and other
// numberings break the inequalities, and applied all the same they give equations that do not conserve energy. Here
// it is asked of each entry, by its fingerprint.

#include <cstdint>

#include "linkwright/formulation/quasi_speeds.hpp"

namespace linkwright::formulation::lagrange {

/// What became of a symbol.
enum class Fate : std::uint8_t {
    left,             ///< worked out by its definition
    reflected,        ///< −C of another, which was
    repeated,         ///< worked out, and then ± another that was there already
    non_interacting,  ///< C_ij(i) = 0
    independent,      ///< zero: none of the three entries depends on the coordinate in question
    cancelled,        ///< zero: the three derivatives are not, their sum is
};

struct Symbol {
    std::size_t i, j, k;  ///< C_jk(i), j ≤ k
    Fate fate = Fate::left;
    Expr value{};
    std::size_t of = 0;  ///< of one that is reflected or repeated: where the other stands in the list
    bool is_opposite = false;
};

struct Structure {
    std::size_t freedoms = 0;
    std::vector<Symbol> symbols;  ///< those with j ≤ k, by i, j, k; the others follow by symmetry

    std::size_t in_all() const { return freedoms * freedoms * freedoms; }
    std::size_t symmetric() const { return in_all() - symbols.size(); }  ///< those with j > k
    std::size_t count(Fate fate) const;
    const Symbol& at(std::size_t j, std::size_t k, std::size_t i) const;  ///< C_jk(i), in either order of j and k
};

Structure velocity_coupling(const Matrix& M, const QuasiSpeeds& speeds);

}  // namespace linkwright::formulation::lagrange
