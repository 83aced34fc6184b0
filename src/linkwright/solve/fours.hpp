#pragma once
// Loops over columns whose length is a multiple of four, the last entries being zeros. For matrices of ten rows what a general library asks
// before it begins (sizes, alignment, rests) takes longer than the arithmetic; here nothing is asked, and four numbers go through
// the registers at once. All begin at the multiple of four at or before `from`: entries of that block before `from` are to be zeros, or not
// to matter.

#include <Eigen/Core>
#include <cstring>

namespace linkwright::solve {

using Eigen::Index;

/// Two numbers in a register of every x86-64: GCC's and clang's own arithmetic.
using Two = double __attribute__((vector_size(16)));

/// Four numbers.
struct Four {
    Two low{}, high{};

    friend Four operator+(Four x, Four y) { return {x.low + y.low, x.high + y.high}; }
    friend Four operator*(Four x, Four y) { return {x.low * y.low, x.high * y.high}; }
    friend Four operator*(double a, Four x) { return {a * x.low, a * x.high}; }
    Four& operator+=(Four y) { return *this = *this + y; }
    double sum() const { return (low[0] + low[1]) + (high[0] + high[1]); }
};

/// From memory and back, wherever they stand there.
inline Four load(const double* x) {
    Four y;
    std::memcpy(&y.low, x, sizeof(Two));
    std::memcpy(&y.high, x + 2, sizeof(Two));
    return y;
}
inline void store(double* x, Four y) {
    std::memcpy(x, &y.low, sizeof(Two));
    std::memcpy(x + 2, &y.high, sizeof(Two));
}

/// The next multiple of four.
constexpr Index in_fours(Index n) { return (n + 3) / 4 * 4; }
/// The multiple of four at or before i.
constexpr Index block_of(Index i) { return i / 4 * 4; }

/// y ← y + a x
inline void add(double* y, double a, const double* x, Index from, Index to) {
    for (Index i = block_of(from); i < to; i += 4) store(y + i, load(y + i) + a * load(x + i));
}

/// y ← y + a x + b z
inline void add(double* y, double a, const double* x, double b, const double* z, Index from, Index to) {
    for (Index i = block_of(from); i < to; i += 4) store(y + i, load(y + i) + (a * load(x + i) + b * load(z + i)));
}

inline double dot(const double* x, const double* y, Index from, Index to) {
    Four sum;
    for (Index i = block_of(from); i < to; i += 4) sum += load(x + i) * load(y + i);
    return sum.sum();
}

/// x ← x + a v from entry j on, which is taken out and given back: x_j ← 0. What is left has the square of its length in `square`.
inline double take_out(double* x, double a, const double* v, Index j, Index to, double& square) {
    Index i = block_of(j);
    store(x + i, load(x + i) + a * load(v + i));
    const double taken = x[j];
    x[j] = 0;
    Four sum = load(x + i) * load(x + i);
    for (i += 4; i < to; i += 4) {
        const Four next = load(x + i) + a * load(v + i);
        store(x + i, next);
        sum += next * next;
    }
    square = sum.sum();
    return taken;
}

}  // namespace linkwright::solve
