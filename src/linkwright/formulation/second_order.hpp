#pragma once
// Kinetic energy up to products of two elastic coordinates or speeds.
//
// T = T₀ + T₁ + T₂ + …, by degree in the elastic coordinates and speeds of all beams together, everything else as it is; `order = "second"` keeps the
// first three. Lagrange's operator takes T_k to terms of degree k in the row of a coordinate that is not elastic, and of degree k − 1 in the row
// of one that is (u̇ of elastic coordinates counts as they do). So the equations are those of the whole T with every row cut: M up to
// degree 2, 1 or 0 as neither, one or both of its freedoms are elastic, the rest of a row up to degree 2 or 1. Gravity, springs
// and whatever else acts stay whole [baruh (24)–(32); model c of its oracle].

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation {

/// Whether a beam of the model asks for it.
bool is_second_order(const model::Model& model);

/// e up to a degree in the elastic coordinates and speeds.
class Truncation {
public:
    explicit Truncation(const Mechanism& mechanism);
    Expr operator()(const Expr& e, std::size_t degree) const;
    bool is_elastic(std::size_t freedom) const { return is_elastic_[freedom]; }

private:
    std::vector<Expr> symbols_;
    std::vector<bool> is_elastic_;
};

/// M, cut as above: that of the kinetic energy which is cut.
void truncate(const Mechanism& mechanism, Matrix& M);
/// M and f of inertia alone, cut as above.
void truncate(const Mechanism& mechanism, FormulatedEquations& raw);

/// What acts on every freedom besides inertia: loads and gravity.
std::vector<Expr> forces_at_rest(const System& system);

/// Accelerations of a tree from M factored; those of given freedoms are their symbols.
std::vector<Expr> factored(const Mechanism& mechanism, const FormulatedEquations& raw);

}  // namespace linkwright::formulation
