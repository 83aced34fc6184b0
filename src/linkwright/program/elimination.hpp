#pragma once
// The linear system of a closed chain solved by straight-line code:
//
//     M u̇ + Gᵀλ = f,   G u̇ = γ
//
// A general solver looks for pivots anew at every state, in loops over matrices that are mostly empty. A mechanism moves on smoothly, and the pivots that
// are good at one state are good around it: they are chosen once, at a **reference state**, and the elimination with them is written out, line by line, with
// nothing where a matrix is empty. The code itself tells how good its pivots are; where they are not good enough the state has left the **domain** of this choice,
// and another must be made.
//
// Two kinds of steps take the system apart, in whatever order costs least (Markowitz's rule): loops that hang on different branches never meet.
//
//     a pair: row r gives speed d         u_d = γ_r/p − Σ a_j u_j,   p = G_rd,  a_j = G_rj/p,   and is put into all other equations:
//                                         M ← JᵀMJ,  f ← Jᵀ(f − M c),  G ← G J,  γ ← γ − G c     with  u = J u' + c
//     a freedom: speed j is in no row     u_j = (f_j − Σ M_jk u_k)/M_jj
//
// Pairs choose the dependent speeds, freedoms are the independent ones. M stays semidefinite under both, so that freedoms need no pivoting; a pair has a_j of moderate size
// at the reference state (threshold pivoting by rows, speeds scaled by √M_jj). λ_r follows backwards from equation d.
//
// The domain, evaluated with every solution:
//
//     weakest = min over steps of |p| / (what is demanded of it) ≥ 1      a row keeps its length, a freedom its inertia
//     growth  = max over pairs and j of (a_j)², speeds scaled    ≤ most_growth
//
// Rows that the others imply at the reference state are left out; of all λ the shortest is given, as by solve/descriptor.hpp.

#include <memory>
#include <optional>
#include <span>

#include "linkwright/program/program.hpp"

namespace linkwright::program {

/// How many speeds and rows of constraints there are. The outputs of a program that computes the system are M (its lower half, row by row), f, and of each row of
/// constraints its entries of G and its γ; after these may come any others.
struct DescriptorShape {
    std::size_t speeds = 0, rows = 0;
    std::size_t entries() const { return speeds * (speeds + 1) / 2 + speeds + rows * (speeds + 1); }
};

/// One step: a speed and the row that gives it.
struct Pivot {
    static constexpr std::size_t freedom = static_cast<std::size_t>(-1);
    std::size_t speed = 0;
    std::size_t row = freedom;
    double value = 0;  ///< p or M_jj at the reference state
    double least = 0;  ///< what is demanded of its size
    bool is_pair() const { return row != freedom; }
};

/// Further right-hand sides, solved with the same pivots: derivatives of u̇ and λ, say. They may depend on both.
///
/// Some inputs of the given program stand for u̇ and λ, and are no inputs of the result; its last outputs are the entries that are not zero.
struct RightHandSides {
    struct Place {
        std::size_t row;  ///< a speed, or behind all speeds a row of constraints
        std::size_t column;
    };
    std::size_t columns = 0;
    std::size_t first_input = 0;  ///< of u̇; all of it and then λ
    std::vector<Place> places{};  ///< of the entries, in their order
};

/// The system's program with its solution appended, valid in a domain.
///
/// Outputs: u̇, λ, weakest, growth, the pivots in the order of elimination, then the outputs of the given program that came after the system; where there are
/// further right-hand sides, their solutions instead of their entries, row by row: of each speed and then of each λ all columns.
struct Elimination {
    static constexpr double most_growth = 400;  ///< a_j up to 20

    Program program;
    std::vector<Pivot> pivots;           ///< in the order of elimination
    std::vector<std::size_t> redundant;  ///< rows that the others imply there; those without any speed are not among them
    std::string why;                     ///< not empty: no pivots are good enough at that state

    bool is_ok() const { return why.empty(); }
    std::size_t rank() const;
    std::vector<std::size_t> independent() const;  ///< speeds, ascending
};

struct EliminationOptions {
    std::size_t most_lines = 400'000;  ///< a longer program is not made: loops over matrices serve better
    /// The way back onto the constraints: f is 0, γ are further inputs, put in before this one, and λ, which nobody wants, is 0.
    std::optional<std::size_t> gamma_inputs{};
    /// Sizes that the entries of G have had elsewhere, row by row, or nothing. A row that is short at the reference state is then seen to be.
    std::span<const double> sizes{};
    std::shared_ptr<const RightHandSides> right{};  ///< besides f and γ
};

/// Pivots chosen and the system eliminated. `reference` are the numbers of M, f, G, γ at the reference state, as the program gives them.
/// Calls must have been inlined.
Elimination eliminate(const Program& system, const DescriptorShape& shape, std::span<const double> reference,
                      const EliminationOptions& options = {});

}  // namespace linkwright::program
