#pragma once
// Parameters for wanted eigenvalues: Newton's method with exact derivatives [lynch88 §6.5, tables 6.1 and 6.2], and least squares
// within bounds where there are more or fewer parameters than wishes.
//
//     r_i = w_i (λ_i(p) − λ_i*)/|λ_i*|        minimise |r|², low ≤ p ≤ high
//     J d = −r                                the full step, taken whenever it makes |r| smaller
//     (JᵀJ + ν D⁻²) d = −Jᵀr                  otherwise, ν growing until one does [more78]
//
// A parameter at its bound that a step would push further stays there, and the others take the step alone. The operating point is
// found anew for each p, from where it was before.

#include "linkwright/analysis/operating.hpp"
#include "linkwright/analysis/sensitivity.hpp"

namespace linkwright::analysis {

struct Wish {
    enum class Of : std::uint8_t {
        lambda,        ///< of K x = λ M x
        pole,
        frequency,     ///< |Im pole|, in rad/s
    };
    Of of = Of::lambda;
    std::vector<std::complex<double>> values;  ///< ascending: they are taken for eigenvalues in that order
};

struct PlaceOptions {
    Wish wish;
    std::vector<double> weights;             ///< of wishes; empty: 1
    std::vector<std::size_t> vary;           ///< indices of equations().parameters
    std::vector<double> low, high;           ///< of these; may be infinite
    std::size_t iterations = 60;
    double tolerance = 1e-10;                ///< of the largest relative error
};

struct Placement {
    struct Iteration {
        VectorXd parameters;                 ///< of `vary`
        VectorXcd eigenvalues;               ///< of the wishes, in their order
        double error = 0;                    ///< largest |λ − λ*|/|λ*|
        bool is_full_step = true;            ///< Newton's; otherwise a shorter one
    };
    std::vector<Iteration> walk;             ///< the first is where it began, the last the best
    OperatingPoint point;                    ///< at the last
    std::vector<std::size_t> at_bound;       ///< places in `vary` that are at a bound in the end
    std::vector<std::string> notes;
    bool is_converged = false;
    bool is_wrong_input = false;             ///< what is wanted cannot be asked: no λ, more wishes than eigenvalues
    std::string why;                         ///< when not converged
};

/// `numbers` are live; they keep the parameters of the last iteration. The other three are made of them.
Placement place(Numbers& numbers, const OperatingPoints& points, const Linearizer& linearizer, const Sensitivity& sensitivity, const PlaceOptions& options);

}  // namespace linkwright::analysis
