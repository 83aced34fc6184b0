#pragma once
// Loops over columns whose length is a multiple of four, the last entries being zeros. For matrices of ten rows what a general library asks
// before it begins (sizes, alignment, rests) takes longer than the arithmetic; here nothing is asked, and four numbers go through
// the registers at once. All begin at the multiple of four at or before `from`: entries of that block before `from` are to be zeros, or not
// to matter.

#include <Eigen/Core>

namespace linkwright::solve {

using Eigen::Index;

/// Four numbers, two or four to a register, wherever they stand in memory. GCC's and clang's own arithmetic.
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));

inline Four& four(double* x) { return *reinterpret_cast<Four*>(x); }
inline const Four& four(const double* x) { return *reinterpret_cast<const Four*>(x); }

/// The next multiple of four.
constexpr Index in_fours(Index n) { return (n + 3) / 4 * 4; }
/// The multiple of four at or before i.
constexpr Index block_of(Index i) { return i / 4 * 4; }

/// y ← y + a x
inline void add(double* y, double a, const double* x, Index from, Index to) {
    for (Index i = block_of(from); i < to; i += 4) four(y + i) += a * four(x + i);
}

/// y ← y + a x + b z
inline void add(double* y, double a, const double* x, double b, const double* z, Index from, Index to) {
    for (Index i = block_of(from); i < to; i += 4) four(y + i) += a * four(x + i) + b * four(z + i);
}

/// x ← x + a v from entry j on, which is taken out and given back: x_j ← 0. What is left has the square of its length in `square`.
inline double take_out(double* x, double a, const double* v, Index j, Index to, double& square) {
    Index i = block_of(j);
    four(x + i) += a * four(v + i);
    const double taken = x[j];
    x[j] = 0;
    Four sum = four(x + i) * four(x + i);
    for (i += 4; i < to; i += 4) {
        const Four next = four(x + i) + a * four(v + i);
        four(x + i) = next;
        sum += next * next;
    }
    square = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return taken;
}

inline double dot(const double* x, const double* y, Index from, Index to) {
    Four sum{};
    for (Index i = block_of(from); i < to; i += 4) sum += four(x + i) * four(y + i);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace linkwright::solve
