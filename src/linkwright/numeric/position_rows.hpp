#pragma once
// What positions must meet: holonomic rows and unit quaternions, with their derivatives by q.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// φ(q, t) of the holonomic rows, then ½(|e|² − 1) of each quaternion; and ∂/∂(q, x) of all. (In the graph |e|² is 1 for good, so
/// the latter are filled in by hand.)
class PositionRows {
public:
    explicit PositionRows(const CompiledEquations& numbers);
    Eigen::Index rows() const { return phi_.size(); }
    /// `in` as Layout says.
    void calc(std::span<const double> in);
    const VectorXd& phi() const { return phi_; }
    const MatrixXd& jacobian() const { return jacobian_; }

private:
    const eom::EquationsOfMotion& e_;
    CompiledEquations::Function function_;
    std::vector<std::pair<Eigen::Index, Eigen::Index>> places_;
    Eigen::Index holonomic_ = 0;
    VectorXd out_, phi_;
    MatrixXd jacobian_;
};

}  // namespace linkwright::numeric
