#pragma once
// Sines and cosines of four angles at once, or of eight.
//
// Mechanisms are full of them, and a call for each is the dearest thing a short program does: glibc's sincos takes as long
// as fifty products. Four angles in one AVX2 register cost about as much as one. So single calls gather their joint angles
// by fours, batches take one angle of four states, and both run this same code. A lane never looks at its neighbours, which
// is why a batch gives the very numbers of single calls (Sleef, measured beside it, chooses its method by all four lanes).
//
// The method is the classic one: n = round(x·2/π), r + y = x − n·π/2 with π/2 in three parts of 53 bits, minimax polynomials
// in r² on |r| ≤ π/4, and the quadrant n mod 4 picks and signs the results. With fused products x − n·P₁ is exact, so r + y
// holds more than 100 bits of the reduced angle. The largest error seen was 0.8 ulp.

#if defined(__x86_64__)

#include <immintrin.h>

namespace linkwright::jit {

/// out[0…3] = sin x, out[4…7] = cos x; `out` is on a 32-byte boundary. Angles of 2³⁰ and beyond, infinities and NaNs take
/// the way of the standard library, each lane for itself. sin(−x) = −sin x and cos(−x) = cos x to the last bit.
/// Upper halves of registers are left in use.
__attribute__((target("avx2,fma"))) void sincos4(__m256d x, double* out);
/// The same of eight, out[0…7] and out[8…15], on a 64-byte boundary: the same numbers to the last bit. For processors with AVX-512 (F and DQ).
__attribute__((target("avx512f,avx512dq"))) void sincos8(__m512d x, double* out);

}  // namespace linkwright::jit

#endif
