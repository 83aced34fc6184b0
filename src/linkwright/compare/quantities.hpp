#pragma once
// Our side of a comparison: everything of the equations of motion that has a name, on a desk of its own (a pool that does not
// fold, at a point drawn for the occasion).
//
//     M[i,j] f[i] G[r,j] gamma[r] phi[r] rate[r]      the equations; i, j a number from 1 or the name of a coordinate or speed, r a number
//     q[i] u[i] udot[i] lambda[r] qdot[i]             or the name of a row
//     T V power                                       energies
//     C[i][j,k]                                       Christoffel symbols ½(∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i)  [lee90 (2.4)]
//     h[i] dV[i]                                      Σ C[i][j,k] q̇_j q̇_k, and ∂V/∂q_i: M q̈ + h + dV = what is left
//     hip' hip'' tip.x                                rates of coordinates, accelerations, outputs
//     com[b,k] R[b][k,l]                              centre of mass and axes of body b in the ground
//     B[b][k,j] a0[b,k]                               partial velocities of b (k = 1…3 turning, 4…6 of the centre of mass), and the
//                                                     acceleration left when u̇ = 0: only where the equations carry them
//
// Parameters that the model derives from others are put in, on this side as on the other.

#include <functional>
#include <map>
#include <memory>

#include "linkwright/compare/names_table.hpp"
#include "linkwright/eom/equations.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::compare {

class Quantities {
public:
    /// `frozen`: parameters that the equations have as numbers; a formula may use their names all the same.
    Quantities(const eom::EquationsOfMotion& equations, sym::Pool& desk, const std::vector<std::pair<std::string, Expr>>& frozen = {});

    /// Writes everything in the coordinates of somebody else: q = X(p). With A = ∂X/∂p and q̇ = u,
    ///     M̃ = AᵀMA      f̃ = Aᵀ(f − M(Ȧṗ + …))      G̃ = GA      γ̃ = γ − G(Ȧṗ + …)
    /// The new coordinates take the places of those they replace.
    void change_coordinates(const std::vector<Rule>& rules, Diagnostics& problems);

    /// Coordinates that are constants: put in everywhere, with no rate, once everything has been differentiated. For what somebody has
    /// linearized, or written without the elastic coordinates.
    void hold(const std::vector<Rule>& rules, Diagnostics& problems);

    /// A name that may stand in a formula: a parameter, input, coordinate, rate, acceleration, multiplier, t.
    std::optional<Expr> symbol(std::string_view name) const;
    const std::map<std::string, Expr, std::less<>>& symbols() const { return symbols_; }

    /// A quantity. When there is none, `why` says so: "M has 2 columns, not 3".
    struct Found {
        std::optional<Expr> value;
        std::string name;               ///< "M[1,2]", however it was asked for
        std::vector<std::size_t> at{};  ///< its indices, from 0
        std::string why;
        bool is_miscounted = false;  ///< `why` is that it takes more or fewer indices
        bool is_known = false;       ///< there is a quantity of that name, whatever its indices
    };
    Found find(std::string_view name, const std::vector<std::string>& indices);
    /// Every name that `find` knows.
    std::vector<std::string> known() const;

    /// Coordinates that may be angles, and every angle whose sine or cosine stands in the equations.
    std::vector<Expr> angles() const;

    /// M_i u̇ + (Gᵀλ)_i − f_i.
    std::size_t rows() const { return u.size(); }
    Expr row(std::size_t i) const;

    sym::Pool& desk;
    std::vector<Expr> q, u, udot, qdot, f, lambda, gamma, phi, rate;
    std::vector<Expr> states, state_rates;  ///< auxiliary states: of motors and filters
    sym::Matrix M, G;
    std::vector<std::string> constraint_names;
    bool is_natural = true;                              ///< q̇ = u
    std::map<std::string, double, std::less<>> nominal;  ///< the model's values of parameters and inputs, and where its coordinates start
    Expr t, T, V, power;
    std::vector<std::pair<std::string, Expr>> outputs;
    struct Body {
        std::string name;
        std::vector<Expr> com, R;  ///< R by rows
        sym::Matrix B;             ///< six rows; empty when the equations do not carry them
        std::vector<Expr> a0;
    };
    std::vector<Body> bodies;

private:
    enum class Counts : std::uint8_t { freedoms, rows, bodies, plain };  ///< what an index counts, and which names it may have
    std::optional<std::size_t> find_index(std::string_view word, std::size_t size, Counts what) const;
    const std::vector<Expr>& accelerations();
    std::string no_accelerations() const;
    Expr christoffel(std::size_t i, std::size_t j, std::size_t k);
    void name_symbols();
    std::optional<Expr> read_constant(const Rule& rule, Diagnostics& problems) const;
    Expr held(const Expr& e) const { return held_.empty() ? e : sym::Substitution(held_)(e); }

    std::vector<sym::Binding> held_;  ///< coordinates that are constants, their rates and accelerations
    sym::Matrix free_M_;              ///< M and V before anything is held, to be differentiated
    Expr free_V_;
    std::map<std::string, Expr, std::less<>> symbols_, constants_;
    std::vector<Expr> accelerations_;
    std::map<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>, Expr> derivatives_;  ///< ∂M_ij/∂q_k
};

/// An expression of a printed tree. `value` says what a name is; empty results are not allowed there.
Expr build(const Tree& tree, Tree::Part root, sym::Pool& pool, const std::function<Expr(Tree::Part)>& value,
           std::vector<Expr>* parts = nullptr);

}  // namespace linkwright::compare
