#pragma once
// A linear model on independent coordinates as formulas: what linearize.hpp does with numbers, done on the graph.
//
//     δs = Y δy,   δu = Z δz + P δy,   δu̇ = Z δż + Q_z δz + Q_y δy
//     M δż + C δz + K δy = B δw,   δẏ = N δz + H δy
//
//     A = [ H      N    ]      B_x = [ 0    ]
//         [ −M⁻¹K  −M⁻¹C ]           [ M⁻¹B ]
//
// Dependent motions, and M⁻¹, come from formula_system.hpp: they hold at the point, and around it as long as the equations chosen there are independent.
// As long as there is time for reading, fractions are cancelled; what is left then is eliminated as it stands.
//
// What is longer than a few terms gets a name where it is used again, Y_31 for the entry in row 3 and column 1 of Y: put into one another, the
// formulas of a closed chain would fill pages.

#include <chrono>

#include "linkwright/linear/linear_formulas.hpp"
#include "linkwright/linear/linearize.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using sym::Expr;

struct ReducedFormulas {
    Matrix Y, Z, P, Q_z, Q_y;                  ///< in the pool of the formulas
    Matrix M, C, K, B, N, H;                   ///< may use names for entries of the above
    Matrix A, B_x;                             ///< and for entries of these
    std::vector<std::pair<Expr, Expr>> names;  ///< symbols with what they stand for, inner ones first
    bool is_ok = true;
    std::string why;  ///< too large to be worth reading; a pivot that vanishes
};

/// Larger models have their numbers; nobody reads their formulas.
struct ReductionLimit {
    std::size_t states = 16, dependent = 24;
    std::chrono::milliseconds reading{1'000};
};

/// `at` is the same point in numbers; its y and z are the independent ones, all of them (without only_onto), and where it is without
/// geometric stiffness so are the formulas.
ReducedFormulas reduced_formulas(const LinearFormulas& formulas, const Linearization& at, const ReductionLimit& limit = {});

}  // namespace linkwright::linear
