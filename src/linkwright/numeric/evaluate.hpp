#pragma once
// Everything about one state in numbers.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

using Eigen::VectorXd;

struct Evaluation {
    Dynamics dynamics;
    VectorXd coordinate_rates, auxiliary_rates;
    VectorXd accelerations, multipliers;  ///< NaN, as the outputs made of them are, when not ok
    Residuals residuals;
    double kinetic = 0, potential = 0, power = 0;
    Eigen::Vector3d linear, angular;
    VectorXd outputs;                      ///< in the order of equations().outputs
    Eigen::Index rank = 0;                 ///< of G
    std::vector<std::string> redundant;    ///< constraints that the others imply here
    std::vector<std::string> independent;  ///< speeds that may be chosen freely; all of them in a tree
    std::vector<std::string> warnings;
    bool is_ok = true;
    std::string why;  ///< the accelerations could not be found
};

Evaluation evaluate(const CompiledEquations& numbers, const State& state);

}  // namespace linkwright::numeric
