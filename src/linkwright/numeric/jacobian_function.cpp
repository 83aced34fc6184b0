#include "linkwright/numeric/jacobian_function.hpp"

namespace linkwright::numeric {

using Index = Eigen::Index;

JacobianFunction::JacobianFunction(const CompiledEquations& equations, std::span<const Expr> rows, std::span<const Expr> columns,
                                   bool with_accelerations, const std::function<bool(Index, Index)>& is_wanted)
    : rows_(static_cast<Index>(rows.size())), columns_(static_cast<Index>(columns.size())) {
    std::vector<Expr> entries;
    for (const auto& entry : sym::jacobian(rows, columns).entries) {
        if (is_wanted && !is_wanted(entry.row, entry.column)) continue;
        places_.push_back({entry.row, entry.column});
        entries.push_back(entry.value);
    }
    function_ = with_accelerations ? equations.compile_with_accelerations(entries) : equations.compile(entries);
}

bool JacobianFunction::operator()(std::span<const double> in, VectorXd& values, MatrixXd& J) const {
    values.resize(places_.size());
    function_(in, {values.data(), static_cast<std::size_t>(values.size())});
    for (std::size_t k = 0; k < places_.size(); ++k) J(places_[k].row, places_[k].column) = values[k];
    return values.allFinite();
}

MatrixXd JacobianFunction::operator()(const VectorXd& in) const {
    MatrixXd J = MatrixXd::Zero(rows_, columns_);
    VectorXd values;
    (*this)({in.data(), static_cast<std::size_t>(in.size())}, values, J);
    return J;
}

}  // namespace linkwright::numeric
