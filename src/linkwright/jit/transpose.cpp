#include "linkwright/jit/transpose.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#define LINKWRIGHT_AVX __attribute__((target("avx2")))
#endif

namespace linkwright::jit {

#if defined(__x86_64__)
namespace {

/// Four rows of four, `from` and `to` apart by their own strides, exchanged.
LINKWRIGHT_AVX void exchange(const double* const* from, double* const* to) {
    const __m256d a = _mm256_loadu_pd(from[0]), b = _mm256_loadu_pd(from[1]);
    const __m256d c = _mm256_loadu_pd(from[2]), d = _mm256_loadu_pd(from[3]);
    const __m256d ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
    const __m256d cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(to[0], _mm256_permute2f128_pd(ab_low, cd_low, 0x20));
    _mm256_storeu_pd(to[1], _mm256_permute2f128_pd(ab_high, cd_high, 0x20));
    _mm256_storeu_pd(to[2], _mm256_permute2f128_pd(ab_low, cd_low, 0x31));
    _mm256_storeu_pd(to[3], _mm256_permute2f128_pd(ab_high, cd_high, 0x31));
}

}  // namespace

LINKWRIGHT_AVX void to_rows(std::size_t n, std::size_t lanes, std::size_t size, const double* points, double* rows) {
    for (std::size_t first = 0; first < lanes; first += 4) {
        const double* at[4];
        for (std::size_t p = 0; p < 4; ++p) at[p] = points + std::min(first + p, size - 1) * n;
        double* row = rows + first;
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4, row += 4 * lanes) {
            const double* const from[4] = {at[0] + i, at[1] + i, at[2] + i, at[3] + i};
            double* const to[4] = {row, row + lanes, row + 2 * lanes, row + 3 * lanes};
            exchange(from, to);
        }
        for (; i < n; ++i, row += lanes) {
            for (std::size_t p = 0; p < 4; ++p) row[p] = at[p][i];
        }
    }
}

LINKWRIGHT_AVX void from_rows(std::size_t n, std::size_t lanes, std::size_t size, const double* rows, double* points) {
    for (std::size_t first = 0; first < size; first += 4) {
        const std::size_t some = std::min<std::size_t>(4, size - first);
        const double* row = rows + first;
        double* const at = points + first * n;
        std::size_t i = 0;
        if (some == 4) {
            for (; i + 4 <= n; i += 4, row += 4 * lanes) {
                const double* const from[4] = {row, row + lanes, row + 2 * lanes, row + 3 * lanes};
                double* const to[4] = {at + i, at + n + i, at + 2 * n + i, at + 3 * n + i};
                exchange(from, to);
            }
        }
        for (; i < n; ++i, row += lanes) {
            for (std::size_t p = 0; p < some; ++p) at[p * n + i] = row[p];
        }
    }
}

#else

void to_rows(std::size_t n, std::size_t lanes, std::size_t size, const double* points, double* rows) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t p = 0; p < lanes; ++p) rows[lanes * i + p] = points[std::min(p, size - 1) * n + i];
    }
}

void from_rows(std::size_t n, std::size_t lanes, std::size_t size, const double* rows, double* points) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t p = 0; p < size; ++p) points[p * n + i] = rows[lanes * i + p];
    }
}

#endif

}  // namespace linkwright::jit
