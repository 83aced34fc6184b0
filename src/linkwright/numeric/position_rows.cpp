#include "linkwright/numeric/position_rows.hpp"

namespace linkwright::numeric {

using Index = Eigen::Index;

PositionRows::PositionRows(const CompiledEquations& numbers) : e_(numbers.equations()) {
    std::vector<Expr> rows;
    for (const eom::Constraint& c : e_.constraints) {
        if (c.is_holonomic) rows.push_back(c.phi);
    }
    holonomic_ = static_cast<Index>(rows.size());
    const std::vector<Expr> columns = eom::q_and_x(e_);
    const sym::SparseMatrix J = sym::jacobian(rows, columns);
    for (const auto& entry : J.entries) {
        places_.emplace_back(entry.row, entry.column);
        rows.push_back(entry.value);
    }
    function_ = numbers.compile(rows);
    out_.setZero(rows.size());
    phi_.setZero(holonomic_ + static_cast<Index>(e_.quaternions.size()));
    jacobian_.setZero(phi_.size(), static_cast<Index>(columns.size()));
}

void PositionRows::calc(std::span<const double> in) {
    function_(in, {out_.data(), static_cast<std::size_t>(out_.size())});
    phi_.head(holonomic_) = out_.head(holonomic_);
    for (std::size_t k = 0; k < places_.size(); ++k)
        jacobian_(places_[k].first, places_[k].second) = out_[holonomic_ + static_cast<Index>(k)];
    for (std::size_t k = 0; k < e_.quaternions.size(); ++k) {
        const Index row = holonomic_ + static_cast<Index>(k);
        double size = 0;
        for (const std::size_t i : e_.quaternions[k]) {
            const double e = in[1 + i];
            size += e * e;
            jacobian_(row, static_cast<Index>(i)) = e;
        }
        phi_[row] = (size - 1) / 2;
    }
}

}  // namespace linkwright::numeric
