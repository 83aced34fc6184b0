#pragma once
// A right-hand side may be any expression of Eigen's; what is compiled once takes vectors and matrices. Those pass through as they
// are, expressions are evaluated on the way.

#include <Eigen/Core>
#include <type_traits>

namespace linkwright::solve {

/// b itself where it is a VectorX or a MatrixX; else what it is worth, as a VectorX where it has one column by its type.
template <class B>
decltype(auto) evaluated(const Eigen::MatrixBase<B>& b) {
    constexpr int columns = B::ColsAtCompileTime == 1 ? 1 : Eigen::Dynamic;
    using Plain = Eigen::Matrix<typename B::Scalar, Eigen::Dynamic, columns>;
    if constexpr (std::is_same_v<B, Plain>) {
        return static_cast<const Plain&>(b.derived());
    } else {
        return Plain(b);
    }
}

}  // namespace linkwright::solve
