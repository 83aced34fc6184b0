#pragma once
// Singular positions: a change point, a dead centre, links in one line. Rows of constraints that depend on each other there do not do so
// beside it, or a motion that they allow to first order cannot be followed. No linear model describes a mechanism there, and none
// may be printed.
//
// It is looked for by going there: a small step along a motion that the rows allow, closed, and the ranks of Φ and G once more.

#include <mutex>

#include "linkwright/linear/linearize.hpp"
#include "linkwright/numeric/assemble.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class SingularPositions {
public:
    /// Both must outlive it. Nothing is compiled before it is asked for.
    SingularPositions(const numeric::CompiledEquations& numbers, const LinearForm& form) : numbers_(numbers), form_(form) {}

    /// Why there is no linear model at a point, in a sentence; empty where there is one. `at` has its point, matrices and Y.
    std::optional<std::string> why(const Linearization& at, Eigen::Index rank_phi, Eigen::Index rank_g) const;

private:
    void compile() const;
    double length_scale(const numeric::State& state) const;

    struct Place {
        bool is_position = false;  ///< in Φ, otherwise in G
        Eigen::Index row = 0, column = 0;
    };
    const numeric::CompiledEquations& numbers_;
    const LinearForm& form_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<numeric::Closing> closing_;
    mutable numeric::CompiledEquations::Function points_;       ///< where bodies are, for a length
    mutable numeric::CompiledEquations::Function derivatives_;  ///< entries of Φ and G
    mutable std::vector<Place> places_;
};

}  // namespace linkwright::linear
