#pragma once
// The graph as matrices of small integers, in the letters of the books.
//
// Rows and columns that count bodies use the model's numbers, the ground being 0; permuted into `Topology::order` the
// path and the reference matrix are lower triangular. A joint is an edge that runs from its parent to its child.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/sym/matrix.hpp"
#include "linkwright/topology/topology.hpp"

namespace linkwright::topology {

struct IntMatrix {
    std::size_t rows = 0, columns = 0;
    std::vector<int> entries;  ///< row by row

    IntMatrix() = default;
    IntMatrix(std::size_t n_rows, std::size_t n_columns) : rows(n_rows), columns(n_columns), entries(n_rows * n_columns, 0) {}
    int& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
    int operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
    bool operator==(const IntMatrix&) const = default;
};
IntMatrix operator*(const IntMatrix& a, const IntMatrix& b);
IntMatrix int_identity(std::size_t n);
sym::Matrix rows_of(const IntMatrix& a);    ///< of expressions, for a page
std::string to_string(const IntMatrix& a);  ///< a line for each row, columns aligned

/// Path matrix: π_ij = 1 if body j lies on the way from the ground to body i, both ends included.   [lynch88 (3.12)]
IntMatrix path_matrix(const Topology& t);

/// Reference matrix: ρ_ii = 1, ρ_ij = −1 if j is the inner body of i. ρ π = π ρ = 1.   [lynch88 (3.13), (3.14)]
IntMatrix reference_matrix(const Topology& t);

/// How many joints of the tree lie between two bodies: d_ij = Σ_k |π_ik − π_jk|.
IntMatrix distance_matrix(const Topology& t);

/// Lynch's distance matrix, in tenths: for adjacent bodies 10 (revolute), 11 (prismatic) or 30 (spherical); 2 on the
/// diagonal for a base that floats on a free joint to the ground; 0 elsewhere. Empty when the tree holds a joint that
/// has no number there.   [lynch88 (3.17)]
std::optional<IntMatrix> joint_code_matrix(const model::Model& model, const Topology& t);

/// The incidence matrix of the whole graph and its parts, after Roberson and Schwertassek.   [forehand (2)–(5)]
///
///     S_is = +1 if joint s emanates from body i (its parent), −1 if it ends there (its child)
///
///         ┌ S_0   …  ┐  row of the ground
///     S = │          │
///         └ S_A  S_C ┘  the other bodies: arcs, chords
///
///     T_ai = +1 if arc a lies on the way from i to the ground and runs towards it, −1 if it runs away, 0 otherwise
///     T S_A = S_A T = 1,  S_0 T = (−1 … −1)
///
/// In S every column is a joint, in the order of the model. In S_A, S_C and T the rows and columns of bodies begin with
/// body 1; column k of S_A and row k of T belong to the arc that leads to body k + 1; S_C has the chords in their
/// order.
struct Incidence {
    IntMatrix S;    ///< bodies × joints
    IntMatrix S_0;  ///< 1 × arcs: the ground's row
    IntMatrix S_A;  ///< bodies − 1 × arcs
    IntMatrix S_C;  ///< bodies − 1 × chords
    IntMatrix T;    ///< arcs × bodies − 1; walked along the paths, not inverted
};
Incidence incidence(const model::Model& model, const Topology& t);

/// The fundamental loops U = T S_C, arcs × chords: U_ac = +1 if the way of loop c, from the chord's parent to its
/// child, passes arc a from parent to child, −1 if against it. S_A U = S_C: going there by the chord or by the tree is
/// the same.
IntMatrix loop_matrix(const model::Model& model, const Topology& t);

/// Maximal runs of bodies without branching, from inside out; together they hold every body but the ground once. A run
/// starts next to the ground or to a body with several outer ones.
std::vector<std::vector<BodyIndex>> chains(const Topology& t);

}  // namespace linkwright::topology
