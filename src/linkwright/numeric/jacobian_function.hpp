#pragma once
// Derivatives of rows by columns as one compiled function: only the entries that are not zero by structure are computed, and each knows
// its place.

#include <span>

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class JacobianFunction {
public:
    JacobianFunction() = default;
    /// By `columns`, which are symbols. Entries that `is_wanted(row, column)` declines are left at zero: known elsewhere.
    JacobianFunction(const CompiledEquations& equations, std::span<const Expr> rows, std::span<const Expr> columns,
                     bool with_accelerations = false, const std::function<bool(Eigen::Index, Eigen::Index)>& is_wanted = {});

    Eigen::Index rows() const { return rows_; }
    Eigen::Index columns() const { return columns_; }
    bool is_zero() const { return places_.empty(); }  ///< by structure

    struct Place {
        Eigen::Index row, column;
    };
    const std::vector<Place>& places() const { return places_; }

    /// Into a matrix of the right size whose other entries are zero, without any memory taken but `values`, the entries in the order of
    /// `places`. `in` as Layout says. False when an entry is not finite.
    bool operator()(std::span<const double> in, VectorXd& values, MatrixXd& J) const;
    /// The same once.
    MatrixXd operator()(const VectorXd& in) const;

private:
    Eigen::Index rows_ = 0, columns_ = 0;
    std::vector<Place> places_;
    CompiledEquations::Function function_;
};

}  // namespace linkwright::numeric
