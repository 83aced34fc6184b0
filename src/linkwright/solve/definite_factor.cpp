#include "linkwright/solve/definite_factor.hpp"

#include <algorithm>
#include <limits>

namespace linkwright::solve {

void DefiniteFactor::resize(Index size) {
    size_ = size;
    l_.setZero(in_fours(size), size);
    inverse_.resize(size);
    condition_ = 1;
}

bool DefiniteFactor::compute(const MatrixXd& a, Index first, Index end, double floor) {
    resize(end - first);
    for (Index j = 0; j < size_; ++j) {
        for (Index i = j; i < size_; ++i) l_(i, j) = a(first + i, first + j);
    }
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < size_; ++j) {
        double* column = l_.col(j).data();
        const double before = a(first + j, first + j), d = column[j];
        if (!(d > 1e-10 * before) || !(before > floor)) return false;
        const double part = d / before;
        largest = std::max(largest, part), smallest = std::min(smallest, part);
        inverse_[j] = 1 / d;
        column[j] = 0;
        for (Index k = j + 1; k < size_; ++k) add(l_.col(k).data(), -column[k] * inverse_[j], column, k, l_.rows());
        for (Index i = block_of(j); i < l_.rows(); ++i) column[i] *= inverse_[j];
    }
    // what the updates left above the diagonal of their blocks
    for (Index k = 1; k < size_; ++k) {
        for (Index i = block_of(k); i < k; ++i) l_(i, k) = 0;
    }
    if (size_ > 0) condition_ = largest / smallest;
    return true;
}

void DefiniteFactor::take(const Definite& factor) {
    resize(factor.d.size());
    for (Index j = 0; j < size_; ++j) {
        inverse_[j] = 1 / factor.d[j];
        for (Index i = j + 1; i < size_; ++i) l_(i, j) = factor.l(i, j);
    }
    condition_ = factor.condition;
}

void DefiniteFactor::solve(double* x) const {
    for (Index j = 0; j < size_; ++j) add(x, -x[j], l_.col(j).data(), j, l_.rows());
    for (Index j = size_ - 1; j >= 0; --j) x[j] = x[j] * inverse_[j] - dot(l_.col(j).data(), x, j, l_.rows());
}

}  // namespace linkwright::solve
