#pragma once
// Is every number finite? Asked at every evaluation, so of four numbers at a time: NaN and infinities times 0 stay.

#include <Eigen/Core>

namespace linkwright::solve {

inline bool is_finite(const double* x, Eigen::Index size) {
    Eigen::Array4d four = Eigen::Array4d::Zero();
    Eigen::Index i = 0;
    for (; i + 4 <= size; i += 4) four += Eigen::Map<const Eigen::Array4d>(x + i) * 0;
    double rest = 0;
    for (; i < size; ++i) rest += x[i] * 0;
    return four.sum() + rest == 0;
}

template <class Matrix>
bool is_finite(const Eigen::PlainObjectBase<Matrix>& a) {
    return is_finite(a.data(), a.size());
}

}  // namespace linkwright::solve
