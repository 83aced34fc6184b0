#pragma once
// Scales for rows that change along a motion. A row of constraints that vanishes on the way is a loss of rank; scaled to
// length 1 at every moment it would look sound to the end. So rows are measured by the longest they have been.

#include <algorithm>
#include <cmath>

#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/powers_of_two.hpp"

namespace linkwright::solve {

class RowLengths {
public:
    /// 1/length for each row, lengths being the largest met so far (powers of two, so that scaling rounds nothing). What is
    /// nothing beside the longest is what rounding left of zero, and stays nothing.
    template <class Rows>
    const VectorXd& scales(const Eigen::MatrixBase<Rows>& rows) {
        const Index m = rows.rows();
        if (lengths_.size() != m) lengths_.setZero(m);
        double longest = 0;
        for (Index i = 0; i < m; ++i) {
            double length = 0;
            for (Index j = 0; j < rows.cols(); ++j) length = std::max(length, std::abs(rows(i, j)));
            lengths_[i] = std::max(lengths_[i], length);
            longest = std::max(longest, lengths_[i]);
        }
        const double dust = longest < 1e-13 ? 1e-13 : 1e-12 * longest;
        scales_.resize(m);
        for (Index i = 0; i < m; ++i) {
            const double length = lengths_[i] > dust ? lengths_[i] : longest > dust ? longest : 1;
            scales_[i] = power_of_two(-exponent(length));
        }
        return scales_;
    }
    void forget() { lengths_.resize(0); }

private:
    VectorXd lengths_, scales_;
};

}  // namespace linkwright::solve
