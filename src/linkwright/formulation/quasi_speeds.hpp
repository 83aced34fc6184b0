#pragma once
// Speeds that are no rates of coordinates: q̇ = N(q) u.
//
// A freedom's column of N is a direction in the space of coordinates, X_i = Σ_r N_ri ∂/∂q_r. Where every column is a unit
// vector, X_i is ∂/∂q_i and Lagrange's equations hold as everybody knows them. Euler parameters and translations measured in
// turning axes have other columns. Then X_i still says how a function changes with freedom i, but two such changes may
// not be interchanged: X_i X_j − X_j X_i = Σ_k c^k_ij X_k. These structure coefficients are what the equations of Boltzmann and
// Hamel have beyond Lagrange's [hamel04]:
//
//     d/dt ∂T/∂u_i − X_i T + Σ_jk c^k_ij u_j ∂T/∂u_k = Q_i
//
// For a body turning freely, c^k_ij = ε_ijk, and the extra term is ω × Jω.
//
// Columns of Euler parameters are tangents of the unit sphere, so no derivative is ever taken off it.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

class QuasiSpeeds {
public:
    explicit QuasiSpeeds(const Mechanism& mechanism);

    /// [X_i, X_j] = Σ value · X_k; one for each i ≠ j and k with a value that is not zero.
    struct Bracket {
        std::size_t i, j, k;
        Expr value;
    };
    const std::vector<Bracket>& brackets() const { return brackets_; }

    /// Is u_i the rate of a coordinate? Its column of N is then one 1, or nothing at all when that is cyclic.
    bool is_rate(std::size_t i) const { return is_rate_[i]; }

    /// q_r → N_ri, for the coordinates that freedom i moves.
    const std::vector<sym::Binding>& direction(std::size_t i) const { return direction_[i]; }

    /// X_i e of every freedom i, by one reverse pass.
    std::vector<Expr> derivatives(const Expr& e) const;

private:
    void find_brackets(std::span<const std::size_t> joint);

    std::vector<Expr> q_;
    std::vector<std::vector<std::pair<std::size_t, Expr>>> columns_;  ///< of N: coordinate and entry
    std::vector<std::vector<sym::Binding>> direction_;
    std::vector<bool> is_rate_;
    std::vector<Bracket> brackets_;
};

}  // namespace linkwright::formulation
